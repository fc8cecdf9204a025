/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state - what the entitle policy knows between cycles and during a cycle
 *
 * Private to this folder.  All that may change is written through the undo log: a search for
 * victims is a mark, some changes, and a rollback, like a question of ask/.
 */
#ifndef FL_DECIDE_ENTITLE_STATE_STATE_H
#define FL_DECIDE_ENTITLE_STATE_STATE_H

#include "base/bitset.h"
#include "base/undo.h"
#include "decide/common.h"
#include "decide/entitle/standing.h"
#include "decide/share/history.h"

enum fl_task_state {
	FL_TASK_WAITS,    /* pending */
	FL_TASK_HOLDS,    /* runs, or was bound in this cycle */
	FL_TASK_LEAVES,   /* evicted: still on its machine, counts for no queue */
	FL_TASK_PROMISED, /* reserved: starts once its machine is free; ends with the cycle */
	FL_TASK_GONE,     /* done, or its workload is not present */
};

/* One per task of the model, by its index there. */
struct fl_task {
	/* fixed */
	struct fl_workload workload; /* FL_NONE: of another scheduler, or takes no part */
	struct fl_bundle request;

	/* changes */
	enum fl_task_state state;
	struct fl_machine machine;  /* where it is, perhaps leaving; FL_NONE: nowhere */
	struct fl_machine promised; /* PROMISED, or LEAVES from a promise: the machine; FL_NONE */
	struct fl_machine dropped;  /* an earlier promise of this cycle, dropped; FL_NONE */
	uint32_t trial;             /* LEAVES: number of the trial that evicted it; 0: none */
};

/* One per workload of the model. */
struct fl_job {
	/* fixed */
	struct fl_node queue; /* its leaf; FL_NONE: takes no part */
	struct fl_node books; /* where it counts: its leaf, or an inner queue; FL_NONE */
	struct fl_span tasks; /* by name */
	uint32_t min_tasks;
	bool without_gpu; /* one of its tasks requests no GPU */
	uint32_t rank;    /* rank among all by (creation, name) */
	uint32_t booked;  /* its index in fl_policy.booked */

	/* changes */
	int32_t priority;
	bool preemptible;
	uint32_t n_waits, n_holds, n_promised, n_leaves; /* number of tasks in each state */
	bool present;        /* submitted, and neither cancelled nor finished */
	fl_time started;     /* when it last began to hold something; FL_TIME_NONE */
	fl_time stale_since; /* since when it has tasks, but fewer than its minimum; FL_TIME_NONE */
	enum fl_reason reason;
	uint64_t epoch; /* a new one after every change of a task; never used twice */

	/*
	 * Tasks to start that are remembered (fl_job_remember); a rollback does not restore them.
	 */
	uint32_t remembered; /* number of the memory; 0, or up to fl_policy.forgotten: none */
	uint32_t asked_in;   /* the trial in which they were asked for */
	bool asked_amount;   /* and so was their total request */

	/* derived: total request of the tasks to start, for an epoch and fl_job_as_of */
	struct fl_bundle to_start;
	uint64_t to_start_epoch;
	uint32_t to_start_as_of;
};

/* One per machine. idle may be below 0 on a machine that has less room than before. */
struct fl_room {
	struct fl_bundle allocatable; /* for this scheduler: without pods of others */
	struct fl_bundle idle;        /* held by no task, promised to no task */
	struct fl_bundle leaving;     /* held by tasks that leave, and not promised */
	bool usable;                  /* ready and schedulable */
	uint32_t rank;                /* by name */
};

/* As many machines, neighbours by name, are looked at only if one of them has room. */
enum { FL_ROOMS_BLOCK = 16 };

/* wake.h */
struct fl_idle {
	fl_time since, wake;
	bool is, waiting; /* waiting: some workload was pending in that cycle */
};

struct fl_policy {
	FL_POLICY_COMMON;
	/* of the running call */
	const struct fl_sink *sink; /* NULL: no caller listens */
	struct fl_workload only;    /* the only workload that is served; FL_NONE: all are */

