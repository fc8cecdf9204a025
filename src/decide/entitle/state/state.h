/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state - what the entitle policy knows between and during cycles
 *
 * Private to this folder.  What may change is written through the undo log: a search for
 * victims is a mark, some writes, and a rollback, exactly as a question of ask/ is.
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
	FL_TASK_GONE,     /* done, or of a workload that is not there */
};

/* One row a task of the model, by its index there. */
struct fl_task {
	/* fixed */
	struct fl_workload workload; /* FL_NONE: foreign, or takes no part */
	struct fl_bundle request;

	/* changes */
	enum fl_task_state state;
	struct fl_machine machine;  /* where it is, going away perhaps; FL_NONE: nowhere */
	struct fl_machine promised; /* PROMISED, or LEAVES from a promise: where; FL_NONE */
	struct fl_machine dropped;  /* where it was promised to be before, in this cycle; FL_NONE */
	uint32_t trial;             /* LEAVES: number of the trial that evicted it; 0: none did */
};

/* One row a workload of the model. */
struct fl_job {
	/* fixed */
	struct fl_node queue; /* its leaf; FL_NONE: takes no part */
	struct fl_node books; /* where it counts: its leaf, or the inner queue it is in; FL_NONE */
	struct fl_span tasks; /* by name */
	uint32_t min_tasks;
	bool without_gpu; /* one of its tasks asks for none */
	uint32_t rank;    /* place among all by (creation, name) */
	uint32_t booked;  /* its place in fl_policy.booked */

	/* changes */
	int32_t priority;
	bool preemptible;
	uint32_t n_waits, n_holds, n_promised, n_leaves; /* tasks in each state */
	bool present;        /* submitted, and neither cancelled nor finished */
	fl_time started;     /* when it last went from holding nothing to something; FL_TIME_NONE */
	fl_time stale_since; /* it has had some tasks, and fewer than its minimum; FL_TIME_NONE */
	enum fl_reason reason;
	uint64_t epoch; /* of its tasks: changes with every change of one; never the same twice */

	/* Tasks to start that are remembered (fl_job_remember); rollback brings none back. */
	uint32_t remembered; /* number of the memory; 0, or not above fl_policy.forgotten: none */
	uint32_t asked_in;   /* in that trial they were asked for */
	bool asked_amount;   /* and what they ask for together */

	/* derived: amount of the tasks to start, as of an epoch and fl_job_as_of */
	struct fl_bundle to_start;
	uint64_t to_start_epoch;
	uint32_t to_start_as_of;
};

/* One row a machine. idle may go below 0 on a machine that lost room. */
struct fl_room {
	struct fl_bundle allocatable; /* what there is for us: foreign pods taken off */
	struct fl_bundle idle;        /* held by nobody, promised to nobody */
	struct fl_bundle leaving;     /* held by tasks that leave, and not promised yet */
	bool usable;                  /* ready and schedulable */
	uint32_t rank;                /* by name */
};

/* So many machines, side by side by name, are looked at only when one of them has room. */
enum { FL_ROOMS_BLOCK = 16 };

/* wake.h */
struct fl_idle {
	fl_time since, wake;
	bool is, waiting; /* waiting: somebody did, in that cycle */
};

struct fl_policy {
	FL_POLICY_COMMON;
	/* of the running call */
	const struct fl_sink *sink; /* NULL: nobody listens */
	struct fl_workload only;    /* nobody else is served; FL_NONE: all are */

