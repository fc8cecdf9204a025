/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policies - the policies that there are (policies.def), by kind and by name
 */
#ifndef FL_DECIDE_POLICIES_H
#define FL_DECIDE_POLICIES_H

#include "decide/policy.h"

/* NULL: that is no kind of policy (ANY, MIXED). */
const struct fl_policy_ops *fl_policy_of(enum fl_policy_kind kind);
/* By ops->name, of @size bytes at most, which need no NUL at their end; NULL: there is none. */
const struct fl_policy_ops *fl_policy_named(const char *name, size_t size);
enum fl_policy_kind fl_policy_kind(const struct fl_policy_ops *ops);

#endif
