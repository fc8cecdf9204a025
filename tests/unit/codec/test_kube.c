/* SPDX-License-Identifier: Apache-2.0 */
/* What good manifests become: rows of the model. */
#include "lib/fail_mem.h"
#include "unit/codec/load.h"

#define KUEUE1 "apiVersion: kueue.x-k8s.io/v1beta1\n"
#define KUEUE2 "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define GI (INT64_C(1) << 30)

static const char *name_of(const struct fl_model *m, struct fl_sym sym)
{
	return sym.v == FL_NONE ? "-" : fl_model_text(m, sym);
}

TEST(cluster_queue)
{
	static const char *const texts[] = {
		KUEUE2
		"kind: ClusterQueue\nmetadata: {name: a}\nspec:\n  cohortName: all\n  queueingStrategy: StrictFIFO\n"
		"  namespaceSelector: {matchLabels: {x: y}}\n  stopPolicy: Hold\n"
		"  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: MayStopSearch, preference: PreemptionOverBorrowing}\n"
		"  preemption:\n    withinClusterQueue: LowerOrNewerEqualPriority\n    reclaimWithinCohort: Any\n"
		"    borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: -3}\n"
		"  fairSharing: {weight: 250m}\n  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"
		"  resourceGroups:\n  - coveredResources: [cpu, memory]\n    flavors:\n    - name: f\n      resources:\n"
		"      - {nominalQuota: 1500m, name: cpu, borrowingLimit: 1E}\n      - {name: memory, nominalQuota: 2Gi, lendingLimit: \"1Gi\"}\n",
		/* the same: older names, other order of fields, JSON */
		"{\"spec\":{\"cohort\":\"all\",\"resourceGroups\":[{\"flavors\":[{\"resources\":["
		"{\"borrowingLimit\":\"1E\",\"nominalQuota\":1.5,\"name\":\"cpu\"},{\"lendingLimit\":\"1Gi\",\"nominalQuota\":2147483648,\"name\":\"memory\"}],"
		"\"name\":\"f\"}],\"coveredResources\":[\"cpu\",\"memory\"]}],\"admissionScope\":{\"admissionMode\":\"UsageBasedAdmissionFairSharing\"},"
		"\"fairSharing\":{\"weight\":0.25},\"preemption\":{\"borrowWithinCohort\":{\"maxPriorityThreshold\":-3,\"policy\":\"LowerPriority\"},"
		"\"reclaimWithinCohort\":\"Any\",\"withinClusterQueue\":\"LowerOrNewerEqualPriority\"},\"flavorFungibility\":{\"preference\":"
		"\"PreemptionOverBorrowing\",\"whenCanPreempt\":\"Preempt\",\"whenCanBorrow\":\"TryNextFlavor\"},\"stopPolicy\":\"Hold\",\"namespaceSelector\":"
		"{\"matchLabels\":{\"x\":\"y\"}},\"queueingStrategy\":\"StrictFIFO\"},\"status\":{\"conditions\":[5]},"
		"\"metadata\":{\"name\":\"a\"},\"kind\":\"ClusterQueue\",\"apiVersion\":\"kueue.x-k8s.io/v1beta1\"}",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct fl_model *m = load(texts[i]);
		const struct fl_node_row *q =
			&m->nodes[fl_model_find_node(m, FL_CLUSTER_QUEUE, "a").v];
		const struct fl_group_flavor *f =
			&m->group_flavors[m->groups[q->groups.first].flavors.first];
		const struct fl_quota *cpu = &m->quotas[f->quotas.first], *memory = cpu + 1;

		assert_string_equal(name_of(m, q->parent_name), "all");
		assert_int_equal(q->strategy, FL_STRICT_FIFO);
		assert_int_equal(q->stop, FL_STOP_HOLD);
		assert_true(q->namespaces.present);
		assert_int_equal(q->namespaces.requirements.n, 1);
		assert_string_equal(
			name_of(m, m->requirements[q->namespaces.requirements.first].key), "x");
		assert_int_equal(q->within_queue, FL_PREEMPT_LOWER_OR_NEWER_EQUAL);
		assert_int_equal(q->reclaim, FL_PREEMPT_ANY);
		assert_int_equal(q->borrow_within, FL_PREEMPT_LOWER_PRIORITY);
		assert_true(q->has_borrow_threshold && q->borrow_threshold == -3);
		assert_int_equal(q->when_can_borrow, FL_TRY_NEXT_FLAVOR);
		assert_int_equal(q->when_can_preempt, FL_MAY_STOP_SEARCH);
		assert_int_equal(q->preference, FL_PREEMPTION_OVER_BORROWING);
		assert_true(q->weight >= 0.25 && q->weight <= 0.25);
		assert_true(q->usage_based);
		assert_int_equal(f->quotas.n, 2);
		assert_string_equal(name_of(m, cpu->flavor_name), "f");
		assert_int_equal(cpu->nominal, 1500);
		assert_true(cpu->borrowing_limit == FL_UNLIMITED &&
			    cpu->lending_limit == FL_NO_LIMIT);
		assert_int_equal(memory->nominal, 2 * GI);
		assert_true(memory->lending_limit == GI && memory->borrowing_limit == FL_NO_LIMIT);
		fl_model_free(m);
	}
}

