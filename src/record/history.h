/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history - rows that a daemon tells of its jobs: as they are, what happened, which held what
 *
 * Texts belong to the maker of the row.  Where they are kept: store/store.h.
 */
#ifndef FL_RECORD_HISTORY_H
#define FL_RECORD_HISTORY_H

#include "record/job.h"

/* A job as it is.  An update leaves uid, user, name, queue, array, submitted and spec as they were. */
struct fl_job_row {
	uint64_t id;
	enum fl_job_state state;
	uint32_t uid;
	const char *user, *name, *queue; /* queue: as submitted; user and name for lists */
	uint64_t array;                  /* 0: none */
	int32_t priority;
	const char *spec; /* JSON (codec/job/job_json.h); NULL: it has none, as in a cluster */
	fl_time submitted, started, ended; /* started: of the last attempt; FL_TIME_NONE */
	uint32_t attempt;                  /* how often it was started */
	uint32_t evictions, losses;
	fl_time ran; /* in all attempts */
	enum fl_hold held;
	int outcome; /* enum fl_outcome_kind; -1: none yet */
	int status;
	const char *
		placement; /* JSON of what it holds: [{"resource","flavor","amount"}]; NULL: nothing */
	const char *reason; /* why it waits, or how it ended, in words; NULL */
	/* Read only: */
	uint64_t spec_bytes; /* of the spec, also where it is not read */
	const char *damaged; /* "its spec": it does not match its checksum; NULL: all is well */
};

/* What happened, for people and programs that follow. */
struct fl_event_row {
	uint64_t seq; /* of the journal row that it follows from, whose time is `at` */
	uint32_t n;   /* the n-th of it, from 0: (seq, n) is written once */
	fl_time at;
	const char *kind; /* "Submitted", "Admitted", "Preempted", ...: daemon/engine/event.def */
	uint64_t job;     /* 0: none */
	uint32_t attempt;
	const char *queue;  /* the job's, or what it is about; NULL */
	uint64_t by;        /* Preempted: the job it makes way for; 0 */
	const char *reason; /* one word; NULL */
	const char *text;   /* one line for people */
};

/*
 * A token, by which a program asks as a user of this machine.  Its secret is known to its holder
 * alone.
 */
struct fl_token_row {
	const char *id;   /* 10 letters and digits */
	const char *hash; /* SHA-256 of the secret: 64 digits */
	const char *name; /* no other one of its user that is in use has it */
	uint32_t uid;
	const char *user, *role; /* "read", "submit", "admin" */
	/* "namespace/name" of those that it may use, with a blank between; NULL: all of its user. */
	const char *queues;
	fl_time made;
	const char *by;
	fl_time expires, used, revoked; /* used: the hour of the last time; FL_TIME_NONE: not */
	const char *revoked_by;         /* NULL */
};

/* The object of a cluster that a job is, whose number it has for good. */
struct fl_object_row {
	uint64_t number;
	const char *uid, *kind, *namespace, *name; /* kind: "Workload" */
};

/* A time in which a job held quota. */
struct fl_admission_row {
	uint64_t job;
	uint32_t attempt;
	const char *queue; /* of the quota */
	fl_time waits;     /* since when it was pending for that */
	fl_time from, to;  /* to FL_TIME_NONE: still; written again when it is over */
	const char *placement;
	const char *ended; /* "exited", "preempted", ...; NULL: not yet */
	uint64_t preemptor;
	uint64_t cpu, memory; /* what its run used: ns; bytes at most; 0: not known */
};

/* How much a queue held within a time: exact, from when its jobs held what. */
struct fl_usage_sum_row {
	const char
		*user; /* of the jobs; NULL: not told apart, or their rows are deleted or damaged */
	const char *queue;
	const char *resource, *flavor;        /* NULL: of all that it held, without an amount */
	fl_time from, to;                     /* the first and last of it */
	double amount;                        /* units of amounts, times seconds */
	uint64_t jobs, admissions, evictions; /* evictions: that ended so within that time */
};

/* Something about a queue, cohort or the daemon that lasts: a cycle, a missing flavor. */
struct fl_condition_row {
	const char *kind, *name; /* object */
	const char *type, *reason, *text;
	bool holds;
	fl_time since;
};

#endif
