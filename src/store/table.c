/* SPDX-License-Identifier: Apache-2.0 */
#include "store/table.h"

#include <inttypes.h>
#include <string.h>

#include "store/damage.h"
#include "store/open.h"
#include "store/sum.h"

/* --- putting, taking, summing --- */

/* The value of a column that is a number. false: it is NULL. */
static bool number_of(const struct fl_store_column *c, const void *row, int64_t *ret)
{
	*ret = fl_number_get((const char *)row + c->at, c->size, c->number);
	return !(c->kept == FL_REF && *ret == 0) && !(c->kept == FL_WHEN && *ret == FL_TIME_NONE);
}

static const char *text_of(const struct fl_store_column *c, const void *row)
{
	const char *text;

	memcpy(&text, (const char *)row + c->at, sizeof text);
	return text;
}

void fl_put_row(struct fl_query *q, enum fl_store_table table, const void *row)
{
	uint32_t n;
	const struct fl_store_column *columns = fl_columns_of(table, &n);

	for (const struct fl_store_column *c = columns; c < columns + n; c++) {
		int64_t v;

		if (fl_column_is_text(c))
			fl_put_text(q, text_of(c, row));
		else if (number_of(c, row, &v))
			fl_put_int(q, v);
		else
			fl_put_null(q);
	}
}

void fl_take_row(struct fl_query *q, enum fl_store_table table, void *ret)
{
	uint32_t n;
	const struct fl_store_column *columns = fl_columns_of(table, &n);

	for (const struct fl_store_column *c = columns; c < columns + n; c++) {
		void *to = (char *)ret + c->at;

		if (fl_column_is_text(c)) {
			const char *text = fl_take_text(q);

			memcpy(to, &text, sizeof text);
		} else {
			fl_number_set(to, c->size, c->number,
				      c->kept == FL_WHEN ? fl_take_time(q) : fl_take_int(q));
		}
	}
}

static void add_columns(struct fl_sum *sum, enum fl_store_table table, const void *row)
{
	uint32_t n;
	const struct fl_store_column *columns = fl_columns_of(table, &n);

	for (const struct fl_store_column *c = columns; c < columns + n; c++) {
		int64_t v;

		if (fl_column_is_text(c))
			fl_sum_text(sum, text_of(c, row));
		else if (number_of(c, row, &v))
			fl_sum_int(sum, v);
		else
			fl_sum_null(sum);
	}
}

int64_t fl_row_sum(int64_t before, enum fl_store_table table, const void *row)
{
	struct fl_sum sum = { { 0, 0 } };

	fl_sum_int(&sum, before);
	add_columns(&sum, table, row);
	return fl_sum_end(&sum);
}

int fl_row_write(struct fl_db *db, enum fl_sql sql, enum fl_store_table table, const void *row,
		 fairlead_error *err)
{
	struct fl_query q = fl_query(db, sql);

	fl_put_row(&q, table, row);
	return fl_query_run(&q, err);
}

/* --- reading --- */

/* A damaged row is left out, and reported. */
#define NOT_WRITTEN " does not match its checksum, and is left out"

static void note_left_out(struct fl_store *s, enum fl_store_table table, const void *row)
{
	const struct fl_admission_row *admission = row;
	const struct fl_event_row *event = row;
	const struct fl_condition_row *condition = row;
	const struct fl_amount_cells *amount = row;
	const struct fl_queue_cells *queue = row;
	const struct fl_token_row *token = row;
	const struct fl_object_row *object = row;

	switch (table) {
	case FL_TABLE_EVENT:
		fl_store_note(s, event->job, "an event of row %" PRIu64 NOT_WRITTEN, event->seq);
		break;
	case FL_TABLE_ADMISSION:
		fl_store_note(s, admission->job, "attempt %u of its history" NOT_WRITTEN,
			      admission->attempt);
		break;
	case FL_TABLE_CONDITION:
		fl_store_note(s, 0, "a condition of %.64s" NOT_WRITTEN, condition->name);
		break;
	case FL_TABLE_AMOUNT_SUM:
		fl_store_note(s, 0, "a sum of %.64s" NOT_WRITTEN, amount->queue);
		break;
	case FL_TABLE_QUEUE_SUM:
		fl_store_note(s, 0, "a sum of jobs of %.64s" NOT_WRITTEN, queue->queue);
		break;
	case FL_TABLE_CLOSING:
	case FL_TABLE_EXACT:
		fl_store_note(s, 0, "a row of the sums over time" NOT_WRITTEN);
		break;
	case FL_TABLE_TOKEN:
		fl_store_note(s, 0, "token %.64s does not match its checksum, and is refused",
			      token->id);
		break;
	case FL_TABLE_OBJECT:
		fl_store_note(s, 0, "the number of the object %.64s" NOT_WRITTEN, object->uid);
		break;
	default:
		fl_store_note(s, 0, "a row of the audit log" NOT_WRITTEN);
	}
}

/*
 * Does the checksum match?  Of sums, of which questions read many thousand, the statement gives it,
 * and it is compared here, which takes half as long.
 */
static bool take_fits(struct fl_query *q, enum fl_store_table table, const void *row)
{
	struct fl_sum sum = { { 0, 0 } };

	if (table != FL_TABLE_AMOUNT_SUM && table != FL_TABLE_QUEUE_SUM)
		return fl_take_int(q);
	add_columns(&sum, table, row);
	return fl_take_int(q) == fl_sum_end(&sum);
}

int fl_row_next(struct fl_store *s, struct fl_query *q, enum fl_store_table table, void *ret,
		fairlead_error *err)
{
	int r;

	while ((r = fl_query_next(q, err)) > 0) {
		bool fits;

		fl_take_row(q, table, ret);
		fits = take_fits(q, table, ret);
		r = fl_query_taken(q, err);
		if (r < 0 || fits)
			return r < 0 ? r : 1;
		note_left_out(s, table, ret);
	}
	return r;
}
