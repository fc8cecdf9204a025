/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/agree/agree.h"

#include <math.h>
#include <string.h>

#include "ask/agree/window.h"
#include "base/amount.h"
#include "model/newcomer.h"

struct fl_agree {
	struct fl_agree_options o;
	struct fl_model *m;
	struct fl_policy *p;          /* in the state just before the first that was heard */
	struct fl_agree_heard *heard; /* a ring */
	uint32_t first, n, cap;
	fl_time began, end; /* end: no window goes beyond it */
	fl_time judged_to;  /* the end of the last window */
	struct fl_agree_tally tally;
	struct fl_agree_window window;
};

/* --- beginning and end --- */

/* A policy of @m in the state of @from, which is of the same model. */
static int copy_policy(const struct fl_agree *a, const struct fl_model *m, fl_time now,
		       const struct fl_policy *from, struct fl_policy **ret, fairlead_error *err)
{
	const struct fl_policy_options options = { .mem = a->o.mem,
						   .now = now,
						   .unsampled = a->o.unsampled,
						   .flush_after = a->o.flush_after,
						   .moving_usage = a->o.moving_usage };
	struct fl_arena arena;
	struct fl_workload *was;
	int r = FAIRLEAD_ENOMEM;

	fl_arena_init(&arena, a->o.mem);
	was = fl_arena_alloc(&arena, m->n_workloads, sizeof *was, err);
	for (uint32_t w = 0; was && w < m->n_workloads; w++)
		was[w].v = w;
	if (was)
		r = a->o.ops->new (m, &options, ret, err);
	if (r == 0 && (r = a->o.ops->adopt(*ret, now, from, was, err)) < 0)
		*ret = a->o.ops->free(*ret);
	fl_arena_done(&arena);
	return r;
}

int fl_agree_new(const struct fl_agree_options *options, struct fl_model *m, fl_time now,
		 const struct fl_policy *from, struct fl_agree **ret, fairlead_error *err)
{
	struct fl_agree *a = options->mem->resize(options->mem->user, NULL, sizeof *a);
	int r;

	if (!a)
		return fl_fail_nomem(err);
	*a = (struct fl_agree){
		.o = *options, .m = m, .began = now, .end = FL_NEVER, .judged_to = FL_TIME_NONE
	};
	a->window.o = &a->o;
	if ((r = fl_agree_tally_init(&a->tally, a->o.mem, err)) < 0 ||
	    (r = copy_policy(a, m, now, from, &a->p, err)) < 0) {
		fl_agree_free(a);
		return r;
	}
	*ret = a;
	return 0;
}

static struct fl_agree_heard *at(struct fl_agree *a, uint32_t i) { return &a->heard[a->first + i]; }

static void drop(struct fl_agree *a)
{
	fl_mem_free(a->o.mem, (void *)(uintptr_t)at(a, 0)->event.holding.rows);
	a->first++;
	if (--a->n == 0)
		a->first = 0;
}

struct fl_agree *fl_agree_free(struct fl_agree *a)
{
	const struct fl_mem *mem;

	if (!a)
		return NULL;
	mem = a->o.mem;
	while (a->n)
		drop(a);
	fl_mem_free(mem, a->heard);
	fl_agree_window_done(&a->window);
	fl_agree_tally_done(&a->tally, mem);
	if (a->p)
		a->o.ops->free(a->p);
	return fl_mem_free(mem, a);
}

/* --- what is heard --- */

static int copy_rows(const struct fl_mem *mem, struct fl_event *e, fairlead_error *err)
{
	const struct fl_placement *from = e->holding.rows;
	struct fl_placement *rows = NULL;
	uint32_t n = e->kind == FL_EV_HOLDS ? e->holding.n : 0;

	if (n) {
		rows = mem->resize(mem->user, NULL, n * sizeof *rows);
		if (!rows)
			return fl_fail_nomem(err);
		memcpy(rows, from, n * sizeof *rows);
	}
	e->holding.rows = rows;
	e->holding.n = n;
	return 0;
}

/* A ring that is moved to its beginning when its end is reached. */
static int make_room(struct fl_agree *a, fairlead_error *err)
{
	if (a->first > a->n && a->first + a->n == a->cap) {
		memcpy(a->heard, a->heard + a->first, a->n * sizeof *a->heard);
		a->first = 0;
	}
	return fl_mem_grow(a->o.mem, &a->heard, &a->cap, a->first + a->n + 1, sizeof *a->heard,
			   err);
}

static int apply_first(struct fl_agree *a, fairlead_error *err);

static int push(struct fl_agree *a, const struct fl_agree_heard *h, fairlead_error *err)
{
	struct fl_agree_heard own = *h;
	int r = a->n < FL_AGREE_EVENTS ? 0 : apply_first(a, err);

	if (r < 0 || (r = make_room(a, err)) < 0 || (r = copy_rows(a->o.mem, &own.event, err)) < 0)
		return r;
	a->n++;
	*at(a, a->n - 1) = own;
	return 0;
}

