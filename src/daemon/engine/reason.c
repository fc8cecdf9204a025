/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/reason.h"

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "daemon/config/config_queue.h"
#include "report/out/report.h"

/* --- how it ended --- */

const char *fl_live_last_run(const struct fl_live *job, char *buffer, size_t size)
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

const char *fl_live_ending(const struct fl_live *job, char *buffer, size_t size)
{
	if (!fl_job_is_over(job->state) || (!job->ending && job->outcome < 0))
		return NULL;
	if (!job->ending)
		return fl_live_last_run(job, buffer, size);
	(void)snprintf(buffer, size, "%s", job->ending);
	return buffer;
}

/* --- why it waits --- */

/* No cycle has judged a job that is not the first of its queue, or was just requeued. */
static const char *waiting_reason(const struct fl_generation *g, const struct fl_live *job)
{
	enum fl_reason reason = g->ops->reason(g->policy, job->workload);

	return reason == FL_REASON_NONE ? "waits for its turn" : fl_reason_sentence(reason);
}

/* The ClusterQueue of a queue is inactive, or does not accept the namespace of the queue. */
static void put_node_reason(const struct fl_model *m, const char *queue, struct fl_node n,
			    char *buffer, size_t size)
{
	const struct fl_node_row *node = &m->nodes[n.v];
	char why[320];

	(void)snprintf(buffer, size, "queue '%.253s' admits no job: %s '%.253s': %s", queue,
		       node->kind == FL_QUEUE ? "queue" : "ClusterQueue",
		       fl_model_text(m, node->name),
		       node->inactive == FL_ACTIVE ?
			       "its namespaceSelector does not match the namespace" :
			       fl_report_why_inactive(m, n, why));
}

/* Why a job takes no part: the problem of its queue, or of its ClusterQueue. */
static void put_queue_reason(const struct fl_living *of, const struct fl_live *job, char *buffer,
			     size_t size)
{
	const struct fl_model *m = of->generation->model;
	const char *queue = fl_names_text(&of->jobs->names, job->queue);
	struct fl_sym namespace, name;
	const struct fl_queue_row *row;
	fairlead_error why = { 0 };
	uint32_t at;
	int r = fl_config_queue(m, queue, &namespace, &name, &why);

	if (r == FAIRLEAD_ENOENT)
		(void)snprintf(buffer, size, "there is no queue '%.253s' any more", queue);
	else if (r < 0)
		(void)snprintf(buffer, size, "%s", why.text);
	if (r < 0)
		return;
	at = fl_config_local_queue(m, namespace, name);
	row = at == FL_NONE ? NULL : &m->queues[at];
	if (!row)
		put_node_reason(m, queue, fl_model_find_node(m, FL_QUEUE, fl_model_text(m, name)),
				buffer, size);
	else if (row->stop != FL_STOP_NONE)
		(void)snprintf(buffer, size, "queue '%.253s' is stopped (stopPolicy)", queue);
	else if (row->cluster_queue.v == FL_NONE)
		(void)snprintf(
			buffer, size,
			"queue '%.253s' leads to ClusterQueue '%.253s', which does not exist",
			queue, fl_model_text(m, row->cluster_queue_name));
	else
		put_node_reason(m, queue, row->cluster_queue, buffer, size);
}

/* Its queue was deleted, or was changed while it was pending so that it admits no job. */
static bool takes_no_part(const struct fl_generation *g, const struct fl_live *job)
{
	if (job->state != FL_JOB_WAITS)
		return false;
	return job->workload.v == FL_NONE ?
		       job->retry == FL_NEVER :
		       g->ops->state(g->policy, job->workload) == FL_STATE_EXCLUDED;
}

/* "2026-01-31 12:00:00". */
static void put_begin(fl_time begin, char *buffer, size_t size)
{
	char text[40];

	fl_time_format(text, begin);
	text[10] = ' ';
	(void)snprintf(buffer, size, "begins at %.19s UTC", text);
}

/* Why a job is not let in (gate.h), without asking the gates again, which may take long. */
static void put_gate(const struct fl_jobs *jobs, const struct fl_live *job, char *buffer,
		     size_t size)
{
	if (fl_jobs_waits_for(jobs, job->id))
		(void)snprintf(buffer, size, "waits for other jobs to end");
	else if (job->singleton)
		(void)snprintf(buffer, size,
			       "waits for earlier jobs of its name to end (singleton)");
	else
		(void)snprintf(buffer, size,
			       "waits for others of its array: %u of them may run at once",
			       job->most);
}

const char *fl_live_reason(const struct fl_living *of, const struct fl_live *job, char *buffer,
			   size_t size)
{
	const struct fl_generation *g = of->generation;
	const char *text = "";

	if (fl_job_is_over(job->state))
		return fl_live_ending(job, buffer, size) ? buffer : "";
	if (job->state == FL_JOB_HELD)
		text = job->held == FL_HOLD_ADMIN ? "waits to be released by an admin" :
						    "waits to be released";
	else if (job->state == FL_JOB_DEPENDS)
		return put_gate(of->jobs, job, buffer, size), buffer;
	else if (job->state == FL_JOB_WAITS && job->begin)
		return put_begin(job->begin, buffer, size), buffer;
	else if (takes_no_part(g, job))
		return put_queue_reason(of, job, buffer, size), buffer;
	else if (job->state == FL_JOB_WAITS && job->workload.v == FL_NONE)
		text = job->retry == FL_TIME_NONE ? "was submitted just now" :
						    "could not be started, and tries again soon";
	else if (job->state == FL_JOB_WAITS)
		text = waiting_reason(g, job);
	else if (job->state == FL_JOB_STOPS)
		text = fl_go_why_name(job->stopping);
	else if (job->held)
		text = job->held == FL_HOLD_ADMIN ? "held from starting again by an admin" :
						    "held from starting again";
	(void)snprintf(buffer, size, "%s", text);
	return buffer;
}

const char *fl_live_public(const char *reason, char buffer[FL_LIVE_REASON])
{
	const char *colon = strstr(reason, ": ");

	(void)snprintf(buffer, FL_LIVE_REASON, "%.*s",
		       (int)(colon ? (size_t)(colon - reason) : strlen(reason)), reason);
	return buffer;
}
