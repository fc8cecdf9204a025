/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair - preemption under fair sharing (KEP-1714, "Preemption algorithm")
 *
 * Takes victims from the queue whose side has the largest share, root to leaves (fair_walk.h),
 * until the workload fits. x is the asking queue, y the victim's queue; compared are the two nodes
 * below their lowest common ancestor (almostLCA), the sides:
 *
 *   S1    x is within its nominal quota with the workload: all that others borrow may
 *         be reclaimed.
 *   S2-a  share of x's side with the workload <= share of y's side without the
 *         victim (LessThanOrEqualToFinalShare).
 *   S2-b  share of x's side with the workload <  share of y's side with the victim
 *         (LessThanInitialShare); one victim per queue in the second pass.
 *
 * s2a.h has S2-a in full, and the bounds by which searches skip candidates without applying it to
 * each.
 *
 * Promises: no victim from a queue that does not borrow a needed resource; on return the view is
 * as it was; ends after at most (candidates + nodes) rounds.  Not promised: that evictions settle
 * (doc/guide/loops.md), unless a Policy asks for it; then a victim must also be on a higher rung
 * than the preemptor would be (rung.h).
 *
 * Cost: O((victims + 1) * depth * log children), where victims are those to which a rule was
 * applied, and queues that turned out to have none.
 */
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/preempt/fair_walk.h"
#include "decide/borrow/preempt/preempt.h"
#include "decide/borrow/preempt/s2a.h"

/* The two nodes whose shares are compared: those below the lowest common ancestor with queue @q. */
struct sides {
	struct fl_node victim;
	struct fl_drs preemptor; /* the preemptor's side with the workload */
};

static struct sides sides_of(struct fl_fair_walk *f, struct fl_node q)
{
	const struct fl_tree *t = &f->p->tree;
	struct fl_node own = fl_tree_almost_lca(t, f->ask->queue, q);

	return (struct sides){ fl_tree_almost_lca(t, q, f->ask->queue),
			       *fl_view_drs(f->p, f->v, own) };
}

static void emit_shares(struct fl_fair_walk *f, enum fl_check check, uint32_t victim,
			const struct sides *s, const struct fl_drs *rhs, bool holds)
{
	if (fl_tell_of_victims(f->s->tell))
		fl_tell_of(
			f->p, f->s->tell, f->ask, (struct fl_column){ FL_NONE },
			(struct fl_evidence){
				.check = check,
				.node = s->victim,
				.victim = { victim },
				.lhs = { .kind = FL_NUMBER_SHARE, .share = s->preemptor.weighted },
				.rhs = { .kind = FL_NUMBER_SHARE, .share = rhs->weighted },
				.holds = holds,
			});
}

/*
 * S2-a: does the victim's side keep, without the victim, at least the share that the preemptor's
 * side gets?
 */
static bool rule_s2a(struct fl_fair_walk *f, uint32_t victim, const struct sides *s)
{
	struct fl_drs without = fl_view_drs_without(f->p, f->v, s->victim,
						    (struct fl_workload){ victim });
	bool holds = fl_s2a_holds(&s->preemptor, &without);

	emit_shares(f, FL_CHECK_S2A, victim, s, &without, holds);
	return holds;
}

/*
 * S2-b: is the share of the victim's side, with the victim, larger than that which the preemptor's
 * side gets?
 */
static bool rule_s2b(struct fl_fair_walk *f, uint32_t victim, const struct sides *s)
{
	const struct fl_drs *before = fl_view_drs(f->p, f->v, s->victim);
	bool holds = fl_s2b_holds(&s->preemptor, before);

	emit_shares(f, FL_CHECK_S2B, victim, s, before, holds);
	return holds;
}

/* With preemptionGuarantee: settles: is the victim on a higher rung than the preemptor would be? */
static bool settles(struct fl_fair_walk *f, uint32_t victim)
{
	return fl_rung_passes(f->p, f->s->tell, f->v, f->ask, victim);
}

static bool is_hopeless(struct fl_fair_walk *f, const struct sides *s)
{
	return fl_s2_is_hopeless(&s->preemptor, fl_view_drs(f->p, f->v, s->victim));
}

/* The first strategy of the configuration. */
static bool passes(struct fl_fair_walk *f, uint32_t victim, const struct sides *s)
{
	bool final = f->p->model->settings.strategies[0] == FL_FINAL_SHARE;

	if (is_hopeless(f, s)) {
		emit_shares(f, FL_CHECK_S2A, victim, s, fl_view_drs(f->p, f->v, s->victim), false);
		return false;
	}
	return (final ? rule_s2a(f, victim, s) : rule_s2b(f, victim, s)) && settles(f, victim);
}

