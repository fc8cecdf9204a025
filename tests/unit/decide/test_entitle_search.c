/* SPDX-License-Identifier: Apache-2.0 */
/* The search for victims, rule by rule, in small worlds: what one cycle decides. */
#include "lib/entitle_world.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"

static const struct world_machine one[] = { { "m1", 8 } };
static const struct world_machine two[] = { { "m1", 4 }, { "m2", 4 } };

/* Two leaves that deserve half of 8 GPUs each. */
static const struct world_leaf halves[] = {
	{ LEAF("top", NULL, -1, -1, 1) },
	{ LEAF("a", "top", 4, -1, 1) },
	{ LEAF("b", "top", 4, -1, 1) },
};
/* The same, and whoever runs in b runs for 600 s before others may take it. */
static const struct world_leaf protects[] = {
	{ LEAF("top", NULL, -1, -1, 1) },
	{ LEAF("a", "top", 4, -1, 1) },
	{ LEAF("b", "top", 4, -1, 1), .reclaim_min_run = 600, .preempt_min_run = 600 },
};
/* b may hold everything. */
static const struct world_leaf lopsided[] = {
	{ LEAF("top", NULL, -1, -1, 1) },
	{ LEAF("a", "top", 2, -1, 0) },
	{ LEAF("b", "top", 6, -1, 1) },
};

/* c may hold what the others leave. */
static const struct world_leaf three[] = {
	{ LEAF("top", NULL, -1, -1, 1) },
	{ LEAF("a", "top", 4, -1, 1) },
	{ LEAF("b", "top", 2, -1, 1) },
	{ LEAF("c", "top", 2, -1, 1) },
};

struct row {
	const char *name;
	struct world_leaf const *queues; /* three of them, or `three` */
	struct world_machine const *machines;
	struct world_gang gangs[5];
	const char *decisions; /* of the first cycle, in their order */
};

#define ON(queues, machines) queues, machines

