/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/rules/budget.h"

#include <math.h>
#include <string.h>

#include "base/amount.h"
#include "base/sort.h"
#include "base/time.h"
#include "decide/entitle/rules/claim.h"
#include "decide/entitle/rules/witness.h"

static const double ns_per_hour = 3600e9;
/*
 * If budgets are overcommitted, a queue gives way whose used part is ahead by this much of a
 * budget; and they are overcommitted when the excess is more than this part of a period, since
 * each switch from job to job costs something too.
 */
static const double margin = 0.05;

/* --- setup --- */

static int read_period(const struct fl_policy *p, struct fl_usage_window *ret, fairlead_error *err)
{
	const struct fl_entitle_settings *e = &p->settings;
	const char *cron = fl_model_text(p->model, e->period_cron);

	*ret = (struct fl_usage_window){ .kind = e->period_kind,
					 .length = e->period,
					 .first = e->period_start };
	return e->period_kind == FL_WINDOW_CRON ?
		       fl_cron_parse(cron, strlen(cron), &ret->cron, err) :
		       0;
}

int fl_budgets_new(struct fl_policy *p, struct fl_budgets **ret, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct fl_history_settings settings = { .half_life = 0 };
	struct fl_budgets *b = fl_arena_alloc(&p->arena, 1, sizeof *b, err);
	int r;

	if (!b || !FL_NEW(&p->arena, b->hours, m->n_nodes, err) ||
	    !FL_NEW(&p->arena, b->used, m->n_nodes, err) ||
	    !FL_NEW(&p->arena, b->left, m->n_nodes, err) ||
	    !FL_NEW(&p->arena, b->state, m->n_nodes, err) ||
	    !FL_NEW(&p->arena, b->part, m->n_nodes, err))
		return FAIRLEAD_ENOMEM;
	if ((r = read_period(p, &b->period, err)) < 0)
		return r;
	for (uint32_t q = 0; q < m->n_nodes; q++)
		for (int i = 0; i < FL_BUNDLE; i++)
			b->hours[q].of[i] = FL_UNBOUNDED;
	for (uint32_t i = 0; i < m->n_budgets; i++)
		if (m->budgets[i].node.v != FL_NONE)
			b->hours[m->budgets[i].node.v] = m->budgets[i].hours;
	settings.window = b->period;
	r = fl_history_new(p->mem, &settings, m->n_nodes, &b->history, err);
	if (r < 0)
		return r;
	*ret = b;
	return 0;
}

void fl_budgets_free(struct fl_budgets *b)
{
	if (b)
		b->history = fl_history_free(b->history);
}

/* --- which queues are in budget --- */

/*
 * The largest part of its own budget that @q has used, over resources; below 0: it has no budget.
 */
static double own_part(const struct fl_budgets *b, uint32_t q)
{
	double most = -1;

	for (int r = 0; r < FL_BUNDLE; r++) {
		double hours = b->hours[q].of[r], used = b->used[q].of[r];

		if (hours != FL_UNBOUNDED)
			most = fmax(most, used < hours ? used / hours : 1);
	}
	return most;
}

/* Does @leaf have a workload that runs or is pending? */
static bool is_busy(const struct fl_policy *p, uint32_t leaf)
{
	const struct fl_standing *q = &p->queues[leaf];

	for (int r = 0; r < FL_BUNDLE; r++)
		if (q->request.of[r] > 0)
			return true;
	return false;
}

static void find_states(const struct fl_policy *p, struct fl_budgets *b)
{
	for (uint32_t i = 0; i < p->n_order; i++) {
		uint32_t q = p->order[i].v, parent = p->queues[q].parent.v;
		double part = own_part(b, q), above = 0;
		enum fl_budget_state state = FL_BUDGET_NONE;

		if (parent != FL_NONE) {
			state = b->state[parent];
			above = b->part[parent];
		}
		if (part >= 0 && state != FL_BUDGET_SPENT)
			state = part < 1 ? FL_BUDGET_LEFT : FL_BUDGET_SPENT;
		b->state[q] = state;
		b->part[q] = state == FL_BUDGET_LEFT ? fmax(part, above) : 1;
		if (state == FL_BUDGET_NONE)
			b->part[q] = 0; /* the initial value for the queues below it */
	}
	/*
	 * From here on a queue that is not in budget counts as having used all of it; an inner
	 * queue gets the least part of the queues below it.
	 */
	for (uint32_t i = p->n_order; i-- > 0;) {
		uint32_t q = p->order[i].v;

		if (p->is_leaf[q]) {
			if (b->state[q] != FL_BUDGET_LEFT || !is_busy(p, q))
				b->part[q] = 1;
			continue;
		}
		b->part[q] = 1;
		for (struct fl_span s = p->claims->children[q]; s.n > 0; s.n--)
			b->part[q] = fmin(b->part[q], b->part[p->claims->child[s.first + s.n - 1]]);
	}
}

