/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon - what answers need of a daemon, whatever decides in it, and wherever its jobs run
 *
 * A core (machine/core.h) has one; the API asks by it and knows no core, but for what only a machine
 * can do (daemon/api/routes.def says which).  All that is returned is valid until the loop goes on.
 */
#ifndef FL_DAEMON_ENGINE_DAEMON_H
#define FL_DAEMON_ENGINE_DAEMON_H

#include "daemon/engine/clock.h"
#include "daemon/engine/events.h"
#include "daemon/engine/reason.h"
#include "model/daemon.h"

struct fl_agreement; /* agreement.h */
struct fl_audit_row;
struct fl_daemon;
struct fl_job_row;
struct fl_mirrored_answer; /* report/job/mirrored.h */
struct fl_mirrored_question;
struct fl_metrics;          /* metrics.h */
struct fl_store;            /* store.h */
struct fl_weighed_capacity; /* history/weighed.h */

/* Of a daemon that decides for another system: what becomes of its writes. */
enum fl_written {
	FL_WRITTEN_DONE, /* the other system shows it */
	FL_WRITTEN_CONFLICT,
	FL_WRITTEN_REJECTED,
	FL_WRITTEN_RETRIED,
	FL_WRITTENS
};

/* And what becomes of what it tells there of them, where that is wanted. */
enum fl_telling {
	FL_TELLING_DONE,
	FL_TELLING_REJECTED,
	FL_TELLING_DROPPED, /* never taken, or too many waited */
	FL_TELLINGS
};

struct fl_daemon_writing {
	bool leads;       /* of several, it decides */
	uint32_t intents; /* decided, and not seen yet */
	uint32_t stopped; /* trees in which nothing is decided, as it is not known what is held */
	fl_time oldest;   /* how long ago the first of those was decided; 0 */
	uint64_t writes[FL_WRITTENS], tellings[FL_TELLINGS];
};

/* How a Workload lost its quota, as its conditions say. */
struct fl_last_eviction {
	fl_time at; /* of the API server; FL_TIME_NONE */
	bool preempted;
	char reason[64], rule[64]; /* of conditions Evicted and Preempted; "" */
	enum fl_reason why;        /* FL_REASON_NONE: no reason of ours */
	bool for_one;              /* the condition names for which Workload */
	struct fl_workload
		by; /* which that is in the present generation; FL_NONE: it is not there */
};

struct fl_daemon_ops {
	struct fl_living (*living)(const struct fl_daemon *d);
	struct fl_jobs *(*jobs)(struct fl_daemon *d);
	/* The time of its state: not before the last thing that happened. */
	fl_time (*now)(const struct fl_daemon *d);
	/* Goes up with each change of its state. */
	uint64_t (*version)(const struct fl_daemon *d);
	/* What there was of each resource, by time; from malloc.  NULL: it is not known. */
	int (*capacities)(const struct fl_daemon *d, struct fl_weighed_capacity **ret,
			  uint32_t *ret_n, fairlead_error *err);
	/*
	 * Name, queue and spec of a job that were changed, and are on their way to the store; NULL:
	 * those in the store are the newest.
	 */
	const struct fl_job_row *(*newer)(const struct fl_daemon *d, uint64_t job);
	/* The events that the store may not have yet, in order. */
	void (*unwritten)(const struct fl_daemon *d,
			  void (*fn)(void *user, const struct fl_event_row *row), void *user);
	const char *(*problem)(const struct fl_daemon *d); /* NULL: all is well */
	/* Why the database cannot be written, in words; NULL: it can. */
	const char *(*store_problem)(const struct fl_daemon *d);
	/* What no admin has acknowledged; NULL. */
	const char *(*warning)(const struct fl_daemon *d);
	/* Why it has no state to be asked about yet, in words; NULL: it has, always. */
	const char *(*unready)(const struct fl_daemon *d);
	/* Why its state may be old, in words; NULL: it is not. NULL for a daemon whose state is its own. */
	const char *(*stale)(const struct fl_daemon *d);
	/* Of a cluster: the job of a Workload; NULL: no such one. And back. */
	const struct fl_live *(*find)(const struct fl_daemon *d, const char *namespace,
				      const char *name);
	bool (*named)(const struct fl_daemon *d, const struct fl_live *job,
		      const char **ret_namespace, const char **ret_name);
	/* How often another scheduler decided as the engine would; NULL: no other one decides. */
	const struct fl_agreement *(*agreement)(const struct fl_daemon *d);
	/* Of a cluster: what was heard of its objects, which *ret is filled with; NULL: there is none. */
	int (*mirrored)(const struct fl_daemon *d, const struct fl_mirrored_question *q,
			struct fl_mirrored_answer *ret, fairlead_error *err);
	/* Of a cluster, whose objects tell: 1, 0 where the job was not evicted. NULL: events tell. FAIRLEAD_ENOMEM. */
	int (*last_eviction)(const struct fl_daemon *d, const struct fl_live *job,
			     struct fl_last_eviction *ret, fairlead_error *err);
	/* Where it decides for another system, what becomes of that; false: it does not. NULL: it never does. */
	bool (*writing)(const struct fl_daemon *d, struct fl_daemon_writing *ret);
	/* A row of the audit log, written soon. Texts are copied. */
	void (*audit)(struct fl_daemon *d, const struct fl_audit_row *row);
	/* A line for the journal of the system. */
	void (*log)(const struct fl_daemon *d, const char *line);
};

