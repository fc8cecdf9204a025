/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain DRF, reckoned by hand.  Queues are letters; all that there is has the first one as its
 * quota, and the others have none: a quota is a part of what there is, and no limit.
 */
#include "decide/drf/drf.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"
#include "lib/world.h"

static const struct fl_policy_ops *const ops = &fl_drf_policy;

enum { USERS = 4, KINDS = 2 };

/* So many tasks that ask for this, one after the other; below 0: they hold it already. */
struct tasks {
	int n;
	fl_amount ask[WORLD_RESOURCES];
};

struct user {
	double weight;
	int32_t priority;
	struct tasks tasks[KINDS];
};

static const struct {
	const char *what;
	fl_amount there[WORLD_RESOURCES];
	struct user users[USERS];
	const char *order; /* queues, as they are served */
} cases[] = {
	/*
	 * a 2/9 (memory), b 3/9 (cpu), a 4/9, b 6/9, a 6/9: all 9 CPUs are held.  Equal shares: b has
	 * waited for longer, and finds no room.
	 */
	{ "the paper's example: 3 and 2 tasks",
	  { 9, 18 },
	  { { 1, 0, { { 9, { 1, 4 } } } }, { 1, 0, { { 9, { 3, 1 } } } } },
	  "ababa" },
	/* a 1/9, b 3/9, a 2/9, a 3/9; equal, b is older: 6/9; all CPUs are held. */
	{ "the paper's example, a counts twice",
	  { 9, 18 },
	  { { 2, 0, { { 9, { 1, 4 } } } }, { 1, 0, { { 9, { 3, 1 } } } } },
	  "abaab" },
	/* Each 1/10, then 2/10; a has no more: the other eight are for b and c. */
	{ "one resource: max-min fairness",
	  { 10 },
	  { { 1, 0, { { 2, { 1 } } } }, { 1, 0, { { 9, { 1 } } } }, { 1, 0, { { 9, { 1 } } } } },
	  "abcabcbcbc" },
	/* a's share stays 0: after b's first one a comes until it has no more. */
	{ "tasks that ask for nothing",
	  { 4 },
	  { { 1, 0, { { 3, { 0 } } } }, { 1, 0, { { 9, { 1 } } } } },
	  "abaabbb" },
	/* a 2/10, b 5/10; a's next wants 6 of the 3 that are left, and b's 1 waits, too. */
	{ "a task that does not fit ends it, though a smaller one does",
	  { 10 },
	  { { 1, 0, { { 1, { 2 } }, { 1, { 6 } } } }, { 1, 0, { { 1, { 5 } }, { 9, { 1 } } } } },
	  "ab" },
	/* a's first is larger than all there is; of the others b's is older. */
	{ "a task that never fits is passed over",
	  { 10 },
	  { { 1, 0, { { 1, { 11 } }, { 1, { 1 } } } }, { 1, 0, { { 1, { 1 } } } } },
	  "ba" },
	/*
	 * In twelfths: a 1, b 2, c 2, a 2; equal, by age: b 4, c 4; a 3, a 4; equal: b 6, and no
	 * CPU is left.
	 */
	{ "three users and two resources",
	  { 12, 24 },
	  { { 1, 0, { { 9, { 1, 2 } } } },
	    { 1, 0, { { 9, { 2, 1 } } } },
	    { 1, 0, { { 9, { 1, 4 } } } } },
	  "abcabcaab" },
	/* There is nothing of what a wants. */
	{ "a resource of which there is nothing",
	  { 4, 0 },
	  { { 1, 0, { { 2, { 1, 1 } } } }, { 1, 0, { { 2, { 1, 0 } } } } },
	  "bb" },
	/* Both 0: b's has the higher priority.  Then a's share is lower. */
	{ "equal shares: the higher priority",
	  { 2 },
	  { { 1, 0, { { 2, { 1 } } } }, { 1, 5, { { 2, { 1 } } } } },
	  "ba" },
	/* In quarters: b 1 (priority), a 1; equal: b 2, a 2. */
	{ "a lower share goes before a higher priority",
	  { 4 },
	  { { 1, 0, { { 2, { 1 } } } }, { 1, 5, { { 2, { 1 } } } } },
	  "baba" },
	{ "a weight of 0 comes last",
	  { 3 },
	  { { 0, 0, { { 3, { 1 } } } }, { 1, 0, { { 2, { 1 } } } } },
	  "bba" },
	/* c has a weight; a and b go by their shares as if each had 1. */
	{ "two weights of 0",
	  { 5 },
	  { { 0, 0, { { 9, { 1 } } } }, { 0, 0, { { 9, { 1 } } } }, { 1, 0, { { 1, { 1 } } } } },
	  "cabab" },
	/* In 24ths: a 1, b 3, a 2, a 3; equal: b 6, a 4, 5, 6: 6 and 2. */
	{ "weights of 3 and 1",
	  { 8 },
	  { { 3, 0, { { 9, { 1 } } } }, { 1, 0, { { 9, { 1 } } } } },
	  "abaabaaa" },
	/* In sixths: a 2, b 1, b 2; equal: a 4, b 3, b 4: 2 and 4. */
	{ "a weight of a half",
	  { 6 },
	  { { 0.5, 0, { { 9, { 1 } } } }, { 1, 0, { { 9, { 1 } } } } },
	  "abbabb" },
	/* b holds 3/9: a 1, 2, 3; equal: b 4, a 4, a 5. */
	{ "what is held already counts",
	  { 9 },
	  { { 1, 0, { { 5, { 1 } } } }, { 1, 0, { { -1, { 3 } }, { 1, { 1 } } } } },
	  "aaabaa" },
	/* In tenths: a 1 (cpu), b 2, a 2; equal: b 4, a 3 (memory), a 6, b 6. */
	{ "another resource becomes dominant",
	  { 10, 10 },
	  { { 1, 0, { { 2, { 1, 0 } }, { 2, { 0, 3 } } } }, { 1, 0, { { 3, { 2, 0 } } } } },
	  "ababaab" },
	/* 3/10 each, 6/10 each; 2 are left of each, and a wants 3 of one. */
	{ "three resources",
	  { 10, 10, 10 },
	  { { 1, 0, { { 9, { 1, 2, 3 } } } }, { 1, 0, { { 9, { 3, 2, 1 } } } } },
	  "abab" },
	{ "alone, one has all there is", { 3 }, { { 1, 0, { { 5, { 1 } } } } }, "aaa" },
	{ "nobody wants anything", { 3 }, { { 1, 0, { { 0, { 0 } } } } }, "" },
	/* 2^53 + 1 against 2^53, which are one double: b, whose share is lower, comes next. */
	{ "shares that doubles cannot tell apart",
	  { INT64_C(1) << 62 },
	  { { 1, 0, { { 2, { (INT64_C(1) << 53) + 1 } } } },
	    { 1, 0, { { 2, { INT64_C(1) << 53 } } } } },
	  "abba" },
	/* a and b hold a half each; b's weight is larger by 10^-9: it comes first. */
	{ "weights that differ by the least there is",
	  { 4 },
	  { { 1, 0, { { 2, { 1 } } } }, { 1.000000001, 0, { { 2, { 1 } } } } },
	  "abba" },
};

