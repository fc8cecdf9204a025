/* SPDX-License-Identifier: Apache-2.0 */
/* What pods take: LimitRanges, RuntimeClasses, resources of the Configuration, pods that are done. */
#include "lib/fail_mem.h"
#include "unit/codec/load.h"

#define K "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define GI (INT64_C(1) << 30)

/* A Workload "w" of namespace "ns" with one podset whose template's spec is given. */
#define WORKLOAD(spec)                                                                             \
	K "kind: Workload\nmetadata: {name: w, namespace: ns}\nspec: {podSets: [{count: 2, "       \
	  "template: {spec: " spec "}}]}\n"
#define LIMITS(name, limits)                                                                       \
	"---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: " name ", namespace: ns}\n"       \
	"spec: {limits: [" limits "]}\n"
#define RUNTIME(name, rest)                                                                        \
	"---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: " name              \
	"}\nhandler: h\n" rest "\n"
#define RESOURCES(rest)                                                                            \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nresources: {" rest   \
	"}\n"

/* "cpu=1500 memory=8" of the first podset, by name. */
static const char *requests_of(const struct fl_model *m, char buffer[512])
{
	const struct fl_podset *p = &m->podsets[m->workloads[0].podsets.first];
	size_t n = 0;

	buffer[0] = '\0';
	for (uint32_t i = 0; i < p->requests.n; i++) {
		const struct fl_request *q = &m->requests[p->requests.first + i];

		n += (size_t)snprintf(buffer + n, 512 - n, "%s%s=%lld", i ? " " : "",
				      fl_model_text(m, q->resource_name), (long long)q->amount);
	}
	return buffer;
}

