/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Admission Fair Sharing through decide/policy.h: how usage is counted, when it is
 * sampled, whom it puts first, and what time alone changes.
 */
#include <math.h>

#include "afs_world.h"
#include "ask/common/settle.h"
#include "base/sort.h"
#include "decide/borrow/backlog/by_usage.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/preempt/preempt.h"
#include "lib/fail_mem.h"
#include "lib/few.h"
#include "lib/unit.h"

#define NO FL_NO_LIMIT
#define HOUR (3600 * FL_SECOND)
#define MINUTE (60 * FL_SECOND)
static const struct fl_policy_ops *const ops = &fl_borrow_policy;
static const enum way ways[] = { SAMPLED, EXACT };

static uint64_t state;

static uint32_t pick(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % below;
}

/* Queue "q" of 10 units; local queues a and b of weight 1, each with four jobs a0.. of one unit. */
static struct fl_model *two_users(enum way way, fl_time half_life, fl_time sampling)
{
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { 10, NO, NO } } };
	struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);

	set_afs(m, way, half_life, sampling);
	add_local_queue(m, "a", "q", 1, 0);
	add_local_queue(m, "b", "q", 1, 0);
	for (int i = 0; i < 8; i++) {
		char name[] = { "ab"[i / 4], (char)('0' + i % 4), 0 };

		add_job(m, name, (char[]){ name[0], 0 }, NULL, 0, 1, 1);
	}
	assert_int_equal(fl_model_seal(m, NULL), 0);
	return m;
}

static void done(struct fl_policy *p, struct fl_model *m)
{
	ops->free(p);
	fl_model_free(m);
}

/* Only @names stay; everybody else is cancelled. */
static void keep_only(struct fl_policy *p, const struct fl_model *m, const char *names)
{
	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (!strstr(names, fl_model_text(m, m->workloads[w].name)))
			happens(p, 0, FL_EV_CANCEL, (struct fl_workload){ w });
}

static void near(double is, double want)
{
	if (fabs(is - want) > 1e-9 * fabs(want))
		fail_msg("%.17g is not %.17g", is, want);
}

/* --- counting --- */

/* One job from 0 to 20 min, then another from 50 min; half-life 1 h. */
TEST(the_integral_is_exact)
{
	struct fl_model *m = two_users(EXACT, HOUR, 5 * MINUTE);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);

	keep_only(p, m, "a0 a1");
	happens(p, 0, FL_EV_CANCEL, job(m, "a1"));
	assert_true(cycle(p, 0));
	near(consumed(m, p, "a"), 0);
	happens(p, 20 * MINUTE, FL_EV_FINISHED, job(m, "a0"));
	near(consumed(m, p, "a"), 1 - exp2(-1.0 / 3));
	(void)cycle(p, 50 * MINUTE); /* reading is not writing */
	near(consumed(m, p, "a"), (1 - exp2(-1.0 / 3)) * exp2(-0.5));
	happens(p, 50 * MINUTE, FL_EV_SUBMIT, job(m, "a1"));
	assert_true(cycle(p, 50 * MINUTE));
	(void)cycle(p, 60 * MINUTE);
	near(consumed(m, p, "a"), (1 - exp2(-1.0 / 3)) * exp2(-2.0 / 3) + 1 - exp2(-1.0 / 6));
	near(consumed(m, p, "b"), 0);
	done(p, m);
}

/* Admitted and sent back at once: nothing was used, and only the exact way says so. */
TEST(what_is_rejected_at_once_costs_nothing)
{
	for (int k = 0; k < 2; k++) {
		struct fl_model *m = two_users(ways[k], HOUR, 5 * MINUTE);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);
		double penalty = 1 - exp2(-5.0 / 60);

		keep_only(p, m, "a0");
		for (int i = 0; i < 20; i++) {
			assert_true(cycle(p, 0));
			happens(p, 0, i % 2 ? FL_EV_EVICTED : FL_EV_REJECTED, job(m, "a0"));
		}
		if (ways[k] == EXACT)
			assert_true(consumed(m, p, "a") == 0);
		else
			assert_true(fabs(consumed(m, p, "a") - 20 * penalty) < 1e-7);
		done(p, m);
	}
}

