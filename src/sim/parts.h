/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts - between the files of a simulation; private to simulation.c, begin.c and failures.c
 */
#ifndef FL_SIM_PARTS_H
#define FL_SIM_PARTS_H

#include "sim/simulation.h"

/* What stands in the calendar, in the order of one moment; of workloads their ranks. */
enum fl_sim_due {
	FL_DUE_END,
	FL_DUE_LET_GO,
	FL_DUE_BACK,
	FL_DUE_CHANGE,
	FL_DUE_FAIL,
	FL_DUE_GIVE_UP,
	FL_DUE_RETURN,
};

int fl_sim_at(struct fl_sim *s, fl_time when, enum fl_sim_due kind, uint32_t number, uint32_t epoch,
	      fairlead_error *err);
int fl_sim_tell(struct fl_sim *s, struct fl_sim_event *e, fairlead_error *err);

static inline bool fl_sim_is_finite(const struct fl_sim_job *j)
{
	return j->life && j->life->runs != FL_NEVER;
}

/* The queue that it is of, or else that it holds quota of. */
struct fl_node fl_sim_queue(const struct fl_sim *s, struct fl_workload w);
/* How long it stays away after its last eviction. */
fl_time fl_sim_back_off(const struct fl_sim *s, const struct fl_sim_job *j);
/* It runs or leaves from now on. */
void fl_sim_enter(struct fl_sim *s, uint32_t w);
/* With those of its pods that the policy has running: when it will be done. */
int fl_sim_go_on(struct fl_sim *s, uint32_t w, fairlead_error *err);

/* simulation.c: what it has on @machine (FL_NONE: all of it) is gone at once. */
int fl_sim_kill(struct fl_sim *s, uint32_t w, struct fl_machine machine, fairlead_error *err);

/* begin.c */
int fl_sim_begin(struct fl_sim *s, fairlead_error *err);

/* failures.c: a row of model->changes; one of model->failures */
int fl_sim_failures_begin(struct fl_sim *s, fairlead_error *err);
int fl_sim_change(struct fl_sim *s, uint32_t number, fairlead_error *err);
int fl_sim_fail(struct fl_sim *s, uint32_t number, fairlead_error *err);
int fl_sim_back(struct fl_sim *s, uint32_t number, fairlead_error *err);

#endif
