/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration, ConfigMap, Namespace and the two kinds of priority classes. */
#include <string.h>

#include "codec/object/types.h"
#include "codec/object/undecided.h"

/* --- Configuration --- */

static int read_strategies(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "LessThanOrEqualToFinalShare", "LessThanInitialShare",
					     NULL };
	struct fl_settings *settings = row;
	enum fl_fair_strategy found[2];
	uint32_t n = 0, end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		uint32_t i = 0;

		r = fl_kube_enum(k, item, names, &i);
		if (r == 0 && (n == 2 || (n == 1 && i <= (uint32_t)found[0])))
			return fl_kube_fail(
				k, item, FAIRLEAD_EINPUT,
				"'%s' cannot follow the entries before it in preemptionStrategies",
				names[i]);
		if (r == 0)
			found[n++] = (enum fl_fair_strategy)i;
	}
	if (r == 0 && n) { /* empty means the same as absent: both strategies */
		memcpy(settings->strategies, found, n * sizeof *found);
		settings->n_strategies = n;
	}
	return r;
}

static const struct fl_field fair_sharing[] = {
	{ FL_IS("enable", flag, struct fl_settings, fair_sharing) },
	{ .name = "preemptionStrategies", .read = read_strategies },
	{ .name = NULL },
};

static const struct fl_field configuration_fields[] = {
	FL_HEAD,
	{ .name = "fairSharing",
	  FL_SAID(struct fl_settings, fair_sharing),
	  .fields = fair_sharing },
	{ .name = "admissionFairSharing", .read = fl_kube_afs, .fields = fl_fields_afs },
	FL_IGNORED("clientConnection"),
	FL_IGNORED("controller"),
	{ .name = "featureGates", .read = fl_kube_gates, .keys = FL_TEXT_GATE },
	FL_IGNORED("health"),
	FL_IGNORED("integrations"),
	FL_IGNORED("internalCertManagement"),
	FL_IGNORED("leaderElection"),
	FL_IGNORED("manageJobsWithoutQueueName"),
	FL_IGNORED("managedJobsNamespaceSelector"),
	FL_IGNORED("metrics"),
	FL_IGNORED("multiKueue"),
	FL_IGNORED("namespace"),
	FL_IGNORED("objectRetentionPolicies"),
	FL_IGNORED("pprofBindAddress"),
	FL_IGNORED("queueVisibility"),
	{ .name = "resources", .fields = fl_fields_resources },
	FL_IGNORED("tls"),
	{ .name = "waitForPodsReady", .read = fl_kube_wait_for_ready, .fields = fl_fields_wait },
	FL_IGNORED("webhook"),
	{ .name = NULL },
};

static int read_configuration(struct fl_kube *k)
{
	struct fl_settings settings = {
		.present = true,
		.strategies = { FL_FINAL_SHARE, FL_INITIAL_SHARE },
		.n_strategies = 2,
		.place = fl_kube_place_of(k, 0),
	};
	const struct fl_settings *old = &k->m->settings;
	uint32_t at;
	int r = fl_kube_map(k, 0, configuration_fields, &settings);

	if (r < 0)
		return r;
	settings.undecided = fl_undecided_next(&k->doc, "Configuration", NULL, &at) != NULL;
	if (old->present) {
		fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "defined twice");
		fl_fail_hint(k->err, "first defined at %.200s:%u:%u",
			     fl_model_text(k->m, k->m->inputs[old->place.file]), old->place.line,
			     old->place.column);
		return FAIRLEAD_EINPUT;
	}
	settings.has_policy = old->has_policy;
	settings.policy_place = old->policy_place;
	settings.exact_usage = old->exact_usage;
	settings.many_heads = old->many_heads;
	settings.settles = old->settles;
	settings.eviction_timeout = old->eviction_timeout;
	k->m->settings = settings;
	return fl_kube_keep_configuration(k);
}

const struct fl_kind fl_kind_configuration = {
	"config.kueue.x-k8s.io", "Configuration",    false,
	configuration_fields,    read_configuration, FL_TEXT_NAME,
	"v1beta1 v1beta2"
};

