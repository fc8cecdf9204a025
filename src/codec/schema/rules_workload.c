/* SPDX-License-Identifier: Apache-2.0 */
/* Rules between fields of a Workload (WL), and of its updates (UP7); its status: rules_status.c. */
#include "codec/schema/rules_workload.h"

#include <stdio.h>
#include <string.h>

#include "codec/schema/form.h"
#include "codec/schema/metadata.h"

enum { MAX_GATES = 16384 };

static uint32_t spec_of(const struct fl_doc *doc) { return fl_at(doc, 0, "spec"); }
static uint32_t pod_sets_of(const struct fl_doc *doc) { return fl_at_path(doc, "spec.podSets"); }

static const char *annotation(const struct fl_judge *j, const char *name)
{
	return fl_scalar_at(j->doc, fl_at(j->doc, fl_at_path(j->doc, "metadata.annotations"), name),
			    NULL);
}

static uint32_t annotations_of(const struct fl_judge *j)
{
	return fl_at_path(j->doc, "metadata.annotations");
}

bool fl_has_condition(const struct fl_doc *doc, const char *type)
{
	for (FL_ITEMS(doc, c, fl_at_path(doc, "status.conditions")))
		if (strcmp(fl_scalar_at(doc, fl_at(doc, c, "type"), ""), type) == 0)
			return strcmp(fl_scalar_at(doc, fl_at(doc, c, "status"), ""), "True") == 0;
	return false;
}

static const char *pod_set_name(const struct fl_doc *doc, uint32_t pod_set)
{
	return fl_scalar_at(doc, fl_at(doc, pod_set, "name"), "main");
}

uint32_t fl_pod_set_at(const struct fl_doc *doc, const char *name)
{
	for (FL_ITEMS(doc, p, pod_sets_of(doc)))
		if (strcmp(pod_set_name(doc, p), name) == 0)
			return p;
	return FL_NONE;
}

/* WL1, WL3, WL4 */
static void min_counts(struct fl_judge *j)
{
	const char *elastic = annotation(j, "kueue.x-k8s.io/elastic-job");
	uint32_t n = 0;

	for (FL_ITEMS(j->doc, p, pod_sets_of(j->doc))) {
		uint32_t least = fl_at(j->doc, p, "minCount");
		int64_t count = fl_int_at(j->doc, fl_at(j->doc, p, "count"), 1);

		if (least == FL_NONE)
			continue;
		n++;
		if (fl_int_at(j->doc, least, 0) > count)
			fl_refuse(j, p, NULL, "WL1", NULL,
				  "minCount of podSets '%.63s' is above count, which is %lld",
				  pod_set_name(j->doc, p), (long long)count);
		if (elastic && strcmp(elastic, "true") == 0)
			fl_refuse(j, least, NULL, "WL4", NULL,
				  "minCount in an elastic job, which scales by itself");
	}
	if (n > 1)
		fl_refuse(j, pod_sets_of(j->doc), NULL, "WL3", NULL,
			  "%u of podSets have minCount, and one may", n);
}

/* WL2, WL11 */
static void priority(struct fl_judge *j)
{
	bool old = j->version == FL_V1BETA1;
	const char *field = old ? "priorityClassName" : "priorityClassRef";
	uint32_t spec = spec_of(j->doc), class = fl_at(j->doc, spec, field);
	const char *group = fl_scalar_at(j->doc, fl_at(j->doc, class, "group"), "");
	const char *kind = fl_scalar_at(j->doc, fl_at(j->doc, class, "kind"), "");

	if (class == FL_NONE || (old && !*fl_scalar_at(j->doc, class, "")))
		return;
	if (fl_at(j->doc, spec, "priority") == FL_NONE)
		fl_refuse(j, spec, NULL, "WL2", "add the value of the class as priority",
			  "%s without priority in spec", field);
	if (!old &&
	    (strcmp(group, "scheduling.k8s.io") == 0) != (strcmp(kind, "PriorityClass") == 0))
		fl_refuse(j, class, NULL, "WL11", NULL, "%s: group %s has no kind %s", field, group,
			  kind);
}

/* --- WL5, WL6: amounts of containers --- */

static void check_amounts(struct fl_judge *j, uint32_t resources)
{
	static const char *const sides[] = { "requests", "limits" };

	for (size_t i = 0; i < 2; i++)
		for (FL_KEYS(j->doc, key, fl_at(j->doc, resources, sides[i]))) {
			const char *name = fl_doc_text(j->doc, key);
			const char *text = fl_scalar_at(j->doc, key + 1, "0");

			if (strcmp(name, "pods") == 0)
				fl_refuse(j, key + 1, NULL, "WL5", NULL,
					  "'pods' is counted by itself and is not requested");
			if (fl_form_nanos(text, strlen(text)) < 0)
				fl_refuse(j, key + 1, NULL, "WL6", NULL, "%.100s is below 0", name);
		}
}

