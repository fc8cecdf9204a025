/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/entitle/standings.h"

#include <string.h>

#include "base/sort.h"

static int cmp_names(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;

	return fl_names_cmp(&m->names, m->nodes[a].name, m->nodes[b].name);
}

/* Chains of children: next[n] is the sibling behind n; first[n], and
 * first[n_nodes] of the tops. */
static void chain(const struct fl_model *m, const uint32_t *by_name, uint32_t *first,
		  uint32_t *next)
{
	for (uint32_t i = 0; i <= m->n_nodes; i++)
		first[i] = FL_NONE;
	for (uint32_t i = m->n_nodes; i > 0; i--) {
		uint32_t n = by_name[i - 1], parent = m->nodes[n].parent.v;

		if (m->nodes[n].kind != FL_QUEUE || m->nodes[n].inactive != FL_ACTIVE)
			continue;
		parent = parent == FL_NONE ? m->n_nodes : parent;
		next[n] = first[parent];
		first[parent] = n;
	}
}

int fl_standings_init(struct fl_standings *s, const struct fl_model *m, struct fl_arena *arena,
		      fairlead_error *err)
{
	uint32_t n = m->n_nodes + 1, at;
	struct fl_standings made = { .model = m };

	made.rows = fl_arena_alloc(arena, n, sizeof(*made.rows), err);
	made.usage = fl_arena_alloc(arena, n, sizeof(*made.usage), err);
	made.order = fl_arena_alloc(arena, n, sizeof(*made.order), err);
	uint32_t *by_name = fl_arena_alloc(arena, (size_t)n * 2, sizeof(*by_name), err);
	uint32_t *first = fl_arena_alloc(arena, n, sizeof(*first), err);
	uint32_t *next = fl_arena_alloc(arena, n, sizeof(*next), err);
	if (!made.rows || !made.usage || !made.order || !by_name || !first || !next)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_nodes; i++)
		by_name[i] = i;
	fl_sort(by_name, m->n_nodes, by_name + n, cmp_names, m);
	chain(m, by_name, first, next);
	/* Down as far as there are children, else on to the next sibling of it or of one above
   * it. */
	for (at = first[m->n_nodes]; at != FL_NONE;) {
		made.order[made.n++] = at;
		if (first[at] != FL_NONE) {
			at = first[at];
			continue;
		}
		while (at != FL_NONE && next[at] == FL_NONE)
			at = m->nodes[at].parent.v;
		at = at == FL_NONE ? at : next[at];
	}
	*s = made;
	return 0;
}

double fl_standings_saturation(const struct fl_standings *s, struct fl_node n, int resource)
{
	const struct fl_standing *q = &s->rows[n.v];

	return fl_saturation(q->allocated.of[resource], q->fair_share.of[resource]);
}

static void look_at_resources(struct fl_standings *s)
{
	for (int r = 0; r < FL_BUNDLE; r++) {
		s->used[r] = s->bounded[r] = false;
		for (uint32_t i = 0; i < s->n; i++) {
			const struct fl_standing *q = &s->rows[s->order[i]];
			double deserved = q->deserved.of[r], limit = q->limit.of[r];

			s->used[r] |= q->request.of[r] > 0 || q->allocated.of[r] > 0 ||
				      deserved > 0 || limit > 0;
			s->bounded[r] |= deserved != FL_UNBOUNDED || limit != FL_UNBOUNDED;
		}
		s->bounded[r] &= s->used[r];
	}
	if (!s->bounded[FL_CPU] && !s->bounded[FL_MEMORY] && !s->bounded[FL_GPU])
		memcpy(s->bounded, s->used, sizeof(s->bounded));
}

void fl_standings_look(struct fl_standings *s, const struct fl_policy *p)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct fl_node n = { s->order[i] };

		s->rows[n.v] = *fl_entitle_standing(p, n);
		s->usage[n.v] = fl_entitle_usage(p, n);
	}
	s->total = fl_entitle_total(p);
	look_at_resources(s);
}
