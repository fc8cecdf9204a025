/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backlog - the workloads that are pending in a ClusterQueue: its head, and which are parked
 *
 * Queue order is fixed: the sticky preemptor first, then priority descending, queue-order time
 * ascending, uid ascending; under Admission Fair Sharing usage of the local queue comes before all
 * these (afs.c).  A parked (inadmissible) workload is not in the order until quota in its tree is
 * freed: fl_backlog_flush.  A class that was found not to fit is marked, so that equal workloads
 * need not be tried one by one.
 *
 * A mark parks all workloads of a class, and removing it returns all of them to the order, without
 * a visit to any: state and reason of a workload that is pending with its class follow from the
 * mark.  Invariants between calls:
 *
 *   - A pending workload (FL_STATE_WAITING in fl_job) is in `shaped`, by class and in queue order;
 *     or in its backlog's `loose` when it is unlike its class: its priority changed, or it was put
 *     back into the backlog after its class was marked.  A workload that was parked alone is in its
 *     backlog's `parked`.
 *   - A backlog's tree of heads has for each of its classes the least position that is pending with
 *     it, none when the class is marked, and above them the lesser of two; so its top is the least
 *     of all.
 *   - `ready` has the active queues whose backlogs have a head, `asleep` those with a workload that
 *     is parked or a class that is marked, both by place in the quota tree's order.
 *   - `dirty` has the trees in which something changed after a cycle left them unchanged.  A
 *     cycle of any other tree would repeat what its last cycle decided, which changed nothing.
 *
 * Cost: the head is O(1), by usage of local queues O(pending workloads); push and park are O(log
 * n); a flush is O(log n) for each class or workload that was parked, each of which was a head
 * before; a change of priority is O(workloads of the queue).
 */
#include "decide/borrow/backlog/backlog.h"

#include <string.h>

#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/by_usage.h"

int fl_backlog_cmp(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if (x->queue.v != y->queue.v)
		return x->queue.v < y->queue.v ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return fl_cmp_uids(p, a, b);
}

/*
 * Shapes are determined at the beginning: a workload whose priority changed since is unlike its
 * class.
 */
static bool is_alike(const struct fl_policy *p, struct fl_workload w)
{
	return p->jobs[w.v].priority == fl_row(p, w)->priority;
}

static struct fl_backlog *line_of(const struct fl_policy *p, struct fl_workload w)
{
	return &p->backlogs[p->jobs[w.v].queue.v];
}

static void set_state(struct fl_policy *p, struct fl_workload w, enum fl_workload_state state)
{
	FL_SET(p, p->jobs[w.v].state, state);
}

static bool is_marked(const struct fl_policy *p, uint32_t eq_class)
{
	return fl_bitset_has(&p->marked, eq_class);
}

/* --- derived from the sets --- */

enum fl_workload_state fl_backlog_state(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];

	return j->state == FL_STATE_WAITING && !j->loose && is_marked(p, j->eq_class) ?
		       FL_STATE_INADMISSIBLE :
		       j->state;
}

enum fl_reason fl_backlog_reason(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];

	return j->state == FL_STATE_WAITING && !j->loose &&
			       p->eq_classes[j->eq_class].marks != j->joined ?
		       p->eq_classes[j->eq_class].reason :
		       j->reason;
}

static uint32_t least_loose(const struct fl_backlog *backlog)
{
	return fl_bitset_next(&backlog->loose, 0);
}

/* The least position in the order, the sticky workload and usage left aside; FL_NONE. */
static uint32_t first_position(const struct fl_policy *p, const struct fl_backlog *backlog)
{
	uint32_t of_eq_classes = backlog->eq_classes.n ?
					 p->heads[2 * backlog->eq_classes.first + 1] :
					 FL_NONE;

	return of_eq_classes < least_loose(backlog) ? of_eq_classes : least_loose(backlog);
}

/* Updates in `ready` whether @q has a head. */
static void note_ready(struct fl_policy *p, struct fl_node q)
{
	uint32_t place = p->tree.place[q.v];
	bool has = first_position(p, &p->backlogs[q.v]) != FL_NONE;

	if (p->backlogs[q.v].active)
		fl_bitset_put(&p->ready, place, has, &p->undo);
}

static void note_asleep(struct fl_policy *p, struct fl_node q)
{
	fl_bitset_put(&p->asleep, p->tree.place[q.v], true, &p->undo);
}

