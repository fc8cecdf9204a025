/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycle - one scheduling cycle (doc/semantics/borrow.md, B3, B7 and B9)
 *
 *   1. every active queue gives its head;
 *   2. each head is nominated alone against the snapshot: flavors, victims;
 *   3. heads are served in order, each against the snapshot as changed by those before it;
 *   4. what was decided takes effect: admissions, evictions, how the others are pending.
 *
 * Promises: until step 4 nothing outside this cycle's memory changes, and step 4 cannot fail; so a
 * cycle takes effect whole or not at all.
 *
 * A tree that the last cycle left unchanged, and in which nothing has changed since, is not looked
 * at (backlog.c, `dirty`): the decisions about its heads would be repeated.  Under Admission Fair
 * Sharing usage decays all the time, so every tree is looked at.
 */
#include <string.h>

#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/backlog/requeue.h"
#include "decide/borrow/cycle/assign.h"
#include "decide/borrow/cycle/heads.h"
#include "decide/borrow/cycle/order.h"
#include "decide/borrow/guarantee/going.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/preempt/borrowers.h"
#include "decide/borrow/preempt/preempt.h"

static int new_views(struct fl_policy *p, struct fl_cycle *c, fairlead_error *err)
{
	int r;

	if ((r = fl_view_new(p, &c->s, err)) < 0 || (r = fl_view_new(p, &c->freed, err)) < 0 ||
	    (r = fl_borrowers_new(p, &c->s, err)) < 0)
		return r;
	return fl_borrowers_new(p, &c->freed, err);
}

int fl_cycle_new(struct fl_policy *p, fairlead_error *err)
{
	struct fl_arena *a = &p->arena;
	uint32_t nodes = p->tree.n_nodes;
	struct fl_cycle *c = p->scratch = fl_arena_alloc(a, 1, sizeof *c, err);
	int r;

	if (!c)
		return FAIRLEAD_ENOMEM;
	if ((r = new_views(p, c, err)) < 0 || (r = fl_heads_new(p, &c->heads, err)) < 0 ||
	    (r = fl_preempt_new(p, &c->tell, &c->marks, &c->search, err)) < 0 ||
	    (r = fl_assign_new(p, &c->tell, c->search, &c->assign, err)) < 0 ||
	    (r = fl_order_new(p, &c->turns, err)) < 0)
		return r;
	c->entries = fl_arena_alloc(a, nodes, sizeof *c->entries, err);
	c->entry_of = fl_arena_alloc(a, nodes, sizeof *c->entry_of, err);
	c->roots = fl_arena_alloc(a, p->tree.n_roots, sizeof *c->roots, err);
	c->marks.of = fl_arena_alloc(a, p->places, sizeof *c->marks.of, err);
	return c->entries && c->entry_of && c->roots && c->marks.of ? 0 : FAIRLEAD_ENOMEM;
}

int fl_cycle_room(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	int r = fl_preempt_reserve(p, p->scratch->search, p->holdings.n + 1, err);

	return r < 0 ? r : fl_holders_room(p, w, err);
}

/*
 * Marks are numbers of cycles, searches and passes, so nothing need be cleared.  All begin again
 * long before they wrap, which would take a busy service only days.
 */
static void renew_marks(struct fl_policy *p)
{
	struct fl_cycle *c = p->scratch;

	if (c->marks.serial < FL_MARKS_RENEWED && !fl_preempt_is_worn(c->search))
		return;
	fl_preempt_renew(p, c->search);
	fl_order_renew(p, c->turns);
	fl_heads_renew(p, c->heads);
	memset(c->marks.of, 0, p->places * sizeof *c->marks.of);
	c->marks.serial = 0;
}

static void begin(struct fl_policy *p, const struct fl_sink *sink)
{
	struct fl_cycle *c = p->scratch;

	renew_marks(p);
#ifdef FL_CHECKED
	fl_rung_check(p);
#endif
	fl_usage_copy(&c->s.usage, &p->usage, &p->tree);
	fl_usage_copy(&c->freed.usage, &p->usage, &p->tree);
	fl_usage_clean(&p->usage);
	fl_usage_clean(&c->s.usage);
	fl_usage_clean(&c->freed.usage);
	for (uint32_t i = 0; i < c->n_entries; i++)
		c->entry_of[c->entries[i].queue.v] = 0;
	c->heads->n = c->n_entries = c->n_victims = c->n_roots = c->n_reserving = 0;
	c->odd = c->ours = false;
	c->tell.sink = sink;
	c->marks.serial++;
	fl_protect_begin(p);
}