TEST(order_of_events_at_one_moment_does_not_matter)
{
	for (uint32_t seed = 1; seed <= few(50); seed++) {
		double got[2];

		for (int reverse = 0; reverse < 2; reverse++) {
			struct fl_model *m = two_users(EXACT, HOUR, 5 * MINUTE);
			struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);

			while (cycle(p, 0))
				;
			state = seed;
			fl_time t = pick(100000) * FL_SECOND;

			for (uint32_t i = 0; i < 4; i++) {
				char name[] = { 'a', (char)('0' + (reverse ? 3 - i : i)), 0 };

				happens(p, t, FL_EV_FINISHED, job(m, name));
			}
			(void)cycle(p, t + 7 * MINUTE);
			got[reverse] = consumed(m, p, "a");
			done(p, m);
		}
		assert_memory_equal(&got[0], &got[1], sizeof(double));
	}
}

TEST(a_clock_that_goes_back_counts_nothing_twice)
{
	struct fl_model *m = two_users(EXACT, HOUR, 5 * MINUTE);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);

	keep_only(p, m, "a0 a1");
	while (cycle(p, 0))
		;
	happens(p, 30 * MINUTE, FL_EV_FINISHED, job(m, "a0"));
	near(consumed(m, p, "a"), 2 * (1 - exp2(-0.5)));
	happens(p, 10 * MINUTE, FL_EV_FINISHED, job(m, "a1")); /* earlier: from now on */
	near(consumed(m, p, "a"), 2 * (1 - exp2(-0.5)));
	(void)cycle(p, 90 * MINUTE);
	near(consumed(m, p, "a"), 1 - exp2(-0.5));
	done(p, m);
}

TEST(without_half_life_only_the_present_counts)
{
	struct fl_model *m = two_users(EXACT, 0, 5 * MINUTE);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);

	while (cycle(p, 0))
		;
	assert_true(consumed(m, p, "a") == 4);
	happens(p, HOUR, FL_EV_FINISHED, job(m, "a0"));
	assert_true(consumed(m, p, "a") == 3);
	assert_int_equal(ops->wake(p, HOUR), FL_NEVER);
	done(p, m);
}

/* A dump says what was consumed by lastUpdate, and since when each workload holds what it holds. */
TEST(a_dump_goes_on_where_it_was_written)
{
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { 10, NO, NO } } };

	for (int k = 0; k < 2; k++) {
		struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);
		struct fl_policy *p;

		set_afs(m, ways[k], HOUR, 5 * MINUTE);
		add_local_queue(m, "a", "q", 1, 8);
		add_local_queue(m, "b", "q", 1, 0);
		m->queues[0].consumed_at = 7200 * FL_SECOND;
		add_job(m, "old", "a", "q", 0, 3600, 3);       /* since before that */
		add_job(m, "new", "a", "q", 0, 3 * 3600, 2);   /* since after that */
		add_job(m, "other", "b", "q", 0, 3 * 3600, 1); /* never sampled yet */
		assert_int_equal(fl_model_seal(m, NULL), 0);
		p = world_policy(&fl_mem_heap, m, 4 * HOUR);
		near(consumed(m, p, "a"), ways[k] == EXACT ? 8 * 0.25 + 3 * 0.75 + 2 * 0.5 : 8);
		near(consumed(m, p, "b"), ways[k] == EXACT ? 0.5 : 0);
		done(p, m);
	}
}

/* --- samples --- */

