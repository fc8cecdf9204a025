/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the status of a Workload (WS), as a controller writes it. */
#include <string.h>

#include "codec/schema/form.h"
#include "codec/schema/judge.h"
#include "codec/schema/metadata.h"
#include "codec/schema/rules_flavor.h"
#include "codec/schema/rules_workload.h"
#include "codec/text/quantity.h"

static uint32_t status_of(const struct fl_judge *j) { return fl_at(j->doc, 0, "status"); }

static uint32_t assignments_of(const struct fl_judge *j)
{
	return fl_at_path(j->doc, "status.admission.podSetAssignments");
}

/* WS4: usage is that of whole pods. */
static void check_usage(struct fl_judge *j, uint32_t assignment)
{
	int64_t count = fl_int_at(j->doc, fl_at(j->doc, assignment, "count"), 0);

	for (FL_KEYS(j->doc, key, fl_at(j->doc, assignment, "resourceUsage"))) {
		const char *name = fl_doc_text(j->doc, key);
		const char *text = fl_scalar_at(j->doc, key + 1, "0");
		fl_amount amount = 0;

		if (count > 0 &&
		    fl_quantity_parse(text, strlen(text), strcmp(name, "cpu") == 0 ? 3 : 0,
				      /* negative= */ true, &amount, /* err= */ NULL) == 0 &&
		    amount % count != 0)
			fl_refuse(j, key + 1, NULL, "WS4", NULL,
				  "resourceUsage %.40s of %.100s is no multiple of %lld pods", text,
				  name, (long long)count);
	}
}

/* WS1 to WS4 */
static void check_admission(struct fl_judge *j)
{
	uint32_t admission = fl_at_path(j->doc, "status.admission");

	if (!fl_has_condition(j->doc, "QuotaReserved"))
		return;
	if (admission == FL_NONE) {
		if (!j->call->was)
			fl_refuse(j, status_of(j), "admission", "WS1", NULL,
				  "condition QuotaReserved without admission");
		return;
	}
	if (fl_count_at(j->doc, assignments_of(j)) !=
	    fl_count_at(j->doc, fl_at_path(j->doc, "spec.podSets"))) {
		fl_refuse(j, 0, NULL, "WS2", NULL, "%u podSetAssignments for %u podSets",
			  fl_count_at(j->doc, assignments_of(j)),
			  fl_count_at(j->doc, fl_at_path(j->doc, "spec.podSets")));
		return;
	}
	for (FL_ITEMS(j->doc, a, assignments_of(j))) {
		const char *name = fl_scalar_at(j->doc, fl_at(j->doc, a, "name"), "main");

		if (fl_pod_set_at(j->doc, name) == FL_NONE)
			fl_refuse(j, a, "name", "WS3", NULL, "name '%.63s' is not among podSets",
				  name);
		check_usage(j, a);
	}
}

/* WS5 */
static void check_reclaimable(struct fl_judge *j)
{
	for (FL_ITEMS(j->doc, r, fl_at_path(j->doc, "status.reclaimablePods"))) {
		const char *name = fl_scalar_at(j->doc, fl_at(j->doc, r, "name"), "");
		uint32_t p = fl_pod_set_at(j->doc, name);
		int64_t n = fl_int_at(j->doc, fl_at(j->doc, r, "count"), 0);

		if (p == FL_NONE)
			fl_refuse(j, r, "name", "WS5", NULL,
				  "name '%.63s' of reclaimablePods is not among podSets", name);
		else if (n > fl_int_at(j->doc, fl_at(j->doc, p, "count"), 1))
			fl_refuse(j, r, "count", "WS5", NULL,
				  "count: %lld reclaimable pods of '%.63s', more than it has",
				  (long long)n, name);
	}
}