	struct fl_entitle_settings settings;
	struct fl_standing *queues; /* by node */
	uint64_t *queue_epoch;      /* by node, of its standing: as a job's */
	bool *is_leaf;              /* by node */
	struct fl_node *order;      /* those that take part, by depth, then rank */
	uint32_t n_order;
	struct fl_task *tasks;
	struct fl_job *jobs;
	struct fl_room *rooms;
	uint32_t *job_order; /* all workloads by rank */
	/*
	 * Who there is to look at, so that who is to come or has gone costs nothing: ranks of
	 * workloads that are present or have a task that is not gone, and those tasks.
	 */
	struct fl_bitset there, alive;
	/* Workloads by where they count, then age; who of them is there, by place. */
	uint32_t *booked;
	struct fl_span *booked_at; /* by node */
	struct fl_bitset booked_there;
	uint32_t *machine_order;     /* all machines by name */
	struct fl_bundle *most_open; /* by block of those: the most idle and leaving of one */
	uint32_t n_blocks;
	struct fl_placement *placements; /* room for the answer about a workload, by task */
	struct fl_bundle total;          /* of usable machines */
	uint64_t epochs;    /* of jobs and queues; never goes back, not even by rollback */
	uint32_t trial;     /* number of the search's trial that runs; 0: none does */
	uint32_t trials;    /* numbers of trials, and of memories, so far; never goes back */
	uint32_t forgotten; /* memories up to this number are over, with their cycles */

	struct fl_shares *shares;
	uint64_t *request_epoch;       /* by node, of what its own workloads ask for: as a job's */
	uint32_t changes;              /* of what is divided by: number of changes so far */
	const struct fl_bundle *share; /* by node: what the last division gave */
	struct fl_history *history;    /* NULL: usage over time is off */
	struct fl_bundle *usage;       /* by node, normalised; NULL: none */
	struct fl_budgets *budgets;    /* NULL: off */
	struct fl_claims *claims;      /* claim.h; NULL: neither turns nor budgets are on */
	bool moving;                   /* fl_policy_options.moving_usage */

	struct fl_idle idle;
	uint32_t *to_start;       /* room for the tasks to start of one workload */
	struct fl_cycle *scratch; /* action.h: cycle lifetime */
};

static inline const struct fl_workload_row *fl_row(const struct fl_policy *p, struct fl_workload w)
{
	return &p->model->workloads[w.v];
}

/* The row of what is above @q, in tables by node that have one more for those at the top. */
static inline uint32_t fl_state_above(const struct fl_policy *p, uint32_t q)
{
	uint32_t parent = p->queues[q].parent.v;

	return parent == FL_NONE ? p->model->n_nodes : parent;
}

/*
 * state.c: what a task does, with all that follows for its machine, its workload and the
 * queues above.  Each O(depth of the tree); 0, or an error with nothing changed.
 */

/* WAITS -> HOLDS. What it takes is idle no more. */
int fl_task_bind(struct fl_policy *p, uint32_t task, struct fl_machine to, fairlead_error *err);
/* WAITS or LEAVES -> PROMISED; of what is leaving the machine, which may go below 0. */
int fl_task_promise(struct fl_policy *p, uint32_t task, struct fl_machine to, fairlead_error *err);
/*
 * HOLDS or PROMISED -> LEAVES.  One that leaves already is taken off its queues once more
 * and nothing else: the real program does so (doc/semantics/entitle.md, E9.19).  It also
 * books one whose place was only promised as if it stood there and left: idle is less by
 * what it asks for, leaving more by twice as much, and that stays when it is then promised
 * another place.  What fits is the same; where there is room at once is not.
 */
int fl_task_evict(struct fl_policy *p, uint32_t task, fairlead_error *err);
/* LEAVES -> what it was: as if it had not been evicted (once, of two times). */
int fl_task_spare(struct fl_policy *p, uint32_t task, fairlead_error *err);
/* Between cycles, any -> WAITS or GONE: off its machine, which has the room again at once. */
int fl_task_release(struct fl_policy *p, uint32_t task, enum fl_task_state to, fairlead_error *err);
/* GONE -> WAITS. */
int fl_task_arrive(struct fl_policy *p, uint32_t task, fairlead_error *err);
/*
 * The cycle ends: what was promised is not, and waits, or leaves the machine that it is on.
 * What queues hold and machines have is to be counted anew.
 */
int fl_task_unpromise(struct fl_policy *p, uint32_t task, fairlead_error *err);

/* Where a task is, or was promised to be: what its eviction frees. */
static inline struct fl_machine fl_task_place(const struct fl_task *t)
{
	return t->promised.v != FL_NONE ? t->promised : t->machine;
}