/*
 * Does the workload fit without @victim, the last one taken?  For shares the request is in the
 * view.
 */
static bool fits_without(struct fl_fair_walk *f, uint32_t victim)
{
	bool fits;

	fl_view_sub(f->p, f->v, f->ask);
	fits = fl_protect_fits(f->p, f->v, f->ask, true);
	if (fl_tell_of_victims(f->s->tell))
		fl_preempt_tell_taken(f->p, f->s->tell, f->v, f->ask, victim, true, fits);
	fl_view_add(f->p, f->v, f->ask);
	return fits;
}

/* Takes @victim; true once the workload fits. */
static bool take(struct fl_fair_walk *f, uint32_t victim, enum fl_reason reason)
{
	fl_preempt_take(f->p, f->s, f->v, victim, reason);
	return fits_without(f, victim);
}

/*
 * Would S2-a refuse a candidate that holds only the least that any holder of @q holds, and so all
 * of them?
 */
static bool refuses_all(struct fl_fair_walk *f, struct fl_node q, const struct sides *s)
{
	struct fl_drs without;

	if (f->rule != FL_FAIR_FINAL || !fl_fair_walk_may_leave_out(f))
		return false;
	without = fl_view_drs_without_least(f->p, f->v, s->victim, q);
	return !fl_s2a_holds(&s->preemptor, &without);
}

/*
 * Candidates of queue @q by the first strategy: takes the first that passes; those that fail
 * before it are left for the second pass.
 */
static bool take_one_that_passes(struct fl_fair_walk *f, struct fl_node q)
{
	struct sides s = sides_of(f, q);

	if (refuses_all(f, q, &s)) {
		fl_fair_walk_refuse_rest(f, q);
		return false;
	}
	for (uint32_t w = fl_fair_walk_pop(f, q); w != FL_NONE; w = fl_fair_walk_pop(f, q)) {
		if (passes(f, w, &s))
			return take(f, w, FL_REASON_IN_COHORT_FAIR_SHARING);
		fl_fair_walk_refuse(f, w);
	}
	return false;
}

/* S1, or the first strategy; for workloads of the asking queue itself priority alone decides. */
static bool first_pass(struct fl_fair_walk *f)
{
	fl_fair_walk_begin(f, FL_FAIR_FIRST_PASS,
			   f->within_nominal                                     ? FL_FAIR_ALL :
			   f->p->model->settings.strategies[0] == FL_FINAL_SHARE ? FL_FAIR_FINAL :
										   FL_FAIR_INITIAL);
	for (struct fl_node q = fl_fair_walk_next(f); q.v != FL_NONE; q = fl_fair_walk_next(f)) {
		bool fits;

		if (q.v == f->ask->queue.v)
			fits = take(f, fl_fair_walk_pop(f, q), FL_REASON_IN_CLUSTER_QUEUE);
		else if (f->within_nominal)
			fits = take(f, fl_fair_walk_pop(f, q), FL_REASON_IN_COHORT_RECLAMATION);
		else
			fits = take_one_that_passes(f, q);
		if (fits)
			return true;
	}
	return false;
}

/* Candidates that the first strategy refused, by S2-b, one victim per queue. */
static bool second_pass(struct fl_fair_walk *f)
{
	fl_fair_walk_begin(f, FL_FAIR_SECOND_PASS, FL_FAIR_INITIAL);
	for (struct fl_node q = fl_fair_walk_next(f); q.v != FL_NONE; q = fl_fair_walk_next(f)) {
		struct sides s = sides_of(f, q);
		uint32_t w = fl_fair_walk_pop(f, q);

		while (w != FL_NONE && !settles(f, w))
			w = fl_fair_walk_pop(f, q);
		fl_fair_walk_leave(f, q);
		if (w != FL_NONE && rule_s2b(f, w, &s) &&
		    take(f, w, FL_REASON_IN_COHORT_FAIR_SHARING))
			return true;
	}
	return false;
}

bool fl_fair_search(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
		    const struct fl_ask *ask)
{
	struct fl_fair_walk f = { .p = p, .s = s, .v = v, .ask = ask };
	bool fits;

	fl_view_add(p, v, ask);
	f.within_nominal = !p->model->settings.off[FL_GATE_PREEMPT_WITHIN_NOMINAL] &&
			   fl_preempt_within_nominal(p, v, ask, ask->queue);
	fits = first_pass(&f) || (p->model->settings.n_strategies > 1 && second_pass(&f));
	fl_view_sub(p, v, ask);
	if (fits)
		fl_preempt_fill_back(p, s, v, ask, true);
	fl_preempt_restore(p, s, v);
	return fits;
}