TEST(limit_ranges)
{
	static const struct {
		const char *name, *text, *want, *excluded;
	} rows[] = {
		{ "defaults of a container",
		  WORKLOAD("{containers: [{}, {resources: {requests: {cpu: 3}}}]}") LIMITS(
			  "a",
			  "{type: Container, default: {cpu: 4}, defaultRequest: {cpu: 1, memory: 10}}"),
		  "cpu=4000 memory=20", "QueueDoesNotExist" },
		{ "the default limit is a default request, too",
		  WORKLOAD("{containers: [{}]}")
			  LIMITS("a", "{type: Container, default: {cpu: 4}}"),
		  "cpu=4000", "QueueDoesNotExist" },
		{ "a bound from above is a default limit",
		  WORKLOAD("{containers: [{}]}") LIMITS("a", "{type: Container, max: {cpu: 5}}"),
		  "cpu=5000", "QueueDoesNotExist" },
		{ "a bound from below is a default request",
		  WORKLOAD("{containers: [{}]}") LIMITS("a", "{type: Container, min: {cpu: 2}}"),
		  "cpu=2000", "QueueDoesNotExist" },
		{ "own limits come before defaults of requests",
		  WORKLOAD("{containers: [{resources: {limits: {cpu: 3}}}]}") LIMITS(
			  "a", "{type: Container, default: {cpu: 2}, defaultRequest: {cpu: 1}}"),
		  "cpu=3000", "QueueDoesNotExist" },
		{ "a request above the default limit",
		  WORKLOAD("{containers: [{resources: {requests: {cpu: 3}}}]}")
			  LIMITS("a", "{type: Container, default: {cpu: 2}}"),
		  "cpu=3000", "Misconfigured" },
		{ "init containers get them as well",
		  WORKLOAD(
			  "{initContainers: [{}], containers: [{resources: {requests: {cpu: 1}}}]}")
			  LIMITS("a", "{type: Container, defaultRequest: {cpu: 2}}"),
		  "cpu=2000", "QueueDoesNotExist" },
		{ "the first object by name gives the default",
		  LIMITS("b", "{type: Container, defaultRequest: {cpu: 2, memory: 7}}")
			  LIMITS("a", "{type: Container, defaultRequest: {cpu: 1}}") "---\n" WORKLOAD(
				  "{containers: [{}]}"),
		  "cpu=1000 memory=7", "QueueDoesNotExist" },
		{ "another namespace's do not count",
		  WORKLOAD(
			  "{containers: [{}]}") "---\napiVersion: v1\nkind: LimitRange\n"
						"metadata: {name: a, namespace: other}\nspec: {limits: [{type: Container, default: {cpu: 1}}]}\n",
		  "", "QueueDoesNotExist" },
		{ "volumes do not count",
		  WORKLOAD("{containers: [{}]}")
			  LIMITS("a", "{type: PersistentVolumeClaim, min: {storage: 1}}"),
		  "", "QueueDoesNotExist" },
		{ "above the maximum",
		  WORKLOAD("{containers: [{resources: {requests: {cpu: 3}}}]}")
			  LIMITS("a", "{type: Container, max: {cpu: 2}, default: {cpu: 4}}"),
		  "cpu=3000", "OutsideLimitRange" },
		{ "a limit above the maximum",
		  WORKLOAD("{containers: [{resources: {requests: {cpu: 1}, limits: {cpu: 3}}}]}")
			  LIMITS("a", "{type: Container, max: {cpu: 2}}"),
		  "cpu=1000", "OutsideLimitRange" },
		{ "at the maximum",
		  WORKLOAD("{containers: [{resources: {requests: {cpu: 2}}}]}")
			  LIMITS("a", "{type: Container, max: {cpu: 2}}"),
		  "cpu=2000", "QueueDoesNotExist" },
		{ "below the minimum",
		  WORKLOAD("{containers: [{resources: {requests: {cpu: 1}}}]}")
			  LIMITS("a", "{type: Container, min: {cpu: 2}}"),
		  "cpu=1000", "OutsideLimitRange" },
		{ "the narrower of two maxima",
		  WORKLOAD("{containers: [{resources: {requests: {cpu: 3}, limits: {cpu: 3}}}]}")
			  LIMITS("a", "{type: Container, max: {cpu: 4}}")
				  LIMITS("b", "{type: Container, max: {cpu: 2}}"),
		  "cpu=3000", "OutsideLimitRange" },
		{ "a pod above its maximum",
		  WORKLOAD(
			  "{containers: [{resources: {requests: {cpu: 1}}}, {resources: {requests: {cpu: 2}}}]}")
			  LIMITS("a", "{type: Pod, max: {cpu: 2}}"),
		  "cpu=3000", "OutsideLimitRange" },
		{ "a pod below its minimum",
		  WORKLOAD("{containers: [{resources: {requests: {cpu: 1}}}]}")
			  LIMITS("a", "{type: Pod, min: {cpu: 2}}"),
		  "cpu=1000", "OutsideLimitRange" },
		{ "a pod that does not ask is not below",
		  WORKLOAD("{containers: [{resources: {requests: {cpu: 1}}}]}")
			  LIMITS("a", "{type: Pod, min: {memory: 2}}"),
		  "cpu=1000", "QueueDoesNotExist" },
		{ "a ratio decides nothing",
		  WORKLOAD("{containers: [{resources: {requests: {cpu: 1}, limits: {cpu: 9}}}]}")
			  LIMITS("a", "{type: Container, maxLimitRequestRatio: {cpu: 2}}"),
		  "cpu=1000", "QueueDoesNotExist" },
	};

	static const char *const words[] = {
		[FL_REQUESTS_RIGHT] = "QueueDoesNotExist",
		[FL_REQUESTS_OUTSIDE_RANGE] = "OutsideLimitRange",
		[FL_REQUESTS_ABOVE_LIMITS] = "Misconfigured",
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);
		char got[512];
		const char *excluded;

		/* The workload has no queue, which comes first: ask for what else is known of it. */
		excluded = words[m->workloads[0].requests];
		if (strcmp(requests_of(m, got), rows[i].want) != 0)
			fail_msg("row '%s': %s", rows[i].name, got);
		CHECK(strcmp(excluded, rows[i].excluded) == 0, rows[i].name);
		fl_model_free(m);
	}
}

