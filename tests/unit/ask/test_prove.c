/* SPDX-License-Identifier: Apache-2.0 */
/* What is known to go round is found, as forced or possible; what cannot, is not; nothing is left. */
#include "ask/prove/prove.h"

#include "base/random.h"
#include "lib/fail_mem.h"
#include "lib/reload.h"
#include "lib/unit.h"
#include "lib/world.h"

#define NO FL_NO_LIMIT
#define GIVES(amount)                                                                              \
	{                                                                                          \
		{                                                                                  \
			amount, NO, NO                                                             \
		}                                                                                  \
	}
enum { NODES = 5, WORKLOADS = 6, START = 1000 };

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

struct known {
	const char *name;
	struct world_node nodes[NODES];
	struct world_job jobs[WORKLOADS];
	uint32_t resources;
	enum { BOTH, FINAL, INITIAL, NONE } strategies; /* NONE: no fair sharing */
	enum fl_loop loop;
	enum fl_loop prompt; /* when nobody takes what was freed for another */
	bool always;
	enum fl_preempt_policy within;
};

/* Two queues: what was pushed below its quota takes it back, and is above it again. */
#define TWO_QUEUES(weight, own, others, total)                                                     \
	{                                                                                          \
		{ "root", NULL, FL_COHORT, 1, GIVES(total - own - others) },                       \
			{ "q0", "root", FL_CLUSTER_QUEUE, weight, GIVES(own) },                    \
			{ "q1", "root", FL_CLUSTER_QUEUE, 1, GIVES(others) },                      \
	}
#define THREE_JOBS(admitted)                                                                       \
	{                                                                                          \
		{ "w0", "q0", 0, 1, { 5 }, false }, { "w3", "q1", 0, 2, { 4 }, admitted },         \
			{ "w4", "q1", 0, 3, { 2 }, admitted },                                     \
	}

static const struct known known[] = {
	{ "one resource, equal weights", TWO_QUEUES(1, 4, 2, 6), THREE_JOBS(true), 1, BOTH,
	  FL_LOOP_FORCED, FL_LOOP_FORCED, true, FL_PREEMPT_NEVER },
	{ "the same from the beginning", TWO_QUEUES(1, 4, 2, 6), THREE_JOBS(false), 1, BOTH,
	  FL_LOOP_FORCED, FL_LOOP_FORCED, true, FL_PREEMPT_NEVER },
	{ "the same by final shares alone", TWO_QUEUES(1, 4, 2, 6), THREE_JOBS(true), 1, FINAL,
	  FL_LOOP_NONE, FL_LOOP_NONE, false, FL_PREEMPT_NEVER },
	{ "the same by initial shares alone", TWO_QUEUES(1, 4, 2, 6), THREE_JOBS(true), 1, INITIAL,
	  FL_LOOP_POSSIBLE, FL_LOOP_NONE, false, FL_PREEMPT_NEVER },
	{ "three units, weights 3 and 1",
	  TWO_QUEUES(3, 2, 1, 3),
	  { { "w0", "q0", 0, 1, { 3 }, false },
	    { "w3", "q1", 0, 2, { 2 }, true },
	    { "w4", "q1", 0, 3, { 1 }, true } },
	  FIELDS(1, BOTH, FL_LOOP_FORCED, FL_LOOP_FORCED, true, FL_PREEMPT_NEVER) },
	{ "two who are as much above their shares, in another resource",
	  { { "root", NULL, FL_COHORT, 1, { { 1, NO, NO }, { 10, NO, NO } } },
	    { "lender", "root", FL_CLUSTER_QUEUE, 1, { { 9, NO, NO }, { 0, NO, NO } } },
	    { "a", "root", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO }, { 0, NO, NO } } },
	    { "b", "root", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO }, { 0, NO, NO } } } },
	  { { "own", "lender", 0, 1, { 9, 0 }, true },
	    { "a-gpu", "a", 0, 2, { 0, 5 }, true },
	    { "b-gpu", "b", 0, 3, { 0, 5 }, true },
	    { "a-cpu", "a", 0, 4, { 1, 0 }, false },
	    { "b-cpu", "b", 0, 5, { 1, 0 }, false } },
	  FIELDS(2, FINAL, FL_LOOP_FORCED, FL_LOOP_FORCED, true, FL_PREEMPT_NEVER) },
	{ "the same between cohorts",
	  { { "root", NULL, FL_COHORT, 1, GIVES(1) },
	    { "l", "root", FL_COHORT, 3, GIVES(0) },
	    { "q0", "l", FL_CLUSTER_QUEUE, 1, GIVES(1) },
	    { "q2", "l", FL_CLUSTER_QUEUE, 1, GIVES(0) },
	    { "q1", "root", FL_CLUSTER_QUEUE, 1, GIVES(2) } },
	  { { "w3", "q2", 0, 1, { 3 }, false },
	    { "w0", "q1", 0, 2, { 1 }, false },
	    { "w4", "q1", 0, 3, { 1 }, false },
	    { "w1", "q1", 0, 4, { 2 }, false } },
	  FIELDS(1, BOTH, FL_LOOP_FORCED, FL_LOOP_FORCED, false, FL_PREEMPT_NEVER) },
	{ "whoever was sent away is served first",
	  { { "root", NULL, FL_COHORT, 1, GIVES(0) },
	    { "q0", "root", FL_CLUSTER_QUEUE, 1, GIVES(2) },
	    { "q1", "root", FL_CLUSTER_QUEUE, 1, GIVES(0) } },
	  { { "own", "q0", 0, 1, { 2 }, false }, { "guest", "q1", 0, 2, { 2 }, true } },
	  FIELDS(1, NONE, FL_LOOP_POSSIBLE, FL_LOOP_NONE, false, FL_PREEMPT_NEVER) },
};

