/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs of KAI's simulators, which are not Kubernetes objects.
 *
 * The fairshare simulator takes {totalResource, queues}: one level of queues, each with its
 * request, without history.  The time-based simulator takes {Queues, Jobs, Nodes, WindowSize, ...}:
 * machines, queues and a backlog of jobs; keys begin with a capital letter or not, as its YAML
 * reader allows.
 */
#include <stdio.h>
#include <string.h>

#include "codec/kai/kai.h"

enum { DEFAULT_REQUEST = 100000, DEFAULT_CYCLES = 100 };

static struct fl_place here(const struct fl_kube *k, uint32_t v) { return fl_kube_place_of(k, v); }

/* --- the fairshare simulator --- */

/* One resource of a queue there. */
struct share {
	double deserved, limit, weight, request;
};

/* Not negative, but -1 means unlimited. */
static int read_bound(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	const double *value = to;
	int r = fl_kube_finite(k, v, to);

	(void)f;
	if (r == 0 && *value < 0 && *value != FL_UNBOUNDED)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "below 0 only -1 (unlimited) is allowed");
	return r;
}

#define FL_C_bound double
static const struct fl_type fl_type_bound = { .read = read_bound };

static const struct fl_field share[] = {
	{ FL_IS("deserved", bound, struct share, deserved) },
	{ FL_IS("maxAllowed", bound, struct share, limit) },
	{ FL_IS("overQuotaWeight", number, struct share, weight) },
	{ FL_IS("request", number, struct share, request) },
	FL_IGNORED("absoluteUsage"),
	FL_IGNORED("allocated"),
	FL_IGNORED("allocatedNotPreemptible"),
	FL_IGNORED("fairShare"),
	FL_IGNORED("usage"),
	FL_IGNORED("vacantAdjustedUsage"),
	{ .name = NULL },
};

struct queue {
	struct fl_sym uid;
	struct fl_entitlement says;
};

static void set_share(struct fl_entitlement *says, int axis, const struct share *s)
{
	says->deserved.of[axis] = s->deserved;
	says->limit.of[axis] = s->limit;
	says->weight.of[axis] = s->weight;
	says->request.of[axis] = s->request;
}

static int read_share(struct fl_kube *k, uint32_t v, int axis, struct queue *q)
{
	struct share s = { 0, FL_UNBOUNDED, 1, DEFAULT_REQUEST };
	int r = fl_kube_map(k, v, share, &s);

	set_share(&q->says, axis, &s);
	return r;
}

static int read_cpu_share(struct fl_kube *k, uint32_t v, void *row)
{
	return read_share(k, v, FL_CPU, row);
}

static int read_memory_share(struct fl_kube *k, uint32_t v, void *row)
{
	return read_share(k, v, FL_MEMORY, row);
}

static int read_gpu_share(struct fl_kube *k, uint32_t v, void *row)
{
	return read_share(k, v, FL_GPU, row);
}

static const struct fl_field shares[] = {
	{ .name = "cpu", .read = read_cpu_share, .fields = share },
	{ .name = "gpu", .read = read_gpu_share, .fields = share },
	{ .name = "memory", .read = read_memory_share, .fields = share },
	{ .name = NULL },
};

static const struct fl_field body_queue[] = {
	{ FL_IS("uid", text, struct queue, uid), .needed = true, .text = FL_TEXT_CLUSTER_QUEUE },
	{ FL_IS("priority", int32, struct queue, says.priority) },
	{ FL_IS("creationTimestamp", time, struct queue, says.created) },
	{ .name = "resourceShare", .fields = shares },
	FL_PASSED("childQueues", "this simulator has one level of queues"),
	FL_IGNORED("name"),
	FL_PASSED("parentQueue", "this simulator has one level of queues"),
	{ .name = NULL },
};

static int add_queue(struct fl_kube *k, struct fl_sym name, struct fl_sym parent,
		     const struct fl_entitlement *says, struct fl_place place)
{
	struct fl_node_row row = fl_entitled_default;
	int r = fl_model_push_entitlements(k->m, says, &row.entitlement, k->err);

	row.name = name;
	row.parent_name = parent;
	row.place = place;
	return r < 0 ? r : fl_model_add_node(k->m, &row, k->err);
}

