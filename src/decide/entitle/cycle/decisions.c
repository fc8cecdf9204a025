/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decisions - turns what a cycle did, task by task, into decisions about workloads
 *
 * One decision for each action, workload and kind (of evictions also: for which workload), in the
 * order in which the first task of each was decided; then, by age, the pending workloads for which
 * nothing was bound or reserved.
 */
#include "base/sort.h"
#include "decide/entitle/cycle/cycle.h"

static int cmp(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

/* 0: both are part of the same decision. */
static int cmp_kind(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_action_step *x = &p->scratch->steps[a], *y = &p->scratch->steps[b];
	int order = cmp(x->action, y->action);

	if (!order)
		order = cmp(x->kind, y->kind);
	if (!order)
		order = cmp(x->reason, y->reason);
	if (!order)
		order = cmp(p->tasks[x->task].workload.v, p->tasks[y->task].workload.v);
	return order ? order : cmp(x->for_whom.v, y->for_whom.v);
}

static int cmp_group(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_action_step *x = &p->scratch->steps[a], *y = &p->scratch->steps[b];
	int order = cmp(x->group, y->group);

	/* Evictions have FL_NONE, which is not a machine. */
	if (order || x->machine.v == y->machine.v)
		return order;
	return cmp(p->rooms[x->machine.v].rank, p->rooms[y->machine.v].rank);
}

/* Puts steps of one decision next to each other, decisions in the order of their first step. */
static void sort_steps(struct fl_policy *p)
{
	struct fl_cycle *c = p->scratch;

	for (uint32_t i = 0; i < c->n_steps; i++)
		c->sorted[i] = i;
	fl_sort(c->sorted, c->n_steps, c->spare, cmp_kind, p); /* stable */
	for (uint32_t i = 0; i < c->n_steps; i++) {
		bool same = i > 0 && cmp_kind(p, c->sorted[i - 1], c->sorted[i]) == 0;

		c->steps[c->sorted[i]].group = same ? c->steps[c->sorted[i - 1]].group :
						      c->sorted[i];
	}
	fl_sort(c->sorted, c->n_steps, c->spare, cmp_group, p);
}

static int reserve(struct fl_policy *p, uint32_t waiting, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	int r = fl_mem_grow(p->mem, &c->sorted, &c->cap_sorted, c->n_steps, sizeof *c->sorted, err);

	if (r == 0)
		r = fl_mem_grow(p->mem, &c->spare, &c->cap_spare, c->n_steps, sizeof *c->spare,
				err);
	if (r == 0)
		r = fl_mem_grow(p->mem, &c->placements, &c->cap_placements, c->n_steps,
				sizeof *c->placements, err);
	if (r == 0)
		r = fl_mem_grow(p->mem, &c->decisions, &c->cap_decisions, c->n_steps + waiting,
				sizeof *c->decisions, err);
	return r;
}

static struct fl_decision decision_of(const struct fl_policy *p, const struct fl_action_step *s)
{
	struct fl_workload w = p->tasks[s->task].workload;

	/* A stale gang may be in a queue that is not a leaf: it counts there. */
	return (struct fl_decision){ .kind = s->kind,
				     .reason = s->reason,
				     .workload = w,
				     .preemptor = s->for_whom,
				     .cluster_queue = p->jobs[w.v].books,
				     .action = s->action };
}

/* Adds one task to @d, and to its row for that machine. */
static void add_task(struct fl_cycle *c, struct fl_decision *d, const struct fl_action_step *s,
		     uint32_t *n_placements)
{
	struct fl_placement *last = *n_placements ? &c->placements[*n_placements - 1] : NULL;

	d->count++;
	if (s->machine.v == FL_NONE)
		return;
	if (!d->placement.n)
		d->placement.first = *n_placements;
	if (d->placement.n && last->machine.v == s->machine.v) {
		last->count++;
		return;
	}
	c->placements[(*n_placements)++] =
		(struct fl_placement){ .count = 1, .resource = { FL_NONE }, .machine = s->machine };
	d->placement.n++;
}

static bool still_waits(const struct fl_policy *p, uint32_t w)
{
	const struct fl_job *j = &p->jobs[w];

	return j->present && j->queue.v != FL_NONE && j->n_waits > 0 && !p->scratch->told[w] &&
	       (p->only.v == FL_NONE || p->only.v == w);
}

int fl_cycle_decisions(struct fl_policy *p, struct fl_decisions *ret, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	struct fl_decisions d = { .heads = c->heads,
				  .n_heads = c->n_heads,
				  .waiting = c->n_heads > 0 };
	uint32_t waiting = 0;
	int r;

	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE; i = fl_job_next(p, i + 1))
		waiting += still_waits(p, p->job_order[i]);
	if ((r = reserve(p, waiting, err)) < 0)
		return r;
	sort_steps(p);
	for (uint32_t i = 0; i < c->n_steps; i++) {
		const struct fl_action_step *s = &c->steps[c->sorted[i]];

		if (i == 0 || c->steps[c->sorted[i - 1]].group != s->group)
			c->decisions[d.n++] = decision_of(p, s);
		add_task(c, &c->decisions[d.n - 1], s, &d.n_placements);
	}
	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE; i = fl_job_next(p, i + 1)) {
		uint32_t w = p->job_order[i];

		if (still_waits(p, w))
			c->decisions[d.n++] =
				(struct fl_decision){ .kind = FL_WAIT,
						      .reason = p->jobs[w].reason,
						      .workload = { w },
						      .preemptor = { FL_NONE },
						      .cluster_queue = p->jobs[w].queue };
	}
	d.rows = c->decisions;
	d.placements = c->placements;
	*ret = d;
	return 0;
}
