/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample - configurations larger than can be enumerated, at random
 *
 * The same seed and number are the same configuration in every run, whatever was drawn before.
 */
#ifndef FL_TESTS_PROVE_SAMPLE_H
#define FL_TESTS_PROVE_SAMPLE_H

#include "config.h"

/*
 * 2 to 6 queues with 3 to 8 workloads, below 1 to 3 levels of cohorts; 1 or 2 resources, 1 or 2
 * flavors; quotas of queues 0 to 3, of cohorts 0 to 2, requests 1 to 5.  A part each has weights
 * other than 1 (0, 2, 3, 10), priorities 0 to 2, limits of borrowing and lending, gangs and partial
 * admission, a Policy that holds freed quota, and preemption within a queue.  Half of them are
 * explored from nothing, and have at most 5 workloads; half are `full`.
 */
struct config sample_config(uint64_t seed, uint64_t number);

#endif
