/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eta - how good forecasts are
 *
 * eta [--jobs N] [--skip N] [--asks N] [--runs N] [--arrivals DAYS] [--level P] [--tree fifo|fair] FILE.swf[.gz]
 *
 * Simulates N jobs of a trace (Standard Workload Format) in a cluster of as many processors as
 * the trace's, and at random moments asks when one of those that wait, drawn at random, will
 * start, telling the forecast only what is known by then.  One a moment: those that wait at the
 * same time share their fate, so more of them would say little more.  The tree: `fifo` is one queue; `fair` one for each
 * queue of the trace, or each user where it has one queue only, in one cohort with fair sharing.
 *
 * One JSON line: how often the start fell into the interval, and below and above it; the
 * median error, as part of what it really took, of the forecast and of three simpler ways to
 * guess: as long again as the mean of the last waits in its queue, one run with limits for run times, and one
 * run with the true run times of all that are there (what cannot be known).
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "decide/borrow/borrow.h"
#include "measure.h"
#include "model/model.h"
#include "sim/forecast.h"

enum { LAST_WAITS = 50, LEAST = 60 };

struct job {
	long submit, run, procs, asked, user, queue;
};

struct guess {
	uint32_t workload;
	fl_time now, from, start, to; /* of the forecast; from: the horizon at most */
	fl_time mean, limits, oracle;
	fl_time truth; /* FL_NEVER: not until the end */
};

struct bench {
	struct job *jobs;
	uint32_t n_jobs;
	long procs;
	bool fair;
	struct fl_model *m;
	struct fl_policy *policy;
	struct fl_runtimes times;
	struct fl_sim *sim;
	struct fl_forecast_options options;
	struct fl_model limits, oracle; /* the model with other lives */
	struct guess *guesses;
	uint32_t n_guesses, n_asks;
	fl_time *asks; /* when, in order */
	uint32_t asked;
	struct fl_random random;
	struct {
		double sum;
		fl_time last[LAST_WAITS];
		uint32_t n;
	} * waits; /* by node */
	double ms;
	uint32_t *again;
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "eta: %s\n", err->text);
	exit(3);
}

static void *room(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p) {
		fprintf(stderr, "eta: out of memory\n");
		exit(3);
	}
	return p;
}

/* --- the trace --- */

static void read_trace(struct bench *b, const char *name, uint32_t skip, uint32_t most)
{
	gzFile in = gzopen(name, "rb");
	char line[1024];
	uint32_t seen = 0;

	if (!in) {
		perror(name);
		exit(3);
	}
	b->jobs = room(most, sizeof *b->jobs);
	while (b->n_jobs < most && gzgets(in, line, sizeof line)) {
		long f[18];
		char *at = line;

		if (sscanf(line, "; MaxProcs: %ld", &b->procs) == 1 || line[0] == ';')
			continue;
		for (int i = 0; i < 18; i++)
			f[i] = (long)strtod(at, &at);
		long procs = f[4] > 0 ? f[4] : f[7];

		if (f[3] <= 0 || procs <= 0 || procs > b->procs || seen++ < skip)
			continue;
		b->jobs[b->n_jobs++] = (struct job){ .submit = f[1],
						     .run = f[3],
						     .procs = procs,
						     .asked = f[8],
						     .user = f[11],
						     .queue = f[14] };
	}
	gzclose(in);
}

/* --- the cluster --- */

static struct fl_sym sym(struct fl_model *m, const char *kind, long number)
{
	char name[40];
	struct fl_sym ret;
	fairlead_error err;

	snprintf(name, sizeof name, "%s%ld", kind, number);
	must(fl_model_sym(m, name, strlen(name), &ret, &err), &err);
	return ret;
}

