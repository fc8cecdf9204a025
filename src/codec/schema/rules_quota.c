/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_quota - rules between fields of ClusterQueue (CQ) and Cohort (CO), with their numbers
 *
 * Sources: the rules in Kueue's definitions, and its webhooks, each in words of our own.
 */
#include <string.h>

#include "codec/schema/form.h"
#include "codec/schema/judge.h"
#include "codec/schema/metadata.h"

enum { MAX_FLAVORS = 256, MAX_RESOURCES = 256, MAX_PAIRS = 512, MAX_CONCURRENT = 16 };

static bool is_cohort(const struct fl_judge *j)
{
	return j->call->kind->fields == fl_schema_cohort;
}

/* The numbers of the rules that both kinds have. */
static const char *rule_of(const struct fl_judge *j, const char *of_queue, const char *of_cohort)
{
	return is_cohort(j) ? of_cohort : of_queue;
}

static const char *parent_field(const struct fl_judge *j)
{
	if (is_cohort(j))
		return "parentName";
	return j->version == FL_V1BETA1 ? "cohort" : "cohortName";
}

static uint32_t spec_of(const struct fl_judge *j) { return fl_at(j->doc, 0, "spec"); }

static uint32_t groups_of(const struct fl_judge *j)
{
	return fl_at_path(j->doc, "spec.resourceGroups");
}

static const char *name_at(const struct fl_judge *j, uint32_t map)
{
	return fl_scalar_at(j->doc, fl_at(j->doc, map, "name"), "");
}

/* for each group, flavor and resource */
typedef void each_quota(struct fl_judge *j, uint32_t quota);

static void for_each_quota(struct fl_judge *j, each_quota *ask)
{
	for (FL_ITEMS(j->doc, group, groups_of(j)))
		for (FL_ITEMS(j->doc, flavor, fl_at(j->doc, group, "flavors")))
			for (FL_ITEMS(j->doc, quota, fl_at(j->doc, flavor, "resources")))
				ask(j, quota);
}

/* --- CQ1, CQ9, CO1: limits need a cohort --- */

static void limits_of_root(struct fl_judge *j, uint32_t quota)
{
	static const char *const limits[] = { "borrowingLimit", "lendingLimit" };

	for (size_t i = 0; i < 2; i++) {
		uint32_t v = fl_at(j->doc, quota, limits[i]);

		if (v != FL_NONE)
			fl_refuse(j, v, NULL, rule_of(j, i ? "CQ9" : "CQ1", "CO1"), NULL,
				  "%s without %s: what has no parent neither borrows nor lends",
				  limits[i], parent_field(j));
	}
}

static void limits_need_parent(struct fl_judge *j)
{
	if (fl_at(j->doc, spec_of(j), parent_field(j)) == FL_NONE)
		for_each_quota(j, limits_of_root);
}

/* --- CQ2, CQ3 --- */

static void preference(struct fl_judge *j)
{
	uint32_t fungible = fl_at_path(j->doc, "spec.flavorFungibility");
	uint32_t preferred = fl_at(j->doc, fungible, "preference");
	const char *borrow = fl_scalar_at(j->doc, fl_at(j->doc, fungible, "whenCanBorrow"),
					  "MayStopSearch");
	const char *preempt = fl_scalar_at(j->doc, fl_at(j->doc, fungible, "whenCanPreempt"),
					   "TryNextFlavor");

	if (preferred != FL_NONE &&
	    (strcmp(borrow, "TryNextFlavor") != 0 || strcmp(preempt, "TryNextFlavor") != 0))
		fl_refuse(j, preferred, NULL, "CQ2",
			  "set whenCanBorrow and whenCanPreempt to TryNextFlavor, or leave "
			  "preference out",
			  "preference is for queues that try all flavors, but whenCanBorrow is %s "
			  "and whenCanPreempt is %s",
			  borrow, preempt);
}

static void borrow_within_cohort(struct fl_judge *j)
{
	uint32_t preemption = fl_at_path(j->doc, "spec.preemption");
	uint32_t within = fl_at(j->doc, preemption, "borrowWithinCohort");
	const char *reclaim = fl_scalar_at(j->doc, fl_at(j->doc, preemption, "reclaimWithinCohort"),
					   "Never");
	const char *policy = fl_scalar_at(j->doc, fl_at(j->doc, within, "policy"), "Never");

	if (strcmp(reclaim, "Never") == 0 && strcmp(policy, "Never") != 0)
		fl_refuse(j, within, NULL, "CQ3", "set reclaimWithinCohort to LowerPriority or Any",
			  "borrowWithinCohort without reclaimWithinCohort, which is Never");
}

