/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/lint/lint.h"

#include "lib/fail_mem.h"
#include "unit/codec/load.h"

#define K "---\napiVersion: kueue.x-k8s.io/v1beta2\n"
#define FLAVOR K "kind: ResourceFlavor\nmetadata: {name: f}\n" /* 4 lines */
#define NODE(kind, name, spec, quota)                                                                     \
	K "kind: " kind "\nmetadata: {name: " name "}\nspec: {namespaceSelector: {}, " spec               \
	  "resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, " quota \
	  "}]}]}]}\n" /* 5 lines */
#define CQ(name, spec, quota) NODE("ClusterQueue", name, spec, quota)
#define COHORT(name, spec, quota)                                                                         \
	K "kind: Cohort\nmetadata: {name: " name "}\nspec: {" spec                                        \
	  "resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, " quota \
	  "}]}]}]}\n"
#define LQ                                                                                         \
	K "kind: LocalQueue\nmetadata: {name: q, namespace: ns}\nspec: {clusterQueue: a}\n" /* 5 */
#define WL(more, count, request)                                                                              \
	K "kind: Workload\nmetadata: {name: w, namespace: ns}\nspec: {queueName: q, podSets: [{count: " count \
		more ", template: {spec: {containers: [{resources: {requests: {" request                      \
	  "}}}]}}}]}\n"
#define CONFIG                                                                                     \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {enable: "
#define AFS(more)                                                                                  \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                    \
	"admissionFairSharing: {usageSamplingInterval: 1m, " more "}\n" /* 4 */
#define BY_USAGE "admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}, "
#define PREEMPTION(more) "preemption: {" more "}, "
/* a flavor that takes not all pods, and what is said of those */
#define LABELLED                                                                                   \
	K "kind: ResourceFlavor\nmetadata: {name: f}\nspec: {nodeLabels: {size: l, zone: east}}\n"
#define UNSUITED(line)                                                                             \
	line ":1 Workload/ns/w: not even an empty cluster admits it: it matches no flavor of its " \
	     "queue: "
#define NAMESPACE                                                                                  \
	"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns, labels: {team: red}}\n"
#define SELECTS(team)                                                                               \
	FLAVOR K                                                                                    \
		"kind: ClusterQueue\nmetadata: {name: a}\nspec: {namespaceSelector: {matchLabels: " \
		"{team: " team                                                                      \
		"}}, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, "               \
		"resources: [{name: cpu, nominalQuota: 1}]}]}]}\n"
/* cores and bytes, one by one */
#define TWO(name, spec, cpu, memory)                                                               \
	K "kind: ClusterQueue\nmetadata: {name: " name "}\nspec: {namespaceSelector: {}, " spec    \
	  "resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: f, resources: ["    \
	  "{name: cpu, nominalQuota: " cpu "}, {name: memory, nominalQuota: " memory "}]}]}]}\n"
#define WL_SPEC(more, request)                                                                          \
	K "kind: Workload\nmetadata: {name: w, namespace: ns}\nspec: {queueName: q, podSets: [{count: " \
	  "1, template: {spec: {" more "containers: [{resources: {requests: {" request                  \
	  "}}}]}}}]}\n"
#define HELD(amount)                                                                                      \
	K "kind: Workload\nmetadata: {name: held, namespace: ns}\nspec: {queueName: q, podSets: [{name: " \
	  "main, count: 1, template: {spec: {containers: [{resources: {requests: {cpu: " amount           \
	  "}}}]}}}]}\nstatus:\n  conditions: [{type: QuotaReserved, status: 'True', lastTransitionTime: " \
	  "'2026-01-01T00:00:00Z'}, {type: Admitted, status: 'True', lastTransitionTime: "                \
	  "'2026-01-01T00:00:00Z'}]\n  admission: {clusterQueue: a, podSetAssignments: [{name: main, "    \
	  "count: 1, flavors: {cpu: f}, resourceUsage: {cpu: " amount "}}]}\n"

