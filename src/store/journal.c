/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal - its rows, each with a checksum that includes that of the row before
 *
 * So when a row was changed, is missing, or is in the place of another one, its checksum or that of
 * the next one does not match.  At the start all rows are checked.  If one that would have to be
 * applied again is damaged, the start is refused.  One from before the checkpoint is not needed, so
 * it is only reported.
 */
#include "store/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/damage.h"
#include "store/open.h"
#include "store/read.h"
#include "store/table.h"

/* --- a row, and its cells in the table --- */

enum cell { CELL_ATTEMPT, CELL_A, CELL_B, CELL_TEXT };
struct field {
	uint8_t cell, shift, bits, size;
	enum fl_store_number number;
	uint16_t at; /* in struct fl_journal_row */
};

#define FL_RECORD_FIELD(member, type, name, cell, shift, bits)                                     \
	{ CELL_##cell,                                                                             \
	  shift,                                                                                   \
	  bits,                                                                                    \
	  sizeof(type),                                                                            \
	  FL_NUMBER_OF(((struct fl_journal_row *)0)->member.name),                                 \
	  offsetof(struct fl_journal_row, member.name) },
#define FL_KIND(kind, member, fields) static const struct field fields_of_##kind[] = { fields };
#define FL_KIND_LIKE(kind, other)
#define FL_KIND_BARE(kind)
#include "store/journal.def"

