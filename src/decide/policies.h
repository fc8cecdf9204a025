/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policies - the policies that there are (policies.def), by what they go by and by name
 */
#ifndef FL_DECIDE_POLICIES_H
#define FL_DECIDE_POLICIES_H

#include "decide/policy.h"

/* In the order of the list; NULL behind the last one. */
const struct fl_policy_ops *fl_policy_at(unsigned i);
/* Its place in the list, by which tables of faces go; 0 of one that is not in it, as in tests. */
unsigned fl_policy_index(const struct fl_policy_ops *ops);
/* The first that goes by such objects; NULL: none does (ANY, MIXED). */
const struct fl_policy_ops *fl_policy_of(enum fl_dialect dialect);
/* By ops->name, of @size bytes at most, which need no NUL at their end; NULL: there is none. */
const struct fl_policy_ops *fl_policy_named(const char *name, size_t size);
/* Whose objects it goes by. */
enum fl_dialect fl_policy_dialect(const struct fl_policy_ops *ops);
/* Their names, each behind @before, with @between them; returns @buffer, in which it ends. */
const char *fl_policy_names(const char *before, const char *between, char *buffer, size_t size);

#endif
