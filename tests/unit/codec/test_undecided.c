/* SPDX-License-Identifier: Apache-2.0 */
/* A case a row of the table: what holds, and what looks like it and does not. */
#include "codec/object/undecided.h"
#include "lib/unit.h"

static const struct row {
	const char *kind, *text;
	const char *name; /* of the first row that holds; NULL: none does */
	const char *path; /* where */
} rows[] = {
	{ "Configuration", "{waitForPodsReady: {blockAdmission: true}}", "waitForPodsReady",
	  ".waitForPodsReady.blockAdmission" },
	{ "Configuration", "{waitForPodsReady: {enable: false, blockAdmission: true}}", NULL,
	  NULL },
	{ "Configuration", "{waitForPodsReady: {enable: true}}", "waitForPodsReady",
	  ".waitForPodsReady.enable" },
	{ "Configuration", "{waitForPodsReady: {enable: true, blockAdmission: false}}", NULL,
	  NULL },
	{ "Configuration", "{waitForPodsReady: {timeout: 5m}}", NULL, NULL },
	{ "Configuration", "{resources: {quotaCheckStrategy: IgnoreUndeclared}}",
	  "quotaCheckStrategy", ".resources.quotaCheckStrategy" },
	{ "Configuration", "{resources: {quotaCheckStrategy: BlockUndeclared}}", NULL, NULL },
	{ "ResourceFlavor", "{spec: {topologyName: racks}}", "topology aware scheduling",
	  ".spec.topologyName" },
	{ "ResourceFlavor", "{spec: {topologyName: null}}", NULL, NULL },
	{ "Cohort", "{spec: {topologyName: racks}}", NULL, NULL },
	{ "ClusterQueue", "{spec: {admissionChecks: [a]}}", "admission checks",
	  ".spec.admissionChecks" },
	{ "ClusterQueue", "{spec: {admissionChecks: []}}", NULL, NULL },
	{ "ClusterQueue", "{spec: {admissionChecksStrategy: {admissionChecks: [{name: a}]}}}", NULL,
	  NULL },
	{ "ClusterQueue", "{spec: {admissionChecksStrategy: {}}}", NULL, NULL },
	{ "ClusterQueue", "{spec: {concurrentAdmissionPolicy: {migration: {mode: a}}}}",
	  "concurrent admission", ".spec.concurrentAdmissionPolicy" },
	{ "Workload", "{metadata: {annotations: {kueue.x-k8s.io/admission-gated-by: x}}}",
	  "a gate on admission", ".metadata.annotations.kueue.x-k8s.io/admission-gated-by" },
	{ "Workload", "{metadata: {annotations: {kueue.x-k8s.io/admission-gated-by: ''}}}", NULL,
	  NULL },
	{ "Workload", "{metadata: {annotations: {kueue.x-k8s.io/elastic-job: 'true'}}}",
	  "workload slices", ".metadata.annotations.kueue.x-k8s.io/elastic-job" },
	{ "Workload", "{metadata: {annotations: {kueue.x-k8s.io/elastic-job: 'false'}}}", NULL,
	  NULL },
	{ "Workload",
	  "{metadata: {annotations: {kueue.x-k8s.io/workload-slice-replacement-for: a/b}}}",
	  "workload slices",
	  ".metadata.annotations.kueue.x-k8s.io/workload-slice-replacement-for" },
	{ "Workload", "{metadata: {labels: {kueue.x-k8s.io/concurrent-admission-parent: a}}}",
	  "concurrent admission", ".metadata.labels.kueue.x-k8s.io/concurrent-admission-parent" },
	{ "Workload", "{spec: {preemptionGates: [{name: a}]}}", "preemption gates",
	  ".spec.preemptionGates" },
	/* Kueue puts a request without a wish into each Job's Workload. */
	{ "Workload", "{spec: {podSets: [{topologyRequest: {podIndexLabel: i}}]}}", NULL, NULL },
	{ "Workload", "{spec: {podSets: [{name: a}, {topologyRequest: {required: rack}}]}}",
	  "topology aware scheduling", ".spec.podSets[1].topologyRequest.required" },
	{ "Workload", "{spec: {podSets: [{topologyRequest: {preferred: rack}}]}}",
	  "topology aware scheduling", ".spec.podSets[0].topologyRequest.preferred" },
	{ "Workload", "{spec: {podSets: [{topologyRequest: {unconstrained: true}}]}}",
	  "topology aware scheduling", ".spec.podSets[0].topologyRequest.unconstrained" },
	{ "Workload", "{spec: {podSets: [{topologyRequest: {unconstrained: false}}]}}", NULL,
	  NULL },
	{ "Workload", "{spec: {podSets: [{topologyRequest: {podSetGroupName: a}}]}}",
	  "topology aware scheduling", ".spec.podSets[0].topologyRequest.podSetGroupName" },
	{ "Workload", "{spec: {podSets: [{topologyRequest: {podSetSliceRequiredTopology: a}}]}}",
	  "topology aware scheduling",
	  ".spec.podSets[0].topologyRequest.podSetSliceRequiredTopology" },
	{ "Workload",
	  "{spec: {podSets: [{topologyRequest: {podsetSliceRequiredTopologyConstraints: [{}]}}]}}",
	  "topology aware scheduling",
	  ".spec.podSets[0].topologyRequest.podsetSliceRequiredTopologyConstraints" },
	{ "Workload", "{spec: {podSets: [{template: {spec: {resourceClaims: [{name: gpu}]}}}]}}",
	  "device claims", ".spec.podSets[0].template.spec.resourceClaims" },
	{ "Workload", "{status: {clusterName: far}}", "MultiKueue", ".status.clusterName" },
	{ "Workload", "{status: {nominatedClusterNames: [far]}}", "MultiKueue",
	  ".status.nominatedClusterNames" },
	/* What has another form than it should. */
	{ "Workload", "{spec: {podSets: {topologyRequest: {required: a}}}, status: []}", NULL,
	  NULL },
	{ "Workload", "[]", NULL, NULL },
};

