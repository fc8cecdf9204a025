/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The promises of decide/policy.h on random worlds: rollback is exact, equal input
 * gives equal decisions, a failing allocation changes nothing, a warm cycle
 * allocates nothing, and what is held never passes the balances.
 */
#include "decide/borrow/borrow.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "lib/world.h"

#define NO FL_NO_LIMIT
static const struct fl_policy_ops *const ops = &fl_borrow_policy;

static uint64_t state;

static uint32_t pick(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % below;
}

static const enum fl_preempt_policy policies[] = { FL_PREEMPT_NEVER, FL_PREEMPT_LOWER_PRIORITY,
						   FL_PREEMPT_LOWER_OR_NEWER_EQUAL,
						   FL_PREEMPT_ANY };

/* Three levels, six queues, two resources, forty workloads of which some hold quota. */
static struct fl_model *random_world(const struct fl_mem *mem, uint32_t seed, bool reverse)
{
	static const char *const cohorts[] = { "root", "left", "right" };
	static const char *const queues[] = { "q0", "q1", "q2", "q3", "q4", "q5" };
	static char names[40][8];
	struct world_node nodes[9];
	struct world_job jobs[40];
	fl_amount held[6][2] = { { 0 } };
	struct fl_model *m;
	fairlead_error err;

	state = seed;
	for (uint32_t i = 0; i < 9; i++)
		nodes[i] = (struct world_node){
			.name = i < 3 ? cohorts[i] : queues[i - 3],
			.kind = i < 3 ? FL_COHORT : FL_CLUSTER_QUEUE,
			.parent = i == 0 ? NULL :
				  i < 3  ? "root" :
					   cohorts[pick(3)],
			.weight = pick(4) * 0.5 + 0.5,
			.quota = { { pick(12), pick(2) ? NO : pick(9), pick(2) ? NO : pick(9) },
				   { pick(12), pick(2) ? NO : pick(9), pick(2) ? NO : pick(9) } },
		};
	for (uint32_t i = 0; i < 40; i++) {
		uint32_t q = pick(6);

		(void)snprintf(names[i], sizeof names[i], "w%02u", (unsigned)i);
		jobs[i] = (struct world_job){
			names[i], queues[q], (int32_t)pick(3), pick(30), { pick(7), pick(7) }, false
		};
		jobs[i].admitted = i < 20 &&
				   held[q][0] + jobs[i].ask[0] <= nodes[q + 3].quota[0].nominal &&
				   held[q][1] + jobs[i].ask[1] <= nodes[q + 3].quota[1].nominal;
		for (int r = 0; jobs[i].admitted && r < 2; r++)
			held[q][r] += jobs[i].ask[r];
	}
	m = world_open(mem, nodes, 9, 2);
	for (uint32_t i = 3; i < 9; i++) {
		m->nodes[i].within_queue = policies[pick(3)];
		m->nodes[i].reclaim = policies[pick(4)];
		m->nodes[i].strategy = pick(3) ? FL_BEST_EFFORT_FIFO : FL_STRICT_FIFO;
	}
	m->settings = (struct fl_settings){ .present = true,
					    .fair_sharing = pick(3) > 0,
					    .strategies = { FL_FINAL_SHARE, FL_INITIAL_SHARE },
					    .n_strategies = 2 };
	for (uint32_t i = 0; i < 40; i++)
		world_add_job(m, &jobs[reverse ? 39 - i : i], 2);
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

/* Everything a caller can see, as text that does not depend on ids. */
static void print_state(const struct fl_model *m, const struct fl_policy *p, char *out, size_t size)
{
	size_t at = 0;

	for (uint32_t i = 0; i < 40; i++) {
		char name[8];
		struct fl_workload w;
		uint32_t n;

		(void)snprintf(name, sizeof name, "w%02u", (unsigned)i);
		w = fl_model_find_workload(m, "ns", name);
		(void)ops->placement(p, w, &n);
		at += (size_t)snprintf(out + at, size - at, "%s:%d/%d/%u ", name,
				       (int)ops->state(p, w), (int)ops->reason(p, w), (unsigned)n);
	}
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		struct fl_share share;
		struct fl_node q = fl_model_find_node(m, FL_CLUSTER_QUEUE, "q0");

		q.v = i < 6 ? fl_model_find_node(m, FL_CLUSTER_QUEUE,
						 (char[]){ 'q', (char)('0' + i), 0 })
				      .v :
			      q.v;
		ops->share(p, q, &share);
		at += (size_t)snprintf(out + at, size - at, "%.17g ", share.precise);
	}
	assert_true(at < size);
}

