/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines - who waits in a ClusterQueue, who is its head, who is parked
 *
 * Queue order is fixed: the sticky preemptor first, then priority descending,
 * queue-order time ascending, uid ascending; under Admission Fair Sharing the
 * usage of the local queue comes before all that (afs.c).  A parked (inadmissible) workload is
 * out of the order until something in its tree frees: fl_line_flush.  A shape
 * that was found not to fit is marked, so that equal workloads need not be tried
 * one by one.
 *
 * Cost: head, push, pop and park are O(log64 n); a flush is O(words) of its tree; a change
 * of priority is O(workloads of the queue).
 */
#include "decide/borrow/afs.h"

int fl_line_cmp(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if (x->queue.v != y->queue.v)
		return x->queue.v < y->queue.v ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->queue_time != y->queue_time)
		return x->queue_time < y->queue_time ? -1 : 1;
	return (x->uid_rank > y->uid_rank) - (x->uid_rank < y->uid_rank);
}

/* Shapes are told apart at the beginning: whose priority changed since is like nobody. */
static bool is_alike(const struct fl_policy *p, struct fl_workload w)
{
	return p->jobs[w.v].priority == fl_row(p, w)->priority;
}

static struct fl_line *line_of(struct fl_policy *p, struct fl_workload w)
{
	return &p->lines[p->jobs[w.v].queue.v];
}

static void set_state(struct fl_policy *p, struct fl_workload w, enum fl_workload_state state)
{
	FL_SET(p, p->jobs[w.v].state, state);
}

struct fl_workload fl_line_head(const struct fl_policy *p, struct fl_node q)
{
	const struct fl_line *line = &p->lines[q.v];
	uint32_t first;

	if (fl_afs_orders(p, q))
		return fl_afs_head(p, q);
	if (line->sticky != FL_NONE && p->jobs[line->sticky].state == FL_STATE_WAITING)
		return (struct fl_workload){ line->sticky };
	first = fl_bitset_next(&line->waiting, 0);
	return (struct fl_workload){ first == FL_NONE ? FL_NONE :
							p->members[line->members.first + first] };
}

void fl_line_pop(struct fl_policy *p, struct fl_workload w)
{
	fl_bitset_remove(&line_of(p, w)->waiting, p->jobs[w.v].position, &p->undo);
}

void fl_line_return(struct fl_policy *p, struct fl_workload w)
{
	fl_bitset_add(&line_of(p, w)->waiting, p->jobs[w.v].position, &p->undo);
	set_state(p, w, FL_STATE_WAITING);
}

static void park(struct fl_policy *p, struct fl_workload w)
{
	fl_bitset_add(&line_of(p, w)->parked, p->jobs[w.v].position, &p->undo);
	set_state(p, w, FL_STATE_INADMISSIBLE);
	if (!p->tree_parked[p->tree.root_index[p->jobs[w.v].queue.v]])
		FL_SET(p, p->tree_parked[p->tree.root_index[p->jobs[w.v].queue.v]], true);
}

void fl_line_push(struct fl_policy *p, struct fl_workload w)
{
	if (p->protect)
		FL_SET(p, p->jobs[w.v].waiting_since, p->now);
	if (is_alike(p, w) && p->shape_marked[p->jobs[w.v].shape])
		park(p, w);
	else
		fl_line_return(p, w);
}

void fl_line_park(struct fl_policy *p, struct fl_workload w, bool shape)
{
	struct fl_span alike = p->shape_members[p->jobs[w.v].shape];

	park(p, w);
	if (!shape || !is_alike(p, w))
		return;
	FL_SET(p, p->shape_marked[p->jobs[w.v].shape], true);
	for (uint32_t i = alike.first; i < alike.first + alike.n; i++) {
		struct fl_workload other = { p->shape_ids[i] };

		if (p->jobs[other.v].state == FL_STATE_WAITING && other.v != w.v &&
		    is_alike(p, other)) {
			fl_line_pop(p, other);
			park(p, other);
			FL_SET(p, p->jobs[other.v].reason, p->jobs[w.v].reason);
		}
	}
}

