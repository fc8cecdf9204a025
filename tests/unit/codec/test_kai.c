/* SPDX-License-Identifier: Apache-2.0 */
/* KAI's objects to rows, what is warned of, and what is refused, with places. */
#include "unit/codec/load.h"

#define Q(name, spec)                                                                              \
	"---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " name               \
	"}\nspec: {" spec "}\n"
#define ALL "cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}"
#define GPU(says) "resources: {" ALL ", gpu: {" says "}}"
#define PG(name, spec)                                                                             \
	"---\napiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: " name      \
	"}\nspec: {" spec "}\n"
#define POD(metadata, spec, status)                                                                \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: p" metadata "}\nspec: {" spec            \
	"}\nstatus: {" status "}\n"
#define NODE(name, more) "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" more
#define CONFIG(spec)                                                                               \
	"apiVersion: kai.scheduler/v1\nkind: Config\nmetadata: {name: c}\nspec: {" spec "}\n"
#define SHARD(spec)                                                                                \
	"---\napiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: {name: s}\nspec: "    \
	"{" spec "}\n"
#define HISTORY(spec)                                                                              \
	"---\napiVersion: fairlead.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: "            \
	"h}\nspec: {" spec "}\n"
#define POLICY(spec)                                                                               \
	"---\napiVersion: fairlead.dev/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec: {" spec  \
	"}\n"
#define RESOURCES(kind, cpu, memory, gpu)                                                          \
	"resources: {" kind ": {cpu: " cpu ", memory: " memory ", nvidia.com/gpu: " gpu "}}"
#define LABELLED ", labels: {kai.scheduler/queue: a}"

static void assert_bundle(struct fl_bundle b, double cpu, double memory, double gpu)
{
	assert_true(b.of[FL_CPU] == cpu);
	assert_true(b.of[FL_MEMORY] == memory);
	assert_true(b.of[FL_GPU] == gpu);
}

static const struct fl_node_row *queue(const struct fl_model *m, const char *name)
{
	return &m->nodes[fl_model_find_node(m, FL_QUEUE, name).v];
}

/* --- rows --- */

TEST(queues)
{
	struct fl_model *m = load(
		"apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: top, "
		"creationTimestamp: '1970-01-01T00:00:05Z'}\nspec: {displayName: T, priority: 7, "
		"preemptMinRuntime: 1m, reclaimMinRuntime: 0s, resources: {cpu: {quota: 500, "
		"overQuotaWeight: 2, limit: 1500}, memory: {quota: 1.5, limit: -7, "
		"overQuotaWeight: 0.5}, gpu: {quota: -1, limit: -1, overQuotaWeight: 1}}}\n" Q(
			"leaf", "parentQueue: top") Q("none", "parentQueue: ''"));
	const struct fl_entitlement *e = &m->entitlements[queue(m, "top")->entitlement];

	assert_int_equal(fl_model_dialect(m), FL_DIALECT_KAI);
	assert_bundle(e->deserved, 500, 1.5e6, -1);
	assert_bundle(e->limit, 1500, -1, -1);
	assert_bundle(e->weight, 2, 0.5, 1);
	assert_int_equal(e->priority, 7);
	assert_int_equal(e->created, 5 * FL_SECOND);
	assert_int_equal(e->preempt_min_run, 60 * FL_SECOND);
	assert_int_equal(e->reclaim_min_run, 0);
	e = &m->entitlements[queue(m, "leaf")->entitlement];
	assert_bundle(e->deserved, 0, 0, 0);
	assert_bundle(e->limit, 0, 0, 0);
	assert_int_equal(e->priority, 100);
	assert_int_equal(e->created, FL_TIME_NONE);
	assert_int_equal(e->preempt_min_run, FL_TIME_NONE);
	assert_int_equal(queue(m, "leaf")->parent.v, fl_model_find_node(m, FL_QUEUE, "top").v);
	assert_int_equal(queue(m, "none")->parent.v, FL_NONE);
	fl_model_free(m);
}

TEST(groups)
{
	struct fl_model *m = load(Q(
		"a",
		GPU("quota: 1")) "---\napiVersion: scheduling.run.ai/v2alpha2\nkind: "
				 "PodGroup\nmetadata: {name: g, namespace: n, creationTimestamp: "
				 "'1970-01-01T00:00:01Z', annotations: {other: x, "
				 "kai.scheduler/last-start-timestamp: '1970-01-01T00:00:02Z', "
				 "kai.scheduler/stale-podgroup-timestamp: '1970-01-01T00:00:03Z'}}\nspec: {minMember: "
				 "3, queue: a, priorityClassName: inference, preemptibility: preemptible}\n" PG(
					 "h", "queue: a, minMember: 0"));
	const struct fl_workload_row *w = &m->workloads[fl_model_find_workload(m, "n", "g").v];
	const struct fl_gang *g = &m->gangs[w->gang];

	assert_int_equal(g->min_tasks, 3);
	assert_int_equal(g->started, 2 * FL_SECOND);
	assert_int_equal(g->stale_since, 3 * FL_SECOND);
	assert_true(g->preemptible);
	assert_int_equal(w->priority, 125);
	assert_int_equal(w->created, FL_SECOND);
	assert_int_equal(m->newest, 3 * FL_SECOND);
	w = &m->workloads[fl_model_find_workload(m, "default", "h").v];
	assert_int_equal(m->gangs[w->gang].min_tasks, 1);
	assert_int_equal(w->priority, 50);
	assert_true(m->gangs[w->gang].preemptible);
	fl_model_free(m);
}

