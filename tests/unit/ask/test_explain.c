/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an explanation on a small tree; and the policy is as before, whatever happens. */
#include "ask/borrow/explain.h"
#include "decide/borrow/borrow.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"
#include "lib/world.h"

#define NO FL_NO_LIMIT
static const struct fl_policy_ops *const ops = &fl_borrow_policy;

/*
 *   root 0 ── team 2 ── q 4 (may borrow 5), r 6 (lends 4)
 *          └─ s 3
 */
static const struct world_node nodes[] = {
	{ "root", NULL, FL_COHORT, 1, { { 0, NO, NO }, { 0, NO, NO } } },
	{ "team", "root", FL_COHORT, 1, { { 2, NO, NO }, { 0, NO, NO } } },
	{ "q", "team", FL_CLUSTER_QUEUE, 1, { { 4, 5, NO }, { 9, NO, NO } } },
	{ "r", "team", FL_CLUSTER_QUEUE, 1, { { 6, NO, 4 }, { 9, NO, NO } } },
	{ "s", "root", FL_CLUSTER_QUEUE, 1, { { 3, NO, NO }, { 0, NO, NO } } },
};

static const struct world_job jobs[] = {
	{ "q-runs", "q", 0, 1, { 5, 1 }, true }, /* borrows 1 */
	{ "r-runs", "r", 5, 2, { 3, 0 }, true }, /* 2 of what r keeps, 1 of what it lends */
	{ "s-runs", "s", 0, 3, { 2, 0 }, true },
	{ "q-first", "q", 2, 4, { 6, 1 }, false },
	{ "q-second", "q", 1, 5, { 2, 1 }, false }, /* would fit, behind the first */
	{ "q-never", "q", 0, 6, { 99, 1 }, false },
	{ "r-goes", "r", 9, 7, { 6, 0 }, false },  /* within quota once r-runs is gone */
	{ "s-lost", "no", 0, 8, { 1, 0 }, false }, /* no such queue */
};

static struct fl_model *small_world(bool fair)
{
	struct fl_model *m = world_open(&fl_mem_heap, nodes, COUNT(nodes), 2);
	fairlead_error err;

	m->settings.present = true;
	m->settings.fair_sharing = fair;
	m->nodes[3].reclaim = FL_PREEMPT_ANY;
	m->nodes[3].within_queue = FL_PREEMPT_LOWER_PRIORITY;
	m->nodes[2].strategy = FL_STRICT_FIFO;
	for (size_t i = 0; i < COUNT(jobs); i++)
		world_add_job(m, &jobs[i], 2);
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

struct fixture {
	struct fl_model *m;
	struct fl_policy *p;
	struct fl_arena arena;
};

static void open_world(struct fixture *f)
{
	f->m = small_world(/* fair= */ false);
	f->p = world_policy(&fl_mem_heap, f->m, 100 * FL_SECOND);
	fl_arena_init(&f->arena, &fl_mem_heap);
}

static void close_world(struct fixture *f)
{
	fl_arena_done(&f->arena);
	ops->free(f->p);
	fl_model_free(f->m);
}

static struct fl_workload job(const struct fl_model *m, const char *name)
{
	return fl_model_find_workload(m, "ns", name);
}

static struct fl_explain explain(struct fixture *f, const char *name)
{
	uint64_t before[2], after[2];
	struct fl_explain x = { 0 };
	fairlead_error err;

