/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drf - plain dominant resource fairness: what the rest of the program may see of it
 *
 * A. Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, algorithm 1: the next task is one of
 * the user whose dominant share is lowest.  The smallest policy there is, and a baseline to compare
 * others with.  README.md beside this has the rules one by one.
 *
 * The policy itself is fl_drf_policy (decide/policy.h).
 */
#ifndef FL_DECIDE_DRF_DRF_H
#define FL_DECIDE_DRF_DRF_H

#include "decide/policy.h"

extern const struct fl_policy_ops fl_drf_policy;

/* What there is of a resource in a flavor, and what of it is held; FL_UNLIMITED: without bound. */
fl_amount fl_drf_capacity(const struct fl_policy *p, struct fl_flavor f, struct fl_resource r);
fl_amount fl_drf_used(const struct fl_policy *p, struct fl_flavor f, struct fl_resource r);
/* Of a resource in all flavors: what a queue holds, and what it, or a cohort, brought. */
fl_amount fl_drf_held(const struct fl_policy *p, struct fl_node n, struct fl_resource r);
fl_amount fl_drf_quota(const struct fl_policy *p, struct fl_node n, struct fl_resource r);

/* Who is served next; FL_NONE: nobody waits, but for those who never fit. */
struct fl_workload fl_drf_next(const struct fl_policy *p);
/* Who comes before @w in its queue: the first @cap ids, in no order, and how many there are. */
uint32_t fl_drf_ahead(const struct fl_policy *p, struct fl_workload w, uint32_t *ids, uint32_t cap);

#endif
