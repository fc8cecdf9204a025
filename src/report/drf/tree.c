/* SPDX-License-Identifier: Apache-2.0 */
/* The whole cluster, and the queues side by side: drf has no tree. */
#include <stdlib.h>

#include "base/sort.h"
#include "report/drf/face.h"
#include "report/out/table.h"

static int cmp_nodes(const void *model, uint32_t a, uint32_t b)
{
	const struct fl_model *m = model;

	return fl_names_cmp(&m->names, m->nodes[a].name, m->nodes[b].name);
}

/* ClusterQueues by name into *ret, which is the caller's. */
static int list_queues(const struct fl_report *r, const struct fl_drf_tree *t, uint32_t **ret,
		       uint32_t *ret_n, fairlead_error *err)
{
	const struct fl_model *m = r->model;
	uint32_t *ids = calloc(2 * (size_t)m->n_nodes + 1, sizeof *ids), n = 0;

	if (!ids)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].kind == FL_CLUSTER_QUEUE && (t->top.v == FL_NONE || t->top.v == i))
			ids[n++] = i;
	fl_sort(ids, n, ids + m->n_nodes, cmp_nodes, m);
	*ret = ids;
	*ret_n = n;
	return 0;
}

/* --- JSON --- */

struct answer {
	const struct fl_drf_tree *tree;
	uint32_t *nodes, n;
};

struct cell {
	struct fl_flavor flavor;
	struct fl_resource resource;
	fl_amount amount, held;
};

#define ROW struct cell
static const struct fl_json_field cell_fields[] = {
	FL_FIELD(FLAVOR, "flavor", flavor, NULL),
	FL_FIELD(RESOURCE, "resource", resource, NULL),
	FL_FIELD(AMOUNT, "amount", amount, "all nominal quotas together"),
	FL_FIELD(WHOLE, "held", held, NULL),
};
static const struct fl_json_shape cell_shape = FL_SHAPE(cell_fields, "cell");
#undef ROW

static void put_capacity(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_drf_stand *s = ((const struct answer *)row)->tree->stand;
	const struct fl_model *m = at->model;

	fl_json_list(at->json, key);
	for (uint32_t i = 0; i < m->n_flavors * m->n_resources; i++) {
		const struct cell c = { .flavor = { i / m->n_resources },
					.resource = { i % m->n_resources },
					.amount = s->capacity[i],
					.held = s->used[i] };

		if (c.amount || c.held)
			fl_shape_json(at, NULL, &cell_shape, &c);
	}
	fl_json_end_list(at->json);
}

struct node {
	struct fl_drf_queue queue;
	double weight;
	uint32_t running, waiting;
};

static bool fill_node(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_drf_tree *t = ((const struct answer *)at->answer)->tree;
	uint32_t n = *(const uint32_t *)source;
	const struct fl_share *share = &t->stand->shares[n];

	(void)i;
	*(struct node *)row = (struct node){
		{ t->stand, share, { n } }, share->weight, t->running[n], t->waiting[n]
	};
	return true;
}

#define ROW struct node
static const struct fl_json_field node_fields[] = {
	FL_FIELD_INLINE(queue.node, fl_node_shape),
	FL_FIELD(NUMBER, "weight", weight, NULL),
	FL_FIELD_INLINE(queue.node, fl_inactive_node_shape),
	FL_FIELD(COUNT, "admittedWorkloads", running, NULL),
	FL_FIELD(COUNT, "pendingWorkloads", waiting, NULL),
	FL_FIELD_INLINE(queue, fl_drf_queue_shape),
};
static const struct fl_json_shape node_shape = FL_SHAPE_MADE(node_fields, fill_node,
							     sizeof(uint32_t), "treeNode");
#undef ROW

#define ROW struct answer
static const struct fl_json_field fields[] = {
	FL_FIELD_PUT(LIST, "capacity", put_capacity, "the cluster, by flavor and resource",
		     .shape = &cell_shape),
	FL_FIELD_LIST("nodes", nodes, n, node_shape, "ClusterQueues, by name"),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "drf");
#undef ROW

const struct fl_document fl_drf_tree_document = { .kind = "Tree",
						  .policy = "drf",
						  .shape = &shape };

