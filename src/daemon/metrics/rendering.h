/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rendering - a page of /metrics while it is written: what its files share; private to them
 */
#ifndef FL_DAEMON_METRICS_RENDERING_H
#define FL_DAEMON_METRICS_RENDERING_H

#include <stdio.h>

#include "daemon/engine/face.h"
#include "daemon/metrics/counts.h"
#include "daemon/metrics/metrics_render.h"

struct fl_rendering {
	const struct fl_metrics *m;
	const struct fl_metrics_now *now;
	const struct fl_model *model;
	FILE *out;
	fairlead_error *err;
	struct fl_arena arena;
	const struct fl_daemon_face *face;
	void *stand;                /* the face's */
	uint32_t *queues, *cohorts; /* nodes by name */
	uint32_t n_queues, n_cohorts;
	double *pending; /* node x resource */
	double *sums;    /* flavor x resource, sums of the queues in "(other)" */
	bool *summed;
	uint32_t (*jobs)[3]; /* node: waiting, running, stopping */
	uint64_t states[FL_JOB_STATES];
};

#endif
