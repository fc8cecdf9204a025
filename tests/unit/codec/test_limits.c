/* SPDX-License-Identifier: Apache-2.0 */
/* LimitRange, RuntimeClass, and what the Configuration says of resources and gates: errors and warnings. */
#include "unit/codec/load.h"

#define RANGE "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: ns}\n" /* three */
#define CLASS "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: k}\n"  /* three */
#define CONFIG "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"      /* two */
#define JOB                                                                                        \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w, namespace: ns}\n"

/* "4:12 Kind/name .path: text", and the hint in brackets; "" for an input that is good. */
static const char *error_of(const char *text, char buffer[2048])
{
	fairlead_error err;
	struct fl_model *m = load_open(&fl_mem_heap, text, &err);

	buffer[0] = '\0';
	if (m && fl_model_seal(m, &err) < 0)
		m = fl_model_free(m);
	if (!m)
		(void)snprintf(buffer, 2048, "%u:%u %s: %s%s%s%s", err.line, err.column,
			       err.subject, err.text, err.hint[0] ? " [" : "", err.hint,
			       err.hint[0] ? "]" : "");
	fl_model_free(m);
	return buffer;
}

TEST(errors)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ RANGE "spec: {limits: [{max: {cpu: 1}}]}\n",
		  "4:17 LimitRange/ns/l .spec.limits[0]: no type" },
		{ RANGE "spec: {limits: [{type: 5}]}\n",
		  "4:24 LimitRange/ns/l .spec.limits[0].type: expected a string, not a number [put it in quotes]" },
		{ RANGE "spec: {limits: [{type: Pod, max: {cpu: -1}}]}\n",
		  "4:40 LimitRange/ns/l .spec.limits[0].max.cpu: the quantity '-1' is negative" },
		{ RANGE "spec: {limits: [{type: Pod, max: [cpu]}]}\n",
		  "4:34 LimitRange/ns/l .spec.limits[0].max: expected a map, not a list" },
		{ RANGE "spec: {limits: {type: Pod}}\n",
		  "4:16 LimitRange/ns/l .spec.limits: expected a list, not a map" },
		{ RANGE "---\n" RANGE,
		  "5:1 LimitRange/ns/l: defined twice [first defined at in:1:1]" },
		{ RANGE
		  "spec: {limits: []}\n---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: other}\n",
		  "" },
		{ CLASS "overhead: {podFixed: {cpu: x}}\n",
		  "4:28 RuntimeClass/k .overhead.podFixed.cpu: 'x' is not a quantity [write a number with an optional suffix, such as 500m, 1.5Gi or 1e3]" },
		{ CLASS "---\n" CLASS,
		  "5:1 RuntimeClass/k: defined twice [first defined at in:1:1]" },
		{ CONFIG "resources: {transformations: [{outputs: {a: 1}}]}\n",
		  "3:31 Configuration .resources.transformations[0]: no input" },
		{ CONFIG "resources: {transformations: [{input: a}, {input: b}, {input: a}]}\n",
		  "3:63 Configuration .resources.transformations[2].input: 'a' is transformed already" },
		{ CONFIG "resources: {transformations: [{input: a, strategy: Retian}]}\n",
		  "3:52 Configuration .resources.transformations[0].strategy: 'Retian' is none of Retain, Replace [did you mean 'Retain'?]" },
		{ CONFIG "resources: {transformations: [{input: a, outputs: {b: -1}}]}\n",
		  "3:55 Configuration .resources.transformations[0].outputs.b: the quantity '-1' is negative" },
		{ CONFIG "resources: {excludeResourcePrefixes: [1]}\n",
		  "3:39 Configuration .resources.excludeResourcePrefixes[0]: expected a string, not a number [put it in quotes]" },
		{ CONFIG "featureGates: {PartialAdmission: 1}\n",
		  "3:34 Configuration .featureGates.PartialAdmission: expected a boolean, not a number" },
		{ CONFIG "featureGates: [PartialAdmission]\n",
		  "3:15 Configuration .featureGates: expected a map, not a list" },
		{ CONFIG
		  "waitForPodsReady: {requeuingStrategy: {timestamp: Creation}, timeout: 5m}\n",
		  "" },
		{ CONFIG "waitForPodsReady: {requeuingStrategy: {timestamp: Evicted}}\n",
		  "3:51 Configuration .waitForPodsReady.requeuingStrategy.timestamp: 'Evicted' is none of Eviction, Creation" },
		{ CONFIG "waitForPodsReady: {enable: maybe}\n",
		  "3:28 Configuration .waitForPodsReady.enable: expected a boolean, not a string" },
		{ CONFIG "waitForPodsReady: [1]\n",
		  "3:19 Configuration .waitForPodsReady: expected a map, not a list" },
		{ JOB "status: {reclaimablePods: [{name: main, count: -1}]}\n",
		  "4:48 Workload/ns/w .status.reclaimablePods[0].count: a count of -1" },
		{ JOB "status: {reclaimablePods: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, "
		      "{}, {}, {}, {}, {}, {}, {}]}\n",
		  "4:27 Workload/ns/w .status.reclaimablePods: more than 18 entries" },
		{ JOB "status: {requeueState: {requeueAt: soon}}\n",
		  "4:36 Workload/ns/w .status.requeueState.requeueAt: 'soon' is not a time [write it like 2026-01-31T12:00:00Z]" },
		{ JOB "status: {admissionChecks: [{state: Waiting}]}\n",
		  "4:36 Workload/ns/w .status.admissionChecks[0].state: 'Waiting' is none of Pending, Ready, Retry, Rejected" },
		{ JOB "spec: {podSets: [{template: {spec: {runtimeClassName: 1}}}]}\n",
		  "4:55 Workload/ns/w .spec.podSets[0].template.spec.runtimeClassName: expected a string, not a number [put it in quotes]" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char got[2048];

		assert_string_equal(error_of(rows[i].text, got), rows[i].want);
	}
}

