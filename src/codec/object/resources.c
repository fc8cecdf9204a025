/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the Configuration: resources, featureGates, waitForPodsReady. */
#include <string.h>

#include "base/limits.h"
#include "codec/object/types.h"
#include "codec/schema/schema.h"

/* --- resources --- */

#define OF(field, type, member) FL_IS(field, type, struct fl_transformation, member)

static int read_outputs(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_span *span = &((struct fl_transformation *)row)->outputs;
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	span->first = k->m->n_outputs;
	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_transformed output = { .per_unit = 0 };

		r = fl_kube_key(k, key, &output.resource_name);
		if (r == 0)
			r = fl_kube_nanos(k, key + 1, &output.per_unit);
		if (r == 0)
			r = fl_model_push_outputs(k->m, &output, /* ret_id= */ NULL, k->err);
	}
	span->n = k->m->n_outputs - span->first;
	return r;
}

static const struct fl_field transformation[] = {
	{ OF("input", text, input), .needed = true, .text = FL_TEXT_RESOURCE },
	{ FL_IS_EITHER("strategy", struct fl_transformation, replace, "Retain", "Replace") },
	{ OF("multiplyBy", text, multiply_by), .text = FL_TEXT_RESOURCE },
	{ .name = "outputs", .read = read_outputs, .keys = FL_TEXT_RESOURCE },
	{ .name = NULL },
};

static int read_transformations(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_model *m = k->m;
	struct fl_span *span = &((struct fl_settings *)row)->transformations;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	span->first = m->n_transformations;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_transformation t = { .replace = false };
		uint32_t input;

		if ((r = fl_kube_need(k, item, "input", &input)) < 0 ||
		    (r = fl_kube_map(k, item, transformation, &t)) < 0)
			break;
		if (m->n_transformations - span->first == FL_MAX_RESOURCES)
			return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "more than %d transformations",
					    FL_MAX_RESOURCES);
		for (uint32_t i = span->first; i < m->n_transformations; i++)
			if (m->transformations[i].input.v == t.input.v)
				return fl_kube_fail(k, input, FAIRLEAD_EINPUT,
						    "'%.100s' is transformed already",
						    fl_model_text(m, t.input));
		r = fl_model_push_transformations(m, &t, /* ret_id= */ NULL, k->err);
	}
	span->n = m->n_transformations - span->first;
	return r;
}

const struct fl_field fl_fields_resources[] = {
	{ FL_IS("excludeResourcePrefixes", texts, struct fl_settings, excluded_prefixes),
	  .text = FL_TEXT_RESOURCE_PREFIX },
	{ .name = "transformations",
	  .read = read_transformations,
	  .fields = transformation,
	  .list = true },
	FL_NOTED("deviceClassMappings", "claims of devices do not count"),
	FL_NOTED("quotaCheckStrategy",
		 "a workload with a resource that its queue lacks is not admitted"),
	{ .name = NULL },
};

/* --- featureGates --- */

/*
 * Gates that change decisions, and the value that is assumed; gates of the model work with both
 * values.
 */
static const struct {
	const char *name;
	bool assumed, both;
	enum fl_gate gate;
} deciding[] = {
#define FL_GATE(id, name, off) { name, true, true, FL_GATE_##id },
#include "model/gate.def"
#undef FL_GATE
#define ASSUMED(name, value)                                                                       \
	{                                                                                          \
		name, value, false, FL_GATES                                                       \
	}
	ASSUMED("AdmissionGatedBy", false),
	ASSUMED("ConcurrentAdmission", false),
	ASSUMED("ConfigurablePreemptions", false),
	ASSUMED("ConfigurableResourceTransformations", true),
	ASSUMED("DRAExtendedResources", false),
	ASSUMED("DynamicResourceAllocation", false),
	ASSUMED("ElasticJobsViaWorkloadSlices", false),
	ASSUMED("ElasticJobsViaWorkloadSlicesWithTAS", false),
	ASSUMED("FairSharingVerifyFinalTargets", false),
	ASSUMED("FlavorFungibility", true),
	ASSUMED("FlavorFungibilityPreserveScanProgress", true),
	ASSUMED("HierarchicalCohorts", true),
	ASSUMED("KueueDRAIntegration", false),
	ASSUMED("MultiKueueOrchestratedPreemption", false),
	ASSUMED("PrioritizePreemptorWorkloads", false),
	ASSUMED("PriorityBoost", false),
	ASSUMED("QuotaCheckStrategy", false),
	ASSUMED("SchedulerTimestampPreemptionBuffer", false),
#undef ASSUMED
};