static void decide(struct fl_entry *e, enum fl_verdict verdict, enum fl_reason reason)
{
	e->verdict = verdict;
	e->reason = reason;
}

/* Is its promise kept in any case until it is admitted? */
static bool is_certain(const struct fl_policy *p, const struct fl_entry *e)
{
	return p->rungs && p->jobs[e->workload.v].promised;
}

/* Assigns what it was promised, or else by the rules. */
static int assign(struct fl_policy *p, struct fl_view *v, struct fl_entry *e, const int16_t *only,
		  fairlead_error *err)
{
	struct fl_assign *k = p->scratch->assign;
	int r = is_certain(p, e)                ? fl_assign_certain(p, k, v, e, err) :
		p->jobs[e->workload.v].promised ? fl_assign_promised(p, k, v, e, err) :
						  0;

	return r == 0 ? fl_assign_nominate(p, k, v, e, only, err) : r < 0 ? r : 0;
}

static int nominate(struct fl_policy *p, struct fl_entry *e, fairlead_error *err)
{
	bool known = e->assignment.uses !=
		     NULL; /* it was found by a quick check to fit (heads.h) */

	return known || fl_heads_set_aside(p, e) ? 0 : assign(p, &p->scratch->s, e, NULL, err);
}

/*
 * A negative reservation breaks the rule that the usage of a cohort follows from that of its
 * children; then the second view is made again from S, victim by victim.
 */
static void refresh_freed(struct fl_policy *p)
{
	struct fl_cycle *c = p->scratch;

	if (!c->odd)
		return;
	fl_usage_copy(&c->freed.usage, &c->s.usage, &p->tree);
	for (uint32_t i = 0; i < c->n_entries; i++)
		for (uint32_t k = 0;
		     c->entries[i].verdict == FL_PREEMPTING && k < c->entries[i].n_targets; k++)
			fl_view_take(p, &c->freed, c->entries[i].targets[k].workload);
}

static void add_usage(struct fl_policy *p, const struct fl_entry *e)
{
	struct fl_ask ask = fl_entry_ask(e);

	fl_view_add(p, &p->scratch->s, &ask);
	fl_view_add(p, &p->scratch->freed, &ask);
	if (p->rungs)
		fl_rung_join(p, e, /* joins= */ true);
}

/* How much of the @i-th amount is kept for @e, which has no victims and could still get it. */
static fl_amount kept_of(struct fl_policy *p, const struct fl_entry *e, uint32_t i)
{
	const struct fl_tree *t = &p->tree;
	struct fl_column column = e->assignment.uses[i].column;
	size_t at = fl_tree_cell(t, e->queue, column);
	fl_amount amount = e->assignment.uses[i].amount, usage = p->scratch->s.usage.cell[at];
	fl_amount limit = fl_protect_may_borrow(p, e->queue, column) ? t->borrowing_limit[at] : 0;

	if (e->assignment.level == 0)
		return fl_amount_max(0,
				     fl_amount_min(amount, fl_quota_less(t->nominal[at], usage)));
	return limit == FL_NO_LIMIT ?
		       amount :
		       fl_amount_min(amount,
				     fl_quota_less(fl_quota_add(t->nominal[at], limit), usage));
}

static bool may_reserve(const struct fl_policy *p, const struct fl_entry *e)
{
	return p->model->nodes[e->queue.v].reclaim != FL_PREEMPT_ANY;
}

bool fl_cycle_reserves(struct fl_policy *p, const struct fl_entry *e)
{
	for (uint32_t i = 0; may_reserve(p, e) && i < e->assignment.n_uses; i++)
		if (kept_of(p, e, i) != 0)
			return true;
	return false;
}