TEST(overhead)
{
	static const struct {
		const char *name, *text, *want, *notice;
	} rows[] = {
		{ "of the class",
		  WORKLOAD(
			  "{runtimeClassName: kata, containers: [{resources: {requests: {cpu: 1}}}]}")
			  RUNTIME("kata", "overhead: {podFixed: {cpu: 250m, memory: 5}}"),
		  "cpu=1250 memory=5", "" },
		{ "the pod's own comes first",
		  WORKLOAD(
			  "{runtimeClassName: kata, overhead: {cpu: 1}, containers: [{resources: {requests: {cpu: 1}}}]}")
			  RUNTIME("kata", "overhead: {podFixed: {cpu: 250m}}"),
		  "cpu=2000", "" },
		{ "an empty one is none",
		  WORKLOAD(
			  "{runtimeClassName: kata, overhead: {}, containers: [{resources: {requests: {cpu: 1}}}]}")
			  RUNTIME("kata", "overhead: {podFixed: {cpu: 250m}}"),
		  "cpu=1250", "" },
		{ "a class without overhead",
		  WORKLOAD(
			  "{runtimeClassName: runc, containers: [{resources: {requests: {cpu: 1}}}]}")
			  RUNTIME("runc", ""),
		  "cpu=1000", "" },
		{ "a class that is not there",
		  WORKLOAD(
			  "{runtimeClassName: x, containers: [{resources: {requests: {cpu: 1}}}]}"),
		  "cpu=1000",
		  "1:1 Workload/ns/w: RuntimeClass 'x' is not in the input: its pods are taken to have no overhead" },
		{ "overhead counts for a LimitRange of pods",
		  WORKLOAD(
			  "{runtimeClassName: kata, containers: [{resources: {requests: {cpu: 1}}}]}")
			  RUNTIME("kata", "overhead: {podFixed: {cpu: 250m}}")
				  LIMITS("a", "{type: Pod, max: {cpu: 1}}"),
		  "cpu=1250", "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);
		char got[512], line[512];

		if (strcmp(requests_of(m, got), rows[i].want) != 0)
			fail_msg("row '%s': %s", rows[i].name, got);
		CHECK(strcmp(load_notice_line(m, FL_NOTICE_ASSUMED, line), rows[i].notice) == 0,
		      rows[i].name);
		CHECK((m->workloads[0].requests == FL_REQUESTS_OUTSIDE_RANGE) ==
			      (i == COUNT(rows) - 1),
		      rows[i].name);
		fl_model_free(m);
	}
}

#define ONE_POD(requests) WORKLOAD("{containers: [{resources: {requests: {" requests "}}}]}")
#define MAP(rest) RESOURCES("transformations: [{" rest "}]")

TEST(transformations)
{
	static const struct {
		const char *name, *text, *want;
	} rows[] = {
		{ "a prefix is left out",
		  ONE_POD("cpu: 1, example.com/a: 2, other.com/a: 3")
			  RESOURCES("excludeResourcePrefixes: [example.com/, x]"),
		  "cpu=1000 other.com/a=3" },
		{ "replaced",
		  ONE_POD("cpu: 1, mig-1g: 3") MAP(
			  "input: mig-1g, strategy: Replace, outputs: {credits: 2, memory: 1Gi}"),
		  "cpu=1000 credits=6 memory=3221225472" },
		{ "retained, as it is when nothing is said",
		  ONE_POD("gpu: 3") MAP("input: gpu, outputs: {credits: 2}"), "credits=6 gpu=3" },
		{ "replaced by nothing",
		  ONE_POD("cpu: 1, gpu: 3") MAP("input: gpu, strategy: Replace"), "cpu=1000" },
		{ "fractions are summed before they are rounded up",
		  ONE_POD("a: 1, b: 1") RESOURCES(
			  "transformations: [{input: a, strategy: Replace, outputs: {c: 250m}}, "
			  "{input: b, strategy: Replace, outputs: {c: 250m}}]"),
		  "c=1" },
		{ "cores count whole as an input",
		  ONE_POD("cpu: 1500m") MAP("input: cpu, outputs: {credits: 10}"),
		  "cpu=1500 credits=20" },
		{ "and in thousandths as an output",
		  ONE_POD("gpu: 3") MAP("input: gpu, strategy: Replace, outputs: {cpu: 500m}"),
		  "cpu=1500" },
		{ "an output adds to what is asked for",
		  ONE_POD("cpu: 1, gpu: 3") MAP("input: gpu, strategy: Replace, outputs: {cpu: 2}"),
		  "cpu=7000" },
		{ "multiplied",
		  ONE_POD("gpu: 3, hours: 4") MAP(
			  "input: gpu, strategy: Replace, multiplyBy: hours, outputs: {credits: 2}"),
		  "credits=24 hours=4" },
		{ "retained multiplied",
		  ONE_POD("gpu: 3, hours: 4")
			  MAP("input: gpu, multiplyBy: hours, outputs: {credits: 2}"),
		  "credits=24 gpu=12 hours=4" },
		{ "multiplied by what is not asked for",
		  ONE_POD("gpu: 3") MAP("input: gpu, multiplyBy: hours, outputs: {credits: 2}"),
		  "credits=6 gpu=3" },
		{ "multiplied by what is left out",
		  ONE_POD("gpu: 3, hours: 4") RESOURCES(
			  "excludeResourcePrefixes: [hours], "
			  "transformations: [{input: gpu, multiplyBy: hours, outputs: {credits: 2}}]"),
		  "credits=6 gpu=3" },
		{ "what is left out is not transformed",
		  ONE_POD("gpu: 3")
			  RESOURCES("excludeResourcePrefixes: [gpu], "
				    "transformations: [{input: gpu, outputs: {credits: 2}}]"),
		  "" },
		{ "outputs are not transformed again",
		  ONE_POD("a: 3") RESOURCES(
			  "transformations: [{input: a, strategy: Replace, outputs: {b: 2}}, "
			  "{input: b, strategy: Replace, outputs: {c: 2}}]"),
		  "b=6" },
		{ "more than can be counted",
		  ONE_POD("a: 4Ei") MAP("input: a, strategy: Replace, outputs: {b: 4Ei, cpu: 1}"),
		  "b=9223372036854775807 cpu=9223372036854775807" },
		{ "an overhead is transformed with the rest",
		  WORKLOAD("{overhead: {gpu: 1}, containers: [{resources: {requests: {gpu: 2}}}]}")
			  MAP("input: gpu, strategy: Replace, outputs: {credits: 1}"),
		  "credits=3" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);
		char got[512];

		if (strcmp(requests_of(m, got), rows[i].want) != 0)
			fail_msg("row '%s': %s", rows[i].name, got);
		fl_model_free(m);
	}
}

#define GATES(rest)                                                                                 \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfeatureGates: {" rest \
	"}\n"

/* 10 pods of 3 cpu; so many done, so many admitted with so much in all. */
TEST(done_pods)
{
	static const struct {
		const char *name, *status, *config;
		int32_t left, min_count, count;
		fl_amount held;
	} rows[] = {
		{ "waiting", "reclaimablePods: [{name: main, count: 4}]", "", 6, 2, -1, 0 },
		{ "waiting, others' are done", "reclaimablePods: [{name: x, count: 4}]", "", 10, 2,
		  -1, 0 },
		{ "more than there are", "reclaimablePods: [{name: main, count: 14}]", "", 0, 2, -1,
		  0 },
		{ "all run",
		  "admission: {podSetAssignments: [{count: 10, flavors: {cpu: f}, resourceUsage: {cpu: 30}}]}",
		  "", 10, 2, 10, 30000 },
		{ "some are done",
		  "reclaimablePods: [{name: main, count: 4}], admission: {podSetAssignments: [{count: 10, flavors: {cpu: f}, resourceUsage: {cpu: 30}}]}",
		  "", 6, 2, 6, 18000 },
		{ "fewer run than are left",
		  "reclaimablePods: [{name: main, count: 4}], admission: {podSetAssignments: [{count: 5, flavors: {cpu: f}, resourceUsage: {cpu: 15}}]}",
		  "", 6, 2, 5, 15000 },
		{ "fewer are left than run",
		  "reclaimablePods: [{name: main, count: 7}], admission: {podSetAssignments: [{count: 5, flavors: {cpu: f}, resourceUsage: {cpu: 15}}]}",
		  "", 3, 2, 3, 9000 },
		{ "division first", /* 10 of 10000: 1000m each would be 3 x 3333 */
		  "reclaimablePods: [{name: main, count: 7}], admission: {podSetAssignments: [{count: 6, flavors: {cpu: f}, resourceUsage: {cpu: 20}}]}",
		  "", 3, 2, 3, 9999 },
		{ "all are done",
		  "reclaimablePods: [{name: main, count: 10}], admission: {podSetAssignments: [{flavors: {cpu: f}, resourceUsage: {cpu: 30}}]}",
		  "", 0, 2, 0, 0 },
		{ "turned off", "reclaimablePods: [{name: main, count: 4}]",
		  GATES("ReclaimablePods: false"), 10, 2, -1, 0 },
		{ "partial admission turned off", "reclaimablePods: []",
		  GATES("PartialAdmission: false, ReclaimablePods: true"), 10, -1, -1, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[1024];
		struct fl_model *m;
		const struct fl_podset *p;

		(void)snprintf(
			text, sizeof text,
			K
			"kind: Workload\nmetadata: {name: w, namespace: ns}\nspec: {podSets: [{count: 10, minCount: 2, "
			"template: {spec: {containers: [{resources: {requests: {cpu: 3}}}]}}}]}\nstatus: {%s}\n%s",
			rows[i].status, rows[i].config);
		m = load(text);
		p = &m->podsets[0];
		CHECK(fl_podset_left(p) == rows[i].left, rows[i].name);
		CHECK(p->min_count == rows[i].min_count, rows[i].name);
		CHECK((int32_t)m->n_podset_assignments == (rows[i].count >= 0), rows[i].name);
		if (rows[i].count >= 0) {
			CHECK(m->podset_assignments[0].count == rows[i].count, rows[i].name);
			CHECK(m->assignments[0].amount == rows[i].held, rows[i].name);
		}
		fl_model_free(m);
	}
}

TEST(gates)
{
	static const char text[] = K
		"kind: ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}, cohortName: c, resourceGroups: "
		"[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 2, lendingLimit: 1}]}]}]}\n"
		"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nadmissionFairSharing: {usageHalfLifeTime: 1h}\n"
		"featureGates: {%s}\n";
	char all[1024];
	struct fl_model *m;

	(void)snprintf(all, sizeof all, text, "LendingLimit: true, AdmissionFairSharing: true");
	m = load(all);
	assert_int_equal(m->quotas[0].lending_limit, 1000);
	assert_true(m->settings.admission_fair_sharing);
	fl_model_free(m);
	(void)snprintf(all, sizeof all, text, "LendingLimit: false, AdmissionFairSharing: false");
	m = load(all);
	assert_true(m->quotas[0].lending_limit == FL_NO_LIMIT);
	assert_false(m->settings.admission_fair_sharing);
	for (int g = 0; g < FL_GATES; g++)
		assert_int_equal(m->settings.off[g],
				 g == FL_GATE_LENDING_LIMIT || g == FL_GATE_ADMISSION_FAIR_SHARING);
	fl_model_free(m);
	assert_string_equal(fl_gate_name(FL_GATE_LENDING_LIMIT), "LendingLimit");
	assert_string_equal(fl_gate_name(FL_GATES), "");
}

TEST(too_many_resources)
{
	static char text[200000];
	size_t n = (size_t)snprintf(
		text, sizeof text,
		K
		"kind: Workload\nmetadata: {name: w, namespace: ns}\nspec: {podSets: [{template: {spec: {containers: [");
	fairlead_error err;
	struct fl_model *m;

	for (int c = 0; c < 2; c++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "%s{resources: {requests: {",
				      c ? ", " : "");
		for (int i = 0; i < 600; i++)
			n += (size_t)snprintf(text + n, sizeof text - n, "%sr%d-%d: 1",
					      i ? ", " : "", c, i);
		n += (size_t)snprintf(text + n, sizeof text - n, "}}}");
	}
	(void)snprintf(text + n, sizeof text - n, "]}}}]}\n");
	m = load_open(&fl_mem_heap, text, &err);
	assert_non_null(m);
	assert_int_equal(fl_model_seal(m, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "a pod with more than 1024 resources");
	assert_string_equal(err.subject, "Workload/ns/w");
	assert_int_equal(err.line, 1);
	fl_model_free(m);
}

TEST(out_of_memory)
{
	static const char text[] = WORKLOAD(
		"{runtimeClassName: kata, containers: [{resources: {limits: {gpu: 2}}}]}")
		LIMITS("a",
		       "{type: Container, defaultRequest: {cpu: 2, memory: 7}}, {type: Pod, max: {cpu: 1}}")
			RUNTIME("kata", "overhead: {podFixed: {cpu: 250m}}")
				RESOURCES("excludeResourcePrefixes: [mem], "
					  "transformations: [{input: gpu, outputs: {credits: 2}}]");

	for (unsigned long n = 1;; n++) {
		struct fail_mem f;
		fairlead_error err;
		struct fl_model *m;
		char got[512];

		fail_mem_init(&f);
		f.fail_at = n;
		m = load_open(&f.mem, text, &err);
		if (m && fl_model_seal(m, &err) < 0)
			m = fl_model_free(m);
		if (m) {
			assert_string_equal(requests_of(m, got), "cpu=2250 credits=4 gpu=2");
			assert_int_equal(m->workloads[0].requests, FL_REQUESTS_OUTSIDE_RANGE);
			fl_model_free(m);
			assert_int_equal(f.live, 0);
			break;
		}
		assert_int_equal(err.code, FAIRLEAD_ENOMEM);
		assert_int_equal(f.live, 0);
		assert_true(n < 10000);
	}
}

UNIT_GROUP("totals")
