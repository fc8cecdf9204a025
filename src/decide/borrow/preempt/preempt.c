/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/preempt/preempt.h"

#include <string.h>

#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/guarantee/going.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/preempt/search.h"

bool fl_preempt_before(const struct fl_policy *p, uint32_t a, uint32_t b, struct fl_node q)
{
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if ((x->state == FL_STATE_EVICTING) == (y->state == FL_STATE_EVICTING) &&
	    (x->held_by.v == q.v) != (y->held_by.v == q.v))
		return y->held_by.v == q.v;
	return fl_holders_cmp_ages(p, a, b) < 0; /* never called for two of one queue */
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
			return preemptor->since < victim->since;
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

/* Does the Policy protect @victim? */
static bool is_spared(struct fl_policy *p, struct fl_preempt *s, const struct fl_ask *ask,
		      uint32_t victim, enum fl_cause cause)
{
	enum fl_protect_answer says = fl_protect_allows(p, s->tell, ask, victim, cause);

	s->spared |= says == FL_PROTECT_FOR_NOW;
	return says != FL_PROTECT_ALLOWS;
}

bool fl_preempt_allows(struct fl_policy *p, struct fl_preempt *s, const struct fl_ask *ask,
		       uint32_t victim, enum fl_preempt_policy policy, enum fl_cause cause)
{
	const struct fl_job *v = &p->jobs[victim];
	bool uses = false, allowed;

	s->looked++;
	if (fl_marks_is_chosen(s->marks, victim) ||
	    (p->rungs && v->state == FL_STATE_EVICTING &&
	     (s->n_going || fl_protect_is_stuck(p, victim))))
		return false; /* a victim already, or one that must not be counted on */
	for (uint32_t i = 0; i < v->n_use && !uses; i++)
		uses = s->needed[fl_uses(p, v)[i].column.v] == s->search;
	if (!uses) {
		if (fl_tell_of_victims(s->tell))
			fl_preempt_tell_uses(p, s->tell, ask, victim);
		return false;
	}
	allowed = policy_allows(&p->jobs[ask->workload.v], v, policy);
	if (fl_tell_of_victims(s->tell))
		fl_preempt_tell_policy(p, s->tell, ask, victim, policy, allowed);
	return allowed && (!p->protect || !is_spared(p, s, ask, victim, cause));
}

bool fl_preempt_refuses_rest(const struct fl_policy *p, const struct fl_preempt *s,
			     const struct fl_ask *ask, uint32_t victim,
			     enum fl_preempt_policy policy)
{
	const struct fl_job *v = &p->jobs[victim];
	int32_t priority = p->jobs[ask->workload.v].priority;

	if (fl_tell_of_victims(s->tell) || v->state == FL_STATE_EVICTING ||
	    fl_afs_orders(p, v->held_by))
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

void fl_preempt_take(const struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
		     uint32_t victim, enum fl_reason reason)
{
	fl_view_take(p, v, (struct fl_workload){ victim });
	s->targets[s->n_targets++] = (struct fl_target){ { victim }, reason };
}

static void drop_unneeded(struct fl_preempt *s)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->n_targets; i++)
		if (s->targets[i].workload.v != FL_NONE)
			s->targets[kept++] = s->targets[i];
	s->n_targets = kept;
}

void fl_preempt_fill_back(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
			  const struct fl_ask *ask, bool borrow)
{
	for (uint32_t i = s->n_targets - 1; i-- > s->n_going;) {
		uint32_t victim = s->targets[i].workload.v;

		fl_view_give(p, v, s->targets[i].workload);
		bool needed = !fl_protect_fits(p, v, ask, borrow);

		s->targets[i].workload.v = FL_NONE;
		needed = needed ||
			 !fl_rung_all_may_go(p, s->tell, v, ask, s->targets, s->n_targets);
		if (fl_tell_of_victims(s->tell))
			fl_preempt_tell_needed(p, s->tell, v, ask, victim, borrow, needed);
		if (needed) {
			s->targets[i].workload.v = victim;
			fl_view_take(p, v, s->targets[i].workload);
		}
	}
	drop_unneeded(s);
}

void fl_preempt_restore(const struct fl_policy *p, const struct fl_preempt *s, struct fl_view *v)
{
	for (uint32_t i = s->n_targets; i-- > s->n_going;)
		fl_view_give(p, v, s->targets[i].workload);
}