/* --- CQ4 to CQ7, CO4 to CO7: groups, flavors, resources --- */

static void check_flavor(struct fl_judge *j, uint32_t covered, uint32_t flavor)
{
	uint32_t resource = covered == FL_NONE ? FL_NONE : covered + 1;

	for (FL_ITEMS(j->doc, quota, fl_at(j->doc, flavor, "resources"))) {
		uint32_t name = fl_at(j->doc, quota, "name");
		const char *wanted = fl_scalar_at(j->doc, resource, "");

		if (strcmp(fl_scalar_at(j->doc, name, ""), wanted) != 0)
			fl_refuse(j, name == FL_NONE ? quota : name,
				  name == FL_NONE ? "name" : NULL, rule_of(j, "CQ7", "CO7"),
				  "list the resources of each flavor in the order of "
				  "coveredResources",
				  "name is '%.60s' where coveredResources has '%.60s'",
				  fl_scalar_at(j->doc, name, ""), wanted);
		resource = j->doc->values[resource].next;
	}
}

/* The first text of a list, or name of an item, that is not in another one; FL_NONE. */
static uint32_t first_without(const struct fl_judge *j, uint32_t list, uint32_t other)
{
	for (FL_ITEMS(j->doc, a, list)) {
		bool map = j->doc->values[a].kind == FL_TOKEN_MAP, found = false;
		const char *text = map ? name_at(j, a) : fl_scalar_at(j->doc, a, "");

		for (FL_ITEMS(j->doc, b, other))
			found |= strcmp(map ? fl_scalar_at(j->doc, b, "") : name_at(j, b), text) ==
				 0;
		if (!found)
			return a;
	}
	return FL_NONE;
}

/* CQ4, CO4: as many quotas as there are covered resources. */
static bool check_counts(struct fl_judge *j, uint32_t covered, uint32_t flavor)
{
	uint32_t quotas = fl_at(j->doc, flavor, "resources"), odd;

	if (fl_count_at(j->doc, quotas) == fl_count_at(j->doc, covered))
		return true;
	odd = first_without(j, covered, quotas);
	if (odd != FL_NONE) {
		fl_refuse(
			j, flavor, NULL, rule_of(j, "CQ4", "CO4"),
			"give each flavor a quota for each of coveredResources, 0 if there is none",
			"no quota for '%.60s', which is in coveredResources of the group in "
			"resourceGroups",
			fl_scalar_at(j->doc, odd, ""));
		return false;
	}
	odd = first_without(j, quotas, covered);
	fl_refuse(j, odd == FL_NONE ? flavor : odd, NULL, rule_of(j, "CQ4", "CO4"),
		  "add it to coveredResources, or remove the quota",
		  "resource '%.60s' is not in coveredResources of the group in resourceGroups",
		  odd == FL_NONE ? "" : name_at(j, odd));
	return false;
}

static void check_groups(struct fl_judge *j)
{
	bool counts = true;

	for (FL_ITEMS(j->doc, group, groups_of(j)))
		for (FL_ITEMS(j->doc, flavor, fl_at(j->doc, group, "flavors")))
			counts &= check_counts(j, fl_at(j->doc, group, "coveredResources"), flavor);
	for (FL_ITEMS(j->doc, group, counts ? groups_of(j) : FL_NONE))
		for (FL_ITEMS(j->doc, flavor, fl_at(j->doc, group, "flavors")))
			check_flavor(j, fl_at(j->doc, group, "coveredResources"), flavor);
}

/* The number of the group in which the same text stands before @at; -1: in none. */
static int group_before(const struct fl_judge *j, const char *list, const char *key, uint32_t at)
{
	const char *text = key ? name_at(j, at) : fl_scalar_at(j->doc, at, "");
	int n = 0;

	for (FL_ITEMS(j->doc, group, groups_of(j))) {
		for (FL_ITEMS(j->doc, item, fl_at(j->doc, group, list))) {
			if (item >= at)
				return -1;
			if (strcmp(key ? name_at(j, item) : fl_scalar_at(j->doc, item, ""), text) ==
			    0)
				return n;
		}
		n++;
	}
	return -1;
}

