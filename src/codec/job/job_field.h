/* SPDX-License-Identifier: Apache-2.0 */
/* job_field - the fields of a job as JSON, for its reader and its writers */
#ifndef FL_CODEC_JOB_JOB_FIELD_H
#define FL_CODEC_JOB_JOB_FIELD_H

/* In the order in which they are read and written. */
enum fl_job_field {
	FL_JOB_F_NAME,
	FL_JOB_F_QUEUE,
	FL_JOB_F_PRIORITY,
	FL_JOB_F_TASKS,
	FL_JOB_F_REQUESTS,
	FL_JOB_F_COMMAND, /* the texts of these three are stored in this order */
	FL_JOB_F_HOOKS,
	FL_JOB_F_ENVIRONMENT,
	FL_JOB_F_DIRECTORY,
	FL_JOB_F_OUTPUT,
	FL_JOB_F_TIME_LIMIT,
	FL_JOB_F_GRACE,
	FL_JOB_F_SIGNAL,
	FL_JOB_F_HOLD,
	FL_JOB_F_REQUEUE,
	FL_JOB_F_BEGIN,
	FL_JOB_F_COMMENT,
	FL_JOB_F_AFTER,
	FL_JOB_F_SINGLETON,
	FL_JOB_F_LABELS,
	FL_JOB_F_INTERACTIVE,
	FL_JOB_F_ARRAY,
	FL_JOB_F_ARRAY_INDEX, /* this and the following ones are of a stored job only */
	FL_JOB_F_ARRAY_MOST,
	FL_JOB_F_UID,
	FL_JOB_F_GID,
	FL_JOB_F_USER,
	FL_JOB_F_HOLD_REASON,
	FL_JOB_F_FIRST, /* what it was submitted with, where that was changed (job_update.h) */
	FL_JOB_FIELDS
};

extern const char *const fl_job_fields[FL_JOB_FIELDS];

#endif
