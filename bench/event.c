/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event - what one event with its decision costs
 *
 * A made-up cluster (cluster.h) in a steady state: somebody finishes, somebody comes, who was
 * told to go lets go.  After each event the policy steps until a step moves nothing.  The time
 * of an event is that of its apply and its steps.  README.md says how to read the figures.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/random.h"
#include "cluster.h"
#include "decide/borrow/borrow.h"
#include "measure.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

enum { FINISHED, SUBMITTED, EVICTED, KINDS };
static const char *const kind_names[KINDS] = { "finished", "submitted", "evicted" };

enum { IDLE_STEPS = 1001, MOST_SETTLING = 300 };

struct options {
	struct cluster_size size;
	unsigned flags; /* of a step */
	uint32_t events, warm;
	bool curve, plain;
};

/* Workloads in no order; each is in one list at most. */
struct list {
	uint32_t *ids, n;
};

struct sample {
	float ns;
	uint8_t kind;
};

struct bench {
	const struct options *options;
	struct counter counter;
	struct fl_mem mem;
	struct cluster cluster;
	struct fl_policy *p;
	struct fl_random random;
	fl_time now;

	struct list running, absent;
	uint32_t *at;                          /* by workload: where in its list */
	uint32_t *going, first_going, n_going; /* a ring: told to go, in that order */
	uint32_t n_all;
	bool comes; /* next of those that take turns */
	uint32_t turn;

	struct sample *samples;
	uint64_t steps, heads, looked, admitted, evicted;
	double make_ms, setup_ms, settle_ms;
	size_t model_bytes, policy_bytes;
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "event: %s\n", err->text);
	exit(3);
}

static void *room(size_t n, size_t size)
{
	void *got = calloc(n ? n : 1, size);

	if (!got) {
		fprintf(stderr, "event: out of memory\n");
		exit(3);
	}
	return got;
}

/* --- who is where ---------------------------------------------------------------------------- */

static void join(struct bench *b, struct list *l, uint32_t w)
{
	b->at[w] = l->n;
	l->ids[l->n++] = w;
}

static void leave(struct bench *b, struct list *l, uint32_t w)
{
	uint32_t last = l->ids[--l->n];

	l->ids[b->at[w]] = last;
	b->at[last] = b->at[w];
}

static uint32_t any_of(struct bench *b, const struct list *l)
{
	return l->ids[fl_random_bits(&b->random) % l->n];
}

static void take_decisions(struct bench *b, const struct fl_decisions *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		const struct fl_decision *row = &d->rows[i];
		uint32_t w = row->workload.v;

		if (row->kind == FL_ADMIT) {
			join(b, &b->running, w);
			b->admitted++;
		} else if (row->kind == FL_EVICT && !row->already_evicting) {
			leave(b, &b->running, w);
			b->going[(b->first_going + b->n_going++) % b->n_all] = w;
			b->evicted++;
		}
	}
	b->heads += d->n_heads;
	b->steps++;
}

/* --- events ---------------------------------------------------------------------------------- */

static struct fl_event event_of(enum fl_event_kind kind, uint32_t w)
{
	return (struct fl_event){ .kind = kind, .workload = { w } };
}

/* The one who was told first. */
static struct fl_event let_go(struct bench *b)
{
	uint32_t w = b->going[b->first_going];

	b->first_going = (b->first_going + 1) % b->n_all;
	b->n_going--;
	return event_of(FL_EV_EVICTED, w);
}

/*
 * Who was told to go does so soon: two of three events, while there is somebody.  Else one finishes
 * and one comes by turns, so that something new happens even where evictions go round in a circle.
 */
static struct fl_event next_event(struct bench *b, int *ret_kind)
{
	struct fl_event e;

	if (b->n_going && b->turn++ % 3 != 2) {
		*ret_kind = EVICTED;
		return let_go(b);
	}
	b->comes = b->running.n == 0 || (b->absent.n != 0 && !b->comes);
	if (b->comes) {
		*ret_kind = SUBMITTED;
		e = event_of(FL_EV_SUBMIT, any_of(b, &b->absent));
		leave(b, &b->absent, e.workload.v);
	} else {
		*ret_kind = FINISHED;
		e = event_of(FL_EV_FINISHED, any_of(b, &b->running));
		leave(b, &b->running, e.workload.v);
		join(b, &b->absent, e.workload.v);
	}
	return e;
}