static void requests(struct fl_judge *j)
{
	static const char *const lists[] = { "containers", "initContainers" };

	for (FL_ITEMS(j->doc, p, pod_sets_of(j->doc))) {
		uint32_t pod = fl_at(j->doc, fl_at(j->doc, p, "template"), "spec");

		check_amounts(j, fl_at(j->doc, pod, "resources"));
		for (size_t i = 0; i < 2; i++)
			for (FL_ITEMS(j->doc, c, fl_at(j->doc, pod, lists[i])))
				check_amounts(j, fl_at(j->doc, c, "resources"));
	}
}

/* WL8 */
static void template_labels(struct fl_judge *j)
{
	for (FL_ITEMS(j->doc, p, pod_sets_of(j->doc))) {
		uint32_t metadata = fl_at(j->doc, fl_at(j->doc, p, "template"), "metadata");

		fl_schema_labels(j, fl_at(j->doc, metadata, "labels"), "WL8");
		fl_schema_annotations(j, fl_at(j->doc, metadata, "annotations"), "WL8");
	}
}

/* WL9; the definition has its bounds. */
static void slices(struct fl_judge *j)
{
	for (FL_ITEMS(j->doc, p, pod_sets_of(j->doc))) {
		uint32_t request = fl_at(j->doc, p, "topologyRequest");
		uint32_t required = fl_at(j->doc, request, "podSetSliceRequiredTopology");
		uint32_t size = fl_at(j->doc, request, "podSetSliceSize");

		if ((required == FL_NONE) != (size == FL_NONE))
			fl_refuse(j, request,
				  size == FL_NONE ? "podSetSliceSize" :
						    "podSetSliceRequiredTopology",
				  "WL9", NULL,
				  "podSetSliceRequiredTopology and podSetSliceSize stand together");
	}
}

/* WL12 */
static void admission_gates(struct fl_judge *j)
{
	static const char name[] = "kueue.x-k8s.io/admission-gated-by";
	const char *text = annotation(j, name), *from = text;

	if (!text || !*text)
		return;
	if (strlen(text) > MAX_GATES) {
		fl_refuse(j, annotations_of(j), name, "WL12", NULL, "%s of more than %d bytes",
			  name, MAX_GATES);
		return;
	}
	for (;;) {
		const char *end = from + strcspn(from, ","), *last = end;
		const char *earlier = text;

		from += strspn(from, " \t");
		while (last > from && strchr(" \t", last[-1]))
			last--;
		if (last <= from || !fl_form_domain_path(from, (size_t)(last - from)))
			fl_refuse(j, annotations_of(j), name, "WL12", NULL,
				  "'%.*s' in %s is no gate such as example.com/gate",
				  (int)(last > from ? last - from : 0), from, name);
		while (earlier < from) {
			size_t skip = strspn(earlier, " \t,"), len;

			earlier += skip;
			len = strcspn(earlier, ", \t");
			if (earlier >= from)
				break;
			if (len == (size_t)(last - from) && memcmp(earlier, from, len) == 0) {
				fl_refuse(j, annotations_of(j), name, "WL12", NULL,
					  "'%.*s' is twice in %s", (int)len, from, name);
				break;
			}
			earlier += len;
		}
		if (!*end)
			return;
		from = end + 1;
	}
}

/* WL13, with its feature gate */
static void priority_boost(struct fl_judge *j)
{
	static const char name[] = "kueue.x-k8s.io/priority-boost";
	const char *text = annotation(j, name), *digits;
	long long value = 0;
	int used = 0;

	if (!text || !(j->call->gates & FL_GATE_PRIORITY_BOOST))
		return;
	digits = text + (*text == '+' || *text == '-');
	if (strlen(text) > 20 || strspn(digits, "0123456789") != strlen(digits) ||
	    sscanf(text, "%lld%n", &value, &used) != 1 || text[used] || value < INT32_MIN ||
	    value > INT32_MAX)
		fl_refuse(j, annotations_of(j), name, "WL13", NULL,
			  "%s is no whole number of 32 bits", name);
}

fl_schema_rule *const fl_rules_workload[] = {
	min_counts, priority,        requests,       template_labels,
	slices,     admission_gates, priority_boost, NULL,
};

/* --- UP7: while quota is reserved before and after --- */

