/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle - KAI's policy: what the rest of the program may see of it
 *
 * The policy itself is fl_entitle_policy (decide/policy.h).
 */
#ifndef FL_DECIDE_ENTITLE_ENTITLE_H
#define FL_DECIDE_ENTITLE_ENTITLE_H

#include "decide/entitle/standing.h"
#include "decide/policy.h"

extern const struct fl_policy_ops fl_entitle_policy;

/*
 * What it holds as of now, requests and fair shares as of the last step, or of the beginning: a
 * try leaves nothing behind.  Valid until the next call.
 */
const struct fl_standing *fl_entitle_standing(const struct fl_policy *p, struct fl_node n);
/* Normalised usage over time; all 0 when history does not count. */
struct fl_bundle fl_entitle_usage(const struct fl_policy *p, struct fl_node n);
/* What nobody holds of a machine; below 0 where it lost room. */
struct fl_bundle fl_entitle_idle(const struct fl_policy *p, struct fl_machine machine);
/* What the machines have for us in all. */
struct fl_bundle fl_entitle_total(const struct fl_policy *p);
/* Who would be popped before @w by the allocate action: the first @cap ids, and how many. */
uint32_t fl_entitle_ahead(const struct fl_policy *p, struct fl_workload w, uint32_t *ids,
			  uint32_t cap);

#endif
