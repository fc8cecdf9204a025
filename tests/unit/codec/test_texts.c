/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No text of somebody's own can pass as a value that `record --redact` would write as
 * it stands: every supported field either says what it names, or refuses such a text.
 */
#include <jansson.h>

#include "codec/edit/alias.h"
#include "codec/object/known.h"
#include "codec/object/kube.h"
#include "lib/unit.h"

static const char secret[] = "my own words";

/* What must stand beside a field before it is looked at, by the path of the map around it. */
static const struct {
	const char *path, *beside;
} needed[] = {
	{ ".spec.resourceGroups[].flavors[].resources[]", "{'name':'cpu','nominalQuota':'1'}" },
	{ ".spec.resourceGroups[].flavors[]", "{'name':'f'}" },
	{ ".spec.nodeTaints[]", "{'key':'k','effect':'NoSchedule'}" },
	{ ".spec.namespaceSelector.matchExpressions[]", "{'key':'k','operator':'In'}" },
	{ ".nodeSelectorTerms[].matchExpressions[]", "{'key':'k','operator':'In'}" },
	{ ".nodeSelectorTerms[].matchFields[]",
	  "{'key':'metadata.name','operator':'In','values':['n']}" },
	{ ".metadata.ownerReferences[]", "{'kind':'Job','name':'j'}" },
	{ ".reclaimBackOff", "{'base':'1s'}" },
	{ ".spec.cohorts[]", "{'name':'c'}" },
	{ ".spec.clusterQueues[]", "{'name':'q'}" },
	{ ".resources.transformations[]", "{'input':'r','strategy':'Retain'}" },
	{ ".spec.limits[]", "{'type':'Container'}" },
	{ ".spec.budgets", "{'period':{'cron':'@daily'}}" },
	{ ".spec.budgets.queues[]", "{'name':'q'}" },
	{ ".spec.taints[]", "{'key':'k','effect':'NoSchedule'}" },
	{ ".spec.samples[]", "{'from':'2026-01-01T00:00:00Z','to':'2026-01-01T00:00:01Z',"
			     "'capacity':{}}" },
	{ ".spec.queueTemplates[]", "{'match':'m'}" },
	{ ".spec.queueTemplates[].localQueue", "{'clusterQueue':'q'}" },
	{ ".clusterQueue.resourceGroups[]", "{'coveredResources':['cpu']}" },
	{ ".clusterQueue.resourceGroups[].flavors[]", "{'name':'f'}" },
	{ ".clusterQueue.resourceGroups[].flavors[].resources[]",
	  "{'name':'cpu','nominalQuota':'1'}" },
	{ ".clusterQueue.namespaceSelector.matchExpressions[]", "{'key':'k','operator':'In'}" },
	{ ".spec.classes[]",
	  "{'name':'c','to':'q','count':1,'runs':{'exponential':'1h'},'requests':{'cpu':1}}" },
	{ ".every.lognormal", "{'median':'1h','p84':'2h'}" },
	{ ".runs.lognormal", "{'median':'1h','p84':'2h'}" },
	{ ".pods.lognormal", "{'median':1,'p84':2}" },
	{ ".every.pareto", "{'least':'1h','exponent':1}" },
	{ ".runs.pareto", "{'least':'1h','exponent':1}" },
	{ ".pods.pareto", "{'least':1,'exponent':1}" },
	{ ".every.weibull", "{'scale':'1h','shape':1}" },
	{ ".runs.weibull", "{'scale':'1h','shape':1}" },
	{ ".pods.weibull", "{'scale':1,'shape':1}" },
	{ ".spec.changes[]", "{'at':'1d','clusterQueue':'q','flavor':'f','resource':'cpu'}" },
	{ ".spec.failures[]",
	  "{'every':'1d','lasts':'1h','clusterQueue':'q','flavor':'f','resource':'cpu'}" },
};

/* Names of fields that have points in them. */
static const char *const dotted[] = {
	"kai.scheduler/preemptibility",
	"kai.scheduler/queue",
	"kai.scheduler/last-start-timestamp",
	"kai.scheduler/stale-podgroup-timestamp",
	"nvidia.com/gpu",
	"fairlead.dev/arrives-at",
	"fairlead.dev/runs-for",
	"fairlead.dev/gives-up-after",
	"fairlead.dev/class",
	"fairlead.dev/user",
};

static size_t name_length(const char *name)
{
	for (size_t i = 0; i < COUNT(dotted); i++)
		if (strncmp(name, dotted[i], strlen(dotted[i])) == 0)
			return strlen(dotted[i]);
	return strcspn(name, ".[");
}

