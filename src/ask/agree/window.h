/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window - what was decided in a window, really and by the engine; private to this folder
 *
 * A window is judged with the policy in the state just before it.  After it the policy is in that
 * state again, but for what it has found out about workloads that are pending.
 */
#ifndef FL_ASK_AGREE_WINDOW_H
#define FL_ASK_AGREE_WINDOW_H

#include "ask/agree/tally.h"

enum fl_agree_what {
	FL_AGREE_EVENT,
	FL_AGREE_LEAVES,  /* event.workload gives its place back */
	FL_AGREE_RETURNS, /* event.workload joined: the same as `was`, which left just before */
};

/* What was heard, in this order.  The rows of its placement are its own. */
struct fl_agree_heard {
	fl_time at;
	enum fl_agree_what what;
	struct fl_event event;
	struct fl_workload was;
	bool held;       /* RETURNS: it held quota, and was not evicted */
	bool comes_back; /* an end: it returns at once */
	bool holds;      /* an end, RETURNS: it returns with quota */
	bool told;       /* HOLDS: it held before, which is told once more, and not decided */
	/* LEAVES: what its row said, and the row of its name that came later (past.c). */
	enum fl_excluded excluded, covered;
	struct fl_workload cover;
};

/* One decision of either side. */
struct fl_agree_decided {
	enum fl_agree_kind kind;
	struct fl_workload workload;
	enum fl_reason reason;
	fl_time at;
	struct fl_span placement; /* of the rows of its side */
	uint32_t other;           /* the same on the other side; FL_NONE */
	bool placed;              /* that one has another placement */
	bool late;                /* of the engine: the scheduler decides it in the next window */
	bool taken;               /* of the engine: the scheduler decided so, too (run.c) */
	uint32_t heard;           /* of the scheduler: heard[heard] */
};

struct fl_agree_side_rows {
	struct fl_agree_decided *rows;
	struct fl_placement *placements;
	uint32_t n, cap, n_placements, cap_placements;
};

struct fl_agree_stood {
	struct fl_workload is, where;
};

struct fl_agree_window {
	const struct fl_agree_options *o;
	struct fl_model *m;
	struct fl_policy *p;
	struct fl_agree_heard *heard;
	/*
	 * heard[start] is its first decision.  The policy is in the state before heard[0], as long before as
	 * the scheduler may take to decide.  n: up to the end of the window; n_all: all that was heard.
	 */
	uint32_t start, n, n_all;
	fl_time from, to;
	fl_time late; /* so late the scheduler's decisions in it may be heard */
	bool cut;     /* what comes after it is not known */
	bool differs; /* judged: the sides do */
	bool exact;   /* times to less than `grain` count */
	bool first; /* of several moments at which the engine decides so the first, not the last */
	bool tired; /* it has taken too long: no more cycles */
	struct fl_agree_side_rows real, engine; /* kept from window to window */
	/* Of the run: where the one at a place still holds what it held before it returned; or FL_NONE. */
	struct fl_workload *stands;
	uint32_t n_stands;
	struct fl_agree_stood *stood; /* as it was before each change, to undo it */
	uint32_t n_stood, cap_stood;
};

enum { FL_AGREE_LATEST = 10 }; /* seconds; what is said to be later is of another clock */

/* So late the decision was heard, at most: as its own time says, or `late` of the options. */
fl_time fl_agree_lateness(const struct fl_agree_options *o, const struct fl_agree_heard *h);
/* Is it a decision that a scheduler's rules make?  Then *ret_kind. */
bool fl_agree_is_decision(const struct fl_agree_heard *h, enum fl_agree_kind *ret_kind);
/* Finds both sides, counts them, and lists what differs. */
int fl_agree_judge(struct fl_agree_window *w, struct fl_agree_tally *t, fairlead_error *err);
/* The policy is in the state just before the window, heard[0] its first decision: keeps it, if it differed. */
int fl_agree_keep(struct fl_agree_window *w, struct fl_agree_tally *t, fairlead_error *err);
void fl_agree_window_done(struct fl_agree_window *w);

/* Has it taken too long?  Then there are no more cycles in it. */
bool fl_agree_is_tired(struct fl_agree_window *w);

/* Is it one workload?  One that returned has another place, and the same uid. */
bool fl_agree_is_same(const struct fl_agree_window *w, struct fl_workload a, struct fl_workload b);
/* Did the workload of @y end in @h, so that nothing can be decided of it any more? */
bool fl_agree_ends(const struct fl_agree_window *w, const struct fl_agree_heard *h,
		   const struct fl_agree_decided *y);
/* Did the scheduler decide in @h as the engine in @y? */
bool fl_agree_decides(const struct fl_agree_window *w, const struct fl_agree_heard *h,
		      const struct fl_agree_decided *y);

/* Of the tree of its queue: a node.  FL_NONE: it has none, or all queues share one cluster (KAI). */
uint32_t fl_agree_root(const struct fl_model *m, struct fl_workload w);

/* "namespace/name" */
void fl_agree_name(const struct fl_model *m, struct fl_workload w, char ret[FL_AGREE_NAME]);

#endif
