/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invariants - what is true of a policy between any two calls
 *
 * Computed again the slow way, from who holds what: usage of every queue and
 * cohort, what each borrows, who is in which list.  Aborts when it differs.
 */
#ifndef FL_TESTS_FUZZ_INVARIANTS_H
#define FL_TESTS_FUZZ_INVARIANTS_H

#include "decide/borrow/borrow.h"

void invariants_hold(const struct fl_policy *p, const struct fl_model *m);

#endif