TEST(defaults)
{
	struct fl_model *m =
		load(KUEUE2 "kind: ClusterQueue\nmetadata: {name: a}\nspec: {cohortName: ''}\n");
	const struct fl_node_row *q = &m->nodes[0];

	assert_int_equal(q->parent_name.v, FL_NONE);
	assert_int_equal(q->strategy, FL_BEST_EFFORT_FIFO);
	assert_false(q->namespaces.present);
	assert_int_equal(q->within_queue, FL_PREEMPT_NEVER);
	assert_int_equal(q->when_can_borrow, FL_MAY_STOP_SEARCH);
	assert_int_equal(q->when_can_preempt, FL_TRY_NEXT_FLAVOR);
	assert_true(q->weight >= 1 && q->weight <= 1);
	assert_false(m->settings.present);
	assert_int_equal(m->settings.n_strategies, 2);
	fl_model_free(m);
}

TEST(flavor)
{
	struct fl_model *m = load(
		KUEUE2
		"kind: ResourceFlavor\nmetadata: {name: f}\nspec:\n  nodeLabels: {a: b}\n"
		"  nodeTaints: [{key: k, value: v, effect: NoExecute}]\n"
		"  tolerations: [{operator: Exists}, {key: k, value: v, effect: NoSchedule}]\n");
	const struct fl_flavor_row *f = &m->flavors[0];

	assert_true(f->declared && f->labels.n == 1 && f->taints.n == 1 && f->tolerations.n == 2);
	assert_string_equal(name_of(m, m->labels[f->labels.first].value), "b");
	assert_int_equal(m->taints[f->taints.first].effect, FL_NO_EXECUTE);
	assert_true(m->tolerations[f->tolerations.first].exists);
	assert_int_equal(m->tolerations[f->tolerations.first].effect, FL_EFFECT_ANY);
	assert_int_equal(m->tolerations[f->tolerations.first + 1].effect, FL_NO_SCHEDULE);
	fl_model_free(m);
}

static const char workload_text[] = KUEUE1
	"kind: Workload\nmetadata:\n  name: w\n  namespace: ns\n  uid: u\n  creationTimestamp: \"2026-01-01T00:00:00Z\"\n"
	"  ownerReferences: [{kind: Pod, name: p}, {kind: Job, name: j0}, {kind: Job, name: j, controller: true}]\n"
	"spec:\n  queueName: q\n  priorityClassName: high\n  priorityClassSource: kueue.x-k8s.io/workloadpriorityclass\n"
	"  podSets:\n  - count: 3\n    minCount: 2\n    template:\n      spec:\n        nodeSelector: {a: b}\n"
	"        overhead: {cpu: 10m}\n"
	"        affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [\n"
	"          {matchExpressions: [{key: a, operator: NotIn, values: [b, c]}, {key: d, operator: Gt, values: ['1']}]}, {}]}}}\n"
	"        initContainers: [{resources: {requests: {cpu: 5}}}, {restartPolicy: Always, resources: {requests: {cpu: 1}}}]\n"
	"        containers: [{resources: {requests: {cpu: 1500m}, limits: {cpu: 2, memory: 1Gi}}}, {resources: {requests: {gpu: 1}}}]\n"
	"status:\n  admission: {clusterQueue: cq, podSetAssignments: [{resourceUsage: {cpu: 3}, flavors: {memory: g, cpu: f}}]}\n"
	"  conditions:\n  - {type: QuotaReserved, status: \"True\", lastTransitionTime: \"2026-01-01T00:00:09Z\"}\n"
	"  - {type: Evicted, status: \"True\", reason: Preempted, lastTransitionTime: \"2026-01-01T00:01:00Z\"}\n"
	"  - {type: Finished, status: \"False\", lastTransitionTime: \"2026-01-01T00:02:00Z\"}\n";

