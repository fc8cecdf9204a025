/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to workloads of the borrow policy, told line by line.
 */
#include "decide/borrow/borrow.h"
#include "lib/fail_mem.h"
#include "lib/few.h"
#include "lib/world.h"
#include "sim/begin.h"
#include "unit/sim/diary.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

enum { START = 1000, JOBS = 5 };

struct job {
	const char *name;
	fl_amount size;
	int32_t priority;
	int arrives, runs, leaves; /* seconds; runs 0: endless; leaves 0: never */
	const char *queue;         /* NULL: q */
	bool admitted;             /* from the beginning */
};

#define JOB(its_name, its_size, its_priority, comes, work)                                         \
	.name = (its_name), .size = (its_size), .priority = (its_priority), .arrives = (comes),    \
	.runs = (work)

struct row {
	const char *name;
	struct job jobs[JOBS];
	int grace, checkpoint, restart, back_off,
		until; /* seconds; checkpoint and until 0: never */
	enum fl_sim_end ended;
	const char *text;
};

/* q has 4, and may take from o, which has 4, too. */
static const struct world_node nodes[] = {
	{ "all", NULL, FL_COHORT, 1, { { 0, FL_NO_LIMIT, FL_NO_LIMIT } } },
	{ "q", "all", FL_CLUSTER_QUEUE, 1, { { 4, 0, FL_NO_LIMIT } } },
	{ "o", "all", FL_CLUSTER_QUEUE, 1, { { 4, FL_NO_LIMIT, FL_NO_LIMIT } } },
};

