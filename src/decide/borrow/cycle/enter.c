/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enter - lets the decisions of a cycle take effect (doc/semantics/borrow.md, B9)
 *
 * Admitted workloads hold their quota, victims are being evicted, and a workload that stays
 * pending returns to its place, or is parked until quota is freed.
 *
 * Promises: after fl_enter_reserve has made room for everything, fl_enter cannot fail; a tree is
 * dirty (backlog.c) if and only if something in it changed.
 */
#include <string.h>

#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/cycle/heads.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/preempt/preempt.h"

/*
 * Room in the undo log for flushes because of workloads that start late.  The first flush in a
 * tree wakes workloads that are parked there, and those that this cycle parks, which takes no more
 * room than to park them (@parks); later flushes find none.  Entries are sorted by tree; if they
 * were not, this would be more room than needed.
 */
static size_t late_undo(const struct fl_policy *p, size_t parks)
{
	const struct fl_cycle *c = p->scratch;
	uint32_t flushed = FL_NONE;
	size_t room = 0;

	for (uint32_t i = 0; p->rungs && i < c->n_entries; i++) {
		uint32_t root;

		if (!c->entries[i].starts_late)
			continue;
		root = p->tree.root_index[c->entries[i].queue.v];
		room += root == flushed ? FL_BITSET_UNDO :
					  fl_backlog_flush_undo(p, c->entries[i].queue);
		flushed = root;
	}
	return flushed == FL_NONE ? 0 : room + parks;
}

/*
 * Room for the changes of a head: it holds its quota, or returns to the backlog with its scan
 * positions and a promise.
 */
static size_t head_undo(const struct fl_policy *p, const struct fl_head *h)
{
	const struct fl_job *j = &p->jobs[h->workload.v];
	const struct fl_eq_class *eq_class = &p->eq_classes[j->eq_class];
	const size_t admitted = FL_UNDO_OF(j->state) + 2 * FL_UNDO_NOTE +
				eq_class->room *
					(sizeof(struct fl_placement) + sizeof(struct fl_use));
	const size_t scanned = FL_UNDO_OF(j->scan_cycle) + FL_UNDO_OF(j->scan_generation) +
			       FL_UNDO_NOTE + eq_class->n_scan * sizeof p->scans[0];

	return FL_UNDO_OF(j->reason) + admitted + scanned + FL_UNDO_OF(p->backlogs[0].generation) +
	       FL_UNDO_OF(p->backlogs[0].sticky) +
	       fl_holders_undo(p, h->queue, eq_class->room, eq_class->room) + 2 * FL_BACKLOG_UNDO +
	       (p->protect ? fl_protect_promise_undo(p, h->workload) : 0) +
	       fl_rung_undo(p, eq_class->room);
}

/* Room for the changes of a victim: it is evicted, and perhaps yields. */
static size_t victim_undo(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];

	return FL_UNDO_OF(j->state) + FL_UNDO_OF(j->reason) + 2 * FL_HOLDERS_LIST_UNDO +
	       fl_protect_eviction_undo(p, w) + fl_rung_undo(p, j->n_use);
}

/* Makes room in the undo log for all that fl_enter may write. */
static int reserve_undo(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_cycle *c = p->scratch;
	size_t room = 0, parks = 0;

	if (!p->undo.marks)
		return 0;
	for (uint32_t i = 0; i < c->heads->n; i++) {
		room += head_undo(p, &c->heads->rows[i]);
		parks += fl_backlog_park_undo(p, c->heads->rows[i].workload);
	}
	for (uint32_t i = 0; i < c->n_entries; i++)
		for (uint32_t k = 0;
		     c->entries[i].verdict == FL_PREEMPTING && k < c->entries[i].n_targets; k++)
			room += victim_undo(p, c->entries[i].targets[k].workload);
	room += parks + late_undo(p, parks) + fl_protect_end_undo(p) +
		c->n_roots * (FL_UNDO_OF(p->cycle[0]) + 2 * FL_BITSET_UNDO);
	return fl_undo_reserve(&p->undo, room, err);
}

/* Makes room for what all admitted workloads will hold. */
static int reserve_holdings(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_cycle *c = p->scratch;
	uint32_t end = p->holdings.used, n = p->holdings.n;
	int r;

	for (uint32_t i = 0; i < c->n_entries; i++) {
		if (c->entries[i].verdict != FL_ADMITTED)
			continue;
		end = fl_holdings_end(&p->holdings, end,
				      fl_room(p, &p->jobs[c->entries[i].workload.v]));
		n++;
	}
	r = fl_holdings_reserve(&p->holdings, end, err);
	if (r < 0 || (r = fl_holders_reserve(p, n, err)) < 0)
		return r;
	return fl_preempt_reserve(p, c->search, n, err);
}

