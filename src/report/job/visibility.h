/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visibility - pending jobs with their positions, in the form of Kueue's visibility API (v1beta2)
 *
 * Positions begin at 0.  A job has its number for a name, and no owner.
 */
#ifndef FL_REPORT_JOB_VISIBILITY_H
#define FL_REPORT_JOB_VISIBILITY_H

#include "report/out/shape.h"

struct fl_visible_answer {
	char name[24]; /* the number of the job */
	const char *namespace, *local_queue;
	fl_time created; /* on the wall, in whole seconds */
	int32_t priority;
	uint32_t in_cluster_queue, in_local_queue;
};

struct fl_visibles_answer {
	const struct fl_visible_answer *items;
	uint32_t n;
};

extern const struct fl_json_shape fl_visibles_shape;

#endif
