/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of kinds that are only referred to: Topology (TP), MultiKueue's (MK), AdmissionCheck. */
#include <string.h>

#include "codec/schema/judge.h"

static const char hostname[] = "kubernetes.io/hostname";

static uint32_t levels_of(const struct fl_doc *doc) { return fl_at_path(doc, "spec.levels"); }

static const char *label_at(const struct fl_doc *doc, uint32_t level)
{
	return fl_scalar_at(doc, fl_at(doc, level, "nodeLabel"), "");
}

/* TP1, TP2 */
static void levels(struct fl_judge *j)
{
	uint32_t list = levels_of(j->doc);

	for (FL_ITEMS(j->doc, level, list)) {
		const char *label = label_at(j->doc, level);

		for (uint32_t other = list + 1; other < level; other = j->doc->values[other].next)
			if (strcmp(label_at(j->doc, other), label) == 0)
				fl_refuse(j, list, NULL, "TP1", NULL, "'%.100s' is twice in levels",
					  label);
		if (strcmp(label, hostname) == 0 &&
		    j->doc->values[level].next < j->doc->values[list].next)
			fl_refuse(j, list, NULL, "TP2", NULL, "%s may only be the last of levels",
				  hostname);
	}
}

fl_schema_rule *const fl_rules_topology[] = { levels, NULL };

static const char *last_label(const struct fl_doc *doc)
{
	const char *label = "";

	for (FL_ITEMS(doc, level, levels_of(doc)))
		label = label_at(doc, level);
	return label;
}

/* UP3 */
static void same_levels(struct fl_judge *j)
{
	const struct fl_doc *was = j->call->was;
	bool hosts = strcmp(last_label(was), hostname) == 0 &&
		     strcmp(last_label(j->doc), hostname) == 0;

	if (fl_same(was, levels_of(was), j->doc, levels_of(j->doc)))
		return;
	if (j->version == FL_V1BETA1 || !hosts || j->call->kind->fields == fl_schema_kai_topology)
		fl_refuse(j, levels_of(j->doc), NULL, "UP3", NULL, "levels do not change");
}

fl_schema_rule *const fl_updates_topology[] = { same_levels, NULL };

/* MK1 */
static void cluster_source(struct fl_judge *j)
{
	uint32_t source = fl_at_path(j->doc, "spec.clusterSource");

	if (source != FL_NONE && (fl_at(j->doc, source, "kubeConfig") == FL_NONE) ==
					 (fl_at(j->doc, source, "clusterProfileRef") == FL_NONE))
		fl_refuse(j, source, NULL, "MK1", NULL,
			  "clusterSource needs exactly one of kubeConfig and clusterProfileRef");
}

fl_schema_rule *const fl_rules_multikueue_cluster[] = { cluster_source, NULL };

/* MK2 */
static void clusters(struct fl_judge *j)
{
	uint32_t list = fl_at_path(j->doc, "spec.clusters");

	for (FL_ITEMS(j->doc, item, list))
		for (uint32_t other = list + 1; other < item; other = j->doc->values[other].next)
			if (fl_same(j->doc, other, j->doc, item)) {
				fl_refuse(j, list, NULL, "MK2", NULL,
					  "'%.100s' is twice in clusters",
					  fl_scalar_at(j->doc, item, ""));
				break;
			}
}

fl_schema_rule *const fl_rules_multikueue_config[] = { clusters, NULL };

/* UP4 */
static void same_controller(struct fl_judge *j)
{
	static const char path[] = "spec.controllerName";

	if (!fl_same(j->call->was, fl_at_path(j->call->was, path), j->doc,
		     fl_at_path(j->doc, path)))
		fl_refuse(j, fl_at(j->doc, 0, "spec"), "controllerName", "UP4", NULL,
			  "controllerName does not change");
}

fl_schema_rule *const fl_updates_admission_check[] = { same_controller, NULL };

/* UP1 */
static void same_cluster_queue(struct fl_judge *j)
{
	static const char path[] = "spec.clusterQueue";
	uint32_t was = fl_at_path(j->call->was, path), now = fl_at_path(j->doc, path);

	if (was != FL_NONE && now != FL_NONE && !fl_same(j->call->was, was, j->doc, now))
		fl_refuse(j, now, NULL, "UP1", NULL, "clusterQueue does not change once it is set");
}

fl_schema_rule *const fl_updates_local_queue[] = { same_cluster_queue, NULL };
