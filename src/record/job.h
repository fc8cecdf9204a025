/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job - what a person asks the daemon to run, and what became of it
 *
 * A job is to the daemon what a workload is to a policy: it has a number that is never used
 * twice, is pending, runs, is evicted and pending again, and ends; a person may then have it
 * pending once more.  Each time it runs is an attempt, counted from 1; what is said of a run names
 * both.
 *
 * Plain values.  As JSON: codec/job/job_json.h.
 */
#ifndef FL_RECORD_JOB_H
#define FL_RECORD_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/amount.h"
#include "base/ids.h"

enum {
	FL_JOB_RESOURCES = 8,     /* that one task asks for, at most */
	FL_JOB_LABELS = 4,        /* of the flavor it wants */
	FL_JOB_AFTER = 16,        /* jobs that it waits for */
	FL_JOB_NAME = 64,         /* bytes of a name, with its end */
	FL_JOB_RESOURCE = 64,     /* the same of a resource, and of a key or value of a label */
	FL_JOB_TASKS = 4096,      /* of one job */
	FL_JOB_ARRAY = 10000,     /* jobs of one array */
	FL_JOB_INDEX = 9999999,   /* the highest FAIRLEAD_ARRAY_INDEX */
	FL_JOB_COMMENT = 1024,    /* bytes of a comment, with its end */
	FL_JOB_HOLD_REASON = 254, /* bytes of why it is held, with its end */
	FL_JOB_HOOKS = 8,
	FL_JOB_ARGUMENTS = 128 * 1024, /* bytes of its command, environment and hooks, together */
};

/* @amount of one task: cpu in milli-units, all else in whole units. */
struct fl_job_request {
	char resource[FL_JOB_RESOURCE];
	fl_amount amount;
};

struct fl_job_label {
	char key[FL_JOB_RESOURCE], value[FL_JOB_RESOURCE];
};

/*
 * When a job that it waits for has ended so, it may start; when it has ended otherwise, never.
 * BEGUN: it has begun to run, or has ended.
 */
enum fl_after { FL_AFTER_OK, FL_AFTER_FAILED, FL_AFTER_ANY, FL_AFTER_BEGUN, FL_AFTERS };

/* Whose the standard files of its task are: the daemon's, or those of a client that attaches to it. */
enum fl_interactive {
	FL_INTERACTIVE_NOT,
	FL_INTERACTIVE_FILES,    /* whatever they are */
	FL_INTERACTIVE_TERMINAL, /* a terminal, which becomes the one of its session */
	FL_INTERACTIVES
} FL_BYTE;

struct fl_job_after {
	uint64_t job;
	enum fl_after how;
};

/* What is told to a hook: bits. PREEMPTED: it is pending again; not when its runner was lost. */
enum fl_hook_event {
	FL_HOOK_BEGIN = 1,
	FL_HOOK_END = 2,  /* it ended with status 0 */
	FL_HOOK_FAIL = 4, /* it ended otherwise */
	FL_HOOK_PREEMPTED = 8,
	FL_HOOK_ALL = 15,
};

/*
 * What was submitted.  Of it a person may change name, queue, priority, hold, dependencies, time
 * limit and comment (codec/job/job_update.h).
 */
