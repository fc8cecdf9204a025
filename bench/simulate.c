/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate - what an event of a simulation costs
 *
 * simulate [--jobs N] [--queues N] [--shapes N] [--load PERCENT] [--cpus N] [--classical 1]
 *          [--swf FILE [--cpus N]] [--large 1] [--machines N] [--runs N]
 *
 * One JSON line; README.md says how to read the figures.  By default jobs arrive at random in
 * the queues of one cohort, which preempt each other under fair sharing.  --swf takes the jobs
 * of a log instead, one queue a user; --large the shape of Kueue's largest scenario: 10 cohorts
 * of 100 queues, 50 workloads each; --machines the entitle policy: pods of 1 to 8 GPUs on so many
 * machines of 8, in --queues queues that deserve the same.  --runs does it so often, and prints
 * the last.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>

#include "base/mix.h"
#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"
#include "measure.h"
#include "model/model.h"
#include "sim/begin.h"
#include "sim/simulation.h"

enum { CORE = 1000, RUN_SECONDS = 3600, GPUS = 8 };

struct size {
	uint32_t jobs, queues, shapes, load, cpus, runs;
	uint32_t classical, large, machines;
	const char *swf;
};

/* A world while it is made. */
struct world {
	struct fl_model *m;
	struct fl_span *podsets; /* by number of cores; n 0: not made yet */
	uint32_t cores, jobs;
	struct fl_sym namespace, flavor, cpu, nobody;
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "simulate: %s\n", err->text);
	exit(3);
}

static struct fl_sym sym(struct fl_model *m, const char *kind, uint32_t number)
{
	fairlead_error err;
	struct fl_sym ret;
	char name[48];

	snprintf(name, sizeof name, "%s%u", kind, number);
	must(fl_model_sym(m, name, strlen(name), &ret, &err), &err);
	return ret;
}

/* From 0 to below 1, the same on every machine. */
static double draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) * 0x1p-53;
}

/* --- the world ------------------------------------------------------------------------------- */

static void begin(struct world *o, const struct fl_mem *mem, uint32_t cores, bool fair)
{
	struct fl_flavor_row flavor = { .declared = true };
	fairlead_error err;

	must(fl_model_new(mem, &o->m, &err), &err);
	o->cores = cores;
	o->podsets = calloc(cores + 1, sizeof *o->podsets);
	o->namespace = sym(o->m, "ns", 0);
	o->cpu = sym(o->m, "cpu", 0);
	must(fl_model_sym(o->m, "cpu", 3, &o->cpu, &err), &err);
	o->flavor = flavor.name = sym(o->m, "default", 0);
	must(fl_model_add_flavor(o->m, &flavor, &err), &err);
	o->m->settings.fair_sharing = fair;
	o->m->settings.strategies[0] = FL_FINAL_SHARE;
	o->m->settings.strategies[1] = FL_INITIAL_SHARE;
	o->m->settings.n_strategies = 2;
}

/* Quota of @row: @nominal cores/1000, which may borrow @limit. */
static void give(struct world *o, struct fl_node_row *row, fl_amount nominal, fl_amount limit)
{
	struct fl_quota quota = { .flavor_name = o->flavor,
				  .resource_name = o->cpu,
				  .nominal = nominal,
				  .borrowing_limit = limit,
				  .lending_limit = FL_NO_LIMIT };
	struct fl_group_flavor flavor = { .name = o->flavor, .quotas = { 0, 1 } };
	struct fl_group group = { .resources = { 0, 1 }, .flavors = { 0, 1 } };
	fairlead_error err;

	must(fl_model_push_quotas(o->m, &quota, &flavor.quotas.first, &err), &err);
	must(fl_model_push_group_flavors(o->m, &flavor, &group.flavors.first, &err), &err);
	must(fl_model_push_syms(o->m, &o->cpu, &group.resources.first, &err), &err);
	must(fl_model_push_groups(o->m, &group, &row->groups.first, &err), &err);
	row->groups.n = 1;
}

