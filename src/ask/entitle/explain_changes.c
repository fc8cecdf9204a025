/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest change that would help: each kind of cell that might is raised to where it
 * does, and then lowered by bisection as far as it still does.  The policy is asked each
 * time, inside a mark; nothing here knows a rule.
 */
#include "ask/entitle/explain_changes.h"

#include <math.h>

#include "ask/entitle/explain_run.h"
#include "base/sort.h"

enum {
	MOST_TRIES = 400,
	LEAST_TRIES = 12,
	SMALL_CLUSTER = 400, /* workloads: up to here it may be tried that often */
	MOST_CHANGES = 64,
	HIGHEST_PRIORITY = 1000000000
};

struct answer {
	enum fl_decision_kind kind; /* of the workload: ADMIT, RESERVE or WAIT */
	uint32_t n_victims;
};

/* In whole GPUs, milli-cores, millions of bytes; weights and priorities plain. */
static double step_of(const struct fl_entitle_change *c)
{
	static const double steps[] = {
		[FL_CPU] = 1, [FL_MEMORY] = 1e6, [FL_GPU] = 1, [FL_BUNDLE] = 1
	};

	return c->kind == FL_CELL_OVER_QUOTA_WEIGHT ? 1 : steps[c->resource];
}

static int apply(struct fl_entitle_run *r, const struct fl_entitle_change *c, fairlead_error *err)
{
	bool priority = c->kind == FL_CELL_PRIORITY;
	struct fl_event event = {
		.kind = FL_EV_CELL,
		.workload = { priority ? r->x->workload.v : FL_NONE },
		.cell = { .kind = c->kind, .flavor = { FL_NONE }, .resource = { FL_NONE } },
	};

	if (c->kind == FL_CELL_ALLOCATABLE)
		event.cell.machine = c->machine;
	else
		event.cell.node = c->node;
	if (c->resource != FL_BUNDLE)
		event.cell.resource = r->model->axis[c->resource];
	if (priority || c->kind == FL_CELL_QUEUE_PRIORITY)
		event.cell.amount = (fl_amount)c->to;
	else
		event.cell.value = c->to;
	return r->ops->apply(r->policy, r->now, &event, err);
}

static int decide(struct fl_entitle_run *r, bool cycle, struct answer *ret, fairlead_error *err)
{
	struct fl_workload w = r->x->workload;
	struct fl_decisions d;
	int rc = cycle ? r->ops->step(r->policy, r->now, FL_STEP_FULL, /* sink= */ NULL, &d, err) :
			 r->ops->try(r->policy, r->now, w, /* sink= */ NULL, &d, err);

	for (uint32_t i = 0; rc == 0 && i < d.n; i++)
		if (d.rows[i].kind == FL_EVICT)
			ret->n_victims += d.rows[i].preemptor.v == w.v;
		else if (d.rows[i].workload.v == w.v && d.rows[i].kind != FL_WAIT)
			ret->kind = d.rows[i].kind;
	return rc;
}

/* The decision with @c in force; a value that the policy refuses to have is no help. */
static int ask(struct fl_entitle_run *r, const struct fl_entitle_change *c, bool cycle,
	       struct answer *ret, fairlead_error *err)
{
	struct answer answer = { .kind = FL_WAIT };
	fairlead_error refused;
	fl_mark mark;

	*ret = answer;
	if (r->x->n_tries >= r->x->most_tries)
		return 0;
	r->x->n_tries++;
	int rc = r->ops->mark(r->policy, &mark, err);
	if (rc < 0)
		return rc;
	rc = apply(r, c, &refused);
	if (rc == 0)
		rc = decide(r, cycle, &answer, err);
	else
		rc = rc == FAIRLEAD_ENOMEM ? fl_fail_nomem(err) : 0;
	r->ops->rollback(r->policy, mark);
	if (rc == 0)
		*ret = answer;
	return rc;
}

/* @c->to is enough or no help; then down to the least that is, in steps from @c->from. */
static int find_least(struct fl_entitle_run *r, struct fl_entitle_change *c, bool cycle,
		      bool *ret_does, fairlead_error *err)
{
	struct answer answer, tried;
	double fails = 0, does = ceil((c->to - c->from) / step_of(c));

	if (r->x->n_tries + 2 > r->x->most_tries)
		return 0;
	int rc = ask(r, c, cycle, &answer, err);

	*ret_does = rc == 0 && answer.kind != FL_WAIT;
	while (rc == 0 && *ret_does && does - fails > 1 && r->x->n_tries + 1 < r->x->most_tries) {
		double middle = floor(fails + (does - fails) / 2);
		struct fl_entitle_change less = *c;

		less.to = c->from + middle * step_of(c);
		rc = ask(r, &less, cycle, &tried, err);
		if (rc == 0 && tried.kind != FL_WAIT) {
			does = middle;
			c->to = less.to;
			answer = tried;
		} else {
			fails = middle;
		}
	}
	c->exact = does - fails <= 1;
	c->alone = answer.kind;
	c->n_victims = answer.n_victims;
	c->next = answer.kind;
	if (rc == 0 && *ret_does && !cycle) {
		rc = ask(r, c, /* cycle= */ true, &tried, err);
		c->next = tried.kind;
	}
	return rc;
}