TEST(requests)
{
	static const struct {
		const char *text;
		double cpu, memory, gpu;
	} rows[] = {
		{ POD(LABELLED, "containers: [{" RESOURCES("requests", "1500m", "1Ki", "2") "}]",
		      ""),
		  1500, 1024, 2 },
		{ POD(LABELLED, "containers: [{" RESOURCES("limits", "1", "1", "1") "}]", ""), 1000,
		  1, 1 },
		{ POD(LABELLED,
		      "containers: [{" RESOURCES("requests", "1", "1", "0") "}, {" RESOURCES(
			      "requests", "2", "3", "1") "}]",
		      ""),
		  3000, 4, 1 },
		{ POD(LABELLED,
		      "initContainers: [{" RESOURCES(
			      "requests", "5", "1",
			      "0") "}], containers: [{" RESOURCES("requests", "2", "3",
								  "1") "}], overhead: {cpu: 100m}",
		      ""),
		  5100, 3, 1 },
		{ POD(LABELLED,
		      "initContainers: [{restartPolicy: Always, " RESOURCES(
			      "requests", "1", "1",
			      "0") "}], containers: [{" RESOURCES("requests", "2", "3", "1") "}]",
		      ""),
		  3000, 4, 1 },
		{ POD(LABELLED ", annotations: {gpu-fraction: '0.25'}",
		      "containers: [{resources: {requests: {cpu: 1}}}]", ""),
		  1000, 0, 0.25 },
		{ POD(LABELLED
		      ", annotations: {gpu-fraction: '0.5', gpu-fraction-num-devices: '3'}",
		      "containers: []", ""),
		  0, 0, 1.5 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);

		assert_int_equal(m->n_tasks, 1);
		assert_bundle(m->tasks[0].request, rows[i].cpu, rows[i].memory, rows[i].gpu);
		assert_int_equal(m->n_parts, 0); /* what was summed up is gone */
		assert_int_equal(m->n_amounts, 0);
		fl_model_free(m);
	}
}

