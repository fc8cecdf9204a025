/* SPDX-License-Identifier: Apache-2.0 */
/* What queues and cohorts show by themselves, and where they stand in their tree. */
#include "ask/lint/tree.h"

#include <stdio.h>
#include <string.h>

#include "ask/lint/lint.h"
#include "ask/lint/lint_run.h"
#include "decide/borrow/quota/sharing.h"

/* --- one object by itself --- */

static int lint_root_limits(struct fl_lint *l, struct fl_node n, const struct fl_quota *q,
			    fairlead_error *err)
{
	char subject[FL_SUBJECT];
	int r = 0;

	fl_lint_node(l, n, subject);
	if (q->borrowing_limit != FL_NO_LIMIT)
		r = fl_model_notice(
			l->m, FL_NOTICE_ROOT_BORROWING_LIMIT, q->place, subject, /* hint= */ NULL,
			err,
			"the borrowing limit of '%s' in flavor '%s' has no effect: without parent "
			"it cannot borrow",
			fl_lint_resource(l, q->resource), fl_lint_flavor(l, q->flavor));
	if (r == 0 && q->lending_limit != FL_NO_LIMIT)
		r = fl_model_notice(
			l->m, FL_NOTICE_ROOT_LENDING_LIMIT, q->place, subject, /* hint= */ NULL,
			err,
			"the lending limit of '%s' in flavor '%s' has no effect: without parent "
			"it cannot lend",
			fl_lint_resource(l, q->resource), fl_lint_flavor(l, q->flavor));
	return r;
}

static int lint_quota(struct fl_lint *l, struct fl_node n, const struct fl_quota *q,
		      fairlead_error *err)
{
	const struct fl_node_row *row = &l->m->nodes[n.v];
	char subject[FL_SUBJECT], limit[32], nominal[32];
	int r = row->parent.v == FL_NONE ? lint_root_limits(l, n, q, err) : 0;

	/* A cohort also lends what its children bring along, so only a queue's nominal quota is an end. */
	if (r == 0 && row->kind == FL_CLUSTER_QUEUE && q->lending_limit > q->nominal)
		r = fl_model_notice(
			l->m, FL_NOTICE_LENDING_ABOVE_NOMINAL, q->place,
			fl_lint_node(l, n, subject), /* hint= */ NULL, err,
			"the lending limit of '%s' in flavor '%s' is %s, but the nominal quota is %s",
			fl_lint_resource(l, q->resource), fl_lint_flavor(l, q->flavor),
			fl_lint_amount(l, q->resource, q->lending_limit, limit),
			fl_lint_amount(l, q->resource, q->nominal, nominal));
	return r;
}

/* Another child of the same cohort with weight 0; FL_NONE. */
static uint32_t sibling_of_weight_zero(const struct fl_lint *l, struct fl_node n)
{
	const struct fl_tree *t = l->tree;
	struct fl_span children;

	if (t->parent[n.v] == FL_NONE)
		return FL_NONE;
	children = t->children[t->parent[n.v]];
	for (uint32_t i = 0; i < children.n; i++) {
		uint32_t child = t->child_ids[children.first + i];

		if (child != n.v && t->weight[child] == 0)
			return child;
	}
	return FL_NONE;
}

static int lint_weight_zero(struct fl_lint *l, struct fl_node n, fairlead_error *err)
{
	const struct fl_node_row *row = &l->m->nodes[n.v];
	uint32_t other = sibling_of_weight_zero(l, n);
	char subject[FL_SUBJECT], hint[512];

	if (other != FL_NONE)
		(void)snprintf(
			hint, sizeof hint,
			"'%.253s' beside it has weight 0, too: of the two, the one that borrows "
			"the smaller part is first",
			fl_model_text(l->m, l->m->nodes[other].name));
	return fl_model_notice(l->m, FL_NOTICE_WEIGHT_ZERO, row->place, fl_lint_node(l, n, subject),
			       other == FL_NONE ? NULL : hint, err,
			       "weight 0: whatever it borrows makes its share infinite");
}

