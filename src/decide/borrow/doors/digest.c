/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digest - a state word by word, and the 128 bits made of the words
 *
 * Two states have equal words if and only if they decide alike from here on.  What counts: which
 * workloads are pending, are parked or hold what; sticky preemptors, marked classes, scan positions
 * that still count; of times only the order of reservations, so that a state that recurs later is
 * recognised.  Of what a Policy makes depend on time, the time that is left counts.
 */

#include "base/mix.h"
#include "base/sort.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/by_usage.h"
#include "decide/borrow/backlog/requeue.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/doors/setup.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/preempt/preempt.h"

static int cmp_reserved(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	fl_time x = p->jobs[a].reserved_at, y = p->jobs[b].reserved_at;

	return (x > y) - (x < y);
}

static void spell_job(const struct fl_policy *p, struct fl_workload w, fl_word *word, void *user)
{
	const struct fl_job *j = &p->jobs[w.v];
	bool scans = j->queue.v != FL_NONE && fl_backlog_scan_counts(p, j);
	bool marked = j->queue.v != FL_NONE && fl_bitset_has(&p->marked, j->eq_class);
	struct fl_span scan = fl_scan(p, j);

	word(user, (uint64_t)fl_backlog_state(p, w) << 56 | (uint64_t)marked << 49 |
			   (uint64_t)scans << 48 | (uint64_t)j->n_use << 32 | j->held_by.v);
	for (uint32_t i = 0; i < j->n_use; i++) {
		word(user, fl_uses(p, j)[i].column.v);
		word(user, (uint64_t)fl_uses(p, j)[i].amount);
	}
	if (!scans)
		return;
	for (uint32_t i = 0; i < scan.n; i++)
		word(user, (uint64_t)(uint16_t)p->scans[scan.first + i] << 16 | i);
	/*
	 * Scan positions of the last cycle count in the next in any case; older ones only while no
	 * workload leaves.
	 */
	word(user, j->scan_cycle == p->cycle[p->tree.root_index[j->queue.v]]);
}

/*
 * The order in which workloads got their quota; @holders and @scratch: room for all of them each.
 */
static void spell_reserved(const struct fl_policy *p, uint32_t *holders, uint32_t *scratch,
			   fl_word *word, void *user)
{
	uint32_t n = 0, rank = 0;

	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		if (fl_holds_quota(&p->jobs[w]))
			holders[n++] = w;
	fl_sort(holders, n, scratch, cmp_reserved, p);
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0 && p->jobs[holders[i]].reserved_at != p->jobs[holders[i - 1]].reserved_at)
			rank++;
		word(user, (uint64_t)rank << 32 | holders[i]);
	}
}

static void spell(const struct fl_policy *p, fl_time now, bool gist, fl_word *word, void *user)
{
	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		spell_job(p, (struct fl_workload){ w }, word, user);
	/* No search or sort is running, so their memory is free. */
	spell_reserved(p, fl_preempt_lend(p->scratch->search), p->sort_scratch, word, user);
	for (uint32_t q = 0; q < p->model->n_nodes; q++)
		word(user, p->backlogs[q].sticky);
	fl_protect_spell(p, now, gist, word, user);
	fl_rung_spell(p, word, user);
	/*
	 * Which workloads are held back was spelled already; the gist has which of them could be
	 * held back again.
	 */
	fl_requeue_spell(p, gist ? FL_NEVER : now, word, user);
	if (gist)
		word(user, p->requeued_n);
	fl_afs_spell(p, gist ? FL_NEVER : now, word, user);
}

void fl_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	spell(p, now, /* gist= */ false, word, user);
}

void fl_gist(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	spell(p, now, /* gist= */ true, word, user);
}

static void mix(void *user, uint64_t word) { fl_mix(user, word); }

void fl_digest(const struct fl_policy *p, fl_time now, uint64_t ret[2])
{
	uint64_t h[2] = { 1, 2 };

	fl_spell(p, now, mix, h);
	ret[0] = h[0];
	ret[1] = h[1];
}
