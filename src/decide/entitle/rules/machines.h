/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machines - on which machine a task is placed (doc/semantics/entitle.md, E9.6)
 *
 * A task fits where idle and leaving room together are enough.  Of the machines where it fits: one
 * where it can start at once comes before one where it must wait; for a task without GPUs one that
 * has no GPUs comes first; then bin-packing, the fewest free GPUs (cpu, for a task without GPUs)
 * counting leaving room as free, or, when told to spread, the largest free part; then the name.
 *
 * Limits: node selectors, required node affinity and taints count; volumes, ports, pod affinity
 * and topology do not.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_MACHINES_H
#define FL_DECIDE_ENTITLE_RULES_MACHINES_H

#include "decide/entitle/state/state.h"

struct fl_spot {
	struct fl_machine machine; /* FL_NONE: it fits on none */
	bool now;                  /* it fits into idle room, with nothing leaving first */
	bool only;                 /* true: no other suitable machine has room; false: not known */
};

/* The machine for @task, as things are now; among those for which @among is set (NULL: all). */
struct fl_spot fl_machines_choose(const struct fl_policy *p, uint32_t task, const bool *among);

/*
 * Do labels and taints let @task run on any usable machine, room aside?  True if no machine is
 * usable: then these are not the reason.
 */
bool fl_machines_suit(const struct fl_policy *p, uint32_t task);

/*
 * Could @n tasks be on the machines at once that request as much as @task, or more, of the
 * resource to pack by, and nothing else?  Never false when they could: rounding is in their
 * favour.
 */
bool fl_machines_hold(const struct fl_policy *p, uint32_t task, uint32_t n);

/* The resource by which a task is packed: GPUs, or cpu if it requests none. */
static inline int fl_machines_packed_by(const struct fl_task *t)
{
	return t->request.of[FL_GPU] > 0 ? FL_GPU : FL_CPU;
}

#endif
