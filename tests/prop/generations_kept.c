/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/state/state.h"
#include "prop/generations.h"

bool generations_is_marked(const struct fl_policy *p, struct fl_workload w)
{
	return fl_bitset_has(&p->marked, p->jobs[w.v].eq_class);
}
