/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/change_cells.h"

#include <string.h>

#include "codec/edit/change.h"

/* Is it a number that a policy can change without a new model (FL_EV_CELL)? */
static bool is_cell(const struct fl_field *f)
{
	static const char *const names[] = { "nominalQuota", "borrowingLimit", "lendingLimit",
					     "weight" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], f->name) == 0)
			return true;
	return false;
}

/* Null counts as missing. */
static uint32_t find(const struct fl_doc *doc, uint32_t map, const char *key)
{
	uint32_t v = fl_doc_find(doc, map, key);

	return v != FL_NONE && doc->values[v].kind == FL_TOKEN_SCALAR &&
			       doc->values[v].type == FL_SCALAR_NULL ?
		       FL_NONE :
		       v;
}

static bool same_map(struct fl_doc *a, uint32_t v, struct fl_doc *b, uint32_t w,
		     const struct fl_field *fields);

static bool same_list(struct fl_doc *a, uint32_t v, struct fl_doc *b, uint32_t w,
		      const struct fl_field *fields)
{
	uint32_t x = v + 1, y = w + 1;

	while (x < a->values[v].next && y < b->values[w].next) {
		if (!same_map(a, x, b, y, fields))
			return false;
		x = a->values[x].next;
		y = b->values[y].next;
	}
	return x == a->values[v].next && y == b->values[w].next;
}

static bool same_field(struct fl_doc *a, uint32_t v, struct fl_doc *b, uint32_t w,
		       const struct fl_field *f)
{
	/* Fields of the same row: a missing map is like one without fields. */
	if (!f->read && !f->type && f->fields)
		return same_map(a, v, b, w, f->fields);
	if (is_cell(f))
		return true;
	if (v == FL_NONE || w == FL_NONE)
		return v == w;
	if (f->list && f->fields && a->values[v].kind == FL_TOKEN_LIST &&
	    b->values[w].kind == FL_TOKEN_LIST)
		return same_list(a, v, b, w, f->fields);
	return fl_doc_hash(a, v) == fl_doc_hash(b, w);
}

/* Equal except for cells; either may be FL_NONE. Fields that change no decision may differ. */
static bool same_map(struct fl_doc *a, uint32_t v, struct fl_doc *b, uint32_t w,
		     const struct fl_field *fields)
{
	for (const struct fl_field *f = fields; f->name; f++) {
		if (f->support != FL_FIELD_SUPPORTED || strcmp(f->name, "metadata") == 0)
			continue;
		if (!same_field(a, find(a, v, f->name), b, find(b, w, f->name), f))
			return false;
	}
	return true;
}

bool fl_change_is_of_cells(struct fl_doc *old, struct fl_doc *fresh, const struct fl_field *fields)
{
	return same_map(old, 0, fresh, 0, fields);
}

/* --- as events --- */

struct events {
	struct fl_changes *c;
	struct fl_event *rows;
	uint32_t n, cap;
	fairlead_error *err;
};

static int push(struct events *e, const struct fl_cell *cell)
{
	int r = fl_mem_grow(e->c->mem, &e->rows, &e->cap, e->n + 1, sizeof *e->rows, e->err);

	if (r == 0)
		e->rows[e->n++] = (struct fl_event){ .kind = FL_EV_CELL, .cell = *cell };
	return r;
}

static int push_quota(struct events *e, struct fl_node node, const struct fl_quota *from,
		      const struct fl_quota *to)
{
	const fl_amount was[] = { from->nominal, from->borrowing_limit, from->lending_limit };
	const fl_amount becomes[] = { to->nominal, to->borrowing_limit, to->lending_limit };
	static const enum fl_cell_kind kinds[] = { FL_CELL_NOMINAL, FL_CELL_BORROWING_LIMIT,
						   FL_CELL_LENDING_LIMIT };
	int r = 0;

	for (unsigned i = 0; i < 3 && r == 0; i++) {
		struct fl_cell cell = {
			.kind = kinds[i],
			.node = node,
			.flavor = from->flavor,
			.resource = from->resource,
			.amount = becomes[i],
		};

		if (was[i] != becomes[i])
			r = push(e, &cell);
	}
	return r;
}

/* The objects differ in cells only, so they have the same quotas in the same order. */
static int push_node(struct events *e, const struct fl_model *m, struct fl_node old,
		     const struct fl_model *changes, struct fl_node fresh)
{
	struct fl_quota_walk from = { 0 }, to = { 0 };
	const struct fl_quota *q, *p;
	int r = 0;

	while (r == 0 && (q = fl_model_next_quota(m, old, &from)) != NULL &&
	       (p = fl_model_next_quota(changes, fresh, &to)) != NULL)
		r = push_quota(e, old, q, p);
	if (r == 0 && m->nodes[old.v].weight != changes->nodes[fresh.v].weight) {
		struct fl_cell cell = {
			.kind = FL_CELL_WEIGHT,
			.node = old,
			.weight = changes->nodes[fresh.v].weight,
		};

		r = push(e, &cell);
	}
	return r;
}

int fl_changes_cells(struct fl_changes *c, const struct fl_model *m, const struct fl_model *changes,
		     struct fl_event **events, uint32_t *n, fairlead_error *err)
{
	struct events e = { .c = c, .err = err };
	int r = 0;

	for (uint32_t i = 0; i < changes->n_nodes && r == 0; i++) {
		const struct fl_node_row *row = &changes->nodes[i];
		struct fl_node old = fl_model_find_node(m, row->kind,
							fl_model_text(changes, row->name));

		/* A node that is in no tree has no cells. */
		if (old.v == FL_NONE || m->nodes[old.v].inactive == FL_INACTIVE_COHORT_CYCLE)
			r = 1;
		else
			r = push_node(&e, m, old, changes, (struct fl_node){ i });
	}
	if (r) {
		fl_mem_free(c->mem, e.rows);
		return r;
	}
	*events = e.rows;
	*n = e.n;
	return 0;
}