static const struct row rows[] = {
	{ "comes, runs, is done",
	  { { JOB("a", 4, 0, 0, 10) } },
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived a\n0 started a\n10 finished a\n" },
	{ "nobody comes", { { 0 } }, .ended = FL_SIM_ALL_DONE, .text = "" },
	{ "starts when another is done",
	  { { JOB("a", 3, 0, 0, 10) }, { JOB("b", 3, 0, 2, 5) } },
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived a\n0 started a\n2 arrived b\n10 finished a\n10 started b\n"
		  "15 finished b\n" },
	{ "by name at one moment",
	  { { JOB("c", 2, 0, 1, 3) }, { JOB("a", 1, 0, 1, 3) }, { JOB("b", 1, 0, 0, 4) } },
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived b\n0 started b\n1 arrived a\n1 arrived c\n1 started a\n1.1 started c\n"
		  "4 finished a\n4 finished b\n4.1 finished c\n" },
	{ "its work is lost",
	  { { JOB("low", 4, 0, 0, 100) }, { JOB("high", 4, 1, 20, 10) } },
	  .grace = 5,
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived low\n0 started low\n20 arrived high\n20 evicted low\n25 lets go low\n"
		  "25 started high\n35 finished high\n35 started low\n135 finished low\n" },
	{ "what was saved is not",
	  { { JOB("low", 4, 0, 0, 100) }, { JOB("high", 4, 1, 20, 10) } },
	  .grace = 5,
	  .checkpoint = 10,
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived low\n0 started low\n20 arrived high\n20 evicted low\n25 lets go low\n"
		  "25 started high\n35 finished high\n35 started low\n115 finished low\n" },
	{ "saved all the time",
	  { { JOB("low", 4, 0, 0, 100) }, { JOB("high", 4, 1, 20, 10) } },
	  .grace = 5,
	  .checkpoint = -1,
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived low\n0 started low\n20 arrived high\n20 evicted low\n25 lets go low\n"
		  "25 started high\n35 finished high\n35 started low\n110 finished low\n" },
	{ "to start again takes time, to start does not",
	  { { JOB("low", 4, 0, 0, 100) }, { JOB("high", 4, 1, 20, 10) } },
	  .grace = 5,
	  .checkpoint = -1,
	  .restart = 7,
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived low\n0 started low\n20 arrived high\n20 evicted low\n25 lets go low\n"
		  "25 started high\n35 finished high\n35 started low\n117 finished low\n" },
	{ "comes back later, twice as late the next time",
	  { { JOB("low", 4, 0, 0, 100) }, { JOB("x", 4, 1, 10, 1) }, { JOB("y", 4, 1, 30, 1) } },
	  .grace = 0,
	  .back_off = 8,
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived low\n0 started low\n10 arrived x\n10 evicted low\n10 lets go low\n"
		  "10.1 started x\n11.1 finished x\n18 returned low\n18 started low\n30 arrived y\n"
		  "30 evicted low\n30 lets go low\n30.1 started y\n31.1 finished y\n46 returned low\n"
		  "46 started low\n146 finished low\n" },
	{ "is done before its grace is over",
	  { { JOB("low", 4, 0, 0, 22) }, { JOB("high", 4, 1, 20, 10) } },
	  .grace = 5,
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived low\n0 started low\n20 arrived high\n20 evicted low\n22 finished low\n"
		  "22 started high\n32 finished high\n" },
	{ "gives up, and the clock does not wait for those who did not",
	  { { JOB("a", 4, 0, 0, 20), .leaves = 1000 }, { JOB("b", 4, 0, 1, 10), .leaves = 5 } },
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived a\n0 started a\n1 arrived b\n5 gave up b\n20 finished a\n" },
	{ "who was evicted does not give up",
	  { { JOB("low", 4, 0, 0, 20), .leaves = 15 }, { JOB("high", 4, 1, 10, 10) } },
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived low\n0 started low\n10 arrived high\n10 evicted low\n10 lets go low\n"
		  "10.1 started high\n20.1 finished high\n20.1 started low\n40.1 finished low\n" },
	{ "the time is over",
	  { { JOB("a", 4, 0, 0, 20) } },
	  .until = 12,
	  .ended = FL_SIM_UNTIL,
	  .text = "0 arrived a\n0 started a\n" },
	{ "and is not over before, though all are done",
	  { { JOB("a", 4, 0, 0, 12) } },
	  .until = 20,
	  .ended = FL_SIM_UNTIL,
	  .text = "0 arrived a\n0 started a\n12 finished a\n" },
	{ "what happens at the end still does",
	  { { JOB("a", 4, 0, 0, 12) } },
	  .until = 12,
	  .ended = FL_SIM_UNTIL,
	  .text = "0 arrived a\n0 started a\n12 finished a\n" },
	{ "larger than the cluster",
	  { { JOB("huge", 5, 1, 0, 10) }, { JOB("a", 4, 0, 1, 5) } },
	  .ended = FL_SIM_NO_PROGRESS,
	  .text = "0 arrived huge\n1 arrived a\n1 started a\n6 finished a\n" },
	{ "endless, and nobody waits",
	  { { JOB("a", 4, 0, 3, 0) } },
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived a\n0 started a\n" },
	{ "endless, and somebody waits",
	  { { JOB("a", 4, 0, 0, 0) }, { JOB("b", 4, 0, 5, 10) } },
	  .ended = FL_SIM_NO_PROGRESS,
	  .text = "0 arrived a\n0 started a\n5 arrived b\n" },
	{ "from the beginning",
	  { { JOB("a", 4, 0, -10, 30), .admitted = true }, { JOB("b", 4, 0, 0, 5) } },
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived b\n20 finished a\n20 started b\n25 finished b\n" },
};

static void must(int r, const fairlead_error *err)
{
	if (r < 0)
		fail_msg("%s", err->text);
}

static struct fl_model *open_world(const struct fl_mem *mem, const struct job *jobs, uint32_t n)
{
	struct fl_model *m = world_open(mem, nodes, COUNT(nodes), 1);
	fairlead_error err;

	m->simulation.whole = true;
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].kind == FL_CLUSTER_QUEUE)
			m->nodes[i].within_queue = FL_PREEMPT_LOWER_PRIORITY;
	for (uint32_t i = 0; i < n && jobs[i].name; i++) {
		const struct job *j = &jobs[i];
		struct fl_life_row life = {
			.workload = { i },
			.arrives = j->admitted ? FL_TIME_NONE : (START + j->arrives) * FL_SECOND,
			.runs = j->runs ? j->runs * FL_SECOND : FL_NEVER,
			.asked = FL_TIME_NONE,
			.leaves = j->leaves ? (START + j->leaves) * FL_SECOND : FL_NEVER,
			.waited = FL_TIME_NONE,
			.class_name = { FL_NONE },
			.user = { FL_NONE },
		};

		world_add_job(m,
			      &(struct world_job){ .name = j->name,
						   .queue = j->queue ? j->queue : "q",
						   .priority = j->priority,
						   .age = START + j->arrives,
						   .ask = { j->size },
						   .admitted = j->admitted },
			      1);
		must(fl_model_push_lives(m, &life, NULL, &err), &err);
	}
	return m;
}

static struct fl_simulation_settings settings_of(const struct row *row)
{
	struct fl_simulation_settings s = fl_simulation_default;

	s.grace = row->grace * FL_SECOND;
	s.checkpoint = row->checkpoint < 0 ? 0 :
		       row->checkpoint     ? row->checkpoint * FL_SECOND :
					     FL_NEVER;
	s.restart = row->restart * FL_SECOND;
	s.back_off_base = row->back_off * FL_SECOND;
	s.back_off_max = 100 * FL_SECOND;
	s.until = row->until ? row->until * FL_SECOND : FL_NEVER;
	return s;
}

static void run(struct diary *d, struct fl_model *m, const struct fl_simulation_settings *s)
{
	struct fl_policy *p;
	fairlead_error err;

	must(fl_model_seal(m, &err), &err);
	p = world_policy(&fl_mem_heap, m, START * FL_SECOND);
	memset(d, 0, offsetof(struct diary, look));
	diary_run(d, m, ops, p, s,
		  fl_sim_start(m) > START * FL_SECOND ? fl_sim_start(m) : START * FL_SECOND);
	ops->free(p);
}

TEST(what_happens)
{
	static struct diary d;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_simulation_settings s = settings_of(&rows[i]);
		struct fl_model *m = open_world(&fl_mem_heap, rows[i].jobs, JOBS);

		run(&d, m, &s);
		if (strcmp(d.text, rows[i].text) != 0 || d.ended != rows[i].ended)
			fail_msg("%s:\n%sended %d", rows[i].name, d.text, (int)d.ended);
		fl_model_free(m);
	}
}

/* --- what changes, and who is killed --- */

struct change {
	int at; /* seconds */
	const char *queue;
	fl_amount nominal;
	bool kills;
};

struct changed {
	const char *name;
	struct job jobs[JOBS];
	struct change changes[3];
	int until;
	const char *text;
};

static const struct changed changed[] = {
	{ "less quota: who runs goes on",
	  { { JOB("a", 4, 0, 0, 10) }, { JOB("b", 2, 0, 1, 5) } },
	  .changes = { { 5, "q", 2, false } },
	  .text = "0 arrived a\n0 started a\n1 arrived b\n5 changed -\n10 finished a\n10 started b\n"
		  "15 finished b\n" },
	{ "what is gone kills the newest, until it fits, and they wait again",
	  { { JOB("a", 2, 0, 0, 10) }, { JOB("b", 1, 0, 1, 10) }, { JOB("c", 1, 0, 2, 10) } },
	  .changes = { { 5, "q", 3, true }, { 7, "q", 4, false } },
	  .text = "0 arrived a\n0 started a\n1 arrived b\n1 started b\n2 arrived c\n2 started c\n"
		  "5 changed -\n5 killed c\n7 changed -\n7 started c\n10 finished a\n11 finished b\n"
		  "17 finished c\n" },
	{ "who borrowed is killed, not who has its own",
	  { { JOB("x", 3, 0, 0, 10), .queue = "o" },
	    { JOB("y", 3, 0, 1, 10), .queue = "o" },
	    { JOB("a", 1, 0, 2, 10) } },
	  .changes = { { 5, "o", 0, true }, { 30, "o", 4, true } },
	  .text = "0 arrived x\n0 started x\n1 arrived y\n1 started y\n2 arrived a\n2 started a\n"
		  "5 changed -\n5 killed y\n10 finished x\n10 started y\n12 finished a\n"
		  "20 finished y\n" },
};

static void push_change(struct fl_model *m, const struct change *c)
{
	struct fl_change_row row = { .at = c->at * FL_SECOND,
				     .cell = FL_CELL_NOMINAL,
				     .node_name = world_sym(m, c->queue),
				     .node_kind = FL_CLUSTER_QUEUE,
				     .machine_name = { FL_NONE },
				     .flavor_name = world_sym(m, "f"),
				     .resource_name = world_sym(m, "r0"),
				     .amount = c->nominal,
				     .kills = c->kills };
	fairlead_error err;

	must(fl_model_push_changes(m, &row, NULL, &err), &err);
}

TEST(what_changes)
{
	static struct diary d;

	for (size_t i = 0; i < COUNT(changed); i++) {
		struct fl_simulation_settings s = fl_simulation_default;
		struct fl_model *m = open_world(&fl_mem_heap, changed[i].jobs, JOBS);

		for (int k = 0; k < 3 && changed[i].changes[k].queue; k++)
			push_change(m, &changed[i].changes[k]);
		run(&d, m, &s);
		if (strcmp(d.text, changed[i].text) != 0)
			fail_msg("%s:\n%s", changed[i].name, d.text);
		fl_model_free(m);
	}
}

static void push_failure(struct fl_model *m, const char *queue, fl_amount amount, int every,
			 int lasts)
{
	struct fl_failure_row row = { .machine_name = { FL_NONE },
				      .node_name = world_sym(m, queue),
				      .node_kind = FL_CLUSTER_QUEUE,
				      .flavor_name = world_sym(m, "f"),
				      .resource_name = world_sym(m, "r0"),
				      .amount = amount,
				      .every = every * FL_SECOND,
				      .lasts = lasts * FL_SECOND };
	fairlead_error err;

	must(fl_model_push_failures(m, &row, NULL, &err), &err);
}

static void look_at_missing(const struct fl_sim *s)
{
	const struct fl_tree *t = fl_borrow_tree(s->policy);
	const struct fl_model *m = s->model;
	struct fl_node q = fl_model_find_node(m, FL_CLUSTER_QUEUE, "q");
	fl_amount quota = 4, missing = s->failures[0].down ? m->failures[0].amount : 0;

	for (uint32_t i = 0; i < m->n_changes; i++)
		if (s->options.start + m->changes[i].at <= s->now)
			quota = m->changes[i].amount;
	assert_int_equal(t->nominal[t->row[q.v]], quota > missing ? quota - missing : 0);
}

/* Quota that is missing is missing of what there is just now, and all of that comes back. */
TEST(what_fails_comes_back)
{
	static const struct job jobs[] = { { JOB("a", 1, 0, 0, 10) } };
	static struct diary d;
	struct fl_simulation_settings s = fl_simulation_default;

	d.look = look_at_missing;
	s.until = 2000 * FL_SECOND;
	for (uint64_t seed = 1; seed <= few(20); seed++) {
		struct fl_model *m = open_world(&fl_mem_heap, jobs, COUNT(jobs));

		s.seed = seed;
		push_failure(m, "q", 3, 50, 50);
		for (int i = 1; i < 60; i++)
			push_change(m, &(struct change){ i * 30, "q", i * 7 % 8, false });
		run(&d, m, &s);
		assert_true(d.counts[FL_SIM_BACK] > 10);
		fl_model_free(m);
	}
}

static uint64_t state;

static uint32_t pick(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % n;
}

enum { MANY = 60 };

/* All at once; with @turned the jobs stand in the input the other way round. */
static struct fl_model *random_world(uint32_t seed, bool turned, struct fl_simulation_settings *s)
{
	static char names[MANY][8];
	struct job jobs[MANY] = { 0 }, rest[MANY];
	struct fl_model *m;

	state = seed;
	*s = fl_simulation_default;
	s->seed = seed;
	s->grace = pick(2) ? pick(20) * FL_SECOND : 0;
	s->checkpoint = pick(3) ? pick(30) * FL_SECOND : FL_NEVER;
	s->restart = pick(3) * FL_SECOND;
	s->back_off_base = pick(2) * 5 * FL_SECOND;
	s->back_off_max = 60 * FL_SECOND;
	s->period = pick(3) ? FL_NEVER : 7 * FL_SECOND;
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof names[i], "j%u", (unsigned)(i * 7919 % 1000));
		jobs[i] = (struct job){ JOB(names[i], 1 + pick(4), (int32_t)pick(3), (int)pick(200),
					    1 + (int)pick(40)),
					.leaves = pick(5) ? 0 : 200 + (int)pick(20),
					.queue = pick(2) ? "q" : "o" };
	}
	for (uint32_t i = 0; i < MANY; i++)
		rest[i] = jobs[turned ? MANY - 1 - i : i];
	m = open_world(&fl_mem_heap, rest, MANY);
	push_failure(m, "q", 2, 50, 10);
	push_failure(m, "o", 3, 80, 20);
	push_change(m, &(struct change){ 60, "q", 5, true });
	push_change(m, &(struct change){ 120, "q", 4, true });
	return m;
}