/* --- ConfigMap --- */

static int read_embedded(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return fl_kube_read_embedded(k, v);
}

static const struct fl_field config_map_data[] = {
	{ .name = "controller_manager_config.yaml", .read = read_embedded },
	{ .name = NULL },
};

static const struct fl_field config_map_fields[] = {
	FL_HEAD,
	{ .name = "data", .fields = config_map_data },
	FL_IGNORED("binaryData"),
	FL_IGNORED("immutable"),
	{ .name = NULL },
};

/* Only Kueue's own is read; others may have any contents. */
static int read_config_map(struct fl_kube *k)
{
	if (strcmp(fl_model_text(k->m, k->name), "kueue-manager-config") != 0)
		return fl_kube_notice(k, 0, FL_NOTICE_IGNORED_OBJECT, /* hint= */ NULL,
				      "only the ConfigMap 'kueue-manager-config' is read");
	return fl_kube_map(k, 0, config_map_fields, /* row= */ NULL);
}

const struct fl_kind fl_kind_config_map = {
	"", "ConfigMap", true, config_map_fields, read_config_map, FL_TEXT_NAME, "v1"
};

/* --- Namespace --- */

static const struct fl_field namespace_fields[] = {
	FL_HEAD,
	FL_IGNORED("spec"),
	FL_IGNORED("status"),
	{ .name = NULL },
};

static int read_namespace(struct fl_kube *k)
{
	struct fl_namespace_row row = { .name = k->name, .place = fl_kube_place_of(k, 0) };
	uint32_t labels = fl_doc_find(&k->doc, fl_doc_find(&k->doc, 0, "metadata"), "labels");
	int r = fl_kube_map(k, 0, namespace_fields, &row);

	if (r == 0 && labels != FL_NONE && !fl_kube_is_null(k, labels))
		r = fl_kube_labels(k, labels, &row.labels);
	return r < 0 ? r : fl_model_add_namespace(k->m, &row, k->err);
}

const struct fl_kind fl_kind_namespace = {
	"", "Namespace", false, namespace_fields, read_namespace, FL_TEXT_NAMESPACE, "v1"
};

/* --- priority classes --- */

#define CLASS(field, type, member) FL_IS(field, type, struct fl_priority_row, member)

static const struct fl_field priority_class_fields[] = {
	FL_HEAD,
	{ CLASS("value", int32, value), .needed = true },
	{ CLASS("globalDefault", flag, global_default) },
	FL_IGNORED("description"),
	FL_IGNORED("preemptionPolicy"),
	{ .name = NULL },
};

static const struct fl_field workload_priority_class_fields[] = {
	FL_HEAD,
	{ CLASS("value", int32, value), .needed = true },
	FL_IGNORED("description"),
	{ .name = NULL },
};

static int read_class(struct fl_kube *k, bool of_workloads, const struct fl_field *fields)
{
	struct fl_priority_row row = {
		.name = k->name,
		.of_workloads = of_workloads,
		.place = fl_kube_place_of(k, 0),
	};
	int r = fl_kube_whole(k, 0, fields, &row);

	return r < 0 ? r : fl_model_add_priority(k->m, &row, k->err);
}

static int read_priority_class(struct fl_kube *k)
{
	return read_class(k, /* of_workloads= */ false, priority_class_fields);
}

static int read_workload_priority_class(struct fl_kube *k)
{
	return read_class(k, /* of_workloads= */ true, workload_priority_class_fields);
}

const struct fl_kind fl_kind_priority_class = {
	"scheduling.k8s.io", "PriorityClass", false, priority_class_fields,
	read_priority_class, FL_TEXT_CLASS,   "v1"
};
const struct fl_kind fl_kind_workload_priority_class = { "kueue.x-k8s.io",
							 "WorkloadPriorityClass",
							 false,
							 workload_priority_class_fields,
							 read_workload_priority_class,
							 FL_TEXT_CLASS,
							 "v1beta1 v1beta2" };
