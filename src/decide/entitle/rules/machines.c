/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/rules/machines.h"

#include <math.h>

#include "decide/match.h"

static bool fits(const struct fl_bundle *request, const struct fl_bundle *room)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (request->of[r] > room->of[r])
			return false;
	return true;
}

/* How good a machine is, of those on which the task fits. */
struct merit {
	bool now;
	bool kind;   /* it has no GPUs, and the task needs none */
	double room; /* free, of the resource to pack by; less is better, unless spread */
};

static bool is_better(const struct fl_policy *p, const struct merit *a, const struct merit *b,
		      int resource)
{
	bool spread = resource == FL_GPU ? p->settings.spread_gpu : p->settings.spread_cpu;

	if (a->now != b->now)
		return a->now;
	if (a->kind != b->kind)
		return a->kind;
	return spread ? a->room > b->room : a->room < b->room;
}

/* Is there room, labels and taints aside?  And how good would the machine be? */
static bool appraise(const struct fl_policy *p, const struct fl_bundle *request, uint32_t machine,
		     int resource, struct merit *ret)
{
	const struct fl_room *room = &p->rooms[machine];
	struct fl_bundle open = room->idle;
	bool spread = resource == FL_GPU ? p->settings.spread_gpu : p->settings.spread_cpu;
	double all = room->allocatable.of[resource];

	/* The resource to pack by is compared first: it is missing most often. */
	if (!room->usable || request->of[resource] > open.of[resource] + room->leaving.of[resource])
		return false;
	fl_bundle_add(&open, &room->leaving);
	if (!fits(request, &open))
		return false;
	ret->now = fits(request, &room->idle);
	ret->kind = resource != FL_GPU && room->allocatable.of[FL_GPU] == 0;
	ret->room = open.of[resource];
	if (spread)
		ret->room = all > 0 ? ret->room / all : 0;
	return true;
}

/* Updates the best machine so far, if one of @block is better. */
static void look_at(const struct fl_policy *p, uint32_t task, uint32_t block, const bool *among,
		    struct merit *best, struct fl_spot *spot)
{
	const struct fl_bundle *request = &p->tasks[task].request;
	int resource = fl_machines_packed_by(&p->tasks[task]);
	uint32_t end = (block + 1) * FL_ROOMS_BLOCK, n = p->model->n_machines;

	for (uint32_t i = block * FL_ROOMS_BLOCK; i < end && i < n; i++) {
		uint32_t m = p->machine_order[i];
		bool first = spot->machine.v == FL_NONE;
		struct merit merit;

		if ((among && !among[m]) || !appraise(p, request, m, resource, &merit))
			continue;
		spot->only = false;
		if ((!first && !is_better(p, &merit, best, resource)) ||
		    !fl_match_machine(p->model, &p->model->tasks[task], &p->model->machines[m]))
			continue;
		*best = merit;
		*spot = (struct fl_spot){ .machine = { m }, .now = merit.now, .only = first };
	}
}

struct fl_spot fl_machines_choose(const struct fl_policy *p, uint32_t task, const bool *among)
{
	struct fl_spot spot = { .machine = { FL_NONE } };
	struct merit best = { 0 };

	for (uint32_t i = 0; i < p->n_blocks; i++)
		if (fits(&p->tasks[task].request, &p->most_open[i]))
			look_at(p, task, i, among, &best, &spot);
	return spot;
}

bool fl_machines_hold(const struct fl_policy *p, uint32_t task, uint32_t n)
{
	int resource = fl_machines_packed_by(&p->tasks[task]);
	double each = p->tasks[task].request.of[resource], places = 0;

	for (uint32_t i = 0; each > 0 && places < n && i < p->model->n_machines; i++) {
		const struct fl_room *room = &p->rooms[i];
		double open = room->idle.of[resource] + room->leaving.of[resource];

		if (room->usable && open >= each)
			places += floor(open / each + 1e-6);
	}
	return each <= 0 || places >= n;
}

bool fl_machines_suit(const struct fl_policy *p, uint32_t task)
{
	const struct fl_model *m = p->model;
	bool any = false;

	for (uint32_t i = 0; i < m->n_machines; i++) {
		if (!p->rooms[i].usable)
			continue;
		any = true;
		if (fl_match_machine(m, &m->tasks[task], &m->machines[i]))
			return true;
	}
	return !any;
}
