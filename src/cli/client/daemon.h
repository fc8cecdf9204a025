/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon - what the verbs that ask the daemon share: where it is, paths, answers, refusals
 *
 * A refusal becomes an error with the daemon's message.  What users can correct (no such job, not
 * their job) is FAIRLEAD_EINPUT and exits with 1; a daemon that is not there, is too busy or cannot
 * go on is FAIRLEAD_EIO and exits with 3.
 */
#ifndef FL_CLI_CLIENT_DAEMON_H
#define FL_CLI_CLIENT_DAEMON_H

#include "cli/cli.h"
#include "codec/job/job_word.h"
#include "net/client.h"
#include "report/out/report.h"

struct json_t; /* of jansson */

/* The one that client/server.h chooses. */
int fl_daemon_open(const struct fl_options *o, struct fl_client **ret, fairlead_error *err);

/* A path and its query, put together; lack of memory is reported when the path is used. */
struct fl_path {
	char *text;
	bool failed;
};
/* What @format makes must be a path already. */
void fl_path_start(struct fl_path *p, const char *format, ...) FL_PRINTF(2, 3);
void fl_path_add(struct fl_path *p, const char *name, const char *value); /* NULL: left out */
void fl_path_number(struct fl_path *p, const char *name, int64_t value);

/*
 * The answer as JSON, an object, for json_decref; the path is used up, also after an error.
 * @body NULL: none.
 */
int fl_daemon_ask(struct fl_client *c, const char *method, struct fl_path *path, const char *body,
		  struct json_t **ret, fairlead_error *err);
/* The answer as it is, of a status below 300. */
int fl_daemon_fetch(struct fl_client *c, const char *method, struct fl_path *path, const char *body,
		    struct fl_answer *ret, fairlead_error *err);
/* What a status from 300 on, and the body with it, mean. */
int fl_daemon_refused(const struct fl_client *c, unsigned status, const char *body, size_t len,
		      fairlead_error *err);

/* "now" of an answer, else the clock of this machine. */
fl_time fl_daemon_now(const struct json_t *answer);
/* A time, or a duration before now, in the form of paths; false: neither. */
bool fl_daemon_since(const char *text, char ret[40]);
/* The members of @object behind apiVersion and @kind, in one line. */
void fl_daemon_print_json(FILE *out, const char *kind, struct json_t *object);
/* The object as it is, in one line. */
void fl_daemon_print_line(FILE *out, struct json_t *object);

/* One word of jobs as people name them: "17", "17-20", "17[]": all of the array that began with 17. */
bool fl_daemon_job(const char *text, struct fl_job_range *ret);
/* One job; else the complaint is printed and FL_EXIT_USAGE returned, or 0. */
int fl_daemon_one_job(const struct fl_options *o, const char *text, uint64_t *ret);

/* A verb that is one question: open, ask, print; the exit code. */
struct fl_daemon_question {
	const char *kind; /* of the JSON */
	int (*text)(const struct fl_report *r, const struct json_t *answer, const void *user,
		    fairlead_error *err);
	const void *user;
	const char *method; /* NULL: GET */
	const char *body;   /* JSON; NULL: none */
};
int fl_daemon_answer(const struct fl_options *o, struct fl_path *path,
		     const struct fl_daemon_question *q);

#endif