TEST(samples_are_taken_as_time_passes)
{
	const double minute_5 = exp2(-5.0 / 60), minute_7 = exp2(-7.0 / 60);

	for (int unsampled = 0; unsampled < 2; unsampled++) {
		struct fl_model *m = two_users(SAMPLED, HOUR, 5 * MINUTE);
		struct fl_policy_options options = { .mem = &fl_mem_heap, .unsampled = unsampled };
		struct fl_policy *p = NULL;
		double penalty = 1 - minute_5, first = penalty * minute_7 + 1 - minute_7;

		assert_int_equal(ops->new (m, &options, &p, NULL), 0);
		keep_only(p, m, "a0");
		assert_true(cycle(p, 0));
		(void)cycle(p, 5 * MINUTE - 1);
		assert_true(fabs(consumed(m, p, "a") - penalty) < 1e-8);
		(void)cycle(p, 7 * MINUTE); /* late: it counts all seven */
		assert_true(fabs(consumed(m, p, "a") - (unsampled ? penalty : first)) < 1e-8);
		(void)cycle(p, 12 * MINUTE - 1);
		assert_true(fabs(consumed(m, p, "a") - (unsampled ? penalty : first)) < 1e-8);
		/* A sample that is due comes before what it holds changes. */
		happens(p, 12 * MINUTE, FL_EV_FINISHED, job(m, "a0"));
		assert_true(fabs(consumed(m, p, "a") -
				 (unsampled ? penalty : first * minute_5 + 1 - minute_5)) < 1e-8);
		done(p, m);
	}
}

TEST(samples_empty_what_has_no_half_life)
{
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { 10, NO, NO } } };
	struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);
	struct fl_policy *p;

	set_afs(m, SAMPLED, 0, 5 * MINUTE);
	add_local_queue(m, "a", "q", 1, 8);
	add_job(m, "a0", "a", NULL, 0, 1, 1);
	assert_int_equal(fl_model_seal(m, NULL), 0);
	p = world_policy(&fl_mem_heap, m, 0);
	assert_true(cycle(p, MINUTE)); /* settled: nothing decays, and the penalty is nothing */
	near(consumed(m, p, "a"), 8);
	(void)cycle(p, 6 * MINUTE);
	assert_true(consumed(m, p, "a") == 0);
	done(p, m);
}

/* A stopped local queue is not sampled; what passed meanwhile counts in the first sample after. */
TEST(stopped_queues_are_not_sampled)
{
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { 10, NO, NO } } };
	struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);
	struct fl_policy *p;

	set_afs(m, SAMPLED, HOUR, 5 * MINUTE);
	add_local_queue(m, "a", "q", 1, 8);
	add_local_queue(m, "b", "q", 1, 8);
	m->queues[0].stop = FL_STOP_HOLD;
	assert_int_equal(fl_model_seal(m, NULL), 0);
	p = world_policy(&fl_mem_heap, m, 0);
	(void)cycle(p, HOUR);
	near(consumed(m, p, "a"), 8);
	near(consumed(m, p, "b"), 4);
	done(p, m);
}

/* --- whom usage puts first --- */

/* Ten units, two users who start with nothing: five each, though all is free at one moment. */
TEST(one_moment_is_shared)
{
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { 10, NO, NO } } };

	for (int k = 0; k < 2; k++) {
		struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);
		struct fl_policy *p;
		int running[2] = { 0 };

		set_afs(m, ways[k], 168 * HOUR, 5 * MINUTE);
		add_local_queue(m, "a", "q", 1, 0);
		add_local_queue(m, "b", "q", 1, 0);
		for (int i = 0; i < 20; i++) {
			char name[8];

			(void)snprintf(name, sizeof name, "%c%02d", "ab"[i / 10], i % 10);
			add_job(m, name, i < 10 ? "a" : "b", NULL, 0, i,
				1); /* all of a are older */
		}
		assert_int_equal(fl_model_seal(m, NULL), 0);
		p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		while (cycle(p, 100 * FL_SECOND))
			;
		for (uint32_t w = 0; w < 20; w++)
			running[w / 10] += runs(p, (struct fl_workload){ w });
		assert_int_equal(running[0], 5);
		assert_int_equal(running[1], 5);
		done(p, m);
	}
}

/*
 * A local queue that points to another ClusterQueue by now than the one its workload
 * holds quota of: what it uses there changes who is preempted first here.
 */
