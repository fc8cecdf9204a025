/* SPDX-License-Identifier: Apache-2.0 */
/* What references become, written as small manifests. */
#include "lib/few.h"
#include "model/left.h"
#include "unit/codec/load.h"

#define K "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define CQ(name, spec) "---\n" K "kind: ClusterQueue\nmetadata: {name: " name "}\nspec: " spec "\n"
#define COHORT(name, parent)                                                                       \
	"---\n" K "kind: Cohort\nmetadata: {name: " name "}\nspec: {parentName: " parent "}\n"
#define LQ(name, cq, more)                                                                         \
	"---\n" K "kind: LocalQueue\nmetadata: {name: " name                                       \
	", namespace: ns}\nspec: {clusterQueue: " cq more "}\n"
#define WL(name, spec, status)                                                                     \
	"---\n" K "kind: Workload\nmetadata: {name: " name ", namespace: ns}\nspec: {" spec        \
	"}\nstatus: {" status "}\n"
#define GROUP(flavor)                                                                              \
	"resourceGroups: [{coveredResources: [cpu], flavors: [{name: " flavor                      \
	", resources: [{name: cpu, nominalQuota: 1}]}]}]"
#define OPEN "namespaceSelector: {}"

static const char *inactive(const struct fl_model *m, enum fl_node_kind kind, const char *name)
{
	return fl_inactive_name(m->nodes[fl_model_find_node(m, kind, name).v].inactive);
}

TEST(cycles)
{
	struct fl_model *m = load(
		CQ("ok", "{cohortName: root, " OPEN "}")
			CQ("on", "{cohortName: b, " OPEN ", stopPolicy: Hold, " GROUP("gone") "}")
				CQ("below", "{cohortName: d, " OPEN "}")
					CQ("self", "{cohortName: s, " OPEN "}") COHORT("c", "a")
						COHORT("a", "b") COHORT("b", "c") COHORT("d", "e")
							COHORT("e", "c") COHORT("s", "s"));
	char line[512];

	assert_string_equal(inactive(m, FL_CLUSTER_QUEUE, "ok"), "");
	assert_string_equal(inactive(m, FL_COHORT, "root"), "");
	assert_string_equal(inactive(m, FL_CLUSTER_QUEUE, "on"), "CohortCycle");
	assert_string_equal(inactive(m, FL_CLUSTER_QUEUE, "below"), "CohortCycle");
	assert_string_equal(inactive(m, FL_CLUSTER_QUEUE, "self"), "CohortCycle");
	assert_string_equal(inactive(m, FL_COHORT, "a"), "CohortCycle");
	assert_string_equal(inactive(m, FL_COHORT, "e"), "CohortCycle");
	assert_string_equal(
		load_notice_line(m, FL_NOTICE_COHORT_CYCLE, line),
		"7:1 ClusterQueue/on: is below the cohort cycle 'a -> b -> c -> a'; nothing in it is admitted");
	fl_model_free(m);
	m = load(COHORT("s", "s"));
	assert_string_equal(
		load_notice_line(m, FL_NOTICE_COHORT_CYCLE, line),
		"2:1 Cohort/s: is part of the cohort cycle 's -> s'; nothing in it is admitted");
	fl_model_free(m);
}

/* A chain and a loop of 100,000 cohorts: no recursion, no square. */
TEST(long_cycle)
{
	const int n = under_valgrind() ? 10000 : 100000;
	size_t size = (size_t)n * 160, at = 0;
	char *text = malloc(size), line[512];

	assert_non_null(text);
	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(
			text + at, size - at,
			"{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Cohort\",\"metadata\":{\"name\":\"c%06d\"},"
			"\"spec\":{\"parentName\":\"c%06d\"}}",
			i,
			i < n / 2  ? i + 1 :
			i == n - 1 ? n / 2 :
				     i + 1);
	struct fl_model *m = load(text);

	for (uint32_t i = 0; i < m->n_nodes; i++)
		assert_int_equal(m->nodes[i].inactive, FL_INACTIVE_COHORT_CYCLE);
	load_notice_line(m, FL_NOTICE_COHORT_CYCLE, line);
	if (!under_valgrind())
		assert_string_equal(
			line,
			"1:1 Cohort/c000000: is below the cohort cycle 'c050000 -> c050001 -> c050002 -> c050003 -> "
			"c050004 -> c050005 -> ... -> c050000'; nothing in it is admitted");
	fl_model_free(m);
	free(text);
}

