/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/agree/window.h"

#include <stdio.h>

#include "ask/agree/past.h"
#include "ask/agree/run.h"
#include "ask/agree/world.h"
#include "base/amount.h"

bool fl_agree_is_decision(const struct fl_agree_heard *h, enum fl_agree_kind *ret_kind)
{
	const struct fl_event *e = &h->event;

	*ret_kind = e->kind == FL_EV_GOES ? FL_AGREE_EVICT : FL_AGREE_ADMIT;
	return h->what == FL_AGREE_EVENT &&
	       ((e->kind == FL_EV_HOLDS && !h->told) ||
		(e->kind == FL_EV_GOES && fl_agree_is_preemption(e->reason)));
}

fl_time fl_agree_lateness(const struct fl_agree_options *o, const struct fl_agree_heard *h)
{
	const fl_time since = h->event.since, latest = FL_AGREE_LATEST * FL_SECOND;
	const bool known = o->late && since != FL_TIME_NONE && since > fl_sat_sub(h->at, latest);
	enum fl_agree_kind kind;

	return fl_agree_is_decision(h, &kind) && known ?
		       fl_amount_max(o->late, fl_sat_sub(h->at, since)) :
		       o->late;
}

uint32_t fl_agree_root(const struct fl_model *m, struct fl_workload w)
{
	struct fl_node n = m->workloads[w.v].cluster_queue;

	if (n.v != FL_NONE && m->nodes[n.v].kind == FL_QUEUE)
		return FL_NONE;
	while (n.v != FL_NONE && m->nodes[n.v].parent.v != FL_NONE)
		n = m->nodes[n.v].parent;
	return n.v;
}

void fl_agree_name(const struct fl_model *m, struct fl_workload w, char ret[FL_AGREE_NAME])
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	(void)snprintf(ret, FL_AGREE_NAME, "%s/%s", fl_model_text(m, row->namespace),
		       fl_model_text(m, row->name));
}

/* --- what was decided --- */

static int find_real(struct fl_agree_window *w, fairlead_error *err)
{
	int r = 0;

	w->real.n = w->real.n_placements = 0;
	for (uint32_t i = w->start; i < w->n && r == 0; i++) {
		const struct fl_event *e = &w->heard[i].event;
		struct fl_agree_decided d = { .workload = e->workload,
					      .at = w->heard[i].at,
					      .heard = i };

		if (!fl_agree_is_decision(&w->heard[i], &d.kind))
			continue;
		d.reason = d.kind == FL_AGREE_ADMIT ? FL_REASON_FITS : e->reason;
		r = fl_agree_add(w->o->mem, &w->real, &d, e->holding.rows,
				 d.kind == FL_AGREE_ADMIT ? e->holding.n : 0, err);
	}
	return r;
}

/* --- the same, or not --- */

static bool has_row(const struct fl_placement *rows, uint32_t n, const struct fl_placement *row)
{
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].podset == row->podset && rows[i].resource.v == row->resource.v &&
		    rows[i].flavor.v == row->flavor.v && rows[i].count == row->count)
			return true;
	return false;
}

/* Rows of a podset that asks for nothing are not in an admission. */
static bool same_placement(const struct fl_placement *a, uint32_t n, const struct fl_placement *b,
			   uint32_t k)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i].resource.v != FL_NONE && !has_row(b, k, &a[i]))
			return false;
	for (uint32_t i = 0; i < k; i++)
		if (b[i].resource.v != FL_NONE && !has_row(a, n, &b[i]))
			return false;
	return true;
}

bool fl_agree_is_same(const struct fl_agree_window *w, struct fl_workload a, struct fl_workload b)
{
	const struct fl_sym x = w->m->workloads[a.v].uid, y = w->m->workloads[b.v].uid;

	return a.v == b.v || (x.v == y.v && x.v != FL_NONE && *fl_model_text(w->m, x));
}

/* Each decision of the one side with the first of the other that is not taken yet. */
static void match(struct fl_agree_window *w)
{
	for (uint32_t i = 0; i < w->real.n && !fl_agree_is_tired(w); i++) {
		struct fl_agree_decided *x = &w->real.rows[i];

		for (uint32_t k = 0; k < w->engine.n && x->other == FL_NONE; k++) {
			struct fl_agree_decided *y = &w->engine.rows[k];

			if (y->other != FL_NONE || y->kind != x->kind ||
			    !fl_agree_is_same(w, y->workload, x->workload))
				continue;
			x->other = k;
			y->other = i;
			x->placed = y->placed = !same_placement(
				w->real.placements + x->placement.first, x->placement.n,
				w->engine.placements + y->placement.first, y->placement.n);
		}
	}
}

