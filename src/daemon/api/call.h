/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call - a request at its route, and what the handlers of routes share: answers, arguments,
 * permissions
 */
#ifndef FL_DAEMON_API_CALL_H
#define FL_DAEMON_API_CALL_H

#include <jansson.h>

#include "daemon/api/api.h"
#include "daemon/api/routes.h"
#include "daemon/config/access.h"
#include "daemon/engine/order.h"
#include "daemon/engine/reason.h"
#include "daemon/metrics/vitals.h"
#include "net/server.h"
#include "report/job/answers.h"

enum {
	FL_API_PAGE = 10000, /* rows of one answer, at most */
	FL_API_CHILDREN = 4, /* questions that copies of the process answer, at once */
	FL_API_THREADS =
		2, /* threads that read much of the store, at once; commits need one, too */
	FL_API_CHILD_SECONDS = 120,
	FL_API_SUBMIT = 10000, /* jobs of one request */
	FL_API_NAME = 256,     /* bytes of a name in a path, with a NUL */
};

struct fl_child;      /* child.h */
struct fl_past;       /* past.h */
struct fl_doors;      /* doors.h */
struct fl_simulation; /* simulations.c */
struct fl_evicted;
struct fl_kai_usage; /* history/kai_usage.c */
struct fl_pages;     /* page/pages.h */

/* How events are written. */
enum fl_event_form {
	FL_EVENT_LINE, /* JSON, a line each */
	FL_EVENT_SENT, /* server-sent events */
	FL_EVENT_FORMS
};

/* An event as text. */
struct fl_event_line {
	uint64_t seq;
	uint32_t n;
	char *text; /* NULL: none */
	size_t len;
};

struct fl_api {
	struct fl_api_options options;
	struct fl_daemon *daemon;
	struct fl_core
		*core; /* of a machine; NULL: a cluster's, which has no route that needs it */
	struct fl_server *server;
	struct fl_doors *doors;
	struct fl_pages *pages;
	struct fl_access *access;
	const struct fl_config *access_of; /* the configuration that `access` was made of */
	char *description;                 /* openapi.c; NULL: not made yet */
	struct fl_live_order order;        /* of pending jobs */
	/* The last event of each form: all followers get the same. */
	struct fl_event_line lines[FL_EVENT_FORMS];
	struct fl_child *children;
	uint32_t n_children, n_threads;
	struct fl_simulation *simulations;
	uint64_t last_simulation;       /* its number */
	struct fl_kai_usage *kai_usage; /* NULL: not asked for yet */
	struct fl_vitals vitals;        /* as last looked at, since a copy of the process cannot */
	bool closing;                   /* clients do not leave, but are sent away */

	void (*closed)(void *user);
	void *closed_user;
};

/* A request at its route, whose handler answers, now or later.  It is freed after its answer. */
struct fl_call {
	struct fl_api *api;
	struct fl_exchange *x;
	const struct fl_http_request *r;
	const struct fl_route *route;
	struct fl_route_place place;      /* what stands in its path */
	uint64_t job;                     /* the number in the path */
	const char *action;               /* its name in the audit log; NULL: nothing is changed */
	const struct fl_past *past;       /* what a forecast needs */
	const struct fl_evicted *evicted; /* the last eviction of the job to be explained; NULL */
	/* What a caller of a cluster may see; NULL: all. Valid until its handler returns. */
	const struct fl_sees *sees;
};

/* Answers; a request that changes something is written to the audit log. */
void fl_api_json(const struct fl_call *call, unsigned status,
		 json_t *json); /* takes it; NULL: 503 */
/* The object of @row, by its shape. */
void fl_api_answer(const struct fl_call *call, unsigned status, const struct fl_json_shape *shape,
		   const void *row);
/* The same of what comes by and by: begin, write to `at`, end; or close and done, for no answer. */
struct fl_api_text {
	struct fl_json json;
	struct fl_report report;
	struct fl_shape_at at;
	char *text;
	size_t len, cap; /* once it is closed */
};
int fl_api_text_begin(struct fl_api_text *t, fairlead_error *err);
/* FAIRLEAD_ENOMEM: some of it is not there. */
int fl_api_text_close(struct fl_api_text *t, fairlead_error *err);
void fl_api_text_done(struct fl_api_text *t);
void fl_api_text_end(const struct fl_call *call, unsigned status, struct fl_api_text *t);
/* Below /apis/ and /api/v1/ as Kubernetes and Prometheus tell them, whose clients ask there. */
void fl_api_fail(const struct fl_call *call, unsigned status, const char *text, const char *hint);
/*
 * The row of the job, also when its spec is damaged.  FAIRLEAD_EIO: the row itself is damaged,
 * which is no mistake of the client.
 */
int fl_api_row(const struct fl_call *call,
	       int (*fn)(void *user, const struct fl_job_row *row, fairlead_error *err), void *user,
	       fairlead_error *err);
/* The status follows from the code. */
void fl_api_error(const struct fl_call *call, const fairlead_error *err);
/* A part of the path, from 0 on, that is a name; what no queue's name has is a '?' in it. */
void fl_api_name_in_path(const struct fl_call *call, int i, char ret[FL_API_NAME]);
void fl_api_audit(const struct fl_call *call, const char *subject, unsigned status);
unsigned fl_api_status(int code);

/* An argument that is a number; @def when it is not given. False: an error was answered. */
bool fl_api_number(const struct fl_call *call, const char *name, uint64_t def, uint64_t max,
		   uint64_t *ret);
bool fl_api_flag(const struct fl_call *call, const char *name);
/*
 * A time as people write it, in the daemon's time; @def when it is not given.  False: an error was
 * answered.
 */
bool fl_api_time(const struct fl_call *call, const char *name, fl_time def, fl_time *ret);

/* A time of the daemon's clock as people read it, or null. */
json_t *fl_api_moment(const struct fl_api *a, fl_time at);
/* The same as a time on the wall, or FL_TIME_NONE. */
fl_time fl_api_wall(const struct fl_api *a, fl_time at);
fl_time fl_api_now(const struct fl_api *a);
/* A job of this user that was submitted to @queue. */
bool fl_api_may_touch(const struct fl_call *call, uid_t owner, const char *queue);
/* What the caller is told when not. */
const char *fl_api_not_yours(const struct fl_call *call);
/* As much of the reason of such a job as the caller may see. */
const char *fl_api_reason(const struct fl_call *call, uid_t owner, const char *queue,
			  const char *reason, char buffer[FL_LIVE_REASON]);
/* Which daemon it is. */
enum fl_daemons fl_api_is_of(const struct fl_api *a);
bool fl_api_is_admin(const struct fl_call *call);
/* May the caller submit to the queue? False: *err says why, code ENOENT or ESTATE. */
bool fl_api_may_use(const struct fl_call *call, const char *queue, fairlead_error *err);
/* A higher priority than that of the settings is for admins. */
bool fl_api_may_have_priority(const struct fl_call *call, int32_t priority, fairlead_error *err);

#endif
