/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/grouper/group_doc.h"

#include <string.h>

#include "codec/jobs/object/compose.h"

static void put_metadata(struct fl_compose *o, const struct fl_made_group *group)
{
	struct fl_kjob_value root = fl_kjob_root(&group->top->doc);
	struct fl_kjob_value was = fl_kjob_get(root, "metadata");
	const struct fl_kjob_reference owner = {
		.api_version = fl_kjob_text(fl_kjob_get(root, "apiVersion")),
		.kind = fl_kjob_text(fl_kjob_get(root, "kind")),
		.name = group->top->name,
	};
	uint32_t k = fl_compose_key(o, "metadata"), map = fl_compose_map(o), owners, list;

	fl_compose_text(o, "namespace", group->top->namespace);
	fl_compose_text(o, "name", group->name);
	fl_compose_text(o, "creationTimestamp",
			fl_kjob_text(fl_kjob_get(was, "creationTimestamp")));
	fl_compose_value(o, "labels", fl_kjob_get(was, "labels"));
	fl_compose_value(o, "annotations", fl_kjob_get(was, "annotations"));
	owners = fl_compose_key(o, "ownerReferences");
	list = fl_compose_list(o);
	fl_compose_owner(o, &owner);
	fl_compose_end(o, list);
	fl_compose_end(o, owners);
	fl_compose_end(o, map);
	fl_compose_end(o, k);
}

int fl_grouper_group_doc(const struct fl_made_group *group, struct fl_doc *ret, fairlead_error *err)
{
	const struct fl_value *at = &group->top->doc.values[0];
	struct fl_compose o = { .doc = ret, .line = at->line, .column = at->column, .err = err };
	uint32_t map = fl_compose_map(&o), spec, fields;

	fl_compose_text(&o, "apiVersion", "scheduling.run.ai/v2alpha2");
	fl_compose_text(&o, "kind", "PodGroup");
	put_metadata(&o, group);
	spec = fl_compose_key(&o, "spec");
	fields = fl_compose_map(&o);
	fl_compose_int(&o, "minMember", group->least);
	fl_compose_text(&o, "queue", group->queue);
	fl_compose_text(&o, "priorityClassName", group->class);
	fl_compose_text(&o, "preemptibility", group->preemptible);
	fl_compose_end(&o, fields);
	fl_compose_end(&o, spec);
	fl_compose_end(&o, map);
	return o.code;
}

/* All of @map but @but. */
static void put_others(struct fl_compose *o, struct fl_kjob_value map, const char *but)
{
	for (struct fl_kjob_value i = fl_kjob_first(map); fl_kjob_has(i); i = fl_kjob_next(map, i))
		if (o->code == 0 && strcmp(fl_kjob_key(i), but) != 0)
			o->code = fl_doc_append(o->doc, map.doc, i.v, /* place= */ true, o->err);
}

int fl_grouper_annotated(struct fl_kjob_value pod, const char *group, struct fl_doc *ret,
			 fairlead_error *err)
{
	const struct fl_value *at = &pod.doc->values[pod.v];
	struct fl_compose o = { .doc = ret, .line = at->line, .column = at->column, .err = err };
	struct fl_kjob_value was = fl_kjob_get(pod, "metadata");
	struct fl_kjob_pair pair = { "pod-group-name", group };
	const struct fl_kjob_pairs added = { .items = &pair, .n = 1 };
	uint32_t map = fl_compose_map(&o), k, metadata;

	put_others(&o, pod, "metadata");
	k = fl_compose_key(&o, "metadata");
	metadata = fl_compose_map(&o);
	put_others(&o, was, "annotations");
	fl_compose_merged(&o, "annotations", fl_kjob_get(was, "annotations"), &added);
	fl_compose_end(&o, metadata);
	fl_compose_end(&o, k);
	fl_compose_end(&o, map);
	return o.code;
}
