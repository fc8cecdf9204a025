/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/change.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/engine/gate.h"
#include "daemon/machine/apply.h"
#include "daemon/machine/asked.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/rows.h"
#include "daemon/machine/runs.h"
#include "daemon/machine/view.h"

/* Beside the fields of the change, in a row's text: the user that asked for it, and what changed from what to what. */
static const char by_key[] = "by", told_key[] = "told";

static const char *word_of(json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

static bool is_pending(const struct fl_live *job)
{
	return job->state == FL_JOB_HELD || job->state == FL_JOB_DEPENDS ||
	       job->state == FL_JOB_WAITS;
}

/* --- may it be changed? --- */

static int fail_running(const struct fl_live *job, const char *what, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " runs: its %s cannot be changed", job->id,
		what);
	return fl_fail_hint(err, "'fairlead hold --stop %" PRIu64 "' makes it pending again",
			    job->id);
}

static int check_limit(const struct fl_core *c, const struct fl_live *job,
		       const struct fl_job_update *u, const struct fl_wisher *who,
		       fairlead_error *err)
{
	const struct fl_daemon_settings *s = fl_config_settings(c->config);
	fl_time most = s->max_time_limit, wanted = u->spec.time_limit;
	fl_time is = fl_core_time_limit(c, job);
	char a[64];

	if (wanted != FL_NEVER && wanted > most)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "the time limit is longer than the longest allowed, %s",
			       fl_job_period(most, a));
	if (wanted == FL_NEVER)
		wanted = fl_amount_min(s->time_limit, most);
	if (!fl_live_runs(job) || who->admin || wanted <= is)
		return 0;
	fl_fail(err, FAIRLEAD_ESTATE,
		"job %" PRIu64 " runs with a time limit of %s: only an admin can raise it", job->id,
		fl_job_period(is, a));
	return fl_fail_hint(err, "you can lower it, and raise it while the job is pending");
}

static int check_one_after(const struct fl_core *c, const struct fl_live *job,
			   const struct fl_job_after *after, uint64_t bit,
			   struct fl_known_ends *ends, fairlead_error *err)
{
	enum fl_job_state state = after->job && after->job <= c->submitted ?
					  fl_core_state_of(c, after->job) :
					  FL_JOB_STATES;

	if (state == FL_JOB_STATES)
		return fl_fail(err, FAIRLEAD_EINPUT, "after: there is no job %" PRIu64, after->job);
	if (!fl_job_is_over(state))
		return 0;
	if (fl_after_is(after->how, state)) {
		ends->wanted |= bit;
		return 0;
	}
	fl_fail(err, FAIRLEAD_ESTATE,
		"after: job %" PRIu64 " has ended: %s, so job %" PRIu64 " could never start",
		after->job, fl_job_state_name(state), job->id);
	return fl_fail_hint(err, "'%" PRIu64 ":any' starts it however that job has ended",
			    after->job);
}

static int check_after(const struct fl_core *c, const struct fl_live *job,
		       const struct fl_job_spec *s, struct fl_known_ends *ends, uint32_t *budget,
		       fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < s->n_after && r == 0; i++)
		r = check_one_after(c, job, &s->after[i], UINT64_C(1) << i, ends, err);
	if (r == 0)
		r = fl_jobs_would_loop(&c->jobs, job->id, s->after, s->n_after, budget, err);
	if (r <= 0)
		return r;
	return *budget ? fl_fail(err, FAIRLEAD_EINPUT,
				 "after: job %" PRIu64 " would wait for itself", job->id) :
			 fl_fail(err, FAIRLEAD_EINPUT,
				 "after: too many jobs wait for each other to see whether job "
				 "%" PRIu64 " would wait for itself",
				 job->id);
}

