/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceFlavor, ClusterQueue, Cohort, LocalQueue. */
#include "codec/object/fields.h"

/* --- ResourceFlavor --- */

static int read_taints(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_taints(k, v, &((struct fl_flavor_row *)row)->taints);
}

static int read_node_labels(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_labels(k, v, &((struct fl_flavor_row *)row)->labels);
}

static int read_flavor_tolerations(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_tolerations(k, v, &((struct fl_flavor_row *)row)->tolerations);
}

static const struct fl_field flavor_spec[] = {
	{ .name = "nodeLabels",
	  .read = read_node_labels,
	  .text = FL_TEXT_LABEL_VALUE,
	  .keys = FL_TEXT_LABEL_KEY },
	{ .name = "nodeTaints", .read = read_taints, .fields = fl_fields_taint, .list = true },
	{ .name = "tolerations",
	  .read = read_flavor_tolerations,
	  .fields = fl_fields_toleration,
	  .list = true },
	FL_NOTED("topologyName", "topology aware scheduling is not decided here"),
	{ .name = NULL },
};

static const struct fl_field flavor_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = flavor_spec },
	{ .name = NULL },
};

static int read_flavor(struct fl_kube *k)
{
	struct fl_flavor_row row = { .name = k->name, .place = fl_kube_place(k, 0) };
	int r = fl_kube_map(k, 0, flavor_fields, &row);

	return r < 0 ? r : fl_model_add_flavor(k->m, &row, k->err);
}

const struct fl_kind fl_kind_flavor = { "kueue.x-k8s.io", "ResourceFlavor", false,
					flavor_fields,    read_flavor,      FL_TEXT_FLAVOR,
					"v1beta1 v1beta2" };

/* --- quotas, of queues and cohorts --- */

static int read_quota_name(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct fl_quota *)row)->resource_name);
}

/* The unit depends on the resource, so the name is looked up whatever the order of the fields. */
static int read_amount(struct fl_kube *k, uint32_t v, uint32_t map, fl_amount *ret)
{
	return fl_kube_quantity(k, v, fl_doc_text(&k->doc, fl_doc_find(&k->doc, map, "name")), ret);
}

/* What the handlers of one quota share. */
struct quota_item {
	struct fl_quota quota;
	uint32_t map;
};

static int read_nominal(struct fl_kube *k, uint32_t v, void *row)
{
	struct quota_item *item = row;

	return read_amount(k, v, item->map, &item->quota.nominal);
}

static int read_borrowing_limit(struct fl_kube *k, uint32_t v, void *row)
{
	struct quota_item *item = row;

	return read_amount(k, v, item->map, &item->quota.borrowing_limit);
}

static int read_lending_limit(struct fl_kube *k, uint32_t v, void *row)
{
	struct quota_item *item = row;

	return read_amount(k, v, item->map, &item->quota.lending_limit);
}

static const struct fl_field quota[] = {
	{ .name = "name", .read = read_quota_name, .text = FL_TEXT_RESOURCE },
	{ .name = "nominalQuota", .read = read_nominal },
	{ .name = "borrowingLimit", .read = read_borrowing_limit },
	{ .name = "lendingLimit", .read = read_lending_limit },
	{ .name = NULL },
};

/* What the handlers of one flavor share. */
struct flavor_item {
	struct fl_group_flavor flavor;
};

static int read_group_flavor_name(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct flavor_item *)row)->flavor.name);
}

static int read_quotas(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_group_flavor *flavor = &((struct flavor_item *)row)->flavor;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	flavor->quotas.first = k->m->n_quotas;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct quota_item q = { .quota = { .borrowing_limit = FL_NO_LIMIT,
						   .lending_limit = FL_NO_LIMIT,
						   .place = fl_kube_place(k, item) },
					.map = item };
		uint32_t unused;

		r = fl_kube_need(k, item, "name", &unused);
		if (r == 0)
			r = fl_kube_need(k, item, "nominalQuota", &unused);
		if (r == 0)
			r = fl_kube_map(k, item, quota, &q);
		if (r == 0)
			r = fl_model_push_quotas(k->m, &q.quota, /* ret_id= */ NULL, k->err);
	}
	flavor->quotas.n = k->m->n_quotas - flavor->quotas.first;
	return r;
}

static const struct fl_field group_flavor[] = {
	{ .name = "name", .read = read_group_flavor_name, .text = FL_TEXT_FLAVOR },
	{ .name = "resources", .read = read_quotas, .fields = quota, .list = true },
	{ .name = NULL },
};

static int read_group_flavors(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_group *group = row;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	group->flavors.first = k->m->n_group_flavors;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct flavor_item f = { 0 };
		uint32_t unused;

		r = fl_kube_need(k, item, "name", &unused);
		if (r == 0)
			r = fl_kube_map(k, item, group_flavor, &f);
		for (uint32_t i = 0; i < f.flavor.quotas.n; i++)
			k->m->quotas[f.flavor.quotas.first + i].flavor_name = f.flavor.name;
		if (r == 0)
			r = fl_model_push_group_flavors(k->m, &f.flavor, /* ret_id= */ NULL,
							k->err);
	}
	group->flavors.n = k->m->n_group_flavors - group->flavors.first;
	return r;
}

