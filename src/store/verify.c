/* SPDX-License-Identifier: Apache-2.0 */
/* verify - everything is read, and compared with its checksums */
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "store/open.h"

/* Of one table: how many rows are damaged, and the first one. */
static int verify_rows(struct fl_db *db, enum fl_sql sql, const char *what, fairlead_error *err)
{
	struct fl_query q = fl_query(db, sql);
	int r = fl_query_next(&q, err);

	if (r > 0) {
		uint64_t n = fl_take_id(&q);
		const char *first = fl_take_text(&q);

		r = fl_query_taken(&q, err);
		if (r == 0 && n)
			r = fl_db_damaged(err, db->path,
					  "%s %.128s does not match its checksum (%llu such %s)",
					  what, first ? first : "", (unsigned long long)n,
					  n == 1 ? "row" : "rows");
	}
	return fl_query_end(&q, r);
}

static int verify_tables(struct fl_db *db, fairlead_error *err)
{
	static const struct {
		enum fl_sql sql;
		const char *what;
	} tables[] = {
		{ FL_SQL_BAD_JOBS, "job" },
		{ FL_SQL_BAD_EVENTS, "an event of row" },
		{ FL_SQL_BAD_ADMISSIONS, "the history of job" },
		{ FL_SQL_BAD_CONDITIONS, "the condition of" },
		{ FL_SQL_BAD_SETTINGS, "the setting" },
		{ FL_SQL_BAD_AUDIT, "row of the audit log" },
		{ FL_SQL_BAD_TOKENS, "the token" },
		{ FL_SQL_BAD_OBJECTS, "the number of the object" },
		{ FL_SQL_BAD_CLOSINGS, "the end of sums at" },
		{ FL_SQL_BAD_AMOUNT_SUMS, "a sum of queue" },
		{ FL_SQL_BAD_QUEUE_SUMS, "a sum of jobs of queue" },
		{ FL_SQL_BAD_EXACT, "the beginning of exact history" },
	};
	int r = 0;

	for (size_t i = 0; i < sizeof tables / sizeof *tables && r == 0; i++)
		r = verify_rows(db, tables[i].sql, tables[i].what, err);
	return r;
}

/* Damage that opening it has found, and that a daemon could ignore. 1: an end that is cut off. */
static int verify_noted(struct fl_store *s, fairlead_error *err)
{
	struct fl_store_damage d;

	fl_store_damaged(s, &d);
	if (d.n)
		return fl_db_damaged(err, s->reader.path, "%s", d.rows[0].text);
	return d.cut > 0;
}

static int verify_image(struct fl_store *s, fairlead_error *err)
{
	uint64_t seq;
	FL_FD fd = -1;

	return fl_store_checkpointed(s, &seq, &fd, err);
}

int fl_store_verify(const char *folder, fairlead_error *err)
{
	struct fl_store_options options = { .folder = folder, .read_only = true };
	struct fl_store *s;
	int cut = 0, r = fl_store_open(&options, &s, err);

	if (r < 0)
		return r;
	r = cut = verify_noted(s, err);
	if (r >= 0)
		r = fl_schema_verify(&s->reader, err);
	if (r == 0)
		r = verify_tables(&s->reader, err);
	if (r == 0)
		r = verify_image(s, err);
	(void)fl_store_close(s);
	return r < 0 ? r : cut;
}
