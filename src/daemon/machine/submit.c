/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/submit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "codec/job/job_json.h"
#include "codec/text/quantity.h"
#include "daemon/config/config_queue.h"
#include "daemon/machine/asked.h"
#include "daemon/machine/batch.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/view.h"

/* --- names and dependencies --- */

static int check_queue(const struct fl_core *c, const struct fl_job_spec *spec, fairlead_error *err)
{
	struct fl_sym namespace, queue;

	return fl_config_queue(c->generation.model, spec->queue, &namespace, &queue, err);
}

static bool is_there(const struct fl_capacity *there, const char *resource)
{
	for (uint32_t i = 0; i < there->n; i++)
		if (strcmp(there->rows[i].resource, resource) == 0 && there->rows[i].amount > 0)
			return true;
	return false;
}

static int fail_without_gpu(const char *resource, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "this machine has no GPU, so there is no '%s' here",
		resource);
	return fl_fail_hint(err, "leave it out of the request; if there is one, 'fairlead queues' "
				 "has its name, or its driver is not loaded");
}

static int check_requests(const struct fl_core *c, const struct fl_job_spec *spec,
			  fairlead_error *err)
{
	const struct fl_model *m = c->generation.model;

	for (uint32_t i = 0; i < spec->n_requests; i++) {
		struct fl_nearest near = { .wanted = spec->requests[i].resource };
		char text[1600];

		if (fl_model_find_resource(m, spec->requests[i].resource).v != FL_NONE)
			continue;
		if (fl_job_is_gpu(spec->requests[i].resource) &&
		    !is_there(&c->capacity, spec->requests[i].resource))
			return fail_without_gpu(spec->requests[i].resource, err);
		fl_fail(err, FAIRLEAD_EINPUT, "no queue has quota for '%s'",
			spec->requests[i].resource);
		for (uint32_t k = 0; k < m->n_resources; k++)
			fl_nearest_offer(&near, fl_model_text(m, m->resources[k]));
		if (near.n)
			fl_fail_hint(err, "did you mean %s?",
				     fl_nearest_text(&near, text, sizeof text));
		return FAIRLEAD_EINPUT;
	}
	return 0;
}

static bool has_label(const struct fl_model *m, const struct fl_job_label *label)
{
	for (uint32_t f = 0; f < m->n_flavors; f++)
		for (uint32_t i = 0; i < m->flavors[f].labels.n; i++) {
			const struct fl_label *l = &m->labels[m->flavors[f].labels.first + i];

			if (strcmp(fl_model_text(m, l->key), label->key) == 0 &&
			    strcmp(fl_model_text(m, l->value), label->value) == 0)
				return true;
		}
	return false;
}

static int check_labels(const struct fl_core *c, const struct fl_job_spec *spec,
			fairlead_error *err)
{
	for (uint32_t i = 0; i < spec->n_labels; i++)
		if (!has_label(c->generation.model, &spec->labels[i]))
			return fl_fail(err, FAIRLEAD_EINPUT, "no flavor has the label '%s=%s'",
				       spec->labels[i].key, spec->labels[i].value);
	return 0;
}

bool fl_core_is_coming(const struct fl_core *c, uint64_t id)
{
	for (int i = 0; i < 2; i++) {
		const struct fl_gather *g = &c->gathers[i];

		if (g->all.rows.n_new_jobs && id >= g->all.rows.new_jobs[0].id &&
		    id <= g->all.rows.new_jobs[g->all.rows.n_new_jobs - 1].id)
			return true;
	}
	return false;
}

/* True: the job is in neither the store nor the rows on their way to it. */
static bool is_forgotten(const struct fl_core *c, uint64_t id)
{
	return !fl_core_is_coming(c, id) && fl_core_state_of(c, id) == FL_JOB_STATES;
}

static int fail_ended(const struct fl_job_after *after, enum fl_job_state state,
		      fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ESTATE,
		"after: job %" PRIu64 " has ended: %s; a job that waits for it to %s could never "
		"start",
		after->job, fl_job_state_name(state),
		after->how == FL_AFTER_OK ? "succeed" : "fail");
	return fl_fail_hint(err, "--after %" PRIu64 ":any starts however that ended", after->job);
}

static int check_after(const struct fl_core *c, const struct fl_job_spec *spec, fairlead_error *err)
{
	for (uint32_t i = 0; i < spec->n_after; i++) {
		const struct fl_job_after *after = &spec->after[i];
		enum fl_job_state state;

		if (after->job == 0 || after->job > c->submitted || is_forgotten(c, after->job))
			return fl_fail(err, FAIRLEAD_ENOENT, "after: there is no job %" PRIu64,
				       after->job);
		state = fl_core_state_of(c, after->job);
		if (state != FL_JOB_STATES && fl_job_is_over(state) &&
		    !fl_after_is(after->how, state))
			return fail_ended(after, state, err);
	}
	return 0;
}