static int read_covered(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_texts(k, v, &((struct fl_group *)row)->resources);
}

static const struct fl_field group_fields[] = {
	{ .name = "coveredResources", .read = read_covered, .text = FL_TEXT_RESOURCE },
	{ .name = "flavors", .read = read_group_flavors, .fields = group_flavor, .list = true },
	{ .name = NULL },
};

static int read_groups(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_node_row *node = row;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	node->groups.first = k->m->n_groups;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_group group = { .place = fl_kube_place(k, item) };

		r = fl_kube_map(k, item, group_fields, &group);
		if (r == 0)
			r = fl_model_push_groups(k->m, &group, /* ret_id= */ NULL, k->err);
	}
	node->groups.n = k->m->n_groups - node->groups.first;
	return r;
}

/* --- ClusterQueue and Cohort --- */

static int read_parent(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_name(k, v, &((struct fl_node_row *)row)->parent_name);
}

static int read_node_weight(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_weight(k, v, &((struct fl_node_row *)row)->weight);
}

static int read_strategy(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "BestEffortFIFO", "StrictFIFO", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct fl_node_row *)row)->strategy = (enum fl_strategy)i;
	return r;
}

static const char *const stops[] = { "None", "Hold", "HoldAndDrain", NULL };

static int read_stop(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, stops, &i);

	((struct fl_node_row *)row)->stop = (enum fl_stop)i;
	return r;
}

static int read_namespaces(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_selector(k, v, &((struct fl_node_row *)row)->namespaces);
}

/*
 * The scheduler knows the same four policies within a queue and within a cohort;
 * the API server lets through three of each.
 */
static int read_policy(struct fl_kube *k, uint32_t v, enum fl_preempt_policy *ret)
{
	static const char *const names[] = { "Never", "LowerPriority", "LowerOrNewerEqualPriority",
					     "Any", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	*ret = (enum fl_preempt_policy)i;
	return r;
}

static int read_within_queue(struct fl_kube *k, uint32_t v, void *row)
{
	return read_policy(k, v, &((struct fl_node_row *)row)->within_queue);
}

static int read_reclaim(struct fl_kube *k, uint32_t v, void *row)
{
	return read_policy(k, v, &((struct fl_node_row *)row)->reclaim);
}

static int read_borrow_within(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "Never", "LowerPriority", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct fl_node_row *)row)->borrow_within = (enum fl_preempt_policy)i;
	return r;
}

static int read_borrow_threshold(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_node_row *node = row;

	node->has_borrow_threshold = true;
	return fl_kube_int32(k, v, &node->borrow_threshold);
}

/* The older names (Borrow, Preempt) say the same as MayStopSearch. */
static int read_fungibility(struct fl_kube *k, uint32_t v, const char *older,
			    enum fl_fungibility *ret)
{
	const char *const names[] = { "MayStopSearch", "TryNextFlavor", older, NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	*ret = i == 1 ? FL_TRY_NEXT_FLAVOR : FL_MAY_STOP_SEARCH;
	return r;
}

static int read_when_can_borrow(struct fl_kube *k, uint32_t v, void *row)
{
	return read_fungibility(k, v, "Borrow", &((struct fl_node_row *)row)->when_can_borrow);
}

static int read_when_can_preempt(struct fl_kube *k, uint32_t v, void *row)
{
	return read_fungibility(k, v, "Preempt", &((struct fl_node_row *)row)->when_can_preempt);
}

static int read_preference(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "BorrowingOverPreemption", "PreemptionOverBorrowing",
					     NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct fl_node_row *)row)->preference = (enum fl_preference)i;
	return r;
}

static int read_admission_mode(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "NoAdmissionFairSharing",
					     "UsageBasedAdmissionFairSharing", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct fl_node_row *)row)->usage_based = i == 1;
	return r;
}

static const struct fl_field node_fair_sharing[] = {
	{ .name = "weight", .read = read_node_weight },
	{ .name = NULL },
};

static const struct fl_field borrow_within_cohort[] = {
	{ .name = "policy", .read = read_borrow_within },
	{ .name = "maxPriorityThreshold", .read = read_borrow_threshold },
	{ .name = NULL },
};

static const struct fl_field preemption[] = {
	{ .name = "withinClusterQueue", .read = read_within_queue },
	{ .name = "reclaimWithinCohort", .read = read_reclaim },
	{ .name = "borrowWithinCohort", .fields = borrow_within_cohort },
	{ .name = NULL },
};

