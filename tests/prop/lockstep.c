/* SPDX-License-Identifier: Apache-2.0 */
#include "prop/lockstep.h"

#include <stdarg.h>
#include <string.h>

#include "base/amount.h"
#include "prop/told.h"

__attribute__((format(printf, 2, 3))) static void did(struct lockstep *l, const char *format, ...)
{
	int n = snprintf(l->done, sizeof l->done,
			 "%.3f s: ", (double)(l->now - l->m->newest) / (double)FL_SECOND);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(l->done + n, sizeof l->done - (size_t)n, format, args);
	va_end(args);
}

static const char *text_of(const struct lockstep *l, struct fl_workload w)
{
	return w.v < l->m->n_workloads ? fl_model_text(l->m, l->m->workloads[w.v].name) : "nobody";
}

/* --- events --- */

static const char *const event_names[] = {
	[FL_EV_SUBMIT] = "submit",   [FL_EV_CANCEL] = "cancel",     [FL_EV_STARTED] = "started",
	[FL_EV_EVICTED] = "evicted", [FL_EV_FINISHED] = "finished", [FL_EV_REJECTED] = "rejected",
	[FL_EV_KILLED] = "killed",   [FL_EV_CELL] = "cell",         [FL_EV_USAGE] = "usage",
	[FL_EV_HOLDS] = "holds",     [FL_EV_GOES] = "goes",
};

static fl_amount any_amount(struct choices *c)
{
	unsigned amount = choose(c, 13);

	return amount < 11 ? (fl_amount)amount : amount == 11 ? FL_NO_LIMIT : 100;
}

static struct fl_cell borrow_cell(const struct lockstep *l, struct choices *c)
{
	static const enum fl_cell_kind cells[] = { FL_CELL_NOMINAL, FL_CELL_BORROWING_LIMIT,
						   FL_CELL_LENDING_LIMIT, FL_CELL_WEIGHT };
	struct fl_cell cell = { .kind = cells[choose(c, 4)] };

	cell.node.v = choose(c, l->m->n_nodes);
	cell.flavor.v = choose(c, l->m->n_flavors);
	cell.resource.v = choose(c, l->m->n_resources);
	cell.amount = any_amount(c);
	cell.weight = (double)(cell.amount % 5) / 2;
	return cell;
}

static struct fl_cell entitle_cell(const struct lockstep *l, struct choices *c)
{
	static const enum fl_cell_kind cells[] = { FL_CELL_DESERVED, FL_CELL_LIMIT,
						   FL_CELL_OVER_QUOTA_WEIGHT,
						   FL_CELL_QUEUE_PRIORITY, FL_CELL_ALLOCATABLE };
	unsigned amount = choose(c, 12);
	struct fl_cell cell = { .kind = cells[choose(c, 5)], .flavor = { FL_NONE } };

	cell.resource = l->m->axis[choose(c, 4) ? FL_GPU : FL_CPU];
	if (cell.kind == FL_CELL_ALLOCATABLE)
		cell.machine.v = choose(c, l->m->n_machines);
	else
		cell.node.v = choose(c, l->m->n_nodes);
	cell.value = cell.kind == FL_CELL_QUEUE_PRIORITY ? 95 + amount :
		     amount == 11                        ? FL_UNBOUNDED :
							   amount;
	return cell;
}

static bool is_entitled(const struct lockstep *l) { return l->m->n_machines > 0; }

/* What may well happen to somebody in this state. */
static enum fl_event_kind likely(enum fl_workload_state state, struct choices *c)
{
	static const enum fl_event_kind held[] = { FL_EV_FINISHED, FL_EV_FINISHED, FL_EV_FINISHED,
						   FL_EV_STARTED,  FL_EV_REJECTED, FL_EV_KILLED,
						   FL_EV_CANCEL,   FL_EV_CELL };

	switch (state) {
	case FL_STATE_ABSENT:
		return FL_EV_SUBMIT;
	case FL_STATE_ADMITTED:
		return held[choose(c, 8)];
	case FL_STATE_EVICTING:
		return choose(c, 4) ? FL_EV_EVICTED : held[choose(c, 8)];
	default:
		return choose(c, 3) ? FL_EV_CELL : FL_EV_CANCEL;
	}
}