/* --- what is tried --- */

static struct fl_entitle_change change(enum fl_cell_kind kind, struct fl_node n, int resource)
{
	return (struct fl_entitle_change){
		.kind = kind,
		.node = n,
		.machine = { FL_NONE },
		.resource = resource,
	};
}

/* Where it would fit alone, only the coming cycle tells whether anything helps. */
static bool alone_fits(const struct fl_entitle_run *r) { return r->x->alone != FL_WAIT; }

/* Of a kind only the change that is least is kept: another one must be less to be looked at. */
static int propose(struct fl_entitle_run *r, struct fl_entitle_change c, bool cycle,
		   fairlead_error *err)
{
	struct fl_entitle_explain *x = r->x;
	uint32_t at = 0;
	bool does = false;

	while (at < x->n_changes &&
	       (x->changes[at].kind != c.kind || x->changes[at].resource != c.resource))
		at++;
	if (at < x->n_changes) {
		double less = x->changes[at].to - x->changes[at].from - step_of(&c);

		c.to = c.from + less < c.to ? c.from + less : c.to;
	}
	if (c.to <= c.from || at == MOST_CHANGES)
		return 0;
	int rc = find_least(r, &c, cycle, &does, err);
	if (rc < 0 || !does)
		return rc;
	x->changes[at] = c;
	x->n_changes += at == x->n_changes;
	return 0;
}

/* One cell of a queue on the path; @most is as far as it is raised. */
static int try_cell(struct fl_entitle_run *r, enum fl_cell_kind kind, struct fl_node n, double most,
		    fairlead_error *err)
{
	const struct fl_standing *q = &r->x->standings.rows[n.v];
	struct fl_entitle_change c = change(kind, n, r->x->resource);

	c.from = kind == FL_CELL_LIMIT    ? q->limit.of[c.resource] :
		 kind == FL_CELL_DESERVED ? q->deserved.of[c.resource] :
					    q->weight.of[c.resource];
	c.to = most;
	if (kind != FL_CELL_OVER_QUOTA_WEIGHT && c.from == FL_UNBOUNDED)
		return 0;
	return c.to <= c.from ? 0 : propose(r, c, alone_fits(r), err);
}

/* Of a machine no more than what no queue deserves; below another queue that one says. */
static double most_deserved(const struct fl_entitle_run *r, struct fl_node n, double most)
{
	const struct fl_standings *s = &r->x->standings;
	int res = r->x->resource;
	double spare = s->total.of[res];

	if (!r->machine || s->rows[n.v].parent.v != FL_NONE)
		return most;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct fl_standing *other = &s->rows[s->order[i]];

		/* One without a bound deserves no number of them. */
		if (other->parent.v == FL_NONE && s->order[i] != n.v && other->deserved.of[res] > 0)
			spare -= other->deserved.of[res];
	}
	return spare < most ? spare : most;
}

/* Limits, quotas and weights from the leaf up, in the resource that is short. */
static int try_queues(struct fl_entitle_run *r, fairlead_error *err)
{
	const struct fl_standings *s = &r->x->standings;
	int res = r->x->resource, rc = 0;
	/* With so much no other queue could be in the way. */
	double most = s->total.of[res] + r->x->amount.of[res];

	for (struct fl_node n = r->x->queue; n.v != FL_NONE && rc == 0; n = s->rows[n.v].parent) {
		double held = s->rows[n.v].allocated.of[res] + r->x->amount.of[res];

		rc = try_cell(r, FL_CELL_LIMIT, n, held > most ? held : most, err);
		if (rc == 0)
			rc = try_cell(r, FL_CELL_DESERVED, n,
				      most_deserved(r, n, held > most ? held : most), err);
		if (rc == 0)
			rc = try_cell(r, FL_CELL_OVER_QUOTA_WEIGHT, n,
				      s->rows[n.v].weight.of[res] + 1000, err);
	}
	return rc;
}

/* Above all its siblings; found by bisection, since between two of them nothing changes. */
static int try_queue_priorities(struct fl_entitle_run *r, fairlead_error *err)
{
	const struct fl_standings *s = &r->x->standings;
	int rc = 0;

	for (struct fl_node n = r->x->queue; n.v != FL_NONE && rc == 0; n = s->rows[n.v].parent) {
		struct fl_entitle_change c = change(FL_CELL_QUEUE_PRIORITY, n, FL_BUNDLE);
		int32_t most = INT32_MIN;

		for (uint32_t i = 0; i < s->n; i++) {
			const struct fl_standing *other = &s->rows[s->order[i]];

			if (other->parent.v == s->rows[n.v].parent.v && s->order[i] != n.v)
				most = other->priority > most ? other->priority : most;
		}
		c.from = s->rows[n.v].priority;
		c.to = (double)most + 1;
		if (c.to > c.from)
			rc = propose(r, c, alone_fits(r), err);
	}
	return rc;
}