TEST(usage_moves_the_order_wherever_quota_is_held)
{
	struct world_node nodes[] = {
		{ "here", NULL, FL_CLUSTER_QUEUE, 1, { { 4, NO, NO } } },
		{ "there", NULL, FL_CLUSTER_QUEUE, 1, { { 100, NO, NO } } },
	};

	for (int k = 0; k < 2; k++) {
		struct fl_model *m = world_open(&fl_mem_heap, nodes, 2, 1);
		struct fl_policy *p;
		struct fl_decisions d;

		set_afs(m, ways[k], HOUR, 5 * MINUTE);
		m->nodes[0].within_queue = FL_PREEMPT_LOWER_PRIORITY;
		add_local_queue(m, "moved", "there", 1, 1);
		add_local_queue(m, "stays", "here", 1, 2);
		add_job(m, "of-moved", "moved", "here", 0, 1, 2);
		add_job(m, "of-stays", "stays", "here", 0, 1, 2);
		add_job(m, "large", "moved", NULL, 0, 2, 90);
		add_job(m, "urgent", "stays", NULL, 9, 3, 2);
		assert_int_equal(fl_model_seal(m, NULL), 0);
		p = world_policy(&fl_mem_heap, m, 10 * FL_SECOND);
		assert_int_equal(ops->try(p, 10 * FL_SECOND, job(m, "urgent"), NULL, &d, NULL), 0);
		assert_int_equal(d.n, 2);
		assert_int_equal(d.rows[1].workload.v, job(m, "of-stays").v);
		happens(p, 10 * FL_SECOND, FL_EV_CANCEL, job(m, "urgent"));
		assert_true(cycle(p, 10 * FL_SECOND)); /* "large" starts there */
		happens(p, 10 * FL_SECOND, FL_EV_SUBMIT, job(m, "urgent"));
		assert_int_equal(ops->try(p, 10 * FL_SECOND, job(m, "urgent"), NULL, &d, NULL), 0);
		assert_int_equal(d.n, 2);
		assert_int_equal(d.rows[1].workload.v, job(m, "of-moved").v);
		done(p, m);
	}
}

/* a used more and holds less: a's workload is preempted first, later on b's. Asked, and nothing written. */
TEST(time_moves_the_order_of_victims)
{
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { 4, NO, NO } } };

	for (int k = 0; k < 2; k++) {
		static const fl_time asked[] = { 0, 10 * HOUR, MINUTE };
		static const char *const victims[] = { "of-a", "of-b", "of-a" };
		struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);
		struct fl_decisions d;
		struct fl_policy *p;

		set_afs(m, ways[k], HOUR, 5 * MINUTE);
		m->nodes[0].within_queue = FL_PREEMPT_LOWER_PRIORITY;
		add_local_queue(m, "a", "q", 2, 12);
		add_local_queue(m, "b", "q", 1, 0);
		m->queues[0].consumed_at = 0;
		add_job(m, "of-a", "a", "q", 0, 0, 2);
		add_job(m, "of-b", "b", "q", 0, 0, 2);
		add_job(m, "urgent", "a", NULL, 9, 3, 2);
		assert_int_equal(fl_model_seal(m, NULL), 0);
		p = world_policy(&fl_mem_heap, m, 0);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(ops->try(p, asked[i], job(m, "urgent"), NULL, &d, NULL),
					 0);
			assert_int_equal(d.n, 2);
			assert_int_equal(d.rows[1].workload.v, job(m, victims[i]).v);
		}
		done(p, m);
	}
}

/* Places as decide/borrow/backlog/by_usage.c says, counted one by one. */
static void slow_sort(struct fl_policy *p, uint32_t *ids, uint32_t n)
{
	uint32_t place[64], sorted[64], at = 0;

	for (uint32_t i = 0; i < n; i++) {
		place[i] = 0;
		for (uint32_t k = 0; k < n; k++)
			place[i] += k != i && fl_holders_cmp_candidates(p, ids[k], ids[i]) < 0;
	}
	for (uint32_t want = 0; want < n; want++)
		for (uint32_t i = 0; i < n; i++)
			if (place[i] == want)
				sorted[at++] = ids[i];
	memcpy(ids, sorted, n * sizeof *ids);
}