int fl_enter_reserve(struct fl_policy *p, fairlead_error *err)
{
	int r = reserve_holdings(p, err);

	return r < 0 ? r : reserve_undo(p, err);
}

static void note_range(struct fl_policy *p, void *ptr, size_t size)
{
	fl_undo_note(&p->undo, ptr, (uint32_t)size);
}

static void enter_admission(struct fl_policy *p, const struct fl_entry *e)
{
	struct fl_job *j = &p->jobs[e->workload.v];
	const struct fl_nomination *a = &e->assignment;
	struct fl_backlog *backlog = &p->backlogs[e->queue.v];

	FL_SET(p, j->held, fl_holdings_take(&p->holdings, fl_room(p, j), &p->undo));
	note_range(p, fl_placements(p, j), a->n_placements * sizeof *a->placements);
	memcpy(fl_placements(p, j), a->placements, a->n_placements * sizeof *a->placements);
	note_range(p, fl_uses(p, j), a->n_uses * sizeof *a->uses);
	memcpy(fl_uses(p, j), a->uses, a->n_uses * sizeof *a->uses);
	FL_SET(p, j->n_placement, (uint16_t)a->n_placements);
	FL_SET(p, j->n_use, (uint16_t)a->n_uses);
	fl_rung_enter(p, e);
	FL_SET(p, j->reserved_at, p->now);
	FL_SET(p, j->state, FL_STATE_ADMITTED);
	FL_SET(p, j->scan_cycle, 0);
	FL_SET(p, backlog->generation, backlog->generation + 1);
	fl_backlog_remove(p, e->workload);
	fl_holders_hold(p, e->workload, e->queue);
	fl_afs_confirm(p, e->workload);
}

static void enter_evictions(struct fl_policy *p, const struct fl_entry *e)
{
	for (uint32_t i = 0; i < e->n_targets; i++) {
		struct fl_job *j = &p->jobs[e->targets[i].workload.v];

		if (j->state == FL_STATE_EVICTING)
			continue;
		fl_rung_leave(p, e->targets[i].workload);
		fl_backlog_mark_dirty(p, e->queue);
		fl_holders_unlist(p, e->targets[i].workload);
		FL_SET(p, j->state, FL_STATE_EVICTING);
		FL_SET(p, j->reason, e->targets[i].reason);
		fl_holders_list(p, e->targets[i].workload);
		fl_protect_goes(p, e->targets[i].workload);
		fl_protect_evicted(p, e, &e->targets[i]);
	}
}

/*
 * Records which victims of @e yield to it, by the standings at the time of the decision.  True:
 * some do.
 */
static bool enter_yields(struct fl_policy *p, const struct fl_entry *e)
{
	bool yields = false;

	for (uint32_t i = 0; i < e->n_targets; i++)
		if (p->jobs[e->targets[i].workload.v].state != FL_STATE_EVICTING)
			yields |= fl_rung_yield(p, e, e->targets[i].workload.v);
	return yields;
}

/* The number of this cycle in the tree of @root; never 0. */
static uint32_t number(const struct fl_policy *p, uint32_t root)
{
	return p->cycle[root] == UINT32_MAX ? 1 : p->cycle[root] + 1;
}

/* Will scans of its next cycle begin at other flavors than in this one? */
static bool scan_moves(const struct fl_policy *p, const struct fl_entry *e, const int16_t *next)
{
	const struct fl_job *j = &p->jobs[e->workload.v];
	bool counted = fl_backlog_scan_counts(p, j);
	struct fl_span scan = fl_scan(p, j);

	for (uint32_t i = 0; i < scan.n; i++) {
		int16_t from = counted ? p->scans[scan.first + i] : FL_SCAN_LAST;
		int16_t to = next ? next[i] : FL_SCAN_LAST;

		if ((from >= 0 || to >= 0) && from != to)
			return true;
	}
	return false;
}

static void store_scan(struct fl_policy *p, const struct fl_entry *e)
{
	struct fl_job *j = &p->jobs[e->workload.v];
	struct fl_span scan = fl_scan(p, j);

	if (scan_moves(p, e, e->assignment.scan))
		fl_backlog_mark_dirty(p, e->queue);
	note_range(p, p->scans + scan.first, scan.n * sizeof *p->scans);
	memcpy(p->scans + scan.first, e->assignment.scan, scan.n * sizeof *p->scans);
	FL_SET(p, j->scan_cycle, number(p, p->tree.root_index[e->queue.v]));
	FL_SET(p, j->scan_generation, p->backlogs[e->queue.v].generation);
}