/* Its own: of those ahead of it, and of those of its queue that might be preempted for it. */
static int try_priority(struct fl_entitle_run *r, fairlead_error *err)
{
	const struct fl_model *m = r->model;
	struct fl_entitle_change c = change(FL_CELL_PRIORITY, (struct fl_node){ FL_NONE },
					    FL_BUNDLE);

	c.from = c.to = m->workloads[r->x->workload.v].priority;
	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (m->workloads[w].cluster_queue.v == r->x->queue.v &&
		    (double)m->workloads[w].priority + 1 > c.to &&
		    m->workloads[w].priority < HIGHEST_PRIORITY)
			c.to = (double)m->workloads[w].priority + 1;
	return c.to <= c.from ? 0 : propose(r, c, alone_fits(r), err);
}

static int cmp_machines(const void *model, uint32_t a, uint32_t b)
{
	const struct fl_model *m = model;

	return fl_names_cmp(&m->names, m->machines[a].name, m->machines[b].name);
}

/* A machine that is larger; of several equally good ones the first by name. */
static int try_machines(struct fl_entitle_run *r, fairlead_error *err)
{
	const struct fl_model *m = r->model;
	uint32_t *ids = fl_arena_alloc(r->arena, (size_t)m->n_machines * 2 + 1, sizeof(*ids), err);
	int rc = ids ? 0 : FAIRLEAD_ENOMEM;

	for (uint32_t i = 0; i < m->n_machines && rc == 0; i++)
		ids[i] = i;
	if (rc == 0)
		fl_sort(ids, m->n_machines, ids + m->n_machines, cmp_machines, m);
	for (uint32_t at = 0; at < m->n_machines && !r->machine && rc == 0; at++) {
		uint32_t i = ids[at];
		struct fl_entitle_change c = change(FL_CELL_ALLOCATABLE,
						    (struct fl_node){ FL_NONE }, r->x->resource);

		if (m->machines[i].not_ready || m->machines[i].unschedulable)
			continue;
		c.machine.v = i;
		c.from = m->machines[i].allocatable.of[c.resource];
		c.to = c.from + ceil(r->x->amount.of[c.resource] / step_of(&c)) * step_of(&c);
		rc = c.to > c.from ? propose(r, c, alone_fits(r), err) : 0;
	}
	return rc;
}

/* --- in which order they are said --- */

/* What starts it at once first, then what evicts fewer, then by kind. */
static int cmp_changes(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_entitle_change *x = &((const struct fl_entitle_change *)ctx)[a];
	const struct fl_entitle_change *y = &((const struct fl_entitle_change *)ctx)[b];
	bool now = x->next != FL_WAIT, other = y->next != FL_WAIT;

	if (now != other)
		return now ? -1 : 1;
	if (x->n_victims != y->n_victims)
		return x->n_victims < y->n_victims ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static int sort_changes(struct fl_entitle_run *r, fairlead_error *err)
{
	struct fl_entitle_explain *x = r->x;
	uint32_t n = x->n_changes, ids[2 * MOST_CHANGES];
	struct fl_entitle_change *sorted = fl_arena_alloc(r->arena, (size_t)n + 1, sizeof(*sorted),
							  err);

	if (!sorted)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		ids[i] = i;
	fl_sort(ids, n, ids + n, cmp_changes, x->changes);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = x->changes[ids[i]];
	x->changes = sorted;
	return 0;
}

/* What a cycle costs grows with the square of those in it; an answer shall take seconds. */
static uint32_t most_tries(const struct fl_model *m)
{
	double size = (double)m->n_workloads / SMALL_CLUSTER;
	double most = size > 1 ? MOST_TRIES / (size * size) : MOST_TRIES;

	return most < LEAST_TRIES ? LEAST_TRIES : (uint32_t)most;
}

int fl_entitle_changes(struct fl_entitle_run *r, fairlead_error *err)
{
	struct fl_entitle_explain *x = r->x;
	int rc;

	x->most_tries = most_tries(r->model);

	x->changes = fl_arena_alloc(r->arena, MOST_CHANGES, sizeof(*x->changes), err);
	if (!x->changes)
		return FAIRLEAD_ENOMEM;
	rc = try_priority(r, err);
	if (rc == 0)
		rc = try_queue_priorities(r, err);
	if (rc == 0 && x->resource != FL_BUNDLE)
		rc = try_queues(r, err);
	if (rc == 0 && x->resource != FL_BUNDLE)
		rc = try_machines(r, err);
	return rc < 0 ? rc : sort_changes(r, err);
}