TEST(workload)
{
	fairlead_error err;
	struct fl_model *m = load(workload_text);
	struct fl_model *unsealed = load_open(&fl_mem_heap, workload_text, &err);
	const struct fl_workload_row *w = &m->workloads[0];
	const struct fl_podset *p = &m->podsets[w->podsets.first];
	const struct fl_request *r = &m->requests[p->requests.first];
	const struct fl_podset_assignment *a = &m->podset_assignments[w->admission.first];
	const struct fl_assignment *used = &m->assignments[a->assignments.first];

	assert_non_null(unsealed);
	assert_string_equal(name_of(m, w->namespace), "ns");
	assert_string_equal(name_of(m, w->uid), "u");
	assert_string_equal(name_of(m, w->queue_name), "q");
	assert_string_equal(name_of(m, w->owner_job), "j");
	assert_string_equal(name_of(m, w->priority_class), "high");
	assert_true(w->class_of_workloads && !w->has_priority && w->active && !w->finished &&
		    w->requests == FL_REQUESTS_RIGHT);
	assert_true(w->created == INT64_C(1767225600) * FL_SECOND);
	assert_true(w->reserved && w->reserved_at == w->created + 9 * FL_SECOND);
	assert_true(w->evicted &&
		    fl_model_requeue(m, w)->evicted_at == w->created + 60 * FL_SECOND);
	assert_string_equal(name_of(m, fl_model_requeue(m, w)->evicted_reason), "Preempted");
	assert_true(m->newest == w->created + 120 * FL_SECOND);
	assert_string_equal(name_of(m, p->name), "main");
	assert_true(p->count == 3 && p->min_count == 2 && p->node_selector.n == 1 &&
		    p->has_affinity);
	assert_int_equal(p->affinity.n, 2);
	assert_int_equal(m->terms[p->affinity.first].requirements.n, 2);
	assert_int_equal(m->terms[p->affinity.first + 1].requirements.n, 0);
	/* by name: cpu, gpu, memory */
	assert_int_equal(p->requests.n, 3);
	assert_string_equal(name_of(m, r[0].resource_name), "cpu");
	assert_int_equal(r[0].amount, 5010);
	assert_int_equal(r[1].amount, 1);
	assert_int_equal(r[2].amount, GI);
	assert_string_equal(name_of(unsealed, unsealed->workloads[0].admitted_queue_name), "cq");
	assert_int_equal(a->count, 3);
	assert_int_equal(a->assignments.n, 2);
	assert_string_equal(name_of(m, used[0].flavor_name), "f");
	assert_int_equal(used[0].amount, 3000);
	assert_string_equal(name_of(m, used[1].resource_name), "memory");
	assert_int_equal(used[1].amount, 0);
	fl_model_free(unsealed);
	fl_model_free(m);
}

TEST(priority_class_ref)
{
	struct fl_model *m = load(
		KUEUE2 "kind: Workload\nmetadata: {name: w}\nspec: {priority: 7, priorityClassRef: "
		       "{group: scheduling.k8s.io, kind: PriorityClass, name: p}}\n");
	const struct fl_workload_row *w = &m->workloads[0];

	assert_string_equal(name_of(m, w->namespace), "default");
	assert_string_equal(name_of(m, w->priority_class), "p");
	assert_true(!w->class_of_workloads && w->has_priority && w->priority == 7);
	fl_model_free(m);
}

