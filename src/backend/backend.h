/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend - where jobs run: a table of functions, one for each kind of place
 *
 * Promises of every backend:
 *   - A run (a job's attempt) is started once at most, whatever happens to the daemon between
 *     asking and hearing: who asks for one that was started gets to know what became of it.
 *   - What tells runs apart is their token, not their number: what another run left under the
 *     same number is never taken for this one.
 *   - A run goes on when the daemon does not, and is found again by find.
 *   - What became of a run is kept until forget, through any stop of the daemon.
 *
 * All calls and callbacks are on the thread of the loop, and callbacks never come from within a
 * call.  Nothing here waits: what takes time ends with a callback.
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
 * FL_TIME_NONE, and the same by the wall clock stands beside them in fl_outcome.
 */

struct fl_host; /* an open backend; each has its own */

struct fl_host_callbacks {
	/*
	 * The run is there, since @at on the clock of the host.  Once, before `ended`; after a
	 * restart again.  Never for one that could not be started.
	 */
	void (*began)(void *user, uint64_t job, uint32_t attempt, fl_time at);
	/* It has ended, and nothing of it is left running. Once; again after a restart until forget. */
	void (*ended)(void *user, const struct fl_run_outcome *outcome);
	/* Something that an admin should know; one line. */
	void (*notice)(void *user, const char *text);
	void *user;
};

/* FL_NO_LIMIT: what is found, less what is reserved and what other flavors have. */
struct fl_host_resource {
	const char *name;
	fl_amount amount;
};

/* A flavor as configured. */
struct fl_host_flavor {
	const char *name;
	const struct fl_host_resource
		*resources; /* n 0: cpu, memory, and GPUs when some are found */
	uint32_t n_resources;
	const char *device;      /* resource whose units are numbered; NULL: nvidia.com/gpu */
	const uint32_t *devices; /* their numbers; n 0: those found that no other flavor names */
	uint32_t n_devices;
};

/* All texts are copied by open. */
struct fl_host_options {
	uv_loop_t *loop;
	const char *state;  /* folder that is there; absolute. "runs" and "ended" in it are ours */
	const char *runner; /* path of the program that stands beside each job */
	const struct fl_host_flavor *flavors; /* n 0: one, "default", with all that is found */
	uint32_t n_flavors;
	const struct fl_host_resource *reserved; /* taken off what is found */
	uint32_t n_reserved;
	enum fl_cgroup_use cgroup;
	int64_t output_limit; /* bytes of each file of output */
	struct fl_host_callbacks callbacks;
};

/*
 * What tells a run from all others, also from one of the same number, of a database that was
 * restored or is another: so many hex digits and an end.
 */
enum { FL_RUN_TOKEN = 33, FL_RUN_PLACE = 48 };

/* Was it started before? */
enum fl_before {
	FL_BEFORE_NOT,
	FL_BEFORE_MAYBE,  /* what has its token is ended first; if there was any, the run is lost */
	FL_BEFORE_SURELY, /* the same, and it is lost in any case */
	FL_BEFORE_TOLD,   /* as MAYBE; if there was none, it was told to go and is not started */
};

/* What is to run. Valid during the call. */
struct fl_run {
	uint64_t job;
	uint32_t attempt;
	const char *token; /* in the environment of all its processes: they are found by it */
	enum fl_before before;
	const struct fl_job_spec *spec;
	const struct fl_run_grant *grants;
	uint32_t n_grants;
	fl_time time_limit; /* what applies; FL_NEVER */
	fl_time grace;
};

enum fl_found {
	FL_FOUND_NEVER, /* it was never started, and never will be: start it again if you like */
	FL_FOUND_RUNS,
	FL_FOUND_ENDED,   /* `ended` will come */
	FL_FOUND_DAMAGED, /* it was started, and what is kept of it cannot be read */
};

/* A run that is none of ours. */
struct fl_stray {
	uint64_t job;
	uint32_t attempt;
	/* after disown */
	bool ran, remains;       /* it had not ended; something of it could not be ended */
	char kept[FL_RUN_PLACE]; /* where its output is now, in the state folder; "": it had none */
};

/* Of the output of a run. */
struct fl_run_log {
	int fd; /* open for reading, close-on-exec; the caller's. -1: nothing was written yet */
	bool complete; /* nothing more comes */
	uint64_t size; /* bytes there */
	uint64_t lost; /* bytes beyond the limit, of all its output; once it is complete */
};
enum fl_stream { FL_STREAM_OUT, FL_STREAM_ERR };

/* The highest number of a job that a state folder has something of. */
struct fl_last_run {
	uint64_t job;             /* 0: of none */
	char where[FL_RUN_PLACE]; /* in the folder: "ended/17" */
};

struct fl_backend_ops {
	const char *name; /* "local" */

	/* Before open: only looks, also where there is no such folder, or another daemon has it. */
	int (*last)(const char *state, struct fl_last_run *ret, fairlead_error *err);

	int (*open)(const struct fl_host_options *options, struct fl_host **ret,
		    fairlead_error *err);
	/*
	 * Runs go on.  Callbacks come no more.  The loop has to turn until its handles are closed,
	 * which frees what is left.  NULL is fine; returns NULL.
	 */
	struct fl_host *(*close)(struct fl_host *h);

	/* What there is to share out; valid until close. */
	int (*capacity)(struct fl_host *h, struct fl_capacity *ret, fairlead_error *err);

	/*
	 * Start it.  Errors are for what cannot be asked; what fails later (fork, directory, user)
	 * is an outcome NOT_STARTED, or IMPOSSIBLE where trying again would not help.  One that was
	 * started before is not started again; what another one left under its number is set aside.
	 */
	int (*start)(struct fl_host *h, const struct fl_run *run, fairlead_error *err);
	/* Tell it to go: signal, grace, kill. Again: the shorter grace, the first reason. */
	int (*stop)(struct fl_host *h, uint64_t job, uint32_t attempt, enum fl_go_why why,
		    fl_time grace, fairlead_error *err);
	/*
	 * After open: what is known of a run, and hear of it from now on; also of one that goes on and
	 * was another state folder's until now.  @token NULL: nobody knows it, and the number has to do.
	 * FAIRLEAD_ESTATE: another daemon has it.
	 */
	int (*find)(struct fl_host *h, uint64_t job, uint32_t attempt, const char *token,
		    enum fl_found *ret, fairlead_error *err);
	/* Every run there is, by job and attempt, but those forgotten; @token "": it cannot be read. */
	int (*each)(struct fl_host *h,
		    int (*fn)(void *user, uint64_t job, uint32_t attempt, const char *token),
		    void *user, fairlead_error *err);
	/*
	 * Runs that `each` told of and nobody knows: told to go at once, ended with all that has their
	 * tokens, and what is kept of them set aside.  Waits for that: seconds, when one does not go.
	 */
	void (*disown)(struct fl_host *h, struct fl_stray *strays, uint32_t n);
	/* Its outcome is known for good; its output stays. */
	void (*forget)(struct fl_host *h, uint64_t job, uint32_t attempt);
	/* The job is forgotten altogether: output of all attempts goes. */
	void (*remove)(struct fl_host *h, uint64_t job);

	/* FAIRLEAD_ENOENT: no such run, or its output goes to a file of the user. */
	int (*log)(struct fl_host *h, uint64_t job, uint32_t attempt, uint32_t task,
		   enum fl_stream stream, struct fl_run_log *ret, fairlead_error *err);
	/* Devices that a run has: numbers by flavor; 0 to @room of them. For `job`. */
	uint32_t (*devices)(struct fl_host *h, uint64_t job, uint32_t attempt, uint32_t *ret,
			    uint32_t room);
};

#endif
