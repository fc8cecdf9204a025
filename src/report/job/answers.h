/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers - what the daemon answers about jobs, queues and events, as JSON: rows and their shapes
 *
 * The daemon fills in the rows.  The command prints the same with apiVersion and kind before it;
 * the documents here are what it prints, and doc/schema has their schemas.
 * Times are on the wall, FL_TIME_NONE: none.
 */
#ifndef FL_REPORT_JOB_ANSWERS_H
#define FL_REPORT_JOB_ANSWERS_H

#include <jansson.h>

#include "record/capacity.h"
#include "record/history.h"
#include "report/out/shape.h"

/* --- GET /v1/jobs/17, and one of GET /v1/jobs --- */

struct fl_job_exit {
	const char *kind;
	int32_t status;
};

struct fl_job_answer {
	struct fl_job_row row;
	const char *state;              /* of the row, or "damaged" */
	const char *why;                /* NULL: it runs, or is over well */
	const json_t *spec;             /* as it is kept; NULL: it cannot be read */
	double ran;                     /* seconds */
	const struct fl_job_exit *exit; /* NULL: it has not ended */
	const struct fl_run_grant *holds;
	const uint32_t *devices;
	uint32_t n_holds, n_devices;
	bool own;              /* the user that asks may see what only its owner and admins do */
	bool may_have_devices; /* it is not over, and its row is what was written */
	bool live;             /* it is not over */
	/* Of the page alone. */
	bool contained;
	uint64_t output_lost;
	struct fl_job_used {
		double waited, lost;        /* seconds */
		double cpu;                 /* seconds; NAN: not known */
		uint64_t memory;            /* bytes at most; 0: not known */
		double of_cores, of_memory; /* parts of what it held; NAN: not known */
	} used;
	fl_time now;
};

struct fl_attempt_answer {
	struct fl_admission_row row;
	double waited, cpu; /* seconds; cpu NAN: not known */
	const struct fl_run_grant *holds;
	uint32_t n_holds;
};

/* The page is written with fl_shape_begin and fl_shape_rest; between them each attempt. */
extern const struct fl_json_shape fl_job_shape, fl_job_page_shape, fl_attempt_shape;
extern const struct fl_document fl_job_document;

/* --- GET /v1/jobs --- */

struct fl_jobs_answer {
	/* Each of them as JSON: so many bytes of the text, from there on. */
	const struct fl_json_piece {
		size_t at, len;
	} * pieces;
	const char *text;
	uint32_t n;
	bool more;
	const char *go_on; /* what the next request says; NULL: there is none */
	/* How many there are that the caller may not get, by queue; not of callers that see all. */
	const struct fl_others_answer {
		const char *queue; /* NULL: it may not see queues */
		uint32_t jobs;
	} * others;
	uint32_t n_others;
	bool limited;
	fl_time now;
	const char *warning; /* NULL */
};

extern const struct fl_json_shape fl_jobs_shape;
extern const struct fl_document fl_jobs_document;

/* --- GET /v1/starts --- */

struct fl_start_answer {
	uint64_t job;
	const char *state;
	fl_time start, from, to; /* FL_TIME_NONE: not known, or not as far as was looked */
};
struct fl_starts_answer {
	const struct fl_start_answer *starts;
	uint32_t n, runs;
	double ahead; /* seconds */
	bool more;
	fl_time now;
};

extern const struct fl_json_shape fl_starts_shape;

/* --- POST /v1/jobs, and wishes about one --- */

struct fl_submitted_answer {
	const uint64_t *jobs;
	uint32_t n;
	const json_t *notes; /* NULL: none */
};

extern const struct fl_json_shape fl_submitted_shape;
extern const struct fl_document fl_submitted_document;

/* What became of one wish: a state, or why not. */
struct fl_job_change {
	uint64_t job;
	const char *state, *error;
};
struct fl_job_changes_answer {
	const struct fl_job_change *changes;
	uint32_t n, done, refused;
	const char
		*only; /* the user whose jobs alone were looked at; NULL: all that were asked for */
	uint64_t go_on; /* there may be more, behind this number; 0: no */
};

extern const struct fl_json_shape fl_job_change_shape, fl_job_changes_shape;
extern const struct fl_document fl_job_changes_document;

