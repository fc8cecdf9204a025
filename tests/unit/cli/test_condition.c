/* SPDX-License-Identifier: Apache-2.0 */
/* The language of --fail-if: what it means, and what is said of mistakes. */
#include "cli/options/condition.h"

#include "ask/borrow/outcome.h"
#include "lib/fail_mem.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "lib/world.h"

#define NO FL_NO_LIMIT

/* --- what does not parse --- */

TEST(mistakes)
{
	static const struct {
		const char *text;
		unsigned column;
		const char *says;
	} rows[] = {
		{ "", 1, "a number or a name is expected, not the end" },
		{ "evicted", 8, "one of < <= > >= == != is expected, not the end" },
		{ "evictd > 0", 1, "there is no 'evictd'; did you mean 'evicted'?" },
		{ "foo > 0", 1,
		  "there is no 'foo'; the names are: admitted, waiting, evicted, loops, share, usage, "
		  "borrowed, quota, fairshare" },
		{ "evicted = 0", 9, "equality is written ==" },
		{ "evicted > 0 or", 15, "a number or a name is expected, not the end" },
		{ "evicted > 0 evicted > 1", 13,
		  "'and', 'or' or the end is expected, not 'evicted'" },
		{ "evicted > 0 && loops > 0", 13, "'and', 'or' or the end is expected, not '&'" },
		{ "(evicted > 0", 13, "a ')' is missing" },
		{ "evicted > 0)", 12, "'and', 'or' or the end is expected, not ')'" },
		{ "not", 4, "a number or a name is expected, not the end" },
		{ "evicted.now > 0", 8, "after a name there may be .before, .new or .gone" },
		{ "share.new(a) > 0", 6, "'share' is one number and takes only .before" },
		{ "share > 0", 6, "a name is missing: it is share(QUEUE or COHORT)" },
		{ "usage(a) > 0", 6, "a name is missing: it is usage(QUEUE or COHORT, RESOURCE)" },
		{ "share(a, b) > 0", 6,
		  "too many names in the parentheses: it is share(QUEUE or COHORT)" },
		{ "loops(a) > 0", 6, "too many names in the parentheses: it is loops" },
		{ "share() > 0", 7, "a name is missing" },
		{ "share(a > 0", 9, "a ')' is missing" },
		{ "share(\"a) > 0", 7, "the quote is not closed" },
		{ "evicted > -1", 11, "a number or a name is expected, not '-'" },
		{ "evicted > 1x", 11, "'1x' is not a number such as 4, 0.5 or 10Gi" },
		{ "evicted > 1.2.3", 11, "'1.2.3' is not a number such as 4, 0.5 or 10Gi" },
	};
	static struct fl_condition c;

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err = { 0 };

		CHECK(fl_condition_parse(rows[i].text, &c, &err) == FAIRLEAD_EINPUT, rows[i].text);
		if (strcmp(err.text, rows[i].says) != 0 || err.column != rows[i].column)
			fail_msg("'%s': %u: %s", rows[i].text, err.column, err.text);
	}
}