static void look_at_quota(const struct fl_sim *s)
{
	const struct fl_tree *t = fl_borrow_tree(s->policy);
	const struct fl_usage *u = fl_borrow_usage(s->policy);

	for (uint32_t n = 0; n < t->n_nodes; n++)
		if (t->parent[n] == FL_NONE)
			assert_true(u->cell[t->row[n]] <= t->potential[t->row[n]]);
}

TEST(the_same_in_every_order)
{
	static struct diary one, other;
	uint32_t counts[FL_SIM_EVENTS] = { 0 };

	one.look = look_at_quota;
	for (uint32_t seed = 1; seed <= few(60); seed++) {
		struct fl_simulation_settings s;
		struct fl_model *m = random_world(seed, false, &s);

		run(&one, m, &s);
		fl_model_free(m);
		m = random_world(seed, true, &s);
		run(&other, m, &s);
		fl_model_free(m);
		assert_string_equal(one.text, other.text);
		assert_int_equal(one.cycles, other.cycles);
		assert_int_equal(one.ended, FL_SIM_ALL_DONE);
		assert_int_equal(one.counts[FL_SIM_ARRIVED], MANY);
		assert_int_equal(one.counts[FL_SIM_ENDED] + one.counts[FL_SIM_GAVE_UP], MANY);
		for (int i = 0; i < FL_SIM_EVENTS; i++)
			counts[i] += one.counts[i];
	}
	for (int i = 0; i < FL_SIM_EVENTS; i++) /* it was about everything */
		assert_true(counts[i] > (i == FL_SIM_LOOP ? 0 : 20) || under_valgrind());
}

