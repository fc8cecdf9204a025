/* SPDX-License-Identifier: Apache-2.0 */
/* measure_world - queues and jobs over time for tests of measures, simulated to the end */
#ifndef FL_TESTS_UNIT_SIM_MEASURE_WORLD_H
#define FL_TESTS_UNIT_SIM_MEASURE_WORLD_H

#include <math.h>
#include <string.h>

#include "lib/unit.h"

#include "decide/borrow/borrow.h"
#include "lib/world.h"
#include "sim/measure.h"

#define QUOTA(n)                                                                                   \
	{                                                                                          \
		(n), FL_NO_LIMIT, FL_NO_LIMIT                                                      \
	}

struct timed_job {
	const char *name, *queue;
	int64_t arrives, runs; /* seconds; runs 0: without end */
	fl_amount ask[WORLD_RESOURCES];
	int32_t priority;
	const char *class_name; /* NULL: none */
	int64_t leaves;         /* gives up after so many seconds; 0: does not */
};

struct timed_world {
	const struct world_node *nodes;
	const struct timed_job *jobs;
	uint32_t n_nodes, n_jobs, resources;
	bool reclaims;   /* queues take back what is theirs */
	bool last_first; /* the input the other way round */
	struct fl_simulation_settings settings;
};

static inline void ok(int r, const fairlead_error *err)
{
	if (r < 0)
		fail_msg("%s: %s", err->subject, err->text);
}

static inline void add_timed_job(struct fl_model *m, const struct timed_job *job,
				 uint32_t resources)
{
	struct world_job row = { .name = job->name,
				 .queue = job->queue,
				 .priority = job->priority,
				 .age = job->arrives,
				 .ask = { job->ask[0], job->ask[1], job->ask[2] } };
	struct fl_life_row life = { .arrives = job->arrives * FL_SECOND,
				    .runs = job->runs ? job->runs * FL_SECOND : FL_NEVER,
				    .asked = FL_TIME_NONE,
				    .leaves = job->leaves ?
						      (job->arrives + job->leaves) * FL_SECOND :
						      FL_NEVER,
				    .waited = FL_TIME_NONE,
				    .class_name = { FL_NONE },
				    .user = { FL_NONE } };
	fairlead_error err;

	world_add_job(m, &row, resources);
	life.workload.v = m->n_workloads - 1;
	if (job->class_name)
		life.class_name = world_sym(m, job->class_name);
	ok(fl_model_push_lives(m, &life, NULL, &err), &err);
}

static inline struct fl_model *timed_model(const struct fl_mem *mem, const struct timed_world *of)
{
	struct fl_model *m = world_open(mem, of->nodes, of->n_nodes, of->resources);
	fairlead_error err;

	for (uint32_t i = 0; i < m->n_nodes && of->reclaims; i++)
		m->nodes[i].reclaim = FL_PREEMPT_ANY;
	for (uint32_t i = 0; i < of->n_jobs; i++)
		add_timed_job(m, &of->jobs[of->last_first ? of->n_jobs - 1 - i : i], of->resources);
	ok(fl_model_seal(m, &err), &err);
	return m;
}

/* A model, its policy and a simulation that has not begun. */
struct timed {
	struct fl_model *m;
	struct fl_policy *p;
	struct fl_sim sim;
};

static inline void timed_begin(struct timed *t, const struct fl_mem *mem,
			       const struct timed_world *of)
{
	struct fl_sim_options options = { .mem = mem, .start = 0 };
	fairlead_error err;

	t->m = timed_model(mem, of);
	t->p = world_policy(mem, t->m, 0);
	ok(fl_sim_init(&t->sim, t->m, &fl_borrow_policy, t->p, &of->settings, &options, &err),
	   &err);
}

static inline void timed_end(struct timed *t)
{
	fl_sim_done(&t->sim);
	fl_borrow_policy.free(t->p);
	fl_model_free(t->m);
}

static inline const struct fl_measured_node *node_named(const struct timed *t,
							const struct fl_measured *of,
							const char *name)
{
	for (uint32_t i = 0; i < of->n_nodes; i++)
		if (strcmp(fl_model_text(t->m, t->m->nodes[of->nodes[i].node.v].name), name) == 0)
			return &of->nodes[i];
	fail_msg("there is no node '%s'", name);
	return NULL;
}

static inline bool about(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-7 * fmax(fabs(b), 1);
}

#endif