/*
 * Keeps what a workload without victims could still get from workloads that are served later
 * (doc/semantics/borrow.md, B7.5).  With the guarantee the amounts are remembered, and never
 * negative: that would make room that does not exist (README.md, lemma 1).
 */
static int reserve(struct fl_policy *p, struct fl_entry *e, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	struct fl_use *kept = NULL;

	if (!may_reserve(p, e))
		return 0;
	if (p->rungs &&
	    !(kept = fl_arena_alloc(&p->cycle_arena, e->assignment.n_uses, sizeof *kept, err)))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < e->assignment.n_uses; i++) {
		struct fl_use use = { e->assignment.uses[i].column, kept_of(p, e, i) };

		if (kept && (use.amount < 0 || fl_usage_overflows(&c->s.usage, &p->tree, e->queue,
								  use.column, use.amount)))
			use.amount = 0;
		c->odd |= use.amount < 0;
		fl_usage_add(&c->s.usage, &p->tree, e->queue, use.column, use.amount);
		fl_usage_add(&c->freed.usage, &p->tree, e->queue, use.column, use.amount);
		if (kept)
			kept[i] = use;
	}
	e->kept = kept;
	c->n_reserving += kept != NULL;
	return 0;
}

/* Takes all that entries keep from others out of both views, or puts it back. */
static void lift_reservations(struct fl_policy *p, bool out)
{
	struct fl_cycle *c = p->scratch;

	for (uint32_t i = 0; i < c->n_entries; i++) {
		const struct fl_entry *e = &c->entries[i];

		for (uint32_t u = 0; e->kept && u < e->assignment.n_uses; u++) {
			struct fl_use use = e->kept[u];

			(out ? fl_usage_remove : fl_usage_add)(&c->s.usage, &p->tree, e->queue,
							       use.column, use.amount);
			(out ? fl_usage_remove : fl_usage_add)(&c->freed.usage, &p->tree, e->queue,
							       use.column, use.amount);
		}
	}
}

static bool overlaps(const struct fl_policy *p, const struct fl_entry *e)
{
	for (uint32_t i = 0; i < e->n_targets; i++)
		if (fl_marks_is_chosen(&p->scratch->marks, e->targets[i].workload.v))
			return true;
	return false;
}

/*
 * Some of its victims were chosen for another entry: assigns again without these, in the same
 * flavors (doc/semantics/borrow.md, B7.3).
 */
static int recompute(struct fl_policy *p, struct fl_entry *e, fairlead_error *err)
{
	size_t n = fl_scan(p, &p->jobs[e->workload.v]).n;
	int16_t *only = fl_arena_alloc(&p->cycle_arena, n, sizeof *only, err);

	if (!only)
		return FAIRLEAD_ENOMEM;
	memcpy(only, e->assignment.flavor, n * sizeof *only);
	return assign(p, &p->scratch->freed, e, only, err);
}

static void emit_fits(struct fl_policy *p, const struct fl_entry *e, enum fl_check check)
{
	struct fl_cycle *c = p->scratch;

	for (uint32_t i = 0; c->tell.sink && i < e->assignment.n_uses; i++) {
		const struct fl_use *use = &e->assignment.uses[i];
		const struct fl_column_info *info =
			&fl_tree_root_of(&p->tree, e->queue)->columns[use->column.v];
		fl_amount available = fl_quota_available(&p->tree, &c->freed.usage, e->queue,
							 use->column);
		struct fl_evidence row = {
			.check = check,
			.workload = e->workload,
			.podset = FL_NONE,
			.node = e->queue,
			.flavor = info->flavor,
			.resource = info->resource,
			.victim = { FL_NONE },
			.lhs = { .amount = use->amount },
			.rhs = { .amount = fl_amount_max(0, available) },
			.holds = use->amount <= fl_amount_max(0, available),
		};

		fl_tell(&c->tell, &row);
	}
}