int fl_core_check_update(const struct fl_core *c, uint64_t id, const struct fl_job_update *u,
			 const struct fl_wisher *who, struct fl_known_ends *ends, uint32_t *budget,
			 fairlead_error *err)
{
	const struct fl_live *job = fl_jobs_find(&c->jobs, id);
	const bool moves = fl_job_updates(u, FL_JOB_F_QUEUE);
	const bool depends = fl_job_updates(u, FL_JOB_F_AFTER);
	int r = 0;

	*ends = (struct fl_known_ends){ 0 };
	if (!job && id > c->submitted)
		return fl_fail(err, FAIRLEAD_ENOENT, "there is no job %" PRIu64, id);
	if (!job || fl_job_is_over(job->state))
		return fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " has ended", id);
	if (moves && !is_pending(job))
		return fail_running(job, "queue", err);
	if (depends && !is_pending(job))
		return fail_running(job, "dependencies", err);
	if (fl_job_updates(u, FL_JOB_F_HOLD_REASON) && !job->held)
		return fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " is not held", id);
	if (fl_job_updates(u, FL_JOB_F_HOLD_REASON) && job->held == FL_HOLD_ADMIN && !who->admin)
		return fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " is held by an admin", id);
	if (fl_job_updates(u, FL_JOB_F_TIME_LIMIT))
		r = check_limit(c, job, u, who, err);
	if (r == 0 && depends)
		r = check_after(c, job, &u->spec, ends, budget, err);
	return r;
}

/* --- of what to what --- */

struct said {
	char *at;
	size_t left;
};

static void say(struct said *s, const char *what, const char *from, const char *to)
{
	int n = snprintf(s->at, s->left, "%s%s from %s to %s",
			 s->left == FL_CORE_CHANGES ? "" : "; ", what, *from ? from : "none",
			 *to ? to : "none");

	if (n > 0 && (size_t)n < s->left) {
		s->at += n;
		s->left -= (size_t)n;
	}
}

static const char *limit_text(fl_time limit, char buffer[64])
{
	return limit == FL_NEVER ? "none" : fl_job_period(limit, buffer);
}

/* "12, 14:any" */
static const char *after_text(const struct fl_job_spec *s, char *buffer, size_t size)
{
	size_t n = 0;

	*buffer = '\0';
	for (uint32_t i = 0; i < s->n_after && n < size; i++)
		n += (size_t)snprintf(
			buffer + n, size - n, "%s%" PRIu64 "%s%s", i ? ", " : "", s->after[i].job,
			s->after[i].how == FL_AFTER_OK ? "" : ":",
			s->after[i].how == FL_AFTER_OK ? "" : fl_after_name(s->after[i].how));
	return buffer;
}

struct was {
	const struct fl_core *c;
	struct fl_job_spec spec;
};

static int see_was(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct was *was = user;
	const struct fl_job_row *newer = fl_core_newer_spec(was->c, row->id);
	const char *spec = newer ? newer->spec : row->spec;
	struct fl_job_document doc;
	int r = fl_job_parse(spec, strlen(spec), FL_JOB_STORED, &doc, err);

	if (r < 0)
		return r;
	was->spec = doc.spec;
	fl_job_document_done(&doc);
	return 0;
}

void fl_core_tell_update(const struct fl_core *c, uint64_t id, const struct fl_job_update *u,
			 char ret[FL_CORE_CHANGES])
{
	const struct fl_live *job = fl_jobs_find(&c->jobs, id);
	const struct fl_job_spec *to = &u->spec;
	struct said s = { ret, FL_CORE_CHANGES };
	struct was was = { .c = c, .spec = { .time_limit = FL_NEVER } };
	char a[300], b[300];

	*ret = '\0';
	(void)fl_store_job(c->daemon.store, id, see_was, &was, NULL);
	if (fl_job_updates(u, FL_JOB_F_NAME))
		say(&s, "name", was.spec.name, to->name);
	if (fl_job_updates(u, FL_JOB_F_QUEUE))
		say(&s, "queue", fl_names_text(&c->jobs.names, job->queue), to->queue);
	if (fl_job_updates(u, FL_JOB_F_PRIORITY)) {
		(void)snprintf(a, sizeof a, "%d", job->priority);
		(void)snprintf(b, sizeof b, "%d", to->priority);
		say(&s, "priority", a, b);
	}
	if (fl_job_updates(u, FL_JOB_F_TIME_LIMIT))
		say(&s, "time limit", limit_text(job->time_limit, a),
		    limit_text(to->time_limit, b));
	if (fl_job_updates(u, FL_JOB_F_AFTER))
		say(&s, "dependencies", after_text(&was.spec, a, sizeof a),
		    after_text(to, b, sizeof b));
	/* A comment is its owner's, and events are for all: not what it says. */
	if (fl_job_updates(u, FL_JOB_F_COMMENT))
		say(&s, "comment", *was.spec.comment ? "some" : "", *to->comment ? "some" : "");
	if (fl_job_updates(u, FL_JOB_F_HOLD_REASON))
		say(&s, "reason of the hold", was.spec.hold_reason, to->hold_reason);
}

