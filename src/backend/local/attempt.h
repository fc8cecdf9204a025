/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempt - one run on disk: its spec, its status, and orders to it
 *
 * All data of a run is in one file, "run" in a folder of its own.  The daemon writes it whole and
 * syncs it before any process is made, so a run whose file is not whole was never started.  Status
 * and orders have their room from the start and are written in place, so an exit status can be
 * written when the disk is full:
 *
 *     0      status, twice: written only by the holder of the lock
 *     1024   orders, twice: written by the daemon only
 *     2048   the spec: never changes
 *
 * Each of the four slots is one sector of 512 bytes with a number and a checksum.  The next state
 * is written into the older of two, so a write that is cut off leaves the state before it.
 *
 * The runner of a run holds a lock (flock) on the file from before it reads the status until it
 * ends; it starts nothing when the status says that a runner did.  So there may be two by accident:
 * the second waits for the first, and then does nothing.
 */
#ifndef FL_BACKEND_LOCAL_ATTEMPT_H
#define FL_BACKEND_LOCAL_ATTEMPT_H

#include <stddef.h>
#include <sys/types.h>

#include "backend/process/group.h"
#include "base/error.h"
#include "record/job.h"

#define FL_ATTEMPT_FILE "run"

/*
 * The descriptors of a runner: the file; the files that keep the output of its tasks, out, err and
 * the order of both of each by turns, unless the user named others; the socket of its client if it is
 * interactive; those of its control group if it has one (fl_group_files).
 */
enum { FL_ATTEMPT_RUN = 3, FL_ATTEMPT_OUTPUT = 4, FL_ATTEMPT_STREAMS = 3 };
enum { FL_BOOT_ID = 40, FL_ATTEMPT_DEVICES = 4096, FL_ATTEMPT_SIGNALS = 32 };

/* Texts of a spec that was read point into `bytes`; those of one to write may be anywhere. */
struct fl_attempt_spec {
	uint64_t job;
	uint32_t attempt, tasks;
	uint32_t uid, gid;
	uint64_t array;
	uint32_t array_index;
	int32_t signal;
	fl_time time_limit, grace;
	int64_t output_limit; /* limit of each output file, bytes */
	struct fl_group_limits limits;
	bool alone; /* in a namespace of processes: no control group can end all of it */
	enum fl_interactive interactive;
	bool numbered; /* the machine has devices with numbers: those of other runs are hidden */
	const char *token;                             /* fl_run's */
	const char *name, *queue, *directory, *output; /* as in fl_job_spec */
	const char *group;                             /* folder of its cgroup; "": none */
	const uint32_t *devices;                       /* in the order of tasks */
	uint32_t n_devices;
	/* of each device: a text ended by a NUL; "": as of the one before it */
	const char *resources;
	uint32_t resources_len;            /* 0: not known */
	const char *command, *environment; /* texts, each ended by a NUL */
	const char *hooks;                 /* the same: commands of a shell */
	uint32_t command_len, environment_len, hooks_len;
	uint32_t hook_events; /* four bits for each hook: enum fl_hook_event */
	bool once;            /* when it is preempted it has failed */
	void *bytes;
};

/*
 * The file in the folder of a run, by its descriptor; -1 with errno.  EPERM: another user made it,
 * can write to it, or has a second name for it (hard link), so its contents are not trusted.
 */
int fl_attempt_open(int folder, int flags);
/* The file with empty slots and the spec. The caller frees *ret. */
int fl_attempt_encode(const struct fl_attempt_spec *spec, void **ret, size_t *ret_n,
		      fairlead_error *err);
/* FAIRLEAD_EINPUT: not whole. */
int fl_attempt_read(int fd, struct fl_attempt_spec *ret, fairlead_error *err);
void fl_attempt_done(struct fl_attempt_spec *spec);

enum fl_attempt_state {
	FL_ATTEMPT_NEW,    /* no runner has it yet */
	FL_ATTEMPT_STARTS, /* a runner has it; tasks may have begun */
	FL_ATTEMPT_RUNS,
	FL_ATTEMPT_ENDED,
	FL_ATTEMPT_DAMAGED, /* what was written cannot be read; this state is never written */
};

struct fl_attempt_status {
	int32_t state; /* enum fl_attempt_state */
	int32_t kind;  /* enum fl_outcome_kind, once it has ended, as for all below */
	int32_t stopped, killed;
	int32_t status;
	int32_t runner;                 /* the process of the runner, */
	uint64_t runner_since;          /* identified by the time at which it started */
	char boot[FL_BOOT_ID];          /* and by the boot of the machine */
	fl_time began, ended;           /* CLOCK_BOOTTIME */
	fl_time wall_began, wall_ended; /* CLOCK_REALTIME */
	uint64_t output_lost;
	char text[256];
	uint64_t cpu, memory; /* as fl_run_outcome has them */
};

/* The order of the daemon. */
struct fl_attempt_order {
	int32_t why; /* enum fl_go_why; FL_GO_NOT: nothing yet */
	int32_t zero;
	fl_time by; /* CLOCK_BOOTTIME: when it is killed */
	char boot[FL_BOOT_ID];
	fl_time time_limit;                  /* instead of the spec's; 0: as there */
	uint8_t signals[FL_ATTEMPT_SIGNALS]; /* by number: how often it was to be sent, mod 256 */
};

/*
 * Reads what was written last; state NEW or why NOT if nothing was; state DAMAGED if it is damaged.
 * -1: errno.
 */
int fl_attempt_get_status(int fd, struct fl_attempt_status *ret);
int fl_attempt_get_order(int fd, struct fl_attempt_order *ret);
/* Writes it in place. 0, or -1 with errno; the one before it then stays valid. */
int fl_attempt_set_status(int fd, const struct fl_attempt_status *status);
int fl_attempt_set_order(int fd, const struct fl_attempt_order *order);

#endif
