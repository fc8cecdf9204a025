/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agree - how often a scheduler decided as this engine would have
 *
 * It is told all that happens to a policy that decides nothing by itself: workloads come and end,
 * and another scheduler gives out quota and takes it (FL_EV_HOLDS, FL_EV_GOES).  It has a policy of
 * its own, which is behind by a window, 5 s.  When a decision was heard at t, what happened in the window
 * from there on is known, and the policy is in the state before t.  K is what was really decided in it:
 * admissions, and evictions by a preemption.  E is what the policy decides there by itself, under a mark:
 * workloads come, end and come back as they really did, and a workload that both evict releases its
 * quota when it really did.  Then that is rolled back, and what really happened is applied.  The next
 * window begins with the next decision after this one's end, so each decision counts once.
 *
 * A scheduler decides at a moment that is not seen, with what it has heard by then; what it decided is
 * heard up to `late` later, among other things.  So the policy's cycles are at the moments, up to `late`
 * before a decision is heard, at which it decides the same; where there are several, at that at which
 * its other decisions are most like those that follow.  Where nothing is decided for so long, it has a
 * cycle, too.  Where the times of the decisions themselves say that they are heard later than that, up to 10 s,
 * `late` is as much in that window.  What did not fit is in line again a while after quota was freed
 * (`flush_after`), a moment before or after that.  A window that differs is tried again with the first of
 * these moments in place of the last, and with exact times in place of those that are kept; what differs least
 * counts.  What it decides is kept at times as the cluster keeps them (`grain`).
 *
 * A decision is in K and in E when it is of the same kind and workload, for an admission with the
 * same flavors and numbers of pods.  By kind, reason and hour this counts K, K and E, E; a list has
 * the newest differences, each with the reason of either side, and the last comparison of two
 * numbers by which the engine decided otherwise, and its cause, which is found by trying the state in
 * which the scheduler was.
 *
 * Cannot: know what a scheduler has in its memory alone (where a search for flavors goes on, which
 * workload is sticky), so after such a decision the first steps of a window may be others; see a
 * difference that lies in the order of two things within `late`.  Evictions for other reasons than preemption are taken as they come: no
 * scheduler's rules decide them.
 *
 * Cost: an event O(1) and what it costs the policy; a window some cycles for each decision in it, and where
 * it differs up to five times that and its causes.  Memory: one more policy, the events of a window and of 10 s before it, and some 3 MB.
 *
 * Tested in tests/unit/ask/test_agree.c, and by tests/conformance/agree.c with what Kueue decided.
 */
#ifndef FL_ASK_AGREE_AGREE_H
#define FL_ASK_AGREE_AGREE_H

#include "decide/policy.h"

enum {
	FL_AGREE_HOURS = 7 * 24,     /* counts are kept for so many */
	FL_AGREE_DIFFERENCES = 1000, /* the newest are listed */
	FL_AGREE_OF_WINDOW = 64,     /* differences of one window that are listed */
	FL_AGREE_EVENTS = 1 << 20,   /* in a window; with more it is not judged */
	FL_AGREE_NAME = 2 * 253 + 2, /* bytes of "namespace/name" */
	FL_AGREE_SAID = 256,         /* bytes of what the cluster says */
};

enum fl_agree_kind { FL_AGREE_ADMIT, FL_AGREE_EVICT, FL_AGREE_KINDS };
enum fl_agree_side {
	FL_AGREE_REAL,   /* only really decided */
	FL_AGREE_ENGINE, /* only the engine decides so */
	FL_AGREE_PLACED, /* both admit it, with other flavors or numbers of pods */
};

enum fl_agree_cause {
	FL_AGREE_RULE, /* neither of these: another rule, or what the scheduler has in its memory alone */
	/*
	 * The scheduler decided so later, or the workload ended before it could; or it decided with no more than what
	 * was heard longer than `late` before, up to 10 s.
	 */
	FL_AGREE_TIME,
	/*
	 * The engine decides as the scheduler in the state in which that was, with all that it decided before,
	 * at one of the moments shortly before: so the order in which things were heard and decided.
	 */
	FL_AGREE_ORDER,
	FL_AGREE_UNKNOWN, /* to find it took too long */
};

/* Of one kind and reason.  `real` by the real reason, `engine` by the engine's. */
struct fl_agree_count {
	uint64_t real, real_too;     /* in K, and in E, too */
	uint64_t engine, engine_too; /* in E, and in K, too */
};

struct fl_agree_counts {
	struct fl_agree_count of[FL_AGREE_KINDS][FL_REASONS];
	uint64_t windows;
	uint64_t unjudged; /* decisions that could not be judged */
};

/* One comparison, with names: the model may be another one by now. */
struct fl_agree_inequality {
	enum fl_check check;
	char node[254], flavor[254], resource[318];
	struct fl_number lhs, rhs;
	bool holds;
};

