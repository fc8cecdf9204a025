/* SPDX-License-Identifier: Apache-2.0 */
/* Admission Fair Sharing: its part of the Configuration, and of a LocalQueue's status. */
#include "codec/object/types.h"

static int read_resource_weights(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_settings *settings = row;
	uint32_t first = k->m->n_resource_weights, end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_resource_weight weight = { 0 };

		if ((r = fl_kube_key(k, key, &weight.resource_name)) == 0 &&
		    (r = fl_kube_number(k, key + 1, &weight.weight)) == 0)
			r = fl_model_push_resource_weights(k->m, &weight, /* ret_id= */ NULL,
							   k->err);
	}
	settings->resource_weights = (struct fl_span){ first, k->m->n_resource_weights - first };
	return r;
}

const struct fl_field fl_fields_afs[] = {
	{ FL_IS("usageHalfLifeTime", duration, struct fl_settings, usage_half_life) },
	{ FL_IS("usageSamplingInterval", duration, struct fl_settings, usage_sampling) },
	{ .name = "resourceWeights", .read = read_resource_weights, .keys = FL_TEXT_RESOURCE },
	{ .name = NULL },
};

int fl_kube_afs(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_settings *settings = row;

	settings->admission_fair_sharing = true;
	settings->usage_sampling = 5 * 60 * FL_SECOND; /* Kueue's default */
	return fl_kube_map(k, v, fl_fields_afs, row);
}

/* --- consumed usage of a local queue --- */

static int read_consumed(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_queue_row *queue = row;
	uint32_t first = k->m->n_consumed, end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_consumed consumed = { 0 };

		r = fl_kube_nanos(k, key + 1, &consumed.amount);
		if (r < 0)
			return r;
		if ((r = fl_kube_key(k, key, &consumed.resource_name)) == 0)
			r = fl_model_push_consumed(k->m, &consumed, /* ret_id= */ NULL, k->err);
	}
	queue->consumed = (struct fl_span){ first, k->m->n_consumed - first };
	return r;
}

static const struct fl_field afs_status[] = {
	{ .name = "consumedResources", .read = read_consumed, .keys = FL_TEXT_RESOURCE },
	/* only exact counting uses it; otherwise usage is as of now, as after a restart */
	{ FL_IS("lastUpdate", time, struct fl_queue_row, consumed_at) },
	{ .name = NULL },
};

static const struct fl_field fair_sharing_status[] = {
	{ .name = "admissionFairSharingStatus", .fields = afs_status },
	{ .name = "weightedShare", .support = FL_FIELD_IGNORED },
	{ .name = NULL },
};

const struct fl_field fl_fields_queue_status[] = {
	{ .name = "fairSharing", .fields = fair_sharing_status },
	FL_IGNORED("admittedWorkloads"),
	FL_IGNORED("conditions"),
	FL_IGNORED("flavorUsage"),
	FL_IGNORED("flavors"),
	FL_IGNORED("flavorsReservation"),
	FL_IGNORED("flavorsUsage"),
	FL_IGNORED("pendingWorkloads"),
	FL_IGNORED("reservingWorkloads"),
	{ .name = NULL },
};

/* Only consumed usage: the rest of a status is Kueue's own, and changes with its versions. */
int fl_kube_queue_status(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t sharing = fl_doc_find(&k->doc, v, "fairSharing");

	if (sharing == FL_NONE || fl_kube_is_null(k, sharing))
		return 0;
	return fl_kube_map(k, sharing, fair_sharing_status, row);
}
