/* SPDX-License-Identifier: Apache-2.0 */
/* An object laid over another one as kubectl apply does, and single fields that are set. */
#include "codec/edit/apply.h"

#include "codec/edit/set.h"
#include "codec/edit/set_put.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"

static int parse(const struct fl_mem *mem, const char *text, struct fl_doc *ret,
		 fairlead_error *err)
{
	char yaml[2000]; /* what begins with { would be JSON */

	(void)snprintf(yaml, sizeof yaml, "--- %s", text);
	fl_doc_init(ret, mem);
	return fl_apply_parse(yaml, strlen(yaml), ret, err);
}

static void check(size_t row, struct fl_doc *got, const char *want)
{
	struct fl_doc doc;
	fairlead_error err;

	assert_int_equal(parse(&fl_mem_heap, want, &doc, &err), 0);
	if (fl_doc_hash(got, 0) != fl_doc_hash(&doc, 0))
		fail_msg("row %zu", row);
	fl_doc_done(&doc);
}

#define LAST(json)                                                                                 \
	"metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '" json "'}}"

static const struct {
	const char *old, *fresh, *want;
} merges[] = {
	{ "{a: 1, b: 2}", "{b: 3, c: 4}", "{a: 1, b: 3, c: 4}" },
	{ "{a: 1, b: 2}", "{b: null}", "{a: 1}" },
	{ "{a: {b: 1, c: 2}}", "{a: {c: 3}}", "{a: {b: 1, c: 3}}" },
	{ "{a: {b: 1}}", "{a: 5}", "{a: 5}" },
	{ "{a: 5}", "{a: {b: 1}}", "{a: {b: 1}}" },
	/* Lists without keys, and empty ones. */
	{ "{a: [1, 2]}", "{a: [3]}", "{a: [3]}" },
	{ "{flavors: [{name: a}]}", "{flavors: []}", "{flavors: []}" },
	/* Lists with keys: known items in their order, new ones behind. */
	{ "{flavors: [{name: a, x: 1}, {name: b, x: 2}]}",
	  "{flavors: [{name: b, x: 3}, {name: c}]}",
	  "{flavors: [{name: a, x: 1}, {name: b, x: 3}, {name: c}]}" },
	/* All of them are given: in the new order. */
	{ "{flavors: [{name: a, x: 1}, {name: b}]}", "{flavors: [{name: b}, {name: c}, {name: a}]}",
	  "{flavors: [{name: b}, {name: c}, {name: a, x: 1}]}" },
	{ "{flavors: [{name: a}, {name: b}]}", "{flavors: [{name: a, $patch: delete}]}",
	  "{flavors: [{name: b}]}" },
	/* An item without its name. */
	{ "{flavors: [{name: a}]}", "{flavors: [{x: 1}]}", "{flavors: [{x: 1}]}" },
	{ "{podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, image: i, "
	  "resources: {requests: {cpu: 1}}}]}}}]}",
	  "{podSets: [{name: main, template: {spec: {containers: [{name: c, resources: {requests: "
	  "{cpu: 2}}}]}}}]}",
	  "{podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, image: i, "
	  "resources: {requests: {cpu: 2}}}]}}}]}" },
	/* Resource groups: by a flavor, else by a resource. */
	{ "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: a, resources: [{name: cpu, "
	  "nominalQuota: 1, lendingLimit: 0}]}]}, {coveredResources: [gpu], flavors: [{name: g}]}]}",
	  "{resourceGroups: [{flavors: [{name: a, resources: [{name: cpu, nominalQuota: 2}]}]}]}",
	  "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: a, resources: [{name: cpu, "
	  "nominalQuota: 2, lendingLimit: 0}]}]}, {coveredResources: [gpu], flavors: [{name: g}]}]}" },
	{ "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: a}]}]}",
	  "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: b}]}]}",
	  "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: a}, {name: b}]}]}" },
	{ "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: a}]}]}",
	  "{resourceGroups: [{coveredResources: [gpu], flavors: [{name: b}]}]}",
	  "{resourceGroups: [{coveredResources: [cpu], flavors: [{name: a}]}, {coveredResources: "
	  "[gpu], flavors: [{name: b}]}]}" },
	/* Status: its lists are replaced. */
	{ "{status: {flavors: [{name: a}], x: 1}}", "{status: {flavors: [{name: b}]}}",
	  "{status: {flavors: [{name: b}], x: 1}}" },
	/* The other name of a field. */
	{ "{spec: {cohort: a, x: 1}}", "{spec: {cohortName: b}}", "{spec: {cohortName: b, x: 1}}" },
	/* What was applied the last time, and is not given now, goes. */
	{ "{spec: {a: 1, b: 2}, " LAST("{\"spec\": {\"a\": 1}}") "}", "{spec: {c: 3}}",
	  "{spec: {b: 2, c: 3}, " LAST("{\"spec\": {\"a\": 1}}") "}" },
	{ "{spec: {flavors: [{name: a}, {name: b}]}, " LAST(
		  "{\"spec\": {\"flavors\": [{\"name\": \"a\"}]}}") "}",
	  "{spec: {flavors: [{name: c}]}}",
	  "{spec: {flavors: [{name: b}, {name: c}]}, " LAST(
		  "{\"spec\": {\"flavors\": [{\"name\": \"a\"}]}}") "}" },
	{ "{status: {a: 1}, spec: {x: 1}, " LAST("{\"status\": {}, \"spec\": {\"y\": null}}") "}",
	  "{spec: {z: 1}}",
	  "{status: {a: 1}, spec: {x: 1, z: 1}, " LAST(
		  "{\"status\": {}, \"spec\": {\"y\": null}}") "}" },
	/* One that cannot be read is none. */
	{ "{spec: {a: 1}, " LAST("{") "}", "{spec: {c: 3}}",
	  "{spec: {a: 1, c: 3}, " LAST("{") "}" },
};

