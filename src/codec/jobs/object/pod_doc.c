/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/object/pod_doc.h"

#include "codec/jobs/object/compose.h"

int fl_kjob_pod_doc(const struct fl_kjob_new_pod *p, struct fl_doc *ret, fairlead_error *err)
{
	const struct fl_value *at = &p->job.doc->values[p->job.v];
	struct fl_compose o = { .doc = ret, .line = at->line, .column = at->column, .err = err };
	struct fl_kjob_value was = fl_kjob_get(p->pod->template, "metadata");
	const struct fl_kjob_reference owner = {
		.api_version = fl_kjob_text(fl_kjob_get(p->job, "apiVersion")),
		.kind = fl_kjob_text(fl_kjob_get(p->job, "kind")),
		.name = fl_kjob_text(fl_kjob_at(p->job, "metadata.name")),
		.controller = true,
	};
	uint32_t map = fl_compose_map(&o), metadata, fields, owners, list;

	fl_compose_text(&o, "apiVersion", "v1");
	fl_compose_text(&o, "kind", "Pod");
	metadata = fl_compose_key(&o, "metadata");
	fields = fl_compose_map(&o);
	fl_compose_text(&o, "namespace", p->namespace);
	fl_compose_text(&o, "name", p->name);
	fl_compose_text(&o, "creationTimestamp",
			fl_kjob_text(fl_kjob_at(p->job, "metadata.creationTimestamp")));
	fl_compose_merged(&o, "labels", fl_kjob_get(was, "labels"), &p->labels);
	fl_compose_merged(&o, "annotations", fl_kjob_get(was, "annotations"), &p->annotations);
	owners = fl_compose_key(&o, "ownerReferences");
	list = fl_compose_list(&o);
	fl_compose_owner(&o, &owner);
	fl_compose_end(&o, list);
	fl_compose_end(&o, owners);
	fl_compose_end(&o, fields);
	fl_compose_end(&o, metadata);
	fl_compose_pod_spec(&o, p->pod);
	fl_compose_end(&o, map);
	return o.code;
}
