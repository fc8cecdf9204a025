/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/making/join.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/config/dialect.h"
#include "daemon/engine/making/draft_rows.h"
#include "model/newcomer.h"

/* A job that joins, as if it were the only one of a draft whose model is that of the generation. */
struct joining {
	struct fl_generation *g;
	const struct fl_generation_options *o;
	struct fl_draft d;
};

static int cmp_workloads(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * Workloads that their jobs left give back their places, in the order of their numbers: a program that
 * was started again finds them in that order.
 */
static int give_back(struct fl_generation *g, fairlead_error *err)
{
	uint32_t n = g->n_left, i = n, kept = n;
	int r = 0;

	if (n > 1)
		qsort(g->left, n, sizeof *g->left, cmp_workloads);
	while (i > 0 && r != FAIRLEAD_ENOMEM) {
		struct fl_workload w = { g->left[i - 1] };

		r = g->ops->leave(g->policy, w, err);
		if (r == 0)
			r = fl_model_leave(g->model, w, err);
		if (r == FAIRLEAD_ENOMEM)
			continue;
		i--;
		if (r != 0) /* it is still left, as it would be after a start */
			g->left[--kept] = w.v;
	}
	if (n > kept)
		memmove(g->left + i, g->left + kept, (n - kept) * sizeof *g->left);
	g->n_left = i + n - kept;
	return r == FAIRLEAD_ENOMEM ? r : 0;
}

static bool is_named(const struct joining *k, struct fl_sym of_model, struct fl_sym of_words)
{
	return strcmp(fl_model_text(k->d.m, of_model), fl_draft_word(&k->d, of_words)) == 0;
}

static bool is_podset_of(const struct joining *k, const struct fl_podset *p,
			 const struct fl_asks *a)
{
	const struct fl_model *m = k->d.m;
	bool is = p->count == (int32_t)a->tasks && p->requests.n == a->n_requests &&
		  p->node_selector.n == a->n_labels;

	for (uint32_t i = 0; is && i < a->n_requests; i++) {
		const struct fl_request *row = &m->requests[p->requests.first + i];

		is = row->amount == a->requests[i].amount &&
		     is_named(k, row->resource_name, a->requests[i].resource);
	}
	for (uint32_t i = 0; is && i < a->n_labels; i++) {
		const struct fl_label *row = &m->labels[p->node_selector.first + i];

		is = is_named(k, row->key, a->labels[i].key) &&
		     is_named(k, row->value, a->labels[i].value);
	}
	return is;
}

/* The podset that other newcomers with equal asks have, else a new one. */
static int find_podset(struct joining *k, uint32_t asks, uint32_t *ret)
{
	uint64_t hash = fl_draft_hash(&k->d, &k->d.asks[asks]);
	uint32_t high = (uint32_t)(hash >> 32), low = (uint32_t)hash;
	uint32_t found = fl_pairs_find(&k->g->podsets, high, low);
	int r;

	/* Equal hashes are not equal asks: users choose what is hashed. */
	if (found != FL_NONE && is_podset_of(k, &k->d.m->podsets[found], &k->d.asks[asks])) {
		*ret = found;
		return 0;
	}
	r = fl_draft_podset(&k->d, asks, ret);
	return r < 0 || found != FL_NONE ?
		       r :
		       fl_pairs_add(&k->g->podsets, high, low, *ret, /* ret_old= */ NULL, k->d.err);
}

static int join_model(struct joining *k, const struct fl_joiner *job, struct fl_workload *ret)
{
	struct fl_workload_row row;
	const char *why;
	int r;

	if ((r = fl_draft_row(&k->d, job, &row)) < 0)
		return r;
	row.podsets.n = 1;
	r = find_podset(k, job->asks, &row.podsets.first);
	return r < 0 ? r : fl_model_join(k->g->model, &row, ret, &why, k->d.err);
}

/* It is told to the policy, which may want it in no queue. */
static int submit(struct joining *k, struct fl_live *job, struct fl_workload w)
{
	const struct fl_event come = { .kind = FL_EV_SUBMIT, .workload = w };
	struct fl_generation *g = k->g;
	int r = g->ops->join(g->policy, w, k->d.err);

	if (r != 0) {
		(void)fl_model_leave(g->model, w, k->d.err);
		return r;
	}
	fl_driver_join(&g->driver, w);
	r = fl_driver_apply(&g->driver, k->o->now, &come, k->d.err);
	if (r == FAIRLEAD_ESTATE) {
		job->retry = FL_NEVER; /* its queue does not lead to a ClusterQueue */
		return fl_generation_note_left(g, w.v, k->d.err);
	}
	if (r < 0)
		return r;
	job->workload = w;
	job->retry = FL_TIME_NONE;
	g->job_of[w.v] = job->id;
	return 0;
}

static int join(struct joining *k, struct fl_live *job)
{
	const struct fl_joiner row = { .id = job->id,
				       .submitted = job->submitted,
				       .queue = job->queue,
				       .asks = job->asks,
				       .priority = job->priority };
	struct fl_workload w;
	int r = join_model(k, &row, &w);

	if (r == FAIRLEAD_ENOENT) { /* no such queue, until the configuration changes */
		job->retry = FL_NEVER;
		return 0;
	}
	/* A workload of that name may be there still: it ended, and the policy keeps it. */
	return r == FAIRLEAD_EINPUT ? 1 : r != 0 ? r : submit(k, job, w);
}

bool fl_generation_has_places(const struct fl_generation *g, uint32_t n)
{
	return g->policy && g->ops->join && !fl_config_dialect_of(g->model)->gangs &&
	       !fl_model_is_worn(g->model) && fl_model_places_left(g->model) + g->n_left >= n;
}

int fl_generation_join(struct fl_generation *g, const struct fl_generation_options *options,
		       struct fl_jobs *jobs, const uint64_t *newcomers, uint32_t n,
		       fairlead_error *err)
{
	struct joining k = { .g = g, .o = options };
	int r;

	if (!fl_generation_has_places(g, 1))
		return 1;
	k.d = (struct fl_draft){ .words = jobs->names,
				 .asks = jobs->asks,
				 .n_asks = jobs->n_asks,
				 .m = g->model,
				 .err = err };
	r = give_back(g, err);
	if (r == 0)
		r = fl_draft_sym(&k.d, "main", &k.d.main);
	for (uint32_t i = 0; i < n && r == 0; i++) {
		struct fl_live *job = fl_jobs_find(jobs, newcomers[i]);

		if (job && job->id <= options->up_to && fl_generation_wants(job, options->now))
			r = join(&k, job);
	}
	return r;
}
