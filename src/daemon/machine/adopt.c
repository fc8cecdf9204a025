/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt - the runs in the state folder against the jobs that the database knows
 *
 * A database that was restored, truncated or removed knows fewer jobs than were submitted.  It
 * would give the next job a number that has a folder already, with the outcome and the output of
 * another job.  So when there is a folder with a number above the last one in the database, the
 * start is refused.
 */
#include "daemon/machine/adopt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "daemon/machine/batch.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/rows.h"
#include "daemon/machine/view.h"
#include "daemon/token/run.h"

/*
 * A setting of the store: why jobs may be missing; reported when the daemon has started, and ""
 * from then on.
 */
static const char restored[] = "restored";
enum { NOTE = 300 };

/* --- numbers --- */

static int refuse(const char *state, const struct fl_last_run *run, uint64_t last,
		  fairlead_error *err)
{
	char known[64] = "has no job at all";

	if (last)
		(void)snprintf(known, sizeof known, "has none after job %" PRIu64, last);
	fl_fail(err, FAIRLEAD_EINPUT,
		"%.300s/%s is of job %" PRIu64 ", but the database %s: it has lost jobs, and would "
		"give their numbers to new jobs",
		state, run->where, run->job, known);
	fl_fail_hint(
		err,
		"nothing was changed; look for the database with these jobs, or a later backup; "
		"or use --adopt-runs: numbers go on above these, and runs that the database does "
		"not have are ended and set aside");
	return FAIRLEAD_EINPUT;
}

/* The key of tokens is in the database, so that a copy of it makes the same tokens. */
static int have_key(struct fl_core *c, fairlead_error *err)
{
	static const char name[] = "run-key";
	char text[FL_RUN_TOKEN];
	int r = fl_store_get(c->daemon.store, name, text, sizeof text, err);

	if (r == FAIRLEAD_ENOENT) {
		if ((r = fl_token_draw(&c->key, err)) < 0)
			return r;
		fl_token_spell(&c->key, text);
		return fl_store_set(c->daemon.store, name, text, err);
	}
	if (r == 0 && !fl_token_read(text, &c->key))
		r = fl_fail(err, FAIRLEAD_EINPUT, "the key of runs in the database is damaged");
	return r;
}

/* The condition that lasts until an admin acknowledges it. */
static const struct fl_condition_row lasting = { .kind = "Daemon", .name = "", .type = "Restored" };

static int see_condition(void *user, const struct fl_condition_row *row, fairlead_error *err)
{
	struct fl_core *c = user;

	(void)err;
	if (row->holds && strcmp(row->kind, lasting.kind) == 0 &&
	    strcmp(row->type, lasting.type) == 0)
		(void)snprintf(c->warning, sizeof c->warning, "%s", row->text ? row->text : "");
	return 0;
}

static int find_warning(struct fl_core *c, fairlead_error *err)
{
	return fl_store_conditions(c->daemon.store, see_condition, c, err);
}

int fl_core_open_store(struct fl_core *c, fairlead_error *err)
{
	const struct fl_core_options *o = &c->options;
	struct fl_store_options store = { 0 };
	struct fl_last_run run = { 0 };
	struct fl_store_end end;
	char note[NOTE];
	int r = o->backend->last(o->state, &run, err);

	if (r < 0)
		return r;
	if (o->store)
		store = *o->store;
	store.folder = o->state;
	store.create = !run.job ||
		       o->adopt_runs; /* no new database where runs of another one are */
	r = fl_store_open(&store, &c->daemon.store, err);
	if (r == FAIRLEAD_ENOENT && !store.create)
		return refuse(o->state, &run, /* last= */ 0, err);
	if (r < 0 || (r = fl_store_end(c->daemon.store, &end, err)) < 0)
		return r;
	if (run.job > end.job && !o->adopt_runs)
		return refuse(o->state, &run, end.job, err);
	if ((r = have_key(c, err)) < 0 || (r = find_warning(c, err)) < 0 || run.job <= end.job)
		return r;
	(void)snprintf(note, sizeof note,
		       "the last job in the database is %" PRIu64
		       ", but there are folders of later jobs: what became of these is not known; "
		       "numbers go on above %" PRIu64,
		       end.job, run.job);
	r = fl_store_set(c->daemon.store, restored, note, err);
	return r < 0 ? r : fl_store_number_above(c->daemon.store, run.job, err);
}

/* --- runs --- */

struct sorting {
	struct fl_core *c;
	struct fl_stray *strays;
	uint32_t n, cap;
	fairlead_error *err;
	/* the run that is checked now */
	uint32_t attempt, known;
	const char *token;
	bool is_ours;
};

