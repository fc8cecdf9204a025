/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity - what there is to share out, by flavor and resource, and what of it a job holds
 *
 * Plain values: what runs jobs says the first, and a policy decides the second.
 */
#ifndef FL_RECORD_CAPACITY_H
#define FL_RECORD_CAPACITY_H

#include "record/job.h"

/* So much of a flavor there is. */
struct fl_capacity_row {
	char flavor[FL_JOB_RESOURCE], resource[FL_JOB_RESOURCE];
	fl_amount amount;
};
struct fl_capacity {
	const struct fl_capacity_row *rows; /* by flavor as configured, then resource by name */
	uint32_t n;
	bool contains; /* nothing that a run starts outlives it, however its runner ends */
	const char *const *remarks; /* what is not enforced here, what was found: for the log */
	uint32_t n_remarks;
};

/* What a job holds, and its run is given. */
struct fl_run_grant {
	char resource[FL_JOB_RESOURCE], flavor[FL_JOB_RESOURCE];
	fl_amount amount; /* of all its tasks together */
};

#endif
