/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_cluster - recorded scheduling cycles, until one in which nothing happens
 *
 * Between cycles, which take no time, whoever was evicted waits again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "decide/entitle/cycle/cycle.h"
#include "decide/entitle/entitle.h"
#include "kai.h"
#include "kai_read.h"
#include "kai_world.h"

enum { MAX_CYCLES = 16 };

struct run {
	const struct fl_model *m;
	struct fl_policy *p;
	FILE *out;
	fl_time now;
	uint32_t *jobs, *counts;  /* in name order; by workload */
	uint32_t *before, *after; /* by task, around an action: the last decision, kind + 1; 0 */
};

static const char *name_of(const struct run *r, uint32_t w)
{
	return fl_model_text(r->m, r->m->workloads[w].name);
}

static int by_name(const void *ctx, uint32_t a, uint32_t b)
{
	const struct run *r = ctx;

	return strcmp(name_of(r, a), name_of(r, b));
}

/* {"job": count}, where it is not 0; false and nothing when all are. */
static bool put_counts(const struct run *r, const char *key)
{
	const char *comma = "";
	bool any = false;

	for (uint32_t i = 0; i < r->m->n_workloads; i++)
		any |= r->counts[i] > 0;
	if (!any)
		return false;
	fprintf(r->out, "\"%s\":{", key);
	for (uint32_t i = 0; i < r->m->n_workloads; i++) {
		uint32_t w = r->jobs[i];

		if (!r->counts[w])
			continue;
		fprintf(r->out, "%s\"%s\":%u", comma, name_of(r, w), r->counts[w]);
		comma = ",";
	}
	fputc('}', r->out);
	return true;
}

/* The last that was done with each task in the cycle, up to and with @action. */
static void find_last(const struct run *r, enum fl_action action, uint32_t *last)
{
	const struct fl_cycle *c = kai_policy(r->p)->scratch;

	memset(last, 0, r->m->n_tasks * sizeof *last);
	for (uint32_t i = 0; i < c->n_steps; i++)
		if (c->steps[i].action <= action)
			last[c->steps[i].task] = c->steps[i].kind + 1u;
}

/* Each task that the action left in another state counts once, by that state. */
static bool count(const struct run *r, enum fl_action action, enum fl_decision_kind kind)
{
	bool any = false;

	find_last(r, action - 1, r->before);
	find_last(r, action, r->after);
	memset(r->counts, 0, r->m->n_workloads * sizeof *r->counts);
	for (uint32_t t = 0; t < r->m->n_tasks; t++) {
		if (r->after[t] != kind + 1u || r->before[t] == kind + 1u)
			continue;
		r->counts[kai_policy(r->p)->tasks[t].workload.v]++;
		any = true;
	}
	return any;
}

/* What it did, behind @before; false and nothing when that is nothing. */
static bool put_action(const struct run *r, enum fl_action action, const char *name,
		       const char *before)
{
	static const struct {
		enum fl_decision_kind kind;
		const char *key;
	} kinds[] = { { FL_ADMIT, "bound" }, { FL_RESERVE, "pipelined" }, { FL_EVICT, "evicted" } };
	bool any = false;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!count(r, action, kinds[i].kind))
			continue;
		if (!any)
			fprintf(r->out, "%s{\"action\":\"%s\"", before, name);
		any = true;
		fputc(',', r->out);
		put_counts(r, kinds[i].key);
	}
	if (any)
		fputc('}', r->out);
	return any;
}

/* false: there is none. */
static bool put_actions(const struct run *r)
{
	static const char *const names[FL_ACTIONS] = {
		[FL_ACTION_ALLOCATE] = "allocate",
		[FL_ACTION_CONSOLIDATION] = "consolidation",
		[FL_ACTION_RECLAIM] = "reclaim",
		[FL_ACTION_PREEMPT] = "preempt",
		[FL_ACTION_STALE_GANG] = "stalegangeviction",
	};
	bool any = false;

	fputs("\"actions\":", r->out);
	for (int a = FL_ACTION_ALLOCATE; a < FL_ACTIONS; a++)
		any |= put_action(r, (enum fl_action)a, names[a], any ? "," : "[");
	fputs(any ? "]" : "null", r->out);
	return any;
}

static void put_running(const struct run *r)
{
	for (uint32_t w = 0; w < r->m->n_workloads; w++)
		r->counts[w] = kai_policy(r->p)->jobs[w].n_holds;
	if (!put_counts(r, "running"))
		fputs("\"running\":{}", r->out);
}

