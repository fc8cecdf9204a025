/* SPDX-License-Identifier: Apache-2.0 */
/* words - reading the daemon's answers, and words that its reports share */
#ifndef FL_REPORT_JOB_WORDS_H
#define FL_REPORT_JOB_WORDS_H

#include <jansson.h>

#include "report/job/job_report.h"

enum { FL_JOB_WORDS = 1024 };

const char *fl_json_word(const json_t *object, const char *key); /* "" */
int64_t fl_json_whole(const json_t *object, const char *key);    /* 0 */
fl_time fl_json_instant(const json_t *object, const char *key);  /* FL_TIME_NONE */
/* An amount as a number, in units; 0: none or not to be read; unlimited is infinite. */
double fl_json_units(const json_t *object, const char *key);
/* The same of a text. */
double fl_job_units(const char *amount);

/* Bytes that are long, rounded to four digits: "23.54Gi" for "24684084Ki"; all else as it is. */
const char *fl_job_short(const char *amount, char buffer[32]);

/* The same of a number or a text in JSON; "?" */
const char *fl_job_amount_text(const json_t *amount, char buffer[32]);

/* "gpu" for "nvidia.com/gpu" */
const char *fl_job_resource(const char *name);
/* "4 x cpu=2, gpu=1"; "-" */
const char *fl_job_asks(const json_t *job, char buffer[FL_JOB_WORDS]);
/* Why it waits, or how it ended; "" */
const char *fl_job_why(const json_t *job, char buffer[FL_JOB_WORDS]);
/* How long it runs, waits, or ran; "-" */
const char *fl_job_time(const json_t *job, fl_time now, char buffer[32]);
/* Its name, and which of its array it is: "train[3]" */
const char *fl_job_title(const json_t *job, char buffer[FL_JOB_WORDS]);
enum fl_style fl_job_style(const char *state);
/* "2026-01-01 12:00:00" */
const char *fl_job_clock(fl_time t, char buffer[40]);

/* "3 run, 12 wait, 1 held" by the states of jobs. */
const char *fl_jobs_summary(const json_t *jobs, char buffer[FL_JOB_WORDS]);

#endif
