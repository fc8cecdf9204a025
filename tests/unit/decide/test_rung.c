/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preemption that settles: who may go for whom, who yields, what is promised.
 */
#include <math.h>

#include "decide/borrow/borrow.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"
#include "lib/world.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

#define NO FL_NO_LIMIT
#define COHORT(name, parent, quota)                                                                \
	{                                                                                          \
		name, parent, FL_COHORT, 1,                                                        \
		{                                                                                  \
			{                                                                          \
				quota, NO, NO                                                      \
			}                                                                          \
		}                                                                                  \
	}
#define QUEUE(name, parent, quota)                                                                 \
	{                                                                                          \
		name, parent, FL_CLUSTER_QUEUE, 1,                                                 \
		{                                                                                  \
			{                                                                          \
				quota, NO, NO                                                      \
			}                                                                          \
		}                                                                                  \
	}

enum { MOST_NODES = 8, MOST_JOBS = 6 };

/* In the order of the rows: who runs was admitted so. */
struct scene {
	struct world_node nodes[MOST_NODES];
	struct world_job jobs[MOST_JOBS];
	const char *asks;  /* whom the cycle serves */
	const char *goes;  /* victims, in the order of the decisions; "" when nobody may go */
	const char *taken; /* and without the guarantee */
};

#define CYCLE(asks, goes, taken) asks, goes, taken

/* What else there is. */
struct setting {
	const struct fl_protection_row *more; /* in the Policy; NULL: nothing */
	const char *going;                    /* who is being evicted at the beginning; NULL */
	uint32_t resources;
	bool classical;
	fl_time eviction_timeout;
};

struct stage {
	struct fl_model *m;
	struct fl_policy *p;
	struct fl_decisions d;
};

static void open_stage_with(struct stage *s, const struct scene *scene, bool settles,
			    const struct setting *with)
{
	uint32_t n = 0;

	while (n < MOST_NODES && scene->nodes[n].name)
		n++;
	*s = (struct stage){ .m = world_open(&fl_mem_heap, scene->nodes, n, with->resources) };
	for (uint32_t i = 0; i < MOST_JOBS && scene->jobs[i].name; i++)
		world_add_job(s->m, &scene->jobs[i], with->resources);
	for (uint32_t i = 0; i < s->m->n_nodes; i++) {
		s->m->nodes[i].strategy = FL_BEST_EFFORT_FIFO;
		s->m->nodes[i].reclaim = FL_PREEMPT_ANY;
		s->m->nodes[i].within_queue = FL_PREEMPT_LOWER_PRIORITY;
	}
	s->m->settings.fair_sharing = !with->classical;
	s->m->settings.strategies[0] = FL_FINAL_SHARE;
	s->m->settings.strategies[1] = FL_INITIAL_SHARE;
	s->m->settings.n_strategies = 2;
	s->m->settings.settles = settles;
	s->m->settings.eviction_timeout = with->eviction_timeout;
	if (with->more)
		assert_int_equal(fl_model_add_protection(s->m, with->more, NULL), 0);
	assert_int_equal(fl_model_seal(s->m, NULL), 0);
	if (with->going)
		s->m->workloads[fl_model_find_workload(s->m, "ns", with->going).v].evicting =
			FL_EVICTING_UNDER_WAY;
	s->p = world_policy(&fl_mem_heap, s->m, 100 * FL_SECOND);
}

static void open_stage(struct stage *s, const struct scene *scene, bool settles)
{
	open_stage_with(s, scene, settles, &(struct setting){ .resources = 1 });
}

static void close_stage(struct stage *s)
{
	ops->free(s->p);
	fl_model_free(s->m);
}

static struct fl_workload job(const struct stage *s, const char *name)
{
	return fl_model_find_workload(s->m, "ns", name);
}

static enum fl_workload_state state(const struct stage *s, const char *name)
{
	return ops->state(s->p, job(s, name));
}

static int serve(struct stage *s, const char *name)
{
	assert_int_equal(ops->forget(s->p, 200 * FL_SECOND, NULL), 0);
	return ops->serve(s->p, 200 * FL_SECOND, job(s, name), NULL, &s->d, NULL);
}

static void tell(struct stage *s, enum fl_event_kind kind, const char *name)
{
	struct fl_event e = { .kind = kind, .workload = job(s, name) };

	assert_int_equal(ops->apply(s->p, 200 * FL_SECOND, &e, NULL), 0);
}

/* Names of who was evicted, with blanks between them. */
static void victims(const struct stage *s, char text[64])
{
	size_t n = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < s->d.n; i++)
		if (s->d.rows[i].kind == FL_EVICT)
			n += (size_t)snprintf(
				text + n, 64 - n, "%s%s", n ? " " : "",
				fl_model_text(s->m, s->m->workloads[s->d.rows[i].workload.v].name));
}

