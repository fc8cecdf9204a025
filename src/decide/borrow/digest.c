/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digest - 128 bits that are equal when two states decide alike from here on
 *
 * What counts: who waits, is parked, holds what; sticky preemptors, marked shapes,
 * scan positions that still count; and of times only the order of reservations,
 * so that a state that recurs later is recognised.  Of what a Policy makes hang on time,
 * what is left of it counts.
 */

#include "base/mix.h"
#include "base/sort.h"
#include "decide/borrow/afs.h"
#include "decide/borrow/cycle.h"
#include "decide/borrow/protect.h"
#include "decide/borrow/requeue.h"
#include "decide/borrow/setup.h"

static int cmp_reserved(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	fl_time x = p->jobs[a].reserved_at, y = p->jobs[b].reserved_at;

	return (x > y) - (x < y);
}

static void mix_job(const struct fl_policy *p, struct fl_workload w, uint64_t h[2])
{
	const struct fl_job *j = &p->jobs[w.v];
	struct fl_span scan = fl_scan(p, j);

	fl_mix(h, (uint64_t)fl_line_state(p, w) << 32 | j->held_by.v);
	for (uint32_t i = 0; i < j->n_use; i++) {
		fl_mix(h, fl_uses(p, j)[i].column.v);
		fl_mix(h, (uint64_t)fl_uses(p, j)[i].amount);
	}
	if (j->queue.v == FL_NONE || !fl_state_scan_counts(p, j))
		return;
	for (uint32_t i = 0; i < scan.n; i++)
		fl_mix(h, (uint64_t)(uint16_t)p->scans[scan.first + i] << 16 | i);
	/* Of the last cycle: they count in the next whatever happens; older: only while nothing leaves. */
	fl_mix(h, j->scan_cycle == p->cycle[p->tree.root_index[j->queue.v]]);
}

void fl_digest(const struct fl_policy *p, fl_time now, uint64_t ret[2])
{
	uint64_t h[2] = { 1, 2 }, rank = 0;
	uint32_t n = 0, *holders = (uint32_t *)p->scratch->targets; /* nobody searches now */

	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		mix_job(p, (struct fl_workload){ w }, h);
		if (fl_holds_quota(&p->jobs[w]))
			holders[n++] = w;
	}
	fl_sort(holders, n, p->sort_scratch, cmp_reserved, p);
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0 && p->jobs[holders[i]].reserved_at != p->jobs[holders[i - 1]].reserved_at)
			rank++;
		fl_mix(h, rank << 32 | holders[i]);
	}
	for (uint32_t q = 0; q < p->model->n_nodes; q++)
		fl_mix(h, p->lines[q].sticky);
	for (uint32_t s = fl_bitset_next(&p->marked, 0); s != FL_NONE;
	     s = fl_bitset_next(&p->marked, s + 1))
		fl_mix(h, s);
	fl_protect_digest(p, now, fl_mix, h);
	fl_requeue_digest(p, now, fl_mix, h);
	fl_afs_digest(p, now, fl_mix, h);
	ret[0] = h[0];
	ret[1] = h[1];
}
