/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random events, cycles and marks on small random clusters of the entitle policy: rolling
 * back gives all back, memory that runs out changes nothing, cycles that are warm ask for
 * none, and after everything the books say what the tasks say.
 */
#include "decide/entitle/rules/claim.h"
#include "lib/entitle_world.h"
#include "lib/fail_mem.h"
#include "lib/few.h"
#include "lib/unit.h"

static const struct fl_policy_ops *const ops = &fl_entitle_policy;

enum { MAX_QUEUES = 8, MAX_GANGS = 10, MAX_TASKS = 40, MACHINES = 3, DEPTH = 5 };

static uint64_t state;

static uint32_t pick(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % n;
}

static const char *const queue_names[] = { "t1", "t2", "q1", "q2", "q3", "q4", "q5", "q6" };
static const char *const gang_names[] = {
	"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9"
};

/* Two trees, with three leaves each. */
static void random_queues(struct world_leaf *queues)
{
	for (int i = 0; i < MAX_QUEUES; i++)
		queues[i] = (struct world_leaf){
			.name = queue_names[i],
			.parent = i < 2 ? NULL : queue_names[i % 2],
			.deserved = (double)pick(6) - 1,
			.limit = pick(3) ? FL_UNBOUNDED : 2 + pick(6),
			.weight = pick(3),
			.priority = pick(4) ? 0 : 200,
			.reclaim_min_run = pick(3) ? 0 : 20,
			.preempt_min_run = pick(3) ? 0 : 10,
		};
}

/* As the real program decides; in turns; with budgets; with what a Policy adds to reclaims. */
static struct fl_entitle_settings modes_of(uint32_t seed)
{
	struct fl_entitle_settings e = fl_entitle_settings_default;
	uint32_t mode = seed / 2 % 4;

	e.usage_on = true;
	e.window = 20 * FL_SECOND;
	e.turns = mode == 1;
	e.has_budgets = mode == 2;
	e.period_kind = FL_WINDOW_TUMBLING;
	e.period = 7 * FL_SECOND;
	e.period_start = 0;
	e.overcommitment = seed % 3 ? FL_OVERCOMMIT_PROPORTIONAL : FL_OVERCOMMIT_FIRST_COME;
	e.after_budget = seed % 5 ? FL_AFTER_BUDGET_SPARE : FL_AFTER_BUDGET_STOP;
	e.bounded_division = e.keep_below_quota = e.protect_quota = mode == 3;
	return e;
}

static struct fl_model *random_world(uint32_t seed)
{
	static const struct world_budget budgets[] = {
		{ "t1", 0.01 }, { "q1", 0.001 }, { "q2", 0.004 }, { "q3", 0.002 }
	};
	static const struct world_machine machines[MACHINES] = { { "m1", 4 },
								 { "m2", 4 },
								 { "m3", 3 } };
	struct world_leaf queues[MAX_QUEUES];
	struct world_gang gangs[MAX_GANGS];
	double used[MACHINES] = { 0 };

	state = seed;
	random_queues(queues);
	for (int i = 0; i < MAX_GANGS; i++) {
		uint32_t where = pick(MACHINES);
		struct world_gang g = { .name = gang_names[i],
					.queue = queue_names[2 + pick(6)],
					.priority = 40 + 10 * (int32_t)pick(3),
					.firm = pick(5) == 0,
					.tasks = 1 + (int)pick(3),
					.gpus = 0.5 * (1 + pick(4)),
					.ran = pick(30) };

		g.min_tasks = 1 + (int)pick((uint32_t)g.tasks);
		if (pick(2) && used[where] + g.tasks * g.gpus <= machines[where].gpus) {
			used[where] += g.tasks * g.gpus;
			g.running = machines[where].name;
			g.waiting = pick(3) ? 0 : (int)pick((uint32_t)g.tasks);
		}
		gangs[i] = g;
	}
	const struct world_of world = {
		.queues = queues,
		.machines = machines,
		.gangs = gangs,
		.n_queues = MAX_QUEUES,
		.n_machines = MACHINES,
		.n_gangs = MAX_GANGS,
		.budgets = budgets,
		.n_budgets = COUNT(budgets),
		.settings = modes_of(seed),
	};

