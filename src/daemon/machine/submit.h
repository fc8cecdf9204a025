/* SPDX-License-Identifier: Apache-2.0 */
/* submit - jobs are checked, numbered and added to the batch: all of a request, or none */
#ifndef FL_DAEMON_MACHINE_SUBMIT_H
#define FL_DAEMON_MACHINE_SUBMIT_H

#include "daemon/machine/core.h"

struct fl_submitted_array {
	uint32_t n;
	const uint32_t *indexes; /* of its jobs; NULL: 0 to n - 1 */
};

/*
 * @n jobs, all or none; uid, gid and user of each spec are filled in.  Checked at once: queue,
 * resources, limits, dependencies: FAIRLEAD_EINPUT, ENOENT (queue, job), ESTATE (a job that it waits
 * for has ended otherwise), ELIMIT (which limit), EIO (the store fails, no request is taken now),
 * and @done is not called.  With @array the one spec stands for jobs numbered one after another.
 */
int fl_core_submit(struct fl_core *c, const struct fl_job_spec *specs, uint32_t n,
		   const struct fl_submitted_array *array, fl_reply_fn *done, void *user,
		   fairlead_error *err);

/* Is it submitted, and on its way to the disk? */
bool fl_core_is_coming(const struct fl_core *c, uint64_t job);
/*
 * May a job that has ended be pending again, as one of @more?  Its queue must be there, and limits
 * count it.  FAIRLEAD_ENOENT, ELIMIT.
 */
int fl_core_check_again(const struct fl_core *c, uint64_t job, uint32_t more, fairlead_error *err);

#endif