static void draw_cell(const struct lockstep *l, struct choices *c, struct fl_event *e, bool own)
{
	if (own)
		e->cell = (struct fl_cell){ .kind = FL_CELL_PRIORITY,
					    .flavor = { FL_NONE },
					    .resource = { FL_NONE },
					    .amount = is_entitled(l) ? 40 + 10 * choose(c, 12) :
								       choose(c, 5) };
	else
		e->cell = is_entitled(l) ? entitle_cell(l, c) : borrow_cell(l, c);
}

static struct fl_event draw_event(const struct lockstep *l, struct choices *c)
{
	unsigned what = choose(c, 16);
	struct fl_event e = { .workload = { choose(c, l->m->n_workloads) },
			      .machine = { FL_NONE } };

	if (what < 11)
		e.kind = likely(l->ops[FULL]->state(l->p[FULL], e.workload), c);
	else if (what < 14)
		e.kind = FL_EV_CELL;
	else
		e.kind = (enum fl_event_kind)choose(c, FL_EV_USAGE + 1);
	if (e.kind == FL_EV_CELL)
		draw_cell(l, c, &e, /* own= */ what < 11);
	if (e.kind == FL_EV_KILLED && is_entitled(l) && choose(c, 2))
		e.machine.v = choose(c, l->m->n_machines);
	if (e.kind == FL_EV_USAGE) {
		unsigned queue = choose(c, l->m->n_nodes + 1);

		e.sample = (struct fl_sample){ .node = { queue == l->m->n_nodes ? FL_NONE : queue },
					       .from = l->now - choose(c, 8) * FL_SECOND,
					       .to = l->now };
		e.sample.amount.of[FL_GPU] = choose(c, 8);
	}
	return e;
}

/* Another scheduler decides: who is pending holds something, who holds something goes. */
static struct fl_event draw_other(const struct lockstep *l, struct choices *c)
{
	struct fl_event e = { .workload = { choose(c, l->m->n_workloads) },
			      .machine = { FL_NONE },
			      .since = l->now - (fl_time)choose(c, 3) * FL_SECOND };
	enum fl_workload_state state = l->ops[FULL]->state(l->p[FULL], e.workload);
	bool goes = state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING;

	if (choose(c, 16) == 0)
		goes = !goes;
	if (choose(c, 8) == 0)
		e.since = FL_TIME_NONE;
	e.kind = goes ? FL_EV_GOES : FL_EV_HOLDS;
	if (goes) {
		e.reason = (enum fl_reason)choose(c, FL_REASONS);
		if (is_entitled(l) && choose(c, 2))
			e.machine.v = choose(c, l->m->n_machines);
	} else {
		e.holding = told_any(l->m, e.workload, c);
	}
	return e;
}

static bool apply(struct lockstep *l, const struct fl_event *e)
{
	fairlead_error err[BOTH] = { { 0 } };
	int r[BOTH];

	for (int i = 0; i < BOTH; i++)
		r[i] = l->ops[i]->apply(l->p[i], l->now, e, &err[i]);
	if (e->kind == FL_EV_CELL)
		did(l, "cell %d of %s/%u/%u/%u: %lld", (int)e->cell.kind, text_of(l, e->workload),
		    e->cell.node.v, e->cell.flavor.v, e->cell.resource.v,
		    (long long)e->cell.amount);
	else
		did(l, "%s %s%s", event_names[e->kind], text_of(l, e->workload),
		    r[FULL] < 0 ? ", refused" : "");
	if (r[FULL] < 0)
		l->counts.refused++;
	else
		l->counts.events++;
	if (r[FULL] != r[PART] || strcmp(err[FULL].text, err[PART].text) != 0)
		return lockstep_differ(l, "answer: full: %d %s; else: %d %s", r[FULL],
				       err[FULL].text, r[PART], err[PART].text);
	return true;
}

static bool complete_evictions(struct lockstep *l)
{
	bool same = true;

	for (uint32_t w = 0; same && w < l->m->n_workloads; w++) {
		struct fl_event e = { .kind = FL_EV_EVICTED, .workload = { w } };

		if (l->ops[FULL]->state(l->p[FULL], e.workload) == FL_STATE_EVICTING)
			same = apply(l, &e);
	}
	did(l, "all who must go have gone");
	return same;
}

/* --- steps --- */

static void no_row(void *user, const struct fl_evidence *row) { (void)user, (void)row; }

static void count_rows(struct lockstep_counts *n, const struct fl_decisions *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		n->admitted += d->rows[i].kind == FL_ADMIT;
		n->reserved += d->rows[i].kind == FL_RESERVE;
		n->evicted += d->rows[i].kind == FL_EVICT;
		n->waiting += d->rows[i].kind == FL_WAIT;
	}
}

