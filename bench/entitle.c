/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle - how long a cycle of the entitle policy takes in a made-up cluster
 *
 * entitle [--leaves N] [--machines N] [--running N] [--waiting N] [--gang N] [--repeat N]
 *
 * Leaves under ten queues that share the cluster evenly.  Machines of 8 GPUs; tasks of 1 to 4
 * run in one half of the leaves, as many as there is room for, and gangs of --gang tasks wait,
 * the same kind in all leaves.  What waits is preemptible and of two priorities.  So the
 * half of the leaves that runs nothing reclaims from the other.
 *
 * One JSON line; README.md says how to read the figures.  Exit 1 when a warm cycle asks for
 * memory.  With --repeat N warm cycles from the same state and no figures: what can be counted.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/entitle/entitle.h"
#include "measure.h"
#include "model/model.h"

enum { TOP = 10, GPUS = 8, RUNS = 3, NOW = 100000 };

struct size {
	uint32_t leaves, machines, running, waiting, gang;
	uint32_t repeat; /* 0: figures */
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "entitle: %s\n", err->text);
	exit(3);
}

/* --- the cluster ----------------------------------------------------------------------------- */

/* From 0 to @below - 1, the same on every machine. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

static struct fl_sym sym(struct fl_model *m, const char *kind, uint32_t number)
{
	fairlead_error err;
	struct fl_sym ret;
	char name[32];

	snprintf(name, sizeof name, "%s%06u", kind, number);
	must(fl_model_sym(m, name, strlen(name), &ret, &err), &err);
	return ret;
}

static void add_queue(struct fl_model *m, uint32_t at, const struct size *size)
{
	struct fl_entitlement e = fl_entitlement_default;
	struct fl_node_row row = fl_cluster_queue_default;
	double gpus = GPUS * (double)size->machines;
	fairlead_error err;

	for (int r = 0; r < FL_BUNDLE; r++) {
		e.deserved.of[r] = e.limit.of[r] = FL_UNBOUNDED;
		e.weight.of[r] = 1;
	}
	e.deserved.of[FL_GPU] = gpus / (at < TOP ? TOP : size->leaves);
	e.created = (fl_time)at * FL_SECOND;
	row.kind = FL_QUEUE;
	must(fl_model_push_entitlements(m, &e, &row.entitlement, &err), &err);
	row.name = sym(m, "queue", at);
	row.parent_name.v = at < TOP ? FL_NONE : sym(m, "queue", at % TOP).v;
	must(fl_model_add_node(m, &row, &err), &err);
}

static void add_machine(struct fl_model *m, uint32_t at)
{
	struct fl_machine_row row = { .name = sym(m, "machine", at),
				      .allocatable = { { 1e6, 1e13, GPUS } } };
	fairlead_error err;

	must(fl_model_add_machine(m, &row, &err), &err);
}

/* A gang and its tasks of @gpus each; they run on @machine, or wait (FL_NONE). */
static void add_gang(struct fl_model *m, uint32_t at, uint32_t leaf, uint32_t tasks, double gpus,
		     uint32_t machine, int32_t priority)
{
	bool runs = machine != FL_NONE;
	struct fl_workload_row row = fl_workload_default;
	struct fl_gang gang = fl_gang_default;
	fairlead_error err;

	gang.min_tasks = (int32_t)tasks;
	gang.stated = FL_PREEMPTIBLE;
	gang.started = runs ? 0 : FL_TIME_NONE;
	must(fl_model_push_gangs(m, &gang, &row.gang, &err), &err);
	row.namespace = sym(m, "ns", 0);
	row.name = sym(m, "gang", at);
	row.queue_name = sym(m, "queue", TOP + leaf);
	row.has_priority = true;
	row.priority = priority;
	row.created = (fl_time)at * FL_SECOND;
	must(fl_model_add_workload(m, &row, &err), &err);
	for (uint32_t i = 0; i < tasks; i++) {
		struct fl_task_row task = fl_task_default;
		char name[48];

		snprintf(name, sizeof name, "gang%06u-", at);
		task.namespace = row.namespace;
		task.name = sym(m, name, i);
		task.gang_name = row.name;
		task.machine_name.v = runs ? sym(m, "machine", machine).v : FL_NONE;
		task.request.of[FL_GPU] = gpus;
		task.phase = runs ? FL_TASK_ALLOCATED : FL_TASK_PENDING;
		task.created = 0;
		must(fl_model_add_task(m, &task, &err), &err);
	}
}

/* How many run is known in the end: machines are filled one after the other. */
static void fill(struct fl_model *m, struct size *size)
{
	uint64_t state = 1;
	uint32_t running = 0, machine = 0, used = 0;

	for (uint32_t i = 0; i < size->machines; i++)
		add_machine(m, i);
	for (uint32_t i = 0; i < TOP + size->leaves; i++)
		add_queue(m, i, size);
	for (; running < size->running; running++) {
		uint32_t gpus = 1 + draw(&state, 4);

		if (used + gpus > GPUS)
			machine++, used = 0;
		if (machine == size->machines)
			break;
		used += gpus;
		add_gang(m, running, draw(&state, (size->leaves + 1) / 2), 1, gpus, machine, 50);
	}
	size->running = running;
	for (uint32_t i = 0; i < size->waiting; i++) {
		uint32_t leaf = draw(&state, size->leaves);
		int32_t priority = draw(&state, 2) ? 60 : 50;

		add_gang(m, running + i, leaf, size->gang, 1 + draw(&state, GPUS), FL_NONE,
			 priority);
	}
}

