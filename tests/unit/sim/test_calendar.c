/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/fail_mem.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "sim/calendar.h"

static uint64_t state;

static uint32_t pick(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % n;
}

static void push(struct fl_calendar *c, fl_time at, uint32_t kind, uint32_t number, uint32_t epoch)
{
	const struct fl_due due = { at, kind, number, epoch };

	assert_int_equal(fl_calendar_push(c, &due, NULL), 0);
}

/* By time, kind, number, and as they were entered. */
TEST(comes_in_order)
{
	uint32_t serial = 0;
	struct fl_calendar c;

	fl_calendar_init(&c, &fl_mem_heap);
	for (uint32_t round = 0; round < few(50); round++) {
		uint32_t n = 1 + pick(300);
		struct fl_due last = { .at = FL_TIME_NONE };

		for (uint32_t i = 0; i < n; i++)
			push(&c, pick(10), pick(3), pick(4), serial++);
		for (; n > 0; n--) {
			const struct fl_due *first = fl_calendar_first(&c);
			bool same = first->at == last.at && first->kind == last.kind &&
				    first->number == last.number;

			assert_true(first->at >= last.at);
			assert_true(first->at > last.at || first->kind >= last.kind);
			assert_true(first->at > last.at || first->kind > last.kind ||
				    first->number >= last.number);
			assert_true(!same || first->epoch > last.epoch);
			last = *first;
			fl_calendar_pop(&c);
			if (pick(4) == 0) { /* nothing comes before what was there */
				push(&c, last.at + pick(5), 3, 9, serial++);
				n++;
			}
		}
		assert_null(fl_calendar_first(&c));
	}
	fl_calendar_done(&c);
}

TEST(memory_that_runs_out_changes_nothing)
{
	const struct fl_due late = { .at = 1, .kind = 7 };
	struct fl_calendar c;
	struct fail_mem f;
	uint32_t failed = 0;

	fail_mem_init(&f);
	fl_calendar_init(&c, &f.mem);
	for (uint32_t i = 0; i < 100; i++) {
		f.fail_at = 1;
		if (fl_calendar_push(&c, &late, NULL) == FAIRLEAD_ENOMEM) {
			failed++;
			assert_int_equal(c.n, i);
			f.fail_at = 0;
			push(&c, 1, 7, 0, 0);
		}
		f.fail_at = 0;
		assert_int_equal(c.n, i + 1);
	}
	assert_true(failed > 2);
	fl_calendar_done(&c);
	assert_int_equal(f.live, 0);
}

UNIT_GROUP("calendar")