/* Does it still fit, without all victims so far and its own? */
static bool still_fits(struct fl_policy *p, const struct fl_entry *e)
{
	struct fl_cycle *c = p->scratch;
	struct fl_ask ask = fl_entry_ask(e);
	bool fits;

	for (uint32_t i = 0; i < e->n_targets; i++)
		fl_view_take(p, &c->freed, e->targets[i].workload);
	fits = fl_protect_fits(p, &c->freed, &ask, true);
	emit_fits(p, e, e->n_targets ? FL_CHECK_FITS_WITHOUT : FL_CHECK_FITS_AFTER);
	for (uint32_t i = e->n_targets; i-- > 0;)
		fl_view_give(p, &c->freed, e->targets[i].workload);
	return fits;
}

static bool overflows(struct fl_policy *p, const struct fl_entry *e)
{
	for (uint32_t i = 0; i < e->assignment.n_uses; i++)
		if (fl_usage_overflows(&p->scratch->s.usage, &p->tree, e->queue,
				       e->assignment.uses[i].column, e->assignment.uses[i].amount))
			return true;
	return false;
}

/*
 * It is admitted, or waits for the evictions in progress; a promise with which it can do neither
 * is void.
 */
static void keep_promise(struct fl_policy *p, struct fl_entry *e)
{
	struct fl_cycle *c = p->scratch;
	struct fl_ask ask = fl_entry_ask(e);

	if (e->assignment.mode == FL_MODE_FIT && still_fits(p, e)) {
		decide(e, FL_ADMITTED, FL_REASON_FITS);
		e->starts_late = true;
	} else if (fl_going_fits_later(p, &c->marks, &c->freed, &ask)) {
		decide(e, FL_DEFERRED, FL_REASON_WAITING_FOR_PREEMPTED);
	} else {
		decide(e, FL_SKIPPED, FL_REASON_NO_LONGER_FITS);
		return;
	}
	add_usage(p, e);
}

/* Finds its standing. 0: one of its victims may not be preempted for it after all. */
static int find_standing(struct fl_policy *p, struct fl_entry *e, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;

	return p->rungs ? fl_rung_serve(p, &(struct fl_serving){ &c->tell, &c->marks, &c->freed },
					e, err) :
			  1;
}

/* Serves @e in both views as they are now, however it was nominated. */
static int serve(struct fl_policy *p, struct fl_entry *e, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	const bool overlap = overlaps(p, e);
	const bool recomputed = overlap && !p->model->settings.off[FL_GATE_RECOMPUTE_ON_OVERLAP];
	int r;

	refresh_freed(p);
	if (is_certain(p, e)) {
		keep_promise(p, e);
		return 0;
	}
	if (overlap && !recomputed) {
		decide(e, FL_SKIPPED, FL_REASON_NO_LONGER_FITS);
		return 0;
	}
	if (recomputed && (r = recompute(p, e, err)) < 0)
		return r;
	if (e->assignment.mode == FL_MODE_NO_FIT) {
		decide(e, FL_NO_FIT, e->assignment.reason);
	} else if (e->assignment.mode == FL_MODE_PREEMPT && e->n_targets == 0) {
		decide(e, FL_NO_TARGETS,
		       e->assignment.backs_off ? FL_REASON_RECLAIM_BACK_OFF :
		       e->protected            ? FL_REASON_PROTECTED :
						 FL_REASON_NO_CANDIDATES);
	} else if (recomputed && e->assignment.mode == FL_MODE_FIT) {
		if ((r = find_standing(p, e, err)) < 0)
			return r;
		decide(e, FL_DEFERRED, FL_REASON_WAITING_FOR_PREEMPTED);
		add_usage(p, e);
	} else if (!still_fits(p, e)) {
		decide(e, FL_SKIPPED, FL_REASON_NO_LONGER_FITS);
	} else if (overflows(p, e)) {
		decide(e, FL_SKIPPED, FL_REASON_USAGE_LIMIT);
	} else if ((r = find_standing(p, e, err)) <= 0) {
		if (r < 0)
			return r;
		decide(e, FL_SKIPPED, FL_REASON_NO_LONGER_FITS);
	} else {
		for (uint32_t i = 0; i < e->n_targets; i++) {
			fl_marks_choose(&c->marks, e->targets[i].workload.v);
			c->n_victims++;
			fl_view_take(p, &c->freed, e->targets[i].workload);
		}
		add_usage(p, e);
		if (e->n_targets)
			decide(e, FL_PREEMPTING, FL_REASON_WAITING_FOR_PREEMPTED);
		else
			decide(e, FL_ADMITTED, FL_REASON_FITS);
	}
	return 0;
}

