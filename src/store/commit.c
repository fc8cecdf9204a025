/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "store/store_parts.h"

/* A batch, and the sum that its first row of the journal goes on from; then that of its last. */
struct putting {
	const struct fl_batch *batch;
	int64_t sum;
};

static int put_journal(struct fl_db *db, struct putting *p, fairlead_error *err)
{
	const struct fl_batch *b = p->batch;
	struct fl_query q;
	int r = b->n_journal ? fl_query_begin(&q, db, FL_SQL_PUT_JOURNAL, err) : 0;

	for (uint32_t i = 0; i < b->n_journal && r == 0; i++) {
		const struct fl_journal_row *row = &b->journal[i];

		fl_put_int(&q, (int64_t)row->seq);
		fl_put_int(&q, row->at);
		fl_put_int(&q, row->kind);
		fl_put_id(&q, row->job);
		fl_put_int(&q, row->attempt);
		fl_put_int(&q, row->a);
		fl_put_int(&q, row->b);
		fl_put_text(&q, row->text);
		p->sum = fl_journal_sum(p->sum, row);
		fl_put_int(&q, p->sum);
		r = fl_query_run(&q, err);
	}
	return r;
}

static int put_specs(struct fl_db *db, const struct fl_batch *b, fairlead_error *err)
{
	struct fl_query q;
	int r = b->n_new_jobs ? fl_query_begin(&q, db, FL_SQL_PUT_SPEC, err) : 0;

	for (uint32_t i = 0; i < b->n_new_jobs && r == 0; i++) {
		fl_put_int(&q, (int64_t)b->new_jobs[i].id);
		fl_put_text(&q, b->new_jobs[i].spec);
		r = fl_query_run(&q, err);
	}
	return r;
}

static int put_new_jobs(struct fl_db *db, const struct fl_batch *b, fairlead_error *err)
{
	struct fl_query q;
	int r = b->n_new_jobs ? fl_query_begin(&q, db, FL_SQL_PUT_JOB, err) : 0;

	for (uint32_t i = 0; i < b->n_new_jobs && r == 0; i++) {
		const struct fl_job_row *row = &b->new_jobs[i];

		fl_put_int(&q, (int64_t)row->id);
		fl_put_int(&q, row->state);
		fl_put_int(&q, row->uid);
		fl_put_text(&q, row->user);
		fl_put_text(&q, row->name);
		fl_put_text(&q, row->queue);
		fl_put_id(&q, row->array);
		fl_put_int(&q, row->priority);
		fl_put_time(&q, row->submitted);
		fl_put_time(&q, row->started);
		fl_put_time(&q, row->ended);
		fl_put_int(&q, row->attempt);
		fl_put_int(&q, row->evictions);
		fl_put_int(&q, row->losses);
		fl_put_int(&q, row->ran);
		fl_put_int(&q, row->held);
		fl_put_int(&q, row->outcome);
		fl_put_int(&q, row->status);
		fl_put_text(&q, row->placement);
		fl_put_text(&q, row->reason);
		fl_put_int(&q, (int64_t)strlen(row->spec));
		r = fl_query_run(&q, err);
	}
	return r < 0 ? r : put_specs(db, b, err);
}

static int put_jobs(struct fl_db *db, const struct fl_batch *b, fairlead_error *err)
{
	struct fl_query q;
	int r = b->n_jobs ? fl_query_begin(&q, db, FL_SQL_CHANGE_JOB, err) : 0;

	for (uint32_t i = 0; i < b->n_jobs && r == 0; i++) {
		const struct fl_job_row *row = &b->jobs[i];

		fl_put_int(&q, (int64_t)row->id);
		fl_put_int(&q, row->state);
		fl_put_int(&q, row->priority);
		fl_put_time(&q, row->started);
		fl_put_time(&q, row->ended);
		fl_put_int(&q, row->attempt);
		fl_put_int(&q, row->evictions);
		fl_put_int(&q, row->losses);
		fl_put_int(&q, row->ran);
		fl_put_int(&q, row->held);
		fl_put_int(&q, row->outcome);
		fl_put_int(&q, row->status);
		fl_put_text(&q, row->placement);
		fl_put_text(&q, row->reason);
		r = fl_query_run(&q, err);
	}
	return r;
}