/*
 * With the guarantee, a search for a workload within the quota of its queue begins by taking all
 * workloads that are being evicted: it may count on any of them.  Other searches may count only on
 * evicting workloads that they could preempt themselves; otherwise what is freed for the next
 * workload of a queue with a small share would be promised to one of a queue with a large share.
 */
static void take_who_goes(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
			  const struct fl_ask *ask)
{
	struct fl_going walk = { 0 };
	uint32_t w;

	if (!p->rungs || !fl_rung_claims(p, s->marks, v, ask))
		return;
	while ((w = fl_going_next(p, s->marks, ask->queue, &walk)) != FL_NONE)
		fl_preempt_take(p, s, v, w,
				p->jobs[w].held_by.v == ask->queue.v ?
					FL_REASON_IN_CLUSTER_QUEUE :
					FL_REASON_IN_COHORT_RECLAMATION);
	s->n_going = s->n_targets;
}

/*
 * Keeps, of the evicting workloads taken at the beginning, only those without whose quota the
 * workload does not fit; puts all targets back into @v.
 */
static void keep_who_is_needed(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
			       const struct fl_ask *ask)
{
	for (uint32_t i = s->n_going; i < s->n_targets; i++)
		fl_view_take(p, v, s->targets[i].workload);
	for (uint32_t i = s->n_going; i-- > 0;) {
		struct fl_workload w = s->targets[i].workload;

		fl_view_give(p, v, w);
		if (fl_protect_fits(p, v, ask, /* borrow= */ true))
			s->targets[i].workload.v = FL_NONE;
		else
			fl_view_take(p, v, w);
	}
	drop_unneeded(s);
	s->n_going = 0;
	fl_preempt_restore(p, s, v);
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

/* Marks the needed columns and the path of the asking queue for this search. */
static void start(const struct fl_policy *p, struct fl_preempt *s, const struct fl_ask *ask)
{
	s->tell->search = ++s->search;
	s->n_targets = s->n_going = 0;
	s->spared = false;
	for (uint32_t i = 0; i < ask->n; i++)
		if (ask->needs[i])
			s->needed[ask->uses[i].column.v] = s->search;
	for (uint32_t n = ask->queue.v, below = FL_NONE; n != FL_NONE;
	     below = n, n = p->tree.parent[n]) {
		s->nodes[n].on_path = s->search;
		s->nodes[n].below = below;
	}
}

/*
 * May all victims that were found be preempted together?  What one of them was compared with may
 * have changed since.
 */
static bool settles(struct fl_policy *p, const struct fl_preempt *s, struct fl_view *v,
		    const struct fl_ask *ask)
{
	bool may;

	if (!p->rungs)
		return true;
	for (uint32_t i = s->n_going; i < s->n_targets; i++)
		fl_view_take(p, v, s->targets[i].workload);
	may = fl_rung_all_may_go(p, s->tell, v, ask, s->targets, s->n_targets);
	fl_preempt_restore(p, s, v);
	return may;
}

/* Searches by the rules of the configuration, on top of the evicting workloads that were taken. */
static bool search(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
		   const struct fl_ask *ask)
{
	if (s->n_going && fl_protect_fits(p, v, ask, /* borrow= */ true))
		return true;
	return (p->model->settings.fair_sharing && !fl_protect_overrules(p, ask->workload) ?
			fl_fair_search(p, s, v, ask) :
			fl_classical_search(p, s, v, ask)) &&
	       settles(p, s, v, ask);
}

static struct fl_victims found(const struct fl_preempt *s, uint32_t n)
{
	return (struct fl_victims){ .targets = s->targets, .n = n, .spared = s->spared };
}

struct fl_victims fl_preempt_search(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
				    const struct fl_ask *ask)
{
	start(p, s, ask);
	if (s->tell->sink)
		fl_preempt_tell_start(p, s->tell, v, ask);
	for (uint32_t i = 0; i < ask->n; i++)
		if (fl_usage_overflows(&v->usage, &p->tree, ask->queue, ask->uses[i].column,
				       ask->uses[i].amount))
			return found(s, 0);
	take_who_goes(p, s, v, ask);
	if (search(p, s, v, ask)) {
		if (s->n_going)
			keep_who_is_needed(p, s, v, ask);
		return found(s, s->n_targets);
	}
	s->n_targets = s->n_going;
	s->n_going = 0;
	fl_preempt_restore(p, s, v); /* of evicting workloads; the others are back already */
	return found(s, 0);
}

/*
 * Is it certain that no workload of its own queue may be preempted for @ask?  Candidates are in
 * order, so few comparisons tell.
 */
static bool spares_its_own(struct fl_policy *p, const struct fl_preempt *s,
			   const struct fl_ask *ask)
{
	enum { A_FEW = 8 };
	enum fl_preempt_policy policy = fl_preempt_within_queue(p, ask->queue);
	uint32_t n;
	const uint32_t *list = fl_holders_candidates(p, ask->queue, &n);

	for (uint32_t i = 0; i < n && policy != FL_PREEMPT_NEVER; i++) {
		if (i == A_FEW ||
		    policy_allows(&p->jobs[ask->workload.v], &p->jobs[list[i]], policy))
			return false;
		if (fl_preempt_refuses_rest(p, s, ask, list[i], policy))
			break;
	}
	return true;
}

bool fl_preempt_hopeless(struct fl_policy *p, const struct fl_preempt *s, struct fl_view *v,
			 const struct fl_ask *ask)
{
	if (!spares_its_own(p, s, ask))
		return false;
	return p->model->nodes[ask->queue.v].reclaim == FL_PREEMPT_NEVER ||
	       (p->model->settings.fair_sharing && fl_fair_hopeless(p, v, ask));
}

/* --- the workspace --- */

int fl_preempt_new(struct fl_policy *p, struct fl_teller *tell, struct fl_marks *marks,
		   struct fl_preempt **ret, fairlead_error *err)
{
	struct fl_arena *a = &p->arena;
	uint32_t nodes = p->tree.n_nodes, columns = fl_tree_most_columns(&p->tree), depth = 0;
	uint32_t sorted = p->afs ? p->places : 0;
	struct fl_preempt *s = fl_arena_alloc(a, 1, sizeof *s, err);

	if (!s)
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < nodes; n++)
		if (depth < p->tree.depth[n])
			depth = p->tree.depth[n];
	s->tell = tell;
	s->marks = marks;
	s->nodes = fl_arena_alloc(a, nodes, sizeof *s->nodes, err);
	s->needed = fl_arena_alloc(a, columns, sizeof *s->needed, err);
	s->remaining = fl_arena_alloc(a, columns, sizeof *s->remaining, err);
	s->advantage = fl_arena_alloc(a, depth + 1, sizeof *s->advantage, err);
	s->cursors = fl_arena_alloc(a, nodes + 1, sizeof *s->cursors, err);
	s->sorted = fl_arena_alloc(a, sorted, sizeof *s->sorted, err);
	s->sorted_queues = fl_arena_alloc(a, sorted, sizeof *s->sorted_queues, err);
	if (!s->nodes || !s->needed || !s->remaining || !s->advantage || !s->cursors ||
	    !s->sorted || !s->sorted_queues)
		return FAIRLEAD_ENOMEM;
	*ret = s;
	return 0;
}

void fl_preempt_done(const struct fl_policy *p, struct fl_preempt *s)
{
	if (s)
		fl_mem_free(p->mem, s->targets);
}

int fl_preempt_reserve(const struct fl_policy *p, struct fl_preempt *s, uint32_t n,
		       fairlead_error *err)
{
	return fl_mem_grow(p->mem, &s->targets, &s->cap_targets, n, sizeof *s->targets, err);
}

_Static_assert(sizeof(struct fl_target) >= sizeof(uint32_t), "as many numbers as targets");

uint32_t *fl_preempt_lend(struct fl_preempt *s) { return (uint32_t *)s->targets; }

bool fl_preempt_is_worn(const struct fl_preempt *s)
{
	return s->search >= FL_MARKS_RENEWED || s->pass >= FL_MARKS_RENEWED;
}

void fl_preempt_renew(const struct fl_policy *p, struct fl_preempt *s)
{
	memset(s->nodes, 0, p->tree.n_nodes * sizeof *s->nodes);
	memset(s->needed, 0, fl_tree_most_columns(&p->tree) * sizeof *s->needed);
	s->search = s->pass = 0;
}

uint64_t fl_preempt_looked(const struct fl_preempt *s) { return s->looked; }
