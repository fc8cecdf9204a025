/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines - the workloads that are pending in a ClusterQueue: its head, and which are parked
 *
 * Queue order is fixed: the sticky preemptor first, then priority descending, queue-order time
 * ascending, uid ascending; under Admission Fair Sharing usage of the local queue comes before all
 * these (afs.c).  A parked (inadmissible) workload is not in the order until quota in its tree is
 * freed: fl_line_flush.  A shape that was found not to fit is marked, so that equal workloads need
 * not be tried one by one.
 *
 * A mark parks all workloads of a shape, and removing it returns all of them to the order, without
 * a visit to any: state and reason of a workload that is pending with its shape follow from the
 * mark.  Invariants between calls:
 *
 *   - A pending workload (FL_STATE_WAITING in fl_job) is in `shaped`, by shape and in queue order;
 *     or in its line's `loose` when it is unlike its shape: its priority changed, or it was put
 *     back in line after its shape was marked.  A workload that was parked alone is in its line's
 *     `parked`.
 *   - A line's tree of heads has for each of its shapes the least position that is pending with it,
 *     none when the shape is marked, and above them the lesser of two; so its top is the least of
 *     all.
 *   - `ready` has the active queues whose lines have a head, `asleep` those with a workload that is
 *     parked or a shape that is marked, both by place in the quota tree's order.
 *   - `stirred` has the trees in which something changed after a cycle left them unchanged.  A
 *     cycle of any other tree would repeat what its last cycle decided, which changed nothing.
 *
 * Cost: the head is O(1), by usage of local queues O(pending workloads); push and park are O(log
 * n); a flush is O(log n) for each shape or workload that was parked, each of which was a head
 * before; a change of priority is O(workloads of the queue).
 */
#include "decide/borrow/line/lines.h"

#include <string.h>

#include "decide/borrow/afs/afs.h"
#include "decide/borrow/line/by_usage.h"

int fl_line_cmp(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if (x->queue.v != y->queue.v)
		return x->queue.v < y->queue.v ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->age != y->age)
		return x->age < y->age ? -1 : 1;
	return (x->uid_rank > y->uid_rank) - (x->uid_rank < y->uid_rank);
}

/*
 * Shapes are determined at the beginning: a workload whose priority changed since is unlike its
 * shape.
 */
static bool is_alike(const struct fl_policy *p, struct fl_workload w)
{
	return p->jobs[w.v].priority == fl_row(p, w)->priority;
}

static struct fl_line *line_of(const struct fl_policy *p, struct fl_workload w)
{
	return &p->lines[p->jobs[w.v].queue.v];
}

static void set_state(struct fl_policy *p, struct fl_workload w, enum fl_workload_state state)
{
	FL_SET(p, p->jobs[w.v].state, state);
}

static bool is_marked(const struct fl_policy *p, uint32_t shape)
{
	return fl_bitset_has(&p->marked, shape);
}

/* --- derived from the sets --- */

enum fl_workload_state fl_line_state(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];

	return j->state == FL_STATE_WAITING && !j->loose && is_marked(p, j->shape) ?
		       FL_STATE_INADMISSIBLE :
		       j->state;
}

enum fl_reason fl_line_reason(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];

	return j->state == FL_STATE_WAITING && !j->loose && p->shapes[j->shape].marks != j->joined ?
		       p->shapes[j->shape].reason :
		       j->reason;
}

static uint32_t least_loose(const struct fl_line *line) { return fl_bitset_next(&line->loose, 0); }

/* The least position in the order, the sticky workload and usage left aside; FL_NONE. */
static uint32_t first_position(const struct fl_policy *p, const struct fl_line *line)
{
	uint32_t of_shapes = line->shapes.n ? p->heads[2 * line->shapes.first + 1] : FL_NONE;

	return of_shapes < least_loose(line) ? of_shapes : least_loose(line);
}

/* Updates in `ready` whether @q has a head. */
static void note_ready(struct fl_policy *p, struct fl_node q)
{
	uint32_t place = p->tree.place[q.v];
	bool has = first_position(p, &p->lines[q.v]) != FL_NONE;

	if (p->lines[q.v].active)
		fl_bitset_put(&p->ready, place, has, &p->undo);
}

static void note_asleep(struct fl_policy *p, struct fl_node q)
{
	fl_bitset_put(&p->asleep, p->tree.place[q.v], true, &p->undo);
}

static uint32_t least_of_shape(const struct fl_policy *p, uint32_t shape)
{
	struct fl_span members = p->shapes[shape].members;
	uint32_t at = is_marked(p, shape) ? FL_NONE : fl_bitset_next(&p->shaped, members.first);

	return at < members.first + members.n ? p->jobs[p->shape_ids[at]].position : FL_NONE;
}