	return entitle_world(&fl_mem_heap, &world);
}

/* Every second one lets usage move. */
static struct fl_policy *make(const struct fl_mem *mem, const struct fl_model *m, uint32_t seed)
{
	const struct fl_policy_options options = { .mem = mem,
						   .now = WORLD_NOW * FL_SECOND,
						   .moving_usage = seed % 2 };
	struct fl_policy *p = NULL;

	assert_int_equal(ops->new (m, &options, &p, NULL), 0);
	return p;
}

/* --- all that can change --- */

struct image {
	fl_mark mark;
	struct fl_bundle held[MAX_QUEUES][7];
	double late[MAX_QUEUES];
	int32_t priority[MAX_QUEUES];
	struct fl_task tasks[MAX_TASKS];
	struct fl_job jobs[MAX_GANGS];
	struct fl_bundle rooms[MACHINES][3], total;
	uint64_t digest[2];
};

static void take_image(const struct fl_policy *p, struct image *ret)
{
	memset(ret, 0, sizeof *ret);
	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		const struct fl_standing *s = &p->queues[q];
		const struct fl_bundle held[] = { s->deserved,       s->limit,   s->weight,
						  s->fair_share,     s->request, s->allocated,
						  s->non_preemptible };

		memcpy(ret->held[q], held, sizeof held);
		ret->priority[q] = s->priority;
		ret->late[q] = s->late;
	}
	memcpy(ret->tasks, p->tasks, p->model->n_tasks * sizeof *p->tasks);
	memcpy(ret->jobs, p->jobs, p->model->n_workloads * sizeof *p->jobs);
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		/* Derived. */
		memset(&ret->jobs[w].to_start, 0, sizeof ret->jobs[w].to_start);
		ret->jobs[w].to_start_epoch = ret->jobs[w].to_start_as_of = 0;
		/* Over with each cycle. */
		assert_false(fl_job_remembers(p, &p->jobs[w]));
		ret->jobs[w].remembered = ret->jobs[w].asked_in = 0;
		ret->jobs[w].asked_amount = false;
	}
	for (uint32_t m = 0; m < p->model->n_machines; m++) {
		ret->rooms[m][0] = p->rooms[m].allocatable;
		ret->rooms[m][1] = p->rooms[m].idle;
		ret->rooms[m][2] = p->rooms[m].leaving;
	}
	ret->total = p->total;
	ops->digest(p, 0, ret->digest);
}

static void same_image(const struct fl_policy *p, const struct image *then)
{
	static struct image now;

	take_image(p, &now);
	now.mark = then->mark;
	assert_memory_equal(&now, then, sizeof now);
}

/* What queues hold and machines have is what the tasks make of it. */
static void check_books(const struct fl_policy *p)
{
	const struct fl_model *m = p->model;
	double held[MAX_QUEUES] = { 0 }, idle[MACHINES], leaving[MACHINES] = { 0 };

	for (uint32_t i = 0; i < m->n_machines; i++)
		idle[i] = p->rooms[i].allocatable.of[FL_GPU];
	for (uint32_t t = 0; t < m->n_tasks; t++) {
		const struct fl_task *task = &p->tasks[t];
		double gpus = task->request.of[FL_GPU];

		assert_int_not_equal(task->state, FL_TASK_PROMISED);
		assert_int_equal(task->machine.v != FL_NONE,
				 task->state == FL_TASK_HOLDS || task->state == FL_TASK_LEAVES);
		if (task->machine.v != FL_NONE)
			idle[task->machine.v] -= gpus;
		if (task->state == FL_TASK_LEAVES)
			leaving[task->machine.v] += gpus;
		for (uint32_t q = p->jobs[task->workload.v].queue.v;
		     task->state == FL_TASK_HOLDS && q != FL_NONE; q = p->queues[q].parent.v)
			held[q] += gpus;
	}
	for (uint32_t q = 0; q < m->n_nodes; q++)
		assert_true(p->queues[q].allocated.of[FL_GPU] == held[q]);
	for (uint32_t i = 0; i < m->n_machines; i++) {
		assert_true(p->rooms[i].idle.of[FL_GPU] == idle[i]);
		assert_true(p->rooms[i].leaving.of[FL_GPU] == leaving[i]);
	}
}