TEST(merged)
{
	for (size_t i = 0; i < COUNT(merges); i++) {
		struct fl_doc old, fresh, got;
		fairlead_error err;

		assert_int_equal(parse(&fl_mem_heap, merges[i].old, &old, &err), 0);
		assert_int_equal(parse(&fl_mem_heap, merges[i].fresh, &fresh, &err), 0);
		fl_doc_init(&got, &fl_mem_heap);
		assert_int_equal(fl_apply(&fresh, &old, &got, &err), 0);
		check(i, &got, merges[i].want);
		fl_doc_done(&old);
		fl_doc_done(&fresh);
		fl_doc_done(&got);
	}
}

/* --- fields that are set --- */

#define QUEUE                                                                                      \
	"{spec: {cohort: co, resourceGroups: [{coveredResources: [cpu, gpu], flavors: [{name: a, " \
	"resources: [{name: cpu, nominalQuota: 4}, {name: gpu, nominalQuota: \"2\", "              \
	"borrowingLimit: 1}]}, {name: b, resources: [{name: cpu, nominalQuota: 500m}]}]}]}}"

static const struct {
	const char *object, *text;
	const char *want, *error; /* one of them */
} sets[] = {
	{ "{spec: {}}", "spec.fairSharing.weight=2", "{spec: {fairSharing: {weight: 2}}}", NULL },
	{ "{}", "fairSharing.weight=2", "{spec: {fairSharing: {weight: 2}}}", NULL },
	{ "{spec: {fairSharing: {weight: 2}}}", "spec.fairSharing.weight += 1500m",
	  "{spec: {fairSharing: {weight: 3.5}}}", NULL },
	{ "{spec: {fairSharing: {weight: 2}}}", "spec.fairSharing=null", "{spec: {}}", NULL },
	{ "{spec: {cohort: a}}", "spec.cohortName=b", "{spec: {cohortName: b}}", NULL },
	{ "{spec: {cohort: a}}", "cohort=", "{spec: {cohort: \"\"}}", NULL },
	{ "{spec: {namespaceSelector: {matchLabels: {a.b/c: d}}}}",
	  "namespaceSelector.matchLabels[a.b/c]=e",
	  "{spec: {namespaceSelector: {matchLabels: {a.b/c: e}}}}", NULL },
	{ "{spec: {preemption: {withinClusterQueue: Never}}}",
	  "preemption={reclaimWithinCohort: Any}",
	  "{spec: {preemption: {reclaimWithinCohort: Any}}}", NULL },
	{ "{}", "weight=2", NULL, "a ClusterQueue has no field 'weight'" },
	{ "{}", "spec.fairSharing.weights=2", NULL,
	  "there is no field 'weights' in spec.fairSharing" },
	{ "{}", "status.pendingWorkloads=2", NULL,
	  "'status' is not read: no decision depends on it" },
	{ "{}", "spec.admissionChecks=[a]", NULL,
	  "'spec.admissionChecks' is not used: quota is given without waiting for checks" },
	{ "{}", "metadata.name=other", NULL, "an object keeps its name and namespace" },
	{ "{}", "spec.fairSharing.weight+=1", NULL,
	  "'spec.fairSharing.weight' is not set, so nothing can be added to it" },
	{ "{spec: {stopPolicy: Hold}}", "spec.stopPolicy+=1", NULL,
	  "'spec.stopPolicy' and the value are not two numbers or quantities" },
	{ QUEUE, "spec.resourceGroups.flavors=[]", NULL, "'spec.resourceGroups' is a list" },
	{ QUEUE, "spec.resourceGroups[1].flavors=[]", NULL,
	  "there is no resource group 1 in spec.resourceGroups" },
	{ QUEUE, "spec.resourceGroups[0].flavors[name=t4].resources=[]", NULL,
	  "there is no flavor 't4' in spec.resourceGroups[0].flavors" },
	{ QUEUE, "nominalQuota[cpu]=3", NULL, "it has 2 quotas of 'cpu'" },
	{ QUEUE, "nominalQuota[tpu]=3", NULL, "it has no quota of 'tpu'" },
	{ QUEUE, "nominalQuota[gpu,t4]=3", NULL, "it has no flavor 't4'" },
	{ QUEUE, "nominalQuota[gpu,b]=3", NULL, "it has no quota of 'gpu' in flavor 'b'" },
	{ QUEUE, "lendingLimit[gpu,a]+=3", NULL,
	  "'spec.resourceGroups[0].flavors[0].resources[1].lendingLimit' is not set, so nothing can "
	  "be added to it" },
};

