/* SPDX-License-Identifier: Apache-2.0 */
/* world - the state in which the engine decides by itself, while workloads come and end as they really did */
#include "ask/agree/world.h"

#include <string.h>

#include "base/amount.h"

bool fl_agree_is_preemption(enum fl_reason r)
{
	switch (r) {
	case FL_REASON_IN_CLUSTER_QUEUE:
	case FL_REASON_IN_COHORT_RECLAMATION:
	case FL_REASON_IN_COHORT_FAIR_SHARING:
	case FL_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING:
	case FL_REASON_RECLAIMED:
	case FL_REASON_PREEMPTED:
		return true;
	default:
		return false;
	}
}

/* --- what it decided --- */

int fl_agree_add(const struct fl_mem *mem, struct fl_agree_side_rows *s,
		 const struct fl_agree_decided *d, const struct fl_placement *rows, uint32_t n,
		 fairlead_error *err)
{
	int r = fl_mem_grow(mem, &s->rows, &s->cap, s->n + 1, sizeof *s->rows, err);

	if (r == 0)
		r = fl_mem_grow(mem, &s->placements, &s->cap_placements, s->n_placements + n,
				sizeof *s->placements, err);
	if (r < 0)
		return r;
	if (n)
		memcpy(s->placements + s->n_placements, rows, n * sizeof *rows);
	s->rows[s->n] = *d;
	s->rows[s->n].other = FL_NONE;
	s->rows[s->n++].placement = (struct fl_span){ s->n_placements, n };
	s->n_placements += n;
	return 0;
}

static int find_decided(struct fl_agree_window *w, fl_time now, const struct fl_decisions *all,
			fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < all->n && r == 0; i++) {
		const struct fl_decision *row = &all->rows[i];
		struct fl_agree_decided d = { .kind = row->kind == FL_ADMIT ? FL_AGREE_ADMIT :
									      FL_AGREE_EVICT,
					      .workload = row->workload,
					      .reason = row->reason,
					      .at = now };
		bool admits = row->kind == FL_ADMIT;

		if (!admits && (row->kind != FL_EVICT || row->already_evicting ||
				!fl_agree_is_preemption(row->reason)))
			continue;
		r = fl_agree_add(w->o->mem, &w->engine, &d, all->placements + row->placement.first,
				 admits ? row->placement.n : 0, err);
	}
	return r;
}

/* --- what really happened, where the engine decides --- */

struct fl_workload fl_agree_place(const struct fl_agree_window *w, struct fl_workload v)
{
	return v.v < w->n_stands && w->stands[v.v].v != FL_NONE ? w->stands[v.v] : v;
}

static int put(struct fl_agree_window *w, struct fl_workload is, struct fl_workload where,
	       fairlead_error *err)
{
	int r = fl_mem_grow(w->o->mem, &w->stood, &w->cap_stood, w->n_stood + 1, sizeof *w->stood,
			    err);

	if (r < 0)
		return r;
	w->stood[w->n_stood++] = (struct fl_agree_stood){ is, w->stands[is.v] };
	w->stands[is.v] = where;
	return 0;
}

static int stand(struct fl_agree_window *w, struct fl_workload is, struct fl_workload where,
		 fairlead_error *err)
{
	const uint32_t n = w->n_stands;
	int r = fl_mem_grow(w->o->mem, &w->stands, &w->n_stands, is.v + 1, sizeof *w->stands, err);

	if (r < 0)
		return r;
	if (w->n_stands > n)
		memset(w->stands + n, 0xff, (w->n_stands - n) * sizeof *w->stands); /* FL_NONE */
	return put(w, is, where, err);
}

void fl_agree_world_begin(struct fl_agree_window *w)
{
	w->engine.n = w->engine.n_placements = w->n_stood = 0;
	if (w->n_stands)
		memset(w->stands, 0xff, w->n_stands * sizeof *w->stands); /* FL_NONE */
}

int fl_agree_world_mark(struct fl_agree_window *w, struct fl_agree_mark *ret, fairlead_error *err)
{
	*ret = (struct fl_agree_mark){ .n = w->engine.n,
				       .n_placements = w->engine.n_placements,
				       .n_stood = w->n_stood };
	return w->o->ops->mark(w->p, &ret->mark, err);
}

void fl_agree_world_back(struct fl_agree_window *w, const struct fl_agree_mark *mark)
{
	w->o->ops->rollback(w->p, mark->mark);
	w->engine.n = mark->n;
	w->engine.n_placements = mark->n_placements;
	while (w->n_stood > mark->n_stood) {
		const struct fl_agree_stood *s = &w->stood[--w->n_stood];

		w->stands[s->is.v] = s->where;
	}
}

static enum fl_workload_state state_of(const struct fl_agree_window *w, struct fl_workload v)
{
	return w->o->ops->state(w->p, v);
}

/* What does not suit this world changes nothing in it. */
static int tell(struct fl_agree_window *w, fl_time now, const struct fl_event *e,
		fairlead_error *err)
{
	int r = w->o->ops->apply(w->p, now, e, err);

	return r == FAIRLEAD_ENOMEM ? r : 0;
}

/*
 * One that ended ends, admitted here or not.  One that was evicted, and is pending again, releases
 * its quota if the engine evicted it, too; else it stays.  One that got quota, and was perhaps evicted at
 * once, stays as it is.
 */
