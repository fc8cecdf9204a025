/* SPDX-License-Identifier: Apache-2.0 */
/* May a leaf and all above it hold so much more? */
#include "decide/entitle/rules/capacity.h"
#include "entitle_rows.h"
#include "lib/few.h"

enum { ROOT, MIDDLE, LEAF, OTHER, QUEUES };

struct world {
	struct fl_standing q[QUEUES];
};

/* ROOT > MIDDLE > LEAF, and OTHER beside MIDDLE; nothing is bounded. */
static struct world free_world(void)
{
	static const uint32_t parents[QUEUES] = { FL_NONE, ROOT, MIDDLE, ROOT };
	struct world w;

	for (uint32_t i = 0; i < QUEUES; i++)
		w.q[i] = gpu_queue(parents[i], -1, 0, 0);
	set_depths(w.q, QUEUES);
	return w;
}

struct bound {
	uint32_t queue;
	int resource;
	double limit, allocated, deserved, non_preemptible;
};

static void apply(struct world *w, const struct bound *b)
{
	w->q[b->queue].limit.of[b->resource] = b->limit;
	w->q[b->queue].allocated.of[b->resource] = b->allocated;
	w->q[b->queue].deserved.of[b->resource] = b->deserved;
	w->q[b->queue].non_preemptible.of[b->resource] = b->non_preemptible;
}

TEST(table)
{
	enum { FITS = FL_REASON_NONE, LIMIT = FL_REASON_OVER_LIMIT };
	enum { QUOTA = FL_REASON_NON_PREEMPTIBLE_OVER_QUOTA };
	static const struct {
		const char *name;
		struct bound bounds[2];
		bool preemptible;
		struct fl_bundle request;
		int want;
		uint32_t queue;
		int resource;
	} rows[] = {
		{ "nothing is bounded", { { 0 } }, false, ALL(1e9), FITS, 0, 0 },
		{ "just up to the limit",
		  { { LEAF, FL_GPU, 4, 3, -1, 0 } },
		  FIELDS(true, GPU(1), FITS, 0, 0) },
		{ "above it",
		  { { LEAF, FL_GPU, 4, 3.5, -1, 0 } },
		  FIELDS(true, GPU(1), LIMIT, LEAF, FL_GPU) },
		{ "a limit of nothing",
		  { { LEAF, FL_GPU, 0, 0, -1, 0 } },
		  FIELDS(true, GPU(0.5), LIMIT, LEAF, FL_GPU) },
		{ "over, and not asked for",
		  { { LEAF, FL_GPU, 4, 9, 0, 9 } },
		  FIELDS(false, OF(1, 1, 0), FITS, 0, 0) },
		{ "of the middle",
		  { { MIDDLE, FL_CPU, 4, 4, -1, 0 } },
		  FIELDS(true, OF(1, 0, 0), LIMIT, MIDDLE, FL_CPU) },
		{ "of the root",
		  { { ROOT, FL_MEMORY, 4, 4, -1, 0 } },
		  FIELDS(true, OF(0, 1, 0), LIMIT, ROOT, FL_MEMORY) },
		{ "of another queue",
		  { { OTHER, FL_CPU, 0, 4, 1, 4 } },
		  FIELDS(false, ALL(1), FITS, 0, 0) },
		{ "the nearer queue is named",
		  { { ROOT, FL_CPU, 0, 0, -1, 0 }, { LEAF, FL_GPU, 0, 0, -1, 0 } },
		  FIELDS(true, ALL(1), LIMIT, LEAF, FL_GPU) },
		{ "cpu before memory",
		  { { LEAF, FL_MEMORY, 0, 0, -1, 0 }, { LEAF, FL_CPU, 0, 0, -1, 0 } },
		  FIELDS(true, ALL(1), LIMIT, LEAF, FL_CPU) },
		{ "memory before gpu",
		  { { LEAF, FL_GPU, 0, 0, -1, 0 }, { LEAF, FL_MEMORY, 0, 0, -1, 0 } },
		  FIELDS(true, ALL(1), LIMIT, LEAF, FL_MEMORY) },
		{ "up to the quota", { { LEAF, FL_GPU, -1, 9, 3, 2 } }, false, GPU(1), FITS, 0, 0 },
		{ "above the quota",
		  { { LEAF, FL_GPU, -1, 9, 3, 3 } },
		  FIELDS(false, GPU(1), QUOTA, LEAF, FL_GPU) },
		{ "above it, preemptible",
		  { { LEAF, FL_GPU, -1, 9, 3, 3 } },
		  FIELDS(true, GPU(1), FITS, 0, 0) },
		{ "above the root's quota",
		  { { ROOT, FL_CPU, -1, 9, 3, 3 } },
		  FIELDS(false, ALL(1), QUOTA, ROOT, FL_CPU) },
		{ "any limit before any quota",
		  { { LEAF, FL_CPU, -1, 9, 3, 3 }, { ROOT, FL_GPU, 9, 9, -1, 0 } },
		  FIELDS(false, ALL(1), LIMIT, ROOT, FL_GPU) },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_refusal refusal = { .reason = FL_REASON_NONE };
		struct world w = free_world();
		bool fits;

		for (size_t b = 0; b < COUNT(rows[i].bounds); b++)
			if (rows[i].bounds[b].limit || rows[i].bounds[b].deserved)
				apply(&w, &rows[i].bounds[b]);
		fits = fl_capacity_fits(w.q, NODE(LEAF), rows[i].preemptible, &rows[i].request,
					/* witness= */ NULL, &refusal);
		CHECK(fits == (rows[i].want == FITS), rows[i].name);
		CHECK((int)refusal.reason == rows[i].want, rows[i].name);
		if (fits)
			continue;
		CHECK(refusal.queue.v == rows[i].queue, rows[i].name);
		CHECK(refusal.resource == rows[i].resource, rows[i].name);
		CHECK(refusal.held + refusal.request > refusal.bound, rows[i].name);
	}
}

