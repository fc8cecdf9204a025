/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drf - plain dominant resource fairness: what the rest of the program may see of it
 *
 * A. Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, algorithm 1: the next task is one of
 * the user whose dominant share is lowest.  The smallest policy that there is, and a baseline for
 * comparisons.  README.md beside this file has its rules one by one.
 *
 * The policy itself is fl_drf_policy (decide/policy.h).
 */
#ifndef FL_DECIDE_DRF_DRF_H
#define FL_DECIDE_DRF_DRF_H

#include "decide/policy.h"

extern const struct fl_policy_ops fl_drf_policy;

/*
 * The capacity of a flavor for a resource, and how much of it is held; FL_UNLIMITED: without
 * bound.
 */
fl_amount fl_drf_capacity(const struct fl_policy *p, struct fl_flavor f, struct fl_resource r);
fl_amount fl_drf_used(const struct fl_policy *p, struct fl_flavor f, struct fl_resource r);
/* Of a resource in all flavors: what a queue holds, and the nominal quota of a queue or cohort. */
fl_amount fl_drf_held(const struct fl_policy *p, struct fl_node n, struct fl_resource r);
fl_amount fl_drf_quota(const struct fl_policy *p, struct fl_node n, struct fl_resource r);

/* The workload that is served next; FL_NONE: none is pending, or only such as never fit. */
struct fl_workload fl_drf_next(const struct fl_policy *p);
/*
 * The workloads that come before @w in its queue: the first @cap ids, in no order; returns how
 * many there are in all.
 */
uint32_t fl_drf_ahead(const struct fl_policy *p, struct fl_workload w, uint32_t *ids, uint32_t cap);

#endif
