/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_json - a job as JSON: as a client submits it, and as the daemon stores it
 *
 * Guarantee: a job that was read is within every limit of record/job.h, and reads the same after
 * being written.  Amounts are exact.  Errors name the field as a path ("requests.cpu",
 * "after[0].job") in their subject, say what is wrong, and suggest the nearest known field.
 *
 * {"name": "train", "queue": "team-a", "priority": 0, "tasks": 1,
 *  "requests": {"cpu": "500m", "memory": "4Gi", "nvidia.com/gpu": 1},
 *  "command": ["python", "train.py"], "environment": {"K": "V"}, "directory": "/srv/u",
 *  "output": "/srv/u/log", "timeLimit": "1h30m", "grace": "30s", "signal": "TERM",
 *  "hold": false, "requeue": true, "begin": "2026-01-31T12:00:00Z", "comment": "second try",
 *  "after": [{"job": 12, "when": "ok"}], "singleton": false, "labels": {"gpu-type": "a100"},
 *  "hooks": [{"on": ["fail"], "command": "notify"}], "interactive": "terminal", "array": 100}
 *
 * Only queue, command and directory are required. "array" is the number of jobs to make, with the
 * indexes 0 to N - 1, or a text with the indexes and how many run at once, "0-99:2%10"; in a
 * stored one it is the first job of its array, beside "arrayIndex" and "arrayMost", and there are
 * "uid", "gid" and "user", which a client cannot set.
 */
#ifndef FL_CODEC_JOB_JOB_JSON_H
#define FL_CODEC_JOB_JOB_JSON_H

#include <stddef.h>

#include "base/error.h"
#include "record/job.h"

struct json_t; /* json_t of jansson */

enum fl_job_form {
	FL_JOB_SUBMITTED,
	FL_JOB_STORED,
	FL_JOB_FIRST, /* a stored one as it was when it was submitted, before changes */
};

struct fl_job_document {
	struct fl_job_spec spec; /* its texts are in `texts` */
	uint32_t copies;         /* number of jobs; 1 unless it is an array */
	bool is_array;
	uint32_t *indexes;   /* of its jobs, rising; NULL: 0 to copies - 1 */
	uint32_t array_step; /* of one range; else 0 or 1 */
	char *texts;
};
void fl_job_document_done(struct fl_job_document *d);

/*
 * Any JSON text, without repeated keys; FAIRLEAD_EINPUT with line and column.  Free with
 * json_decref.
 */
int fl_job_json_load(const char *text, size_t len, struct json_t **ret, fairlead_error *err);

/* FAIRLEAD_EINPUT, FAIRLEAD_ELIMIT, FAIRLEAD_ENOMEM. */
int fl_job_from_json(struct json_t *json, enum fl_job_form form, struct fl_job_document *ret,
		     fairlead_error *err);
/* Both in one. */
int fl_job_parse(const char *text, size_t len, enum fl_job_form form, struct fl_job_document *ret,
		 fairlead_error *err);

/* The stored form, keys in the order above; NULL: no memory. */
struct json_t *fl_job_to_json(const struct fl_job_spec *spec);
/* The same as one line of text, from malloc; NULL: no memory. */
char *fl_job_text(const struct fl_job_spec *spec);

/* "TERM" or "SIGTERM"; 0: not a signal that can stop a job. */
int fl_job_signal(const char *name);
const char *fl_job_signal_name(int number);               /* "TERM"; NULL */
const char *fl_after_name(enum fl_after how);             /* "ok" */
const char *fl_interactive_name(enum fl_interactive how); /* "terminal"; "": it is not */
/* enum fl_hook_event of "fail"; 0: there is none of this name. */
unsigned fl_hook_event(const char *name, size_t len);
const char *fl_hook_event_name(unsigned bit); /* 0: "begin"; NULL behind the last */
/* A duration as fl_period_parse reads it, exactly: "1d2h", "1500ms", "0s". */
const char *fl_job_period(fl_time length, char buffer[64]);
/*
 * Amount of a resource as a client writes it: cpu to milli-units, memory to bytes, also from
 * fractions; of all others only whole units.
 */
int fl_job_amount(const char *resource, const char *text, fl_amount *ret, fairlead_error *err);

#endif