/* Decisions of several steps, one behind the other. */
struct all {
	struct fl_decision *rows;
	struct fl_placement *placements;
	struct fl_workload *heads;
	uint32_t cap_rows, cap_placements, cap_heads;
};

static void *widen(void *rows, uint32_t *cap, uint32_t n, size_t size)
{
	if (n > *cap)
		rows = realloc(rows, (*cap = 2 * n) * size);
	ENSURE(rows || !n);
	return rows;
}

static void append(struct all *all, struct fl_decisions *sum, const struct fl_decisions *d)
{
	all->rows = widen(all->rows, &all->cap_rows, sum->n + d->n, sizeof *all->rows);
	all->placements = widen(all->placements, &all->cap_placements,
				sum->n_placements + d->n_placements, sizeof *all->placements);
	all->heads = widen(all->heads, &all->cap_heads, sum->n_heads + d->n_heads,
			   sizeof *all->heads);
	for (uint32_t i = 0; i < d->n; i++) {
		all->rows[sum->n] = d->rows[i];
		all->rows[sum->n++].placement.first += sum->n_placements;
	}
	for (uint32_t i = 0; i < d->n_placements; i++)
		all->placements[sum->n_placements++] = d->placements[i];
	for (uint32_t i = 0; i < d->n_heads; i++)
		all->heads[sum->n_heads++] = d->heads[i];
	sum->rows = all->rows;
	sum->placements = all->placements;
	sum->heads = all->heads;
	sum->waiting |= d->waiting;
	sum->moved = d->moved;
}

/* Full steps of the first at one moment, until one admits nobody. */
static int repeat(struct lockstep *l, struct all *all, struct fl_decisions *ret,
		  fairlead_error *err)
{
	bool admitted = true;
	int r = 0;

	*ret = (struct fl_decisions){ .n = 0 };
	while (r == 0 && admitted) {
		struct fl_decisions d;

		r = l->ops[FULL]->step(l->p[FULL], l->now, FL_STEP_FULL, /* sink= */ NULL, &d, err);
		admitted = false;
		for (uint32_t i = 0; r == 0 && i < d.n; i++)
			admitted |= d.rows[i].kind == FL_ADMIT;
		if (r == 0)
			append(all, ret, &d);
	}
	return r;
}

static bool compare_step(struct lockstep *l, const char *how, const struct fl_decisions d[BOTH])
{
	did(l, "step%s: %u rows, of %u", how, d[PART].n, d[FULL].n);
	l->counts.steps++;
	count_rows(&l->counts, &d[FULL]);
	if (l->aloud)
		lockstep_say_rows(l, &d[FULL]);
	return lockstep_same_step(l, d);
}

static bool step_repeated(struct lockstep *l)
{
	struct all all = { .rows = NULL };
	struct fl_decisions d[BOTH];
	fairlead_error err = { 0 };
	int r = repeat(l, &all, &d[FULL], &err);
	bool same;

	if (r == 0)
		r = l->ops[PART]->step(l->p[PART], l->now, FL_STEP_FULL, /* sink= */ NULL, &d[PART],
				       &err);
	same = r == 0 ? compare_step(l, "s", d) : lockstep_differ(l, "step: %s", err.text);
	if (same && d[FULL].n != d[PART].n)
		same = lockstep_differ(l, "rows: %u, else %u", d[FULL].n, d[PART].n);
	free(all.rows);
	free(all.placements);
	free(all.heads);
	return same;
}

/* The second looks at everything now and then, too, and with somebody who listens. */
static bool step(struct lockstep *l, struct choices *c)
{
	static const struct fl_sink listener = { .row = no_row };
	unsigned how = choose(c, 32);
	const unsigned flags[BOTH] = { FL_STEP_FULL, how == 0 ? FL_STEP_FULL : 0 };
	const struct fl_sink *const sinks[BOTH] = { NULL, how == 1 ? &listener : NULL };
	struct fl_decisions d[BOTH];
	fairlead_error err = { 0 };
	int r = 0;

	if (l->repeats)
		return step_repeated(l);
	for (int i = 0; i < BOTH && r == 0; i++)
		r = l->ops[i]->step(l->p[i], l->now, flags[i], sinks[i], &d[i], &err);
	if (r < 0)
		return lockstep_differ(l, "step: %s", err.text);
	return compare_step(l, how == 0 ? " (full)" : how == 1 ? " (listened to)" : "", d);
}