static int lint_weight(struct fl_lint *l, struct fl_node n, fairlead_error *err)
{
	const struct fl_node_row *row = &l->m->nodes[n.v];
	const struct fl_settings *settings = &l->m->settings;
	bool off = settings->present && !settings->fair_sharing;
	char subject[FL_SUBJECT];

	if (row->weight == 1)
		return 0;
	if (row->parent.v != FL_NONE && !off)
		return row->weight == 0 ? lint_weight_zero(l, n, err) : 0;
	return fl_model_notice(l->m, FL_NOTICE_WEIGHT_UNUSED, row->place,
			       fl_lint_node(l, n, subject), /* hint= */ NULL, err,
			       "the weight %g has no effect: %s", row->weight,
			       off ? "the Configuration has no fairSharing" :
				     "there is no parent, so there is no sibling to compare with");
}

/* Why @row's borrowWithinCohort or its threshold, or reclaimWithinCohort, never acts; NULL. */
static const char *dead_preemption(const struct fl_node_row *row)
{
	bool alone = row->parent.v == FL_NONE;
	bool borrowing = row->borrow_within != FL_PREEMPT_NEVER;

	if (alone && borrowing)
		return "borrowWithinCohort can never act: the queue is in no cohort";
	if (alone && row->reclaim != FL_PREEMPT_NEVER)
		return "reclaimWithinCohort can never act: the queue is in no cohort";
	if (borrowing && row->reclaim == FL_PREEMPT_NEVER)
		return "borrowWithinCohort can never act without reclaimWithinCohort";
	if (!borrowing && row->has_borrow_threshold)
		return "maxPriorityThreshold can never act: the policy of borrowWithinCohort is Never";
	return NULL;
}

static int lint_preemption(struct fl_lint *l, struct fl_node n, fairlead_error *err)
{
	const struct fl_node_row *row = &l->m->nodes[n.v];
	const char *dead = dead_preemption(row);
	char subject[FL_SUBJECT];
	int r = 0;

	fl_lint_node(l, n, subject);
	if (l->m->settings.fair_sharing && row->borrow_within != FL_PREEMPT_NEVER)
		r = fl_model_notice(l->m, FL_NOTICE_BORROW_WITHIN_FAIR, row->place, subject,
				    /* hint= */ NULL, err,
				    "borrowWithinCohort has no effect while fair sharing is on");
	if (r == 0 && dead)
		r = fl_model_notice(l->m, FL_NOTICE_PREEMPTION_NEVER_ACTS, row->place, subject,
				    /* hint= */ NULL, err, "%s", dead);
	return r;
}

int fl_lint_objects(struct fl_lint *l, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < l->m->n_nodes && r == 0; i++) {
		struct fl_quota_walk walk = { 0 };
		struct fl_node n = { i };
		const struct fl_quota *q;

		r = lint_weight(l, n, err);
		if (r == 0 && l->m->nodes[i].kind == FL_CLUSTER_QUEUE)
			r = lint_preemption(l, n, err);
		while (r == 0 && (q = fl_model_next_quota(l->m, n, &walk)))
			r = lint_quota(l, n, q, err);
	}
	return r;
}

/* --- quota in its tree --- */

/* A cohort below the root that may borrow less than its child. */
static int lint_child_limit(struct fl_lint *l, struct fl_node n, struct fl_column c,
			    fairlead_error *err)
{
	const struct fl_tree *t = l->tree;
	const struct fl_column_info *column = &fl_tree_root_of(t, n)->columns[c.v];
	struct fl_node parent = fl_tree_parent(t, n);
	fl_amount mine = t->borrowing_limit[fl_tree_cell(t, n, c)], theirs;
	char subject[FL_SUBJECT], a[32], b[32];

	if (mine == FL_NO_LIMIT || !fl_tree_has_parent(t, parent))
		return 0;
	theirs = t->borrowing_limit[fl_tree_cell(t, parent, c)];
	if (theirs == FL_NO_LIMIT || mine <= theirs)
		return 0;
	return fl_model_notice(l->m, FL_NOTICE_CHILD_LIMIT, l->m->nodes[n.v].place,
			       fl_lint_node(l, n, subject), /* hint= */ NULL, err,
			       "may borrow %s of '%s' in flavor '%s', but its cohort '%s' only %s",
			       fl_lint_amount(l, column->resource, mine, a),
			       fl_lint_resource(l, column->resource),
			       fl_lint_flavor(l, column->flavor),
			       fl_model_text(l->m, l->m->nodes[parent.v].name),
			       fl_lint_amount(l, column->resource, theirs, b));
}