static struct fl_model *model_of(const struct known *k, bool reversed)
{
	static const enum fl_fair_strategy strategies[] = { FL_FINAL_SHARE, FL_INITIAL_SHARE };
	struct world_node nodes[NODES] = { { 0 } };
	uint32_t n_nodes = 0, n_jobs = 0;
	fairlead_error err;

	while (n_nodes < NODES && k->nodes[n_nodes].name)
		n_nodes++;
	while (n_jobs < WORKLOADS && k->jobs[n_jobs].name)
		n_jobs++;
	for (uint32_t i = 0; i < n_nodes; i++)
		nodes[i] = k->nodes[reversed ? n_nodes - 1 - i : i];

	struct fl_model *m = world_open(&fl_mem_heap, nodes, n_nodes, k->resources);

	for (uint32_t i = 0; i < n_nodes; i++) {
		m->nodes[i].reclaim = FL_PREEMPT_ANY;
		m->nodes[i].within_queue = k->within;
	}
	m->settings.present = true;
	m->settings.fair_sharing = k->strategies != NONE;
	m->settings.n_strategies = k->strategies == BOTH ? 2 : 1;
	memcpy(m->settings.strategies, strategies, sizeof strategies);
	if (k->strategies == INITIAL)
		m->settings.strategies[0] = FL_INITIAL_SHARE;
	for (uint32_t i = 0; i < n_jobs; i++)
		world_add_job(m, &k->jobs[reversed ? n_jobs - 1 - i : i], k->resources);
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

static struct fl_prove_options usual(const struct fl_mem *mem)
{
	return (struct fl_prove_options){ .mem = mem,
					  .now = START * FL_SECOND,
					  .states = UINT32_MAX };
}

/* Made again, the prefix and two rounds: the same state after each round, somebody evicted in it. */
static void check_round(const struct known *k, const struct fl_model *m,
			const struct fl_prove_result *r)
{
	struct fl_prove_clock clock = fl_prove_clock(ops, m, START * FL_SECOND);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, clock.now);
	uint64_t first[2] = { 0 }, last[2];
	uint32_t evicted = 0;
	fairlead_error err;