static void add_node(struct bench *b, bool cohort, long number, fl_amount nominal)
{
	struct fl_model *m = b->m;
	struct fl_node_row row = cohort ? fl_cohort_default : fl_cluster_queue_default;
	struct fl_queue_row queue = fl_queue_default;
	struct fl_sym cpu = sym(m, "cpu", 0);
	struct fl_group group = { .resources = { m->n_syms, 1 },
				  .flavors = { m->n_group_flavors, 1 } };
	struct fl_group_flavor flavor = { .name = sym(m, "f", 0), .quotas = { m->n_quotas, 1 } };
	struct fl_quota quota = { .flavor_name = flavor.name,
				  .nominal = nominal,
				  .borrowing_limit = FL_NO_LIMIT,
				  .lending_limit = FL_NO_LIMIT };
	fairlead_error err;

	must(fl_model_sym(m, "cpu", 3, &cpu, &err), &err);
	quota.resource_name = cpu;
	row.name = sym(m, cohort ? "all" : "q", number);
	if (!cohort)
		row.parent_name = sym(m, "all", 0);
	row.namespaces.present = true;
	row.groups.n = 1;
	must(fl_model_push_syms(m, &cpu, NULL, &err), &err);
	must(fl_model_push_quotas(m, &quota, NULL, &err), &err);
	must(fl_model_push_group_flavors(m, &flavor, NULL, &err), &err);
	must(fl_model_push_groups(m, &group, &row.groups.first, &err), &err);
	must(fl_model_add_node(m, &row, &err), &err);
	if (cohort)
		return;
	queue.namespace = sym(m, "ns", 0);
	queue.name = queue.cluster_queue_name = row.name;
	must(fl_model_add_queue(m, &queue, &err), &err);
}

static void add_job(struct bench *b, uint32_t i, long queue, uint32_t *podsets)
{
	struct fl_model *m = b->m;
	const struct job *j = &b->jobs[i];
	struct fl_workload_row row = fl_workload_default;
	struct fl_life_row life = { .workload = { i },
				    .arrives = j->submit * FL_SECOND,
				    .runs = j->run * FL_SECOND,
				    .asked = j->asked > 0 ? j->asked * FL_SECOND : FL_TIME_NONE,
				    .leaves = FL_NEVER,
				    .waited = FL_TIME_NONE,
				    .class_name = { FL_NONE },
				    .user = sym(m, "u", j->user) };
	fairlead_error err;

	if (podsets[j->procs] == FL_NONE) {
		struct fl_podset p = fl_podset_default;
		struct fl_request request = { .amount = j->procs * 1000 };

		must(fl_model_sym(m, "cpu", 3, &request.resource_name, &err), &err);
		p.name = sym(m, "main", 0);
		p.count = 1;
		p.spec_hash = (uint64_t)j->procs;
		must(fl_model_push_requests(m, &request, &p.requests.first, &err), &err);
		p.requests.n = 1;
		must(fl_model_push_podsets(m, &p, &podsets[j->procs], &err), &err);
	}
	row.namespace = sym(m, "ns", 0);
	row.name = row.uid = sym(m, "job", (long)i + 10000000);
	row.queue_name = sym(m, "q", queue);
	row.has_priority = true;
	row.created = life.arrives;
	row.podsets = (struct fl_span){ podsets[j->procs], 1 };
	must(fl_model_add_workload(m, &row, &err), &err);
	must(fl_model_push_lives(m, &life, NULL, &err), &err);
}