static void add_cohort(struct world *o, uint32_t number, fl_amount nominal)
{
	struct fl_node_row row = fl_cohort_default;
	fairlead_error err;

	row.name = sym(o->m, "cohort", number);
	if (nominal > 0)
		give(o, &row, nominal, FL_NO_LIMIT);
	must(fl_model_add_node(o->m, &row, &err), &err);
}

static void add_queue(struct world *o, uint32_t number, uint32_t cohort, fl_amount nominal,
		      fl_amount limit)
{
	struct fl_node_row row = fl_cluster_queue_default;
	struct fl_queue_row queue = fl_queue_default;
	fairlead_error err;

	row.name = sym(o->m, "queue", number);
	row.parent_name = sym(o->m, "cohort", cohort);
	row.reclaim = FL_PREEMPT_ANY;
	row.within_queue = FL_PREEMPT_LOWER_PRIORITY;
	row.namespaces.present = true; /* all */
	give(o, &row, nominal, limit);
	must(fl_model_add_node(o->m, &row, &err), &err);
	queue.namespace = o->namespace;
	queue.name = queue.cluster_queue_name = row.name;
	must(fl_model_add_queue(o->m, &queue, &err), &err);
}

static struct fl_span podset(struct world *o, uint32_t cores)
{
	struct fl_podset row = fl_podset_default;
	struct fl_request request = { .resource_name = o->cpu, .amount = (fl_amount)cores * CORE };
	struct fl_span *span = &o->podsets[cores];
	fairlead_error err;

	if (span->n)
		return *span;
	must(fl_model_push_requests(o->m, &request, &row.requests.first, &err), &err);
	row.requests.n = 1;
	row.name = sym(o->m, "main", 0);
	row.count = 1;
	row.spec_hash = cores;
	must(fl_model_push_podsets(o->m, &row, &span->first, &err), &err);
	span->n = 1;
	return *span;
}

static void add_life(struct world *o, fl_time arrives, fl_time runs)
{
	struct fl_life_row life = { .workload = { o->jobs++ },
				    .arrives = arrives,
				    .runs = runs,
				    .asked = FL_TIME_NONE,
				    .leaves = FL_NEVER,
				    .waited = FL_TIME_NONE,
				    .class_name = { FL_NONE },
				    .user = { FL_NONE } };
	fairlead_error err;

	must(fl_model_push_lives(o->m, &life, NULL, &err), &err);
}

static void add_job(struct world *o, uint32_t queue, uint32_t cores, int32_t priority,
		    fl_time arrives, fl_time runs)
{
	struct fl_workload_row row = fl_workload_default;
	fairlead_error err;

	row.namespace = o->namespace;
	row.name = row.uid = sym(o->m, "job", o->jobs);
	row.queue_name = sym(o->m, "queue", queue);
	row.has_priority = true;
	row.priority = priority;
	row.created = arrives;
	row.podsets = podset(o, cores);
	must(fl_model_add_workload(o->m, &row, &err), &err);
	add_life(o, arrives, runs);
}

/* Jobs of 1, 2, ... cores come at random, as much work as --load says. */
static void make_random(struct world *o, const struct fl_mem *mem, const struct size *size)
{
	double mean_cores = (size->shapes + 1) / 2.0, work = mean_cores * RUN_SECONDS, at = 0;
	double between = work / ((double)size->cpus * size->load / 100);
	uint64_t state = 1;

	begin(o, mem, size->shapes, !size->classical);
	add_cohort(o, 0, 0);
	for (uint32_t i = 0; i < size->queues; i++)
		add_queue(o, i, 0, (fl_amount)size->cpus * CORE / size->queues, FL_NO_LIMIT);
	for (uint32_t i = 0; i < size->jobs; i++) {
		uint32_t cores = 1 + (uint32_t)(draw(&state) * size->shapes);
		double skewed = draw(&state) * draw(&state);

		at -= between * log(1 - draw(&state));
		add_job(o, (uint32_t)(skewed * size->queues), cores, 0, (fl_time)(at * FL_SECOND),
			(fl_time)(-RUN_SECONDS * log(1 - draw(&state)) * FL_SECOND));
	}
}