bool fl_agree_decides(const struct fl_agree_window *w, const struct fl_agree_heard *h,
		      const struct fl_agree_decided *y)
{
	enum fl_agree_kind kind;

	return fl_agree_is_decision(h, &kind) && kind == y->kind &&
	       fl_agree_is_same(w, h->event.workload, y->workload) &&
	       (kind == FL_AGREE_EVICT ||
		same_placement(h->event.holding.rows, h->event.holding.n,
			       w->engine.placements + y->placement.first, y->placement.n));
}

bool fl_agree_ends(const struct fl_agree_window *w, const struct fl_agree_heard *h,
		   const struct fl_agree_decided *y)
{
	return h->what == FL_AGREE_EVENT && !h->comes_back &&
	       (h->event.kind == FL_EV_FINISHED || h->event.kind == FL_EV_CANCEL) &&
	       fl_agree_is_same(w, h->event.workload, y->workload);
}

/*
 * What the engine decides, and the scheduler a moment later, is judged where it is really decided: in
 * the next window.  Where it is not known what comes later, it is not judged; nor where the workload
 * ended before the scheduler could have written it.
 */
static bool comes_late(const struct fl_agree_window *w, const struct fl_agree_decided *y)
{
	const fl_time until = fl_sat_add(y->at, w->late);

	if (until > w->to && w->cut)
		return true;
	for (uint32_t i = 0; i < w->n_all && w->heard[i].at <= until; i++) {
		const struct fl_agree_heard *h = &w->heard[i];

		if (h->at >= y->at &&
		    (fl_agree_ends(w, h, y) || (i >= w->n && fl_agree_decides(w, h, y))))
			return true;
	}
	return false;
}

static void leave_out_late(struct fl_agree_window *w)
{
	for (uint32_t i = 0; i < w->engine.n && !fl_agree_is_tired(w); i++) {
		struct fl_agree_decided *y = &w->engine.rows[i];

		y->late = y->other == FL_NONE && comes_late(w, y);
	}
}

static bool agrees(const struct fl_agree_decided *d) { return d->other != FL_NONE && !d->placed; }

static bool count(struct fl_agree_window *w, struct fl_agree_counts *c)
{
	bool same = true;

	c->windows++;
	for (uint32_t i = 0; i < w->real.n; i++) {
		struct fl_agree_count *n = &c->of[w->real.rows[i].kind][w->real.rows[i].reason];

		n->real++;
		n->real_too += agrees(&w->real.rows[i]);
		same &= agrees(&w->real.rows[i]);
	}
	for (uint32_t i = 0; i < w->engine.n; i++) {
		struct fl_agree_count *n = &c->of[w->engine.rows[i].kind][w->engine.rows[i].reason];

		if (w->engine.rows[i].late)
			continue;
		n->engine++;
		n->engine_too += agrees(&w->engine.rows[i]);
		same &= agrees(&w->engine.rows[i]);
	}
	return same;
}

/* --- what differs, and by which comparison --- */

struct listening {
	const struct fl_agree_window *w;
	struct fl_agree_difference *of[FL_AGREE_OF_WINDOW];
	struct fl_workload workloads[FL_AGREE_OF_WINDOW];
	uint32_t heard[FL_AGREE_OF_WINDOW]; /* of the scheduler's */
	uint32_t n;
};

static void copy_name(char *to, size_t size, const char *from)
{
	(void)snprintf(to, size, "%s", from);
}

/*
 * Of an admission the rows about it, of an eviction those about this victim: the last that failed
 * where the engine does not decide so, else the last that held.
 */
static bool says(const struct fl_agree_window *w, const struct fl_agree_difference *d,
		 struct fl_workload of, const struct fl_evidence *row)
{
	struct fl_workload about = d->kind == FL_AGREE_ADMIT ? row->workload : row->victim;

	return about.v != FL_NONE && row->holds == (d->side != FL_AGREE_REAL) &&
	       fl_agree_is_same(w, about, of);
}

static void listen(void *user, const struct fl_evidence *row)
{
	struct listening *l = user;
	const struct fl_model *m = l->w->m;

	for (uint32_t i = 0; i < l->n; i++) {
		struct fl_agree_difference *d = l->of[i];

		if (!says(l->w, d, l->workloads[i], row))
			continue;
		d->compared = true;
		d->by = (struct fl_agree_inequality){
			.check = row->check, .lhs = row->lhs, .rhs = row->rhs, .holds = row->holds
		};
		if (row->node.v != FL_NONE)
			copy_name(d->by.node, sizeof d->by.node,
				  fl_model_text(m, m->nodes[row->node.v].name));
		if (row->flavor.v != FL_NONE && m->n_machines == 0)
			copy_name(d->by.flavor, sizeof d->by.flavor,
				  fl_model_text(m, m->flavors[row->flavor.v].name));
		if (row->resource.v != FL_NONE)
			copy_name(d->by.resource, sizeof d->by.resource,
				  fl_model_text(m, m->resources[row->resource.v]));
	}
}

