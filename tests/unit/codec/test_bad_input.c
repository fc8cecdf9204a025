/* SPDX-License-Identifier: Apache-2.0 */
/* Every malformed input has one message: place, subject, text and hint are all the user gets. */
#include "unit/codec/load.h"

struct row {
	const char *text;
	int code;
	uint32_t line, column;
	const char *subject, *message, *hint;
};

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &rows[i];
		fairlead_error err = { 0 };
		struct fl_model *m = load_open(&fl_mem_heap, row->text, &err);

		if (m && fl_model_seal(m, &err) < 0)
			m = fl_model_free(m);
		if (m || err.code != row->code || err.line != row->line ||
		    err.column != row->column || strcmp(err.subject, row->subject) != 0 ||
		    strcmp(err.text, row->message) != 0 || strcmp(err.hint, row->hint) != 0 ||
		    strcmp(err.file, "in") != 0)
			fail_msg("%s\n  got %d %s:%u:%u|%s|%s|%s", row->text, err.code, err.file,
				 err.line, err.column, err.subject, err.text, err.hint);
	}
}

#define EINPUT FAIRLEAD_EINPUT
#define ELIMIT FAIRLEAD_ELIMIT
#define KUEUE "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define QUEUE KUEUE "kind: ClusterQueue\nmetadata: {name: team-a}\nspec:\n"       /* four lines */
#define GROUP QUEUE "  resourceGroups:\n"                                         /* five */
#define JOB KUEUE "kind: Workload\nmetadata: {name: w, namespace: ns}\n"          /* three */
#define CONFIG "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n" /* two */

TEST(objects)
{
	static const struct row rows[] = {
		{ "", EINPUT, 1, 1, "", "no object in the input", "" },
		{ "# nothing\n---\n---\n", EINPUT, 1, 1, "", "no object in the input", "" },
		{ "hello\n", EINPUT, 1, 1, "", "expected an object, not a text", "" },
		{ "[1]", EINPUT, 1, 1, "", "expected an object, not a list", "" },
		{ "a: 1\n", EINPUT, 1, 1, "", "no kind",
		  "a Kubernetes object has an apiVersion and a kind" },
		{ "kind: ClusterQueue\nmetadata: {name: x}\n", EINPUT, 1, 1, "ClusterQueue/x",
		  "no apiVersion", "a Kubernetes object has an apiVersion and a kind" },
		{ KUEUE "kind: ClusterQueue\n", EINPUT, 1, 1, "ClusterQueue", "no metadata", "" },
		{ KUEUE "kind: ClusterQueue\nmetadata: {}\n", EINPUT, 3, 11,
		  "ClusterQueue .metadata", "no name", "" },
		{ KUEUE "kind: ClusterQueue\nmetadata: [x]\n", EINPUT, 3, 11,
		  "ClusterQueue .metadata", "expected a map, not a list", "" },
		{ KUEUE "kind: ClusterQueue\nmetadata: {name: 5}\n", EINPUT, 3, 18,
		  "ClusterQueue/5 .metadata.name", "expected a string, not a number",
		  "put it in quotes" },
		{ KUEUE "kind: ClusterQueue\nmetadata: {name: ''}\n", EINPUT, 1, 1, "ClusterQueue/",
		  "the name is empty", "" },
		{ "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\"}]}",
		  EINPUT, 1, 43, "", "no kind",
		  "a Kubernetes object has an apiVersion and a kind" },
	};

	check(rows, COUNT(rows));
}

TEST(syntax)
{
	static const struct row rows[] = {
		{ QUEUE "  cohortName: a\n  cohortName: b\n", EINPUT, 6, 3, "",
		  "duplicate key 'cohortName'", "" },
		{ "{\"kind\": \"ClusterQueue\",\n \"kind\": 1}", EINPUT, 2, 2, "",
		  "duplicate key 'kind'", "" },
		{ "{\"kind\": \"ClusterQueue\",\n \"spec\": {]", EINPUT, 2, 11, "",
		  "expected a key in double quotes, not ']'", "" },
		{ "{\"kind\": \"ClusterQueue\"", EINPUT, 1, 24, "",
		  "expected ',' or '}', but the input ends", "" },
		{ QUEUE "  cohortName: \xff\n", EINPUT, 5, 15, "", "invalid UTF-8", "" },
		{ QUEUE "  cohortName: *a\n", EINPUT, 5, 15, "", "no anchor '&a' before this alias",
		  "" },
	};

	check(rows, COUNT(rows));
}