/* The @back-th from the end: 1 is the last; NULL: it is another kind of thing, or of another workload. */
static struct fl_agree_heard *last(struct fl_agree *a, uint32_t back, enum fl_agree_what what,
				   struct fl_workload w)
{
	struct fl_agree_heard *h = back <= a->n ? at(a, a->n - back) : NULL;

	return h && h->what == what && h->event.workload.v == w.v ? h : NULL;
}

/* Its object has changed while it held quota: it returned just now, and holds quota as before. */
static bool held_before(struct fl_agree *a, struct fl_workload w)
{
	const struct fl_agree_heard *submitted = last(a, 1, FL_AGREE_EVENT, w);
	const struct fl_agree_heard *returned = last(a, 2, FL_AGREE_RETURNS, w);

	return submitted && submitted->event.kind == FL_EV_SUBMIT && returned && returned->held;
}

int fl_agree_hear(struct fl_agree *a, fl_time now, const struct fl_event *event,
		  fairlead_error *err)
{
	const struct fl_agree_heard h = { .at = now,
					  .event = *event,
					  .told = event->kind == FL_EV_HOLDS &&
						  held_before(a, event->workload) };

	return push(a, &h, err);
}

/* --- judged, and applied --- */

/* What only the engine decided in a window before, the scheduler decided now. */
static void note_later(struct fl_agree *a, const struct fl_agree_heard *h)
{
	char name[FL_AGREE_NAME];
	enum fl_agree_kind kind;

	if (!fl_agree_is_decision(h, &kind))
		return;
	fl_agree_name(a->m, h->event.workload, name);
	fl_agree_tally_later(&a->tally, kind, name, h->at);
}

static void note_decision(struct fl_agree *a, const struct fl_agree_heard *h)
{
	enum fl_agree_kind kind;

	note_later(a, h);
	if (fl_agree_is_decision(h, &kind) && h->at > a->judged_to)
		fl_agree_tally_hour(&a->tally, h->at)->unjudged++;
}

/* Its place is another's from now on, if the policy lets it go. */
static int let_go(struct fl_agree *a, const struct fl_agree_heard *h, fairlead_error *err)
{
	const struct fl_event cancel = { .kind = FL_EV_CANCEL, .workload = h->event.workload };
	int r = a->o.ops->apply(a->p, h->at, &cancel, err);

	if (r != FAIRLEAD_ENOMEM)
		r = a->o.ops->leave(a->p, cancel.workload, err);
	return r == 0 ? fl_model_vacate(a->m, cancel.workload, err) : r;
}

/* The policy hears what really happened; what it refuses, it does not know. */
static int apply_first(struct fl_agree *a, fairlead_error *err)
{
	const struct fl_agree_heard *h = at(a, 0);
	fl_time next;
	int r = a->o.ops->flush ? a->o.ops->flush(a->p, h->at, &next, err) : 0;

	if (r < 0)
		return r;
	if (h->what == FL_AGREE_EVENT)
		r = a->o.ops->apply(a->p, h->at, &h->event, err);
	else if (h->what == FL_AGREE_LEAVES)
		r = let_go(a, h, err);
	if (r == FAIRLEAD_ENOMEM)
		return r;
	note_decision(a, h);
	drop(a);
	return 0;
}

static bool is_unjudged(struct fl_agree *a, const struct fl_agree_heard *h)
{
	enum fl_agree_kind kind;

	return h->at > a->judged_to && fl_agree_is_decision(h, &kind);
}

static void set_window(struct fl_agree *a, uint32_t start)
{
	struct fl_agree_window *w = &a->window;

	w->m = a->m;
	w->p = a->p;
	w->heard = at(a, 0);
	w->start = start;
	w->from = w->heard[start].at;
	w->to = fl_amount_min(a->end, fl_sat_add(w->from, a->o.window));
	w->n_all = a->n;
	w->late = a->o.late;
	for (w->n = start; w->n < a->n && w->heard[w->n].at <= w->to; w->n++)
		w->late = fl_amount_max(w->late, fl_agree_lateness(&a->o, &w->heard[w->n]));
	w->cut = fl_sat_add(w->to, w->late) > a->end;
}

/* The window that begins with the @start-th; the policy is just before that then. */
static int judge(struct fl_agree *a, uint32_t start, fairlead_error *err)
{
	const fl_time latest = a->o.late ? FL_AGREE_LATEST * FL_SECOND : 0;
	const fl_time since = fl_sat_sub(at(a, start)->at, latest);
	int r = 0;

	while (start && at(a, 0)->at < since && r == 0) {
		r = apply_first(a, err);
		start--;
	}
	if (r < 0)
		return r;
	set_window(a, start);
	r = fl_agree_judge(&a->window, &a->tally, err);
	if (r == 0)
		a->judged_to = a->window.to;
	for (uint32_t i = start; i < a->window.n; i++)
		note_later(a, at(a, i));
	for (; start && r == 0; start--)
		r = apply_first(a, err);
	if (r < 0)
		return r;
	set_window(a, 0);
	return fl_agree_keep(&a->window, &a->tally, err);
}

