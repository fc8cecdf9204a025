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
 * The standing of @n: what it holds as of now; request and fair share as of the last step, or of
 * the beginning, since a try changes nothing.  Valid until the next call.
 */
const struct fl_standing *fl_entitle_standing(const struct fl_policy *p, struct fl_node n);
/* Normalised usage over time; all 0 when history does not count. */
struct fl_bundle fl_entitle_usage(const struct fl_policy *p, struct fl_node n);
/* What no workload holds of a machine; below 0 if the machine has less than is held. */
struct fl_bundle fl_entitle_idle(const struct fl_policy *p, struct fl_machine machine);
/* What all machines have for this scheduler. */
struct fl_bundle fl_entitle_total(const struct fl_policy *p);
/*
 * The workloads that the allocate action would pop before @w: the first @cap ids; returns how many
 * there are in all.
 */
uint32_t fl_entitle_ahead(const struct fl_policy *p, struct fl_workload w, uint32_t *ids,
			  uint32_t cap);

#endif