static uint32_t least_of_eq_class(const struct fl_policy *p, uint32_t eq_class)
{
	struct fl_span members = p->eq_classes[eq_class].members;
	uint32_t at = is_marked(p, eq_class) ? FL_NONE :
					       fl_bitset_next(&p->with_class, members.first);

	return at < members.first + members.n ? p->jobs[p->eq_class_ids[at]].position : FL_NONE;
}

/* Updates the tree of heads from @class up. */
static void note_eq_class(struct fl_policy *p, const struct fl_backlog *backlog, uint32_t eq_class)
{
	uint32_t *heads = p->heads + 2 * (size_t)backlog->eq_classes.first;
	uint32_t at = backlog->eq_classes.n + eq_class - backlog->eq_classes.first;
	uint32_t least = least_of_eq_class(p, eq_class);

	while (heads[at] != least) {
		FL_SET(p, heads[at], least);
		if (at == 1)
			return;
		at /= 2;
		least = heads[2 * at] < heads[2 * at + 1] ? heads[2 * at] : heads[2 * at + 1];
	}
}

/* Its index in eq_class_ids. */
static uint32_t place_of(const struct fl_policy *p, const struct fl_job *j)
{
	return p->eq_classes[j->eq_class].members.first + j->eq_class_place;
}

/* Enters @w as pending. */
static void join(struct fl_policy *p, struct fl_workload w, bool loose)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_backlog *backlog = line_of(p, w);

	FL_SET(p, j->loose, loose);
	FL_SET(p, j->joined, p->eq_classes[j->eq_class].marks);
	set_state(p, w, FL_STATE_WAITING);
	if (loose) {
		fl_bitset_add(&backlog->loose, j->position, &p->undo);
	} else {
		fl_bitset_add(&p->with_class, place_of(p, j), &p->undo);
		note_eq_class(p, backlog, j->eq_class);
	}
	note_ready(p, j->queue);
}

/* Takes @w out of the set that it is in, if it is in one. */
static void leave(struct fl_policy *p, struct fl_workload w)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_backlog *backlog = line_of(p, w);

	uint32_t place = place_of(p, j);

	if (fl_bitset_has(&backlog->parked, j->position)) {
		fl_bitset_remove(&backlog->parked, j->position, &p->undo);
	} else if (fl_bitset_has(&backlog->loose, j->position)) {
		fl_bitset_remove(&backlog->loose, j->position, &p->undo);
	} else if (fl_bitset_has(&p->with_class, place)) {
		fl_bitset_remove(&p->with_class, place, &p->undo);
		note_eq_class(p, backlog, j->eq_class);
	}
	note_ready(p, j->queue);
}

/* --- the backlog --- */

void fl_backlog_mark_dirty(struct fl_policy *p, struct fl_node q)
{
	uint32_t root = p->tree.root_index[q.v];

	if (root != FL_NONE && !fl_bitset_has(&p->dirty, root))
		fl_bitset_add(&p->dirty, root, &p->undo);
}

struct fl_workload fl_backlog_head(const struct fl_policy *p, struct fl_node q)
{
	const struct fl_backlog *backlog = &p->backlogs[q.v];
	uint32_t first;

	if (fl_afs_orders(p, q))
		return fl_afs_head(p, q);
	if (backlog->sticky != FL_NONE &&
	    fl_backlog_state(p, (struct fl_workload){ backlog->sticky }) == FL_STATE_WAITING)
		return (struct fl_workload){ backlog->sticky };
	first = first_position(p, backlog);
	return (struct fl_workload){ first == FL_NONE ?
					     FL_NONE :
					     p->members[backlog->members.first + first] };
}

struct fl_workload fl_backlog_next(const struct fl_policy *p, struct fl_node q,
				   struct fl_backlog_walk *walk)
{
	const struct fl_backlog *backlog = &p->backlogs[q.v];
	uint32_t at, end = backlog->members.first + backlog->members.n;

	for (at = fl_bitset_next(&p->with_class, backlog->members.first + walk->with_class);
	     at < end; at = fl_bitset_next(&p->with_class, at)) {
		struct fl_workload w = { p->eq_class_ids[at] };
		const struct fl_eq_class *eq_class = &p->eq_classes[p->jobs[w.v].eq_class];

		walk->with_class = at + 1 - backlog->members.first;
		if (!is_marked(p, p->jobs[w.v].eq_class))
			return w;
		at = eq_class->members.first + eq_class->members.n;
	}
	walk->with_class = backlog->members.n;
	at = fl_bitset_next(&backlog->loose, walk->loose);
	if (at == FL_NONE)
		return (struct fl_workload){ FL_NONE };
	walk->loose = at + 1;
	return (struct fl_workload){ p->members[backlog->members.first + at] };
}