/* One row a comparison, the last is the one that refuses, with both numbers. */
TEST(evidence)
{
	const struct fl_bundle request = OF(1, 0, 2);
	struct heard heard = { 0 };
	const struct fl_sink sink = { .row = hear, .user = &heard };
	const struct fl_witness witness = { &sink, test_axis, { 7 }, /* search= */ 3 };
	struct world w = free_world();

	apply(&w, &(struct bound){ LEAF, FL_CPU, 5, 4, 2, 0 });
	apply(&w, &(struct bound){ LEAF, FL_MEMORY, 5, 9, 2, 9 });
	apply(&w, &(struct bound){ ROOT, FL_GPU, 8, 1, 3, 2 });
	assert_false(fl_capacity_fits(w.q, NODE(LEAF), /* preemptible= */ false, &request, &witness,
				      /* ret= */ NULL));
	assert_int_equal(heard.n, 4);
	assert_int_equal(heard.n_refusals, 1);
	assert_int_equal(heard.of_check[FL_CHECK_QUEUE_LIMIT], 2);
	assert_int_equal(heard.of_check[FL_CHECK_NON_PREEMPTIBLE_QUOTA], 2);
	assert_int_equal(heard.last.node.v, ROOT);
	assert_int_equal(heard.last.resource.v, 12);
	assert_int_equal(heard.last.workload.v, 7);
	assert_int_equal(heard.last.victim.v, FL_NONE);
	assert_int_equal(heard.last.search, 3);
	assert_int_equal(heard.last.lhs.kind, FL_NUMBER_BUNDLE);
	assert_true(heard.last.lhs.share == 4 && heard.last.rhs.share == 3);
}

/* One draw a statement: compilers evaluate the values of a struct in orders of their own. */
static void apply_any(struct world *w, uint64_t *seed)
{
	struct bound b = { .queue = chance(seed, QUEUES) };

	b.resource = (int)chance(seed, 3);
	b.limit = (double)chance(seed, 6) - 1;
	b.allocated = chance(seed, 3);
	b.deserved = (double)chance(seed, 6) - 1;
	b.non_preemptible = chance(seed, 3);
	apply(w, &b);
}

/* Who is refused a request is refused every larger one. */
TEST(monotone)
{
	uint64_t seed = 2;
	int refused = 0, fitted = 0;

	for (int i = 0; i < (int)few(5000); i++) {
		struct fl_bundle request, more;
		struct world w = free_world();
		bool preemptible = chance(&seed, 2), fits;

		for (int b = 0; b < 3; b++)
			apply_any(&w, &seed);
		for (int r = 0; r < FL_BUNDLE; r++) {
			request.of[r] = chance(&seed, 3);
			more.of[r] = request.of[r] + chance(&seed, 3);
		}
		fits = fl_capacity_fits(w.q, NODE(LEAF), preemptible, &request, NULL, NULL);
		if (fl_capacity_fits(w.q, NODE(LEAF), preemptible, &more, NULL, NULL)) {
			assert_true(fits);
			fitted++;
		}
		refused += !fits;
	}
	assert_true(refused > (int)few(100) && fitted > (int)few(100));
}

UNIT_GROUP("entitle-capacity")