/* Missing cpu and memory are deserved without limit. */
static int read_body_queues(struct fl_kube *k, uint32_t v, void *row)
{
	const struct share bounded = { 0, FL_UNBOUNDED, 1, DEFAULT_REQUEST };
	const struct share unbounded = { FL_UNBOUNDED, FL_UNBOUNDED, 1, DEFAULT_REQUEST };
	fl_time newest = FL_NEVER - FL_MAX_LIST - 1;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	(void)row;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct queue q = { .says = fl_entitlement_default };

		q.says.priority = 0;
		q.says.created = newest++; /* made while they are read; counts as this type */
		set_share(&q.says, FL_CPU, &unbounded);
		set_share(&q.says, FL_MEMORY, &unbounded);
		set_share(&q.says, FL_GPU, &bounded);
		r = fl_kube_whole(k, item, body_queue, &q);
		if (r == 0)
			r = add_queue(k, q.uid, (struct fl_sym){ FL_NONE }, &q.says, here(k, item));
	}
	return r;
}

#define TOTAL(field, axis)                                                                         \
	{                                                                                          \
		FL_IS(field, number, struct fl_machine_row, allocatable.of[axis])                  \
	}

static const struct fl_field totals[] = {
	TOTAL("CPU", FL_CPU), TOTAL("GPU", FL_GPU), TOTAL("Memory", FL_MEMORY),
	TOTAL("cpu", FL_CPU), TOTAL("gpu", FL_GPU), TOTAL("memory", FL_MEMORY),
	{ .name = NULL },
};

static int add_machine(struct fl_kube *k, const char *name, struct fl_machine_row *row)
{
	int r = fl_model_sym(k->m, name, strlen(name), &row->name, k->err);

	return r < 0 ? r : fl_model_add_machine(k->m, row, k->err);
}

static int read_total(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_machine_row row = { .place = here(k, v) };
	int r = fl_kube_map(k, v, totals, &row);

	(void)unused;
	return r < 0 ? r : add_machine(k, "total", &row);
}

static const struct fl_field body[] = {
	{ .name = "totalResource", .read = read_total },
	{ .name = "queues", .read = read_body_queues },
	FL_PASSED("kValue", "this simulator has no history"),
	FL_PASSED("totalUsageCapacity", "this simulator has no history"),
	{ .name = NULL },
};

static int read_body(struct fl_kube *k)
{
	k->m->entitle.fairshare_body = true;
	k->m->entitle.k = 0;
	return fl_kube_map(k, 0, body, /* row= */ NULL);
}

/* --- the time-based simulator --- */

/* The same handler under both spellings of a name. */
#define BOTH(upper, lower, handler)                                                                \
	{ .name = upper, .read = handler }, { .name = lower, .read = handler }
/* The same member. */
#define BOTH_ARE(upper, lower, type, row, member)                                                  \
	{ FL_IS(upper, type, row, member) }, { FL_IS(lower, type, row, member) }

/* A duration in whole seconds. */
static int read_seconds(struct fl_kube *k, uint32_t v, fl_time *ret)
{
	int32_t seconds = 0;
	int r = fl_kube_count(k, v, &seconds);

	*ret = seconds * FL_SECOND;
	return r;
}

static int read_window(struct fl_kube *k, uint32_t v, void *row)
{
	int r = read_seconds(k, v, &k->m->entitle.window);

	(void)row;
	if (r == 0 && k->m->entitle.window == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a window must be longer than 0");
	return r;
}

static int read_half_life(struct fl_kube *k, uint32_t v, void *row)
{
	*(bool *)row = true;
	return read_seconds(k, v, &k->m->entitle.half_life);
}

static int read_k(struct fl_kube *k, uint32_t v, void *row)
{
	double *value = &k->m->entitle.k;
	int r = fl_kube_finite(k, v, value);

	(void)row;
	if (r < 0 || *value >= 0)
		return r;
	*value = 0;
	return fl_kube_notice(k, v, FL_NOTICE_K_BELOW_ZERO, /* hint= */ NULL,
			      "a kValue below 0 counts as 0: history does not count");
}

struct nodes {
	int32_t gpus, count;
	uint32_t count_at;
};

static int read_node_count(struct fl_kube *k, uint32_t v, void *row)
{
	((struct nodes *)row)->count_at = v;
	return fl_kube_count(k, v, &((struct nodes *)row)->count);
}

static const struct fl_field node[] = {
	BOTH_ARE("GPUs", "gpus", count, struct nodes, gpus),
	BOTH("Count", "count", read_node_count),
	{ .name = NULL },
};

/* What the simulator gives each of its nodes: 8 cores, 16 GiB. */
static int add_nodes(struct fl_kube *k, uint32_t v, uint32_t entry, const struct nodes *n)
{
	int r = 0;

	if (n->count > FL_MAX_LIST)
		return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "%d nodes, more than %d", n->count,
				    FL_MAX_LIST);
	if (n->count > 1)
		r = fl_kube_notice(k, n->count_at, FL_NOTICE_COUNT_IGNORED, /* hint= */ NULL,
				   "KAI's simulator makes one node of this entry; here there "
				   "are %d",
				   n->count);
	for (int32_t i = 0; i < n->count && r == 0; i++) {
		struct fl_machine_row row = { .place = here(k, v) };
		char name[64];

		row.allocatable.of[FL_CPU] = 8000;
		row.allocatable.of[FL_MEMORY] = 16.0 * 1024 * 1024 * 1024;
		row.allocatable.of[FL_GPU] = n->gpus;
		(void)snprintf(name, sizeof name, "node-%04u-%05d", entry, i);
		r = add_machine(k, name, &row);
	}
	return r;
}

