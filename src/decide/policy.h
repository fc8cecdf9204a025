/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy - a deterministic state machine that decides which workload is admitted next
 *
 * Promises: the same sealed model, events and times give the same bytes.  Every change of a policy
 * can be marked and rolled back exactly; explain, what-if, settle and prove depend on this.  A
 * step changes which workloads are admitted and which are being evicted; the quota of an evicted
 * workload is freed only by FL_EV_EVICTED (entitle: an evicted workload counts for no queue from
 * that moment, and holds its machines until FL_EV_EVICTED).  After the first calls have grown what
 * they need, step and try allocate nothing.
 *
 * The model must outlive the policy.
 */
#ifndef FL_DECIDE_POLICY_H
#define FL_DECIDE_POLICY_H

#include "base/image.h"
#include "model/model.h"
#include "record/record.h"

struct fl_policy;

struct fl_policy_options {
	const struct fl_mem *mem;
	fl_time now; /* quota reservation time of workloads that state none */
	/*
	 * Usage of local queues is counted at admissions only, and not also as time passes: the
	 * recorded decisions of Kueue were made in this way.
	 */
	bool unsampled;
	/*
	 * entitle: from `now` on, what queues hold over time is entered into the history of usage.
	 * Without it usage stays as the input states it.
	 */
	bool moving_usage;
	/*
	 * borrow: so long after quota in a tree was freed its parked workloads return, when `flush` is
	 * called; 0: at once.  Not in an image.
	 */
	fl_time flush_after;
	bool packed; /* no places for newcomers, although the model has some */
};

enum fl_workload_state {
	FL_STATE_ABSENT,       /* not submitted yet, cancelled or finished */
	FL_STATE_EXCLUDED,     /* takes no part: see `excluded` in the model */
	FL_STATE_WAITING,      /* pending, in its queue's line */
	FL_STATE_INADMISSIBLE, /* pending, parked until quota in its tree is freed */
	FL_STATE_HELD_BACK,    /* pending, but not in a queue until its back-off ends */
	FL_STATE_ADMITTED,     /* admitted: holds quota */
	FL_STATE_EVICTING,     /* evicted, and still holds quota */
} FL_BYTE;

/*
 * Step flags.  A step looks only at trees in which something changed since a step last left them
 * unchanged, and does not repeat what it leaves out: workloads that are pending as before, and
 * reservations as before for victims that have not ended.  With FL_STEP_FULL, or with a sink, it
 * looks at everything and has a row for each head.  Admissions, reservations and evictions, their
 * order, and the state after the step are the same either way.
 */
enum {
	FL_STEP_FULL = 1,
	FL_STEP_OURS =
		2, /* borrow: trees that another scheduler decides (fl_node_row.elsewhere) are passed over */
};

typedef uint32_t fl_mark;

#define FL_LIKE_NOBODY UINT64_MAX

/*
 * What a workload has yielded (decide/borrow/guarantee/rung.h), to be told to a policy that knows nothing of
 * it: that of another process, or one that the workload has left and joined again.
 */
enum { FL_YIELD_FLOORS = 16 }; /* of the uppermost nodes; floors below them are not told */
struct fl_yield_floor {
	uint32_t depth;         /* of the queue, or a cohort above it; ascending */
	uint32_t kind;          /* of struct fl_rung */
	double weighted, ratio; /* the same */
};
struct fl_yield {
	struct fl_workload workload; /* that was evicted */
	struct fl_workload to;       /* for which; FL_NONE: none that has not ended */
	bool forgiven;               /* it has joined the plan forgiven */
	uint32_t n;
	struct fl_yield_floor floors[FL_YIELD_FLOORS];
};

/* Called with one word of a state. */
typedef void fl_word(void *user, uint64_t word);

struct fl_policy_ops {
	const char *name;

	int (*new)(const struct fl_model *model, const struct fl_policy_options *options,
		   struct fl_policy **ret, fairlead_error *err);
	struct fl_policy *(*free)(struct fl_policy *p); /* NULL is fine; returns NULL */

