/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state as an image: it goes on as it was, is refused inside a mark, and whatever somebody
 * writes into it with the right sum, it is refused or is a state like any other.
 */
#include "decide/drf/drf.h"
#include "decide/entitle/entitle.h"
#include "decide/image.h"
#include "lib/entitle_world.h"
#include "lib/fail_mem.h"
#include "lib/few.h"
#include "lib/reload.h"
#include "lib/unit.h"
#include "lib/world.h"
#include "model/newcomer.h"

static const char maker[] = "unit";

/* Two queues of a cohort: one borrows, one wants its own back, one waits, one is to come. */
static struct fl_state borrow_state_with(const struct fl_mem *mem, uint32_t places)
{
	static const struct world_node nodes[] = {
		{ "c", NULL, FL_COHORT, 1, { { 0, FL_NO_LIMIT, FL_NO_LIMIT } } },
		{ "a", "c", FL_CLUSTER_QUEUE, 1, { { 4, FL_NO_LIMIT, FL_NO_LIMIT } } },
		{ "b", "c", FL_CLUSTER_QUEUE, 2, { { 4, FL_NO_LIMIT, FL_NO_LIMIT } } },
	};
	static const struct world_job jobs[] = {
		{ "a1", "a", 0, 1, { 3 }, true },  { "a2", "a", 0, 2, { 3 }, true },
		{ "b1", "b", 0, 3, { 4 }, false }, { "b2", "b", 1, 4, { 9 }, false },
		{ "b3", "b", 1, 5, { 9 }, false }, { "a3", "a", 0, 6, { 1 }, false },
	};
	struct fl_state s = { .model = world_open(mem, nodes, COUNT(nodes), 1),
			      .ops = &fl_borrow_policy,
			      .now = 10 * FL_SECOND };
	fairlead_error err;

	for (size_t i = 0; i < COUNT(jobs); i++)
		world_add_job(s.model, &jobs[i], 1);
	for (uint32_t n = 0; n < s.model->n_nodes; n++)
		s.model->nodes[n].reclaim = FL_PREEMPT_ANY;
	s.model->settings.fair_sharing = s.model->settings.settles = true;
	s.model->spare = places;
	assert_int_equal(fl_model_seal(s.model, &err), 0);
	s.policy = world_policy(mem, s.model, s.now);
	return s;
}

static struct fl_state borrow_state(const struct fl_mem *mem) { return borrow_state_with(mem, 0); }

/* One more that is like workload @like, but for its name. */
static void join(struct fl_state *s, const char *name, uint32_t like)
{
	struct fl_workload_row row = s->model->workloads[like];
	struct fl_event come = { .kind = FL_EV_SUBMIT };
	fairlead_error err;
	const char *why;

	row.name = row.uid = world_sym(s->model, name);
	assert_int_equal(fl_model_join(s->model, &row, &come.workload, &why, &err), 0);
	assert_int_equal(s->ops->join(s->policy, come.workload, &err), 0);
	assert_int_equal(s->ops->join(s->policy, come.workload, &err), FAIRLEAD_ESTATE);
	assert_int_equal(s->ops->apply(s->policy, s->now, &come, &err), 0);
}

/* The same: b3 left, b4 has its place, b5 and b6 came too, and a place is left. */
static struct fl_state grown_state(const struct fl_mem *mem)
{
	struct fl_state s = borrow_state_with(mem, 3);
	const struct fl_event cancel = { .kind = FL_EV_CANCEL, .workload = { 4 } };
	fairlead_error err;

	assert_int_equal(s.ops->leave(s.policy, cancel.workload, &err), FAIRLEAD_ESTATE);
	assert_int_equal(s.ops->apply(s.policy, s.now, &cancel, &err), 0);
	assert_int_equal(s.ops->leave(s.policy, cancel.workload, &err), 0);
	assert_int_equal(fl_model_leave(s.model, cancel.workload, &err), 0);
	join(&s, "b4", 3);
	join(&s, "b5", 2);
	join(&s, "b6", 3);
	assert_int_equal(s.model->n_workloads, 8);
	return s;
}

/* The same objects, which plain DRF takes for one cluster of 8: b2 and b3 never fit. */
static struct fl_state drf_state(const struct fl_mem *mem)
{
	const struct fl_policy_options options = { .mem = mem };
	struct fl_state s = borrow_state(mem);
	fairlead_error err;

	s.policy = s.ops->free(s.policy);
	s.ops = &fl_drf_policy;
	assert_int_equal(s.ops->new (s.model, &options, &s.policy, &err), 0);
	return s;
}

