/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy - a deterministic state machine that decides who is next
 *
 * Promises: the same sealed model, events and times give the same bytes.
 * Whatever is done to a policy can be marked and rolled back, exactly; that is
 * what explain, what-if, settle and prove stand on.  A step changes who is
 * admitted and who is being evicted; quota of the evicted is freed only by
 * FL_EV_EVICTED (entitle: they count for no queue at once, and hold their machines
 * until then).  Once warm, step and try allocate nothing.
 *
 * The model outlives the policy.
 */
#ifndef FL_DECIDE_POLICY_H
#define FL_DECIDE_POLICY_H

#include "base/image.h"
#include "model/model.h"
#include "record/record.h"

struct fl_policy;

struct fl_policy_options {
	const struct fl_mem *mem;
	fl_time now; /* quota reservation time of those that state none */
	/*
	 * Usage of local queues is counted at admissions only, not also as time passes: the
	 * recorded decisions were made so.
	 */
	bool unsampled;
	/*
	 * entitle: what queues hold as time passes is entered into the history of usage, from
	 * `now` on.  Else usage stays as the input gives it.
	 */
	bool moving_usage;
};

enum fl_workload_state {
	FL_STATE_ABSENT,       /* cancelled, finished, or not submitted yet */
	FL_STATE_EXCLUDED,     /* takes no part: see the model's `excluded` */
	FL_STATE_WAITING,      /* in its queue's heap */
	FL_STATE_INADMISSIBLE, /* waits, parked until something in its tree frees */
	FL_STATE_HELD_BACK,    /* waits, and no queue takes it yet: its back-off lasts */
	FL_STATE_ADMITTED,     /* holds quota */
	FL_STATE_EVICTING,     /* holds quota, must go */
} FL_BYTE;

/*
 * Step flags.  A step looks only at what something has happened to since a step last left it as
 * it was, and says nothing again of what it leaves out: who waits as before, reserves as before,
 * for victims that still go.  With FL_STEP_FULL, or a sink, it looks at everything and has a row
 * for each head.  What is new (admissions, reservations, evictions) and its order, and the state
 * after it, are the same either way.
 */
enum { FL_STEP_FULL = 1 };

typedef uint32_t fl_mark;

#define FL_LIKE_NOBODY UINT64_MAX

/* One word of a state. */
typedef void fl_word(void *user, uint64_t word);

struct fl_policy_ops {
	const char *name;

	int (*new)(const struct fl_model *model, const struct fl_policy_options *options,
		   struct fl_policy **ret, fairlead_error *err);
	struct fl_policy *(*free)(struct fl_policy *p); /* NULL is fine; returns NULL */