TEST(queues)
{
	struct fl_model *m = load(
		CQ("a", "{cohortName: co, " OPEN ", " GROUP("here") "}") CQ(
			"gone", "{" OPEN ", stopPolicy: HoldAndDrain, " GROUP(
					"missing") "}") CQ("stopped",
							   "{" OPEN ", stopPolicy: Hold}")
			CQ("shut",
			   "{}") "---\n" K
				 "kind: Cohort\nmetadata: {name: other}\nspec: {" GROUP(
					 "nowhere") "}\n"
						    "---\n" K
						    "kind: ResourceFlavor\nmetadata: {name: here}\n" LQ(
							    "q", "a", "") LQ("lost", "b", ""));
	const struct fl_node_row *gone =
		&m->nodes[fl_model_find_node(m, FL_CLUSTER_QUEUE, "gone").v];
	const struct fl_node_row *cohort = &m->nodes[fl_model_find_node(m, FL_COHORT, "co").v];
	char line[512];

	assert_string_equal(inactive(m, FL_CLUSTER_QUEUE, "a"), "");
	assert_string_equal(inactive(m, FL_CLUSTER_QUEUE, "gone"), "FlavorNotFound");
	assert_string_equal(fl_model_text(m, gone->missing_flavor), "missing");
	assert_string_equal(inactive(m, FL_CLUSTER_QUEUE, "stopped"), "Stopped");
	assert_string_equal(inactive(m, FL_COHORT, "other"), "");
	assert_false(cohort->declared);
	assert_true(cohort->weight >= 1 && cohort->weight <= 1);
	assert_int_equal(m->n_flavors, 3);
	assert_true(m->flavors[0].declared && !m->flavors[1].declared);
	assert_string_equal(
		load_notice_line(m, FL_NOTICE_MISSING_FLAVOR, line),
		"10:138 ClusterQueue/gone: flavor 'missing' does not exist; the queue is inactive");
	assert_string_equal(
		load_notice_line(m, FL_NOTICE_SELECTOR_MATCHES_NOTHING, line),
		"17:1 ClusterQueue/shut: no namespaceSelector: the queue admits from no namespace");
	assert_string_equal(load_notice_line(m, FL_NOTICE_STOPPED, line),
			    "7:1 ClusterQueue/gone: the queue is stopped: it admits nothing, and "
			    "its running workloads are evicted");
	assert_string_equal(load_notice_line(m, FL_NOTICE_MISSING_CLUSTER_QUEUE, line),
			    "36:1 LocalQueue/ns/lost: cluster queue 'b' does not exist");
	assert_int_equal(m->queues[0].cluster_queue.v, 0);
	assert_int_equal(m->queues[1].cluster_queue.v, FL_NONE);
	fl_model_free(m);
}

#define RESERVED(queue)                                                                            \
	"conditions: [{type: QuotaReserved, status: \"True\"}], admission: {clusterQueue: " queue  \
	"}"

