/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of states and loops is right for graphs that are written down here, and for random
 * ones, where every way is tried.  The policy is a table of moves: what it does not decide itself
 * the explorer cannot know.
 */
#include "ask/prove/proof.h"
#include "ask/prove/whole.h"
#include "base/random.h"
#include "lib/fail_mem.h"
#include "lib/few.h"
#include "lib/reload.h"
#include "lib/unit.h"
#include "lib/world.h"

enum { MOST_ROWS = 64, MOST_STATES = 12, MARKS = 4096, JOBS = 6 };
enum { SERVE = FL_MOVE_SERVE, GO = FL_MOVE_LET_GO, CYCLE = FL_MOVE_CYCLE, LIFT };

/* In state @from, @kind of @who leads to @to and evicts so many; ends with from -1. */
struct row {
	int from, kind;
	uint32_t who;
	int to;
	uint32_t evicted;
};

struct fl_policy {
	const struct row *rows;
	int at, chain; /* chain: states 0 .. chain - 1 follow each other, without rows */
	int marked[MARKS];
	uint32_t marks;
	int fail_in; /* the so many-th move from now fails; 0: none */
	struct fl_decision told[JOBS];
};

static const struct row *find(const struct fl_policy *p, int kind, uint32_t who)
{
	for (const struct row *r = p->rows; r && r->from >= 0; r++)
		if (r->from == p->at && r->kind == kind && (kind == CYCLE || r->who == who))
			return r;
	return NULL;
}

/* Rows of EVICT for each, and one that says again what was said before. */
static void tell(struct fl_policy *p, uint32_t evicted, struct fl_decisions *ret)
{
	for (uint32_t i = 0; i <= evicted; i++)
		p->told[i] = (struct fl_decision){ .kind = FL_EVICT,
						   .already_evicting = i == evicted };
	*ret = (struct fl_decisions){ .rows = p->told, .n = evicted + 1 };
}

static int move(struct fl_policy *p, int kind, uint32_t who, struct fl_decisions *ret,
		fairlead_error *err)
{
	const struct row *r = find(p, kind, who);

	if (p->fail_in && --p->fail_in == 0)
		return fl_fail(err, FAIRLEAD_EIO, "broken");
	tell(p, r ? r->evicted : 0, ret);
	if (r)
		p->at = r->to;
	else if (p->chain && kind == SERVE && p->at + 1 < p->chain)
		p->at++;
	else if (kind == SERVE)
		return fl_fail(err, FAIRLEAD_ESTATE, "not here");
	return 0;
}

static int toy_serve(struct fl_policy *p, fl_time now, struct fl_workload w,
		     const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	(void)now;
	(void)sink;
	return move(p, SERVE, w.v, ret, err);
}

static int toy_step(struct fl_policy *p, fl_time now, unsigned flags, const struct fl_sink *sink,
		    struct fl_decisions *ret, fairlead_error *err)
{
	(void)now;
	(void)sink;
	assert_int_equal(flags, FL_STEP_FULL);
	return move(p, CYCLE, FL_NONE, ret, err);
}

static int toy_apply(struct fl_policy *p, fl_time now, const struct fl_event *event,
		     fairlead_error *err)
{
	struct fl_decisions d;

	(void)now;
	assert_int_equal(event->kind, FL_EV_EVICTED);
	return move(p, GO, event->workload.v, &d, err);
}

static int toy_forget(struct fl_policy *p, fl_time now, fairlead_error *err)
{
	(void)p;
	(void)now;
	(void)err;
	return 0;
}

static int toy_mark(struct fl_policy *p, fl_mark *ret, fairlead_error *err)
{
	if (p->marks == MARKS)
		return fl_fail_nomem(err);
	p->marked[p->marks] = p->at;
	*ret = ++p->marks;
	return 0;
}

static void toy_rollback(struct fl_policy *p, fl_mark mark)
{
	assert_in_range(mark, 1, p->marks);
	p->marks = mark - 1;
	p->at = p->marked[p->marks];
}

static enum fl_workload_state toy_state(const struct fl_policy *p, struct fl_workload w)
{
	return find(p, GO, w.v) ? FL_STATE_EVICTING : FL_STATE_WAITING;
}

/* Words of all sizes, and as many as the state's number says. */
static void toy_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	(void)now;
	for (int i = 0; i < p->at % 5; i++)
		word(user, UINT64_MAX - (uint64_t)i);
	word(user, (uint64_t)p->at << 33);
}

static const struct fl_image_kind toy_kind = { "toy", sizeof(int), 0 };

static int toy_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	return fl_image_put(w, &toy_kind, &p->at, 1, err);
}

static fl_time toy_wake(const struct fl_policy *p, fl_time now)
{
	(void)p;
	(void)now;
	return FL_NEVER;
}

static const struct fl_policy_ops toy = {
	.name = "toy",
	.save = toy_save,
	.apply = toy_apply,
	.step = toy_step,
	.serve = toy_serve,
	.forget = toy_forget,
	.mark = toy_mark,
	.rollback = toy_rollback,
	.state = toy_state,
	.gist = toy_spell,
	.wake = toy_wake,
};

/* --- the same, where time lifts one by one: rows of LIFT --- */

static fl_time timed_wake(const struct fl_policy *p, fl_time now)
{
	for (const struct row *r = p->rows; r->from >= 0; r++)
		if (r->kind == LIFT)
			return now + 1;
	return FL_NEVER;
}