/* --- rows --- */

static int put_text(json_t *json, const struct fl_wisher *who, const char *told, char **ret,
		    fairlead_error *err)
{
	bool ok = json && json_object_set_new(json, by_key, json_string(who->name)) == 0 &&
		  (!told || json_object_set_new(json, told_key, json_string(told)) == 0);

	*ret = ok ? json_dumps(json, JSON_COMPACT) : NULL;
	json_decref(json);
	return *ret ? 0 : fl_fail_nomem(err);
}

int fl_core_update_row(const struct fl_core *c, uint64_t job, const struct fl_job_update *u,
		       const struct fl_known_ends *ends, const struct fl_wisher *who,
		       struct fl_journal_row *ret, char **ret_text, fairlead_error *err)
{
	char told[FL_CORE_CHANGES];
	int r;

	fl_core_tell_update(c, job, u, told);
	r = put_text(fl_job_update_to_json(u), who, told, ret_text, err);
	*ret = (struct fl_journal_row){ .kind = FL_JOURNAL_CHANGE,
					.job = job,
					.change = { ends->wanted, ends->unwanted, *ret_text } };
	return r;
}

static int see_ended(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct fl_job_row *ret = user;

	*ret = *row;
	ret->queue = strdup(row->queue);
	ret->name = strdup(row->name);
	return ret->queue && ret->name ? 0 : fl_fail_nomem(err);
}

int fl_core_revive_row(const struct fl_core *c, uint64_t id, const struct fl_wisher *who,
		       struct fl_journal_row *ret, char **ret_text, fairlead_error *err)
{
	const struct fl_live *job = fl_jobs_find(&c->jobs, id);
	struct fl_job_row row = { 0 };
	int r = fl_store_job(c->daemon.store, id, see_ended, &row, err);

	if (r < 0)
		goto done;
	if (job) { /* newer than its row */
		row.attempt = job->attempt;
		row.evictions = job->evictions;
		row.losses = job->losses;
		row.ran = job->ran;
		row.priority = job->priority;
	}
	*ret = (struct fl_journal_row){
		.kind = FL_JOURNAL_REVIVE,
		.job = id,
		.revive = { .attempt = row.attempt,
			    .evictions = row.evictions,
			    .losses = row.losses,
			    .ran = row.ran },
	};
	r = put_text(json_pack("{s:s, s:s, s:i}", "queue", row.queue, "name", row.name, "priority",
			       row.priority),
		     who, /* told= */ NULL, ret_text, err);
	ret->revive.as = *ret_text;
done:
	free((void *)row.queue);
	free((void *)row.name);
	return r;
}

/* --- specs to be written --- */

/* The text of a change that was applied. */
struct fl_spec_change {
	uint64_t job;
	uint32_t nth;
	char *what;
};

static int keep_change(struct fl_core *c, uint64_t job, const char *what, fairlead_error *err)
{
	char *copy = strdup(what);

	if (!copy || fl_mem_grow(&fl_mem_heap, &c->spec_changes, &c->cap_spec_changes,
				 c->n_spec_changes + 1, sizeof *c->spec_changes, err) < 0) {
		free(copy);
		return fl_fail_nomem(err);
	}
	c->spec_changes[c->n_spec_changes] = (struct fl_spec_change){ job, c->n_spec_changes,
								      copy };
	c->n_spec_changes++;
	return 0;
}

static int by_job(const void *a, const void *b)
{
	const struct fl_spec_change *x = a, *y = b;

	return x->job != y->job ? (x->job > y->job) - (x->job < y->job) :
				  (x->nth > y->nth) - (x->nth < y->nth);
}