TEST(circles_are_broken_by_the_number_of_those_before)
{
	uint32_t circles = 0;

	for (uint32_t seed = 1; seed <= few(300); seed++) {
		struct world_node nodes[3];
		uint32_t fast[24], slow[24], scratch[24];
		struct fl_model *m;
		struct fl_policy *p;

		state = seed;
		for (int q = 0; q < 3; q++)
			nodes[q] = (struct world_node){ (const char *[]){ "p", "q", "r" }[q],
							NULL,
							FL_CLUSTER_QUEUE,
							1,
							{ { 1000, NO, NO } } };
		m = world_open(&fl_mem_heap, nodes, 3, 1);
		set_afs(m, SAMPLED, HOUR, 5 * MINUTE);
		m->nodes[2].usage_based = pick(2);
		for (int i = 0; i < 6; i++) {
			char name[] = { (char)('a' + i), 0 };

			add_local_queue(m, name, nodes[i / 2].name, 1, 1 + (int)pick(9));
		}
		for (int i = 0; i < 24; i++) {
			char name[8], local[2] = { (char)('a' + pick(6)), 0 };

			(void)snprintf(name, sizeof name, "w%02d", i);
			add_job(m, name, local, nodes[(local[0] - 'a') / 2].name, (int32_t)pick(2),
				pick(30), 1);
		}
		assert_int_equal(fl_model_seal(m, NULL), 0);
		p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		for (uint32_t i = 0; i < 24; i++)
			fast[i] = i;
		fl_sort(fast, 24, scratch, fl_holders_cmp_ages, p);
		memcpy(slow, fast, sizeof slow);
		fl_afs_sort(p, fast, 24);
		slow_sort(p, slow, 24);
		assert_memory_equal(fast, slow, sizeof slow);
		for (uint32_t i = 0; i < 24; i++)
			for (uint32_t k = i + 1; k < 24; k++)
				circles += fl_holders_cmp_candidates(p, fast[i], fast[k]) > 0;
		done(p, m);
	}
	assert_true(circles > few(100)); /* else the test says nothing */
}

/* --- undo, digests, running out of memory --- */

static void look(const struct fl_model *m, const struct fl_policy *p, double got[2])
{
	got[0] = consumed(m, p, "a");
	got[1] = consumed(m, p, "b");
}

/* Some cycles and some jobs that end, from @t on. */
static void go_on(const struct fl_model *m, struct fl_policy *p, uint32_t seed, fl_time t)
{
	state = seed;
	for (int i = 0; i < 12; i++) {
		t += (fl_time)(1 + pick(400)) * FL_SECOND;
		for (uint32_t w = 0; w < m->n_workloads; w++)
			if (runs(p, (struct fl_workload){ w }) && pick(3) == 0)
				happens(p, t, pick(2) ? FL_EV_EVICTED : FL_EV_REJECTED,
					(struct fl_workload){ w });
		(void)cycle(p, t);
	}
}

TEST(rollback_takes_usage_back_to_the_bit)
{
	for (uint32_t seed = 1; seed <= few(60); seed++) {
		struct fl_model *m = two_users(ways[seed % 2], HOUR, 5 * MINUTE);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 0),
				 *fresh = world_policy(&fl_mem_heap, m, 0);
		double before[2], after[2];
		uint64_t digest[2], again[2];
		fl_mark outer, inner;

		go_on(m, p, seed, 0);
		go_on(m, fresh, seed, 0);
		(void)cycle(p, 2 * HOUR);
		(void)cycle(fresh, 2 * HOUR);
		ops->digest(p, 2 * HOUR, digest);
		assert_int_equal(ops->mark(p, &outer, NULL), 0);
		go_on(m, p, seed + 1, 2 * HOUR);
		assert_int_equal(ops->mark(p, &inner, NULL), 0);
		go_on(m, p, seed + 2, 4 * HOUR);
		ops->rollback(p, inner);
		go_on(m, p, seed + 3, 4 * HOUR);
		ops->rollback(p, outer);
		ops->digest(p, 2 * HOUR, again);
		assert_memory_equal(digest, again, sizeof digest);
		(void)cycle(p, 2 * HOUR); /* reads as of then */
		(void)cycle(fresh, 2 * HOUR);
		look(m, p, before);
		look(m, fresh, after);
		assert_memory_equal(before, after, sizeof before);
		go_on(m, p, seed + 4, 2 * HOUR);
		go_on(m, fresh, seed + 4, 2 * HOUR);
		look(m, p, before);
		look(m, fresh, after);
		assert_memory_equal(before, after, sizeof before);
		done(p, m);
		ops->free(fresh);
	}
}