/* Modes only shift shares between siblings, and nobody's falls below what it deserves. */
static void check_shares(const struct fl_policy *p)
{
	double given = 0, divided = 0; /* at the top */

	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		const struct fl_standing *s = &p->queues[q];
		double asks = fl_standing_requestable(s, FL_GPU), least = s->deserved.of[FL_GPU];

		if (least == FL_UNBOUNDED || least > asks)
			least = asks;
		if (least > p->share[q].of[FL_GPU])
			least = p->share[q].of[FL_GPU];
		assert_true(s->fair_share.of[FL_GPU] >= least - 1e-9);
		given += s->parent.v == FL_NONE ? s->fair_share.of[FL_GPU] : 0;
		divided += s->parent.v == FL_NONE ? p->share[q].of[FL_GPU] : 0;
		assert_true(p->claims || s->fair_share.of[FL_GPU] == p->share[q].of[FL_GPU]);
	}
	assert_true(given <= p->total.of[FL_GPU] + 1e-9 || given <= divided + 1e-9);
}

static bool shifted(const struct fl_policy *p)
{
	for (uint32_t q = 0; q < p->model->n_nodes; q++)
		if (p->queues[q].fair_share.of[FL_GPU] != p->share[q].of[FL_GPU])
			return true;
	return false;
}

/* --- all that can happen --- */

static struct fl_cell random_cell(const struct fl_model *m)
{
	static const enum fl_cell_kind kinds[] = {
		FL_CELL_DESERVED,       FL_CELL_LIMIT,    FL_CELL_OVER_QUOTA_WEIGHT,
		FL_CELL_QUEUE_PRIORITY, FL_CELL_PRIORITY, FL_CELL_ALLOCATABLE
	};

	struct fl_cell cell = { .kind = kinds[pick(COUNT(kinds))],
				.node = { pick(m->n_nodes) },
				.resource = m->axis[FL_GPU],
				.value = pick(6) };

	if (cell.kind == FL_CELL_PRIORITY)
		cell.amount = 40 + 10 * (int32_t)pick(9);
	if (cell.kind == FL_CELL_ALLOCATABLE)
		cell.machine.v = pick(m->n_machines);
	return cell;
}

static struct fl_event random_event(const struct fl_model *m)
{
	static const enum fl_event_kind kinds[] = { FL_EV_SUBMIT,  FL_EV_CANCEL,   FL_EV_STARTED,
						    FL_EV_EVICTED, FL_EV_FINISHED, FL_EV_REJECTED,
						    FL_EV_CELL,    FL_EV_EVICTED,  FL_EV_KILLED };

	return (struct fl_event){ .kind = kinds[pick(COUNT(kinds))],
				  .workload = { pick(m->n_workloads) },
				  .cell = random_cell(m),
				  .machine = { pick(4) ? pick(m->n_machines) : FL_NONE } };
}

static void random_thing(const struct fl_model *m, struct fl_policy *p, fl_time now)
{
	struct fl_event e = random_event(m);
	struct fl_decisions d;
	fairlead_error err;

	switch (pick(5)) {
	case 0:
		assert_int_equal(ops->step(p, now, 0, NULL, &d, &err), 0);
		break;
	case 1:
		(void)ops->try(p, now, e.workload, NULL, &d, &err);
		break;
	case 2:
		(void)ops->serve(p, now, e.workload, NULL, &d, &err);
		break;
	default:
		(void)ops->apply(p, now, &e, &err);
	}
}

