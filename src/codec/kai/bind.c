/* SPDX-License-Identifier: Apache-2.0 */
/* KAI's BindRequest: a pod that the scheduler gave a node, and that the binder has not bound to it yet. */
#include <string.h>

#include "codec/kai/kai.h"

struct reading {
	struct fl_bind_row row;
	const char *phase;
	int32_t limit, attempts; /* of binding; limit 0: it is not tried again */
};

#define BIND(field, type, member) FL_IS(field, type, struct reading, member)

static const struct fl_field spec[] = {
	{ BIND("podName", name, row.pod), .text = FL_TEXT_WORKLOAD },
	{ BIND("selectedNode", name, row.machine_name), .text = FL_TEXT_MACHINE },
	{ BIND("backoffLimit", int32, limit) },
	FL_IGNORED("receivedGPU"),
	FL_IGNORED("receivedResourceType"),
	FL_IGNORED("resourceClaimAllocations"),
	FL_IGNORED("selectedGPUGroups"),
	{ .name = NULL },
};

static const struct fl_field status[] = {
	{ BIND("phase", said, phase), .text = FL_TEXT_WORD },
	{ BIND("failedAttempts", int32, attempts) },
	FL_IGNORED("reason"),
	{ .name = NULL },
};

static const struct fl_field metadata[] = {
	FL_IGNORED("name"), /* read before the fields */
	FL_IGNORED("namespace"), FL_IGNORED("creationTimestamp"),
	FL_IGNORED("labels"),    FL_IGNORED("ownerReferences"),
	FL_IGNORED("uid"),       FL_METADATA_IGNORED,
	{ .name = NULL },
};

static const struct fl_field bind_fields[] = {
	FL_IGNORED("apiVersion"),
	FL_IGNORED("kind"),
	{ .name = "metadata", .fields = metadata },
	{ .name = "spec", .fields = spec },
	{ .name = "status", .fields = status },
	{ .name = NULL },
};

/* One that has failed for good binds nothing. */
static int read_bind(struct fl_kube *k)
{
	struct reading b = { .row = { .namespace = k->namespace,
				      .pod = { FL_NONE },
				      .machine_name = { FL_NONE } },
			     .phase = "" };
	int r = fl_kube_map(k, 0, bind_fields, &b);

	if (r < 0 || b.row.pod.v == FL_NONE || b.row.machine_name.v == FL_NONE ||
	    (strcmp(b.phase, "Failed") == 0 && b.attempts >= b.limit))
		return r;
	return fl_model_push_binds(k->m, &b.row, /* ret_id= */ NULL, k->err);
}

const struct fl_kind fl_kind_bind_request = { "scheduling.run.ai", "BindRequest", true,
					      bind_fields,         read_bind,     FL_TEXT_NAME,
					      "v1alpha2" };
