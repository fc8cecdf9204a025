/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two kinds of findings: those one object shows by itself, and those that need
 * the quota of the whole tree.  For the latter each (node, flavor, resource)
 * that has quota somewhere below gets a cell; cells are computed from the leaves
 * up (subtree) and from the roots down (potential), as quota/tree.h defines them.
 */
#include "model/lint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "model/table.h"

enum { MAX_CELLS = 1 << 24 }; /* beyond, the findings about whole trees are left out */

struct cell {
	uint32_t node, parent; /* parent: a cell; FL_NONE at a root */
	struct fl_flavor flavor;
	struct fl_resource resource;
	fl_amount nominal, borrowing_limit, lending_limit;
	fl_amount subtree, local, potential;
	uint32_t members; /* queues below that have quota here */
};

struct lint {
	struct fl_model *m;
	struct fl_arena scratch;
	struct fl_pairs columns; /* (flavor, resource) -> column */
	struct fl_pairs of;      /* (node, column) -> cell */
	struct cell *cells;
	uint32_t n, cap;
	uint32_t *depth;    /* of each node; FL_NONE below a cycle */
	uint32_t *by_depth; /* cells, roots first */
};

static const char *subject_of(const struct fl_model *m, uint32_t n, char buffer[FL_SUBJECT])
{
	const struct fl_node_row *row = &m->nodes[n];

	return fl_table_subject(m, fl_table_of_node(row), (struct fl_sym){ 0 }, row->name, buffer);
}

static const char *resource_name(const struct fl_model *m, struct fl_resource r)
{
	return fl_model_text(m, m->resources[r.v]);
}

static const char *amount_text(const struct fl_model *m, struct fl_resource r, fl_amount amount,
			       char buffer[32])
{
	bool cpu = strcmp(resource_name(m, r), "cpu") == 0;

	if (amount == FL_UNLIMITED)
		(void)snprintf(buffer, 32, "an unlimited amount");
	else if (cpu && amount % 1000 == 0)
		(void)snprintf(buffer, 32, "%" PRId64, amount / 1000);
	else
		(void)snprintf(buffer, 32, "%" PRId64 "%s", amount, cpu ? "m" : "");
	return buffer;
}

/* --- one object by itself --- */

static int lint_quota(struct fl_model *m, uint32_t n, const struct fl_quota *q, fairlead_error *err)
{
	const struct fl_node_row *row = &m->nodes[n];
	const char *flavor = fl_model_text(m, q->flavor_name),
		   *resource = fl_model_text(m, q->resource_name);
	char subject[FL_SUBJECT], limit[32], nominal[32];
	int r = 0;

	subject_of(m, n, subject);
	if (row->parent.v == FL_NONE && q->borrowing_limit != FL_NO_LIMIT)
		r = fl_model_notice(
			m, FL_NOTICE_ROOT_BORROWING_LIMIT, q->place, subject, /* hint= */ NULL, err,
			"the borrowing limit of '%s' in flavor '%s' has no effect: there is nobody "
			"to borrow from",
			resource, flavor);
	/* A cohort also lends what its children bring along, so only a queue's nominal quota is an end. */
	if (r == 0 && row->kind == FL_CLUSTER_QUEUE && q->lending_limit > q->nominal)
		r = fl_model_notice(
			m, FL_NOTICE_LENDING_ABOVE_NOMINAL, q->place, subject, /* hint= */ NULL,
			err,
			"the lending limit of '%s' in flavor '%s' is %s, but the nominal quota is %s",
			resource, flavor, amount_text(m, q->resource, q->lending_limit, limit),
			amount_text(m, q->resource, q->nominal, nominal));
	return r;
}

