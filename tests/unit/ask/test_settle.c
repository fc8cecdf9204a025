/* SPDX-License-Identifier: Apache-2.0 */
/* Rest and loops are told apart, limits hold, and running out of memory leaks nothing. */
#include "ask/common/settle.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"
#include "lib/world.h"

#define NO FL_NO_LIMIT
static const struct fl_policy_ops *const ops = &fl_borrow_policy;

/*
 * Two queues that chase each other: w0 evicts both of q1; of these the small one is
 * served first, within its nominal quota, and before w0 fits the other one does.
 */
static struct fl_model *chase(enum fl_strategy strategy)
{
	static const struct world_node nodes[] = {
		{ "root", NULL, FL_COHORT, 1, { { 0, NO, NO } } },
		{ "q0", "root", FL_CLUSTER_QUEUE, 1, { { 4, NO, NO } } },
		{ "q1", "root", FL_CLUSTER_QUEUE, 1, { { 2, NO, NO } } },
	};
	static const struct world_job jobs[] = {
		{ "w0", "q0", 0, 1, { 5 }, false },
		{ "w3", "q1", 0, 3, { 4 }, true },
		{ "w4", "q1", 0, 2, { 2 }, true },
	};
	struct fl_model *m = world_open(&fl_mem_heap, nodes, 3, 1);
	fairlead_error err;

	for (int i = 1; i < 3; i++) {
		m->nodes[i].reclaim = FL_PREEMPT_ANY;
		m->nodes[i].strategy = strategy;
	}
	m->settings.present = m->settings.fair_sharing = true;
	for (size_t i = 0; i < COUNT(jobs); i++)
		world_add_job(m, &jobs[i], 1);
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

/* One queue, two that fit beside each other and one that never will. */
static struct fl_model *calm(bool evicting)
{
	static const struct world_node nodes[] = {
		{ "q0", NULL, FL_CLUSTER_QUEUE, 1, { { 4, NO, NO } } },
	};
	const struct world_job jobs[] = {
		{ "fits", "q0", 0, 1, { 2 }, false },
		{ "too", "q0", 0, 2, { 2 }, false },
		{ "never", "q0", 0, 3, { 9 }, false },
		{ "held", "q0", 0, 0, { 3 }, true },
	};
	struct fl_model *m = world_open(&fl_mem_heap, nodes, 1, 1);
	fairlead_error err;

	for (size_t i = 0; i < (evicting ? 4 : 3); i++)
		world_add_job(m, &jobs[i], 1);
	if (evicting)
		m->workloads[3].evicted = true;
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

struct seen {
	uint32_t calls, admitted, evicted, fail_at;
	fl_time last;
};

static int see(void *user, const struct fl_settle_cycle *c, fairlead_error *err)
{
	struct seen *s = user;

	assert_int_equal(c->number, ++s->calls);
	s->last = c->now;
	for (uint32_t i = 0; i < c->decisions->n; i++) {
		s->admitted += c->decisions->rows[i].kind == FL_ADMIT;
		s->evicted += c->decisions->rows[i].kind == FL_EVICT;
	}
	return s->calls == s->fail_at ? fl_fail(err, FAIRLEAD_EIO, "full") : 0;
}

static const struct fl_settle_options usual = {
	.mem = &fl_mem_heap,
	.now = 100 * FL_SECOND,
	.interval = FL_SECOND,
	.cycles = 100,
	.to_the_end = true,
};

static struct fl_settle_result settle(struct fl_model *m, const struct fl_settle_options *options,
				      struct seen *seen)
{
	struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
	struct fl_settle_result result = { 0 };
	fairlead_error err;