/*
 * Is it leaving @machine?  Who was promised a place there and is evicted leaves that, and who
 * has moved in this cycle leaves where it was before, too.
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

/* Does it count in what its queue requests? */
static inline bool fl_task_requests(enum fl_task_state state)
{
	return state == FL_TASK_WAITS || state == FL_TASK_HOLDS;
}

/* Does it run, or will it: bound or reserved. */
static inline bool fl_task_active(const struct fl_task *t)
{
	return t->state == FL_TASK_HOLDS || t->state == FL_TASK_PROMISED;
}

/* Tasks of @j that run or will: bound or reserved. */
static inline uint32_t fl_job_active(const struct fl_job *j) { return j->n_holds + j->n_promised; }

/*
 * The tasks that @w would start now, by name: those missing to its minimum, or one more, of those
 * that wait, or that the trial that runs has evicted.  While a memory of @w lasts: those of then.
 * Writes them to @ret (room for all its tasks; NULL: only count) and gives their number.
 */
uint32_t fl_job_to_start(const struct fl_policy *p, struct fl_workload w, uint32_t *ret);
/* What they ask for together; kept until something changes. */
const struct fl_bundle *fl_job_start_amount(struct fl_policy *p, struct fl_workload w);
/*
 * The trial that runs is going to stand, and @w found no place in it: until a task of it changes its
 * state, be it in a trial that is undone, or the cycle ends, it goes on with the tasks to start of that
 * trial, though those that it evicted then leave for good.  So does the real program.  Not @amount: what
 * they ask for together is asked anew, and then counts who still waits.
 */
void fl_job_remember(struct fl_policy *p, struct fl_workload w, bool amount);
/* A cycle begins, or ends. */
void fl_state_forget(struct fl_policy *p);

static inline bool fl_job_remembers(const struct fl_policy *p, const struct fl_job *j)
{
	return j->remembered > p->forgotten;
}

/* What its tasks to start hang on but for its epoch: a memory, or the trial that runs. */
static inline uint32_t fl_job_as_of(const struct fl_policy *p, const struct fl_job *j)
{
	if (fl_job_remembers(p, j))
		return j->remembered;
	return j->n_leaves ? p->trial : 0;
}

/* The standing of @q has changed; undo needs room for its epoch. */
void fl_state_touch(struct fl_policy *p, uint32_t q);

/* @w's `present` was set: is it there? Undo needs room for FL_JOB_THERE_UNDO. */
enum { FL_JOB_THERE_UNDO = 2 * FL_BITSET_UNDO };
void fl_job_note_there(struct fl_policy *p, struct fl_workload w);
/* The rank of the next one that is there, not before @rank; FL_NONE. */
static inline uint32_t fl_job_next(const struct fl_policy *p, uint32_t rank)
{
	return fl_bitset_next(&p->there, rank);
}

/* Setup: the task's first state, from GONE; no undo, and no start time is set. */
void fl_task_begin(struct fl_policy *p, uint32_t task, enum fl_task_state state,
		   struct fl_machine where);

/*
 * What queues hold and machines have, from the tasks alone: so a cycle knows nothing of the
 * rounding, and of the double evictions, of those before it.
 */
int fl_state_recount(struct fl_policy *p, fairlead_error *err);
/* What the machines that are ready have for us, summed up by name. */
struct fl_bundle fl_state_total(const struct fl_policy *p);

/* Why @w waits, or does not. */
int fl_job_say(struct fl_policy *p, struct fl_workload w, enum fl_reason reason,
	       fairlead_error *err);

/* Its stale_since, after its tasks changed: some are active, and fewer than its minimum. */
int fl_job_mind_stale(struct fl_policy *p, struct fl_workload w, fairlead_error *err);

/* Is it to be offered a place: some task waits, and all together make its minimum. */
static inline bool fl_job_wants(const struct fl_job *j)
{
	return j->present && j->queue.v != FL_NONE && j->n_waits > 0 &&
	       j->n_waits + fl_job_active(j) >= j->min_tasks;
}

#endif
