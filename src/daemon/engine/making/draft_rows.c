/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/making/draft_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mix.h"
#include "daemon/config/config_queue.h"
#include "daemon/config/dialect.h"

const char *fl_draft_word(const struct fl_draft *k, struct fl_sym sym)
{
	return fl_names_text(&k->words, sym);
}

int fl_draft_sym(struct fl_draft *k, const char *text, struct fl_sym *ret)
{
	return fl_model_sym(k->m, text, strlen(text), ret, k->err);
}

/* --- what a job asks for --- */

static int push_labels(struct fl_draft *k, const struct fl_asks *a, struct fl_span *ret)
{
	int r = 0;

	*ret = (struct fl_span){ k->m->n_labels, a->n_labels };
	for (uint32_t i = 0; i < a->n_labels && r == 0; i++) {
		struct fl_label row;

		r = fl_draft_sym(k, fl_draft_word(k, a->labels[i].key), &row.key);
		if (r == 0)
			r = fl_draft_sym(k, fl_draft_word(k, a->labels[i].value), &row.value);
		if (r == 0)
			r = fl_model_push_labels(k->m, &row, /* ret_id= */ NULL, k->err);
	}
	return r;
}

static void mix_text(uint64_t hash[2], const char *text)
{
	fl_mix(hash, strlen(text));
	for (; *text; text++)
		fl_mix(hash, (unsigned char)*text);
}

uint64_t fl_draft_hash(const struct fl_draft *k, const struct fl_asks *a)
{
	uint64_t hash[2] = { a->tasks, a->n_labels };

	for (uint32_t i = 0; i < a->n_requests; i++) {
		mix_text(hash, fl_draft_word(k, a->requests[i].resource));
		fl_mix(hash, (uint64_t)a->requests[i].amount);
	}
	for (uint32_t i = 0; i < a->n_labels; i++) {
		mix_text(hash, fl_draft_word(k, a->labels[i].key));
		mix_text(hash, fl_draft_word(k, a->labels[i].value));
	}
	return hash[0];
}

int fl_draft_podset(struct fl_draft *k, uint32_t asks, uint32_t *ret)
{
	const struct fl_asks *a = &k->asks[asks];
	struct fl_podset p = fl_podset_default;
	int r;

	*ret = k->podset_of ? k->podset_of[asks] : FL_NONE;
	if (*ret != FL_NONE)
		return 0;
	p.name = k->main;
	p.count = (int32_t)a->tasks;
	p.spec_hash = fl_draft_hash(k, a);
	if ((r = push_labels(k, a, &p.node_selector)) < 0)
		return r;
	p.requests = (struct fl_span){ k->m->n_requests, a->n_requests };
	for (uint32_t i = 0; i < a->n_requests && r == 0; i++) {
		struct fl_request row = { .amount = a->requests[i].amount };

		r = fl_draft_sym(k, fl_draft_word(k, a->requests[i].resource), &row.resource_name);
		if (r == 0)
			r = fl_model_push_requests(k->m, &row, /* ret_id= */ NULL, k->err);
	}
	if (r == 0)
		r = fl_model_push_podsets(k->m, &p, ret, k->err);
	if (r == 0 && k->podset_of)
		k->podset_of[asks] = *ret;
	return r;
}

static struct fl_bundle bundle_of(const struct fl_draft *k, const struct fl_asks *a)
{
	static const char *const names[FL_BUNDLE] = { "cpu", "memory", "nvidia.com/gpu" };
	struct fl_bundle b = { { 0 } };

	for (uint32_t i = 0; i < a->n_requests; i++)
		for (int axis = 0; axis < FL_BUNDLE; axis++)
			if (strcmp(fl_draft_word(k, a->requests[i].resource), names[axis]) == 0)
				b.of[axis] = (double)a->requests[i].amount * a->tasks;
	return b;
}

/* --- what a job holds, in the first generation --- */

static int push_admission(struct fl_draft *k, const struct fl_joiner *job,
			  struct fl_workload_row *row)
{
	struct fl_podset_assignment set = { .podset = k->main,
					    .count = (int32_t)k->asks[job->asks].tasks,
					    .assignments = { k->m->n_assignments, 0 } };
	const struct fl_run_grant *grants;
	uint32_t n = 0;
	int r = 0;

	grants = k->o.held ? k->o.held(k->o.user, job->id, &n) : NULL;
	if (!grants)
		return 0;
	for (uint32_t i = 0; i < n && r == 0; i++) {
		struct fl_assignment a = { .amount = grants[i].amount };

		r = fl_draft_sym(k, grants[i].resource, &a.resource_name);
		if (r == 0)
			r = fl_draft_sym(k, grants[i].flavor, &a.flavor_name);
		if (r == 0)
			r = fl_model_push_assignments(k->m, &a, /* ret_id= */ NULL, k->err);
	}
	set.assignments.n = n;
	row->admission = (struct fl_span){ k->m->n_podset_assignments, 1 };
	row->reserved = row->admitted = true;
	row->reserved_at = job->started == FL_TIME_NONE ? k->o.now : job->started;
	return r < 0 ? r : fl_model_push_podset_assignments(k->m, &set, /* ret_id= */ NULL, k->err);
}