static const struct {
	const struct field *fields;
	uint32_t n;
} kinds[] = {
#define FL_RECORD_FIELD(member, type, name, cell, shift, bits)
#define FL_KIND(kind, member, fields)                                                              \
	{ fields_of_##kind, sizeof fields_of_##kind / sizeof *fields_of_##kind },
#define FL_KIND_LIKE(kind, other) FL_KIND(other, , )
#define FL_KIND_BARE(kind) { NULL, 0 },
#include "store/journal.def"
};

static int64_t *cell_of(struct fl_journal_cells *cells, uint8_t cell)
{
	return cell == CELL_ATTEMPT ? &cells->attempt : cell == CELL_A ? &cells->a : &cells->b;
}

static uint64_t bits_of(const struct field *f)
{
	return f->bits == 64 ? UINT64_MAX : (UINT64_C(1) << f->bits) - 1;
}

void fl_journal_encode(const struct fl_journal_row *row, struct fl_journal_cells *ret)
{
	*ret = (struct fl_journal_cells){
		.seq = row->seq, .at = row->at, .kind = row->kind, .job = row->job
	};
	for (uint32_t i = 0; i < kinds[row->kind].n; i++) {
		const struct field *f = &kinds[row->kind].fields[i];
		const void *from = (const char *)row + f->at;

		if (f->cell == CELL_TEXT)
			memcpy(&ret->text, from, sizeof ret->text);
		else
			*cell_of(ret, f->cell) |=
				(int64_t)(((uint64_t)fl_number_get(from, f->size, f->number) &
					   bits_of(f))
					  << f->shift);
	}
}

/* Of an unknown kind: only that, and no field. */
static void decode(struct fl_journal_cells *cells, struct fl_journal_row *ret)
{
	bool known = cells->kind >= 0 && cells->kind < FL_JOURNAL_KINDS;

	*ret = (struct fl_journal_row){ .seq = cells->seq,
					.at = cells->at,
					.kind = known ? (enum fl_journal_kind)cells->kind :
							FL_JOURNAL_KINDS,
					.job = cells->job };
	for (uint32_t i = 0; known && i < kinds[ret->kind].n; i++) {
		const struct field *f = &kinds[ret->kind].fields[i];
		void *to = (char *)ret + f->at;

		if (f->cell == CELL_TEXT)
			memcpy(to, &cells->text, sizeof cells->text);
		else
			fl_number_set(to, f->size, f->number,
				      *cell_of(cells, f->cell) >> f->shift & (int64_t)bits_of(f));
	}
}

const char **fl_journal_text(struct fl_journal_row *row)
{
	for (uint32_t i = 0; i < kinds[row->kind].n; i++)
		if (kinds[row->kind].fields[i].cell == CELL_TEXT)
			return (const char **)((char *)row + kinds[row->kind].fields[i].at);
	return NULL;
}

/*
 * Called for rows after @after; @wrong: what is wrong with this one; NULL: it matches its checksum
 * and follows the one before.
 */
typedef int each_row_fn(void *user, const struct fl_journal_row *row, const char *wrong,
			fairlead_error *err);

static int each_row(struct fl_db *db, uint64_t after, each_row_fn *fn, void *user,
		    fairlead_error *err)
{
	struct fl_latest latest;
	uint64_t last = 0;
	int64_t before, sum;
	struct fl_query q;
	int r = fl_latest_read(db, &latest, err);

	if (r < 0)
		return r;
	q = fl_query(db, FL_SQL_JOURNAL);
	before = latest.behind;
	fl_put_int(&q, (int64_t)after);
	while ((r = fl_query_next(&q, err)) > 0) {
		struct fl_journal_cells cells;
		struct fl_journal_row row;

		fl_take_row(&q, FL_TABLE_JOURNAL, &cells);
		sum = fl_take_int(&q);
		decode(&cells, &row);
		r = fl_query_taken(&q, err);
		if (r == 0 && row.seq > after) {
			const char *wrong = NULL;

			if (last && row.seq != last + 1)
				wrong = "rows of the journal are missing before row";
			else if (fl_row_sum(before, FL_TABLE_JOURNAL, &cells) != sum ||
				 row.kind == FL_JOURNAL_KINDS)
				wrong = "this row of the journal does not match its checksum:";
			r = fn(user, &row, wrong, err);
		}
		if (r < 0)
			break;
		last = row.seq;
		before = sum;
	}
	return fl_query_end(&q, r);
}

/* --- at the start --- */

struct checking {
	struct fl_store *s;
	const struct fl_db *db;
	uint64_t passed; /* the row of the checkpoint */
};

static int row_damaged(const struct fl_db *db, const struct fl_journal_row *row, const char *wrong,
		       fairlead_error *err)
{
	return fl_db_damaged(err, db->path, "%s %" PRIu64, wrong, row->seq);
}

static int check_row(void *user, const struct fl_journal_row *row, const char *wrong,
		     fairlead_error *err)
{
	const struct checking *c = user;

	if (!wrong)
		return 0;
	if (row->seq > c->passed)
		return row_damaged(c->db, row, wrong, err);
	fl_store_note(c->s, /* job= */ 0, "%s %" PRIu64 ", from before the checkpoint", wrong,
		      row->seq);
	return 0;
}

int fl_journal_check(struct fl_store *s, struct fl_db *db, uint64_t passed, fairlead_error *err)
{
	struct checking c = { s, db, passed };
	struct fl_latest latest;
	struct fl_journal_end end;
	int r = fl_latest_read(db, &latest, err);

	if (r == 0)
		r = fl_journal_end(db, &end, err);
	if (r == 0 && (end.seq != latest.seq || end.sum != latest.head))
		r = fl_db_damaged(err, db->path,
				  "the journal does not end with the row that it ended "
				  "with");
	return r < 0 ? r : each_row(db, 0, check_row, &c, err);
}

int fl_journal_end(struct fl_db *db, struct fl_journal_end *ret, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_LAST);
	int r = fl_query_next(&q, err);

	*ret = (struct fl_journal_end){ 0 };
	if (r > 0) {
		ret->seq = fl_take_id(&q);
		ret->at = fl_take_int(&q);
		ret->sum = fl_take_int(&q);
	}
	return fl_query_end(&q, r);
}

/* --- for others --- */

struct reading {
	const struct fl_store *s;
	fl_journal_fn *fn;
	void *user;
};

static int read_row(void *user, const struct fl_journal_row *row, const char *wrong,
		    fairlead_error *err)
{
	const struct reading *r = user;

	return wrong ? row_damaged(&r->s->reader, row, wrong, err) : r->fn(r->user, row, err);
}

int fl_store_journal(struct fl_store *s, uint64_t after, fl_journal_fn *fn, void *user,
		     fairlead_error *err)
{
	struct reading reading = { s, fn, user };

	return each_row(&s->reader, after, read_row, &reading, err);
}