static const char *const names[USERS] = { "a", "b", "c", "d" };

/* The older task of two with one number is that of the first queue. */
static void add_tasks(struct fl_model *m, const struct user *u, unsigned q)
{
	unsigned n = 0;

	for (unsigned k = 0; k < KINDS; k++)
		for (int i = abs(u->tasks[k].n); i > 0; i--, n++) {
			char name[16];
			struct world_job job = { .name = name,
						 .queue = names[q],
						 .priority = u->priority,
						 .age = n * 10 + q,
						 .admitted = u->tasks[k].n < 0 };

			(void)snprintf(name, sizeof name, "%s%u", names[q], n);
			memcpy(job.ask, u->tasks[k].ask, sizeof job.ask);
			world_add_job(m, &job, WORLD_RESOURCES);
		}
}

static struct fl_model *make(const fl_amount there[WORLD_RESOURCES], const struct user users[USERS])
{
	struct world_node nodes[USERS];
	struct fl_model *m;
	fairlead_error err;

	for (unsigned q = 0; q < USERS; q++) {
		nodes[q] = (struct world_node){ .name = names[q],
						.kind = FL_CLUSTER_QUEUE,
						.weight = users[q].weight };
		for (unsigned r = 0; r < WORLD_RESOURCES; r++)
			nodes[q].quota[r] = (struct world_quota){ q ? 0 : there[r], FL_NO_LIMIT,
								  FL_NO_LIMIT };
	}
	m = world_open(&fl_mem_heap, nodes, USERS, WORLD_RESOURCES);
	for (unsigned q = 0; q < USERS; q++)
		add_tasks(m, &users[q], q);
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

static struct fl_policy *open(const struct fl_mem *mem, const struct fl_model *m)
{
	const struct fl_policy_options options = { .mem = mem };
	struct fl_policy *p = NULL;

