/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets (budget.h): story 5, and what is stated beside it. */
#include <math.h>

#include "lib/entitle_series.h"
#include "lib/unit.h"

/* --- budgets: a month of 720 h, a cycle every two hours, 8 GPUs --- */

enum { MONTH = 360, HOURS = 2 };
static const double month = 8 * 720; /* GPU-hours */

static struct fl_entitle_settings monthly(enum fl_overcommitment overcommitment,
					  enum fl_after_budget after)
{
	struct fl_entitle_settings e = fl_entitle_settings_default;

	e.has_budgets = true;
	e.period_kind = FL_WINDOW_TUMBLING;
	e.period = 720 * 3600 * FL_SECOND;
	e.period_start = WORLD_NOW * FL_SECOND;
	e.overcommitment = overcommitment;
	e.after_budget = after;
	return e;
}

/* Three teams of whole-cluster jobs, with these parts of a month. */
struct teams {
	struct series_users users;
	struct world_budget budgets[3];
};

static struct world_series three_teams(struct teams *t, const double *parts,
				       struct fl_entitle_settings settings)
{
	struct world_of world = series_whole_cluster(&t->users, 3, NULL, settings);

	for (uint32_t i = 0; i < 3; i++)
		t->budgets[i] = (struct world_budget){ t->users.names[i][0], parts[i] * month };
	world.budgets = t->budgets;
	world.n_budgets = 3;
	return series_begin(&world, HOURS * 3600);
}

/* In GPU-hours, since reset. */
static double used(const struct world_series *s, const char *queue)
{
	return s->held[series_node(s, queue)] / 3600;
}

TEST(each_team_gets_its_budget)
{
	static const double parts[] = { 0.40, 0.35, 0.25 };

	for (enum fl_overcommitment o = 0; o <= FL_OVERCOMMIT_FIRST_COME; o++) {
		struct teams t;
		struct world_series s = three_teams(&t, parts, monthly(o, FL_AFTER_BUDGET_SPARE));

		/* The second month begins where the first one left off: what is left has lapsed. */
		for (int m = 0; m < 2; m++) {
			series_reset(&s);
			series_run(&s, MONTH);
			for (int i = 0; i < 3; i++) {
				double has = used(&s, t.users.names[i][0]);

				assert_true(fabs(has / month - parts[i]) < 0.05 * parts[i]);
			}
			/* Interrupted only when a budget was spent. */
			assert_in_range(s.evictions, 2, 3);
		}
		series_end(&s);
	}
	/* Without budgets one team keeps everything. */
	struct series_users u;
	struct world_of world = series_whole_cluster(&u, 3, NULL, fl_entitle_settings_default);
	struct world_series s = series_begin(&world, HOURS * 3600);

	series_run(&s, MONTH);
	assert_true(used(&s, "u0") == month);
	series_end(&s);
}

/* Twice as much is promised as there is. */
TEST(too_much_is_promised)
{
	static const double parts[] = { 0.8, 0.7, 0.5 };
	struct teams t;
	struct world_series s = three_teams(&t, parts, monthly(FL_OVERCOMMIT_FIRST_COME, 0));

	series_run(&s, MONTH);
	assert_true(fabs(used(&s, "u0") / month - 0.8) < 0.01);
	assert_true(used(&s, "u2") == 0);
	assert_int_equal(s.evictions, 1);
	series_end(&s);
	s = three_teams(&t, parts, monthly(FL_OVERCOMMIT_PROPORTIONAL, 0));
	series_run(&s, MONTH);
	for (int i = 0; i < 3; i++)
		/* 40, 35 and 25 % of what was used; no two farther apart than 5 % of a budget. */
		assert_true(fabs(series_part(&s, t.users.names[i][0]) - parts[i] / 2) <
			    0.05 * parts[i]);
	series_end(&s);
}

/*
 * All come when a quarter of the period is left, and the first one has run all the time: it is
 * through with its budget, the others share the rest, and lapse.
 */