static const struct fl_field fungibility[] = {
	{ .name = "whenCanBorrow", .read = read_when_can_borrow },
	{ .name = "whenCanPreempt", .read = read_when_can_preempt },
	{ .name = "preference", .read = read_preference },
	{ .name = NULL },
};

static const struct fl_field admission_scope[] = {
	{ .name = "admissionMode", .read = read_admission_mode },
	{ .name = NULL },
};

const struct fl_field fl_fields_cluster_queue_spec[] = {
	{ .name = "resourceGroups", .read = read_groups, .fields = group_fields, .list = true },
	{ .name = "cohortName", .read = read_parent, .text = FL_TEXT_COHORT },
	{ .name = "cohort", .read = read_parent, .text = FL_TEXT_COHORT },
	{ .name = "queueingStrategy", .read = read_strategy },
	{ .name = "namespaceSelector", .read = read_namespaces, .fields = fl_fields_selector },
	{ .name = "flavorFungibility", .fields = fungibility },
	{ .name = "preemption", .fields = preemption },
	{ .name = "fairSharing", .fields = node_fair_sharing },
	{ .name = "stopPolicy", .read = read_stop },
	{ .name = "admissionScope", .fields = admission_scope },
	FL_NOTED("admissionChecks", "workloads are admitted without waiting for checks"),
	FL_NOTED("admissionChecksStrategy", "workloads are admitted without waiting for checks"),
	FL_NOTED("concurrentAdmissionPolicy", "a workload is admitted once"),
	{ .name = NULL },
};

static const struct fl_field cluster_queue_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = fl_fields_cluster_queue_spec },
	FL_IGNORED("status"),
	{ .name = NULL },
};

static int read_cluster_queue(struct fl_kube *k)
{
	struct fl_node_row row = fl_cluster_queue_default;
	int r;

	row.name = k->name;
	row.place = fl_kube_place(k, 0);
	r = fl_kube_map(k, 0, cluster_queue_fields, &row);
	return r < 0 ? r : fl_model_add_node(k->m, &row, k->err);
}

const struct fl_kind fl_kind_cluster_queue = {
	"kueue.x-k8s.io",      "ClusterQueue",   false, cluster_queue_fields, read_cluster_queue,
	FL_TEXT_CLUSTER_QUEUE, "v1beta1 v1beta2"
};

static const struct fl_field cohort_spec[] = {
	{ .name = "parentName", .read = read_parent, .text = FL_TEXT_COHORT },
	{ .name = "parent", .read = read_parent, .text = FL_TEXT_COHORT },
	{ .name = "resourceGroups", .read = read_groups, .fields = group_fields, .list = true },
	{ .name = "fairSharing", .fields = node_fair_sharing },
	{ .name = NULL },
};

static const struct fl_field cohort_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = cohort_spec },
	FL_IGNORED("status"),
	{ .name = NULL },
};

static int read_cohort(struct fl_kube *k)
{
	struct fl_node_row row = fl_cohort_default;
	int r;

	row.name = k->name;
	row.place = fl_kube_place(k, 0);
	r = fl_kube_map(k, 0, cohort_fields, &row);
	return r < 0 ? r : fl_model_add_node(k->m, &row, k->err);
}

const struct fl_kind fl_kind_cohort = { "kueue.x-k8s.io", "Cohort",    false,
					cohort_fields,    read_cohort, FL_TEXT_COHORT,
					"v1beta1 v1beta2" };

/* --- LocalQueue --- */

static int read_cluster_queue_name(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct fl_queue_row *)row)->cluster_queue_name);
}

static int read_queue_stop(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, stops, &i);

	((struct fl_queue_row *)row)->stop = (enum fl_stop)i;
	return r;
}

static int read_queue_weight(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_weight(k, v, &((struct fl_queue_row *)row)->weight);
}

static const struct fl_field queue_fair_sharing[] = {
	{ .name = "weight", .read = read_queue_weight },
	{ .name = NULL },
};

const struct fl_field fl_fields_local_queue_spec[] = {
	{ .name = "clusterQueue", .read = read_cluster_queue_name, .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = "stopPolicy", .read = read_queue_stop },
	{ .name = "fairSharing", .fields = queue_fair_sharing },
	{ .name = NULL },
};

static const struct fl_field queue_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = fl_fields_local_queue_spec },
	{ .name = "status", .read = fl_kube_queue_status, .fields = fl_fields_queue_status },
	{ .name = NULL },
};

static int read_queue(struct fl_kube *k)
{
	struct fl_queue_row row = fl_queue_default;
	int r;

	row.namespace = k->namespace;
	row.name = k->name;
	row.place = fl_kube_place(k, 0);
	r = fl_kube_map(k, 0, queue_fields, &row);
	return r < 0 ? r : fl_model_add_queue(k->m, &row, k->err);
}

const struct fl_kind fl_kind_queue = { "kueue.x-k8s.io", "LocalQueue", true,
				       queue_fields,     read_queue,   FL_TEXT_LOCAL_QUEUE,
				       "v1beta1 v1beta2" };