/* YAML, which is what begins with no brace. */
static void read_text(const char *flow, struct fl_doc *doc)
{
	struct fl_reader *reader = NULL;
	char text[300];
	fairlead_error err = { 0 };
	struct fl_token t;

	assert_true(snprintf(text, sizeof text, "--- %s", flow) < (int)sizeof text);
	assert_int_equal(fl_reader_new(&fl_mem_heap, text, strlen(text), &reader, &err), 0);
	do
		assert_int_equal(fl_reader_next(reader, &t, &err), 0);
	while (t.kind != FL_TOKEN_MAP && t.kind != FL_TOKEN_LIST);
	assert_int_equal(fl_doc_read(doc, reader, &t, &err), 0);
	fl_reader_free(reader);
}

static bool names(const struct row *row, const struct fl_undecided *u, const struct fl_doc *doc,
		  uint32_t v)
{
	char path[200];

	fl_doc_path(doc, v, path, sizeof path);
	return strcmp(u->kind, row->kind) == 0 && strcmp(u->name, row->name) == 0 &&
	       strcmp(path, row->path) == 0;
}

TEST(each_row)
{
	bool seen[FL_UNDECIDED_MOST] = { false };
	struct fl_doc doc;

	fl_doc_init(&doc, &fl_mem_heap);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct fl_undecided *u;
		uint32_t v;

		fl_doc_clear(&doc);
		read_text(rows[i].text, &doc);
		u = fl_undecided_next(&doc, rows[i].kind, NULL, &v);
		if ((u != NULL) != (rows[i].name != NULL) || (u && !names(&rows[i], u, &doc, v)))
			fail_msg("%s", rows[i].text);
		if (strcmp(rows[i].kind, "Workload") == 0 &&
		    fl_undecided_workload(&doc) != (u != NULL))
			fail_msg("a quick look: %s", rows[i].text);
		if (u)
			seen[fl_undecided_number(u)] = true;
	}
	for (unsigned i = 0; fl_undecided_at(i); i++)
		if (!seen[i])
			fail_msg("no case of %s", fl_undecided_at(i)->path);
	fl_doc_done(&doc);
}

/* All that holds for one object, in the order of the table. */
TEST(several)
{
	const struct fl_undecided *u = NULL;
	unsigned n = 0;
	struct fl_doc doc;
	uint32_t v;

	fl_doc_init(&doc, &fl_mem_heap);
	read_text("{spec: {preemptionGates: [{name: a}]}, status: {clusterName: far}}", &doc);
	while ((u = fl_undecided_next(&doc, "Workload", u, &v))) {
		assert_string_equal(u->name, n == 0 ? "preemption gates" : "MultiKueue");
		n++;
	}
	assert_int_equal(n, 2);
	fl_doc_done(&doc);
}

UNIT_GROUP("undecided")