	assert_int_equal(ops->forget(p, clock.now, &err), 0);
	for (uint32_t i = 0; i < r->prefix + 2 * r->n; i++) {
		uint32_t at = i < r->prefix + r->n ? i : i - r->n;
		struct fl_decisions d;

		if (i == r->prefix)
			fl_prove_gist(ops, p, &clock, first);
		fl_prove_tick(&clock, r->moves[at].kind);
		CHECK(fl_prove_move(ops, p, clock.now, r->moves[at], NULL, &d, &err) == 0, k->name);
		for (uint32_t j = 0; j < d.n && i >= r->prefix; j++)
			evicted += d.rows[j].kind == FL_EVICT && !d.rows[j].already_evicting;
		assert_int_equal(ops->forget(p, clock.now, &err), 0);
		if (i + 1 != r->prefix + r->n && i + 1 != r->prefix + 2 * r->n)
			continue;
		fl_prove_gist(ops, p, &clock, last);
		CHECK(memcmp(first, last, sizeof first) == 0, k->name);
		CHECK(evicted > 0, k->name);
		evicted = 0;
	}
	ops->free(p);
}

static struct fl_prove_result prove(const struct known *k, const struct fl_prove_options *options,
				    bool reversed)
{
	struct fl_model *m = model_of(k, reversed);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, options->now);
	struct fl_prove_result r;
	uint64_t before[2], after[2];
	fairlead_error err;

	ops->digest(p, options->now, before);
	if (fl_prove(ops, p, m, options, &r, &err) < 0)
		fail_msg("%s: %s", k->name, err.text);
	ops->digest(p, options->now, after);
	CHECK(memcmp(before, after, sizeof before) == 0, k->name);
	CHECK(r.complete, k->name);
	CHECK((r.loop == FL_LOOP_NONE) == (r.moves == NULL), k->name);
	if (r.moves)
		check_round(k, m, &r);
	ops->free(p);
	fl_model_free(m);
	return r;
}

TEST(known_loops_are_found)
{
	struct fl_prove_options options = usual(&fl_mem_heap);

	for (size_t i = 0; i < COUNT(known); i++) {
		const struct known *k = &known[i];
		struct fl_prove_result r = prove(k, &options, false);

		CHECK(r.loop == k->loop, k->name);
		CHECK(r.always == k->always, k->name);
		CHECK(!r.passing, k->name);
		fl_prove_done(&fl_mem_heap, &r);
	}
}

TEST(what_was_freed_can_be_kept_from_others)
{
	struct fl_prove_options options = usual(&fl_mem_heap);

	options.prompt = true;
	for (size_t i = 0; i < COUNT(known); i++) {
		const struct known *k = &known[i];
		struct fl_prove_result r = prove(k, &options, false);

		CHECK(r.loop == k->prompt, k->name);
		fl_prove_done(&fl_mem_heap, &r);
	}
}

TEST(the_order_of_the_input_does_not_count)
{
	struct fl_prove_options options = usual(&fl_mem_heap);

	for (size_t i = 0; i < COUNT(known); i++) {
		const struct known *k = &known[i];
		struct fl_model *ma = model_of(k, false), *mb = model_of(k, true);
		struct fl_prove_result a = prove(k, &options, false), b = prove(k, &options, true);

		CHECK(a.states == b.states && a.tried == b.tried, k->name);
		CHECK(a.loop == b.loop && a.bound == b.bound, k->name);
		CHECK(a.prefix == b.prefix && a.n == b.n, k->name);
		for (uint32_t j = 0; j < a.prefix + a.n; j++) {
			struct fl_workload x = a.moves[j].workload, y = b.moves[j].workload;

			CHECK(a.moves[j].kind == b.moves[j].kind, k->name);
			CHECK(x.v == FL_NONE || !strcmp(fl_model_text(ma, ma->workloads[x.v].name),
							fl_model_text(mb, mb->workloads[y.v].name)),
			      k->name);
		}
		fl_prove_done(&fl_mem_heap, &a);
		fl_prove_done(&fl_mem_heap, &b);
		fl_model_free(ma);
		fl_model_free(mb);
	}
}