static int read_nodes(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0, entry = 0;
	int r = fl_kube_list(k, v, &end);

	(void)row;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct nodes n = { .count = 1 };

		r = fl_kube_map(k, item, node, &n);
		if (r == 0)
			r = add_nodes(k, item, entry++, &n);
	}
	return r;
}

struct simulated {
	struct fl_sym name, parent;
	struct fl_entitlement says;
};

#define SIMULATED(upper, lower, type, member) BOTH_ARE(upper, lower, type, struct simulated, member)

static const struct fl_field simulated_queue[] = {
	SIMULATED("Name", "name", text, name),
	SIMULATED("Parent", "parent", name, parent),
	SIMULATED("Priority", "priority", int32, says.priority),
	SIMULATED("DeservedGPUs", "deservedGPUs", number, says.deserved.of[FL_GPU]),
	SIMULATED("Weight", "weight", number, says.weight.of[FL_GPU]),
	{ .name = NULL },
};

static int read_queues(struct fl_kube *k, uint32_t v, void *row)
{
	fl_time newest = 0;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	(void)row;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct simulated q = { .parent = { FL_NONE }, .says = fl_entitlement_default };

		q.says.created = newest++; /* named one after the other */
		q.says.weight.of[FL_GPU] = 1;
		q.says.limit.of[FL_GPU] = FL_UNBOUNDED;
		r = fl_kube_map(k, item, simulated_queue, &q);
		if (r == 0)
			r = add_queue(k, q.name, q.parent, &q.says, here(k, item));
	}
	return r;
}

struct jobs {
	int32_t gpus, pods, jobs;
};

static const struct fl_field job[] = {
	BOTH_ARE("GPUs", "gpus", count, struct jobs, gpus),
	BOTH_ARE("NumPods", "numPods", count, struct jobs, pods),
	BOTH_ARE("NumJobs", "numJobs", count, struct jobs, jobs),
	{ .name = NULL },
};

static int add_pods(struct fl_kube *k, struct fl_sym namespace, const char *group,
		    struct fl_sym gang_name, const struct jobs *j, struct fl_place place)
{
	int r = 0;

	for (int32_t i = 0; i < j->pods && r == 0; i++) {
		struct fl_task_row row = fl_task_default;
		char name[FL_MAX_NAME + 32];

		(void)snprintf(name, sizeof name, "%s-%05d", group, i);
		r = fl_model_sym(k->m, name, strlen(name), &row.name, k->err);
		row.namespace = namespace;
		row.gang_name = gang_name;
		row.request.of[FL_GPU] = j->gpus;
		row.place = place;
		if (r == 0)
			r = fl_model_add_task(k->m, &row, k->err);
	}
	return r;
}