TEST(findings)
{
	static const struct {
		const char *text;
		enum fl_notice_kind kind;
		const char *line; /* "": no such finding */
	} rows[] = {
		{ FLAVOR CQ("a", "", "nominalQuota: 1, borrowingLimit: 1"),
		  FL_NOTICE_ROOT_BORROWING_LIMIT,
		  "9:106 ClusterQueue/a: the borrowing limit of 'cpu' in flavor 'f' has no effect: without parent it cannot borrow" },
		{ FLAVOR COHORT("c", "", "nominalQuota: 1, borrowingLimit: 1"),
		  FL_NOTICE_ROOT_BORROWING_LIMIT,
		  "9:83 Cohort/c: the borrowing limit of 'cpu' in flavor 'f' has no effect: without parent it cannot borrow" },
		{ FLAVOR CQ("a", "cohortName: c, ", "nominalQuota: 1, borrowingLimit: 1"),
		  FL_NOTICE_ROOT_BORROWING_LIMIT, "" },
		{ FLAVOR CQ("a", "cohortName: c, ", "nominalQuota: 1, lendingLimit: 1500m"),
		  FL_NOTICE_LENDING_ABOVE_NOMINAL,
		  "9:121 ClusterQueue/a: the lending limit of 'cpu' in flavor 'f' is 1500m, but the nominal quota is 1" },
		{ FLAVOR CQ("a", "cohortName: c, ", "nominalQuota: 1, lendingLimit: 1"),
		  FL_NOTICE_LENDING_ABOVE_NOMINAL, "" },
		{ FLAVOR CQ("a", "cohortName: c, fairSharing: {weight: 0}, ", "nominalQuota: 1"),
		  FL_NOTICE_WEIGHT_ZERO,
		  "6:1 ClusterQueue/a: weight 0: whatever it borrows makes its share infinite" },
		{ FLAVOR CQ("a", "fairSharing: {weight: 0}, ", "nominalQuota: 1"),
		  FL_NOTICE_WEIGHT_ZERO, "" },
		{ CONFIG "false}\n" FLAVOR CQ("a", "cohortName: c, fairSharing: {weight: 0}, ",
					      "nominalQuota: 1"),
		  FL_NOTICE_WEIGHT_ZERO, "" },
		{ CONFIG "true}\n" FLAVOR CQ(
			  "a", "preemption: {borrowWithinCohort: {policy: LowerPriority}}, ",
			  "nominalQuota: 1"),
		  FL_NOTICE_BORROW_WITHIN_FAIR,
		  "10:1 ClusterQueue/a: borrowWithinCohort has no effect while fair sharing is on" },
		{ FLAVOR CQ("a", "preemption: {borrowWithinCohort: {policy: LowerPriority}}, ",
			    "nominalQuota: 1"),
		  FL_NOTICE_BORROW_WITHIN_FAIR, "" },
		{ FLAVOR COHORT("r", "", "nominalQuota: 9")
			  COHORT("c", "parentName: r, ", "nominalQuota: 1, borrowingLimit: 2")
				  CQ("a", "cohortName: c, ", "nominalQuota: 1, borrowingLimit: 3"),
		  FL_NOTICE_CHILD_LIMIT,
		  "16:1 ClusterQueue/a: may borrow 3 of 'cpu' in flavor 'f', but its cohort 'c' only 2" },
		{ FLAVOR COHORT("r", "", "nominalQuota: 9")
			  COHORT("c", "parentName: r, ", "nominalQuota: 1, borrowingLimit: 2")
				  CQ("a", "cohortName: c, ", "nominalQuota: 1, borrowingLimit: 2"),
		  FL_NOTICE_CHILD_LIMIT, "" },
		{ FLAVOR COHORT("r", "", "nominalQuota: 9, borrowingLimit: 2")
			  CQ("a", "cohortName: r, ", "nominalQuota: 1, borrowingLimit: 3"),
		  FL_NOTICE_CHILD_LIMIT, "" },
		{ FLAVOR CQ("a", "cohortName: c, ", "nominalQuota: 5, lendingLimit: 0")
			  CQ("b", "cohortName: c, ", "nominalQuota: 0"),
		  FL_NOTICE_NOTHING_TO_LEND,
		  "6:1 Cohort/c: no node lends 'cpu' in flavor 'f': its queues cannot borrow there" },
		{ FLAVOR CQ("a", "cohortName: c, ", "nominalQuota: 5, lendingLimit: 1")
			  CQ("b", "cohortName: c, ", "nominalQuota: 0"),
		  FL_NOTICE_NOTHING_TO_LEND, "" },
		{ FLAVOR CQ("a", "cohortName: c, ", "nominalQuota: 0"), FL_NOTICE_NOTHING_TO_LEND,
		  "" },
		/* a has 2 and may borrow 1 of b's 4 */
		{ FLAVOR CQ("a", "cohortName: c, ", "nominalQuota: 2, borrowingLimit: 1")
			  CQ("b", "cohortName: c, ", "nominalQuota: 4") LQ WL("", "1", "cpu: 3"),
		  FL_NOTICE_NEVER_FITS, "" },
		{ FLAVOR CQ("a", "cohortName: c, ", "nominalQuota: 2, borrowingLimit: 1") CQ(
			  "b", "cohortName: c, ", "nominalQuota: 4") LQ WL("", "1", "cpu: 3500m"),
		  FL_NOTICE_NEVER_FITS,
		  "21:1 Workload/ns/w: asks for 3500m of 'cpu', but cluster queue 'a' can never have more than 3 in one flavor" },
		{ FLAVOR CQ("a", "cohortName: c, ", "nominalQuota: 2")
			  CQ("b", "cohortName: c, ", "nominalQuota: 4, lendingLimit: 1")
				  LQ WL("", "2", "cpu: 2"),
		  FL_NOTICE_NEVER_FITS,
		  "21:1 Workload/ns/w: asks for 4 of 'cpu', but cluster queue 'a' can never have more than 3 in one flavor" },
		{ FLAVOR CQ("a", "", "nominalQuota: 2") LQ WL(", minCount: 1", "4", "cpu: 2"),
		  FL_NOTICE_NEVER_FITS, "" },
		{ FLAVOR CQ("a", "", "nominalQuota: 1E") LQ WL("", "4", "cpu: 1E"),
		  FL_NOTICE_NEVER_FITS, "" },
		{ FLAVOR CQ("a", "", "nominalQuota: 2") LQ WL("", "1", "gpu: 1"),
		  FL_NOTICE_NEVER_FITS,
		  "16:1 Workload/ns/w: asks for 'gpu', which cluster queue 'a' has no quota for" },
		{ FLAVOR CQ("a", "", "nominalQuota: 2") LQ WL("", "1", "gpu: 0"),
		  FL_NOTICE_NEVER_FITS, "" },
		/* 2 and 2 are found one by one, but not together */
		{ FLAVOR CQ("a", "", "nominalQuota: 3") LQ K
		  "kind: Workload\nmetadata: {name: w, namespace: ns}\nspec: {queueName: q, "
		  "podSets: [{name: a, count: 1, template: {spec: {containers: [{resources: "
		  "{requests: {cpu: 2}}}]}}}, {name: b, count: 1, template: {spec: "
		  "{containers: [{resources: {requests: {cpu: 2}}}]}}}]}\n",
		  FL_NOTICE_NEVER_FITS,
		  "16:1 Workload/ns/w: not even an empty cluster admits it: it asks for more than its queue could ever have: 4 'cpu' in flavor 'f', 3 at most" },
		{ FLAVOR CQ("a", "", "nominalQuota: 3") LQ HELD("3") WL("", "1", "cpu: 2"),
		  FL_NOTICE_NEVER_FITS, "" },
		/* what keeps a workload out for ever */
		{ K
		  "kind: ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: k, effect: "
		  "NoSchedule}]}\n" CQ("a", "", "nominalQuota: 3") LQ WL("", "1", "cpu: 2"),
		  FL_NOTICE_NEVER_ADMITTED,
		  UNSUITED("17") "its pods do not tolerate the taint k of flavor 'f'" },
		{ K
		  "kind: ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: k, value: v, effect: "
		  "NoExecute}, {key: p, effect: PreferNoSchedule}]}\n" CQ(
			  "a", "", "nominalQuota: 3") LQ WL("", "1", "cpu: 2"),
		  FL_NOTICE_NEVER_ADMITTED,
		  UNSUITED("17") "its pods do not tolerate the taint k=v of flavor 'f'" },
		{ K
		  "kind: ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: k, effect: "
		  "NoSchedule}, {key: l, effect: NoSchedule}]}\n" CQ("a", "", "nominalQuota: 3")
			  LQ WL("", "1", "cpu: 2"),
		  FL_NOTICE_NEVER_ADMITTED,
		  UNSUITED("17") "its pods do not tolerate all of the taints of flavor 'f'" },
		{ LABELLED CQ("a", "", "nominalQuota: 3")
			  LQ WL_SPEC("nodeSelector: {other: x, size: l, zone: west}, ", "cpu: 2"),
		  FL_NOTICE_NEVER_ADMITTED,
		  UNSUITED(
			  "17") "the label zone of flavor 'f' is 'east', its pods ask for 'west'" },
		{ LABELLED CQ("a", "", "nominalQuota: 3") LQ WL_SPEC(
			  "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
			  "{nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: DoesNotExist}]}]}}}, ",
			  "cpu: 2"),
		  FL_NOTICE_NEVER_ADMITTED,
		  UNSUITED(
			  "17") "the labels of flavor 'f' are not those that the node affinity of its pods requires" },
		{ K
		  "kind: ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: k, effect: "
		  "NoSchedule}]}\n" CQ("a", "", "nominalQuota: 3")
			  LQ WL_SPEC("tolerations: [{key: k, operator: Exists}], ", "cpu: 2"),
		  FL_NOTICE_NEVER_ADMITTED, "" },
		{ NAMESPACE SELECTS("blue") LQ WL("", "1", "cpu: 1"), FL_NOTICE_NEVER_ADMITTED,
		  "20:1 Workload/ns/w: not even an empty cluster admits it: it is in a namespace that its queue does not select" },
		{ NAMESPACE SELECTS("red") LQ WL("", "1", "cpu: 1"), FL_NOTICE_NEVER_ADMITTED, "" },
		{ SELECTS("blue") LQ WL("", "1", "cpu: 1"), FL_NOTICE_NEVER_ADMITTED, "" },
		{ "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n" FLAVOR CQ(
			  "a", "", "nominalQuota: 1") LQ WL("", "1", "cpu: 1"),
		  FL_NOTICE_NEVER_ADMITTED,
		  "20:1 Workload/ns/w: not even an empty cluster admits it: it is in a namespace that does not exist" },
		{ NAMESPACE SELECTS("blue") LQ, FL_NOTICE_NAMESPACE_NOT_SELECTED,
		  "15:1 LocalQueue/ns/q: cluster queue 'a' does not select namespace 'ns': nothing is admitted" },
		{ NAMESPACE SELECTS("red") LQ, FL_NOTICE_NAMESPACE_NOT_SELECTED, "" },
		{ SELECTS("blue") LQ, FL_NOTICE_NAMESPACE_NOT_SELECTED, "" },
		/* limits and weights that nothing looks at */
		{ FLAVOR CQ("a", "", "nominalQuota: 1, lendingLimit: 1"),
		  FL_NOTICE_ROOT_LENDING_LIMIT,
		  "9:106 ClusterQueue/a: the lending limit of 'cpu' in flavor 'f' has no effect: without parent it cannot lend" },
		{ FLAVOR CQ("a", "cohortName: c, ", "nominalQuota: 1, lendingLimit: 1"),
		  FL_NOTICE_ROOT_LENDING_LIMIT, "" },
		{ CONFIG "false}\n" FLAVOR CQ("a", "cohortName: c, fairSharing: {weight: 2}, ",
					      "nominalQuota: 1"),
		  FL_NOTICE_WEIGHT_UNUSED,
		  "10:1 ClusterQueue/a: the weight 2 has no effect: the Configuration has no fairSharing" },
		{ FLAVOR CQ("a", "fairSharing: {weight: 500m}, ", "nominalQuota: 1"),
		  FL_NOTICE_WEIGHT_UNUSED,
		  "6:1 ClusterQueue/a: the weight 0.5 has no effect: there is no parent, so there is no sibling to compare with" },
		{ FLAVOR CQ("a", "cohortName: c, fairSharing: {weight: 2}, ", "nominalQuota: 1"),
		  FL_NOTICE_WEIGHT_UNUSED, "" },
		{ CONFIG "true}\n" FLAVOR CQ("a", "cohortName: c, fairSharing: {weight: 2}, ",
					     "nominalQuota: 1"),
		  FL_NOTICE_WEIGHT_UNUSED, "" },
		{ FLAVOR CQ("a", "", "nominalQuota: 1") K
		  "kind: LocalQueue\nmetadata: {name: q, namespace: ns}\nspec: {clusterQueue: a, "
		  "fairSharing: {weight: 3}}\n",
		  FL_NOTICE_WEIGHT_UNUSED,
		  "11:1 LocalQueue/ns/q: the weight 3 has no effect: cluster queue 'a' does not order local queues by usage" },
		{ FLAVOR CQ("a", BY_USAGE, "nominalQuota: 1") K
		  "kind: LocalQueue\nmetadata: {name: q, namespace: ns}\nspec: {clusterQueue: a, "
		  "fairSharing: {weight: 3}}\n",
		  FL_NOTICE_WEIGHT_UNUSED, "" },
		{ FLAVOR CQ("a", BY_USAGE, "nominalQuota: 1") K
		  "kind: LocalQueue\nmetadata: {name: q, namespace: ns}\nspec: {clusterQueue: a, "
		  "fairSharing: {weight: 0}}\n",
		  FL_NOTICE_WEIGHT_ZERO,
		  "11:1 LocalQueue/ns/q: weight 0: its usage counts as infinite, so it comes last" },
		/* preemption that can never act */
		{ FLAVOR CQ("a", PREEMPTION("reclaimWithinCohort: Any"), "nominalQuota: 1"),
		  FL_NOTICE_PREEMPTION_NEVER_ACTS,
		  "6:1 ClusterQueue/a: reclaimWithinCohort can never act: the queue is in no cohort" },
		{ FLAVOR CQ("a",
			    PREEMPTION("reclaimWithinCohort: Any, borrowWithinCohort: "
				       "{policy: LowerPriority}"),
			    "nominalQuota: 1"),
		  FL_NOTICE_PREEMPTION_NEVER_ACTS,
		  "6:1 ClusterQueue/a: borrowWithinCohort can never act: the queue is in no cohort" },
		{ FLAVOR CQ("a",
			    "cohortName: c, " PREEMPTION(
				    "borrowWithinCohort: {policy: LowerPriority}"),
			    "nominalQuota: 1"),
		  FL_NOTICE_PREEMPTION_NEVER_ACTS,
		  "6:1 ClusterQueue/a: borrowWithinCohort can never act without reclaimWithinCohort" },
		{ FLAVOR CQ("a",
			    "cohortName: c, " PREEMPTION(
				    "borrowWithinCohort: {policy: Never, maxPriorityThreshold: 5}"),
			    "nominalQuota: 1"),
		  FL_NOTICE_PREEMPTION_NEVER_ACTS,
		  "6:1 ClusterQueue/a: maxPriorityThreshold can never act: the policy of borrowWithinCohort is Never" },
		{ FLAVOR CQ("a",
			    "cohortName: c, " PREEMPTION(
				    "reclaimWithinCohort: Any, borrowWithinCohort: {policy: "
				    "LowerPriority, maxPriorityThreshold: 5}"),
			    "nominalQuota: 1"),
		  FL_NOTICE_PREEMPTION_NEVER_ACTS, "" },
		{ FLAVOR CQ("a",
			    PREEMPTION("withinClusterQueue: LowerPriority, reclaimWithinCohort: "
				       "Never, borrowWithinCohort: {policy: Never}"),
			    "nominalQuota: 1"),
		  FL_NOTICE_PREEMPTION_NEVER_ACTS, "" },
		/* a resource that a flavor must list, and has none of */
		{ FLAVOR TWO("a", "cohortName: c, ", "5", "0")
			  TWO("b", "cohortName: c, ", "5", "0"),
		  FL_NOTICE_NOTHING_TO_LEND, "" },
		{ FLAVOR TWO("a", "cohortName: c, ", "0", "0")
			  TWO("b", "cohortName: c, ", "0", "0"),
		  FL_NOTICE_NOTHING_TO_LEND,
		  "6:1 Cohort/c: no node lends 'cpu' in flavor 'f': its queues cannot borrow there" },
		/* local queues by usage */
		{ CONFIG "true}\n" FLAVOR CQ("a", BY_USAGE, "nominalQuota: 1"),
		  FL_NOTICE_ADMISSION_MODE,
		  "10:1 ClusterQueue/a: admissionMode has no effect: the Configuration has no admissionFairSharing" },
		{ FLAVOR CQ("a", BY_USAGE, "nominalQuota: 1"), FL_NOTICE_ADMISSION_MODE, "" },
		{ AFS("usageHalfLifeTime: 1h") FLAVOR CQ("a", BY_USAGE, "nominalQuota: 1"),
		  FL_NOTICE_ADMISSION_MODE, "" },
		{ AFS("usageHalfLifeTime: 1h") FLAVOR CQ("a", "", "nominalQuota: 1"),
		  FL_NOTICE_AFS_UNUSED,
		  "2:1 Configuration .admissionFairSharing: has no effect: no ClusterQueue has the admissionMode 'UsageBasedAdmissionFairSharing'" },
		{ AFS("usageHalfLifeTime: 1h") FLAVOR, FL_NOTICE_AFS_UNUSED, "" },
		{ AFS("usageHalfLifeTime: 0s") FLAVOR CQ("a", BY_USAGE, "nominalQuota: 1"),
		  FL_NOTICE_HALF_LIFE_ZERO,
		  "2:1 Configuration .admissionFairSharing: usageHalfLifeTime is 0: what local queues used does not count" },
		{ AFS("") FLAVOR CQ("a", BY_USAGE, "nominalQuota: 1"), FL_NOTICE_HALF_LIFE_ZERO,
		  "2:1 Configuration .admissionFairSharing: usageHalfLifeTime is 0: what local queues used does not count" },
		{ AFS("usageHalfLifeTime: 30s") FLAVOR CQ("a", BY_USAGE, "nominalQuota: 1"),
		  FL_NOTICE_SAMPLING_ABOVE_HALF_LIFE,
		  "2:1 Configuration .admissionFairSharing: usageSamplingInterval is longer than usageHalfLifeTime: what ran between two samples hardly counts" },
		{ AFS("usageHalfLifeTime: 1m") FLAVOR CQ("a", BY_USAGE, "nominalQuota: 1"),
		  FL_NOTICE_SAMPLING_ABOVE_HALF_LIFE, "" },
		{ AFS("usageHalfLifeTime: 1h") FLAVOR TWO("a", BY_USAGE, "4", "16Gi"),
		  FL_NOTICE_RESOURCE_WEIGHT,
		  "2:1 Configuration .admissionFairSharing: 'memory' outweighs 'cpu' by far (4.3e+09 to 1 of their quota): it decides the order of local queues alone" },
		{ AFS("usageHalfLifeTime: 1h, resourceWeights: {memory: 9.31e-10}")
			  FLAVOR TWO("a", BY_USAGE, "4", "16Gi"),
		  FL_NOTICE_RESOURCE_WEIGHT, "" },
		{ AFS("usageHalfLifeTime: 1h, resourceWeights: {cpu: 0}")
			  FLAVOR TWO("a", BY_USAGE, "4", "16Gi"),
		  FL_NOTICE_RESOURCE_WEIGHT, "" },
		{ AFS("usageHalfLifeTime: 1h") FLAVOR TWO("a", "", "4", "16Gi"),
		  FL_NOTICE_RESOURCE_WEIGHT, "" },
		{ AFS("usageHalfLifeTime: 1h, resourceWeights: {memry: 0}")
			  FLAVOR TWO("a", BY_USAGE, "4", "16Gi"),
		  FL_NOTICE_RESOURCE_WEIGHT_UNKNOWN,
		  "2:1 Configuration .admissionFairSharing: resourceWeights names 'memry', which no queue has quota for" },
		{ AFS("usageHalfLifeTime: 1h, resourceWeights: {memory: 0}")
			  FLAVOR TWO("a", BY_USAGE, "4", "16Gi"),
		  FL_NOTICE_RESOURCE_WEIGHT_UNKNOWN, "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);
		char line[512];

		assert_int_equal(fl_lint_borrow(m, NULL), 0);
		load_notice_line(m, rows[i].kind, line);
		if (strcmp(line, rows[i].line) != 0)
			fail_msg("%s\n  got  %s\n  want %s", rows[i].text, line, rows[i].line);
		fl_model_free(m);
	}
}

TEST(hints)
{
	static const struct {
		const char *text;
		enum fl_notice_kind kind;
		const char *hint;
	} rows[] = {
		{ FLAVOR CQ("a", "cohortName: c, fairSharing: {weight: 0}, ", "nominalQuota: 1"),
		  FL_NOTICE_WEIGHT_ZERO, "" },
		{ FLAVOR CQ("a", "cohortName: c, fairSharing: {weight: 0}, ", "nominalQuota: 1")
			  CQ("b", "cohortName: c, fairSharing: {weight: 0}, ", "nominalQuota: 1"),
		  FL_NOTICE_WEIGHT_ZERO,
		  "'b' beside it has weight 0, too: of the two, the one that borrows the smaller part is first" },
		{ AFS("usageHalfLifeTime: 1h") FLAVOR TWO("a", BY_USAGE, "4", "16Gi"),
		  FL_NOTICE_RESOURCE_WEIGHT,
		  "a resourceWeights of 2.33e-10 for 'memory' makes both count alike" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);
		const struct fl_notice *n;

		assert_int_equal(fl_lint_borrow(m, NULL), 0);
		n = load_notice(m, rows[i].kind);
		assert_non_null(n);
		assert_string_equal(fl_model_text(m, n->hint), rows[i].hint);
		fl_model_free(m);
	}
}

/* A flavor whose taint @n workloads do not tolerate, and with @one more, one does. */
static const char *flavor_finding(int n, bool one, char line[512])
{
	char text[16000];
	struct fl_model *m;
	int at = snprintf(
		text, sizeof text,
		K "kind: ResourceFlavor\nmetadata: {name: spot}\nspec: {nodeTaints: [{key: "
		  "spot, effect: NoSchedule}]}\n" FLAVOR K
		  "kind: ClusterQueue\nmetadata: {name: a}\nspec: {namespaceSelector: {}, "
		  "resourceGroups: [{coveredResources: [cpu], flavors: [{name: spot, resources: "
		  "[{name: cpu, nominalQuota: 1}]}, {name: f, resources: [{name: cpu, "
		  "nominalQuota: 1}]}]}]}\n" LQ);

	for (int i = 0; i < n + one; i++)
		at += snprintf(
			text + at, sizeof text - (size_t)at,
			K "kind: Workload\nmetadata: {name: w%d, namespace: ns}\nspec: {queueName: "
			  "q, podSets: [{count: 1, template: {spec: {%scontainers: [{resources: "
			  "{requests: {cpu: 1}}}]}}}]}\n",
			i, i == n ? "tolerations: [{operator: Exists}], " : "");
	m = load(text);
	assert_int_equal(fl_lint_borrow(m, NULL), 0);
	load_notice_line(m, FL_NOTICE_FLAVOR_MATCHES_NOBODY, line);
	fl_model_free(m);
	return line;
}

TEST(flavors)
{
	char line[512];

	assert_string_equal(flavor_finding(9, false, line), "");
	assert_string_equal(
		flavor_finding(10, false, line),
		"2:1 ResourceFlavor/spot: none of the 10 workloads of its queues suits its "
		"labels and taints");
	assert_string_equal(flavor_finding(10, true, line), "");
}

/* Everything about a kind of notice is said, and in this order: by name, `assumed` last. */
TEST(words)
{
	for (uint32_t k = 0; k < FL_NOTICE_KINDS; k++) {
		enum fl_notice_kind kind = (enum fl_notice_kind)k;

		assert_string_not_equal(fl_notice_name(kind), "");
		assert_string_not_equal(fl_notice_meaning(kind), "");
		assert_string_not_equal(fl_notice_advice(kind), "");
		if (k && kind != FL_NOTICE_ASSUMED)
			assert_true(strcmp(fl_notice_name((enum fl_notice_kind)(k - 1)),
					   fl_notice_name(kind)) < 0);
	}
}

TEST(no_memory)
{
	static const char text[] = AFS("usageHalfLifeTime: 1h")
		FLAVOR TWO("a", BY_USAGE, "4", "16Gi") LQ HELD("3") WL("", "1", "cpu: 5");

	for (unsigned long n = 1;; n++) {
		fairlead_error err = { 0 };
		struct fail_mem f;
		struct fl_model *m;
		int r;

		fail_mem_init(&f);
		m = load_open(&f.mem, text, &err);
		assert_non_null(m);
		assert_int_equal(fl_model_seal(m, &err), 0);
		f.fail_at = n;
		r = fl_lint_borrow(m, &err);
		fl_model_free(m);
		assert_int_equal(f.live, 0);
		if (r == 0)
			return;
		assert_int_equal(r, FAIRLEAD_ENOMEM);
	}
}

UNIT_GROUP("lint")