	/*
	 * The whole state into an image, behind the model's tables (model/image.h), and a policy
	 * from it: its digest is that of the saved one, and it goes on as that would, for ever
	 * after; of @options only `mem` counts.  FAIRLEAD_ESTATE: not inside a mark.
	 * FAIRLEAD_EINPUT: what stands there cannot be.
	 */
	int (*save)(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
	int (*load)(const struct fl_model *model, const struct fl_policy_options *options,
		    const struct fl_image *image, struct fl_policy **ret, fairlead_error *err);

	/*
	 * @p is fresh, from `new`, and goes on from where @from is, which stays as it is: queues,
	 * cohorts, local queues, flavors, resources and machines of one name are the same one.
	 * Whatever @p's rows say of who holds or waits does not count.  @was: for each workload of @p
	 * which one of @from it is, with the same podsets; FL_NONE: a new one, not submitted yet.
	 * Who is of @from alone has gone.  Where queues, quota and rules are the same, what is decided
	 * from then on is what @from would have decided, told the same; where they are not, who holds
	 * something goes on to, and who waits is looked at anew (each policy's adopt.h has the rest,
	 * and what is not compared: whoever changes that calls `forget`).
	 * FAIRLEAD_EINPUT, with the workload as subject: something that it holds is no more.
	 * FAIRLEAD_ESTATE inside a mark.  After an error @p can only be freed.
	 */
	int (*adopt)(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		     const struct fl_workload *was, fairlead_error *err);

	/* All or nothing. FAIRLEAD_ESTATE when the event does not suit the workload's state. */
	int (*apply)(struct fl_policy *p, fl_time now, const struct fl_event *event,
		     fairlead_error *err);

	/* One cycle. *ret is valid until the next call. @sink NULL on the hot path. */
	int (*step)(struct fl_policy *p, fl_time now, unsigned flags, const struct fl_sink *sink,
		    struct fl_decisions *ret, fairlead_error *err);

	/*
	 * One workload, as if it were its queue's only head in a cycle of its own: the
	 * decision for it (ADMIT, RESERVE with its EVICTs, or WAIT), nothing applied.  What is
	 * kept for others whatever happens (decide/borrow/guarantee/rung.h) it does not get: a sink hears of
	 * them, too.
	 */
	int (*try)(struct fl_policy *p, fl_time now, struct fl_workload w,
		   const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err);

	/*
	 * The same, and what is decided is in force; those for whom freed quota is held are heads of
	 * that cycle, too.  What orders of steps there may be is explored so (ask/prove/prove.h).
	 */
	int (*serve)(struct fl_policy *p, fl_time now, struct fl_workload w,
		     const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err);
	/*
	 * What ended by @now has ended, and whoever waits is looked at anew: nobody is parked, and what was found out about them
	 * (positions of scans, shapes that do not fit, who comes first in line) is forgotten.  What
	 * is promised stays promised.
	 */
	int (*forget)(struct fl_policy *p, fl_time now, fairlead_error *err);

	/*
	 * NULL, or: while nothing leaves but who was told to go, does preemption come to rest from
	 * here, whatever the order?  By a theorem, whose hypotheses hold in this state
	 * (decide/borrow/README.md, "Why it settles"); false: it is not known so.
	 */
	bool (*settles)(const struct fl_policy *p);

	/* Next time a step may differ without an event; FL_NEVER. */
	fl_time (*wake)(const struct fl_policy *p, fl_time now);

	/* Marks nest: what ends one ends all newer ones; one that is not open is left alone. */
	int (*mark)(struct fl_policy *p, fl_mark *ret, fairlead_error *err);
	void (*rollback)(struct fl_policy *p, fl_mark mark); /* back to it; never fails */
	void (*keep)(struct fl_policy *p, fl_mark mark);     /* nothing is undone */

	void (*share)(const struct fl_policy *p, struct fl_node n, struct fl_share *ret);

	enum fl_workload_state (*state)(const struct fl_policy *p, struct fl_workload w);
	/* Its placement rows while it holds quota; *ret_n 0 otherwise. */
	const struct fl_placement *(*placement)(const struct fl_policy *p, struct fl_workload w,
						uint32_t *ret_n);
	/*
	 * How much of @r it holds, being evicted too, in the units of amounts (milli-cores,
	 * bytes, else plain).
	 */
	double (*held)(const struct fl_policy *p, struct fl_workload w, struct fl_resource r);
	/* Why it waits, as of the last cycle that looked at it; NONE when none did. */
	enum fl_reason (*reason)(const struct fl_policy *p, struct fl_workload w);

	/*
	 * Canonical: equal states at different times have equal digests (ranks of times,
	 * not times), so that loops recur; of what a Policy makes hang on time, what is left
	 * of it at @now, the time of the step to come.  128 bits.
	 */
	void (*digest)(const struct fl_policy *p, fl_time now, uint64_t ret[2]);
	/* What the digest is a digest of, word by word: equal for equal states only. */
	void (*spell)(const struct fl_policy *p, fl_time now, fl_word *word, void *user);
	/*
	 * The same, but of what hangs on time no more than must be told apart: equal for states that
	 * decide alike until time passes, and then too, whatever it lifts first.  borrow: whether
	 * anything is left of it, not how much, and where usage over time decides, its order at @now.
	 * entitle, which lifts nothing one by one: how much is left.
	 */
	void (*gist)(const struct fl_policy *p, fl_time now, fl_word *word, void *user);
	/*
	 * NULL, or what time will lift is lifted one by one, in whatever order.  @i, below `delays`,
	 * stands for a workload's run, wait or back-off, or a queue's: what ends of it next is taken
	 * for ended.  1: nothing is left of it.  For exploring: inside a mark alone.
	 */
	uint32_t (*delays)(const struct fl_policy *p);
	int (*lift)(struct fl_policy *p, fl_time now, uint32_t i, fairlead_error *err);
	/*
	 * NULL, or for workloads in whose place others could stand: of two with one number that both
	 * wait, it makes no difference which is served, but for their names in all that follows, as
	 * long as workloads are served one by one, each later than the one before.
	 * FL_LIKE_NOBODY: it can stand in nobody's place.
	 */
	uint64_t (*likeness)(const struct fl_policy *p, struct fl_workload w);
};

extern const struct fl_policy_ops fl_borrow_policy;

#endif
