/* SPDX-License-Identifier: Apache-2.0 */
/* Which kinds are judged, and what looks like one of them. */
#include "codec/schema/kinds.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "codec/schema/judge.h"

static const char kueue[] = "kueue.x-k8s.io", both[] = "v1beta1 v1beta2";

static const struct fl_schema_kind kinds[] = {
	{ kueue, "ClusterQueue", both, fl_schema_cluster_queue, .mends = true, .decodes = true,
	  .rules = fl_rules_cluster_queue, .updates = fl_updates_cluster_queue },
	{ kueue, "Cohort", both, fl_schema_cohort, .decodes = true, .rules = fl_rules_cohort },
	{ kueue, "LocalQueue", both, fl_schema_local_queue, .namespaced = true,
	  .updates = fl_updates_local_queue },
	{ kueue, "ResourceFlavor", both, fl_schema_flavor, .mends = true, .decodes = true,
	  .rules = fl_rules_flavor, .updates = fl_updates_flavor },
	{ kueue, "Workload", both, fl_schema_workload, .namespaced = true, .decodes = true,
	  .rules = fl_rules_workload, .status = fl_rules_workload_status,
	  .updates = fl_updates_workload },
	{ kueue, "WorkloadPriorityClass", both, fl_schema_priority_class, .namespaced = false },
	{ kueue, "Topology", both, fl_schema_topology, .rules = fl_rules_topology,
	  .updates = fl_updates_topology },
	{ kueue, "AdmissionCheck", both, fl_schema_admission_check,
	  .updates = fl_updates_admission_check },
	{ kueue, "MultiKueueCluster", both, fl_schema_multikueue_cluster,
	  .rules = fl_rules_multikueue_cluster },
	{ kueue, "MultiKueueConfig", both, fl_schema_multikueue_config,
	  .rules = fl_rules_multikueue_config },
	{ kueue, "ProvisioningRequestConfig", both, fl_schema_provisioning, .namespaced = false },
	{ "scheduling.run.ai", "Queue", "v2", fl_schema_queue, .rules = fl_rules_queue },
	{ "scheduling.run.ai", "PodGroup", "v2alpha2", fl_schema_pod_group, .namespaced = true,
	  .rules = fl_rules_pod_group },
	{ "kai.scheduler", "SchedulingShard", "v1", fl_schema_shard, .namespaced = false },
	{ "kai.scheduler", "Topology", "v1alpha1", fl_schema_kai_topology,
	  .rules = fl_rules_topology, .updates = fl_updates_topology },
	{ "scheduling.run.ai", "BindRequest", "v1alpha2", fl_schema_bind_request,
	  .namespaced = true },
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Of "group/version". */
static bool is_group(const char *api_version, const char *group)
{
	size_t len = strlen(group);

	return strncmp(api_version, group, len) == 0 &&
	       (api_version[len] == '/' || api_version[len] == '\0');
}

static bool has_version(const struct fl_schema_kind *kind, const char *api_version)
{
	const char *slash = strchr(api_version, '/');

	for (const char *at = kind->versions; slash && *at;) {
		size_t len = strcspn(at, " ");

		if (strlen(slash + 1) == len && memcmp(at, slash + 1, len) == 0)
			return true;
		at += len + (at[len] == ' ');
	}
	return false;
}

const struct fl_schema_kind *fl_schema_find(const char *api_version, const char *kind)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (strcmp(kinds[i].name, kind) == 0 && is_group(api_version, kinds[i].group) &&
		    has_version(&kinds[i], api_version))
			return &kinds[i];
	return NULL;
}

/* The groups that no one but Kueue and KAI defines kinds in. */
static bool is_theirs(const char *api_version)
{
	return is_group(api_version, kueue) || is_group(api_version, "scheduling.run.ai") ||
	       is_group(api_version, "kai.scheduler");
}

/* Kinds in these groups that are not judged. */
static bool is_known(const char *api_version, const char *kind)
{
	return (is_group(api_version, "kai.scheduler") && strcmp(kind, "Config") == 0) ||
	       strstr(api_version, "config.kueue") || strstr(api_version, "visibility.kueue");
}

/* Names that only Kueue or KAI has, in whatever group. */
static bool is_unique(const struct fl_schema_kind *kind)
{
	return strcmp(kind->name, "Queue") != 0 && strcmp(kind->name, "PodGroup") != 0 &&
	       strcmp(kind->name, "Topology") != 0 && strcmp(kind->name, "Workload") != 0;
}

/* "ClusterQueue", however it is spelled: in another letter case, or with an s. */
static bool is_like(const char *kind, const char *name)
{
	size_t len = strlen(name);

	return strncasecmp(kind, name, len) == 0 &&
	       (kind[len] == '\0' || strcasecmp(kind + len, "s") == 0);
}

bool fl_schema_no_such_kind(const char *api_version, const char *kind, char *hint, size_t size)
{
	const struct fl_schema_kind *like = NULL;
	const char *version;

	for (size_t i = 0; i < N_KINDS; i++)
		if (is_like(kind, kinds[i].name) &&
		    (!like || is_group(api_version, kinds[i].group)))
			like = &kinds[i];
	if (is_known(api_version, kind) || (!is_theirs(api_version) && (!like || !is_unique(like))))
		return false;
	if (!like) {
		(void)snprintf(hint, size, "the kinds of %.*s are in doc/guide/fields.md",
			       (int)strcspn(api_version, "/"), api_version);
		return true;
	}
	version = strrchr(like->versions, ' ');
	(void)snprintf(hint, size, "write 'apiVersion: %s/%s' and 'kind: %s'", like->group,
		       version ? version + 1 : like->versions, like->name);
	return true;
}