/* What can be part of no window any more. */
static int forget(struct fl_agree *a, fl_time before, fairlead_error *err)
{
	int r = 0;

	while (r == 0 && a->n && at(a, 0)->at < before)
		r = apply_first(a, err);
	return r;
}

/* How late the decisions are that are known. */
static fl_time lateness(struct fl_agree *a)
{
	fl_time ret = a->o.late;

	for (uint32_t i = 0; i < a->n; i++)
		ret = fl_amount_max(ret, fl_agree_lateness(&a->o, at(a, i)));
	return ret;
}

int fl_agree_pass(struct fl_agree *a, fl_time now, fairlead_error *err)
{
	const fl_time latest = a->o.late ? FL_AGREE_LATEST * FL_SECOND : 0;
	const fl_time over = fl_sat_sub(now, a->o.window + lateness(a));
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < a->n && at(a, i)->at < over;)
		if (is_unjudged(a, at(a, i))) {
			r = judge(a, i, err);
			i = 0;
		} else {
			i++;
		}
	return r < 0 ? r : forget(a, fl_sat_sub(over, latest), err);
}

int fl_agree_end(struct fl_agree *a, fl_time now, fairlead_error *err)
{
	a->end = now;
	return fl_agree_pass(a, FL_NEVER, err);
}

/* Those that are not over; what comes now is of the next ones. */
static int end_windows(struct fl_agree *a, fl_time now, fairlead_error *err)
{
	int r = fl_agree_end(a, now, err);

	a->end = FL_NEVER;
	a->judged_to = fl_amount_min(a->judged_to, now - 1);
	return r;
}

/* --- newcomers --- */

int fl_agree_join(struct fl_agree *a, fl_time now, struct fl_workload w, struct fl_workload was,
		  bool holds, fairlead_error *err)
{
	struct fl_agree_heard h = { .at = now,
				    .what = FL_AGREE_RETURNS,
				    .event = { .kind = FL_EV_SUBMIT, .workload = w },
				    .was = was };
	struct fl_agree_heard *ended = NULL;
	int r = a->o.ops->join ? a->o.ops->join(a->p, w, err) : 1;

	if (r || was.v == FL_NONE)
		return r;
	if (last(a, 1, FL_AGREE_LEAVES, was))
		ended = last(a, 2, FL_AGREE_EVENT, was);
	if (!ended)
		return 0;
	ended->comes_back = true;
	ended->holds = h.holds = holds;
	h.held = ended->event.kind == FL_EV_FINISHED;
	return push(a, &h, err);
}

int fl_agree_leave(struct fl_agree *a, fl_time now, struct fl_workload w, fairlead_error *err)
{
	const struct fl_agree_heard h = { .at = now,
					  .what = FL_AGREE_LEAVES,
					  .event = { .kind = FL_EV_CANCEL, .workload = w },
					  .excluded = a->m->workloads[w.v].excluded };
	int r = a->o.ops->leave ? push(a, &h, err) : 1;

	if (r == 0)
		fl_model_part(a->m, w);
	return r;
}

/* --- another model --- */

int fl_agree_renew(struct fl_agree *a, struct fl_model *m, fl_time now,
		   const struct fl_policy *from, fairlead_error *err)
{
	struct fl_policy *next = NULL;
	int r = end_windows(a, now, err);

	if (r == 0)
		r = copy_policy(a, m, now, from, &next, err);
	if (r < 0)
		return r;
	a->o.ops->free(a->p);
	a->p = next;
	a->m = m;
	return 0;
}

/* --- what is asked --- */

void fl_agree_counted(const struct fl_agree *a, fl_time from, fl_time to,
		      struct fl_agree_counts *ret)
{
	fl_agree_tally_sum(&a->tally, from, to, ret);
}

const struct fl_agree_difference *fl_agree_next(const struct fl_agree *a, fl_time from, fl_time to,
						uint32_t *i)
{
	return fl_agree_tally_next(&a->tally, from, to, i);
}

fl_time fl_agree_began(const struct fl_agree *a) { return a->began; }

double fl_agree_part(uint64_t both, uint64_t all)
{
	return all ? (double)both / (double)all : (double)NAN;
}

const char *fl_agree_kind_name(enum fl_agree_kind kind)
{
	return kind == FL_AGREE_ADMIT ? "admit" : "evict";
}

const char *fl_agree_side_name(enum fl_agree_side side)
{
	static const char *const names[] = { "real", "engine", "placed" };

	return names[side];
}

const char *fl_agree_cause_name(enum fl_agree_cause cause)
{
	static const char *const names[] = { "rule", "time", "order", "unknown" };

	return names[cause];
}