	ops->digest(f->p, /* now= */ 0, before);
	if (fl_explain(ops, f->p, f->m, 101 * FL_SECOND, job(f->m, name), /* machine= */ NULL,
		       &f->arena, &x, &err) < 0)
		fail_msg("%s", err.text);
	ops->digest(f->p, /* now= */ 0, after);
	assert_memory_equal(before, after, sizeof before);
	return x;
}

static const char *node_name(const struct fl_model *m, struct fl_node n)
{
	return fl_model_text(m, m->nodes[n.v].name);
}

/* The first proposal is one cell of q: more nominal quota, from 4. */
static void expect_nominal(const struct fixture *f, const struct fl_explain *x, fl_amount to)
{
	const struct fl_explain_change *c = &x->changes[x->proposals[0].first];

	assert_true(x->n_proposals > 0);
	assert_int_equal(x->proposals[0].n, 1);
	assert_int_equal(c->kind, FL_CELL_NOMINAL);
	assert_string_equal(node_name(f->m, c->node), "q");
	assert_int_equal(c->from, 4);
	assert_int_equal(c->to, to);
}

/* q has 4, uses 5 and may borrow 5: 4 more. Who asks for 6 is 2 short, and the limit binds. */
TEST(what_waits_for_quota)
{
	struct fixture f;

	open_world(&f);
	struct fl_explain x = explain(&f, "q-first");

	assert_int_equal(x.state, FL_EXPLAIN_WAITS);
	assert_true(x.head && !x.parked);
	assert_int_equal(x.n_ahead, 0);
	assert_int_equal(x.alone, FL_WAIT);
	assert_int_equal(x.n_needs, 2);
	assert_int_equal(x.failing, 0);
	assert_int_equal(x.needs[0].verdict, FL_NEED_WAITS);
	assert_int_equal(x.needs[0].requested, 6);
	assert_int_equal(x.needs[0].available, 4);
	assert_int_equal(x.needs[0].potential, 9);
	assert_int_equal(x.needs[0].nominal, 4);
	assert_int_equal(x.needs[0].bind.kind, FL_BIND_BORROWING_LIMIT);
	assert_string_equal(node_name(f.m, x.needs[0].bind.node), "q");
	assert_int_equal(x.needs[1].verdict, FL_NEED_FITS);
	assert_int_equal(x.needs[1].requested, 1);
	assert_int_equal(x.needs[1].available, 17); /* 9 and 9, 1 used */

	/* Below the node that binds: itself only. */
	assert_int_equal(x.n_holders, 1);
	assert_string_equal(node_name(f.m, x.holders[0].queue), "q");
	assert_int_equal(x.holders[0].usage, 5);
	assert_int_equal(x.holders[0].own, 4);
	assert_int_equal(x.holders[0].borrowed, 1);
	assert_int_equal(x.holders[0].workloads, 1);

	/* A wider limit alone would not do: of 13 in the tree 8 are used. */
	expect_nominal(&f, &x, 6);
	assert_int_equal(x.proposals[0].alone, FL_ADMIT);
	assert_int_equal(x.proposals[0].next,
			 FL_WAIT); /* r-goes stays within quota: it is served first */
	close_world(&f);
}

TEST(what_is_behind_others)
{
	struct fixture f;

	open_world(&f);
	struct fl_explain x = explain(&f, "q-second");

	assert_int_equal(x.state, FL_EXPLAIN_WAITS);
	assert_false(x.head);
	assert_int_equal(x.reason, FL_REASON_BEHIND_HEAD);
	assert_int_equal(x.alone, FL_ADMIT);
	assert_int_equal(x.failing, FL_NONE);
	assert_int_equal(x.n_ahead, 1);
	assert_int_equal(x.ahead[0], job(f.m, "q-first").v);
	/* Nothing but its turn is missing: one above the first is enough. */
	assert_int_equal(x.n_proposals, 1);
	assert_int_equal(x.changes[0].kind, FL_CELL_PRIORITY);
	assert_int_equal(x.changes[0].from, 1);
	assert_int_equal(x.changes[0].to, 3);
	assert_int_equal(x.proposals[0].next, FL_ADMIT);
	close_world(&f);
}

/* 99 is beyond the limit, and beyond all there is; the limit moves along with the quota. */
TEST(what_never_fits)
{
	struct fixture f;

	open_world(&f);
	struct fl_explain x = explain(&f, "q-never");

	assert_int_equal(x.needs[x.failing].verdict, FL_NEED_NEVER);
	assert_int_equal(x.needs[x.failing].potential, 9);
	assert_int_equal(x.n_ahead, 2);
	assert_int_equal(x.n_holders, 0);
	expect_nominal(&f, &x, 99);
	assert_int_equal(x.proposals[0].next, FL_WAIT); /* behind two */
	close_world(&f);
}

TEST(what_preempts)
{
	struct fixture f;

	open_world(&f);
	struct fl_explain x = explain(&f, "r-goes");

	assert_int_equal(x.state, FL_EXPLAIN_PREEMPTS);
	assert_int_equal(x.alone, FL_RESERVE);
	assert_int_equal(x.n_victims, 1);
	assert_int_equal(x.victims[0].workload.v, job(f.m, "r-runs").v);
	assert_int_equal(x.victims[0].reason, FL_REASON_IN_CLUSTER_QUEUE);
	close_world(&f);
}

TEST(what_runs_or_takes_no_part)
{
	struct fixture f;

	open_world(&f);
	struct fl_explain x = explain(&f, "q-runs");

	assert_int_equal(x.state, FL_EXPLAIN_RUNS);
	assert_int_equal(x.n_placement, 2);
	assert_int_equal(x.placement[0].amount, 5);
	assert_string_equal(node_name(f.m, x.cluster_queue), "q");
	x = explain(&f, "s-lost");
	assert_int_equal(x.state, FL_EXPLAIN_EXCLUDED);
	assert_int_equal(x.reason, FL_REASON_QUEUE_MISSING);
	assert_int_equal(x.cluster_queue.v, FL_NONE);
	close_world(&f);
}

/* For each workload every allocation fails once: nothing leaks and the policy is as before. */
TEST(survives_each_failing_call)
{
	for (int fair = 0; fair < 2; fair++) {
		struct fl_model *m = small_world(fair);

		for (size_t w = 0; w < COUNT(jobs); w++) {
			struct fail_mem f;
			fairlead_error err;
			uint64_t before[2], after[2];
			int r = FAIRLEAD_ENOMEM;

			fail_mem_init(&f);
			struct fl_policy *p = world_policy(&f.mem, m, 100 * FL_SECOND);

			ops->digest(p, /* now= */ 0, before);
			for (unsigned long n = 1; r != 0 && n < 1000; n++) {
				struct fl_explain x = { .n_needs = 77 };
				struct fl_arena arena;

				fl_arena_init(&arena, &f.mem);
				f.fail_at = n;
				r = fl_explain(ops, p, m, 101 * FL_SECOND, job(m, jobs[w].name),
					       /* machine= */ NULL, &arena, &x, &err);
				f.fail_at = 0;
				if (r < 0) {
					assert_int_equal(r, FAIRLEAD_ENOMEM);
					assert_int_equal(x.n_needs, 77);
				}
				fl_arena_done(&arena);
				ops->digest(p, /* now= */ 0, after);
				assert_memory_equal(before, after, sizeof before);
				for (uint32_t n_node = 0; n_node < m->n_nodes; n_node++) {
					const struct fl_tree *t = fl_borrow_tree(p);
					size_t at = t->row[n_node];
					fl_amount nominal = n_node < COUNT(nodes) ?
								    nodes[n_node].quota[0].nominal :
								    0;

					assert_int_equal(t->nominal[at], nominal);
				}
			}
			assert_int_equal(r, 0);
			ops->free(p);
			assert_int_equal(f.live, 0);
		}
		fl_model_free(m);
	}
}

UNIT_GROUP("explain")
