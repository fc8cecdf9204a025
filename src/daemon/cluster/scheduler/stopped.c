/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/stopped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "daemon/cluster/scheduler/state.h"

enum {
	LINES = 20, /* of the log, for one change */
	TEXT = 1200,
	MORE = sizeof((struct fl_stopped *)0)->text - TEXT
};

static void describe(const struct fl_model *m, uint32_t n, const struct fl_uncertain_row *row,
		     char *ret, size_t size)
{
	const struct fl_node_row *root = &m->nodes[fl_model_root(m, (struct fl_node){ n }).v];
	char where[300];

	(void)snprintf(where, sizeof where, "the tree of %s %.253s",
		       root->kind == FL_COHORT ? "cohort" : "ClusterQueue",
		       fl_model_text(m, root->name));
	(void)snprintf(ret, size,
		       "Workload %.253s/%.253s holds quota, and how much cannot be read (%.200s): "
		       "nothing is decided in %s until it is corrected or removed",
		       fl_model_text(m, row->namespace), fl_model_text(m, row->name),
		       fl_model_text(m, row->why),
		       row->node.v == FL_NONE ?
			       "any tree, as it is not known in which it holds it," :
			       where);
}

/* The first ClusterQueue of its tree that is handed over? @seen: by root. */
static bool begins_tree(const struct fl_model *m, uint32_t n, bool *seen)
{
	const struct fl_node_row *row = &m->nodes[n];
	bool *tree;

	if (row->handed == FL_HANDED_NOT || row->stop != FL_STOP_HOLD || !row->elsewhere ||
	    row->inactive == FL_INACTIVE_COHORT_CYCLE)
		return false;
	tree = &seen[fl_model_root(m, (struct fl_node){ n }).v];
	return *tree ? false : (*tree = true);
}

/* A line of the log for each, where @logs. */
static int look(struct fl_scheduler *s, struct fl_stopped *ret, bool logs, fairlead_error *err)
{
	const struct fl_model *m = s->o.cluster->generation.model;
	bool *seen = m->n_uncertain ? calloc(m->n_nodes + 1, sizeof *seen) : NULL;
	char text[TEXT], last[TEXT] = "";
	uint32_t lines = 0;

	*ret = (struct fl_stopped){ 0 };
	if (m->n_uncertain && !seen)
		return fl_fail_nomem(err);
	for (uint32_t n = 0; seen && n < m->n_nodes; n++) {
		const struct fl_uncertain_row *row =
			begins_tree(m, n, seen) ? fl_model_uncertain(m, (struct fl_node){ n }) :
						  NULL;

		if (!row)
			continue;
		ret->trees++;
		describe(m, n, row, text, sizeof text);
		if (strcmp(text, last) == 0) /* one for which all trees stop */
			continue;
		memcpy(last, text, sizeof text);
		if (logs && lines < LINES)
			fl_cluster_log(s->o.cluster, "%s", text);
		if (!lines++ || strcmp(text, ret->text) < 0)
			memcpy(ret->text, text, sizeof text);
		ret->which += fl_shared_hash((const uint8_t *)text, (uint32_t)strlen(text)) | 1;
	}
	free(seen);
	if (lines > 1)
		(void)snprintf(ret->text + strlen(ret->text), MORE,
			       "; %" PRIu32 " trees are stopped so, and the log names them",
			       ret->trees);
	return 0;
}

int fl_stopped_look(struct fl_scheduler *s, fairlead_error *err)
{
	const uint64_t before = s->stopped.which;
	int r = look(s, &s->stopped, /* logs= */ false, err);

	if (r == 0 && s->stopped.which != before)
		r = look(s, &s->stopped, /* logs= */ true, err);
	if (r == 0 && before && !s->stopped.trees)
		fl_cluster_log(s->o.cluster, "it is known again how much is held in each tree that "
					     "is handed over");
	return r;
}