	assert_int_equal(ops->new (m, &options, &p, NULL), 0);
	return p;
}

/* The letters of the queues that a step admits from, in order. */
static void step(struct fl_policy *p, const struct fl_model *m, char *ret)
{
	struct fl_decisions d;

	assert_int_equal(ops->step(p, 0, 0, NULL, &d, NULL), 0);
	for (uint32_t i = 0; i < d.n; i++)
		if (d.rows[i].kind == FL_ADMIT)
			*ret++ = *fl_model_text(m, m->nodes[d.rows[i].cluster_queue.v].name);
	*ret = 0;
}

TEST(test_by_hand)
{
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct fl_model *m = make(cases[i].there, cases[i].users);
		struct fl_policy *p = open(&fl_mem_heap, m);
		char order[64];

		step(p, m, order);
		if (strcmp(order, cases[i].order) != 0)
			print_error("%s\n", cases[i].what);
		assert_string_equal(order, cases[i].order);
		step(p, m, order); /* nothing has changed */
		assert_string_equal(order, "");
		ops->free(p);
		fl_model_free(m);
	}
}

/* --- what happens afterwards --- */

static struct fl_workload job_of(const struct fl_model *m, const char *name)
{
	struct fl_workload w = fl_model_find_workload(m, "ns", name);

	assert_true(w.v != FL_NONE);
	return w;
}

static int apply(struct fl_policy *p, enum fl_event_kind kind, struct fl_workload w)
{
	const struct fl_event e = { .kind = kind, .workload = w };

	return ops->apply(p, 0, &e, NULL);
}

/* A task that is done makes room for that of the lowest share, as in the paper. */
TEST(test_events)
{
	struct fl_model *m = make(cases[0].there, cases[0].users);
	struct fl_policy *p = open(&fl_mem_heap, m);
	struct fl_workload b2 = job_of(m, "b2"), a0 = job_of(m, "a0");
	char order[64];

	step(p, m, order);
	assert_int_equal(ops->reason(p, b2), FL_REASON_WAITING_FOR_QUOTA);
	assert_int_equal(ops->reason(p, job_of(m, "a3")), FL_REASON_NOT_ITS_TURN);
	assert_int_equal(ops->reason(p, job_of(m, "a4")), FL_REASON_NONE);
	/* a 4/9, b 6/9: one CPU is free. */
	assert_int_equal(apply(p, FL_EV_FINISHED, a0), 0);
	step(p, m, order);
	assert_string_equal(order, "a");
	/* a 6/9, b 3/9: three are. */
	assert_int_equal(apply(p, FL_EV_EVICTED, job_of(m, "b0")), 0);
	step(p, m, order);
	assert_string_equal(order, "b");
	assert_int_equal(ops->state(p, job_of(m, "b0")), FL_STATE_ADMITTED); /* the oldest */
	assert_int_equal(apply(p, FL_EV_FINISHED, a0), FAIRLEAD_ESTATE);
	assert_int_equal(apply(p, FL_EV_SUBMIT, b2), FAIRLEAD_ESTATE);
	assert_int_equal(apply(p, FL_EV_CANCEL, b2), 0);
	assert_int_equal(ops->state(p, b2), FL_STATE_ABSENT);
	assert_int_equal(apply(p, FL_EV_SUBMIT, b2), 0);
	assert_int_equal(ops->state(p, b2), FL_STATE_WAITING);
	ops->free(p);
	fl_model_free(m);
}

static int change(struct fl_policy *p, enum fl_cell_kind kind, uint32_t node, fl_amount amount,
		  double weight)
{
	struct fl_event e = { .kind = FL_EV_CELL, .cell = { .kind = kind } };

	e.cell.node.v = node;
	e.cell.amount = amount;
	e.cell.weight = weight;
	return ops->apply(p, 0, &e, NULL);
}