static const struct scene scenes[] = {
	{ /* who was admitted within the quota of its queue stays, whoever joined later */
	  { COHORT("c", NULL, 0), QUEUE("q0", "c", 4), QUEUE("q1", "c", 2) },
	  { { "first", "q1", 0, 1, { 2 }, true },
	    { "more", "q1", 0, 2, { 4 }, true },
	    { "big", "q0", 0, 3, { 5 }, false } },
	  CYCLE("big", "", "first more") },
	{ /* the same two, admitted the other way round: both were beyond it */
	  { COHORT("c", NULL, 0), QUEUE("q0", "c", 4), QUEUE("q1", "c", 2) },
	  { { "more", "q1", 0, 1, { 4 }, true },
	    { "first", "q1", 0, 2, { 2 }, true },
	    { "big", "q0", 0, 3, { 5 }, false } },
	  CYCLE("big", "first more", "first more") },
	{ /* a share that a larger job has to itself is corrected (S2-b) */
	  { COHORT("c", NULL, 30), QUEUE("q0", "c", 0), QUEUE("q1", "c", 0) },
	  { { "whole", "q1", 0, 1, { 30 }, true }, { "part", "q0", 0, 2, { 10 }, false } },
	  CYCLE("part", "whole", "whole") },
	{ /* not what stands below, though its priority is lower: somebody else of its queue */
	  { COHORT("c", NULL, 10), QUEUE("q0", "c", 0), QUEUE("q1", "c", 0) },
	  { { "low", "q1", 0, 1, { 3 }, true },
	    { "high", "q1", 9, 2, { 5 }, true },
	    { "wide", "q0", 0, 3, { 4 }, false } },
	  CYCLE("wide", "high", "low") },
	{ /* a cohort takes its own back, past who is within a queue's */
	  { COHORT("c", NULL, 0), COHORT("x", "c", 0), QUEUE("x0", "x", 2), COHORT("y", "c", 0),
	    QUEUE("y0", "y", 2), QUEUE("y1", "y", 2) },
	  { { "lent", "y0", 0, 1, { 4 }, true },
	    { "own", "y1", 0, 2, { 2 }, true },
	    { "back", "x0", 0, 3, { 2 }, false } },
	  CYCLE("back", "lent", "lent") },
	{ /* within a queue its own order decides, though the higher one stands on a higher rung */
	  { COHORT("c", NULL, 4), QUEUE("q0", "c", 0), QUEUE("q1", "c", 0) },
	  { { "small", "q0", 0, 1, { 1 }, true }, { "urgent", "q0", 9, 2, { 4 }, false } },
	  CYCLE("urgent", "small", "small") },
};

TEST(who_may_go)
{
	for (size_t i = 0; i < COUNT(scenes) * 2; i++) {
		const struct scene *scene = &scenes[i / 2];
		char text[64];
		struct stage s;

		open_stage(&s, scene, i % 2 == 0);
		assert_int_equal(serve(&s, scene->asks), 0);
		victims(&s, text);
		assert_string_equal(text, i % 2 == 0 ? scene->goes : scene->taken);
		close_stage(&s);
	}
}

/* What is freed is for the one it was freed for: nobody else gets it, whoever is served first. */
TEST(freed_quota_is_held)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q0", "c", 4), QUEUE("q1", "c", 0) },
		{ { "lent", "q1", 0, 1, { 4 }, true },
		  { "back", "q0", 0, 2, { 3 }, false },
		  { "late", "q0", 9, 3, { 3 }, false } },
		CYCLE("back", "lent", "lent"),
	};

	for (int settles = 0; settles < 2; settles++) {
		struct stage s;

		open_stage(&s, &scene, settles);
		assert_int_equal(serve(&s, "back"), 0);
		tell(&s, FL_EV_EVICTED, "lent");
		assert_int_equal(serve(&s, "lent"), 0);
		/* Who is promised something is served along, and starts. */
		assert_int_equal(state(&s, "back"), settles ? FL_STATE_ADMITTED : FL_STATE_WAITING);
		assert_int_equal(state(&s, "lent") == FL_STATE_ADMITTED, !settles);
		close_stage(&s);
	}
}

/* Another of its queue cannot even be looked at before it. */
TEST(who_is_promised_comes_first)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q0", "c", 4), QUEUE("q1", "c", 0) },
		{ { "lent", "q1", 0, 1, { 4 }, true },
		  { "back", "q0", 0, 2, { 3 }, false },
		  { "late", "q0", 9, 3, { 3 }, false } },
		CYCLE("back", "lent", "lent"),
	};
	struct stage s;

	open_stage(&s, &scene, true);
	assert_int_equal(serve(&s, "back"), 0);
	assert_int_equal(serve(&s, "late"), FAIRLEAD_ESTATE);
	tell(&s, FL_EV_CANCEL, "back");
	assert_int_equal(serve(&s, "late"), 0);
	assert_int_equal(state(&s, "late"), FL_STATE_WAITING);
	close_stage(&s);
}

/* When quota is cut a promise may be void: nobody waits for ever for what is not to come. */
TEST(a_void_promise_is_dropped)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q0", "c", 4), QUEUE("q1", "c", 0) },
		{ { "lent", "q1", 0, 1, { 4 }, true },
		  { "back", "q0", 0, 2, { 3 }, false },
		  { "late", "q0", 0, 3, { 1 }, false } },
		CYCLE("back", "lent", "lent"),
	};
	struct stage s;
	struct fl_event cut = { .kind = FL_EV_CELL };

	open_stage(&s, &scene, true);
	assert_int_equal(serve(&s, "back"), 0);
	cut.cell = (struct fl_cell){ .kind = FL_CELL_NOMINAL,
				     .node = fl_model_find_node(s.m, FL_CLUSTER_QUEUE, "q0"),
				     .flavor = { 0 },
				     .resource = { 0 },
				     .amount = 2 };
	assert_int_equal(ops->apply(s.p, 200 * FL_SECOND, &cut, NULL), 0);
	tell(&s, FL_EV_EVICTED, "lent");
	for (int i = 0; i < 6; i++)
		assert_int_equal(ops->step(s.p, 201 * FL_SECOND, 0, NULL, &s.d, NULL), 0);
	assert_int_equal(state(&s, "late"), FL_STATE_ADMITTED);
	close_stage(&s);
}