static bool try(struct lockstep *l, struct choices *c)
{
	struct fl_workload w = { choose(c, l->m->n_workloads) };
	struct fl_decisions d[BOTH] = { { 0 } };
	fairlead_error err[BOTH] = { { 0 } };
	int r[BOTH];

	/* Of who has gone not all is known to one that left it out. */
	if (l->apart && l->ops[FULL]->state(l->p[FULL], w) == FL_STATE_ABSENT)
		return true;
	for (int i = 0; i < BOTH; i++)
		r[i] = l->ops[i]->try(l->p[i], l->now, w, /* sink= */ NULL, &d[i], &err[i]);
	did(l, "try %s", text_of(l, w));
	l->counts.tries++;
	if (r[FULL] != r[PART])
		return lockstep_differ(l, "try: full: %d; else: %d", r[FULL], r[PART]);
	if (r[FULL] < 0)
		return true;
	return lockstep_same_try(l, d);
}

/* --- marks and time --- */

static bool mark(struct lockstep *l)
{
	if (l->depth == LOCKSTEP_DEPTH)
		return true;
	for (int i = 0; i < BOTH; i++)
		ENSURE(l->ops[i]->mark(l->p[i], &l->marks[l->depth][i], NULL) == 0);
	l->told_at[l->depth++] = *l->told;
	l->counts.marks++;
	did(l, "mark %u", l->depth);
	return true;
}

static bool end_mark(struct lockstep *l, struct choices *c, bool back)
{
	if (!l->depth)
		return true;
	l->depth = choose(c, l->depth);
	for (int i = 0; i < BOTH; i++)
		(back ? l->ops[i]->rollback : l->ops[i]->keep)(l->p[i], l->marks[l->depth][i]);
	if (back)
		*l->told = l->told_at[l->depth];
	did(l, "%s mark %u", back ? "roll back to" : "keep since", l->depth + 1);
	return true;
}

/* To just before the time at which the policy wants to be asked, to it, or beyond it. */
static bool pass(struct lockstep *l, struct choices *c)
{
	fl_time wake = l->ops[FULL]->wake(l->p[FULL], l->now);

	if (wake == FL_NEVER || wake - l->now > 3600 * FL_SECOND)
		wake = l->now + FL_SECOND;
	wake = fl_sat_add(wake, (fl_time)choose(c, 3) - 1);
	l->now = wake > l->now ? wake : l->now;
	did(l, "time passes");
	return true;
}

static bool operate(struct lockstep *l, struct choices *c)
{
	unsigned what = choose(c, 64);
	struct fl_event e;

	if (what < 2)
		return mark(l);
	if (what < 4)
		return end_mark(l, c, /* back= */ what == 2);
	if (what < 7)
		return try(l, c);
	if (what < 10)
		return complete_evictions(l);
	if (what < 14)
		return pass(l, c);
	if (what < 36) {
		e = l->others && what < 24 ? draw_other(l, c) : draw_event(l, c);
		return apply(l, &e);
	}
	return step(l, c);
}

bool lockstep_do(struct lockstep *l, const struct draw *draw)
{
	struct choices c = { draw->bytes, draw->bytes + sizeof draw->bytes };
	unsigned later = choose(&c, 16);

	if (later < 4)
		l->now += (fl_time)(1 + later) * FL_SECOND;
	else if (later == 4)
		l->now += FL_SECOND / 10;
	did(l, "nothing");
	return operate(l, &c) && lockstep_same_state(l);
}

void lockstep_open(struct lockstep *l, const struct fl_policy_ops *const ops[BOTH],
		   const struct fl_model *const m[BOTH], const struct fl_policy_options *options)
{
	static struct lockstep_told told;

	ENSURE(m[FULL]->n_workloads <= LOCKSTEP_JOBS);
	told = (struct lockstep_told){ .next = { 0 } };
	*l = (struct lockstep){
		.ops = { ops[FULL], ops[PART] }, .m = m[FULL], .now = options->now, .told = &told
	};
	l->repeats = m[PART]->settings.many_heads && !m[FULL]->settings.many_heads;
	for (int i = 0; i < BOTH; i++)
		ENSURE(ops[i]->new (m[i], options, &l->p[i], NULL) == 0);
}

void lockstep_close(struct lockstep *l)
{
	for (int i = 0; i < BOTH; i++)
		l->p[i] = l->ops[i]->free(l->p[i]);
}
