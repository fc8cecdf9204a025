/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes - the paths of the API (routes.def): which one a request is for, and its arguments
 *
 * The description at /v1/openapi.json (openapi.c) and the tables of doc/guide/api.md are made of the
 * same rows.
 */
#ifndef FL_DAEMON_API_ROUTES_H
#define FL_DAEMON_API_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fl_call;

enum fl_who {
	FL_WHO_PROBE,   /* also callers that may ask for the daemon's health only */
	FL_WHO_ANYBODY, /* with the right to read, or, of routes with an action, to submit */
	FL_WHO_OWNER,   /* the owner of the job, and admins */
	FL_WHO_ADMIN,
};

/* Which daemons have a route: sets. */
enum fl_daemons {
	FL_DAEMONS_MACHINE = 1, /* runs jobs on a machine */
	FL_DAEMONS_CLUSTER = 2, /* watches a cluster */
	FL_DAEMONS_EVERY = 3,
};

enum fl_argument_type {
	FL_ARGUMENT_IS_TEXT,
	FL_ARGUMENT_IS_NUMBER,
	FL_ARGUMENT_IS_FLAG,
	FL_ARGUMENT_IS_TIME
};

/* An argument of a query, or a part of a path. */
struct fl_argument {
	const char *name;
	enum fl_argument_type type;
	const char *text; /* for people */
};

enum { FL_ROUTE_ARGUMENTS = 12, FL_ROUTE_PARTS = 2 };

struct fl_route {
	const char *method, *path; /* with {name} for one part */
	const char *name;          /* operationId */
	void (*handler)(struct fl_call *call);
	enum fl_who who;
	enum fl_daemons daemons;
	const char *action; /* its name in the audit log; NULL: it changes nothing */
	uint8_t arguments[FL_ROUTE_ARGUMENTS + 1]; /* rows of fl_arguments; 0 behind the last */
	uint8_t body, answer;                      /* rows of the description (openapi.c) */
	const char *text;                          /* Markdown */
};
/* NULL: there are no more. */
const struct fl_route *fl_route(unsigned i);
const struct fl_argument *fl_argument(unsigned i);
/* The part of a path with this name. */
const struct fl_argument *fl_route_part(const char *name, size_t len);

/* What stands in a path for its parts. */
struct fl_route_place {
	uint64_t job; /* {job}, {simulation} or {window}; 0 */
	struct {
		const char *text; /* within the path, not ended by NUL */
		size_t len;
	} parts[FL_ROUTE_PARTS]; /* of all others, in their order */
};
/* NULL: none; *ret_known: the path exists, but for another method. */
const struct fl_route *fl_route_of(const char *method, const char *path, struct fl_route_place *ret,
				   bool *ret_known);

/*
 * Refuses a request with an argument that its route has not, as the answer would be that without it.
 * False: an error was answered.
 */
bool fl_route_check(const struct fl_call *call);

#endif