/* Does the run belong to the job, by its attempt and token? */
static int compare(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct sorting *s = user;
	const struct fl_live *live = fl_jobs_find(&s->c->jobs, row->id);
	char token[FL_RUN_TOKEN];

	(void)err;
	fl_token_of(&s->c->key, row->id, s->attempt, row->submitted, token);
	s->known = live ? live->attempt : row->attempt;
	s->is_ours = s->attempt <= s->known && strcmp(s->token, token) == 0;
	return 0;
}

static int note(struct sorting *s, uint64_t job, uint32_t attempt)
{
	if (fl_mem_grow(&fl_mem_heap, &s->strays, &s->cap, s->n + 1, sizeof *s->strays, s->err) < 0)
		return FAIRLEAD_ENOMEM;
	s->strays[s->n++] = (struct fl_stray){ .job = job, .attempt = attempt };
	return 0;
}

/* An earlier attempt, or a job that has ended: the end of the run is in the database already. */
static int see_past(struct fl_core *c, uint64_t job, uint32_t attempt, const char *token,
		    enum fl_found *ret, fairlead_error *err)
{
	int r = c->backend->find(c->host, job, attempt, token, ret, err);

	if (r == 0 && *ret == FL_FOUND_ENDED)
		c->backend->forget(c->host, job, attempt);
	return r;
}

static int sort_run(void *user, uint64_t job, uint32_t attempt, const char *token)
{
	struct sorting *s = user;
	const struct fl_live *live = fl_jobs_find(&s->c->jobs, job);
	bool wanted = live && fl_live_runs(live) && live->attempt == attempt;
	enum fl_found found = FL_FOUND_NEVER;
	int r;

	s->attempt = attempt;
	s->token = token;
	s->is_ours = false;
	r = fl_store_job_row(s->c->daemon.store, job, compare, s, s->err);
	if (r == FAIRLEAD_EINPUT) /* damaged: the run of a live job is left alone */
		return live && !fl_job_is_over(live->state) ? 0 : note(s, job, attempt);
	if (r < 0 && r != FAIRLEAD_ENOENT)
		return r;
	if (wanted && (s->is_ours || !*token))
		return 0;
	if (s->is_ours && (r = see_past(s->c, job, attempt, token, &found, s->err)) < 0)
		return r;
	return found == FL_FOUND_ENDED ? 0 : note(s, job, attempt);
}

static const char *describe(uint32_t ended, const char *kept, char *buffer, size_t size)
{
	static const char *const became[] = { "it was not running", "it was ended",
					      "some of its processes could not be ended" };

	(void)snprintf(buffer, size, "it is not in the database: %s%s%s",
		       became[ended <= 2 ? ended : 2], kept ? "; its files are kept as " : "",
		       kept ? kept : "");
	return buffer;
}

static int tell_stray(struct fl_core *c, const struct fl_stray *stray, fairlead_error *err)
{
	const struct fl_journal_row row = {
		.kind = FL_JOURNAL_DISOWNED,
		.job = stray->job,
		.disowned = { .attempt = stray->attempt,
			      .became = stray->remains ? 2 : stray->ran,
			      .kept = *stray->kept ? stray->kept : NULL },
	};
	char text[160];

	fl_core_log(c, "run %" PRIu64 ".%" PRIu32 ": %s", stray->job, stray->attempt,
		    describe(row.disowned.became, row.disowned.kept, text, sizeof text));
	return fl_core_note(c, &row, err);
}

/* Reports all of it in one sentence, if there is anything to report. */
static int tell_restored(struct fl_core *c, const struct fl_stray *strays, uint32_t n,
			 fairlead_error *err)
{
	char why[NOTE] = "", text[FL_CORE_WARNING];
	struct fl_journal_row row = { .kind = FL_JOURNAL_RESTORED, .restored.why = text };
	uint32_t ran = 0;
	int r = fl_store_get(c->daemon.store, restored, why, sizeof why, err);

	if (r < 0 && r != FAIRLEAD_ENOENT)
		return r;
	if (!*why && !n)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		ran += strays[i].ran;
	r = snprintf(text, sizeof text, "%s",
		     *why ? why : "state folder and database do not match");
	if (n)
		(void)snprintf(text + r, sizeof text - (size_t)r,
			       "; runs that are not in it: %" PRIu32 " (ended now: %" PRIu32 ")", n,
			       ran);
	fl_core_log(c, "%s", text);
	return fl_core_note(c, &row, err);
}

int fl_core_disown_runs(struct fl_core *c, fairlead_error *err)
{
	struct sorting s = { .c = c, .err = err };
	int r = c->backend->each(c->host, sort_run, &s, err);

	if (r == 0 && s.n)
		c->backend->disown(c->host, s.strays, s.n);
	for (uint32_t i = 0; i < s.n && r == 0; i++)
		r = tell_stray(c, &s.strays[i], err);
	if (r == 0)
		r = tell_restored(c, s.strays, s.n, err);
	free(s.strays);
	return r;
}