/* With the guarantee nothing is kept from a workload that stays within the quota of its queue. */
static int process(struct fl_policy *p, struct fl_entry *e, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	bool lift = c->n_reserving && fl_rung_is_within_quota(p, &c->marks, &c->freed, e);
	int r;

	if (lift)
		lift_reservations(p, /* out= */ true);
	r = serve(p, e, err);
	if (lift)
		lift_reservations(p, /* out= */ false);
	/*
	 * Only now: what was lifted and put back are the reservations of earlier entries, once
	 * each.
	 */
	return r == 0 && e->verdict == FL_NO_TARGETS ? reserve(p, e, err) : r;
}

/* Was its usage added to the views, so that entries served later counted it? */
static bool was_served(const struct fl_entry *e)
{
	return e->verdict == FL_ADMITTED || e->verdict == FL_PREEMPTING ||
	       e->verdict == FL_DEFERRED;
}

static int process_all(struct fl_policy *p, fairlead_error *err)
{
	struct fl_turns *turns = p->scratch->turns;
	int r = fl_order_start(p, turns, err);

	while (r == 0) {
		struct fl_entry *e = fl_order_next(p, turns);

		if (!e)
			break;
		r = process(p, e, err);
		fl_order_done(p, turns, e);
	}
	return r;
}

/* Removes what was recorded for entries that are served later. */
static void end_serving(struct fl_policy *p)
{
	for (uint32_t i = 0; p->rungs && i < p->scratch->n_entries; i++)
		if (was_served(&p->scratch->entries[i]))
			fl_rung_join(p, &p->scratch->entries[i], /* joins= */ false);
}

/* Lists what was decided as rows: first a row for each head, then its evictions. */
static int report(struct fl_policy *p, struct fl_decisions *ret, fairlead_error *err)
{
	const struct fl_cycle *c = p->scratch;
	const struct fl_heads *told = c->heads;
	uint32_t n = told->n + c->n_victims, n_placements = 0, at = 0, placed = 0;
	struct fl_decision *rows = fl_arena_alloc(&p->cycle_arena, n, sizeof *rows, err);
	struct fl_workload *heads = fl_arena_alloc(&p->cycle_arena, told->n, sizeof *heads, err);
	struct fl_placement *placements;

	for (uint32_t i = 0; i < c->n_entries; i++)
		n_placements += c->entries[i].assignment.n_placements;
	placements = fl_arena_alloc(&p->cycle_arena, n_placements, sizeof *placements, err);
	if (!rows || !heads || !placements)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < told->n; i++) {
		struct fl_entry refused;
		const struct fl_entry *e = fl_heads_told(c, &told->rows[i], &refused);
		struct fl_decision *d = &rows[at++];
		bool starts = e->verdict == FL_ADMITTED || e->verdict == FL_PREEMPTING;

		heads[i] = e->workload;
		*d = (struct fl_decision){
			.kind = e->verdict == FL_ADMITTED ? FL_ADMIT :
				starts                    ? FL_RESERVE :
							    FL_WAIT,
			.reason = e->reason,
			.workload = e->workload,
			.preemptor = { FL_NONE },
			.cluster_queue = e->queue,
			.placement = { placed, starts ? e->assignment.n_placements : 0 },
		};
		if (starts)
			memcpy(placements + placed, e->assignment.placements,
			       d->placement.n * sizeof *placements);
		placed += d->placement.n;
		for (uint32_t k = 0; e->verdict == FL_PREEMPTING && k < e->n_targets; k++) {
			const struct fl_job *victim = &p->jobs[e->targets[k].workload.v];

			rows[at++] = (struct fl_decision){
				.kind = FL_EVICT,
				.reason = e->targets[k].reason,
				.workload = e->targets[k].workload,
				.preemptor = e->workload,
				.cluster_queue = victim->held_by,
				.already_evicting = victim->state == FL_STATE_EVICTING,
			};
		}
	}
	*ret = (struct fl_decisions){ .rows = rows,
				      .n = at,
				      .placements = placements,
				      .n_placements = placed,
				      .heads = heads,
				      .n_heads = told->n };
	return 0;
}

