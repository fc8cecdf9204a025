/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/kinds.h"

#include <stdio.h>

#define KUEUE                                                                                      \
	.source.group = "kueue.x-k8s.io", .source.versions = { "v1beta2", "v1beta1" },             \
	.dialect = FL_DIALECT_KUEUE
#define KAI(version)                                                                               \
	.source.group = "scheduling.run.ai", .source.versions = { version },                       \
	.dialect = FL_DIALECT_KAI
#define CORE .source.group = "", .source.versions = { "v1" }
#define KIND(plural_name, name) .source.plural = plural_name, .kind = name

static const struct fl_cluster_kind rows[] = {
	{ KUEUE, KIND("resourceflavors", "ResourceFlavor"), .needed = true },
	{ KUEUE, KIND("cohorts", "Cohort"), .needed = true },
	{ KUEUE, KIND("clusterqueues", "ClusterQueue"), .needed = true, .marks = true },
	{ KUEUE, KIND("localqueues", "LocalQueue"), .needed = true, .spread = true },
	{ KUEUE, KIND("workloads", "Workload"), .needed = true, .spread = true },
	{ KUEUE, KIND("workloadpriorityclasses", "WorkloadPriorityClass") },
	{ KUEUE, KIND("admissionchecks", "AdmissionCheck") },
	{ KUEUE, KIND("topologies", "Topology") },
	{ CORE, KIND("configmaps", "ConfigMap"), .dialect = FL_DIALECT_KUEUE,
	  .source.namespace = "kueue-system",
	  .source.fields = "metadata.name=kueue-manager-config" },
	{ CORE, KIND("namespaces", "Namespace"), .dialect = FL_DIALECT_KUEUE },
	{ CORE, KIND("limitranges", "LimitRange"), .dialect = FL_DIALECT_KUEUE, .spread = true },
	{ .source.group = "node.k8s.io",
	  .source.versions = { "v1" },
	  .dialect = FL_DIALECT_KUEUE,
	  KIND("runtimeclasses", "RuntimeClass") },
	{ .source.group = "scheduling.k8s.io",
	  .source.versions = { "v1" },
	  KIND("priorityclasses", "PriorityClass") },
	{ KAI("v2"), KIND("queues", "Queue"), .needed = true, .marks = true },
	{ KAI("v2alpha2"), KIND("podgroups", "PodGroup"), .needed = true, .spread = true },
	{ KAI("v1alpha2"), KIND("bindrequests", "BindRequest"), .spread = true, .late = true },
	{ .source.group = "kai.scheduler",
	  .source.versions = { "v1" },
	  .dialect = FL_DIALECT_KAI,
	  KIND("schedulingshards", "SchedulingShard") },
	{ CORE, KIND("pods", "Pod"), .dialect = FL_DIALECT_KAI, .needed = true, .spread = true,
	  .late = true },
	{ CORE, KIND("nodes", "Node"), .dialect = FL_DIALECT_KAI, .needed = true, .late = true },
};
_Static_assert(sizeof rows / sizeof *rows <= FL_CLUSTER_KINDS, "too many kinds");

const struct fl_cluster_kind *fl_cluster_kind(unsigned i)
{
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const char *fl_cluster_kind_name(const struct fl_cluster_kind *row, char buffer[160])
{
	snprintf(buffer, 160, "%s%s%s", row->source.plural, *row->source.group ? "." : "",
		 row->source.group);
	return buffer;
}