static void names_once(struct fl_judge *j)
{
	for (FL_ITEMS(j->doc, group, groups_of(j))) {
		for (FL_ITEMS(j->doc, resource, fl_at(j->doc, group, "coveredResources"))) {
			int n = group_before(j, "coveredResources", NULL, resource);

			if (n >= 0)
				fl_refuse(
					j, resource, NULL, rule_of(j, "CQ5", "CO5"), NULL,
					"resource '%.60s' is covered by resourceGroups[%d] already",
					fl_scalar_at(j->doc, resource, ""), n);
		}
		for (FL_ITEMS(j->doc, flavor, fl_at(j->doc, group, "flavors"))) {
			int n = group_before(j, "flavors", "name", flavor);

			if (n >= 0)
				fl_refuse(j, fl_at(j->doc, flavor, "name"), NULL,
					  rule_of(j, "CQ6", "CO6"), "a flavor belongs to one group",
					  "flavor '%.60s' is in resourceGroups[%d] already",
					  name_at(j, flavor), n);
		}
	}
}

/* --- CQ8, CQ10, CO8: amounts --- */

static fl_nanos nanos_at(const struct fl_judge *j, uint32_t v)
{
	const char *text = fl_scalar_at(j->doc, v, "0");

	return fl_form_nanos(text, strlen(text));
}

static void amounts(struct fl_judge *j, uint32_t quota)
{
	static const char *const fields[] = { "nominalQuota", "borrowingLimit", "lendingLimit" };
	uint32_t lending = fl_at(j->doc, quota, "lendingLimit");
	uint32_t nominal = fl_at(j->doc, quota, "nominalQuota");

	for (size_t i = 0; i < 3; i++) {
		uint32_t v = fl_at(j->doc, quota, fields[i]);

		if (nanos_at(j, v) < 0)
			fl_refuse(j, v, NULL, rule_of(j, "CQ8", "CO8"), NULL,
				  "the quantity '%.40s' is negative", fl_scalar_at(j->doc, v, ""));
	}
	if (!is_cohort(j) && lending != FL_NONE && nanos_at(j, lending) > nanos_at(j, nominal))
		fl_refuse(j, lending, NULL, "CQ10", "lower it, or leave it out to lend everything",
			  "lendingLimit %.40s is above nominalQuota %.40s",
			  fl_scalar_at(j->doc, lending, "0"), fl_scalar_at(j->doc, nominal, "0"));
}

static void check_amounts(struct fl_judge *j) { for_each_quota(j, amounts); }

/* --- CQ11, CO11 --- */

static void resource_names(struct fl_judge *j)
{
	for (FL_ITEMS(j->doc, group, groups_of(j)))
		for (FL_ITEMS(j->doc, resource, fl_at(j->doc, group, "coveredResources"))) {
			const char *text = fl_scalar_at(j->doc, resource, "");

			if (!fl_form_qualified(text, strlen(text)))
				fl_refuse(j, resource, NULL, rule_of(j, "CQ11", "CO11"), NULL,
					  "'%.100s' in coveredResources is no name of a resource: "
					  "%s, up to 63 characters",
					  text, fl_form_words(FL_PATTERN_KEY));
		}
}

/* --- CQ12: namespaceSelector --- */

static void check_expression(struct fl_judge *j, uint32_t e)
{
	static const char *const ops[] = { "In", "NotIn", "Exists", "DoesNotExist", NULL };
	const char *key = fl_scalar_at(j->doc, fl_at(j->doc, e, "key"), "");
	const char *op = fl_scalar_at(j->doc, fl_at(j->doc, e, "operator"), "");
	uint32_t values = fl_at(j->doc, e, "values"), n = fl_count_at(j->doc, values);
	int i = 0;

	while (ops[i] && strcmp(ops[i], op) != 0)
		i++;
	if (!fl_form_qualified(key, strlen(key)))
		fl_refuse(j, e, "key", "CQ12", NULL, "key '%.100s' is no key of a label", key);
	if (!ops[i])
		fl_refuse(j, e, "operator", "CQ12", NULL,
			  "operator '%.60s' is not In, NotIn, Exists or DoesNotExist", op);
	else if (i < 2 && n == 0)
		fl_refuse(j, e, "values", "CQ12", NULL, "operator %s without values", op);
	else if (i >= 2 && n > 0)
		fl_refuse(j, values, NULL, "CQ12", NULL, "operator %s with values", op);
	for (FL_ITEMS(j->doc, value, values)) {
		const char *text = fl_scalar_at(j->doc, value, "");

		if (!fl_form_label_value(text, strlen(text)))
			fl_refuse(j, value, NULL, "CQ12", NULL,
				  "'%.100s' in values is no value of a label", text);
	}
}