/* --- jobs to workloads --- */

static int add_gang(struct fl_draft *k, const struct fl_joiner *job, struct fl_workload_row *row)
{
	struct fl_task_row task = fl_task_default;
	struct fl_gang gang = fl_gang_default;
	uint32_t n = 0;
	int r = fl_model_push_gangs(k->m, &gang, &row->gang, k->err);

	if (r == 0)
		r = fl_model_add_workload(k->m, row, k->err);
	task.namespace = row->namespace;
	task.name = task.gang_name = row->name;
	task.created = row->created;
	task.request = bundle_of(k, &k->asks[job->asks]);
	if (r == 0)
		r = push_labels(k, &k->asks[job->asks], &task.node_selector);
	if (k->o.held && k->o.held(k->o.user, job->id, &n)) {
		task.phase = FL_TASK_ALLOCATED;
		task.started = job->started;
		task.machine_name = k->m->daemon.machine_name; /* the machine where all jobs run */
	}
	return r < 0 ? r : fl_model_add_task(k->m, &task, k->err);
}

/* Looked up once for each queue: there are few queues and many jobs, unless one joins. */
static int find_place(struct fl_draft *k, struct fl_sym queue, struct fl_workload_row *row)
{
	struct fl_draft_place *p = k->places ? &k->places[queue.v] :
					       &(struct fl_draft_place){ .known = false };
	int r = 0;

	if (!p->known)
		r = fl_config_queue(k->m, fl_draft_word(k, queue), &p->namespace, &p->queue,
				    k->err);
	if (r < 0)
		return r;
	p->known = true;
	row->namespace = p->namespace;
	row->queue_name = p->queue;
	return 0;
}

static int is_in_use(const struct fl_draft *k, const struct fl_joiner *job)
{
	fl_fail(k->err, FAIRLEAD_EINPUT,
		"queue '%s' does not exist, and jobs of it run, such as %" PRIu64,
		fl_draft_word(k, job->queue), job->id);
	fl_fail_hint(k->err, "empty it first: stopPolicy HoldAndDrain evicts its jobs");
	return FAIRLEAD_EINPUT;
}

int fl_draft_leave_out(struct fl_draft *k)
{
	struct fl_workload_row none;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < k->n; i++) {
		struct fl_joiner job = k->rows[i];

		if (job.made_of) {
			k->rows[i] = k->rows[kept];
			k->rows[kept++] = job;
			continue;
		}
		struct fl_draft_place *p = &k->places[job.queue.v];
		int r = !job.holds && p->gone ? FAIRLEAD_ENOENT : find_place(k, job.queue, &none);

		p->gone = r < 0;
		if (r == FAIRLEAD_ENOMEM)
			return r;
		if (r < 0 && job.holds)
			return is_in_use(k, &job);
		if (r < 0)
			continue;
		k->rows[i] = k->rows[kept];
		k->rows[kept++] = job;
	}
	k->n_out = k->n - kept;
	k->n = kept;
	return 0;
}

int fl_draft_row(struct fl_draft *k, const struct fl_joiner *job, struct fl_workload_row *row)
{
	char name[24];
	int r;

	*row = fl_workload_default;
	(void)snprintf(name, sizeof name, "%" PRIu64, job->id);
	if ((r = fl_draft_sym(k, name, &row->name)) < 0 || (r = find_place(k, job->queue, row)) < 0)
		return r;
	row->uid = row->name;
	row->created = job->submitted;
	row->has_priority = true;
	row->priority = job->priority;
	return 0;
}

int fl_draft_add(struct fl_draft *k, const struct fl_joiner *job)
{
	struct fl_workload_row row;
	int r;

	if (job->made_of)
		return k->o.maker->add(k->making, k->m, job->made_of, k->err);
	if ((r = fl_draft_row(k, job, &row)) < 0)
		return r;
	if (k->gangs)
		return add_gang(k, job, &row);
	row.podsets.n = 1;
	if ((r = fl_draft_podset(k, job->asks, &row.podsets.first)) < 0)
		return r;
	if (!k->o.from && (r = push_admission(k, job, &row)) < 0)
		return r;
	if (row.reserved)
		row.admitted_queue_name =
			k->m->queues[fl_config_local_queue(k->m, row.namespace, row.queue_name)]
				.cluster_queue_name;
	return fl_model_add_workload(k->m, &row, k->err);
}