TEST(types)
{
	static const struct row rows[] = {
		{ QUEUE "  cohortName: [a]\n", EINPUT, 5, 15,
		  "ClusterQueue/team-a .spec.cohortName", "expected a string, not a list", "" },
		{ QUEUE "  resourceGroups: {}\n", EINPUT, 5, 19,
		  "ClusterQueue/team-a .spec.resourceGroups", "expected a list, not a map", "" },
		{ QUEUE "  preemption: Never\n", EINPUT, 5, 15,
		  "ClusterQueue/team-a .spec.preemption", "expected a map, not a string", "" },
		{ GROUP
		  "  - coveredResources: [cpu]\n    flavors:\n    - name: a\n      resources: [{name: cpu, "
		  "nominalQuota: 1}]\n    - name: 7\n",
		  EINPUT, 10, 13, "ClusterQueue/team-a .spec.resourceGroups[0].flavors[1].name",
		  "expected a string, not a number", "put it in quotes" },
		{ QUEUE "  preemption: {reclaimWithinCohort: any}\n", EINPUT, 5, 37,
		  "ClusterQueue/team-a .spec.preemption.reclaimWithinCohort",
		  "'any' is none of Never, LowerPriority, LowerOrNewerEqualPriority, Any",
		  "did you mean 'Any'?" },
		{ QUEUE "  stopPolicy: Stop\n", EINPUT, 5, 15,
		  "ClusterQueue/team-a .spec.stopPolicy",
		  "'Stop' is none of None, Hold, HoldAndDrain", "" },
		{ JOB "spec: {priority: 1.5}\n", EINPUT, 4, 18, "Workload/ns/w .spec.priority",
		  "expected a whole number, not a number", "" },
		{ JOB "spec: {priority: 99999999999}\n", EINPUT, 4, 18,
		  "Workload/ns/w .spec.priority", "99999999999 does not fit 32 bits", "" },
		{ JOB "spec: {active: yes}\n", EINPUT, 4, 16, "Workload/ns/w .spec.active",
		  "expected a boolean, not a string", "" },
		{ JOB "spec: {podSets: [{count: -1}]}\n", EINPUT, 4, 26,
		  "Workload/ns/w .spec.podSets[0].count", "a count of -1", "" },
		{ JOB "spec: {podSets: [{count: 1, minCount: 2}]}\n", EINPUT, 4, 18,
		  "Workload/ns/w .spec.podSets[0]", "minCount 2 is more than count 1", "" },
		{ JOB
		  "status: {conditions: [{type: Finished, status: \"True\", lastTransitionTime: now}]}\n",
		  EINPUT, 4, 76, "Workload/ns/w .status.conditions[0].lastTransitionTime",
		  "'now' is not a time", "write it like 2026-01-31T12:00:00Z" },
		{ "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: p}\n",
		  EINPUT, 1, 1, "PriorityClass/p", "no value", "" },
	};

	check(rows, COUNT(rows));
}

TEST(quantities)
{
	static const struct row rows[] = {
		{ GROUP "  - flavors: [{name: f, resources: [{name: cpu, nominalQuota: -1}]}]\n",
		  EINPUT, 6, 63,
		  "ClusterQueue/team-a .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota",
		  "the quantity '-1' is negative", "" },
		{ GROUP "  - flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1kk}]}]\n",
		  EINPUT, 6, 63,
		  "ClusterQueue/team-a .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota",
		  "'1kk' is not a quantity",
		  "write a number with an optional suffix, such as 500m, 1.5Gi or 1e3" },
		{ GROUP "  - flavors: [{name: f, resources: [{name: cpu, nominalQuota: true}]}]\n",
		  EINPUT, 6, 63,
		  "ClusterQueue/team-a .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota",
		  "expected a quantity, not a boolean", "" },
		{ GROUP "  - flavors: [{name: f, resources: [{nominalQuota: 1}]}]\n", EINPUT, 6, 37,
		  "ClusterQueue/team-a .spec.resourceGroups[0].flavors[0].resources[0]", "no name",
		  "" },
		{ QUEUE "  fairSharing: {weight: -1}\n", EINPUT, 5, 25,
		  "ClusterQueue/team-a .spec.fairSharing.weight", "the quantity '-1' is negative",
		  "" },
		{ QUEUE "  fairSharing: {weight: 1e999}\n", EINPUT, 5, 25,
		  "ClusterQueue/team-a .spec.fairSharing.weight", "the weight is too large", "" },
		{ JOB
		  "spec:\n  podSets:\n  - template:\n      spec:\n        containers:\n        - resources: "
		  "{requests: {memory: 1GB}}\n",
		  EINPUT, 9, 42,
		  "Workload/ns/w .spec.podSets[0].template.spec.containers[0].resources.requests.memory",
		  "'1GB' is not a quantity",
		  "write 1G for powers of 1000, 1Gi for powers of 1024" },
	};

	check(rows, COUNT(rows));
}