/*
 * With the guarantee promises are kept first, so that all other entries find them in both views.
 * In order of priority and age: free quota goes first to the workload that is pending longest, not
 * to the queue that is first in the tree and is promised something all the time.
 */
static int keep_promises(struct fl_policy *p, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	uint32_t *order, n;
	int r = fl_order_promised(p, &order, &n, err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < n && r == 0; i++) {
		struct fl_entry *e = &c->entries[order[i]];

		if ((r = nominate(p, e, err)) < 0 || e->processed)
			continue;
		r = process(p, e, err);
		e->processed = true;
	}
	return r;
}

/* Makes room for @more rows behind the first @n of *@rows, which has room for *@cap. */
static bool grow(struct fl_policy *p, void *rows, uint32_t n, uint32_t more, size_t size,
		 uint32_t *cap, fairlead_error *err)
{
	void **at = rows, *wider;

	if (n + more <= *cap)
		return true;
	wider = fl_arena_alloc(&p->cycle_arena, 2 * (size_t)(n + more), size, err);
	if (!wider)
		return false;
	if (n)
		memcpy(wider, *at, n * size);
	*at = wider;
	*cap = 2 * (n + more);
	return true;
}

/* The decisions of all cycles of a step, one after another. */
struct told {
	struct fl_decision *rows;
	struct fl_placement *placements;
	struct fl_workload *heads;
	uint32_t n, n_placements, n_heads, cap, cap_placements, cap_heads;
};

