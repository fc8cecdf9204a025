/* SPDX-License-Identifier: Apache-2.0 */
/* follow - at which moment the scheduler decided as it did */
#include "ask/agree/follow.h"

#include "ask/agree/world.h"
#include "base/amount.h"

enum {
	NEAR = 1024, /* heard things that are looked through for one decision */
	MOST_AHEAD =
		16, /* admissions that are heard after an eviction, and were decided before it */
	AHEAD_TRIES = 8, /* moments for one of them */
};

struct fl_agree_decided *fl_agree_row_of(const struct fl_agree_window *w, uint32_t from,
					 const struct fl_agree_heard *h)
{
	enum fl_agree_kind kind;

	if (!fl_agree_is_decision(h, &kind))
		return NULL;
	for (uint32_t i = from; i < w->engine.n; i++) {
		struct fl_agree_decided *y = &w->engine.rows[i];

		if (!y->taken && y->kind == kind &&
		    fl_agree_is_same(w, y->workload, h->event.workload))
			return y;
	}
	return NULL;
}

/* How far from what the scheduler decides; the less of the first, the better. */
struct apart {
	uint32_t others; /* decisions that it does not make at about that time */
	uint32_t order;  /* its own that come between these, and are not of the engine */
};

static const struct apart nothing_like_it = { UINT32_MAX, UINT32_MAX };

static bool is_less(struct apart a, struct apart b)
{
	return a.others != b.others ? a.others < b.others : a.order < b.order;
}

bool fl_agree_is_of_engine(const struct fl_agree_window *w, const struct fl_agree_heard *h)
{
	for (uint32_t i = 0; i < w->engine.n; i++)
		if (fl_agree_decides(w, h, &w->engine.rows[i]))
			return true;
	return false;
}

/* Where the scheduler decides as @y, at about the time of heard[@at]; FL_NONE. */
static uint32_t real_of(const struct fl_agree_window *w, const struct fl_agree_decided *y,
			uint32_t at)
{
	const fl_time until = fl_sat_add(w->heard[at].at, w->late);

	for (uint32_t k = at > NEAR ? at - NEAR : 0; k < w->n_all && k < at + NEAR; k++) {
		if (w->heard[k].at > until)
			break;
		if (fl_agree_decides(w, &w->heard[k], y) ||
		    (w->heard[k].at > y->at && fl_agree_ends(w, &w->heard[k], y)))
			return k;
	}
	return FL_NONE;
}

/* What the engine decided from row @from on. */
static struct apart how_far(struct fl_agree_window *w, uint32_t from, uint32_t at)
{
	struct apart ret = { 0 };
	uint32_t last = at;

	for (uint32_t i = from; i < w->engine.n && !fl_agree_is_tired(w); i++) {
		const uint32_t k = real_of(w, &w->engine.rows[i], at);

		ret.others += k == FL_NONE;
		last = k != FL_NONE && k > last ? k : last;
	}
	for (uint32_t k = at; k < last && !fl_agree_is_tired(w); k++) {
		enum fl_agree_kind kind;

		ret.order += fl_agree_is_decision(&w->heard[k], &kind) &&
			     !fl_agree_is_of_engine(w, &w->heard[k]);
	}
	return ret;
}

/* Cycles when all before @to was heard, until one decides as heard[@at]. */
static int decide_at(struct fl_agree_cycles *x, uint32_t to, uint32_t at,
		     const struct fl_sink *sink, struct apart *ret, fairlead_error *err)
{
	const uint32_t from = x->w->engine.n;
	struct fl_agree_decided *y = NULL;
	int r = fl_agree_apply_to(x, to, err);

	*ret = nothing_like_it;
	if (r < 0 || (r = fl_agree_know(x, err)) != 0)
		return r < 0 ? r : 0;
	r = fl_agree_flush(x, x->w->heard[to].at, err);
	if (x->w->exact) /* one by one, as they are heard */
		x->now = fl_amount_max(x->now, x->w->heard[to].at);
	x->moved = true;
	for (int i = 0; i < FL_AGREE_CYCLES && r == 0 && !y && x->moved; i++) {
		r = fl_agree_cycle(x, sink, err);
		y = fl_agree_row_of(x->w, from, &x->w->heard[at]);
	}
	if (y) {
		*ret = how_far(x->w, from, at);
		y->taken = true;
	}
	return r;
}

/* As decide_at; it takes effect if what it decides is what the scheduler decides next, and no other moment is better. */
static int try_at(struct fl_agree_cycles *x, uint32_t to, uint32_t at, struct apart *ret,
		  fairlead_error *err)
{
	const struct fl_agree_cycles was = *x;
	struct fl_agree_mark mark;
	int r = fl_agree_world_mark(x->w, &mark, err);

	if (r < 0)
		return r;
	r = decide_at(x, to, at, /* sink= */ NULL, ret, err);
	if (r == 0 && ret->others + ret->order == 0 && !x->sink && !x->w->first) {
		x->w->o->ops->keep(x->w->p, mark.mark);
		return 0;
	}
	fl_agree_world_back(x->w, &mark);
	*x = was;
	return r;
}

/* What the engine says of a decision that it does not make at any of the moments. */
static int listen_at(struct fl_agree_cycles *x, uint32_t at, fairlead_error *err)
{
	const struct fl_agree_cycles was = *x;
	struct fl_agree_mark mark;
	struct apart apart;
	int r = x->sink ? fl_agree_world_mark(x->w, &mark, err) : 0;

	if (!x->sink || r < 0)
		return r;
	r = decide_at(x, at, at, x->sink, &apart, err);
	fl_agree_world_back(x->w, &mark);
	*x = was;
	return r;
}

/* A moment at which the scheduler may have decided: what was heard by then, and its clock (flush_after). */
struct moment {
	uint32_t to;
	fl_time early;
	struct apart apart;
};

