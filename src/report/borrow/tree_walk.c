/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"
#include "report/borrow/tree_report.h"

static int cmp_nodes(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;

	return fl_names_cmp(&m->names, m->nodes[a].name, m->nodes[b].name);
}

/* Depth first without recursion: the stack is @scratch, next to be visited on top. */
static uint32_t walk_from(const struct fl_tree *t, uint32_t top, uint32_t *ret, uint32_t *stack)
{
	uint32_t n = 0, height = 0;

	stack[height++] = top;
	while (height) {
		uint32_t node = stack[--height];
		struct fl_span children = t->children[node];

		ret[n++] = node;
		for (uint32_t i = children.n; i > 0; i--)
			stack[height++] = t->child_ids[children.first + i - 1];
	}
	return n;
}

uint32_t fl_tree_walk(const struct fl_report *r, const struct fl_tree *t, struct fl_node top,
		      uint32_t *ret, uint32_t *scratch)
{
	uint32_t n = 0, n_roots = 0;

	if (top.v != FL_NONE)
		return walk_from(t, top.v, ret, scratch);
	/* The roots stand at the end of @scratch while the walk uses its beginning. */
	uint32_t *roots = scratch + r->model->n_nodes;
	for (uint32_t i = 0; i < t->n_roots; i++)
		roots[n_roots++] = t->roots[i].node.v;
	fl_sort(roots, n_roots, scratch, cmp_nodes, r->model);
	for (uint32_t i = 0; i < n_roots; i++)
		n += walk_from(t, roots[i], ret + n, scratch);
	return n;
}
