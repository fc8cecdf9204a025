/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceFlavor, ClusterQueue, Cohort, LocalQueue. */
#include <string.h>

#include "codec/kueue/checks.h"
#include "codec/object/types.h"
#include "codec/object/undecided.h"

/* --- ResourceFlavor --- */

#define FLAVOR(field, type, member) FL_IS(field, type, struct fl_flavor_row, member)
#define NODE(field, type, member) FL_IS(field, type, struct fl_node_row, member)

static const struct fl_field flavor_spec[] = {
	{ FLAVOR("nodeLabels", labels, labels), .text = FL_TEXT_LABEL_VALUE,
	  .keys = FL_TEXT_LABEL_KEY },
	{ FLAVOR("nodeTaints", taints, taints), .fields = fl_fields_taint, .list = true },
	{ FLAVOR("tolerations", tolerations, tolerations), .fields = fl_fields_toleration,
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
	struct fl_flavor_row row = { .name = k->name, .place = fl_kube_place_of(k, 0) };
	uint32_t at;
	int r = fl_kube_map(k, 0, flavor_fields, &row);

	row.undecided = fl_undecided_next(&k->doc, "ResourceFlavor", NULL, &at) != NULL;
	return r < 0 ? r : fl_model_add_flavor(k->m, &row, k->err);
}

const struct fl_kind fl_kind_flavor = { "kueue.x-k8s.io", "ResourceFlavor", false,
					flavor_fields,    read_flavor,      FL_TEXT_FLAVOR,
					"v1beta1 v1beta2" };

/* --- quotas, of queues and cohorts --- */

/*
 * One quota, and the map that contains it: the unit depends on the resource, whose name may follow.
 */
struct quota_item {
	struct fl_quota quota;
	uint32_t map;
};

static int read_amount(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	const struct quota_item *item = (const void *)((char *)to - f->offset);
	const char *resource = fl_doc_text(&k->doc, fl_doc_find(&k->doc, item->map, "name"));

	return fl_kube_quantity(k, v, resource, to);
}

#define FL_C_quota fl_amount
static const struct fl_type fl_type_quota = { .read = read_amount };
#define QUOTA(field, type, member) FL_IS(field, type, struct quota_item, quota.member)

static const struct fl_field quota[] = {
	{ QUOTA("name", text, resource_name), .needed = true, .text = FL_TEXT_RESOURCE },
	{ QUOTA("nominalQuota", quota, nominal) }, /* a ClusterQueue's is 0 when it is missing */
	{ QUOTA("borrowingLimit", quota, borrowing_limit) },
	{ QUOTA("lendingLimit", quota, lending_limit) },
	{ .name = NULL },
};

static int read_quota(struct fl_kube *k, uint32_t v, void *unused)
{
	struct quota_item q = { .quota = { .borrowing_limit = FL_NO_LIMIT,
					   .lending_limit = FL_NO_LIMIT,
					   .place = fl_kube_place_of(k, v) },
				.map = v };
	int r = fl_kube_whole(k, v, quota, &q);

	(void)unused;
	return r < 0 ? r : fl_model_push_quotas(k->m, &q.quota, /* ret_id= */ NULL, k->err);
}

static const struct fl_field group_flavor[] = {
	{ FL_IS("name", text, struct fl_group_flavor, name), .needed = true,
	  .text = FL_TEXT_FLAVOR },
	{ FL_IS_LIST("resources", struct fl_group_flavor, quotas, quotas, read_quota),
	  .fields = quota, .list = true },
	{ .name = NULL },
};

static int read_group_flavor(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_group_flavor f = { .quotas = { 0, 0 } };
	int r = fl_kube_whole(k, v, group_flavor, &f);

	(void)unused;
	for (uint32_t i = 0; i < f.quotas.n; i++)
		k->m->quotas[f.quotas.first + i].flavor_name = f.name;
	return r < 0 ? r : fl_model_push_group_flavors(k->m, &f, /* ret_id= */ NULL, k->err);
}

static const struct fl_field group_fields[] = {
	{ FL_IS("coveredResources", texts, struct fl_group, resources), .text = FL_TEXT_RESOURCE },
	{ FL_IS_LIST("flavors", struct fl_group, flavors, group_flavors, read_group_flavor),
	  .fields = group_flavor, .list = true },
	{ .name = NULL },
};

static int read_group(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_group group = { .place = fl_kube_place_of(k, v) };
	int r = fl_kube_map(k, v, group_fields, &group);

	(void)unused;
	return r < 0 ? r : fl_model_push_groups(k->m, &group, /* ret_id= */ NULL, k->err);
}

/* Rows of both. */
#define GROUPS                                                                                     \
	{                                                                                          \
		FL_IS_LIST("resourceGroups", struct fl_node_row, groups, groups, read_group),      \
			.fields = group_fields, .list = true                                       \
	}
#define PARENT(field)                                                                              \
	{                                                                                          \
		NODE(field, name, parent_name), .text = FL_TEXT_COHORT                             \
	}

/* --- ClusterQueue and Cohort --- */

#define STOPS(row, member)                                                                         \
	FL_IS_ENUM("stopPolicy", row, member, enum fl_stop, "None", "Hold", "HoldAndDrain")

static int read_namespaces(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	(void)f;
	return fl_kube_selector(k, v, to);
}

/*
 * The scheduler knows the same four policies within a queue and within a cohort;
 * the API server lets through three of each.
 */
#define POLICY(field, member)                                                                      \
	{                                                                                          \
		FL_IS_ENUM(field, struct fl_node_row, member, enum fl_preempt_policy, "Never",     \
			   "LowerPriority", "LowerOrNewerEqualPriority", "Any")                    \
	}

/* The older names (Borrow, Preempt) mean the same as MayStopSearch. */
static int read_fungibility(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, f->words, &i);

	*(enum fl_fungibility *)to = i == 1 ? FL_TRY_NEXT_FLAVOR : FL_MAY_STOP_SEARCH;
	return r;
}

