/* SPDX-License-Identifier: Apache-2.0 */
/* job_read - what the files that read a job from JSON share; private to codec/job */
#ifndef FL_CODEC_JOB_JOB_READ_H
#define FL_CODEC_JOB_JOB_READ_H

#include <jansson.h>

#include "codec/job/job_json.h"

/* "must be @want, not a list"; FAIRLEAD_EINPUT. */
int fl_job_fail_type(json_t *json, const char *want, fairlead_error *err);
int fl_job_take_number(json_t *json, int64_t min, int64_t max, int64_t *ret, fairlead_error *err);
/*
 * "@name", or "@name=@value", at the end of the texts of the job; *ret_len grows by it.
 * FAIRLEAD_ELIMIT beyond FL_JOB_ARGUMENTS.
 */
int fl_job_add_text(struct fl_job_document *d, const char *name, const char *value,
		    uint32_t *ret_len, fairlead_error *err);

#endif