	/*
	 * `save` writes the whole state into an image, behind the tables of the model
	 * (model/image.h); `load` makes a policy from it.  Its digest is that of the saved policy,
	 * and its decisions are the same from then on; of @options only `mem` is used.
	 * FAIRLEAD_ESTATE: not inside a mark.  FAIRLEAD_EINPUT: the image has values that are not
	 * valid.
	 */
	int (*save)(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
	int (*load)(const struct fl_model *model, const struct fl_policy_options *options,
		    const struct fl_image *image, struct fl_policy **ret, fairlead_error *err);

	/*
	 * Takes over the state of @from, which stays unchanged; @p must be fresh from `new`.
	 * Queues, cohorts, local queues, flavors, resources and machines of the same name are the
	 * same object.  Which workloads hold quota or are pending by the rows of @p's model does
	 * not count.  @was: for each workload of @p the same workload of @from, with the same
	 * podsets; FL_NONE: a new one, which is not submitted yet.  A workload that only @from has
	 * is treated as ended.
	 *
	 * Where queues, quotas and rules are the same, @p decides from then on as @from would with
	 * the same events; where they differ, workloads keep what they hold, and pending workloads
	 * are tried again.  The adopt.h of each policy has the details, and says what is not
	 * compared: after a change of that the caller must call `forget`.
	 *
	 * FAIRLEAD_EINPUT, with the workload as subject: @p does not have something that the
	 * workload holds.  FAIRLEAD_ESTATE inside a mark.  After an error @p can only be freed.
	 */
	int (*adopt)(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		     const struct fl_workload *was, fairlead_error *err);

	/*
	 * Takes effect whole or not at all.  FAIRLEAD_ESTATE when the workload's state does not
	 * allow the event.
	 *
	 * FL_EV_HOLDS and FL_EV_GOES say what another scheduler decided.  After them the policy is in
	 * the state, by its digest, of one whose model has the workload admitted so, or evicted;
	 * but for usage of local queues that is sampled, which is charged as at any admission, and
	 * for the last bits of sums.  FAIRLEAD_EINPUT, with what is wrong, when the placement names
	 * what the model does not have; FAIRLEAD_ELIMIT when a model that has the workload admitted
	 * so would have room for it, and this one has not (a row more than it asks for, another
	 * queue than its own): then a new model is needed.
	 */
	int (*apply)(struct fl_policy *p, fl_time now, const struct fl_event *event,
		     fairlead_error *err);

	/*
	 * NULL, or: workload @w, which joined the sealed model after @p was made
	 * (model/newcomer.h), takes part in @p: it is absent, and FL_EV_SUBMIT comes next.  The
	 * state is that of a policy on a model sealed with the same workloads, digest included.
	 * 1: @p has no room for it; nothing has changed, and it needs a new model and a policy that
	 * adopts @p.  Costs what its queue costs, and is undone by rollback, but room is made
	 * outside marks only.  FAIRLEAD_ESTATE: it takes part already.
	 */
	int (*join)(struct fl_policy *p, struct fl_workload w, fairlead_error *err);
	/*
	 * With `join`: @w, which is absent or excluded, takes part no more.  What is known of
	 * workloads like it is forgotten with the last of them.  Undone by rollback, if @w is still
	 * in the model then.  FAIRLEAD_ESTATE: it holds quota or is pending.
	 */
	int (*leave)(struct fl_policy *p, struct fl_workload w, fairlead_error *err);

	/* One cycle. *ret is valid until the next call.  @sink is NULL where speed counts. */
	int (*step)(struct fl_policy *p, fl_time now, unsigned flags, const struct fl_sink *sink,
		    struct fl_decisions *ret, fairlead_error *err);

	/*
	 * Decides about one workload as if it were the only head of a cycle: ADMIT, RESERVE with
	 * its EVICTs, or WAIT; nothing is applied.  It does not get quota that is kept for other
	 * workloads in any case (decide/borrow/guarantee/rung.h); a sink is told of those
	 * workloads, too.
	 */
	int (*try)(struct fl_policy *p, fl_time now, struct fl_workload w,
		   const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err);

	/*
	 * The same as `try`, but the decision takes effect; workloads for which freed quota is
	 * held are heads of that cycle, too.  Used to explore all orders of steps
	 * (ask/prove/prove.h).
	 */
	int (*serve)(struct fl_policy *p, fl_time now, struct fl_workload w,
		     const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err);
	/*
	 * Ends all times that end by @now, and lets all pending workloads be tried again: no
	 * workload is parked, and what was found out about them (scan positions, shapes that do
	 * not fit, which is first in line) is forgotten.  Promises stay.
	 */
	int (*forget)(struct fl_policy *p, fl_time now, fairlead_error *err);

	/*
	 * NULL, or: workloads that were parked return where that is due by @until (flush_after).  *ret: when
	 * the next of it is due; FL_NEVER.
	 */
	int (*flush)(struct fl_policy *p, fl_time until, fl_time *ret, fairlead_error *err);

	/*
	 * NULL, or: is it known that from this state preemption settles, in any order of steps, as
	 * long as workloads end only when they are evicted?  Known by a theorem whose hypotheses
	 * hold in this state (decide/borrow/README.md, "Why it settles"); false: not known.
	 */
	bool (*settles)(const struct fl_policy *p);

	/*
	 * NULL, or: what @w has yielded that still counts; false: nothing.  (borrow, with the guarantee that
	 * preemption settles.)
	 */
	bool (*yielded)(const struct fl_policy *p, struct fl_workload w, struct fl_yield *ret);
	/*
	 * With `yielded`: @n workloads have yielded so.  Of one of which more is known that stays; a row that
	 * is not valid is passed over.  FAIRLEAD_ESTATE inside a mark.
	 */
	int (*remember)(struct fl_policy *p, const struct fl_yield *rows, uint32_t n,
			fairlead_error *err);

	/*
	 * The next time at which a step may decide otherwise without an event; FL_NEVER: there is
	 * none.
	 */
	fl_time (*wake)(const struct fl_policy *p, fl_time now);

	/*
	 * Marks nest: ending a mark ends all newer marks too.  A mark that is not open is ignored.
	 */
	int (*mark)(struct fl_policy *p, fl_mark *ret, fairlead_error *err);
	void (*rollback)(struct fl_policy *p, fl_mark mark); /* to that state; never fails */
	void (*keep)(struct fl_policy *p, fl_mark mark);     /* ends the mark, undoes nothing */

	void (*share)(const struct fl_policy *p, struct fl_node n, struct fl_share *ret);

	enum fl_workload_state (*state)(const struct fl_policy *p, struct fl_workload w);
	/* The placement rows of a workload that holds quota; otherwise *ret_n is 0. */
	const struct fl_placement *(*placement)(const struct fl_policy *p, struct fl_workload w,
						uint32_t *ret_n);
	/*
	 * How much of @r it holds, also while it is being evicted, in the units of amounts
	 * (milli-cores, bytes, else plain numbers).
	 */
	double (*held)(const struct fl_policy *p, struct fl_workload w, struct fl_resource r);
	/*
	 * Why it is pending, as of the last cycle that looked at it; FL_REASON_NONE: no cycle did.
	 */
	enum fl_reason (*reason)(const struct fl_policy *p, struct fl_workload w);

	/*
	 * 128 bits by which states are compared.  Canonical: equal states at different times have
	 * equal digests, since ranks of times count, not times; so loops are recognised.  Of what
	 * a Policy makes depend on time, what is left of it at @now counts, where @now is the time
	 * of the coming step.
	 */
	void (*digest)(const struct fl_policy *p, fl_time now, uint64_t ret[2]);
	/*
	 * Calls @word with each word of which the digest is made: the words are equal only for
	 * equal states.
	 */
	void (*spell)(const struct fl_policy *p, fl_time now, fl_word *word, void *user);
	/*
	 * The same, with no more of what depends on time than is needed to tell states apart:
	 * equal for states that decide alike until time passes, and also after that, in whatever
	 * order delays end. borrow: whether a delay is left, not how much of it; and where usage
	 * over time decides, the order by usage at @now. entitle, which does not end delays one by
	 * one: how much is left.
	 */
	void (*gist)(const struct fl_policy *p, fl_time now, fl_word *word, void *user);
	/*
	 * NULL, or: ends delays one by one, in any order.  @i, below `delays`, is the run, wait or
	 * back-off of a workload, or of a queue; its next delay is taken as ended. 1: it has no
	 * delay left.  For exploring: only inside a mark.
	 */
	uint32_t (*delays)(const struct fl_policy *p);
	int (*lift)(struct fl_policy *p, fl_time now, uint32_t i, fairlead_error *err);
	/*
	 * NULL, or: a number for workloads that are interchangeable.  Of two pending workloads
	 * with the same number it makes no difference which is served, apart from their names in
	 * all that follows, as long as workloads are served one by one, each later than the one
	 * before.  FL_LIKE_NOBODY: it is interchangeable with no other workload.
	 */
	uint64_t (*likeness)(const struct fl_policy *p, struct fl_workload w);
};

extern const struct fl_policy_ops fl_borrow_policy;

#endif