static uint32_t timed_delays(const struct fl_policy *p)
{
	(void)p;
	return JOBS;
}

static int timed_lift(struct fl_policy *p, fl_time now, uint32_t i, fairlead_error *err)
{
	const struct row *r = find(p, LIFT, i);

	(void)now;
	(void)err;
	if (!r)
		return 1;
	p->at = r->to;
	return 0;
}

static struct fl_policy_ops timed(void)
{
	struct fl_policy_ops ops = toy;

	ops.wake = timed_wake;
	ops.delays = timed_delays;
	ops.lift = timed_lift;
	return ops;
}

static struct fl_model *some_jobs(void)
{
	static const struct world_node nodes[] = {
		{ "q", NULL, FL_CLUSTER_QUEUE, 1, { { 1, FL_NO_LIMIT, FL_NO_LIMIT } } },
	};
	struct fl_model *m = world_open(&fl_mem_heap, nodes, 1, 1);
	fairlead_error err;

	/* Not by name: the order of the input must not count. */
	for (int i = JOBS; i-- > 0;) {
		char name[] = { 'w', (char)('0' + i), 0 };

		world_add_job(m, &(struct world_job){ name, "q", 0, i, { 1 }, false }, 1);
	}
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

static struct fl_prove_options usual(const struct fl_mem *mem)
{
	return (struct fl_prove_options){ .mem = mem, .now = FL_SECOND, .states = UINT32_MAX };
}

static struct fl_prove_result prove(const struct row *rows, const struct fl_prove_options *options)
{
	struct fl_model *m = some_jobs();
	struct fl_policy p = { .rows = rows };
	struct fl_prove_result r;
	fairlead_error err;

	assert_int_equal(fl_prove(&toy, &p, m, options, &r, &err), 0);
	assert_int_equal(p.at, 0);
	assert_int_equal(p.marks, 0);
	fl_model_free(m);
	return r;
}

/* Does the round go round, with an eviction, and the prefix lead to it? */
static void check_loop(const char *name, const struct row *rows, const struct fl_prove_result *r)
{
	struct fl_policy p = { .rows = rows };
	uint32_t evicted = 0;
	int start = 0;

	for (uint32_t i = 0; i < r->prefix + r->n; i++) {
		struct fl_decisions d;
		fairlead_error err;

		if (i == r->prefix)
			start = p.at;
		CHECK(fl_prove_move(&toy, &p, 0, r->moves[i], NULL, &d, &err) == 0, name);
		for (uint32_t k = 0; k < d.n && i >= r->prefix; k++)
			evicted += !d.rows[k].already_evicting;
	}
	CHECK(p.at == start, name);
	CHECK(evicted > 0, name);
}

struct graph {
	const char *name;
	struct row rows[16];
	uint64_t states, resting;
	enum fl_loop loop;
	bool always;
	uint32_t bound, prefix, n;
};

#define END                                                                                        \
	{                                                                                          \
		-1, 0, 0, 0, 0                                                                     \
	}
static const struct graph graphs[] = {
	{ "nothing moves", { END }, 1, 1, FL_LOOP_NONE, false, 0, 0, 0 },
	{ "a cycle that changes nothing",
	  { { 0, CYCLE, 0, 0, 0 }, END },
	  FIELDS(1, 1, FL_LOOP_NONE, false, 0, 0, 0) },
	{ "one goes, and that is all",
	  { { 0, SERVE, 0, 1, 1 }, { 1, GO, 1, 2, 0 }, END },
	  FIELDS(3, 1, FL_LOOP_NONE, false, 1, 0, 0) },
	{ "there and back, nobody goes",
	  { { 0, SERVE, 0, 1, 0 }, { 1, SERVE, 1, 0, 0 }, END },
	  FIELDS(2, 0, FL_LOOP_NONE, false, 0, 0, 0) },
	{ "there and back, after two went",
	  { { 0, SERVE, 0, 1, 2 }, { 1, SERVE, 1, 2, 0 }, { 2, SERVE, 2, 1, 0 }, END },
	  FIELDS(3, 0, FL_LOOP_NONE, false, 2, 0, 0) },
	{ "for ever",
	  { { 0, SERVE, 0, 1, 1 }, { 1, GO, 1, 0, 0 }, END },
	  FIELDS(2, 0, FL_LOOP_FORCED, true, 0, 0, 2) },
	{ "told to go, and nothing changes",
	  { { 0, SERVE, 0, 1, 0 }, { 1, SERVE, 0, 1, 1 }, END },
	  FIELDS(2, 0, FL_LOOP_FORCED, true, 0, 1, 1) },
	{ "there is a way out",
	  { { 0, SERVE, 0, 1, 1 }, { 1, GO, 1, 0, 0 }, { 1, SERVE, 2, 2, 0 }, END },
	  FIELDS(3, 1, FL_LOOP_POSSIBLE, false, 0, 0, 2) },
	{ "the way in need not be taken",
	  { { 0, SERVE, 0, 1, 0 },
	    { 1, SERVE, 0, 2, 1 },
	    { 2, GO, 0, 1, 0 },
	    { 0, SERVE, 1, 3, 0 },
	    END },
	  FIELDS(4, 1, FL_LOOP_FORCED, false, 0, 1, 2) },
	{ "a long one that is forced before a short one that is not",
	  { { 0, SERVE, 0, 0, 1 },
	    { 0, SERVE, 1, 1, 0 },
	    { 1, SERVE, 0, 2, 0 },
	    { 2, SERVE, 0, 3, 3 },
	    { 3, GO, 0, 1, 0 },
	    { 0, SERVE, 2, 4, 0 },
	    END },
	  FIELDS(5, 1, FL_LOOP_FORCED, false, 0, 1, 3) },
	{ "the shorter of two",
	  { { 0, SERVE, 0, 1, 1 },
	    { 1, SERVE, 0, 2, 0 },
	    { 2, SERVE, 0, 0, 0 },
	    { 2, SERVE, 1, 3, 0 },
	    { 3, SERVE, 0, 2, 1 },
	    END },
	  FIELDS(4, 0, FL_LOOP_FORCED, true, 0, 2, 2) },
	{ "the one that is reached first",
	  { { 0, SERVE, 0, 1, 0 },
	    { 1, SERVE, 0, 2, 1 },
	    { 2, SERVE, 0, 1, 0 },
	    { 2, SERVE, 1, 3, 1 },
	    { 3, SERVE, 0, 2, 0 },
	    END },
	  FIELDS(4, 0, FL_LOOP_FORCED, true, 0, 1, 2) },
	{ "the way round on which somebody goes",
	  { { 0, SERVE, 0, 1, 0 },
	    { 1, SERVE, 0, 0, 0 },
	    { 1, SERVE, 1, 2, 1 },
	    { 2, SERVE, 0, 3, 0 },
	    { 3, SERVE, 0, 0, 0 },
	    END },
	  FIELDS(4, 0, FL_LOOP_FORCED, true, 0, 0, 4) },
	{ "the most on any way",
	  { { 0, SERVE, 0, 1, 1 },
	    { 0, SERVE, 1, 2, 0 },
	    { 1, SERVE, 0, 3, 1 },
	    { 2, SERVE, 0, 1, 2 },
	    { 2, SERVE, 1, 3, 2 },
	    END },
	  FIELDS(4, 1, FL_LOOP_NONE, false, 3, 0, 0) },
	{ "whole cycles go round",
	  { { 0, CYCLE, 0, 1, 1 }, { 1, GO, 0, 0, 0 }, END },
	  FIELDS(2, 0, FL_LOOP_FORCED, true, 0, 0, 2) },
};

TEST(graphs_are_judged)
{
	struct fl_prove_options options = usual(&fl_mem_heap);

	for (size_t i = 0; i < COUNT(graphs); i++) {
		const struct graph *g = &graphs[i];
		struct fl_prove_result r = prove(g->rows, &options);

		CHECK(r.complete, g->name);
		CHECK(r.states == g->states, g->name);
		CHECK(r.resting == g->resting, g->name);
		CHECK(r.loop == g->loop, g->name);
		CHECK(r.always == g->always, g->name);
		CHECK(r.bound == g->bound, g->name);
		CHECK(r.prefix == g->prefix && r.n == g->n, g->name);
		CHECK((r.moves == NULL) == (g->loop == FL_LOOP_NONE), g->name);
		if (r.moves)
			check_loop(g->name, g->rows, &r);
		fl_prove_done(&fl_mem_heap, &r);
	}
}

TEST(cycles_can_be_left_out)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_prove_result r;