	struct fl_entitle_settings settings;
	struct fl_standing *queues; /* by node */
	uint64_t *queue_epoch;      /* by node: epoch of its standing, like a job's */
	bool *is_leaf;              /* by node */
	struct fl_node *order;      /* queues that take part, by depth, then rank */
	uint32_t n_order;
	struct fl_task *tasks;
	struct fl_job *jobs;
	struct fl_room *rooms;
	uint32_t *job_order; /* all workloads by rank */
	/*
	 * What there is to look at, so that workloads of the future and those that ended cost
	 * nothing: ranks of workloads that are present or have a task that is not GONE, and those
	 * tasks.
	 */
	struct fl_bitset there, alive;
	/*
	 * Workloads by the node where they count, then by age; and which of them are there, by
	 * index.
	 */
	uint32_t *booked;
	struct fl_span *booked_at; /* by node */
	struct fl_bitset booked_there;
	uint32_t *machine_order;     /* all machines by name */
	struct fl_bundle *most_open; /* by block of these: the most that one has idle and leaving */
	uint32_t n_blocks;
	struct fl_placement *placements; /* room for the answer about one workload, by task */
	struct fl_bundle total;          /* of usable machines */
	uint64_t epochs;                 /* the last one; never goes back, not even by rollback */
	uint32_t trial;                  /* number of the trial that the search runs; 0: none */
	uint32_t trials;                 /* the last number of a trial or memory; never goes back */
	uint32_t forgotten;              /* memories up to this number ended with their cycles */

	struct fl_shares *shares;
	uint64_t *request_epoch;       /* by node: epoch of its own requests, like a job's */
	uint32_t changes;              /* how often inputs of the division changed */
	const struct fl_bundle *share; /* by node: what the last division gave */
	struct fl_history *history;    /* NULL: usage over time is off */
	struct fl_bundle *usage;       /* by node, normalised; NULL: none */
	struct fl_budgets *budgets;    /* NULL: off */
	struct fl_claims *claims;      /* claim.h; NULL: neither turns nor budgets are on */
	bool moving;                   /* fl_policy_options.moving_usage */

	struct fl_idle idle;
	uint32_t *to_start;       /* room for the tasks to start of one workload */
	struct fl_cycle *scratch; /* action.h: data of one cycle */
};

static inline const struct fl_workload_row *fl_row(const struct fl_policy *p, struct fl_workload w)
{
	return &p->model->workloads[w.v];
}

/*
 * The row of the queue above @q, in tables by node that have one more row for the queues at the
 * top.
 */
static inline uint32_t fl_state_above(const struct fl_policy *p, uint32_t q)
{
	uint32_t parent = p->queues[q].parent.v;

	return parent == FL_NONE ? p->model->n_nodes : parent;
}

/*
 * state.c: changes of a task, with all updates of its machine, its workload and the queues above.
 * Each O(depth of the tree); 0, or an error with nothing changed.
 */

/* WAITS -> HOLDS. The room that it takes is no longer idle. */
int fl_task_bind(struct fl_policy *p, uint32_t task, struct fl_machine to, fairlead_error *err);
/* WAITS or LEAVES -> PROMISED, on room that is leaving the machine, which may become negative. */
int fl_task_promise(struct fl_policy *p, uint32_t task, struct fl_machine to, fairlead_error *err);
/*
 * HOLDS or PROMISED -> LEAVES. A task that leaves already is subtracted from its queues once more,
 * and nothing else changes: as in KAI (doc/semantics/entitle.md, E9.19).  KAI also books the
 * eviction of a task that was only promised a place as if it were there and left: idle decreases
 * by its request, leaving increases by twice its request, and that stays when it is then promised
 * another place.  What fits is the same; where there is room at once is not.
 */
int fl_task_evict(struct fl_policy *p, uint32_t task, fairlead_error *err);
/* LEAVES -> what it was before its eviction (of two evictions, undoes one). */
int fl_task_spare(struct fl_policy *p, uint32_t task, fairlead_error *err);
/* Between cycles, any state -> WAITS or GONE: off its machine, whose room is idle again at once. */
int fl_task_release(struct fl_policy *p, uint32_t task, enum fl_task_state to, fairlead_error *err);
/* GONE -> WAITS. */
int fl_task_arrive(struct fl_policy *p, uint32_t task, fairlead_error *err);
/*
 * At the end of the cycle: a promised task waits again, or leaves the machine that it is on.  What
 * queues hold and machines have must be counted again.
 */
int fl_task_unpromise(struct fl_policy *p, uint32_t task, fairlead_error *err);

/* The machine where a task is, or was promised to be: its eviction frees room there. */
static inline struct fl_machine fl_task_place(const struct fl_task *t)
{
	return t->promised.v != FL_NONE ? t->promised : t->machine;
}

/*
 * Is it leaving @machine?  A task that was promised a place there and is evicted leaves it, and a
 * task that moved in this cycle also leaves the machine where it was before.
 */
static inline bool fl_task_leaves(const struct fl_task *t, struct fl_machine machine)
{
	return t->state == FL_TASK_LEAVES &&
	       (machine.v == t->machine.v || machine.v == t->promised.v ||
		machine.v == t->dropped.v);
}