/* --- the report, until it is acknowledged --- */

const char *fl_core_warning(const struct fl_core *c) { return *c->warning ? c->warning : NULL; }

static int keep_warning(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err)
{
	struct fl_condition_row condition = lasting;

	condition.holds = row->kind == FL_JOURNAL_RESTORED;
	condition.reason = condition.holds ? "Restored" : "Acknowledged";
	condition.text = condition.holds && row->restored.why ? row->restored.why : "";
	condition.since = row->at;
	(void)snprintf(c->warning, sizeof c->warning, "%s", condition.text);
	return fl_gather_row(c->gather, &condition, err);
}

int fl_core_adopted(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err)
{
	char text[160];
	struct fl_tell tell = { .what = row->kind == FL_JOURNAL_RESTORED ? FL_HAPPENED_RESTORED :
									   FL_HAPPENED_ACKNOWLEDGED,
				.at = row->at };
	fairlead_error none;
	int r = 0;

	if (row->kind == FL_JOURNAL_DISOWNED) {
		tell.what = FL_HAPPENED_DISOWNED;
		tell.number = row->job;
		tell.attempt = row->disowned.attempt;
		tell.text = describe(row->disowned.became, row->disowned.kept, text, sizeof text);
	} else {
		tell.text = row->kind == FL_JOURNAL_RESTORED ? row->restored.why :
							       row->acknowledged.by;
		r = keep_warning(c, row, err);
	}
	if (r == 0)
		r = fl_core_tell(c, &tell, err);
	/* Reported once; if this fails, the next start reports it again. */
	if (r == 0 && row->kind == FL_JOURNAL_RESTORED && !c->replaying)
		(void)fl_store_set(c->daemon.store, restored, "", &none);
	return r;
}

int fl_core_acknowledge(struct fl_core *c, const char *who, fl_reply_fn *done, void *user,
			fairlead_error *err)
{
	char by[80];
	const struct fl_journal_row row = { .kind = FL_JOURNAL_ACKNOWLEDGED,
					    .acknowledged.by = by };
	const struct fl_post post = { done, user, c->gather->all.rows.n_journal, 1 };
	int r = fl_core_check_open(c, err);

	if (r < 0)
		return r;
	if (!*c->warning)
		return fl_fail(err, FAIRLEAD_ESTATE, "there is nothing to acknowledge");
	(void)snprintf(by, sizeof by, "by %s", who);
	if ((r = fl_gather_post(c->gather, &post, err)) == 0 &&
	    (r = fl_core_note(c, &row, err)) < 0)
		c->gather->n_posts--;
	return r;
}

/* --- without a daemon --- */

/* Where the database in @folder ends. */
static int last_known(const char *folder, struct fl_store_end *ret, fairlead_error *err)
{
	const struct fl_store_options options = { .folder = folder, .read_only = true };
	struct fl_store *s;
	int r = fl_store_open(&options, &s, err);

	if (r < 0)
		return r;
	r = fl_store_end(s, ret, err);
	(void)fl_store_close(s);
	return r;
}

int fl_core_verify(const struct fl_backend_ops *backend, const char *state, fairlead_error *err)
{
	struct fl_last_run run;
	struct fl_store_end end;
	/* The folders first: the database then has all runs that a daemon starts meanwhile. */
	int cut = 0, r = backend->last(state, &run, err);

	if (r == 0)
		r = cut = fl_store_verify(state, err);
	if (r >= 0)
		r = last_known(state, &end, err);
	if (r == 0 && run.job > end.job)
		r = refuse(state, &run, end.job, err);
	return r < 0 ? r : cut;
}

int fl_core_restore(const struct fl_backend_ops *backend, const char *backup, const char *state,
		    bool adopt_runs, fairlead_error *err)
{
	struct fl_restore how = { .name = restored };
	char note[NOTE], at[40], above[64] = "";
	struct fl_store_end end, there;
	fairlead_error none;
	struct fl_last_run run;
	int r = last_known(backup, &end, err);

	if (r == 0)
		r = backend->last(state, &run, err);
	if (r < 0)
		return r;
	/*
	 * If there is a database already, restoring will fail for that reason, with a better
	 * message.
	 */
	if (run.job > end.job && !adopt_runs && last_known(state, &there, &none) == FAIRLEAD_ENOENT)
		return refuse(state, &run, end.job, err);
	if (run.job > end.job)
		(void)snprintf(above, sizeof above, "; numbers go on above %" PRIu64, run.job);
	(void)snprintf(note, sizeof note,
		       "the state was restored from %.120s: changes after %s are lost%s", backup,
		       fl_time_format(at, end.wall - end.wall % FL_SECOND), above);
	how.value = note;
	how.number_above = run.job;
	return fl_store_restore(backup, state, &how, err);
}