static const struct row rows[] = {
	/* --- reclaim --- */
	{ "the youngest of the other queue goes first",
	  ON(halves, one),
	  { { RUNS("b1", "b", 50, 1, 1, 4, "m1") },
	    { RUNS("b2", "b", 50, 1, 1, 4, "m1") },
	    { WAITS("a1", "a", 50, 1, 1, 4) } },
	  "-b2*1 >a1*1" },
	{ "of lower priority before younger",
	  ON(halves, one),
	  { { RUNS("b1", "b", 40, 1, 1, 4, "m1") },
	    { RUNS("b2", "b", 50, 1, 1, 4, "m1") },
	    { WAITS("a1", "a", 50, 1, 1, 4) } },
	  "-b1*1 >a1*1" },
	{ "the last victim may take its queue below its share",
	  ON(halves, one),
	  { { RUNS("b1", "b", 50, 1, 1, 8, "m1") }, { WAITS("a1", "a", 50, 1, 1, 1) } },
	  "-b1*1 >a1*1" },
	{ "nobody is taken from a queue within its share",
	  ON(lopsided, one),
	  { { RUNS("b1", "b", 50, 1, 1, 6, "m1") },
	    { RUNS("a1", "a", 50, 1, 1, 2, "m1") },
	    { WAITS("a2", "a", 50, 1, 1, 2) } },
	  "" },
	{ "not for more than the asking queue's share",
	  ON(halves, one),
	  { { RUNS("b1", "b", 50, 1, 1, 8, "m1") }, { WAITS("a1", "a", 50, 1, 1, 5) } },
	  "" },
	{ "who cannot be preempted stays",
	  ON(halves, one),
	  { { RUNS("b1", "b", 50, 1, 1, 8, "m1"), .firm = true },
	    { WAITS("a1", "a", 50, 1, 1, 4) } },
	  "" },
	{ "a victim for whom there is room after all stays",
	  ON(halves, one),
	  { { RUNS("b1", "b", 50, 1, 1, 7, "m1") },
	    { RUNS("b2", "b", 50, 1, 1, 1, "m1") },
	    { WAITS("a1", "a", 50, 1, 1, 4) } },
	  "-b1*1 >a1*1" },
	{ "a gang gets all its tasks",
	  ON(halves, one),
	  { { RUNS("b1", "b", 50, 4, 4, 1, "m1") },
	    { RUNS("b2", "b", 50, 4, 4, 1, "m1") },
	    { WAITS("a1", "a", 50, 4, 4, 1) } },
	  "-b2*4 >a1*4" },
	{ "a gang that cannot have all its tasks gets none",
	  ON(halves, one),
	  { { RUNS("b1", "b", 50, 1, 1, 6, "m1"), .firm = true },
	    { RUNS("b2", "b", 50, 1, 1, 2, "m1") },
	    { WAITS("a1", "a", 50, 4, 4, 1) } },
	  "" },
	{ "an elastic victim gives one task after the other, the last by name first",
	  ON(halves, one),
	  { { RUNS("b1", "b", 50, 8, 2, 1, "m1") }, { WAITS("a1", "a", 50, 1, 1, 3) } },
	  "-b1*3 >a1*1" },
	/* --- minimum run times --- */
	{ "who has not run for long is left alone",
	  ON(protects, one),
	  { { RUNS("b1", "b", 50, 1, 1, 8, "m1"), .ran = 599 }, { WAITS("a1", "a", 50, 1, 1, 4) } },
	  "" },
	{ "who has run for long is not",
	  ON(protects, one),
	  { { RUNS("b1", "b", 50, 1, 1, 8, "m1"), .ran = 600 }, { WAITS("a1", "a", 50, 1, 1, 4) } },
	  "-b1*1 >a1*1" },
	{ "the next one in the line goes instead",
	  ON(protects, one),
	  { { RUNS("b1", "b", 50, 1, 1, 4, "m1"), .ran = 700 },
	    { RUNS("b2", "b", 50, 1, 1, 4, "m1"), .ran = 60 },
	    { WAITS("a1", "a", 50, 1, 1, 4) } },
	  "-b1*1 >a1*1" },
	{ "an elastic one gives what is beyond its minimum",
	  ON(protects, one),
	  { { RUNS("b1", "b", 50, 8, 4, 1, "m1"), .ran = 60 }, { WAITS("a1", "a", 50, 1, 1, 4) } },
	  "-b1*4 >a1*1" },
	{ "and nothing of its minimum",
	  ON(protects, one),
	  { { RUNS("b1", "b", 50, 8, 5, 1, "m1"), .ran = 60 }, { WAITS("a1", "a", 50, 1, 1, 4) } },
	  "" },
	{ "within a queue the same, with its own length",
	  ON(protects, one),
	  { { RUNS("b1", "b", 50, 1, 1, 8, "m1"), .ran = 599 }, { WAITS("b2", "b", 60, 1, 1, 4) } },
	  "" },
	/* --- preempt --- */
	{ "within a queue the lower priority goes",
	  ON(halves, one),
	  { { RUNS("a1", "a", 40, 1, 1, 4, "m1") },
	    { RUNS("a2", "a", 50, 1, 1, 4, "m1") },
	    { WAITS("a3", "a", 60, 1, 1, 4) } },
	  "-a1*1 >a3*1" },
	{ "a victim of many tasks, of use only for the first task of a gang, stays",
	  ON(halves, two),
	  { { RUNS("a1", "a", 40, 8, 8, 0.5, "m1") },
	    { RUNS("a2", "a", 60, 1, 1, 2, "m2"), .firm = true },
	    { WAITS("a3", "a", 50, 2, 2, 3) } },
	  "" },
	{ "but not the same priority",
	  ON(halves, one),
	  { { RUNS("a1", "a", 60, 1, 1, 8, "m1") }, { WAITS("a2", "a", 60, 1, 1, 4) } },
	  "" },
	{ "what cannot be preempted must stay within what is deserved",
	  ON(halves, one),
	  { { RUNS("a1", "a", 50, 1, 1, 8, "m1") },
	    { WAITS("a2", "a", 100, 1, 1, 5), .firm = true } },
	  "" },
	/* --- consolidation --- */
	{ "pieces of room are brought together",
	  ON(halves, two),
	  { { RUNS("b1", "b", 50, 1, 1, 2, "m1") },
	    { RUNS("b2", "b", 50, 1, 1, 2, "m2") },
	    { WAITS("a1", "a", 50, 1, 1, 4) } },
	  ">a1*1 -b2*1 >b2*1" },
	{ "not when somebody would lose",
	  ON(lopsided, two),
	  { { RUNS("b1", "b", 50, 1, 1, 3, "m1") },
	    { RUNS("b2", "b", 50, 1, 1, 3, "m2") },
	    { WAITS("a1", "a", 50, 1, 1, 2) } },
	  "" },
	{ "not for who cannot be preempted itself",
	  ON(halves, two),
	  { { RUNS("b1", "b", 50, 1, 1, 2, "m1"), .firm = true },
	    { RUNS("b2", "b", 50, 1, 1, 2, "m2"), .firm = true },
	    { WAITS("a1", "a", 100, 1, 1, 4), .firm = true } },
	  "" },
	/* --- several machines --- */
	{ "victims are taken from one machine, the newest victim's",
	  ON(halves, two),
	  { { RUNS("b1", "b", 50, 1, 1, 2, "m1") },
	    { RUNS("b2", "b", 50, 1, 1, 4, "m2") },
	    { RUNS("b3", "b", 50, 1, 1, 2, "m1") },
	    { WAITS("a1", "a", 50, 1, 1, 4) } },
	  "-b2*1 >a1*1" },
	{ "a victim that a reclaim moves elsewhere is none: its queue need not be over its share",
	  ON(three, two),
	  { { RUNS("b1", "b", 50, 1, 1, 1, "m1") },
	    { RUNS("c1", "c", 50, 1, 1, 1, "m2"), .firm = true },
	    { WAITS("a1", "a", 100, 1, 1, 4), .firm = true } },
	  "-b1*1 >b1*1 >a1*1" },
};