/* --- limits: jobs on their way to the disk count, too --- */

struct on_its_way {
	uint32_t all, of_user, of_queue;
};

/*
 * O(rows on their way to the disk): once for all specs of a submission with the same user and
 * queue.
 */
static struct on_its_way count_coming(const struct fl_core *c, const struct fl_job_spec *spec)
{
	struct on_its_way n = { 0 };

	for (int i = 0; i < 2; i++)
		for (uint32_t k = 0; k < c->gathers[i].all.rows.n_new_jobs; k++) {
			const struct fl_job_row *row = &c->gathers[i].all.rows.new_jobs[k];

			n.all++;
			n.of_user += row->uid == spec->uid;
			n.of_queue += strcmp(row->queue, spec->queue) == 0;
		}
	return n;
}

static int over(fairlead_error *err, const char *whose, uint32_t most, const char *field)
{
	fl_fail(err, FAIRLEAD_ELIMIT, "%s may have at most %u jobs that have not ended", whose,
		most);
	fl_fail_hint(err, "an admin can raise .spec.limits.%s", field);
	return FAIRLEAD_ELIMIT;
}

/* @more: counts of all jobs submitted with it. */
static int check_limits(const struct fl_core *c, const struct fl_job_spec *spec, uint32_t more,
			fairlead_error *err)
{
	const struct fl_daemon_settings *s = fl_config_settings(c->config);
	struct on_its_way n = count_coming(c, spec);

	if ((uint64_t)c->jobs.n_live + n.all + more > s->max_jobs)
		return over(err, "the daemon", s->max_jobs, "jobs");
	if ((uint64_t)fl_jobs_of_user(&c->jobs, spec->user) + n.of_user + more >
	    s->max_jobs_per_user)
		return over(err, "a user", s->max_jobs_per_user, "jobsPerUser");
	if ((uint64_t)fl_jobs_of_queue(&c->jobs, spec->queue) + n.of_queue + more >
	    s->max_jobs_per_queue)
		return over(err, "a queue", s->max_jobs_per_queue, "jobsPerQueue");
	return 0;
}

/* Bytes of the user's specs: those that are kept and those on their way to the disk. */
static uint64_t count_bytes(const struct fl_core *c, const struct fl_job_spec *spec)
{
	uint64_t bytes = fl_jobs_bytes_of_user(&c->jobs, spec->user);

	for (int i = 0; i < 2; i++)
		for (uint32_t k = 0; k < c->gathers[i].all.rows.n_journal; k++) {
			const struct fl_job_spec *other = c->gathers[i].specs[k];

			if (other && other->uid == spec->uid)
				bytes += other->bytes;
		}
	return bytes;
}

static int check_bytes(const struct fl_core *c, uint64_t bytes, fairlead_error *err)
{
	const fl_amount most = fl_config_settings(c->config)->max_bytes_per_user;
	char text[32];

	if (bytes <= (uint64_t)most)
		return 0;
	fl_fail(err, FAIRLEAD_ELIMIT,
		"the jobs of a user that have not ended may have at most %s of commands and "
		"environments",
		fl_quantity_format(text, most, /* cpu= */ false, /* binary= */ true));
	fl_fail_hint(err,
		     "submit with a smaller environment, or wait until some jobs have ended; an "
		     "admin can raise .spec.limits.bytesPerUser");
	return FAIRLEAD_ELIMIT;
}

static int check_time(const struct fl_core *c, const struct fl_job_spec *spec, fairlead_error *err)
{
	fl_time most = fl_config_settings(c->config)->max_time_limit;
	fl_time most_grace = fl_config_settings(c->config)->max_grace;

	if (spec->grace != FL_TIME_NONE && spec->grace > most_grace)
		return fl_fail(err, FAIRLEAD_EINPUT, "its grace is longer than the limit, %lld s",
			       (long long)(most_grace / FL_SECOND));
	if (spec->time_limit != FL_NEVER && spec->time_limit > most)
		return fl_fail(err, FAIRLEAD_ELIMIT,
			       "its time limit is longer than the limit, "
			       "%lld s",
			       (long long)(most / FL_SECOND));
	return 0;
}

static int check(const struct fl_core *c, const struct fl_job_spec *spec, fairlead_error *err)
{
	int r;

	if ((r = check_queue(c, spec, err)) < 0 || (r = check_requests(c, spec, err)) < 0 ||
	    (r = check_labels(c, spec, err)) < 0 || (r = check_after(c, spec, err)) < 0 ||
	    (r = check_time(c, spec, err)) < 0)
		return r;
	return 0;
}

static bool is_of_the_same(const struct fl_job_spec *a, const struct fl_job_spec *b)
{
	return a->uid == b->uid && strcmp(a->queue, b->queue) == 0;
}

