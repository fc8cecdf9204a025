/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/entitle/division.h"

#include <string.h>

struct listener {
	const struct fl_standings *standings;
	struct fl_arena *arena;
	const struct fl_division_step **first;
	const struct fl_division_step **end; /* the place of the next one of the group */
	uint32_t group;
	int rc;
	fairlead_error *err;
};

static void listen(void *user, const struct fl_divide_step *step)
{
	struct listener *l = user;
	const uint32_t *node = l->standings->order;
	uint32_t group = step->parent == FL_NONE ? l->standings->model->n_nodes :
						   node[step->parent];
	struct fl_division_step *copy;
	struct fl_divide_part *parts;

	if (l->rc < 0)
		return;
	copy = fl_arena_alloc(l->arena, 1, sizeof *copy, l->err);
	parts = fl_arena_alloc(l->arena, step->n_parts, sizeof *parts, l->err);
	if (!copy || !parts) {
		l->rc = FAIRLEAD_ENOMEM;
		return;
	}
	copy->step = *step;
	copy->step.parent = step->parent == FL_NONE ? FL_NONE : group;
	copy->step.parts = parts;
	for (uint32_t i = 0; i < step->n_parts; i++) {
		parts[i] = step->parts[i];
		parts[i].queue = node[parts[i].queue];
	}
	if (group != l->group)
		l->end = &l->first[group];
	l->group = group;
	*l->end = copy;
	l->end = &copy->next;
}

/* Rows of the divider, in the order of the standings. */
struct rows {
	struct fl_divide_queue *queues;
	struct fl_bundle *request, *usage, *fair_share;
};

static int fill_rows(struct rows *rows, const struct fl_standings *s, struct fl_arena *arena,
		     fairlead_error *err)
{
	uint32_t *row_of = fl_arena_alloc(arena, s->model->n_nodes, sizeof *row_of, err);

	rows->queues = fl_arena_alloc(arena, s->n, sizeof *rows->queues, err);
	rows->request = fl_arena_alloc(arena, s->n, sizeof *rows->request, err);
	rows->usage = fl_arena_alloc(arena, s->n, sizeof *rows->usage, err);
	rows->fair_share = fl_arena_alloc(arena, s->n, sizeof *rows->fair_share, err);
	if (!row_of || !rows->queues || !rows->request || !rows->usage || !rows->fair_share)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct fl_standing *q = &s->rows[s->order[i]];

		row_of[s->order[i]] = i;
		rows->queues[i] = (struct fl_divide_queue){
			.parent = q->parent.v == FL_NONE ? FL_NONE : row_of[q->parent.v],
			.rank = q->rank,
			.priority = q->priority,
			.deserved = q->deserved,
			.limit = q->limit,
			.weight = q->weight,
		};
		rows->request[i] = q->request;
		rows->usage[i] = s->usage[s->order[i]];
	}
	return 0;
}

int fl_division_init(struct fl_division *d, const struct fl_standings *s, bool with_steps,
		     struct fl_arena *arena, fairlead_error *err)
{
	uint32_t groups = s->model->n_nodes + 1;
	struct fl_division made = {
		.standings = s,
		.k = s->model->entitle.k,
		.bounded = s->model->entitle.bounded_division,
		.free_within = s->model->entitle.free_within_share,
		.fair_share = fl_arena_alloc(arena, groups, sizeof *made.fair_share, err),
		.steps = with_steps ? fl_arena_alloc(arena, groups, sizeof *made.steps, err) : NULL,
	};
	struct listener l = { s, arena, made.steps, NULL, FL_NONE, 0, err };
	const struct fl_divide_listener sink = { listen, &l };
	struct fl_divider *divider;
	struct rows rows;
	int rc;

	if (!made.fair_share || (with_steps && !made.steps))
		return FAIRLEAD_ENOMEM;
	if ((rc = fill_rows(&rows, s, arena, err)) < 0 ||
	    (rc = fl_divider_new(arena->mem, rows.queues, s->n, &divider, err)) < 0)
		return rc;
	fl_divide(divider, &s->total, made.k, rows.request, rows.usage,
		  (made.bounded ? FL_DIVIDE_BOUNDED : 0) |
			  (made.free_within ? FL_DIVIDE_FREE_WITHIN : 0),
		  with_steps ? &sink : NULL, rows.fair_share);
	fl_divider_free(divider);
	for (uint32_t i = 0; i < s->n; i++)
		made.fair_share[s->order[i]] = rows.fair_share[i];
	if (l.rc == 0)
		*d = made;
	return l.rc;
}
