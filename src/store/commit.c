/* SPDX-License-Identifier: Apache-2.0 */
#include "store/commit.h"

#include <string.h>

#include "store/journal.h"
#include "store/open.h"
#include "store/read.h"
#include "store/table.h"

/*
 * A batch, and the checksum of the journal row before its first one; afterwards that of its last
 * one.
 */
struct putting {
	const struct fl_batch *batch;
	int64_t sum;
};

/* The statement that writes each part of a batch. */
static const struct {
	enum fl_sql sql;
	enum fl_store_table table;
} writes[FL_BATCH_PARTS] = {
	[FL_BATCH_JOURNAL] = { FL_SQL_PUT_JOURNAL, FL_TABLE_JOURNAL },
	[FL_BATCH_NEW_JOBS] = { FL_SQL_PUT_JOB, FL_TABLE_JOB },
	[FL_BATCH_JOBS] = { FL_SQL_CHANGE_JOB, FL_TABLE_JOB_CHANGE },
	[FL_BATCH_EVENTS] = { FL_SQL_PUT_EVENT, FL_TABLE_EVENT },
	[FL_BATCH_ADMISSIONS] = { FL_SQL_PUT_ADMISSION, FL_TABLE_ADMISSION },
	[FL_BATCH_CONDITIONS] = { FL_SQL_PUT_CONDITION, FL_TABLE_CONDITION },
	[FL_BATCH_AUDIT] = { FL_SQL_PUT_AUDIT, FL_TABLE_AUDIT },
	[FL_BATCH_SPECS] = { FL_SQL_CHANGE_SPEC, FL_TABLE_JOB_SPEC },
	[FL_BATCH_SETTINGS] = { FL_SQL_SET, FL_TABLE_SETTING },
	[FL_BATCH_TOKENS] = { FL_SQL_PUT_TOKEN, FL_TABLE_TOKEN },
	[FL_BATCH_OBJECTS] = { FL_SQL_PUT_OBJECT, FL_TABLE_OBJECT },
};

static void put_journal_row(struct fl_query *q, struct putting *p, const void *row)
{
	struct fl_journal_cells cells;

	fl_journal_encode(row, &cells);
	p->sum = fl_row_sum(p->sum, FL_TABLE_JOURNAL, &cells);
	fl_put_row(q, FL_TABLE_JOURNAL, &cells);
	fl_put_int(q, p->sum);
}

/* With the length of its spec, which is in another table. */
static void put_with_spec(struct fl_query *q, enum fl_store_table table, const void *row)
{
	struct fl_job_row job = *(const struct fl_job_row *)row;

	job.spec_bytes = job.spec ? strlen(job.spec) : 0;
	fl_put_row(q, table, &job);
}

static int put_part(struct fl_db *db, struct putting *p, enum fl_batch_part part,
		    fairlead_error *err)
{
	const void *rows;
	uint32_t n = fl_batch_rows(p->batch, part, &rows);
	const bool with_specs = part == FL_BATCH_NEW_JOBS || part == FL_BATCH_SPECS;
	const enum fl_store_table table = writes[part].table;
	struct fl_query q;
	int r = 0;

	if (n == 0)
		return 0;
	q = fl_query(db, writes[part].sql);

	for (uint32_t i = 0; i < n && r == 0; i++) {
		const void *row = (const char *)rows + i * fl_batch_row_size(part);

		if (part == FL_BATCH_JOURNAL)
			put_journal_row(&q, p, row);
		else if (with_specs)
			put_with_spec(&q, table, row);
		else
			fl_put_row(&q, table, row);
		r = fl_query_run(&q, err);
	}
	for (uint32_t i = 0; with_specs && i < n && r == 0; i++) {
		const struct fl_job_row *row = &((const struct fl_job_row *)rows)[i];

		if (row->spec)
			r = fl_row_write(db, FL_SQL_PUT_SPEC, FL_TABLE_SPEC, row, err);
	}
	return r;
}

/* The data from which the next start goes on. */
static int put_latest(struct fl_db *db, const struct putting *p, fairlead_error *err)
{
	const struct fl_batch *b = p->batch;
	uint64_t job = 0;
	struct fl_query q;

	for (uint32_t i = 0; i < b->n_new_jobs; i++)
		job = b->new_jobs[i].id > job ? b->new_jobs[i].id : job;
	/* Without a journal there may be jobs of which events are kept alone: no other gets their numbers. */
	for (uint32_t i = 0; i < b->n_events && !b->n_journal; i++)
		job = b->events[i].job > job ? b->events[i].job : job;
	if (!b->n_journal)
		return job ? fl_db_number_above(db, job, err) : 0;
	q = fl_query(db, FL_SQL_PUT_LATEST);
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
	struct putting *p = *(struct putting *const *)arg;
	int r = 0;

	for (int part = 0; part < FL_BATCH_PARTS && r == 0; part++)
		r = put_part(db, p, (enum fl_batch_part)part, err);
	return r < 0 ? r : put_latest(db, p, err);
}

static int put_refused(struct fl_db *db, const void *arg, fairlead_error *err)
{
	(void)arg;
	return fl_db_run(db, FL_SQL_PUT_REFUSED, err);
}

/*
 * When a sync failed, all of a transaction may be in the log, and be found there after a kill,
 * although it was reported as failed.  So it is overwritten in the log.  Only when that fails, too,
 * can it be found after a kill.
 */
static void take_back(struct fl_db *db) { (void)fl_db_transact(db, put_refused, NULL, NULL); }

int fl_store_read_only(const struct fl_store *s, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_ESTATE, "%s is open for reading only", s->folder);
}

/* A transaction with a counter of transactions, with which the log is compared (log.c). */
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
	 * From time to time the log is copied into the database.  That waits for no reader: pages
	 * that one of them still needs stay, and are tried again after the next commit.  When it
	 * fails nothing is lost.
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

/* An attempt began to hold quota, or holds none any more: what was before stays as it was. */
static void note_holdings(struct fl_store *s, const struct fl_batch *batch)
{
	(void)pthread_mutex_lock(&s->noting);
	for (uint32_t i = 0; i < batch->n_admissions; i++) {
		const struct fl_admission_row *row = &batch->admissions[i];

		s->holdings_changed = fl_amount_min(s->holdings_changed,
						    row->to == FL_TIME_NONE ? row->from : row->to);
	}
	(void)pthread_mutex_unlock(&s->noting);
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
		note_holdings(s, batch);
	}
	(void)pthread_mutex_unlock(&s->writing);
	return r;
}