	options.no_cycles = true;
	r = prove(graphs[COUNT(graphs) - 1].rows, &options);
	assert_int_equal(r.states, 1);
	assert_int_equal(r.loop, FL_LOOP_NONE);
}

/* The move with the lowest name comes first, wherever it stands in the input. */
TEST(names_decide_between_equals)
{
	static const struct row rows[] = {
		{ 0, SERVE, 0, 1, 1 },
		{ 0, SERVE, JOBS - 1, 2, 1 },
		{ 1, SERVE, 0, 0, 0 },
		{ 2, SERVE, 0, 0, 0 },
		END,
	};
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_prove_result r = prove(rows, &options);

	assert_int_equal(r.moves[0].workload.v, JOBS - 1); /* it is called w0 */
	fl_prove_done(&fl_mem_heap, &r);
}

/* --- random graphs, every way tried --- */

static uint32_t below(struct fl_random *random, uint32_t n)
{
	return (uint32_t)(fl_random_bits(random) % n);
}

static void random_graph(struct fl_random *random, struct row rows[MOST_ROWS + 1])
{
	uint32_t states = 1 + below(random, MOST_STATES), n = 0;

	for (uint32_t s = 0; s < states; s++)
		for (uint32_t i = below(random, 4); i-- > 0; n++) {
			rows[n] = (struct row){ .from = (int)s, .who = i };
			rows[n].kind = below(random, 4) ? SERVE : GO;
			rows[n].to = (int)below(random, states);
			rows[n].evicted = below(random, 3) ? 0 : 1;
		}
	for (uint32_t i = 0; i < n; i++) /* who lets go was told before */
		rows[i].evicted = rows[i].kind == GO ? 0 : rows[i].evicted;
	rows[n] = (struct row)END;
}

/* Shortest ways by number of moves: [.][.][0] any, [1] with an eviction on them. */
struct ways {
	uint32_t of[MOST_STATES][MOST_STATES][2];
};

static void shorten(uint32_t *way, uint32_t a, uint32_t b)
{
	if (a != FL_NONE && b != FL_NONE && a + b < *way)
		*way = a + b;
}

