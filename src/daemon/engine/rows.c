/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/rows.h"

void fl_row_of_job(const struct fl_living *of, const struct fl_live *job,
		   struct fl_row_texts *texts, struct fl_job_row *ret)
{
	*ret = (struct fl_job_row){
		.id = job->id,
		.state = job->state,
		.uid = job->uid,
		.user = fl_names_text(&of->jobs->names, job->user),
		.queue = fl_names_text(&of->jobs->names, job->queue),
		.array = job->array,
		.priority = job->priority,
		.submitted = job->submitted,
		.started = job->started,
		.ended = job->ended,
		.attempt = job->attempt,
		.evictions = job->evictions,
		.losses = job->losses,
		.ran = job->ran,
		.held = job->held,
		.outcome = job->outcome,
		.status = job->status,
		.placement = fl_live_placement(of, job, texts->placement),
		.reason = fl_live_ending(job, texts->reason, sizeof texts->reason),
	};
}

void fl_row_of_admission(const struct fl_living *of, const struct fl_live *job, fl_time to,
			 const char *ended, struct fl_row_texts *texts,
			 struct fl_admission_row *ret)
{
	*ret = (struct fl_admission_row){
		.job = job->id,
		.attempt = job->attempt,
		.queue = fl_live_queue(of, job),
		.waits = job->waits,
		.from = job->started,
		.to = to,
		.placement = fl_live_placement(of, job, texts->placement),
		.ended = ended,
		.preemptor = job->preemptor,
		.cpu = job->cpu,
		.memory = job->memory,
	};
}

void fl_row_of_event(const struct fl_jobs *jobs, const struct fl_tell *tell, uint64_t seq,
		     uint32_t n, struct fl_event_row *ret)
{
	*ret = (struct fl_event_row){
		.seq = seq,
		.n = n,
		.at = tell->at,
		.kind = fl_happened_name(tell->what),
		.job = tell->job ? tell->job->id : tell->number,
		.attempt = tell->job ? tell->job->attempt : tell->attempt,
		.queue = tell->queue || !tell->job ? tell->queue :
						     fl_names_text(&jobs->names, tell->job->queue),
		.by = tell->by,
		.reason = tell->reason,
		.text = tell->text,
	};
}

void fl_row_of_condition(const struct fl_model *m, struct fl_node node, fl_time at,
			 struct fl_condition_row *ret)
{
	static const char *const kinds[] = { "ClusterQueue", "Cohort", "Queue" };
	const struct fl_node_row *row = &m->nodes[node.v];

	*ret = (struct fl_condition_row){
		.kind = kinds[row->kind == FL_COHORT ? 1 :
			      row->kind == FL_QUEUE  ? 2 :
						       0],
		.name = fl_model_text(m, row->name),
		.type = "Active",
		.reason = row->inactive == FL_ACTIVE ? "Ready" : fl_inactive_name(row->inactive),
		.text = "",
		.holds = row->inactive == FL_ACTIVE,
		.since = at,
	};
	if (row->inactive == FL_INACTIVE_FLAVOR_NOT_FOUND)
		ret->text = fl_model_text(m, row->missing_flavor);
}
