/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/rules/usage.h"

#include <string.h>

#include "base/sort.h"
#include "decide/entitle/rules/budget.h"

static int window_of(const struct fl_policy *p, struct fl_usage_window *ret, fairlead_error *err)
{
	const struct fl_entitle_settings *e = &p->settings;
	const char *cron = fl_model_text(p->model, e->cron);

	*ret = (struct fl_usage_window){ .kind = e->window_kind,
					 .length = e->window,
					 .first = e->window_start };
	return e->window_kind == FL_WINDOW_CRON ?
		       fl_cron_parse(cron, strlen(cron), &ret->cron, err) :
		       0;
}

static int cmp_samples(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	fl_time x = m->samples[a].to, y = m->samples[b].to;

	return x == y ? (a > b) - (a < b) : x < y ? -1 : 1;
}

static int add_samples(struct fl_policy *p, struct fl_history *to, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	uint32_t *ids = fl_arena_alloc(&p->cycle_arena, m->n_samples, sizeof *ids, err);
	uint32_t *spare = fl_arena_alloc(&p->cycle_arena, m->n_samples, sizeof *spare, err);
	int r = 0;

	if (!ids || !spare)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_samples; i++)
		ids[i] = i;
	fl_sort(ids, m->n_samples, spare, cmp_samples, m);
	for (uint32_t i = 0; i < m->n_samples && r == 0; i++) {
		const struct fl_sample_row *row = &m->samples[ids[i]];

		if (row->queue_name.v == FL_NONE || row->node.v != FL_NONE)
			r = fl_history_add(to, p->now, row->from, row->to, row->node.v,
					   &row->amount, err);
	}
	return r;
}

/* Usage that the input states as a part of the capacity stays, whatever the history says. */
static void read_given(struct fl_policy *p)
{
	const struct fl_model *m = p->model;

	for (uint32_t i = 0; i < m->n_usages; i++)
		if (m->usages[i].node.v != FL_NONE)
			p->usage[m->usages[i].node.v] = m->usages[i].usage;
}

static void read_usage(struct fl_policy *p)
{
	if (p->history)
		fl_history_usage(p->history, p->now, p->usage);
	read_given(p);
}

static bool has_history(const struct fl_policy *p) { return p->moving || p->model->n_samples; }

static int new_history(struct fl_policy *p, fairlead_error *err)
{
	struct fl_history_settings settings = { .half_life = p->settings.half_life };
	int r = window_of(p, &settings.window, err);

	if (r == 0)
		r = fl_history_new(p->mem, &settings, p->model->n_nodes, &p->history, err);
	return r < 0 ? r : add_samples(p, p->history, err);
}

static int new_budgets(struct fl_policy *p, fairlead_error *err)
{
	int r = fl_budgets_new(p, &p->budgets, err);

	return r < 0 ? r : add_samples(p, p->budgets->history, err);
}

int fl_usage_setup(struct fl_policy *p, fairlead_error *err)
{
	int r = p->settings.has_budgets ? new_budgets(p, err) : 0;

	if (r < 0 || (!has_history(p) && !p->model->n_usages))
		return r;
	p->usage = fl_arena_alloc(&p->arena, p->model->n_nodes, sizeof *p->usage, err);
	if (!p->usage)
		return FAIRLEAD_ENOMEM;
	if (has_history(p))
		r = new_history(p, err);
	if (r == 0)
		r = fl_usage_enter(p, err);
	if (r == 0)
		read_usage(p);
	return r;
}

void fl_usage_done(struct fl_policy *p)
{
	p->history = fl_history_free(p->history);
	fl_budgets_free(p->budgets);
}

int fl_usage_adopt(struct fl_policy *p, const struct fl_policy *from, const uint32_t *nodes,
		   fairlead_error *err)
{
	int r = 0;

	if (p->history && from->history)
		r = fl_history_adopt(p->history, from->history, nodes, err);
	if (r == 0 && p->budgets && from->budgets)
		r = fl_history_adopt(p->budgets->history, from->budgets->history, nodes, err);
	if (r < 0 || !p->usage || !from->usage)
		return r;
	for (uint32_t n = 0; n < from->model->n_nodes; n++)
		if (nodes[n] != FL_NONE)
			p->usage[nodes[n]] = from->usage[n];
	read_given(p);
	return 0;
}

int fl_usage_sample(struct fl_policy *p, const struct fl_sample *sample, fairlead_error *err)
{
	int r = 0;

	if (p->undo.marks)
		return fl_fail(err, FAIRLEAD_ESTATE, "a sample of usage cannot be taken back");
	if (sample->node.v != FL_NONE && sample->node.v >= p->model->n_nodes)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such queue");
	if (!p->history)
		return fl_fail(err, FAIRLEAD_ESTATE, "usage over time is off");
	if (p->budgets) /* room in both first, so that both get the sample or neither */
		r = fl_history_reserve(p->budgets->history, /* undo= */ NULL, 2, err);
	if (r == 0)
		r = fl_history_add(p->history, p->now, sample->from, sample->to, sample->node.v,
				   &sample->amount, err);
	if (r == 0 && p->budgets)
		r = fl_history_add(p->budgets->history, p->now, sample->from, sample->to,
				   sample->node.v, &sample->amount, err);
	if (r == 0)
		read_usage(p);
	return r;
}

int fl_usage_read(struct fl_policy *p, fairlead_error *err)
{
	size_t bytes = p->model->n_nodes * sizeof *p->usage;
	int r;

	if (!p->moving)
		return 0;
	r = fl_undo_reserve(&p->undo, FL_UNDO_NOTE + bytes, err);
	if (r < 0)
		return r;
	fl_undo_note(&p->undo, p->usage, (uint32_t)bytes);
	read_usage(p);
	return 0;
}

/* Makes room for a change of all queues, in @h and in the undo log. */
static int make_room(struct fl_policy *p, struct fl_history *h, fairlead_error *err)
{
	uint32_t changes = p->model->n_nodes + 1;
	int r = fl_undo_reserve(&p->undo, changes * (size_t)FL_HISTORY_UNDO, err);

	return r < 0 ? r : fl_history_reserve(h, &p->undo, changes, err);
}

static int enter(struct fl_policy *p, struct fl_history *h, fairlead_error *err)
{
	int r = make_room(p, h, err);

	if (r < 0)
		return r;
	for (uint32_t q = 0; q < p->model->n_nodes; q++)
		fl_history_hold(h, &p->undo, p->now, q, &p->queues[q].allocated);
	fl_history_capacity(h, &p->undo, p->now, &p->total);
	return 0;
}

int fl_usage_enter(struct fl_policy *p, fairlead_error *err)
{
	int r;

	if (!p->moving)
		return 0;
	r = enter(p, p->history, err);
	return r < 0 || !p->budgets ? r : enter(p, p->budgets->history, err);
}