static int end(struct fl_agree_window *w, const struct fl_agree_heard *h, fairlead_error *err)
{
	struct fl_event e = h->event;
	enum fl_workload_state state;

	e.workload = fl_agree_place(w, e.workload);
	state = state_of(w, e.workload);
	if (state == FL_STATE_ADMITTED && e.kind == FL_EV_CANCEL && h->comes_back)
		return 0;
	if (state == FL_STATE_EVICTING && h->holds)
		return 0;
	if (state != FL_STATE_ADMITTED && state != FL_STATE_EVICTING)
		e.kind = FL_EV_CANCEL;
	return tell(w, h->at, &e, err);
}

static int come_back(struct fl_agree_window *w, const struct fl_agree_heard *h, fairlead_error *err)
{
	struct fl_workload where = fl_agree_place(w, h->was);

	const enum fl_workload_state state = state_of(w, where);
	const bool stays = state == FL_STATE_ADMITTED || (state == FL_STATE_EVICTING && h->holds);

	return stays ? stand(w, h->event.workload, where, err) : 0;
}

static bool stays_as_it_is(const struct fl_agree_window *w, const struct fl_agree_heard *h)
{
	enum fl_agree_kind kind;

	switch (h->event.kind) {
	case FL_EV_STARTED:
	case FL_EV_USAGE:
		return true;
	case FL_EV_SUBMIT:
		return fl_agree_place(w, h->event.workload).v != h->event.workload.v;
	case FL_EV_EVICTED:
		return state_of(w, fl_agree_place(w, h->event.workload)) != FL_STATE_EVICTING;
	default:
		return fl_agree_is_decision(h, &kind);
	}
}

static bool is_of_workload(const struct fl_event *e)
{
	return e->kind != FL_EV_USAGE &&
	       (e->kind != FL_EV_CELL || e->cell.kind == FL_CELL_PRIORITY);
}

int fl_agree_apply(struct fl_agree_window *w, const struct fl_agree_heard *h, fairlead_error *err)
{
	struct fl_event e = h->event;

	if (h->what == FL_AGREE_RETURNS)
		return come_back(w, h, err);
	if (h->what == FL_AGREE_LEAVES || stays_as_it_is(w, h))
		return 0;
	if (e.kind == FL_EV_FINISHED || e.kind == FL_EV_CANCEL)
		return end(w, h, err);
	if (is_of_workload(&e))
		e.workload = fl_agree_place(w, e.workload);
	return tell(w, h->at, &e, err);
}

/* Where it is; or was, if it has not returned yet: the scheduler decided before that was heard. */
static struct fl_workload standing(const struct fl_agree_window *w, struct fl_workload v)
{
	struct fl_workload where = fl_agree_place(w, v);

	for (uint32_t i = w->n_all; i-- > 0 && state_of(w, where) == FL_STATE_ABSENT;)
		if (w->heard[i].what == FL_AGREE_RETURNS && w->heard[i].event.workload.v == v.v) {
			v = w->heard[i].was;
			where = fl_agree_place(w, v);
		}
	return where;
}

int fl_agree_obey(struct fl_agree_window *w, const struct fl_agree_heard *h, fairlead_error *err)
{
	struct fl_event e = h->event;

	e.workload = standing(w, e.workload);
	if (e.kind == FL_EV_HOLDS && w->exact && e.since != FL_TIME_NONE)
		e.since = fl_amount_max(e.since, fl_amount_min(h->at, e.since + w->o->grain - 1));
	return w->o->ops->apply(w->p, h->at, &e, err);
}

/* Did it return with quota in heard[@returned], and has it not released that before heard[@to]? */
static bool still_holds(const struct fl_agree_window *w, uint32_t returned, uint32_t to)
{
	const struct fl_agree_heard *h = &w->heard[returned];
	bool ret = h->holds;

	for (uint32_t i = returned + 1; i < to && ret; i++)
		ret = w->heard[i].what != FL_AGREE_EVENT ||
		      w->heard[i].event.kind != FL_EV_EVICTED ||
		      w->heard[i].event.workload.v != h->event.workload.v;
	return ret;
}

/*
 * The engine evicts one that has really returned already: it is pending again at once, or if it
 * returned with quota, when it has really released that.
 */
static int release(struct fl_agree_window *w, fl_time now, struct fl_workload where, uint32_t heard,
		   bool *ret, fairlead_error *err)
{
	for (uint32_t i = heard; i-- > 0;) {
		const struct fl_workload is = w->heard[i].event.workload;
		struct fl_event e = { .kind = FL_EV_CANCEL, .workload = where };
		int r;

		if (w->heard[i].what != FL_AGREE_RETURNS || is.v == where.v ||
		    fl_agree_place(w, is).v != where.v || still_holds(w, i, heard))
			continue;
		*ret = true;
		r = put(w, is, (struct fl_workload){ FL_NONE }, err);
		if (r < 0 || (r = tell(w, now, &e, err)) < 0)
			return r;
		e = (struct fl_event){ .kind = FL_EV_SUBMIT, .workload = is };
		return tell(w, now, &e, err);
	}
	return 0;
}

fl_time fl_agree_kept_time(const struct fl_agree_window *w, fl_time at)
{
	return w->o->grain && !w->exact ? at - at % w->o->grain : at;
}

int fl_agree_step(struct fl_agree_window *w, fl_time now, uint32_t heard,
		  const struct fl_sink *sink, bool *ret, fairlead_error *err)
{
	uint32_t i = w->engine.n;
	struct fl_decisions d;
	int r = w->o->ops->step(w->p, fl_agree_kept_time(w, now), 0, sink, &d, err);

	if (r == 0)
		r = find_decided(w, now, &d, err);
	*ret = r == 0 && d.moved;
	for (; i < w->engine.n && r == 0; i++)
		if (w->engine.rows[i].kind == FL_AGREE_EVICT)
			r = release(w, now, w->engine.rows[i].workload, heard, ret, err);
	return r;
}