static uint64_t hash_of(const char *spec)
{
	char text[1024];
	struct fl_model *m;
	uint64_t hash;

	(void)snprintf(
		text, sizeof text,
		KUEUE2
		"kind: Workload\nmetadata: {name: w}\nspec: {podSets: [{template: {spec: %s}}]}\n",
		spec);
	m = load(text);
	hash = m->podsets[0].spec_hash;
	fl_model_free(m);
	return hash;
}

TEST(spec_hash)
{
	static const char base[] =
		"{nodeSelector: {a: b, c: d}, containers: [{name: x}, {name: y}]}";
	static const char *const others[] = {
		"{nodeSelector: {a: b, c: e}, containers: [{name: x}, {name: y}]}",
		"{nodeSelector: {a: d, c: b}, containers: [{name: x}, {name: y}]}",
		"{nodeSelector: {a: b, c: d}, containers: [{name: y}, {name: x}]}",
		"{nodeSelector: {a: b, c: d}, containers: [{name: x}]}",
		"{nodeSelector: {a: b, c: d}, containers: [{name: x}, {name: y}], volumes: []}",
	};

	assert_true(
		hash_of(base) ==
		hash_of("{containers: [{name: \"x\"}, {name: 'y'}], nodeSelector: {c: d, a: b}}"));
	for (size_t i = 0; i < COUNT(others); i++)
		CHECK(hash_of(base) != hash_of(others[i]), others[i]);
	assert_true(hash_of("{priority: 1}") != hash_of("{priority: '1'}"));
}

TEST(configuration)
{
	static const struct {
		const char *text;
		bool fair;
		uint32_t n;
		enum fl_fair_strategy first;
	} rows[] = {
		{ "{}", true, 2, FL_FINAL_SHARE },
		{ "null", false, 2, FL_FINAL_SHARE },
		{ "{enable: true}", true, 2, FL_FINAL_SHARE },
		{ "{enable: false, preemptionStrategies: [LessThanInitialShare]}", false, 1,
		  FL_INITIAL_SHARE },
		{ "{preemptionStrategies: []}", true, 2, FL_FINAL_SHARE },
		{ "{preemptionStrategies: [LessThanInitialShare]}", true, 1, FL_INITIAL_SHARE },
		{ "{preemptionStrategies: [LessThanOrEqualToFinalShare]}", true, 1,
		  FL_FINAL_SHARE },
		{ "{preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}",
		  true, 2, FL_FINAL_SHARE },
	};

	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		char text[512];
		struct fl_model *m;

		/* by itself, and inside the ConfigMap */
		if (i % 2 == 0)
			(void)snprintf(
				text, sizeof text,
				"apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\nfairSharing: %s\n",
				rows[i / 2].text);
		else
			(void)snprintf(
				text, sizeof text,
				"kind: ConfigMap\napiVersion: v1\nmetadata: {name: kueue-manager-config}\ndata:\n"
				"  controller_manager_config.yaml: |\n    apiVersion: config.kueue.x-k8s.io/v1beta1\n"
				"    kind: Configuration\n    fairSharing: %s\n",
				rows[i / 2].text);
		m = load(text);
		CHECK(m->settings.present, rows[i / 2].text);
		CHECK(m->settings.fair_sharing == rows[i / 2].fair, rows[i / 2].text);
		CHECK(m->settings.n_strategies == rows[i / 2].n, rows[i / 2].text);
		CHECK(m->settings.strategies[0] == rows[i / 2].first, rows[i / 2].text);
		fl_model_free(m);
	}
}