/* @empty: a way to where it stands has no moves; else ways have moves. */
static void find_ways(const struct row *rows, struct ways *w)
{
	memset(w, 0xff, sizeof *w);
	for (const struct row *r = rows; r->from >= 0; r++)
		if (r->from != r->to || r->evicted)
			w->of[r->from][r->to][0] = 1;
	for (const struct row *r = rows; r->from >= 0; r++)
		if (r->evicted)
			w->of[r->from][r->to][1] = 1;
	for (int changed = 1, round = 0; changed && round < 64; round++) {
		struct ways before = *w;

		for (int k = 0; k < MOST_STATES; k++)
			for (int i = 0; i < MOST_STATES; i++)
				for (int j = 0; j < MOST_STATES; j++) {
					shorten(&w->of[i][j][0], w->of[i][k][0], w->of[k][j][0]);
					shorten(&w->of[i][j][1], w->of[i][k][1], w->of[k][j][0]);
					shorten(&w->of[i][j][1], w->of[i][k][0], w->of[k][j][1]);
				}
		changed = memcmp(&before, w, sizeof before) != 0;
	}
}

static bool reaches(const struct ways *w, int from, int to)
{
	return from == to || w->of[from][to][0] != FL_NONE;
}

/* Is nobody evicted any more, whatever follows?  Then it has come to rest. */
static bool at_rest(const struct ways *w, int state)
{
	for (int j = 0; j < MOST_STATES; j++)
		for (int k = 0; k < MOST_STATES; k++)
			if (reaches(w, state, j) && w->of[j][k][1] == 1)
				return false;
	return true;
}

static bool comes_to_rest(const struct ways *w, int state)
{
	for (int j = 0; j < MOST_STATES; j++)
		if (reaches(w, state, j) && at_rest(w, j))
			return true;
	return false;
}

/* Most evictions on any way from the first state; without a loop ways visit no state twice. */
static uint32_t most(const struct row *rows)
{
	uint32_t best[MOST_STATES] = { 0 };

	for (int round = 0; round < MOST_STATES; round++)
		for (const struct row *r = rows; r->from >= 0; r++)
			if (r->evicted + best[r->to] > best[r->from])
				best[r->from] = r->evicted + best[r->to];
	return best[0];
}

/* Is nobody being evicted in @state? */
static bool is_quiet(const struct row *rows, int state)
{
	for (const struct row *r = rows; r->from >= 0; r++)
		if (r->from == state && r->kind == GO && r->to != r->from)
			return false;
	return true;
}

/* 0 no loop goes through @state, 1 passing, 2 possible, 3 forced. */
static int kind_at(const struct row *rows, const struct ways *w, int state)
{
	bool quiet = false;

	if (!reaches(w, 0, state) || w->of[state][state][1] == FL_NONE)
		return 0;
	for (int s = 0; s < MOST_STATES; s++)
		quiet |= reaches(w, state, s) && reaches(w, s, state) && is_quiet(rows, s);
	return !comes_to_rest(w, state) ? 3 : quiet ? 2 : 1;
}

/* The best of those loops of kind @worst that begin in a state that is @quiet. */
static bool find_best(const struct row *rows, const struct ways *w, int worst, bool quiet,
		      uint32_t *ret_n, uint32_t *ret_prefix)
{
	*ret_n = *ret_prefix = FL_NONE;
	for (int s = 0; s < MOST_STATES; s++) {
		uint32_t moves = w->of[s][s][1], away = s ? w->of[0][s][0] : 0;

		if (kind_at(rows, w, s) != worst || (quiet && !is_quiet(rows, s)))
			continue;
		if (moves < *ret_n || (moves == *ret_n && away < *ret_prefix)) {
			*ret_n = moves;
			*ret_prefix = away;
		}
	}
	return *ret_n != FL_NONE;
}

static void check_random(const struct row *rows, const char *name, int seen[4])
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_prove_result r = prove(rows, &options);
	uint32_t n, prefix, states = 0;
	struct ways w;
	int worst = 0;

	find_ways(rows, &w);
	for (int s = 0; s < MOST_STATES; s++) {
		int kind = kind_at(rows, &w, s);

		states += reaches(&w, 0, s);
		worst = kind > worst ? kind : worst;
	}
	seen[worst]++;
	CHECK(r.complete && r.states == states, name);
	CHECK(r.loop == (worst == 3 ? FL_LOOP_FORCED :
			 worst      ? FL_LOOP_POSSIBLE :
				      FL_LOOP_NONE),
	      name);
	CHECK(r.passing == (worst == 1), name);
	CHECK(r.always == !comes_to_rest(&w, 0), name);
	if (worst) {
		if (!find_best(rows, &w, worst, true, &n, &prefix))
			CHECK(find_best(rows, &w, worst, false, &n, &prefix), name);
		CHECK(r.n == n && r.prefix == prefix, name);
		check_loop(name, rows, &r);
	} else {
		CHECK(r.bound == most(rows), name);
	}
	fl_prove_done(&fl_mem_heap, &r);
}

TEST(random_graphs_are_judged)
{
	struct fl_random random;
	int seen[4] = { 0 };

	fl_random_init(&random, 8, 1);
	for (int i = 0; i < (int)few(1000); i++) {
		struct row rows[MOST_ROWS + 1];
		char name[32];

		snprintf(name, sizeof name, "graph %d", i);
		random_graph(&random, rows);
		check_random(rows, name, seen);
	}
	for (int kind = 0; kind < 4; kind++)
		assert_true(seen[kind] > 20 || under_valgrind());
}

/* --- limits, and to go on --- */

