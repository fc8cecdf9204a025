/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diary - runs a simulation, writes down what happens, and checks its accounts at every step
 *
 * A line an event, "<seconds since the start> <kind> <workload>".  At the end of a run, for each
 * job: the time it waited and ran is the time since it came, and the work that it did is what
 * is done and what is lost.
 */
#ifndef FL_TESTS_UNIT_SIM_DIARY_H
#define FL_TESTS_UNIT_SIM_DIARY_H

#include <stdio.h>
#include <string.h>

#include "lib/unit.h"
#include "sim/simulation.h"

enum { DIARY_JOBS = 256, DIARY_TEXT = 1 << 18 };

struct diary {
	char text[DIARY_TEXT];
	size_t used;
	fl_time waited[DIARY_JOBS], there[DIARY_JOBS];
	fl_time worked[DIARY_JOBS]; /* of whole jobs, rounded as the simulation does */
	uint32_t counts[FL_SIM_EVENTS];
	enum fl_sim_end ended;
	fl_time took; /* on the clock */
	uint64_t cycles;
	void (*look)(const struct fl_sim *sim); /* whenever time passes; NULL */
};

static inline int diary_event(void *user, const struct fl_sim *s, const struct fl_sim_event *e,
			      fairlead_error *err)
{
	static const char *const kinds[FL_SIM_EVENTS] = { "arrived",  "started", "evicted",
							  "lets go",  "killed",  "returned",
							  "finished", "gave up", "changed",
							  "failed",   "back",    "loop" };
	struct diary *d = user;
	const char *name = e->workload.v != FL_NONE ?
				   fl_model_text(s->model,
						 s->model->workloads[e->workload.v].name) :
				   "-";

	(void)err;
	assert_true(e->at == s->now);
	d->counts[e->kind]++;
	d->used += (size_t)snprintf(d->text + d->used, sizeof d->text - d->used, "%.10g %s %s\n",
				    (double)(e->at - s->options.start) / (double)FL_SECOND,
				    kinds[e->kind], name);
	if (e->loop)
		d->used += (size_t)snprintf(
			d->text + d->used, sizeof d->text - d->used,
			"  %u: %u workloads, %u preemptions since %.10g%s\n", e->loop->number,
			e->loop->workloads, (unsigned)e->loop->preemptions,
			(double)(e->loop->since - s->options.start) / (double)FL_SECOND,
			e->loop->sure ? ", sure" : "");
	assert_true(d->used < sizeof d->text);
	return 0;
}

static inline bool diary_is_there(const struct fl_sim_job *j)
{
	return j->state == FL_SIM_RUNS || j->state == FL_SIM_LEAVES;
}

/* What happens to each until @to. */
static inline int diary_passes(void *user, const struct fl_sim *s, fl_time to, fairlead_error *err)
{
	struct diary *d = user;
	uint32_t there = 0, waiting = 0;

	(void)err;
	assert_true(to > s->now);
	if (d->look)
		d->look(s);
	for (uint32_t w = 0; w < s->model->n_workloads; w++) {
		const struct fl_sim_job *j = &s->jobs[w];
		fl_time from = j->since > s->now ? j->since : s->now;

		if (j->state == FL_SIM_WAITS || j->state == FL_SIM_BACKS_OFF) {
			d->waited[w] += to - s->now;
			waiting++;
		}
		if (!diary_is_there(j))
			continue;
		there++;
		d->there[w] += to - s->now;
		if (to > from && j->running == j->pods)
			d->worked[w] += to - from;
	}
	assert_int_equal(there, s->n_running);
	assert_int_equal(waiting, s->n_waiting);
	return 0;
}

static inline void diary_account(const struct diary *d, const struct fl_sim *s)
{
	for (uint32_t w = 0; w < s->model->n_workloads; w++) {
		const struct fl_sim_job *j = &s->jobs[w];
		bool waits = j->state == FL_SIM_WAITS || j->state == FL_SIM_BACKS_OFF;
		fl_time end = j->ended == FL_TIME_NONE ? s->now : j->ended, came = s->options.start;
		fl_time going_on = j->running && s->now > j->since ? s->now - j->since : 0;

		if (j->life && j->life->arrives > came)
			came = j->life->arrives;
		if (j->state == FL_SIM_TO_COME || j->state == FL_SIM_EXCLUDED)
			continue;
		assert_true(j->waited + (waits ? s->now - j->waits_since : 0) == d->waited[w]);
		assert_true(d->waited[w] + d->there[w] == end - came);
		if (j->pods == 1)
			assert_true(j->done + going_on + j->lost == d->worked[w]);
		if (j->state == FL_SIM_FINISHED)
			assert_true(j->done == j->life->runs);
		assert_true(j->saved <= j->done && j->done >= 0 && j->lost >= 0);
	}
}

/* A run from @start on; the policy is used up. */
static inline void diary_run(struct diary *d, const struct fl_model *m,
			     const struct fl_policy_ops *ops, struct fl_policy *p,
			     const struct fl_simulation_settings *settings, fl_time start)
{
	struct fl_sim_options options = {
		.mem = &fl_mem_heap,
		.start = start,
		.listeners = { { .event = diary_event, .passes = diary_passes, .user = d } },
		.n_listeners = 1,
	};
	struct fl_sim sim;
	fairlead_error err;
	int r;

	assert_true(m->n_workloads <= DIARY_JOBS);
	r = fl_sim_init(&sim, m, ops, p, settings, &options, &err);
	for (uint32_t w = 0; w < m->n_workloads && r >= 0; w++)
		d->worked[w] = sim.jobs[w].done; /* before */
	if (r >= 0)
		r = fl_sim_run(&sim, &err);
	if (r < 0)
		fail_msg("%s", err.text);
	diary_account(d, &sim);
	d->ended = sim.ended;
	d->took = sim.now - start;
	d->cycles = sim.driver.cycles;
	fl_sim_done(&sim);
}

#endif
