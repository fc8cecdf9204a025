/* SPDX-License-Identifier: Apache-2.0 */
/* A loop is told, followed, and ended: as it is, and with each call for memory failing. */
#include "ask/prove/follow.h"
#include "ask/prove/loop_moves.h"
#include "ask/prove/remedy.h"

#include "lib/fail_mem.h"
#include "lib/unit.h"
#include "lib/world.h"

enum { START = 1000, MOVES = 8 };

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

/* Three workloads of which no order comes to rest: w0 of q0, w3 and w4 of q1. */
static struct fl_model *model_new(void)
{
	static const struct world_node nodes[] = {
		{ "root", NULL, FL_COHORT, 1, { { 0, FL_NO_LIMIT, FL_NO_LIMIT } } },
		{ "q0", "root", FL_CLUSTER_QUEUE, 1, { { 4, FL_NO_LIMIT, FL_NO_LIMIT } } },
		{ "q1", "root", FL_CLUSTER_QUEUE, 1, { { 2, FL_NO_LIMIT, FL_NO_LIMIT } } },
	};
	static const struct world_job jobs[] = {
		{ "w0", "q0", 0, 1, { 5 }, false },
		{ "w3", "q1", 0, 2, { 4 }, true },
		{ "w4", "q1", 0, 3, { 2 }, true },
	};
	struct fl_model *m = world_open(&fl_mem_heap, nodes, COUNT(nodes), 1);
	fairlead_error err;

	for (uint32_t i = 0; i < COUNT(nodes); i++) {
		m->nodes[i].reclaim = FL_PREEMPT_ANY;
		m->nodes[i].within_queue = FL_PREEMPT_NEVER;
	}
	m->settings.present = m->settings.fair_sharing = true;
	m->settings.n_strategies = 2;
	m->settings.strategies[0] = FL_FINAL_SHARE;
	m->settings.strategies[1] = FL_INITIAL_SHARE;
	for (uint32_t i = 0; i < COUNT(jobs); i++)
		world_add_job(m, &jobs[i], 1);
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

static struct fl_move move_of(const struct fl_model *m, enum fl_move_kind kind, const char *name)
{
	struct fl_move move = { kind, fl_model_find_workload(m, "ns", name) };