/* Has it two places, either of which puts it back when it is evicted? */
static inline bool fl_task_moved(const struct fl_task *t)
{
	return t->promised.v != FL_NONE && (t->machine.v != FL_NONE || t->dropped.v != FL_NONE);
}

/* Does a task in this state count in the request of its queue? */
static inline bool fl_task_requests(enum fl_task_state state)
{
	return state == FL_TASK_WAITS || state == FL_TASK_HOLDS;
}

/* Is it bound or reserved?  Such tasks are active. */
static inline bool fl_task_active(const struct fl_task *t)
{
	return t->state == FL_TASK_HOLDS || t->state == FL_TASK_PROMISED;
}

/* The number of active tasks of @j: bound or reserved. */
static inline uint32_t fl_job_active(const struct fl_job *j) { return j->n_holds + j->n_promised; }

/*
 * The tasks that @w would start now, by name: as many as are missing to its minimum, or one more,
 * of the tasks that are pending or that the running trial has evicted.  While a memory of @w
 * lasts: the tasks of that time.  Writes them to @ret (room for all its tasks; NULL: only counts)
 * and returns how many.
 */
uint32_t fl_job_to_start(const struct fl_policy *p, struct fl_workload w, uint32_t *ret);
/* Their total request; kept until something changes. */
const struct fl_bundle *fl_job_start_amount(struct fl_policy *p, struct fl_workload w);
/*
 * The trial that runs will take effect, and @w found no place in it: until one of its tasks
 * changes its state, even in a trial that is rolled back, or the cycle ends, @w keeps the tasks to
 * start of that trial, although those that the trial evicted then leave for good.  KAI does the
 * same.  Not @amount: their total request is computed again, and then counts only tasks that are
 * still pending.
 */
void fl_job_remember(struct fl_policy *p, struct fl_workload w, bool amount);
/* A cycle begins, or ends. */
void fl_state_forget(struct fl_policy *p);

static inline bool fl_job_remembers(const struct fl_policy *p, const struct fl_job *j)
{
	return j->remembered > p->forgotten;
}

/* What the tasks to start depend on besides the job's epoch: a memory, or the trial that runs. */
static inline uint32_t fl_job_as_of(const struct fl_policy *p, const struct fl_job *j)
{
	if (fl_job_remembers(p, j))
		return j->remembered;
	return j->n_leaves ? p->trial : 0;
}

/* The standing of @q changed; the undo log needs room for its epoch. */
void fl_state_touch(struct fl_policy *p, uint32_t q);

/*
 * `present` of @w was set: updates whether it is there.  The undo log needs room for
 * FL_JOB_THERE_UNDO.
 */
enum { FL_JOB_THERE_UNDO = 2 * FL_BITSET_UNDO };
void fl_job_note_there(struct fl_policy *p, struct fl_workload w);
/* The rank of the next workload that is there, at @rank or behind; FL_NONE. */
static inline uint32_t fl_job_next(const struct fl_policy *p, uint32_t rank)
{
	return fl_bitset_next(&p->there, rank);
}

/* Setup: the first state of a task, from GONE; writes no undo log, and sets no start time. */
void fl_task_begin(struct fl_policy *p, uint32_t task, enum fl_task_state state,
		   struct fl_machine where);

/*
 * Counts what queues hold and machines have from the tasks alone: so a cycle is free of the
 * rounding errors, and of the double evictions, of cycles before it.
 */
int fl_state_recount(struct fl_policy *p, fairlead_error *err);
/*
 * What the machines that are ready have for us, summed up by name.  One that is unschedulable counts,
 * as in the real program: it takes no new pods, but what is on it is held, and shares are of it, too.
 */
struct fl_bundle fl_state_total(const struct fl_policy *p);

/* Sets why @w is pending, or that it is not. */
int fl_job_say(struct fl_policy *p, struct fl_workload w, enum fl_reason reason,
	       fairlead_error *err);

/*
 * Updates stale_since of @w after its tasks changed: some are active, but fewer than its minimum.
 */
int fl_job_mind_stale(struct fl_policy *p, struct fl_workload w, fairlead_error *err);

/*
 * Is it to be offered a place?  Some task is pending, and all its tasks together reach its
 * minimum.
 */
static inline bool fl_job_wants(const struct fl_job *j)
{
	return j->present && j->queue.v != FL_NONE && j->n_waits > 0 &&
	       j->n_waits + fl_job_active(j) >= j->min_tasks;
}

#endif