TEST(limits)
{
	static char text[FL_CONDITION_LENGTH + 100];
	static struct fl_condition c;
	fairlead_error err = { 0 };

	memset(text, ' ', sizeof text - 1);
	assert_int_equal(fl_condition_parse(text, &c, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "longer than 4095 characters");

	memset(text, '(', 100);
	strcpy(text + 100, "loops > 0");
	assert_int_equal(fl_condition_parse(text, &c, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "nested more than 32 deep");
	assert_int_equal(err.column, FL_CONDITION_DEPTH + 1);

	strcpy(text, "1 > 0");
	for (int i = 1; i < FL_CONDITION_PARTS; i++)
		strcat(text, " or 1 > 0");
	assert_int_equal(fl_condition_parse(text, &c, &err), 0);
	strcat(text, " or 1 > 0");
	assert_int_equal(fl_condition_parse(text, &c, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "more than 64 comparisons");

	*text = '\0';
	for (int i = 0; i < FL_CONDITION_PARTS; i++) {
		strcat(text, i ? " and " : "");
		for (int k = 0; k < 12; k++)
			strcat(text, "not ");
		strcat(text, "1 > 0");
	}
	assert_int_equal(fl_condition_parse(text, &c, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "the condition is too long");

	snprintf(text, sizeof text, "share(%0600d) > 0", 0);
	assert_int_equal(fl_condition_parse(text, &c, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "the name is too long");
}

/* --- what it means --- */

/* Queues a and b of 4 below cohort t, and alone; jobs of a are admitted in order. */
static struct fl_model *world(fl_amount a, bool extra)
{
	const struct world_node nodes[] = {
		{ "t", NULL, FL_COHORT, 1, { { 0, NO, NO } } },
		{ "a", "t", FL_CLUSTER_QUEUE, 1, { { a, NO, NO } } },
		{ "b", "t", FL_CLUSTER_QUEUE, 1, { { 4, NO, NO } } },
		{ "alone", NULL, FL_CLUSTER_QUEUE, 1, { { INT64_MAX, NO, NO } } },
	};
	const struct world_job jobs[] = {
		{ "a1", "a", 0, 1, { 5 }, true },
		{ "a2", "a", 0, 2, { 4 }, false },
		{ "b1", "b", 0, 3, { 4 }, false },
		{ "c1", "alone", 0, 3, { 1 }, false },
	};
	struct fl_model *m = world_open(&fl_mem_heap, nodes, 4, 1);
	fairlead_error err;

	m->nodes[2].reclaim = FL_PREEMPT_ANY;
	m->settings.present = m->settings.fair_sharing = true;
	for (size_t i = 0; i < (extra ? 4 : 3); i++)
		world_add_job(m, &jobs[i], 1);
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

static void run(const struct fl_mem *mem, struct fl_arena *arena, const struct fl_model *m,
		struct fl_outcome *o)
{
	struct fl_policy *p = world_policy(mem, m, 0);
	struct fl_outcome_options options = { .face = &fl_borrow_asks,
					      .mem = mem,
					      .arena = arena,
					      .interval = FL_SECOND,
					      .cycles = 50 };
	fairlead_error err;

	assert_int_equal(fl_outcome_run(&fl_borrow_policy, p, m, &options, o, &err), 0);
	fl_borrow_policy.free(p);
}

struct sides {
	struct fl_model *before, *after;
	struct fl_arena arena;
	struct fl_outcome outcomes[2];
	struct fl_difference d;
};

static void open_sides(struct sides *s)
{
	fairlead_error err;

	*s = (struct sides){ .before = world(4, false), .after = world(9, true) };
	fl_arena_init(&s->arena, &fl_mem_heap);
	run(&fl_mem_heap, &s->arena, s->before, &s->outcomes[0]);
	run(&fl_mem_heap, &s->arena, s->after, &s->outcomes[1]);
	assert_int_equal(fl_difference(&s->outcomes[0], &s->outcomes[1], &s->arena, &s->d, &err),
			 0);
}

static void close_sides(struct sides *s)
{
	fl_outcome_done(&s->outcomes[0]);
	fl_outcome_done(&s->outcomes[1]);
	fl_arena_done(&s->arena);
	fl_model_free(s->before);
	fl_model_free(s->after);
}

/*
 * Before: a1 holds 5 of the 8 of t, b1 reclaims its 4, and then neither of a fits
 * what is left... a2 does (4 of 8).  After: a has 9, everybody is admitted.
 */
TEST(meaning)
{
	static const struct {
		const char *text;
		bool holds;
	} rows[] = {
		{ "admitted == 4", true },
		{ "admitted.before == 2", true },
		{ "admitted.new == 2", true },
		{ "admitted.gone == 0", true },
		{ "admitted(a) == 2 and admitted(b) == 1 and admitted(t) == 3", true },
		{ "admitted(\"ns/a1\") == 1", true },
		{ "admitted.before('ns/a1') == 0", true },
		{ "admitted.new(ns/a1) == 1", true },
		{ "admitted.before(ns/c1) == 0 and admitted(ns/c1) == 1", true },
		{ "waiting == 0", true },
		{ "waiting(t) < waiting.before(t)", true },
		{ "waiting.gone(a) == 1", true },
		{ "evicted == 0", true },
		{ "evicted.before(a) >= 1", true },
		{ "evicted.gone == evicted.before", true },
		{ "evicted.new > 0", false },
		{ "loops == 0", true },
		{ "share(a) == 0", true },
		{ "usage(a, r0) == 9 and usage(b,r0) == 4 and usage.before(t, r0) == 8", true },
		{ "quota(a, r0) == 9 and quota.before(a, r0) == 4", true },
		{ "quota(alone, r0) > 999999999999", true },
		{ "borrowed(a, r0) == 0", true },
		{ "usage.before(alone, r0) == 0", true },
		{ "1 < 2", true },
		{ "2 <= 2 and 2 >= 2 and 2 == 2 and not 2 != 2", true },
		{ "2 > 2", false },
		{ "500m == 0.5 and 1Ki == 1024", true },
		{ "0.0000000001 > 0", true }, /* rounded up to the ninth place */
		{ "1 > 2 or 2 > 1", true },
		{ "1 > 2 and 2 > 1 or 2 > 1", true }, /* and before or */
		{ "1 > 2 and (2 > 1 or 2 > 1)", false },
		{ "not 1 > 2 and 1 > 2", false }, /* not before and */
		{ "not (1 > 2 and 1 > 2)", true },
		{ "not not 1 > 2", false },
		{ "\t evicted  <\n3 ", true },
	};
	static struct fl_condition c;
	static struct fl_condition_result got;
	struct sides s;

	open_sides(&s);
	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err = { 0 };

		if (fl_condition_parse(rows[i].text, &c, &err) < 0 ||
		    fl_condition_evaluate(&c, &s.d, &got, &err) < 0)
			fail_msg("'%s': %u: %s", rows[i].text, err.column, err.text);
		CHECK(got.holds == rows[i].holds, rows[i].text);
	}
	close_sides(&s);
}

TEST(unknown_names)
{
	static const struct {
		const char *text;
		unsigned column;
		const char *says;
	} rows[] = {
		{ "share(alon) > 0", 7,
		  "there is no queue or cohort 'alon'; did you mean 'alone'?" },
		{ "1 > admitted(what-is-that)", 14, "there is no queue or cohort 'what-is-that'" },
		{ "admitted(ns/a9) > 0", 10,
		  "there is no workload 'ns/a9'; did you mean 'ns/a1', 'ns/a2' or 'ns/b1'?" },
		{ "usage(a, r1) > 0", 10, "there is no resource 'r1'; did you mean 'r0'?" },
		{ "usage(a, storage) > 0", 10, "there is no resource 'storage'" },
	};
	static struct fl_condition c;
	static struct fl_condition_result got;
	struct sides s;

	open_sides(&s);
	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err = { 0 };

		assert_int_equal(fl_condition_parse(rows[i].text, &c, &err), 0);
		CHECK(fl_condition_evaluate(&c, &s.d, &got, &err) == FAIRLEAD_ENOENT, rows[i].text);
		if (strcmp(err.text, rows[i].says) != 0 || err.column != rows[i].column)
			fail_msg("'%s': %u: %s", rows[i].text, err.column, err.text);
	}
	close_sides(&s);
}

TEST(shown_numbers)
{
	static const struct {
		fl_nanos n;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 1000000000, "1" },
		{ 1500000000, "1.5" },
		{ 1, "0.000000001" },
		{ (fl_nanos)1000000000 * 1000000000 * 1000000000, "1000000000000000000" },
		{ (fl_nanos)1 << 120, "inf" },
	};
	char buffer[64];

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(fl_condition_number(rows[i].n, buffer), rows[i].text);
}

/* Random bytes of the language's own alphabet neither crash nor hang, and a value comes of those that parse. */
TEST(noise)
{
	static const char *const words[] = {
		"evicted > 0",
		"share(a) <= 1",
		"usage(b, r0) != 0.5Gi",
		"not ",
		" and ",
		" or ",
		"(",
		")",
		",",
		".before",
		">",
		"==",
		"=",
		"!",
		" ",
		"1",
		"a",
		"\"",
		"'",
		"ns/a1",
		"&",
		"\xff",
	};
	static struct fl_condition c;
	static struct fl_condition_result got;
	uint64_t seed = 1;
	unsigned parsed = 0;
	struct sides s;

	open_sides(&s);
	for (int i = 0; i < (int)few(100000); i++) {
		char text[512] = "";
		fairlead_error err = { 0 };

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		for (unsigned k = 0, n = (unsigned)(seed >> 61) + 1; k < n; k++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			strcat(text, words[(seed >> 33) % COUNT(words)]);
		}
		if (fl_condition_parse(text, &c, &err) < 0) {
			CHECK(err.column >= 1 && err.column <= strlen(text) + 1, text);
			continue;
		}
		parsed++;
		int rc = fl_condition_evaluate(&c, &s.d, &got, &err);
		CHECK(rc == 0 || rc == FAIRLEAD_ENOENT, text);
	}
	assert_true(parsed > few(100));
	close_sides(&s);
}

/* Each allocation fails once on the way to an outcome and a difference. */
TEST(memory)
{
	struct fl_model *m = world(4, true);
	unsigned long n = 1;
	int r = -1;

	for (; r < 0; n++) {
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);
		struct fail_mem f;
		struct fl_arena arena;
		struct fl_outcome o[2] = { 0 };
		struct fl_difference d;
		fairlead_error err;

		fail_mem_init(&f);
		f.fail_at = n;
		fl_arena_init(&arena, &f.mem);
		struct fl_outcome_options options = { .face = &fl_borrow_asks,
						      .mem = &f.mem,
						      .arena = &arena,
						      .interval = FL_SECOND,
						      .cycles = 50 };
		r = fl_outcome_run(&fl_borrow_policy, p, m, &options, &o[0], &err);
		if (r == 0)
			r = fl_outcome_run(&fl_borrow_policy, p, m, &options, &o[1], &err);
		if (r == 0)
			r = fl_difference(&o[0], &o[1], &arena, &d, &err);
		assert_true(r == 0 || r == FAIRLEAD_ENOMEM);
		fl_outcome_done(&o[0]);
		fl_outcome_done(&o[1]);
		fl_arena_done(&arena);
		assert_int_equal(f.live, 0);
		fl_borrow_policy.free(p);
	}
	assert_true(n > 10);
	fl_model_free(m);
}

UNIT_GROUP("condition")
