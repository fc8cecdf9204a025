/* SPDX-License-Identifier: Apache-2.0 */
/* job_read_array - the indexes of an array that is submitted; private to codec/job */
#ifndef FL_CODEC_JOB_JOB_READ_ARRAY_H
#define FL_CODEC_JOB_JOB_READ_ARRAY_H

#include "codec/job/job_read.h"

/* A number of jobs, or a text such as "0-99:2%10": copies, indexes and how many at once. */
int fl_job_take_array(json_t *json, struct fl_job_document *d, fairlead_error *err);
/* Variables that are set in jobs of an array; those of the job that submits are not passed on. */
bool fl_job_is_array_variable(const char *name);
int fl_job_add_array_variables(struct fl_job_document *d, fairlead_error *err);

#endif
