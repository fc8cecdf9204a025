/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define GIB INT64_C(1073741824)
enum { CORE = 1000, COHORT = 10, RESOURCES = 2, LARGEST = 16, SHARES = COHORT * COHORT };
enum { FIRST_NAME = 10000000 }; /* so that all names are as long */

/* What workloads ask for; `of` 100 so many are of this kind. */
static const struct kind {
	uint32_t of, cores, gib;
} kinds[] = {
	{ 45, 1, 2 }, { 25, 2, 4 }, { 10, 2, 8 }, { 10, 4, 16 }, { 7, 8, 24 }, { 3, 16, 32 }
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One workload before it is in the model. */
struct job {
	uint32_t queue;
	uint8_t kind;
	bool urgent, runs;
};

struct making {
	const struct cluster_size *size;
	struct cluster *to;
	struct fl_model *m;
	struct job *jobs;
	uint32_t n_jobs;
	fl_amount *wanted, *level; /* cores: by queue, by cohort */
	fl_amount nominal;         /* cores of a queue */
	struct fl_sym namespace, flavor, main, resources[RESOURCES];
	struct fl_span podsets[KINDS], admissions[KINDS];
};

static void make_jobs(struct making *k)
{
	uint32_t cohorts = k->size->queues / COHORT;
	struct fl_random r;

	fl_random_init(&r, /* seed= */ 1, /* stream= */ 0);
	for (uint32_t i = 0; i < k->n_jobs; i++) {
		struct job *j = &k->jobs[i];
		uint64_t bits = fl_random_bits(&r);
		uint32_t part = (uint32_t)(bits >> 8) % SHARES, kind = (uint32_t)(bits >> 40) % 100;
		uint32_t within = 0;

		/* 1, 3, 5, ... of 100 parts: queue k has those below (k + 1)^2 */
		while ((within + 1) * (within + 1) <= part)
			within++;
		j->queue = (uint32_t)(fl_random_bits(&r) % cohorts) * COHORT + within;
		while (kind >= kinds[j->kind].of)
			kind -= kinds[j->kind++].of;
		j->urgent = bits % 8 == 0;
		if (i < k->size->jobs)
			k->wanted[j->queue] += kinds[j->kind].cores;
	}
}

/* Cores that each queue of cohort @c may have at most, so that all are used where they are wanted. */
static fl_amount fair_level(const struct making *k, uint32_t c)
{
	const fl_amount *wanted = &k->wanted[(size_t)c * COHORT];
	fl_amount low = 0, high = k->nominal * COHORT;

	while (low < high) {
		fl_amount middle = (low + high + 1) / 2, used = 0;

		for (uint32_t i = 0; i < COHORT; i++)
			used += fl_amount_min(wanted[i], middle);
		if (used <= k->nominal * COHORT)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* The urgent ones first, then the others, until each queue is at its level. */
static int start_jobs(struct making *k, fairlead_error *err)
{
	fl_amount all = 0, *held = calloc(k->size->queues, sizeof *held);

	if (!held)
		return fl_fail_nomem(err);
	for (uint32_t q = 0; q < k->size->queues; q++)
		all += k->wanted[q];
	k->nominal = all * 100 / k->size->load / k->size->queues;
	k->nominal = k->nominal < LARGEST ? LARGEST : k->nominal;
	for (uint32_t c = 0; c < k->size->queues / COHORT; c++)
		k->level[c] = fair_level(k, c);
	for (int urgent = 1; urgent >= 0 && !k->size->none_run; urgent--) {
		for (uint32_t i = 0; i < k->size->jobs; i++) {
			struct job *j = &k->jobs[i];
			fl_amount cores = kinds[j->kind].cores;

			if (j->urgent != (bool)urgent ||
			    held[j->queue] + cores > k->level[j->queue / COHORT])
				continue;
			held[j->queue] += cores;
			j->runs = true;
			k->to->n_running++;
		}
	}
	free(held);
	return 0;
}

/* --- into the model -------------------------------------------------------------------------- */

/* @text and, unless it is FL_NONE, @number behind it. */
static int name(struct making *k, const char *text, uint32_t number, struct fl_sym *ret,
		fairlead_error *err)
{
	char whole[64];
	int len = number == FL_NONE ? snprintf(whole, sizeof whole, "%s", text) :
				      snprintf(whole, sizeof whole, "%s%u", text, number);

	return fl_model_sym(k->m, whole, (size_t)len, ret, err);
}

static int add_root(struct making *k, fairlead_error *err)
{
	static const char *const resources[RESOURCES] = { "cpu", "memory" };
	struct fl_flavor_row flavor = { .declared = true };
	struct fl_node_row root = fl_cohort_default;
	int r = name(k, "ns", FL_NONE, &k->namespace, err);

	for (int i = 0; i < RESOURCES && r == 0; i++)
		r = name(k, resources[i], FL_NONE, &k->resources[i], err);
	if (r < 0 || (r = name(k, "main", FL_NONE, &k->main, err)) < 0 ||
	    (r = name(k, "default", FL_NONE, &k->flavor, err)) < 0)
		return r;
	flavor.name = k->flavor;
	if ((r = fl_model_add_flavor(k->m, &flavor, err)) < 0 || k->size->forest)
		return r;
	if ((r = name(k, "root", FL_NONE, &root.name, err)) < 0)
		return r;
	return fl_model_add_node(k->m, &root, err);
}

static int add_cohort(struct making *k, uint32_t number, fairlead_error *err)
{
	struct fl_node_row row = fl_cohort_default;
	int r = name(k, "cohort-", number, &row.name, err);

	if (r == 0 && !k->size->forest)
		r = name(k, "root", FL_NONE, &row.parent_name, err);
	return r < 0 ? r : fl_model_add_node(k->m, &row, err);
}

static int give(struct making *k, struct fl_node_row *row, fairlead_error *err)
{
	const fl_amount nominal[RESOURCES] = { k->nominal * CORE, k->nominal * 4 * GIB };
	struct fl_group_flavor flavor = { .name = k->flavor, .quotas = { 0, RESOURCES } };
	struct fl_group group = { .resources = { 0, RESOURCES }, .flavors = { 0, 1 } };
	int r = 0;

	for (uint32_t i = 0; i < RESOURCES && r == 0; i++) {
		struct fl_quota quota = { .flavor_name = k->flavor,
					  .resource_name = k->resources[i],
					  .nominal = nominal[i],
					  .borrowing_limit = FL_NO_LIMIT,
					  .lending_limit = FL_NO_LIMIT };
		uint32_t at, sym;

		if ((r = fl_model_push_quotas(k->m, &quota, &at, err)) < 0 ||
		    (r = fl_model_push_syms(k->m, &k->resources[i], &sym, err)) < 0)
			return r;
		if (i == 0) {
			flavor.quotas.first = at;
			group.resources.first = sym;
		}
	}
	if ((r = fl_model_push_group_flavors(k->m, &flavor, &group.flavors.first, err)) < 0)
		return r;
	row->groups.n = 1;
	return fl_model_push_groups(k->m, &group, &row->groups.first, err);
}

static int add_queue(struct making *k, uint32_t number, fairlead_error *err)
{
	struct fl_node_row row = fl_cluster_queue_default;
	struct fl_queue_row queue = fl_queue_default;
	int r = name(k, "queue-", number, &row.name, err);

	if (r < 0 || (r = name(k, "cohort-", number / COHORT, &row.parent_name, err)) < 0 ||
	    (r = give(k, &row, err)) < 0)
		return r;
	row.reclaim = k->size->never ? FL_PREEMPT_NEVER : FL_PREEMPT_ANY;
	row.within_queue = FL_PREEMPT_LOWER_PRIORITY;
	row.namespaces.present = true; /* all */
	if ((r = fl_model_add_node(k->m, &row, err)) < 0)
		return r;
	queue.namespace = k->namespace;
	queue.name = queue.cluster_queue_name = row.name;
	return fl_model_add_queue(k->m, &queue, err);
}

/* The podset of a kind, and what one that runs holds. */
static int add_kind(struct making *k, uint32_t kind, fairlead_error *err)
{
	const fl_amount amounts[RESOURCES] = { kinds[kind].cores * (fl_amount)CORE,
					       kinds[kind].gib * GIB };
	struct fl_podset podset = fl_podset_default;
	struct fl_podset_assignment held = { .podset = k->main, .count = 1 };

	for (uint32_t i = 0; i < RESOURCES; i++) {
		struct fl_request request = { .resource_name = k->resources[i],
					      .amount = amounts[i] };
		struct fl_assignment got = { .resource_name = k->resources[i],
					     .flavor_name = k->flavor,
					     .amount = amounts[i] };
		uint32_t of_podset, of_held;
		int r = fl_model_push_requests(k->m, &request, &of_podset, err);

		if (r < 0 || (r = fl_model_push_assignments(k->m, &got, &of_held, err)) < 0)
			return r;
		if (i == 0) {
			podset.requests.first = of_podset;
			held.assignments.first = of_held;
		}
	}
	podset.requests.n = held.assignments.n = RESOURCES;
	podset.name = k->main;
	podset.count = 1;
	podset.spec_hash = kind + 1;
	k->podsets[kind].n = k->admissions[kind].n = 1;
	int r = fl_model_push_podsets(k->m, &podset, &k->podsets[kind].first, err);

	return r < 0 ? r :
		       fl_model_push_podset_assignments(k->m, &held, &k->admissions[kind].first,
							err);
}

/* As long as the ones Kubernetes gives. */
static int add_uid(struct making *k, uint32_t number, struct fl_sym *ret, fairlead_error *err)
{
	uint64_t bits[2];
	struct fl_random r;
	char text[48];

	fl_random_init(&r, /* seed= */ 2, number);
	bits[0] = fl_random_bits(&r);
	bits[1] = fl_random_bits(&r);
	snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(bits[0] >> 32),
		 (unsigned)(bits[0] >> 16 & 0xffff), (unsigned)(bits[0] & 0xffff),
		 (unsigned)(bits[1] >> 48), (unsigned long long)(bits[1] & 0xffffffffffff));
	k->to->name_bytes += strlen(text) + 1;
	return fl_model_sym(k->m, text, strlen(text), ret, err);
}

static int add_job(struct making *k, uint32_t number, fairlead_error *err)
{
	struct fl_workload_row row = fl_workload_default;
	const struct job *j = &k->jobs[number];
	int r = name(k, "training-job-", FIRST_NAME + number, &row.name, err);

	if (r < 0 || (r = add_uid(k, number, &row.uid, err)) < 0 ||
	    (r = name(k, "queue-", j->queue, &row.queue_name, err)) < 0)
		return r;
	k->to->name_bytes += sizeof "training-job-10000000";
	row.namespace = k->namespace;
	row.has_priority = true;
	row.priority = j->urgent ? 100 : 0;
	row.created = number * FL_SECOND;
	row.podsets = k->podsets[j->kind];
	if (j->runs) {
		row.reserved = row.admitted = true;
		row.reserved_at = number * FL_SECOND;
		row.admitted_queue_name = row.queue_name;
		row.admission = k->admissions[j->kind];
	}
	return fl_model_add_workload(k->m, &row, err);
}

static int fill_model(struct making *k, fairlead_error *err)
{
	uint32_t queues = k->size->queues;
	int r = add_root(k, err);

	for (uint32_t i = 0; i < queues / COHORT && r == 0; i++)
		r = add_cohort(k, i, err);
	for (uint32_t i = 0; i < queues && r == 0; i++)
		r = add_queue(k, i, err);
	for (uint32_t i = 0; i < KINDS && r == 0; i++)
		r = add_kind(k, i, err);
	for (uint32_t i = 0; i < k->n_jobs && r == 0; i++)
		r = add_job(k, i, err);
	k->m->settings.fair_sharing = !k->size->classical;
	k->m->settings.strategies[0] = FL_FINAL_SHARE;
	k->m->settings.strategies[1] = FL_INITIAL_SHARE;
	k->m->settings.n_strategies = 2;
	k->m->spare = k->size->places;
	return r < 0 ? r : fl_model_seal(k->m, err);
}

int cluster_make(const struct cluster_size *size, const struct fl_mem *mem, struct cluster *ret,
		 fairlead_error *err)
{
	struct making k = { .size = size, .to = ret, .n_jobs = size->jobs + size->spare };
	int r = 0;

	*ret = (struct cluster){ .n_running = 0 };
	k.jobs = calloc(k.n_jobs + 1, sizeof *k.jobs);
	k.wanted = calloc(size->queues, sizeof *k.wanted);
	k.level = calloc(size->queues, sizeof *k.level);
	if (!k.jobs || !k.wanted || !k.level)
		r = fl_fail_nomem(err);
	if (r == 0) {
		make_jobs(&k);
		r = start_jobs(&k, err);
	}
	if (r == 0 && (r = fl_model_new(mem, &k.m, err)) == 0)
		r = fill_model(&k, err);
	if (r < 0)
		fl_model_free(k.m);
	else
		ret->m = k.m;
	free(k.jobs);
	free(k.wanted);
	free(k.level);
	return r;
}
