/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The n-th allocation fails, for every n, through a simulation: reading each kind of source,
 * making the jobs of classes, sealing, running with failures, kills, changes and back-off
 * under both policies, adding up, and looking ahead.
 *
 * A failure is FAIRLEAD_ENOMEM with its text, and all is given back.  What succeeds in the end
 * comes to what it comes to where nothing failed.
 */
#include "codec/object/kube.h"
#include "codec/trace/classes.h"
#include "codec/trace/openb.h"
#include "codec/trace/trace.h"
#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"
#include "fault/calls.h"
#include "sim/forecast.h"
#include "sim/measure.h"

#define HEAD                                                                                       \
	"apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: s}\n"               \
	"spec:\n  start: \"1970-01-01T00:00:00Z\"\n"
#define BORROW_TEMPLATE                                                                            \
	"  queueTemplates: [{match: \"*\", clusterQueue: {cohortName: c, namespaceSelector: {}, "  \
	"preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}, "              \
	"resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, "  \
	"nominalQuota: 2}]}]}]}}]\n"
#define ENTITLE_TEMPLATE                                                                           \
	"  queueTemplates: [{match: \"*\", queue: {resources: {gpu: {quota: 1, limit: -1}, cpu: "  \
	"{quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}}]\n"
#define RULES "queues: [{users: [\"1-3\"], to: a, priority: 3}, {to: \"u-{user}\"}]"
#define FLAVOR                                                                                     \
	"---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}\n"   \
	"---\n{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration, fairSharing: {}}\n"
#define MACHINES                                                                                   \
	"---\n{apiVersion: v1, kind: Node, metadata: {name: m}, status: {allocatable: {cpu: 8, "   \
	"memory: 8G, nvidia.com/gpu: 2}}}\n"
#define EVENTFUL "  eviction: {grace: 30s, checkpoint: 10m, restart: 1m, backOff: {base: 1m}}\n"

#define SWF                                                                                        \
	"; MaxProcs: 4\n"                                                                          \
	"1 0 5 600 2 -1 -1 2 900 -1 1 1 1 -1 1 -1 -1 -1\n"                                         \
	"2 60 5 900 1 -1 10 4 900 -1 1 4 1 -1 1 -1 -1 -1\n"                                        \
	"3 90 5 -1 1 -1 -1 4 900 -1 5 4 1 -1 1 -1 -1 -1\n"                                         \
	"4 90 5 60 1 -1 -1 9 900 -1 1 4 1 -1 1 -1 -1 -1\n"
#define PODS                                                                                       \
	"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time,"    \
	"scheduled_time\n"                                                                         \
	"p1,1000,10,1,500,T4|P100,BE,0,900,10\n"                                                   \
	"p2,1000,10,0,0,,LS,5,800,20\n"                                                            \
	"p3,1000,10,1,1000,,LS,7,50,\n"
#define NODES "sn,cpu_milli,memory_mib,gpu,model\nn1,8000,8000,2,T4\nn2,4000,8000,0,\n"
#define GENERATOR                                                                                  \
	"cohorts:\n- className: c\n  count: 2\n  queuesSets:\n  - className: q\n    count: 2\n"    \
	"    nominalQuota: 2\n    reclaimWithinCohort: Any\n    workloadsSets:\n    - count: 3\n"  \
	"      creationIntervalMs: 10\n      workloads:\n"                                         \
	"      - {className: w, runtimeMs: 500, priority: 5, request: 1}\n"
#define OBJECTS                                                                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w, namespace: ns, "  \
	"annotations: {fairlead.dev/arrives-at: 5m, fairlead.dev/runs-for: 1h, "                   \
	"fairlead.dev/gives-up-after: 1d, fairlead.dev/class: k, fairlead.dev/user: u}}\n"         \
	"spec: {queueName: l, podSets: [{name: main, count: 1, template: {spec: {containers: "     \
	"[{name: c, resources: {requests: {cpu: 1}}}]}}}]}\n---\n"                                 \
	"{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: l, namespace: "   \
	"ns}, spec: {clusterQueue: a}}\n"

/* More than there is room for: b takes back what a borrowed, quota goes, machines fail. */
#define BORROW_CLASSES                                                                                \
	"  classes:\n"                                                                                \
	"  - {name: k, to: a, count: 4, every: {exponential: 10m}, runs: 1h, requests: {cpu: 2}}\n"   \
	"  - {name: l, to: b, count: 3, every: 20m, runs: {uniform: [1m, 1h]}, requests: {cpu: 1}}\n" \
	"  - {name: u, to: b, count: 1, every: 20m, runs: 1m, priority: 9, requests: {cpu: 1}}\n"     \
	"  changes: [{at: 30m, clusterQueue: a, flavor: f, resource: cpu, nominalQuota: 1, kills: "   \
	"true}]\n"                                                                                    \
	"  failures: [{clusterQueue: b, flavor: f, resource: cpu, amount: 2, every: 1h, lasts: "      \
	"10m}]\n"
