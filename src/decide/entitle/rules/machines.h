/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machines - on which machine a task is put (doc/semantics/entitle.md, E9.6)
 *
 * A task fits where what is idle and what is leaving hold it together.  Of those machines:
 * where it can start at once before where it must wait; for a task without GPUs one that
 * has none; then bin-packing, the fewest free GPUs (cpu, for a task that wants no GPU)
 * counting what is leaving, or, when told to spread, the largest free part; then by name.
 *
 * Limits: node selectors, required node affinity and taints count; volumes, ports, pod
 * affinity and topology do not.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_MACHINES_H
#define FL_DECIDE_ENTITLE_RULES_MACHINES_H

#include "decide/entitle/state/state.h"

struct fl_spot {
	struct fl_machine machine; /* FL_NONE: nowhere */
	bool now;                  /* idle, nothing needs to leave first */
	bool only; /* no machine that suits it has room but this one; else: who knows */
};

/* Where @task goes now; of the machines for which @among is set (NULL: of all). */
struct fl_spot fl_machines_choose(const struct fl_policy *p, uint32_t task, const bool *among);

/*
 * Do labels and taints let @task run on any machine that is usable, whatever room there is?
 * Yes where there is none: it is not they that keep it away.
 */
bool fl_machines_suit(const struct fl_policy *p, uint32_t task);

/*
 * Could @n tasks be on the machines together that want as much as @task, or more, of what it is
 * packed by, and nothing else?  Never false when they could: rounding is in their favour.
 */
bool fl_machines_hold(const struct fl_policy *p, uint32_t task, uint32_t n);

/* What a task is packed by: GPUs, or cpu when it wants none. */
static inline int fl_machines_packed_by(const struct fl_task *t)
{
	return t->request.of[FL_GPU] > 0 ? FL_GPU : FL_CPU;
}

#endif
