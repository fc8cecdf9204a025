/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempt - one run on disk: what it is given, how it stands, and what it is told
 *
 * Everything of a run is in one file, "run" in a folder of its own.  The daemon writes it whole and
 * syncs it before any process is made, so a run whose file is not whole was never started.  What
 * changes later has its room from the start and is written in place, so a full disk cannot take
 * an exit status away:
 *
 *     0      status, twice: written by who has the lock only
 *     1024   orders, twice: written by the daemon only
 *     2048   the spec: never changes
 *
 * Each of the four slots is one sector of 512 bytes with a number and a sum.  The next state goes
 * into the older of two, so a write that is cut off leaves the state before it.
 *
 * Whoever is the runner of a run holds a lock (flock) on the file from before it looks at the
 * status until it is gone; it starts nothing when the status says that somebody did.  So there may
 * be two by accident, and the second waits for the first and does nothing then.
 */
#ifndef FL_BACKEND_LOCAL_ATTEMPT_H
#define FL_BACKEND_LOCAL_ATTEMPT_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "record/job.h"

#define FL_ATTEMPT_FILE "run"

/* The descriptor of the folder that a runner is started with. */
enum { FL_ATTEMPT_FOLDER = 3 };
enum { FL_BOOT_ID = 40, FL_ATTEMPT_DEVICES = 4096 };

/* What cgroups hold it to; 0: nothing. */
struct fl_attempt_limits {
	int64_t cpu; /* milli */
	int64_t memory, processes;
};

/* Texts of what was read point into `bytes`; of what is written, to wherever they are. */
struct fl_attempt_spec {
	uint64_t job;
	uint32_t attempt, tasks;
	uint32_t uid, gid;
	uint64_t array;
	uint32_t array_index;
	int32_t signal;
	fl_time time_limit, grace;
	int64_t output_limit; /* bytes of each file of output */
	struct fl_attempt_limits limits;
	bool alone;        /* in a namespace of processes: nothing else ends all of it */
	bool numbered;     /* the machine has numbered devices: those not given are hidden */
	const char *token; /* fl_run's */
	const char *name, *queue, *directory, *output; /* as in fl_job_spec */
	const char *group;                             /* folder of its cgroup; "": none */
	const uint32_t *devices;                       /* in the order of tasks */
	uint32_t n_devices;
	const char *command, *environment; /* texts each ended by a NUL */
	uint32_t command_len, environment_len;
	void *bytes;
};

/*
 * The file in the folder of a run, by its descriptor; -1 with errno.  EPERM: somebody else has made
 * it, could write to it, or has it under another name, too, so what it says is not ours.
 */
int fl_attempt_open(int folder, int flags);
/* Slots of their own and the spec, as one file. The caller frees *ret. */
int fl_attempt_encode(const struct fl_attempt_spec *spec, void **ret, size_t *ret_n,
		      fairlead_error *err);
/* FAIRLEAD_EINPUT: not whole. */
int fl_attempt_read(int fd, struct fl_attempt_spec *ret, fairlead_error *err);
void fl_attempt_done(struct fl_attempt_spec *spec);

enum fl_attempt_state {
	FL_ATTEMPT_NEW,    /* nobody has it yet */
	FL_ATTEMPT_STARTS, /* a runner has; tasks may be there */
	FL_ATTEMPT_RUNS,
	FL_ATTEMPT_ENDED,
	FL_ATTEMPT_DAMAGED, /* what was written cannot be read: only ever read, never written */
};

struct fl_attempt_status {
	int32_t state; /* enum fl_attempt_state */
	int32_t kind;  /* enum fl_outcome_kind, once it has ended; so all below */
	int32_t stopped, killed;
	int32_t status;
	int32_t runner;                 /* its process, */
	uint64_t runner_since;          /* told from others with that number by when it started, */
	char boot[FL_BOOT_ID];          /* and by the boot of the machine */
	fl_time began, ended;           /* CLOCK_BOOTTIME */
	fl_time wall_began, wall_ended; /* CLOCK_REALTIME */
	uint64_t output_lost;
	char text[256];
};

/* What the daemon has told it. */
struct fl_attempt_order {
	int32_t why; /* enum fl_go_why; FL_GO_NOT: nothing yet */
	int32_t zero;
	fl_time by; /* CLOCK_BOOTTIME: killed then */
	char boot[FL_BOOT_ID];
};

/* As it was written last; state NEW or why NOT when never; state DAMAGED. -1: errno. */
int fl_attempt_get_status(int fd, struct fl_attempt_status *ret);
int fl_attempt_get_order(int fd, struct fl_attempt_order *ret);
/* In place. 0, or -1 with errno and the one before still there. */
int fl_attempt_set_status(int fd, const struct fl_attempt_status *status);
int fl_attempt_set_order(int fd, const struct fl_attempt_order *order);

#endif