	assert_int_not_equal(move.workload.v, FL_NONE);
	return move;
}

/* The round, which is the same only the second time: who has been evicted has waited since then. */
static void moves_of(const struct fl_model *m, struct fl_move ret[2 * MOVES])
{
	static const struct {
		enum fl_move_kind kind;
		const char *name;
	} rows[MOVES] = {
		{ FL_MOVE_SERVE, "w0" }, { FL_MOVE_LET_GO, "w3" }, { FL_MOVE_LET_GO, "w4" },
		{ FL_MOVE_SERVE, "w0" }, { FL_MOVE_SERVE, "w4" },  { FL_MOVE_LET_GO, "w0" },
		{ FL_MOVE_SERVE, "w4" }, { FL_MOVE_SERVE, "w3" },
	};

	for (int i = 0; i < MOVES; i++)
		ret[i] = ret[MOVES + i] = move_of(m, rows[i].kind, rows[i].name);
}

static bool is_called(const struct fl_model *m, struct fl_workload w, const char *name)
{
	return w.v != FL_NONE && strcmp(fl_model_text(m, m->workloads[w.v].name), name) == 0;
}

TEST(a_round_is_told)
{
	struct fl_model *m = model_new();
	struct fl_policy *p = world_policy(&fl_mem_heap, m, START * FL_SECOND);
	struct fl_move moves[2 * MOVES];
	struct fl_arena arena;
	struct fl_loop_moves r;
	uint32_t failed = 0;
	fairlead_error err;

	moves_of(m, moves);
	fl_arena_init(&arena, &fl_mem_heap);
	assert_int_equal(fl_loop_moves_tell(ops, p, m, START * FL_SECOND, moves, MOVES, MOVES,
					    &arena, &r, &failed, &err),
			 0);
	assert_false(r.race);
	assert_true(r.closes && r.n_cast == 3 && r.n_queues == 2 && r.n_resources == 1);
	assert_true(r.queues[0].quota[0] == 4 && r.queues[1].quota[0] == 2);
	assert_int_equal(r.steps[0].acts.n, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct fl_loop_act *act = &r.acts[r.steps[0].acts.first + i];

		assert_true(act->kind == FL_EVICT && is_called(m, act->preemptor, "w0"));
		assert_int_equal(act->reason, FL_REASON_IN_COHORT_FAIR_SHARING);
		assert_true(act->has_proof && act->proof.lhs.share == 1000.0 / 6);
		assert_int_equal(act->proof.check,
				 is_called(m, act->workload, "w4") ? FL_CHECK_S2A : FL_CHECK_S2B);
		assert_true(act->sides[1].before.precise == 4000.0 / 6 &&
			    act->sides[1].after.precise == 0);
		assert_true(act->sides[0].after.precise == 1000.0 / 6);
	}
	assert_true(r.start.n == 2 && r.steps[2 * MOVES - 1].holdings.n == 2);
	assert_true(r.steps[3].holdings.n == 1 &&
		    r.holdings[r.steps[3].holdings.first].amount[0] == 5);
	/* Without its end it does not close; a move that cannot be made is named. */
	assert_int_equal(fl_loop_moves_tell(ops, p, m, START * FL_SECOND, moves, MOVES, MOVES - 1,
					    &arena, &r, &failed, &err),
			 0);
	assert_false(r.closes);
	/* Those who had to go come back before the one for whom they went. */
	moves[3] = moves[7];
	assert_int_equal(fl_loop_moves_tell(ops, p, m, START * FL_SECOND, moves, 0, 5, &arena, &r,
					    &failed, &err),
			 0);
	assert_true(r.race);
	moves[2] = moves[1];
	assert_int_equal(fl_loop_moves_tell(ops, p, m, START * FL_SECOND, moves, 0, MOVES, &arena,
					    &r, &failed, &err),
			 FAIRLEAD_ESTATE);
	assert_int_equal(failed, 2);
	fl_arena_done(&arena);
	ops->free(p);
	fl_model_free(m);
}

/* From the so many-th call on there is no more memory. */
static void *run_dry(void *user, void *old, size_t size)
{
	unsigned long *left = user;

	if (size == 0) {
		free(old);
		return NULL;
	}
	return *left > 0 && (*left)-- ? realloc(old, size) : NULL;
}

/* Wherever the memory of what is told runs out: ENOMEM, and nothing is told. */
TEST(what_is_told_may_run_out_of_memory)
{
	struct fl_model *m = model_new();
	struct fl_policy *p = world_policy(&fl_mem_heap, m, START * FL_SECOND);
	struct fl_move moves[2 * MOVES];
	unsigned long n = 0;
	int rc;

	moves_of(m, moves);
	do {
		unsigned long left = n++;
		const struct fl_mem dry = { .resize = run_dry, .user = &left };
		struct fl_loop_moves r = { .n = 1 };
		struct fl_arena arena;
		fairlead_error err;

		fl_arena_init(&arena, &dry);
		rc = fl_loop_moves_tell(ops, p, m, START * FL_SECOND, moves, MOVES, MOVES, &arena,
					&r,
					/* ret_failed= */ NULL, &err);
		assert_true(rc == 0 || rc == FAIRLEAD_ENOMEM);
		assert_int_equal(r.n, rc == 0 ? MOVES : 1);
		fl_arena_done(&arena);
	} while (rc != 0);
	assert_true(n > 1);
	ops->free(p);
	fl_model_free(m);
}

static int ignore(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	(void)err;
	*(uint32_t *)user += cycle->decided;
	return 0;
}

TEST(moves_are_followed)
{
	static const struct {
		uint32_t n, repeat, cycles, ran, first, period;
	} rows[] = {
		{ MOVES, 0, 100, MOVES, 0, 0 },
		{ MOVES, MOVES, 100, 2 * MOVES, MOVES + 1, MOVES },
		{ 2 * MOVES, MOVES, 100, 2 * MOVES, MOVES + 1, MOVES },
		{ MOVES, MOVES, 5, 5, 0, 0 },
		{ 4, 0, 100, 4, 0, 0 },
		{ 0, 0, 100, 0, 0, 0 },
	};
	struct fl_model *m = model_new();
	struct fl_move moves[2 * MOVES];

	moves_of(m, moves);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_policy *p = world_policy(&fl_mem_heap, m, START * FL_SECOND);
		struct fl_follow_options o = { .mem = &fl_mem_heap,
					       .now = START * FL_SECOND,
					       .cycles = rows[i].cycles,
					       .moves = moves,
					       .n = rows[i].n,
					       .repeat = rows[i].repeat };
		uint32_t failed = 0, decided = 0;
		struct fl_settle_result r;
		fairlead_error err;

		assert_int_equal(fl_follow(ops, p, m, &o, ignore, &decided, &r, &failed, &err), 0);
		assert_true(r.cycles == rows[i].ran && r.loop_first == rows[i].first &&
			    r.loop_period == rows[i].period && !r.settled);
		ops->free(p);
	}
	fl_model_free(m);
}

