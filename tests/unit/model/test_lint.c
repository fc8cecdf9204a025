/* SPDX-License-Identifier: Apache-2.0 */
#include "model/lint.h"

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

static void findings(void **state)
{
	static const struct {
		const char *text;
		enum fl_notice_kind kind;
		const char *line; /* "": no such finding */
	} rows[] = {
		{ FLAVOR CQ("a", "", "nominalQuota: 1, borrowingLimit: 1"),
		  FL_NOTICE_ROOT_BORROWING_LIMIT,
		  "9:106 ClusterQueue/a: the borrowing limit of 'cpu' in flavor 'f' has no effect: there is nobody to borrow from" },
		{ FLAVOR COHORT("c", "", "nominalQuota: 1, borrowingLimit: 1"),
		  FL_NOTICE_ROOT_BORROWING_LIMIT,
		  "9:83 Cohort/c: the borrowing limit of 'cpu' in flavor 'f' has no effect: there is nobody to borrow from" },
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
		  "6:1 Cohort/c: nobody lends any 'cpu' in flavor 'f': its queues cannot borrow there" },
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
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);
		char line[512];

		assert_int_equal(fl_model_lint(m, NULL), 0);
		load_notice_line(m, rows[i].kind, line);
		if (strcmp(line, rows[i].line) != 0)
			fail_msg("%s\n  got  %s\n  want %s", rows[i].text, line, rows[i].line);
		fl_model_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(findings) };

	return cmocka_run_group_tests_name("model/lint", tests, NULL, NULL);
}