struct fl_agree_difference {
	uint64_t number; /* from 1 on */
	uint64_t window; /* number; those of one window were compared with one run */
	enum fl_agree_kind kind;
	enum fl_agree_side side;
	enum fl_agree_cause cause;
	fl_time at;    /* of the decision */
	fl_time later; /* the same was really decided later; FL_TIME_NONE: not yet */
	char workload[FL_AGREE_NAME], queue[254];
	enum fl_reason real, engine; /* NONE: it did not decide so, and does not say why */
	char said[FL_AGREE_SAID];    /* what the cluster says of the workload; "" */
	bool compared;
	struct fl_agree_inequality by; /* if compared */
	bool kept;                     /* the state just before the window was kept */
};

struct fl_agree_options {
	const struct fl_mem *mem;
	const struct fl_policy_ops *ops;
	fl_time window; /* 5 * FL_SECOND */
	/*
	 * What the engine decides in a window, and the scheduler after it, but no more than so much later,
	 * counts in the next window alone.
	 */
	fl_time late;
	/*
	 * So long after quota was freed the scheduler looks again at what did not fit (Kueue: 1 s), by its own
	 * clock: a moment more or less.  0: at once.
	 */
	fl_time flush_after;
	fl_time grain; /* of the times at which the scheduler's decisions are kept; 0: none */
	bool unsampled, moving_usage; /* as the policy has them: fl_policy_options */
	fl_time interval; /* between two steps; 0: at once, as long as something is decided */
	/* What the cluster says of why a workload is pending, or was evicted; NULL: nothing. */
	const char *(*said)(void *user, struct fl_workload w);
	/*
	 * A window differs: the state just before it.  1: it was kept; 0.  NULL: nothing is kept.
	 */
	int (*keep)(void *user, uint64_t window, const struct fl_model *m,
		    const struct fl_policy *p, fl_time now, fairlead_error *err);
	/*
	 * NULL, or asked before each cycle and each comparison of a decision: has it taken too long?  Then the window is not judged, and its
	 * decisions count as unjudged; or its differences have no cause.
	 */
	bool (*tired)(void *user);
	void *user;
};

struct fl_agree;

/*
 * As of @from, a policy of @m, which is not changed; both must outlive it, or until fl_agree_renew.  Of
 * @m places are given back.
 */
int fl_agree_new(const struct fl_agree_options *options, struct fl_model *m, fl_time now,
		 const struct fl_policy *from, struct fl_agree **ret, fairlead_error *err);
struct fl_agree *fl_agree_free(struct fl_agree *a); /* NULL is fine; returns NULL */

/*
 * @event was applied to the policy at @now.  Times never go back; rows of a placement are copied.
 * FAIRLEAD_ENOMEM: it was not heard, and what follows is of another state than the real one.
 */
int fl_agree_hear(struct fl_agree *a, fl_time now, const struct fl_event *event,
		  fairlead_error *err);
/* Judges the windows that are over by @now.  Call it now and then, as each second. */
int fl_agree_pass(struct fl_agree *a, fl_time now, fairlead_error *err);
/* Judges all that was heard until @now, where the last window ends, too; nothing comes after it. */
int fl_agree_end(struct fl_agree *a, fl_time now, fairlead_error *err);
/*
 * Goes on with another model, as of @from, a policy of it that knows all that was heard.  Windows
 * that are not over end at @now.  The old model must be there until then.
 */
int fl_agree_renew(struct fl_agree *a, struct fl_model *m, fl_time now,
		   const struct fl_policy *from, fairlead_error *err);

/*
 * A newcomer in the model, and one that leaves it (model/newcomer.h), where `join` and `leave` of the
 * policy that is followed are called.  @was: the workload left a moment ago, and comes back changed;
 * FL_NONE.  @holds: with quota, which is heard next.  1: there is no room for it, so another model is needed.
 *
 * leave is fl_model_leave, too: the workload is found by no name any more; its place is given back when the
 * windows are judged in which it was there.
 */
int fl_agree_join(struct fl_agree *a, fl_time now, struct fl_workload w, struct fl_workload was,
		  bool holds, fairlead_error *err);
int fl_agree_leave(struct fl_agree *a, fl_time now, struct fl_workload w, fairlead_error *err);

/* Sums of the hours that have a part of [@from, @to). */
void fl_agree_counted(const struct fl_agree *a, fl_time from, fl_time to,
		      struct fl_agree_counts *ret);
/* The differences in [@from, @to), oldest first: begin with *@i 0; NULL: no more. */
const struct fl_agree_difference *fl_agree_next(const struct fl_agree *a, fl_time from, fl_time to,
						uint32_t *i);
/* When it began. */
fl_time fl_agree_began(const struct fl_agree *a);

/* both / all of them; NAN: there are none. */
double fl_agree_part(uint64_t both, uint64_t all);
const char *fl_agree_kind_name(enum fl_agree_kind kind);    /* "admit", "evict" */
const char *fl_agree_side_name(enum fl_agree_side side);    /* "real", "engine", "placed" */
const char *fl_agree_cause_name(enum fl_agree_cause cause); /* "rule", "time", "order", "unknown" */

#endif