/* --- cycles ---------------------------------------------------------------------------------- */

struct outcome {
	double ms;
	unsigned long calls; /* of the allocator */
	int64_t started, evicted, reserved;
	struct fl_decisions decisions;
};

static struct outcome step(struct fl_policy *p, const struct counter *counter)
{
	struct outcome o = { .calls = counter->calls };
	double start = now_ms();
	fairlead_error err;

	must(fl_entitle_policy.step(p, NOW * FL_SECOND, 0, NULL, &o.decisions, &err), &err);
	o.ms = now_ms() - start;
	o.calls = counter->calls - o.calls;
	for (uint32_t i = 0; i < o.decisions.n; i++) {
		const struct fl_decision *d = &o.decisions.rows[i];

		o.started += d->kind == FL_ADMIT ? d->count : 0;
		o.evicted += d->kind == FL_EVICT ? d->count : 0;
		o.reserved += d->kind == FL_RESERVE ? d->count : 0;
	}
	return o;
}

/* All that was evicted is gone, and waits again. */
static void settle(struct fl_policy *p, const struct fl_decisions *decisions)
{
	for (uint32_t i = 0; i < decisions->n; i++) {
		struct fl_event event = { .kind = FL_EV_EVICTED,
					  .workload = decisions->rows[i].workload };
		fairlead_error err;

		if (decisions->rows[i].kind == FL_EVICT &&
		    fl_entitle_policy.state(p, event.workload) == FL_STATE_EVICTING)
			must(fl_entitle_policy.apply(p, NOW * FL_SECOND, &event, &err), &err);
	}
}

/* The next cycle, RUNS times from the same state: the last, with the least time. */
static struct outcome step_often(struct fl_policy *p, const struct counter *counter)
{
	struct outcome o = { .ms = 0 };
	double ms[RUNS];

	for (int i = 0; i < RUNS; i++) {
		fairlead_error err;
		fl_mark mark;

		must(fl_entitle_policy.mark(p, &mark, &err), &err);
		o = step(p, counter);
		fl_entitle_policy.rollback(p, mark);
		ms[i] = o.ms;
	}
	median(ms, RUNS);
	o.ms = ms[0];
	return o;
}

static void repeat(struct fl_policy *p, const struct counter *counter, uint32_t times)
{
	while (times-- > 0) {
		fairlead_error err;
		fl_mark mark;

		must(fl_entitle_policy.mark(p, &mark, &err), &err);
		step(p, counter);
		fl_entitle_policy.rollback(p, mark);
	}
}

static void print(const struct size *size, double setup, const struct outcome *first,
		  const struct outcome *next)
{
	printf("{\"id\":\"made-%u-%u-%u-%u\",\"gang\":%u,\"setupMs\":%.1f,\"firstMs\":%.1f,"
	       "\"started\":%lld,\"evicted\":%lld,\"reserved\":%lld,\"stepMs\":%.1f,"
	       "\"allocations\":%lu}\n",
	       size->leaves, size->machines, size->running, size->waiting, size->gang, setup,
	       first->ms, (long long)first->started, (long long)first->evicted,
	       (long long)first->reserved, next->ms, next->calls);
}

/* false: a warm cycle has asked for memory. */
static bool bench(struct size size)
{
	struct counter counter = { 0 };
	const struct fl_mem mem = { .resize = count_resize, .user = &counter };
	struct fl_policy_options options = { .mem = &mem, .now = NOW * FL_SECOND };
	struct outcome first, next;
	struct fl_model *m = NULL;
	struct fl_policy *p = NULL;
	fairlead_error err;
	double setup;

	must(fl_model_new(&mem, &m, &err), &err);
	fill(m, &size);
	setup = now_ms();
	must(fl_model_seal(m, &err), &err);
	must(fl_entitle_policy.new(m, &options, &p, &err), &err);
	setup = now_ms() - setup;
	first = step(p, &counter);
	settle(p, &first.decisions);
	next = step_often(p, &counter);
	repeat(p, &counter, size.repeat);
	if (!size.repeat)
		print(&size, setup, &first, &next);
	fl_entitle_policy.free(p);
	fl_model_free(m);
	return next.calls == 0;
}

int main(int argc, char **argv)
{
	struct size size = { 100, 500, 1500, 500, 1, 0 };
	const struct {
		const char *name;
		uint32_t *to;
	} options[] = {
		{ "--leaves", &size.leaves },   { "--machines", &size.machines },
		{ "--running", &size.running }, { "--waiting", &size.waiting },
		{ "--gang", &size.gang },       { "--repeat", &size.repeat },
	};

	for (int i = 1; i < argc; i += 2) {
		size_t o = 0;
		int n = i + 1 < argc ? atoi(argv[i + 1]) : -1;

		while (o < sizeof options / sizeof *options && strcmp(argv[i], options[o].name))
			o++;
		if (o == sizeof options / sizeof *options || n < 0 || n >= 1000000) {
			fprintf(stderr, "usage: entitle [--leaves N] [--machines N] [--running N] "
					"[--waiting N] [--gang N] [--repeat N]\n");
			return 2;
		}
		*options[o].to = (uint32_t)n;
	}
	if (!size.leaves || !size.machines || !size.gang) {
		fprintf(stderr, "entitle: leaves, machines and gang must be above 0\n");
		return 2;
	}
	return bench(size) ? 0 : 1;
}
