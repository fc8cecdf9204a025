/* SPDX-License-Identifier: Apache-2.0 */
/* What each kind of row of the journal says stands in the table as it always did, and comes back. */
#include "lib/unit.h"
#include "store/journal.h"
#include "store/open.h"
#include "store/row.h"
#include "world.h"

/* What is told of a row, and how version 1 of it stands in the table: no number here may change. */
static const struct {
	struct fl_journal_row row;
	struct fl_journal_cells cells;
} kinds[] = {
	{ { .kind = FL_JOURNAL_SUBMIT, .job = 9, .submit = { 5, UINT64_C(1) << 63 } },
	  { .kind = 0, .job = 9, .a = 5, .b = INT64_MIN } },
	{ { .kind = FL_JOURNAL_CANCEL, .job = 9, .asked = { true, "by ann" } },
	  { .kind = 1, .job = 9, .a = 1, .text = "by ann" } },
	{ { .kind = FL_JOURNAL_HOLD, .job = 9, .asked = { false, "by bob" } },
	  { .kind = 2, .job = 9, .text = "by bob" } },
	{ { .kind = FL_JOURNAL_RELEASE, .job = 9, .asked = { true, "by bob" } },
	  { .kind = 3, .job = 9, .a = 1, .text = "by bob" } },
	{ { .kind = FL_JOURNAL_PRIORITY, .job = 9, .priority = { INT32_MIN, "by ann" } },
	  { .kind = 4, .job = 9, .a = INT32_MIN, .text = "by ann" } },
	{ { .kind = FL_JOURNAL_JOIN, .job = 17, .join = { true } },
	  { .kind = 5, .job = 17, .a = 1 } },
	{ { .kind = FL_JOURNAL_JOIN, .job = 17 }, { .kind = 5, .job = 17 } },
	{ { .kind = FL_JOURNAL_CYCLE }, { .kind = 6 } },
	{ { .kind = FL_JOURNAL_BEGAN, .job = 9, .began = { 3, INT64_C(-7) } },
	  { .kind = 7, .job = 9, .attempt = 3, .a = -7 } },
	{ { .kind = FL_JOURNAL_ENDED,
	    .job = 9,
	    .ended = { 3, FL_TIME_NONE, 0xffff, 0xff, 0xff, "out of memory" } },
	  { .kind = 8,
	    .job = 9,
	    .attempt = 3,
	    .a = FL_TIME_NONE,
	    .b = 0xffffffff,
	    .text = "out of memory" } },
	{ { .kind = FL_JOURNAL_ENDED,
	    .job = 9,
	    .ended = { .attempt = 1, .when = 8, .status = 2, .stopped = 3, .how = 4 } },
	  { .kind = 8, .job = 9, .attempt = 1, .a = 8, .b = 0x4030002 } },
	{ { .kind = FL_JOURNAL_CONFIGURED, .configured = { "{}" } }, { .kind = 9, .text = "{}" } },
	{ { .kind = FL_JOURNAL_PREPARE, .job = 17 }, { .kind = 10, .job = 17 } },
	{ { .kind = FL_JOURNAL_DISOWNED, .job = 9, .disowned = { 2, 1, "stray/9.2" } },
	  { .kind = 11, .job = 9, .attempt = 2, .a = 1, .text = "stray/9.2" } },
	{ { .kind = FL_JOURNAL_DISOWNED, .job = 9, .disowned = { 2, 2, NULL } },
	  { .kind = 11, .job = 9, .attempt = 2, .a = 2 } },
	{ { .kind = FL_JOURNAL_RESTORED, .restored = { "why" } }, { .kind = 12, .text = "why" } },
	{ { .kind = FL_JOURNAL_ACKNOWLEDGED, .acknowledged = { "by ann" } },
	  { .kind = 13, .text = "by ann" } },
	{ { .kind = FL_JOURNAL_DUE, .due = { 70 } }, { .kind = 14, .a = 70 } },
	{ { .kind = FL_JOURNAL_HOLD_BACK, .job = 9, .asked = { true, "by ann" } },
	  { .kind = 15, .job = 9, .a = 1, .text = "by ann" } },
	{ { .kind = FL_JOURNAL_SIGNAL, .job = 9, .signal = { 10, "by ann" } },
	  { .kind = 16, .job = 9, .a = 10, .text = "by ann" } },
	{ { .kind = FL_JOURNAL_CHANGE, .job = 9, .change = { 1, UINT64_MAX, "{}" } },
	  { .kind = 17, .job = 9, .a = 1, .b = -1, .text = "{}" } },
	{ { .kind = FL_JOURNAL_REQUEUE, .job = 9, .asked = { false, "by ann" } },
	  { .kind = 18, .job = 9, .text = "by ann" } },
	{ { .kind = FL_JOURNAL_REVIVE, .job = 9, .revive = { 3, 2, 1, 7, "{}" } },
	  { .kind = 19, .job = 9, .attempt = 3, .a = 2 + (1L << 32), .b = 7, .text = "{}" } },
	{ { .kind = FL_JOURNAL_MEASURED, .job = 9, .measured = { 3, 5, INT64_MAX } },
	  { .kind = 20, .job = 9, .attempt = 3, .a = 5, .b = INT64_MAX } },
	{ { .kind = FL_JOURNAL_TOKEN_MADE, .token = { "{}" } }, { .kind = 21, .text = "{}" } },
	{ { .kind = FL_JOURNAL_TOKEN_REVOKED, .token = { "{}" } }, { .kind = 22, .text = "{}" } },
};

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static void check_cells(const struct fl_journal_row *row, const struct fl_journal_cells *want)
{
	struct fl_journal_cells is;

	fl_journal_encode(row, &is);
	assert_int_equal(is.seq, row->seq);
	assert_int_equal(is.at, row->at);
	assert_int_equal(is.kind, want->kind);
	assert_int_equal(is.job, want->job);
	assert_int_equal(is.attempt, want->attempt);
	assert_int_equal(is.a, want->a);
	assert_int_equal(is.b, want->b);
	assert_true(same_text(is.text, want->text));
}