TEST(all_withdraw_at_the_end)
{
	static const double parts[] = { 0.4, 0.35, 0.25 };
	const char *const late[] = { "job1", "job2" };

	for (enum fl_overcommitment o = 0; o <= FL_OVERCOMMIT_FIRST_COME; o++) {
		struct teams t;
		struct world_series s = three_teams(&t, parts, monthly(o, FL_AFTER_BUDGET_SPARE));
		struct fl_event e = { .kind = FL_EV_CANCEL };
		fl_time end_of = (WORLD_NOW + 540 * 3600) * FL_SECOND;

		for (size_t i = 0; i < 2; i++) {
			e.workload = entitle_world_find(s.m, late[i]);
			assert_int_equal(
				fl_entitle_policy.apply(s.p, WORLD_NOW * FL_SECOND, &e, NULL), 0);
		}
		series_run(&s, 270);
		/* Spent after 288 h, and it went on since nobody else was there. */
		assert_true(used(&s, "u0") == 8 * 540);
		e.kind = FL_EV_SUBMIT;
		for (size_t i = 0; i < 2; i++) {
			e.workload = entitle_world_find(s.m, late[i]);
			assert_int_equal(fl_entitle_policy.apply(s.p, end_of, &e, NULL), 0);
		}
		series_reset(&s);
		series_run(&s, 90);
		assert_true(used(&s, "u0") == 0);
		if (o == FL_OVERCOMMIT_FIRST_COME)
			assert_true(used(&s, "u1") == s.busy / 3600);
		else
			assert_true(fabs(series_part(&s, "u1") - 0.35 / 0.6) < 0.06);
		/* The new period: used is 0 again, and what runs goes on. */
		series_reset(&s);
		series_run(&s, 10);
		assert_true(s.evictions == 0 || o == FL_OVERCOMMIT_PROPORTIONAL);
		series_end(&s);
	}
}

TEST(after_the_budget)
{
	static const double parts[] = { 0.1, 0.1, 0.1 };
	struct teams t;
	struct world_series s = three_teams(&t, parts, monthly(0, FL_AFTER_BUDGET_SPARE));
	struct fl_event e = { .kind = FL_EV_FINISHED };

	series_run(&s, 200);
	series_reset(&s);
	series_run(&s, 20); /* all are spent, and the last one runs on */
	assert_true(used(&s, "u2") == 8 * 40);
	series_end(&s);
	s = three_teams(&t, parts, monthly(0, FL_AFTER_BUDGET_STOP));
	series_run(&s, 200);
	series_reset(&s);
	series_run(&s, 20); /* so it does with Stop, */
	assert_true(used(&s, "u2") == 8 * 40);
	e.workload = entitle_world_find(s.m, "job2");
	assert_int_equal(fl_entitle_policy.apply(s.p, (WORLD_NOW + s.now) * FL_SECOND, &e, NULL),
			 0);
	series_reset(&s);
	series_run(&s, 100); /* but nobody starts */
	assert_true(s.busy == 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			fl_entitle_policy.reason(s.p, entitle_world_find(s.m, i ? "job1" : "job0")),
			FL_REASON_BUDGET_USED);
	/* until the period is over, and the policy knows when that is. */
	assert_int_equal(fl_entitle_policy.state(s.p, entitle_world_find(s.m, "job0")),
			 FL_STATE_WAITING);
	series_run(&s, 45);
	assert_true(s.busy > 0);
	series_end(&s);
}

TEST(the_policy_wakes_when_a_budget_is_spent)
{
	static const double parts[] = { 0.1, 0.1, 0.1 };
	struct teams t;
	struct world_series s = three_teams(&t, parts, monthly(0, FL_AFTER_BUDGET_SPARE));
	fl_time start = WORLD_NOW * FL_SECOND, spent;
	struct fl_policy *frozen = entitle_world_policy(&fl_mem_heap, s.m);

	series_run(&s, 1);
	/* No later than usage is looked at, and not before anything has happened. */
	assert_true(fl_entitle_policy.wake(s.p, start) > start);
	assert_true(fl_entitle_policy.wake(s.p, start) <= start + s.m->entitle.fetch_interval);
	spent = fl_entitle_policy.wake(s.p, start + (72 * 3600 - 1) * FL_SECOND);
	assert_true(llabs(spent - start - 72 * 3600 * FL_SECOND) < 1000); /* ns */
	/* Where usage does not move only the period's end does anything. */
	(void)entitle_world_step(frozen, 0);
	assert_true(fl_entitle_policy.wake(frozen, start) == start + 720 * 3600 * FL_SECOND + 1);
	fl_entitle_policy.free(frozen);
	series_end(&s);
}

/*
 * A department has a budget, too: its two teams together get no more, whatever they have.  The
 * other one, without budget, gets what is left of the month, and what it deserves at once, but
 * for jobs of those in budget that run.
 */