static void make_large(struct world *o, const struct fl_mem *mem, const struct size *size)
{
	const struct {
		uint32_t count, every, runs, cores;
		int32_t priority;
	} classes[] = { { 35, 60, 150, 1, 50 },
			{ 11, 300, 350, 5, 100 },
			{ 4, 700, 700, 20, 200 } };

	begin(o, mem, 20, !size->classical);
	for (uint32_t c = 0; c < 10; c++)
		add_cohort(o, c, 0);
	for (uint32_t q = 0; q < 1000; q++)
		add_queue(o, q, q / 100, 20 * CORE, 100 * CORE);
	for (uint32_t q = 0; q < 1000; q++)
		for (size_t k = 0; k < 3; k++)
			for (uint32_t i = 0; i < classes[k].count; i++)
				add_job(o, q, classes[k].cores, classes[k].priority,
					(fl_time)i * classes[k].every * (FL_SECOND / 1000),
					classes[k].runs * (FL_SECOND / 1000));
}

/* Fields of a line: submit, run, processors, user. */
enum { SUBMIT = 1, RUN = 3, PROCESSORS = 4, ASKED_PROCESSORS = 7, USER = 11, FIELDS = 18 };

static void make_swf(struct world *o, const struct fl_mem *mem, const struct size *size)
{
	bool known[1u << 16] = { false };
	gzFile file = gzopen(size->swf, "rb");
	uint32_t users = 0;
	char line[4096];

	begin(o, mem, size->cpus, !size->classical);
	while (file && gzgets(file, line, sizeof line)) {
		double f[FIELDS];
		uint32_t user, cores;
		char *at = line;

		if (line[0] == ';')
			continue;
		for (int i = 0; i < FIELDS; i++)
			f[i] = strtod(at, &at);
		cores = (uint32_t)(f[PROCESSORS] > 0 ? f[PROCESSORS] : f[ASKED_PROCESSORS]);
		user = (uint32_t)f[USER] & 0xffff;
		if (cores < 1 || cores > size->cpus || f[RUN] <= 0)
			continue;
		users += !known[user];
		known[user] = true;
		add_job(o, user, cores, 0, (fl_time)f[SUBMIT] * FL_SECOND,
			(fl_time)f[RUN] * FL_SECOND);
	}
	if (!file || !users) {
		fprintf(stderr, "simulate: no jobs in %s\n", size->swf);
		exit(3);
	}
	gzclose(file);
	fl_amount all = (fl_amount)size->cpus * CORE;

	add_cohort(o, 0, all % users);
	for (uint32_t i = 0; i < 1u << 16; i++)
		if (known[i])
			add_queue(o, i, 0, all / users, FL_NO_LIMIT);
}

static void add_leaf(struct world *o, uint32_t number, double gpus)
{
	struct fl_entitlement e = fl_entitlement_default;
	struct fl_node_row row = fl_entitled_default;
	fairlead_error err;

	for (int r = 0; r < FL_BUNDLE; r++) {
		e.deserved.of[r] = e.limit.of[r] = FL_UNBOUNDED;
		e.weight.of[r] = 1;
	}
	e.deserved.of[FL_GPU] = gpus;
	must(fl_model_push_entitlements(o->m, &e, &row.entitlement, &err), &err);
	row.name = sym(o->m, "queue", number);
	must(fl_model_add_node(o->m, &row, &err), &err);
}

static void add_gang(struct world *o, uint32_t queue, double gpus, fl_time arrives, fl_time runs)
{
	struct fl_workload_row row = fl_workload_default;
	struct fl_gang gang = fl_gang_default;
	struct fl_task_row task = fl_task_default;
	fairlead_error err;

	gang.stated = FL_PREEMPTIBLE;
	must(fl_model_push_gangs(o->m, &gang, &row.gang, &err), &err);
	task.namespace = row.namespace = o->namespace;
	task.name = task.gang_name = row.name = sym(o->m, "job", o->jobs);
	row.queue_name = sym(o->m, "queue", queue);
	task.created = row.created = arrives;
	task.request.of[FL_GPU] = gpus;
	must(fl_model_add_workload(o->m, &row, &err), &err);
	must(fl_model_add_task(o->m, &task, &err), &err);
	add_life(o, arrives, runs);
}