/* Apply @e, NULL: nothing, and step until nothing moves; its time in ns. */
static double play(struct bench *b, const struct fl_event *e)
{
	struct fl_decisions d = { .moved = true };
	fairlead_error err;
	double spent = 0, start;

	if (e) {
		start = now_ns();
		must(ops->apply(b->p, b->now, e, &err), &err);
		spent = now_ns() - start;
	}
	while (d.moved) {
		start = now_ns();
		must(ops->step(b->p, b->now, b->options->flags, NULL, &d, &err), &err);
		spent += now_ns() - start;
		take_decisions(b, &d);
	}
	b->now += FL_SECOND / 1000;
	return spent;
}

static void play_events(struct bench *b, uint32_t n, struct sample *samples)
{
	for (uint32_t i = 0; i < n; i++) {
		int kind;
		struct fl_event e = next_event(b, &kind);
		double ns = play(b, &e);

		if (samples)
			samples[i] = (struct sample){ (float)ns, (uint8_t)kind };
	}
}

/* --- the cluster ----------------------------------------------------------------------------- */

static void open_bench(struct bench *b)
{
	const struct cluster_size *size = &b->options->size;
	struct fl_policy_options options = { .mem = &b->mem };
	fairlead_error err;
	double start = now_ms();

	b->mem = (struct fl_mem){ .resize = count_resize, .user = &b->counter };
	must(cluster_make(size, &b->mem, &b->cluster, &err), &err);
	b->make_ms = now_ms() - start;
	b->model_bytes = b->counter.live;
	b->n_all = size->jobs + size->spare;
	options.now = b->now = (b->n_all + 1) * FL_SECOND;
	start = now_ms();
	must(ops->new (b->cluster.m, &options, &b->p, &err), &err);
	b->setup_ms = now_ms() - start;
	b->policy_bytes = b->counter.live - b->model_bytes;
	fl_random_init(&b->random, /* seed= */ 3, /* stream= */ 0);
	b->at = room(b->n_all, sizeof *b->at);
	b->running.ids = room(b->n_all, sizeof *b->running.ids);
	b->absent.ids = room(b->n_all, sizeof *b->absent.ids);
	b->going = room(b->n_all, sizeof *b->going);
}

/* The spare workloads are taken out, and what is left settles. */
static void settle(struct bench *b)
{
	double start = now_ms();
	fairlead_error err;

	for (uint32_t w = b->options->size.jobs; w < b->n_all; w++) {
		struct fl_event e = event_of(FL_EV_CANCEL, w);

		must(ops->apply(b->p, b->now, &e, &err), &err);
		join(b, &b->absent, w);
	}
	for (uint32_t w = 0; w < b->options->size.jobs; w++)
		if (ops->state(b->p, (struct fl_workload){ w }) == FL_STATE_ADMITTED)
			join(b, &b->running, w);
	/* As long as somebody goes, but no longer than anybody could need to. */
	for (int i = 0; i < MOST_SETTLING && (i == 0 || b->n_going); i++) {
		for (uint32_t n = b->n_going; n > 0; n--) {
			struct fl_event e = let_go(b);

			must(ops->apply(b->p, b->now, &e, &err), &err);
		}
		play(b, NULL);
	}
	b->settle_ms = now_ms() - start;
}

static void close_bench(struct bench *b)
{
	ops->free(b->p);
	fl_model_free(b->cluster.m);
	free(b->at);
	free(b->running.ids);
	free(b->absent.ids);
	free(b->going);
	free(b->samples);
}

/* --- figures --------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* @samples sorted: the least time that so many do not exceed. */
static double quantile(const struct sample *samples, uint32_t n, double part)
{
	uint32_t at = n ? (uint32_t)(part * (n - 1) + 0.5) : 0;

	return n ? (double)samples[at].ns : 0;
}

