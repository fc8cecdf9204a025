/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs - the jobs that have not ended, by number
 *
 * Small rows, as there may be hundreds of thousands: the spec of a job is in the store and is read
 * when the job starts.  Jobs that ask for the same share one row of what they ask for.
 *
 * A job that has ended stays until it is dropped, so that its outcome is written first.
 *
 * Cost: looking one up O(log n); adding O(1); dropping O(1) each, some in a while.  Telling the
 * jobs that wait for one: O(dependencies of jobs submitted after it), until the last one was told.
 */
#ifndef FL_DAEMON_ENGINE_JOBS_H
#define FL_DAEMON_ENGINE_JOBS_H

#include "base/image.h"
#include "base/mem.h"
#include "base/names.h"
#include "daemon/engine/alike.h"
#include "record/job.h"

/* A job that has not ended, or ended a moment ago. */
struct fl_live {
	uint64_t id, array;
	struct fl_sym queue, user; /* queue: as submitted; symbols of `names` */
	uint64_t named;            /* hash of its name; 0: none was given (alike.h) */
	uint32_t uid;
	enum fl_job_state state;
	enum fl_go_why stopping; /* STOPS: why */
	uint64_t preemptor;      /* STOPS: the job it is evicted for; 0: none */
	enum fl_hold held;       /* held, or will be when it has stopped */
	uint32_t awaited;        /* jobs that wait for it, counted as often as they name it */
	uint32_t most;           /* of its array that are let in at once (gate.h); 0: all */
	bool singleton, once;    /* as submitted */
	bool interactive;        /* a client has to attach before it can start (attach.h) */
	int32_t priority;
	uint32_t tasks, attempt, evictions, losses;
	struct fl_workload workload; /* in the generation; FL_NONE: not in the policy */
	uint32_t asks;               /* what it asks for; jobs with equal asks share a row */
	uint32_t bytes;              /* size of its spec, which is in the store */
	fl_time submitted, started, ended, ran;
	fl_time waits; /* since when it is held or pending; if it is neither, of the last time */
	fl_time retry; /* pending until then; FL_TIME_NONE; FL_NEVER: no queue for it */
	fl_time begin; /* on the wall: its begin, until that has come; 0 */
	fl_time time_limit; /* of its spec; FL_NEVER: none of its own */
	bool relimited;     /* time_limit was changed since its last run was begun */
	bool why_held;      /* its spec has a reason for which it is held */
	bool kept, touched; /* of a cluster: the store has a row of it; that is not as it is now */
	uint64_t cpu, memory; /* what the run used that is about to end: ns; bytes */
	int outcome;          /* ended: enum fl_outcome_kind, or -1 */
	int status;
	char *ending; /* ended: how, in words, where these two do not say; NULL */
	/* What its workload is made of, where that is not what it asks for (generation.h); NULL. */
	const void *made_of;
};

/* It has a run, which may not have begun yet. */
static inline bool fl_live_runs(const struct fl_live *job)
{
	return job->state == FL_JOB_STARTS || job->state == FL_JOB_RUNS ||
	       job->state == FL_JOB_STOPS;
}

/*
 * What one task asks for, and how many tasks: zeroed before it is filled, as it is compared by its
 * bytes.
 */
struct fl_asks {
	uint32_t tasks, n_requests, n_labels;
	struct {
		struct fl_sym resource;
		fl_amount amount;
	} requests[FL_JOB_RESOURCES]; /* by name */
	struct {
		struct fl_sym key, value;
	} labels[FL_JOB_LABELS];
};

/* @job waits for @on; job 0: the row is a hole. */
struct fl_awaits {
	uint64_t job, on;
	enum fl_after how;
};

struct fl_jobs {
	struct fl_names names; /* names of queues, users, resources, labels */
	uint64_t names_number; /* another one: their symbols may be others, too */
	struct fl_live *rows;  /* by number */
	uint32_t n, cap, n_over;
	struct fl_asks *asks;
	uint32_t n_asks, cap_asks;
	struct fl_pairs asks_of; /* hash -> the first row of that hash */
	uint32_t *asks_before;   /* by row: the next row of the same hash; FL_NONE */
	uint32_t cap_before;
	struct fl_awaits *awaits; /* by job */
	uint32_t n_awaits, n_awaits_gone, cap_awaits;
	bool awaits_later;            /* some job waits for one with a higher number */
	uint32_t *of_user, *of_queue; /* by symbol: jobs that have not ended */
	uint64_t *bytes_of_user;      /* and the bytes of their specs */
	uint32_t cap_user, cap_queue, cap_bytes;
	uint32_t n_live;
	struct fl_alike alike;
	fl_time next_begin; /* on the wall: none begins earlier; FL_NEVER */
	fl_time last_submitted;
};

int fl_jobs_init(struct fl_jobs *j, fairlead_error *err);
void fl_jobs_done(struct fl_jobs *j);

/* The row of the first job with at least this number; n: there is none. */
uint32_t fl_jobs_place_of(const struct fl_jobs *j, uint64_t id);
/* NULL: no such job. Valid until a job is added or some are dropped. */
struct fl_live *fl_jobs_find(const struct fl_jobs *j, uint64_t id);