TEST(rollback_gives_all_back)
{
	static struct image images[DEPTH];

	for (uint32_t seed = 1; seed <= few(150); seed++) {
		struct fl_model *m = random_world(seed);
		struct fl_policy *p = make(&fl_mem_heap, m, seed);
		uint32_t depth = 0;

		for (int i = 0; i < 80; i++) {
			fl_time now = (WORLD_NOW + i) * FL_SECOND;

			if (pick(5) == 0 && depth < DEPTH) {
				take_image(p, &images[depth]);
				assert_int_equal(ops->mark(p, &images[depth].mark, NULL), 0);
				depth++;
			} else if (depth && pick(6) == 0) {
				depth = pick(depth); /* that one, and all newer ones */
				ops->rollback(p, images[depth].mark);
				same_image(p, &images[depth]);
			} else if (depth && pick(12) == 0) {
				depth = pick(depth);
				ops->keep(p, images[depth].mark);
			} else {
				random_thing(m, p, now);
				check_books(p);
			}
		}
		ops->free(p);
		fl_model_free(m);
	}
}

/* A division after a rollback knows nothing of the cells that were changed. */
TEST(shares_after_a_rollback_are_those_before)
{
	for (uint32_t seed = 1; seed <= few(100); seed++) {
		struct fl_model *m = random_world(seed);
		struct fl_policy *p = entitle_world_policy(&fl_mem_heap, m);
		struct fl_event e = { .kind = FL_EV_CELL };
		static struct image before;
		fl_mark mark;

		(void)entitle_world_step(p, 0);
		take_image(p, &before);
		assert_int_equal(ops->mark(p, &mark, NULL), 0);
		for (int i = 0; i < 5; i++) {
			e.cell = random_cell(m);
			(void)ops->apply(p, WORLD_NOW * FL_SECOND, &e, NULL);
		}
		(void)entitle_world_step(p, 0);
		ops->rollback(p, mark);
		same_image(p, &before);
		/* Nothing is left to decide but what a cycle on the same state decides. */
		(void)entitle_world_step(p, 1);
		for (uint32_t q = 0; q < m->n_nodes; q++)
			assert_true(p->queues[q].weight.of[FL_GPU] ==
				    m->entitlements[m->nodes[q].entitlement].weight.of[FL_GPU]);
		ops->free(p);
		fl_model_free(m);
	}
}

TEST(modes_shift_shares_and_nothing_else)
{
	int shifts[2] = { 0 };

	for (uint32_t seed = 1; seed <= few(200); seed++) {
		struct fl_model *m = random_world(seed);
		struct fl_policy *p = make(&fl_mem_heap, m, seed);

		for (int i = 0; i < 12; i++) {
			struct fl_decisions d = entitle_world_step(p, i);

			check_shares(p);
			if (p->claims)
				shifts[p->budgets != NULL] += shifted(p);
			entitle_world_settle(p, &d, i);
		}
		ops->free(p);
		fl_model_free(m);
	}
	/* It is about something. */
	assert_true(under_valgrind() || (shifts[0] > 20 && shifts[1] > 20));
}

static int call(struct fl_policy *p, uint32_t door, fl_time now, const struct fl_event *e,
		fairlead_error *err)
{
	struct fl_decisions d;

	switch (door) {
	case 0:
		return ops->step(p, now, 0, NULL, &d, err);
	case 1:
		return ops->try(p, now, e->workload, NULL, &d, err);
	default:
		return ops->apply(p, now, e, err);
	}
}