/* A step, and then everyone who must go goes. */
static void turn(const struct fl_model *m, struct fl_policy *p, fl_time now)
{
	struct fl_decisions d;
	fairlead_error err;

	assert_int_equal(ops->step(p, now, 0, NULL, &d, &err), 0);
	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (ops->state(p, (struct fl_workload){ w }) == FL_STATE_EVICTING) {
			struct fl_event e = { .kind = FL_EV_EVICTED, .workload = { w } };

			assert_int_equal(ops->apply(p, now, &e, &err), 0);
		}
}

TEST(rollback_is_exact)
{
	static char before[4096], after[4096];

	for (uint32_t seed = 1; seed <= few(400); seed++) {
		struct fl_model *m = random_world(&fl_mem_heap, seed, false);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		uint64_t digest[2], again[2];
		fl_mark outer, inner;

		turn(m, p, 101 * FL_SECOND);
		print_state(m, p, before, sizeof before);
		ops->digest(p, /* now= */ 0, digest);
		assert_int_equal(ops->mark(p, &outer, NULL), 0);
		turn(m, p, 102 * FL_SECOND);
		assert_int_equal(ops->mark(p, &inner, NULL), 0);
		for (int i = 0; i < 5; i++)
			turn(m, p, (103 + i) * FL_SECOND);
		ops->rollback(p, inner);
		turn(m, p, 110 * FL_SECOND);
		ops->rollback(p, outer);
		print_state(m, p, after, sizeof after);
		ops->digest(p, /* now= */ 0, again);
		assert_string_equal(before, after);
		assert_memory_equal(digest, again, sizeof digest);
		/* And what follows is what would have followed. */
		struct fl_policy *fresh = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);

		turn(m, fresh, 101 * FL_SECOND);
		for (int i = 0; i < 4; i++) {
			turn(m, fresh, (102 + i) * FL_SECOND);
			turn(m, p, (102 + i) * FL_SECOND);
			print_state(m, p, before, sizeof before);
			print_state(m, fresh, after, sizeof after);
			assert_string_equal(before, after);
		}
		ops->free(fresh);
		ops->free(p);
		fl_model_free(m);
	}
}

static fl_time flush(struct fl_policy *p, fl_time until)
{
	fairlead_error err;
	fl_time next;

	assert_int_equal(ops->flush(p, until, &next, &err), 0);
	return next;
}

/* Called as soon as quota was freed it is as if it were at once; and it is undone like all else. */
TEST(what_did_not_fit_returns_when_it_is_due)
{
	static char before[4096], after[4096];
	uint32_t noted = 0, waited = 0;

	for (uint32_t seed = 1; seed <= few(200); seed++) {
		struct fl_model *m = random_world(&fl_mem_heap, seed, false);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND), *later;
		const struct fl_policy_options options = { .mem = &fl_mem_heap,
							   .now = 100 * FL_SECOND,
							   .flush_after = 3 * FL_SECOND };
		fl_time due;
		fl_mark mark;

		assert_int_equal(ops->new (m, &options, &later, NULL), 0);
		assert_true(flush(p, FL_NEVER) == FL_NEVER);
		for (int i = 1; i <= 4; i++) {
			turn(m, p, (100 + i) * FL_SECOND);
			turn(m, later, (100 + i) * FL_SECOND);
			due = flush(later, (102 + i) * FL_SECOND);
			noted += due == (103 + i) * FL_SECOND;
			print_state(m, later, before, sizeof before);
			assert_int_equal(ops->mark(later, &mark, NULL), 0);
			assert_true(flush(later, (103 + i) * FL_SECOND) == FL_NEVER);
			turn(m, later, (101 + i) * FL_SECOND);
			ops->rollback(later, mark);
			print_state(m, later, after, sizeof after);
			assert_string_equal(before, after);
			assert_true(flush(later, FL_TIME_NONE) == due);
			print_state(m, p, after, sizeof after);
			waited += strcmp(before, after) != 0;
			assert_true(flush(later, FL_NEVER) == FL_NEVER);
			print_state(m, later, before, sizeof before);
			assert_string_equal(before, after);
		}
		ops->free(later);
		ops->free(p);
		fl_model_free(m);
	}
	assert_true(noted > 0 && waited > 0);
}