/* Machines with gangs that run, wait and must go; usage moves, budgets are kept. */
static struct fl_state entitle_state(const struct fl_mem *mem)
{
	static const struct world_leaf queues[] = {
		{ LEAF("d", NULL, 4, -1, 1) },
		{ LEAF("a", "d", 2, -1, 1), .preempt_min_run = 60 },
		{ LEAF("b", "d", 2, 3, 2) },
	};
	static const struct world_machine machines[] = { { "m1", 2 }, { "m2", 2 } };
	static const struct world_gang gangs[] = {
		{ RUNS("a1", "a", 50, 2, 0, 1, "m1"), .ran = 600 },
		{ RUNS("a2", "a", 50, 1, 0, 1, "m2"), .ran = 30 },
		{ WAITS("b1", "b", 50, 2, 2, 1) },
		{ WAITS("b2", "b", 200, 1, 1, 0.5) },
	};
	static const struct world_budget budgets[] = { { "a", 2 }, { "b", 3 } };
	struct world_of world = { .queues = queues,
				  .machines = machines,
				  .gangs = gangs,
				  .budgets = budgets,
				  .n_queues = COUNT(queues),
				  .n_machines = COUNT(machines),
				  .n_gangs = COUNT(gangs),
				  .n_budgets = COUNT(budgets),
				  .settings = fl_entitle_settings_default };
	struct fl_state s = { .ops = &fl_entitle_policy, .now = WORLD_NOW * FL_SECOND };

	world.settings.k = 1;
	world.settings.usage_on = true;
	world.settings.half_life = 600 * FL_SECOND;
	world.settings.window = 3600 * FL_SECOND;
	world.settings.has_budgets = true;
	world.settings.period_kind = FL_WINDOW_TUMBLING;
	world.settings.period = 3600 * FL_SECOND;
	s.model = entitle_world(mem, &world);
	s.policy = entitle_world_moving(mem, s.model);
	return s;
}

static struct fl_state (*const worlds[])(const struct fl_mem *mem) = { borrow_state, grown_state,
								       drf_state, entitle_state };

static void save(const struct fl_state *s, struct reload_bytes *to)
{
	fairlead_error err;

	to->n = to->at = 0;
	assert_int_equal(
		fl_state_save(s, &(struct fl_image_output){ reload_write, to }, maker, &err), 0);
}

static int load(struct reload_bytes *from, const struct fl_mem *mem, struct fl_state *ret,
		fairlead_error *err)
{
	from->at = 0;
	return fl_state_load(mem, &(struct fl_source){ reload_read, from }, maker, ret, err);
}

static void step(struct fl_state *s)
{
	struct fl_decisions d;
	fairlead_error err;

	s->now += FL_SECOND;
	assert_int_equal(s->ops->step(s->policy, s->now, 0, /* sink= */ NULL, &d, &err), 0);
}

static void check_same(const struct fl_state *a, const struct fl_state *b)
{
	uint64_t x[2], y[2];

	a->ops->digest(a->policy, a->now, x);
	b->ops->digest(b->policy, b->now, y);
	assert_memory_equal(x, y, sizeof x);
	for (uint32_t w = 0; w < a->model->n_workloads; w++) {
		struct fl_workload id = { w };

		assert_int_equal(a->ops->state(a->policy, id), b->ops->state(b->policy, id));
		assert_int_equal(a->ops->reason(a->policy, id), b->ops->reason(b->policy, id));
	}
}

/* Saved after each of some steps: the bytes of what is loaded are the same, and its next steps. */
TEST(test_goes_on)
{
	struct reload_bytes first = { 0 }, second = { 0 };
	fairlead_error err;

	for (size_t k = 0; k < COUNT(worlds); k++) {
		struct fl_state s = worlds[k](&fl_mem_heap), back;

		for (int i = 0; i < 4; i++) {
			save(&s, &first);
			assert_int_equal(load(&first, &fl_mem_heap, &back, &err), 0);
			check_same(&s, &back);
			save(&back, &second);
			assert_int_equal(first.n, second.n);
			assert_memory_equal(first.bytes, second.bytes, first.n);
			step(&s);
			step(&back);
			check_same(&s, &back);
			fl_state_done(&back);
		}
		fl_state_done(&s);
	}
	free(first.bytes);
	free(second.bytes);
}

TEST(test_not_inside_a_mark)
{
	struct reload_bytes b = { 0 };
	const struct fl_image_output sink = { reload_write, &b };
	fairlead_error err;
	fl_mark mark;

	for (size_t k = 0; k < COUNT(worlds); k++) {
		struct fl_state s = worlds[k](&fl_mem_heap);

		assert_int_equal(s.ops->mark(s.policy, &mark, &err), 0);
		assert_int_equal(fl_state_save(&s, &sink, maker, &err), FAIRLEAD_ESTATE);
		assert_string_equal(err.text, "a policy is not saved inside a mark");
		s.ops->rollback(s.policy, mark);
		assert_int_equal(fl_state_save(&s, &sink, maker, &err), 0);
		fl_state_done(&s);
	}
	free(b.bytes);
}