#define ENTITLE_CLASSES                                                                            \
	"  classes:\n"                                                                             \
	"  - {name: k, to: a, count: 3, runs: 1h, pods: 2, minPods: 1, requests: "                 \
	"{nvidia.com/gpu: 1, cpu: 1}}\n"                                                           \
	"  - {name: l, to: b, count: 3, every: 20m, runs: 30m, requests: {nvidia.com/gpu: 1}}\n"   \
	"  changes: [{at: 30m, queue: a, resource: nvidia.com/gpu, deserved: 2}, {at: 40m, "       \
	"machine: m, resource: nvidia.com/gpu, allocatable: 1}]\n"                                 \
	"  failures: [{machine: m, every: 1h, lasts: 10m}]\n"

/* Two queues that take from each other (examples/simulate/loop.yaml). */
#define OF_CPU(n)                                                                                  \
	"clusterQueue: {cohortName: c, namespaceSelector: {}, preemption: {reclaimWithinCohort: "  \
	"Any}, queueingStrategy: StrictFIFO, resourceGroups: [{coveredResources: [cpu], flavors: " \
	"[{name: f, resources: [{name: cpu, nominalQuota: " n "}]}]}]}"
#define ROUND                                                                                            \
	"  until: 30s\n  queueTemplates: [{match: large, " OF_CPU("4") "}, {match: small, " OF_CPU(      \
		"2") "}]\n"                                                                              \
		     "  classes:\n"                                                                      \
		     "  - {name: two, to: small, count: 1, runs: 1h, requests: {cpu: 2}}\n"              \
		     "  - {name: four, to: small, count: 1, begins: 1s, runs: 1h, requests: {cpu: 4}}\n" \
		     "  - {name: five, to: large, count: 1, begins: 2s, runs: 1h, requests: {cpu: 5}}\n" \
		     "  eviction: {grace: 1s}\n"

static const char endless[] = "preemption goes round";

static const struct scenario {
	const char *name, *document, *nodes, *jobs;
} scenarios[] = {
	{ "swf",
	  HEAD "  sources: [{swf: x, load: 2, cancelled: true, " RULES
	       "}]\n" BORROW_TEMPLATE FLAVOR,
	  NULL, SWF },
	{ "swf, entitled",
	  HEAD "  sources: [{swf: x, cancelled: true, " RULES "}]\n" ENTITLE_TEMPLATE MACHINES,
	  NULL, SWF },
	{ "openb",
	  HEAD "  sources: [{openb: {pods: x, nodes: y}, cancelled: true, queues: [{to: a}]}]\n",
	  NODES, PODS },
	{ "openb, entitled",
	  HEAD "  sources: [{openb: {pods: x, nodes: y}, queues: [{to: a}]}]\n" ENTITLE_TEMPLATE,
	  NODES, PODS },
	{ "generator", HEAD "  sources: [{generator: x}]\n", NULL, GENERATOR },
	{ "objects",
	  HEAD "  sources: [{objects: x, load: 2}]\n" BORROW_TEMPLATE
	       "  classes: [{name: c, to: a, count: 1, runs: 1m, requests: {cpu: 1}}]\n" FLAVOR,
	  NULL, OBJECTS },
	{ "much happens", HEAD EVENTFUL BORROW_TEMPLATE BORROW_CLASSES FLAVOR, NULL, NULL },
	{ endless, HEAD ROUND FLAVOR, NULL, NULL },
	{ "much happens, entitled", HEAD EVENTFUL ENTITLE_TEMPLATE ENTITLE_CLASSES MACHINES, NULL,
	  NULL },
};

static const struct scenario *scenario; /* in hand */

struct whole {
	const char *at;
	size_t left;
};

static int read_whole(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct whole *w = user;

	(void)err;
	*ret = size < w->left ? size : w->left;
	memcpy(buffer, w->at, *ret);
	w->at += *ret;
	w->left -= *ret;
	return 0;
}

static int read_trace(struct fl_model *m, bool nodes, const char *text, fairlead_error *err)
{
	struct whole w = { text, text ? strlen(text) : 0 };
	const struct fl_source source = { read_whole, &w };

	if (!text)
		return 0;
	return nodes ? fl_trace_read_nodes(m, 0, "y", &source, err) :
		       fl_trace_read(m, 0, "x", &source, err);
}

static int read_scenario(struct run *r, struct fl_model **ret, fairlead_error *err)
{
	int code = fl_model_new(&r->f.mem, ret, err);

	if (code == 0)
		code = fl_kube_read(*ret, "in", scenario->document, strlen(scenario->document),
				    err);
	if (code == 0)
		code = fl_simulation_check(*ret, err);
	if (code == 0)
		code = read_trace(*ret, /* nodes= */ true, scenario->nodes, err);
	if (code == 0)
		code = read_trace(*ret, /* nodes= */ false, scenario->jobs, err);
	if (code < 0)
		return code;
	(*ret)->simulation.whole = true;
	code = fl_simulation_fix_times(*ret, err);
	if (code == 0)
		code = fl_classes_expand(*ret, (*ret)->simulation.start, err);
	if (code == 0)
		code = fl_simulation_unused(*ret, err);
	return code < 0 ? code : fl_model_seal(*ret, err);
}

