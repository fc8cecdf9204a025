/* SPDX-License-Identifier: Apache-2.0 */
/*
 * told - what workloads hold in a model, taken out of it and told by events instead
 *
 * A policy that is told by FL_EV_HOLDS and FL_EV_GOES what workloads hold must be in the state of
 * one whose model has them admitted so.
 */
#ifndef FL_TESTS_PROP_TOLD_H
#define FL_TESTS_PROP_TOLD_H

#include "prop/lockstep.h"

/*
 * From sealed @m: workloads that hold something are pending.  Not where the events mean something
 * else by design: usage of local queues that is sampled is charged at an admission, sums of exact
 * usage have another order, and of a gang for which no time is given the time is now.
 */
void told_take(struct fl_model *m);
/*
 * Tells the second policy of @l, whose model lost them, what the model of the first has; last
 * what is told first if @backwards.  False: it differs.  *ret_n: how many workloads.
 */
bool told_tell(struct lockstep *l, const struct fl_model *lost, bool backwards,
	       unsigned long *ret_n);

/* Any rows for workload @w, right or wrong ones; valid until the next call. */
struct fl_holding told_any(const struct fl_model *m, struct fl_workload w, struct choices *c);

#endif