/*
 * Who yields to its own queue asks no lower than that one did, as long as that one is there.
 * "small" goes for "urgent", which goes for "other"; then "small" would take from "other", and all
 * would go round.
 */
TEST(who_yields_asks_no_lower)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 4), QUEUE("q0", "c", 0), QUEUE("q1", "c", 0) },
		{ { "small", "q0", 0, 1, { 1 }, true },
		  { "urgent", "q0", 9, 2, { 4 }, false },
		  { "other", "q1", 0, 3, { 2 }, false },
		  { "third", "q1", 0, 4, { 2 }, false } },
		CYCLE("urgent", "small", "small"),
	};

	for (int gone = 0; gone < 2; gone++) {
		char text[64];
		struct stage s;

		open_stage(&s, &scene, true);
		assert_int_equal(serve(&s, "urgent"), 0);
		tell(&s, FL_EV_EVICTED, "small");
		assert_int_equal(serve(&s, "urgent"), 0);
		assert_int_equal(state(&s, "urgent"), FL_STATE_ADMITTED);
		assert_int_equal(serve(&s, "other"), 0);
		victims(&s, text);
		assert_string_equal(text, "urgent");
		tell(&s, FL_EV_EVICTED, "urgent");
		assert_int_equal(serve(&s, "other"), 0);
		assert_int_equal(serve(&s, "third"), 0);
		assert_int_equal(state(&s, "third"), FL_STATE_ADMITTED);
		if (gone)
			tell(&s, FL_EV_CANCEL, "urgent");
		assert_int_equal(serve(&s, "small"), 0);
		victims(&s, text);
		assert_string_equal(text, gone ? "other" : "");
		close_stage(&s);
	}
}

/* The scene of before, up to where "small" asks again; from then on it is another life of "small". */
static void yield_and_come_again(struct stage *s, struct fl_yield *ret)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 4), QUEUE("q0", "c", 0), QUEUE("q1", "c", 0) },
		{ { "small", "q0", 0, 1, { 1 }, true },
		  { "urgent", "q0", 9, 2, { 4 }, false },
		  { "other", "q1", 0, 3, { 2 }, false },
		  { "third", "q1", 0, 4, { 2 }, false } },
		CYCLE("urgent", "small", "small"),
	};

	open_stage(s, &scene, true);
	assert_false(ops->yielded(s->p, job(s, "small"), ret));
	assert_int_equal(serve(s, "urgent"), 0);
	assert_true(ops->yielded(s->p, job(s, "small"), ret));
	tell(s, FL_EV_EVICTED, "small");
	assert_int_equal(serve(s, "urgent"), 0);
	assert_int_equal(serve(s, "other"), 0);
	tell(s, FL_EV_EVICTED, "urgent");
	assert_int_equal(serve(s, "other"), 0);
	assert_int_equal(serve(s, "third"), 0);
	assert_true(ops->yielded(s->p, job(s, "small"), ret));
	tell(s, FL_EV_CANCEL, "small");
	tell(s, FL_EV_SUBMIT, "small");
}

static void count_word(void *user, uint64_t word)
{
	uint64_t *sum = user;

	*sum = (*sum ^ word) * UINT64_C(0x100000001b3);
}

static uint64_t state_of(const struct stage *s)
{
	uint64_t sum = 0;

	ops->spell(s->p, 300 * FL_SECOND, count_word, &sum);
	return sum;
}