static const struct row ways_out[] = {
	{ 0, SERVE, 0, 1, 1 },
	{ 0, SERVE, 1, 2, 0 },
	{ 1, GO, 1, 3, 0 },
	{ 2, SERVE, 0, 4, 1 },
	{ 3, SERVE, 2, 4, 0 },
	{ 4, SERVE, 3, 5, 2 },
	{ 5, SERVE, 0, 4, 0 },
	{ 5, SERVE, 1, 6, 0 },
	{ 6, SERVE, 0, 7, 1 },
	{ 7, SERVE, 0, 6, 0 },
	END,
};

static void check_equal(const struct fl_prove_result *a, const struct fl_prove_result *b)
{
	assert_int_equal(a->states, b->states);
	assert_int_equal(a->tried, b->tried);
	assert_int_equal(a->resting, b->resting);
	assert_int_equal(a->complete, b->complete);
	assert_int_equal(a->loop, b->loop);
	assert_int_equal(a->always, b->always);
	assert_int_equal(a->bound, b->bound);
	assert_int_equal(a->prefix, b->prefix);
	assert_int_equal(a->n, b->n);
	for (uint32_t i = 0; i < a->prefix + a->n; i++) {
		assert_int_equal(a->moves[i].kind, b->moves[i].kind);
		assert_int_equal(a->moves[i].workload.v, b->moves[i].workload.v);
	}
}

TEST(what_is_not_explored_is_not_judged)
{
	static const enum fl_loop loops[] = {
		0, 0, 0, 0, 0, 0, FL_LOOP_POSSIBLE, FL_LOOP_POSSIBLE, FL_LOOP_FORCED
	};
	struct fl_prove_options options = usual(&fl_mem_heap);

	for (uint32_t i = 0; i < COUNT(loops); i++) {
		options.states = i;
		struct fl_prove_result r = prove(ways_out, &options);

		assert_int_equal(r.states, i);
		assert_int_equal(r.complete, i == COUNT(loops) - 1);
		assert_int_equal(r.loop, loops[i]);
		assert_int_equal(r.always, i == COUNT(loops) - 1);
		fl_prove_done(&fl_mem_heap, &r);
	}
}

TEST(it_goes_on_where_it_stopped)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_prove_result all = prove(ways_out, &options), r;
	struct fl_policy p = { .rows = ways_out };
	struct fl_model *m = some_jobs();
	struct fl_prover *x = NULL;
	fairlead_error err;

	assert_int_equal(fl_prover_new(&fl_mem_heap, &x, &err), 0);
	for (options.states = 1; options.states < 9; options.states++) {
		assert_int_equal(fl_prover_run(x, &toy, &p, m, &options, &r, &err), 0);
		if (options.states < 8)
			fl_prove_done(&fl_mem_heap, &r);
	}
	check_equal(&r, &all);

	/* It knows where it began, and with which moves. */
	p.at = 1;
	assert_int_equal(fl_prover_run(x, &toy, &p, m, &options, &r, &err), FAIRLEAD_ESTATE);
	assert_string_equal(err.text, "another state was explored");
	p.at = 99;
	assert_int_equal(fl_prover_run(x, &toy, &p, m, &options, &r, &err), FAIRLEAD_ESTATE);
	p.at = 0;
	options.no_cycles = true;
	assert_int_equal(fl_prover_run(x, &toy, &p, m, &options, &r, &err), FAIRLEAD_ESTATE);
	assert_string_equal(err.text, "it was explored with other moves");

	/* Forgotten, it begins anew. */
	fl_prover_reset(x);
	options = usual(&fl_mem_heap);
	fl_prove_done(&fl_mem_heap, &r);
	assert_int_equal(fl_prover_run(x, &toy, &p, m, &options, &r, &err), 0);
	check_equal(&r, &all);
	fl_prove_done(&fl_mem_heap, &r);
	fl_prove_done(&fl_mem_heap, &all);
	x = fl_prover_free(x);
	fl_model_free(m);
}

/* A state after the other, far down; every now and then it is asked whether to stop. */
struct asked {
	uint32_t times, stop_at;
	struct fl_prove_progress last;
};

static int ask(void *user, const struct fl_prove_progress *progress)
{
	struct asked *a = user;

	assert_true(progress->states > a->last.states);
	assert_true(progress->moves > a->last.moves);
	assert_true(progress->bytes > 0 && progress->waiting == 1);
	a->last = *progress;
	return ++a->times == a->stop_at;
}

enum { CHAIN = 3000 };

TEST(progress_is_told_and_stops)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_policy p = { .chain = CHAIN };
	struct fl_model *m = some_jobs();
	struct asked asked = { 0 };
	struct fl_prove_result r;
	fairlead_error err;

	options.progress = ask;
	options.user = &asked;
	assert_int_equal(fl_prove(&toy, &p, m, &options, &r, &err), 0);
	assert_true(r.complete && r.states == CHAIN && asked.times > 1);
	asked = (struct asked){ .stop_at = 1 };
	assert_int_equal(fl_prove(&toy, &p, m, &options, &r, &err), 0);
	assert_false(r.complete);
	assert_int_equal(asked.times, 1);
	assert_int_equal(r.states, asked.last.states);
	fl_model_free(m);
}

