/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend - where jobs run: a table of functions, one for each kind of place
 *
 * Promises of every backend:
 *   - A run (a job's attempt) is started at most once, even when the daemon is killed between the
 *     order and the answer: a second order reports what became of the first.
 *   - Runs are identified by their token, not by their number: files of another run with the same
 *     number are never taken for those of this one.
 *   - A run goes on when the daemon has stopped, and is found again by find.
 *   - The outcome of a run is kept until forget, also over restarts of the daemon.
 *
 * All calls and callbacks are on the thread of the loop, and a call never makes a callback itself.
 * No call blocks but disown: long operations end with a callback.
 */
#ifndef FL_BACKEND_BACKEND_H
#define FL_BACKEND_BACKEND_H

#include <uv.h>

#include "base/error.h"
#include "model/daemon.h"
#include "record/capacity.h"
#include "record/job.h"

/*
 * The clock of the host is CLOCK_BOOTTIME: times of an earlier boot of the machine are
 * FL_TIME_NONE; fl_outcome has the same times by the wall clock as well.
 */

struct fl_host; /* an open backend; each kind has its own struct */

struct fl_host_callbacks {
	/*
	 * The run has begun, at @at on the clock of the host.  Once, before `ended`; again after a
	 * restart of the daemon.  Never for one that could not be started.
	 */
	void (*began)(void *user, uint64_t job, uint32_t attempt, fl_time at);
	/*
	 * The run has ended, and none of its processes is left.  Once; again after a restart, until
	 * forget.
	 */
	void (*ended)(void *user, const struct fl_run_outcome *outcome);
	/* A message for admins, one line. */
	void (*notice)(void *user, const char *text);
	/* No run can be started or ended any more; those that run go on. */
	void (*broken)(void *user, const char *why);
	void *user;
};

/* FL_NO_LIMIT: what was detected, less what is reserved and what other flavors have. */
struct fl_host_resource {
	const char *name;
	fl_amount amount;
};

/* A flavor of the configuration. */
struct fl_host_flavor {
	const char *name;
	const struct fl_host_resource
		*resources; /* n 0: cpu, memory, and GPUs if some were detected */
	uint32_t n_resources;
	const char *device; /* resource whose units have numbers; NULL: nvidia.com/gpu */
	const uint32_t
		*devices; /* their numbers; n 0: all detected ones that no other flavor names */
	uint32_t n_devices;
};

/* open copies all texts. */
struct fl_host_options {
	uv_loop_t *loop;
	const char *state;  /* an existing folder; absolute. "runs" and "ended" in it are ours */
	const char *runner; /* path of the program that runs beside each job */
	/*
	 * Socket of the process that starts runs of all users, which an open backend takes over; 0: there is none,
	 * and this process starts those of its own user.
	 */
	int spawner;
	const struct fl_host_flavor *flavors; /* n 0: one, "default", with all that was detected */
	uint32_t n_flavors;
	const struct fl_host_resource *reserved; /* subtracted from what was detected */
	uint32_t n_reserved;
	enum fl_cgroup_use cgroup;
	int64_t output_limit; /* limit of each output file, bytes */
	fl_time patience;     /* a run that ends later than it should is ended then; 0: 30 s */
	struct fl_host_callbacks callbacks;
};

/*
 * Bytes of a token, hex digits and a NUL. It identifies a run among all others, also among those
 * with the same number of a restored or another database.
 */
enum { FL_RUN_TOKEN = 33, FL_RUN_PLACE = 48 };

/* Was it started before? */
enum fl_before {
	FL_BEFORE_NOT,
	FL_BEFORE_MAYBE,  /* its processes are ended first; if there were any, the run is lost */
	FL_BEFORE_SURELY, /* the same, but it is lost in any case */
	FL_BEFORE_TOLD,   /* as MAYBE; if there were none, it is not started: it was to stop */
};

/* A run to start. Valid during the call. */
struct fl_run {
	uint64_t job;
	uint32_t attempt;
	const char *token; /* in the environment of all its processes, which are found by it */
	enum fl_before before;
	const struct fl_job_spec *spec;
	const struct fl_run_grant *grants;
	uint32_t n_grants;
	fl_time time_limit; /* of the job, or the default; FL_NEVER: none */
	fl_time grace;
	/*
	 * Of an interactive job: the socket of its client, whose next message has the standard files
	 * of its task with it, or begins frames.  It is not read before the user of the run does; -1:
	 * there is none.
	 */
	int client;
};

enum fl_found {
	FL_FOUND_NEVER, /* it was never started, and never will be: it may be started anew */
	FL_FOUND_RUNS,
	FL_FOUND_ENDED,   /* `ended` will come */
	FL_FOUND_DAMAGED, /* it was started, but its file cannot be read */
};

/* A run that is not in the database. */
struct fl_stray {
	uint64_t job;
	uint32_t attempt;
	/* set by disown */
	bool ran, remains; /* it ran until now; some of its processes could not be ended */
	char kept
		[FL_RUN_PLACE]; /* where its files are now, in the state folder; "": there are none */
};

/* A stream of the output of a run. */
struct fl_run_log {
	int fd; /* for reading, close-on-exec; the caller closes it. -1: nothing written yet */
	bool complete; /* no more output comes */
	uint64_t size; /* bytes in the file */
	uint64_t lost; /* bytes of all its output that were not kept; once it is complete */
};
enum fl_stream {
	FL_STREAM_OUT,
	FL_STREAM_ERR,
	FL_STREAM_ORDER, /* of both, as numbers: record/order.h; none before the first change */
};

/* The highest number of a job of which a state folder has files. */
struct fl_last_run {
	uint64_t job;             /* 0: no job */
	char where[FL_RUN_PLACE]; /* in the folder: "ended/17" */
};

struct fl_backend_ops {
	const char *name; /* "local" */

	/* Before open: only reads, also when there is no such folder, or another daemon uses it. */
	int (*last)(const char *state, struct fl_last_run *ret, fairlead_error *err);

	int (*open)(const struct fl_host_options *options, struct fl_host **ret,
		    fairlead_error *err);
	/*
	 * Runs go on.  No more callbacks come.  The loop has to turn until its handles are closed,
	 * which frees the rest.  NULL is fine; returns NULL.
	 */
	struct fl_host *(*close)(struct fl_host *h);

	/* The capacity of the machine; valid until close. */
	int (*capacity)(struct fl_host *h, struct fl_capacity *ret, fairlead_error *err);

	/*
	 * Starts it.  Errors are for invalid orders; a later failure (fork, directory, user) is an
	 * outcome NOT_STARTED, or IMPOSSIBLE where trying again would not help.  A run that was
	 * started before is not started again; files of another run with its number are set aside.
	 */
	int (*start)(struct fl_host *h, const struct fl_run *run, fairlead_error *err);
	/*
	 * Stops it: signal, grace, kill.  When it is stopped again, the shorter grace and the first
	 * reason count.
	 */
	int (*stop)(struct fl_host *h, uint64_t job, uint32_t attempt, enum fl_go_why why,
		    fl_time grace, fairlead_error *err);
	/* From now on the run has this time limit, counted from its begin; FL_NEVER: none. */
	int (*limit)(struct fl_host *h, uint64_t job, uint32_t attempt, fl_time time_limit,
		     fairlead_error *err);
	/*
	 * All processes of its tasks' groups get the signal, and the run goes on.  A signal that comes
	 * again before the first one was sent is sent once.
	 */
	int (*signal)(struct fl_host *h, uint64_t job, uint32_t attempt, int number,
		      fairlead_error *err);
	/*
	 * After open: looks up a run, whose callbacks come from now on; also one that goes on and
	 * belonged to another state folder until now.  @token NULL: it is not known, and the run is
	 * found by its number alone.  FAIRLEAD_ESTATE: another daemon has it.
	 */
	int (*find)(struct fl_host *h, uint64_t job, uint32_t attempt, const char *token,
		    enum fl_found *ret, fairlead_error *err);
	/*
	 * Calls @fn for each run that is not forgotten, in the order of job and attempt; @token "":
	 * it cannot be read.
	 */
	int (*each)(struct fl_host *h,
		    int (*fn)(void *user, uint64_t job, uint32_t attempt, const char *token),
		    void *user, fairlead_error *err);
	/*
	 * Runs of `each` that are not in the database: they are stopped at once, all processes with
	 * their tokens are ended, and their files are set aside.  Blocks until that is done:
	 * seconds, when a process does not end.
	 */
	void (*disown)(struct fl_host *h, struct fl_stray *strays, uint32_t n);
	/* The outcome of the run is recorded elsewhere; its output stays. */
	void (*forget)(struct fl_host *h, uint64_t job, uint32_t attempt);
	/* Deletes all files of the job: the output of all attempts. */
	void (*remove)(struct fl_host *h, uint64_t job);

	/* FAIRLEAD_ENOENT: no such run, or its output goes to a file of the user. */
	int (*log)(struct fl_host *h, uint64_t job, uint32_t attempt, uint32_t task,
		   enum fl_stream stream, struct fl_run_log *ret, fairlead_error *err);
	/*
	 * A socket to the runner of an interactive run that began under an earlier daemon, with a client
	 * to which frames go (record/frame.h); close-on-exec, the caller closes it.  -1: there is none.
	 */
	int (*reach)(struct fl_host *h, uint64_t job, uint32_t attempt);
	/*
	 * The numbers of the devices of a run, in the order of flavors; 0 to @room of them.  For
	 * the answer about a job.
	 */
	uint32_t (*devices)(struct fl_host *h, uint64_t job, uint32_t attempt, uint32_t *ret,
			    uint32_t room);
};

#endif
