/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's `available` against KEP-79's own words: a request is admissible if
 * and only if T(x, r) >= -borrowingLimit(x, r) holds at every node after adding it.
 */
#include "decide/borrow/quota/tree.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "lib/world.h"

#define NO FL_NO_LIMIT

/* T(x, r) by its definition, from the usage of queues alone. */
static fl_amount t_of(const struct world_node *nodes, uint32_t n, uint32_t x, const fl_amount *used)
{
	fl_amount sum = nodes[x].quota[0].nominal;

	if (nodes[x].kind == FL_CLUSTER_QUEUE)
		return sum - used[x];
	for (uint32_t c = 0; c < n; c++)
		if (nodes[c].parent && strcmp(nodes[c].parent, nodes[x].name) == 0) {
			fl_amount of_c = t_of(nodes, n, c, used), lend = nodes[c].quota[0].lend;

			sum += lend != NO && lend < of_c ? lend : of_c;
		}
	return sum;
}

static bool balanced(const struct world_node *nodes, uint32_t n, const fl_amount *used)
{
	for (uint32_t x = 0; x < n; x++) {
		fl_amount limit = nodes[x].parent ? nodes[x].quota[0].borrow : 0;

		if (limit != NO && t_of(nodes, n, x, used) < -limit)
			return false;
	}
	return true;
}

static uint64_t state;

static uint32_t pick(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % below;
}

static fl_amount limit(void) { return pick(2) ? NO : (fl_amount)pick(6); }

/* A random tree: cohorts first, each below an earlier one or none; queues anywhere. */
static uint32_t random_tree(struct world_node *nodes, char names[][8])
{
	uint32_t cohorts = 1 + pick(4), n = cohorts + 1 + pick(5);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t up = i < cohorts ? i : cohorts;

		(void)snprintf(names[i], 8, "%c%u", i < cohorts ? 'c' : 'q', (unsigned)i);
		nodes[i] = (struct world_node){
			.name = names[i],
			.kind = i < cohorts ? FL_COHORT : FL_CLUSTER_QUEUE,
			.weight = 1,
			.parent = up > 0 && pick(8) ? names[pick(up)] : NULL,
			.quota = { { pick(10), limit(), limit() } },
		};
	}
	return n;
}

TEST(available_is_what_the_balances_allow)
{
	struct world_node nodes[16];
	char names[16][8];

	for (uint32_t seed = 1; seed <= few(4000); seed++) {
		fl_amount used[16] = { 0 };
		struct fl_model *m;
		struct fl_tree t;
		struct fl_usage u;
		struct fl_arena arena;
		uint32_t n;

		state = seed;
		n = random_tree(nodes, names);
		m = world_new(&fl_mem_heap, nodes, n, 1);
		fl_arena_init(&arena, &fl_mem_heap);
		assert_int_equal(fl_tree_init(&t, m, &fl_mem_heap, NULL), 0);
		assert_int_equal(fl_usage_init(&u, &t, &arena, NULL), 0);
		for (uint32_t step = 0; step < 12; step++) {
			uint32_t q = pick(n);
			struct fl_column c = { 0 };
			fl_amount available, v = 0;

			if (nodes[q].kind != FL_CLUSTER_QUEUE)
				continue;
			available = fl_quota_available(&t, &u, (struct fl_node){ q }, c);
			available = fl_amount_max(available, 0);
			while (v <= 200) { /* the largest admissible request by the definition */
				used[q] += v + 1;
				bool ok = balanced(nodes, n, used);

				used[q] -= v + 1;
				if (!ok)
					break;
				v++;
			}
			if (v != available)
				fail_msg("seed %u, %s: available %lld, balances allow %lld", seed,
					 nodes[q].name, (long long)available, (long long)v);
			if (available > 0) {
				v = 1 + (fl_amount)pick((uint32_t)available);
				fl_usage_add(&u, &t, (struct fl_node){ q }, c, v);
				used[q] += v;
			}
		}
		fl_tree_done(&t);
		fl_arena_done(&arena);
		fl_model_free(m);
	}
}

TEST(remove_is_the_inverse_of_add)
{
	struct world_node nodes[16];
	char names[16][8];

	for (uint32_t seed = 1; seed <= few(1000); seed++) {
		struct fl_model *m;
		struct fl_tree t;
		struct fl_usage u, before;
		struct fl_arena arena;
		uint32_t n, taken[20];
		fl_amount amount[20];

		state = seed;
		n = random_tree(nodes, names);
		m = world_new(&fl_mem_heap, nodes, n, 1);
		fl_arena_init(&arena, &fl_mem_heap);
		assert_int_equal(fl_tree_init(&t, m, &fl_mem_heap, NULL), 0);
		assert_int_equal(fl_usage_init(&u, &t, &arena, NULL), 0);
		assert_int_equal(fl_usage_init(&before, &t, &arena, NULL), 0);
		for (int i = 0; i < 20; i++) {
			do
				taken[i] = pick(n);
			while (nodes[taken[i]].kind != FL_CLUSTER_QUEUE);
			amount[i] = pick(12);
			fl_usage_add(&u, &t, (struct fl_node){ taken[i] }, (struct fl_column){ 0 },
				     amount[i]);
			if (i == 9)
				fl_usage_copy(&before, &u, &t);
		}
		for (int i = 10; i < 20;
		     i++) /* not in reverse: usage follows from the leaves alone */
			fl_usage_remove(&u, &t, (struct fl_node){ taken[i] },
					(struct fl_column){ 0 }, amount[i]);
		assert_memory_equal(u.cell, before.cell, t.cells * sizeof *u.cell);
		assert_memory_equal(u.borrowed, before.borrowed, t.res_cells * sizeof *u.borrowed);
		assert_memory_equal(u.borrowing, before.borrowing, t.n_nodes * sizeof *u.borrowing);
		fl_tree_done(&t);
		fl_arena_done(&arena);
		fl_model_free(m);
	}
}

