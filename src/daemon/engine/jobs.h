/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs - those that are not over yet, by number
 *
 * Small rows, for there may be hundreds of thousands: what a job is to run stands elsewhere and
 * is read when it starts.  Jobs that ask for the same share one row of what they ask for.
 *
 * Who is over stays until it is dropped, so that what it came to can be written down first.
 *
 * Cost: looking one up O(log n); adding O(1); dropping O(1) each, some in a while.  Telling who waits
 * for one: those who wait at all and came after it, until the last of them was told.
 */
#ifndef FL_DAEMON_ENGINE_JOBS_H
#define FL_DAEMON_ENGINE_JOBS_H

#include "base/image.h"
#include "base/mem.h"
#include "base/names.h"
#include "record/job.h"

/* A job that is not over, or was a moment ago. */
struct fl_live {
	uint64_t id, array;
	struct fl_sym queue, user; /* queue: as submitted; words of the table */
	uint32_t uid;
	enum fl_job_state state;
	enum fl_go_why stopping; /* STOPS: why */
	uint64_t preemptor;      /* STOPS: the job it makes way for; 0: none */
	enum fl_hold held;       /* waits to be released, or will when it has stopped */
	uint32_t awaited;        /* so many jobs wait for it, counted as often as they name it */
	int32_t priority;
	uint32_t tasks, attempt, evictions, losses;
	struct fl_workload workload; /* in the generation; FL_NONE: not in the policy */
	uint32_t asks;               /* what for, with others that ask for the same */
	uint32_t bytes;              /* of its spec, which stands in the store */
	fl_time submitted, started, ended, ran;
	fl_time waits; /* since when it waits, held or for its turn; as of the last time it did */
	fl_time retry; /* not before; FL_TIME_NONE; FL_NEVER: its queue is gone, or leads nowhere */
	int outcome;   /* over: enum fl_outcome_kind, or -1 */
	int status;
	char *ending; /* over: how, in words, where these two do not say; NULL */
};

/* It has a run, which may not have begun yet. */
static inline bool fl_live_runs(const struct fl_live *job)
{
	return job->state == FL_JOB_STARTS || job->state == FL_JOB_RUNS ||
	       job->state == FL_JOB_STOPS;
}

/* What one task asks for, and how many there are: zeroed, then filled, for it is compared whole. */
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

/* @job waits for @on; 0: no more. */
struct fl_awaits {
	uint64_t job, on;
	enum fl_after how;
};

struct fl_jobs {
	struct fl_names names; /* of queues, users, resources, labels */
	struct fl_live *rows;  /* by number */
	uint32_t n, cap, n_over;
	struct fl_asks *asks;
	uint32_t n_asks, cap_asks;
	struct fl_pairs asks_of; /* hash -> the last of that hash */
	uint32_t *asks_before;   /* and so on; FL_NONE */
	uint32_t cap_before;
	struct fl_awaits *awaits; /* by job */
	uint32_t n_awaits, n_awaits_gone, cap_awaits;
	uint32_t *of_user, *of_queue; /* by symbol: how many are not over */
	uint64_t *bytes_of_user;      /* and of how many bytes */
	uint32_t cap_user, cap_queue, cap_bytes;
	uint32_t n_live;
	fl_time last_submitted;
};

int fl_jobs_init(struct fl_jobs *j, fairlead_error *err);
void fl_jobs_done(struct fl_jobs *j);

/* NULL: there is none. Valid until one is added or some are dropped. */
struct fl_live *fl_jobs_find(const struct fl_jobs *j, uint64_t id);

/*
 * A new one, of a number above all others; submitted at @at, or a moment later: no two at once.
 * Its state is WAITS; what it waits for is noted.  FAIRLEAD_ENOMEM.
 */
int fl_jobs_add(struct fl_jobs *j, uint64_t id, const struct fl_job_spec *spec, fl_time at,
		struct fl_live **ret, fairlead_error *err);
/* As it was: of a checkpoint, or a row of the store. Limits count it unless it is over. */
int fl_jobs_restore(struct fl_jobs *j, const struct fl_live *row, const struct fl_job_spec *spec,
		    struct fl_live **ret, fairlead_error *err);
/* The same of one whose queue, user and asks are here already, and that waits for @after. */
int fl_jobs_place(struct fl_jobs *j, const struct fl_live *row, const struct fl_job_after *after,
		  uint32_t n_after, struct fl_live **ret, fairlead_error *err);
int fl_jobs_find_asks(struct fl_jobs *j, const struct fl_asks *a, uint32_t *ret,
		      fairlead_error *err);

/* Those that are not over as tables of an image; and back, into one that is as it was made. */
int fl_jobs_save(const struct fl_jobs *j, struct fl_image_writer *w, fairlead_error *err);
int fl_jobs_load(struct fl_jobs *j, struct fl_image *image, fairlead_error *err);

/* It is over: limits count it no more, and it waits for nobody. @how, in words, or NULL, is copied. */
int fl_jobs_end(struct fl_jobs *j, struct fl_live *job, enum fl_job_state state, const char *how,
		fairlead_error *err);
/* Those that are over and that @may (NULL: all) says yes to are forgotten. */
void fl_jobs_drop(struct fl_jobs *j, bool (*may)(void *user, const struct fl_live *job),
		  void *user);

/* How many that are not over there are of a user or queue; 0 for one never seen. */
uint32_t fl_jobs_of_user(const struct fl_jobs *j, const char *user);
uint64_t fl_jobs_bytes_of_user(const struct fl_jobs *j, const char *user);
uint32_t fl_jobs_of_queue(const struct fl_jobs *j, const char *queue);

/* Does it wait for a job yet? It waits for @on no more. */
bool fl_jobs_waits_for(const struct fl_jobs *j, uint64_t id);
void fl_jobs_waited(struct fl_jobs *j, uint64_t id, uint64_t on);
/*
 * @on ended in @state: each that waited for it is told, @fn with whether it ended as wanted, and
 * waits for it no more.  Those that @fn says of that they are over, wait for nobody.
 */
void fl_jobs_tell(struct fl_jobs *j, uint64_t on, enum fl_job_state state,
		  void (*fn)(void *user, uint64_t job, bool as_wanted), void *user);
bool fl_after_is(enum fl_after how, enum fl_job_state state);

#endif