TEST(order_of_input_does_not_matter)
{
	static char one[4096], other[4096];

	for (uint32_t seed = 1; seed <= few(200); seed++) {
		struct fl_model *m = random_world(&fl_mem_heap, seed, false);
		struct fl_model *r = random_world(&fl_mem_heap, seed, true);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND),
				 *q = world_policy(&fl_mem_heap, r, 100 * FL_SECOND);

		for (int i = 0; i < 6; i++) {
			turn(m, p, (101 + i) * FL_SECOND);
			turn(r, q, (101 + i) * FL_SECOND);
			print_state(m, p, one, sizeof one);
			print_state(r, q, other, sizeof other);
			assert_string_equal(one, other);
		}
		ops->free(p);
		ops->free(q);
		fl_model_free(m);
		fl_model_free(r);
	}
}

/* Conservation (KEP-79): no node owes more than it may borrow. */
TEST(balances_hold)
{
	for (uint32_t seed = 1; seed <= few(400); seed++) {
		struct fl_model *m = random_world(&fl_mem_heap, seed, false);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		const struct fl_tree *t = fl_borrow_tree(p);
		const struct fl_usage *u = fl_borrow_usage(p);

		for (int i = 0; i < 8; i++) {
			turn(m, p, (101 + i) * FL_SECOND);
			for (uint32_t n = 0; n < m->n_nodes; n++)
				for (uint32_t c = 0; c < 2; c++) {
					size_t at = t->row[n] + c;
					fl_amount limit = t->parent[n] == FL_NONE ?
								  0 :
								  t->borrowing_limit[at];
					fl_amount owed = -fl_quota_balance(t, u,
									   (struct fl_node){ n },
									   (struct fl_column){ c });

					if (limit != NO && owed > limit)
						fail_msg("seed %u: node %u owes %lld of %lld", seed,
							 n, (long long)owed, (long long)limit);
				}
		}
		ops->free(p);
		fl_model_free(m);
	}
}

struct counting {
	long calls, fail_at; /* fail_at < 0: never */
};

static void *counting_resize(void *user, void *old, size_t size)
{
	struct counting *c = user;

	if (size == 0) {
		free(old);
		return NULL;
	}
	return c->calls++ == c->fail_at ? NULL : realloc(old, size);
}

TEST(every_failing_allocation_changes_nothing)
{
	static char before[4096], after[4096];

	for (uint32_t seed = 1; seed <= few(20); seed++) {
		struct counting c = { .fail_at = -1 };
		struct fl_mem mem = { .resize = counting_resize, .user = &c };
		struct fl_model *m = random_world(&fl_mem_heap, seed, false);
		struct fl_policy_options options = { .mem = &mem, .now = 100 * FL_SECOND };
		struct fl_policy *p = NULL;
		fairlead_error err;
		struct fl_decisions d;

		for (c.fail_at = 0;; c.fail_at++) { /* while it is made */
			c.calls = 0;
			int r = ops->new (m, &options, &p, &err);
			if (r == 0)
				break;
			assert_int_equal(r, FAIRLEAD_ENOMEM);
			assert_null(p);
		}
		for (int i = 0; i < 4; i++) { /* in a step, under a mark */
			fl_mark mark;

			c.fail_at = -1;
			print_state(m, p, before, sizeof before);
			assert_int_equal(ops->mark(p, &mark, &err), 0);
			for (long n = 0;; n++) {
				c.calls = 0;
				c.fail_at = n;
				int r = ops->step(p, (101 + i) * FL_SECOND, 0, NULL, &d, &err);
				if (r == 0)
					break;
				assert_int_equal(r, FAIRLEAD_ENOMEM);
				print_state(m, p, after, sizeof after);
				assert_string_equal(before, after);
			}
			c.fail_at = -1;
			ops->rollback(p, mark);
			print_state(m, p, after, sizeof after);
			assert_string_equal(before, after);
			turn(m, p, (101 + i) * FL_SECOND);
		}
		ops->free(p);
		fl_model_free(m);
	}
}