static struct world_of world_of_row(const struct row *row)
{
	struct world_of world = {
		.queues = row->queues,
		.n_queues = row->queues == three ? COUNT(three) : 3,
		.machines = row->machines,
		.n_machines = row->machines == one ? COUNT(one) : COUNT(two),
		.gangs = row->gangs,
		.settings = fl_entitle_settings_default,
	};

	while (world.n_gangs < COUNT(row->gangs) && row->gangs[world.n_gangs].name)
		world.n_gangs++;
	return world;
}

struct run {
	struct fl_model *model;
	struct fl_policy *policy;
};

static struct run run_of(const struct row *row, const struct fl_mem *mem)
{
	struct world_of world = world_of_row(row);
	struct run run = { .model = entitle_world(&fl_mem_heap, &world) };

	run.policy = entitle_world_policy(mem, run.model);
	return run;
}

static void done(struct run *run)
{
	fl_entitle_policy.free(run->policy);
	fl_model_free(run->model);
}

TEST(first_cycle)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run run = run_of(&rows[i], &fl_mem_heap);
		struct fl_decisions decisions = entitle_world_step(run.policy, 0);
		char text[200];

		entitle_world_text(run.model, &decisions, text, sizeof text);
		if (strcmp(text, rows[i].decisions) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].name, text, rows[i].decisions);
		done(&run);
	}
}

/* --- settings --- */

static void no_consolidating_reclaim(struct fl_entitle_settings *settings)
{
	settings->consolidating_reclaim = false;
}

static void no_reclaim(struct fl_entitle_settings *settings)
{
	settings->actions[FL_ACTION_RECLAIM] = false;
}

static void no_preempt(struct fl_entitle_settings *settings)
{
	settings->actions[FL_ACTION_PREEMPT] = false;
}

static void no_consolidation(struct fl_entitle_settings *settings)
{
	settings->actions[FL_ACTION_CONSOLIDATION] = false;
}