TEST(memory_that_runs_out_leaves_nothing)
{
	struct fl_simulation_settings s;
	struct fl_model *m = random_world(3, false, &s);
	int r = FAIRLEAD_ENOMEM;

	must(fl_model_seal(m, &(fairlead_error){ 0 }), &(fairlead_error){ 0 });
	for (unsigned long n = 1; r == FAIRLEAD_ENOMEM; n++) {
		struct fl_policy *p = world_policy(&fl_mem_heap, m, START * FL_SECOND);
		struct fl_sim_options options = { .start = START * FL_SECOND };
		fairlead_error err;
		struct fail_mem f;
		struct fl_sim sim;

		fail_mem_init(&f);
		f.fail_at = n;
		options.mem = &f.mem;
		r = fl_sim_init(&sim, m, ops, p, &s, &options, &err);
		if (r >= 0) {
			r = fl_sim_run(&sim, &err);
			fl_sim_done(&sim);
		}
		assert_int_equal(f.live, 0);
		ops->free(p);
		assert_true(n < 1000);
	}
	assert_int_equal(r, 0);
	fl_model_free(m);
}

/* --- who waits for long --- */

/* A head behind which hundreds that fit nowhere are parked one by one is found all the same. */
TEST(the_last_of_many_is_found)
{
	enum { HUGE = 200 };
	static struct diary d;
	static char names[HUGE][8];
	struct fl_simulation_settings s = fl_simulation_default;
	struct job jobs[HUGE + 2] = { { JOB("zz", 4, 0, 0, 1000) }, { JOB("z", 4, 0, 5, 10) } };
	struct fl_model *m;

	for (uint32_t i = 0; i < HUGE; i++) {
		snprintf(names[i], sizeof names[i], "h%u", (unsigned)i);
		jobs[2 + i] = (struct job){ JOB(names[i], 100 + (fl_amount)i, 0, 1, 10) };
	}
	m = open_world(&fl_mem_heap, jobs, HUGE + 2);
	run(&d, m, &s);
	assert_int_equal(d.counts[FL_SIM_ENDED], 2);
	assert_int_equal(d.ended, FL_SIM_NO_PROGRESS);
	fl_model_free(m);
}

static bool stop(void *user, const struct fl_sim *sim)
{
	(void)sim;
	return ++*(int *)user < 2;
}

TEST(it_is_stopped)
{
	struct fl_simulation_settings s;
	struct fl_model *m = random_world(4, false, &s);
	int asked = 0;
	struct fl_sim_options options = {
		.mem = &fl_mem_heap, .start = START * FL_SECOND, .go_on = stop, .user = &asked
	};
	struct fl_policy *p;
	fairlead_error err;
	struct fl_sim sim;

	s.until = 1000000 * FL_SECOND; /* machines fail until then */
	must(fl_model_seal(m, &err), &err);
	p = world_policy(&fl_mem_heap, m, START * FL_SECOND);
	must(fl_sim_init(&sim, m, ops, p, &s, &options, &err), &err);
	must(fl_sim_run(&sim, &err), &err);
	assert_int_equal(sim.ended, FL_SIM_STOPPED);
	assert_true(asked == 2 && sim.events < 5000 && sim.now < sim.end);
	fl_sim_done(&sim);
	ops->free(p);
	fl_model_free(m);
}

UNIT_GROUP("simulation")
