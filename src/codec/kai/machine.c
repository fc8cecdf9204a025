/* SPDX-License-Identifier: Apache-2.0 */
/* Node: a machine, what it has for pods, and whether it takes any. */
#include <string.h>

#include "codec/kai/kai.h"

struct reading {
	struct fl_machine_row row;
	const char *type, *status; /* of the condition in hand */
};

/* --- spec --- */

static int read_unschedulable(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_bool(k, v, &((struct reading *)row)->row.unschedulable);
}

static int read_taints(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_taints(k, v, &((struct reading *)row)->row.taints);
}

static const struct fl_field spec[] = {
	{ .name = "unschedulable", .read = read_unschedulable },
	{ .name = "taints", .read = read_taints, .fields = fl_fields_taint, .list = true },
	FL_IGNORED("configSource"),
	FL_IGNORED("externalID"),
	FL_IGNORED("podCIDR"),
	FL_IGNORED("podCIDRs"),
	FL_IGNORED("providerID"),
	{ .name = NULL },
};

/* --- status --- */

static int read_amount(struct fl_kube *k, uint32_t v, const char *resource, double *ret)
{
	fl_amount amount = 0;
	int r = fl_kube_quantity(k, v, resource, &amount);

	*ret = (double)amount;
	return r;
}

static int read_cpu(struct fl_kube *k, uint32_t v, void *row)
{
	return read_amount(k, v, "cpu", &((struct reading *)row)->row.allocatable.of[FL_CPU]);
}

static int read_memory(struct fl_kube *k, uint32_t v, void *row)
{
	return read_amount(k, v, "memory", &((struct reading *)row)->row.allocatable.of[FL_MEMORY]);
}

static int read_gpu(struct fl_kube *k, uint32_t v, void *row)
{
	return read_amount(k, v, "nvidia.com/gpu",
			   &((struct reading *)row)->row.allocatable.of[FL_GPU]);
}

static const struct fl_field amounts[] = {
	{ .name = "cpu", .read = read_cpu },
	{ .name = "memory", .read = read_memory },
	{ .name = "nvidia.com/gpu", .read = read_gpu },
	{ .name = NULL },
};

static int read_allocatable(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_some(k, v, amounts, row);
}

static int read_type(struct fl_kube *k, uint32_t v, void *row)
{
	((struct reading *)row)->type = fl_doc_text(&k->doc, v);
	return fl_kube_text(k, v, &(struct fl_sym){ 0 });
}

static int read_status(struct fl_kube *k, uint32_t v, void *row)
{
	((struct reading *)row)->status = fl_doc_text(&k->doc, v);
	return fl_kube_text(k, v, &(struct fl_sym){ 0 });
}

static const struct fl_field condition[] = {
	{ .name = "type", .read = read_type, .text = FL_TEXT_WORD },
	{ .name = "status", .read = read_status, .text = FL_TEXT_WORD },
	FL_IGNORED("lastHeartbeatTime"),
	FL_IGNORED("lastTransitionTime"),
	FL_IGNORED("message"),
	FL_IGNORED("observedGeneration"),
	FL_IGNORED("reason"),
	{ .name = NULL },
};

static int read_conditions(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *n = row;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		n->type = n->status = "";
		r = fl_kube_map(k, item, condition, row);
		if (strcmp(n->type, "Ready") == 0)
			n->row.not_ready = strcmp(n->status, "True") != 0;
	}
	return r;
}

static const struct fl_field status[] = {
	{ .name = "allocatable", .read = read_allocatable, .fields = amounts },
	{ .name = "conditions", .read = read_conditions, .fields = condition, .list = true },
	FL_IGNORED("addresses"),
	FL_PASSED("capacity", "allocatable counts"),
	FL_IGNORED("config"),
	FL_IGNORED("daemonEndpoints"),
	FL_IGNORED("declaredFeatures"),
	FL_IGNORED("features"),
	FL_IGNORED("images"),
	FL_IGNORED("nodeInfo"),
	FL_IGNORED("phase"),
	FL_IGNORED("runtimeHandlers"),
	FL_IGNORED("volumesAttached"),
	FL_IGNORED("volumesInUse"),
	{ .name = NULL },
};

/* --- the whole --- */

static int read_labels(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_labels(k, v, &((struct reading *)row)->row.labels);
}

static int read_created(struct fl_kube *k, uint32_t v, void *row)
{
	fl_time unused;

	(void)row;
	return fl_kube_time(k, v, &unused);
}

static const struct fl_field metadata[] = {
	{ .name = "creationTimestamp", .read = read_created },
	{ .name = "labels",
	  .read = read_labels,
	  .text = FL_TEXT_LABEL_VALUE,
	  .keys = FL_TEXT_LABEL_KEY },
	FL_IGNORED("name"), /* read before the fields */
	FL_IGNORED("namespace"),
	FL_IGNORED("ownerReferences"),
	FL_IGNORED("uid"),
	FL_METADATA_IGNORED,
	{ .name = NULL },
};

static const struct fl_field machine_fields[] = {
	FL_IGNORED("apiVersion"),
	FL_IGNORED("kind"),
	{ .name = "metadata", .fields = metadata },
	{ .name = "spec", .fields = spec },
	{ .name = "status", .fields = status },
	{ .name = NULL },
};

static int read_machine(struct fl_kube *k)
{
	struct reading n = { .row = { .name = k->name, .place = fl_kube_place(k, 0) } };
	int r = fl_kube_map(k, 0, machine_fields, &n);

	return r < 0 ? r : fl_model_add_machine(k->m, &n.row, k->err);
}

const struct fl_kind fl_kind_machine = { "",           "Node",          false, machine_fields,
					 read_machine, FL_TEXT_MACHINE, "v1" };