static void print_kinds(const struct sample *sorted, uint32_t n)
{
	struct sample *some = room(n, sizeof *some);

	for (int kind = 0; kind < KINDS; kind++) {
		uint32_t m = 0;

		for (uint32_t i = 0; i < n; i++)
			if (sorted[i].kind == kind)
				some[m++] = sorted[i];
		printf(",\"%s\":{\"events\":%u,\"p50\":%.0f,\"p99\":%.0f,\"p999\":%.0f}",
		       kind_names[kind], m, quantile(some, m, 0.5), quantile(some, m, 0.99),
		       quantile(some, m, 0.999));
	}
	free(some);
}

/* [part, ns], so that each decade from 1 to 1e-5 of the events that are slower has ten. */
static void print_curve(const struct sample *sorted, uint32_t n)
{
	double slower = 1;

	printf(",\"curve\":[");
	for (int i = 0; i <= 50; i++) {
		printf("%s[%.6f,%.0f]", i ? "," : "", 1 - slower, quantile(sorted, n, 1 - slower));
		slower *= 0.794328234724281502; /* 10^-0.1 */
	}
	printf("]");
}

/* What the clock itself adds to each call that is timed. */
static double clock_cost(void)
{
	double ns[IDLE_STEPS];

	for (int i = 0; i < IDLE_STEPS; i++) {
		double start = now_ns();

		ns[i] = now_ns() - start;
	}
	return median(ns, IDLE_STEPS);
}

/* Heads, and what searches for victims looked at. */
static uint64_t looked_at(const struct bench *b) { return b->heads + fl_borrow_looked(b->p); }

/* A step where nothing has happened; all that so many of them looked at. */
static double idle_cost(struct bench *b, uint64_t *ret_looked)
{
	uint64_t before = looked_at(b);
	double ns[IDLE_STEPS];

	for (int i = 0; i < IDLE_STEPS; i++)
		ns[i] = play(b, NULL);
	*ret_looked = looked_at(b) - before;
	return median(ns, IDLE_STEPS);
}

/* How often somebody else was given the processor so far. */
static long interruptions(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_nivcsw;
}

static void print_figures(struct bench *b, unsigned long allocations, long interrupted,
			  double resident)
{
	const struct options *o = b->options;
	uint32_t n = o->events, waiting = o->size.jobs - b->running.n - b->n_going;
	double total = 0, events = n;
	uint64_t steps = b->steps, heads = b->heads, idle_looked;
	uint64_t looked = looked_at(b) - b->looked;

	for (uint32_t i = 0; i < n; i++)
		total += (double)b->samples[i].ns;
	qsort(b->samples, n, sizeof *b->samples, by_time);
	printf("{\"tree\":\"%s\",\"load\":%u,\"reclaim\":\"%s\",\"fair\":%s,\"full\":%s,"
	       "\"queues\":%u,\"jobs\":%u,\"running\":%u,\"waiting\":%u,\"events\":%u",
	       o->size.forest ? "forest" : "one", o->size.load, o->size.never ? "never" : "any",
	       o->size.classical ? "false" : "true", o->flags ? "true" : "false", o->size.queues,
	       o->size.jobs, b->running.n, waiting, n);
	printf(",\"nsP50\":%.0f,\"nsP90\":%.0f,\"nsP99\":%.0f,\"nsP999\":%.0f,\"nsMax\":%.0f,"
	       "\"nsMean\":%.0f,\"clockNs\":%.0f,\"interrupted\":%ld",
	       quantile(b->samples, n, 0.5), quantile(b->samples, n, 0.9),
	       quantile(b->samples, n, 0.99), quantile(b->samples, n, 0.999),
	       quantile(b->samples, n, 1), total / events, clock_cost(), interrupted);
	printf(",\"stepsPerEvent\":%.2f,\"headsPerEvent\":%.2f,\"lookedPerEvent\":%.2f,"
	       "\"admitted\":%llu,"
	       "\"evictions\":%llu,\"allocations\":%lu",
	       (double)steps / events, (double)heads / events, (double)looked / events,
	       (unsigned long long)b->admitted, (unsigned long long)b->evicted, allocations);
	printf(",\"idleNs\":%.0f", idle_cost(b, &idle_looked));
	printf(",\"idleLooked\":%llu", (unsigned long long)idle_looked);
	print_kinds(b->samples, n);
	printf(",\"makeMs\":%.0f,\"setupMs\":%.0f,\"settleMs\":%.0f,\"modelBytes\":%zu,"
	       "\"policyBytes\":%zu,\"residentMB\":%.0f",
	       b->make_ms, b->setup_ms, b->settle_ms, b->model_bytes, b->policy_bytes, resident);
	if (o->curve)
		print_curve(b->samples, n);
	printf("}\n");
}

