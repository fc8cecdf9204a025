/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the borrow policy takes for a workload, all that it holds divided by their number: 100
 * workloads a queue, one request each.  And that what workloads held is used again.
 */
#include "decide/borrow/state/state.h"
#include "lib/unit.h"
#include "lib/world.h"

enum { QUEUES = 200, JOBS = 20000, SHAPES = 4, NAME = 16 };

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

/* Counts bytes. */
struct counter {
	struct fl_mem mem;
	size_t live;
};

enum { HEADER = 16 };

static void *count_resize(void *user, void *old, size_t size)
{
	struct counter *c = user;
	char *base = old ? (char *)old - HEADER : NULL;

	if (base) {
		c->live -= *(size_t *)(void *)base;
		if (!size)
			free(base);
	}
	if (!size)
		return NULL;
	base = realloc(base, HEADER + size);
	if (!base)
		abort();
	*(size_t *)(void *)base = size;
	c->live += size;
	return base + HEADER;
}

static struct fl_model *make(bool fair, fl_amount quota, bool admitted)
{
	static char names[QUEUES][NAME];
	static struct world_node nodes[QUEUES + 1];
	struct fl_model *m;
	fairlead_error err;

	nodes[0] = (struct world_node){ .name = "root", .kind = FL_COHORT, .weight = 1 };
	for (int q = 0; q < QUEUES; q++) {
		(void)snprintf(names[q], NAME, "queue-%d", q);
		nodes[q + 1] = (struct world_node){
			.name = names[q],
			.parent = "root",
			.kind = FL_CLUSTER_QUEUE,
			.weight = 1,
			.quota = { { quota, FL_NO_LIMIT, FL_NO_LIMIT } },
		};
	}
	m = world_open(&fl_mem_heap, nodes, QUEUES + 1, 1);
	m->settings.fair_sharing = fair;
	for (int i = 0; i < JOBS; i++) {
		char name[NAME];
		const struct world_job job = { .name = name,
					       .queue = names[i % QUEUES],
					       .age = i,
					       .ask = { i / QUEUES % SHAPES + 1 },
					       .admitted = admitted };

		(void)snprintf(name, sizeof name, "job-%d", i);
		world_add_job(m, &job, 1);
	}
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

static uint32_t n_holding(const struct fl_policy *p)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < JOBS; w++)
		n += ops->state(p, (struct fl_workload){ w }) == FL_STATE_ADMITTED;
	return n;
}

/* Cycles until one changes nothing. */
static void settle(struct fl_policy *p, fl_time now)
{
	struct fl_decisions d;

	do
		assert_int_equal(ops->step(p, now, 0, NULL, &d, NULL), 0);
	while (d.moved);
}

TEST(a_workload_takes_so_much)
{
	static const struct {
		const char *name;
		bool fair, admitted; /* at the beginning */
		fl_amount quota;     /* of a queue, in which 100 ask for 250 in all */
		uint32_t holding;    /* in the end */
		size_t most;         /* bytes */
	} rows[] = {
		{ "fair, all wait", true, false, 0, 0, 128 },
		{ "classical, all wait", false, false, 0, 0, 128 },
		{ "fair, all start", true, false, 250, JOBS, 192 },
		{ "classical, all start", false, false, 250, JOBS, 192 },
		{ "fair, all run", true, true, 250, JOBS, 192 },
		{ "classical, all run", false, true, 250, JOBS, 192 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct counter counter = { .mem = { count_resize, &counter } };
		struct fl_model *m = make(rows[i].fair, rows[i].quota, rows[i].admitted);
		struct fl_policy *p = world_policy(&counter.mem, m, JOBS * FL_SECOND);

		settle(p, JOBS * FL_SECOND);
		CHECK(n_holding(p) == rows[i].holding, rows[i].name);
#if !defined FL_ALLOC_DEBUG && !defined FL_CHECKED /* they take more, on purpose */
		CHECK(counter.live <= rows[i].most * JOBS, rows[i].name);
#endif
		ops->free(p);
		CHECK(counter.live == 0, rows[i].name);
		fl_model_free(m);
	}
}

static void tell(struct fl_policy *p, enum fl_event_kind kind, uint32_t w, fl_time now)
{
	const struct fl_event event = { .kind = kind, .workload = { w } };

	assert_int_equal(ops->apply(p, now, &event, NULL), 0);
}

TEST(what_was_held_is_used_again)
{
	struct counter counter = { .mem = { count_resize, &counter } };
	struct fl_model *m = make(/* fair= */ true, /* quota= */ 125, /* admitted= */ false);
	struct fl_policy *p = world_policy(&counter.mem, m, JOBS * FL_SECOND);
	size_t live = 0;

	for (int round = 0; round < 3; round++) {
		settle(p, (JOBS + round) * FL_SECOND);
		assert_in_range(n_holding(p), JOBS / 3, JOBS - 1);
		for (uint32_t w = 0; w < JOBS; w++)
			if (ops->state(p, (struct fl_workload){ w }) == FL_STATE_ADMITTED)
				tell(p, FL_EV_EVICTED, w, (JOBS + round) * FL_SECOND);
		if (round > 0)
			assert_int_equal(counter.live, live);
		live = counter.live;
	}
	ops->free(p);
	fl_model_free(m);
}

/* Rows are given, given back and given to others behind a mark, and stand as before in the end. */
TEST(a_rollback_finds_all_that_was_held)
{
	struct fl_model *m = make(/* fair= */ true, /* quota= */ 125, /* admitted= */ false);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, JOBS * FL_SECOND);
	uint64_t before[2], after[2];
	uint32_t held, used;
	fl_mark mark;

	settle(p, JOBS * FL_SECOND);
	held = p->holdings.n;
	used = p->holdings.used;
	ops->digest(p, FL_NEVER, before);
	for (uint32_t first = 0; first < 3; first++) {
		assert_int_equal(ops->mark(p, &mark, NULL), 0);
		for (uint32_t w = first; w < JOBS; w += 3)
			if (ops->state(p, (struct fl_workload){ w }) == FL_STATE_ADMITTED)
				tell(p, w % 2 ? FL_EV_FINISHED : FL_EV_EVICTED, w,
				     JOBS * FL_SECOND);
		settle(p, JOBS * FL_SECOND);
		ops->digest(p, FL_NEVER, after);
		assert_memory_not_equal(before, after, sizeof before);
		ops->rollback(p, mark);
		ops->digest(p, FL_NEVER, after);
		assert_memory_equal(before, after, sizeof before);
		assert_int_equal(p->holdings.n, held);
		assert_int_equal(p->holdings.used, used);
	}
	ops->free(p);
	fl_model_free(m);
}

UNIT_GROUP("bytes")