/* The parts that stay the same from its start to its end, which its owner keeps. */
struct fl_daemon {
	const struct fl_daemon_ops *ops;
	struct fl_clock clock;
	/*
	 * The settings as read at the start, for those that count only then.  Their symbols and spans
	 * must not be used.
	 */
	struct fl_daemon_settings start_settings;
	struct fl_store *store;
	struct fl_metrics *metrics;
	struct fl_follower *followers;
	fl_time started;
};

static inline uint64_t fl_daemon_version(const struct fl_daemon *d) { return d->ops->version(d); }
static inline const char *fl_daemon_problem(const struct fl_daemon *d)
{
	return d->ops->problem(d);
}
static inline const char *fl_daemon_store_problem(const struct fl_daemon *d)
{
	return d->ops->store_problem(d);
}
static inline const char *fl_daemon_warning(const struct fl_daemon *d)
{
	return d->ops->warning(d);
}
static inline const char *fl_daemon_unready(const struct fl_daemon *d)
{
	return d->ops->unready ? d->ops->unready(d) : NULL;
}
static inline const struct fl_agreement *fl_daemon_agreement(const struct fl_daemon *d)
{
	return d->ops->agreement ? d->ops->agreement(d) : NULL;
}

/* The state that questions are about. Its policy may be marked and rolled back. */
void fl_daemon_view(const struct fl_daemon *d, struct fl_live_view *ret);
/* fl_live_view_try of the present state: in a copy of the process, once. */
int fl_daemon_try(struct fl_daemon *d, const struct fl_config *config, struct fl_live_view *ret,
		  fairlead_error *err);
const struct fl_config *fl_daemon_config(const struct fl_daemon *d);
const struct fl_daemon_settings *fl_daemon_settings_of(const struct fl_daemon *d);

/* A job that has not ended, or ended a moment ago; others are in the store only. */
const struct fl_live *fl_daemon_job(const struct fl_daemon *d, uint64_t id); /* NULL */
/* FL_NONE: no job has this word. NULL: FL_NONE. */
struct fl_sym fl_daemon_find_word(const struct fl_daemon *d, const char *text);
/* Queue or user of a job, until the next one is added. */
const char *fl_daemon_word(const struct fl_daemon *d, struct fl_sym word);
/* The ClusterQueue or Queue of a job; "" when its queue does not exist any more. */
const char *fl_daemon_queue(const struct fl_daemon *d, const struct fl_live *job);
/* fl_live_reason. @size: FL_LIVE_REASON is enough. */
const char *fl_daemon_reason(const struct fl_daemon *d, const struct fl_live *job, char *buffer,
			     size_t size);

void fl_daemon_follow(struct fl_daemon *d, struct fl_follower *f);
void fl_daemon_unfollow(struct fl_daemon *d, struct fl_follower *f);
void fl_daemon_log(const struct fl_daemon *d, const char *format, ...) FL_PRINTF(2, 3);

#endif