TEST(warnings)
{
	static const struct {
		const char *text;
		enum fl_notice_kind kind;
		const char *want;
	} rows[] = {
		{ RANGE "spec: {limits: [{type: Container, maxLimitRequestRatio: {cpu: 2}}]}\n",
		  FL_NOTICE_IGNORED_FIELD,
		  "4:57 LimitRange/ns/l .spec.limits[0].maxLimitRequestRatio: 'maxLimitRequestRatio' is ignored: "
		  "Kueue admits workloads that violate it; the API server then refuses the pods" },
		{ RANGE "spec: {limits: [{type: Container, maximum: {cpu: 2}}]}\n",
		  FL_NOTICE_UNKNOWN_FIELD,
		  "4:44 LimitRange/ns/l .spec.limits[0].maximum: unknown field 'maximum'" },
		{ CONFIG "featureGates: {FlavorFungibility: false}\n", FL_NOTICE_IGNORED_FIELD,
		  "3:35 Configuration .featureGates.FlavorFungibility: feature gate 'FlavorFungibility' is assumed to be true" },
		{ CONFIG "featureGates: {FlavorFungibility: true, PriorityBoost: false}\n",
		  FL_NOTICE_IGNORED_FIELD, "" },
		{ CONFIG "featureGates: {PriorityBoost: true}\n", FL_NOTICE_IGNORED_FIELD,
		  "3:31 Configuration .featureGates.PriorityBoost: feature gate 'PriorityBoost' is assumed to be false" },
		{ CONFIG "featureGates: {PartialAdmission: false, VisibilityOnDemand: false}\n",
		  FL_NOTICE_IGNORED_FIELD, "" },
		{ CONFIG "featureGates: {PartialAdmision: false}\n", FL_NOTICE_UNKNOWN_FIELD,
		  "3:33 Configuration .featureGates.PartialAdmision: unknown feature gate 'PartialAdmision' is assumed to change no decision" },
		{ CONFIG "resources: {deviceClassMappings: [{name: a, deviceClassNames: [b]}]}\n",
		  FL_NOTICE_IGNORED_FIELD,
		  "3:34 Configuration .resources.deviceClassMappings: 'deviceClassMappings' is ignored: "
		  "claims of devices do not count" },
		{ CONFIG "waitForPodsReady: {timeout: 5m}\n", FL_NOTICE_IGNORED_FIELD,
		  "3:19 Configuration .waitForPodsReady: 'waitForPodsReady' is ignored: pods are assumed to be ready at once" },
		{ CONFIG "waitForPodsReady: {enable: false, timeout: 5m}\n",
		  FL_NOTICE_IGNORED_FIELD, "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);
		char line[512];

		assert_string_equal(load_notice_line(m, rows[i].kind, line), rows[i].want);
		fl_model_free(m);
	}
}

/* @n resources in a map behind @head, and @tail. */
static char *many(const char *head, int n, const char *tail)
{
	size_t size = strlen(head) + strlen(tail) + (size_t)n * 16 + 1, at = strlen(head);
	char *text = malloc(size);

	assert_non_null(text);
	memcpy(text, head, at + 1);
	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, size - at, "%sr%d: 1", i ? ", " : "", i);
	(void)snprintf(text + at, size - at, "%s", tail);
	return text;
}

TEST(limits)
{
	static const struct {
		const char *head, *tail;
		int n;
		const char *want;
	} rows[] = {
		{ RANGE "spec: {limits: [{type: Pod, max: {", "}}]}\n", 1024, "" },
		{ RANGE "spec: {limits: [{type: Pod, max: {", "}}]}\n", 1025,
		  "4:9172 LimitRange/ns/l .spec.limits[0].max.r1024: more than 1024 resources" },
		{ JOB "spec: {podSets: [{template: {spec: {containers: [{resources: {limits: {",
		  "}}}]}}}]}\n", 1024, "" },
		{ JOB "spec: {podSets: [{template: {spec: {containers: [{resources: {limits: {",
		  "}}}]}}}]}\n", 1025,
		  "4:9209 Workload/ns/w .spec.podSets[0].template.spec.containers[0].resources.limits.r1024: "
		  "a container with more than 1024 resources" },
	};
	char text[4096], got[2048];
	size_t n = (size_t)snprintf(text, sizeof text, CONFIG "resources: {transformations: [");

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *all = many(rows[i].head, rows[i].n, rows[i].tail);

		assert_string_equal(error_of(all, got), rows[i].want);
		free(all);
	}
	for (int i = 0; i < 65; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "{input: r%d}, ", i);
	(void)snprintf(text + n, sizeof text - n, "]}\n");
	assert_string_equal(
		error_of(text, got),
		"3:30 Configuration .resources.transformations: more than 64 transformations");
}

UNIT_GROUP("limits")