static struct known random_cluster(struct fl_random *random)
{
	static const char *const queues[] = { "q0", "q1", "q2" };
	static const char *const jobs[] = { "a", "b", "c", "d", "e", "f" };
	struct known k = { .name = "random",
			   .nodes = { { "root", NULL, FL_COHORT, 1, GIVES(0) } },
			   .resources = 1 };
	uint32_t n;

	/* One draw a statement: compilers evaluate the values of a struct in orders of their own. */
	k.strategies = fl_random_bits(random) % 4;
	k.within = fl_random_bits(random) % 3;
	n = 2 + fl_random_bits(random) % 2;
	for (uint32_t q = 0; q < n; q++) {
		double weight = (double)(1 + fl_random_bits(random) % 2);

		k.nodes[q + 1] =
			(struct world_node){ queues[q], "root", FL_CLUSTER_QUEUE, weight,
					     GIVES((fl_amount)(fl_random_bits(random) % 3)) };
	}
	for (uint32_t w = 0; w < 5; w++) {
		const char *queue = queues[fl_random_bits(random) % n];
		int32_t priority = fl_random_bits(random) % 4 == 0;
		int64_t created = (int64_t)(fl_random_bits(random) % 3);
		fl_amount asks = 1 + (fl_amount)(fl_random_bits(random) % 2);

		k.jobs[w] =
			(struct world_job){ jobs[w], queue, priority, created, { asks }, false };
	}
	return k;
}

/* To tell those apart who are alike says nothing else, and takes longer. */
TEST(who_is_alike_need_not_be_told_apart)
{
	uint64_t states = 0, apart = 0, loops = 0, fewer = 0;
	struct fl_random random;

	fl_random_init(&random, 8, 2);
	for (int i = 0; i < 80; i++) {
		struct known k = random_cluster(&random);
		struct fl_prove_options options = usual(&fl_mem_heap);

		options.prompt = i % 2;
		options.no_cycles = true;
		struct fl_prove_result a = prove(&k, &options, false);

		options.apart = true;
		struct fl_prove_result b = prove(&k, &options, false);

		assert_true(a.loop == b.loop && a.passing == b.passing && a.always == b.always);
		assert_true(a.bound == b.bound && a.n >= b.n);
		assert_true(a.states <= b.states && a.tried <= b.tried);
		states += a.states;
		apart += b.states;
		loops += a.loop != FL_LOOP_NONE;
		fewer += a.states < b.states;
		fl_prove_done(&fl_mem_heap, &a);
		fl_prove_done(&fl_mem_heap, &b);
	}
	assert_true(loops > 15 && fewer > 20 && apart > states);
}

/* The explorer's calls, and the policy's. */
TEST(survives_each_failing_call)
{
	struct fl_model *m = model_of(&known[4], false);
	unsigned long failures = 0;
	int r = -1;

	for (unsigned long n = 1; r != 0; n++) {
		struct fl_prove_result result = { .states = 77 };
		uint64_t before[2], after[2];
		struct fail_mem f;
		fairlead_error err;

		fail_mem_init(&f);
		struct fl_prove_options options = usual(&f.mem);
		struct fl_policy *p = world_policy(&f.mem, m, options.now);

		ops->digest(p, options.now, before);
		f.fail_at = n;
		r = fl_prove(ops, p, m, &options, &result, &err);
		f.fail_at = 0;
		ops->digest(p, options.now, after);
		assert_memory_equal(before, after, sizeof before);
		if (r < 0) {
			assert_int_equal(r, FAIRLEAD_ENOMEM);
			assert_int_equal(result.states, 77);
			failures++;
		} else {
			assert_int_equal(result.loop, FL_LOOP_FORCED);
			fl_prove_done(&f.mem, &result);
		}
		ops->free(p);
		assert_int_equal(f.live, 0);
	}
	assert_true(failures > 10);
	fl_model_free(m);
}

