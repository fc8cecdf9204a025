/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/stopped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "daemon/cluster/scheduler/state.h"
#include "model/left.h"

enum {
	LINES = 20, /* of the log, for one change */
	TEXT = 1200,
	MORE = sizeof((struct fl_stopped *)0)->text - TEXT
};

/* "the tree of cohort a" */
static void name_tree(const struct fl_model *m, uint32_t n, char *ret, size_t size)
{
	const struct fl_node_row *root = &m->nodes[fl_model_root(m, (struct fl_node){ n }).v];

	(void)snprintf(ret, size, "the tree of %s %.253s",
		       root->kind == FL_COHORT ? "cohort" : "ClusterQueue",
		       fl_model_text(m, root->name));
}

static void describe_uncertain(const struct fl_model *m, const struct fl_uncertain_row *row,
			       const char *tree, char *ret, size_t size)
{
	(void)snprintf(ret, size,
		       "Workload %.253s/%.253s holds quota, and how much cannot be read (%.200s): "
		       "nothing is decided in %s until it is corrected or removed",
		       fl_model_text(m, row->namespace), fl_model_text(m, row->name),
		       fl_model_text(m, row->why),
		       row->node.v == FL_NONE ?
			       "any tree, as it is not known in which it holds it," :
			       tree);
}

/* Why nothing is decided in the tree of @n, and what to do; "" where that is told otherwise (Kueue's Configuration). */
static void describe(const struct fl_model *m, uint32_t n, char *ret, size_t size)
{
	struct fl_node by;
	const enum fl_left why = fl_model_left(m, (struct fl_node){ n }, &by);
	char tree[300];

	*ret = '\0';
	name_tree(m, n, tree, sizeof tree);
	if (why == FL_LEFT_UNCERTAIN)
		describe_uncertain(m, fl_model_uncertain(m, (struct fl_node){ n }), tree, ret,
				   size);
	else if (by.v != FL_NONE)
		(void)snprintf(ret, size, "%s %.253s %s: nothing is decided in %s until %s",
			       m->nodes[by.v].kind == FL_CLUSTER_QUEUE ? "ClusterQueue" : "Cohort",
			       fl_model_text(m, m->nodes[by.v].name), fl_left_words(why), tree,
			       why == FL_LEFT_QUEUE || why == FL_LEFT_CHECKS ?
				       "fairlead handover was run for it again" :
				       "that is removed or the tree is handed back");
}

/*
 * The first ClusterQueue of its tree that is handed over? @seen: by root.  One that is being handed over, or back, is not:
 * the command says what becomes of its tree.
 */
static bool begins_tree(const struct fl_model *m, uint32_t n, bool *seen)
{
	const struct fl_node_row *row = &m->nodes[n];
	/* Its check keeps Kueue from it all the same. */
	const bool checked = row->handed != FL_HANDED_NOT && row->checks >= FL_CHECKS_CHANGED;
	bool *tree;

	if (!row->elsewhere || row->handed == FL_HANDED_BETWEEN ||
	    row->inactive == FL_INACTIVE_COHORT_CYCLE || !(checked || fl_left_is_handed_over(row)))
		return false;
	tree = &seen[fl_model_root(m, (struct fl_node){ n }).v];
	return *tree ? false : (*tree = true);
}

/* A line of the log for each, where @logs. */
static int look(struct fl_scheduler *s, struct fl_stopped *ret, bool logs, fairlead_error *err)
{
	const struct fl_model *m = s->o.cluster->generation.model;
	bool *seen = calloc(m->n_nodes + 1, sizeof *seen);
	char text[TEXT], last[TEXT] = "";
	uint32_t lines = 0;

	*ret = (struct fl_stopped){ 0 };
	if (!seen)
		return fl_fail_nomem(err);
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		if (!begins_tree(m, n, seen))
			continue;
		describe(m, n, text, sizeof text);
		if (!*text)
			continue;
		ret->trees++;
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
		fl_cluster_log(s->o.cluster, "no tree that is handed over is stopped any more");
	return r;
}