	if (fl_settle(ops, p, m, options, see, seen, &result, &err) < 0)
		fail_msg("%s", err.text);
	ops->free(p);
	fl_model_free(m);
	return result;
}

TEST(comes_to_rest)
{
	struct seen seen = { 0 };
	struct fl_settle_result r = settle(calm(false), &usual, &seen);

	assert_true(r.settled);
	assert_int_equal(r.loop_first, 0);
	assert_int_equal(r.kept, 2); /* one a cycle: a queue gives one head */
	assert_int_equal(seen.admitted, 2);
	assert_int_equal(seen.calls, r.cycles);
	assert_true(seen.last == usual.now + (r.cycles - 1) * usual.interval);
}

/* What goes already is gone after the first cycle, and its quota with it. */
TEST(evictions_complete)
{
	struct seen seen = { 0 };
	struct fl_settle_result r = settle(calm(true), &usual, &seen);

	assert_true(r.settled);
	assert_int_equal(seen.evicted, 0);
	assert_int_equal(seen.admitted, 1); /* the evicted one is the oldest and comes back first */
}

TEST(a_loop_is_named)
{
	struct seen seen = { 0 };
	struct fl_settle_result r = settle(chase(FL_STRICT_FIFO), &usual, &seen);
	uint32_t first = r.loop_first, period = r.loop_period;

	assert_false(r.settled);
	assert_true(first > 0 && period > 1);
	assert_int_equal(r.cycles, first + period - 1);
	assert_true(seen.evicted >= 3);

	/* Without a wish for the end it goes on; the loop is that of before. */
	struct fl_settle_options all = usual;

	all.to_the_end = false;
	all.cycles = first - 1 + 4 * period;
	seen = (struct seen){ 0 };
	r = settle(chase(FL_STRICT_FIFO), &all, &seen);
	assert_int_equal(r.cycles, all.cycles);
	assert_int_equal(r.loop_first, first);
	assert_int_equal(r.loop_period, period);
}

/* A queue that goes past its head parks the one that started it, and comes to rest. */
TEST(no_loop_past_the_head)
{
	struct seen seen = { 0 };
	struct fl_settle_result r = settle(chase(FL_BEST_EFFORT_FIFO), &usual, &seen);

	assert_true(r.settled);
	assert_int_equal(r.loop_first, 0);
}

TEST(cycles_are_limited)
{
	struct fl_settle_options few = usual;
	struct seen seen = { 0 };

	few.cycles = 1;
	struct fl_settle_result r = settle(calm(false), &few, &seen);

	assert_int_equal(r.cycles, 1);
	assert_int_equal(r.kept, 1);
	assert_false(r.settled);
}

TEST(an_error_of_the_caller_ends_it)
{
	struct fl_model *m = chase(FL_STRICT_FIFO);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
	struct fl_settle_result result = { .cycles = 77 };
	struct seen seen = { .fail_at = 2 };
	fairlead_error err;

	assert_int_equal(fl_settle(ops, p, m, &usual, see, &seen, &result, &err), FAIRLEAD_EIO);
	assert_string_equal(err.text, "full");
	assert_int_equal(seen.calls, 2);
	assert_int_equal(result.cycles, 77);
	ops->free(p);
	fl_model_free(m);
}

TEST(survives_each_failing_call)
{
	struct fl_model *m = chase(FL_STRICT_FIFO);
	unsigned long failures = 0;
	int r = FAIRLEAD_ENOMEM;

	for (unsigned long n = 1; r != 0 && n < 1000; n++) {
		struct fl_settle_options options = usual;
		struct fl_settle_result result = { .cycles = 77 };
		struct seen seen = { 0 };
		struct fail_mem f;
		fairlead_error err;

		fail_mem_init(&f);
		struct fl_policy *p = world_policy(&f.mem, m, 100 * FL_SECOND);

		options.mem = &f.mem;
		f.fail_at = n;
		r = fl_settle(ops, p, m, &options, see, &seen, &result, &err);
		if (r < 0) {
			assert_int_equal(r, FAIRLEAD_ENOMEM);
			assert_int_equal(err.code, FAIRLEAD_ENOMEM);
			assert_int_equal(result.cycles, 77);
			failures++;
		}
		ops->free(p);
		assert_int_equal(f.live, 0);
	}
	assert_int_equal(r, 0);
	assert_true(failures > 4);
	fl_model_free(m);
}

UNIT_GROUP("settle")