TEST(bytes_are_limited)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_model *m = some_jobs();
	struct fl_policy p = { .chain = CHAIN };
	struct fl_prove_result r;
	struct fl_prover *x = NULL;
	fairlead_error err;
	uint64_t before = 0;

	assert_int_equal(fl_prover_new(&fl_mem_heap, &x, &err), 0);
	for (options.bytes = 1; options.bytes < 1 << 20; options.bytes += 9999) {
		assert_int_equal(fl_prover_run(x, &toy, &p, m, &options, &r, &err), 0);
		assert_true(r.states >= before);
		before = r.states;
		assert_int_equal(p.marks, 0);
		if (r.complete)
			break;
	}
	assert_true(r.complete && r.states == CHAIN);
	/* Some 120 bytes a state: five moves each, 22 for the search, two tables by hash. */
	assert_in_range(options.bytes / CHAIN, 60, 200);
	x = fl_prover_free(x);
	fl_model_free(m);
}

TEST(an_error_of_the_policy_ends_it)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_model *m = some_jobs();
	int failed = 0, r = -1;

	for (int n = 1; r != 0; n++) {
		struct fl_policy p = { .rows = ways_out, .fail_in = n };
		struct fl_prove_result result = { .states = 77 };
		fairlead_error err;

		r = fl_prove(&toy, &p, m, &options, &result, &err);
		assert_int_equal(p.marks, 0);
		assert_int_equal(p.at, 0);
		if (r == 0) {
			fl_prove_done(&fl_mem_heap, &result);
			continue;
		}
		assert_int_equal(r, FAIRLEAD_EIO);
		assert_string_equal(err.text, "broken");
		assert_int_equal(result.states, 77);
		failed++;
	}
	assert_true(failed > 20);
	fl_model_free(m);
}

TEST(survives_each_failing_call)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_prove_result all = prove(ways_out, &options);
	struct fl_model *m = some_jobs();
	unsigned long failures = 0;
	int r = -1;

	for (unsigned long n = 1; r != 0; n++) {
		struct fl_prove_result result = { .states = 77 };
		struct fl_policy p = { .rows = ways_out };
		struct fail_mem f;
		fairlead_error err;

		fail_mem_init(&f);
		f.fail_at = n;
		options.mem = &f.mem;
		r = fl_prove(&toy, &p, m, &options, &result, &err);
		assert_int_equal(p.marks, 0);
		if (r < 0) {
			assert_int_equal(r, FAIRLEAD_ENOMEM);
			assert_int_equal(result.states, 77);
			failures++;
		} else {
			check_equal(&result, &all);
			fl_prove_done(&f.mem, &result);
		}
		assert_int_equal(f.live, 0);
	}
	assert_true(failures > 10);
	fl_prove_done(&fl_mem_heap, &all);
	fl_model_free(m);
}

/* What failed for want of memory can be run again; one that is warm takes none but for its answer. */
TEST(goes_on_after_a_failure)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_prove_result all = prove(ways_out, &options), r;
	struct fl_policy p = { .rows = ways_out };
	struct fl_model *m = some_jobs();
	struct fl_prover *x = NULL;
	struct fail_mem f;
	fairlead_error err;
	int rc = -1;

	fail_mem_init(&f);
	assert_int_equal(fl_prover_new(&f.mem, &x, &err), 0);
	for (int i = 0; rc != 0 && i < 100; i++) {
		f.fail_at = 3;
		rc = fl_prover_run(x, &toy, &p, m, &options, &r, &err);
		assert_true(rc == 0 || rc == FAIRLEAD_ENOMEM);
	}
	all.tried = r.tried; /* some were tried twice */
	check_equal(&r, &all);
	fl_prove_done(&f.mem, &r);
	f.fail_at = 0;
	f.calls = 0;
	fl_prover_reset(x);
	assert_int_equal(fl_prover_run(x, &toy, &p, m, &options, &r, &err), 0);
	assert_int_equal(f.calls, 1);
	all.tried = r.tried;
	check_equal(&r, &all);
	fl_prove_done(&f.mem, &r);
	x = fl_prover_free(x);
	assert_int_equal(f.live, 0);
	fl_prove_done(&fl_mem_heap, &all);
	fl_model_free(m);
}

/* --- where time lifts one by one --- */

/* What fl_whole_loop says of what fl_proof finds; *ret: moves of the round that is told then. */
static enum fl_whole whole(const struct row *rows, const struct fl_policy_ops *ops, uint32_t *ret)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_model *m = some_jobs();
	struct fl_policy p = { .rows = rows };
	struct fl_prove_result found;
	enum fl_whole is = FL_WHOLE_UNKNOWN;
	fairlead_error err;

	assert_int_equal(fl_proof(ops, &p, m, &options, NULL, &found, &err), 0);
	assert_int_equal(found.loop, FL_LOOP_FORCED);
	assert_int_equal(fl_whole_loop(ops, &p, m, &options, &found, &is, &err), 0);
	*ret = found.n;
	fl_prove_done(&fl_mem_heap, &found);
	fl_model_free(m);
	return is;
}

/* A whole cycle leads into a round of two moves that only a race goes on with; serving rests. */
static const struct row race[] = {
	{ 0, CYCLE, FL_NONE, 1, 0 },
	{ 0, SERVE, 0, 3, 0 },
	{ 1, SERVE, 1, 2, 1 },
	{ 2, GO, 1, 1, 0 },
	END,
};
/* The same, and from there something goes round that begins when time lifts one thing alone. */
static const struct row race_until_lifted[] = {
	{ 0, CYCLE, FL_NONE, 1, 0 }, { 0, SERVE, 0, 3, 0 },
	{ 1, SERVE, 1, 2, 1 },       { 2, GO, 1, 1, 0 },
	{ 3, LIFT, 0, 4, 0 },        { 4, SERVE, 2, 5, 1 },
	{ 5, GO, 3, 6, 0 },          { 6, SERVE, 2, 7, 0 },
	{ 7, SERVE, 3, 4, 1 },       END,
};