/* If the class of @w is marked, the mark says nothing of how @w itself was tried before. */
static void tell_apart(struct fl_policy *p, struct fl_workload w)
{
	struct fl_job *j = &p->jobs[w.v];

	FL_SET(p, j->joined, p->eq_classes[j->eq_class].marks);
}

void fl_backlog_return(struct fl_policy *p, struct fl_workload w) { tell_apart(p, w); }

void fl_backlog_push(struct fl_policy *p, struct fl_workload w)
{
	if (p->waiting_since)
		FL_SET(p, p->waiting_since[w.v], p->now); /* its delay begins */
	join(p, w, !is_alike(p, w));
	fl_backlog_mark_dirty(p, p->jobs[w.v].queue);
}

/* Parks @w alone. */
static void park(struct fl_policy *p, struct fl_workload w)
{
	fl_bitset_add(&line_of(p, w)->parked, p->jobs[w.v].position, &p->undo);
	set_state(p, w, FL_STATE_INADMISSIBLE);
	note_asleep(p, p->jobs[w.v].queue);
}

/* Parks all workloads that are pending with @class, for @reason. */
static void mark(struct fl_policy *p, struct fl_node q, uint32_t eq_class, enum fl_reason reason)
{
	FL_SET(p, p->eq_classes[eq_class].marks, p->eq_classes[eq_class].marks + 1);
	FL_SET(p, p->eq_classes[eq_class].reason, reason);
	fl_bitset_add(&p->marked, eq_class, &p->undo);
	note_eq_class(p, &p->backlogs[q.v], eq_class);
	note_ready(p, q);
	note_asleep(p, q);
}

void fl_backlog_park(struct fl_policy *p, struct fl_workload w, bool eq_class)
{
	const struct fl_job *j = &p->jobs[w.v];
	struct fl_backlog *backlog = line_of(p, w);

	if (!eq_class || !is_alike(p, w)) {
		leave(p, w);
		park(p, w);
		note_ready(p, j->queue);
		return;
	}
	if (j->loose) {
		leave(p, w);
		join(p, w, /* loose= */ false);
	} else {
		tell_apart(p, w);
	}
	if (!is_marked(p, j->eq_class))
		mark(p, j->queue, j->eq_class, j->reason);
	for (uint32_t at = least_loose(backlog); at != FL_NONE;
	     at = fl_bitset_next(&backlog->loose, at + 1)) {
		struct fl_workload other = { p->members[backlog->members.first + at] };

		if (p->jobs[other.v].eq_class != j->eq_class || !is_alike(p, other))
			continue;
		leave(p, other);
		park(p, other);
		FL_SET(p, p->jobs[other.v].reason, j->reason);
	}
}

void fl_backlog_enter_mark(struct fl_policy *p, struct fl_node q, uint32_t eq_class)
{
	fl_bitset_add(&p->marked, eq_class, &p->undo);
	note_asleep(p, q);
}

void fl_backlog_enter(struct fl_policy *p, struct fl_workload w)
{
	if (p->jobs[w.v].state == FL_STATE_INADMISSIBLE)
		park(p, w);
	else
		join(p, w, p->jobs[w.v].loose);
}

void fl_backlog_clear_all(struct fl_policy *p)
{
	struct fl_bitset *const sets[] = { &p->with_class, &p->marked, &p->ready, &p->asleep };

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		fl_bitset_clear(sets[i]);
	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		fl_bitset_clear(&p->backlogs[q].loose);
		fl_bitset_clear(&p->backlogs[q].parked);
		p->backlogs[q].sticky = FL_NONE;
	}
	memset(p->heads, 0xff, 2 * (size_t)p->class_spans.cap * sizeof *p->heads); /* FL_NONE */
}

void fl_backlog_remove(struct fl_policy *p, struct fl_workload w)
{
	struct fl_backlog *backlog = line_of(p, w);

	leave(p, w);
	fl_backlog_mark_dirty(p, p->jobs[w.v].queue);
	if (backlog->sticky == w.v)
		FL_SET(p, backlog->sticky, FL_NONE);
	if (p->jobs[w.v].promised)
		FL_SET(p, p->jobs[w.v].promised, false);
}