TEST(exclusion)
{
	static const struct {
		const char *spec, *status, *excluded;
		bool holds;
		enum fl_notice_kind kind; /* ASSUMED: none is expected */
		const char *line;
	} rows[] = {
		{ "queueName: q", "", "", false, FL_NOTICE_ASSUMED, "" },
		{ "queueName: q", RESERVED("cq"), "", true, FL_NOTICE_ASSUMED, "" },
		{ "queueName: q", "admission: {clusterQueue: cq}", "", false, FL_NOTICE_ASSUMED,
		  "" },
		{ "queueName: q", RESERVED("none"), "ClusterQueueDoesNotExist", false,
		  FL_NOTICE_MISSING_CLUSTER_QUEUE,
		  "admitted to cluster queue 'none', which does not exist; it holds no quota" },
		{ "", "", "QueueDoesNotExist", false, FL_NOTICE_NO_QUEUE,
		  "no queueName: it is never admitted" },
		{ "queueName: x", "", "QueueDoesNotExist", false, FL_NOTICE_MISSING_QUEUE,
		  "local queue 'ns/x' does not exist" },
		{ "queueName: x", RESERVED("cq"), "QueueDoesNotExist", true,
		  FL_NOTICE_MISSING_QUEUE, "local queue 'ns/x' does not exist" },
		{ "queueName: lost", "", "ClusterQueueDoesNotExist", false, FL_NOTICE_ASSUMED, "" },
		{ "queueName: held", "", "QueueStopped", false, FL_NOTICE_ASSUMED, "" },
		{ "queueName: q, active: false", RESERVED("cq"), "Deactivated", false,
		  FL_NOTICE_ASSUMED, "" },
		{ "queueName: q",
		  "conditions: [{type: DeactivationTarget, status: \"True\"}, {type: QuotaReserved, status: \"True\"}], admission: {clusterQueue: cq}",
		  "Deactivated", false, FL_NOTICE_ASSUMED, "" },
		{ "queueName: q", RESERVED("cq") ", admissionChecks: [{name: c, state: Rejected}]",
		  "Deactivated", false, FL_NOTICE_ASSUMED, "" },
		{ "queueName: q", "admissionChecks: [{name: c, state: Rejected}]", "", false,
		  FL_NOTICE_ASSUMED, "" },
		{ "queueName: off", "", "ClusterQueueStopped", false, FL_NOTICE_ASSUMED, "" },
		{ "queueName: off", RESERVED("stopped"), "ClusterQueueStopped", true,
		  FL_NOTICE_ASSUMED, "" },
		{ "active: false",
		  "conditions: [{type: Finished, status: \"True\"}, {type: QuotaReserved, status: \"True\"}], admission: {clusterQueue: cq}",
		  "Finished", false, FL_NOTICE_ASSUMED, "" },
		{ "queueName: q, podSets: [{template: {spec: {containers: [{resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]}}}]",
		  "", "Misconfigured", false, FL_NOTICE_REQUESTS_ABOVE_LIMITS,
		  "a container requests more than its limits" },
		{ "queueName: q, podSets: [{template: {spec: {containers: [{resources: {requests: {cpu: 9}, limits: {cpu: 9}}}]}}}]",
		  "", "OutsideLimitRange", false, FL_NOTICE_OUTSIDE_LIMIT_RANGE,
		  "asks for more or less than a LimitRange of namespace 'ns' allows" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[2048], line[512], want[512] = "";
		struct fl_model *m;

		(void)snprintf(
			text, sizeof text,
			"%s---\n" K
			"kind: Workload\nmetadata: {name: w, namespace: ns}\nspec: {%s}\nstatus: {%s}\n",
			CQ("cq", "{" OPEN "}") LQ("q", "cq", "") LQ("lost", "gone", "") LQ(
				"held", "cq",
				", stopPolicy: Hold") CQ("stopped", "{" OPEN ", stopPolicy: Hold}")
				LQ("off", "stopped",
				   "") "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: ns}\n"
				       "spec: {limits: [{type: Container, max: {cpu: 8}}]}\n",
			rows[i].spec, rows[i].status);
		m = load(text);
		CHECK(strcmp(fl_excluded_name(m->workloads[0].excluded), rows[i].excluded) == 0,
		      text);
		CHECK((m->workloads[0].admitted_queue.v != FL_NONE) == rows[i].holds, text);
		if (*rows[i].line)
			(void)snprintf(want, sizeof want, "%s", rows[i].line);
		load_notice_line(m, rows[i].kind, line);
		/* That kind may have one for the local queue before. */
		if (rows[i].kind == FL_NOTICE_MISSING_CLUSTER_QUEUE)
			assert_string_equal(fl_model_text(m, m->notices[m->n_notices - 1].text),
					    want);
		else if (*want)
			assert_string_equal(strstr(line, ": ") + 2, want);
		fl_model_free(m);
	}
}

#define ADMITTED                                                                                      \
	"conditions: [{type: QuotaReserved, status: \"True\"}, {type: Admitted, status: \"True\"}], " \
	"admission: {clusterQueue: "
#define RETRY "admissionChecks: [{name: a, state: Ready}, {name: b, state: Retry}]"

TEST(evicting)
{
	static const struct {
		const char *queue, *status;
		enum fl_evicting want;
	} rows[] = {
		{ "open", "", FL_EVICTING_NOT },
		{ "open", ADMITTED "open}", FL_EVICTING_NOT },
		{ "open", RESERVED("open"), FL_EVICTING_NOT },
		{ "open",
		  "conditions: [{type: Evicted, status: \"True\", reason: Preempted}, {type: QuotaReserved, status: \"True\"}], admission: {clusterQueue: open}",
		  FL_EVICTING_UNDER_WAY },
		/* Hold lets run what is admitted, and takes what is only reserved. */
		{ "hold", ADMITTED "hold}", FL_EVICTING_NOT },
		{ "hold", RESERVED("hold"), FL_EVICTING_CLUSTER_QUEUE_STOPPED },
		{ "drain", ADMITTED "drain}", FL_EVICTING_CLUSTER_QUEUE_STOPPED },
		{ "drain", "", FL_EVICTING_NOT },
		{ "local-hold", ADMITTED "open}", FL_EVICTING_NOT },
		{ "local-hold", RESERVED("open"), FL_EVICTING_LOCAL_QUEUE_STOPPED },
		{ "local-drain", ADMITTED "open}", FL_EVICTING_LOCAL_QUEUE_STOPPED },
		/* The queue whose quota it holds counts, not the one it is in. */
		{ "open", ADMITTED "drain}", FL_EVICTING_CLUSTER_QUEUE_STOPPED },
		{ "gone", ADMITTED "open}", FL_EVICTING_NOT },
		{ "gone", RESERVED("open"), FL_EVICTING_QUEUE_MISSING },
		{ "open", ADMITTED "open}, " RETRY, FL_EVICTING_ADMISSION_CHECK },
		{ "open", RESERVED("open") ", " RETRY, FL_EVICTING_ADMISSION_CHECK },
		{ "open", RETRY, FL_EVICTING_NOT },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[2048];
		struct fl_model *m;

		(void)snprintf(
			text, sizeof text,
			"%s---\n" K
			"kind: Workload\nmetadata: {name: w, namespace: ns}\nspec: {queueName: %s}\nstatus: {%s}\n",
			CQ("open", "{" OPEN "}") CQ("hold", "{" OPEN ", stopPolicy: Hold}")
				CQ("drain", "{" OPEN ", stopPolicy: HoldAndDrain}")
					LQ("open", "open", "") LQ("hold", "hold", "")
						LQ("drain", "drain", "") LQ("local-hold", "open",
									    ", stopPolicy: Hold")
							LQ("local-drain", "open",
							   ", stopPolicy: HoldAndDrain"),
			rows[i].queue, rows[i].status);
		m = load(text);
		CHECK(m->workloads[0].evicting == rows[i].want, text);
		fl_model_free(m);
	}
}

TEST(ready)
{
#define REQUEUED(status, reason)                                                                   \
	"conditions: [{type: Requeued, status: \"" status "\", reason: " reason "}]"
#define AT ", requeueState: {count: 2, requeueAt: \"2026-01-01T00:00:09Z\"}"
	static const struct {
		const char *status;
		fl_time want;
	} rows[] = {
		{ "conditions: []", FL_TIME_NONE },
		{ "conditions: []" AT, INT64_C(1767225609) * FL_SECOND },
		{ REQUEUED("True", "Preempted"), FL_TIME_NONE },
		{ REQUEUED("True", "Preempted") AT, INT64_C(1767225609) * FL_SECOND },
		{ REQUEUED("False", "PodsReadyTimeout") AT, INT64_C(1767225609) * FL_SECOND },
		{ REQUEUED("False", "PodsReadyTimeout"), FL_TIME_NONE },
		{ REQUEUED("False", "AdmissionCheck") AT, INT64_C(1767225609) * FL_SECOND },
		{ REQUEUED("False", "Deactivated"), FL_TIME_NONE },
		{ REQUEUED("False", "ClusterQueueStopped"), FL_TIME_NONE },
		{ REQUEUED("False", "LocalQueueStopped"), FL_TIME_NONE },
		{ REQUEUED("False", "SomebodySaidSo"), FL_NEVER },
		{ REQUEUED("False", "SomebodySaidSo") AT, FL_NEVER },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[1024];
		struct fl_model *m;

		(void)snprintf(
			text, sizeof text,
			"%s---\n" K
			"kind: Workload\nmetadata: {name: w, namespace: ns, creationTimestamp: \"2026-01-01T00:00:00Z\"}\n"
			"spec: {queueName: q}\nstatus: {%s}\n",
			CQ("cq", "{" OPEN "}") LQ("q", "cq", ""), rows[i].status);
		m = load(text);
		CHECK(fl_model_requeue(m, &m->workloads[0])->ready_at == rows[i].want,
		      rows[i].status);
		/* A time to come is not what "now" is taken from. */
		CHECK(m->newest == INT64_C(1767225600) * FL_SECOND, rows[i].status);
		fl_model_free(m);
	}
}

TEST(priorities)
{
#define CLASSES(default_a, default_b)                                                                  \
	"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: a}\nvalue: 10\n" \
	"globalDefault: " default_a                                                                    \
	"\n---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"                               \
	"metadata: {name: b}\nvalue: 5\nglobalDefault: " default_b "\n---\n" K                         \
	"kind: WorkloadPriorityClass\nmetadata: {name: a}\nvalue: -3\n"
	static const struct {
		const char *text;
		int32_t want;
		bool missing;
	} rows[] = {
		{ CLASSES("true", "false") WL("w", "priority: 0", ""), 0, false },
		{ CLASSES("true", "false") WL(
			  "w", "priority: 7, priorityClassRef: {kind: PriorityClass, name: a}", ""),
		  7, false },
		{ CLASSES("false", "false")
			  WL("w", "priorityClassRef: {kind: PriorityClass, name: a}", ""),
		  10, false },
		{ CLASSES("false", "false")
			  WL("w", "priorityClassRef: {kind: WorkloadPriorityClass, name: a}", ""),
		  -3, false },
		{ CLASSES("false", "false")
			  WL("w", "priorityClassRef: {kind: WorkloadPriorityClass, name: b}", ""),
		  0, true },
		{ CLASSES("true", "false")
			  WL("w", "priorityClassRef: {kind: WorkloadPriorityClass, name: b}", ""),
		  10, true },
		{ CLASSES("true", "true") WL("w", "", ""), 5, false },
		{ CLASSES("false", "false") WL("w", "", ""), 0, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);

		CHECK(m->workloads[0].priority == rows[i].want, rows[i].text);
		CHECK((load_notice(m, FL_NOTICE_MISSING_PRIORITY_CLASS) != NULL) == rows[i].missing,
		      rows[i].text);
		fl_model_free(m);
	}
}

TEST(resources)
{
	struct fl_model *m = load(
		CQ("a",
		   "{" OPEN ", resourceGroups: [{coveredResources: [pods, cpu], flavors: []}]}")
			WL("w",
			   "podSets: [{template: {spec: {containers: [{resources: {requests: {zeta: 1, alpha: 1, cpu: 1}}}]}}}]",
			   ""));
	static const char *const want[] = { "alpha", "cpu", "pods", "zeta" };

	assert_int_equal(m->n_resources, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(fl_model_text(m, m->resources[i]), want[i]);
	assert_int_equal(m->requests[m->podsets[0].requests.first + 1].resource.v, 1);
	fl_model_free(m);
}

/* The same objects in another order: the same resources, reasons, priorities and findings. */
TEST(order_of_input)
{
	static const char *const parts[] = {
		CQ("a", "{cohortName: x, " OPEN ", " GROUP("f") "}"),
		CQ("b", "{cohortName: y, " OPEN ", " GROUP("g") "}"),
		COHORT("x", "y"),
		COHORT("y", "x"),
		LQ("q", "a", ""),
		WL("w", "queueName: q", RESERVED("b")),
		"---\n" K "kind: ResourceFlavor\nmetadata: {name: f}\n",
	};
	uint32_t rounds = 0;

	for (size_t first = 0; first < COUNT(parts); first++, rounds++) {
		char text[4096] = "";
		struct fl_model *m;
		const struct fl_workload_row *w;

		for (size_t i = 0; i < COUNT(parts); i++)
			strcat(text, parts[(first + 3 * i) % COUNT(parts)]);
		m = load(text);
		w = &m->workloads[0];
		assert_string_equal(inactive(m, FL_CLUSTER_QUEUE, "a"), "CohortCycle");
		assert_string_equal(inactive(m, FL_CLUSTER_QUEUE, "b"), "CohortCycle");
		assert_int_equal(w->admitted_queue.v,
				 fl_model_find_node(m, FL_CLUSTER_QUEUE, "b").v);
		assert_int_equal(w->cluster_queue.v,
				 fl_model_find_node(m, FL_CLUSTER_QUEUE, "a").v);
		assert_int_equal(m->n_notices, 5);
		for (uint32_t i = 0; i < m->n_notices; i++)
			if (m->notices[i].kind == FL_NOTICE_COHORT_CYCLE)
				assert_non_null(strstr(fl_model_text(m, m->notices[i].text),
						       "'x -> y -> x'"));
		fl_model_free(m);
	}
}

/* --- how much is held is not known: nothing is decided in that tree, or in any --- */

#define HANDED(name, cohort)                                                                       \
	"---\n" K "kind: ClusterQueue\nmetadata: {name: " name                                     \
	", annotations: {fairlead.dev/scheduler: 'true'}}\nspec: {stopPolicy: Hold, " cohort OPEN  \
	"}\n"

TEST(how_much_is_held_is_not_known)
{
	static const char trees[] = HANDED("a", "cohortName: co, ") HANDED("b", "cohortName: co, ")
		HANDED("free", "") HANDED("round", "cohortName: s, ") COHORT("s", "s")
			LQ("to-a", "a", "") LQ("to-free", "free", "") LQ("to-gone", "gone", "");
	static const char *const queues[] = { "a", "b", "free" };
	static const struct {
		const char *cluster_queue, *queue, *stops;
	} rows[] = {
		{ "a", "to-a", "a b" },
		{ "b", "to-free", "a b" }, /* where it is admitted, and not where it points */
		{ "free", "to-a", "free" },
		{ "{of: a}", "to-a", "a b" }, /* that cannot be read: where it points */
		{ "[free]", "to-free", "free" },
		{ "''", "to-free", "free" },
		{ "null", "to-a", "a b" },
		{ "round", "to-a", "" }, /* nothing is decided there anyway */
		{ "gone", "to-a", "a b free" },
		{ "null", "to-gone", "a b free" },
		{ "null", "missing", "a b free" },
		{ "null", "[to-a]", "a b free" },
		{ "null", "null", "a b free" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = NULL;
		fairlead_error err = { 0 };
		char text[4096], stops[20] = "";

		(void)snprintf(text, sizeof text,
			       "%s" WL("w", "queueName: %s",
				       "admission: {clusterQueue: %s, podSetAssignments: many}"),
			       trees, rows[i].queue, rows[i].cluster_queue);
		assert_int_equal(fl_model_new(&fl_mem_heap, &m, &err), 0);
		m->lenient = true;
		assert_int_equal(fl_kube_read(m, "in", text, strlen(text), &err), 0);
		assert_int_equal(fl_model_seal(m, &err), 0);
		assert_non_null(load_notice(m, FL_NOTICE_UNCERTAIN));
		assert_int_equal(m->n_uncertain, 1);
		for (size_t k = 0; k < COUNT(queues); k++) {
			const struct fl_node n = fl_model_find_node(m, FL_CLUSTER_QUEUE, queues[k]);
			const struct fl_uncertain_row *row = fl_model_uncertain(m, n);

			assert_int_equal(m->nodes[n.v].elsewhere, row != NULL);
			assert_int_equal(m->nodes[n.v].stop, row ? FL_STOP_HOLD : FL_STOP_NONE);
			if (!row)
				continue;
			(void)snprintf(stops + strlen(stops), sizeof stops - strlen(stops), "%s%s",
				       *stops ? " " : "", queues[k]);
			assert_string_equal(fl_model_text(m, row->name), "w");
			assert_non_null(strstr(fl_model_text(m, row->why), ".status.admission."));
		}
		assert_string_equal(stops, rows[i].stops);
		fl_model_free(m);
	}
}

#define CHECKED(name, known, stop, list)                                                           \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	", annotations: {fairlead.dev/scheduler: \"true\", fairlead.dev/checks: " known            \
	"}}\nspec: {cohortName: co, stopPolicy: " stop                                             \
	", admissionChecksStrategy: {admissionChecks: [" list "]}, " OPEN "}\n"

TEST(why_a_tree_is_left)
{
	static const struct {
		const char *row, *by; /* by: of the tree of "a"; NULL: it is handed over */
		enum fl_left why;
		const char *said;
	} rows[] = {
		{ "", NULL, FL_LEFT_NOT, NULL },
		{ CQ("c", "{stopPolicy: Hold, cohortName: co, " OPEN "}"), "c", FL_LEFT_QUEUE,
		  "ClusterQueue 'c' of its tree is not handed over: fairlead decides nowhere in the tree" },
		{ CQ("c", "{stopPolicy: Hold, " OPEN "}"), NULL, FL_LEFT_NOT, NULL },
		{ HANDED("c",
			 "cohortName: co, admissionChecksStrategy: {admissionChecks: [{name: x}]}, "),
		  "c", FL_LEFT_QUEUE,
		  "ClusterQueue 'c' of its tree is not handed over: fairlead decides nowhere in the tree" },
		/* Its checks keep Kueue from it; and what has come to them since, or a stop of somebody, fairlead. */
		{ CHECKED("c", "x", "None", "{name: x}, {name: fairlead}"), NULL, FL_LEFT_NOT,
		  NULL },
		{ CHECKED("c", "x", "Hold", "{name: x}, {name: fairlead}"), "c", FL_LEFT_QUEUE,
		  "ClusterQueue 'c' of its tree is not handed over: fairlead decides nowhere in the tree" },
		{ CHECKED("c", "x", "None", "{name: x}, {name: y}, {name: fairlead}"), "c",
		  FL_LEFT_CHECKS,
		  "ClusterQueue 'c' of its tree has other admission checks than when it was handed over: fairlead "
		  "decides nowhere in the tree" },
		{ HANDED("c",
			 "cohortName: co, concurrentAdmissionPolicy: {migration: {mode: x}}, "),
		  "c", FL_LEFT_RULE,
		  "ClusterQueue 'c' of its tree uses what fairlead does not decide for: fairlead decides nowhere in the "
		  "tree" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[4096];
		struct fl_node by;

		(void)snprintf(text, sizeof text, "%s%s",
			       HANDED("a", "cohortName: co, ") HANDED("b", "cohortName: co, "),
			       rows[i].row);
		struct fl_model *m = load(text);
		const struct fl_node a = fl_model_find_node(m, FL_CLUSTER_QUEUE, "a");
		const struct fl_notice *notice = load_notice(m, FL_NOTICE_HALF_HANDED_OVER);

		CHECK(fl_model_left(m, a, &by) == rows[i].why, rows[i].row);
		CHECK(m->nodes[a.v].elsewhere == (rows[i].why != FL_LEFT_NOT), rows[i].row);
		if (rows[i].by) {
			assert_string_equal(fl_model_text(m, m->nodes[by.v].name), rows[i].by);
			assert_string_equal(fl_model_text(m, notice->text), rows[i].said);
		} else {
			CHECK(!notice, rows[i].row);
		}
		fl_model_free(m);
	}
}

UNIT_GROUP("seal")
