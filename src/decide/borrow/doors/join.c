/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join - one more workload in a policy, and one less
 *
 * A queue's workloads are in two orders, one beside the other: by queue order, and by class; scan
 * positions follow the second.  A newcomer is put into both, and those behind it move by one.  That
 * needs room at the end (room.h).
 *
 * Cost: the members of the queue behind the newcomer, of which there are none if it has the lowest
 * priority and came last; the queue's classes; and some words of bits.
 */
#include "decide/borrow/doors/join.h"

#include <string.h>

#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/requeue.h"
#include "decide/borrow/doors/room.h"
#include "decide/borrow/doors/setup.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/state/state.h"

/* A newcomer, where it goes, and what it needs. */
struct joiner {
	struct fl_policy *p;
	struct fl_workload w;
	struct fl_job job;
	struct fl_backlog *backlog;
	uint32_t eq_class; /* FL_NONE: a new one is needed, and no number is free */
	bool like;         /* its class has members already */
	uint32_t room, n_scan;
};

static bool has_tree(const struct joiner *k) { return k->job.queue.v != FL_NONE; }

/* --- which class --- */

/* The class of workloads like it, else one without members. */
static void find_eq_class(struct joiner *k)
{
	const struct fl_policy *p = k->p;
	struct fl_span s = k->backlog->eq_classes;

	k->eq_class = FL_NONE;
	for (uint32_t i = s.first; i < s.first + s.n && !k->like; i++) {
		const struct fl_eq_class *c = &p->eq_classes[i];
		uint32_t one = c->members.n ? p->eq_class_ids[c->members.first] : FL_NONE;

		k->like = one != FL_NONE && p->model->workloads[one].priority == k->job.priority &&
			  fl_setup_cmp_podsets(p->model, one, k->w.v) == 0;
		if (k->like || (one == FL_NONE && k->eq_class == FL_NONE))
			k->eq_class = i;
	}
}

/* --- is there room? --- */

static uint32_t stride_of(const struct joiner *k) { return fl_room_stride(k->backlog); }

/* Makes room; false: there is none, or none inside marks. */
static bool make_room(struct joiner *k)
{
	struct fl_policy *p = k->p;
	struct fl_backlog *b = k->backlog;
	bool may = p->undo.marks == 0;

	if (k->eq_class == FL_NONE) {
		if (!may || !fl_room_for_class(p, b))
			return false;
		find_eq_class(k);
	}
	if ((b->members.n == b->room || k->n_scan > stride_of(k)) &&
	    (!may || !fl_room_for_member(p, b, k->n_scan)))
		return false;
	return !has_tree(k) || b->holders.n > b->members.n + b->n_foreign ||
	       (may && fl_room_for_holder(p, k->job.queue));
}

/*
 * What holders of its class hold has the room of the class already, and those of other queues are
 * counted when a policy is made: one whose row has an admission may need a new policy.
 */
static bool holds_as_its_class(const struct joiner *k, const struct fl_workload_row *row)
{
	return (row->admitted_queue.v == FL_NONE || row->admitted_queue.v == k->job.queue.v) &&
	       (!k->like || k->room <= k->p->eq_classes[k->eq_class].room);
}

/* Rows for what it can hold. */
static int make_holdings(const struct joiner *k, fairlead_error *err)
{
	struct fl_policy *p = k->p;

	if (k->room <= p->holdings.max_room)
		return 0;
	if (p->undo.marks || k->room > FL_SETUP_ROWS)
		return 1;
	return fl_holdings_widen(&p->holdings, k->room, err);
}

/* --- in and out --- */

/* Room in the undo log: all members of the queue move, and its classes. */
static size_t undo_room(const struct joiner *k)
{
	const struct fl_policy *p = k->p;
	const struct fl_backlog *b = k->backlog;
	size_t n = b->members.n + (size_t)1, classes = b->eq_classes.n;
	size_t stride = stride_of(k);

	return n * (2 * sizeof *p->members + 2 * FL_UNDO_OF(uint32_t) +
		    2 * stride * sizeof *p->scans) +
	       4 * FL_UNDO_NOTE + 3 * fl_bitset_slide_undo(0, (uint32_t)n) +
	       classes * (3 * FL_UNDO_OF(uint32_t) + FL_BACKLOG_SETS) +
	       2 * FL_UNDO_OF(struct fl_eq_class) + FL_UNDO_OF(struct fl_job) +
	       6 * FL_UNDO_OF(uint32_t) + 4 * FL_BITSET_UNDO + 3 * FL_UNDO_OF(fl_time) +
	       fl_requeue_join_undo(p) + fl_rung_undo(p, /* uses= */ 0);
}

/* Rows [from, from + n) of an array go to @to. */
static void slide(struct fl_policy *p, void *array, size_t row, uint32_t from, uint32_t n,
		  uint32_t to)
{
	unsigned char *bytes = array;

	if (n == 0)
		return;
	fl_undo_note(&p->undo, bytes + to * row, (uint32_t)(n * row));
	memmove(bytes + to * row, bytes + from * row, n * row);
}