static void sign(struct reload_bytes *b)
{
	uint64_t sum[2];

	fl_image_sum(b->bytes, b->n - FL_IMAGE_STEP, sum);
	memcpy(b->bytes + b->n - sizeof sum, sum, sizeof sum);
}

/* A state, whatever it is: it can be asked, and goes on. */
static void use(struct fl_state *s)
{
	for (int i = 0; i < 2; i++) {
		struct fl_decisions d;
		fairlead_error err;
		uint64_t digest[2];

		s->ops->digest(s->policy, s->now, digest);
		s->now = fl_sat_add(s->now, FL_SECOND);
		(void)s->ops->wake(s->policy, s->now);
		for (uint32_t n = 0; n < s->model->n_nodes; n++) {
			struct fl_share share;

			s->ops->share(s->policy, (struct fl_node){ n }, &share);
		}
		if (s->ops->step(s->policy, s->now, 0, /* sink= */ NULL, &d, &err) < 0)
			return;
	}
}

/* Every word of the image becomes each of these. */
TEST(test_damaged_on_purpose)
{
	static const uint32_t values[] = { 0, 1, 2, 7, 0xff, 0x7fffffff, 0x80000000, 0xffffffff };
	const size_t step_by = under_valgrind() ? 60 : 4;
	struct reload_bytes b = { 0 };
	unsigned long refused = 0, taken = 0;

	for (size_t k = 0; k < COUNT(worlds); k++) {
		struct fl_state s = worlds[k](&fl_mem_heap), back;
		fairlead_error err;

		step(&s);
		save(&s, &b);
		fl_state_done(&s);
		for (size_t at = 0; at + FL_IMAGE_STEP < b.n; at += step_by)
			for (size_t v = 0; v < COUNT(values); v++) {
				uint32_t was;

				memcpy(&was, b.bytes + at, 4);
				memcpy(b.bytes + at, &values[v], 4);
				sign(&b);
				if (load(&b, &fl_mem_heap, &back, &err) == 0) {
					use(&back);
					fl_state_done(&back);
					taken++;
				} else {
					assert_true(*err.text);
					refused++;
				}
				memcpy(b.bytes + at, &was, 4);
			}
	}
	assert_true(refused > 1000 && taken > 1000);
	free(b.bytes);
}

static void assert_refused(const struct fl_state *s, const char *table)
{
	struct reload_bytes b = { 0 };
	struct fl_state none;
	fairlead_error err;

	save(s, &b);
	assert_int_equal(load(&b, &fl_mem_heap, &none, &err), FAIRLEAD_EINPUT);
	if (!strstr(err.text, table))
		fail_msg("%s", err.text);
	free(b.bytes);
}

/* More places than the table of names has room for, one that is vacant twice, a bound too high. */
TEST(test_places)
{
	struct fl_state s = grown_state(&fl_mem_heap);
	struct fl_vacant_row twice;
	fairlead_error err;

	s.model->places += 1000;
	assert_refused(&s, "pairs");
	s.model->places -= 1000;
	s.model->worn.podsets += 1000000;
	assert_refused(&s, "single");
	s.model->worn.podsets -= 1000000;
	twice.workload.v = s.model->n_workloads - 1;
	assert_int_equal(
		s.ops->apply(s.policy, s.now,
			     &(struct fl_event){ .kind = FL_EV_CANCEL, .workload = twice.workload },
			     &err),
		0);
	assert_int_equal(s.ops->leave(s.policy, twice.workload, &err), 0);
	assert_int_equal(fl_model_leave(s.model, twice.workload, &err), 0);
	assert_int_equal(fl_model_push_vacant(s.model, &twice, /* ret_id= */ NULL, &err), 0);
	assert_refused(&s, "vacant");
	fl_state_done(&s);
}

TEST(test_out_of_memory)
{
	struct reload_bytes b = { 0 };

	for (size_t k = 0; k < COUNT(worlds); k++) {
		struct fl_state s = worlds[k](&fl_mem_heap), back;
		unsigned long n = 0;
		fairlead_error err;
		int r;

		save(&s, &b);
		do {
			struct fail_mem f;

			fail_mem_init(&f);
			f.fail_at = ++n;
			r = load(&b, &f.mem, &back, &err);
			if (r == 0)
				fl_state_done(&back);
			else
				assert_int_equal(r, FAIRLEAD_ENOMEM);
			assert_int_equal(f.live, 0);
		} while (r < 0);
		assert_true(n > 20);
		fl_state_done(&s);
	}
	free(b.bytes);
}

UNIT_GROUP("image")