struct fl_job_spec {
	char name[FL_JOB_NAME]; /* "" none: that of its command */
	char queue[254];        /* as submitted: a LocalQueue, ClusterQueue or Queue */
	uint32_t uid, gid;      /* its submitter, as the kernel said */
	char user[FL_JOB_NAME]; /* the same in words */
	int32_t priority;
	uint32_t tasks; /* processes, all of which run or none; at least 1 */
	uint32_t n_requests, n_labels, n_after;
	struct fl_job_request requests[FL_JOB_RESOURCES]; /* of one task, by name */
	struct fl_job_label labels[FL_JOB_LABELS];        /* of the flavor */
	struct fl_job_after after[FL_JOB_AFTER];
	bool hold;      /* waits to be released */
	bool once;      /* is not queued again when its run was preempted or lost */
	bool singleton; /* waits for all earlier jobs of its user and name */
	enum fl_interactive interactive;
	uint64_t array;       /* the first job of its array; 0: none */
	uint32_t array_index; /* FAIRLEAD_ARRAY_INDEX */
	uint32_t array_most;  /* of its array that are pending or run at once; 0: all */
	fl_time begin;        /* on the wall: it does not start before; 0: none */
	fl_time time_limit;   /* of each attempt; FL_NEVER: none */
	fl_time grace;        /* from the signal to the kill; FL_TIME_NONE: the daemon's */
	int signal;           /* that asks it to stop; 0: SIGTERM, with a terminal SIGHUP */
	char directory[4096]; /* absolute */
	char output[4096];    /* absolute; "": kept by the daemon */
	char comment[FL_JOB_COMMENT];
	uint32_t n_hooks;
	unsigned hook_events[FL_JOB_HOOKS]; /* of each hook: enum fl_hook_event */
	char hold_reason
		[FL_JOB_HOLD_REASON]; /* why it is held, in the words of the user that did it; "" */
	/* Texts each ended by a NUL, one behind the other; of the environment "NAME=VALUE". */
	const char *command, *hooks, *environment; /* of hooks: commands of a shell */
	uint32_t command_len, hooks_len, environment_len;
	uint32_t bytes; /* of its stored text; 0: not known */
};

enum fl_job_state {
	FL_JOB_HELD,    /* by its submitter, or an admin */
	FL_JOB_DEPENDS, /* waits for other jobs */
	FL_JOB_WAITS,   /* for its turn */
	FL_JOB_STARTS,  /* admitted; its runner has not said that it runs */
	FL_JOB_RUNS,
	FL_JOB_STOPS,  /* was asked to end */
	FL_JOB_DONE,   /* ended with status 0 */
	FL_JOB_FAILED, /* ended otherwise, or could not be run */
	FL_JOB_CANCELLED,
	FL_JOB_STATES
} FL_BYTE;

/* Why a run was asked to end. */
enum fl_go_why {
	FL_GO_NOT,
	FL_GO_PREEMPTED,
	FL_GO_CANCELLED,
	FL_GO_TIME_LIMIT,
	FL_GO_HELD,     /* put back to wait until it is released */
	FL_GO_DRAIN,    /* its queue was removed or stopped */
	FL_GO_REQUEUED, /* put back to wait for its turn */
	FL_GO_WHYS
} FL_BYTE;

/* The users that may release it. Numbers are stored: new ones come last. */
enum fl_hold {
	FL_HOLD_NONE,
	FL_HOLD_OWNER, /* its owner or an admin */
	FL_HOLD_ADMIN, /* an admin */
	FL_HOLDS
} FL_BYTE;

/* How a run ended. */
enum fl_outcome_kind {
	FL_RUN_EXITED,      /* `status`: of the first task that did not end with 0, else 0 */
	FL_RUN_SIGNALLED,   /* `status`: the signal; the same */
	FL_RUN_LOST,        /* its runner ended without a report: the outcome is not known */
	FL_RUN_NOT_STARTED, /* it could not be started now: `text` says why */
	FL_RUN_IMPOSSIBLE,  /* nor could it ever as it is: no such program, folder, user */
} FL_BYTE;

struct fl_run_outcome {
	uint64_t job;
	uint32_t attempt;
	enum fl_outcome_kind kind;
	enum fl_go_why stopped; /* it was told to stop before */
	bool killed;            /* and did not, in its grace */
	int status;
	fl_time began, ended;           /* on the clock of the host (backend.h); FL_TIME_NONE */
	fl_time wall_began, wall_ended; /* the same by the wall clock as it was; FL_TIME_NONE */
	uint64_t output_lost;           /* bytes beyond the limit */
	/*
	 * What it used, of all its processes: CPU time, ns; memory at its highest, bytes, or without
	 * a control group that of its largest process.  0: not known.
	 */
	uint64_t cpu, memory;
	char text[256]; /* NOT_STARTED, IMPOSSIBLE, LOST: why; else what is known besides, or "" */
};

const char *fl_job_state_name(enum fl_job_state state); /* "waits" */
const char *fl_go_why_name(enum fl_go_why why);         /* "preempted" */
const char *fl_outcome_name(enum fl_outcome_kind kind); /* "exited" */
bool fl_job_is_gpu(const char *resource);               /* "gpu", "nvidia.com/gpu" */
static inline bool fl_job_is_over(enum fl_job_state s) { return s >= FL_JOB_DONE; }

#endif
