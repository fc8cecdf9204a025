/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/search/feasible.h"

#include <string.h>

#include "decide/entitle/search/search.h"

int fl_feasible_new(struct fl_policy *p, struct fl_feasible *ret, fairlead_error *err)
{
	uint32_t n = p->model->n_machines;
	struct fl_feasible f = { .all = false };

	if (!FL_NEW(&p->arena, f.open, n, err) || !FL_NEW(&p->arena, f.now, n, err) ||
	    !FL_NEW(&p->arena, f.tried, n, err))
		return FAIRLEAD_ENOMEM;
	*ret = f;
	return 0;
}

void fl_feasible_measure(const struct fl_policy *p, struct fl_feasible *f)
{
	for (uint32_t i = 0; i < p->model->n_machines; i++) {
		const struct fl_room *m = &p->rooms[i];

		f->open[i] = m->idle.of[FL_GPU] > 0 || m->leaving.of[FL_GPU] > 0;
	}
}

/* Adds the places of recorded victims. */
static void add_recorded(const struct fl_policy *p, struct fl_search *s)
{
	for (uint32_t i = 0; i < s->n_victims; i++) {
		struct fl_machine place = fl_task_place(&p->tasks[s->victims[i]]);

		if (s->found[i] && place.v != FL_NONE)
			s->feasible.now[place.v] = true;
	}
}

static bool may_matter(const struct fl_policy *p, const struct fl_search *s)
{
	for (uint32_t i = 0; i < s->n_eligible; i++)
		if (p->jobs[s->eligible[i]].without_gpu)
			return true;
	for (uint32_t i = 0; i < s->n_victims; i++) {
		struct fl_machine place = fl_task_place(&p->tasks[s->victims[i]]);

		if (place.v != FL_NONE && !s->feasible.now[place.v])
			return true;
	}
	return false;
}

void fl_feasible_begin(const struct fl_policy *p, struct fl_search *s)
{
	struct fl_feasible *f = &s->feasible;

	f->all = p->jobs[s->asks.v].without_gpu;
	f->matters = false;
	f->n_tried = 0;
	if (f->all)
		return;
	memcpy(f->now, f->open, p->model->n_machines * sizeof *f->now);
	add_recorded(p, s);
	f->matters = may_matter(p, s);
}

void fl_feasible_add(struct fl_feasible *f, struct fl_machine machine)
{
	if (f->all || machine.v == FL_NONE || f->now[machine.v])
		return;
	f->now[machine.v] = true;
	f->tried[f->n_tried++] = machine.v;
}

void fl_feasible_end(struct fl_feasible *f, bool stay)
{
	for (uint32_t i = 0; !stay && i < f->n_tried; i++)
		f->now[f->tried[i]] = false;
	f->n_tried = 0;
}
