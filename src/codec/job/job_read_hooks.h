/* SPDX-License-Identifier: Apache-2.0 */
/* job_read_hooks - commands that are run when something becomes of a job; private to codec/job */
#ifndef FL_CODEC_JOB_JOB_READ_HOOKS_H
#define FL_CODEC_JOB_JOB_READ_HOOKS_H

#include "codec/job/job_read.h"

/* Errors name the field "hooks" and the place in it. */
int fl_job_take_hooks(json_t *json, struct fl_job_document *d, fairlead_error *err);

#endif