/* Updates the tree of heads from @shape up. */
static void note_shape(struct fl_policy *p, const struct fl_line *line, uint32_t shape)
{
	uint32_t *heads = p->heads + 2 * (size_t)line->shapes.first;
	uint32_t at = line->shapes.n + shape - line->shapes.first;
	uint32_t least = least_of_shape(p, shape);

	while (heads[at] != least) {
		FL_SET(p, heads[at], least);
		if (at == 1)
			return;
		at /= 2;
		least = heads[2 * at] < heads[2 * at + 1] ? heads[2 * at] : heads[2 * at + 1];
	}
}

/* Enters @w as pending. */
static void join(struct fl_policy *p, struct fl_workload w, bool loose)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_line *line = line_of(p, w);

	FL_SET(p, j->loose, loose);
	FL_SET(p, j->joined, p->shapes[j->shape].marks);
	set_state(p, w, FL_STATE_WAITING);
	if (loose) {
		fl_bitset_add(&line->loose, j->position, &p->undo);
	} else {
		fl_bitset_add(&p->shaped, j->shape_place, &p->undo);
		note_shape(p, line, j->shape);
	}
	note_ready(p, j->queue);
}

/* Takes @w out of the set that it is in, if it is in one. */
static void leave(struct fl_policy *p, struct fl_workload w)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_line *line = line_of(p, w);

	if (fl_bitset_has(&line->parked, j->position)) {
		fl_bitset_remove(&line->parked, j->position, &p->undo);
	} else if (fl_bitset_has(&line->loose, j->position)) {
		fl_bitset_remove(&line->loose, j->position, &p->undo);
	} else if (fl_bitset_has(&p->shaped, j->shape_place)) {
		fl_bitset_remove(&p->shaped, j->shape_place, &p->undo);
		note_shape(p, line, j->shape);
	}
	note_ready(p, j->queue);
}

/* --- the line --- */

void fl_line_stir(struct fl_policy *p, struct fl_node q)
{
	uint32_t root = p->tree.root_index[q.v];

	if (root != FL_NONE && !fl_bitset_has(&p->stirred, root))
		fl_bitset_add(&p->stirred, root, &p->undo);
}

struct fl_workload fl_line_head(const struct fl_policy *p, struct fl_node q)
{
	const struct fl_line *line = &p->lines[q.v];
	uint32_t first;

	if (fl_afs_orders(p, q))
		return fl_afs_head(p, q);
	if (line->sticky != FL_NONE &&
	    fl_line_state(p, (struct fl_workload){ line->sticky }) == FL_STATE_WAITING)
		return (struct fl_workload){ line->sticky };
	first = first_position(p, line);
	return (struct fl_workload){ first == FL_NONE ? FL_NONE :
							p->members[line->members.first + first] };
}

struct fl_workload fl_line_next(const struct fl_policy *p, struct fl_node q,
				struct fl_line_walk *walk)
{
	const struct fl_line *line = &p->lines[q.v];
	uint32_t at, end = line->members.first + line->members.n;

	for (at = fl_bitset_next(&p->shaped, line->members.first + walk->shaped); at < end;
	     at = fl_bitset_next(&p->shaped, at)) {
		struct fl_workload w = { p->shape_ids[at] };
		const struct fl_shape *shape = &p->shapes[p->jobs[w.v].shape];

		walk->shaped = at + 1 - line->members.first;
		if (!is_marked(p, p->jobs[w.v].shape))
			return w;
		at = shape->members.first + shape->members.n;
	}
	walk->shaped = line->members.n;
	at = fl_bitset_next(&line->loose, walk->loose);
	if (at == FL_NONE)
		return (struct fl_workload){ FL_NONE };
	walk->loose = at + 1;
	return (struct fl_workload){ p->members[line->members.first + at] };
}

/* If the shape of @w is marked, the mark says nothing of how @w itself was tried before. */
static void tell_apart(struct fl_policy *p, struct fl_workload w)
{
	struct fl_job *j = &p->jobs[w.v];

	FL_SET(p, j->joined, p->shapes[j->shape].marks);
}

void fl_line_return(struct fl_policy *p, struct fl_workload w) { tell_apart(p, w); }

void fl_line_push(struct fl_policy *p, struct fl_workload w)
{
	if (p->waiting_since)
		FL_SET(p, p->waiting_since[w.v], p->now); /* its delay begins */
	join(p, w, !is_alike(p, w));
	fl_line_stir(p, p->jobs[w.v].queue);
}