TEST(a_race_is_one_only_where_that_is_a_proof)
{
	const struct fl_policy_ops lifts = timed();
	uint32_t n;

	assert_int_equal(whole(race, &toy, &n), FL_WHOLE_NONE);
	assert_int_equal(whole(race, &lifts, &n), FL_WHOLE_NONE);
	assert_int_equal(whole(race_until_lifted, &toy, &n), FL_WHOLE_NONE);
	assert_int_equal(whole(race_until_lifted, &lifts, &n), FL_WHOLE_UNKNOWN);
}

/* The shorter round takes a race; from the longer one time leads out when it lifts one thing alone. */
static const struct row way_out_when_lifted[] = {
	{ 0, CYCLE, FL_NONE, 1, 0 }, { 0, SERVE, 0, 3, 0 }, { 1, SERVE, 1, 2, 1 },
	{ 2, GO, 1, 1, 0 },          { 3, SERVE, 2, 4, 1 }, { 4, GO, 3, 5, 0 },
	{ 5, SERVE, 2, 6, 0 },       { 6, SERVE, 3, 7, 1 }, { 7, GO, 2, 8, 0 },
	{ 8, SERVE, 3, 3, 0 },       { 3, LIFT, 0, 9, 0 },  END,
};

TEST(a_forced_loop_is_not_replaced_by_one_that_time_ends)
{
	const struct fl_policy_ops lifts = timed();
	uint32_t n;

	assert_int_equal(whole(way_out_when_lifted, &toy, &n), FL_WHOLE_LOOP);
	assert_int_equal(n, 6);
	assert_int_equal(whole(way_out_when_lifted, &lifts, &n), FL_WHOLE_UNKNOWN);
	assert_int_equal(n, 2);
}

/* Two states, and seven more when time lifts one by one. */
static const struct row lifted_on_and_on[] = {
	{ 0, SERVE, 0, 1, 0 }, { 1, LIFT, 0, 2, 0 }, { 2, LIFT, 1, 3, 0 },
	{ 3, LIFT, 2, 4, 0 },  { 4, LIFT, 3, 5, 0 }, { 5, LIFT, 4, 6, 0 },
	{ 6, LIFT, 5, 7, 0 },  { 7, LIFT, 0, 8, 0 }, END,
};

static struct fl_prove_result prove_lifts(uint32_t states, size_t bytes, struct fl_prover *x)
{
	const struct fl_policy_ops lifts = timed();
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_model *m = some_jobs();
	struct fl_policy p = { .rows = lifted_on_and_on };
	struct fl_prove_result r;
	fairlead_error err;

	options.states = states;
	options.bytes = bytes;
	assert_int_equal(fl_proof(&lifts, &p, m, &options, x, &r, &err), 0);
	assert_int_equal(r.loop, FL_LOOP_NONE);
	fl_model_free(m);
	return r;
}

TEST(what_is_not_complete_is_told)
{
	struct fl_prove_result r;

	for (uint32_t n = 1; n < 12; n++) {
		r = prove_lifts(n, /* bytes= */ 0, NULL);
		assert_int_equal(r.complete, n >= 9);
		assert_int_equal(r.lifting, n >= 2 && n < 9);
		assert_int_equal(r.states, n < 9 ? n : 9);
	}
}

/* What is kept and what is explored beside it take no more than is allowed, both together. */
TEST(a_prover_that_is_kept_takes_its_part)
{
	size_t least = 1;
	bool complete = false, lifting = false;

	while (!prove_lifts(UINT32_MAX, least, NULL).complete)
		least++;
	for (size_t bytes = least; !complete; bytes++) {
		struct fl_prover *x = NULL;
		struct fl_prove_result r;
		fairlead_error err;

		assert_int_equal(fl_prover_new(&fl_mem_heap, &x, &err), 0);
		r = prove_lifts(UINT32_MAX, bytes, x);
		complete = r.complete;
		lifting |= r.lifting;
		assert_true(!complete || fl_prover_bytes(x) + least <= bytes);
		x = fl_prover_free(x);
	}
	assert_true(lifting);
}

/* --- to save, and to load --- */

static const char maker[] = "test";

static void save(const struct fl_prover *x, const struct fl_policy *p, const struct fl_model *m,
		 struct reload_bytes *to)
{
	const struct fl_image_output sink = { reload_write, to };
	struct fl_image_writer w;
	fairlead_error err;

	to->n = 0;
	assert_int_equal(fl_image_begin(&w, &sink, maker, &err), 0);
	assert_int_equal(fl_prover_save(x, &toy, p, m, &w, &err), 0);
	assert_int_equal(fl_image_end(&w, &err), 0);
}

static int load(struct reload_bytes *from, const struct fl_mem *mem, const struct fl_policy *p,
		const struct fl_model *m, const struct fl_prove_options *options,
		struct fl_prover **ret, fairlead_error *err)
{
	const struct fl_source source = { reload_read, from };
	struct fl_image i;
	int rc;

	from->at = 0;
	rc = fl_image_read(&i, mem, &source, maker, err);
	if (rc < 0)
		return rc;
	rc = fl_prover_load(mem, &toy, p, m, options, &i, ret, err);
	fl_image_done(&i);
	return rc;
}