static int put_events(struct fl_db *db, const struct fl_batch *b, fairlead_error *err)
{
	struct fl_query q;
	int r = b->n_events ? fl_query_begin(&q, db, FL_SQL_PUT_EVENT, err) : 0;

	for (uint32_t i = 0; i < b->n_events && r == 0; i++) {
		const struct fl_event_row *row = &b->events[i];

		fl_put_int(&q, (int64_t)row->seq);
		fl_put_int(&q, row->n);
		fl_put_int(&q, row->at);
		fl_put_text(&q, row->kind);
		fl_put_id(&q, row->job);
		fl_put_int(&q, row->attempt);
		fl_put_text(&q, row->queue);
		fl_put_id(&q, row->by);
		fl_put_text(&q, row->reason);
		fl_put_text(&q, row->text);
		r = fl_query_run(&q, err);
	}
	return r;
}

static int put_admissions(struct fl_db *db, const struct fl_batch *b, fairlead_error *err)
{
	struct fl_query q;
	int r = b->n_admissions ? fl_query_begin(&q, db, FL_SQL_PUT_ADMISSION, err) : 0;

	for (uint32_t i = 0; i < b->n_admissions && r == 0; i++) {
		const struct fl_admission_row *row = &b->admissions[i];

		fl_put_int(&q, (int64_t)row->job);
		fl_put_int(&q, row->attempt);
		fl_put_text(&q, row->queue);
		fl_put_int(&q, row->waits);
		fl_put_int(&q, row->from);
		fl_put_time(&q, row->to);
		fl_put_text(&q, row->placement);
		fl_put_text(&q, row->ended);
		fl_put_id(&q, row->preemptor);
		r = fl_query_run(&q, err);
	}
	return r;
}

static int put_conditions(struct fl_db *db, const struct fl_batch *b, fairlead_error *err)
{
	struct fl_query q;
	int r = b->n_conditions ? fl_query_begin(&q, db, FL_SQL_PUT_CONDITION, err) : 0;

	for (uint32_t i = 0; i < b->n_conditions && r == 0; i++) {
		const struct fl_condition_row *row = &b->conditions[i];

		fl_put_text(&q, row->kind);
		fl_put_text(&q, row->name);
		fl_put_text(&q, row->type);
		fl_put_text(&q, row->reason);
		fl_put_text(&q, row->text);
		fl_put_int(&q, row->holds);
		fl_put_int(&q, row->since);
		r = fl_query_run(&q, err);
	}
	return r;
}

static int put_audit(struct fl_db *db, const struct fl_batch *b, fairlead_error *err)
{
	struct fl_query q;
	int r = b->n_audit ? fl_query_begin(&q, db, FL_SQL_PUT_AUDIT, err) : 0;

	for (uint32_t i = 0; i < b->n_audit && r == 0; i++) {
		const struct fl_audit_row *row = &b->audit[i];

		fl_put_int(&q, row->at);
		fl_put_int(&q, row->uid);
		fl_put_int(&q, row->pid);
		fl_put_text(&q, row->user);
		fl_put_text(&q, row->action);
		fl_put_text(&q, row->subject);
		fl_put_int(&q, row->status);
		r = fl_query_run(&q, err);
	}
	return r;
}

/* What the next start goes on from. */
static int put_latest(struct fl_db *db, const struct putting *p, fairlead_error *err)
{
	const struct fl_batch *b = p->batch;
	uint64_t job = 0;
	struct fl_query q;
	int r = b->n_journal ? fl_query_begin(&q, db, FL_SQL_PUT_LATEST, err) : 1;

	if (r != 0)
		return r < 0 ? r : 0;
	for (uint32_t i = 0; i < b->n_new_jobs; i++)
		job = b->new_jobs[i].id > job ? b->new_jobs[i].id : job;
	fl_put_int(&q, (int64_t)job);
	fl_put_int(&q, b->wall);
	fl_put_int(&q, b->boot);
	fl_put_text(&q, b->boot_id ? b->boot_id : "");
	fl_put_int(&q, (int64_t)b->journal[b->n_journal - 1].seq);
	fl_put_int(&q, p->sum);
	return fl_query_run(&q, err);
}