static void slide_scans(struct fl_policy *p, uint32_t from, uint32_t n, uint32_t to)
{
	slide(p, p->scans, sizeof *p->scans, from, n, to);
	if (p->protect)
		slide(p, fl_protect_scans(p), sizeof *p->scans, from, n, to);
}

/* Classes that begin at @at or behind it begin one later, or earlier. */
static void slide_eq_classes(const struct joiner *k, uint32_t at, uint32_t but, bool up)
{
	struct fl_policy *p = k->p;
	struct fl_span s = k->backlog->eq_classes;

	for (uint32_t i = s.first; i < s.first + s.n; i++) {
		struct fl_eq_class *c = &p->eq_classes[i];

		if (i == but || !c->members.n || c->members.first < at)
			continue;
		FL_SET(p, c->members.first, up ? c->members.first + 1 : c->members.first - 1);
		FL_SET(p, c->scans, up ? c->scans + c->stride : c->scans - c->stride);
	}
}

/* The first of the @n workloads at @ids, which are in queue order, that comes behind it. */
static uint32_t place_in(const struct fl_policy *p, const uint32_t *ids, uint32_t n, uint32_t w)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (fl_backlog_cmp(p, ids[middle], w) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void enter_members(const struct joiner *k)
{
	struct fl_policy *p = k->p;
	struct fl_backlog *b = k->backlog;
	uint32_t first = b->members.first, n = b->members.n;
	uint32_t at = place_in(p, p->members + first, n, k->w.v);

	slide(p, p->members, sizeof *p->members, first + at, n - at, first + at + 1);
	FL_SET(p, p->members[first + at], k->w.v);
	p->jobs[k->w.v].position = at;
	for (uint32_t i = at + 1; i <= n; i++)
		FL_SET(p, p->jobs[p->members[first + i]].position, i);
	FL_SET(p, b->members.n, n + 1);
	if (!has_tree(k) || at == n)
		return;
	fl_bitset_slide_up(&b->loose, at, n + 1, &p->undo);
	fl_bitset_slide_up(&b->parked, at, n + 1, &p->undo);
}

/* By age and uid: priorities of members may have changed since, and their class does not. */
static uint32_t place_in_class(const struct fl_policy *p, const struct fl_eq_class *c, uint32_t w)
{
	const struct fl_job *j = &p->jobs[w];
	uint32_t at = c->members.n;

	while (at > 0) {
		uint32_t other = p->eq_class_ids[c->members.first + at - 1];
		const struct fl_job *o = &p->jobs[other];

		if (o->since < j->since || (o->since == j->since && fl_cmp_uids(p, other, w) < 0))
			break;
		at--;
	}
	return at;
}

static void begin_eq_class(const struct joiner *k, uint32_t stride)
{
	struct fl_policy *p = k->p;
	const struct fl_backlog *b = k->backlog;
	uint32_t end = b->members.n;

	FL_SET(p, p->eq_classes[k->eq_class],
	       ((struct fl_eq_class){ .members = { b->members.first + end, 0 },
				      .scans = b->scans.first + end * stride,
				      .n_scan = k->n_scan,
				      .stride = stride,
				      .room = k->room }));
}

/* To be called before enter_members. */
static void enter_eq_class(const struct joiner *k)
{
	struct fl_policy *p = k->p;
	const struct fl_backlog *b = k->backlog;
	struct fl_eq_class *c = &p->eq_classes[k->eq_class];
	uint32_t stride = stride_of(k), end = b->members.first + b->members.n, place, at, behind;

	if (!k->like)
		begin_eq_class(k, stride);
	place = place_in_class(p, c, k->w.v);
	at = c->members.first + place;
	behind = end - at;
	slide(p, p->eq_class_ids, sizeof *p->eq_class_ids, at, behind, at + 1);
	FL_SET(p, p->eq_class_ids[at], k->w.v);
	fl_bitset_slide_up(&p->with_class, at, end + 1, &p->undo);
	slide_scans(p, c->scans + place * stride, behind * stride, c->scans + (place + 1) * stride);
	slide_eq_classes(k, at, k->eq_class, /* up= */ true);
	FL_SET(p, c->members.n, c->members.n + 1);
	p->jobs[k->w.v].eq_class = k->eq_class;
	p->jobs[k->w.v].eq_class_place = place;
	for (uint32_t i = place + 1; i < c->members.n; i++)
		FL_SET(p, p->jobs[p->eq_class_ids[c->members.first + i]].eq_class_place, i);
}

static void enter(const struct joiner *k)
{
	struct fl_policy *p = k->p;
	struct fl_job *j = &p->jobs[k->w.v];

	fl_undo_note(&p->undo, j, sizeof *j);
	fl_undo_note(&p->undo, &p->uid_rank[k->w.v], sizeof *p->uid_rank);
	*j = k->job;
	p->uid_rank[k->w.v] = FL_NONE;
	enter_eq_class(k);
	enter_members(k);
	if (has_tree(k) && j->position + 1 < k->backlog->members.n)
		fl_backlog_note_eq_classes(p, j->queue);
	if (p->protect)
		fl_protect_join(p, k->w);
	fl_requeue_join(p, k->w);
}

static void leave_members(const struct joiner *k)
{
	struct fl_policy *p = k->p;
	struct fl_backlog *b = k->backlog;
	uint32_t first = b->members.first, n = b->members.n, at = p->jobs[k->w.v].position;

	slide(p, p->members, sizeof *p->members, first + at + 1, n - at - 1, first + at);
	for (uint32_t i = at; i + 1 < n; i++)
		FL_SET(p, p->jobs[p->members[first + i]].position, i);
	FL_SET(p, b->members.n, n - 1);
	if (!has_tree(k))
		return;
	fl_bitset_slide_down(&b->loose, at, n, &p->undo);
	fl_bitset_slide_down(&b->parked, at, n, &p->undo);
}

static void leave_eq_class(const struct joiner *k)
{
	struct fl_policy *p = k->p;
	const struct fl_backlog *b = k->backlog;
	struct fl_eq_class *c = &p->eq_classes[k->eq_class];
	uint32_t stride = stride_of(k), place = p->jobs[k->w.v].eq_class_place;
	uint32_t at = c->members.first + place, end = b->members.first + b->members.n;
	uint32_t behind = end - at - 1;

	slide(p, p->eq_class_ids, sizeof *p->eq_class_ids, at + 1, behind, at);
	fl_bitset_slide_down(&p->with_class, at, end, &p->undo);
	slide_scans(p, c->scans + (place + 1) * stride, behind * stride, c->scans + place * stride);
	slide_eq_classes(k, at, k->eq_class, /* up= */ false);
	FL_SET(p, c->members.n, c->members.n - 1);
	for (uint32_t i = place; i < c->members.n; i++)
		FL_SET(p, p->jobs[p->eq_class_ids[c->members.first + i]].eq_class_place, i);
	if (c->members.n == 0 && fl_bitset_has(&p->marked, k->eq_class))
		fl_bitset_remove(&p->marked, k->eq_class, &p->undo);
}

int fl_borrow_leave(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	struct joiner k = { .p = p, .w = w };
	struct fl_job *j;
	int r;

	if (w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if (!p->spare || w.v >= p->places)
		return 1;
	j = &p->jobs[w.v];
	if (j->position == FL_NONE || fl_holds_quota(j) ||
	    (j->state != FL_STATE_ABSENT && j->state != FL_STATE_EXCLUDED))
		return fl_common_refuse(p, w, "cannot leave: it takes part no more, or still", err);
	k.job = *j;
	k.eq_class = j->eq_class;
	k.backlog = fl_backlog_of(p, j);
	if ((r = fl_undo_reserve(&p->undo, undo_room(&k), err)) < 0)
		return r;
	fl_requeue_leave(p, w);
	if (j->state == FL_STATE_EXCLUDED) /* else it left the rungs when it ended */
		fl_rung_gone(p, w);
	leave_eq_class(&k);
	leave_members(&k);
	fl_undo_note(&p->undo, j, sizeof *j);
	fl_setup_nobody(j);
	j->state = FL_STATE_ABSENT;
	if (has_tree(&k))
		fl_backlog_note_eq_classes(p, k.job.queue);
	return 0;
}

int fl_borrow_join(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	struct joiner k = { .p = p, .w = w };
	const struct fl_workload_row *row;
	const struct fl_job *j;
	int r;

	if (w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if (!p->spare || w.v >= p->places)
		return 1;
	j = &p->jobs[w.v];
	if (j->position != FL_NONE && (j->queue.v != FL_NONE || j->state != FL_STATE_ABSENT))
		return fl_common_refuse(p, w, "takes part already", err);
	/* In a policy made since, the one that left is among the workloads without queue. */
	if (j->position != FL_NONE && (r = fl_borrow_leave(p, w, err)) != 0)
		return r;
	row = fl_row(p, w);
	fl_setup_job(p, w, &k.job);
	if (has_tree(&k))
		k.job.state = FL_STATE_ABSENT;
	k.backlog = fl_backlog_of(p, &k.job);
	k.room = fl_setup_room_of(p, row);
	k.n_scan = has_tree(&k) ? row->podsets.n * k.backlog->groups.n : 0;
	find_eq_class(&k);
	if (!holds_as_its_class(&k, row))
		return 1;
	if (p->protect && !fl_protect_counts_podsets(p, row->podsets))
		return 1;
	if ((r = make_holdings(&k, err)) != 0)
		return r;
	if (!make_room(&k) || !fl_requeue_has_room(p, w))
		return 1;
	if ((r = fl_undo_reserve(&p->undo, undo_room(&k), err)) < 0)
		return r;
	enter(&k);
	return 0;
}
