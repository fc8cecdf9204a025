/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/doors/holds.h"

#include <string.h>

#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/preempt/preempt.h"
#include "decide/holding.h"

static bool waits(const struct fl_job *j)
{
	return j->state == FL_STATE_WAITING || j->state == FL_STATE_INADMISSIBLE;
}

static fl_time moment(const struct fl_policy *p, fl_time since)
{
	return since == FL_TIME_NONE ? p->now : since;
}

/* --- may it? --- */

static struct fl_column column_of(const struct fl_policy *p, const struct fl_holding *h, uint32_t i)
{
	return fl_tree_column(&p->tree, h->cluster_queue, h->rows[i].flavor, h->rows[i].resource);
}

/*
 * The amount of row @i and of all later ones of the same column; 0: an earlier row has that column,
 * or the row counts nowhere.
 */
static fl_amount amount_from(const struct fl_policy *p, const struct fl_holding *h, uint32_t i)
{
	struct fl_column column = column_of(p, h, i);
	fl_amount sum = h->rows[i].amount;

	for (uint32_t k = 0; k < h->n; k++) {
		if (k == i || column_of(p, h, k).v != column.v)
			continue;
		if (k < i)
			return 0;
		sum = fl_sat_add(sum, h->rows[k].amount);
	}
	return sum;
}

static int has_no_quota(const struct fl_policy *p, struct fl_workload w,
			const struct fl_placement *row, fairlead_error *err)
{
	const struct fl_model *m = p->model;

	(void)fl_fail(err, FAIRLEAD_EINPUT,
		      "no queue or cohort of its tree has quota of flavor '%s' for '%s'",
		      fl_model_text(m, m->flavors[row->flavor.v].name),
		      fl_model_text(m, m->resources[row->resource.v]));
	return fl_holding_fail(m, w, err);
}

static int no_room(const struct fl_policy *p, struct fl_workload w, const char *why,
		   fairlead_error *err)
{
	(void)fl_fail(err, FAIRLEAD_ELIMIT, "%s", why);
	return fl_holding_fail(p->model, w, err);
}

/* Below a cohort cycle nothing counts. */
static int check_rows(const struct fl_policy *p, struct fl_workload w, const struct fl_holding *h,
		      fairlead_error *err)
{
	struct fl_node q = h->cluster_queue;

	for (uint32_t i = 0; i < h->n && p->tree.root_index[q.v] != FL_NONE; i++) {
		struct fl_column column = column_of(p, h, i);

		if (h->rows[i].resource.v == FL_NONE)
			continue;
		if (column.v == FL_NONE)
			return has_no_quota(p, w, &h->rows[i], err);
		if (fl_usage_overflows(&p->usage, &p->tree, q, column, amount_from(p, h, i)))
			return no_room(p, w,
				       "what is admitted is more than 2^63 units of a resource",
				       err);
	}
	return 0;
}

static int check(const struct fl_policy *p, struct fl_workload w, const struct fl_holding *h,
		 fairlead_error *err)
{
	const struct fl_job *j = &p->jobs[w.v];
	uint32_t q = h->cluster_queue.v;
	int r = fl_holding_check(p->model, w, h, err);

	if (r < 0)
		return r;
	if (q != j->queue.v && q != fl_row(p, w)->admitted_queue.v)
		return no_room(p, w, "the ClusterQueue is not that of the workload", err);
	if (h->n > fl_room(p, j))
		return no_room(p, w, "it holds more resources than the workload asks for", err);
	return check_rows(p, w, h, err);
}

/* --- it holds --- */

/* Standings are found again, and workloads may stand otherwise than when they were parked. */
static size_t renewal_undo(const struct fl_policy *p, struct fl_node q, uint32_t uses)
{
	return p->rungs ? 3 * fl_rung_undo(p, uses) + fl_backlog_flush_undo(p, q) : 0;
}

static void renew(struct fl_policy *p, struct fl_node q)
{
	if (!p->rungs || p->tree.root_index[q.v] == FL_NONE)
		return;
	fl_rung_renew(p, &p->scratch->s, p->tree.root_index[q.v]);
	fl_backlog_flush(p, q);
}