TEST(notices)
{
	static const struct {
		const char *text;
		enum fl_notice_kind kind;
		const char *line, *hint;
	} rows[] = {
		{ KUEUE2 "kind: ClusterQueue\nmetadata: {name: a}\nspec: {cohortNam: x}\n",
		  FL_NOTICE_UNKNOWN_FIELD,
		  "4:19 ClusterQueue/a .spec.cohortNam: unknown field 'cohortNam'",
		  "did you mean 'cohortName'?" },
		{ KUEUE2 "kind: ClusterQueue\nmetadata: {name: a}\nspec: {zzz: x}\n",
		  FL_NOTICE_UNKNOWN_FIELD, "4:13 ClusterQueue/a .spec.zzz: unknown field 'zzz'",
		  "" },
		{ KUEUE2 "kind: ClusterQueue\nmetadata: {name: a}\nspec: {admissionChecks: [c]}\n",
		  FL_NOTICE_UNKNOWN_FIELD,
		  "4:25 ClusterQueue/a .spec.admissionChecks: unknown field 'admissionChecks': it is one of v1beta1, "
		  "and this is v1beta2",
		  "write 'admissionChecksStrategy'" },
		{ KUEUE1 "kind: ClusterQueue\nmetadata: {name: a}\nspec: {admissionChecks: [c]}\n",
		  FL_NOTICE_IGNORED_FIELD,
		  "4:25 ClusterQueue/a .spec.admissionChecks: 'admissionChecks' is ignored: quota is given without "
		  "waiting for checks",
		  "" },
		{ KUEUE1 "kind: ClusterQueue\nmetadata: {name: a}\nspec: {admissionChecks: []}\n",
		  FL_NOTICE_IGNORED_FIELD, "", "" },
		{ KUEUE2
		  "kind: ClusterQueue\nmetadata: {name: a, managedFields: [1]}\nstatus: {x: 1}\n",
		  FL_NOTICE_UNKNOWN_FIELD, "", "" },
		{ "apiVersion: v1\nkind: Event\nmetadata: {name: p, namespace: n}\n",
		  FL_NOTICE_IGNORED_OBJECT, "1:1 Event/n/p: kind 'Event' of 'v1' is not read", "" },
		{ "apiVersion: kueue.x-k8s.io/v1\nkind: ClusterQueue\nmetadata: {name: a}\n",
		  FL_NOTICE_IGNORED_OBJECT,
		  "1:1 ClusterQueue/a: kind 'ClusterQueue' of 'kueue.x-k8s.io/v1' is not read",
		  "" },
		{ "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: n}\ndata: {a: b}\n",
		  FL_NOTICE_IGNORED_OBJECT,
		  "1:1 ConfigMap/n/x: only the ConfigMap 'kueue-manager-config' is read", "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);
		const struct fl_notice *n = load_notice(m, rows[i].kind);
		char line[512];

		assert_string_equal(load_notice_line(m, rows[i].kind, line), rows[i].line);
		if (n)
			assert_string_equal(fl_model_text(m, n->hint), rows[i].hint);
		fl_model_free(m);
	}
}

TEST(many_notices)
{
	size_t size = 2000000, n = (size_t)0;
	char *text = malloc(size);
	struct fl_model *m;

	assert_non_null(text);
	n = (size_t)snprintf(text, size, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	for (int i = 0; i < 10005; i++)
		n += (size_t)snprintf(text + n, size - n,
				      "%s{\"apiVersion\":\"v1\",\"kind\":\"Event\"}", i ? "," : "");
	(void)snprintf(text + n, size - n, "]}");
	m = load(text);
	assert_int_equal(m->n_notices, 10000);
	assert_int_equal(m->notices_dropped, 5);
	fl_model_free(m);
	free(text);
}

TEST(lists)
{
	/* items before kind, a List in a List, an empty one, documents of both */
	struct fl_model *m = load(
		"{\"apiVersion\":\"v1\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\"}}},"
		"{\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"b\"}}]}],\"kind\":\"List\",\"metadata\":{}}"
		"{\"items\":[],\"kind\":\"List\"}"
		"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"c\"}}");

	assert_int_equal(m->n_namespaces, 3);
	assert_int_equal(m->namespaces[0].labels.n, 1);
	fl_model_free(m);
}

/* As the replays of recorded cases read: objects from a list inside something else. */
TEST(values)
{
	static const char text[] =
		"{\"id\": 1, \"objects\": [{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\"}},"
		"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"b\"}}], \"x\": 2}";
	struct fl_model *m = NULL;
	struct fl_reader *r = NULL;
	struct fl_token t;
	uint32_t n = 0;

	assert_int_equal(fl_model_new(&fl_mem_heap, &m, NULL), 0);
	assert_int_equal(fl_reader_new(&fl_mem_heap, text, sizeof text - 1, &r, NULL), 0);
	do
		assert_int_equal(fl_reader_next(r, &t, NULL), 0);
	while (t.kind != FL_TOKEN_LIST);
	while (fl_kube_read_value(m, 0, r, NULL) == 0)
		n++;
	assert_int_equal(n, 2);
	assert_int_equal(m->n_namespaces, 2);
	assert_int_equal(fl_reader_next(r, &t, NULL), 0);
	assert_int_equal(t.kind, FL_TOKEN_KEY);
	fl_reader_free(r);
	fl_model_free(m);
}

TEST(admission_fair_sharing)
{
	struct fl_model *m = load(
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nadmissionFairSharing: "
		"{usageHalfLifeTime: 1h, resourceWeights: {cpu: 0.3, memory: 0}}\n---\n" KUEUE2
		"kind: LocalQueue\nmetadata: {name: q, namespace: n}\nspec: {clusterQueue: c, fairSharing: {weight: 2}}\n"
		"status: {fairSharing: {admissionFairSharingStatus: {consumedResources: {cpu: 2500m, memory: 8Ei}}}}\n");

	assert_true(m->settings.admission_fair_sharing);
	assert_true(m->settings.usage_half_life == 3600 * FL_SECOND);
	assert_true(m->settings.usage_sampling == 300 * FL_SECOND);
	assert_int_equal(m->settings.resource_weights.n, 2);
	assert_true(m->resource_weights[0].weight >= 0.3 && m->resource_weights[0].weight <= 0.3);
	assert_int_equal(m->queues[0].consumed.n, 2);
	assert_true(m->consumed[0].amount == 2500000000);
	assert_true(m->consumed[1].amount == ((fl_nanos)1 << 63) * 1000000000);
	fl_model_free(m);
}

static int read_fails(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	(void)user;
	(void)buffer;
	(void)size;
	(void)ret;
	return fl_fail(err, FAIRLEAD_EIO, "the disk is gone");
}

/* What fails is told with the name of the input, and to nobody who does not want to hear it. */
TEST(source_fails)
{
	const struct fl_source source = { read_fails, NULL };
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };

	assert_int_equal(fl_model_new(&fl_mem_heap, &m, NULL), 0);
	assert_int_equal(fl_kube_read_from(m, "in", &source, NULL, &err), FAIRLEAD_EIO);
	assert_string_equal(err.file, "in");
	fl_model_free(m);
	assert_int_equal(fl_model_new(&fl_mem_heap, &m, NULL), 0);
	assert_int_equal(fl_kube_read_from(m, "in", &source, NULL, NULL), FAIRLEAD_EIO);
	fl_model_free(m);
}

TEST(out_of_memory)
{
	for (unsigned long n = 1;; n++) {
		struct fail_mem f;
		fairlead_error err;
		struct fl_model *m;

		fail_mem_init(&f);
		f.fail_at = n;
		m = load_open(&f.mem, workload_text, &err);
		if (m && fl_model_seal(m, &err) < 0)
			m = fl_model_free(m);
		if (m) {
			fl_model_free(m);
			assert_int_equal(f.live, 0);
			break;
		}
		assert_int_equal(err.code, FAIRLEAD_ENOMEM);
		assert_int_equal(f.live, 0);
		assert_true(n < 10000);
	}
}

/* As many podSets as the API server allows, with as many that are done in part. */
TEST(most_podsets)
{
	char text[1 << 13];
	size_t n = (size_t)snprintf(text, sizeof text,
				    KUEUE2 "kind: Workload\nmetadata: {name: w, namespace: ns}\n"
					   "spec:\n  podSets:\n");

	for (int i = 0; i < 18; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "  - {name: p%d, count: 5, template: {spec: {containers: "
				      "[{resources: {requests: {cpu: 1}}}]}}}\n",
				      i);
	n += (size_t)snprintf(text + n, sizeof text - n, "status:\n  reclaimablePods:\n");
	for (int i = 0; i < 18; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "  - {name: p%d, count: %d}\n", i,
				      i % 3);
	struct fl_model *m = load(text);
	struct fl_span podsets = m->workloads[0].podsets;

	assert_int_equal(podsets.n, 18);
	for (uint32_t i = 0; i < 18; i++)
		assert_int_equal(m->podsets[podsets.first + i].reclaimed, i % 3);
	fl_model_free(m);
}

/* --- names that are generated --- */

TEST(generated_names)
{
	static const char text[] = KUEUE2
		"kind: LocalQueue\nmetadata: {name: q, namespace: ns}\nspec: {clusterQueue: c}\n"
		"---\n" KUEUE2
		"kind: Workload\nmetadata: {generateName: w-, namespace: ns}\n---\n" KUEUE2
		"kind: Workload\nmetadata: {generateName: w-, namespace: ns}\n---\n" KUEUE2
		"kind: Workload\nmetadata: {generateName: w-}\n---\n" KUEUE2
		"kind: Workload\nmetadata: {name: '', namespace: ns, generateName: w-}\n---\n" KUEUE2
		"kind: Workload\nmetadata: {name: own, generateName: w-, namespace: ns}\n---\n" KUEUE2
		"kind: ClusterQueue\nmetadata: {generateName: w-}\n";
	static const char *const names[] = { "ns/w-0", "ns/w-1", "default/w-0", "ns/w-2",
					     "ns/own" };
	struct fl_model *m = load(text);

	assert_int_equal(m->n_workloads, COUNT(names));
	for (uint32_t i = 0; i < COUNT(names); i++) {
		char name[64];

		(void)snprintf(name, sizeof name, "%s/%s",
			       fl_model_text(m, m->workloads[i].namespace),
			       fl_model_text(m, m->workloads[i].name));
		assert_string_equal(name, names[i]);
	}
	assert_int_equal(fl_model_find_node(m, FL_CLUSTER_QUEUE, "w-0").v, 0);
	fl_model_free(m);
}

TEST(generated_names_that_are_none)
{
	static const struct {
		const char *metadata, *line;
	} rows[] = {
		{ "{generateName: ''}", "3:11 Workload/default .metadata: no name" },
		{ "{generateName: {a: b}}", "3:11 Workload/default .metadata: no name" },
		{ "{generateName: a-, name: [x]}",
		  "3:36 Workload/default .metadata.name: expected a string, not a list" },
	};
	fairlead_error err;

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[256], line[1024];

		(void)snprintf(text, sizeof text, KUEUE2 "kind: Workload\nmetadata: %s\n",
			       rows[i].metadata);
		assert_null(load_open(&fl_mem_heap, text, &err));
		(void)snprintf(line, sizeof line, "%u:%u %s: %s", err.line, err.column, err.subject,
			       err.text);
		assert_string_equal(line, rows[i].line);
	}
	/* A name that an object has by itself is not made again, but told. */
	assert_null(load_open(&fl_mem_heap,
			      KUEUE2 "kind: Workload\nmetadata: {name: w-0}\n---\n" KUEUE2
				     "kind: Workload\nmetadata: {generateName: w-}\n",
			      &err));
	assert_string_equal(err.text, "defined twice");
	assert_string_equal(err.subject, "Workload/default/w-0");
}

TEST(memory_of_generated_names)
{
	static const char text[] = KUEUE2 "kind: Workload\nmetadata: {generateName: w-}\n";
	bool read = false;

	for (unsigned long n = 1; !read; n++) {
		struct fail_mem fail;
		fairlead_error err;
		struct fl_model *m;

		fail_mem_init(&fail);
		fail.fail_at = n;
		m = load_open(&fail.mem, text, &err);
		read = m != NULL;
		if (!read)
			assert_int_equal(err.code, FAIRLEAD_ENOMEM);
		fl_model_free(m);
		assert_int_equal(fail.live, 0);
	}
}

UNIT_GROUP("kube")