/* What a workload yielded counts again when it is told; what is not valid is passed over. */
TEST(what_was_yielded_is_told)
{
	static const struct {
		const char *what, *goes;
	} rows[] = {
		{ "nothing", "other" },        { "as it was", "" },
		{ "to nobody", "other" },      { "to itself", "other" },
		{ "to no workload", "other" }, { "of no workload", "other" },
		{ "no floor", "other" },       { "no depth", "other" },
		{ "too deep", "other" },       { "twice", "other" },
		{ "too many", "other" },       { "a kind", "other" },
		{ "within", "other" },         { "no number", "other" },
		{ "no ratio", "other" },       { "infinite", "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_yield y;
		struct stage s;
		char text[64];
		uint64_t before;

		yield_and_come_again(&s, &y);
		assert_int_equal(y.workload.v, job(&s, "small").v);
		assert_int_equal(y.to.v, job(&s, "urgent").v);
		assert_int_equal(y.n, 1);
		assert_int_equal(y.floors[0].depth, 1);
		before = state_of(&s);
		switch (i) {
		case 2:
			y.to.v = FL_NONE;
			break;
		case 3:
			y.to = y.workload;
			break;
		case 4:
			y.to.v = s.m->n_workloads;
			break;
		case 5:
			y.workload.v = s.m->n_workloads;
			break;
		case 6:
			y.n = 0;
			break;
		case 7:
			y.floors[0].depth = 0;
			break;
		case 8:
			y.floors[0].depth = 2;
			break;
		case 9:
			y.floors[y.n++] = y.floors[0];
			break;
		case 10:
			y.n = FL_YIELD_FLOORS + 1;
			break;
		case 11:
			y.floors[0].kind = 17;
			break;
		case 12:
			y.floors[0].kind = 0;
			break;
		case 13:
			y.floors[0].weighted = NAN;
			break;
		case 14:
			y.floors[0].ratio = NAN;
			break;
		case 15:
			y.floors[0].weighted = INFINITY;
			break;
		default:
			break;
		}
		assert_int_equal(ops->remember(s.p, &y, i > 0, NULL), 0);
		assert_true((state_of(&s) == before) == (*rows[i].goes != '\0'));
		assert_int_equal(serve(&s, "small"), 0);
		victims(&s, text);
		assert_string_equal(text, rows[i].goes);
		close_stage(&s);
	}
}

/* What is known stays; and nothing is told inside a mark. */
TEST(what_was_yielded_is_told_once)
{
	struct fl_yield y, z;
	struct stage s;
	fl_mark mark;

	yield_and_come_again(&s, &y);
	assert_int_equal(ops->mark(s.p, &mark, NULL), 0);
	assert_int_equal(ops->remember(s.p, &y, 1, NULL), FAIRLEAD_ESTATE);
	ops->rollback(s.p, mark);
	assert_int_equal(ops->remember(s.p, &y, 1, NULL), 0);
	assert_true(ops->yielded(s.p, y.workload, &z));
	assert_memory_equal(&y, &z, sizeof y);
	z.floors[0].weighted = 0;
	z.to = job(&s, "third");
	assert_int_equal(ops->remember(s.p, &z, 1, NULL), 0);
	assert_true(ops->yielded(s.p, y.workload, &z));
	assert_memory_equal(&y, &z, sizeof y);
	tell(&s, FL_EV_CANCEL, "urgent");
	assert_false(ops->yielded(s.p, y.workload, &z));
	z = (struct fl_yield){ .workload = y.workload, .to = { FL_NONE }, .forgiven = true };
	assert_int_equal(ops->remember(s.p, &z, 1, NULL), 0);
	assert_true(ops->yielded(s.p, y.workload, &z));
	assert_true(z.forgiven && z.to.v == FL_NONE && z.n == 0);
	/* It was forgiven since: what was told of before that counts no more. */
	assert_int_equal(ops->remember(s.p, &y, 1, NULL), 0);
	assert_true(ops->yielded(s.p, y.workload, &z));
	assert_true(z.forgiven && z.to.v == FL_NONE && z.n == 0);
	close_stage(&s);
}

/*
 * "own" holds what is its queue's, and has yielded: it is not within, and may go for another queue.  Told of one that holds
 * quota already, standings are found again.
 */
TEST(one_that_holds_is_told_of)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q", "c", 4), QUEUE("x", "c", 4) },
		{ { "own", "q", 0, 1, { 4 }, true },
		  { "lent", "q", 9, 2, { 4 }, false },
		  { "back", "x", 0, 3, { 4 }, false },
		  { "more", "x", 9, 4, { 4 }, false } },
		CYCLE("back", "", ""),
	};
	struct fl_yield y = { .n = 1, .floors = { { 1, 3, 0.5, 0 } } };
	struct stage s;
	char text[64];

	for (int told = 0; told < 2; told++) {
		open_stage(&s, &scene, true);
		assert_int_equal(serve(&s, "lent"), 0);
		assert_int_equal(state(&s, "lent"), FL_STATE_ADMITTED);
		y.workload = job(&s, "own");
		y.to = job(&s, "more");
		if (told)
			assert_int_equal(ops->remember(s.p, &y, 1, NULL), 0);
		assert_int_equal(serve(&s, "back"), 0);
		victims(&s, text);
		assert_string_equal(text, told ? "own" : "lent");
		close_stage(&s);
	}
}

/*
 * "i" yields to "x" in their cohort.  When it comes back, to what is its queue's, it must not raise
 * the rung of "x": it can be taken itself now, and all could go round.
 */
TEST(who_has_yielded_is_not_within)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 16), COHORT("n", "c", 0), QUEUE("qi", "n", 5),
		  QUEUE("qx", "n", 0), QUEUE("y", "c", 0) },
		{ { "j", "qi", 9, 1, { 11 }, true },
		  { "i", "qi", 0, 2, { 5 }, true },
		  { "x", "qx", 0, 3, { 10 }, false },
		  { "y", "y", 0, 4, { 8 }, false } },
		CYCLE("x", "i", "i"),
	};

	for (int yields = 0; yields < 2; yields++) {
		char text[64];
		struct stage s;

		open_stage(&s, &scene, true);
		if (!yields)
			tell(&s, FL_EV_EVICTED, "i");
		assert_int_equal(serve(&s, "x"), 0);
		victims(&s, text);
		assert_string_equal(text, yields ? "i" : "");
		if (yields) {
			tell(&s, FL_EV_EVICTED, "i");
			assert_int_equal(serve(&s, "x"), 0);
		}
		tell(&s, FL_EV_FINISHED, "j");
		tell(&s, FL_EV_EVICTED, "x");
		assert_int_equal(serve(&s, "x"), 0);
		assert_int_equal(state(&s, "x"), FL_STATE_ADMITTED);
		assert_int_equal(serve(&s, "i"), 0);
		assert_int_equal(state(&s, "i"), FL_STATE_ADMITTED);
		assert_int_equal(serve(&s, "y"), 0);
		victims(&s, text);
		assert_string_equal(text, yields ? "" : "x");
		close_stage(&s);
	}
}

