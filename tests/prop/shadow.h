/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shadow - a policy with another one beside it, which takes part in all and looks at less
 *
 * A program linked with --wrap=fl_borrow_policy --wrap=fl_entitle_policy has these in their
 * place: each step looks at everything, and a second policy of the same model, to which the
 * same is done, looks at what changed.  Where the two differ the program ends with status 9
 * and says in what.  So whatever a program does with policies is a test that an incremental
 * step decides as a full one.
 *
 * All of a state is compared after each call where there are few workloads, else now and then.
 */
#ifndef FL_TESTS_PROP_SHADOW_H
#define FL_TESTS_PROP_SHADOW_H

#include "decide/policy.h"

extern const struct fl_policy_ops __real_fl_borrow_policy, __real_fl_entitle_policy;
extern const struct fl_policy_ops __wrap_fl_borrow_policy, __wrap_fl_entitle_policy;

#endif