TEST(groups)
{
	static const struct row rows[] = {
		{ GROUP
		  "  - {coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1}]}]}\n"
		  "  - {coveredResources: [cpu], flavors: [{name: g, resources: [{name: cpu, nominalQuota: 1}]}]}\n",
		  EINPUT, 7, 5, "ClusterQueue/team-a .spec.resourceGroups[1].coveredResources[0]",
		  "resource 'cpu' is covered by resourceGroups[0] already", "" },
		{ GROUP "  - {coveredResources: [cpu, cpu], flavors: []}\n", EINPUT, 6, 5,
		  "ClusterQueue/team-a .spec.resourceGroups[0].coveredResources[1]",
		  "resource 'cpu' is listed twice", "" },
		{ GROUP
		  "  - coveredResources: [cpu]\n    flavors:\n    - name: f\n      resources:\n"
		  "      - {name: cpu, nominalQuota: 1}\n      - {name: cpu, nominalQuota: 2}\n",
		  EINPUT, 11, 9,
		  "ClusterQueue/team-a .spec.resourceGroups[0].flavors[0].resources[1]",
		  "a second quota for resource 'cpu'", "" },
		{ GROUP
		  "  - coveredResources: [cpu]\n    flavors:\n    - name: f\n      resources:\n"
		  "      - {name: memory, nominalQuota: 1}\n",
		  EINPUT, 10, 9,
		  "ClusterQueue/team-a .spec.resourceGroups[0].flavors[0].resources[0]",
		  "resource 'memory' is not in coveredResources", "" },
		{ GROUP
		  "  - coveredResources: [cpu, memory]\n    flavors:\n    - name: f\n      resources:\n"
		  "      - {name: cpu, nominalQuota: 1}\n",
		  EINPUT, 10, 9, "ClusterQueue/team-a .spec.resourceGroups[0].flavors[0]",
		  "no quota for 'memory', which is in coveredResources", "" },
		{ GROUP
		  "  - coveredResources: [cpu]\n    flavors:\n    - {name: f, resources: [{name: cpu, nominalQuota: 1}]}\n"
		  "    - {name: f, resources: [{name: cpu, nominalQuota: 1}]}\n",
		  EINPUT, 6, 5, "ClusterQueue/team-a .spec.resourceGroups[0].flavors[1]",
		  "flavor 'f' is listed twice", "" },
	};

	check(rows, COUNT(rows));
}

TEST(twice)
{
	static const struct row rows[] = {
		{ KUEUE "kind: ClusterQueue\nmetadata: {name: a}\n---\n" KUEUE
			"kind: ClusterQueue\nmetadata: {name: a}\n",
		  EINPUT, 5, 1, "ClusterQueue/a", "defined twice", "first defined at in:1:1" },
		{ "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[\n"
		  "{\"kind\":\"Workload\",\"apiVersion\":\"kueue.x-k8s.io/v1beta1\",\"metadata\":{\"name\":\"w\",\"namespace\":\"ns\"}},\n"
		  " {\"kind\":\"Workload\",\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"metadata\":{\"name\":\"w\",\"namespace\":\"ns\"}}]}",
		  EINPUT, 3, 2, "Workload/ns/w", "defined twice", "first defined at in:2:1" },
		{ CONFIG "---\n" CONFIG, EINPUT, 4, 1, "Configuration", "defined twice",
		  "first defined at in:1:1" },
	};

	check(rows, COUNT(rows));
}