#define FL_C_namespaces struct fl_selector
#define FL_C_fungibility enum fl_fungibility
static const struct fl_type fl_type_namespaces = { .read = read_namespaces };
static const struct fl_type fl_type_fungibility = { .read = read_fungibility, .schema = "" };

#define FUNGIBILITY(field, member, older)                                                          \
	{                                                                                          \
		NODE(field, fungibility, member), .words = (const char *const[])                   \
		{                                                                                  \
			"MayStopSearch", "TryNextFlavor", older, NULL                              \
		}                                                                                  \
	}

static const struct fl_field node_fair_sharing[] = {
	{ NODE("weight", weight, weight) },
	{ .name = NULL },
};

static const struct fl_field borrow_within_cohort[] = {
	{ FL_IS_ENUM("policy", struct fl_node_row, borrow_within, enum fl_preempt_policy, "Never",
		     "LowerPriority") },
	{ NODE("maxPriorityThreshold", int32, borrow_threshold),
	  FL_SAID(struct fl_node_row, has_borrow_threshold) },
	{ .name = NULL },
};

static const struct fl_field preemption[] = {
	POLICY("withinClusterQueue", within_queue),
	POLICY("reclaimWithinCohort", reclaim),
	{ .name = "borrowWithinCohort", .fields = borrow_within_cohort },
	{ .name = NULL },
};

static const struct fl_field fungibility[] = {
	FUNGIBILITY("whenCanBorrow", when_can_borrow, "Borrow"),
	FUNGIBILITY("whenCanPreempt", when_can_preempt, "Preempt"),
	{ FL_IS_ENUM("preference", struct fl_node_row, preference, enum fl_preference,
		     "BorrowingOverPreemption", "PreemptionOverBorrowing") },
	{ .name = NULL },
};

/* v1beta1 takes any word, and acts on one. */
static int read_mode(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	struct fl_sym word;
	int r = fl_kube_text(k, v, &word);

	(void)f;
	if (r == 0)
		*(bool *)to = strcmp(fl_doc_text(&k->doc, v), "UsageBasedAdmissionFairSharing") ==
			      0;
	return r;
}

#define FL_C_mode bool
static const struct fl_type fl_type_mode = { .read = read_mode };

static const struct fl_field admission_scope[] = {
	{ NODE("admissionMode", mode, usage_based), .text = FL_TEXT_WORD },
	{ .name = NULL },
};

const struct fl_field fl_fields_cluster_queue_spec[] = {
	GROUPS,
	PARENT("cohortName"),
	PARENT("cohort"),
	{ FL_IS_ENUM("queueingStrategy", struct fl_node_row, strategy, enum fl_strategy,
		     "BestEffortFIFO", "StrictFIFO") },
	{ NODE("namespaceSelector", namespaces, namespaces), .fields = fl_fields_selector },
	{ .name = "flavorFungibility", .fields = fungibility },
	{ .name = "preemption", .fields = preemption },
	{ .name = "fairSharing", .fields = node_fair_sharing },
	{ STOPS(struct fl_node_row, stop) },
	{ .name = "admissionScope", .fields = admission_scope },
	FL_NOTED("admissionChecks", "quota is given without waiting for checks"),
	FL_NOTED("admissionChecksStrategy", "quota is given without waiting for checks"),
	FL_NOTED("concurrentAdmissionPolicy", "a workload is admitted once"),
	{ .name = NULL },
};

