/* SPDX-License-Identifier: Apache-2.0 */
/* shares - would fair sharing, on or off, change what is decided? */
#ifndef FL_ASK_BORROW_SHARES_H
#define FL_ASK_BORROW_SHARES_H

#include "decide/policy.h"

/*
 * Of @of, or FL_NONE: of any workload that waits, where queues of its tree may borrow from each
 * other.  @anyway: in any such tree, though none waits.
 */
bool fl_borrow_shares(const struct fl_model *m, const struct fl_policy *p, struct fl_workload of,
		      bool anyway);

#endif
