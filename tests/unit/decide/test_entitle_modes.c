/* SPDX-License-Identifier: Apache-2.0 */
/* keepBelowQuota, protectQuota and bounded division, from the settings to the decisions. */
#include <math.h>

#include "lib/entitle_series.h"
#include "lib/unit.h"

/* --- keepBelowQuota and protectQuota: one cycle --- */

static const struct world_leaf halves[] = {
	{ LEAF("top", NULL, -1, -1, 1) },
	{ LEAF("a", "top", 4, -1, 1) },
	{ LEAF("b", "top", 0, -1, 1) },
};
static const struct world_leaf owners[] = {
	{ LEAF("top", NULL, -1, -1, 1) },
	{ LEAF("a", "top", 4, -1, 1) },
	{ LEAF("b", "top", 4, -1, 1) },
};

static const struct {
	const char *name;
	const struct world_leaf *queues;
	struct world_gang gangs[3];
	bool keep_below, protect;
	const char *decisions;
} reclaims[] = {
	/* a holds 2 of the 4 that it deserves, and has a gang of 3. */
	{ "above its quota by a reclaim",
	  halves,
	  { { RUNS("b1", "b", 50, 6, 1, 1, "m1") },
	    { RUNS("a1", "a", 50, 2, 2, 1, "m1") },
	    { WAITS("a2", "a", 50, 3, 3, 1) } },
	  FIELDS(false, false, "-b1*3 >a2*3") },
	{ "below its quota it stays below",
	  halves,
	  { { RUNS("b1", "b", 50, 6, 1, 1, "m1") },
	    { RUNS("a1", "a", 50, 2, 2, 1, "m1") },
	    { WAITS("a2", "a", 50, 3, 3, 1) } },
	  FIELDS(true, false, "") },
	{ "up to its quota it reclaims",
	  halves,
	  { { RUNS("b1", "b", 50, 6, 1, 1, "m1") },
	    { RUNS("a1", "a", 50, 2, 2, 1, "m1") },
	    { WAITS("a2", "a", 50, 2, 2, 1) } },
	  FIELDS(true, false, "-b1*2 >a2*2") },
	/* b deserves 4 and holds 6 in one piece. */
	{ "the last victim takes b below its quota",
	  owners,
	  { { RUNS("b1", "b", 50, 6, 6, 1, "m1") }, { WAITS("a1", "a", 50, 4, 4, 1) } },
	  FIELDS(false, false, "-b1*6 >a1*4") },
	{ "what b deserves is protected",
	  owners,
	  { { RUNS("b1", "b", 50, 6, 6, 1, "m1") }, { WAITS("a1", "a", 50, 4, 4, 1) } },
	  FIELDS(false, true, "") },
	{ "what b has over its quota is not",
	  owners,
	  { { RUNS("b1", "b", 50, 6, 1, 1, "m1") }, { WAITS("a1", "a", 50, 4, 4, 1) } },
	  FIELDS(false, true, "-b1*2 >a1*4") },
};

TEST(reclaims_keep_what_a_policy_says)
{
	for (size_t i = 0; i < COUNT(reclaims); i++) {
		struct world_of world = { .queues = reclaims[i].queues,
					  .machines = series_eight,
					  .gangs = reclaims[i].gangs,
					  .n_queues = 3,
					  .n_machines = 1,
					  .n_gangs = reclaims[i].gangs[2].name ? 3 : 2,
					  .settings = fl_entitle_settings_default };
		struct fl_decisions d;
		struct world_series s;
		char text[200];

		world.settings.keep_below_quota = reclaims[i].keep_below;
		world.settings.protect_quota = reclaims[i].protect;
		s = series_begin(&world, 1);
		d = entitle_world_step(s.p, 0);
		CHECK(strcmp(entitle_world_text(s.m, &d, text, sizeof text),
			     reclaims[i].decisions) == 0,
		      reclaims[i].name);
		series_end(&s);
	}
}

/* --- bounded division --- */

static const struct {
	const char *name;
	double deserved[2], asks[2], used[2], k;
	double by_default[2], bounded[2];
} divisions[] = {
	{ "more is deserved than there is", { 6, 6 }, { 6, 6 }, { 0, 0 }, 0, { 6, 6 }, { 4, 4 } },
	{ "all have used too much", { 0, 0 }, { 8, 8 }, { 1, 1 }, 5, { 0, 0 }, { 4, 4 } },
	{ "a remainder is a whole GPU",
	  { 0, 0 },
	  { 0.6, 8 },
	  { 0.9375, 0.0625 },
	  1,
	  { 1, 7 },
	  { 0.6, 7.4 } },
};

TEST(bounded_shares_are_within_capacity)
{
	for (size_t i = 0; i < 2 * COUNT(divisions); i++) {
		bool bounded = i % 2;
		const double *expected = bounded ? divisions[i / 2].bounded :
						   divisions[i / 2].by_default;
		struct world_leaf queues[] = {
			{ LEAF("top", NULL, 0, -1, 1) },
			{ LEAF("a", "top", divisions[i / 2].deserved[0], -1, 1) },
			{ LEAF("b", "top", divisions[i / 2].deserved[1], -1, 1) },
		};
		struct world_gang gangs[] = {
			{ WAITS("a1", "a", 50, 1, 1, divisions[i / 2].asks[0]) },
			{ WAITS("b1", "b", 50, 1, 1, divisions[i / 2].asks[1]) },
		};
		struct world_of world = { .queues = queues,
					  .machines = series_eight,
					  .gangs = gangs,
					  .n_queues = 3,
					  .n_machines = 1,
					  .n_gangs = 2,
					  .settings = series_over_time(divisions[i / 2].k, 1000, 0,
								       0) };
		struct fl_event event = { .kind = FL_EV_USAGE };
		struct world_series s;

		/* 8 s of this in the past are the whole cluster's capacity of one second. */
		world.settings.bounded_division = bounded;
		s = series_begin(&world, 1);
		for (int j = 0; j < 2; j++) {
			event.sample = (struct fl_sample){
				.node = { series_node(&s, j ? "b" : "a") },
				.from = (WORLD_NOW - 8) * FL_SECOND,
				.to = WORLD_NOW * FL_SECOND,
			};
			event.sample.amount.of[FL_GPU] = divisions[i / 2].used[j];
			assert_int_equal(fl_entitle_policy.apply(s.p, WORLD_NOW * FL_SECOND, &event,
								 NULL),
					 0);
		}
		(void)entitle_world_step(s.p, 1);
		for (int j = 0; j < 2; j++) {
			struct fl_node n = { series_node(&s, j ? "b" : "a") };
			double share = fl_entitle_standing(s.p, n)->fair_share.of[FL_GPU];

			CHECK(fabs(share - expected[j]) < 1e-9, divisions[i / 2].name);
		}
		series_end(&s);
	}
}

UNIT_GROUP("entitle-modes")