static void build(struct bench *b)
{
	uint32_t *podsets = room((size_t)b->procs + 1, sizeof *podsets);
	struct fl_flavor_row flavor = { 0 };
	struct fl_policy_options options = { .mem = &fl_mem_heap };
	long most = 0;
	uint32_t first;
	bool *known, queues = false;
	fairlead_error err;

	must(fl_model_new(&fl_mem_heap, &b->m, &err), &err);
	b->m->simulation = fl_simulation_default;
	b->m->settings.fair_sharing = b->fair;
	b->m->settings.strategies[0] = FL_FINAL_SHARE;
	b->m->settings.strategies[1] = FL_INITIAL_SHARE;
	b->m->settings.n_strategies = 2;
	flavor.name = sym(b->m, "f", 0);
	must(fl_model_add_flavor(b->m, &flavor, &err), &err);
	add_node(b, /* cohort= */ true, 0, b->procs * 1000);
	memset(podsets, 0xff, ((size_t)b->procs + 1) * sizeof *podsets);
	for (uint32_t i = 0; i < b->n_jobs; i++) {
		most = b->jobs[i].user > most ? b->jobs[i].user : most;
		most = b->jobs[i].queue > most ? b->jobs[i].queue : most;
		queues |= b->jobs[i].queue != b->jobs[0].queue;
	}
	known = room((size_t)most + 2, sizeof *known);
	for (uint32_t i = 0; i < b->n_jobs; i++) {
		long queue = !b->fair ? 0 : queues ? b->jobs[i].queue : b->jobs[i].user;

		queue = queue < 0 ? most + 1 : queue;
		if (!known[queue])
			add_node(b, /* cohort= */ false, queue, 0);
		known[queue] = true;
		add_job(b, i, queue, podsets);
	}
	free(known);
	free(podsets);
	must(fl_forecast_spares(b->m, INT64_MIN + 1, &first, &err), &err);
	must(fl_model_seal(b->m, &err), &err);
	b->again = room(b->m->n_workloads, sizeof *b->again);
	fl_forecast_set_aside(b->m, first, b->again);
	b->options.again = b->again;
	options.now = fl_sim_start(b->m);
	must(fl_borrow_policy.new(b->m, &options, &b->policy, &err), &err);
}

/* --- asking --- */

static fl_time one_run(struct bench *b, const struct fl_model *m, struct fl_workload w,
		       fairlead_error *err)
{
	struct fl_forecast_options options = b->options;
	struct fl_forecast row = { .workload = w };
	struct fl_forecast_basis basis;

	options.told = true;
	options.runs = 1;
	options.arrivals = 0;
	must(fl_forecast(&fl_borrow_policy, b->policy, m, &b->times, &options, &row, 1, &basis,
			 err),
	     err);
	return row.start;
}

/* FL_NONE: nobody waits. */
static uint32_t draw_waiting(struct bench *b, const struct fl_sim *sim)
{
	uint32_t n = 0, pick;

	for (uint32_t w = 0; w < b->m->n_workloads; w++)
		n += sim->jobs[w].state == FL_SIM_WAITS;
	pick = (uint32_t)(fl_random_unit(&b->random) * (double)n);
	for (uint32_t w = 0; w < b->m->n_workloads; w++)
		if (sim->jobs[w].state == FL_SIM_WAITS && pick-- == 0)
			return w;
	return FL_NONE;
}

static void ask_now(struct bench *b, const struct fl_sim *sim, fl_time now, fairlead_error *err)
{
	struct fl_forecast row = { .workload = { draw_waiting(b, sim) } };
	struct fl_forecast_basis basis;
	uint64_t before[2], after[2];
	double begin;

	if (row.workload.v == FL_NONE)
		return;
	b->options.now = now;
	b->options.seed = b->n_guesses + 1;
	b->options.from = sim->jobs;
	fl_borrow_policy.digest(b->policy, now, before);
	begin = now_ms();
	must(fl_forecast(&fl_borrow_policy, b->policy, b->m, &b->times, &b->options, &row, 1,
			 &basis, err),
	     err);
	b->ms += now_ms() - begin;
	uint32_t q = b->m->workloads[row.workload.v].cluster_queue.v;
	uint32_t k = b->waits[q].n < LAST_WAITS ? b->waits[q].n : LAST_WAITS;

	b->guesses[b->n_guesses++] = (struct guess){
		.workload = row.workload.v,
		.now = now,
		.from = fl_amount_min(row.from, fl_sat_add(now, basis.horizon)),
		.start = row.start,
		.to = row.to,
		.mean = now + (k ? (fl_time)(b->waits[q].sum / k) : 0),
		.limits = one_run(b, &b->limits, row.workload, err),
		.oracle = one_run(b, &b->oracle, row.workload, err),
		.truth = FL_NEVER,
	};
	fl_borrow_policy.digest(b->policy, now, after);
	if (before[0] != after[0] || before[1] != after[1]) {
		fprintf(stderr, "eta: the state is another one after a forecast\n");
		exit(3);
	}
}