static int reserve(struct fl_policy *p, struct fl_workload w, const struct fl_holding *h,
		   fairlead_error *err)
{
	const struct fl_job *j = &p->jobs[w.v];
	uint32_t n = p->holdings.n + 1, room = fl_room(p, j);
	size_t undo = FL_UNDO_OF(j->state) + FL_UNDO_OF(j->reason) + FL_UNDO_OF(j->scan_cycle) +
		      FL_UNDO_OF(p->backlogs[0].generation) + 2 * FL_UNDO_NOTE +
		      room * (sizeof(struct fl_placement) + sizeof(struct fl_use)) +
		      fl_holders_undo(p, h->cluster_queue, h->n, h->n) + FL_BACKLOG_UNDO +
		      fl_afs_since_undo(p, h->n) + renewal_undo(p, h->cluster_queue, h->n);
	int r;

	if ((r = fl_holdings_reserve(&p->holdings,
				     fl_holdings_end(&p->holdings, p->holdings.used, room), err)) <
		    0 ||
	    (r = fl_holders_reserve(p, n, err)) < 0 ||
	    (r = fl_preempt_reserve(p, p->scratch->search, n, err)) < 0)
		return r;
	return fl_rung_reserve_renewal(p, p->tree.root_index[h->cluster_queue.v], undo, err);
}

/* Writes the rows of @w, and what they come to in each column. */
static void take_rows(struct fl_policy *p, struct fl_workload w, const struct fl_holding *h)
{
	struct fl_job *j = &p->jobs[w.v];
	uint32_t uses = 0;

	FL_SET(p, j->held, fl_holdings_take(&p->holdings, fl_room(p, j), &p->undo));
	fl_undo_note(&p->undo, fl_placements(p, j), h->n * (uint32_t)sizeof *h->rows);
	fl_undo_note(&p->undo, fl_uses(p, j), h->n * (uint32_t)sizeof *fl_uses(p, j));
	for (uint32_t i = 0; i < h->n; i++) {
		struct fl_column column = column_of(p, h, i);
		uint32_t k = 0;

		fl_placements(p, j)[i] = h->rows[i];
		while (k < uses && fl_uses(p, j)[k].column.v != column.v)
			k++;
		if (column.v == FL_NONE || k < uses)
			continue;
		fl_uses(p, j)[uses++] = (struct fl_use){ column, amount_from(p, h, i) };
	}
	FL_SET(p, j->n_placement, (uint16_t)h->n);
	FL_SET(p, j->n_use, (uint16_t)uses);
}

static void leave_backlog(struct fl_policy *p, struct fl_workload w)
{
	struct fl_job *j = &p->jobs[w.v];

	if (j->queue.v == FL_NONE)
		return;
	FL_SET(p, p->backlogs[j->queue.v].generation, p->backlogs[j->queue.v].generation + 1);
	if (waits(j))
		fl_backlog_remove(p, w);
}

int fl_borrow_holds(struct fl_policy *p, const struct fl_event *event, fairlead_error *err)
{
	struct fl_workload w = event->workload;
	const struct fl_holding *h = &event->holding;
	struct fl_job *j = &p->jobs[w.v];
	int r;

	if (fl_holds_quota(j) || j->state == FL_STATE_ABSENT)
		return fl_common_refuse(
			p, w, "cannot be admitted: it holds quota already, or is not there", err);
	if ((r = check(p, w, h, err)) < 0 || (r = reserve(p, w, h, err)) < 0)
		return r;
	leave_backlog(p, w);
	take_rows(p, w, h);
	FL_SET(p, j->reserved_at, moment(p, event->since));
	FL_SET(p, j->state, FL_STATE_ADMITTED);
	FL_SET(p, j->reason, FL_REASON_NONE);
	FL_SET(p, j->scan_cycle, 0);
	fl_rung_arrive(p, w);
	fl_holders_hold(p, w, h->cluster_queue);
	fl_backlog_mark_dirty(p, h->cluster_queue);
	fl_afs_since(p, w, j->reserved_at);
	renew(p, h->cluster_queue);
	return 0;
}

/* --- it goes --- */

int fl_borrow_goes(struct fl_policy *p, const struct fl_event *event, fairlead_error *err)
{
	struct fl_workload w = event->workload;
	struct fl_job *j = &p->jobs[w.v];
	struct fl_node q = j->held_by;
	size_t undo;
	int r;

	if (!fl_holds_quota(j))
		return fl_common_refuse(p, w, "holds no quota", err);
	undo = FL_UNDO_OF(j->state) + FL_UNDO_OF(j->reason) + 2 * FL_HOLDERS_LIST_UNDO +
	       FL_BITSET_UNDO + fl_protect_eviction_undo(p, w) + fl_protect_end_undo(p) +
	       renewal_undo(p, q, j->n_use);
	r = fl_rung_reserve_renewal(p, p->tree.root_index[q.v], undo, err);
	if (r < 0)
		return r;
	FL_SET(p, j->reason, event->reason);
	if (j->state == FL_STATE_EVICTING)
		return 0;
	fl_rung_leave(p, w);
	fl_holders_unlist(p, w);
	FL_SET(p, j->state, FL_STATE_EVICTING);
	fl_holders_list(p, w);
	fl_backlog_mark_dirty(p, q);
	fl_protect_goes_since(p, w, moment(p, event->since));
	renew(p, q);
	return 0;
}