int fl_drf_tree_json(const struct fl_report *r, const struct fl_drf_tree *t, fairlead_error *err)
{
	struct answer a = { .tree = t };
	int rc = list_queues(r, t, &a.nodes, &a.n, err);

	if (rc < 0)
		return rc;
	fl_document_json(r, &fl_drf_tree_document, &a);
	free(a.nodes);
	return 0;
}

/* --- text --- */

static int print_capacity(const struct fl_report *r, const struct fl_drf_stand *s,
			  fairlead_error *err)
{
	static const struct fl_column_head columns[] = { { "FLAVOR", 0, 0 },
							 { "RESOURCE", 0, 0 },
							 { "CAPACITY", FL_COL_RIGHT, 0 },
							 { "HELD", FL_COL_RIGHT, 0 } };
	const struct fl_model *m = r->model;
	struct fl_table *t = NULL;
	char there[32], held[32];
	int rc = fl_table_begin(r, columns, 4, &t, err);

	for (uint32_t f = 0; f < m->n_flavors; f++)
		for (uint32_t i = 0; i < m->n_resources && rc == 0; i++) {
			size_t at = (size_t)f * m->n_resources + i;
			struct fl_resource res = { i };

			if (s->capacity[at] == 0 && s->used[at] == 0)
				continue;
			rc = fl_table_texts(
				t,
				(const char *const[]){
					fl_report_flavor(m, (struct fl_flavor){ f }),
					fl_report_short_resource(m, res),
					fl_report_amount(r, res, s->capacity[at], there),
					fl_report_amount(r, res, s->used[at], held) },
				4, err);
		}
	return fl_table_end(t, rc, err);
}

/* A row for each resource that a queue brought or holds; the first has the rest. */
static int add_queue(const struct fl_report *r, const struct fl_drf_tree *of, struct fl_table *t,
		     uint32_t n, fairlead_error *err)
{
	const struct fl_model *m = r->model;
	const struct fl_drf_stand *s = of->stand;
	const struct fl_share *share = &s->shares[n];
	char weight[32], shares[32], running[16], waiting[16], quota[32], held[32];
	bool first = true;
	int rc = 0;

	snprintf(weight, sizeof weight, "%g", share->weight);
	snprintf(running, sizeof running, "%u", of->running[n]);
	snprintf(waiting, sizeof waiting, "%u", of->waiting[n]);
	for (uint32_t i = 0; i <= m->n_resources && rc == 0; i++) {
		size_t at = (size_t)n * m->n_resources + i;
		struct fl_resource res = { i };
		bool none = i == m->n_resources;

		if (none ? !first : s->quota[at] == 0 && s->held[at] == 0)
			continue;
		rc = fl_table_texts(
			t,
			(const char *const[]){
				first ? fl_report_node(m, (struct fl_node){ n }) : "",
				first ? weight : "",
				!first                            ? "" :
				m->nodes[n].inactive != FL_ACTIVE ? "inactive" :
								    fl_report_share(share, shares),
				none ? "" : fl_report_short_resource(m, res),
				none ? "" : fl_report_amount(r, res, s->quota[at], quota),
				none ? "" : fl_report_amount(r, res, s->held[at], held),
				first ? running : "", first ? waiting : "" },
			8, err);
		first = false;
	}
	return rc;
}

int fl_drf_tree_text(const struct fl_report *r, const struct fl_drf_tree *t, fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "QUEUE", 0, 0 },
		{ "WEIGHT", FL_COL_RIGHT, 2 },
		{ "SHARE", FL_COL_RIGHT, 0 },
		{ "RESOURCE", 0, 0 },
		{ "QUOTA", FL_COL_RIGHT, 1 },
		{ "HELD", FL_COL_RIGHT, 0 },
		{ "RUNNING", FL_COL_RIGHT, 3 },
		{ "WAITING", FL_COL_RIGHT, 4 },
	};
	struct fl_table *table = NULL;
	uint32_t *ids, n;
	int rc = list_queues(r, t, &ids, &n, err);

	if (rc < 0)
		return rc;
	if (t->top.v == FL_NONE) {
		rc = print_capacity(r, t->stand, err);
		putc('\n', r->out);
	}
	if (rc == 0)
		rc = fl_table_begin(r, columns, 8, &table, err);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = add_queue(r, t, table, ids[i], err);
	rc = fl_table_end(table, rc, err);
	free(ids);
	if (rc < 0)
		return rc;
	if (r->n_assumptions)
		putc('\n', r->out);
	fl_report_assumptions(r);
	return 0;
}
