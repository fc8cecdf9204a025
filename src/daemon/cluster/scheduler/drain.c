/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/drain.h"

#include <string.h>

#include "base/error.h"

int fl_scheduler_drain(struct fl_scheduler *s, fairlead_error *err)
{
	struct fl_cluster *c = s->o.cluster;
	const struct fl_model *m = c->generation.model;
	int r = 0;

	for (uint32_t w = 0; w < m->n_workloads && r == 0; w++) {
		const struct fl_workload_row *row = &m->workloads[w];
		const struct fl_live *job = fl_generation_job(&c->generation, &c->jobs,
							      (struct fl_workload){ w });
		const struct fl_mirror_object *o = job ? job->made_of : NULL;
		struct fl_intent intent = { .evicts = true,
					    .decided = fl_clock_now(&c->daemon.clock),
					    .reason = FL_REASON_CLUSTER_QUEUE_STOPPED };
		const struct fl_intent *old = job ? fl_intents_find(&s->intents, job->id) : NULL;

		if (!o || o->fate != FL_FATE_HOLDS ||
		    row->evicting != FL_EVICTING_CLUSTER_QUEUE_STOPPED ||
		    row->admitted_queue.v == FL_NONE || m->nodes[row->admitted_queue.v].elsewhere ||
		    (old && !old->confirms))
			continue;
		intent.job = job->id;
		intent.message = strdup("The ClusterQueue is stopped");
		r = intent.message ? fl_scheduler_intend(s, &intent, err) : fl_fail_nomem(err);
	}
	return r;
}
