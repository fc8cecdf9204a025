/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hard - cycles in which searches for victims have much to look through
 *
 * hard [CASE...]
 *
 * One JSON line a case; README.md says how to read the figures.  Each cluster is full: queues
 * hold a little more or less than their own quota in turn, and heads wait for what others hold.
 * Time depends on the machine, so what is judged is how much a search looks at: candidates that
 * it asks a rule about, and children of cohorts whose shares it compares.  Exit 1 when that is
 * more than the case allows.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/borrow/borrow.h"
#include "measure.h"
#include "model/model.h"

enum { CORE = 1000, RUNS = 5, MOST_NAMES = 16 };

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

struct hard {
	const char *name;
	uint32_t queues, depth; /* below so many cohorts, each below the one before */
	uint32_t flavors, resources;
	uint32_t running, crowd; /* workloads a queue, and of the first one instead */
	uint32_t over, under; /* cores beyond the own quota in odd queues, below it in even ones */
	uint32_t heads;       /* of the first so many queues; each asks for so many cores: */
	uint32_t ask;
	int32_t priority; /* of heads; of those that run 0 */
	bool classical;
	double most_looked; /* a head */
};

/*
 * all:      who holds too little takes from others, who holds too much from its own queue
 * ties:     every share is the same with the head's as the others'; nobody gives anything
 * lost:     every head's share would be the largest
 * crowd:    one of two heads takes 1,000 victims of one queue that has 100,000
 * refused:  of 100,000 in one queue 20 may go, the others are asked about in vain, twice
 * columns:  each head looks for victims in 16 flavors of 16 resources, one at a time
 */
static const struct hard cases[] = {
	{ "all-1000", 1000, 1, 1, 1, 10, 10, 2, 2, 1000, 1, 1, false, 90 },
	{ "all-20000", 20000, 1, 1, 1, 4, 4, 2, 2, 20000, 1, 1, false, 130 },
	{ "ties-1000", 1000, 1, 1, 1, 10, 10, 2, 0, 1000, 2, 0, false, 150 },
	{ "lost-20000", 20000, 1, 1, 1, 4, 4, 2, 2, 20000, 9, 0, false, 70 },
	{ "crowd", 2, 1, 1, 1, 1, 100000, 0, 0, 2, 1000, 0, false, 2000 },
	{ "refused", 20, 1, 1, 1, 1, 100000, 0, 0, 20, 99980, 0, false, 130 },
	{ "depth-64", 512, 64, 1, 1, 8, 8, 2, 2, 512, 1, 1, false, 260 },
	{ "columns-256", 128, 1, 16, 16, 8, 8, 2, 2, 128, 1, 1, false, 22000 },
	{ "all-1000-classical", 1000, 1, 1, 1, 10, 10, 2, 2, 1000, 1, 1, true, 14000 },
};
enum { CASES = sizeof cases / sizeof *cases };

/* A world while it is made. */
struct world {
	const struct hard *h;
	struct fl_model *m;
	struct fl_sym namespace, main, flavors[MOST_NAMES], resources[MOST_NAMES];
	uint32_t jobs;
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "hard: %s\n", err->text);
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

static uint32_t runs_in(const struct hard *h, uint32_t q) { return q == 0 ? h->crowd : h->running; }

/* A queue's own cores of each resource, in its flavor. */
static int64_t owned(const struct hard *h, uint32_t q)
{
	if (q == 0 && h->crowd != h->running)
		return 0;
	return (int64_t)h->running + (q % 2 ? -(int64_t)h->over : (int64_t)h->under);
}

static uint32_t flavor_of(const struct hard *h, uint32_t q) { return q / 2 % h->flavors; }