/* Puts @w at position @at; its bits in the sets follow from its state. */
static void place(struct fl_policy *p, struct fl_backlog *backlog, uint32_t w, uint32_t at)
{
	struct fl_job *j = &p->jobs[w];
	struct fl_bitset *sets[] = { &backlog->loose, &backlog->parked };
	bool in[] = { j->state == FL_STATE_WAITING && j->loose, j->state == FL_STATE_INADMISSIBLE };

	FL_SET(p, p->members[backlog->members.first + at], w);
	FL_SET(p, j->position, at);
	for (int i = 0; i < 2; i++)
		fl_bitset_put(sets[i], at, in[i], &p->undo);
}

/* The position of @w among the members of its queue; all others are in order. */
static uint32_t new_position(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_backlog *backlog = &p->backlogs[p->jobs[w.v].queue.v];
	const uint32_t *members = p->members + backlog->members.first;
	uint32_t at = p->jobs[w.v].position;

	while (at > 0 && fl_backlog_cmp(p, w.v, members[at - 1]) < 0)
		at--;
	while (at + 1 < backlog->members.n && fl_backlog_cmp(p, w.v, members[at + 1]) > 0)
		at++;
	return at;
}

void fl_backlog_note_eq_classes(struct fl_policy *p, struct fl_node q)
{
	const struct fl_backlog *backlog = &p->backlogs[q.v];

	for (uint32_t k = backlog->eq_classes.first;
	     k < backlog->eq_classes.first + backlog->eq_classes.n; k++)
		note_eq_class(p, backlog, k);
	note_ready(p, q);
}

void fl_backlog_move(struct fl_policy *p, struct fl_workload w)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_backlog *backlog = line_of(p, w);
	uint32_t from = j->position, to = new_position(p, w);
	const uint32_t *members = p->members + backlog->members.first;
	bool waits = j->state == FL_STATE_WAITING || j->state == FL_STATE_INADMISSIBLE;

	FL_SET(p, j->reason, fl_backlog_reason(p, w));
	if (waits) {
		leave(p, w);
		FL_SET(p, j->loose, false);
		set_state(p, w, FL_STATE_WAITING);
	}
	for (; from > to; from--)
		place(p, backlog, members[from - 1], from);
	for (; from < to; from++)
		place(p, backlog, members[from + 1], from);
	place(p, backlog, w.v, to);
	if (waits)
		join(p, w, !is_alike(p, w) || is_marked(p, j->eq_class));
	fl_backlog_note_eq_classes(p, j->queue);
	fl_backlog_mark_dirty(p, j->queue);
}

size_t fl_backlog_move_undo(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_backlog *backlog = &p->backlogs[p->jobs[w.v].queue.v];
	const size_t place = 2 * FL_UNDO_OF(uint32_t) + 2 * FL_BITSET_UNDO;

	return (backlog->members.n + (size_t)1) * place +
	       backlog->eq_classes.n * (size_t)FL_BACKLOG_SETS + 2 * FL_BACKLOG_UNDO;
}

static void wake(struct fl_policy *p, struct fl_node q)
{
	struct fl_backlog *backlog = &p->backlogs[q.v];
	uint32_t end = backlog->eq_classes.first + backlog->eq_classes.n;

	for (uint32_t k = fl_bitset_next(&p->marked, backlog->eq_classes.first); k < end;
	     k = fl_bitset_next(&p->marked, k + 1)) {
		fl_bitset_remove(&p->marked, k, &p->undo);
		note_eq_class(p, backlog, k);
	}
	for (uint32_t at = fl_bitset_next(&backlog->parked, 0); at != FL_NONE;
	     at = fl_bitset_next(&backlog->parked, at + 1)) {
		struct fl_workload w = { p->members[backlog->members.first + at] };

		fl_bitset_remove(&backlog->parked, at, &p->undo);
		join(p, w, !is_alike(p, w));
	}
	note_ready(p, q);
}

void fl_backlog_flush(struct fl_policy *p, struct fl_node q)
{
	uint32_t root = p->tree.root_index[q.v];
	struct fl_span order;

	if (root == FL_NONE)
		return;
	fl_backlog_mark_dirty(p, q);
	order = p->tree.roots[root].order;
	for (uint32_t at = fl_bitset_next(&p->asleep, order.first); at < order.first + order.n;
	     at = fl_bitset_next(&p->asleep, at + 1)) {
		wake(p, (struct fl_node){ p->tree.order[at] });
		fl_bitset_remove(&p->asleep, at, &p->undo);
	}
}

