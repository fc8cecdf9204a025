/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_word - jobs, states and signals as people write them
 *
 * Bounded by the text: nothing is kept of it.
 */
#ifndef FL_CODEC_JOB_JOB_WORD_H
#define FL_CODEC_JOB_JOB_WORD_H

#include "base/error.h"
#include "record/job.h"

/* Numbers of jobs from first to last; array: all of the array whose first job is `first`. */
struct fl_job_range {
	uint64_t first, last;
	bool array;
};

enum { FL_JOB_RANGES = 1000 }; /* of one text */

/*
 * The next of a list "3,5,10-20,17[]" at *at, which moves behind it.  1: *ret is filled in; 0: the
 * list has ended.  FAIRLEAD_EINPUT: it is none of these, or has more than FL_JOB_ARRAY jobs.
 */
int fl_job_range_next(const char **at, struct fl_job_range *ret, fairlead_error *err);

/*
 * "waits,runs": bits 1 << enum fl_job_state.  Also Slurm's words, in either case: PENDING or PD is
 * held, depends and waits; RUNNING or R starts, runs and stops.  FAIRLEAD_EINPUT names the word.
 */
int fl_job_states_read(const char *text, uint32_t *ret, fairlead_error *err);

/*
 * A signal that is sent to a job that goes on: "USR1", "SIGUSR1", "10", also STOP and CONT.
 * FAIRLEAD_EINPUT.
 */
int fl_job_signal_read(const char *text, int *ret, fairlead_error *err);

#endif
