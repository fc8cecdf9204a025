/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UsageHistory (fairlead.dev/v1alpha1): how much each queue held over time, or that already
 * normalised.  KAI gets it from a metrics server.
 */
#include "codec/own/values.h"

/* --- a bundle --- */

#define AXIS(field, type, axis) FL_IS(field, type, struct fl_bundle, of[axis])

static const struct fl_field held[] = {
	{ AXIS("gpu", number, FL_GPU) },
	{ AXIS("cpu", amount, FL_CPU), .resource = "cpu", .doc = "A quantity of cores." },
	{ AXIS("memory", amount, FL_MEMORY), .resource = "memory", .doc = "A quantity of bytes." },
	{ .name = NULL },
};

static int read_part(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	int r = fl_kube_number(k, v, to);

	(void)f;
	if (r == 0 && *(double *)to > 1)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "expected a fraction of the capacity, from 0 to 1");
	return r;
}

#define FL_C_part double
static const struct fl_type fl_type_part = {
	.read = read_part, .schema = "\"type\": \"number\", \"minimum\": 0, \"maximum\": 1"
};

static const struct fl_field parts[] = {
	{ AXIS("gpu", part, FL_GPU) },
	{ AXIS("cpu", part, FL_CPU) },
	{ AXIS("memory", part, FL_MEMORY) },
	{ .name = NULL },
};

/* --- samples --- */

struct sample {
	fl_time from, to;
	uint32_t capacity, queues; /* values; FL_NONE */
};

static int note(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	(void)k, (void)f;
	*(uint32_t *)to = v;
	return 0;
}

#define FL_C_noted uint32_t
static const struct fl_type fl_type_noted = { .read = note };

static const struct fl_field sample[] = {
	{ FL_IS("from", time, struct sample, from), .needed = true },
	{ FL_IS("to", time, struct sample, to), .needed = true },
	{ FL_IS("capacity", noted, struct sample, capacity), .needed = true, .fields = held },
	{ FL_IS("queues", noted, struct sample, queues), .fields = held,
	  .keys = FL_TEXT_CLUSTER_QUEUE,
	  .doc = "Usage by name of the queue; inner queues include those below them." },
	{ .name = NULL },
};

static int push_sample(struct fl_kube *k, const struct sample *s, struct fl_sym queue, uint32_t v)
{
	struct fl_sample_row row = {
		.queue_name = queue,
		.from = s->from,
		.to = s->to,
		.place = fl_kube_place_of(k, v),
		.node = { FL_NONE },
	};
	int r = fl_kube_map(k, v, held, &row.amount);

	return r < 0 ? r : fl_model_push_samples(k->m, &row, /* ret_id= */ NULL, k->err);
}

static int read_sample(struct fl_kube *k, uint32_t v, struct sample *s)
{
	uint32_t end = 0;
	int r = fl_kube_whole(k, v, sample, s);

	if (r == 0 && s->to <= s->from)
		r = fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a sample must end after it begins");
	if (r == 0)
		r = push_sample(k, s, (struct fl_sym){ FL_NONE }, s->capacity);
	if (r < 0 || s->queues == FL_NONE)
		return r;
	r = fl_kube_pairs(k, s->queues, &end);
	for (uint32_t key = s->queues + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_sym name;

		r = fl_kube_key(k, key, &name);
		if (r == 0)
			r = push_sample(k, s, name, key + 1);
	}
	return r;
}

static int read_samples(struct fl_kube *k, uint32_t v, void *row)
{
	fl_time end_before = FL_TIME_NONE;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	(void)row;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct sample s = { .capacity = FL_NONE, .queues = FL_NONE };

		r = read_sample(k, item, &s);
		if (r == 0 && s.from < end_before)
			r = fl_kube_fail(k, item, FAIRLEAD_EINPUT,
					 "samples are not in order: it begins before the one above "
					 "ends");
		end_before = s.to;
	}
	return r;
}

/* --- normalised --- */

static int read_usage(struct fl_kube *k, uint32_t v, void *unused)
{
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	(void)unused;
	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_usage_row row = { .place = fl_kube_place_of(k, key + 1),
					    .node = { FL_NONE } };

		r = fl_kube_key(k, key, &row.queue_name);
		if (r == 0)
			r = fl_kube_map(k, key + 1, parts, &row.usage);
		if (r == 0)
			r = fl_model_add_usage(k->m, &row, k->err);
		if (r == FAIRLEAD_EINPUT && k->err && k->err->line == 0)
			r = fl_kube_blame(k, key + 1);
	}
	return r;
}

/* --- the whole --- */

static const struct fl_field spec[] = {
	{ .name = "samples",
	  .read = read_samples,
	  .fields = sample,
	  .list = true,
	  .schema = "\"type\": \"array\", \"items\": { @ }",
	  .doc = "Samples in order of time; no two overlap." },
	{ .name = "usage",
	  .read = read_usage,
	  .fields = parts,
	  .keys = FL_TEXT_CLUSTER_QUEUE,
	  .doc = "Normalised usage, by name of the queue." },
	{ .name = NULL },
};

static const struct fl_field history_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = spec },
	{ .name = NULL },
};

static int read_history(struct fl_kube *k)
{
	k->m->entitle.usage_on = true;
	return fl_kube_map(k, 0, history_fields, /* row= */ NULL);
}

const struct fl_kind fl_kind_usage_history = { "fairlead.dev", "UsageHistory", false,
					       history_fields, read_history,   FL_TEXT_NAME,
					       "v1alpha1" };