TEST(failing_allocations_change_nothing)
{
	static struct image before;

	for (uint32_t seed = 1; seed <= few(40); seed++) {
		struct fl_model *m = random_world(seed);
		struct fail_mem f;
		fairlead_error err;

		fail_mem_init(&f);
		struct fl_policy *p = make(&f.mem, m, seed);

		for (int i = 0; i < 20; i++) {
			fl_time now = (WORLD_NOW + i) * FL_SECOND;
			struct fl_event e = random_event(m);
			uint32_t door = pick(3);
			fl_mark mark;

			take_image(p, &before);
			if (pick(2))
				assert_int_equal(ops->mark(p, &mark, NULL), 0);
			for (unsigned long n = 1;; n++) {
				f.fail_at = n;
				int r = call(p, door, now, &e, &err);
				f.fail_at = 0;
				if (r != FAIRLEAD_ENOMEM)
					break;
				same_image(p, &before);
			}
		}
		ops->free(p);
		assert_int_equal(f.live, 0);
		fl_model_free(m);
	}
}

TEST(a_policy_that_cannot_be_made_leaves_nothing)
{
	struct fl_model *m = random_world(5);
	struct fl_policy *p = NULL;
	struct fail_mem f;
	int r = FAIRLEAD_ENOMEM;

	fail_mem_init(&f);
	for (unsigned long n = 1; r == FAIRLEAD_ENOMEM; n++) {
		const struct fl_policy_options options = { .mem = &f.mem, .moving_usage = true };

		f.fail_at = n;
		r = ops->new (m, &options, &p, NULL);
		if (r == FAIRLEAD_ENOMEM)
			assert_int_equal(f.live, 0);
	}
	assert_int_equal(r, 0);
	ops->free(p);
	assert_int_equal(f.live, 0);
	fl_model_free(m);
}

TEST(warm_cycles_ask_for_no_memory)
{
	for (uint32_t seed = 1; seed <= few(40); seed++) {
		struct fl_model *m = random_world(seed);
		struct fail_mem f;
		struct fl_decisions d;
		fl_mark mark;
		unsigned long calls;

		fail_mem_init(&f);
		struct fl_policy *p = entitle_world_policy(&f.mem, m);

		for (int round = 0; round < 2; round++) {
			calls = f.calls;
			assert_int_equal(ops->mark(p, &mark, NULL), 0);
			for (int i = 0; i < 6; i++) {
				d = entitle_world_step(p, i);
				entitle_world_settle(p, &d, i);
				(void)ops->try(p, (WORLD_NOW + i) * FL_SECOND,
					       (struct fl_workload){ (uint32_t)i }, NULL, &d, NULL);
			}
			ops->rollback(p, mark);
		}
		assert_int_equal(f.calls, calls);
		ops->free(p);
		fl_model_free(m);
	}
}

/* After a cycle that moved nothing the next one at the same time decides the same. */
TEST(a_cycle_that_moved_nothing_is_the_last)
{
	static struct image one, other;
	uint32_t still = 0;

	for (uint32_t seed = 1; seed <= few(150); seed++) {
		struct fl_model *m = random_world(seed);
		struct fl_policy *p = make(&fl_mem_heap, m, seed);

		for (int i = 0; i < 40; i++) {
			fl_time now = (WORLD_NOW + i / 4) * FL_SECOND;
			struct fl_decisions d;

			assert_int_equal(ops->step(p, now, FL_STEP_FULL, NULL, &d, NULL), 0);
			if (!d.moved) {
				uint32_t n = d.n;
				bool waiting, reserves = false;

				take_image(p, &one);
				assert_int_equal(ops->step(p, now, FL_STEP_FULL, NULL, &d, NULL),
						 0);
				take_image(p, &other);
				assert_false(d.moved);
				assert_int_equal(d.n, n);
				for (uint32_t k = 0; k < d.n; k++)
					assert_int_not_equal(d.rows[k].kind, FL_ADMIT);
				for (uint32_t k = 0; k < d.n; k++)
					reserves |= d.rows[k].kind == FL_RESERVE;
				assert_memory_equal(one.digest, other.digest, sizeof one.digest);
				/* Nor is it looked for; turns may come back to who has reservations. */
				waiting = d.waiting;
				assert_int_equal(ops->step(p, now, 0, NULL, &d, NULL), 0);
				assert_true(d.n == 0 || reserves);
				assert_int_equal(d.waiting, waiting);
				still++;
			}
			random_thing(m, p, now);
		}
		ops->free(p);
		fl_model_free(m);
	}
	assert_true(still > few(300));
}

