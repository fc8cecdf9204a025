/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/entitled.h"

#include "base/sort.h"
#include "decide/policies.h"
#include "sim/face.h"

/* --- rows --- */

static int cmp_names(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	int c = fl_names_cmp(&m->names, m->nodes[a].name, m->nodes[b].name);

	if (c)
		return c;
	/* a cohort may have the name of a queue */
	return (m->nodes[a].kind < m->nodes[b].kind) - (m->nodes[a].kind > m->nodes[b].kind);
}

/* Down as far as it goes, else on to the next sibling of it or of one above it. */
static void walk(struct fl_entitled *e, const uint32_t *first, const uint32_t *next)
{
	uint32_t top = e->model->n_nodes, at = first[top], tops = 0;

	while (at != FL_NONE) {
		uint32_t above = e->model->nodes[at].parent.v, row = e->n++;

		e->node[row] = at;
		e->row_of[at] = row;
		e->parent[row] = above == FL_NONE ? FL_NONE : e->row_of[above];
		e->depth[row] = above == FL_NONE ? 0 : e->depth[e->parent[row]] + 1;
		e->root[row] = above == FL_NONE ? row : e->root[e->parent[row]];
		e->top_of[row] = above == FL_NONE ? tops++ : e->top_of[e->parent[row]];
		if (first[at] != FL_NONE) {
			at = first[at];
			continue;
		}
		while (at != FL_NONE && next[at] == FL_NONE)
			at = e->model->nodes[at].parent.v;
		at = at == FL_NONE ? at : next[at];
	}
}

/* Nodes below a cycle of cohorts hang on no top, so they are in no row. */
static int list_rows(struct fl_entitled *e, fairlead_error *err)
{
	uint32_t n = e->model->n_nodes, *by_name, *first, *next;

	if (!FL_NEW(&e->arena, e->node, n, err) || !FL_NEW(&e->arena, e->row_of, n, err) ||
	    !FL_NEW(&e->arena, e->parent, n, err) || !FL_NEW(&e->arena, e->depth, n, err) ||
	    !FL_NEW(&e->arena, e->root, n, err) || !FL_NEW(&e->arena, e->top_of, n, err) ||
	    !FL_NEW(&e->arena, by_name, (size_t)n * 2, err) ||
	    !FL_NEW(&e->arena, first, n + 1, err) || !FL_NEW(&e->arena, next, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		by_name[i] = i;
		first[i] = e->row_of[i] = FL_NONE;
	}
	first[n] = FL_NONE;
	fl_sort(by_name, n, by_name + n, cmp_names, e->model);
	for (uint32_t i = n; i-- > 0;) {
		uint32_t above = e->model->nodes[by_name[i]].parent.v;

		if (!e->face->takes_part(&e->model->nodes[by_name[i]]))
			continue;
		above = above == FL_NONE ? n : above;
		next[by_name[i]] = first[above];
		first[above] = by_name[i];
	}
	walk(e, first, next);
	return 0;
}

/* --- resources --- */

static int list_resources(struct fl_entitled *e, fairlead_error *err)
{
	uint32_t n = e->model->n_resources;
	bool *found;

	if (!FL_NEW(&e->arena, found, n, err) || !FL_NEW(&e->arena, e->index, n, err) ||
	    !FL_NEW(&e->arena, e->resources, n, err) || !FL_NEW(&e->arena, e->capacity, n, err))
		return FAIRLEAD_ENOMEM;
	e->face->note_resources(e, found);
	for (uint32_t r = 0; r < n; r++) {
		e->index[r] = found[r] ? e->n_resources : FL_NONE;
		if (found[r])
			e->resources[e->n_resources++].v = r;
	}
	return 0;
}

/* --- what is entitled --- */

void fl_entitled_want(struct fl_entitled *e, uint32_t row, const double *wanted)
{
	e->face->want(e, row, wanted);
}

uint32_t fl_entitled_find(struct fl_entitled *e, uint32_t *changed)
{
	return e->face->find(e, changed);
}

void fl_entitled_changed(struct fl_entitled *e) { e->face->changed(e); }

const double *fl_entitled_capacity(const struct fl_entitled *e, uint32_t row)
{
	return e->face->capacity ? e->face->capacity(e, row) : e->capacity;
}

bool fl_entitled_by_cycle(const struct fl_entitled *e) { return e->face->by_cycle; }

/* --- the policies --- */

#define POLICY(dialect, folder) extern const struct fl_entitled_face fl_##folder##_entitles;
#include "decide/policies.def"
#undef POLICY

static const struct fl_entitled_face *const faces[] = {
#define POLICY(dialect, folder) &fl_##folder##_entitles,
#include "decide/policies.def"
#undef POLICY
};

static const struct fl_entitled_face *face_of(const struct fl_policy_ops *ops)
{
	return faces[fl_policy_index(ops)];
}

/* --- life --- */

int fl_entitled_init(struct fl_entitled *e, const struct fl_mem *mem, const struct fl_model *model,
		     const struct fl_policy_ops *ops, const struct fl_policy *policy,
		     fairlead_error *err)
{
	size_t cells;
	int r;

	*e = (struct fl_entitled){ .model = model, .policy = policy, .face = face_of(ops) };
	fl_arena_init(&e->arena, mem);
	r = list_rows(e, err);
	if (r >= 0)
		r = list_resources(e, err);
	cells = (size_t)e->n * e->n_resources;
	if (r >= 0 &&
	    (!FL_NEW(&e->arena, e->wants, cells, err) || !FL_NEW(&e->arena, e->shares, cells, err)))
		r = FAIRLEAD_ENOMEM;
	if (r >= 0)
		r = e->face->begin(e, err);
	if (r < 0)
		fl_entitled_done(e);
	return r;
}

void fl_entitled_done(struct fl_entitled *e)
{
	if (e->own && e->face->done)
		e->face->done(e);
	e->own = NULL;
	fl_arena_done(&e->arena);
}