/*
 * Every flavor of a group has to list all of the group's resources, so people write
 * 0 for those that its machines do not have: no mistake, when they have another.
 */
static bool has_none_on_purpose(const struct fl_tree *t, const struct fl_tree_root *root,
				uint32_t column)
{
	bool others = false;

	for (uint32_t c = 0; c < root->n_columns; c++) {
		if (root->columns[c].flavor.v != root->columns[column].flavor.v)
			continue;
		for (uint32_t i = 0; i < root->order.n; i++) {
			bool has = t->nominal[t->row[t->order[root->order.first + i]] + c] > 0;

			if (has && c == column)
				return false;
			others |= has;
		}
	}
	return others;
}

/* A tree of several queues where a flavor has nothing for more than its owners. */
static int lint_nothing_to_lend(struct fl_lint *l, uint32_t root_index, uint32_t column,
				fairlead_error *err)
{
	const struct fl_tree *t = l->tree;
	const struct fl_tree_root *root = &t->roots[root_index];
	const struct fl_column_info *info = &root->columns[column];
	const struct fl_span *queues = &t->queues[root_index];
	char subject[FL_SUBJECT];
	uint32_t members = 0;

	if (!t->is_cohort[root->node.v] ||
	    t->subtree[fl_tree_cell(t, root->node, (struct fl_column){ column })] > 0)
		return 0;
	for (uint32_t i = 0; i < queues->n; i++)
		members += t->known[t->row[t->queue_ids[queues->first + i]] + column];
	if (members < 2 || has_none_on_purpose(t, root, column))
		return 0;
	return fl_model_notice(l->m, FL_NOTICE_NOTHING_TO_LEND, l->m->nodes[root->node.v].place,
			       fl_lint_node(l, root->node, subject), /* hint= */ NULL, err,
			       "no node lends '%s' in flavor '%s': its queues cannot borrow there",
			       fl_lint_resource(l, info->resource),
			       fl_lint_flavor(l, info->flavor));
}

/* As a cluster gives them, "8a6e0c1d-...": manifests that people write have none. */
static bool is_uuid(const char *text)
{
	for (int i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !text[i] || !strchr("0123456789abcdef", text[i]))
			return false;
	}
	return text[36] == '\0';
}

/* Of a cluster, whose Configuration is forgotten, a workload in a tree in which it matters. */
static int lint_configuration(struct fl_lint *l, fairlead_error *err)
{
	const struct fl_model *m = l->m;

	for (uint32_t w = 0; !m->settings.present && w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];
		struct fl_node q = row->cluster_queue;

		if (row->uid.v == FL_NONE || !is_uuid(fl_model_text(m, row->uid)) ||
		    q.v == FL_NONE || l->tree->root_index[q.v] == FL_NONE ||
		    !fl_sharing_in(l->tree, l->tree->root_index[q.v]))
			continue;
		return fl_model_notice(
			l->m, FL_NOTICE_NO_CONFIGURATION, row->place, /* subject= */ NULL,
			/* hint= */ NULL, err,
			"this is from a cluster, but the input has no Configuration: fair sharing is "
			"taken to be off, and queues may borrow from each other");
	}
	return 0;
}

int fl_lint_trees(struct fl_lint *l, fairlead_error *err)
{
	const struct fl_tree *t = l->tree;
	int r = lint_configuration(l, err);

	for (uint32_t i = 0; i < t->n_order && r == 0; i++) {
		struct fl_node n = { t->order[i] };

		for (uint32_t c = 0; c < fl_tree_root_of(t, n)->n_columns && r == 0; c++)
			if (fl_tree_has_parent(t, n))
				r = lint_child_limit(l, n, (struct fl_column){ c }, err);
	}
	for (uint32_t i = 0; i < t->n_roots && r == 0; i++)
		for (uint32_t c = 0; c < t->roots[i].n_columns && r == 0; c++)
			r = lint_nothing_to_lend(l, i, c, err);
	return r;
}