static const struct {
	const char *text, *changed; /* what of QUEUE becomes what */
	const char *by;
} quotas[] = {
	{ "nominalQuota[cpu,a]=8", "nominalQuota: 4", "nominalQuota: 8" },
	{ "nominalQuota[cpu,b]+=1", "nominalQuota: 500m", "nominalQuota: \"1.5\"" },
	{ "nominalQuota[gpu]+=8", "nominalQuota: \"2\"", "nominalQuota: \"10\"" },
	{ "borrowingLimit[gpu, a]-=1", "borrowingLimit: 1", "borrowingLimit: 0" },
	{ "spec.resourceGroups[0].flavors[name=a].resources[name=cpu].nominalQuota=8",
	  "nominalQuota: 4", "nominalQuota: 8" },
	{ "resourceGroups[0].flavors[1].name=c", "name: b", "name: c" },
	{ "resourceGroups[0].flavors[name=b]=null",
	  ", {name: b, resources: [{name: cpu, nominalQuota: 500m}]}", "" },
};

static int set(const struct fl_mem *mem, const char *object, const char *text, struct fl_doc *ret,
	       fairlead_error *err)
{
	struct fl_set s;
	struct fl_doc doc;
	int r = parse(mem, object, &doc, err);

	fl_doc_init(ret, mem);
	if (r == 0) {
		r = fl_set_parse(&s, mem, text, err);
		if (r == 0)
			r = fl_set_apply(&s, &fl_kind_cluster_queue, &doc, ret, err);
		fl_set_done(&s);
	}
	fl_doc_done(&doc);
	return r;
}