/* Stopped half way, saved with the state it began in, and gone on with from there. */
TEST(saved_it_goes_on)
{
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_model *m = model_of(&known[6], false);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, options.now);
	struct reload_bytes bytes = { 0 };
	const struct fl_image_output sink = { reload_write, &bytes };
	const struct fl_source source = { reload_read, &bytes };
	struct fl_prove_result half, all;
	struct fl_prover *x = NULL;
	struct fl_image_writer w;
	struct fl_image i;
	fairlead_error err;

	options.states = 20;
	assert_int_equal(fl_prover_new(&fl_mem_heap, &x, &err), 0);
	assert_int_equal(fl_prover_run(x, ops, p, m, &options, &half, &err), 0);
	assert_int_equal(fl_image_begin(&w, &sink, "test", &err), 0);
	assert_int_equal(fl_prover_save(x, ops, p, m, &w, &err), 0);
	assert_int_equal(fl_image_end(&w, &err), 0);
	x = fl_prover_free(x);

	assert_int_equal(fl_image_read(&i, &fl_mem_heap, &source, "test", &err), 0);
	assert_int_equal(fl_prover_load(&fl_mem_heap, ops, p, m, &options, &i, &x, &err), 0);
	fl_image_done(&i);
	options.states = UINT32_MAX;
	assert_int_equal(fl_prover_run(x, ops, p, m, &options, &all, &err), 0);
	assert_true(!half.complete && half.states == 20 && all.complete);

	struct fl_prove_result once = prove(&known[6], &options, false);

	assert_int_equal(all.states, once.states);
	assert_int_equal(all.tried, once.tried);
	assert_int_equal(all.n, once.n);
	assert_int_equal(all.prefix, once.prefix);
	fl_prove_done(&fl_mem_heap, &half);
	fl_prove_done(&fl_mem_heap, &all);
	fl_prove_done(&fl_mem_heap, &once);
	x = fl_prover_free(x);
	free(bytes.bytes);
	ops->free(p);
	fl_model_free(m);
}

/* A wait is longer than whatever hangs on time; where nothing does there is none. */
TEST(a_wait_outlasts_all)
{
	static const struct fl_protection none = { .minimum_run = { 0 }, .delay = { 0 } };
	struct fl_model *m = model_of(&known[0], false);
	struct fl_protection_row row = { .says = none };
	struct fl_requeue_row back_off = fl_requeue_default;
	struct fl_prove_clock clock;
	fairlead_error err;

	assert_int_equal(fl_prove_clock(ops, m, 0).span, 0);
	assert_int_equal(fl_model_push_protections(m, &row, NULL, &err), 0);
	assert_int_equal(fl_prove_clock(ops, m, 0).span, 0);
	m->protections[0].says.delay[FL_CAUSE_RECLAIM] = 7;
	assert_true(fl_prove_clock(ops, m, 0).span > 7);
	m->protections[0].says = none;
	m->protections[0].says.minimum_run[FL_CAUSE_FAIR_SHARING] = 7;
	assert_true(fl_prove_clock(ops, m, 0).span > 7);
	m->protections[0].says = none;
	m->protections[0].says.back_off_base = 1;
	m->protections[0].says.back_off_max = 8;
	assert_true(fl_prove_clock(ops, m, 0).span > 16);
	m->protections[0].says = none;
	back_off.ready_at = 10;
	assert_int_equal(fl_model_push_requeues(m, &back_off, NULL, &err), 0);
	assert_true(fl_prove_clock(ops, m, 9).span > 1);
	assert_int_equal(fl_prove_clock(ops, m, START * FL_SECOND).span, 0);
	clock = fl_prove_clock(ops, m, 9);
	fl_prove_tick(&clock, FL_MOVE_SERVE);
	assert_int_equal(clock.now, 10);
	fl_prove_tick(&clock, FL_MOVE_WAIT);
	assert_int_equal(clock.now, 10 + clock.span);
	fl_model_free(m);
}