static int read_update(const char *text, struct fl_job_update *ret, json_t **ret_json,
		       fairlead_error *err)
{
	int r = fl_job_json_load(text, strlen(text), ret_json, err);

	if (r < 0)
		return r;
	r = fl_job_update_from_json(*ret_json, FL_JOB_STORED, ret, err);
	if (r < 0)
		json_decref(*ret_json);
	return r;
}

/* Changes of one job, in their order, onto its spec. */
struct laying {
	const struct fl_spec_change *changes;
	uint32_t n;
	char *text;
};

static int lay(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct laying *l = user;
	int r = (l->text = strdup(row->spec)) ? 0 : fl_fail_nomem(err);

	for (uint32_t i = 0; i < l->n && r == 0; i++) {
		struct fl_job_update u;
		json_t *json;
		char *next = NULL;

		r = read_update(l->changes[i].what, &u, &json, err);
		if (r < 0)
			return r;
		json_decref(json);
		r = fl_job_update_lay(l->text, &u, &next, err);
		if (r == 0) {
			free(l->text);
			l->text = next;
		}
	}
	return r;
}

static int write_spec(struct fl_core *c, const struct fl_spec_change *changes, uint32_t n,
		      fairlead_error *err)
{
	struct laying l = { changes, n, NULL };
	struct fl_job_document doc = { 0 };
	int r = fl_store_job(c->daemon.store, changes->job, lay, &l, err);

	if (r == 0)
		r = fl_job_parse(l.text, strlen(l.text), FL_JOB_STORED, &doc, err);
	if (r == 0) {
		const struct fl_job_row row = { .id = changes->job,
						.name = doc.spec.name,
						.queue = doc.spec.queue,
						.spec = l.text };

		r = fl_gather_new_spec(c->gather, &row, err);
	}
	fl_job_document_done(&doc);
	free(l.text);
	return r;
}

int fl_core_write_specs(struct fl_core *c, fairlead_error *err)
{
	uint32_t end;
	int r = 0;

	if (c->n_spec_changes)
		qsort(c->spec_changes, c->n_spec_changes, sizeof *c->spec_changes, by_job);
	for (uint32_t i = 0; i < c->n_spec_changes && r == 0; i = end) {
		fairlead_error why = { 0 };

		for (end = i;
		     end < c->n_spec_changes && c->spec_changes[end].job == c->spec_changes[i].job;)
			end++;
		r = write_spec(c, &c->spec_changes[i], end - i, &why);
		if (r == FAIRLEAD_ENOMEM) {
			*err = why;
		} else if (r < 0) { /* damaged, or deleted meanwhile: there is nothing to change */
			fl_core_log(c, "the spec of job %" PRIu64 " cannot be changed: %s",
				    c->spec_changes[i].job, why.text);
			r = 0;
		}
	}
	if (r == 0)
		fl_core_drop_specs(c);
	return r;
}

void fl_core_drop_specs(struct fl_core *c)
{
	for (uint32_t i = 0; i < c->n_spec_changes; i++)
		free(c->spec_changes[i].what);
	c->n_spec_changes = 0;
}

int fl_core_forget_why(struct fl_core *c, struct fl_live *job, fairlead_error *err)
{
	job->why_held = false;
	return keep_change(c, job->id, "{\"holdReason\":null}", err);
}

/* --- applying --- */

/* A request was checked when it came; what has changed since is looked at again. */
static int is_late(const struct fl_core *c, const struct fl_live *job,
		   const struct fl_job_update *u, fairlead_error *err)
{
	uint32_t budget = UINT32_MAX;

	if (!is_pending(job) &&
	    (fl_job_updates(u, FL_JOB_F_QUEUE) || fl_job_updates(u, FL_JOB_F_AFTER)))
		return 1;
	if (fl_job_updates(u, FL_JOB_F_AFTER))
		return fl_jobs_would_loop(&c->jobs, job->id, u->spec.after, u->spec.n_after,
					  &budget, err);
	return 0;
}

