/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_report - what the daemon answers about jobs, queues and events, for people
 *
 * @answer is the JSON of the daemon (doc/guide/daemon.md#jobs).  A missing value, or one of the
 * wrong type, counts as empty: an odd answer never breaks a report.
 * @now is what ages are counted to.
 */
#ifndef FL_REPORT_JOB_JOB_REPORT_H
#define FL_REPORT_JOB_JOB_REPORT_H

#include "report/out/report.h"

struct json_t; /* of jansson */

/* Of GET /v1/jobs: a table and how many of what; @live: those that are over were not asked for. */
int fl_jobs_text(const struct fl_report *r, const struct json_t *answer, fl_time now, bool live,
		 fairlead_error *err);
/* Of GET /v1/jobs/17: all of one. */
int fl_job_page(const struct fl_report *r, const struct json_t *answer, fl_time now,
		fairlead_error *err);
/* Of GET /v1/queues. */
int fl_queues_text(const struct fl_report *r, const struct json_t *answer, fairlead_error *err);
/* Of GET /v1/history: what queues held, and what weights would have given. */
int fl_history_text(const struct fl_report *r, const struct json_t *answer, fairlead_error *err);
/* One event in one line, or more where the terminal is narrow. */
void fl_event_text(const struct fl_report *r, const struct json_t *event);

/* Of `fairlead top`. */
struct fl_top_report {
	const struct json_t *queues, *jobs; /* the answers */
	const struct json_t *events;        /* a list, oldest first */
	uint32_t most_jobs;                 /* of the list; 0: all */
	bool ascii;                         /* the terminal has no blocks */
};
int fl_top_text(const struct fl_report *r, const struct fl_top_report *t, fl_time now,
		fairlead_error *err);

#endif