/* Its queue may not borrow again for a while: what it was promised before that is not touched. */
TEST(a_back_off_voids_no_promise)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 5), QUEUE("qb", "c", 0), QUEUE("qr", "c", 7) },
		{ { "slow", "qb", 0, 1, { 6 }, true },
		  { "other", "qb", 1, 2, { 6 }, true },
		  { "b", "qb", 1, 3, { 5 }, false },
		  { "r", "qr", 0, 4, { 7 }, false } },
		CYCLE("b", "slow", "slow"),
	};
	struct fl_protection_row row = { .scope = FL_PROTECT_ALL, .says = fl_protection_default };
	char text[64];
	struct stage s;

	row.says.back_off_base = row.says.back_off_max = 3600 * FL_SECOND;
	open_stage_with(&s, &scene, true, &(struct setting){ .more = &row, .resources = 1 });
	assert_int_equal(serve(&s, "b"), 0);
	assert_int_equal(serve(&s, "r"), 0);
	victims(&s, text);
	assert_string_equal(text, "slow other");
	tell(&s, FL_EV_EVICTED, "slow");
	tell(&s, FL_EV_EVICTED, "other");
	assert_int_equal(serve(&s, "r"), 0);
	assert_int_equal(state(&s, "r"), FL_STATE_ADMITTED);
	assert_int_equal(state(&s, "b"), FL_STATE_ADMITTED);
	close_stage(&s);
}

/* Any in one queue would be: each goes for the other, for ever. */
TEST(its_own_queue_is_in_order)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q", "c", 4) },
		{ { "holds", "q", 0, 1, { 4 }, true },
		  { "newer", "q", 0, 2, { 4 }, false },
		  { "higher", "q", 1, 3, { 4 }, false } },
		CYCLE("newer", "", "holds"),
	};

	for (int settles = 0; settles < 2; settles++) {
		char text[64];
		struct stage s;

		open_stage(&s, &scene, settles);
		s.m->nodes[fl_model_find_node(s.m, FL_CLUSTER_QUEUE, "q").v].within_queue =
			FL_PREEMPT_ANY;
		assert_int_equal(serve(&s, "newer"), 0);
		victims(&s, text);
		assert_string_equal(text, settles ? scene.goes : scene.taken);
		if (settles) {
			assert_int_equal(serve(&s, "higher"), 0);
			victims(&s, text);
			assert_string_equal(text, "holds");
		}
		close_stage(&s);
	}
}

/* What a victim was within does not count for the one it goes for: "p" borrows, and can be taken. */
TEST(victims_leave_what_was_theirs)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 2), QUEUE("q0", "c", 4), QUEUE("q1", "c", 0) },
		{ { "v", "q0", 0, 1, { 4 }, true },
		  { "p", "q0", 1, 2, { 6 }, false },
		  { "other", "q1", 0, 3, { 1 }, false } },
		CYCLE("p", "v", "v"),
	};
	char text[64];
	struct stage s;

	open_stage(&s, &scene, true);
	assert_int_equal(serve(&s, "p"), 0);
	tell(&s, FL_EV_EVICTED, "v");
	assert_int_equal(serve(&s, "p"), 0);
	assert_int_equal(state(&s, "p"), FL_STATE_ADMITTED);
	assert_int_equal(serve(&s, "other"), 0);
	victims(&s, text);
	assert_string_equal(text, "p");
	close_stage(&s);
}

static void step(struct stage *s)
{
	assert_int_equal(ops->step(s->p, 200 * FL_SECOND, 0, NULL, &s->d, NULL), 0);
}

static struct fl_node_row *queue(struct stage *s, const char *name)
{
	return &s->m->nodes[fl_model_find_node(s->m, FL_CLUSTER_QUEUE, name).v];
}

/*
 * "first" may preempt nobody, waits for all that is its queue's, and is served before "own", which
 * wants its queue's quota back: what it keeps from others it does not keep from "own".
 */
TEST(nothing_is_kept_from_who_is_within)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q0", "c", 4), QUEUE("q1", "c", 2),
		  QUEUE("z", "c", 0) },
		{ { "more", "z", 0, 1, { 4 }, true },
		  { "lent", "z", 0, 2, { 2 }, true },
		  { "first", "q0", 0, 3, { 4 }, false },
		  { "own", "q1", 0, 4, { 2 }, false } },
		CYCLE("own", "lent", "lent"),
	};

	for (int strict = 0; strict < 2; strict++) {
		char text[64];
		struct stage s;

		open_stage(&s, &scene, true);
		queue(&s, "q0")->reclaim = FL_PREEMPT_NEVER;
		queue(&s, "q0")->strategy = strict ? FL_STRICT_FIFO : FL_BEST_EFFORT_FIFO;
		step(&s);
		victims(&s, text);
		assert_string_equal(text, "lent");
		tell(&s, FL_EV_EVICTED, "lent");
		step(&s);
		assert_int_equal(state(&s, "own"), FL_STATE_ADMITTED);
		close_stage(&s);
	}
}

