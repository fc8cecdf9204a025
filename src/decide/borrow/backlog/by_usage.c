/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/backlog/by_usage.h"

#include "base/sort.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/holders.h"

bool fl_afs_before(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	const struct fl_backlog *backlog = &p->backlogs[p->jobs[a].queue.v];
	double x = fl_afs_usage(p, (struct fl_workload){ a }),
	       y = fl_afs_usage(p, (struct fl_workload){ b });

	if (p->jobs[a].promised != p->jobs[b].promised)
		return p->jobs[a].promised;
	if (x != y)
		return x < y;
	if ((a == backlog->sticky) != (b == backlog->sticky))
		return a == backlog->sticky;
	return p->jobs[a].position < p->jobs[b].position;
}

struct fl_workload fl_afs_head(const struct fl_policy *p, struct fl_node q)
{
	struct fl_backlog_walk walk = { 0 };
	uint32_t head = FL_NONE;

	for (uint32_t w = fl_backlog_next(p, q, &walk).v; w != FL_NONE;
	     w = fl_backlog_next(p, q, &walk).v)
		if (head == FL_NONE || fl_afs_before(p, w, head))
			head = w;
	return (struct fl_workload){ head };
}

static int cmp_queues(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	uint32_t x = p->jobs[a].held_by.v, y = p->jobs[b].held_by.v;

	return (x > y) - (x < y);
}

static int cmp_places(const void *afs, uint32_t a, uint32_t b)
{
	const uint32_t *place = ((const struct fl_afs *)afs)->place;

	return (place[a] > place[b]) - (place[a] < place[b]);
}

/*
 * Two candidates of one queue are compared by usage, two of different queues by the order in which
 * they are passed.  Together these may form a cycle: a before b by usage, b before c by time, and
 * c, of another queue, before a by time.  So each candidate gets as its place the number of
 * candidates that are before it by these comparisons; candidates with equal places keep the order
 * in which they were passed.
 *
 * Without a cycle the places are 0, 1, 2, ..., so the order is the one that the rule gives, which
 * is the reference's.  With a cycle the reference's order depends on its sort and on a hash map;
 * this one (Copeland's method, which elections use for the same problem) depends on the rule only.
 *
 * The candidates before w are: those of other queues that were passed before it, which is its
 * index less its rank among its own queue's as passed, and those of its own queue that are before
 * it by usage.
 */
void fl_afs_sort(struct fl_policy *p, uint32_t *ids, uint32_t n)
{
	uint32_t *place = p->afs->place, *by_queue = p->afs->by_queue, end;

	for (uint32_t i = 0; i < n; i++) {
		place[ids[i]] = i;
		by_queue[i] = ids[i];
	}
	fl_sort(by_queue, n, p->sort_scratch, cmp_queues, p);
	for (uint32_t i = 0; i < n; i++)
		place[by_queue[i]] -= i; /* less its rank as passed, and where its queue begins */
	for (uint32_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && cmp_queues(p, by_queue[i], by_queue[end]) == 0;)
			end++;
		fl_sort(by_queue + i, end - i, p->sort_scratch, fl_holders_cmp_candidates, p);
	}
	for (uint32_t i = 0; i < n; i++)
		place[by_queue[i]] += i;
	fl_sort(ids, n, p->sort_scratch, cmp_places, p->afs);
}
