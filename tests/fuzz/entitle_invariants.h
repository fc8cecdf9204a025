/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle_invariants - what is true of every state of the entitle policy, whatever was done to it
 *
 * Aborts when something is not.  All sums are taken again from the tasks alone, and may
 * differ from those that are kept by their rounding.
 */
#ifndef FL_TESTS_FUZZ_ENTITLE_INVARIANTS_H
#define FL_TESTS_FUZZ_ENTITLE_INVARIANTS_H

#include "decide/policy.h"

void entitle_invariants_hold(const struct fl_policy *p, const struct fl_model *m);

#endif