/* It leaves the policy, and may join again. */
static int leave(struct fl_core *c, fl_time at, struct fl_live *job, fairlead_error *err)
{
	int r = fl_core_tell_policy(c, at, FL_EV_CANCEL, job, err);

	fl_generation_leave(&c->generation, job);
	return r;
}

static int move(struct fl_core *c, fl_time at, struct fl_live *job, const char *queue,
		fairlead_error *err)
{
	int r = leave(c, at, job, err);

	if (r == 0)
		r = fl_jobs_move(&c->jobs, job, queue, err);
	job->retry = FL_TIME_NONE;
	return r < 0 || job->state != FL_JOB_WAITS || job->begin ? r :
								   fl_core_newcomer(c, job, err);
}

/* Jobs that waited for the one of its name go on, and it may be one of those of the other name. */
static int rename_job(struct fl_core *c, fl_time at, struct fl_live *job, const char *name,
		      fairlead_error *err)
{
	const struct fl_live was = *job;
	bool gated = job->singleton && (job->state == FL_JOB_WAITS || job->state == FL_JOB_DEPENDS);
	int r = fl_jobs_rename(&c->jobs, job, name, err);

	if (r == 0 && was.named)
		r = fl_core_let_others_in(c, &was, err);
	if (r < 0 || !gated)
		return r;
	if (was.state == FL_JOB_WAITS)
		r = leave(c, at, job, err);
	job->state = FL_JOB_DEPENDS;
	return r < 0 ? r : fl_core_let_in(c, job, err);
}

static int depend(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		  const struct fl_job_spec *s, fairlead_error *err)
{
	const struct fl_known_ends ends = { row->change.wanted, row->change.unwanted };
	enum fl_job_state was = job->state;
	int r = fl_jobs_set_after(&c->jobs, job, s->after, s->n_after, err);
	bool hope, waits;

	if (r < 0)
		return r;
	hope = fl_core_look_back(c, &ends, job, s->after, s->n_after);
	if (!hope) {
		r = fl_core_tell_policy(c, row->at, FL_EV_CANCEL, job, err);
		job->state = FL_JOB_DEPENDS; /* what it waits for is forgotten with its end */
		return r < 0 ? r :
			       fl_core_end(c, job->id, FL_JOB_CANCELLED,
					   "a job that it waits for did not end as required", err);
	}
	if (was == FL_JOB_HELD)
		return 0;
	job->state = FL_JOB_DEPENDS; /* so that it is not counted among those of its array */
	waits = !fl_gate_is_open(&c->jobs, job);
	job->state = waits ? FL_JOB_DEPENDS : FL_JOB_WAITS;
	if (was == job->state)
		return 0;
	return waits ? leave(c, row->at, job, err) : fl_core_let_in(c, job, err);
}

int fl_core_prioritize(struct fl_core *c, fl_time at, struct fl_live *job, int32_t priority,
		       fairlead_error *err)
{
	struct fl_event e = { .kind = FL_EV_CELL, .workload = job->workload };

	job->priority = priority;
	e.cell.kind = FL_CELL_PRIORITY;
	e.cell.amount = priority;
	return job->workload.v == FL_NONE ? 0 : fl_driver_apply(&c->generation.driver, at, &e, err);
}

static int limit(struct fl_core *c, struct fl_live *job, fl_time time_limit)
{
	job->time_limit = time_limit;
	if (!fl_live_runs(job))
		return 0;
	job->relimited = true;
	fl_core_limit(c, job);
	return 0;
}

static int change(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		  const struct fl_job_update *u, fairlead_error *err)
{
	const struct fl_job_spec *s = &u->spec;
	int r = 0;

	if (fl_job_updates(u, FL_JOB_F_PRIORITY))
		r = fl_core_prioritize(c, row->at, job, s->priority, err);
	if (r == 0 && fl_job_updates(u, FL_JOB_F_QUEUE))
		r = move(c, row->at, job, s->queue, err);
	if (r == 0 && fl_job_updates(u, FL_JOB_F_NAME))
		r = rename_job(c, row->at, job, s->name, err);
	if (r == 0 && fl_job_updates(u, FL_JOB_F_TIME_LIMIT))
		r = limit(c, job, s->time_limit);
	if (r == 0 && fl_job_updates(u, FL_JOB_F_HOLD_REASON))
		job->why_held = *s->hold_reason != '\0';
	if (r == 0 && fl_job_updates(u, FL_JOB_F_AFTER))
		r = depend(c, row, job, s, err);
	return r;
}

