/* SPDX-License-Identifier: Apache-2.0 */
/* schema - prints the schema of an answer from the tables that write it (report/out/shape.h) */
#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/terminal/tape_print.h"
#include "cli/verbs/findings.h"
#include "report/borrow/explain_report.h"
#include "report/borrow/face.h"
#include "report/borrow/tree_report.h"
#include "report/drf/face.h"
#include "report/entitle/divide_report.h"
#include "report/entitle/explain_report.h"
#include "report/entitle/face.h"
#include "report/entitle/tree_report.h"
#include "report/job/agreement.h"
#include "report/job/answers.h"
#include "report/job/handover.h"
#include "report/job/verified.h"
#include "report/out/schema.h"
#include "report/prove/prove_report.h"
#include "report/sim/compare_json.h"
#include "report/tune/tune_report.h"

static const struct schema {
	const char *name, *title, *doc;
	const struct fl_document *of[3]; /* of each policy; NULL behind the last */
	bool closed;                     /* no key may come in later versions */
} schemas[] = {
	{ "check",
	  "fairlead check",
	  "What is wrong with manifests, and what is surely not meant.",
	  { &fl_check_document },
	  false },
	{ "comparison-report",
	  "fairlead compare -o json",
	  "Several runs of the same jobs. Each report is a SimulationReport, without what was over time.",
	  { &fl_comparison_document },
	  true },
	{ "cancel",
	  "fairlead cancel, hold, release",
	  "What became of each job that was named.",
	  { &fl_job_changes_document },
	  false },
	{ "divide",
	  "fairlead divide",
	  "Fair shares, and with --rounds how each came to be. For the body of a request to KAI's fairshare simulator the answer is that program's instead: an object of {gpu, cpu, memory} by uid.",
	  { &fl_divide_document },
	  true },
	{ "events",
	  "fairlead events",
	  "What happened: one such document a line.",
	  { &fl_event_document },
	  false },
	{ "explain",
	  "fairlead explain",
	  "Why a workload waits or runs.",
	  { &fl_explain_document, &fl_entitle_explain_document, &fl_drf_explain_document },
	  false },
	{ "handover",
	  "fairlead handover",
	  "A cohort tree that changes its scheduler: what changes, what stands against it, and whether it is done.",
	  { &fl_handover_document },
	  false },
	{ "history",
	  "fairlead history",
	  "What each queue had over a time, and what its weight would have given it.",
	  { &fl_history_document },
	  false },
	{ "series",
	  "fairlead history --queue",
	  "One queue along time: a row for each hour, day or month.",
	  { &fl_series_document },
	  false },
	{ "job", "fairlead job", "All of one job.", { &fl_job_document }, false },
	{ "jobs", "fairlead jobs", "Jobs, by number.", { &fl_jobs_document }, false },
	{ "plan",
	  "fairlead plan",
	  "What scheduling cycles decide. Lists are sorted by workload.",
	  { &fl_borrow_plan_document, &fl_entitle_plan_document, &fl_drf_plan_document },
	  false },
	{ "prove",
	  "fairlead prove",
	  "Whether preemption can go round, in any order of decisions.",
	  { &fl_prove_document },
	  false },
	{ "queues",
	  "fairlead queues",
	  "Cohorts and queues, with quota and use.",
	  { &fl_queues_document },
	  false },
	{ "record",
	  "fairlead record",
	  "The state as a Kubernetes List: of each object the fields that decide.",
	  { &fl_record_document },
	  false },
	{ "simulation-report",
	  "fairlead simulate -o json, and the data of report.html",
	  "Amounts are in natural units (cores, bytes, GPUs), times in seconds, hours are of those amounts. What is not known is absent, in a line null. held and wanted are means over time; wait is of those that started.",
	  { &fl_sim_document },
	  true },
	{ "submit",
	  "fairlead submit",
	  "The jobs that were made.",
	  { &fl_submitted_document },
	  false },
	{ "tree",
	  "fairlead tree",
	  "The quota tree with usage, all amounts exact.",
	  { &fl_tree_document, &fl_entitle_tree_document, &fl_drf_tree_document },
	  false },
	{ "tune",
	  "fairlead tune -o json",
	  "What k, half-life and window mean. Times are in seconds; null is never, or no such number. Costs are parts of the portion that the weight gives; below 0 the portion grows.",
	  { &fl_tune_document },
	  true },
	{ "agreement",
	  "fairlead agreement",
	  "How often the scheduler of a cluster decided as the engine would have.",
	  { &fl_agreement_document },
	  false },
	{ "usage",
	  "fairlead usage",
	  "What each user held in each queue over a time.",
	  { &fl_usage_document },
	  false },
	{ "verification",
	  "fairlead agreement --verify",
	  "Whether each object that a daemon has of a cluster is as the cluster has it.",
	  { &fl_verified_document },
	  false },
	{ "what-if",
	  "fairlead what-if",
	  "What a change would change: two sides of one state, each settled. Lists are sorted by workload.",
	  { &fl_borrow_what_if_document, &fl_entitle_what_if_document, &fl_drf_what_if_document },
	  false },
};

int main(int argc, char **argv)
{
	const struct schema *s = schemas;

	while (argc == 2 && s < schemas + sizeof(schemas) / sizeof(schemas[0]) &&
	       strcmp(s->name, argv[1]) != 0)
		s++;
	if (argc != 2 || s == schemas + sizeof(schemas) / sizeof(schemas[0]))
		return 2;
	json_t *root = json_pack(
		"{s:s, s:o, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema",
		"$id", json_sprintf("https://fairlead.dev/schema/v1alpha1/%s.schema.json", s->name),
		"title", s->title, "description", s->doc);
	struct fl_schema_maker k = { .place = "#/$defs/",
				     .before = "",
				     .closed = s->closed,
				     .document = s->of[0],
				     .defs = json_object() };

	if (s->of[1]) {
		json_t *either = json_array();

		for (int i = 0; i < 3 && s->of[i]; i++) {
			char path[64];

			k.document = s->of[i];
			json_object_set_new(k.defs, k.document->policy, fl_schema_document(&k));
			snprintf(path, sizeof(path), "#/$defs/%s", k.document->policy);
			json_array_append_new(either, json_pack("{s:s}", "$ref", path));
		}
		json_object_set_new(root, "oneOf", either);
	} else {
		json_t *only = fl_schema_document(&k);

		json_object_update(root, only);
		json_decref(only);
		json_object_set_new(root, "description", json_string(s->doc));
	}
	if (json_object_size(k.defs))
		json_object_set_new(root, "$defs", k.defs);
	else
		json_decref(k.defs);
	if (k.failed) {
		fprintf(stderr, "schema: a text of a table is not JSON\n");
		return 1;
	}
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
	return 0;
}
