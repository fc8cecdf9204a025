/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newcomer - one more workload in a sealed model, and one less
 *
 * A sealed model has places for more workloads, if it was asked for them before it was sealed
 * (fl_model.spare).  A newcomer takes a place; it is resolved as sealing would resolve it, with the
 * same notices.  One that leaves gives its place back, and a later newcomer takes it.  So ids of
 * workloads are used again: a caller that keeps one must drop it when that workload leaves.
 *
 * Promises: the row is the one that sealing afresh would make, and so are those of its podsets.
 * Ids of all other rows stay as they are; pointers into tables do not.  When the answer is not 0,
 * the workloads are as before.
 *
 * Cost: what the newcomer's own rows cost, and one search of LimitRanges if its podsets have parts;
 * nothing depends on how many workloads there are.  Tables grow by doubling, names too.
 *
 * It cannot make queues, flavors, resources, priority classes or machines: a newcomer that needs a
 * resource or a flavor that the model does not have waits for the next model.  Nor can it free names
 * and podsets of workloads that left; so at some time a model is worn, and takes no more.  Both are
 * told in words, and a new model is the answer.
 *
 * Policies take part by `join` and `leave` of decide/policy.h.
 *
 * Tested in tests/unit/model/test_newcomer.c, and with policies by tests/prop/incremental
 * --generations joined and, on recorded decisions, tests/conformance/run --joined.
 */
#ifndef FL_MODEL_NEWCOMER_H
#define FL_MODEL_NEWCOMER_H

#include "model/model.h"

/*
 * Adds a workload to sealed @m, which has @row's spans already: rows that others use too, or ones
 * that were pushed behind a mark (fl_model_mark).  Names are as in an unsealed model; a gang's tasks
 * are in the order of their names.  0 and its number in *ret; policies are told by `join`.
 *
 * 1, and *ret_why in words: a new model is needed.  Cut what was pushed (fl_model_cut), as after an
 * error: FAIRLEAD_EINPUT when a workload of that name is there, FAIRLEAD_ELIMIT for too large a
 * row, FAIRLEAD_ENOMEM, FAIRLEAD_ESTATE when @m is not sealed.
 */
int fl_model_join(struct fl_model *m, const struct fl_workload_row *row, struct fl_workload *ret,
		  const char **ret_why, fairlead_error *err);

/*
 * @w leaves, after it left all policies for good, in no mark.  Until its place is taken its row
 * stays as that of a finished workload, which is found by no name.
 */
int fl_model_leave(struct fl_model *m, struct fl_workload w, fairlead_error *err);

/*
 * The same in two parts, where a policy that is behind by some time still knows @w: those that ask the model
 * do not find it, and another of its name may join; its place is its own until fl_model_vacate,
 * after it left that policy, too.  unpart: it is there again, as it was (@excluded: what its row said
 * before); no other of its name may be there.
 */
void fl_model_part(struct fl_model *m, struct fl_workload w);
void fl_model_unpart(struct fl_model *m, struct fl_workload w, enum fl_excluded excluded);
int fl_model_vacate(struct fl_model *m, struct fl_workload w, fairlead_error *err);

/* Places that are free. */
uint32_t fl_model_places_left(const struct fl_model *m);
/* Do names and podsets of workloads that left fill it, so that it takes no more? */
bool fl_model_is_worn(const struct fl_model *m);

/* In seal: rows for m->spare workloads more. FAIRLEAD_ENOMEM. */
int fl_newcomer_places(struct fl_model *m, fairlead_error *err);
/* Of a model from an image: are its places, and the bounds up to which it takes more, as seal says? */
bool fl_newcomer_is_sound(const struct fl_model *m);

#endif
