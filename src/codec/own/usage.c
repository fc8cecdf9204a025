/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UsageHistory (fairlead.dev/v1alpha1): who held how much over time, or that already
 * normalised.  What the real program asks a metrics server for.
 */
#include "codec/object/fields.h"

/* --- a bundle --- */

static int read_gpu(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_number(k, v, &((struct fl_bundle *)row)->of[FL_GPU]);
}

static int read_amount(struct fl_kube *k, uint32_t v, const char *resource, double *ret)
{
	fl_amount amount = 0;
	int r = fl_kube_quantity(k, v, resource, &amount);

	*ret = (double)amount;
	return r;
}

static int read_cpu(struct fl_kube *k, uint32_t v, void *row)
{
	return read_amount(k, v, "cpu", &((struct fl_bundle *)row)->of[FL_CPU]);
}

static int read_memory(struct fl_kube *k, uint32_t v, void *row)
{
	return read_amount(k, v, "memory", &((struct fl_bundle *)row)->of[FL_MEMORY]);
}

static const struct fl_field held[] = {
	{ .name = "gpu", .read = read_gpu },
	{ .name = "cpu", .read = read_cpu },
	{ .name = "memory", .read = read_memory },
	{ .name = NULL },
};

static int read_part(struct fl_kube *k, uint32_t v, double *ret)
{
	int r = fl_kube_number(k, v, ret);

	if (r == 0 && *ret > 1)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "expected a part of the capacity, 0 to 1");
	return r;
}

static int read_gpu_part(struct fl_kube *k, uint32_t v, void *row)
{
	return read_part(k, v, &((struct fl_bundle *)row)->of[FL_GPU]);
}

static int read_cpu_part(struct fl_kube *k, uint32_t v, void *row)
{
	return read_part(k, v, &((struct fl_bundle *)row)->of[FL_CPU]);
}

static int read_memory_part(struct fl_kube *k, uint32_t v, void *row)
{
	return read_part(k, v, &((struct fl_bundle *)row)->of[FL_MEMORY]);
}

static const struct fl_field parts[] = {
	{ .name = "gpu", .read = read_gpu_part },
	{ .name = "cpu", .read = read_cpu_part },
	{ .name = "memory", .read = read_memory_part },
	{ .name = NULL },
};

static int read_name(struct fl_kube *k, uint32_t key, struct fl_sym *ret)
{
	return fl_model_sym(k->m, fl_doc_text(&k->doc, key), k->doc.values[key].len, ret, k->err);
}

/* --- samples --- */

struct sample {
	fl_time from, to;
	uint32_t capacity, queues; /* values; FL_NONE */
};

static int read_from(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_time(k, v, &((struct sample *)row)->from);
}

static int read_to(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_time(k, v, &((struct sample *)row)->to);
}

static int note_capacity(struct fl_kube *k, uint32_t v, void *row)
{
	(void)k;
	((struct sample *)row)->capacity = v;
	return 0;
}

static int note_queues(struct fl_kube *k, uint32_t v, void *row)
{
	(void)k;
	((struct sample *)row)->queues = v;
	return 0;
}

static const struct fl_field sample[] = {
	{ .name = "from", .read = read_from },
	{ .name = "to", .read = read_to },
	{ .name = "capacity", .read = note_capacity, .fields = held },
	{ .name = "queues", .read = note_queues, .fields = held, .keys = FL_TEXT_CLUSTER_QUEUE },
	{ .name = NULL },
};

static int push_sample(struct fl_kube *k, const struct sample *s, struct fl_sym queue, uint32_t v)
{
	struct fl_sample_row row = {
		.queue_name = queue,
		.from = s->from,
		.to = s->to,
		.place = fl_kube_place(k, v),
		.node = { FL_NONE },
	};
	int r = fl_kube_map(k, v, held, &row.amount);

	return r < 0 ? r : fl_model_push_samples(k->m, &row, /* ret_id= */ NULL, k->err);
}

static int read_sample(struct fl_kube *k, uint32_t v, struct sample *s)
{
	uint32_t end = 0, unused;
	int r = fl_kube_need(k, v, "from", &unused);

	if (r == 0)
		r = fl_kube_need(k, v, "to", &unused);
	if (r == 0)
		r = fl_kube_need(k, v, "capacity", &unused);
	if (r == 0)
		r = fl_kube_map(k, v, sample, s);
	if (r == 0 && s->to <= s->from)
		r = fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				 "a sample that does not end after it "
				 "begins");
	if (r == 0)
		r = push_sample(k, s, (struct fl_sym){ FL_NONE }, s->capacity);
	if (r < 0 || s->queues == FL_NONE)
		return r;
	r = fl_kube_pairs(k, s->queues, &end);
	for (uint32_t key = s->queues + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_sym name;

		r = read_name(k, key, &name);
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
					 "a sample out of order: it begins before the one above "
					 "it ends");
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
		struct fl_usage_row row = { .place = fl_kube_place(k, key + 1),
					    .node = { FL_NONE } };

		r = read_name(k, key, &row.queue_name);
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
	{ .name = "samples", .read = read_samples, .fields = sample, .list = true },
	{ .name = "usage", .read = read_usage, .fields = parts, .keys = FL_TEXT_CLUSTER_QUEUE },
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