static bool flavors_left(const struct fl_policy *p, const struct fl_entry *e)
{
	for (uint32_t i = 0; i < fl_scan(p, &p->jobs[e->workload.v]).n; i++)
		if (e->assignment.scan[i] >= 0)
			return true;
	return false;
}

/* Returns it to its backlog, or parks it until quota is freed (doc/semantics/borrow.md, B9.3). */
static void requeue(struct fl_policy *p, const struct fl_entry *e)
{
	struct fl_backlog *backlog = &p->backlogs[e->queue.v];
	bool strict = p->model->nodes[e->queue.v].strategy == FL_STRICT_FIFO;
	bool promised = fl_protect_holds(p, e->queue) &&
			(e->verdict == FL_PREEMPTING || e->verdict == FL_DEFERRED);

	/* If it was skipped because of another one with a promise, it keeps its own promise. */
	if (p->protect && e->verdict != FL_SKIPPED)
		fl_protect_promise(p, e, promised);
	else if (p->rungs && p->jobs[e->workload.v].promised)
		fl_protect_promise(p, e,
				   /* kept= */ false); /* void: served first, and skipped */
	switch (e->verdict) {
	case FL_SET_ASIDE:
		/*
		 * In a strict queue only a workload of a namespace that does not match is parked.
		 */
		if (strict && e->reason != FL_REASON_NAMESPACE_MISMATCH)
			fl_backlog_return(p, e->workload);
		else
			fl_backlog_park(p, e->workload, /* eq_class= */ false);
		return;
	case FL_PREEMPTING:
	case FL_DEFERRED:
		if ((!strict || promised) && backlog->sticky != e->workload.v) {
			fl_backlog_mark_dirty(p, e->queue);
			FL_SET(p, backlog->sticky, e->workload.v);
		}
		if (scan_moves(p, e, /* next= */ NULL))
			fl_backlog_mark_dirty(p, e->queue);
		FL_SET(p, p->jobs[e->workload.v].scan_cycle, 0);
		fl_rung_promise(p, e);
		fl_backlog_return(p, e->workload);
		return;
	case FL_SKIPPED:
		store_scan(p, e);
		fl_backlog_return(p, e->workload);
		return;
	case FL_NO_FIT:
	case FL_NO_TARGETS:
		store_scan(p, e);
		if (strict || flavors_left(p, e))
			fl_backlog_return(p, e->workload);
		else /* a delay by a Policy is of this workload, not of its class */
			fl_backlog_park(p, e->workload,
					!p->model->settings.off[FL_GATE_EQUIVALENCE_HASHING] &&
						!e->protected);
		return;
	case FL_PENDING_VERDICT:
	case FL_ADMITTED:
		return;
	}
}

/* Enters the result of a head. */
static void enter_head(struct fl_policy *p, const struct fl_entry *e)
{
	FL_SET(p, p->jobs[e->workload.v].reason, e->reason);
	if (e->verdict == FL_ADMITTED)
		enter_admission(p, e);
	else
		requeue(p, e);
	/* It is not the head of its queue any more. */
	if (fl_backlog_state(p, e->workload) != FL_STATE_WAITING)
		fl_backlog_mark_dirty(p, e->queue);
}

void fl_enter(struct fl_policy *p)
{
	struct fl_cycle *c = p->scratch;
	bool yields = false;

	for (uint32_t i = 0; i < c->n_roots; i++)
		if (fl_bitset_has(&p->dirty, c->roots[i]))
			fl_bitset_remove(&p->dirty, c->roots[i], &p->undo);
	for (uint32_t i = 0; p->rungs && i < c->n_entries; i++)
		if (c->entries[i].verdict == FL_PREEMPTING)
			yields |= enter_yields(p, &c->entries[i]);
#ifdef FL_CHECKED
	fl_rung_check_step(p,
			   &(struct fl_rung_step){ &c->marks, c->entries, c->n_entries, yields });
#endif
	(void)yields;
	for (uint32_t i = 0; i < c->heads->n; i++) {
		struct fl_entry refused;

		enter_head(p, fl_heads_told(c, &c->heads->rows[i], &refused));
	}
	for (uint32_t i = 0; i < c->n_entries; i++)
		if (c->entries[i].verdict == FL_PREEMPTING)
			enter_evictions(p, &c->entries[i]);
	/* What is promised to a workload cannot be preempted; what it holds now can. */
	for (uint32_t i = 0; p->rungs && i < c->n_entries; i++)
		if (c->entries[i].starts_late)
			fl_backlog_flush(p, c->entries[i].queue);
	for (uint32_t i = 0; i < c->n_roots; i++)
		FL_SET(p, p->cycle[c->roots[i]], number(p, c->roots[i]));
	fl_protect_end(p);
}