/* All of it, on a policy that must be as it was. */
static int ask_all(struct fl_policy *p, const struct fl_model *m, const struct fl_mem *mem,
		   uint32_t *ret_helps, fairlead_error *err)
{
	struct fl_prove_options how = { .mem = mem, .now = START * FL_SECOND, .states = 1000 };
	struct fl_prove_result found = { 0 };
	enum fl_whole whole = FL_WHOLE_UNKNOWN;
	struct fl_arena arena;
	struct fl_loop_moves round;
	struct fl_remedies remedies;
	struct fl_remedy_options options = { .mem = mem,
					     .arena = &arena,
					     .now = START * FL_SECOND,
					     .interval = FL_SECOND,
					     .cycles = 100,
					     .states = 1000 };

	fl_arena_init(&arena, mem);
	int rc = fl_prove(ops, p, m, &how, &found, err);
	if (rc == 0)
		rc = fl_whole_loop(ops, p, m, &how, &found, &whole, err);
	if (rc == 0)
		rc = fl_loop_moves_tell(ops, p, m, how.now, found.moves, found.prefix, found.n,
					&arena, &round, /* ret_failed= */ NULL, err);
	if (rc == 0)
		rc = fl_remedies_try(ops, m, &options, &remedies, err);
	if (rc == 0) {
		assert_true(found.loop == FL_LOOP_FORCED && found.always);
		assert_true(whole == FL_WHOLE_LOOP && found.n == MOVES && round.closes);
		for (uint32_t i = 0; i < remedies.n; i++)
			*ret_helps |= (uint32_t)fl_remedy_helps(&remedies.rows[i])
				      << remedies.rows[i].kind;
	}
	fl_prove_done(mem, &found);
	fl_arena_done(&arena);
	return rc;
}

TEST(survives_each_failing_call)
{
	struct fl_model *m = model_new();
	struct fail_mem f;
	unsigned long n = 1;
	uint32_t helps = 0;
	int rc;

	do {
		uint64_t before[2], after[2];
		fairlead_error err = { 0 };

		fail_mem_init(&f);
		struct fl_policy *p = world_policy(&f.mem, m, START * FL_SECOND);
		ops->digest(p, START * FL_SECOND, before);
		f.fail_at = n;
		rc = ask_all(p, m, &f.mem, &helps, &err);
		f.fail_at = 0;
		assert_true(rc == 0 || rc == FAIRLEAD_ENOMEM);
		ops->digest(p, START * FL_SECOND, after);
		assert_memory_equal(before, after, sizeof before);
		ops->free(p);
		assert_int_equal(f.live, 0);
		n += 1 + n / 50; /* each of the first ones, then fewer */
	} while (rc != 0);
	assert_true(n > 100);
	assert_true(helps & 1U << FL_REMEDY_SETTLES);
	assert_true(helps & 1U << FL_REMEDY_FINAL_SHARE);
	assert_false(helps & 1U << FL_REMEDY_HOLD);
	fl_model_free(m);
}

UNIT_GROUP("loop_moves")