/* WS6, WS7 */
static void check_check_states(struct fl_judge *j)
{
	static const char *const rules[] = { "WS7", "WS7", "WS7", "WS7", "WS7", "WS6" };

	for (FL_ITEMS(j->doc, check, fl_at_path(j->doc, "status.admissionChecks")))
		for (FL_ITEMS(j->doc, u, fl_at(j->doc, check, "podSetUpdates"))) {
			const char *name = fl_scalar_at(j->doc, fl_at(j->doc, u, "name"), "");

			if (fl_pod_set_at(j->doc, name) == FL_NONE)
				fl_refuse(j, u, "name", "WS6", NULL,
					  "name '%.63s' of podSetUpdates is not among podSets",
					  name);
			fl_schema_labels(j, fl_at(j->doc, u, "labels"), "WS6");
			fl_schema_labels(j, fl_at(j->doc, u, "nodeSelector"), "WS6");
			fl_schema_annotations(j, fl_at(j->doc, u, "annotations"), "WS6");
			fl_schema_tolerations(j, fl_at(j->doc, u, "tolerations"), rules);
		}
}

/* WS8 */
static void check_cluster_name(struct fl_judge *j)
{
	uint32_t name = fl_at_path(j->doc, "status.clusterName");

	if (name != FL_NONE && *fl_scalar_at(j->doc, name, "") &&
	    fl_count_at(j->doc, fl_at_path(j->doc, "status.nominatedClusterNames")) > 0)
		fl_refuse(j, status_of(j), NULL, "WS8", NULL,
			  "status has both clusterName and nominatedClusterNames");
}

/* --- WS9 to WS12: topology assignments --- */

/* Exactly one of two fields. */
static bool has_one(struct fl_judge *j, uint32_t map, const char *a, const char *b,
		    const char *rule)
{
	if ((fl_at(j->doc, map, a) == FL_NONE) != (fl_at(j->doc, map, b) == FL_NONE))
		return true;
	fl_refuse(j, map, NULL, rule, NULL, "exactly one of %s and %s is needed", a, b);
	return false;
}

static void check_slice(struct fl_judge *j, uint32_t slice, uint32_t levels)
{
	int64_t domains = fl_int_at(j->doc, fl_at(j->doc, slice, "domainCount"), 0);
	uint32_t counts = fl_at(j->doc, slice, "podCounts");
	uint32_t values = fl_at(j->doc, slice, "valuesPerLevel");
	uint32_t individual = fl_at(j->doc, counts, "individual");

	if (fl_count_at(j->doc, values) != levels)
		fl_refuse(j, slice, NULL, "WS9", NULL, "%u valuesPerLevel for %u levels",
			  fl_count_at(j->doc, values), levels);
	if (has_one(j, counts, "universal", "individual", "WS11") && individual != FL_NONE &&
	    fl_count_at(j->doc, individual) != domains)
		fl_refuse(j, slice, NULL, "WS10", NULL, "%u pod counts for %lld domains in slices",
			  fl_count_at(j->doc, individual), (long long)domains);
	for (FL_ITEMS(j->doc, value, values)) {
		uint32_t roots = fl_at(j->doc, fl_at(j->doc, value, "individual"), "roots");

		if (has_one(j, value, "universal", "individual", "WS12") && roots != FL_NONE &&
		    fl_count_at(j->doc, roots) != domains)
			fl_refuse(j, slice, NULL, "WS10", NULL,
				  "%u roots for %lld domains in slices", fl_count_at(j->doc, roots),
				  (long long)domains);
	}
}

static void check_topology_assignments(struct fl_judge *j)
{
	if (j->version == FL_V1BETA1)
		return;
	for (FL_ITEMS(j->doc, a, assignments_of(j))) {
		uint32_t topology = fl_at(j->doc, a, "topologyAssignment");
		uint32_t levels = fl_count_at(j->doc, fl_at(j->doc, topology, "levels"));

		for (FL_ITEMS(j->doc, slice, fl_at(j->doc, topology, "slices")))
			check_slice(j, slice, levels);
	}
}

fl_schema_rule *const fl_rules_workload_status[] = {
	check_admission,    check_reclaimable,          check_check_states,
	check_cluster_name, check_topology_assignments, NULL,
};
