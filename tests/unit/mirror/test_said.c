/* SPDX-License-Identifier: Apache-2.0 */
/* What a change of a Workload says, row by row. */
#include "lib/unit.h"
#include "mirror/mirror.h"
#include "unit/mirror/objects.h"

#define BASE .name = 1, .uid = 1, .version = 1

static const struct row {
	const char *what;
	struct written was, now;
	bool is_new, is_gone;
	unsigned said;
} rows[] = {
	{ .what = "new", .is_new = true, .now = { BASE }, .said = FL_SAID_COMES },
	{ .what = "new, with quota",
	  .is_new = true,
	  .now = { BASE, .reserved = true },
	  .said = FL_SAID_COMES | FL_SAID_HOLDS },
	{ .what = "new and deactivated", .is_new = true, .now = { BASE, .out = true }, .said = 0 },
	{ .what = "new and finished",
	  .is_new = true,
	  .now = { BASE, .finished = true },
	  .said = 0 },
	{ .what = "deleted", .was = { BASE }, .is_gone = true, .said = FL_SAID_GONE },
	{ .what = "deleted with quota",
	  .was = { BASE, .reserved = true },
	  .is_gone = true,
	  .said = FL_SAID_GONE },
	{ .what = "finished, then deleted",
	  .was = { BASE, .finished = true },
	  .is_gone = true,
	  .said = 0 },
	{ .what = "quota reserved",
	  .was = { BASE },
	  .now = { BASE, .reserved = true },
	  .said = FL_SAID_HOLDS },
	{ .what = "admitted",
	  .was = { BASE, .reserved = true },
	  .now = { BASE, .reserved = true, .admitted = true },
	  .said = 0 },
	{ .what = "evicted",
	  .was = { BASE, .reserved = true },
	  .now = { BASE, .reserved = true, .evicted = true },
	  .said = FL_SAID_GOES },
	{ .what = "quota reserved and evicted at once",
	  .was = { BASE },
	  .now = { BASE, .reserved = true, .evicted = true },
	  .said = FL_SAID_HOLDS | FL_SAID_GOES },
	{ .what = "released",
	  .was = { BASE, .reserved = true, .evicted = true },
	  .now = { BASE, .evicted = true, .requeue = 1 },
	  .said = FL_SAID_RELEASED },
	{ .what = "released, with fewer pods",
	  .was = { BASE, .pods = 4, .reserved = true },
	  .now = { BASE, .pods = 3 },
	  .said = FL_SAID_RELEASED | FL_SAID_CHANGED },
	{ .what = "admitted elsewhere between two events",
	  .was = { BASE, .reserved = true, .held = 1 },
	  .now = { BASE, .reserved = true, .held = 2 },
	  .said = FL_SAID_RELEASED | FL_SAID_HOLDS },
	{ .what = "admitted again between two events",
	  .was = { BASE, .reserved = true, .reserved_at = 1 },
	  .now = { BASE, .reserved = true, .reserved_at = 2 },
	  .said = FL_SAID_RELEASED | FL_SAID_HOLDS },
	{ .what = "finished",
	  .was = { BASE, .reserved = true },
	  .now = { BASE, .reserved = true, .finished = true },
	  .said = FL_SAID_OVER },
	{ .what = "deactivated",
	  .was = { BASE },
	  .now = { BASE, .out = true },
	  .said = FL_SAID_OUT },
	{ .what = "deactivated while it held quota",
	  .was = { BASE, .reserved = true },
	  .now = { BASE, .out = true },
	  .said = FL_SAID_RELEASED | FL_SAID_OUT },
	{ .what = "active again",
	  .was = { BASE, .out = true },
	  .now = { BASE },
	  .said = FL_SAID_COMES },
	{ .what = "another priority",
	  .was = { BASE },
	  .now = { BASE, .priority = 5 },
	  .said = FL_SAID_PRIORITY },
	{ .what = "another priority with quota",
	  .was = { BASE, .reserved = true },
	  .now = { BASE, .reserved = true, .priority = 5 },
	  .said = FL_SAID_PRIORITY },
	{ .what = "another queue",
	  .was = { BASE },
	  .now = { BASE, .queue = 2 },
	  .said = FL_SAID_CHANGED },
	{ .what = "back-off",
	  .was = { BASE },
	  .now = { BASE, .requeue = 3 },
	  .said = FL_SAID_CHANGED },
	{ .what = "other podsets",
	  .was = { BASE },
	  .now = { BASE, .pods = 3 },
	  .said = FL_SAID_CHANGED },
	{ .what = "made again by the same name",
	  .was = { BASE },
	  .now = { .name = 1, .uid = 2, .version = 2 },
	  .said = FL_SAID_GONE | FL_SAID_COMES },
};

static int hear(void *user, const struct fl_mirror_change *change, fairlead_error *err)
{
	(void)err;
	*(unsigned *)user |= change->said;
	return 0;
}

static void see(struct fl_mirror *m, const struct written *w)
{
	char text[OBJECT];
	fairlead_error err = { 0 };

	write_workload(w, text);
	assert_int_equal(fl_mirror_see(m, FL_MIRROR_WORKLOAD, text, strlen(text), &err), 0);
}

TEST(what_a_change_says)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		fairlead_error err = { 0 };
		struct fl_mirror *m;
		unsigned said = 0;

		assert_int_equal(fl_mirror_new(hear, &said, &m, &err), 0);
		if (!row->is_new)
			see(m, &row->was);
		said = 0;
		if (row->is_gone)
			assert_int_equal(fl_mirror_remove(m, FL_MIRROR_WORKLOAD, "ns", "w1", &err),
					 0);
		else
			see(m, &row->now);
		if (said != row->said)
			fail_msg("%s: said %u, not %u", row->what, said, row->said);
		fl_mirror_free(m);
	}
}

UNIT_GROUP("said")