/* Case 6: a0 wants 11 of 10; as much as that there is afterwards, and once more not. */
TEST(test_cells)
{
	struct fl_model *m = make(cases[5].there, cases[5].users);
	struct fl_policy *p = open(&fl_mem_heap, m);
	struct fl_workload a0 = job_of(m, "a0");
	struct fl_share share;
	uint64_t before[2], after[2];
	char order[64];
	fl_mark mark;

	step(p, m, order);
	assert_int_equal(ops->state(p, a0), FL_STATE_INADMISSIBLE);
	assert_int_equal(ops->reason(p, a0), FL_REASON_EXCEEDS_MAX_QUOTA);
	ops->digest(p, 0, before);
	assert_int_equal(ops->mark(p, &mark, NULL), 0);
	assert_int_equal(change(p, FL_CELL_NOMINAL, 0, 13, 0), 0);
	step(p, m, order);
	assert_string_equal(order, "a");
	ops->rollback(p, mark);
	ops->digest(p, 0, after);
	assert_memory_equal(before, after, sizeof before);
	step(p, m, order);
	assert_string_equal(order, "");

	ops->share(p, (struct fl_node){ 1 }, &share); /* 1 of 10 */
	assert_true(share.precise == 100);
	assert_int_equal(change(p, FL_CELL_WEIGHT, 1, 0, 4), 0);
	ops->share(p, (struct fl_node){ 1 }, &share);
	assert_true(share.precise == 25 && share.ratio == 100 && share.weight == 4);
	assert_int_equal(change(p, FL_CELL_BORROWING_LIMIT, 0, 3, 0), 0);
	assert_int_equal(change(p, FL_CELL_NOMINAL, 0, -1, 0), FAIRLEAD_EINPUT);
	assert_int_equal(change(p, FL_CELL_WEIGHT, 0, 0, -1), FAIRLEAD_EINPUT);
	assert_int_equal(change(p, FL_CELL_DESERVED, 0, 0, 1), FAIRLEAD_ESTATE);
	assert_int_equal(change(p, FL_CELL_NOMINAL, 99, 0, 0), FAIRLEAD_ENOENT);
	ops->free(p);
	fl_model_free(m);
}

/* A trial changes nothing, and does not ask whose turn it is. */
TEST(test_try)
{
	struct fl_model *m = make(cases[4].there, cases[4].users);
	struct fl_policy *p = open(&fl_mem_heap, m);
	struct fl_workload b1 = job_of(m, "b1");
	struct fl_decisions d;
	uint64_t before[2], after[2];
	char order[64];

	step(p, m, order);
	ops->digest(p, 0, before);
	assert_int_equal(ops->try(p, 0, b1, NULL, &d, NULL), 0);
	assert_true(d.n == 1 && d.rows[0].kind == FL_ADMIT && d.placements[0].amount == 1);
	assert_int_equal(ops->try(p, 0, job_of(m, "a1"), NULL, &d, NULL), 0);
	assert_true(d.n == 1 && d.rows[0].kind == FL_WAIT);
	assert_int_equal(ops->try(p, 0, job_of(m, "a0"), NULL, &d, NULL), FAIRLEAD_ESTATE);
	ops->digest(p, 0, after);
	assert_memory_equal(before, after, sizeof before);
	assert_int_equal(ops->serve(p, 0, b1, NULL, &d, NULL), 0);
	assert_int_equal(ops->state(p, b1), FL_STATE_ADMITTED);
	ops->free(p);
	fl_model_free(m);
}

/* Each allocation fails once; and a step that was made before allocates nothing. */
TEST(test_memory)
{
	struct fl_model *m = make(cases[6].there, cases[6].users);
	struct fail_mem f;
	struct fl_policy *p = NULL;
	char order[64];
	int r = FAIRLEAD_ENOMEM;

	fail_mem_init(&f);
	for (unsigned long n = 1; r != 0; n++) {
		const struct fl_policy_options options = { .mem = &f.mem };

		f.fail_at = n;
		r = ops->new (m, &options, &p, NULL);
		assert_true(r == 0 || (r == FAIRLEAD_ENOMEM && f.live == 0));
	}
	f.fail_at = 0;
	for (int round = 0; round < 2; round++) {
		unsigned long calls = f.calls;

		step(p, m, order);
		assert_string_equal(order, cases[6].order);
		assert_true(round == 0 || f.calls == calls);
		for (uint32_t w = 0; w < m->n_workloads; w++)
			(void)apply(p, FL_EV_EVICTED, (struct fl_workload){ w });
	}
	ops->free(p);
	assert_int_equal(f.live, 0);
	fl_model_free(m);
}

UNIT_GROUP("drf")