/* What a setting makes of a row of above, whose name begins so. */
TEST(settings)
{
	static const struct {
		const char *row;
		void (*change)(struct fl_entitle_settings *settings);
		const char *decisions;
	} cases[] = {
		{ "a victim that a reclaim moves", no_consolidating_reclaim, "" },
		{ "a victim that a reclaim moves", no_consolidation, "-b1*1 >b1*1 >a1*1" },
		{ "a victim that a reclaim moves", no_reclaim, "" },
		{ "a gang gets all its tasks", no_consolidating_reclaim, "-b2*4 >a1*4" },
		{ "a gang gets all its tasks", no_reclaim, "" },
		{ "within a queue the lower priority goes", no_preempt, "" },
		{ "within a queue the lower priority goes", no_reclaim, "-a1*1 >a3*1" },
		{ "pieces of room", no_consolidation, ">a1*1 -b2*1 >b2*1" }, /* by a reclaim */
		{ "pieces of room", no_reclaim, ">a1*1 -b2*1 >b2*1" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fl_decisions decisions;
		struct world_of world;
		struct run run;
		char text[200];
		size_t k = 0;

		while (strncmp(rows[k].name, cases[i].row, strlen(cases[i].row)) != 0)
			k++;
		world = world_of_row(&rows[k]);
		cases[i].change(&world.settings);
		run.model = entitle_world(&fl_mem_heap, &world);
		run.policy = entitle_world_policy(&fl_mem_heap, run.model);
		decisions = entitle_world_step(run.policy, 0);
		entitle_world_text(run.model, &decisions, text, sizeof text);
		if (strcmp(text, cases[i].decisions) != 0)
			fail_msg("%zu, %s: '%s', not '%s'", i, cases[i].row, text,
				 cases[i].decisions);
		done(&run);
	}
}

/* --- evidence --- */

struct heard {
	enum fl_check check;
	bool holds;
	uint32_t n; /* such rows */
};

static void hear(void *user, const struct fl_evidence *row)
{
	struct heard *heard = user;

	heard->n += row->check == heard->check && row->holds == heard->holds;
}

/* Each rule says what it compared, in the cycle that acts on it. */
TEST(evidence)
{
	static const struct {
		const char *row;
		enum fl_check check;
		bool holds;
		uint32_t n;
	} cases[] = {
		{ "who has not run for long is left alone", FL_CHECK_VICTIM_RUN_TIME, false, 1 },
		{ "who cannot be preempted stays", FL_CHECK_VICTIM_PREEMPTIBLE, false, 1 },
		{ "but not the same priority", FL_CHECK_VICTIM_PRIORITY, false, 1 },
		{ "within a queue the lower priority goes", FL_CHECK_VICTIM_PRIORITY, true, 2 },
		{ "not for more than the asking", FL_CHECK_CAN_RECLAIM, false, 1 },
		{ "the youngest of the other", FL_CHECK_MAINTAIN_FAIR_SHARE, true, 1 },
		{ "not when somebody would lose", FL_CHECK_ROOM_LATER, true, 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct heard heard = { .check = cases[i].check, .holds = cases[i].holds };
		const struct fl_sink sink = { .row = hear, .user = &heard };
		struct fl_decisions decisions;
		fairlead_error err;
		struct run run;
		size_t k = 0;

		while (strncmp(rows[k].name, cases[i].row, strlen(cases[i].row)) != 0)
			k++;
		run = run_of(&rows[k], &fl_mem_heap);
		assert_int_equal(fl_entitle_policy.step(run.policy, WORLD_NOW * FL_SECOND, 0, &sink,
							&decisions, &err),
				 0);
		if (heard.n != cases[i].n)
			fail_msg("%s: %u rows, not %u", cases[i].row, heard.n, cases[i].n);
		done(&run);
	}
}

/* Where nothing is decided, nothing has changed, however much was simulated. */
TEST(no_trace)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run run;
		uint64_t before[2], after[2];

		if (rows[i].decisions[0])
			continue;
		run = run_of(&rows[i], &fl_mem_heap);
		entitle_world_step(run.policy, 0);
		fl_entitle_policy.digest(run.policy, WORLD_NOW * FL_SECOND, before);
		entitle_world_step(run.policy, 0);
		fl_entitle_policy.digest(run.policy, WORLD_NOW * FL_SECOND, after);
		CHECK(memcmp(before, after, sizeof before) == 0, rows[i].name);
		done(&run);
	}
}