static int check_all(const struct fl_core *c, const struct fl_job_spec *specs, uint32_t n,
		     uint32_t more, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < n && r == 0; i++) {
		r = check(c, &specs[i], err);
		if (r == 0 && (i == 0 || !is_of_the_same(&specs[i - 1], &specs[i])))
			r = check_limits(c, &specs[i], more, err);
	}
	return r;
}

/* --- numbering --- */

/*
 * Finds which of the jobs that it waits for have ended.  Noted in the row, as the store deletes
 * them in time, and a replay must see the same.
 */
static struct fl_journal_row row_of(const struct fl_core *c, const struct fl_job_spec *spec)
{
	struct fl_journal_row row = { .kind = FL_JOURNAL_SUBMIT };

	for (uint32_t i = 0; i < spec->n_after; i++) {
		enum fl_job_state state = fl_core_state_of(c, spec->after[i].job);

		if (state == FL_JOB_STATES || !fl_job_is_over(state))
			continue;
		if (fl_after_is(spec->after[i].how, state))
			row.submit.wanted |= UINT64_C(1) << i;
		else
			row.submit.unwanted |= UINT64_C(1) << i;
	}
	return row;
}

/* All specs of an array have the length of the first; *bytes: adds them to those of the user. */
static int begin_array(struct fl_core *c, struct fl_job_spec *one, const char *json,
		       uint32_t copies, uint64_t *bytes, const struct fl_job_spec **mine,
		       fairlead_error *err)
{
	int r;

	one->bytes = (uint32_t)strlen(json);
	*bytes += (uint64_t)one->bytes * copies;
	r = check_bytes(c, *bytes, err);
	return r < 0 ? r : fl_gather_spec(c->gather, one, mine, err);
}

static int add_array(struct fl_core *c, const struct fl_job_spec *spec,
		     const struct fl_submitted_array *array, uint64_t *id, uint64_t *bytes,
		     fairlead_error *err)
{
	uint32_t copies = array ? array->n : 1;
	struct fl_journal_row row = row_of(c, spec);
	struct fl_job_spec one = *spec;
	const struct fl_job_spec *mine = NULL;
	int r = 0;

	if (array)
		one.array = *id + 1;
	for (uint32_t i = 0; i < copies && r == 0; i++) {
		char *json;

		one.array_index = array && array->indexes ? array->indexes[i] : i;
		row.job = ++*id;
		json = fl_job_text(&one);
		r = json ? 0 : fl_fail_nomem(err);
		if (r == 0 && i == 0)
			r = begin_array(c, &one, json, copies, bytes, &mine, err);
		if (r == 0)
			r = fl_gather_submit(c->gather, &row, mine, json, err);
		free(json);
	}
	return r;
}

int fl_core_submit(struct fl_core *c, const struct fl_job_spec *specs, uint32_t n,
		   const struct fl_submitted_array *array, fl_reply_fn *done, void *user,
		   fairlead_error *err)
{
	struct fl_gather *g = c->gather;
	uint32_t journal = g->all.rows.n_journal, new_jobs = g->all.rows.n_new_jobs,
		 copies = array ? array->n : 1;
	struct fl_post post = { done, user, journal, n * copies };
	uint64_t id = c->submitted, bytes;
	int r = fl_core_check_open(c, err);

	if (r == 0)
		r = check_all(c, specs, n, n * copies, err);
	bytes = r == 0 && n ? count_bytes(c, specs) : 0;
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = add_array(c, &specs[i], array, &id, &bytes, err);
	if (r == 0)
		r = fl_gather_post(g, &post, err);
	if (r < 0) {
		g->all.rows.n_journal = journal;
		g->all.rows.n_new_jobs = new_jobs;
		return r;
	}
	c->submitted = id;
	fl_core_soon(c);
	return 0;
}

/* --- again --- */

/* The part of a spec that limits count by. */
static int see_counted(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct fl_job_spec *ret = user;

	(void)err;
	ret->uid = row->uid;
	ret->bytes = (uint32_t)row->spec_bytes;
	(void)snprintf(ret->user, sizeof ret->user, "%s", row->user);
	(void)snprintf(ret->queue, sizeof ret->queue, "%s", row->queue);
	return 0;
}

int fl_core_check_again(const struct fl_core *c, uint64_t job, uint32_t more, fairlead_error *err)
{
	struct fl_job_spec spec = { 0 };
	int r = fl_store_job_row(c->daemon.store, job, see_counted, &spec, err);

	if (r == 0)
		r = check_queue(c, &spec, err);
	if (r == 0)
		r = check_limits(c, &spec, more, err);
	return r < 0 ? r : check_bytes(c, count_bytes(c, &spec) + (uint64_t)spec.bytes * more, err);
}
