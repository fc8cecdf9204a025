/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Five cohorts of six queues, each with small, medium and large jobs that come faster than
 * they can run: the larger the class, the higher its priority.  Quota is never exceeded, all
 * are done, and the higher classes wait less.
 */
#include "decide/borrow/borrow.h"
#include "lib/world.h"
#include "unit/sim/diary.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

enum { COHORTS = 5, QUEUES = 6, CLASSES = 3, START = 1000, NOMINAL = 20, LIMIT = 100 };

static const struct {
	const char *name;
	int count, every, runs; /* milliseconds */
	int32_t priority;
	fl_amount size;
} classes[CLASSES] = {
	{ "small", 35, 100, 200, 50, 1 },
	{ "medium", 10, 500, 500, 100, 5 },
	{ "large", 5, 1200, 1000, 200, 20 },
};

struct watch {
	double waited[CLASSES];
	uint32_t started[CLASSES], finished;
};

static uint32_t class_of(const struct fl_model *m, uint32_t w)
{
	uint32_t c = 0;

	while (m->workloads[w].priority != classes[c].priority)
		c++;
	return c;
}

static int watch(void *user, const struct fl_sim *s, const struct fl_sim_event *e,
		 fairlead_error *err)
{
	struct watch *k = user;
	uint32_t c = class_of(s->model, e->workload.v);

	(void)err;
	k->finished += e->kind == FL_SIM_ENDED;
	if (e->kind == FL_SIM_STARTED) {
		k->started[c]++;
		k->waited[c] += (double)s->jobs[e->workload.v].waited / (double)FL_SECOND;
	}
	return 0;
}

static int check_quota(void *user, const struct fl_sim *s, fl_time to, fairlead_error *err)
{
	const struct fl_tree *t = fl_borrow_tree(s->policy);
	const struct fl_usage *u = fl_borrow_usage(s->policy);

	(void)user;
	(void)to;
	(void)err;
	for (uint32_t n = 0; n < t->n_nodes; n++)
		assert_true(u->cell[t->row[n]] <= (t->is_cohort[n] ? QUEUES * NOMINAL : LIMIT));
	return 0;
}

static void make_nodes(struct world_node *nodes, char names[][8])
{
	for (int c = 0; c < COHORTS; c++) {
		char *cohort = names[c * (QUEUES + 1)];

		snprintf(cohort, 8, "c%d", c);
		*nodes++ = (struct world_node){ .name = cohort,
						.kind = FL_COHORT,
						.weight = 1,
						.quota = { { 0, FL_NO_LIMIT, FL_NO_LIMIT } } };
		for (int q = 0; q < QUEUES; q++) {
			char *name = names[c * (QUEUES + 1) + 1 + q];

			snprintf(name, 8, "c%dq%d", c, q);
			*nodes++ = (struct world_node){ .name = name,
							.parent = cohort,
							.kind = FL_CLUSTER_QUEUE,
							.weight = 1,
							.quota = { { NOMINAL, LIMIT - NOMINAL,
								     FL_NO_LIMIT } } };
		}
	}
}

static void add_class(struct fl_model *m, const char *queue, int c)
{
	for (int i = 0; i < classes[c].count; i++) {
		struct fl_life_row life = { .workload = { m->n_workloads },
					    .arrives = START * FL_SECOND +
						       i * classes[c].every * (FL_SECOND / 1000),
					    .runs = classes[c].runs * (FL_SECOND / 1000),
					    .asked = FL_TIME_NONE,
					    .leaves = FL_NEVER,
					    .waited = FL_TIME_NONE,
					    .class_name = { FL_NONE },
					    .user = { FL_NONE } };
		char name[40];

		snprintf(name, sizeof name, "%s-%s-%d", queue, classes[c].name, i);
		world_add_job(m,
			      &(struct world_job){ .name = name,
						   .queue = queue,
						   .priority = classes[c].priority,
						   .age = START,
						   .ask = { classes[c].size } },
			      1);
		m->workloads[m->n_workloads - 1].created = life.arrives;
		assert_int_equal(fl_model_push_lives(m, &life, NULL, NULL), 0);
	}
}

TEST(classes_wait_by_priority)
{
	static char names[COHORTS * (QUEUES + 1)][8];
	struct world_node nodes[COUNT(names)];
	struct fl_simulation_settings s = fl_simulation_default;
	struct watch k = { 0 };
	struct fl_sim_options options = {
		.mem = &fl_mem_heap,
		.start = START * FL_SECOND,
		.listeners = { { .event = watch, .passes = check_quota, .user = &k } },
		.n_listeners = 1,
	};
	struct fl_policy *p;
	struct fl_model *m;
	struct fl_sim sim;

	make_nodes(nodes, names);
	m = world_open(&fl_mem_heap, nodes, COUNT(nodes), 1);
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		m->nodes[i].within_queue = FL_PREEMPT_LOWER_PRIORITY;
		m->nodes[i].reclaim = FL_PREEMPT_ANY;
	}
	for (uint32_t i = 0; i < COUNT(nodes); i++)
		for (int c = 0; nodes[i].parent && c < CLASSES; c++)
			add_class(m, nodes[i].name, c);
	assert_int_equal(fl_model_seal(m, NULL), 0);
	p = world_policy(&fl_mem_heap, m, START * FL_SECOND);
	s.cycle_interval = FL_SECOND / 100;
	s.grace = FL_SECOND / 100;
	assert_int_equal(fl_sim_init(&sim, m, ops, p, &s, &options, NULL), 0);
	assert_int_equal(fl_sim_run(&sim, NULL), 0);
	assert_int_equal(sim.ended, FL_SIM_ALL_DONE);
	assert_int_equal(k.finished, m->n_workloads);
	for (int c = 0; c < CLASSES; c++)
		k.waited[c] /= k.started[c];
	assert_true(k.waited[2] < k.waited[1] && k.waited[1] < k.waited[0]);
	fl_sim_done(&sim);
	ops->free(p);
	fl_model_free(m);
}

UNIT_GROUP("classes")