static int lint_node(struct fl_model *m, uint32_t n, fairlead_error *err)
{
	const struct fl_node_row *row = &m->nodes[n];
	bool fair = m->settings.fair_sharing;
	char subject[FL_SUBJECT];

	subject_of(m, n, subject);
	if (row->weight == 0 && row->parent.v != FL_NONE && (fair || !m->settings.present)) {
		int r = fl_model_notice(m, FL_NOTICE_WEIGHT_ZERO, row->place, subject,
					/* hint= */ NULL, err,
					"weight 0: whatever it borrows makes its share infinite");
		if (r < 0)
			return r;
	}
	if (row->kind == FL_CLUSTER_QUEUE && fair && row->borrow_within != FL_PREEMPT_NEVER)
		return fl_model_notice(m, FL_NOTICE_BORROW_WITHIN_FAIR, row->place, subject,
				       /* hint= */ NULL, err,
				       "borrowWithinCohort has no effect while fair sharing is on");
	return 0;
}

/* --- cells --- */

/* Depth of every node, a root's is 0: up to a known one, then back down the walked path. */
static void find_depths(struct lint *l)
{
	const struct fl_model *m = l->m;
	const uint32_t unknown = FL_NONE - 1;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		l->depth[n] = m->nodes[n].inactive == FL_INACTIVE_COHORT_CYCLE ? FL_NONE : unknown;
	for (uint32_t start = 0; start < m->n_nodes; start++) {
		uint32_t steps = 0, base = 0, n = start;

		for (; n != FL_NONE && l->depth[n] == unknown; n = m->nodes[n].parent.v)
			steps++;
		if (n != FL_NONE)
			base = l->depth[n] + 1;
		for (n = start; steps; n = m->nodes[n].parent.v)
			l->depth[n] = base + --steps;
	}
}

/* The cell of (node, column); made with those of its ancestors when it is new. 1: too many cells. */
static int touch(struct lint *l, uint32_t node, const struct fl_quota *q, uint32_t column,
		 uint32_t *ret, fairlead_error *err)
{
	uint32_t below = FL_NONE;

	for (uint32_t n = node; n != FL_NONE; n = l->m->nodes[n].parent.v) {
		uint32_t id = l->n;
		int r = fl_pairs_add(&l->of, n, column, id, &id, err), there = r;

		if (r == 0 && l->n == MAX_CELLS)
			return 1;
		if (r == 0)
			r = fl_mem_grow(l->m->mem, &l->cells, &l->cap, l->n + 1, sizeof *l->cells,
					err);
		if (r < 0)
			return r;
		if (!there)
			l->cells[l->n++] = (struct cell){ .node = n,
							  .parent = FL_NONE,
							  .flavor = q->flavor,
							  .resource = q->resource,
							  .borrowing_limit = FL_NO_LIMIT,
							  .lending_limit = FL_NO_LIMIT };
		if (below == FL_NONE)
			*ret = id;
		else
			l->cells[below].parent = id;
		if (there) /* so are its ancestors */
			break;
		below = id;
	}
	return 0;
}

static int add_quota(struct lint *l, uint32_t node, const struct fl_quota *q, fairlead_error *err)
{
	uint32_t column = l->columns.n, id = 0;
	int r = fl_pairs_add(&l->columns, q->flavor.v, q->resource.v, column, &column, err);

	if (r >= 0)
		r = touch(l, node, q, column, &id, err);
	if (r != 0)
		return r;
	l->cells[id].nominal = q->nominal;
	l->cells[id].borrowing_limit = q->borrowing_limit;
	l->cells[id].lending_limit = q->lending_limit;
	l->cells[id].members = l->m->nodes[node].kind == FL_CLUSTER_QUEUE;
	return 0;
}

/* Counting sort: depths are small numbers. */
static int sort_cells(struct lint *l, fairlead_error *err)
{
	uint32_t *first = fl_arena_alloc(&l->scratch, (size_t)l->m->n_nodes + 1, sizeof *first,
					 err);

	l->by_depth = fl_arena_alloc(&l->scratch, l->n, sizeof *l->by_depth, err);
	if (!first || !l->by_depth)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < l->n; i++)
		first[l->depth[l->cells[i].node] + 1]++;
	for (uint32_t d = 0; d < l->m->n_nodes; d++)
		first[d + 1] += first[d];
	for (uint32_t i = 0; i < l->n; i++)
		l->by_depth[first[l->depth[l->cells[i].node]]++] = i;
	return 0;
}