TEST(every_failing_allocation_changes_nothing)
{
	for (int k = 0; k < 2; k++) {
		struct fl_model *m = two_users(ways[k], HOUR, 5 * MINUTE);
		struct fail_mem f;
		struct fl_policy_options options = { .mem = &f.mem };
		struct fl_policy *p = NULL;
		struct fl_decisions d;
		uint64_t before[2], after[2];
		unsigned long n = 0;
		fairlead_error err;

		fail_mem_init(&f);
		do {
			f.fail_at = ++n;
			int r = ops->new (m, &options, &p, &err);

			assert_true(r == 0 || (r == FAIRLEAD_ENOMEM && f.live == 0));
		} while (!p);
		assert_true(n > 3);
		for (int i = 0; i < 6; i++) { /* a sample is due in each step */
			fl_time t = (i + 1) * 6 * MINUTE;
			int r;

			ops->digest(p, t, before);
			n = 0;
			do {
				f.fail_at = ++n;
				r = ops->step(p, t, 0, NULL, &d, &err);
				f.fail_at = 0;
				ops->digest(p, t, after);
				if (r < 0)
					assert_memory_equal(before, after, sizeof before);
			} while (r < 0);
		}
		ops->free(p);
		assert_int_equal(f.live, 0);
		fl_model_free(m);
	}
}

/* --- what time alone changes --- */

/*
 * a has used 6 and holds nothing, b nothing and holds 2 of 2 units: a's usage falls as
 * b's rises, and they meet where 6 x = 2 (1 - x), x = 1/4: after two half-lives, less
 * the five minutes that usage is looked at ahead of its time.
 */
static struct fl_model *crossing(enum way way, fl_amount quota)
{
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { quota, NO, NO } } };
	struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);

	set_afs(m, way, HOUR, 5 * MINUTE);
	m->nodes[0].strategy = FL_STRICT_FIFO;
	add_local_queue(m, "a", "q", 1, 6);
	add_local_queue(m, "b", "q", 1, 0);
	m->queues[0].consumed_at = 0;
	add_job(m, "running", "b", "q", 0, 0, 2);
	add_job(m, "small", "a", NULL, 0, 1, 2);
	add_job(m, "too-large", "b", NULL, 0, 1, 3);
	assert_int_equal(fl_model_seal(m, NULL), 0);
	return m;
}

static int note_time(void *user, const struct fl_settle_cycle *c, fairlead_error *err)
{
	(void)err;
	for (uint32_t i = 0; i < c->decisions->n; i++)
		if (c->decisions->rows[i].kind == FL_ADMIT)
			*(fl_time *)user = c->now;
	return 0;
}

TEST(wake_says_when_local_queues_change_places)
{
	for (int k = 0; k < 2; k++) {
		struct fl_settle_options options = { .mem = &fl_mem_heap,
						     .interval = FL_SECOND,
						     .cycles = 1000,
						     .to_the_end = true };
		struct fl_model *m = crossing(ways[k], 4);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);
		struct fl_settle_result result;
		fl_time admitted = 0, wake, meets = 115 * MINUTE;
		fl_mark mark;

		assert_int_equal(ops->mark(p, &mark, NULL), 0);
		assert_false(cycle(p, 0)); /* b is ahead, and its job does not fit */
		wake = ops->wake(p, 0);
		if (ways[k] == EXACT) {
			assert_true(llabs(wake - meets) < FL_SECOND);
			assert_false(cycle(p, meets - FL_SECOND));
			assert_true(cycle(p, meets + FL_SECOND)); /* a's does */
		} else {
			assert_true(wake == 5 * MINUTE); /* the next sample may do it */
		}
		ops->rollback(p, mark);
		/* And so nothing is called settled before. */
		assert_int_equal(
			fl_settle(ops, p, m, &options, note_time, &admitted, &result, NULL), 0);
		print_message("# %s: admitted after %.1f min, %u cycles, %s\n",
			      ways[k] == EXACT ? "exact" : "sampled",
			      (double)admitted / (double)MINUTE, (unsigned)result.cycles,
			      result.settled ? "settled" : "not settled");
		assert_true(result.settled);
		if (ways[k] == EXACT)
			assert_true(llabs(admitted - meets) < 3 * FL_SECOND);
		else /* as counted two half-lives less what the samples are late */
			assert_true(admitted > 110 * MINUTE && admitted < 130 * MINUTE);
		done(p, m);
	}
}