static void list_one(struct listening *l, struct fl_agree_tally *t, uint64_t window,
		     const struct fl_agree_decided *of, enum fl_agree_side side)
{
	const struct fl_agree_window *w = l->w;
	const struct fl_model *m = w->m;
	const struct fl_workload_row *row = &m->workloads[of->workload.v];
	struct fl_agree_difference *d;
	const char *said;

	if (l->n == FL_AGREE_OF_WINDOW)
		return;
	d = fl_agree_tally_add(t);
	d->window = window;
	d->kind = of->kind;
	d->side = of->placed ? FL_AGREE_PLACED : side;
	d->at = of->at;
	d->real = side == FL_AGREE_REAL ? of->reason : FL_REASON_NONE;
	d->engine = side == FL_AGREE_ENGINE ? of->reason :
		    of->placed              ? w->engine.rows[of->other].reason :
				 w->o->ops->reason(w->p, fl_agree_place(w, of->workload));
	fl_agree_name(m, of->workload, d->workload);
	if (row->cluster_queue.v != FL_NONE)
		copy_name(d->queue, sizeof d->queue,
			  fl_model_text(m, m->nodes[row->cluster_queue.v].name));
	said = w->o->said ? w->o->said(w->o->user, of->workload) : NULL;
	copy_name(d->said, sizeof d->said, said ? said : "");
	l->workloads[l->n] = of->workload;
	l->heard[l->n] = of->heard;
	l->of[l->n++] = d;
}

/* Call it at the end of the run, whose reasons are asked. */
static void list(struct listening *l, struct fl_agree_tally *t, uint64_t window)
{
	const struct fl_agree_window *w = l->w;

	for (uint32_t i = 0; i < w->real.n; i++)
		if (!agrees(&w->real.rows[i]))
			list_one(l, t, window, &w->real.rows[i], FL_AGREE_REAL);
	for (uint32_t i = 0; i < w->engine.n; i++)
		if (w->engine.rows[i].other == FL_NONE && !w->engine.rows[i].late)
			list_one(l, t, window, &w->engine.rows[i], FL_AGREE_ENGINE);
}

/* Runs once more, and listens. */
static int compare(struct fl_agree_window *w, struct listening *l, fairlead_error *err)
{
	const struct fl_sink sink = { .row = listen, .user = l };
	fl_mark mark;
	int r = w->o->ops->mark(w->p, &mark, err);

	if (r < 0)
		return r;
	r = fl_agree_run(w, &sink, err);
	w->o->ops->rollback(w->p, mark);
	return r;
}

/* --- why --- */

/* What only the engine decided, as the scheduler would have; anywhere. */
static struct fl_agree_heard as_heard(const struct fl_agree_difference *d, struct fl_workload w)
{
	return (struct fl_agree_heard){
		.at = d->at,
		.event = { .kind = d->kind == FL_AGREE_ADMIT ? FL_EV_HOLDS : FL_EV_GOES,
			   .workload = w,
			   .reason = d->engine },
	};
}

/* It ended by itself before the scheduler came to it. */
static bool ended_after(const struct fl_agree_window *w, const struct fl_agree_difference *d,
			struct fl_workload of)
{
	const struct fl_agree_decided y = { .workload = of };

	for (uint32_t i = 0; i < w->n_all; i++)
		if (w->heard[i].at >= d->at && fl_agree_ends(w, &w->heard[i], &y))
			return true;
	return false;
}

/* With what was heard longer before than `late`: a scheduler that hears, or decides, slowly. */
static int would_behind(struct fl_agree_window *w, uint32_t heard, const struct fl_agree_heard *own,
			fairlead_error *err)
{
	const fl_time late = w->late;
	int r;

	if (!w->o->late)
		return 0;
	w->late = FL_AGREE_LATEST * FL_SECOND;
	r = fl_agree_would(w, heard, own, err);
	w->late = late;
	return r;
}

/*
 * In the state in which the scheduler was: would the engine decide so, too, where only the scheduler did; and not,
 * where only the engine did?  Then it is the order of what was heard and decided before.
 */
static int find_cause(struct fl_agree_window *w, struct fl_agree_difference *d,
		      struct fl_workload of, uint32_t heard, fairlead_error *err)
{
	const bool engine = d->side == FL_AGREE_ENGINE;
	const struct fl_agree_heard own = engine ? as_heard(d, of) : w->heard[heard];
	int r;

	for (heard = engine ? 0 : heard; engine && heard < w->n && w->heard[heard].at <= d->at;)
		heard++;
	r = fl_agree_would(w, heard, &own, err);
	if (r >= 0)
		d->cause = (r > 0) != engine ? FL_AGREE_ORDER : FL_AGREE_RULE;
	if (r >= 0 && d->cause == FL_AGREE_RULE)
		r = engine ? ended_after(w, d, of) : would_behind(w, heard, &own, err);
	if (r > 0 && d->cause == FL_AGREE_RULE)
		d->cause = FL_AGREE_TIME;
	return r < 0 ? r : 0;
}