static int put_batch(struct fl_db *db, const void *arg, fairlead_error *err)
{
	static int (*const parts[])(struct fl_db *, const struct fl_batch *, fairlead_error *) = {
		put_new_jobs, put_jobs, put_events, put_admissions, put_conditions, put_audit,
	};
	struct putting *p = *(struct putting *const *)arg;
	int r = put_journal(db, p, err);

	for (size_t i = 0; i < sizeof parts / sizeof *parts && r == 0; i++)
		r = parts[i](db, p->batch, err);
	return r < 0 ? r : put_latest(db, p, err);
}

static int put_refused(struct fl_db *db, const void *arg, fairlead_error *err)
{
	(void)arg;
	return fl_db_run(db, FL_SQL_PUT_REFUSED, err);
}

/*
 * When the disk did not say that it has what was written, all of a transaction may stand in the
 * log, and be found there after a kill, though it was told to have failed.  So its place is
 * written over.  Only when the disk fails at that too may a kill still find it.
 */
static void take_back(struct fl_db *db) { (void)fl_db_transact(db, put_refused, NULL, NULL); }

int fl_store_read_only(const struct fl_store *s, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_ESTATE, "%s is open for reading only", s->folder);
}

/* A transaction of ours, which counts itself: the log is held against that (log.c). */
struct counted {
	int (*step)(struct fl_db *, const void *, fairlead_error *);
	const void *arg;
};

static int step_and_count(struct fl_db *db, const void *arg, fairlead_error *err)
{
	const struct counted *c = arg;
	int r = c->step(db, c->arg, err);

	if (r == 0)
		r = fl_db_run(db, FL_SQL_PUT_COMMIT, err);
	if (r == 0 && sqlite3_changes(db->handle) != 1)
		r = fl_latest_damaged(db, err);
	return r;
}

static int write_locked(struct fl_store *s,
			int (*step)(struct fl_db *, const void *, fairlead_error *),
			const void *arg, fairlead_error *err)
{
	const struct counted counted = { step, arg };
	int r;

	if (!s->writer.handle)
		return fl_store_read_only(s, err);
	r = fl_db_transact(&s->writer, step_and_count, &counted, err);
	if (r == FAIRLEAD_EIO)
		take_back(&s->writer);
	/*
	 * From time to time what stands in the log is brought into the database.  That waits for
	 * no reader: what one of them still needs stays, and is tried again after the next commit.
	 * When it fails nothing is lost.
	 */
	else if (r == 0 && s->log_pages >= s->log_limit)
		(void)sqlite3_wal_checkpoint_v2(s->writer.handle, NULL, SQLITE_CHECKPOINT_PASSIVE,
						NULL, NULL);
	return r;
}

int fl_store_write(struct fl_store *s, int (*step)(struct fl_db *, const void *, fairlead_error *),
		   const void *arg, fairlead_error *err)
{
	int r;

	(void)pthread_mutex_lock(&s->writing);
	r = write_locked(s, step, arg, err);
	(void)pthread_mutex_unlock(&s->writing);
	return r;
}

int fl_store_commit(struct fl_store *s, const struct fl_batch *batch, fairlead_error *err)
{
	struct putting p = { .batch = batch }, *at = &p;
	int r = 0;

	(void)pthread_mutex_lock(&s->writing);
	p.sum = s->last_sum;
	for (uint32_t i = 0; i < batch->n_journal && r == 0; i++)
		if (batch->journal[i].seq != s->last_seq + 1 + i)
			r = fl_fail(err, FAIRLEAD_ESTATE,
				    "row %llu of the journal cannot follow row %llu",
				    (unsigned long long)batch->journal[i].seq,
				    (unsigned long long)s->last_seq + i);
	if (r == 0)
		r = write_locked(s, put_batch, &at, err);
	if (r == 0) {
		s->last_seq += batch->n_journal;
		s->last_sum = p.sum;
	}
	(void)pthread_mutex_unlock(&s->writing);
	return r;
}
