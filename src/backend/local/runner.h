/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner - the parts of the program that stands beside a run; private to it
 *
 * One thread, one run.  It waits for signals, the output of tasks, and one timer, all by epoll.
 */
#ifndef FL_BACKEND_LOCAL_RUNNER_H
#define FL_BACKEND_LOCAL_RUNNER_H

#include <sys/resource.h>

#include "backend/local/attempt.h"

/* --- output: runner_output.c --- */

/* A file that output goes to. */
struct fl_sink {
	int fd;        /* -1: not opened yet; -2: never again */
	char name[40]; /* in the folder of the run */
	uint64_t written, lost;
	bool ours; /* kept by the daemon: no file that the user has named */
	bool full; /* its limit was passed; not: it could not be written to */
};

/* What a task writes to. */
struct fl_stream_end {
	int fd; /* -1: closed */
	struct fl_sink *sink;
};

struct fl_outputs {
	int folder;
	int64_t limit;
	struct fl_sink *sinks;
	struct fl_stream_end *ends; /* two a task: out, err */
	uint32_t n_sinks, n_ends;
	char buffer[1 << 16];
};

/* Of @tasks; with the files that the user has named open, as that user. */
int fl_outputs_open(struct fl_outputs *o, int folder, const struct fl_attempt_spec *spec,
		    fairlead_error *err);
/* Bytes of end @i, once. Never waits for long, never fails: what cannot be kept is counted. */
void fl_outputs_take(struct fl_outputs *o, uint32_t i);
/* All that is left in the pipes, a line on what was lost; closed then. Returns what was lost. */
uint64_t fl_outputs_close(struct fl_outputs *o);

/* "/a/%j-%t" with the numbers of job and task; %a index in its array, %% a percent sign. */
int fl_output_path(const struct fl_attempt_spec *spec, uint32_t task, char ret[4096],
		   fairlead_error *err);

/* --- tasks: runner_task.c --- */

/* What the children of the runner are made with. */
struct fl_tasks {
	const struct fl_attempt_spec *spec;
	struct fl_outputs *outputs;
	struct rlimit files;  /* as it was for us */
	int group;            /* cgroup.procs; -1: none */
	pid_t runner, *pids;  /* 0: it has ended */
	int report[2], go[2]; /* pipes: what became of them; closed: all may begin */
};

/* Processes that are as the tasks should be, and wait to be let go. All, or none and an error. */
int fl_tasks_fork(struct fl_tasks *t, fairlead_error *err);
/* One report that came: 0 a task is ready, or what failed as an error; 1: no more will come. */
int fl_tasks_hear(struct fl_tasks *t, fairlead_error *err);
/* EINPUT: what fails with this errno fails the next time, too; else EIO. */
int fl_start_code(int why);
/* Let them go. */
void fl_tasks_go(struct fl_tasks *t);

/* Groups of the user of the run, for all that is done in its name from now on. */
int fl_user_enter(const struct fl_attempt_spec *spec, fairlead_error *err);
/* Files are opened as that user between these two. */
void fl_user_begin(const struct fl_attempt_spec *spec);
void fl_user_end(void);

#endif