static int find_causes(struct listening *l, struct fl_agree_window *w, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < l->n && r == 0; i++) {
		if (!fl_agree_is_tired(w))
			r = find_cause(w, l->of[i], l->workloads[i], l->heard[i], err);
		if (w->tired)
			l->of[i]->cause = FL_AGREE_UNKNOWN;
	}
	return r;
}

int fl_agree_keep(struct fl_agree_window *w, struct fl_agree_tally *t, fairlead_error *err)
{
	int r;

	if (!w->o->keep || !w->differs)
		return 0;
	fl_agree_past(w);
	r = w->o->keep(w->o->user, t->windows, w->m, w->p, w->from, err);
	fl_agree_present(w);
	if (r > 0)
		fl_agree_tally_kept(t, t->windows);
	return r < 0 ? r : 0;
}

bool fl_agree_is_tired(struct fl_agree_window *w)
{
	w->tired = w->tired || (w->o->tired && w->o->tired(w->o->user));
	return w->tired;
}

/* What is not known of the scheduler, and can be one or the other: `exact`, `first`. */
struct guess {
	bool exact, first;
};

/* Both sides, in the state after the run. */
static int run_once(struct fl_agree_window *w, struct guess guess, fairlead_error *err)
{
	int r = find_real(w, err);

	w->exact = guess.exact;
	w->first = guess.first;
	if (r == 0)
		r = fl_agree_run(w, /* sink= */ NULL, err);
	if (r == 0 && !w->tired) {
		match(w);
		leave_out_late(w);
	}
	return r;
}

static int run_again(struct fl_agree_window *w, struct guess guess, fl_mark *mark,
		     fairlead_error *err)
{
	int r;

	w->o->ops->rollback(w->p, *mark);
	r = w->o->ops->mark(w->p, mark, err);
	return r < 0 ? r : run_once(w, guess, err);
}

static uint32_t n_apart(const struct fl_agree_window *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->real.n; i++)
		n += !agrees(&w->real.rows[i]);
	for (uint32_t i = 0; i < w->engine.n; i++)
		n += !w->engine.rows[i].late && !agrees(&w->engine.rows[i]);
	return n;
}

/*
 * Until its own write comes back to it, the scheduler has the time of what it decided to less than
 * `grain`; and what it decided at one moment is not all decided at the last one at which the engine decides the
 * first of it.  So in a window that differs the guess counts with which the least does.
 */
static int run_window(struct fl_agree_window *w, fl_mark *mark, fairlead_error *err)
{
	static const struct guess guesses[] = {
		{ false, false }, { true, false }, { false, true }, { true, true }
	};
	const uint32_t n = w->o->late ? 4 : 1;
	uint32_t best = 0, least;
	int r = run_once(w, guesses[0], err);

	if (r < 0 || w->tired)
		return r;
	least = n_apart(w);
	for (uint32_t i = 1; i < n && least; i++) {
		r = run_again(w, guesses[i], mark, err);
		if (r < 0 || w->tired)
			return r;
		if (n_apart(w) < least) {
			best = i;
			least = n_apart(w);
		}
	}
	return !least || n == 1 || best == n - 1 ? r : run_again(w, guesses[best], mark, err);
}

int fl_agree_judge(struct fl_agree_window *w, struct fl_agree_tally *t, fairlead_error *err)
{
	struct fl_agree_counts *counts = fl_agree_tally_hour(t, w->from);
	struct listening l = { .w = w };
	fl_mark mark;
	bool same = true;
	int r;

	w->tired = false;
	w->differs = false;
	r = fl_agree_look_around(w, err);
	if (r < 0 || (r = w->o->ops->mark(w->p, &mark, err)) < 0)
		return r;
	r = run_window(w, &mark, err);
	if (w->tired)
		counts->unjudged += w->real.n;
	if (r == 0 && !w->tired) {
		same = count(w, counts);
		list(&l, t, t->windows + 1);
	}
	w->o->ops->rollback(w->p, mark);
	if (r < 0 || w->tired)
		return r;
	t->windows++;
	w->differs = !same;
	if (!same && (r = compare(w, &l, err)) == 0)
		r = find_causes(&l, w, err);
	return r;
}

void fl_agree_window_done(struct fl_agree_window *w)
{
	struct fl_agree_side_rows *sides[] = { &w->real, &w->engine };

	for (int i = 0; i < 2; i++) {
		fl_mem_free(w->o->mem, sides[i]->rows);
		fl_mem_free(w->o->mem, sides[i]->placements);
	}
	fl_mem_free(w->o->mem, w->stands);
	fl_mem_free(w->o->mem, w->stood);
}
