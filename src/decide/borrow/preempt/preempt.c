/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/preempt/preempt.h"

#include "decide/borrow/afs/afs.h"
#include "decide/borrow/borrow.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"

int fl_preempt_cmp_candidates(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if ((x->state == FL_STATE_EVICTING) == (y->state == FL_STATE_EVICTING) &&
	    x->held_by.v == y->held_by.v && fl_afs_orders(p, x->held_by)) {
		double used = fl_afs_usage(p, (struct fl_workload){ a });
		double other = fl_afs_usage(p, (struct fl_workload){ b });

		if (used != other)
			return used > other ? -1 : 1;
	}
	return fl_preempt_cmp_ages(p, a, b);
}

int fl_preempt_cmp_ages(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if ((x->state == FL_STATE_EVICTING) != (y->state == FL_STATE_EVICTING))
		return x->state == FL_STATE_EVICTING ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	if (x->reserved_at != y->reserved_at)
		return x->reserved_at > y->reserved_at ? -1 : 1;
	return (x->uid_rank > y->uid_rank) - (x->uid_rank < y->uid_rank);
}

bool fl_preempt_before(const struct fl_policy *p, uint32_t a, uint32_t b, struct fl_node q)
{
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if ((x->state == FL_STATE_EVICTING) == (y->state == FL_STATE_EVICTING) &&
	    (x->held_by.v == q.v) != (y->held_by.v == q.v))
		return y->held_by.v == q.v;
	return fl_preempt_cmp_ages(p, a, b) < 0; /* never of two of one queue */
}

static bool policy_allows(const struct fl_job *preemptor, const struct fl_job *victim,
			  enum fl_preempt_policy policy)
{
	switch (policy) {
	case FL_PREEMPT_NEVER:
		return false;
	case FL_PREEMPT_ANY:
		return true;
	case FL_PREEMPT_LOWER_OR_NEWER_EQUAL:
		if (preemptor->priority == victim->priority)
			return preemptor->age < victim->age;
		/* fall through */
	case FL_PREEMPT_LOWER_PRIORITY:
		return preemptor->priority > victim->priority;
	}
	return false;
}

enum fl_preempt_policy fl_preempt_within_queue(const struct fl_policy *p, struct fl_node q)
{
	enum fl_preempt_policy says = p->model->nodes[q.v].within_queue;

	return p->rungs && says == FL_PREEMPT_ANY ? FL_PREEMPT_LOWER_OR_NEWER_EQUAL : says;
}

bool fl_preempt_allows(const struct fl_policy *p, const struct fl_ask *ask, uint32_t victim,
		       enum fl_preempt_policy policy, enum fl_cause cause)
{
	const struct fl_cycle *c = p->scratch;
	const struct fl_job *v = &p->jobs[victim];
	bool uses = false, allowed;

	p->scratch->looked++;
	if (fl_preempt_chosen(p, victim) || (p->rungs && v->state == FL_STATE_EVICTING &&
					     (c->n_going || fl_protect_is_stuck(p, victim))))
		return false; /* a target already, or none to count on */
	for (uint32_t i = 0; i < v->n_use && !uses; i++)
		uses = c->needed[fl_uses(p, v)[i].column.v] == c->search;
	if (!uses) {
		if (fl_preempt_heard(p))
			fl_preempt_emit_uses(p, ask, victim);
		return false;
	}
	allowed = policy_allows(&p->jobs[ask->workload.v], v, policy);
	if (fl_preempt_heard(p))
		fl_preempt_emit_policy(p, ask, victim, policy, allowed);
	return allowed && fl_protect_allows(p, ask, victim, cause);
}

bool fl_preempt_refuses_rest(const struct fl_policy *p, const struct fl_ask *ask, uint32_t victim,
			     enum fl_preempt_policy policy)
{
	const struct fl_job *v = &p->jobs[victim];
	int32_t priority = p->jobs[ask->workload.v].priority;

	if (fl_preempt_heard(p) || v->state == FL_STATE_EVICTING || fl_afs_orders(p, v->held_by))
		return false;
	switch (policy) {
	case FL_PREEMPT_NEVER:
		return true;
	case FL_PREEMPT_LOWER_OR_NEWER_EQUAL:
		return v->priority > priority;
	case FL_PREEMPT_LOWER_PRIORITY:
		return v->priority >= priority;
	case FL_PREEMPT_ANY:
		break;
	}
	return false;
}