/* The same quota in all resources: @cores of flavor @only, or of all of them, none of the others. */
static void give(struct world *o, struct fl_node_row *row, const int64_t *cores)
{
	struct fl_group group = { .resources = { 0, o->h->resources },
				  .flavors = { 0, o->h->flavors } };
	fairlead_error err;
	uint32_t id;

	for (uint32_t r = 0; r < o->h->resources; r++) {
		must(fl_model_push_syms(o->m, &o->resources[r], &id, &err), &err);
		group.resources.first = r ? group.resources.first : id;
	}
	for (uint32_t f = 0; f < o->h->flavors; f++) {
		struct fl_group_flavor flavor = { .name = o->flavors[f],
						  .quotas = { 0, o->h->resources } };

		for (uint32_t r = 0; r < o->h->resources; r++) {
			struct fl_quota quota = { .flavor_name = o->flavors[f],
						  .resource_name = o->resources[r],
						  .nominal = cores[f] * CORE,
						  .borrowing_limit = FL_NO_LIMIT,
						  .lending_limit = FL_NO_LIMIT };

			must(fl_model_push_quotas(o->m, &quota, &id, &err), &err);
			flavor.quotas.first = r ? flavor.quotas.first : id;
		}
		must(fl_model_push_group_flavors(o->m, &flavor, &id, &err), &err);
		group.flavors.first = f ? group.flavors.first : id;
	}
	must(fl_model_push_groups(o->m, &group, &row->groups.first, &err), &err);
	row->groups.n = 1;
}

/* Cohorts one below the other; the topmost has what is missing for all that runs. */
static void add_cohorts(struct world *o)
{
	int64_t missing[MOST_NAMES] = { 0 };
	fairlead_error err;

	for (uint32_t q = 0; q < o->h->queues; q++)
		missing[flavor_of(o->h, q)] += (int64_t)runs_in(o->h, q) - owned(o->h, q);
	for (uint32_t f = 0; f < o->h->flavors; f++)
		missing[f] = missing[f] > 0 ? missing[f] : 0;
	for (uint32_t c = 0; c < o->h->depth; c++) {
		struct fl_node_row row = fl_cohort_default;

		row.name = sym(o->m, "cohort", c);
		if (c > 0)
			row.parent_name = sym(o->m, "cohort", c - 1);
		else
			give(o, &row, missing);
		must(fl_model_add_node(o->m, &row, &err), &err);
	}
}

static void add_queue(struct world *o, uint32_t q)
{
	struct fl_node_row row = fl_cluster_queue_default;
	struct fl_queue_row queue = fl_queue_default;
	int64_t cores[MOST_NAMES] = { 0 };
	fairlead_error err;

	cores[flavor_of(o->h, q)] = owned(o->h, q);
	row.name = sym(o->m, "queue", q);
	row.parent_name = sym(o->m, "cohort", q % o->h->depth);
	row.reclaim = FL_PREEMPT_ANY;
	row.within_queue = FL_PREEMPT_LOWER_PRIORITY;
	row.namespaces.present = true; /* all */
	give(o, &row, cores);
	must(fl_model_add_node(o->m, &row, &err), &err);
	queue.namespace = o->namespace;
	queue.name = queue.cluster_queue_name = row.name;
	must(fl_model_add_queue(o->m, &queue, &err), &err);
}

static struct fl_span admission(struct world *o, uint32_t q, uint32_t cores)
{
	struct fl_podset_assignment podset = { .podset = o->main,
					       .count = 1,
					       .assignments = { 0, o->h->resources } };
	fairlead_error err;
	uint32_t id;

	for (uint32_t r = 0; r < o->h->resources; r++) {
		struct fl_assignment row = { .resource_name = o->resources[r],
					     .flavor_name = o->flavors[flavor_of(o->h, q)],
					     .amount = (fl_amount)cores * CORE };

		must(fl_model_push_assignments(o->m, &row, &id, &err), &err);
		podset.assignments.first = r ? podset.assignments.first : id;
	}
	must(fl_model_push_podset_assignments(o->m, &podset, &id, &err), &err);
	return (struct fl_span){ id, 1 };
}

static struct fl_span podset(struct world *o, uint32_t cores)
{
	struct fl_podset row = fl_podset_default;
	fairlead_error err;
	uint32_t id;

	row.name = o->main;
	row.count = 1;
	row.spec_hash = cores;
	for (uint32_t r = 0; r < o->h->resources; r++) {
		struct fl_request request = { .resource_name = o->resources[r],
					      .amount = (fl_amount)cores * CORE };

		must(fl_model_push_requests(o->m, &request, &id, &err), &err);
		row.requests.first = r ? row.requests.first : id;
	}
	row.requests.n = o->h->resources;
	must(fl_model_push_podsets(o->m, &row, &id, &err), &err);
	return (struct fl_span){ id, 1 };
}

