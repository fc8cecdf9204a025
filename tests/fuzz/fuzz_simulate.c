/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Simulation with its objects, run for a few thousand events.  Times are in order, work is
 * kept, lost or done, nobody holds less than nothing, hours add up, the policy's books are
 * right, a second run comes to the same, and the report is JSON.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/mix.h"
#include "codec/object/kube.h"
#include "codec/trace/classes.h"
#include "codec/trace/trace.h"
#include "decide/entitle/entitle.h"
#include "fuzz/entitle_invariants.h"
#include "fuzz/fuzz.h"
#include "fuzz/invariants.h"
#include "report/sim/sim_report.h"
#include "sim/measure.h"

enum { MOST_JOBS = 60, MOST_PODS = 100, MOST_EVENTS = 1500, MOST_CYCLES = 6000, LOOK_EVERY = 50 };

struct run {
	const struct fl_model *m;
	const struct fl_policy_ops *ops;
	struct fl_policy *p;
	struct fl_measure *measure;
	uint64_t hash[2];
	fl_time at;
};

/* So few that a run takes no time. */
static void make_small(struct fl_model *m)
{
	for (uint32_t i = 0; i < m->n_classes; i++) {
		struct fl_class_row *c = &m->classes[i];

		c->count = c->count == 0 || c->count > MOST_JOBS ? MOST_JOBS : c->count;
		c->pods.most = fmin(c->pods.most, MOST_PODS);
		c->pods.least = fmin(c->pods.least, MOST_PODS);
	}
}

static int read_text(struct fl_model *m, const char *text, size_t len, fairlead_error *err)
{
	int r = fl_kube_read(m, "in", text, len, err);

	if (r == 0)
		r = fl_simulation_check(m, err);
	if (r < 0)
		return r;
	m->simulation.whole = m->n_traces == 0;
	make_small(m);
	r = fl_simulation_fix_times(m, err);
	if (r == 0)
		r = fl_classes_expand(m, m->simulation.start, err);
	return r < 0 ? r : fl_model_seal(m, err);
}

static void check_policy(const struct run *r)
{
	if (r->ops == &fl_borrow_policy)
		invariants_hold(r->p, r->m);
	else
		entitle_invariants_hold(r->p, r->m);
}

static void check_job(const struct fl_sim *s, uint32_t w)
{
	const struct fl_sim_job *j = &s->jobs[w];

	ENSURE(j->done >= 0 && j->lost >= 0 && j->waited >= 0);
	ENSURE(j->saved >= 0 && j->saved <= j->done);
	ENSURE(j->state != FL_SIM_FINISHED || !j->life || j->ended == FL_TIME_NONE ||
	       j->done >= j->life->runs);
	ENSURE(!j->starts || j->started >= j->first_start);
	ENSURE(j->ended == FL_TIME_NONE || j->starts == 0 || j->ended >= j->started);
	ENSURE(j->running <= j->pods);
}

/* Each is counted where it is. */
static void check_jobs(const struct fl_sim *s)
{
	uint32_t running = 0, waiting = 0, done = 0;

	for (uint32_t w = 0; w < s->model->n_workloads; w++) {
		enum fl_sim_state state = s->jobs[w].state;

		check_job(s, w);
		running += state == FL_SIM_RUNS || state == FL_SIM_LEAVES;
		waiting += state == FL_SIM_WAITS || state == FL_SIM_BACKS_OFF;
		done += s->jobs[w].ended != FL_TIME_NONE;
	}
	ENSURE(running == s->n_running && waiting == s->n_waiting && done == s->n_done);
}

static int on_event(void *user, const struct fl_sim *sim, const struct fl_sim_event *e,
		    fairlead_error *err)
{
	struct run *r = user;

	(void)err;
	ENSURE(e->at == sim->now && e->at >= r->at && e->lost >= 0);
	r->at = e->at;
	fl_mix(r->hash, (uint64_t)e->at);
	fl_mix(r->hash, (uint64_t)e->kind);
	fl_mix(r->hash, e->workload.v);
	if (sim->events % LOOK_EVERY == 0)
		check_policy(r);
	if (sim->events >= MOST_EVENTS || sim->driver.cycles >= MOST_CYCLES)
		fl_sim_stop((struct fl_sim *)sim);
	return 0;
}

