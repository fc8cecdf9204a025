/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/object/known.h"
#include "lib/unit.h"

static bool find(const char *kind, const char *path, struct fl_kube_field *ret)
{
	uint32_t k = 0;

	while (fl_kube_kind(k) && strcmp(fl_kube_kind(k), kind) != 0)
		k++;
	for (uint32_t f = 0; fl_kube_field(k, f, ret); f++)
		if (strcmp(ret->path, path) == 0)
			return true;
	return false;
}

TEST(known)
{
	static const struct {
		const char *kind, *path;
		enum fl_support support;
	} rows[] = {
		{ "ClusterQueue", ".spec.resourceGroups[].flavors[].resources[].nominalQuota",
		  FL_FIELD_SUPPORTED },
		{ "ClusterQueue", ".spec.cohort", FL_FIELD_SUPPORTED },
		{ "ClusterQueue", ".spec.admissionChecks", FL_FIELD_NOTED },
		{ "ClusterQueue", ".status", FL_FIELD_IGNORED },
		{ "Workload", ".spec.podSets[].template.spec.containers[].resources.requests",
		  FL_FIELD_SUPPORTED },
		{ "Workload", ".metadata.managedFields", FL_FIELD_IGNORED },
		{ "Workload", ".metadata.ownerReferences[].name", FL_FIELD_SUPPORTED },
		{ "Configuration", ".fairSharing.preemptionStrategies", FL_FIELD_SUPPORTED },
		{ "ResourceFlavor", ".spec.topologyName", FL_FIELD_NOTED },
		{ "Cohort", ".spec.parent", FL_FIELD_SUPPORTED },
	};
	struct fl_kube_field field;

	for (size_t i = 0; i < COUNT(rows); i++) {
		CHECK(find(rows[i].kind, rows[i].path, &field), rows[i].path);
		CHECK(field.support == rows[i].support, rows[i].path);
	}
	assert_false(find("ClusterQueue", ".spec.nope", &field));
	assert_null(fl_kube_kind(1000));
	assert_false(fl_kube_field(1000, 0, &field));
}

/* What is noted says why, what is acted on needs not; the tables hold no path twice. */
TEST(consistent)
{
	struct fl_kube_field a, b;

	for (uint32_t k = 0; fl_kube_kind(k); k++)
		for (uint32_t f = 0; fl_kube_field(k, f, &a); f++) {
			if (a.support == FL_FIELD_NOTED || a.support == FL_FIELD_REFUSED)
				CHECK(a.note != NULL, a.path);
			if (a.support == FL_FIELD_SUPPORTED)
				CHECK(a.note == NULL, a.path);
			for (uint32_t g = 0; g < f; g++)
				CHECK(fl_kube_field(k, g, &b) && strcmp(a.path, b.path) != 0,
				      a.path);
		}
}

UNIT_GROUP("fields")