TEST(configuration)
{
	static const struct row rows[] = {
		{ CONFIG "fairSharing: {preemptionStrategies: [LessThanInitialShar]}\n", EINPUT, 3,
		  38, "Configuration .fairSharing.preemptionStrategies[0]",
		  "'LessThanInitialShar' is none of LessThanOrEqualToFinalShare, LessThanInitialShare",
		  "did you mean 'LessThanInitialShare'?" },
		{ CONFIG
		  "fairSharing: {preemptionStrategies: [LessThanInitialShare, LessThanOrEqualToFinalShare]}\n",
		  EINPUT, 3, 60, "Configuration .fairSharing.preemptionStrategies[1]",
		  "'LessThanOrEqualToFinalShare' cannot follow the entries before it in preemptionStrategies",
		  "" },
		{ CONFIG "fairSharing: {enable: 1}\n", EINPUT, 3, 23,
		  "Configuration .fairSharing.enable", "expected a boolean, not a number", "" },
		{ CONFIG "admissionFairSharing: {usageHalfLifeTime: 5x}\n", EINPUT, 3, 43,
		  "Configuration .admissionFairSharing.usageHalfLifeTime",
		  "'5x' is not a length of time", "write it like 10s, 5m or 1h30m" },
		{ "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kueue-manager-config, namespace: k}\ndata:\n"
		  "  controller_manager_config.yaml: \"apiVersion: config.kueue.x-k8s.io/v1beta1\\nkind: "
		  "Configuration\\nfairSharing: 5\\n\"\n",
		  EINPUT, 5, 35,
		  "ConfigMap/k/kueue-manager-config .data.controller_manager_config.yaml Configuration "
		  ".fairSharing",
		  "expected a map, not a number", "" },
	};

	check(rows, COUNT(rows));
}

TEST(limits)
{
	char text[4096];
	size_t n = (size_t)snprintf(text, sizeof text,
				    KUEUE "kind: ClusterQueue\nmetadata: {name: ");
	char subject[320] = "ClusterQueue/";
	struct row row = { .text = text, .code = EINPUT, .line = 1, .column = 1, .hint = "" };

	memset(text + n, 'x', 254);
	(void)snprintf(text + n + 254, sizeof text - n - 254, "}\n");
	memset(subject + 13, 'x', 254);
	subject[13 + 254] = '\0';
	row.subject = subject;
	row.message = "the name has 254 bytes, more than 253";
	check(&row, 1);

	n = (size_t)snprintf(text, sizeof text, GROUP);
	for (int i = 0; i < 17; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "  - {coveredResources: [r%d], flavors: []}\n", i);
	row = (struct row){
		text, ELIMIT, 1, 1, "ClusterQueue/team-a", "17 resource groups, more than 16", ""
	};
	check(&row, 1);

	n = (size_t)snprintf(text, sizeof text, GROUP "  - coveredResources: [");
	for (int i = 0; i < 65; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "r%d,", i);
	(void)snprintf(text + n, sizeof text - n, "]\n");
	row = (struct row){ text,
			    ELIMIT,
			    6,
			    5,
			    "ClusterQueue/team-a .spec.resourceGroups[0]",
			    "more than 64 resources in a resource group",
			    "" };
	check(&row, 1);

	n = (size_t)snprintf(text, sizeof text, JOB "spec:\n  podSets:\n");
	for (int i = 0; i < 19; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "  - name: p%d\n", i);
	row = (struct row){ text, ELIMIT, 1, 1, "Workload/ns/w", "19 podSets, more than 18", "" };
	check(&row, 1);

	n = (size_t)snprintf(text, sizeof text, JOB "status:\n  reclaimablePods:\n");
	for (int i = 0; i < 19; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "  - name: p%d\n", i);
	row = (struct row){
		text, ELIMIT, 6, 3, "Workload/ns/w .status.reclaimablePods", "more than 18 entries",
		""
	};
	check(&row, 1);
}

TEST(long_list)
{
	size_t size = 400000, n;
	char *text = malloc(size);
	struct row row = { text,
			   ELIMIT,
			   4,
			   17,
			   "Workload/ns/w .spec.podSets",
			   "65537 entries, more than 65536",
			   "" };

	assert_non_null(text);
	n = (size_t)snprintf(text, size, JOB "spec: {podSets: [");
	for (int i = 0; i < 65537; i++, n += 3)
		memcpy(text + n, "{},", 4);
	(void)snprintf(text + n, size - n, "]}\n");
	check(&row, 1);
	free(text);
}

UNIT_GROUP("bad-input")
