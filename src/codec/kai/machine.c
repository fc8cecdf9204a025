/* SPDX-License-Identifier: Apache-2.0 */
/* Node: a machine, its capacity for pods, and whether it accepts any. */
#include <string.h>

#include "codec/kai/kai.h"

struct reading {
	struct fl_machine_row row;
	const char *type, *status; /* of the condition that is read now */
};

/* --- spec --- */

#define MACHINE(field, type, member) FL_IS(field, type, struct reading, member)

static const struct fl_field spec[] = {
	{ MACHINE("unschedulable", flag, row.unschedulable) },
	{ MACHINE("taints", taints, row.taints), .fields = fl_fields_taint, .list = true },
	FL_IGNORED("configSource"),
	FL_IGNORED("externalID"),
	FL_IGNORED("podCIDR"),
	FL_IGNORED("podCIDRs"),
	FL_IGNORED("providerID"),
	{ .name = NULL },
};

/* --- status --- */

static const struct fl_field amounts[] = {
	{ MACHINE("cpu", amount, row.allocatable.of[FL_CPU]), .resource = "cpu" },
	{ MACHINE("memory", amount, row.allocatable.of[FL_MEMORY]), .resource = "memory" },
	{ MACHINE("nvidia.com/gpu", amount, row.allocatable.of[FL_GPU]),
	  .resource = "nvidia.com/gpu" },
	{ .name = NULL },
};

static const struct fl_field condition[] = {
	{ MACHINE("type", said, type), .text = FL_TEXT_WORD },
	{ MACHINE("status", said, status), .text = FL_TEXT_WORD },
	FL_IGNORED("lastHeartbeatTime"),
	FL_IGNORED("lastTransitionTime"),
	FL_IGNORED("message"),
	FL_IGNORED("observedGeneration"),
	FL_IGNORED("reason"),
	{ .name = NULL },
};

static int read_condition(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *n = row;
	int r;

	n->type = n->status = "";
	r = fl_kube_map(k, v, condition, row);
	if (strcmp(n->type, "Ready") == 0)
		n->row.not_ready = strcmp(n->status, "True") != 0;
	return r;
}

static const struct fl_field status[] = {
	{ .name = "allocatable", .type = &fl_type_some, .fields = amounts },
	{ FL_IS_EACH("conditions", read_condition), .fields = condition, .list = true },
	FL_IGNORED("addresses"),
	FL_PASSED("capacity", "only allocatable counts"),
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

static const struct fl_field metadata[] = {
	{ .name = "creationTimestamp", .type = &fl_type_any_time },
	{ MACHINE("labels", labels, row.labels), .text = FL_TEXT_LABEL_VALUE,
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
	struct reading n = { .row = { .name = k->name, .place = fl_kube_place_of(k, 0) } };
	int r = fl_kube_map(k, 0, machine_fields, &n);

	return r < 0 ? r : fl_model_add_machine(k->m, &n.row, k->err);
}

const struct fl_kind fl_kind_machine = { "",           "Node",          false, machine_fields,
					 read_machine, FL_TEXT_MACHINE, "v1" };