void fl_backlog_freed(struct fl_policy *p, struct fl_node q)
{
	if (!p->flush_due || p->tree.root_index[q.v] == FL_NONE) {
		fl_backlog_flush(p, q);
		return;
	}

	const uint32_t root = p->tree.root_index[q.v];
	const fl_time due = fl_sat_add(p->now, p->flush_after);

	fl_backlog_mark_dirty(p, q);
	if (due < p->flush_due[root])
		FL_SET(p, p->flush_due[root], due);
	if (due < p->flush_next)
		FL_SET(p, p->flush_next, due);
}

/* 0: it is not due; else its room in the undo log is reserved. */
static int flush_root(struct fl_policy *p, uint32_t root, fl_time until, fairlead_error *err)
{
	const struct fl_node n = p->tree.roots[root].node;
	int r;

	if (p->flush_due[root] > until)
		return 0;
	if ((r = fl_undo_reserve(&p->undo, fl_backlog_flush_undo(p, n), err)) < 0)
		return r;
	FL_SET(p, p->flush_due[root], FL_NEVER);
	fl_backlog_flush(p, n);
	return 0;
}

int fl_backlog_flush_due(struct fl_policy *p, fl_time until, fl_time *ret, fairlead_error *err)
{
	fl_time next = FL_NEVER;
	int r = 0;

	*ret = p->flush_due ? p->flush_next : FL_NEVER;
	if (*ret > until || *ret == FL_NEVER)
		return 0;
	for (uint32_t root = 0; root < p->tree.n_roots && r == 0; root++) {
		r = flush_root(p, root, until, err);
		next = fl_amount_min(next, p->flush_due[root]);
	}
	if (r < 0 || (r = fl_undo_reserve(&p->undo, FL_UNDO_OF(p->flush_next), err)) < 0)
		return r;
	FL_SET(p, p->flush_next, next);
	*ret = next;
	return 0;
}

size_t fl_backlog_flush_undo(const struct fl_policy *p, struct fl_node q)
{
	uint32_t root = p->tree.root_index[q.v];
	struct fl_span order;
	size_t room = FL_BITSET_UNDO + 2 * FL_UNDO_OF(fl_time);

	if (!p->undo.marks || root == FL_NONE)
		return 0;
	order = p->tree.roots[root].order;
	for (uint32_t i = fl_bitset_next(&p->asleep, order.first); i < order.first + order.n;
	     i = fl_bitset_next(&p->asleep, i + 1)) {
		const struct fl_backlog *backlog = &p->backlogs[p->tree.order[i]];
		uint32_t end = backlog->eq_classes.first + backlog->eq_classes.n;

		room += 2 * FL_BITSET_UNDO; /* ready, and not asleep */
		for (uint32_t k = fl_bitset_next(&p->marked, backlog->eq_classes.first); k < end;
		     k = fl_bitset_next(&p->marked, k + 1))
			room += FL_BACKLOG_SETS;
		for (uint32_t at = fl_bitset_next(&backlog->parked, 0); at != FL_NONE;
		     at = fl_bitset_next(&backlog->parked, at + 1))
			room += FL_BACKLOG_JOINS + FL_BITSET_UNDO;
	}
	return room;
}

size_t fl_backlog_park_undo(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_backlog *backlog = line_of(p, w);
	size_t room = 2 * FL_BACKLOG_UNDO;

	for (uint32_t at = least_loose(backlog); at != FL_NONE;
	     at = fl_bitset_next(&backlog->loose, at + 1))
		room += FL_BACKLOG_UNDO;
	return room;
}

/*
 * Positions stored in the cycle before always count; older ones only if no workload has left the
 * queue since (its generation is the same).  A cycle that does not look at a tree would only store
 * again what is stored, so such cycles need not be counted.
 */
bool fl_backlog_scan_counts(const struct fl_policy *p, const struct fl_job *j)
{
	uint32_t root = p->tree.root_index[j->queue.v];

	return j->scan_cycle != 0 && ((root != FL_NONE && j->scan_cycle == p->cycle[root]) ||
				      p->backlogs[j->queue.v].generation == j->scan_generation);
}