/* With -Dalloc_debug every object is an allocation of its own, and this does not hold. */
#ifndef FL_ALLOC_DEBUG
TEST(warm_cycles_allocate_nothing)
{
	struct counting c = { .fail_at = -1 };
	struct fl_mem mem = { .resize = counting_resize, .user = &c };
	struct fl_model *m = random_world(&fl_mem_heap, 7, false);
	struct fl_policy *p = world_policy(&mem, m, 100 * FL_SECOND);
	struct fl_decisions d;
	fl_mark mark;

	for (int i = 0; i < 3; i++) {
		long calls = c.calls;

		assert_int_equal(ops->mark(p, &mark, NULL), 0);
		assert_int_equal(ops->step(p, 101 * FL_SECOND, 0, NULL, &d, NULL), 0);
		ops->rollback(p, mark);
		if (i > 0)
			assert_int_equal(c.calls, calls);
	}
	ops->free(p);
	fl_model_free(m);
}

#endif

TEST(a_changed_quota_is_as_if_given)
{
	for (uint32_t seed = 1; seed <= few(100); seed++) {
		struct fl_model *m = random_world(&fl_mem_heap, seed, false);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		struct fl_node q = fl_model_find_node(m, FL_CLUSTER_QUEUE, "q0");
		struct fl_event e = {
			.kind = FL_EV_CELL,
			.cell = { .kind = FL_CELL_LENDING_LIMIT, .node = q, .amount = 2 }
		};
		uint64_t digest[2], again[2];
		fl_mark mark;
		fairlead_error err;

		ops->digest(p, /* now= */ 0, digest);
		assert_int_equal(ops->mark(p, &mark, NULL), 0);
		assert_int_equal(ops->apply(p, 100 * FL_SECOND, &e, &err), 0);
		/* The same quota in the model from the start gives the same columns and usage. */
		uint32_t quota =
			m->group_flavors[m->groups[m->nodes[q.v].groups.first].flavors.first]
				.quotas.first;
		fl_amount was = m->quotas[quota].lending_limit;

		m->quotas[quota].lending_limit = 2;
		struct fl_policy *fresh = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		const struct fl_tree *t = fl_borrow_tree(p), *s = fl_borrow_tree(fresh);

		assert_memory_equal(t->subtree, s->subtree, t->cells * sizeof *t->subtree);
		assert_memory_equal(t->potential, s->potential, t->cells * sizeof *t->potential);
		assert_memory_equal(fl_borrow_usage(p)->cell, fl_borrow_usage(fresh)->cell,
				    t->cells * sizeof *t->subtree);
		assert_memory_equal(fl_borrow_usage(p)->borrowed, fl_borrow_usage(fresh)->borrowed,
				    t->res_cells * sizeof *t->subtree);
		ops->free(fresh);
		m->quotas[quota].lending_limit = was;
		turn(m, p, 101 * FL_SECOND);
		ops->rollback(p, mark);
		fresh = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		s = fl_borrow_tree(fresh);
		assert_memory_equal(t->subtree, s->subtree, t->cells * sizeof *t->subtree);
		assert_memory_equal(fl_borrow_usage(p)->cell, fl_borrow_usage(fresh)->cell,
				    t->cells * sizeof *t->subtree);
		ops->digest(p, /* now= */ 0, again);
		assert_memory_equal(digest, again, sizeof digest);
		ops->free(fresh);
		ops->free(p);
		fl_model_free(m);
	}
}

UNIT_GROUP("policy")