static void namespace_selector(struct fl_judge *j)
{
	uint32_t selector = fl_at_path(j->doc, "spec.namespaceSelector");

	for (FL_ITEMS(j->doc, e, fl_at(j->doc, selector, "matchExpressions")))
		check_expression(j, e);
	fl_schema_labels(j, fl_at(j->doc, selector, "matchLabels"), "CQ12");
}

/* --- CQ13, CQ14, CO3: weights --- */

static void check_weight(struct fl_judge *j)
{
	uint32_t fair = fl_at_path(j->doc, "spec.fairSharing");
	uint32_t v = fl_at(j->doc, fair, "weight");
	fl_nanos n = nanos_at(j, v);

	if (n < 0)
		fl_refuse(j, v, NULL, rule_of(j, "CQ13", "CO3"), NULL,
			  "the weight of fairSharing is below 0");
	else if (n == 1)
		fl_refuse(j, v, NULL, rule_of(j, "CQ14", "CO3"), "set it to 0, or to 2n or more",
			  "the weight of fairSharing is below 2n, but not 0");
}

/* --- CQ15 to CQ17: totals of a ClusterQueue --- */

static void totals(struct fl_judge *j)
{
	uint32_t flavors = 0, resources = 0, groups = groups_of(j);

	for (FL_ITEMS(j->doc, group, groups)) {
		uint32_t f = fl_count_at(j->doc, fl_at(j->doc, group, "flavors"));
		uint32_t r = fl_count_at(j->doc, fl_at(j->doc, group, "coveredResources"));

		flavors += f;
		resources += r;
		if (f * r > MAX_PAIRS)
			fl_refuse(j, group, NULL, "CQ17", NULL,
				  "a group in resourceGroups with %u quotas, more than %d", f * r,
				  MAX_PAIRS);
	}
	if (flavors > MAX_FLAVORS)
		fl_refuse(j, groups, NULL, "CQ15", NULL, "%u flavors in all, more than %d", flavors,
			  MAX_FLAVORS);
	if (resources > MAX_RESOURCES)
		fl_refuse(j, groups, NULL, "CQ16", NULL,
			  "%u covered resources in all, more than %d", resources, MAX_RESOURCES);
}

/* --- CQ18, CQ21: flavors of admission checks --- */

static bool has_flavor(const struct fl_doc *doc, const char *name)
{
	for (FL_ITEMS(doc, group, fl_at_path(doc, "spec.resourceGroups")))
		for (FL_ITEMS(doc, flavor, fl_at(doc, group, "flavors")))
			if (strcmp(fl_scalar_at(doc, fl_at(doc, flavor, "name"), ""), name) == 0)
				return true;
	return false;
}

static bool same_flavors(const struct fl_doc *a, const struct fl_doc *b)
{
	return fl_same(a, fl_at_path(a, "spec.resourceGroups"), b,
		       fl_at_path(b, "spec.resourceGroups"));
}

/* UP6: what was wrong already may stay while the flavors do. */
static bool may_stay(const struct fl_judge *j, const char *check, const char *flavor)
{
	const struct fl_doc *was = j->call->was;

	if (!was || j->call->gates & FL_GATE_REJECT_INVALID_ON_FLAVORS ||
	    !same_flavors(was, j->doc))
		return false;
	for (FL_ITEMS(was, c, fl_at_path(was, "spec.admissionChecksStrategy.admissionChecks"))) {
		if (strcmp(fl_scalar_at(was, fl_at(was, c, "name"), ""), check) != 0)
			continue;
		for (FL_ITEMS(was, f, fl_at(was, c, "onFlavors")))
			if (strcmp(fl_scalar_at(was, f, ""), flavor) == 0)
				return true;
	}
	return false;
}