/* Parks @w alone. */
static void park(struct fl_policy *p, struct fl_workload w)
{
	fl_bitset_add(&line_of(p, w)->parked, p->jobs[w.v].position, &p->undo);
	set_state(p, w, FL_STATE_INADMISSIBLE);
	note_asleep(p, p->jobs[w.v].queue);
}

/* Parks all workloads that are pending with @shape, for @reason. */
static void mark(struct fl_policy *p, struct fl_node q, uint32_t shape, enum fl_reason reason)
{
	FL_SET(p, p->shapes[shape].marks, p->shapes[shape].marks + 1);
	FL_SET(p, p->shapes[shape].reason, reason);
	fl_bitset_add(&p->marked, shape, &p->undo);
	note_shape(p, &p->lines[q.v], shape);
	note_ready(p, q);
	note_asleep(p, q);
}

void fl_line_park(struct fl_policy *p, struct fl_workload w, bool shape)
{
	const struct fl_job *j = &p->jobs[w.v];
	struct fl_line *line = line_of(p, w);

	if (!shape || !is_alike(p, w)) {
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
	if (!is_marked(p, j->shape))
		mark(p, j->queue, j->shape, j->reason);
	for (uint32_t at = least_loose(line); at != FL_NONE;
	     at = fl_bitset_next(&line->loose, at + 1)) {
		struct fl_workload other = { p->members[line->members.first + at] };

		if (p->jobs[other.v].shape != j->shape || !is_alike(p, other))
			continue;
		leave(p, other);
		park(p, other);
		FL_SET(p, p->jobs[other.v].reason, j->reason);
	}
}

void fl_line_enter_mark(struct fl_policy *p, struct fl_node q, uint32_t shape)
{
	fl_bitset_add(&p->marked, shape, &p->undo);
	note_asleep(p, q);
}

void fl_line_enter(struct fl_policy *p, struct fl_workload w)
{
	if (p->jobs[w.v].state == FL_STATE_INADMISSIBLE)
		park(p, w);
	else
		join(p, w, p->jobs[w.v].loose);
}

void fl_line_clear_all(struct fl_policy *p)
{
	struct fl_bitset *const sets[] = { &p->shaped, &p->marked, &p->ready, &p->asleep };

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		fl_bitset_clear(sets[i]);
	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		fl_bitset_clear(&p->lines[q].loose);
		fl_bitset_clear(&p->lines[q].parked);
		p->lines[q].sticky = FL_NONE;
	}
	memset(p->heads, 0xff, 2 * (size_t)p->n_shapes * sizeof *p->heads); /* FL_NONE */
}

void fl_line_remove(struct fl_policy *p, struct fl_workload w)
{
	struct fl_line *line = line_of(p, w);

	leave(p, w);
	fl_line_stir(p, p->jobs[w.v].queue);
	if (line->sticky == w.v)
		FL_SET(p, line->sticky, FL_NONE);
	if (p->jobs[w.v].promised)
		FL_SET(p, p->jobs[w.v].promised, false);
}

/* Puts @w at position @at; its bits in the sets follow from its state. */
static void place(struct fl_policy *p, struct fl_line *line, uint32_t w, uint32_t at)
{
	struct fl_job *j = &p->jobs[w];
	struct fl_bitset *sets[] = { &line->loose, &line->parked };
	bool in[] = { j->state == FL_STATE_WAITING && j->loose, j->state == FL_STATE_INADMISSIBLE };

	FL_SET(p, p->members[line->members.first + at], w);
	FL_SET(p, j->position, at);
	for (int i = 0; i < 2; i++)
		fl_bitset_put(sets[i], at, in[i], &p->undo);
}

/* The position of @w among the members of its queue; all others are in order. */
static uint32_t new_position(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_line *line = &p->lines[p->jobs[w.v].queue.v];
	const uint32_t *members = p->members + line->members.first;
	uint32_t at = p->jobs[w.v].position;

	while (at > 0 && fl_line_cmp(p, w.v, members[at - 1]) < 0)
		at--;
	while (at + 1 < line->members.n && fl_line_cmp(p, w.v, members[at + 1]) > 0)
		at++;
	return at;
}