/* Memory of a GPU, by the smallest one; of a pod on a machine by that machine's. */
TEST(gpu_memory)
{
	static const struct {
		const char *text;
		double gpu;
	} rows[] = {
		{ POD(LABELLED ", annotations: {gpu-memory: '2000'}", "", ""), .25 },
		{ POD(LABELLED ", annotations: {gpu-memory: '2000', gpu-fraction-num-devices: '2'}",
		      "", ""),
		  .5 },
		{ POD(LABELLED ", annotations: {gpu-memory: '2000'}", "nodeName: big", ""), .05 },
		{ POD(LABELLED ", annotations: {gpu-memory: '2000'}", "nodeName: bytes", ""),
		  .125 },
		{ POD(LABELLED ", annotations: {gpu-memory: '2000'}", "nodeName: unknown", ""),
		  .25 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[4096];

		(void)snprintf(
			text, sizeof text, "%s%s", rows[i].text,
			NODE("big, labels: {nvidia.com/gpu.memory: '40099'}",
			     "") NODE("small, labels: {nvidia.com/gpu.memory: '8000'}", "")
				NODE("bytes, labels: {nvidia.com/gpu.memory: '16777216000'}", "")
					NODE("unknown, labels: {nvidia.com/gpu.memory: much}", ""));
		struct fl_model *m = load(text);

		assert_int_equal(m->n_tasks, 1);
		assert_bundle(m->tasks[0].request, 0, 0, rows[i].gpu);
		fl_model_free(m);
	}
}

#define BIND(pod, spec, status)                                                                    \
	"---\napiVersion: scheduling.run.ai/v1alpha2\nkind: BindRequest\nmetadata: {name: b}\n"    \
	"spec: {podName: " pod ", selectedNode: n1" spec "}\nstatus: {" status "}\n"

/* A pod that is being bound is on its node, before or behind the request; one that holds or is gated stays. */
TEST(pods_that_are_being_bound)
{
	static const struct {
		const char *text;
		enum fl_task_phase phase;
		const char *machine; /* NULL: none */
	} rows[] = {
		{ POD(LABELLED, "", "") BIND("p", "", ""), FL_TASK_ALLOCATED, "n1" },
		{ BIND("p", "", "") POD(LABELLED, "", ""), FL_TASK_ALLOCATED, "n1" },
		{ BIND("other", "", "") POD(LABELLED, "", ""), FL_TASK_PENDING, NULL },
		{ POD(LABELLED, "nodeName: n2", "") BIND("p", "", ""), FL_TASK_ALLOCATED, "n2" },
		{ POD(LABELLED, "schedulingGates: [{name: g}]", "") BIND("p", "", ""), FL_TASK_DONE,
		  NULL },
		{ POD(LABELLED, "", "") BIND("p", "", "phase: Failed"), FL_TASK_PENDING, NULL },
		{ POD(LABELLED, "", "")
			  BIND("p", ", backoffLimit: 3", "phase: Failed, failedAttempts: 2"),
		  FL_TASK_ALLOCATED, "n1" },
		{ POD(LABELLED, "", "")
			  BIND("p", ", backoffLimit: 3", "phase: Failed, failedAttempts: 3"),
		  FL_TASK_PENDING, NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[2048];
		struct fl_model *m;

		(void)snprintf(text, sizeof text, "%s%s", rows[i].text,
			       NODE("n1", "") NODE("n2", ""));
		m = load(text);
		assert_int_equal(m->n_tasks, 1);
		CHECK(m->tasks[0].phase == rows[i].phase, rows[i].text);
		CHECK((m->tasks[0].machine.v == FL_NONE) == !rows[i].machine, rows[i].text);
		if (rows[i].machine)
			assert_string_equal(fl_model_text(m,
							  m->machines[m->tasks[0].machine.v].name),
					    rows[i].machine);
		fl_model_free(m);
	}
}

/* The documented name of the multiplier counts with a Policy, before or behind the shard. */
TEST(documented_multiplier)
{
	static const char by_documents[] = POLICY("entitlement: {documentedMultiplier: true}");
	static const struct {
		const char *arguments;
		double plain, documented; /* 0: refused */
	} rows[] = {
		{ "reclaimerUtilizationMultiplier: '1.5'", 1, 1.5 },
		{ "reclaimerUtilizationMultiplier: 2, relcaimerSaturationMultiplier: 3", 3, 2 },
		{ "relcaimerSaturationMultiplier: 3", 3, 3 },
		{ "reclaimerUtilizationMultiplier: 0.9", 1, 0 },
		{ "reclaimerUtilizationMultiplier: '-1'", 1, 0 },
		{ "", 1, 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char shard[512], text[1024];
		fairlead_error err;

		(void)snprintf(shard, sizeof shard,
			       SHARD("plugins: {proportion: {arguments: {%s}}}"),
			       rows[i].arguments);
		for (int order = 0; order < 3; order++) {
			(void)snprintf(text, sizeof text, "%s%s%s", order == 1 ? by_documents : "",
				       shard, order == 2 ? by_documents : "");
			struct fl_model *m = load_open(&fl_mem_heap, text, &err);
			double want = order ? rows[i].documented : rows[i].plain;

			assert_non_null(m);
			if (want > 0) {
				assert_int_equal(fl_model_seal(m, &err), 0);
				assert_true(m->entitle.multiplier == want);
				assert_true(m->entitle.by_documents == (order > 0));
			} else {
				assert_int_equal(fl_model_seal(m, &err), FAIRLEAD_EINPUT);
				assert_string_equal(err.text,
						    "a multiplier below 1 is not allowed");
			}
			fl_model_free(m);
		}
	}
}

TEST(phases)
{
	static const struct {
		const char *text;
		enum fl_task_phase phase;
		bool foreign;
	} rows[] = {
		{ POD(LABELLED, "", ""), FL_TASK_PENDING, false },
		{ POD(LABELLED, "nodeName: n", ""), FL_TASK_ALLOCATED, false },
		{ POD(LABELLED, "nodeName: n", "phase: Running"), FL_TASK_ALLOCATED, false },
		{ POD(LABELLED, "nodeName: n", "phase: Succeeded"), FL_TASK_DONE, false },
		{ POD(LABELLED, "nodeName: n", "phase: Failed"), FL_TASK_DONE, false },
		{ POD(LABELLED, "schedulingGates: [{name: x}]", ""), FL_TASK_DONE, false },
		{ POD(LABELLED, "schedulingGates: []", ""), FL_TASK_PENDING, false },
		{ POD(LABELLED ", deletionTimestamp: '2026-01-01T00:00:00Z'", "nodeName: n", ""),
		  FL_TASK_RELEASING, false },
		{ POD("", "", ""), FL_TASK_PENDING, true },
		{ POD("", "schedulerName: default-scheduler, nodeName: n", ""), FL_TASK_ALLOCATED,
		  true },
		{ POD(LABELLED, "schedulerName: default-scheduler", ""), FL_TASK_PENDING, true },
		{ POD("", "schedulerName: kai-scheduler", ""), FL_TASK_PENDING, false },
		{ POD(", annotations: {pod-group-name: g}", "", ""), FL_TASK_PENDING, false },
		{ POD(", labels: {runai/queue: a}", "", ""), FL_TASK_PENDING, false },
		{ POD(", labels: {app: kai-resource-reservation}",
		      "schedulerName: kai-scheduler, nodeName: n", "phase: Running"),
		  FL_TASK_DONE, true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err;
		struct fl_model *m = load_open(&fl_mem_heap, rows[i].text, &err);

		CHECK(m && m->n_tasks == 1, rows[i].text);
		CHECK(m->tasks[0].phase == rows[i].phase, rows[i].text);
		CHECK(m->tasks[0].foreign == rows[i].foreign, rows[i].text);
		fl_model_free(m);
	}
}

TEST(machines)
{
	struct fl_model *m = load(Q(
		"a",
		GPU("quota: 1")) "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {zone: x}}\n"
				 "spec: {unschedulable: true, taints: [{key: k, value: v, effect: NoSchedule}]}\n"
				 "status: {capacity: {cpu: 9}, allocatable: {cpu: 7500m, memory: 2Ki, pods: 110, "
				 "nvidia.com/gpu: '4'}, conditions: [{type: DiskPressure, status: 'True'}, {type: "
				 "Ready, status: Unknown}]}\n" NODE("n2", ""));

	assert_int_equal(m->n_machines, 2);
	assert_bundle(m->machines[0].allocatable, 7500, 2048, 4);
	assert_true(m->machines[0].not_ready);
	assert_true(m->machines[0].unschedulable);
	assert_int_equal(m->machines[0].taints.n, 1);
	assert_int_equal(m->machines[0].labels.n, 1);
	assert_bundle(m->machines[1].allocatable, 0, 0, 0);
	assert_false(m->machines[1].not_ready);
	fl_model_free(m);
}

TEST(shards)
{
	struct fl_model *m = load(SHARD(
		"kValue: 2.5, args: {allow-consolidating-reclaim: 'false', v: '3', "
		"default-staleness-grace-period: '-1s'}, placementStrategy: {gpu: spread}, "
		"queueDepthPerAction: {reclaim: 5}, minRuntime: {preemptMinRuntime: 1m}, "
		"usageDBConfig: {clientType: prometheus, usageParams: {halfLifePeriod: 7d, "
		"windowSize: 2w, stalenessPeriod: 1s, extraParams: {queryResolution: 30s}}}, "
		"plugins: {proportion: {arguments: {relcaimerSaturationMultiplier: '1.5', "
		"kValue: '0.5'}}, minruntime: {arguments: {reclaimResolveMethod: queue, "
		"defaultReclaimMinRuntime: 2m}}}, actions: {consolidation: {enabled: false}}"));
	const struct fl_entitle_settings *s = &m->entitle;

	assert_true(s->present);
	assert_true(s->k == 0.5); /* arguments replace what fields say */
	assert_true(s->multiplier == 1.5);
	assert_false(s->consolidating_reclaim);
	assert_int_equal(s->stale_grace, FL_NEVER);
	assert_true(s->spread_gpu);
	assert_false(s->spread_cpu);
	assert_int_equal(s->queue_depth[FL_ACTION_RECLAIM], 5);
	assert_int_equal(s->default_preempt_min_run, 0);
	assert_int_equal(s->default_reclaim_min_run, 120 * FL_SECOND);
	assert_int_equal(s->min_run_method, FL_MIN_RUN_QUEUE);
	assert_true(s->actions[FL_ACTION_ALLOCATE]);
	assert_false(s->actions[FL_ACTION_CONSOLIDATION]);
	assert_true(s->usage_on);
	assert_int_equal(s->half_life, 7 * 86400 * FL_SECOND);
	assert_int_equal(s->window, 14 * 86400 * FL_SECOND);
	assert_int_equal(s->staleness, 60 * FL_SECOND); /* at least fetchInterval */
	assert_int_equal(s->resolution, 30 * FL_SECOND);
	fl_model_free(m);
	m = load(SHARD("kValue: 3, minRuntime: {reclaimMinRuntime: 5s}"));
	assert_true(m->entitle.k == 3);
	assert_int_equal(m->entitle.default_reclaim_min_run, 5 * FL_SECOND);
	assert_false(m->entitle.usage_on);
	fl_model_free(m);
	m = load(SHARD("kValue: 3, plugins: {proportion: {arguments: {}}}"));
	assert_true(m->entitle.k == 1);
	fl_model_free(m);
}

TEST(ours)
{
	struct fl_model *m = load(
		Q("a", GPU("quota: 1")) POLICY(
			"entitlement: {division: Bounded, turns: true, keepBelowQuota: true, "
			"protectQuota: true}, budgets: {period: {every: 720h, start: "
			"'2026-01-01T00:00:00Z'}, overcommitment: FirstCome, afterBudget: Stop, "
			"queues: [{name: a, gpuHours: 1.5, cpuHours: 2, memoryHours: 1Ki}, {name: "
			"b, gpuHours: 1}]}")
			HISTORY("samples: [{from: '1970-01-01T00:00:00Z', to: '1970-01-01T00:01:00Z', "
				"capacity: {gpu: 8, cpu: '4', memory: 1Ki}, queues: {a: {gpu: 2.5}}}], "
				"usage: {a: {gpu: 0.25}}"));
	const struct fl_entitle_settings *s = &m->entitle;

	assert_true(s->bounded_division && s->turns && s->keep_below_quota && s->protect_quota);
	assert_true(s->has_budgets && s->usage_on);
	assert_int_equal(s->period_kind, FL_WINDOW_TUMBLING);
	assert_int_equal(s->period, 720 * 3600 * FL_SECOND);
	assert_int_equal(s->overcommitment, FL_OVERCOMMIT_FIRST_COME);
	assert_int_equal(s->after_budget, FL_AFTER_BUDGET_STOP);
	assert_int_equal(m->n_budgets, 2);
	assert_bundle(m->budgets[0].hours, 2000, 1024, 1.5);
	assert_bundle(m->budgets[1].hours, -1, -1, 1);
	assert_int_equal(m->budgets[0].node.v, fl_model_find_node(m, FL_QUEUE, "a").v);
	assert_int_equal(m->budgets[1].node.v, FL_NONE);
	assert_int_equal(m->n_samples, 2);
	assert_int_equal(m->samples[0].queue_name.v, FL_NONE);
	assert_bundle(m->samples[0].amount, 4000, 1024, 8);
	assert_bundle(m->samples[1].amount, 0, 0, 2.5);
	assert_int_equal(m->samples[1].to, 60 * FL_SECOND);
	assert_int_equal(m->samples[1].node.v, m->budgets[0].node.v);
	assert_bundle(m->usages[0].usage, 0, 0, 0.25);
	assert_int_equal(m->usages[0].node.v, m->budgets[0].node.v);
	fl_model_free(m);
}

/* --- simulators --- */

TEST(fairshare_body)
{
	struct fl_model *m = load(
		"{\"totalResource\": {\"GPU\": 100, \"CPU\": 16000, \"Memory\": 32000000}, \"kValue\": "
		"3, \"queues\": [{\"uid\": \"q1\", \"name\": \"x\", \"parentQueue\": \"q2\", "
		"\"resourceShare\": {\"gpu\": {\"deserved\": 10, \"request\": 7, \"overQuotaWeight\": "
		"3, \"maxAllowed\": 50}, \"cpu\": {}}}, {\"uid\": \"q2\", \"priority\": 4}]}");
	const struct fl_entitlement *e = &m->entitlements[queue(m, "q1")->entitlement];
	const struct fl_entitlement *f = &m->entitlements[queue(m, "q2")->entitlement];

	assert_true(m->entitle.fairshare_body);
	assert_true(m->entitle.k == 0);
	assert_bundle(m->machines[0].allocatable, 16000, 32000000, 100);
	assert_int_equal(queue(m, "q1")->parent.v, FL_NONE); /* one level */
	assert_bundle(e->deserved, 0, -1, 10);
	assert_bundle(e->limit, -1, -1, 50);
	assert_bundle(e->weight, 1, 1, 3);
	assert_bundle(e->request, 100000, 100000, 7);
	assert_int_equal(e->priority, 0);
	assert_bundle(f->deserved, -1, -1, 0);
	assert_int_equal(f->priority, 4);
	assert_true(e->created < f->created); /* in the order of the list */
	fl_model_free(m);
}

TEST(simulation)
{
	struct fl_model *m = load(
		"Cycles: 10\nWindowSize: 256\nHalfLifePeriod: 128\nKValue: 5\n"
		"Nodes: [{GPUs: 16, Count: 2}, {gpus: 8}]\n"
		"Queues: [{Name: d, Parent: ''}, {name: q, parent: d, DeservedGPUs: 2, Weight: 3}]\n"
		"Jobs: {q: {GPUs: 4, NumPods: 2, NumJobs: 3}}\n");
	const struct fl_entitlement *e = &m->entitlements[queue(m, "q")->entitlement];
	struct fl_workload w = fl_model_find_workload(m, "simulation", "q-00001");
	char line[512];

	assert_int_equal(m->entitle.window, 256 * FL_SECOND);
	assert_int_equal(m->entitle.half_life, 128 * FL_SECOND);
	assert_true(m->entitle.usage_on && m->entitle.k == 5);
	assert_int_equal(m->simulation.until, 10 * FL_SECOND);
	assert_int_equal(m->simulation.period, FL_SECOND);
	assert_int_equal(m->n_machines, 3);
	assert_bundle(m->machines[2].allocatable, 8000, 17179869184, 8);
	assert_string_equal(
		load_notice_line(m, FL_NOTICE_COUNT_IGNORED, line),
		"5:27 time-based simulator .Nodes[0].Count: KAI's simulator makes one node of this entry; here there are 2");
	assert_bundle(e->deserved, 0, 0, 2);
	assert_bundle(e->limit, 0, 0, -1);
	assert_bundle(e->weight, 0, 0, 3);
	assert_int_equal(m->n_workloads, 3);
	assert_int_equal(m->n_tasks, 6);
	assert_int_equal(m->workloads[w.v].excluded, FL_INCLUDED);
	assert_int_equal(m->gangs[m->workloads[w.v].gang].tasks.n, 2);
	assert_int_equal(m->gangs[m->workloads[w.v].gang].min_tasks, 1);
	assert_bundle(m->tasks[0].request, 0, 0, 4);
	fl_model_free(m);
	m = load("nodes: []\nqueues: []\n");
	assert_non_null(load_notice(m, FL_NOTICE_NO_HALF_LIFE));
	assert_int_equal(m->simulation.until, 100 * FL_SECOND);
	assert_int_equal(m->entitle.half_life, 0);
	assert_int_equal(m->entitle.window, 5 * FL_SECOND);
	fl_model_free(m);
}

/* --- what is warned of --- */

TEST(warnings)
{
	static const struct {
		const char *text;
		enum fl_notice_kind kind;
		const char *line; /* "": no such notice */
	} rows[] = {
		{ Q("a", GPU("quota: 4, limit: 2, overQuotaWeight: 1")),
		  FL_NOTICE_LIMIT_BELOW_QUOTA,
		  "5:86 Queue/a .spec.resources.gpu: the limit is less than the quota: the queue never gets its quota" },
		{ Q("a", GPU("quota: 2")), FL_NOTICE_LIMIT_BELOW_QUOTA,
		  "5:86 Queue/a .spec.resources.gpu: no limit: KAI reads a missing limit as 0, so "
		  "the queue can hold nothing of it, not even its quota" },
		{ Q("a", GPU("quota: -1, limit: 2")), FL_NOTICE_LIMIT_BELOW_QUOTA,
		  "5:86 Queue/a .spec.resources.gpu: the limit is less than the quota: the queue never gets its quota" },
		{ Q("a", GPU("quota: 2, limit: 2")), FL_NOTICE_LIMIT_BELOW_QUOTA, "" },
		{ Q("a", GPU("quota: 2, limit: -1")), FL_NOTICE_LIMIT_BELOW_QUOTA, "" },
		{ Q("a", GPU("quota: 0, limit: -1")), FL_NOTICE_NO_SHARE,
		  "5:86 Queue/a .spec.resources.gpu: quota 0 and overQuotaWeight 0: the queue's fair "
		  "share is 0" },
		{ Q("a", GPU("quota: 0, limit: 0")), FL_NOTICE_NO_SHARE, "" },
		{ Q("a", GPU("quota: 0, limit: 1, overQuotaWeight: 1")), FL_NOTICE_NO_SHARE, "" },
		{ Q("a", "resources: {memory: {quota: -2, limit: -1}}"), FL_NOTICE_NEGATIVE_MEMORY,
		  "5:28 Queue/a .spec.resources.memory: a memory quota below 0 means unlimited" },
		{ Q("a", "resources: {memory: {quota: -1, limit: -1}}"), FL_NOTICE_NEGATIVE_MEMORY,
		  "" },
		{ Q("a", "priority: 1"), FL_NOTICE_NO_RESOURCES,
		  "2:1 Queue/a: a queue without resources can run no workload" },
		{ Q("a", "resources: {gpu: {quota: 1}, memory: {}}"), FL_NOTICE_NO_RESOURCES,
		  "5:19 Queue/a .spec.resources: no 'cpu': nothing that asks for it can run" },
		{ Q("a", GPU("quota: 1")), FL_NOTICE_NO_RESOURCES, "" },
		{ Q("a", GPU("qouta: 1")), FL_NOTICE_UNKNOWN_FIELD,
		  "5:94 Queue/a .spec.resources.gpu.qouta: unknown field 'qouta'" },
		{ SHARD("kValue: -1"), FL_NOTICE_K_BELOW_ZERO,
		  "5:16 SchedulingShard/s .spec.kValue: a kValue below 0 counts as 0: history does "
		  "not count" },
		{ SHARD("kValue: 0"), FL_NOTICE_K_BELOW_ZERO, "" },
		{ SHARD("plugins: {proportion: {arguments: {relcaimerSaturationMultiplier: '0.5'}}}"),
		  FL_NOTICE_MULTIPLIER_BELOW_ONE,
		  "5:74 SchedulingShard/s "
		  ".spec.plugins.proportion.arguments.relcaimerSaturationMultiplier: a multiplier "
		  "below 1 counts as 1" },
		{ POLICY("entitlement: {documentedMultiplier: true}") SHARD(
			  "plugins: {proportion: {arguments: {reclaimerUtilizationMultiplier: 2}}}"),
		  FL_NOTICE_MULTIPLIER_NOT_READ, "" },
		{ SHARD("plugins: {proportion: {arguments: {reclaimerUtilizationMultiplier: 2}}}"),
		  FL_NOTICE_MULTIPLIER_NOT_READ,
		  "5:75 SchedulingShard/s "
		  ".spec.plugins.proportion.arguments.reclaimerUtilizationMultiplier: KAI does not read this name, although its documents have it; it has no effect" },
		{ SHARD("usageDBConfig: {usageParams: {windowSize: 30s}}"), FL_NOTICE_SHORT_WINDOW,
		  "5:50 SchedulingShard/s .spec.usageDBConfig.usageParams.windowSize: the window is shorter than fetchInterval: KAI may read it when it has ended" },
		{ SHARD("usageDBConfig: {usageParams: {windowSize: 1m}}"), FL_NOTICE_SHORT_WINDOW,
		  "" },
		{ SHARD("usageDBConfig: {usageParams: {windowType: cron, cronString: '@daily'}}"),
		  FL_NOTICE_WINDOW_FAILS,
		  "5:50 SchedulingShard/s .spec.usageDBConfig.usageParams.windowType: 'cron' windows fail in KAI, which then has no usage; here they work" },
		{ SHARD("usageDBConfig: {usageParams: {windowType: tumbling, "
			"tumblingWindowStartTime: '2026-01-01T00:00:00Z'}}"),
		  FL_NOTICE_WINDOW_FAILS,
		  "5:50 SchedulingShard/s .spec.usageDBConfig.usageParams.windowType: 'tumbling' windows fail in KAI, which then has no usage; here they work" },
		{ SHARD("plugins: {elastic: {enabled: false}}"), FL_NOTICE_IGNORED_FIELD,
		  "5:37 SchedulingShard/s .spec.plugins.elastic.enabled: 'enabled: false' is ignored: the plugin's rules apply here" },
		{ SHARD("plugins: {elastic: {enabled: true}}"), FL_NOTICE_IGNORED_FIELD, "" },
		{ SHARD("pluginArguments: {proportion: {reclaimerUtilizationMultiplier: '1.2'}}"),
		  FL_NOTICE_UNKNOWN_FIELD,
		  "5:25 SchedulingShard/s .spec.pluginArguments: unknown field 'pluginArguments'" },
		{ Q("a",
		    "resources: {}") "---\napiVersion: kai.scheduler/v1\nkind: Config\nmetadata: {name: kai-config}\n",
		  FL_NOTICE_NOT_MODELLED,
		  "7:1 Config/kai-config: kind Config of kai.scheduler is not modelled: it installs KAI; what decides is in a SchedulingShard" },
		{ CONFIG("global: {schedulerName: mine}"), FL_NOTICE_IGNORED_FIELD,
		  "4:32 Config/c .spec.global.schedulerName: 'schedulerName' is ignored: the scheduler of KAI's pods is 'kai-scheduler'" },
		{ CONFIG("global: {schedulerName: kai-scheduler, queueLabelKey: kai.scheduler/queue, "
			 "nodePoolLabelKey: null, namespaceLabelSelector: {}}, podGrouper: {args: {}}"),
		  FL_NOTICE_IGNORED_FIELD, "" },
		{ CONFIG("global: {queueLabelKey: 'runai/queue'}"), FL_NOTICE_IGNORED_FIELD,
		  "4:32 Config/c .spec.global.queueLabelKey: 'queueLabelKey' is ignored: the label 'kai.scheduler/queue' names the queue" },
		{ CONFIG("global: {nodePoolLabelKey: pool}"), FL_NOTICE_IGNORED_FIELD,
		  "4:35 Config/c .spec.global.nodePoolLabelKey: 'nodePoolLabelKey' is ignored: the label 'kai.scheduler/node-pool' names the node pool" },
		{ CONFIG("global: {namespaceLabelSelector: {a: b}}"), FL_NOTICE_IGNORED_FIELD,
		  "4:41 Config/c .spec.global.namespaceLabelSelector: 'namespaceLabelSelector' is ignored: pods of all namespaces count" },
		{ CONFIG("podGrouper: {args: {defaultPrioritiesConfigMapName: x}}"),
		  FL_NOTICE_IGNORED_FIELD,
		  "4:60 Config/c .spec.podGrouper.args.defaultPrioritiesConfigMapName: 'defaultPrioritiesConfigMapName' is ignored: classes of kinds of jobs are KAI's own" },
		{ CONFIG("global: [1], podGrouper: 3"), FL_NOTICE_IGNORED_FIELD, "" },
		{ Q("a",
		    "resources: {}") "---\napiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: {name: t}\n",
		  FL_NOTICE_NOT_MODELLED,
		  "7:1 Topology/t: kind Topology of kai.scheduler is not modelled: pods are placed without regard to topology" },
		{ SHARD("actions: {reclaim: {priority: 3}}"), FL_NOTICE_IGNORED_FIELD,
		  "5:38 SchedulingShard/s .spec.actions.reclaim.priority: 'priority' is ignored: "
		  "actions run in their usual order" },
		{ PG("g", "queue: a, subGroups: [{name: s}]"), FL_NOTICE_IGNORED_FIELD,
		  "5:29 PodGroup/default/g .spec.subGroups: 'subGroups' is ignored: only the minimum of the whole group counts" },
		{ POD(LABELLED ", annotations: {gpu-memory: '2000'}", "", ""),
		  FL_NOTICE_IGNORED_FIELD,
		  "2:1 Pod/default/p: its annotation 'gpu-memory' counts as no GPU: no node has the label nvidia.com/gpu.memory" },
		{ POD(LABELLED ", annotations: {gpu-memory: '2000'}", "", "")
			  NODE("n, labels: {nvidia.com/gpu.memory: '8000'}", ""),
		  FL_NOTICE_IGNORED_FIELD, "" },
		{ "Nodes: []\nQueues: []\nKValue: -2\nHalfLifePeriod: 0\n", FL_NOTICE_K_BELOW_ZERO,
		  "3:9 time-based simulator .KValue: a kValue below 0 counts as 0: history does not "
		  "count" },
		{ Q("a", GPU("quota: 1")) HISTORY(
			  "samples: [{from: '1970-01-01T00:00:00Z', to: '1970-01-01T00:01:00Z', "
			  "capacity: {}}]") PG("g", "queue: a"),
		  FL_NOTICE_STALE_USAGE, "" },
		{ "---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: a, "
		  "creationTimestamp: '1970-01-01T00:10:00Z'}\n" HISTORY(
			  "samples: [{from: '1970-01-01T00:00:00Z', to: '1970-01-01T00:01:00Z', "
			  "capacity: {}}]"),
		  FL_NOTICE_STALE_USAGE,
		  "9:87 UsageHistory: the last sample ends longer ago than stalenessPeriod; it still "
		  "counts" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);
		char line[512];

		assert_string_equal(load_notice_line(m, rows[i].kind, line), rows[i].line);
		fl_model_free(m);
	}
}

/* --- what is refused --- */

TEST(errors)
{
	static const struct {
		const char *text, *line;
	} rows[] = {
		{ Q("a", GPU("overQuotaWeight: -1")),
		  "5:104 Queue/a .spec.resources.gpu.overQuotaWeight: a weight below 0" },
		{ Q("a", GPU("quota: -2")),
		  "5:86 Queue/a .spec.resources.gpu: a quota of -2: below 0 only -1, no bound" },
		{ Q("a", "resources: {cpu: {limit: -0.5}}"),
		  "5:25 Queue/a .spec.resources.cpu: a limit of -0.5: below 0 only -1, no bound" },
		{ Q("a", GPU("quota: .nan")),
		  "5:94 Queue/a .spec.resources.gpu.quota: '.nan' is not a number" },
		{ Q("a", GPU("quota: 1e999")),
		  "5:94 Queue/a .spec.resources.gpu.quota: the number is too large" },
		{ Q("a", GPU("quota: '1'")),
		  "5:94 Queue/a .spec.resources.gpu.quota: expected a number, not a string" },
		{ Q("a", "priority: high"),
		  "5:18 Queue/a .spec.priority: expected a whole number, not a string" },
		{ Q("a", "preemptMinRuntime: -5m"),
		  "5:27 Queue/a .spec.preemptMinRuntime: '-5m' is not a length of time" },
		{ Q("a", "resources: {}") Q("a", "resources: {}"), "7:1 Queue/a: defined twice" },
		{ NODE("n", "") NODE("n", ""), "6:1 Node/n: defined twice" },
		{ PG("g", "") PG("g", ""), "7:1 PodGroup/default/g: defined twice" },
		{ PG("g", "minMember: -1"),
		  "5:19 PodGroup/default/g .spec.minMember: a count of -1" },
		{ PG("g", "preemptibility: Preemptible"),
		  "5:24 PodGroup/default/g .spec.preemptibility: 'Preemptible' is none of , "
		  "preemptible, non-preemptible" },
		{ POD(LABELLED ", annotations: {gpu-fraction: half}", "", ""),
		  "4:83 Pod/default/p .metadata.annotations.gpu-fraction: 'half' is not a number" },
		{ POD(LABELLED ", annotations: {gpu-fraction: '1'}", "", ""),
		  "4:83 Pod/default/p .metadata.annotations.gpu-fraction: a part of a GPU must be more than 0 and less than 1" },
		{ POD(LABELLED ", annotations: {gpu-fraction: '0.001'}", "", ""),
		  "4:83 Pod/default/p .metadata.annotations.gpu-fraction: a part less than 0.01 would count as no GPU" },
		{ POD(LABELLED
		      ", annotations: {gpu-fraction: '0.5', gpu-fraction-num-devices: '1.5'}",
		      "", ""),
		  "4:116 Pod/default/p .metadata.annotations.gpu-fraction-num-devices: expected a number of GPUs from 1 to 1024" },
		{ POD(LABELLED ", annotations: {gpu-fraction: '0.5'}",
		      "containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]", ""),
		  "4:83 Pod/default/p .metadata.annotations.gpu-fraction: asks for a part of a GPU and "
		  "for whole ones" },
		{ POD(LABELLED ", annotations: {gpu-memory: 2Gi}", "", ""),
		  "4:81 Pod/default/p .metadata.annotations.gpu-memory: '2Gi' is not a number" },
		{ POD(LABELLED ", annotations: {gpu-memory: '0.5'}", "", ""),
		  "4:81 Pod/default/p .metadata.annotations.gpu-memory: expected MiB of a GPU, a "
		  "whole number above 0" },
		{ POD(LABELLED ", annotations: {gpu-memory: '10', gpu-fraction: '0.5'}", "", ""),
		  "4:81 Pod/default/p .metadata.annotations.gpu-memory: asks for memory of a GPU "
		  "and for a part of one" },
		{ POD(LABELLED ", annotations: {gpu-memory: '10'}",
		      "containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]", ""),
		  "4:81 Pod/default/p .metadata.annotations.gpu-memory: asks for memory of a GPU "
		  "and for whole ones" },
		{ POD(LABELLED, "", "phase: Done"),
		  "6:17 Pod/default/p .status.phase: 'Done' is none of Pending, Running, Succeeded, "
		  "Failed, Unknown" },
		{ NODE("n", "status: {allocatable: {cpu: much}}\n"),
		  "5:29 Node/n .status.allocatable.cpu: 'much' is not a quantity" },
		{ SHARD("") SHARD(""), "7:1 SchedulingShard/s: a second SchedulingShard" },
		{ SHARD("kValue: .inf"),
		  "5:16 SchedulingShard/s .spec.kValue: '.inf' is not a number" },
		{ SHARD("placementStrategy: {gpu: bestfit}"),
		  "5:33 SchedulingShard/s .spec.placementStrategy.gpu: 'bestfit' is none of binpack, "
		  "spread" },
		{ SHARD("usageDBConfig: {usageParams: {windowType: cron, cronString: 'whenever'}}"),
		  "5:68 SchedulingShard/s .spec.usageDBConfig.usageParams.cronString: minute: "
		  "'whenever' is none of *, N, N-M, */STEP and N-M/STEP" },
		{ SHARD("usageDBConfig: {usageParams: {windowType: cron}}"),
		  "5:37 SchedulingShard/s .spec.usageDBConfig.usageParams: cron windows need a "
		  "cronString" },
		{ SHARD("usageDBConfig: {usageParams: {windowType: tumbling}}"),
		  "5:37 SchedulingShard/s .spec.usageDBConfig.usageParams: tumbling windows need a "
		  "tumblingWindowStartTime" },
		{ SHARD("usageDBConfig: {usageParams: {windowSize: 0s}}"),
		  "5:50 SchedulingShard/s .spec.usageDBConfig.usageParams.windowSize: a window must be longer than 0" },
		{ SHARD("args: {default-staleness-grace-period: '-soon'}"),
		  "5:47 SchedulingShard/s .spec.args.default-staleness-grace-period: 'soon' is not a "
		  "length of time" },
		{ POLICY("entitlement: {division: Fair}"),
		  "5:32 Policy/p .spec.entitlement.division: 'Fair' is none of Compatible, Bounded" },
		{ POLICY("budgets: {queues: []}"), "5:17 Policy/p .spec.budgets: no period" },
		{ POLICY("budgets: {period: {every: 1h}}"),
		  "5:26 Policy/p .spec.budgets.period: a period is either 'every' with 'start', or "
		  "'cron'" },
		{ POLICY("budgets: {period: {cron: '@daily', every: 1h}}"),
		  "5:26 Policy/p .spec.budgets.period: a period is either 'every' with 'start', or "
		  "'cron'" },
		{ POLICY("budgets: {period: {every: 0s, start: '2026-01-01T00:00:00Z'}}"),
		  "5:34 Policy/p .spec.budgets.period.every: a period of no length" },
		{ POLICY("budgets: {period: {cron: '@daily'}, queues: [{name: a}, {name: a}]}"),
		  "5:64 Policy/p .spec.budgets.queues[1]: 'a' is there already" },
		{ POLICY("budgets: {period: {cron: '@daily'}, queues: [{name: a, gpuHours: -1}]}"),
		  "5:73 Policy/p .spec.budgets.queues[0].gpuHours: expected a number of 0 or more" },
		{ HISTORY("usage: {a: {gpu: 1.5}}"),
		  "5:25 UsageHistory/h .spec.usage.a.gpu: expected a fraction of the capacity, from 0 to 1" },
		{ HISTORY("samples: [{from: '2026-01-01T00:01:00Z', to: '2026-01-01T00:01:00Z', "
			  "capacity: {}}]"),
		  "5:18 UsageHistory/h .spec.samples[0]: a sample must end after it begins" },
		{ HISTORY("samples: [{from: '2026-01-01T00:01:00Z', to: '2026-01-01T00:02:00Z', "
			  "capacity: {}}, {from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:01:00Z', "
			  "capacity: {}}]"),
		  "5:92 UsageHistory/h .spec.samples[1]: samples are not in order: it begins before the one above ends" },
		{ HISTORY("samples: [{from: '2026-01-01T00:01:00Z', to: '2026-01-01T00:02:00Z'}]"),
		  "5:18 UsageHistory/h .spec.samples[0]: no capacity" },
		{ HISTORY("smaples: []"),
		  "5:17 UsageHistory/h .spec.smaples: unknown field 'smaples'" },
		{ "{\"totalResource\": {}, \"queues\": [{\"name\": \"x\"}]}",
		  "1:34 fairshare simulator .queues[0]: no uid" },
		{ "{\"totalResource\": {}, \"queues\": [{\"uid\": \"x\", \"resourceShare\": {\"gpu\": "
		  "{\"deserved\": -3}}}]}",
		  "1:85 fairshare simulator .queues[0].resourceShare.gpu.deserved: below 0 only -1 (unlimited) is allowed" },
		{ "Nodes: []\nQueues: []\nWindowSize: 0\n",
		  "3:13 time-based simulator .WindowSize: a window must be longer than 0" },
		{ "Nodes: [{Count: 70000}]\nQueues: []\n",
		  "1:9 time-based simulator .Nodes[0]: 70000 nodes, more than 65536" },
		{ "Nodes: []\nQueues: []\nJobs: {q: {NumJobs: 300, NumPods: 300}}\n",
		  "3:11 time-based simulator .Jobs.q: more than 65536 pods in a queue" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err;
		struct fl_model *m = load_open(&fl_mem_heap, rows[i].text, &err);
		char line[1024];

		if (m)
			fail_msg("not refused: %s", rows[i].text);
		(void)snprintf(line, sizeof line, "%u:%u %s: %s", err.line, err.column, err.subject,
			       err.text);
		assert_string_equal(line, rows[i].line);
	}
}

/* What is not wanted is not read; a mixture is told from either. */
TEST(mixtures)
{
	static const char text[] = Q("a", GPU("quota: 1")) PG("g", "queue: a") POD(
		LABELLED, "",
		"") "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: c}\n";
	static const struct {
		enum fl_dialect wanted, found;
		uint32_t nodes, workloads;
	} rows[] = {
		{ FL_DIALECT_ANY, FL_DIALECT_MIXED, 2, 1 },
		{ FL_DIALECT_KUEUE, FL_DIALECT_KUEUE, 1, 0 },
		{ FL_DIALECT_KAI, FL_DIALECT_KAI, 1, 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = NULL;
		fairlead_error err;

		assert_int_equal(fl_model_new(&fl_mem_heap, &m, &err), 0);
		m->wanted = rows[i].wanted;
		assert_int_equal(fl_kube_read(m, "in", text, strlen(text), &err), 0);
		assert_int_equal(fl_model_dialect(m), rows[i].found);
		assert_int_equal(m->n_nodes, rows[i].nodes);
		assert_int_equal(m->n_workloads, rows[i].workloads);
		fl_model_free(m);
	}
}

UNIT_GROUP("kai")
