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
 * Cost: head, push, pop and park are O(log64 n); a flush is O(words) of its tree.
 */
#include "decide/borrow/afs.h"

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
	if (p->shape_marked[p->jobs[w.v].shape])
		park(p, w);
	else
		fl_line_return(p, w);
}

void fl_line_park(struct fl_policy *p, struct fl_workload w, bool shape)
{
	struct fl_span alike = p->shape_members[p->jobs[w.v].shape];

	park(p, w);
	if (!shape)
		return;
	FL_SET(p, p->shape_marked[p->jobs[w.v].shape], true);
	for (uint32_t i = alike.first; i < alike.first + alike.n; i++) {
		struct fl_workload other = { p->shape_ids[i] };

		if (p->jobs[other.v].state == FL_STATE_WAITING && other.v != w.v) {
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