static void on_flavors(struct fl_judge *j)
{
	uint32_t list = fl_at_path(j->doc, "spec.admissionChecksStrategy.admissionChecks");

	if (j->version == FL_V1BETA1 &&
	    fl_count_at(j->doc, fl_at_path(j->doc, "spec.admissionChecks")))
		return; /* CQ21: it takes the place of the strategy */
	for (FL_ITEMS(j->doc, check, list))
		for (FL_ITEMS(j->doc, item, fl_at(j->doc, check, "onFlavors"))) {
			const char *text = fl_scalar_at(j->doc, item, "");

			if (!has_flavor(j->doc, text) && !may_stay(j, name_at(j, check), text))
				fl_refuse(j, item, NULL, "CQ18", NULL,
					  "'%.60s' in onFlavors is no flavor of the queue", text);
		}
}

/* --- CQ19: concurrent admission, with its feature gate --- */

static void concurrent_admission(struct fl_judge *j)
{
	uint32_t policy = fl_at_path(j->doc, "spec.concurrentAdmissionPolicy");
	uint32_t constraints = fl_at_path(j->doc,
					  "spec.concurrentAdmissionPolicy.migration.constraints");
	uint32_t mode = fl_at_path(j->doc, "spec.concurrentAdmissionPolicy.migration.mode");
	uint32_t last = fl_at(j->doc, constraints, "lastAcceptableFlavorName");
	uint32_t groups = groups_of(j);
	uint32_t flavors = groups == FL_NONE || fl_count_at(j->doc, groups) == 0 ?
				   0 :
				   fl_count_at(j->doc, fl_at(j->doc, groups + 1, "flavors"));
	uint32_t strategy = fl_at_path(j->doc, "spec.queueingStrategy");

	if (policy == FL_NONE || !(j->call->gates & FL_GATE_CONCURRENT_ADMISSION))
		return;
	if (fl_count_at(j->doc, groups) != 1)
		fl_refuse(j, groups == FL_NONE ? spec_of(j) : groups,
			  groups == FL_NONE ? "resourceGroups" : NULL, "CQ19", NULL,
			  "concurrentAdmissionPolicy needs exactly one of resourceGroups");
	if (flavors > MAX_CONCURRENT)
		fl_refuse(j, fl_at(j->doc, groups + 1, "flavors"), NULL, "CQ19", NULL,
			  "concurrentAdmissionPolicy with %u flavors, more than %d", flavors,
			  MAX_CONCURRENT);
	if (strcmp(fl_scalar_at(j->doc, strategy, ""), "StrictFIFO") == 0)
		fl_refuse(j, strategy, NULL, "CQ19", NULL,
			  "queueingStrategy StrictFIFO with concurrentAdmissionPolicy");
	if (constraints != FL_NONE &&
	    strcmp(fl_scalar_at(j->doc, mode, ""), "TryPreferredFlavors") != 0)
		fl_refuse(j, constraints, NULL, "CQ19", NULL,
			  "constraints are for mode TryPreferredFlavors");
	if (last != FL_NONE && !has_flavor(j->doc, fl_scalar_at(j->doc, last, "")))
		fl_refuse(j, last, NULL, "CQ19", NULL,
			  "lastAcceptableFlavorName '%.60s' is no flavor of the queue",
			  fl_scalar_at(j->doc, last, ""));
}

fl_schema_rule *const fl_rules_cluster_queue[] = {
	limits_need_parent,
	preference,
	borrow_within_cohort,
	check_groups,
	names_once,
	check_amounts,
	resource_names,
	namespace_selector,
	check_weight,
	totals,
	on_flavors,
	concurrent_admission,
	NULL,
};

fl_schema_rule *const fl_rules_cohort[] = {
	limits_need_parent, check_groups, names_once, check_amounts,
	resource_names,     check_weight, NULL,
};

/* --- updates: UP5; UP6 is that all rules hold again --- */

static void same_concurrency(struct fl_judge *j)
{
	static const char path[] = "spec.concurrentAdmissionPolicy";

	if (!fl_same(j->call->was, fl_at_path(j->call->was, path), j->doc,
		     fl_at_path(j->doc, path)))
		fl_refuse(j, spec_of(j), "concurrentAdmissionPolicy", "UP5", NULL,
			  "concurrentAdmissionPolicy does not change");
}

fl_schema_rule *const fl_updates_cluster_queue[] = { same_concurrency, NULL };