static int keep_progress(void *user, const struct fl_prove_progress *p)
{
	*(struct fl_prove_progress *)user = *p;
	return 0;
}

/* What prove.h says of memory: some 90 bytes a state that was found, and one or two a workload. */
TEST(found_states_take_what_is_said)
{
	enum { QUEUES = 4, EACH = 6, JOBS = QUEUES * EACH };
	struct world_node nodes[QUEUES + 1] = { { "root", NULL, FL_COHORT, 1, { { 0 } } } };
	static const char *const names[QUEUES] = { "q0", "q1", "q2", "q3" };
	char jobs[JOBS][8];
	struct fl_prove_progress seen = { 0 };
	struct fl_prove_options options = usual(&fl_mem_heap);
	struct fl_prove_result r;
	struct fl_policy *p;
	struct fl_model *m;
	fairlead_error err;

	for (int q = 0; q < QUEUES; q++)
		nodes[q + 1] = (struct world_node){
			names[q], "root", FL_CLUSTER_QUEUE, 1, { { 4, FL_NO_LIMIT, FL_NO_LIMIT } }
		};
	m = world_open(&fl_mem_heap, nodes, QUEUES + 1, 1);
	for (int i = 0; i < JOBS; i++) {
		(void)snprintf(jobs[i], sizeof jobs[i], "w%d", i);
		world_add_job(m,
			      &(struct world_job){
				      jobs[i], names[i % QUEUES], 0, i, { 1 + i % 3 }, false },
			      1);
	}
	assert_int_equal(fl_model_seal(m, &err), 0);
	p = world_policy(&fl_mem_heap, m, options.now);
	options.states = 4000;
	options.progress = keep_progress;
	options.user = &seen;
	assert_int_equal(fl_prove(ops, p, m, &options, &r, &err), 0);
	uint64_t found = seen.states + seen.waiting;

	assert_true(found > 10000);
	/* Tables have up to twice the room that is used. */
	assert_in_range(seen.bytes / found, 60, 2 * (90 + 2 * JOBS));
	fl_prove_done(&fl_mem_heap, &r);
	ops->free(p);
	fl_model_free(m);
}

/* A move that cannot be made is told from one that can. */
TEST(moves_are_checked)
{
	struct fl_model *m = model_of(&known[0], false);
	fl_time now = START * FL_SECOND;
	struct fl_policy *p = world_policy(&fl_mem_heap, m, now);
	struct fl_move serve = { FL_MOVE_SERVE, { 0 } }, go = { FL_MOVE_LET_GO, { 1 } };
	struct fl_decisions d;
	fairlead_error err;

	assert_int_equal(fl_prove_move(ops, p, now, go, NULL, &d, &err), FAIRLEAD_ESTATE);
	assert_string_equal(err.text, "is not being evicted");
	assert_int_equal(fl_prove_move(ops, p, now, serve, NULL, &d, &err), 0);
	assert_true(d.n > 0);
	assert_int_equal(fl_prove_move(ops, p, now, go, NULL, &d, &err), 0);
	assert_int_equal(d.n, 0);
	serve.workload.v = 2;
	assert_int_equal(fl_prove_move(ops, p, now, serve, NULL, &d, &err), FAIRLEAD_ESTATE);
	serve = (struct fl_move){ FL_MOVE_CYCLE, { FL_NONE } };
	assert_int_equal(fl_prove_move(ops, p, now, serve, NULL, &d, &err), 0);
	assert_int_equal(d.n_heads, 2);
	ops->free(p);
	fl_model_free(m);
}

UNIT_GROUP("prove")