static int append(struct fl_policy *p, struct told *all, const struct fl_decisions *d,
		  fairlead_error *err)
{
	if (!grow(p, &all->rows, all->n, d->n, sizeof *all->rows, &all->cap, err) ||
	    !grow(p, &all->placements, all->n_placements, d->n_placements, sizeof *all->placements,
		  &all->cap_placements, err) ||
	    !grow(p, &all->heads, all->n_heads, d->n_heads, sizeof *all->heads, &all->cap_heads,
		  err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < d->n; i++) {
		all->rows[all->n] = d->rows[i];
		all->rows[all->n++].placement.first += all->n_placements;
	}
	for (uint32_t i = 0; i < d->n_placements; i++)
		all->placements[all->n_placements++] = d->placements[i];
	for (uint32_t i = 0; i < d->n_heads; i++)
		all->heads[all->n_heads++] = d->heads[i];
	return 0;
}

static bool admitted(const struct fl_decisions *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (d->rows[i].kind == FL_ADMIT)
			return true;
	return false;
}

/* All that follows after the heads are gathered. */
static int decide_all(struct fl_policy *p, struct fl_decisions *ret, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	int r = p->rungs ? keep_promises(p, err) : 0;

	for (uint32_t i = 0; i < c->n_entries && r == 0; i++)
		if (!c->entries[i].processed)
			r = nominate(p, &c->entries[i], err);
	if (r == 0)
		r = process_all(p, err);
	end_serving(p);
	if (r == 0)
		r = report(p, ret, err);
	if (r == 0)
		r = fl_enter_reserve(p, err);
	if (r < 0)
		return r;
	fl_enter(p);
	ret->moved = fl_heads_changed(p, 0) != FL_NONE;
	return 0;
}

static int cycle(struct fl_policy *p, unsigned flags, const struct fl_sink *sink,
		 struct fl_decisions *ret, fairlead_error *err)
{
	bool waiting = fl_bitset_next(&p->ready, 0) != FL_NONE;
	int r;

	begin(p, sink);
	p->scratch->ours = flags & FL_STEP_OURS;
	r = fl_heads_gather(p, (flags & FL_STEP_FULL) || sink, err);
	if (r == 0)
		r = decide_all(p, ret, err);
	if (r == 0)
		ret->waiting = waiting;
	return r;
}

/* Runs cycles, as if each were a step, until one admits no workload. */
static int cycles(struct fl_policy *p, unsigned flags, const struct fl_sink *sink,
		  struct fl_decisions *ret, fairlead_error *err)
{
	struct told all = { .n = 0 };
	struct fl_decisions d;
	bool waiting = false;
	int r;

	do {
		r = cycle(p, flags, sink, &d, err);
		waiting |= r == 0 && d.waiting;
		if (r == 0)
			r = append(p, &all, &d, err);
	} while (r == 0 && admitted(&d));
	if (r == 0)
		*ret = (struct fl_decisions){ .rows = all.rows,
					      .n = all.n,
					      .placements = all.placements,
					      .n_placements = all.n_placements,
					      .heads = all.heads,
					      .n_heads = all.n_heads,
					      .waiting = waiting,
					      .moved = d.moved };
	return r;
}

/* Brings up to date what time changed: refusals and back-offs that ended, samples of usage. */
static int catch_up(struct fl_policy *p, fairlead_error *err)
{
	int r = fl_protect_wake_due(p, err);

	if (r == 0)
		r = fl_afs_sample_due(p, err);
	return r < 0 ? r : fl_requeue_wake_due(p, err);
}

int fl_cycle_step(struct fl_policy *p, unsigned flags, const struct fl_sink *sink,
		  struct fl_decisions *ret, fairlead_error *err)
{
	bool due = fl_protect_is_due(p) || fl_afs_any_due(p) || fl_requeue_is_due(p);
	bool many = p->model->settings.many_heads;
	struct fl_decisions decisions;
	fl_mark mark = 0;
	int r = 0;

	fl_arena_reset(&p->cycle_arena);
	/* What took effect before the last cycle is rolled back when that fails. */
	if ((due || many) && (r = fl_undo_mark(&p->undo, &mark, err)) < 0)
		return r;
	if (due)
		r = catch_up(p, err);
	if (r == 0)
		r = (many ? cycles : cycle)(p, flags, sink, &decisions, err);
	if (r == 0) {
		*ret = decisions;
		if (due || many)
			fl_undo_keep(&p->undo, mark);
	} else if (due || many) {
		fl_undo_rollback(&p->undo, mark);
		p->usage.all_written = true;
	}
	return r;
}

/*
 * If another workload of @w's queue is promised something, it would be the head: puts it into both
 * views, too.
 */
static int keep_promise_before(struct fl_policy *p, struct fl_workload w, struct fl_entry *before,
			       fairlead_error *err)
{
	struct fl_node q = p->jobs[w.v].queue;
	uint32_t sticky = p->backlogs[q.v].sticky;
	int r;

	*before = (struct fl_entry){ .workload = { sticky }, .queue = q };
	if (sticky == FL_NONE || sticky == w.v || !is_certain(p, before))
		return 0;
	if ((r = nominate(p, before, err)) == 0 && !before->processed)
		keep_promise(p, before);
	return r;
}

/* Tries @w alone, after workloads that are promised something: they come first in any cycle. */
static int try_beside_promised(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	struct fl_entry before, *e;
	int r;

	fl_heads_with_promised(p, w);
	e = &c->entries[c->entry_of[p->jobs[w.v].queue.v] - 1];
	r = keep_promise_before(p, w, &before, err);
	if (r == 0)
		r = keep_promises(p, err);
	if (r == 0 && !e->processed)
		r = nominate(p, e, err);
	if (r == 0)
		r = process_all(p, err);
	end_serving(p);
	if (was_served(&before))
		fl_rung_join(p, &before, /* joins= */ false);
	fl_heads_tell_only(c->heads, w);
	return r;
}

static int try_alone(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	int r = nominate(p, fl_heads_only(p, w), err);

	return r < 0 ? r : process_all(p, err);
}

int fl_cycle_try(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
		 struct fl_decisions *ret, fairlead_error *err)
{
	int r;

	fl_arena_reset(&p->cycle_arena);
	begin(p, sink);
	r = (p->rungs ? try_beside_promised : try_alone)(p, w, err);
	return r < 0 ? r : report(p, ret, err);
}

int fl_cycle_serve(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
		   struct fl_decisions *ret, fairlead_error *err)
{
	int r;

	fl_arena_reset(&p->cycle_arena);
	begin(p, sink);
	fl_heads_with_promised(p, w);
	r = decide_all(p, ret, err);
	if (r == 0)
		ret->waiting = true;
	return r;
}