/* Who holds alike, or has done so for long, stays where they are: nothing is left to wait for. */
TEST(usage_that_stays_is_settled)
{
	static const struct {
		int consumed[2];
		fl_time half_life;
	} cases[] = { { { 0, 0 }, 168 * HOUR },
		      { { 8, 8 }, 168 * HOUR },
		      { { 0, 8 }, 5 * MINUTE } };
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { 8, NO, NO } } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fl_settle_options options = { .mem = &fl_mem_heap,
						     .interval = FL_SECOND,
						     .cycles = 300,
						     .to_the_end = true };
		struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);
		struct fl_settle_result result;
		struct fl_policy *p;
		fl_time admitted = 0;

		set_afs(m, SAMPLED, cases[i].half_life, 5 * MINUTE);
		m->nodes[0].strategy = FL_STRICT_FIFO;
		for (int k = 0; k < 2; k++) {
			char name[] = { "ab"[k], 0 };

			add_local_queue(m, name, "q", 1, cases[i].consumed[k]);
			add_job(m, (char[]){ name[0], 'r', 0 }, name, "q", 0, 0, 4);
			add_job(m, (char[]){ name[0], 'w', 0 }, name, NULL, 0, 1, 4);
		}
		assert_int_equal(fl_model_seal(m, NULL), 0);
		p = world_policy(&fl_mem_heap, m, 0);
		assert_int_equal(
			fl_settle(ops, p, m, &options, note_time, &admitted, &result, NULL), 0);
		assert_true(result.settled);
		assert_true(i == 2 || result.cycles < 5);
		done(p, m);
	}
}

/* What was asked of a later time is forgotten with it. */
TEST(rollback_takes_the_time_back)
{
	struct fl_model *m = crossing(EXACT, 2);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);
	uint32_t ahead;
	fl_mark mark;

	assert_int_equal(fl_borrow_ahead(p, job(m, "small"), &ahead, 1), 1);
	assert_int_equal(ops->mark(p, &mark, NULL), 0);
	assert_false(cycle(p, 3 * HOUR));
	assert_int_equal(fl_borrow_ahead(p, job(m, "small"), &ahead, 1), 0);
	ops->rollback(p, mark);
	assert_int_equal(fl_borrow_ahead(p, job(m, "small"), &ahead, 1), 1);
	done(p, m);
}

/* Time 0 is a time like any other. */
TEST(usage_counts_at_the_beginning_of_time)
{
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { 1, NO, NO } } };

	for (int k = 0; k < 2; k++) {
		struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);
		struct fl_policy *p;

		set_afs(m, ways[k], HOUR, 5 * MINUTE);
		add_local_queue(m, "a", "q", 1, 6);
		add_local_queue(m, "b", "q", 1, 0);
		add_job(m, "aw", "a", NULL, 1, 1, 1);
		add_job(m, "bw", "b", NULL, 0, 1, 1);
		assert_int_equal(fl_model_seal(m, NULL), 0);
		p = world_policy(&fl_mem_heap, m, 0);
		assert_true(cycle(p, 0));
		assert_true(runs(p, job(m, "bw")));
		done(p, m);
	}
}

