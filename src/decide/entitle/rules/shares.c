/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/rules/shares.h"

#include <string.h>

#include "base/check.h"

/* No queue has this epoch: nothing was told of it. */
static const uint64_t untold = UINT64_MAX;

/* --- setup --- */

struct fl_divide_queue fl_shares_row(const struct fl_policy *p, uint32_t queue)
{
	const struct fl_standing *s = &p->queues[queue];

	return (struct fl_divide_queue){ .parent = s->parent.v,
					 .rank = s->rank,
					 .priority = s->priority,
					 .deserved = s->deserved,
					 .limit = s->limit,
					 .weight = s->weight };
}

static int new_redivider(struct fl_policy *p, struct fl_shares *s, fairlead_error *err)
{
	uint32_t n = p->model->n_nodes;
	struct fl_divide_queue *rows = fl_arena_alloc(&p->cycle_arena, n, sizeof *rows, err);

	if (!rows)
		return FAIRLEAD_ENOMEM;
	for (uint32_t q = 0; q < n; q++)
		rows[q] = fl_shares_row(p, q);
	return fl_redivider_new(p->mem, rows, n, &s->redivider, err);
}

int fl_shares_new(struct fl_policy *p, struct fl_shares **ret, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct fl_shares *s = fl_arena_alloc(&p->arena, 1, sizeof *s, err);
	int r;

	if (!s || !FL_NEW(&p->arena, s->told_epoch, m->n_nodes, err))
		return FAIRLEAD_ENOMEM;
	r = new_redivider(p, s, err);
	if (r < 0)
		return r;
	for (uint32_t q = 0; q < m->n_nodes; q++)
		s->told_epoch[q] = untold;
	*ret = s;
	return 0;
}

void fl_shares_free(struct fl_shares *s)
{
	if (s)
		fl_redivider_free(s->redivider);
}

/* --- what the redivider is told --- */

void fl_shares_tell(struct fl_policy *p, uint32_t queue)
{
	struct fl_divide_queue row = fl_shares_row(p, queue);

	fl_redivider_set(p->shares->redivider, queue, &row);
}

void fl_shares_tell_all(struct fl_policy *p)
{
	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		fl_shares_tell(p, q);
		p->shares->told_epoch[q] = untold;
	}
	p->shares->divided = 0;
}

static void add_request(const struct fl_policy *p, uint32_t w, struct fl_bundle *to)
{
	struct fl_span tasks = p->jobs[w].tasks;

	for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++)
		if (fl_task_requests(p->tasks[t].state))
			fl_bundle_add(to, &p->tasks[t].request);
}

/* What @q holds or requests itself, without the queues below it. */
static struct fl_bundle own_request(const struct fl_policy *p, uint32_t q)
{
	uint32_t end = p->booked_at[q].first + p->booked_at[q].n;
	struct fl_bundle own = { { 0 } };

	for (uint32_t i = fl_bitset_next(&p->booked_there, p->booked_at[q].first); i < end;
	     i = fl_bitset_next(&p->booked_there, i + 1))
		add_request(p, p->booked[i], &own);
	return own;
}

/* Replaces that by what the input states, if it does. */
static void give_stated(const struct fl_policy *p, uint32_t q, struct fl_bundle *own)
{
	const struct fl_model *m = p->model;
	const struct fl_bundle *stated = &m->entitlements[m->nodes[q].entitlement].request;

	for (int r = 0; r < FL_BUNDLE; r++)
		if (stated->of[r] >= 0)
			own->of[r] = stated->of[r];
}

static void tell_requests(struct fl_policy *p)
{
	struct fl_shares *s = p->shares;

	for (uint32_t i = 0; i < p->n_order; i++) {
		uint32_t q = p->order[i].v;
		struct fl_bundle own;

		if (s->told_epoch[q] == p->request_epoch[q])
			continue;
		s->told_epoch[q] = p->request_epoch[q];
		own = own_request(p, q);
		give_stated(p, q, &own);
		fl_redivider_request(s->redivider, q, &own);
	}
}

#ifdef FL_CHECKED
/* Asserts that the redivider was told the request of every queue. */
static void check(const struct fl_policy *p)
{
	for (uint32_t i = 0; i < p->n_order; i++) {
		struct fl_bundle own = { { 0 } };
		uint32_t q = p->order[i].v;

		for (uint32_t k = fl_job_next(p, 0); k != FL_NONE; k = fl_job_next(p, k + 1))
			if (p->jobs[p->job_order[k]].books.v == q)
				add_request(p, p->job_order[k], &own);
		give_stated(p, q, &own);
		FL_CHECK(memcmp(&own, fl_redivider_own(p->shares->redivider, q), sizeof own) == 0);
	}
}
#endif

/* --- division --- */

static void take_over(struct fl_policy *p, uint32_t q, const struct fl_redivided *made)
{
	FL_SET(p, p->queues[q].request, made->request[q]);
	FL_SET(p, p->queues[q].fair_share, made->fair_share[q]);
}

/*
 * Rows that have these values already are skipped, so that the undo log gets as much in a cycle
 * after a rollback as before it.
 */
static void take_over_all(struct fl_policy *p, const struct fl_redivided *made)
{
	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		const struct fl_standing *s = &p->queues[q];

		/* Claims shift shares after this, by what is set here. */
		if (p->claims || memcmp(&s->request, &made->request[q], sizeof s->request) != 0 ||
		    memcmp(&s->fair_share, &made->fair_share[q], sizeof s->fair_share) != 0)
			take_over(p, q, made);
	}
}

void fl_shares_divide(struct fl_policy *p)
{
	unsigned flags = (p->settings.bounded_division ? FL_DIVIDE_BOUNDED : 0) |
			 (p->settings.free_within_share ? FL_DIVIDE_FREE_WITHIN : 0);
	double k = p->usage ? p->settings.k : 0;
	struct fl_shares *s = p->shares;
	struct fl_redivided made;

	tell_requests(p);
#ifdef FL_CHECKED
	check(p);
#endif
	for (uint32_t q = 0; k > 0 && q < p->model->n_nodes; q++)
		fl_redivider_usage(s->redivider, q, &p->usage[q]);
	made = fl_redivide(s->redivider, &p->total, k, flags);
	p->share = made.fair_share;
	if (p->settings.turns || p->budgets || s->divided + 1 != made.number)
		take_over_all(p, &made);
	else
		for (uint32_t i = 0; i < made.n_changed; i++)
			take_over(p, made.changed[i], &made);
	FL_SET(p, s->divided, made.number);
}

size_t fl_shares_undo(const struct fl_policy *p)
{
	return p->model->n_nodes * 2 * FL_UNDO_OF(struct fl_bundle) +
	       FL_UNDO_OF(p->shares->divided);
}