/* The map that holds the last field of @path, made on the way; *last is that field's name. */
static json_t *walk(json_t *root, const char *path, char last[64], bool *list)
{
	const char *rest = path;
	json_t *map = root;

	for (;;) {
		char name[64];
		size_t len = name_length(rest + 1);
		bool is_list;

		/* One key of a ConfigMap has a point in it. */
		snprintf(name, sizeof name, "%.*s", (int)len, rest + 1);
		rest += 1 + len;
		is_list = strncmp(rest, "[]", 2) == 0;
		rest += is_list ? 2 : 0;
		if (!*rest) {
			strcpy(last, name);
			*list = is_list;
			return map;
		}
		json_t *child = json_object_get(map, name), *inner = child;

		if (!child) {
			inner = json_object();
			child = is_list ? json_pack("[o]", inner) : inner;
			json_object_set_new(map, name, child);
		} else if (is_list) {
			inner = json_array_get(child, 0);
		}
		map = inner;
		for (size_t i = 0; i < COUNT(needed); i++) {
			size_t n = strlen(needed[i].path), used = (size_t)(rest - path);
			char text[256];

			if (used < n || strncmp(path + used - n, needed[i].path, n) != 0)
				continue;
			snprintf(text, sizeof text, "%s", needed[i].beside);
			for (char *q = text; *q; q++)
				*q = *q == '\'' ? '"' : *q;
			json_t *beside = json_loads(text, 0, NULL);
			assert_non_null(beside);
			json_object_update(map, beside);
			json_decref(beside);
		}
	}
}

static const char *group_of(const char *kind)
{
	static const char *const others[][2] = {
		{ "Namespace", "v1" },
		{ "LimitRange", "v1" },
		{ "RuntimeClass", "node.k8s.io/v1" },
		{ "PriorityClass", "scheduling.k8s.io/v1" },
		{ "Configuration", "config.kueue.x-k8s.io/v1beta2" },
		{ "Policy", "fairlead.dev/v1alpha1" },
		{ "UsageHistory", "fairlead.dev/v1alpha1" },
		{ "Moves", "fairlead.dev/v1alpha1" },
		{ "Simulation", "fairlead.dev/v1alpha1" },
		{ "Queue", "scheduling.run.ai/v2" },
		{ "PodGroup", "scheduling.run.ai/v2alpha2" },
		{ "BindRequest", "scheduling.run.ai/v1alpha2" },
		{ "SchedulingShard", "kai.scheduler/v1" },
		{ "Pod", "v1" },
		{ "Node", "v1" },
	};

	for (size_t i = 0; i < COUNT(others); i++)
		if (strcmp(others[i][0], kind) == 0)
			return others[i][1];
	return "kueue.x-k8s.io/v1beta2";
}

/* Is an object of @kind with @value at @path refused, for what stands there? */
/* A field of v1beta1 alone is dropped from v1beta2. */
static const char *version_of(const char *kind, const char *path)
{
	return strcmp(path, ".spec.priorityClassSource") == 0 ? "kueue.x-k8s.io/v1beta1" :
								group_of(kind);
}

static bool refuses(const char *kind, const char *path, json_t *value, fairlead_error *err)
{
	json_t *root = json_pack("{s:s, s:s, s:{s:s, s:s}}", "apiVersion", version_of(kind, path),
				 "kind", kind, "metadata", "name", "n", "namespace", "ns");
	struct fl_model *m = NULL;
	char last[64];
	bool list;

	if (strstr(kind, "PriorityClass"))
		json_object_set_new(root, "value", json_integer(1));
	json_t *map = walk(root, path, last, &list);
	json_object_set(map, last, value);
	char *text = json_dumps(root, 0);
	assert_int_equal(fl_model_new(&fl_mem_heap, &m, err), 0);
	*err = (fairlead_error){ 0 };
	int r = fl_kube_read(m, "in", text, strlen(text), err);
	fl_model_free(m);
	free(text);
	json_decref(root);
	/* "Workload/ns/n .spec.podSets[0].count" */
	char plain[sizeof err->subject] = "";
	for (const char *s = strchr(err->subject, ' '); s && *s; s++)
		if (*s != ' ' && !(*s >= '0' && *s <= '9' && s[-1] == '['))
			strncat(plain, s, 1);
	return r < 0 && strncmp(plain, path, strlen(path) - 2 * list) == 0;
}

TEST(every_field)
{
	struct fl_kube_field field;
	unsigned checked = 0;
	char problems[4096] = "";

	for (uint32_t kind = 0; fl_kube_kind(kind); kind++) {
		if (strcmp(fl_kube_kind(kind), "ConfigMap") == 0 ||
		    strcmp(fl_kube_kind(kind), "Daemon") == 0) /* not recorded */
			continue;
		for (uint32_t i = 0; fl_kube_field(kind, i, &field); i++) {
			json_t *one = json_string(secret), *many = json_pack("[s]", secret);
			json_t *pairs = json_pack("{s:b}", secret, 1);
			fairlead_error err;

			if (field.support == FL_FIELD_SUPPORTED && field.leaf &&
			    field.text == FL_TEXT_VALUE) {
				checked++;
				if (!refuses(fl_kube_kind(kind), field.path, one, &err) ||
				    !refuses(fl_kube_kind(kind), field.path, many, &err) ||
				    (!field.keys &&
				     !refuses(fl_kube_kind(kind), field.path, pairs, &err)))
					snprintf(problems + strlen(problems),
						 sizeof problems - strlen(problems),
						 "\n%s %s may hold any text (%.60s: %.60s)",
						 fl_kube_kind(kind), field.path, err.subject,
						 err.text);
			}
			json_decref(one);
			json_decref(many);
			json_decref(pairs);
		}
	}
	if (*problems)
		fail_msg(
			"give these fields a .text (codec/object/kube.h), or what must stand beside them "
			"in this test:%s",
			problems);
	assert_true(checked > 50);
}

UNIT_GROUP("texts")