static bool same_at(const struct fl_judge *j, const char *path)
{
	const struct fl_doc *was = j->call->was;

	return fl_same(was, fl_at_path(was, path), j->doc, fl_at_path(j->doc, path));
}

/* Everything but the count, which may go down. */
static bool same_pod_set(const struct fl_doc *was, uint32_t old, const struct fl_doc *doc,
			 uint32_t new)
{
	static const char *const fields[] = { "name", "minCount", "template", "topologyRequest" };

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (!fl_same(was, fl_at(was, old, fields[i]), doc, fl_at(doc, new, fields[i])))
			return false;
	return fl_int_at(doc, fl_at(doc, new, "count"), 1) <=
	       fl_int_at(was, fl_at(was, old, "count"), 1);
}

static void same_pod_sets(struct fl_judge *j)
{
	const struct fl_doc *was = j->call->was;
	uint32_t old = pod_sets_of(was), new = pod_sets_of(j->doc);
	uint32_t at = old == FL_NONE ? FL_NONE : old + 1;

	if (fl_count_at(was, old) != fl_count_at(j->doc, new)) {
		fl_refuse(j, spec_of(j->doc), "podSets", "UP7", NULL,
			  "podSets do not change while quota is reserved");
		return;
	}
	for (FL_ITEMS(j->doc, p, new)) {
		if (!same_pod_set(was, at, j->doc, p))
			fl_refuse(j, p, NULL, "UP7", NULL,
				  "podSets do not change while quota is reserved, but that count "
				  "may go down");
		at = was->values[at].next;
	}
}

static void same_class(struct fl_judge *j)
{
	const struct fl_doc *was = j->call->was;
	bool old = j->version == FL_V1BETA1;
	const char *group = fl_scalar_at(j->doc,
					 fl_at_path(j->doc, old ? "spec.priorityClassSource" :
								  "spec.priorityClassRef.group"),
					 "");
	bool may = strncmp(group, "kueue.x-k8s.io", 14) == 0;
	const char *name = old ? "spec.priorityClassName" : "spec.priorityClassRef.name";
	bool same = old ? same_at(j, "spec.priorityClassSource") :
			  same_at(j, "spec.priorityClassRef.group") &&
				    same_at(j, "spec.priorityClassRef.kind");

	same &= (fl_at_path(was, name) == FL_NONE) == (fl_at_path(j->doc, name) == FL_NONE);
	if (!same || (!may && !same_at(j, name)))
		fl_refuse(j, spec_of(j->doc), old ? "priorityClassName" : "priorityClassRef", "UP7",
			  NULL, "the priority class does not change while quota is reserved");
}

/* Before and after; a manifest without status leaves that as it is. */
static bool is_both(const struct fl_judge *j, const char *type)
{
	return fl_has_condition(j->call->was, type) &&
	       (fl_at(j->doc, 0, "status") == FL_NONE || fl_has_condition(j->doc, type));
}

static void while_reserved(struct fl_judge *j)
{
	if (!is_both(j, "QuotaReserved"))
		return;
	if (!same_at(j, "spec.queueName"))
		fl_refuse(j, spec_of(j->doc), "queueName", "UP7", NULL,
			  "queueName does not change while quota is reserved");
	same_pod_sets(j);
	same_class(j);
	if (is_both(j, "Admitted") && !same_at(j, "spec.maximumExecutionTimeSeconds"))
		fl_refuse(j, spec_of(j->doc), "maximumExecutionTimeSeconds", "UP7", NULL,
			  "maximumExecutionTimeSeconds does not change while it is admitted");
}

/* WS8: where it runs is one of the clusters that were nominated, and does not change. */
static void same_cluster(struct fl_judge *j)
{
	const struct fl_doc *was = j->call->was;
	uint32_t before = fl_at_path(was, "status.clusterName");
	uint32_t now = fl_at_path(j->doc, "status.clusterName");

	if (before != FL_NONE && !fl_same(was, before, j->doc, now)) {
		fl_refuse(j, fl_at(j->doc, 0, "status"), "clusterName", "WS8", NULL,
			  "clusterName does not change once it is set");
	} else if (before == FL_NONE && now != FL_NONE) {
		for (FL_ITEMS(was, item, fl_at_path(was, "status.nominatedClusterNames")))
			if (fl_same(was, item, j->doc, now))
				return;
		fl_refuse(j, now, NULL, "WS8", NULL,
			  "clusterName '%.60s' was not among nominatedClusterNames",
			  fl_scalar_at(j->doc, now, ""));
	}
}

fl_schema_rule *const fl_updates_workload[] = { while_reserved, same_cluster, NULL };