TEST(budgets_in_a_tree)
{
	static const struct world_gang gangs[] = {
		{ RUNS("j1", "a1", 50, 1, 1, 8, "m1") },
		{ WAITS("j2", "a2", 50, 1, 1, 8) },
		{ WAITS("jb", "b1", 50, 1, 1, 8) },
	};
	const struct world_budget budgets[] = { { "a", 0.5 * month },
						{ "a1", 0.4 * month },
						{ "a2", 0.4 * month } };
	static const struct {
		double deserved_by_b;
		uint32_t n_budgets;
		double a1, a2, b;
	} rows[] = { { 8, 0, 0, 0, 1 }, { 0, 3, 0.4, 0.1, 0.5 }, { 8, 3, 0.4, 0, 0.6 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct world_leaf queues[] = {
			{ LEAF("a", NULL, 0, -1, 1) },
			{ LEAF("b", NULL, rows[i].deserved_by_b, -1, 1) },
			{ LEAF("a1", "a", 0, -1, 1) },
			{ LEAF("a2", "a", 0, -1, 1) },
			{ LEAF("b1", "b", rows[i].deserved_by_b, -1, 1) },
		};
		struct world_of world = { .queues = queues,
					  .machines = series_eight,
					  .gangs = gangs,
					  .budgets = budgets,
					  .n_queues = COUNT(queues),
					  .n_machines = 1,
					  .n_gangs = COUNT(gangs),
					  .n_budgets = rows[i].n_budgets,
					  .settings = monthly(0, FL_AFTER_BUDGET_SPARE) };
		struct world_series s = series_begin(&world, HOURS * 3600);

		series_run(&s, MONTH);
		assert_true(fabs(used(&s, "a1") / month - rows[i].a1) < 0.01);
		assert_true(fabs(used(&s, "a2") / month - rows[i].a2) < 0.01);
		assert_true(fabs(used(&s, "b1") / month - rows[i].b) < 0.01);
		series_end(&s);
	}
}

TEST(priority_within_a_queue_in_budget)
{
	static const struct world_leaf queues[] = {
		{ LEAF("top", NULL, 0, -1, 1) },
		{ LEAF("a", "top", 0, -1, 1) },
	};
	static const struct world_gang gangs[] = {
		{ RUNS("j1", "a", 50, 1, 1, 8, "m1") },
		{ WAITS("urgent", "a", 70, 1, 1, 8) },
	};
	const struct world_budget budgets[] = { { "a", month } };
	struct world_of world = { .queues = queues,
				  .machines = series_eight,
				  .gangs = gangs,
				  .budgets = budgets,
				  .n_queues = 2,
				  .n_machines = 1,
				  .n_gangs = 2,
				  .n_budgets = 1,
				  .settings = monthly(0, FL_AFTER_BUDGET_SPARE) };
	struct world_series s = series_begin(&world, 60);
	struct fl_decisions d = entitle_world_step(s.p, 0);
	char text[200];

	assert_string_equal(entitle_world_text(s.m, &d, text, sizeof text), "-j1*1 >urgent*1");
	series_end(&s);
}

/* The budget is next to nothing and goes first all the same: small jobs, room for one. */
TEST(whoever_has_used_less_of_its_budget_is_first)
{
	static const struct world_leaf queues[] = {
		{ LEAF("top", NULL, 0, -1, 1) },
		{ LEAF("none", "top", 0, -1, 9) },
		{ LEAF("a", "top", 0, -1, 1) },
		{ LEAF("b", "top", 0, -1, 1) },
	};
	static const struct world_gang gangs[] = {
		{ WAITS("n1", "none", 50, 1, 1, 1) },
		{ RUNS("a1", "a", 50, 1, 1, 7, "m1") },
		{ WAITS("a2", "a", 50, 1, 1, 1) },
		{ WAITS("b1", "b", 50, 1, 1, 1) },
	};
	const struct world_budget rows[][2] = { { { "a", 5000 }, { "b", 5000 } },
						{ { "a", 0 }, { "b", 0 } } };
	const char *const decisions[] = { "+b1*1", "+n1*1" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct world_of world = { .queues = queues,
					  .machines = series_eight,
					  .gangs = gangs,
					  .budgets = rows[i],
					  .n_queues = COUNT(queues),
					  .n_machines = 1,
					  .n_gangs = COUNT(gangs),
					  .n_budgets = 2,
					  .settings = monthly(0, FL_AFTER_BUDGET_STOP) };
		struct world_series s = series_begin(&world, 60);
		struct fl_decisions d = entitle_world_step(s.p, 3600);
		char text[200];

		assert_string_equal(entitle_world_text(s.m, &d, text, sizeof text), decisions[i]);
		series_end(&s);
	}
}

UNIT_GROUP("entitle-budget")
