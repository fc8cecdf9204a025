/* SPDX-License-Identifier: Apache-2.0 */
/*
 * come - which jobs came by a moment: numbers rise with the time of submission
 *
 * Cost: some 60 rows of the store, whatever is in it.
 */
#ifndef FL_DAEMON_API_JOB_COME_H
#define FL_DAEMON_API_JOB_COME_H

#include "store/store.h"

/*
 * *before is a number or 0, which is any: it becomes the lowest up to which all jobs of the store that were submitted
 * by @at have lower ones, and none that came later.
 */
int fl_jobs_come_by(struct fl_store *s, fl_time at, uint64_t *before, fairlead_error *err);

#endif
