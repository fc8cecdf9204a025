/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the answer as JSON. */
#include <stdlib.h>

#include "report/borrow/tree_report.h"

struct answer {
	const struct fl_tree_report *t;
	uint32_t *nodes, n;
};

#define ROW struct fl_ledger_cell
static const struct fl_json_field cell_fields[] = {
	FL_FIELD(FLAVOR, "flavor", flavor, NULL),
	FL_FIELD(RESOURCE, "resource", resource, NULL),
	FL_FIELD(AMOUNT, "nominal", nominal, NULL),
	FL_FIELD(AMOUNT, "subtree", subtree, "with what the children lend"),
	FL_FIELD(LIMIT, "borrowingLimit", borrowing_limit, "absent: no limit"),
	FL_FIELD(LIMIT, "lendingLimit", lending_limit, "absent: no limit"),
	FL_FIELD(WHOLE, "usage", usage,
		 "of a cohort: what its children use beyond what they keep for themselves"),
	FL_FIELD(WHOLE, "borrowed", borrowed, NULL, .more = "{\"minimum\": 0}"),
	FL_FIELD(WHOLE, "lent", lent, NULL, .more = "{\"minimum\": 0}"),
	FL_FIELD(AMOUNT, "available", available, NULL),
};
static const struct fl_json_shape cell_shape = FL_SHAPE(cell_fields, "cell");
#undef ROW

#define ROW struct fl_share
static const struct fl_json_field share_fields[] = {
	FL_FIELD_ALSO(fl_share_shape, NULL),
	FL_FIELD(RESOURCE, "dominantResource", dominant, NULL, .maybe = true),
	FL_FIELD(BOOL, "borrowing", borrowing, NULL),
};
static const struct fl_json_shape share_shape = FL_SHAPE(share_fields, "dominantShare");
#undef ROW

struct node {
	struct fl_node node;
	bool queue, declared;
	const struct fl_node_row *row;
	uint32_t running, waiting;
	const struct fl_share *share;
	char weight[32];
};

static bool fill_node(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_tree_report *t = ((const struct answer *)at->answer)->t;
	struct fl_node n = { *(const uint32_t *)source };
	const struct fl_node_row *r = &at->model->nodes[n.v];
	struct node *ret = row;

	(void)i;
	*ret = (struct node){ .node = n,
			      .queue = r->kind == FL_CLUSTER_QUEUE,
			      .declared = r->declared,
			      .row = r,
			      .running = t->running[n.v],
			      .waiting = t->waiting[n.v],
			      .share = t->shares && r->inactive == FL_ACTIVE ? &t->shares[n.v] :
									       NULL };
	snprintf(ret->weight, sizeof(ret->weight), "%.17g", r->weight);
	return true;
}

static const char *parent(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	struct fl_node n = ((const struct node *)row)->row->parent;

	(void)buffer;
	return n.v == FL_NONE ? NULL : fl_report_node(at->model, n);
}

static void put_quota(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_ledger *l = ((const struct answer *)at->answer)->t->ledger;
	struct fl_node n = ((const struct node *)row)->node;
	uint32_t columns = l->tree->root[n.v] == FL_NONE ? 0 :
							   fl_tree_root_of(l->tree, n)->n_columns;
	struct fl_ledger_cell cell;

	fl_json_list(at->json, key);
	for (uint32_t c = 0; c < columns; c++)
		if (fl_ledger_cell(l, n, c, &cell))
			fl_shape_json(at, NULL, &cell_shape, &cell);
	fl_json_end_list(at->json);
}

#define ROW struct node
static const struct fl_json_field node_fields[] = {
	FL_FIELD_INLINE(node, fl_node_shape),
	FL_FIELD_TEXT("parent", parent, NULL, .maybe = true),
	FL_FIELD(BOOL, "declared", declared, "false: without an object, named only by others"),
	FL_FIELD_CHARS("weight", weight, "fair sharing weight"),
	FL_FIELD_INLINE(node, fl_inactive_node_shape),
	FL_FIELD(COUNT, "admittedWorkloads", running, NULL, FL_IF_TRUE(queue)),
	FL_FIELD(COUNT, "pendingWorkloads", waiting, NULL, FL_IF_TRUE(queue)),
	FL_FIELD_PUT(LIST, "quota", put_quota, NULL, .shape = &cell_shape),
	FL_FIELD_TO("share", share, share_shape, "with fair sharing only", .maybe = true),
};
static const struct fl_json_shape node_shape = FL_SHAPE_MADE(node_fields, fill_node,
							     sizeof(uint32_t), "treeNode");
#undef ROW

#define ROW struct answer
static const struct fl_json_field fields[] = {
	FL_FIELD_LIST("nodes", nodes, n, node_shape, "each before its children"),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "borrow");
#undef ROW

const struct fl_document fl_tree_document = { .kind = "Tree", .policy = "borrow", .shape = &shape };

int fl_tree_json(const struct fl_report *r, const struct fl_tree_report *t, fairlead_error *err)
{
	const struct fl_tree *tree = t->ledger->tree;
	uint32_t n_nodes = r->model->n_nodes + 1;
	struct answer a = { .t = t, .nodes = calloc(n_nodes, sizeof(*a.nodes)) };
	uint32_t *scratch = calloc((size_t)n_nodes * 3, sizeof(*scratch));
	int rc = a.nodes && scratch ? 0 : fl_fail_nomem(err);

	if (rc == 0) {
		a.n = fl_tree_walk(r, tree, t->top, a.nodes, scratch);
		for (uint32_t i = 0; t->top.v == FL_NONE && i < r->model->n_nodes; i++)
			if (tree->root[i] == FL_NONE)
				a.nodes[a.n++] = i;
		fl_document_json(r, &fl_tree_document, &a);
	}
	free(a.nodes);
	free(scratch);
	return rc;
}