void fl_line_move(struct fl_policy *p, struct fl_workload w)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_line *line = line_of(p, w);
	uint32_t from = j->position, to = new_position(p, w);
	const uint32_t *members = p->members + line->members.first;
	bool waits = j->state == FL_STATE_WAITING || j->state == FL_STATE_INADMISSIBLE;

	FL_SET(p, j->reason, fl_line_reason(p, w));
	if (waits) {
		leave(p, w);
		FL_SET(p, j->loose, false);
		set_state(p, w, FL_STATE_WAITING);
	}
	for (; from > to; from--)
		place(p, line, members[from - 1], from);
	for (; from < to; from++)
		place(p, line, members[from + 1], from);
	place(p, line, w.v, to);
	if (waits)
		join(p, w, !is_alike(p, w) || is_marked(p, j->shape));
	for (uint32_t k = line->shapes.first; k < line->shapes.first + line->shapes.n; k++)
		note_shape(p, line, k);
	note_ready(p, j->queue);
	fl_line_stir(p, j->queue);
}

size_t fl_line_move_undo(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_line *line = &p->lines[p->jobs[w.v].queue.v];
	const size_t place = 2 * FL_UNDO_OF(uint32_t) + 2 * FL_BITSET_UNDO;

	return (line->members.n + (size_t)1) * place + line->shapes.n * (size_t)FL_LINE_SETS +
	       2 * FL_LINE_UNDO;
}

static void wake(struct fl_policy *p, struct fl_node q)
{
	struct fl_line *line = &p->lines[q.v];
	uint32_t end = line->shapes.first + line->shapes.n;

	for (uint32_t k = fl_bitset_next(&p->marked, line->shapes.first); k < end;
	     k = fl_bitset_next(&p->marked, k + 1)) {
		fl_bitset_remove(&p->marked, k, &p->undo);
		note_shape(p, line, k);
	}
	for (uint32_t at = fl_bitset_next(&line->parked, 0); at != FL_NONE;
	     at = fl_bitset_next(&line->parked, at + 1)) {
		struct fl_workload w = { p->members[line->members.first + at] };

		fl_bitset_remove(&line->parked, at, &p->undo);
		join(p, w, !is_alike(p, w));
	}
	note_ready(p, q);
}

void fl_line_flush(struct fl_policy *p, struct fl_node q)
{
	uint32_t root = p->tree.root_index[q.v];
	struct fl_span order;

	if (root == FL_NONE)
		return;
	fl_line_stir(p, q);
	order = p->tree.roots[root].order;
	for (uint32_t at = fl_bitset_next(&p->asleep, order.first); at < order.first + order.n;
	     at = fl_bitset_next(&p->asleep, at + 1)) {
		wake(p, (struct fl_node){ p->tree.order[at] });
		fl_bitset_remove(&p->asleep, at, &p->undo);
	}
}

size_t fl_line_flush_undo(const struct fl_policy *p, struct fl_node q)
{
	uint32_t root = p->tree.root_index[q.v];
	struct fl_span order;
	size_t room = FL_BITSET_UNDO;

	if (!p->undo.marks || root == FL_NONE)
		return 0;
	order = p->tree.roots[root].order;
	for (uint32_t i = fl_bitset_next(&p->asleep, order.first); i < order.first + order.n;
	     i = fl_bitset_next(&p->asleep, i + 1)) {
		const struct fl_line *line = &p->lines[p->tree.order[i]];
		uint32_t end = line->shapes.first + line->shapes.n;

		room += 2 * FL_BITSET_UNDO; /* ready, and not asleep */
		for (uint32_t k = fl_bitset_next(&p->marked, line->shapes.first); k < end;
		     k = fl_bitset_next(&p->marked, k + 1))
			room += FL_LINE_SETS;
		for (uint32_t at = fl_bitset_next(&line->parked, 0); at != FL_NONE;
		     at = fl_bitset_next(&line->parked, at + 1))
			room += FL_LINE_JOINS + FL_BITSET_UNDO;
	}
	return room;
}

size_t fl_line_park_undo(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_line *line = line_of(p, w);
	size_t room = 2 * FL_LINE_UNDO;

	for (uint32_t at = least_loose(line); at != FL_NONE;
	     at = fl_bitset_next(&line->loose, at + 1))
		room += FL_LINE_UNDO;
	return room;
}

/*
 * Positions stored in the cycle before always count; older ones only if no workload has left the
 * queue since (its generation is the same).  A cycle that does not look at a tree would only store
 * again what is stored, so such cycles need not be counted.
 */
bool fl_line_scan_counts(const struct fl_policy *p, const struct fl_job *j)
{
	uint32_t root = p->tree.root_index[j->queue.v];

	return j->scan_cycle != 0 && ((root != FL_NONE && j->scan_cycle == p->cycle[root]) ||
				      p->lines[j->queue.v].generation == j->scan_generation);
}