/* @states of them explored. */
static void saved_after(uint32_t states, const struct fl_model *m, struct reload_bytes *ret)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_policy p = { .rows = ways_out };
	struct fl_prover *x = NULL;
	struct fl_prove_result r;
	fairlead_error err;

	options.states = states;
	assert_int_equal(fl_prover_new(&fl_mem_heap, &x, &err), 0);
	assert_int_equal(fl_prover_run(x, &toy, &p, m, &options, &r, &err), 0);
	save(x, &p, m, ret);
	fl_prove_done(&fl_mem_heap, &r);
	x = fl_prover_free(x);
}

TEST(saved_it_goes_on)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_prove_result all = prove(ways_out, &options), r;
	struct fl_policy p = { .rows = ways_out };
	struct reload_bytes bytes = { 0 }, again = { 0 };
	struct fl_model *m = some_jobs();
	fairlead_error err;

	for (uint32_t n = 0; n <= 8; n++) {
		struct fl_prover *x = NULL;

		saved_after(n, m, &bytes);
		assert_int_equal(load(&bytes, &fl_mem_heap, &p, m, &options, &x, &err), 0);
		save(x, &p, m, &again);
		assert_int_equal(again.n, bytes.n);
		assert_memory_equal(again.bytes, bytes.bytes, bytes.n);
		assert_int_equal(fl_prover_run(x, &toy, &p, m, &options, &r, &err), 0);
		check_equal(&r, &all);
		fl_prove_done(&fl_mem_heap, &r);
		x = fl_prover_free(x);
	}
	fl_prove_done(&fl_mem_heap, &all);
	free(bytes.bytes);
	free(again.bytes);
	fl_model_free(m);
}

TEST(another_input_is_refused)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_policy p = { .rows = ways_out };
	struct fl_model *m = some_jobs(), *other = some_jobs();
	struct reload_bytes bytes = { 0 };
	struct fl_prover *x = NULL;
	fairlead_error err;

	saved_after(3, m, &bytes);
	p.at = 1;
	assert_int_equal(load(&bytes, &fl_mem_heap, &p, m, &options, &x, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "it was explored from another input");
	p.at = 0;
	other->workloads[0].priority++;
	assert_int_equal(load(&bytes, &fl_mem_heap, &p, other, &options, &x, &err),
			 FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "it was explored from another input");
	options.no_cycles = true;
	assert_int_equal(load(&bytes, &fl_mem_heap, &p, m, &options, &x, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "it was explored with other moves");
	options.no_cycles = false;
	options.now++;
	assert_int_equal(load(&bytes, &fl_mem_heap, &p, m, &options, &x, &err), FAIRLEAD_EINPUT);
	free(bytes.bytes);
	fl_model_free(m);
	fl_model_free(other);
}

static void sign(struct reload_bytes *b)
{
	uint64_t sum[2];

	fl_image_sum(b->bytes, b->n - FL_IMAGE_STEP, sum);
	memcpy(b->bytes + b->n - sizeof sum, sum, sizeof sum);
}

/* Each byte in turn is another: it is refused, or there is something to judge. */
TEST(damage_is_refused)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_policy p = { .rows = ways_out };
	struct fl_model *m = some_jobs();
	struct reload_bytes bytes = { 0 };
	uint32_t refused = 0, taken = 0;

	saved_after(5, m, &bytes);
	options.states = 0;
	for (size_t i = 64; i < bytes.n - FL_IMAGE_STEP; i += under_valgrind() ? 5 : 1) {
		struct fl_prover *x = NULL;
		struct fl_prove_result r;
		fairlead_error err;
		char was = bytes.bytes[i];

		bytes.bytes[i] = (char)(was ^ (1 << i % 7));
		sign(&bytes);
		int rc = load(&bytes, &fl_mem_heap, &p, m, &options, &x, &err);

		bytes.bytes[i] = was;
		refused += rc < 0;
		assert_true(rc == 0 || rc == FAIRLEAD_EINPUT);
		if (rc < 0)
			continue;
		taken++;
		rc = fl_prover_run(x, &toy, &p, m, &options, &r, &err);
		assert_true(rc == 0 || rc == FAIRLEAD_ESTATE);
		if (rc == 0)
			fl_prove_done(&fl_mem_heap, &r);
		x = fl_prover_free(x);
	}
	assert_true(refused > 20 && taken > 1);
	assert_true(under_valgrind() || (refused > 200 && taken > 10));
	free(bytes.bytes);
	fl_model_free(m);
}

TEST(loading_survives_each_failing_call)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_policy p = { .rows = ways_out };
	struct fl_model *m = some_jobs();
	struct reload_bytes bytes = { 0 };
	unsigned long failures = 0;
	int rc = -1;

	saved_after(5, m, &bytes);
	for (unsigned long n = 1; rc != 0; n++) {
		struct fl_prover *x = NULL;
		struct fail_mem f;
		fairlead_error err;

		fail_mem_init(&f);
		f.fail_at = n;
		rc = load(&bytes, &f.mem, &p, m, &options, &x, &err);
		assert_true(rc == 0 || rc == FAIRLEAD_ENOMEM);
		failures += rc < 0;
		x = fl_prover_free(x);
		assert_int_equal(f.live, 0);
	}
	assert_true(failures > 10);
	free(bytes.bytes);
	fl_model_free(m);
}

UNIT_GROUP("prove-graph")