/* A rolled-back cycle has left nothing, and the next one is the same and takes no memory. */
TEST(again)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fail_mem mem;
		struct run run;
		struct fl_decisions decisions;
		unsigned long calls;
		fairlead_error err;
		char text[200];
		fl_mark mark;

		fail_mem_init(&mem);
		run = run_of(&rows[i], &mem.mem);
		for (int round = 0; round < 2; round++) {
			assert_int_equal(fl_entitle_policy.mark(run.policy, &mark, &err), 0);
			entitle_world_step(run.policy, 0);
			fl_entitle_policy.rollback(run.policy, mark);
		}
		calls = mem.calls;
		assert_int_equal(fl_entitle_policy.mark(run.policy, &mark, &err), 0);
		decisions = entitle_world_step(run.policy, 0);
		CHECK(mem.calls == calls, rows[i].name);
		entitle_world_text(run.model, &decisions, text, sizeof text);
		CHECK(strcmp(text, rows[i].decisions) == 0, rows[i].name);
		done(&run);
		assert_int_equal(mem.live, 0);
	}
}

/* Memory that runs out at any allocation of a cycle: an error, and the state is as before. */
TEST(out_of_memory)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_decisions decisions;
		uint64_t before[2], after[2];
		struct fail_mem mem;
		fairlead_error err;
		struct run run;
		int r = -1;

		fail_mem_init(&mem);
		for (unsigned long at = 1; r < 0; at++) {
			run = run_of(&rows[i], &mem.mem);
			fl_entitle_policy.digest(run.policy, WORLD_NOW * FL_SECOND, before);
			mem.fail_at = at;
			r = fl_entitle_policy.step(run.policy, WORLD_NOW * FL_SECOND, 0, NULL,
						   &decisions, &err);
			mem.fail_at = 0;
			fl_entitle_policy.digest(run.policy, WORLD_NOW * FL_SECOND, after);
			CHECK(r == 0 || r == FAIRLEAD_ENOMEM, rows[i].name);
			CHECK(r == 0 || memcmp(before, after, sizeof before) == 0, rows[i].name);
			done(&run);
		}
		assert_int_equal(mem.live, 0);
	}
}

/*
 * Evicted twice: an elastic workload gives a task for the first task of a gang, and one more
 * for the second; it is taken off its queue three times.  So, until the cycle ends, b holds 5
 * by the books and 6 in truth, where it may hold 4: a2, which needs two of them, gets none,
 * and a3, younger and smaller, gets one.
 */
TEST(evicted_twice)
{
	const struct row row = { "twice",
				 halves,
				 one,
				 { { RUNS("b1", "b", 50, 8, 1, 1, "m1") },
				   { WAITS("a1", "a", 50, 2, 2, 1) },
				   { WAITS("a2", "a", 50, 2, 2, 1) },
				   { WAITS("a3", "a", 50, 1, 1, 1) } },
				 "-b1*2 >a1*2 -b1*1 >a3*1" };
	struct run run = run_of(&row, &fl_mem_heap);
	struct fl_decisions decisions = entitle_world_step(run.policy, 0);
	char text[200];

	assert_string_equal(entitle_world_text(run.model, &decisions, text, sizeof text),
			    row.decisions);
	done(&run);
}

/* A gang short of its minimum is given its grace, and then loses what is left of it. */
TEST(stale)
{
	const struct row row = { "stale",
				 halves,
				 one,
				 { { RUNS("b1", "b", 50, 3, 3, 1, "m1"), .waiting = 1 },
				   { RUNS("b2", "b", 50, 1, 1, 6, "m1"), .firm = true },
				   { RUNS("a1", "a", 50, 3, 2, 0, "m1"), .waiting = 1 } },
				 "" };
	struct run run = run_of(&row, &fl_mem_heap);
	struct fl_decisions decisions = entitle_world_step(run.policy, 0);
	char text[200];

	assert_string_equal(entitle_world_text(run.model, &decisions, text, sizeof text), "+a1*1");
	decisions = entitle_world_step(run.policy, 59);
	assert_string_equal(entitle_world_text(run.model, &decisions, text, sizeof text), "");
	decisions = entitle_world_step(run.policy, 60);
	assert_string_equal(entitle_world_text(run.model, &decisions, text, sizeof text), "-b1*2");
	assert_int_equal(decisions.rows[0].reason, FL_REASON_STALE_GANG);
	done(&run);
}

UNIT_GROUP("entitle-search")
