/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held_shape - what a workload holds, as JSON: podsets with flavors, or pods on machines
 */
#ifndef FL_REPORT_OUT_HELD_SHAPE_H
#define FL_REPORT_OUT_HELD_SHAPE_H

#include "report/out/shape.h"

struct fl_held {
	struct fl_workload workload;
	const struct fl_placement *rows;
	uint32_t n;
};

/* "podSets": of each the flavors; "tasks" and "machines": of a machine that is not there, tasks only. */
extern const struct fl_json_field fl_held_podsets[1], fl_held_machines[2];
extern const struct fl_json_shape fl_held_podsets_shape, fl_held_machines_shape;

#endif