static bool is_exact(const struct moment *m) { return m->apart.others + m->apart.order == 0; }

/* With what was heard before heard[@last], or less: the last moment (or first) at which nothing is apart; or the least. */
static int try_moments(struct fl_agree_cycles *x, uint32_t last, uint32_t at, uint32_t most,
		       struct moment *best, fairlead_error *err)
{
	const fl_time since = fl_sat_sub(x->w->heard[at].at, x->w->late);
	const bool first = x->w->first;
	struct apart apart;
	uint32_t tries = 0;
	int r = 0;

	for (uint32_t to = last; r == 0 && !x->w->tired && tries < most; to--) {
		if (to == last || fl_agree_changes(&x->w->heard[to])) {
			tries++;
			r = try_at(x, to, at, &apart, err);
			if (r == 0 && (is_less(apart, best->apart) ||
				       (first && apart.others + apart.order == 0)))
				*best = (struct moment){ to, x->early, apart };
			if (is_exact(best) && !first)
				break;
		}
		if (to <= x->done || (first && x->w->heard[to].at < since))
			break;
	}
	return r;
}

/*
 * heard[@at], decided with no more than what was heard before heard[@last].  At a moment at which nothing is
 * apart it has taken effect; else nothing has.
 */
static int find_moment(struct fl_agree_cycles *x, uint32_t last, uint32_t at, uint32_t most,
		       struct moment *best, fairlead_error *err)
{
	const fl_time flush_after = x->w->o->flush_after;
	int r = 0;

	*best = (struct moment){ .to = FL_NONE, .apart = nothing_like_it };
	for (int i = 0; i < fl_agree_n_clocks(x->w) && r == 0 && !is_exact(best); i++) {
		x->early = fl_agree_clocks[i] * flush_after;
		r = try_moments(x, last, at, most, best, err);
	}
	if (r == 0 && is_exact(best) && (x->sink || x->w->first)) {
		x->early = best->early;
		r = decide_at(x, best->to, at, x->sink, &best->apart, err);
	}
	x->early = 0;
	return r;
}

/* --- admissions that are heard after an eviction, and were decided before it --- */

static bool is_admission_like(const struct fl_agree_window *w, const struct fl_agree_heard *h,
			      uint32_t root)
{
	enum fl_agree_kind kind;

	return fl_agree_is_decision(h, &kind) && kind == FL_AGREE_ADMIT &&
	       fl_agree_root(w->m, h->event.workload) == root && !fl_agree_is_of_engine(w, h);
}

/* Those in the same tree that the engine decides with what was heard before heard[@at].  *ret: so many. */
static int decide_ahead(struct fl_agree_cycles *x, uint32_t at, uint32_t *ret, fairlead_error *err)
{
	const struct fl_agree_window *w = x->w;
	const uint32_t root = fl_agree_root(w->m, w->heard[at].event.workload);
	const fl_time until = fl_sat_add(w->heard[at].at, w->late);
	uint32_t looked = 0;
	int r = 0;

	*ret = 0;
	for (uint32_t k = at + 1;
	     k < w->n && w->heard[k].at <= until && looked < MOST_AHEAD && r == 0; k++) {
		const uint32_t from = w->engine.n;
		struct moment best;

		if (!is_admission_like(w, &w->heard[k], root))
			continue;
		looked++;
		r = find_moment(x, at, k, AHEAD_TRIES, &best, err);
		if (r < 0 || !is_exact(&best))
			continue;
		++*ret;
		for (uint32_t i = from; i < w->engine.n; i++)
			w->engine.rows[i].taken = false; /* when they are heard they are */
	}
	return r;
}

/*
 * The scheduler writes an eviction while it decides, and an admission a moment after that.  1: with admissions
 * that are heard later decided first, the engine decides this as the scheduler, and nothing else.
 */
static int follow_ahead(struct fl_agree_cycles *x, uint32_t at, fairlead_error *err)
{
	const struct fl_agree_cycles was = *x;
	struct fl_agree_mark mark;
	struct moment best;
	uint32_t n = 0;
	int r = fl_agree_world_mark(x->w, &mark, err);

	if (r < 0)
		return r;
	x->sink = NULL;
	r = decide_ahead(x, at, &n, err);
	if (r == 0 && n)
		r = find_moment(x, at, at, FL_AGREE_TRIES, &best, err);
	x->sink = was.sink;
	if (r == 0 && n && is_exact(&best) && !x->sink) {
		x->w->o->ops->keep(x->w->p, mark.mark);
		return 1;
	}
	fl_agree_world_back(x->w, &mark);
	*x = was;
	if (r < 0 || !n || !is_exact(&best))
		return r;
	r = decide_ahead(x, at, &n, err);
	if (r == 0)
		r = find_moment(x, at, at, FL_AGREE_TRIES, &best, err);
	return r < 0 ? r : 1;
}

int fl_agree_follow(struct fl_agree_cycles *x, uint32_t at, fairlead_error *err)
{
	const struct fl_agree_heard *h = &x->w->heard[at];
	struct fl_agree_decided *y = fl_agree_row_of(x->w, 0, h);
	struct moment best;
	int r = 0;

	if (y) {
		y->taken = true;
		return 0;
	}
	if (h->event.kind == FL_EV_GOES && x->w->o->late && (r = follow_ahead(x, at, err)) != 0)
		return r < 0 ? r : 0;
	r = find_moment(x, at, at, FL_AGREE_TRIES, &best, err);
	if (r < 0 || is_exact(&best))
		return r;
	if (best.to == FL_NONE)
		return listen_at(x, at, err);
	x->early = best.early;
	r = decide_at(x, best.to, at, x->sink, &best.apart, err);
	x->early = 0;
	return r;
}