TEST(fields)
{
	for (size_t i = 0; i < COUNT(sets); i++) {
		struct fl_doc got;
		fairlead_error err = { 0 };
		int r = set(&fl_mem_heap, sets[i].object, sets[i].text, &got, &err);

		if (sets[i].want && r < 0)
			fail_msg("%s: %s", sets[i].text, err.text);
		if (sets[i].want)
			check(i, &got, sets[i].want);
		else if (r != FAIRLEAD_EINPUT || strcmp(err.text, sets[i].error) != 0)
			fail_msg("%s: %d, %s", sets[i].text, r, err.text);
		fl_doc_done(&got);
	}
}

TEST(quotas_by_name)
{
	for (size_t i = 0; i < COUNT(quotas); i++) {
		const char *at = strstr(QUEUE, quotas[i].changed);
		char want[2000];
		struct fl_doc got;
		fairlead_error err = { 0 };

		assert_non_null(at);
		(void)snprintf(want, sizeof want, "%.*s%s%s", (int)(at - QUEUE), QUEUE,
			       quotas[i].by, at + strlen(quotas[i].changed));
		if (set(&fl_mem_heap, QUEUE, quotas[i].text, &got, &err) < 0)
			fail_msg("%s: %s", quotas[i].text, err.text);
		check(i, &got, want);
		fl_doc_done(&got);
	}
}

TEST(not_of_the_form)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "weight", "'weight': there is no '='" },
		{ "a[name=b]", "'a[name=b]': there is no '='" },
		{ "=3", "'=3': a name of a field is missing" },
		{ "a..b=3", "'a..b=3': a name of a field is missing" },
		{ "a.=3", "'a.=3': a name of a field is missing" },
		{ "a[]=3", "'a[]=3': a '[' without name and ']'" },
		{ "a[0]b=3", "'a[0]b=3': behind ']' is neither '.' nor '['" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_set s;
		fairlead_error err = { 0 };

		assert_int_equal(fl_set_parse(&s, &fl_mem_heap, rows[i].text, &err),
				 FAIRLEAD_EINPUT);
		assert_string_equal(err.text, rows[i].why);
		fl_set_done(&s);
	}
}

TEST(sums)
{
	static const struct {
		const char *a, *b;
		int sign;
		const char *want; /* NULL: no numbers */
	} rows[] = {
		{ "1", "2", 1, "3" },
		{ "1", "2", -1, "-1" },
		{ "-5", "2", 1, "-3" },
		{ "500m", "0.25", 1, "0.75" },
		{ "4Gi", "512Mi", 1, "4831838208" },
		{ "1n", "0", 1, "0.000000001" },
		{ "1e3", "1", -1, "999" },
		{ "a", "1", 1, NULL },
		{ "1", "--1", 1, NULL },
		{ "", "1", 1, NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[64];

		assert_true(fl_put_sum(rows[i].a, rows[i].b, rows[i].sign, text, sizeof text) ==
			    (rows[i].want != NULL));
		if (rows[i].want)
			assert_string_equal(text, rows[i].want);
	}
}

/* The n-th allocation fails, for every n: an error, and all is freed. */
TEST(memory)
{
	int r = -1;

	for (unsigned long n = 1; r < 0; n++) {
		struct fl_doc old = { 0 }, fresh = { 0 }, got[2] = { 0 };
		struct fail_mem f;
		fairlead_error err;

		fail_mem_init(&f);
		f.fail_at = n;
		r = parse(&f.mem, "{spec: {a: 1, b: 2}, " LAST("{\"spec\": {\"a\": 1}}") "}", &old,
			  &err);
		if (r == 0)
			r = parse(&f.mem, "{spec: {c: 3}}", &fresh, &err);
		fl_doc_init(&got[0], &f.mem);
		if (r == 0)
			r = fl_apply(&fresh, &old, &got[0], &err);
		if (r == 0)
			r = set(&f.mem, QUEUE, "nominalQuota[gpu,a]+=8", &got[1], &err);
		assert_true(r == 0 || r == FAIRLEAD_ENOMEM);
		fl_doc_done(&old);
		fl_doc_done(&fresh);
		fl_doc_done(&got[0]);
		fl_doc_done(&got[1]);
		assert_int_equal(f.live, 0);
	}
}

UNIT_GROUP("apply")
