/* SPDX-License-Identifier: Apache-2.0 */
/* submit - jobs are looked at, numbered and handed to the batch: all that were asked for, or none */
#ifndef FL_DAEMON_MACHINE_SUBMIT_H
#define FL_DAEMON_MACHINE_SUBMIT_H

#include "daemon/machine/core.h"

/*
 * @n jobs, all or none; uid, gid and user of each spec are filled in.  Checked at once: queue,
 * resources, limits, what it waits for: FAIRLEAD_EINPUT, ENOENT (queue, job), ELIMIT (which
 * limit), EIO (the store fails, nothing is taken now), and @done is not called.  A spec of an
 * array stands for itself and n-1 more: @array of them, numbered one after another.
 */
int fl_core_submit(struct fl_core *c, const struct fl_job_spec *specs, uint32_t n, uint32_t array,
		   fl_reply_fn *done, void *user, fairlead_error *err);

#endif