static int see_row(void *user, const struct fl_journal_row *row, fairlead_error *err)
{
	size_t *seen = user;

	(void)err;
	assert_int_equal(row->seq, *seen + 1);
	assert_int_equal(row->at, 100 + *seen);
	check_cells(row, &kinds[(*seen)++].cells);
	return 0;
}

TEST(each_kind)
{
	struct fl_journal_row rows[COUNT(kinds)];
	struct fl_batch batch = { .journal = rows, .n_journal = COUNT(kinds) };
	bool there[FL_JOURNAL_KINDS] = { false };
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;
	size_t seen = 0;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		rows[i] = kinds[i].row;
		rows[i].seq = i + 1;
		rows[i].at = 100 + (fl_time)i;
		check_cells(&rows[i], &kinds[i].cells);
		there[rows[i].kind] = true;
	}
	for (int kind = 0; kind < FL_JOURNAL_KINDS; kind++)
		assert_true(there[kind]);
	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(fl_store_commit(s, &batch, &err), 0);
	assert_int_equal(fl_store_journal(s, 0, see_row, &seen, &err), 0);
	assert_int_equal(seen, COUNT(kinds));
	(void)fl_store_close(s);
	world_end(&w);
}

/* The tables are made to the byte as they always were: by that a daemon knows its own. */
TEST(tables)
{
	char schema[32];
	fairlead_error err;
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(fl_store_get(s, "schema", schema, sizeof schema, &err), 0);
	assert_string_equal(schema, "-744094699529566825");
	(void)fl_store_close(s);
	world_end(&w);
}

/* A number that its member cannot hold becomes one that is never right. */
TEST(odd_numbers)
{
	static const struct {
		size_t size;
		enum fl_store_number number;
		int64_t put, want;
	} rows[] = {
		{ 1, FL_NUMBER_UNSIGNED, 255, 255 },
		{ 1, FL_NUMBER_UNSIGNED, 256, 255 },
		{ 1, FL_NUMBER_UNSIGNED, -1, 255 },
		{ 1, FL_NUMBER_BOOL, 7, 1 },
		{ 1, FL_NUMBER_BOOL, 0, 0 },
		{ 4, FL_NUMBER_SIGNED, -5, -5 },
		{ 4, FL_NUMBER_SIGNED, INT64_C(1) << 31, -1 },
		{ 4, FL_NUMBER_UNSIGNED, UINT32_MAX, UINT32_MAX },
		{ 4, FL_NUMBER_UNSIGNED, INT64_C(1) << 32, UINT32_MAX },
		{ 8, FL_NUMBER_UNSIGNED, INT64_MIN, INT64_MIN },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t room = 0;

		fl_number_set(&room, rows[i].size, rows[i].number, rows[i].put);
		assert_int_equal(fl_number_get(&room, rows[i].size, rows[i].number), rows[i].want);
	}
}

UNIT_GROUP("journal")