/*
 * Adds a job with a number above all others; submitted at @at, or 1 ns after the job before it if
 * that is later.  Its state is WAITS; its dependencies are noted.  FAIRLEAD_ENOMEM.
 */
int fl_jobs_add(struct fl_jobs *j, uint64_t id, const struct fl_job_spec *spec, fl_time at,
		struct fl_live **ret, fairlead_error *err);
/*
 * Adds a job as it was, from a checkpoint or a row of the store.  It counts for limits unless it
 * has ended.
 */
int fl_jobs_restore(struct fl_jobs *j, const struct fl_live *row, const struct fl_job_spec *spec,
		    struct fl_live **ret, fairlead_error *err);
/*
 * The same for a job whose queue, user and asks are here already, and that waits for @after.  One
 * that has ended, with the same number, is replaced.  O(jobs) unless its number is above all.
 */
int fl_jobs_place(struct fl_jobs *j, const struct fl_live *row, const struct fl_job_after *after,
		  uint32_t n_after, struct fl_live **ret, fairlead_error *err);
int fl_jobs_find_asks(struct fl_jobs *j, const struct fl_asks *a, uint32_t *ret,
		      fairlead_error *err);

/* The jobs that have not ended as tables of an image; and back, into a new, empty table. */
int fl_jobs_save(const struct fl_jobs *j, struct fl_image_writer *w, fairlead_error *err);
int fl_jobs_load(struct fl_jobs *j, struct fl_image *image, fairlead_error *err);

/*
 * The job ends: it no longer counts for limits, and waits for no job.  @how, in words, or NULL, is
 * copied.
 */
int fl_jobs_end(struct fl_jobs *j, struct fl_live *job, enum fl_job_state state, const char *how,
		fairlead_error *err);
/*
 * Forgets names of queues and users that no job has: the others may get other symbols, so none may be kept
 * elsewhere, and no draft may be in the making.  Only of a cluster, whose jobs have no asks and no names of their
 * own (alike.h). Without memory nothing changes.  Cost: O(1) while there are few, else O(jobs).
 */
void fl_jobs_forget_names(struct fl_jobs *j);
/* Drops the jobs that have ended and for which @may returns true (NULL: all). */
void fl_jobs_drop(struct fl_jobs *j, bool (*may)(void *user, const struct fl_live *job),
		  void *user);

/* How many jobs of a user or queue have not ended; 0 for an unknown one. */
uint32_t fl_jobs_of_user(const struct fl_jobs *j, const char *user);
uint64_t fl_jobs_bytes_of_user(const struct fl_jobs *j, const char *user);
uint32_t fl_jobs_of_queue(const struct fl_jobs *j, const char *queue);

/* It is one of those of that name from now on. */
int fl_jobs_rename(struct fl_jobs *j, struct fl_live *job, const char *name, fairlead_error *err);
/* It is of another queue from now on. */
int fl_jobs_move(struct fl_jobs *j, struct fl_live *job, const char *queue, fairlead_error *err);

/* It waits for these jobs, and no others, from now on. O(dependencies of all jobs). */
int fl_jobs_set_after(struct fl_jobs *j, struct fl_live *job, const struct fl_job_after *after,
		      uint32_t n_after, fairlead_error *err);
/*
 * Would @job, if it waited for @after, wait for itself in the end?  1: yes, or more than *budget
 * dependencies would have to be looked at, which is what remains of it then; 0: no;
 * FAIRLEAD_ENOMEM.
 */
int fl_jobs_would_loop(const struct fl_jobs *j, uint64_t job, const struct fl_job_after *after,
		       uint32_t n_after, uint32_t *budget, fairlead_error *err);
/* Once all jobs are restored: no job waits for one that is not here. */
void fl_jobs_settle_awaits(struct fl_jobs *j);
/* The jobs that it still waits for: how many, and the first @room of them. */
uint32_t fl_jobs_awaited_by(const struct fl_jobs *j, uint64_t id, uint64_t *ret, uint32_t room);
/* Does it still wait for a job? It no longer waits for @on. */
bool fl_jobs_waits_for(const struct fl_jobs *j, uint64_t id);
void fl_jobs_waited(struct fl_jobs *j, uint64_t id, uint64_t on);
/*
 * @on ended in @state: calls @fn for each job that waited for it, with whether it ended as wanted;
 * they no longer wait for it.  Jobs that @fn ends wait for no job.
 */
void fl_jobs_tell(struct fl_jobs *j, uint64_t on, enum fl_job_state state,
		  void (*fn)(void *user, uint64_t job, bool as_wanted), void *user);
/* The same for jobs that waited for @on to begin, which it has. */
void fl_jobs_tell_begun(struct fl_jobs *j, uint64_t on,
			void (*fn)(void *user, uint64_t job, bool as_wanted), void *user);
/* Did a job that ended in @state end as wanted? */
bool fl_after_is(enum fl_after how, enum fl_job_state state);

/* How many jobs would begin, were the wall clock to show @wall? */
uint32_t fl_jobs_count_due(const struct fl_jobs *j, fl_time wall);
/* The wall clock shows @wall: the begin of the jobs up to then has come; @fn is called for each. */
int fl_jobs_due(struct fl_jobs *j, fl_time wall,
		int (*fn)(void *user, struct fl_live *job, fairlead_error *err), void *user,
		fairlead_error *err);

#endif
