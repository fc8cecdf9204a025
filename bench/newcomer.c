/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newcomer - what one more workload costs among many that wait, from its names to its decision
 *
 * newcomer [--queues N] [--jobs N] [--newcomers N] [--load PERCENT] [--classical 1]
 *
 * A made-up cluster (cluster.h) in trees of ten queues, of which most wait, in a sealed model with places.  Each newcomer
 * has a name and a uid of its own and asks for what some other one asks for; it joins the model and
 * the policy, is submitted, and the policy steps.  Then one that waits is cancelled and gives its
 * place back, so that there are as many as before.  The time of a newcomer is processor time from
 * the first call that has its name to the end of its step.  One JSON line; README.md says how to read the figures.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "cluster.h"
#include "decide/borrow/borrow.h"
#include "measure.h"
#include "model/newcomer.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

struct bench {
	struct cluster_size size;
	uint32_t newcomers, warm;
	struct counter counter;
	struct fl_mem mem;
	struct cluster cluster;
	struct fl_policy *p;
	struct fl_random random;
	fl_time now;
	double *ms;
	uint32_t *going, n_going; /* told to go */
	uint32_t refused;
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "newcomer: %s: %s\n", err->subject, err->text);
	exit(3);
}

static uint32_t pick(struct bench *b, uint32_t below)
{
	return (uint32_t)(fl_random_bits(&b->random) % below);
}

/* True: it moved something. */
static bool step(struct bench *b)
{
	struct fl_decisions d;
	fairlead_error err = { 0 };

	must(ops->step(b->p, b->now, 0, /* sink= */ NULL, &d, &err), &err);
	for (uint32_t i = 0; i < d.n; i++)
		if (d.rows[i].kind == FL_EVICT && !d.rows[i].already_evicting)
			b->going[b->n_going++] = d.rows[i].workload.v;
	return d.moved;
}

/* Who is told to go lets go, until nothing moves. */
static void settle(struct bench *b)
{
	fairlead_error err = { 0 };

	do {
		while (b->n_going) {
			struct fl_event e = { .kind = FL_EV_EVICTED,
					      .workload = { b->going[--b->n_going] } };

			must(ops->apply(b->p, b->now, &e, &err), &err);
		}
	} while (step(b) || b->n_going);
}

static bool waits(const struct bench *b, struct fl_workload w)
{
	enum fl_workload_state s = ops->state(b->p, w);

	return s == FL_STATE_WAITING || s == FL_STATE_INADMISSIBLE;
}

static struct fl_workload one_that_waits(struct bench *b)
{
	struct fl_workload w;

	do
		w.v = pick(b, b->cluster.m->n_workloads);
	while (!waits(b, w));
	return w;
}

/* Of this thread: what others do on the machine does not count. */
static double cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Returns what it took, in nanoseconds of processor time. */
static double come(struct bench *b, uint32_t number)
{
	struct fl_model *m = b->cluster.m;
	struct fl_workload_row row = m->workloads[one_that_waits(b).v];
	struct fl_event e = { .kind = FL_EV_SUBMIT };
	char name[48], uid[48];
	fairlead_error err = { 0 };
	const char *why = "";
	double began;
	int r;

	b->now += FL_SECOND;
	(void)snprintf(name, sizeof name, "newcomer-%u", number);
	(void)snprintf(uid, sizeof uid, "%08x-%04x", pick(b, UINT32_MAX), number);
	began = cpu_ns();
	must(fl_model_sym(m, name, strlen(name), &row.name, &err), &err);
	must(fl_model_sym(m, uid, strlen(uid), &row.uid, &err), &err);
	row.created = b->now;
	row.admitted_queue_name.v = FL_NONE;
	row.reserved = row.admitted = false;
	row.admission.n = 0;
	must(r = fl_model_join(m, &row, &e.workload, &why, &err), &err);
	if (r == 0)
		must(r = ops->join(b->p, e.workload, &err), &err);
	if (r != 0) {
		b->refused++;
		fprintf(stderr, "newcomer: refused: %s\n", why ? why : "the policy has no room");
		exit(1);
	}
	must(ops->apply(b->p, b->now, &e, &err), &err);
	(void)step(b);
	return cpu_ns() - began;
}

