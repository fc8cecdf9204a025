/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place - a local backend on a folder of its own, with real processes, and what it has told
 *
 * Waits turn the loop until what is waited for is there, or fail the test after half a minute.
 */
#ifndef FL_TESTS_UNIT_BACKEND_PLACE_H
#define FL_TESTS_UNIT_BACKEND_PLACE_H

#include "lib/unit.h"

#include "backend/local/local.h"

enum { PLACE_RUNS = 64, PLACE_NOTICES = 16 };

struct told {
	uint64_t job;
	uint32_t attempt, began, ended; /* how often */
	fl_time began_at;
	struct fl_run_outcome outcome;
};

struct place {
	char state[64];
	char mark[32]; /* a time to sleep for that nobody else does */
	uv_loop_t loop;
	struct fl_host *host; /* NULL: not open */
	struct told told[PLACE_RUNS];
	uint32_t n_told;
	char notices[PLACE_NOTICES][256];
	uint32_t n_notices;
	int broken; /* how often it was told so */
	/* of the next open */
	struct fl_host_flavor flavor;
	bool has_flavor;
	int64_t output_limit;
	fl_time patience;
	enum fl_cgroup_use cgroup;
	const char *runner; /* NULL: the real one */
};

/* What is asked for; zeros are usual. */
struct ask {
	uint64_t job;
	uint32_t attempt;     /* 0: 1 */
	const char *script;   /* of sh; NULL: `command` */
	const char *command;  /* texts each ended by a NUL, */
	uint32_t command_len; /* with the last one's */
	const char *environment;
	uint32_t environment_len;
	const char *directory, *output, *name, *queue;
	uint32_t tasks, gpus; /* of each task */
	uint32_t uid, gid;    /* 0: our own */
	uint64_t array;
	uint32_t array_index;
	fl_time time_limit, grace; /* 0: none; 20 s */
	int signal;
	enum fl_before before;
	const char *token; /* NULL: place_token */
};

void place_make(struct place *p);
void place_make_folder(struct place *p); /* not open */
void place_open(struct place *p);
void place_close(struct place *p);
void place_remove(struct place *p); /* closes, too */

/* Of a run: of this folder, so that tests beside each other do not end each other's. */
const char *place_token(const struct place *p, uint64_t job, uint32_t attempt);
/* A daemon in a process of its own, that does @daemon and is killed by it or ends: its status. */
int place_in_another(struct place *p, void (*daemon)(struct place *p));
/* The file of the first attempt of a job. */
int place_open_file(const struct place *p, uint64_t job);
int place_try(struct place *p, const struct ask *a, fairlead_error *err);
void place_start(struct place *p, const struct ask *a);
void place_stop(struct place *p, uint64_t job, enum fl_go_why why, fl_time grace);
struct told *place_told(struct place *p, uint64_t job, uint32_t attempt);
const struct told *place_wait_began(struct place *p, uint64_t job, uint32_t attempt);
const struct fl_run_outcome *place_wait(struct place *p, uint64_t job, uint32_t attempt);
/* It was there before: what find says. */
enum fl_found place_find(struct place *p, uint64_t job);
/* Start and wait. */
const struct fl_run_outcome *place_run(struct place *p, const struct ask *a);
/* Turn the loop until @done says so. */
void place_until(struct place *p, bool (*done)(void *user), void *user, const char *what);

/* Output of a task as a text; "" when there is none. */
const char *place_output(struct place *p, uint64_t job, uint32_t attempt, uint32_t task,
			 enum fl_stream stream);
/* A file in the state folder, as a text; "" when it is not there. */
const char *place_file(struct place *p, const char *name);
/* Write it: before a job looks for it. */
void place_write(struct place *p, const char *name, const char *text);
/* Turn the loop until the file has @lines lines. */
void place_wait_lines(struct place *p, const char *name, int lines);
/* Processes there are with the mark in their command line. */
int place_count(const struct place *p);
/* The process beside a run, as its file says. */
pid_t place_runner(struct place *p, uint64_t job, uint32_t attempt);

#endif