static void make_gpus(struct world *o, const struct fl_mem *mem, const struct size *size)
{
	double gpus = GPUS * (double)size->machines, at = 0;
	double between = (GPUS + 1) / 2.0 * RUN_SECONDS / (gpus * size->load / 100);
	struct fl_machine_row machine = { .allocatable = { { 1e6, 1e13, GPUS } } };
	uint64_t state = 1;
	fairlead_error err;

	begin(o, mem, 1, /* fair= */ false);
	for (uint32_t i = 0; i < size->machines; i++) {
		machine.name = sym(o->m, "machine", i);
		must(fl_model_add_machine(o->m, &machine, &err), &err);
	}
	for (uint32_t i = 0; i < size->queues; i++)
		add_leaf(o, i, gpus / size->queues);
	for (uint32_t i = 0; i < size->jobs; i++) {
		uint32_t queue = (uint32_t)(draw(&state) * draw(&state) * size->queues);
		double runs;

		at -= between * log(1 - draw(&state));
		runs = -RUN_SECONDS * log(1 - draw(&state));
		add_gang(o, queue, 1 + (uint32_t)(draw(&state) * GPUS), (fl_time)(at * FL_SECOND),
			 (fl_time)(runs * FL_SECOND));
	}
}

/* --- the run --------------------------------------------------------------------------------- */

static const struct fl_policy_ops *counted;
static uint64_t heads;

static int counting_step(struct fl_policy *p, fl_time now, unsigned flags,
			 const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	int r = counted->step(p, now, flags, sink, ret, err);

	heads += r < 0 ? 0 : ret->n_heads;
	return r;
}

/* Two programs that print the same number told the same events at the same times. */
static int hash_event(void *user, const struct fl_sim *sim, const struct fl_sim_event *e,
		      fairlead_error *err)
{
	uint64_t *hash = user;

	(void)sim;
	(void)err;
	fl_mix(hash, (uint64_t)e->kind << 32 | e->workload.v);
	fl_mix(hash, (uint64_t)e->at);
	return 0;
}

struct figures {
	uint64_t hash[2], events, cycles, heads;
	uint64_t finished, evictions, starts;
	double setup_ms, seconds;
	size_t policy_bytes;
	bool ended;
};

/* One run from its beginning. */
static void simulate(const struct world *o, const struct fl_policy_ops *ops,
		     const struct fl_mem *mem, struct figures *f)
{
	const struct counter *counter = mem->user;
	size_t before = counter->live;
	struct fl_policy_options options = { .mem = mem, .now = fl_sim_start(o->m) };
	struct fl_sim_options how = { .mem = mem,
				      .start = options.now,
				      .listeners = { { .event = hash_event, .user = f->hash } },
				      .n_listeners = 1 };
	struct fl_policy *p = NULL;
	struct fl_sim s;
	fairlead_error err;
	double start = now_ms();

	heads = 0;
	must(ops->new (o->m, &options, &p, &err), &err);
	f->policy_bytes = counter->live - before;
	must(fl_sim_init(&s, o->m, ops, p, &fl_simulation_default, &how, &err), &err);
	f->setup_ms += now_ms() - start;
	start = now_ms();
	must(fl_sim_run(&s, &err), &err);
	f->seconds = (now_ms() - start) / 1e3;
	for (uint32_t i = 0; i < o->m->n_workloads; i++) {
		f->finished += s.jobs[i].state == FL_SIM_FINISHED;
		f->evictions += s.jobs[i].evictions;
		f->starts += s.jobs[i].starts;
	}
	f->events = s.events;
	f->cycles = s.driver.cycles;
	f->heads = heads;
	f->ended = s.ended;
	fl_sim_done(&s);
	ops->free(p);
}