static void go(struct bench *b)
{
	struct fl_event e = { .kind = FL_EV_CANCEL, .workload = one_that_waits(b) };
	fairlead_error err = { 0 };

	must(ops->apply(b->p, b->now, &e, &err), &err);
	must(ops->leave(b->p, e.workload, &err), &err);
	must(fl_model_leave(b->cluster.m, e.workload, &err), &err);
	settle(b);
}

static void run(struct bench *b)
{
	struct fl_policy_options options = { .mem = &b->mem };
	size_t before = b->counter.live, model, policy;
	unsigned long asked, calls;
	fairlead_error err = { 0 };
	uint32_t waiting = 0;

	must(cluster_make(&b->size, &b->mem, &b->cluster, &err), &err);
	model = b->counter.live - before;
	b->now = options.now = (fl_time)b->size.jobs * FL_SECOND;
	must(ops->new (b->cluster.m, &options, &b->p, &err), &err);
	settle(b);
	policy = b->counter.live - before - model;
	for (uint32_t w = 0; w < b->cluster.m->n_workloads; w++)
		waiting += waits(b, (struct fl_workload){ w });
	for (uint32_t i = 0; i < b->warm; i++) {
		(void)come(b, i);
		go(b);
	}
	asked = b->counter.calls;
	for (uint32_t i = 0; i < b->newcomers; i++) {
		b->ms[i] = come(b, b->warm + i);
		go(b);
	}
	calls = b->counter.calls - asked;
	(void)median(b->ms, b->newcomers);
	printf("{\"bench\": \"newcomer\", \"queues\": %u, \"jobs\": %u, \"waiting\": %u, "
	       "\"newcomers\": %u, \"medianUs\": %.2f, \"p99Us\": %.2f, \"p999Us\": %.2f, "
	       "\"maxUs\": %.2f, \"allocations\": %lu, \"modelBytes\": %.1f, "
	       "\"policyBytes\": %.1f}\n",
	       b->size.queues, b->size.jobs, waiting, b->newcomers, b->ms[b->newcomers / 2] / 1e3,
	       b->ms[(size_t)b->newcomers * 99 / 100] / 1e3,
	       b->ms[(size_t)b->newcomers * 999 / 1000] / 1e3, b->ms[b->newcomers - 1] / 1e3, calls,
	       (double)model / b->size.jobs, (double)policy / b->size.jobs);
	ops->free(b->p);
	fl_model_free(b->cluster.m);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "queues", 1, NULL, 'q' },    { "jobs", 1, NULL, 'j' },
		{ "newcomers", 1, NULL, 'n' }, { "load", 1, NULL, 'l' },
		{ "places", 1, NULL, 'p' },    { "classical", 1, NULL, 'c' },
		{ NULL, 0, NULL, 0 }
	};
	struct bench b = { .size = { .queues = 1000,
				     .jobs = 215000,
				     .load = 200,
				     .places = FL_NONE,
				     .forest = true },
			   .newcomers = 20000 };
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		uint32_t n = optarg ? (uint32_t)strtoul(optarg, NULL, 10) : 0;

		if (c == 'q')
			b.size.queues = n;
		else if (c == 'j')
			b.size.jobs = n;
		else if (c == 'n')
			b.newcomers = n;
		else if (c == 'l')
			b.size.load = n;
		else if (c == 'p')
			b.size.places = n;
		else if (c == 'c')
			b.size.classical = n;
		else
			return 2;
	}
	if (b.size.places == FL_NONE)
		b.size.places = b.size.jobs / 16 + 256;
	b.warm = b.newcomers / 4;
	b.mem = (struct fl_mem){ .resize = count_resize, .user = &b.counter };
	b.ms = calloc(b.newcomers + (size_t)1, sizeof *b.ms);
	b.going = calloc((size_t)b.size.jobs + b.size.places + 1, sizeof *b.going);
	if (!b.ms || !b.going || !b.newcomers)
		return 2;
	fl_random_init(&b.random, /* seed= */ 7, /* stream= */ 0);
	run(&b);
	free(b.ms);
	free(b.going);
	return 0;
}