/* --- GET /v1/events: a line of it --- */

struct fl_event_answer {
	char id[48];
	struct fl_event_row row;
};

extern const struct fl_json_shape fl_event_shape;
extern const struct fl_document fl_event_document;

/* --- GET /v1/queues, GET /v1/shares --- */

enum { FL_AMOUNT_TEXT = 32 };

/* Of one resource; as people write amounts, "": not there. */
struct fl_queue_amounts {
	const char *resource;
	char nominal[FL_AMOUNT_TEXT], usage[FL_AMOUNT_TEXT], borrowed[FL_AMOUNT_TEXT];
	char lent[FL_AMOUNT_TEXT], pending[FL_AMOUNT_TEXT], fair_share[FL_AMOUNT_TEXT];
};

struct fl_queue_answer {
	const char *name, *kind, *namespace, *parent; /* namespace: of a LocalQueue; NULL */
	double weight, share;                         /* share NAN: none */
	const struct fl_queue_amounts *resources;
	uint32_t n_resources, running, waiting, held;
	const json_t *conditions; /* NULL: none */
	bool submit, may_use;     /* jobs are submitted by this name */
};

struct fl_queues_answer {
	const char *policy;
	fl_time now;
	struct fl_queue_answer *queues;       /* LocalQueues last */
	const struct fl_queue_amounts *total; /* nominal: what there is to be divided */
	uint32_t n, n_nodes, n_total;         /* n_nodes: of n, without LocalQueues */
	const char *warning;                  /* NULL */
};

/* Of one of @n, by its resource; NULL. */
const struct fl_queue_amounts *fl_queue_amounts_find(const struct fl_queue_amounts *rows,
						     uint32_t n, const char *resource);

extern const struct fl_json_shape fl_queues_shape, fl_shares_shape;
extern const struct fl_document fl_queues_document;

/* --- GET /v1/history --- */

/* NAN: not known. */
struct fl_history_part {
	const char *resource;
	double had, part, due, due_part, wanted;
};

struct fl_history_queue {
	const struct fl_queue_answer *queue;
	const struct fl_history_part *parts;
	uint32_t n_parts;
	double wait_median, wait_longest; /* NAN: no jobs */
	uint64_t jobs, preempted;
};

/* A time of which nothing was kept. */
struct fl_history_gap {
	fl_time from, to;
	char why[128];
};
struct fl_history_answer {
	fl_time from, to;
	const struct fl_history_queue *queues;
	uint32_t n;
	const char *tier; /* the coarsest that was read */
	double error;     /* seconds */
	const struct fl_history_gap *gaps;
	uint32_t n_gaps;
	bool has_gaps;
};

extern const struct fl_json_shape fl_history_shape;
extern const struct fl_document fl_history_document;

/* --- GET /v1/usage --- */

struct fl_usage_part {
	const char *resource;
	double held, of_queue, of_all; /* held: in units times seconds; both others are parts */
};

/* What one user held in one queue. */
struct fl_usage_line {
	const char *user; /* NULL: of jobs that are not kept any more */
	const char *queue;
	uint64_t jobs, attempts, preempted;
	const struct fl_usage_part *parts;
	uint32_t n_parts;
};

struct fl_usage_answer {
	fl_time from, to;
	const char *tier; /* always exact: sums do not know users */
	double error;     /* seconds: 0 */
	const struct fl_usage_line *lines;
	uint32_t n;
};

extern const struct fl_json_shape fl_usage_shape;
extern const struct fl_document fl_usage_document;

/* --- GET /v1/series --- */

/* Means of the time of a row. */
struct fl_along_part {
	const char *resource;
	double held, entitled, waiting, borrowed, lent, nominal;
};

struct fl_along_row {
	fl_time from, to;
	double seconds;
	const char *tier;
	uint64_t version, started, preempted;
	double share, share_most;       /* NAN: not known */
	double wait_mean, wait_longest; /* seconds; NAN: no job started */
	const struct fl_along_part *parts;
	uint32_t n_parts;
};

struct fl_series_answer {
	const char *queue, *step;
	fl_time from, to;
	const struct fl_along_row *rows;
	uint32_t n;
	fl_time more;
};

extern const struct fl_json_shape fl_series_shape;
extern const struct fl_document fl_series_document;

#endif