/* States that will part company must not have one digest; those that time leaves alone must. */
TEST(digests_tell_apart_what_time_will)
{
	for (int k = 0; k < 2; k++) {
		struct fl_model *m = crossing(ways[k], 2);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);
		uint64_t before[2], later[2], still[2], again[2];
		int moves;

		assert_false(cycle(p, 0));
		ops->digest(p, FL_SECOND, before);
		ops->digest(p, FL_NEVER, still);
		assert_false(cycle(p, FL_SECOND));
		ops->digest(p, 2 * FL_SECOND, later);
		ops->digest(p, FL_NEVER, again);
		moves = memcmp(before, later, sizeof before);
		assert_int_not_equal(moves, 0);
		assert_memory_equal(still, again, sizeof still);  /* but for the time, the same */
		for (int i = 0; i < 2 && ways[k] == EXACT; i++) { /* b is ahead, and a is */
			struct fl_policy *at = world_policy(&fl_mem_heap, m, i * 3 * HOUR);

			ops->digest(at, FL_NEVER, i ? again : still);
			ops->free(at);
		}
		moves = memcmp(still, again, sizeof still);
		assert_int_equal(moves != 0, ways[k] == EXACT);
		/* Without b's running job nothing is left to wait for. */
		happens(p, 3 * HOUR, FL_EV_FINISHED, job(m, "running"));
		happens(p, 3 * HOUR, FL_EV_CANCEL, job(m, "too-large"));
		happens(p, 3 * HOUR, FL_EV_CANCEL, job(m, "small"));
		assert_int_equal(ops->wake(p, 3 * HOUR), FL_NEVER);
		ops->digest(p, 3 * HOUR, before);
		ops->digest(p, 3 * HOUR + FL_SECOND, later);
		assert_memory_equal(before, later, sizeof before);
		done(p, m);
	}
}

/* Usage that differs, or that was counted at another time, will differ. */
TEST(digests_tell_apart_what_was_used)
{
	static const struct {
		int consumed;
		fl_time counted;
	} states[] = { { 8, 0 }, { 7, 0 }, { 8, HOUR } };
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { 10, NO, NO } } };

	for (int k = 0; k < 2; k++) {
		uint64_t digests[3][2];
		int equal;

		for (int i = 0; i < 3; i++) {
			struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);
			struct fl_policy *p;

			set_afs(m, ways[k], HOUR, 5 * MINUTE);
			add_local_queue(m, "a", "q", 1, states[i].consumed);
			add_job(m, "a0", "a", NULL, 0, 1, 1);
			assert_int_equal(fl_model_seal(m, NULL), 0);
			p = world_policy(&fl_mem_heap, m, states[i].counted);
			ops->digest(p, 2 * HOUR, digests[i]);
			done(p, m);
		}
		equal = !memcmp(digests[0], digests[1], sizeof *digests) +
			!memcmp(digests[0], digests[2], sizeof *digests);
		assert_int_equal(equal, 0);
	}
}

/*
 * The same jobs wait and hold as before, but something happened in between.  As long as
 * time may change the order of those who hold, that is no ring: it might be broken.
 */
TEST(what_time_might_break_is_no_ring)
{
	struct world_node node = { "q", NULL, FL_CLUSTER_QUEUE, 1, { { 4, NO, NO } } };

	for (int ends = 0; ends < 2; ends++) {
		struct fl_model *m = world_open(&fl_mem_heap, &node, 1, 1);
		struct fl_policy *p;
		uint64_t before[2], after[2];
		int equal;

		set_afs(m, EXACT, HOUR, 5 * MINUTE);
		add_local_queue(m, "a", "q", 1, 6);
		add_local_queue(m, "b", "q", 1, 0);
		add_local_queue(m, "c", "q", 1, 0);
		add_job(m, "of-a", "a", "q", 0, 0, 1);
		add_job(m, "of-b", "b", "q", 0, 0, 2);
		add_job(m, "of-c", "c", NULL, 0, 0, 1);
		assert_int_equal(fl_model_seal(m, NULL), 0);
		p = world_policy(&fl_mem_heap, m, 0);
		if (ends) {
			happens(p, 0, FL_EV_FINISHED, job(m, "of-a"));
			happens(p, 0, FL_EV_FINISHED, job(m, "of-b"));
		}
		ops->digest(p, FL_SECOND, before);
		assert_int_equal(ops->wake(p, 0), FL_NEVER); /* c alone is looked at */
		assert_true(cycle(p, 0));
		happens(p, 0, FL_EV_EVICTED, job(m, "of-c"));
		ops->digest(p, FL_SECOND, after);
		equal = !memcmp(before, after, sizeof before);
		assert_int_equal(equal, ends);
		done(p, m);
	}
}

UNIT_GROUP("afs")