static void compute_cells(struct lint *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		l->cells[i].subtree = l->cells[i].nominal;
	for (uint32_t i = l->n; i-- > 0;) {
		struct cell *c = &l->cells[l->by_depth[i]];
		struct cell *parent = c->parent == FL_NONE ? NULL : &l->cells[c->parent];

		if (c->lending_limit != FL_NO_LIMIT)
			c->local = fl_amount_max(0, fl_quota_sub(c->subtree, c->lending_limit));
		if (!parent)
			continue;
		parent->subtree = fl_quota_add(parent->subtree, fl_quota_sub(c->subtree, c->local));
		parent->members += c->members;
	}
	for (uint32_t i = 0; i < l->n; i++) {
		struct cell *c = &l->cells[l->by_depth[i]];

		c->potential = c->subtree;
		if (c->parent == FL_NONE)
			continue;
		c->potential = fl_quota_add(c->local, l->cells[c->parent].potential);
		if (c->borrowing_limit != FL_NO_LIMIT)
			c->potential = fl_amount_min(c->potential,
						     fl_quota_add(c->subtree, c->borrowing_limit));
	}
}

static int make_cells(struct lint *l, fairlead_error *err)
{
	struct fl_model *m = l->m;
	int r = 0;

	l->depth = fl_arena_alloc(&l->scratch, m->n_nodes, sizeof *l->depth, err);
	if (!l->depth)
		return FAIRLEAD_ENOMEM;
	find_depths(l);
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		struct fl_quota_walk walk = { 0 };
		const struct fl_quota *q;

		while (r == 0 && l->depth[n] != FL_NONE &&
		       (q = fl_model_next_quota(m, (struct fl_node){ n }, &walk)))
			r = add_quota(l, n, q, err);
	}
	if (r == 0)
		r = sort_cells(l, err);
	if (r == 0)
		compute_cells(l);
	return r;
}

/* --- what whole trees show --- */

static int lint_cell(struct lint *l, uint32_t id, fairlead_error *err)
{
	struct fl_model *m = l->m;
	const struct cell *c = &l->cells[id];
	const struct cell *parent = c->parent == FL_NONE ? NULL : &l->cells[c->parent];
	char subject[FL_SUBJECT], mine[32], theirs[32];
	int r = 0;

	subject_of(m, c->node, subject);
	if (parent && c->borrowing_limit != FL_NO_LIMIT && parent->parent != FL_NONE &&
	    parent->borrowing_limit != FL_NO_LIMIT && c->borrowing_limit > parent->borrowing_limit)
		r = fl_model_notice(
			m, FL_NOTICE_CHILD_LIMIT, m->nodes[c->node].place, subject,
			/* hint= */ NULL, err,
			"may borrow %s of '%s' in flavor '%s', but its cohort '%s' only %s",
			amount_text(m, c->resource, c->borrowing_limit, mine),
			resource_name(m, c->resource),
			fl_model_text(m, m->flavors[c->flavor.v].name),
			fl_model_text(m, m->nodes[parent->node].name),
			amount_text(m, c->resource, parent->borrowing_limit, theirs));
	if (r == 0 && !parent && m->nodes[c->node].kind == FL_COHORT && c->subtree <= 0 &&
	    c->members > 1)
		r = fl_model_notice(
			m, FL_NOTICE_NOTHING_TO_LEND, m->nodes[c->node].place, subject,
			/* hint= */ NULL, err,
			"nobody lends any '%s' in flavor '%s': its queues cannot borrow there",
			resource_name(m, c->resource),
			fl_model_text(m, m->flavors[c->flavor.v].name));
	return r;
}

