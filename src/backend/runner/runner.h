/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner - the parts of the program that runs beside a run; private to it
 *
 * One thread, one run.  It waits for signals, the output of tasks, and one timer, all by epoll.
 */
#ifndef FL_BACKEND_RUNNER_RUNNER_H
#define FL_BACKEND_RUNNER_RUNNER_H

#include <sys/resource.h>

#include "backend/local/attempt.h"
#include "backend/runner/relay.h"

/* --- output: output.c --- */

/* A file that output goes to. */
struct fl_output_file {
	int fd; /* -1: not opened yet; -2: could not be opened */
	uint64_t written, lost;
	bool is_null; /* /dev/null, which is never full */
	bool full;    /* its limit was passed; false: a write failed */
};

/* A stream of a task. */
struct fl_stream_end {
	int fd; /* -1: closed */
	struct fl_output_file *sink;
};

/* Bytes that were read, and those of them that were not kept. */
struct fl_output_count {
	volatile uint64_t taken, lost;
};

/* The order of the two streams of a task (record/order.h), in the file "order.N". */
struct fl_output_order {
	int fd;        /* as above; -2 also: nothing more is noted */
	unsigned last; /* the stream that was read last */
	size_t size;
};

struct fl_outputs {
	int64_t limit;
	struct fl_output_file *output_files;
	struct fl_stream_end *ends;     /* two a task: out, err */
	struct fl_output_order *orders; /* one a task */
	uint32_t n_output_files, n_ends;
	struct fl_output_count own, *count;
	char buffer[1 << 16];
};

/*
 * The output of all tasks goes to descriptors from @first on, which are taken over.  Output to files that
 * the user has named is lost here: a writer has them.
 */
int fl_outputs_open(struct fl_outputs *o, int first, const struct fl_attempt_spec *spec,
		    fairlead_error *err);
/* Called in a writer: opens the files that the user has named, and counts in @count. */
int fl_outputs_name(struct fl_outputs *o, const struct fl_attempt_spec *spec,
		    struct fl_output_count *count, fairlead_error *err);
/* Reads from stream @i, once. Never fails: bytes that cannot be kept are counted. */
void fl_outputs_take(struct fl_outputs *o, uint32_t i);
/* Reads the rest from the pipes, writes a line on lost bytes, and closes all. */
void fl_outputs_close(struct fl_outputs *o);

/* Fills in "/a/%j-%t": numbers of job and task; %a: index in its array, %%: a percent sign. */
int fl_output_path(const struct fl_attempt_spec *spec, uint32_t task, char ret[4096],
		   fairlead_error *err);

/* --- output to files of the user: writer.c --- */

struct fl_writer_page;

/* A process with the rights of the user, which reads the output of tasks instead of us. */
struct fl_writer {
	pid_t pid;  /* 0: no writer */
	bool open;  /* it has its files */
	bool gone;  /* it has ended */
	int said;   /* a byte: its files are open; end of file: it has ended */
	int finish; /* when it is closed: no more output comes */
	struct fl_writer_page *page;
};

/*
 * Starts it with the streams of all tasks, which exist already.  After 0 its report has to be
 * awaited.
 */
int fl_writer_begin(struct fl_writer *w, struct fl_outputs *o, const struct fl_attempt_spec *spec,
		    fairlead_error *err);
/* Reads its report: 0; or the error with which it ended. */
int fl_writer_hear(struct fl_writer *w, fairlead_error *err);
/* When no process of the run is left. Returns how many bytes it could not keep. */
uint64_t fl_writer_end(struct fl_writer *w);

/* --- tasks: task.c --- */

/* The data for making tasks. */
struct fl_tasks {
	const struct fl_attempt_spec *spec;
	struct fl_outputs *outputs;
	struct rlimit files; /* the limit that we started with */
	struct fl_group_files group;
	bool contained;        /* its processes are ended whatever user they become */
	int client;            /* the socket of its client; -1: none, or it was read */
	struct fl_relay relay; /* of a client that is elsewhere */
	int standard[3];       /* the standard files of its task, from there; -1 */
	pid_t runner, *pids;   /* 0: it has ended */
	int report[2], go[2];  /* pipes: their reports; when `go` is closed all may begin */
};

/*
 * Takes the standard files of an interactive run from its client, whose socket is closed; for one that is
 * elsewhere it makes them.
 */
int fl_tasks_receive(struct fl_tasks *t, fairlead_error *err);
/*
 * Makes processes that are ready to become the tasks, and wait for fl_tasks_go.  All, or none and
 * an error.
 */
int fl_tasks_fork(struct fl_tasks *t, fairlead_error *err);
/* Reads one report: 0: a task is ready; 1: no more will come; else the error of a task. */
int fl_tasks_hear(struct fl_tasks *t, fairlead_error *err);
/* EINPUT: with this errno trying again would fail, too; else EIO. */
int fl_start_code(int why);
/* Lets the tasks begin. */
void fl_tasks_go(struct fl_tasks *t);

/*
 * For what is done in the name of the user: it cannot be traced, and without @contained it cannot become
 * another user. 0, or -1 with errno.
 */
int fl_task_confine(bool contained);

#endif
