/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "daemon/engine/history/fairness.h"
#include "lib/unit.h"

#define S(seconds) ((seconds)*FL_SECOND)

struct row {
	const char *name;
	uint32_t n;
	double capacity;
	struct fl_fair_node nodes[5];
	struct fl_fair_span spans[4];
	double due[5];
};

/* Node 0 is the cohort in most of them. */
static const struct row rows[] = {
	{ "alone: all that it wants",
	  FIELDS(2, 8),
	  { { FL_NONE, 1, 8, 0 }, { 0, 1, 0, 0 } },
	  { { 1, S(0), S(10), 5 } },
	  { 50, 50 } },
	{ "not more than there is",
	  FIELDS(2, 8),
	  { { FL_NONE, 1, 8, 0 }, { 0, 1, 0, 0 } },
	  { { 1, S(0), S(10), 50 } },
	  { 80, 80 } },
	{ "by weights",
	  FIELDS(4, 8),
	  { { FL_NONE, 1, 8, 0 }, { 0, 2, 0, 0 }, { 0, 1, 0, 0 }, { 0, 1, 0, 0 } },
	  { { 1, S(0), S(10), 50 }, { 2, S(0), S(10), 50 }, { 3, S(0), S(10), 50 } },
	  { 80, 40, 20, 20 } },
	{ "who wants less leaves the rest to the others",
	  FIELDS(4, 8),
	  { { FL_NONE, 1, 8, 0 }, { 0, 2, 0, 0 }, { 0, 1, 0, 0 }, { 0, 1, 0, 0 } },
	  { { 1, S(0), S(10), 2 }, { 2, S(0), S(10), 50 }, { 3, S(0), S(10), 50 } },
	  { 80, 20, 30, 30 } },
	{ "only while both want it",
	  FIELDS(3, 8),
	  { { FL_NONE, 1, 8, 0 }, { 0, 1, 0, 0 }, { 0, 1, 0, 0 } },
	  { { 1, S(0), S(10), 8 }, { 2, S(5), S(10), 8 } },
	  { 80, 60, 20 } },
	{ "nobody wants anything for a while",
	  FIELDS(2, 8),
	  { { FL_NONE, 1, 8, 0 }, { 0, 1, 0, 0 } },
	  { { 1, S(0), S(1), 8 }, { 1, S(100), S(101), 8 } },
	  { 16, 16 } },
	{ "quota of one's own comes before weights",
	  FIELDS(3, 8),
	  { { FL_NONE, 1, 2, 0 }, { 0, 1, 6, 0 }, { 0, 1, 0, 0 } },
	  { { 1, S(0), S(10), 50 }, { 2, S(0), S(10), 50 } },
	  { 80, 70, 10 } },
	{ "quota that nobody wants is lent",
	  FIELDS(3, 8),
	  { { FL_NONE, 1, 2, 0 }, { 0, 1, 6, 0 }, { 0, 1, 0, 0 } },
	  { { 2, S(0), S(10), 50 } },
	  { 80, 0, 80 } },
	{ "quotas beyond what there is: the same part of each",
	  FIELDS(3, 8),
	  { { FL_NONE, 1, 0, 0 }, { 0, 1, 12, 0 }, { 0, 1, 4, 0 } },
	  { { 1, S(0), S(10), 50 }, { 2, S(0), S(10), 50 } },
	  { 80, 60, 20 } },
	{ "a quota without a limit is no more than there is",
	  FIELDS(3, 4),
	  { { FL_NONE, 1, (double)INFINITY, 0 }, { 0, 1, 2, 0 }, { 0, 1, 1, 0 } },
	  { { 1, S(0), S(10), 4 }, { 2, S(0), S(10), 4 } },
	  { 40, 25, 15 } },
	{ "weight 0: what others leave",
	  FIELDS(4, 8),
	  { { FL_NONE, 1, 8, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 1, 0, 0 } },
	  { { 1, S(0), S(10), 8 }, { 2, S(0), S(10), 8 }, { 3, S(0), S(10), 4 } },
	  { 80, 20, 20, 40 } },
	{ "and nothing when they leave nothing",
	  FIELDS(3, 8),
	  { { FL_NONE, 1, 8, 0 }, { 0, 0, 0, 0 }, { 0, 1, 0, 0 } },
	  { { 1, S(0), S(10), 8 }, { 2, S(0), S(10), 8 } },
	  { 80, 0, 80 } },
	{ "a cohort in a cohort divides what it is given; children may stand before parents",
	  FIELDS(5, 8),
	  { { 1, 1, 0, 0 }, { 4, 1, 0, 0 }, { 1, 1, 0, 0 }, { 4, 1, 0, 0 }, { FL_NONE, 1, 8, 0 } },
	  { { 0, S(0), S(10), 8 }, { 2, S(0), S(10), 8 }, { 3, S(0), S(10), 8 } },
	  { 20, 40, 20, 40, 80 } },
};

TEST(test_due)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct row r = rows[i];
		uint32_t spans = 0;
		fairlead_error err = { 0 };

		while (spans < 4 && r.spans[spans].amount > 0)
			spans++;
		assert_int_equal(fl_fairness(r.nodes, r.n, r.capacity, r.spans, spans, &err), 0);
		for (uint32_t k = 0; k < r.n; k++)
			if (fabs(r.nodes[k].due - r.due[k]) > 1e-6)
				fail_msg("%s: node %u is due %g, not %g", r.name, k, r.nodes[k].due,
					 r.due[k]);
	}
}

TEST(test_nobody)
{
	fairlead_error err = { 0 };

	assert_int_equal(fl_fairness(NULL, 0, 8, NULL, 0, &err), 0);
}

UNIT_GROUP("fairness")