/* Gates that change no decision. */
static const char *const idle[] = {
	"AssignQueueLabelsForPods",
	"CustomMetricLabels",
	"ExposeFlavorsInLocalQueue",
	"FailureRecoveryPolicy",
	"FastQuotaReleaseInPodIntegration",
	"FinishOrphanedWorkloads",
	"LocalQueueDefaulting",
	"LocalQueueMetrics",
	"ManagedJobsNamespaceSelector",
	"ManagedJobsNamespaceSelectorAlwaysRespected",
	"MetricForWorkloadCreationLatency",
	"MultiKueue",
	"MultiKueueAdaptersForCustomJobs",
	"MultiKueueAllowInsecureKubeconfigs",
	"MultiKueueBatchJobWithManagedBy",
	"MultiKueueClusterProfile",
	"MultiKueueRedoAdmissionOnEvictionInWorker",
	"MultiKueueWaitForWorkloadAdmitted",
	"ObjectRetentionPolicies",
	"PropagateBatchJobLabelsToWorkload",
	"QueueVisibility",
	"RejectUpdatesToCQWithInvalidOnFlavors",
	"RemoveFinalizersWithStrictPatch",
	"SanitizePodSets",
	"SchedulerLongRequeueInterval",
	"ShortWorkloadNames",
	"SkipFinalizersForPodsSuspendedByParent",
	"SparkApplicationIntegration",
	"TASBalancedPlacement",
	"TASFailedNodeReplacement",
	"TASFailedNodeReplacementFailFast",
	"TASMultiLayerTopology",
	"TASProfileMixed",
	"TASReplaceNodeOnNodeTaints",
	"TASReplaceNodeOnPodTermination",
	"TLSOptions",
	"TopologyAwareScheduling",
	"VisibilityOnDemand",
	"WorkloadRequestUseMergePatch",
	"WorkloadResourceRequestsSummary",
};

bool fl_kube_is_gate(const char *name)
{
	for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++)
		if (strcmp(deciding[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
		if (strcmp(idle[i], name) == 0)
			return true;
	return false;
}

static int set_gate(struct fl_kube *k, uint32_t key, bool on, struct fl_settings *settings)
{
	const char *name = fl_doc_text(&k->doc, key);

	for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++) {
		if (strcmp(deciding[i].name, name) != 0)
			continue;
		if (deciding[i].both)
			settings->off[deciding[i].gate] = !on;
		else if (on != deciding[i].assumed)
			return fl_kube_notice(k, key + 1, FL_NOTICE_IGNORED_FIELD, /* hint= */ NULL,
					      "feature gate '%s' is assumed to be %s", name,
					      deciding[i].assumed ? "true" : "false");
		return 0;
	}
	for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
		if (strcmp(idle[i], name) == 0)
			return 0;
	return fl_kube_notice(k, key + 1, FL_NOTICE_UNKNOWN_FIELD, /* hint= */ NULL,
			      "unknown feature gate '%.100s' is assumed to change no decision",
			      name);
}

/* Gates by which a webhook refuses more, of the objects behind the Configuration. */
static void set_webhook_gate(struct fl_model *m, const char *name, bool on)
{
	static const struct {
		const char *name;
		unsigned bit;
	} gates[] = {
		{ "ConcurrentAdmission", FL_GATE_CONCURRENT_ADMISSION },
		{ "PriorityBoost", FL_GATE_PRIORITY_BOOST },
		{ "RejectUpdatesToCQWithInvalidOnFlavors", FL_GATE_REJECT_INVALID_ON_FLAVORS },
	};

	for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
		if (strcmp(gates[i].name, name) == 0)
			m->webhook_gates = on ? m->webhook_gates | gates[i].bit :
						m->webhook_gates & ~gates[i].bit;
}

int fl_kube_gates(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		bool on = false;

		r = fl_kube_bool(k, key + 1, &on);
		if (r == 0)
			set_webhook_gate(k->m, fl_doc_text(&k->doc, key), on);
		if (r == 0)
			r = set_gate(k, key, on, row);
	}
	return r;
}

/* --- waitForPodsReady --- */

static int read_enable(struct fl_kube *k, uint32_t v, void *row)
{
	bool unused;

	(void)row; /* read before the fields */
	return fl_kube_bool(k, v, &unused);
}

static const struct fl_field requeuing[] = {
	{ FL_IS_EITHER("timestamp", struct fl_settings, from_creation, "Eviction", "Creation") },
	FL_PASSED("backoffLimitCount", "no workload is evicted because its pods are not ready"),
	FL_PASSED("backoffBaseSeconds", "a back-off ends when the status says it does"),
	FL_PASSED("backoffMaxSeconds", "a back-off ends when the status says it does"),
	{ .name = NULL },
};

const struct fl_field fl_fields_wait[] = {
	{ .name = "enable", .read = read_enable },
	FL_PASSED("timeout", "pods are taken to be ready at once"),
	FL_PASSED("recoveryTimeout", "pods are taken to be ready at once"),
	FL_PASSED("blockAdmission", "pods are taken to be ready at once"),
	{ .name = "requeuingStrategy", .fields = requeuing },
	{ .name = NULL },
};

int fl_kube_wait_for_ready(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t enable = k->doc.values[v].kind == FL_TOKEN_MAP ?
				  fl_doc_find(&k->doc, v, "enable") :
				  FL_NONE;
	bool on = enable == FL_NONE || strcmp(fl_doc_text(&k->doc, enable), "false") != 0;
	int r = fl_kube_map(k, v, fl_fields_wait, row);

	if (r < 0 || !on)
		return r;
	return fl_kube_notice(
		k, v, FL_NOTICE_IGNORED_FIELD, /* hint= */ NULL,
		"'waitForPodsReady' is ignored: pods are assumed to be ready at once");
}
