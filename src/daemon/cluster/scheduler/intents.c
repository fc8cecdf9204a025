/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/intents.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/apply.h"

/* --- the table --- */

static void free_texts(struct fl_intent *intent)
{
	for (uint32_t i = 0; i < intent->n; i++) {
		free((char *)intent->rows[i].podset);
		free((char *)intent->rows[i].resource);
		free((char *)intent->rows[i].flavor);
	}
	free(intent->rows);
	free(intent->queue);
	free(intent->message);
	free(intent->yielded);
}

/* What the watch has shown before the answer came is done: its connection serves the next one. */
static void free_intent(struct fl_intent *intent)
{
	if (intent->call)
		(void)fl_kube_ignore(intent->call);
	free_texts(intent);
	free(intent);
}

void fl_intents_done(struct fl_intents *i)
{
	for (uint32_t k = 0; k < i->n; k++)
		free_intent(i->rows[k]);
	free(i->rows);
	*i = (struct fl_intents){ 0 };
}

/* Where that of @job is, or would be. */
static uint32_t place_of(const struct fl_intents *i, uint64_t job)
{
	uint32_t low = 0, high = i->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (i->rows[middle]->job < job)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct fl_intent *fl_intents_find(const struct fl_intents *i, uint64_t job)
{
	uint32_t at = place_of(i, job);

	return at < i->n && i->rows[at]->job == job ? i->rows[at] : NULL;
}

int fl_intents_add(struct fl_intents *i, const struct fl_intent *like, struct fl_intent **ret,
		   fairlead_error *err)
{
	struct fl_intent texts = *like, *intent = malloc(sizeof *intent);
	uint32_t at = place_of(i, like->job);

	if (!intent ||
	    fl_mem_grow(&fl_mem_heap, &i->rows, &i->cap, i->n + 1, sizeof *i->rows, err) < 0) {
		free_texts(&texts);
		free(intent);
		return fl_fail_nomem(err);
	}
	*intent = *like;
	memmove(i->rows + at + 1, i->rows + at, (i->n - at) * sizeof *i->rows);
	i->rows[at] = intent;
	i->n++;
	if (i->last)
		i->last->later = intent;
	else
		i->first = intent;
	i->last = intent;
	*ret = intent;
	return 0;
}

void fl_intents_close(struct fl_intents *i, struct fl_intent *intent)
{
	uint32_t at = place_of(i, intent->job);
	struct fl_intent *before = NULL;

	memmove(i->rows + at, i->rows + at + 1, (i->n - at - 1) * sizeof *i->rows);
	i->n--;
	if (i->first == intent) {
		i->first = intent->later;
	} else {
		for (before = i->first; before->later != intent;)
			before = before->later;
		before->later = intent->later;
	}
	if (i->last == intent)
		i->last = before;
	i->under_way -= intent->call != NULL;
	free_intent(intent);
}

int fl_intents_replace(struct fl_intents *i, struct fl_intent *like, uint64_t now, uint64_t again,
		       fairlead_error *err)
{
	struct fl_intent *old = fl_intents_find(i, like->job), *made;

	if (old) {
		like->base = old->base;
		like->again = again;
		fl_intents_close(i, old);
	}
	like->begun = now;
	return fl_intents_add(i, like, &made, err);
}

/* --- what it is about --- */

static char *copy(const struct fl_model *m, struct fl_sym sym)
{
	return strdup(fl_model_text(m, sym));
}

static int by_podset(const void *a, const void *b)
{
	const struct fl_placement *x = a, *y = b;

	if (x->podset != y->podset)
		return x->podset < y->podset ? -1 : 1;
	return x->resource.v < y->resource.v ? -1 : x->resource.v > y->resource.v;
}

static bool name_row(const struct fl_model *m, struct fl_workload w, const struct fl_placement *p,
		     struct fl_managed_row *ret)
{
	const struct fl_span sets = m->workloads[w.v].podsets;

	*ret = (struct fl_managed_row){ .podset = copy(m, m->podsets[sets.first + p->podset].name),
					.count = p->count,
					.amount = p->amount };
	if (p->resource.v == FL_NONE)
		return ret->podset;
	ret->resource = copy(m, m->resources[p->resource.v]);
	ret->flavor = copy(m, m->flavors[p->flavor.v].name);
	return ret->podset && ret->resource && ret->flavor;
}

int fl_intent_of_admission(const struct fl_generation *g, struct fl_workload w,
			   struct fl_node queue, struct fl_intent *ret, fairlead_error *err)
{
	uint32_t n;
	const struct fl_placement *placement = g->ops->placement(g->policy, w, &n);
	struct fl_placement *sorted = malloc((n + 1) * sizeof *sorted);
	bool named = sorted;

	ret->queue = copy(g->model, g->model->nodes[queue.v].name);
	ret->rows = calloc(n + 1, sizeof *ret->rows);
	if (named && n) {
		memcpy(sorted, placement, n * sizeof *sorted);
		qsort(sorted, n, sizeof *sorted, by_podset);
	}
	named &= ret->queue && ret->rows;
	for (uint32_t i = 0; i < n && named; i++) {
		named = name_row(g->model, w, &sorted[i], &ret->rows[i]);
		ret->n++;
	}
	free(sorted);
	if (named)
		return 0;
	free_texts(ret);
	return fl_fail_nomem(err);
}

/* --- is it what the API has? --- */

static bool is_named(const struct fl_model *m, struct fl_sym name, const char *text)
{
	return strcmp(fl_model_text(m, name), text) == 0;
}

static bool has_row(const struct fl_intent *intent, const struct fl_model *m,
		    const struct fl_podset_assignment *a, const struct fl_assignment *one)
{
	for (uint32_t i = 0; i < intent->n; i++) {
		const struct fl_managed_row *row = &intent->rows[i];

		if (row->resource && is_named(m, a->podset, row->podset) &&
		    a->count == row->count && is_named(m, one->resource_name, row->resource) &&
		    is_named(m, one->flavor_name, row->flavor) && one->amount == row->amount)
			return true;
	}
	return false;
}

int fl_intent_is_held(const struct fl_intent *intent, const struct fl_mirror_object *o, bool *ret,
		      fairlead_error *err)
{
	struct fl_model *m = NULL;
	uint32_t n = 0, wanted = 0;
	int r = fl_cluster_read_object(o, &m, err);

	if (r < 0)
		return r;
	*ret = is_named(m, m->workloads[0].admitted_queue_name, intent->queue);
	for (uint32_t i = 0; i < m->workloads[0].admission.n; i++) {
		const struct fl_podset_assignment *a =
			&m->podset_assignments[m->workloads[0].admission.first + i];

		for (uint32_t k = 0; k < a->assignments.n; k++, n++)
			*ret &= has_row(intent, m, a, &m->assignments[a->assignments.first + k]);
	}
	for (uint32_t i = 0; i < intent->n; i++)
		wanted += intent->rows[i].resource != NULL;
	*ret &= n == wanted;
	fl_model_free(m);
	return 0;
}

static int impose_admission(struct fl_cluster *c, const struct fl_intent *intent,
			    struct fl_workload w, fairlead_error *err)
{
	const struct fl_model *m = c->generation.model;
	struct fl_placement *rows = calloc(intent->n + 1, sizeof *rows);
	struct fl_event e = { .kind = FL_EV_HOLDS, .workload = w, .since = intent->decided };
	bool there = true;
	int r;

	if (!rows)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < intent->n; i++) {
		const struct fl_managed_row *from = &intent->rows[i];
		struct fl_placement *row = &rows[i];

		*row = (struct fl_placement){ .podset = fl_model_find_podset(m, w, from->podset),
					      .count = from->count,
					      .resource = { FL_NONE },
					      .flavor = { FL_NONE },
					      .amount = from->amount };
		if (!from->resource)
			continue;
		row->resource = fl_model_find_resource(m, from->resource);
		row->flavor = fl_model_find_flavor(m, from->flavor);
		there &= row->resource.v != FL_NONE && row->flavor.v != FL_NONE;
	}
	e.holding = (struct fl_holding){ .cluster_queue = fl_model_find_node(m, FL_CLUSTER_QUEUE,
									     intent->queue),
					 .rows = rows,
					 .n = intent->n };
	r = there && e.holding.cluster_queue.v != FL_NONE ?
		    fl_cluster_tell_policy(c, &e, (struct fl_workload){ FL_NONE }) :
		    1;
	free(rows);
	return r;
}

int fl_intent_impose(struct fl_cluster *c, const struct fl_intent *intent,
		     const struct fl_live *job, fairlead_error *err)
{
	const struct fl_event goes = { .kind = FL_EV_GOES,
				       .workload = job->workload,
				       .machine = { FL_NONE },
				       .since = intent->decided,
				       .reason = intent->reason };

	if (intent->confirms)
		return 0; /* it holds what it holds */
	return intent->evicts ? fl_cluster_tell_policy(c, &goes, (struct fl_workload){ FL_NONE }) :
				impose_admission(c, intent, job->workload, err);
}