static int passes(void *user, const struct fl_sim *sim, fl_time to, fairlead_error *err)
{
	struct bench *b = user;

	while (b->asked < b->n_asks && b->asks[b->asked] < to) {
		fl_time now = b->asks[b->asked++];

		if (now >= sim->now)
			ask_now(b, sim, now, err);
	}
	return 0;
}

static int happened(void *user, const struct fl_sim *sim, const struct fl_sim_event *e,
		    fairlead_error *err)
{
	struct bench *b = user;

	if (e->kind == FL_SIM_ENDED)
		return fl_runtimes_add(&b->times, sim->jobs[e->workload.v].life,
				       sim->jobs[e->workload.v].life->runs, err);
	if (e->kind != FL_SIM_STARTED)
		return 0;
	uint32_t q = e->queue.v;
	fl_time *last = &b->waits[q].last[b->waits[q].n++ % LAST_WAITS];

	b->waits[q].sum += (double)(sim->jobs[e->workload.v].waited - *last);
	*last = sim->jobs[e->workload.v].waited;
	for (uint32_t i = 0; i < b->n_guesses; i++)
		if (b->guesses[i].workload == e->workload.v)
			b->guesses[i].truth = e->at;
	return 0;
}

/* --- the run and its figures --- */

static int cmp_time(const void *a, const void *b)
{
	const fl_time *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static struct fl_life_row *other_lives(const struct bench *b)
{
	struct fl_life_row *lives = room(b->m->n_lives, sizeof *lives);

	memcpy(lives, b->m->lives, b->m->n_lives * sizeof *lives);
	for (uint32_t i = 0; i < b->m->n_lives; i++)
		lives[i].runs = lives[i].asked == FL_TIME_NONE ? FL_NEVER : lives[i].asked;
	return lives;
}

static double error_of(const struct guess *g, fl_time guess)
{
	double real = (double)(g->truth - g->now) / FL_SECOND, said;

	said = guess == FL_NEVER ? (double)INFINITY : (double)(guess - g->now) / FL_SECOND;
	return fabs(said - real) / fmax(real, LEAST);
}

static double median_error(const struct bench *b, size_t field)
{
	double *errors = room(b->n_guesses, sizeof *errors), ret;
	size_t n = 0;

	for (uint32_t i = 0; i < b->n_guesses; i++)
		if (b->guesses[i].truth != FL_NEVER)
			errors[n++] =
				error_of(&b->guesses[i],
					 *(const fl_time *)((const char *)&b->guesses[i] + field));
	ret = n ? median(errors, n) : (double)NAN;
	free(errors);
	return ret;
}

static void print(const struct bench *b)
{
	uint32_t inside = 0, below = 0, above = 0, open = 0, n;
	double *real = room(b->n_guesses, sizeof *real), *wide = room(b->n_guesses, sizeof *wide);

	for (uint32_t i = 0; i < b->n_guesses; i++) {
		const struct guess *g = &b->guesses[i];

		open += g->truth == FL_NEVER;
		if (g->truth == FL_NEVER)
			continue;
		below += g->truth < g->from;
		above += g->truth > g->to;
		inside += g->truth >= g->from && g->truth <= g->to;
		n = inside + below + above;
		real[n - 1] = (double)(g->truth - g->now) / FL_SECOND;
		wide[n - 1] = g->to == FL_NEVER ? (double)INFINITY :
						  (double)(g->to - g->from) / FL_SECOND;
	}
	n = inside + below + above;
	printf("{\"jobs\":%u,\"asked\":%u,\"open\":%u,\"inside\":%.3f,\"before\":%.3f,\"after\":%.3f,"
	       "\"medianSeconds\":%.0f,\"medianWidth\":%.0f,\"error\":{\"forecast\":%.3f,\"meanWait\":%.3f,\"limits\":%.3f,"
	       "\"oracle\":%.3f},\"ms\":%.1f}\n",
	       b->n_jobs, n, open, inside / fmax(n, 1), below / fmax(n, 1), above / fmax(n, 1),
	       median(real, n), median(wide, n), median_error(b, offsetof(struct guess, start)),
	       median_error(b, offsetof(struct guess, mean)),
	       median_error(b, offsetof(struct guess, limits)),
	       median_error(b, offsetof(struct guess, oracle)), b->ms / fmax(b->n_guesses, 1));
	free(real);
	free(wide);
}

static void run(struct bench *b)
{
	struct fl_sim_options options = { .mem = &fl_mem_heap, .start = fl_sim_start(b->m) };
	fl_time first = b->m->lives[b->n_jobs / 3].arrives,
		last = b->m->lives[b->n_jobs - b->n_jobs / 10 - 1].arrives;
	struct fl_sim sim;
	fairlead_error err;

	options.listeners[options.n_listeners++] =
		(struct fl_sim_listener){ .event = happened, .passes = passes, .user = b };
	b->guesses = room(b->n_asks, sizeof *b->guesses);
	b->waits = room(b->m->n_nodes, sizeof *b->waits);
	b->asks = room(b->n_asks, sizeof *b->asks);
	fl_random_init(&b->random, 1, 0);
	for (uint32_t i = 0; i < b->n_asks; i++)
		b->asks[i] = first + (fl_time)(fl_random_unit(&b->random) * (double)(last - first));
	qsort(b->asks, b->n_asks, sizeof *b->asks, cmp_time);
	b->limits = b->oracle = *b->m;
	b->limits.lives = other_lives(b);
	must(fl_runtimes_init(&b->times, &fl_mem_heap, b->m, &err), &err);
	must(fl_sim_init(&sim, b->m, &fl_borrow_policy, b->policy, &b->m->simulation, &options,
			 &err),
	     &err);
	must(fl_sim_run(&sim, &err), &err);
	print(b);
	fl_sim_done(&sim);
	fl_runtimes_done(&b->times);
	free(b->limits.lives);
	free(b->guesses);
	free(b->waits);
	free(b->asks);
}

int main(int argc, char **argv)
{
	struct bench b = { .procs = 240, .n_asks = 200, .options = fl_forecast_default };
	uint32_t jobs = 20000, skip = 0;
	const char *file = NULL;

	b.options.mem = &fl_mem_heap;
	b.options.steps = UINT64_MAX; /* so many runs as asked for */
	b.options.arrivals = 7 * (86400 * FL_SECOND);
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strncmp(argv[i], "--", 2) != 0) {
			file = argv[i];
			continue;
		}
		i++;
		if (strcmp(argv[i - 1], "--jobs") == 0)
			jobs = (uint32_t)atoi(value);
		else if (strcmp(argv[i - 1], "--skip") == 0)
			skip = (uint32_t)atoi(value);
		else if (strcmp(argv[i - 1], "--asks") == 0)
			b.n_asks = (uint32_t)atoi(value);
		else if (strcmp(argv[i - 1], "--runs") == 0)
			b.options.runs = (uint32_t)atoi(value);
		else if (strcmp(argv[i - 1], "--level") == 0)
			b.options.level = atof(value);
		else if (strcmp(argv[i - 1], "--arrivals") == 0)
			b.options.arrivals = (fl_time)(atof(value) * 86400) * FL_SECOND;
		else if (strcmp(argv[i - 1], "--tree") == 0)
			b.fair = strcmp(value, "fair") == 0;
		else {
			fprintf(stderr, "eta: unknown option '%s'\n", argv[i - 1]);
			return 2;
		}
	}
	if (!file) {
		fprintf(stderr, "eta: no trace\n");
		return 2;
	}
	read_trace(&b, file, skip, jobs);
	if (b.n_jobs < 100) {
		fprintf(stderr, "eta: %s has too few jobs\n", file);
		return 1;
	}
	build(&b);
	run(&b);
	b.policy = fl_borrow_policy.free(b.policy);
	b.m = fl_model_free(b.m);
	free(b.again);
	free(b.jobs);
	return 0;
}