void fl_preempt_take(struct fl_policy *p, struct fl_view *v, uint32_t victim, enum fl_reason reason)
{
	struct fl_cycle *c = p->scratch;

	fl_view_take(p, v, (struct fl_workload){ victim });
	c->targets[c->n_targets++] = (struct fl_target){ { victim }, reason };
}

static void drop_unneeded(struct fl_cycle *c)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->n_targets; i++)
		if (c->targets[i].workload.v != FL_NONE)
			c->targets[kept++] = c->targets[i];
	c->n_targets = kept;
}

void fl_preempt_fill_back(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask,
			  bool borrow)
{
	struct fl_cycle *c = p->scratch;

	for (uint32_t i = c->n_targets - 1; i-- > c->n_going;) {
		uint32_t victim = c->targets[i].workload.v;

		fl_view_give(p, v, c->targets[i].workload);
		bool needed = !fl_view_fits(p, v, ask, borrow);

		c->targets[i].workload.v = FL_NONE;
		needed = needed || !fl_rung_all_may_go(p, v, ask);
		if (fl_preempt_heard(p))
			fl_preempt_emit_needed(p, v, ask, victim, borrow, needed);
		if (needed) {
			c->targets[i].workload.v = victim;
			fl_view_take(p, v, c->targets[i].workload);
		}
	}
	drop_unneeded(c);
}

void fl_preempt_restore(struct fl_policy *p, struct fl_view *v)
{
	struct fl_cycle *c = p->scratch;

	for (uint32_t i = c->n_targets; i-- > c->n_going;)
		fl_view_give(p, v, c->targets[i].workload);
}

/* --- who is going --- */

/* The next of those who are going that hold quota of @q; they are the first of its candidates. */
static uint32_t next_going_of(struct fl_policy *p, struct fl_node q, uint32_t *at)
{
	uint32_t n;
	const uint32_t *list = fl_state_candidates(p, q, &n);

	while (*at < n && p->jobs[list[*at]].state == FL_STATE_EVICTING) {
		uint32_t w = list[(*at)++];

		if (!fl_preempt_chosen(p, w) && !fl_protect_is_stuck(p, w))
			return w;
	}
	return FL_NONE;
}

uint32_t fl_preempt_next_going(struct fl_policy *p, struct fl_node q, struct fl_going *walk)
{
	struct fl_span queues = p->tree.queues[p->tree.root_index[q.v]];

	for (; walk->queue < queues.n; walk->queue++, walk->at = 0) {
		struct fl_node at = { p->tree.queue_ids[queues.first + walk->queue] };
		uint32_t w = next_going_of(p, at, &walk->at);

		if (w != FL_NONE)
			return w;
	}
	return FL_NONE;
}

static void move_out(struct fl_policy *p, struct fl_view *v, uint32_t w, bool out)
{
	if (out)
		fl_view_take(p, v, (struct fl_workload){ w });
	else
		fl_view_give(p, v, (struct fl_workload){ w });
}

void fl_preempt_let_go(struct fl_policy *p, struct fl_view *v, struct fl_node q, bool out)
{
	struct fl_going walk = { 0 };

	for (uint32_t w = fl_preempt_next_going(p, q, &walk); w != FL_NONE;
	     w = fl_preempt_next_going(p, q, &walk))
		move_out(p, v, w, out);
}

void fl_preempt_let_own_go(struct fl_policy *p, struct fl_view *v, struct fl_node q, bool out)
{
	uint32_t at = 0;

	for (uint32_t w = next_going_of(p, q, &at); w != FL_NONE; w = next_going_of(p, q, &at))
		move_out(p, v, w, out);
}

/*
 * With the guarantee a search for one within its queue's quota begins without those who are going:
 * whoever they are, it may count on them.  Others may count on those alone whom they could preempt,
 * or what goes for the next of a queue with a small share would be promised to one with a large.
 */
static void take_who_goes(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	struct fl_going walk = { 0 };
	uint32_t w;

	if (!p->rungs || !fl_rung_claims(p, v, ask))
		return;
	while ((w = fl_preempt_next_going(p, ask->queue, &walk)) != FL_NONE)
		fl_preempt_take(p, v, w,
				p->jobs[w].held_by.v == ask->queue.v ?
					FL_REASON_IN_CLUSTER_QUEUE :
					FL_REASON_IN_COHORT_RECLAMATION);
	p->scratch->n_going = p->scratch->n_targets;
}

