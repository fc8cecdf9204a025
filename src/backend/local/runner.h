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
#include "backend/local/namespace.h"

/* --- output: runner_output.c --- */

/* A file that output goes to. */
struct fl_output_file {
	int fd;        /* -1: not opened yet; -2: never again */
	char name[40]; /* in the folder of the run */
	uint64_t written, lost;
	bool is_null; /* /dev/null, which is never full */
	bool full;    /* its limit was passed; not: it could not be written to */
};

/* What a task writes to. */
struct fl_stream_end {
	int fd; /* -1: closed */
	struct fl_output_file *sink;
};

/* Bytes that came, and those of them that were not kept. */
struct fl_output_count {
	volatile uint64_t taken, lost;
};

struct fl_outputs {
	int folder;
	int64_t limit;
	struct fl_output_file *sinks;
	struct fl_stream_end *ends; /* two a task: out, err */
	uint32_t n_sinks, n_ends;
	struct fl_output_count own, *count;
	char buffer[1 << 16];
};

/* Of all tasks. What goes to files that the user has named is lost here: a writer has them. */
int fl_outputs_open(struct fl_outputs *o, int folder, const struct fl_attempt_spec *spec,
		    fairlead_error *err);
/* By a writer: it has the files that the user has named, and all of @count is there. */
int fl_outputs_name(struct fl_outputs *o, const struct fl_attempt_spec *spec,
		    struct fl_output_count *count, fairlead_error *err);
/* Bytes of end @i, once. Never fails: what cannot be kept is counted. */
void fl_outputs_take(struct fl_outputs *o, uint32_t i);
/* All that is left in the pipes, a line on what was lost; closed then. */
void fl_outputs_close(struct fl_outputs *o);

/* "/a/%j-%t" with the numbers of job and task; %a index in its array, %% a percent sign. */
int fl_output_path(const struct fl_attempt_spec *spec, uint32_t task, char ret[4096],
		   fairlead_error *err);

/* --- output to files of the user: runner_writer.c --- */

struct fl_writer_page;

/* A process with the rights of the user, which takes what tasks write instead of us. */
struct fl_writer {
	pid_t pid;  /* 0: there is none */
	bool open;  /* it has its files */
	bool gone;  /* it has ended */
	int said;   /* a byte: its files are open; its end: it has gone */
	int finish; /* closed: nothing more comes */
	struct fl_writer_page *page;
};

/* With the ends of all tasks, whose other ends are there. An error, or wait for what it says. */
int fl_writer_begin(struct fl_writer *w, struct fl_outputs *o, const struct fl_attempt_spec *spec,
		    fairlead_error *err);
/* It has said something: 0; or it has gone, and why. */
int fl_writer_hear(struct fl_writer *w, fairlead_error *err);
/* When nothing of the run is left. Returns how many bytes it could not keep. */
uint64_t fl_writer_end(struct fl_writer *w);

/* --- tasks: runner_task.c --- */

/* What the children of the runner are made with. */
struct fl_tasks {
	const struct fl_attempt_spec *spec;
	struct fl_outputs *outputs;
	struct rlimit files; /* as it was for us */
	int group;           /* cgroup.procs; -1: none */
	struct fl_namespace namespace;
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
/* For good: this process is that user's then, who cannot trace it. 0, or -1 with errno. */
int fl_user_become(const struct fl_attempt_spec *spec);

#endif
