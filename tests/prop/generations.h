/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generations - a policy that goes on on one model after the other, behind the doors of one
 *
 * Before events, steps and trials, unless a mark is open, what it knows is adopted by a new policy.
 * SAME: on the same model, and its words must be those of before.  APART: on a model of its own, read
 * from the same objects in another order, without some workloads that have gone; those join again
 * when something is to happen to them.  Whoever holds such a policy talks of the rows of the model
 * that it gave, as ever.  Now and then somebody ends by being left out.  Aborts on what may not
 * be.
 *
 * JOINED: on a model of its own that is not made again; workloads that have gone leave it, and join it
 * when something is to happen to them, inside marks too.  Now and then a policy on the same model
 * adopts it, and must spell the same words.
 *
 * A workload that has gone is left out unless its priority was changed (which a model's rows do
 * not know) or its shape is known not to fit (decide/borrow/doors/adopt.h, what is forgotten).
 */
#ifndef FL_TESTS_PROP_GENERATIONS_H
#define FL_TESTS_PROP_GENERATIONS_H

#include "decide/policy.h"
#include "fuzz/choices.h"

enum generations { GENERATIONS_SAME, GENERATIONS_APART, GENERATIONS_JOINED };

/*
 * @objects: a List of a chosen world (fuzz/chosen_*.h).  APART all is taken away that says that a
 * workload ever ran.  Policies made from here on are of that world, which must stay.
 */
void generations_of(struct text *objects, enum generations how);

extern const struct fl_policy_ops generations_borrow, generations_drf, generations_entitle;

/* So far, of all policies; gone: left out as they were, with what they held. */
struct generations_counts {
	unsigned long generations, left_out, joined, gone;
};
extern struct generations_counts generations_counts;

/* generations_kept.c: is @w's shape marked? */
bool generations_is_marked(const struct fl_policy *borrow, struct fl_workload w);

#endif
