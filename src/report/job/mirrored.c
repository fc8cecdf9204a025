/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/mirrored.h"

#define ROW struct fl_mirrored_kind
static const struct fl_json_field kind_fields[] = {
	FL_FIELD(COUNT, "number", number, "`of` of its objects"),
	FL_FIELD(TEXT, "kind", kind, "\"Workload\""),
	FL_FIELD(TEXT, "group", group, "of the API; \"\": the core group"),
	FL_FIELD(TEXT, "version", version,
		 "of the API that is read; null: the server has no such kind", .null = true),
	FL_FIELD(TEXT, "resource", plural, "\"workloads\""),
	FL_FIELD(TEXT, "namespace", namespace, "the only one that is read; absent: all",
		 .maybe = true),
	FL_FIELD_CHARS("fieldSelector", fields, "of its lists and watches", .maybe = true),
	FL_FIELD(COUNT, "objects", objects, "how many there are"),
};
static const struct fl_json_shape kind_shape = FL_SHAPE(kind_fields, "mirroredKind");
#undef ROW

#define ROW struct fl_mirrored_object
static const struct fl_json_field object_fields[] = {
	FL_FIELD(COUNT, "of", of, "`number` of its kind"),
	FL_FIELD(TEXT, "namespace", namespace, "absent: it is in none", .maybe = true),
	FL_FIELD(TEXT, "name", name, "its name"),
	FL_FIELD(TEXT, "uid", uid, "absent: it decides nothing, and is not kept", .maybe = true),
	FL_FIELD(COUNT64, "resourceVersion", version, "that was heard last; 0: it is not known"),
	FL_FIELD_CHARS("digest", digest, "of uid and of all that decides something"),
	FL_FIELD(BOOL, "readable", readable, "false: nothing can be made of its text"),
};
static const struct fl_json_shape object_shape = FL_SHAPE(object_fields, "mirroredObject");
#undef ROW

#define ROW struct fl_mirrored_answer
static const struct fl_json_field answer_fields[] = {
	FL_FIELD_CHARS("form", form, "digests of the same form are equal for equal objects"),
	FL_FIELD(TEXT, "version", version, "of fairleadd"),
	FL_FIELD(TEXT, "problem", problem, "why it may not know how the cluster is now",
		 .null = true),
	FL_FIELD_LIST("kinds", kinds, n_kinds, kind_shape, "that are followed"),
	FL_FIELD_LIST("objects", objects, n_objects, object_shape,
		      "some hundred of them, in no order"),
	FL_FIELD(TEXT, "continue", go_on, "for the next ones, with continue=", .maybe = true),
};
const struct fl_json_shape fl_mirrored_shape = FL_SHAPE(answer_fields, "mirrored");
#undef ROW