/* --- states that recur --- */

enum { MAX_WORDS = 256, STATES = 60, MAX_ROWS = 32 };

/* A state: its words, and what a cycle would decide in it. */
struct seen {
	uint64_t words[MAX_WORDS], digest[2];
	struct fl_decision rows[MAX_ROWS];
	uint32_t n_words, n_rows;
};

static void add_word(void *user, uint64_t word)
{
	struct seen *s = user;

	assert_true(s->n_words < MAX_WORDS);
	s->words[s->n_words++] = word;
}

static void see(struct fl_policy *p, fl_time now, struct seen *ret)
{
	struct fl_decisions d;
	fl_mark mark;

	memset(ret, 0, sizeof *ret);
	ops->digest(p, now, ret->digest);
	ops->spell(p, now, add_word, ret);
	assert_int_equal(ops->mark(p, &mark, NULL), 0);
	assert_int_equal(ops->forget(p, now, NULL), 0);
	assert_int_equal(ops->step(p, now, 0, NULL, &d, NULL), 0);
	assert_true(d.n <= MAX_ROWS);
	for (uint32_t i = 0; i < d.n; i++)
		if (d.rows[i].kind != FL_WAIT)
			ret->rows[ret->n_rows++] = d.rows[i];
	ops->rollback(p, mark);
}

/* Somebody is served, or an eviction completes. */
static void random_move(struct fl_policy *p, fl_time now)
{
	struct fl_event e = { .kind = FL_EV_EVICTED, .workload = { pick(MAX_GANGS) } };
	struct fl_decisions d;
	fairlead_error err;

	if (ops->state(p, e.workload) == FL_STATE_EVICTING && pick(2))
		assert_int_equal(ops->apply(p, now, &e, &err), 0);
	else
		(void)ops->serve(p, now, e.workload, NULL, &d, &err);
	assert_int_equal(ops->forget(p, now, &err), 0);
}

TEST(equal_words_decide_alike_and_have_equal_digests)
{
	static struct seen seen[STATES];
	uint32_t alike = 0, different = 0;

	for (uint32_t seed = 1; seed <= few(60); seed++) {
		struct fl_model *m = random_world(seed);
		struct fl_policy *p = make(&fl_mem_heap, m, seed);
		fl_time now = (WORLD_NOW + 100) * FL_SECOND;

		for (uint32_t i = 0; i < STATES; i++) {
			random_move(p, now);
			see(p, now, &seen[i]);
			assert_int_equal(seen[i].n_words, seen[0].n_words);
		}
		for (uint32_t i = 0; i < STATES; i++)
			for (uint32_t k = 0; k < i; k++) {
				bool same = memcmp(seen[i].words, seen[k].words,
						   sizeof seen[i].words) == 0;

				assert_true(same == (memcmp(seen[i].digest, seen[k].digest,
							    sizeof seen[i].digest) == 0));
				same ? alike++ : different++;
				if (!same)
					continue;
				assert_int_equal(seen[i].n_rows, seen[k].n_rows);
				assert_memory_equal(seen[i].rows, seen[k].rows,
						    sizeof seen[i].rows);
			}
		ops->free(p);
		fl_model_free(m);
	}
	assert_true(alike > few(1000) && different > few(1000));
}

UNIT_GROUP("entitle-random")