static int on_passes(void *user, const struct fl_sim *sim, fl_time to, fairlead_error *err)
{
	(void)user;
	(void)err;
	ENSURE(to > sim->now);
	if (sim->driver.cycles >= MOST_CYCLES)
		fl_sim_stop((struct fl_sim *)sim);
	return 0;
}

/* What was held was of use, lost, a new start, or of one that still runs. */
static void check_numbers(const struct fl_measured *d)
{
	for (uint32_t n = 0; n < d->n_nodes; n++)
		for (uint32_t k = 0; k < d->n_resources; k++) {
			const struct fl_measured_counts *c = &d->nodes[n].counts;
			double all = c->useful[k] + c->lost[k] + c->restarted[k];

			double held = d->nodes[n].held[k]; /* NAN: it took no time */

			ENSURE(c->hours[k] >= 0 && !(held < 0));
			ENSURE(all <= c->hours[k] * (1 + 1e-6) + 1e-6);
			ENSURE(!(d->nodes[n].wanted[k] < held - 1e-6 * (1 + held)));
		}
	ENSURE(d->totals.jobs >= d->totals.finished + d->totals.gave_up);
	ENSURE(!(d->fairness.jain > 1 + 1e-9) && !(d->fairness.largest_envy < 0));
}

static void check_report(const struct run *r, const struct fl_sim *sim,
			 const struct fl_measured *numbers)
{
	const struct fl_sim_report report = { .sim = sim, .measured = numbers };
	const struct fl_report frame = { .model = r->m, .mem = &fl_mem_heap };
	char *text = NULL;
	size_t len = 0;
	struct fl_json j;
	FILE *out = open_memstream(&text, &len);
	json_error_t why;
	json_t *root;

	ENSURE(out);
	fl_json_init(&j, out);
	fl_sim_json(&j, NULL, &frame, &report, /* series= */ true);
	ENSURE(fclose(out) == 0);
	root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &why);
	ENSURE(root);
	json_decref(root);
	free(text);
}

static void simulate(struct run *r)
{
	struct fl_policy_options options = { .mem = &fl_mem_heap, .now = r->m->simulation.start };
	struct fl_sim_options how = {
		.mem = &fl_mem_heap,
		.start = r->m->simulation.start,
		.listeners = { { .event = on_event, .passes = on_passes, .user = r } },
		.n_listeners = 1,
	};
	const struct fl_measured *numbers;
	fairlead_error err = { 0 };
	struct fl_sim sim;

	r->at = how.start;
	if (r->ops->new (r->m, &options, &r->p, &err) < 0)
		return;
	if (fl_sim_init(&sim, r->m, r->ops, r->p, &r->m->simulation, &how, &err) == 0) {
		ENSURE(fl_measure_new(&fl_mem_heap, &sim, &r->measure, &err) == 0);
		if (fl_sim_run(&sim, &err) == 0) {
			check_policy(r);
			check_jobs(&sim);
			ENSURE(fl_measure_end(r->measure, 2, &numbers, &err) == 0);
			check_numbers(numbers);
			check_report(r, &sim, numbers);
		}
		fl_sim_done(&sim);
	}
	r->measure = fl_measure_free(r->measure);
	r->p = r->ops->free(r->p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = size ? (const char *)data : "";
	fairlead_error err = { 0 };
	struct fl_model *m = NULL;
	int code;

	ENSURE(fl_model_new(&fl_mem_heap, &m, &err) == 0);
	code = read_text(m, text, size, &err);
	if (code < 0)
		ENSURE(err.code == code && err.text[0] && code != FAIRLEAD_ENOMEM);
	if (code == 0 && fl_model_dialect(m) != FL_DIALECT_MIXED &&
	    m->n_workloads <= 4 * MOST_JOBS) {
		struct run r = { .m = m,
				 .ops = fl_model_dialect(m) == FL_DIALECT_KAI ? &fl_entitle_policy :
										&fl_borrow_policy };
		struct run again = r;

		simulate(&r);
		simulate(&again);
		ENSURE(memcmp(r.hash, again.hash, sizeof r.hash) == 0);
	}
	fl_model_free(m);
	return 0;
}