/* Of those it waits only for whom it does not fit without; all targets back into @v. */
static void keep_who_is_needed(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	struct fl_cycle *c = p->scratch;

	for (uint32_t i = c->n_going; i < c->n_targets; i++)
		fl_view_take(p, v, c->targets[i].workload);
	for (uint32_t i = c->n_going; i-- > 0;) {
		struct fl_workload w = c->targets[i].workload;

		fl_view_give(p, v, w);
		if (fl_view_fits(p, v, ask, /* borrow= */ true))
			c->targets[i].workload.v = FL_NONE;
		else
			fl_view_take(p, v, w);
	}
	drop_unneeded(c);
	c->n_going = 0;
	fl_preempt_restore(p, v);
}

bool fl_preempt_within_nominal(const struct fl_policy *p, const struct fl_view *v,
			       const struct fl_ask *ask, struct fl_node n)
{
	for (uint32_t i = 0; i < ask->n; i++)
		if (ask->needs[i]) {
			size_t at = fl_tree_cell(&p->tree, n, ask->uses[i].column);

			if (v->usage.cell[at] > p->tree.subtree[at])
				return false;
		}
	return true;
}

/* Mark the needed columns and the path of the asking queue for this search. */
static void start(struct fl_policy *p, const struct fl_ask *ask)
{
	struct fl_cycle *c = p->scratch;

	c->search++;
	c->n_targets = c->n_going = 0;
	for (uint32_t i = 0; i < ask->n; i++)
		if (ask->needs[i])
			c->needed[ask->uses[i].column.v] = c->search;
	for (uint32_t n = ask->queue.v, below = FL_NONE; n != FL_NONE;
	     below = n, n = p->tree.parent[n]) {
		c->nodes[n].on_path = c->search;
		c->nodes[n].below = below;
	}
}

/* All that were found, together: what one of them was compared with may have changed since. */
static bool settles(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	const struct fl_cycle *c = p->scratch;
	bool may;

	if (!p->rungs)
		return true;
	for (uint32_t i = c->n_going; i < c->n_targets; i++)
		fl_view_take(p, v, c->targets[i].workload);
	may = fl_rung_all_may_go(p, v, ask);
	fl_preempt_restore(p, v);
	return may;
}

/* By the rules of the day, beside those who are going. */
static bool search(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	if (p->scratch->n_going && fl_view_fits(p, v, ask, /* borrow= */ true))
		return true;
	return (p->model->settings.fair_sharing && !fl_protect_overrules(p, ask->workload) ?
			fl_fair_search(p, v, ask) :
			fl_classical_search(p, v, ask)) &&
	       settles(p, v, ask);
}

uint32_t fl_preempt_search(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	struct fl_cycle *c = p->scratch;

	start(p, ask);
	if (c->sink)
		fl_preempt_emit_start(p, v, ask);
	for (uint32_t i = 0; i < ask->n; i++)
		if (fl_usage_overflows(&v->usage, &p->tree, ask->queue, ask->uses[i].column,
				       ask->uses[i].amount))
			return 0;
	take_who_goes(p, v, ask);
	if (search(p, v, ask)) {
		if (c->n_going)
			keep_who_is_needed(p, v, ask);
		return c->n_targets;
	}
	c->n_targets = c->n_going;
	c->n_going = 0;
	fl_preempt_restore(p, v); /* who was going; the others are back */
	return 0;
}

/* May nobody of its own queue go for @ask?  Candidates stand in order; a few tell. */
static bool spares_its_own(struct fl_policy *p, const struct fl_ask *ask)
{
	enum { A_FEW = 8 };
	enum fl_preempt_policy policy = fl_preempt_within_queue(p, ask->queue);
	uint32_t n;
	const uint32_t *list = fl_state_candidates(p, ask->queue, &n);

	for (uint32_t i = 0; i < n && policy != FL_PREEMPT_NEVER; i++) {
		if (i == A_FEW ||
		    policy_allows(&p->jobs[ask->workload.v], &p->jobs[list[i]], policy))
			return false;
		if (fl_preempt_refuses_rest(p, ask, list[i], policy))
			break;
	}
	return true;
}

bool fl_preempt_hopeless(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	if (!spares_its_own(p, ask))
		return false;
	return p->model->nodes[ask->queue.v].reclaim == FL_PREEMPT_NEVER ||
	       (p->model->settings.fair_sharing && fl_fair_hopeless(p, v, ask));
}

uint64_t fl_borrow_looked(const struct fl_policy *p) { return p->scratch->looked; }