/*
 * "old" goes slowly, and "p" is promised what is its queue's beside it: it needs nobody else, and
 * is within as it would be had "old" gone at once, so "back" takes "late" and not it.
 */
TEST(who_goes_counts_as_gone)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 8),
		  QUEUE("q", "c", 4),
		  QUEUE("s", "c", 2),
		  { "z", "c", FL_CLUSTER_QUEUE, 0.1, { { 0, NO, NO } } } },
		{ { "old", "q", 1, 1, { 8 }, true },
		  { "x", "z", 0, 2, { 6 }, true },
		  { "p", "q", 0, 3, { 4 }, false },
		  { "late", "q", 1, 4, { 10 }, false },
		  { "back", "s", 0, 5, { 2 }, false } },
		CYCLE("p", "", ""),
	};
	const struct setting with = { .going = "old", .resources = 1 };

	for (int slow = 0; slow < 2; slow++) {
		char text[64];
		struct stage s;

		open_stage_with(&s, &scene, true, &with);
		if (slow) {
			assert_int_equal(serve(&s, "p"), 0);
			victims(&s, text);
			assert_string_equal(text, "old"); /* which goes already */
		}
		tell(&s, FL_EV_EVICTED, "old");
		assert_int_equal(serve(&s, "p"), 0);
		assert_int_equal(state(&s, "p"), FL_STATE_ADMITTED);
		assert_int_equal(serve(&s, "late"), 0);
		victims(&s, text);
		assert_string_equal(text, "x");
		tell(&s, FL_EV_EVICTED, "x");
		assert_int_equal(serve(&s, "late"), 0);
		assert_int_equal(state(&s, "late"), FL_STATE_ADMITTED);
		assert_int_equal(serve(&s, "back"), 0);
		victims(&s, text);
		assert_string_equal(text, "late");
		close_stage(&s);
	}
}

/* To ask for nothing of what others of the queue have too much of takes no advantage away. */
TEST(nothing_takes_no_advantage_away)
{
	static const struct scene scene = {
		{ { "c", NULL, FL_COHORT, 1, { { 0, NO, NO }, { 0, NO, NO } } },
		  { "q0", "c", FL_CLUSTER_QUEUE, 1, { { 3, NO, NO }, { 2, NO, NO } } },
		  { "q1", "c", FL_CLUSTER_QUEUE, 1, { { 2, NO, NO }, { 3, NO, NO } } } },
		{ { "other", "q0", 0, 1, { 0, 3 }, true },
		  { "lent", "q1", 0, 2, { 5, 0 }, true },
		  { "own", "q0", 0, 3, { 3, 0 }, false } },
		CYCLE("own", "lent", ""),
	};

	for (int i = 0; i < 4; i++) {
		const struct setting with = { .resources = 2, .classical = i < 2 };
		char text[64];
		struct stage s;

		open_stage_with(&s, &scene, true, &with);
		if (i % 2)
			queue(&s, "q0")->preference = FL_PREEMPTION_OVER_BORROWING;
		step(&s);
		victims(&s, text);
		assert_string_equal(text, "lent");
		tell(&s, FL_EV_EVICTED, "lent");
		step(&s);
		assert_int_equal(state(&s, "own"), FL_STATE_ADMITTED);
		close_stage(&s);
	}
}

/* What is promised nobody can take: once it is held, who is within is looked at again. */
TEST(who_waits_for_a_promise_is_woken)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q", "c", 4), QUEUE("y", "c", 0),
		  QUEUE("z", "c", 0) },
		{ { "whole", "z", 0, 1, { 4 }, true },
		  { "part", "y", 0, 2, { 3 }, false },
		  { "own", "q", 0, 3, { 4 }, false } },
		CYCLE("own", "part", "whole"),
	};
	char text[64];
	struct stage s;

	open_stage(&s, &scene, true);
	assert_int_equal(serve(&s, "part"), 0);
	victims(&s, text);
	assert_string_equal(text, "whole");
	step(&s);
	victims(&s, text);
	assert_string_equal(text, "");
	tell(&s, FL_EV_EVICTED, "whole");
	step(&s);
	assert_int_equal(state(&s, "part"), FL_STATE_ADMITTED);
	step(&s);
	victims(&s, text);
	assert_string_equal(text, "part");
	close_stage(&s);
}

/* "small" yielded to "urgent", which waits and is cancelled: it is looked at again, parked or not. */
TEST(who_yielded_is_woken)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 4), QUEUE("q0", "c", 0), QUEUE("q1", "c", 0) },
		{ { "small", "q0", 0, 1, { 1 }, true },
		  { "urgent", "q0", 9, 2, { 4 }, false },
		  { "other", "q1", 0, 3, { 2 }, false },
		  { "third", "q1", 0, 4, { 2 }, false } },
		CYCLE("urgent", "small", "small"),
	};
	char text[64];
	struct stage s;

	open_stage(&s, &scene, true);
	assert_int_equal(serve(&s, "urgent"), 0);
	tell(&s, FL_EV_EVICTED, "small");
	assert_int_equal(serve(&s, "urgent"), 0);
	assert_int_equal(serve(&s, "other"), 0);
	tell(&s, FL_EV_EVICTED, "urgent");
	assert_int_equal(serve(&s, "other"), 0);
	assert_int_equal(serve(&s, "third"), 0);
	for (int i = 0; i < 3; i++)
		step(&s);
	assert_int_equal(state(&s, "small"), FL_STATE_INADMISSIBLE);
	tell(&s, FL_EV_CANCEL, "urgent");
	step(&s);
	victims(&s, text);
	assert_string_equal(text, "other");
	close_stage(&s);
}