void fl_line_remove(struct fl_policy *p, struct fl_workload w)
{
	struct fl_line *line = line_of(p, w);
	uint32_t at = p->jobs[w.v].position;

	if (fl_bitset_has(&line->waiting, at))
		fl_bitset_remove(&line->waiting, at, &p->undo);
	if (fl_bitset_has(&line->parked, at))
		fl_bitset_remove(&line->parked, at, &p->undo);
	if (line->sticky == w.v)
		FL_SET(p, line->sticky, FL_NONE);
	if (p->jobs[w.v].promised)
		FL_SET(p, p->jobs[w.v].promised, false);
}

/* Put @w at position @at; its bits follow from its state. */
static void place(struct fl_policy *p, struct fl_line *line, uint32_t w, uint32_t at)
{
	struct fl_job *j = &p->jobs[w];
	struct fl_bitset *sets[] = { &line->waiting, &line->parked };
	enum fl_workload_state states[] = { FL_STATE_WAITING, FL_STATE_INADMISSIBLE };

	FL_SET(p, p->members[line->members.first + at], w);
	FL_SET(p, j->position, at);
	for (int i = 0; i < 2; i++)
		if (fl_bitset_has(sets[i], at) && j->state != states[i])
			fl_bitset_remove(sets[i], at, &p->undo);
		else if (!fl_bitset_has(sets[i], at) && j->state == states[i])
			fl_bitset_add(sets[i], at, &p->undo);
}

/* Where @w belongs among the members of its queue, which but for it are in order. */
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
	struct fl_line *line = line_of(p, w);
	uint32_t from = p->jobs[w.v].position, to = new_position(p, w);
	const uint32_t *members = p->members + line->members.first;

	if (p->jobs[w.v].state == FL_STATE_INADMISSIBLE)
		set_state(p, w, FL_STATE_WAITING);
	for (; from > to; from--)
		place(p, line, members[from - 1], from);
	for (; from < to; from++)
		place(p, line, members[from + 1], from);
	place(p, line, w.v, to);
}

size_t fl_line_move_notes(const struct fl_policy *p, struct fl_workload w)
{
	return (size_t)p->lines[p->jobs[w.v].queue.v].members.n * (2 + 2 * FL_BITSET_NOTES) + 8;
}

void fl_line_flush(struct fl_policy *p, struct fl_node q)
{
	uint32_t root = p->tree.root_index[q.v];

	if (root == FL_NONE || !p->tree_parked[root])
		return;
	FL_SET(p, p->tree_parked[root], false);
	for (uint32_t i = 0; i < p->tree.queues[root].n; i++) {
		struct fl_line *line = &p->lines[p->tree.queue_ids[p->tree.queues[root].first + i]];

		for (uint32_t k = line->shapes.first; k < line->shapes.first + line->shapes.n; k++)
			if (p->shape_marked[k])
				FL_SET(p, p->shape_marked[k], false);
		for (uint32_t at = fl_bitset_next(&line->parked, 0); at != FL_NONE;
		     at = fl_bitset_next(&line->parked, at + 1)) {
			struct fl_workload w = { p->members[line->members.first + at] };

			fl_bitset_remove(&line->parked, at, &p->undo);
			fl_line_return(p, w);
		}
	}
}

size_t fl_line_flush_notes(const struct fl_policy *p, struct fl_node q)
{
	uint32_t root = p->tree.root_index[q.v];
	size_t notes = 1;

	if (!p->undo.marks || root == FL_NONE || !p->tree_parked[root])
		return 0;
	for (uint32_t i = 0; i < p->tree.queues[root].n; i++) {
		const struct fl_line *line =
			&p->lines[p->tree.queue_ids[p->tree.queues[root].first + i]];

		notes += line->shapes.n;
		for (uint32_t at = fl_bitset_next(&line->parked, 0); at != FL_NONE;
		     at = fl_bitset_next(&line->parked, at + 1))
			notes += 2 * FL_BITSET_NOTES + 1;
	}
	return notes;
}