/* --- overcommitted? --- */

static fl_time period_end(const struct fl_budgets *b, fl_time now)
{
	fl_time start;

	if (b->period.kind == FL_WINDOW_CRON)
		return fl_cron_after(&b->period.cron, now - 1);
	start = fl_window_start(&b->period, now);
	return start < b->period.first ? b->period.first : fl_sat_add(start, b->period.length);
}

/*
 * What @q may still use of resource @r: the least of what its own budget has left and what the
 * queues below it may still use.
 */
static double left_of(const struct fl_policy *p, const struct fl_budgets *b, uint32_t q, int r)
{
	double hours = b->hours[q].of[r];
	double own = hours == FL_UNBOUNDED ? (double)INFINITY : fmax(hours - b->used[q].of[r], 0);

	if (!(p->queues[q].request.of[r] > 0))
		return 0;
	return p->is_leaf[q] ? own : fmin(own, b->left[q].of[r]);
}

static bool is_too_much(const struct fl_policy *p, struct fl_budgets *b, fl_time now)
{
	fl_time end = period_end(b, now), start = fl_window_start(&b->period, now);
	double whole = (double)fl_time_minus(end, start);
	double hours = ((double)fl_time_minus(end, now) + margin * whole) / ns_per_hour;
	struct fl_bundle all = { 0 };

	for (uint32_t q = 0; q < p->model->n_nodes; q++)
		b->left[q] = (struct fl_bundle){ 0 };
	for (uint32_t i = p->n_order; i-- > 0;) {
		uint32_t q = p->order[i].v, parent = p->queues[q].parent.v;
		bool counts = !p->is_leaf[q] || b->state[q] == FL_BUDGET_LEFT;

		for (int r = 0; counts && r < FL_BUNDLE; r++)
			*(parent == FL_NONE ? &all.of[r] : &b->left[parent].of[r]) += left_of(p, b,
											      q, r);
	}
	for (int r = 0; r < FL_BUNDLE; r++)
		if (isfinite(all.of[r]) && all.of[r] > p->total.of[r] * hours)
			return true;
	return false;
}

/* Finds which queues are in budget at @now; does not change the state of the policy. */
static void look(const struct fl_policy *p, fl_time now)
{
	struct fl_budgets *b = p->budgets;

	fl_history_used(b->history, now, b->used);
	for (uint32_t q = 0; q < p->model->n_nodes; q++)
		for (int r = 0; r < FL_BUNDLE; r++)
			b->used[q].of[r] /= 3600;
	find_states(p, b);
	b->too_much = is_too_much(p, b, now);
}

static bool gives_way(const struct fl_policy *p, double asks, double other)
{
	return p->settings.overcommitment == FL_OVERCOMMIT_PROPORTIONAL && p->budgets->too_much &&
	       other - asks >= margin;
}

/* --- shares --- */

static enum fl_reach keeps_from(const struct fl_policy *p, const struct fl_claim *claim,
				struct fl_node mine, struct fl_node other, int r)
{
	const double *part = p->budgets->part;

	(void)r;
	if (p->queues[other.v].priority > p->queues[mine.v].priority ||
	    gives_way(p, part[other.v], part[claim->leaf.v]))
		return FL_REACH_NOTHING;
	return FL_REACH_UNKEPT;
}

static enum fl_reach starts_from(const struct fl_policy *p, const struct fl_claim *claim,
				 struct fl_node mine, struct fl_node other, int r)
{
	const double *part = p->budgets->part;
	bool in_budget = part[other.v] < 1;

	(void)r;
	if (p->queues[other.v].priority > p->queues[mine.v].priority)
		return FL_REACH_NOTHING;
	return in_budget && gives_way(p, part[claim->leaf.v], part[other.v]) ? FL_REACH_ALL :
									       FL_REACH_UNKEPT;
}

/* The queue that has used the smallest part comes first. */
static int cmp_parts(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const double *part = p->budgets->part;

	if (part[a] != part[b])
		return part[a] < part[b] ? -1 : 1;
	return (p->queues[a].rank > p->queues[b].rank) - (p->queues[a].rank < p->queues[b].rank);
}