int fl_core_change(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		   int *ret, fairlead_error *err)
{
	struct fl_job_update u;
	char text[FL_CORE_CHANGES + 100];
	json_t *json;
	int r = read_update(row->change.what, &u, &json, err);

	if (r < 0)
		return r;
	r = is_late(c, job, &u, err);
	if (r == 0) {
		(void)snprintf(text, sizeof text, "%s, by %s", word_of(json, told_key),
			       word_of(json, by_key));
		r = fl_core_happened(c, FL_HAPPENED_CHANGED, row->at, job, /* reason= */ NULL, text,
				     err);
		if (r == 0)
			r = keep_change(c, job->id, row->change.what, err);
		if (r == 0)
			r = change(c, row, job, &u, err);
	} else if (r > 0) {
		*ret = FAIRLEAD_EINPUT;
		r = 0;
	}
	json_decref(json);
	return r;
}

struct reviving {
	struct fl_core *c;
	const struct fl_journal_row *row;
	json_t *as;
	int code; /* of the restored row */
};

static int restore(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct reviving *x = user;
	struct fl_core *c = x->c;
	struct fl_job_document doc;
	struct fl_live *job, live = {
		.id = row->id,
		.state = FL_JOB_WAITS,
		.priority = (int32_t)json_integer_value(json_object_get(x->as, "priority")),
		.attempt = x->row->revive.attempt,
		.evictions = x->row->revive.evictions,
		.losses = x->row->revive.losses,
		.workload = { FL_NONE },
		.submitted = row->submitted,
		.started = FL_TIME_NONE,
		.ended = FL_TIME_NONE,
		.ran = x->row->revive.ran,
		.waits = x->row->at,
		.retry = FL_TIME_NONE,
		.outcome = -1,
	};
	int r = fl_job_parse(row->spec, strlen(row->spec), FL_JOB_STORED, &doc, err);

	if (r < 0)
		return r;
	(void)snprintf(doc.spec.queue, sizeof doc.spec.queue, "%s", word_of(x->as, "queue"));
	if (json_object_get(x->as, "name")) /* older rows do not say it */
		(void)snprintf(doc.spec.name, sizeof doc.spec.name, "%s", word_of(x->as, "name"));
	live.array = doc.spec.array;
	live.uid = doc.spec.uid;
	live.tasks = doc.spec.tasks;
	doc.spec.n_after = 0; /* those have ended */
	x->code = fl_jobs_restore(&c->jobs, &live, &doc.spec, &job, err);
	fl_job_document_done(&doc);
	return x->code;
}

int fl_core_revive(struct fl_core *c, const struct fl_journal_row *row, int *ret,
		   fairlead_error *err)
{
	const struct fl_live *is = fl_jobs_find(&c->jobs, row->job);
	struct reviving x = { .c = c, .row = row };
	struct fl_live *job;
	fairlead_error why = { 0 };
	char by[120];
	int r;

	*ret = is && !fl_job_is_over(is->state) ? FAIRLEAD_EINPUT : 0;
	if (*ret < 0)
		return 0;
	r = fl_job_json_load(row->revive.as, strlen(row->revive.as), &x.as, err);
	if (r < 0)
		return r;
	(void)snprintf(by, sizeof by, "by %s", word_of(x.as, by_key));
	r = fl_store_job(c->daemon.store, row->job, restore, &x, &why);
	json_decref(x.as);
	if (r == FAIRLEAD_ENOMEM || x.code < 0) {
		*err = why;
		return r;
	}
	*ret = r; /* it was deleted, or is damaged */
	job = fl_jobs_find(&c->jobs, row->job);
	if (r < 0)
		return 0;
	r = fl_core_happened(c, FL_HAPPENED_REQUEUED, row->at, job, "requeued", by, err);
	return r < 0 ? r : fl_core_let_in(c, job, err);
}