static void run(const struct options *options)
{
	struct bench b = { .options = options };
	unsigned long calls;
	long interrupted;
	double resident;

	open_bench(&b);
	resident = resident_mb();
	settle(&b);
	play_events(&b, options->warm, NULL);
	b.steps = b.heads = b.admitted = b.evicted = 0;
	b.looked = looked_at(&b);
	if (!options->plain)
		b.samples = room(options->events, sizeof *b.samples);
	calls = b.counter.calls;
	interrupted = interruptions();
	play_events(&b, options->events, b.samples);
	if (!options->plain)
		print_figures(&b, b.counter.calls - calls, interruptions() - interrupted, resident);
	close_bench(&b);
}

/* --- the command line ------------------------------------------------------------------------ */

static int usage(void)
{
	fputs("usage: event [--queues N] [--jobs N] [--events N] [--warm N] [--load PERCENT]\n"
	      "             [--tree forest|one] [--reclaim any|never] [--classical] [--full]\n"
	      "             [--curve] [--plain]\n",
	      stderr);
	return 2;
}

static bool number(const char *text, long most, uint32_t *ret)
{
	char *end;
	long got = strtol(text, &end, 10);

	if (end == text || *end || got < 0 || got > most)
		return false;
	*ret = (uint32_t)got;
	return true;
}

/* Is @text one of the two?  *ret: whether the second. */
static bool either(const char *text, const char *first, const char *second, bool *ret)
{
	*ret = strcmp(text, second) == 0;
	return *ret || strcmp(text, first) == 0;
}

static bool take_option(struct options *o, int option)
{
	switch (option) {
	case 'q':
		return number(optarg, 1000000, &o->size.queues) && o->size.queues >= 10 &&
		       o->size.queues % 10 == 0;
	case 'j':
		return number(optarg, 10000000, &o->size.jobs) && o->size.jobs;
	case 'e':
		return number(optarg, 100000000, &o->events) && o->events;
	case 'w':
		return number(optarg, 100000000, &o->warm);
	case 'l':
		return number(optarg, 100000000, &o->size.load) && o->size.load;
	case 't':
		return either(optarg, "one", "forest", &o->size.forest);
	case 'r':
		return either(optarg, "any", "never", &o->size.never);
	case 'k':
		o->size.classical = true;
		return true;
	case 'f':
		o->flags = FL_STEP_FULL;
		return true;
	case 'c':
		o->curve = true;
		return true;
	case 'p':
		o->plain = true;
		return true;
	default:
		return false;
	}
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "queues", required_argument, NULL, 'q' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "events", required_argument, NULL, 'e' },
		{ "warm", required_argument, NULL, 'w' },
		{ "load", required_argument, NULL, 'l' },
		{ "tree", required_argument, NULL, 't' },
		{ "reclaim", required_argument, NULL, 'r' },
		{ "classical", no_argument, NULL, 'k' },
		{ "full", no_argument, NULL, 'f' },
		{ "curve", no_argument, NULL, 'c' },
		{ "plain", no_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 },
	};
	struct options o = {
		.size = { .queues = 1000, .jobs = 100000, .load = 200, .forest = true },
		.events = 100000,
		.warm = 10000
	};
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
		if (!take_option(&o, option))
			return usage();
	if (optind < argc)
		return usage();
	o.size.spare = o.size.jobs / 25 + 100;
	run(&o);
	return 0;
}