static void list_leaves(struct fl_policy *p)
{
	struct fl_claims *c = p->claims;

	for (uint32_t i = 0; i < p->n_order; i++) {
		uint32_t q = p->order[i].v;

		if (p->is_leaf[q] && p->budgets->part[q] < 1)
			c->leaves[c->n_leaves++] = q;
	}
	fl_sort(c->leaves, c->n_leaves, c->spare, cmp_parts, p);
}

/* Jobs that run in budget keep what they hold; then the next job of each leaf is served. */
static void serve_all(struct fl_policy *p)
{
	struct fl_claims *c = p->claims;

	for (uint32_t i = 0; i < c->n_leaves; i++) {
		struct fl_claim claim = { .leaf = { c->leaves[i] }, .keeps = true };

		claim.amount = p->queues[c->leaves[i]].allocated;
		(void)fl_claim_serve(p, &claim, keeps_from);
	}
	for (uint32_t i = 0; i < c->n_leaves; i++) {
		struct fl_claim claim = { .leaf = { c->leaves[i] } };
		struct fl_workload next = { c->next[c->leaves[i]] };

		if (next.v == FL_NONE || (p->only.v != FL_NONE && p->only.v != next.v))
			continue;
		claim.amount = *fl_job_start_amount(p, next);
		(void)fl_claim_serve(p, &claim, starts_from);
	}
}

void fl_budgets_share(struct fl_policy *p)
{
	struct fl_budgets *b = p->budgets;
	struct fl_claims *c = p->claims;

	fl_claims_begin(p);
	look(p, p->now);
	for (uint32_t i = 0; i < p->n_order; i++) {
		uint32_t q = p->order[i].v;

		c->had[q] = p->queues[q].late = b->part[q];
	}
	fl_claims_rank(p);
	fl_claims_find_next(p);
	list_leaves(p);
	serve_all(p);
}

/* --- what depends on budgets --- */

static void hear(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_witness witness = { .sink = p->sink,
					    .axis = p->model->axis,
					    .workload = w };
	const struct fl_budgets *b = p->budgets;

	for (struct fl_node n = p->jobs[w.v].queue; n.v != FL_NONE; n = p->queues[n.v].parent)
		for (int r = 0; r < FL_BUNDLE; r++) {
			const struct fl_rule_compared compared = { .check = FL_CHECK_BUDGET,
								   .node = n,
								   .victim = { FL_NONE },
								   .kind = FL_NUMBER_BUNDLE };

			if (b->hours[n.v].of[r] != FL_UNBOUNDED)
				fl_witness_hears(&witness, &compared, r, b->used[n.v].of[r],
						 b->hours[n.v].of[r],
						 b->used[n.v].of[r] < b->hours[n.v].of[r]);
		}
}

bool fl_budgets_let_start(const struct fl_policy *p, struct fl_workload w)
{
	if (!p->budgets)
		return true;
	if (p->sink)
		hear(p, w);
	return p->settings.after_budget != FL_AFTER_BUDGET_STOP ||
	       p->budgets->state[p->jobs[w.v].queue.v] != FL_BUDGET_SPENT;
}

bool fl_budgets_protect(const struct fl_policy *p, struct fl_node asks, struct fl_node victim)
{
	const struct fl_budgets *b = p->budgets;

	if (!b || b->state[victim.v] != FL_BUDGET_LEFT || asks.v == victim.v)
		return false;
	return b->state[asks.v] != FL_BUDGET_LEFT ||
	       !gives_way(p, b->part[asks.v], b->part[victim.v]);
}

fl_time fl_budgets_wake(const struct fl_policy *p, fl_time now)
{
	const struct fl_budgets *b = p->budgets;
	fl_time first = fl_sat_add(period_end(b, now), 1);

	look(p, now);
	for (uint32_t q = 0; p->moving && q < p->model->n_nodes; q++)
		for (int r = 0; r < FL_BUNDLE; r++) {
			double held = p->queues[q].allocated.of[r], ns;

			if (b->state[q] != FL_BUDGET_LEFT || !(held > 0) ||
			    b->hours[q].of[r] == FL_UNBOUNDED)
				continue;
			ns = ceil((b->hours[q].of[r] - b->used[q].of[r]) / held * ns_per_hour);
			if (ns < (double)FL_NEVER)
				first = fl_amount_min(first, fl_sat_add(now, (fl_time)ns));
		}
	return first > now ? first : fl_sat_add(now, 1);
}

void fl_budgets_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	const struct fl_budgets *b = p->budgets;

	look(p, now);
	word(user, b->too_much);
	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		uint64_t bits;

		memcpy(&bits, &b->part[q], sizeof bits);
		word(user, bits);
		word(user, b->state[q]);
	}
}