static void put_shares(const struct run *r)
{
	fputs("\"fairShare\":{", r->out);
	for (uint32_t q = 0; q < r->m->n_nodes; q++) {
		fprintf(r->out, "%s\"%s\":", q ? "," : "",
			fl_model_text(r->m, r->m->nodes[q].name));
		kai_put_bundle(
			r->out,
			&fl_entitle_standing(kai_policy(r->p), (struct fl_node){ q })->fair_share);
	}
	fputc('}', r->out);
}

static int complete_evictions(const struct run *r, fairlead_error *err)
{
	int rc = 0;

	for (uint32_t w = 0; w < r->m->n_workloads && rc == 0; w++) {
		struct fl_event event = { .kind = FL_EV_EVICTED, .workload = { w } };

		if (kai_ops->state(r->p, event.workload) == FL_STATE_EVICTING)
			rc = kai_ops->apply(r->p, r->now, &event, err);
	}
	return rc;
}

static int put_cycles(const struct run *r, fairlead_error *err)
{
	uint32_t n = 0;
	bool busy = true;
	int rc = 0;

	fputs("\"cycles\":[", r->out);
	for (; rc == 0 && busy && n <= MAX_CYCLES; n++) {
		struct fl_decisions d;

		if ((rc = kai_ops->step(r->p, r->now, 0, /* sink= */ NULL, &d, err)) < 0)
			return rc;
		fputs(n ? ",{" : "{", r->out);
		busy = put_actions(r);
		fputc(',', r->out);
		put_shares(r);
		fputc(',', r->out);
		put_running(r);
		fputc('}', r->out);
		rc = complete_evictions(r, err);
	}
	fprintf(r->out, "],\"quietFromCycle\":%u", n - 1);
	return rc;
}

/* --- in which order the first state would be looked at --- */

static void put_popped(const struct run *r, const char *key, struct fl_jobs_order *lines)
{
	struct fl_ordered_job next;
	const char *comma = "";

	if (!fl_jobs_order_pop(lines, &next))
		return;
	fprintf(r->out, "\"%s\":[", key);
	do {
		fprintf(r->out, "%s\"%s\"", comma, name_of(r, next.workload.v));
		comma = ",";
	} while (fl_jobs_order_pop(lines, &next));
	fputs("],", r->out);
}

static void put_orders(const struct run *r)
{
	struct fl_policy *p = kai_policy(r->p);
	struct fl_cycle *c = p->scratch;

	fl_cycle_enqueue_heads(p, FL_ACTION_ALLOCATE, /* preemptible_only= */ false);
	put_popped(r, "pendingPopOrder", &c->waiting);
	fl_jobs_order_begin(&c->victims, FL_JOBS_ORDER_VICTIMS, /* part= */ NULL, /* depth= */ 0);
	for (uint32_t i = 0; i < r->m->n_workloads; i++) {
		struct fl_workload w = { p->job_order[i] };
		struct fl_ordered_job lined = fl_ordered_victim(p, w, /* out= */ NULL);

		if (p->jobs[w.v].preemptible && lined.active)
			fl_jobs_order_add(&c->victims, &lined);
	}
	fl_jobs_order_ready(&c->victims);
	put_popped(r, "victimPopOrder", &c->victims);
}

static int decide(struct run *r, fairlead_error *err)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap, .now = r->now };
	int rc = kai_ops->new (r->m, &options, &r->p, err);

	if (rc < 0)
		return rc;
	r->jobs = kai_alloc(2 * (size_t)r->m->n_workloads, sizeof *r->jobs);
	r->counts = kai_alloc(r->m->n_workloads, sizeof *r->counts);
	r->before = kai_alloc(2 * (size_t)r->m->n_tasks, sizeof *r->before);
	r->after = r->before + r->m->n_tasks;
	for (uint32_t w = 0; w < r->m->n_workloads; w++)
		r->jobs[w] = w;
	fl_sort(r->jobs, r->m->n_workloads, r->jobs + r->m->n_workloads, by_name, r);
	fputc('{', r->out);
	put_orders(r);
	rc = put_cycles(r, err);
	if (rc == 0) {
		fputc(',', r->out);
		put_running(r);
		fputc('}', r->out);
	}
	free(r->jobs);
	free(r->counts);
	free(r->before);
	kai_ops->free(r->p);
	return rc;
}

int kai_cluster_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	struct fl_model *m;
	struct run r = { .out = out, .now = 1000000 * FL_SECOND };
	int rc = kai_model(d, r.now, &m, err);

	if (rc < 0)
		return rc;
	r.m = m;
	rc = decide(&r, err);
	fl_model_free(m);
	return rc;
}