static void print_figures(const struct world *o, const struct figures *f, size_t model_bytes)
{
	double events = (double)f->events;
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	printf("{\"jobs\":%u,\"nodes\":%u,\"events\":%llu,\"cycles\":%llu,\"finished\":%llu,"
	       "\"starts\":%llu,\"evictions\":%llu,\"headsPerCycle\":%.2f,\"setupSeconds\":%.3f,"
	       "\"seconds\":%.3f,\"eventsPerSecond\":%.0f,\"nsPerEvent\":%.0f,"
	       "\"modelBytesPerJob\":%.0f,\"bytesPerJob\":%.0f,\"peakMB\":%.0f,\"ended\":%d,\"hash\":\"%016llx\"}\n",
	       o->jobs, o->m->n_nodes, (unsigned long long)f->events, (unsigned long long)f->cycles,
	       (unsigned long long)f->finished, (unsigned long long)f->starts,
	       (unsigned long long)f->evictions, (double)f->heads / (double)f->cycles,
	       f->setup_ms / 1e3, f->seconds, events / f->seconds, f->seconds * 1e9 / events,
	       (double)model_bytes / o->jobs, (double)f->policy_bytes / o->jobs,
	       (double)used.ru_maxrss / 1e3, (int)f->ended, (unsigned long long)f->hash[0]);
}

static void run(const struct size *size)
{
	struct counter counter = { 0 };
	const struct fl_mem mem = { .resize = count_resize, .user = &counter };
	struct fl_policy_ops ops = size->machines ? fl_entitle_policy : fl_borrow_policy;
	struct figures f = { .events = 0 };
	struct world o = { 0 };
	fairlead_error err;
	double seal_ms;

	counted = size->machines ? &fl_entitle_policy : &fl_borrow_policy;
	ops.step = counting_step;
	size->swf      ? make_swf(&o, &mem, size) :
	size->large    ? make_large(&o, &mem, size) :
	size->machines ? make_gpus(&o, &mem, size) :
			 make_random(&o, &mem, size);
	seal_ms = now_ms();
	must(fl_model_seal(o.m, &err), &err);
	seal_ms = now_ms() - seal_ms;
	size_t of_model = counter.live;

	for (uint32_t i = 0; i < size->runs; i++) {
		f = (struct figures){ .setup_ms = seal_ms };
		simulate(&o, &ops, &mem, &f);
	}
	print_figures(&o, &f, of_model);
	fl_model_free(o.m);
	free(o.podsets);
}

int main(int argc, char **argv)
{
	struct size size = {
		.jobs = 10000, .queues = 100, .shapes = 16, .load = 100, .cpus = 240, .runs = 1
	};
	const struct {
		const char *name;
		uint32_t *to;
	} options[] = {
		{ "--jobs", &size.jobs },   { "--queues", &size.queues },
		{ "--load", &size.load },   { "--shapes", &size.shapes },
		{ "--cpus", &size.cpus },   { "--classical", &size.classical },
		{ "--large", &size.large }, { "--machines", &size.machines },
		{ "--runs", &size.runs },
	};

	for (int i = 1; i < argc; i += 2) {
		size_t o = 0;
		int n = i + 1 < argc ? atoi(argv[i + 1]) : -1;

		if (i + 1 < argc && strcmp(argv[i], "--swf") == 0) {
			size.swf = argv[i + 1];
			continue;
		}
		while (o < sizeof options / sizeof *options && strcmp(argv[i], options[o].name))
			o++;
		if (o == sizeof options / sizeof *options || n < 0 || n > 100000000) {
			fprintf(stderr, "usage: simulate [--jobs N] [--queues N] [--shapes N] "
					"[--load PERCENT] [--cpus N] [--classical 1] [--large 1] "
					"[--machines N] [--swf FILE] [--runs N]\n");
			return 2;
		}
		*options[o].to = (uint32_t)n;
	}
	if (!size.jobs || !size.queues || !size.shapes || !size.cpus || !size.load || !size.runs) {
		fprintf(stderr, "simulate: a number must be above 0\n");
		return 2;
	}
	run(&size);
	return 0;
}
