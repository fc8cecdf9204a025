/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai - recorded cases of entitlement, a function a suite
 *
 * Each decides the case in @d, one line of a suite, without looking at `expected`, and
 * puts what comes out on @out as JSON in the form of that; or fails.  kai_read.h has what
 * the suites have in common.
 *
 * Test code: allocates from the heap and exits with status 3 when it cannot.
 */
#ifndef CONFORMANCE_KAI_H
#define CONFORMANCE_KAI_H

#include <stdio.h>

#include "codec/text/doc.h"
#include "decide/policy.h"

/* With --reload the one that is saved and loaded before each step (lib/reload.h). */
extern const struct fl_policy_ops *kai_ops;
/* The policy that entitle's own functions know. */
struct fl_policy *kai_policy(struct fl_policy *p);

typedef int kai_case(const struct fl_doc *d, FILE *out, fairlead_error *err);

kai_case kai_capacity_case;
kai_case kai_cluster_case;
kai_case kai_division_case;
kai_case kai_minruntime_case;
kai_case kai_order_case;
kai_case kai_reclaim_case;
kai_case kai_timeaware_case;
kai_case kai_timeseries_case;

#endif
