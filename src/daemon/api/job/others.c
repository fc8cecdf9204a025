/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/job/others.h"

#include <stdlib.h>

#include "daemon/api/filter.h"
#include "daemon/engine/daemon.h"

enum { UNKNOWN, MAY, MAY_NOT };

int fl_others_begin(struct fl_others *o, const struct fl_call *call,
		    const struct fl_live_view *view, fairlead_error *err)
{
	*o = (struct fl_others){ .call = call, .view = view };
	if (!call->sees)
		return 0;
	o->may = calloc((size_t)view->of.jobs->names.n + 1, sizeof *o->may);
	return o->may ? 0 : fl_fail_nomem(err);
}

void fl_others_end(struct fl_others *o)
{
	free(o->may);
	free(o->counts);
	free(o->rows);
}

bool fl_others_may(struct fl_others *o, const struct fl_live *job)
{
	uint8_t *may = o->may ? &o->may[job->queue.v] : NULL;

	if (!may)
		return true;
	if (*may == UNKNOWN)
		*may = fl_filter_job(o->call->api->daemon, o->call->sees, job) ? MAY : MAY_NOT;
	return *may == MAY;
}

/* The row of its count. */
static uint32_t place_of(const struct fl_others *o, const struct fl_live *job)
{
	const struct fl_model *m = o->view->model;
	const struct fl_workload_row *row;

	if (!o->call->sees->queues || job->workload.v == FL_NONE)
		return m->n_nodes;
	row = &m->workloads[job->workload.v];
	if (row->admitted_queue.v != FL_NONE)
		return row->admitted_queue.v;
	return row->cluster_queue.v != FL_NONE ? row->cluster_queue.v : m->n_nodes;
}

int fl_others_count(struct fl_others *o, uint32_t states, fairlead_error *err)
{
	const struct fl_model *m = o->view->model;
	const size_t places = (size_t)m->n_nodes + 1;

	if (!o->may)
		return 0;
	o->counts = calloc(places, sizeof *o->counts);
	o->rows = calloc(places, sizeof *o->rows);
	if (!o->counts || !o->rows)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < o->view->n_jobs; i++) {
		const struct fl_live *job = &o->view->jobs[i];

		if (states & 1U << job->state && !fl_job_is_over(job->state) &&
		    !fl_others_may(o, job))
			o->counts[place_of(o, job)]++;
	}
	for (uint32_t i = 0; i < places; i++)
		if (o->counts[i])
			o->rows[o->n++] = (struct fl_others_answer){
				i < m->n_nodes ? fl_model_text(m, m->nodes[i].name) : NULL,
				o->counts[i]
			};
	return 0;
}
