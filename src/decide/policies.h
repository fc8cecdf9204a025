/* SPDX-License-Identifier: Apache-2.0 */
/* policies - the policies that there are (policies.def), by index, by dialect and by name */
#ifndef FL_DECIDE_POLICIES_H
#define FL_DECIDE_POLICIES_H

#include "decide/policy.h"

/* The policies in the order of the list; NULL for the index behind the last one. */
const struct fl_policy_ops *fl_policy_at(unsigned i);
/*
 * Its index in the list, and in the tables of faces; 0 for a policy that is not in the list, as in
 * tests.
 */
unsigned fl_policy_index(const struct fl_policy_ops *ops);
/* The first policy for objects of @dialect; NULL: there is none (ANY, MIXED). */
const struct fl_policy_ops *fl_policy_of(enum fl_dialect dialect);
/*
 * The policy whose ops->name is the first @size bytes of @name, which needs no NUL behind them;
 * NULL: there is none.
 */
const struct fl_policy_ops *fl_policy_named(const char *name, size_t size);
/* The dialect of its objects. */
enum fl_dialect fl_policy_dialect(const struct fl_policy_ops *ops);
/*
 * Writes the names of all policies into @buffer, each with @before in front of it, and @between
 * between two; returns @buffer.
 */
const char *fl_policy_names(const char *before, const char *between, char *buffer, size_t size);

#endif