/* Rows of one tree: root - mid - {a, b}, root - c. */
static const struct world_node family[] = {
	{ "root", NULL, FL_COHORT, 1, { { 3, NO, NO } } },
	{ "mid", "root", FL_COHORT, 1, { { 2, 4, 1 } } },
	{ "a", "mid", FL_CLUSTER_QUEUE, 1, { { 5, NO, 2 } } },
	{ "b", "mid", FL_CLUSTER_QUEUE, 1, { { 4, 1, NO } } },
	{ "c", "root", FL_CLUSTER_QUEUE, 1, { { 7, 2, 0 } } },
};

TEST(derived_columns)
{
	static const struct {
		const char *node;
		fl_amount subtree, local, potential;
		uint32_t height, depth;
	} rows[] = {
		/* subtree of a cohort: its own and what its children lend */
		{ "root", 4, 0, 4, 2, 0 }, /* 3 + (8 - 7) + (7 - 7) */
		{ "mid", 8, 7, 11, 1, 1 }, /* 2 + (5 - 3) + 4; keeps 8 - 1; 7 + 4 below 8 + 4 */
		{ "a", 5, 3, 14, 0, 2 },   /* 3 + 11 */
		{ "b", 4, 0, 5, 0, 2 },    /* 4 + 1 by its limit */
		{ "c", 7, 7, 9, 0, 1 },    /* 7 + 2 by its limit */
	};
	struct fl_model *m = world_new(&fl_mem_heap, family, 5, 1);
	struct fl_tree t;

	assert_int_equal(fl_tree_init(&t, m, &fl_mem_heap, NULL), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum fl_node_kind kind = rows[i].node[1] ? FL_COHORT : FL_CLUSTER_QUEUE;
		struct fl_node n = fl_model_find_node(m, kind, rows[i].node);
		size_t at = fl_tree_cell(&t, n, (struct fl_column){ 0 });

		print_message("# %s\n", rows[i].node);
		assert_int_equal(t.subtree[at], rows[i].subtree);
		assert_int_equal(t.local[at], rows[i].local);
		assert_int_equal(t.potential[at], rows[i].potential);
		assert_int_equal(t.height[n.v], rows[i].height);
		assert_int_equal(t.depth[n.v], rows[i].depth);
	}
	fl_tree_done(&t);
	fl_model_free(m);
}

TEST(the_lowest_subtree_that_fits)
{
	static const struct {
		const char *queue;
		fl_amount v;
		uint32_t height;
		bool below_root;
	} rows[] = {
		{ "a", 5, 0, true },   { "a", 6, 1, true },  { "a", 11, 1, true },
		{ "a", 12, 2, false }, { "b", 4, 0, true },  { "b", 5, 1, true },
		{ "c", 7, 0, true },   { "c", 8, 2, false }, { "c", 99, 2, false },
	};
	struct fl_model *m = world_new(&fl_mem_heap, family, 5, 1);
	struct fl_arena arena;
	struct fl_usage u;
	struct fl_tree t;

	fl_arena_init(&arena, &fl_mem_heap);
	assert_int_equal(fl_tree_init(&t, m, &fl_mem_heap, NULL), 0);
	assert_int_equal(fl_usage_init(&u, &t, &arena, NULL), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fl_node n = fl_model_find_node(m, FL_CLUSTER_QUEUE, rows[i].queue);
		struct fl_level level = fl_quota_lowest_subtree(&t, &u, n, (struct fl_column){ 0 },
								rows[i].v);

		print_message("# %s %lld\n", rows[i].queue, (long long)rows[i].v);
		assert_int_equal(level.height, rows[i].height);
		assert_int_equal(level.below_root, rows[i].below_root);
	}
	fl_tree_done(&t);
	fl_arena_done(&arena);
	fl_model_free(m);
}

TEST(cohorts_nest_only_so_deep)
{
	static struct world_node chain[302];
	static char names[302][8];
	struct fl_model *m;
	struct fl_tree t;
	fairlead_error err;

	for (uint32_t i = 0; i < 302; i++) {
		(void)snprintf(names[i], sizeof names[i], "n%03u", (unsigned)i);
		chain[i] = (struct world_node){ .name = names[i],
						.parent = i ? names[i - 1] : NULL,
						.kind = i < 301 ? FL_COHORT : FL_CLUSTER_QUEUE,
						.weight = 1,
						.quota = { { 1, NO, NO } } };
	}
	m = world_new(&fl_mem_heap, chain, 302, 1);
	assert_int_equal(fl_tree_init(&t, m, &fl_mem_heap, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "cohorts nest deeper than 256 levels");
	assert_string_equal(err.subject, "Cohort/n257");
	fl_model_free(m);
}

UNIT_GROUP("balance")
