/* SPDX-License-Identifier: Apache-2.0 */
/* due - what stands in the calendar of a simulation; private to it */
#ifndef FL_SIM_DUE_H
#define FL_SIM_DUE_H

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

#endif
