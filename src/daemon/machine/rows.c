/* SPDX-License-Identifier: Apache-2.0 */
/* rows - what is written down for people of what happened */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/machine/core_parts.h"

const char *fl_core_queue(const struct fl_core *c, const struct fl_live *job)
{
	const struct fl_model *m = c->generation.model;
	struct fl_sym namespace, queue;
	uint32_t local;

	if (job->workload.v != FL_NONE) {
		struct fl_node node = m->workloads[job->workload.v].cluster_queue;

		return node.v == FL_NONE ? "" : fl_model_text(m, m->nodes[node.v].name);
	}
	if (fl_config_queue(m, fl_core_word(c, job->queue), &namespace, &queue, NULL) < 0)
		return "";
	local = fl_config_local_queue(m, namespace, queue);
	return local == FL_NONE ? fl_model_text(m, queue) :
				  fl_model_text(m, m->queues[local].cluster_queue_name);
}

int fl_core_touch(struct fl_core *c, const struct fl_live *job, fairlead_error *err)
{
	if (c->n_dirty && c->dirty[c->n_dirty - 1] == job->id)
		return 0;
	if (fl_mem_grow(&fl_mem_heap, &c->dirty, &c->cap_dirty, c->n_dirty + 1, sizeof *c->dirty,
			err) < 0)
		return FAIRLEAD_ENOMEM;
	c->dirty[c->n_dirty++] = job->id;
	return 0;
}

/* [{"resource":"cpu","flavor":"default","amount":2000}] */
static const char *placement_of(const struct fl_core *c, const struct fl_live *job, char *buffer,
				size_t size)
{
	struct fl_run_grant grants[FL_JOB_RESOURCES * 4];
	uint32_t n = fl_core_grants(c, job, grants, FL_JOB_RESOURCES * 4);
	size_t used = 1;

	if (!n)
		return NULL;
	buffer[0] = '[';
	for (uint32_t i = 0; i < n; i++)
		used += (size_t)snprintf(
			buffer + used, size - used,
			"%s{\"resource\":\"%s\",\"flavor\":\"%s\",\"amount\":%lld}", i ? "," : "",
			grants[i].resource, grants[i].flavor, (long long)grants[i].amount);
	buffer[used++] = ']';
	buffer[used] = '\0';
	return buffer;
}

enum { PLACEMENT = FL_JOB_RESOURCES * 4 * (2 * FL_JOB_RESOURCE + 64) };

const char *fl_core_last_run(const struct fl_live *job, char *buffer, size_t size)
{
	size_t n;

	if (job->outcome == FL_RUN_EXITED)
		(void)snprintf(buffer, size, "exited with status %d", job->status);
	else if (job->outcome == FL_RUN_SIGNALLED)
		(void)snprintf(buffer, size, "killed by signal %d", job->status);
	else
		(void)snprintf(buffer, size, "%s",
			       fl_outcome_name((enum fl_outcome_kind)job->outcome));
	n = strlen(buffer);
	if (job->stopping != FL_GO_NOT)
		(void)snprintf(buffer + n, size - n, " (%s)", fl_go_why_name(job->stopping));
	return buffer;
}

const char *fl_core_ending(const struct fl_live *job, char *buffer, size_t size)
{
	if (!fl_job_is_over(job->state) || (!job->ending && job->outcome < 0))
		return NULL;
	if (!job->ending)
		return fl_core_last_run(job, buffer, size);
	(void)snprintf(buffer, size, "%s", job->ending);
	return buffer;
}

static int write_job(struct fl_core *c, const struct fl_live *job, fairlead_error *err)
{
	char placement[PLACEMENT], reason[FL_CORE_REASON];
	struct fl_job_row row = {
		.id = job->id,
		.state = job->state,
		.uid = job->uid,
		.user = fl_names_text(&c->jobs.names, job->user),
		.queue = fl_names_text(&c->jobs.names, job->queue),
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
		.placement = placement_of(c, job, placement, sizeof placement),
		.reason = fl_core_ending(job, reason, sizeof reason),
	};

	return fl_gather_job(c->gather, &row, err);
}

static int cmp_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int fl_core_write_jobs(struct fl_core *c, fairlead_error *err)
{
	int r = 0;

	if (c->n_dirty)
		qsort(c->dirty, c->n_dirty, sizeof *c->dirty, cmp_numbers);
	for (uint32_t i = 0; i < c->n_dirty && r == 0; i++) {
		const struct fl_live *job = fl_jobs_find(&c->jobs, c->dirty[i]);

		if (job && (i == 0 || c->dirty[i] != c->dirty[i - 1]))
			r = write_job(c, job, err);
	}
	if (r == 0)
		c->n_dirty = 0;
	return r;
}

int fl_core_tell(struct fl_core *c, const struct fl_tell *tell, fairlead_error *err)
{
	struct fl_event_row row = {
		.seq = c->row_seq,
		.n = c->row_events++,
		.at = tell->at,
		.kind = fl_happened_name(tell->what),
		.job = tell->job ? tell->job->id : tell->number,
		.attempt = tell->job ? tell->job->attempt : tell->attempt,
		.queue = tell->queue || !tell->job ?
				 tell->queue :
				 fl_names_text(&c->jobs.names, tell->job->queue),
		.by = tell->by,
		.reason = tell->reason,
		.text = tell->text,
	};
	int r = fl_gather_event(c->gather, &row, err);

	if (r == 0 && !c->replaying)
		fl_followers_tell(&c->followers, &row);
	return r;
}

/* While the policy has what it holds. */
static int write_admission(struct fl_core *c, const struct fl_live *job, fl_time to,
			   const char *ended, fairlead_error *err)
{
	char placement[PLACEMENT];
	struct fl_admission_row row = {
		.job = job->id,
		.attempt = job->attempt,
		.queue = fl_core_queue(c, job),
		.waits = job->waits,
		.from = job->started,
		.to = to,
		.placement = placement_of(c, job, placement, sizeof placement),
		.ended = ended,
		.preemptor = job->preemptor,
	};

	return fl_gather_admission(c->gather, &row, err);
}

int fl_core_admit(struct fl_core *c, const struct fl_live *job, fairlead_error *err)
{
	return write_admission(c, job, FL_TIME_NONE, /* ended= */ NULL, err);
}

int fl_core_release(struct fl_core *c, const struct fl_live *job, fl_time at, const char *ended,
		    fairlead_error *err)
{
	return write_admission(c, job, at, ended, err);
}

int fl_core_conditions(struct fl_core *c, fl_time at, fairlead_error *err)
{
	static const char *const kinds[] = { "ClusterQueue", "Cohort", "Queue" };
	const struct fl_model *m = c->generation.model;
	int r = 0;

	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		const struct fl_node_row *node = &m->nodes[n];
		struct fl_condition_row row = {
			.kind = kinds[node->kind == FL_COHORT ? 1 :
				      node->kind == FL_QUEUE  ? 2 :
								0],
			.name = fl_model_text(m, node->name),
			.type = "Active",
			.reason = node->inactive == FL_ACTIVE ? "Ready" :
								fl_inactive_name(node->inactive),
			.text = "",
			.holds = node->inactive == FL_ACTIVE,
			.since = at,
		};

		if (node->inactive == FL_INACTIVE_FLAVOR_NOT_FOUND)
			row.text = fl_model_text(m, node->missing_flavor);
		r = fl_gather_condition(c->gather, &row, err);
	}
	return r;
}