/* "own" made way for "urgent", which then went for "back" and merely waits: "own" claims its quota. */
TEST(who_made_way_claims_while_the_other_waits)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0),
		  QUEUE("q", "c", 4),
		  QUEUE("x", "c", 4),
		  { "z", "c", FL_CLUSTER_QUEUE, 10, { { 0, NO, NO } } } },
		{ { "own", "q", 0, 1, { 4 }, true },
		  { "urgent", "q", 1, 2, { 6 }, false },
		  { "back", "x", 0, 3, { 4 }, false },
		  { "more", "z", 0, 4, { 4 }, false } },
		CYCLE("urgent", "own", "own"),
	};
	char text[64];
	struct stage s;

	open_stage(&s, &scene, true);
	assert_int_equal(serve(&s, "urgent"), 0);
	tell(&s, FL_EV_EVICTED, "own");
	assert_int_equal(serve(&s, "urgent"), 0);
	assert_int_equal(serve(&s, "back"), 0);
	victims(&s, text);
	assert_string_equal(text, "urgent");
	tell(&s, FL_EV_EVICTED, "urgent");
	assert_int_equal(serve(&s, "back"), 0);
	assert_int_equal(serve(&s, "more"), 0);
	assert_int_equal(state(&s, "more"), FL_STATE_ADMITTED);
	assert_int_equal(serve(&s, "own"), 0);
	victims(&s, text);
	assert_string_equal(text, "more");
	close_stage(&s);
}

/* What somebody leaves who is going is not for the next of its own queue, which borrows, too. */
TEST(who_goes_makes_no_room_for_who_borrows)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 2), QUEUE("q", "c", 0), QUEUE("z", "c", 0) },
		{ { "goes", "q", 0, 1, { 1 }, true },
		  { "stays", "q", 0, 2, { 1 }, true },
		  { "again", "q", 0, 3, { 1 }, false },
		  { "small", "z", 0, 4, { 1 }, false } },
		CYCLE("again", "", ""),
	};
	const struct setting with = { .going = "goes", .resources = 1 };
	char text[64];
	struct stage s;

	open_stage_with(&s, &scene, true, &with);
	assert_int_equal(serve(&s, "again"), 0);
	victims(&s, text);
	assert_string_equal(text, "");
	assert_int_equal(serve(&s, "small"), 0);
	victims(&s, text);
	assert_string_equal(text, "goes");
	close_stage(&s);
}

/* Of two that are promised something the one that has waited longer has what there is first. */
TEST(the_older_promise_is_kept_first)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 4), QUEUE("a", "c", 0), QUEUE("b", "c", 0),
		  QUEUE("z", "c", 0) },
		{ { "one", "z", 0, 1, { 1 }, true },
		  { "two", "z", 0, 2, { 1 }, true },
		  { "three", "z", 0, 3, { 1 }, true },
		  { "four", "z", 0, 4, { 1 }, true },
		  { "older", "b", 0, 5, { 1 }, false },
		  { "newer", "a", 0, 6, { 1 }, false } },
		CYCLE("older", "four", "four"),
	};
	struct stage s;

	open_stage(&s, &scene, true);
	step(&s);
	assert_int_equal(state(&s, "three"), FL_STATE_EVICTING);
	assert_int_equal(state(&s, "four"), FL_STATE_EVICTING);
	tell(&s, FL_EV_EVICTED, "three");
	step(&s);
	assert_int_equal(state(&s, "older"), FL_STATE_ADMITTED);
	assert_int_equal(state(&s, "newer"), FL_STATE_WAITING);
	close_stage(&s);
}

/*
 * "stuck" does not let go: after the time it is waited for, "whole" gives back what it was promised, and
 * "part" of its queue has what is there.  Once "stuck" has gone "whole" is promised anew.
 */
TEST(a_promise_is_given_back)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q", "c", 4), QUEUE("z", "c", 0) },
		{ { "stuck", "z", 0, 1, { 2 }, true },
		  { "quick", "z", 0, 2, { 2 }, true },
		  { "whole", "q", 0, 3, { 4 }, false },
		  { "part", "q", 0, 4, { 1 }, false } },
		CYCLE("whole", "quick stuck", "quick stuck"),
	};

	for (int timed = 0; timed < 2; timed++) {
		const struct setting with = { .resources = 1,
					      .eviction_timeout = timed * 60 * FL_SECOND };
		char text[64];
		struct stage s;

		open_stage_with(&s, &scene, true, &with);
		assert_int_equal(serve(&s, "whole"), 0);
		victims(&s, text);
		assert_string_equal(text, scene.goes);
		assert_true(ops->wake(s.p, 200 * FL_SECOND) ==
			    (timed ? 260 * FL_SECOND : FL_NEVER));
		tell(&s, FL_EV_FINISHED, "quick");
		for (int i = 250; i < 264; i++)
			assert_int_equal(ops->step(s.p, i * FL_SECOND, 0, NULL, &s.d, NULL), 0);
		assert_int_equal(state(&s, "part") == FL_STATE_ADMITTED, timed);
		tell(&s, FL_EV_EVICTED, "stuck");
		tell(&s, timed ? FL_EV_FINISHED : FL_EV_CANCEL, "part");
		for (int i = 264; i < 268; i++)
			assert_int_equal(ops->step(s.p, i * FL_SECOND, 0, NULL, &s.d, NULL), 0);
		assert_int_equal(state(&s, "whole"), FL_STATE_ADMITTED);
		close_stage(&s);
	}
}

