/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads of a mirror as rows of a model; podsets that are equal, of one namespace, once. */
#include "mirror/adding.h"

#include <stdlib.h>
#include <string.h>

#include "codec/object/fields.h"

void fl_mirror_adding_begin(struct fl_mirror_adding *a, struct fl_model *m)
{
	*a = (struct fl_mirror_adding){ .model = m };
	fl_pairs_init(&a->pods, &fl_mem_heap);
}

void fl_mirror_adding_end(struct fl_mirror_adding *a)
{
	fl_pairs_done(&a->pods);
	free(a->known);
	free(a->numbers);
	fl_mem_free(&fl_mem_heap, a->spans);
	*a = (struct fl_mirror_adding){ 0 };
}

static uint32_t slot_of(const struct fl_mirror_adding *a, const struct fl_shared *pods)
{
	uint32_t at = fl_slots_first(a->slots, (uint32_t)(pods->hash >> 32));

	while (a->known[at] && a->known[at] != pods)
		at = fl_slots_next(a->slots, at);
	return at;
}

static int grow(struct fl_mirror_adding *a, fairlead_error *err)
{
	struct fl_mirror_adding more = { .slots = fl_slots_more(a->slots) };

	if (a->slots && !fl_slots_full(a->slots, a->used + 1))
		return 0;
	more.known = calloc(more.slots, sizeof(struct fl_shared *));
	more.numbers = calloc(more.slots, sizeof *more.numbers);
	if (!more.known || !more.numbers) {
		free(more.known);
		free(more.numbers);
		return fl_fail_nomem(err);
	}
	for (uint32_t i = 0; i < a->slots; i++)
		if (a->known[i]) {
			const uint32_t at = slot_of(&more, a->known[i]);

			more.known[at] = a->known[i];
			more.numbers[at] = a->numbers[i];
		}
	free(a->known);
	free(a->numbers);
	a->known = more.known;
	a->numbers = more.numbers;
	a->slots = more.slots;
	return 0;
}

/* A number for these podsets, the same each time. */
static int number(struct fl_mirror_adding *a, const struct fl_shared *pods, uint32_t *ret,
		  fairlead_error *err)
{
	uint32_t at;
	int r = grow(a, err);

	if (r < 0)
		return r;
	at = slot_of(a, pods);
	if (!a->known[at]) {
		a->known[at] = pods;
		a->numbers[at] = a->used++;
	}
	*ret = a->numbers[at];
	return 0;
}

/* A LimitRange of its namespace may say what a podset leaves open. */
static int add_pods(struct fl_mirror_adding *a, const struct fl_shared *pods,
		    struct fl_sym namespace, struct fl_span *ret, fairlead_error *err)
{
	uint32_t id = 0, row = a->n;
	int r = number(a, pods, &id, err);

	if (r == 0)
		r = fl_pairs_add(&a->pods, id, namespace.v, a->n, &row, err);
	if (r == 1) {
		*ret = a->spans[row];
		return 0;
	}
	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &a->spans, &a->cap, a->n + 1, sizeof *a->spans, err);
	if (r == 0)
		r = fl_rows_add_pods(a->model, pods->bytes, ret, err);
	if (r == 0)
		a->spans[a->n++] = *ret;
	return r;
}

int fl_mirror_add(struct fl_mirror_adding *a, const struct fl_mirror_object *o, fairlead_error *err)
{
	struct fl_model *m = a->model;
	struct fl_workload_row row = fl_workload_default;
	int r = fl_model_sym(m, fl_mirror_namespace(o), o->n_namespace, &row.namespace, err);

	if (r == 0)
		r = fl_model_sym(m, fl_mirror_name(o), o->n_name, &row.name, err);
	if (r == 0)
		r = fl_model_sym(m, fl_mirror_uid(o), o->n_uid, &row.uid, err);
	if (r == 0 && o->pods)
		r = add_pods(a, o->pods, row.namespace, &row.podsets, err);
	if (r == 0 && o->held) /* not shared: seal gives back what is reclaimed of each */
		r = fl_rows_add_held(m, o->held->bytes, &row.admission, err);
	return r < 0 ? r : fl_rows_add_own(m, fl_mirror_own(o), &row, err);
}

int fl_mirror_add_uncertain(struct fl_model *m, const struct fl_mirror_object *o,
			    fairlead_error *err)
{
	static const char too_large[] = "it is too large to be read";
	struct fl_uncertain_row row = { .cluster_queue_name = { FL_NONE },
					.queue_name = { FL_NONE },
					.node = { FL_NONE } };
	int r = fl_model_sym(m, too_large, strlen(too_large), &row.why, err);

	if (r == 0 && o->held)
		r = fl_rows_read_uncertain(m, o->held->bytes, &row, err);
	if (r == 0)
		r = fl_model_sym(m, fl_mirror_namespace(o), o->n_namespace, &row.namespace, err);
	if (r == 0)
		r = fl_model_sym(m, fl_mirror_name(o), o->n_name, &row.name, err);
	return r < 0 ? r : fl_model_push_uncertain(m, &row, /* ret_id= */ NULL, err);
}

int fl_mirror_add_text(struct fl_model *m, const struct fl_mirror_object *o, struct fl_doc *doc,
		       fairlead_error *err)
{
	struct fl_sym input = { 0 };
	int r = m->n_inputs ? 0 : fl_model_push_inputs(m, &input, /* ret_id= */ NULL, err);

	if (r == 0)
		r = fl_mirror_read(o, doc, err);
	return r < 0 ? r : fl_kube_read_doc(m, 0, doc, err);
}