/* The most of a resource that queue @n could have in one flavor; -1 when no group covers it. */
static fl_amount most_of(const struct lint *l, uint32_t n, struct fl_resource resource)
{
	const struct fl_model *m = l->m;
	fl_amount most = -1;

	for (uint32_t g = 0; g < m->nodes[n].groups.n; g++) {
		const struct fl_span *flavors = &m->groups[m->nodes[n].groups.first + g].flavors;

		for (uint32_t f = 0; f < flavors->n; f++) {
			struct fl_flavor flavor = m->group_flavors[flavors->first + f].id;
			uint32_t column = fl_pairs_find(&l->columns, flavor.v, resource.v);
			uint32_t id = column == FL_NONE ? FL_NONE :
							  fl_pairs_find(&l->of, n, column);

			if (id != FL_NONE)
				most = fl_amount_max(most,
						     fl_amount_max(0, l->cells[id].potential));
		}
	}
	return most;
}

/* One resource of one podset, all the pods that must start. */
static int lint_request(struct lint *l, const struct fl_workload_row *w,
			struct fl_resource resource, fl_amount amount, bool *found,
			fairlead_error *err)
{
	struct fl_model *m = l->m;
	fl_amount most = most_of(l, w->cluster_queue.v, resource);
	const char *queue = fl_model_text(m, m->nodes[w->cluster_queue.v].name);
	char subject[FL_SUBJECT], asked[32], had[32];

	if (amount == 0 || amount <= most)
		return 0;
	*found = true;
	fl_table_subject(m, FL_TABLE_WORKLOAD, w->namespace, w->name, subject);
	if (most < 0)
		return fl_model_notice(m, FL_NOTICE_NEVER_FITS, w->place, subject, /* hint= */ NULL,
				       err,
				       "asks for '%s', which cluster queue '%s' has no quota for",
				       resource_name(m, resource), queue);
	return fl_model_notice(
		m, FL_NOTICE_NEVER_FITS, w->place, subject, /* hint= */ NULL, err,
		"asks for %s of '%s', but cluster queue '%s' can never have more than %s in one flavor",
		amount_text(m, resource, amount, asked), resource_name(m, resource), queue,
		amount_text(m, resource, most, had));
}

static int lint_workload(struct lint *l, const struct fl_workload_row *w, fairlead_error *err)
{
	const struct fl_model *m = l->m;
	bool found = false; /* one finding a workload is enough */
	int r = 0;

	if (w->excluded != FL_INCLUDED || w->admitted_queue.v != FL_NONE ||
	    m->nodes[w->cluster_queue.v].inactive != FL_ACTIVE)
		return 0;
	for (uint32_t p = 0; p < w->podsets.n; p++) {
		const struct fl_podset *podset = &m->podsets[w->podsets.first + p];
		int32_t count = podset->min_count >= 0 ? podset->min_count : podset->count;

		for (uint32_t i = 0; i < podset->requests.n && r == 0 && !found; i++) {
			const struct fl_request *q = &m->requests[podset->requests.first + i];

			r = lint_request(l, w, q->resource, fl_sat_mul(q->amount, count), &found,
					 err);
		}
	}
	return r;
}

static int lint_trees(struct lint *l, fairlead_error *err)
{
	int r = make_cells(l, err);

	for (uint32_t i = 0; i < l->n && r == 0; i++)
		r = lint_cell(l, i, err);
	for (uint32_t w = 0; w < l->m->n_workloads && r == 0; w++)
		r = lint_workload(l, &l->m->workloads[w], err);
	return r < 0 ? r : 0;
}

static int lint_objects(struct fl_model *m, fairlead_error *err)
{
	int r = 0;

	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		struct fl_quota_walk walk = { 0 };
		const struct fl_quota *q;

		r = lint_node(m, n, err);
		while (r == 0 && (q = fl_model_next_quota(m, (struct fl_node){ n }, &walk)))
			r = lint_quota(m, n, q, err);
	}
	return r;
}

int fl_model_lint(struct fl_model *m, fairlead_error *err)
{
	struct lint l = { .m = m };
	int r = lint_objects(m, err);

	if (r < 0)
		return r;
	fl_arena_init(&l.scratch, m->mem);
	fl_pairs_init(&l.columns, m->mem);
	fl_pairs_init(&l.of, m->mem);
	r = lint_trees(&l, err);
	fl_mem_free(m->mem, l.cells);
	fl_pairs_done(&l.of);
	fl_pairs_done(&l.columns);
	fl_arena_done(&l.scratch);
	return r;
}
