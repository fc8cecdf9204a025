/* SPDX-License-Identifier: Apache-2.0 */
/* submit - jobs are checked, numbered and added to the batch: all of a request, or none */
#ifndef FL_DAEMON_MACHINE_SUBMIT_H
#define FL_DAEMON_MACHINE_SUBMIT_H

#include "daemon/machine/core.h"

/*
 * @n jobs, all or none; uid, gid and user of each spec are filled in.  Checked at once: queue,
 * resources, limits, dependencies: FAIRLEAD_EINPUT, ENOENT (queue, job), ELIMIT (which limit), EIO
 * (the store fails, no request is taken now), and @done is not called.  The spec of an array stands
 * for @array jobs, numbered one after another.
 */
int fl_core_submit(struct fl_core *c, const struct fl_job_spec *specs, uint32_t n, uint32_t array,
		   fl_reply_fn *done, void *user, fairlead_error *err);

#endif