static void add_job(struct world *o, uint32_t q, uint32_t cores, int32_t priority, bool runs)
{
	struct fl_workload_row row = fl_workload_default;
	fairlead_error err;

	row.namespace = o->namespace;
	row.name = row.uid = sym(o->m, "job", o->jobs);
	row.queue_name = sym(o->m, "queue", q);
	row.has_priority = true;
	row.priority = priority;
	row.created = (fl_time)o->jobs++ * FL_SECOND;
	row.podsets = podset(o, cores);
	if (runs) {
		row.reserved = true;
		row.reserved_at = row.created;
		row.admitted_queue_name = row.queue_name;
		row.admission = admission(o, q, cores);
	}
	must(fl_model_add_workload(o->m, &row, &err), &err);
}

static struct fl_model *make(const struct hard *h, const struct fl_mem *mem)
{
	struct world o = { .h = h };
	fairlead_error err;

	must(fl_model_new(mem, &o.m, &err), &err);
	o.namespace = sym(o.m, "ns", 0);
	o.main = sym(o.m, "main", 0);
	for (uint32_t i = 0; i < h->resources; i++)
		o.resources[i] = sym(o.m, "resource", i);
	for (uint32_t i = 0; i < h->flavors; i++) {
		struct fl_flavor_row flavor = { .declared = true };

		o.flavors[i] = flavor.name = sym(o.m, "flavor", i);
		must(fl_model_add_flavor(o.m, &flavor, &err), &err);
	}
	o.m->settings.fair_sharing = !h->classical;
	o.m->settings.strategies[0] = FL_FINAL_SHARE;
	o.m->settings.strategies[1] = FL_INITIAL_SHARE;
	o.m->settings.n_strategies = 2;
	add_cohorts(&o);
	for (uint32_t q = 0; q < h->queues; q++)
		add_queue(&o, q);
	for (uint32_t q = 0; q < h->queues; q++) {
		for (uint32_t i = 0; i < runs_in(h, q); i++)
			add_job(&o, q, 1, 0, /* runs= */ true);
		if (q < h->heads)
			add_job(&o, q, h->ask, h->priority, /* runs= */ false);
	}
	must(fl_model_seal(o.m, &err), &err);
	return o.m;
}

/* The cycle's figures; false when it looked at too much. */
static bool run(const struct hard *h)
{
	struct counter counter = { 0 };
	const struct fl_mem mem = { .resize = count_resize, .user = &counter };
	struct fl_policy_options options = { .mem = &mem, .now = FL_SECOND << 20 };
	struct fl_model *m = make(h, &mem);
	unsigned long calls = 0;
	uint64_t looked = 0;
	uint32_t preempting = 0, evicted = 0;
	struct fl_policy *p;
	double ms[RUNS];
	fairlead_error err;

	must(ops->new (m, &options, &p, &err), &err);
	for (int i = 0; i < RUNS; i++) {
		struct fl_decisions d;
		fl_mark mark;

		must(ops->mark(p, &mark, &err), &err);
		calls = counter.calls;
		looked = fl_borrow_looked(p);
		ms[i] = now_ms();
		must(ops->step(p, options.now, FL_STEP_FULL, NULL, &d, &err), &err);
		ms[i] = now_ms() - ms[i];
		looked = fl_borrow_looked(p) - looked;
		calls = counter.calls - calls;
		preempting = evicted = 0;
		for (uint32_t k = 0; k < d.n; k++) {
			preempting += d.rows[k].kind == FL_RESERVE;
			evicted += d.rows[k].kind == FL_EVICT;
		}
		ops->rollback(p, mark);
	}
	double a_head = (double)looked / h->heads;

	printf("{\"case\":\"%s\",\"queues\":%u,\"heads\":%u,\"preempting\":%u,\"evicted\":%u,"
	       "\"cycleMs\":%.3f,\"usPerHead\":%.2f,\"lookedPerHead\":%.1f,\"most\":%.0f,"
	       "\"allocations\":%lu}\n",
	       h->name, h->queues, h->heads, preempting, evicted, median(ms, RUNS),
	       median(ms, RUNS) * 1e3 / h->heads, a_head, h->most_looked, calls);
	fflush(stdout);
	ops->free(p);
	fl_model_free(m);
	return a_head <= h->most_looked;
}

static bool is_wanted(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc == 1;
}

int main(int argc, char **argv)
{
	bool good = true;

	for (size_t i = 0; i < CASES; i++)
		if (is_wanted(argc, argv, cases[i].name))
			good &= run(&cases[i]);
	return good ? 0 : 1;
}