static int build_scenario(struct run *r, fairlead_error *err)
{
	struct fl_model *m = NULL;
	int code = read_scenario(r, &m, err);

	if (code == 0)
		add_model(r, m);
	for (uint32_t i = 0; code == 0 && i < m->n_lives; i++) {
		add(r, (uint64_t)m->lives[i].arrives);
		add(r, (uint64_t)m->lives[i].runs);
	}
	fl_model_free(m);
	return code;
}

/* --- runs --- */

static uint64_t seen; /* one bit a kind of event */

static int tell(void *user, const struct fl_sim *sim, const struct fl_sim_event *e,
		fairlead_error *err)
{
	(void)sim;
	(void)err;
	add(user, (uint64_t)e->at);
	add(user, (uint64_t)e->kind);
	add(user, e->workload.v);
	seen |= UINT64_C(1) << e->kind;
	return 0;
}

static int look_ahead(struct run *r, const struct fl_model *m, fairlead_error *err)
{
	struct fl_forecast_options how = fl_forecast_default;
	struct fl_forecast row = { .workload = { m->n_workloads - 1 } };
	struct fl_forecast_basis basis;
	struct fl_runtimes times;
	uint64_t before[2], after[2];
	int code = fl_runtimes_init(&times, &r->f.mem, m, err);

	how.mem = &r->f.mem;
	how.now = 0;
	how.runs = 3;
	how.told = true;
	r->ops->digest(r->p, 0, before);
	if (code == 0)
		code = fl_runtimes_learn(&times, err);
	if (code == 0)
		code = fl_forecast(r->ops, r->p, m, &times, &how, &row, 1, &basis, err);
	if (code == 0)
		add(r, (uint64_t)row.start);
	r->ops->digest(r->p, 0, after);
	assert_memory_equal(before, after, sizeof before);
	fl_runtimes_done(&times);
	return code;
}

static int add_up(struct run *r, struct fl_measure *measure, fairlead_error *err)
{
	const struct fl_measured *numbers;
	int code = fl_measure_end(measure, /* top= */ 1, &numbers, err);

	if (code < 0)
		return code;
	add(r, numbers->events);
	add(r, numbers->totals.finished);
	add(r, numbers->totals.evictions);
	add(r, numbers->series.n);
	return 0;
}

static int simulate(struct run *r, const struct fl_model *m, fairlead_error *err)
{
	struct fl_sim_options how = { .mem = &r->f.mem,
				      .start = m->simulation.start,
				      .listeners = { { .event = tell, .user = r } },
				      .n_listeners = 1 };
	struct fl_measure *measure = NULL;
	struct fl_sim sim;
	int code = fl_sim_init(&sim, m, r->ops, r->p, &m->simulation, &how, err);

	if (code < 0)
		return code;
	code = fl_measure_new(&r->f.mem, &sim, &measure, err);
	if (code == 0)
		code = fl_sim_run(&sim, err);
	if (code == 0)
		code = add_up(r, measure, err);
	fl_measure_free(measure);
	fl_sim_done(&sim);
	return code;
}

static int build_run(struct run *r, fairlead_error *err)
{
	struct fl_policy_options options = { .mem = &r->f.mem };
	struct fl_model *m = NULL;
	int code = read_scenario(r, &m, err);

	r->p = NULL;
	if (code == 0) {
		r->ops = fl_model_dialect(m) == FL_DIALECT_KAI ? &fl_entitle_policy :
								 &fl_borrow_policy;
		options.now = m->simulation.start;
		code = r->ops->new (m, &options, &r->p, err);
	}
	if (code == 0 && scenario->name != endless) /* to look ahead would take long */
		code = look_ahead(r, m, err);
	if (code == 0)
		code = simulate(r, m, err);
	if (r->ops)
		r->p = r->ops->free(r->p);
	fl_model_free(m);
	return code;
}

/* --- tests --- */

TEST(reading)
{
	for (size_t i = 0; i < COUNT(scenarios); i++) {
		struct run r = { .text = NULL };

		scenario = &scenarios[i];
		each_of_building(scenario->name, &r, build_scenario);
	}
}

TEST(running)
{
	for (size_t i = 0; i < COUNT(scenarios); i++) {
		struct run r = { .text = NULL };

		scenario = &scenarios[i];
		each_of_building(scenario->name, &r, build_run);
	}
	/* None of what can happen went untried. */
	assert_int_equal(seen, (UINT64_C(1) << FL_SIM_EVENTS) - 1);
}

UNIT_GROUP("fault/simulation")