#define FL_C_handed enum fl_handed
static int read_handed(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	enum fl_handed *handed = to;
	struct fl_sym word;
	int r = fl_kube_text(k, v, &word);

	(void)f;
	if (r < 0)
		return r;
	*handed = fl_handed_of(fl_doc_text(&k->doc, v));
	if (*handed != FL_HANDED_OTHER)
		return 0;
	return fl_kube_notice(k, v, FL_NOTICE_HALF_HANDED_OVER, "write true, hold or drain",
			      "'%.60s' is none of true, hold and drain: taken as hold",
			      fl_doc_text(&k->doc, v));
}

static const struct fl_type fl_type_handed = {
	.read = read_handed, .schema = "\"enum\": [\"true\", \"hold\", \"drain\", \"handover\"]"
};

static const struct fl_field known_annotations[] = {
	{ NODE(FL_HANDED_ANNOTATION, handed, handed), .text = FL_TEXT_WORD },
	{ .name = NULL },
};

static const struct fl_field cluster_queue_metadata[] = {
	FL_METADATA_NAMES,
	{ .name = "annotations", .type = &fl_type_some, .fields = known_annotations },
	FL_IGNORED("deletionTimestamp"),
	FL_METADATA_REST,
	{ .name = NULL },
};

static const struct fl_field cluster_queue_fields[] = {
	FL_IGNORED("apiVersion"),
	FL_IGNORED("kind"),
	{ .name = "metadata", .fields = cluster_queue_metadata },
	{ .name = "spec", .fields = fl_fields_cluster_queue_spec },
	FL_IGNORED("status"),
	{ .name = NULL },
};

static int read_cluster_queue(struct fl_kube *k)
{
	struct fl_node_row row = fl_cluster_queue_default;
	uint32_t at;
	int r;

	row.name = k->name;
	row.place = fl_kube_place_of(k, 0);
	row.undecided = fl_undecided_next(&k->doc, "ClusterQueue", NULL, &at) != NULL;
	row.checks = fl_checks_read(&k->doc);
	r = fl_kube_map(k, 0, cluster_queue_fields, &row);
	return r < 0 ? r : fl_model_add_node(k->m, &row, k->err);
}

const struct fl_kind fl_kind_cluster_queue = {
	"kueue.x-k8s.io",      "ClusterQueue",   false, cluster_queue_fields, read_cluster_queue,
	FL_TEXT_CLUSTER_QUEUE, "v1beta1 v1beta2"
};

static const struct fl_field cohort_spec[] = {
	PARENT("parentName"),
	PARENT("parent"),
	GROUPS,
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
	row.place = fl_kube_place_of(k, 0);
	r = fl_kube_map(k, 0, cohort_fields, &row);
	return r < 0 ? r : fl_model_add_node(k->m, &row, k->err);
}

const struct fl_kind fl_kind_cohort = { "kueue.x-k8s.io", "Cohort",    false,
					cohort_fields,    read_cohort, FL_TEXT_COHORT,
					"v1beta1 v1beta2" };

/* --- LocalQueue --- */

#define QUEUE(field, type, member) FL_IS(field, type, struct fl_queue_row, member)

static const struct fl_field queue_fair_sharing[] = {
	{ QUEUE("weight", weight, weight) },
	{ .name = NULL },
};

const struct fl_field fl_fields_local_queue_spec[] = {
	{ QUEUE("clusterQueue", text, cluster_queue_name), .text = FL_TEXT_CLUSTER_QUEUE },
	{ STOPS(struct fl_queue_row, stop) },
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
	row.place = fl_kube_place_of(k, 0);
	r = fl_kube_map(k, 0, queue_fields, &row);
	return r < 0 ? r : fl_model_add_queue(k->m, &row, k->err);
}

const struct fl_kind fl_kind_queue = { "kueue.x-k8s.io", "LocalQueue", true,
				       queue_fields,     read_queue,   FL_TEXT_LOCAL_QUEUE,
				       "v1beta1 v1beta2" };