/* Grouped as in the simulator: each job may start with a single pod. */
static int add_jobs(struct fl_kube *k, uint32_t key, const struct jobs *j)
{
	struct fl_sym namespace, queue;
	int r = fl_model_sym(k->m, "simulation", 10, &namespace, k->err);

	if ((int64_t)j->jobs * j->pods > FL_MAX_LIST || j->jobs > FL_MAX_LIST)
		return fl_kube_fail(k, key + 1, FAIRLEAD_ELIMIT, "more than %d pods in a queue",
				    FL_MAX_LIST);
	if (r == 0)
		r = fl_model_sym(k->m, fl_doc_text(&k->doc, key), k->doc.values[key].len, &queue,
				 k->err);
	for (int32_t i = 0; i < j->jobs && r == 0; i++) {
		struct fl_workload_row row = fl_workload_default;
		char name[FL_MAX_NAME + 16];

		(void)snprintf(name, sizeof name, "%.*s-%05d", FL_MAX_NAME - 16,
			       fl_doc_text(&k->doc, key), i);
		r = fl_model_sym(k->m, name, strlen(name), &row.name, k->err);
		row.namespace = namespace;
		row.queue_name = queue;
		row.place = here(k, key + 1);
		if (r == 0)
			r = fl_model_push_gangs(k->m, &fl_gang_default, &row.gang, k->err);
		if (r == 0)
			r = fl_model_add_workload(k->m, &row, k->err);
		if (r == 0)
			r = add_pods(k, namespace, name, row.name, j, row.place);
	}
	return r;
}

static int read_jobs(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	(void)row;
	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct jobs j = { 0, 0, 0 };

		r = fl_kube_map(k, key + 1, job, &j);
		if (r == 0)
			r = add_jobs(k, key, &j);
	}
	return r;
}

/* A cycle a second. */
static int read_cycles(struct fl_kube *k, uint32_t v, void *row)
{
	fl_time until = 0;
	int r = read_seconds(k, v, &until);

	(void)row;
	if (r == 0 && until == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "a simulation must have at least one cycle");
	if (!k->m->simulation.present)
		k->m->simulation.until = until;
	return r;
}

static const struct fl_field simulation[] = {
	BOTH("Cycles", "cycles", read_cycles),
	BOTH("WindowSize", "windowSize", read_window),
	BOTH("HalfLifePeriod", "halfLifePeriod", read_half_life),
	BOTH("KValue", "kValue", read_k),
	BOTH("Nodes", "nodes", read_nodes),
	BOTH("Queues", "queues", read_queues),
	BOTH("Jobs", "jobs", read_jobs),
	{ .name = NULL },
};

/*
 * Settings over time, unless there is a Simulation: a cycle a second, evicted workloads have ended
 * by the next one, and jobs do not end.
 */
static void set_clock(struct fl_simulation_settings *s)
{
	if (s->present)
		return;
	s->cycle_interval = s->period = s->grace = FL_SECOND;
	s->before = FL_SECOND; /* its first sample is for the second before the first cycle */
	s->until = DEFAULT_CYCLES * FL_SECOND;
}

static int read_simulation(struct fl_kube *k)
{
	bool has_half_life = false;
	int r;

	set_clock(&k->m->simulation);
	k->m->entitle.usage_on = true;
	k->m->entitle.window = 5 * FL_SECOND;
	k->m->entitle.resolution = k->m->entitle.fetch_interval = FL_SECOND;
	r = fl_kube_map(k, 0, simulation, &has_half_life);
	if (r < 0 || has_half_life)
		return r;
	return fl_kube_notice(k, 0, FL_NOTICE_NO_HALF_LIFE, "write HalfLifePeriod: 0 for none",
			      "no HalfLifePeriod: KAI's simulator ends with an error; here "
			      "there is no half-life");
}

/* --- which simulator --- */

static bool has(const struct fl_kube *k, const char *upper, const char *lower)
{
	return fl_doc_find(&k->doc, 0, upper) != FL_NONE ||
	       fl_doc_find(&k->doc, 0, lower) != FL_NONE;
}

int fl_kai_read_simulator(struct fl_kube *k)
{
	if (has(k, "kind", "apiVersion") || !has(k, "Queues", "queues"))
		return 1;
	if (k->tap)
		return fl_kube_fail(k, 0, FAIRLEAD_EINPUT,
				    "the input of a simulator cannot be recorded or changed");
	if (fl_doc_find(&k->doc, 0, "totalResource") != FL_NONE) {
		(void)snprintf(k->subject, sizeof k->subject, "fairshare simulator");
		return read_body(k);
	}
	if (!has(k, "Nodes", "nodes"))
		return 1;
	(void)snprintf(k->subject, sizeof k->subject, "time-based simulator");
	return read_simulation(k);
}
