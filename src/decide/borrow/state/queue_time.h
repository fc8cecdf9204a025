/* SPDX-License-Identifier: Apache-2.0 */
/* queue_time - what decides the order of workloads of equal priority: their times, then their uids */
#ifndef FL_DECIDE_BORROW_STATE_QUEUE_TIME_H
#define FL_DECIDE_BORROW_STATE_QUEUE_TIME_H

#include "base/ids.h"

struct fl_policy;

/* The time by which queue order and "newer" go: fl_job.since. */
fl_time fl_queue_time(const struct fl_policy *p, struct fl_workload w);
/* By uid, then namespace and name, as strings. */
int fl_cmp_unranked(const struct fl_policy *p, uint32_t a, uint32_t b);

#endif
