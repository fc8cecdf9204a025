/* SPDX-License-Identifier: Apache-2.0 */
/* Admission Fair Sharing: its part of the Configuration, and of a LocalQueue's status. */
#include <stdlib.h>
#include <string.h>

#include "codec/fields.h"
#include "codec/quantity.h"

/* Sum of "1h", "30m", "5s", "250ms", as Go writes durations. */
static bool parse_duration(const char *text, fl_time *ret)
{
	static const struct {
		const char *unit;
		fl_time size;
	} units[] = { { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
		      { "h", 3600 * FL_SECOND }, { "m", 60 * FL_SECOND }, { "s", FL_SECOND } };
	double sum = 0;

	if (strcmp(text, "0") == 0)
		text += 1;
	else if (!*text)
		return false;
	while (*text) {
		size_t digits = strspn(text, "0123456789."), u = 0;

		if (digits == 0 || digits > 15)
			return false;
		while (u < sizeof units / sizeof *units &&
		       strncmp(text + digits, units[u].unit, strlen(units[u].unit)) != 0)
			u++;
		if (u == sizeof units / sizeof *units)
			return false;
		sum += atof(text) * (double)units[u].size;
		text += digits + strlen(units[u].unit);
	}
	if (sum > 9e18)
		return false;
	*ret = (fl_time)sum;
	return true;
}

static int read_duration(struct fl_kube *k, uint32_t v, fl_time *ret)
{
	struct fl_sym text;
	int r = fl_kube_text(k, v, &text);

	if (r == 0 && !parse_duration(fl_model_text(k->m, text), ret))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.60s' is not a duration, such as 168h or 5m",
				    fl_model_text(k->m, text));
	return r;
}

static int read_half_life(struct fl_kube *k, uint32_t v, void *row)
{
	return read_duration(k, v, &((struct fl_settings *)row)->usage_half_life);
}

static int read_sampling(struct fl_kube *k, uint32_t v, void *row)
{
	return read_duration(k, v, &((struct fl_settings *)row)->usage_sampling);
}

/* A key of the map as a symbol. */
static int key_sym(struct fl_kube *k, uint32_t key, struct fl_sym *ret)
{
	return fl_model_sym(k->m, fl_doc_text(&k->doc, key), k->doc.values[key].len, ret, k->err);
}

static int read_resource_weights(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_settings *settings = row;
	uint32_t first = k->m->n_resource_weights, end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_resource_weight weight = { 0 };

		if ((r = key_sym(k, key, &weight.resource_name)) == 0 &&
		    (r = fl_kube_weight(k, key + 1, &weight.weight)) == 0)
			r = fl_model_push_resource_weights(k->m, &weight, /* ret_id= */ NULL, k->err);
	}
	settings->resource_weights = (struct fl_span){ first, k->m->n_resource_weights - first };
	return r;
}

const struct fl_field fl_fields_afs[] = {
	{ .name = "usageHalfLifeTime", .read = read_half_life },
	{ .name = "usageSamplingInterval", .read = read_sampling },
	{ .name = "resourceWeights", .read = read_resource_weights },
	{ .name = NULL },
};

int fl_kube_afs(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_settings *settings = row;

	settings->admission_fair_sharing = true;
	settings->usage_sampling = 5 * 60 * FL_SECOND; /* Kueue's default */
	return fl_kube_map(k, v, fl_fields_afs, row);
}

/* --- what a local queue has consumed --- */

static int read_consumed(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_queue_row *queue = row;
	uint32_t first = k->m->n_consumed, end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_consumed consumed = { 0 };
		const struct fl_value *value = &k->doc.values[key + 1];

		if (value->kind != FL_TOKEN_SCALAR)
			return fl_kube_fail(k, key + 1, FAIRLEAD_EINPUT, "expected a quantity");
		r = fl_quantity_parse_nanos(fl_doc_text(&k->doc, key + 1), value->len, &consumed.amount, k->err);
		if (r < 0)
			return fl_kube_blame(k, key + 1);
		if ((r = key_sym(k, key, &consumed.resource_name)) == 0)
			r = fl_model_push_consumed(k->m, &consumed, /* ret_id= */ NULL, k->err);
	}
	queue->consumed = (struct fl_span){ first, k->m->n_consumed - first };
	return r;
}

static const struct fl_field afs_status[] = {
	{ .name = "consumedResources", .read = read_consumed },
	{ .name = "lastUpdate", .support = FL_FIELD_IGNORED }, /* usage counts as of now, as after a restart */
	{ .name = NULL },
};

static const struct fl_field fair_sharing_status[] = {
	{ .name = "admissionFairSharingStatus", .fields = afs_status },
	{ .name = "weightedShare", .support = FL_FIELD_IGNORED },
	{ .name = NULL },
};

/* Only what it consumed: the rest of a status is Kueue's own, and changes with its versions. */
int fl_kube_queue_status(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t sharing = fl_doc_find(&k->doc, v, "fairSharing");

	if (sharing == FL_NONE || fl_kube_is_null(k, sharing))
		return 0;
	return fl_kube_map(k, sharing, fair_sharing_status, row);
}