/*
 * "first" and "second" keep something each, the second while what the first keeps is lifted: "own",
 * which is served after them, has all of it lifted, and not one of two.
 */
TEST(a_reservation_counts_once)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q0", "c", 4), QUEUE("q1", "c", 2),
		  QUEUE("q2", "c", 4), QUEUE("z", "c", 0) },
		{ { "more", "z", 0, 1, { 8 }, true },
		  { "lent", "z", 0, 2, { 2 }, true },
		  { "first", "q0", 0, 3, { 4 }, false },
		  { "second", "q2", 0, 4, { 4 }, false },
		  { "own", "q1", 0, 5, { 2 }, false } },
		CYCLE("own", "lent", "lent"),
	};

	for (int never = 0; never < 2; never++) {
		char text[64];
		struct stage s;

		open_stage(&s, &scene, true);
		queue(&s, "q0")->reclaim = FL_PREEMPT_NEVER;
		queue(&s, "q2")->reclaim = never ? FL_PREEMPT_NEVER : FL_PREEMPT_LOWER_PRIORITY;
		step(&s);
		victims(&s, text);
		assert_string_equal(text, "lent");
		tell(&s, FL_EV_EVICTED, "lent");
		step(&s);
		assert_int_equal(state(&s, "own"), FL_STATE_ADMITTED);
		close_stage(&s);
	}
}

static enum fl_decision_kind alone(struct stage *s, const char *name)
{
	assert_int_equal(ops->try(s->p, 200 * FL_SECOND, job(s, name), NULL, &s->d, NULL), 0);
	for (uint32_t i = 1; i < s->d.n; i++)
		assert_int_equal(s->d.rows[i].preemptor.v, job(s, name).v);
	assert_int_equal(s->d.rows[0].workload.v, job(s, name).v);
	return s->d.rows[0].kind;
}

/* What is free and promised is there for nobody else, of its queue or another, not even tried alone. */
TEST(what_is_promised_is_not_tried_for)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q", "c", 4), QUEUE("x", "c", 0), QUEUE("y", "c", 0),
		  QUEUE("z", "c", 0) },
		{ { "whole", "z", 0, 1, { 4 }, true },
		  { "part", "y", 0, 2, { 3 }, false },
		  { "more", "y", 0, 3, { 2 }, false },
		  { "other", "x", 0, 4, { 2 }, false },
		  { "small", "x", 0, 5, { 1 }, false } },
		CYCLE("part", "whole", "whole"),
	};

	for (int settles = 0; settles < 2; settles++) {
		struct stage s;

		open_stage(&s, &scene, settles);
		assert_int_equal(serve(&s, "part"), 0);
		assert_int_equal(alone(&s, "small"), FL_RESERVE);
		assert_int_equal(alone(&s, "other"), settles ? FL_WAIT : FL_RESERVE);
		assert_int_equal(alone(&s, "more"), settles ? FL_WAIT : FL_RESERVE);
		tell(&s, FL_EV_EVICTED, "whole");
		assert_int_equal(alone(&s, "part"), FL_ADMIT);
		assert_int_equal(alone(&s, "small"), FL_ADMIT);
		assert_int_equal(alone(&s, "other"), settles ? FL_WAIT : FL_ADMIT);
		assert_int_equal(alone(&s, "more"), settles ? FL_WAIT : FL_ADMIT);
		close_stage(&s);
	}
}

/*
 * A timeout that is said while evictions are under way counts from when they were told to go; from
 * now on where nobody noted that.
 */
TEST(a_timeout_may_come_later)
{
	static const struct scene scene = {
		{ COHORT("c", NULL, 0), QUEUE("q", "c", 4), QUEUE("z", "c", 0) },
		{ { "stuck", "z", 0, 1, { 4 }, true },
		  { "whole", "q", 0, 2, { 4 }, false },
		  { "part", "z", 0, 3, { 4 }, false } },
		CYCLE("whole", "stuck", "stuck"),
	};
	const struct setting timed = { .resources = 1, .eviction_timeout = 60 * FL_SECOND };
	const struct fl_workload was[] = { { 0 }, { 1 }, { 2 } };

	for (int noted = 0; noted < 2; noted++) {
		struct stage before, s;

		open_stage(&before, &scene, /* settles= */ noted);
		assert_int_equal(serve(&before, "whole"), 0); /* at 200 s */
		assert_int_equal(state(&before, "stuck"), FL_STATE_EVICTING);
		open_stage_with(&s, &scene, true, &timed);
		assert_int_equal(ops->adopt(s.p, 230 * FL_SECOND, before.p, was, NULL), 0);
		assert_int_equal(state(&s, "stuck"), FL_STATE_EVICTING);
		assert_int_equal(ops->wake(s.p, 230 * FL_SECOND), (noted ? 260 : 290) * FL_SECOND);
		close_stage(&s);
		close_stage(&before);
	}
}

UNIT_GROUP("rung")
