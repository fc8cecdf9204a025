/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy - borrow behind decide/policy.h: events, marks, answers
 */
#include <string.h>

#include "base/sort.h"
#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/by_usage.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/backlog/requeue.h"
#include "decide/borrow/borrow.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/doors/adopt.h"
#include "decide/borrow/doors/holds.h"
#include "decide/borrow/doors/image.h"
#include "decide/borrow/doors/join.h"
#include "decide/borrow/doors/setup.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/guarantee/yield.h"
#include "decide/borrow/preempt/borrowers.h"
#include "decide/borrow/preempt/preempt.h"
#include "model/newcomer.h"

/* Room for newcomers beside the places, as queues need not grow as places are left. */
enum { SOME = 64 };

static struct fl_policy *borrow_free(struct fl_policy *p)
{
	if (!p)
		return NULL;
	fl_tree_done(&p->tree);
	fl_holdings_done(&p->holdings);
	fl_mem_free(p->mem, p->sort_scratch);
	if (p->scratch)
		fl_preempt_done(p, p->scratch->search);
	return fl_common_free(p);
}

static int set_up(struct fl_policy *p, const struct fl_policy_options *options,
		  const struct fl_image *image, fairlead_error *err)
{
	p->unsampled = options->unsampled;
	p->flush_after = options->flush_after;
	p->places = p->model->n_workloads;
	if (!image && !options->packed && p->model->places) {
		p->places = p->model->places;
		p->spare = fl_model_places_left(p->model) + SOME;
	}
	return image ? fl_setup_from(p, image, err) : fl_setup(p, err);
}

static const struct fl_maker maker = {
	.size = sizeof(struct fl_policy),
	.setup = set_up,
	.saved_options = fl_borrow_saved_options,
	.free = borrow_free,
};

static int borrow_new(const struct fl_model *model, const struct fl_policy_options *options,
		      struct fl_policy **ret, fairlead_error *err)
{
	return fl_common_make(&maker, model, options, /* image= */ NULL, ret, err);
}

/* The same state in a policy that has places for newcomers, or in a @packed one, which has none. */
static int make_again(const struct fl_policy *p, bool packed, struct fl_policy **ret,
		      fairlead_error *err)
{
	const struct fl_policy_options options = {
		.mem = p->mem, .now = p->now, .unsampled = p->unsampled, .packed = packed
	};
	uint32_t n = p->model->n_workloads;
	struct fl_workload *same;
	struct fl_arena arena;
	int r;

	fl_arena_init(&arena, p->mem);
	same = fl_arena_alloc(&arena, n, sizeof *same, err);
	for (uint32_t w = 0; same && w < n; w++)
		same[w].v = w;
	r = same ? borrow_new(p->model, &options, ret, err) : FAIRLEAD_ENOMEM;
	if (r == 0 && (r = fl_borrow_adopt(*ret, p->now, p, same, err)) < 0)
		*ret = borrow_free(*ret);
	for (uint32_t root = 0; r == 0 && p->flush_due && root < p->tree.n_roots; root++)
		if (p->flush_due[root] != FL_NEVER)
			fl_backlog_flush(*ret, p->tree.roots[root].node);
	fl_arena_done(&arena);
	return r;
}

/* Images are of packed policies: one with places has its rows in other orders. */
static int borrow_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	struct fl_policy *packed = NULL;
	int r = fl_common_unmarked(p, "a policy is not saved", err);

	if (r == 0 && p->spare)
		r = make_again(p, /* packed= */ true, &packed, err);
	if (r == 0)
		r = fl_borrow_save(packed ? packed : p, w, err);
	borrow_free(packed);
	return r;
}

static int borrow_load(const struct fl_model *model, const struct fl_policy_options *options,
		       const struct fl_image *image, struct fl_policy **ret, fairlead_error *err)
{
	struct fl_policy *packed;
	int r = fl_common_make(&maker, model, options, image, &packed, err);

	if (r < 0 || !model->places) {
		if (r == 0)
			*ret = packed;
		return r;
	}
	r = make_again(packed, /* packed= */ false, ret, err);
	borrow_free(packed);
	return r;
}

/* --- events --- */

/*
 * Room in the undo log for one event of @w: what it holds is released, it takes its place in the
 * backlog, and its tree is flushed, perhaps with @w itself.
 */
static int reserve_event(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	const struct fl_job *j = &p->jobs[w.v];
	size_t room = 2 * FL_BACKLOG_UNDO + FL_UNDO_OF(j->scan_cycle) + FL_UNDO_OF(j->reason) +
		      FL_UNDO_OF(j->state);

	if (!p->undo.marks)
		return 0;
	room += fl_rung_undo(p, j->n_use);
	if (fl_holds_quota(j))
		room += fl_holders_undo(p, j->held_by, j->n_use, j->n_placement) +
			fl_backlog_flush_undo(p, j->held_by);
	else if (p->rungs && j->queue.v != FL_NONE)
		room += fl_backlog_flush_undo(p, j->queue);
	return fl_undo_reserve(&p->undo, room, err);
}

/* The workload releases its quota; with @again it is pending again.  Flushes its tree. */
static int release(struct fl_policy *p, struct fl_workload w, bool again, fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_node q = j->held_by;
	int r;

	if (!fl_holds_quota(j))
		return fl_common_refuse(p, w, "holds no quota", err);
	if ((r = reserve_event(p, w, err)) < 0)
		return r;
	fl_rung_leave(p, w);
	fl_holders_release(p, w);
	FL_SET(p, j->scan_cycle, 0);
	FL_SET(p, j->reason, FL_REASON_NONE);
	if (again && j->queue.v != FL_NONE)
		fl_requeue_push(p, w);
	else
		FL_SET(p, j->state, again ? FL_STATE_EXCLUDED : FL_STATE_ABSENT);
	if (!again)
		fl_rung_gone(p, w);
	fl_backlog_freed(p, q);
	return 0;
}

static int submit(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	int r;

	if (j->state != FL_STATE_ABSENT || j->queue.v == FL_NONE)
		return fl_common_refuse(
			p, w, "cannot be submitted: it is there already, or has no queue", err);
	if ((r = reserve_event(p, w, err)) < 0)
		return r;
	fl_requeue_push(p, w);
	return 0;
}

static int cancel(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	bool was_there = j->state != FL_STATE_ABSENT;
	int r;

	if (fl_holds_quota(j))
		return release(p, w, /* again= */ false, err);
	if ((r = reserve_event(p, w, err)) < 0)
		return r;
	if (j->state == FL_STATE_WAITING || j->state == FL_STATE_INADMISSIBLE)
		fl_backlog_remove(p, w);
	FL_SET(p, j->scan_cycle, 0);
	FL_SET(p, j->reason, FL_REASON_NONE);
	FL_SET(p, j->state, FL_STATE_ABSENT);
	fl_rung_gone(p, w);
	if (p->rungs && was_there && j->queue.v != FL_NONE)
		fl_backlog_flush(
			p, j->queue); /* for those that yielded to it, or wait for a promise */
	return 0;
}

static bool is_amount(const struct fl_cell *cell)
{
	return cell->amount >= 0 || (cell->kind != FL_CELL_NOMINAL && cell->amount == FL_NO_LIMIT);
}

static int change_priority(struct fl_policy *p, struct fl_workload w, fl_amount priority,
			   fairlead_error *err)
{
	if (w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if (priority < INT32_MIN || priority > INT32_MAX)
		return fl_fail(err, FAIRLEAD_EINPUT, "a priority beyond 32 bits");
	return fl_change_priority(p, w, (int32_t)priority, err);
}

static int change_cell(struct fl_policy *p, const struct fl_cell *cell, fairlead_error *err)
{
	struct fl_column column;

	if (cell->node.v >= p->tree.n_nodes)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such queue or cohort");
	if (p->tree.root_index[cell->node.v] == FL_NONE)
		return fl_fail(err, FAIRLEAD_ESTATE,
			       "the node is in no tree: it is below a cohort cycle");
	if (cell->kind > FL_CELL_PRIORITY)
		return fl_fail(err, FAIRLEAD_ESTATE, "a cell of the entitle policy");
	if (cell->kind == FL_CELL_WEIGHT)
		return cell->weight >= 0 ? fl_change_weight(p, cell, err) :
					   fl_fail(err, FAIRLEAD_EINPUT, "a negative weight");
	if (!is_amount(cell))
		return fl_fail(err, FAIRLEAD_EINPUT, "a negative quota or limit");
	column = fl_tree_column(&p->tree, cell->node, cell->flavor, cell->resource);
	if (column.v == FL_NONE)
		return fl_fail(
			err, FAIRLEAD_ENOENT,
			"no queue or cohort of this tree has quota for that flavor and resource");
	return fl_change_quota(p, column, cell, err);
}

static int borrow_apply(struct fl_policy *p, fl_time now, const struct fl_event *event,
			fairlead_error *err)
{
	struct fl_workload w = event->workload;

	p->now = now;
	if (event->kind == FL_EV_CELL)
		return event->cell.kind == FL_CELL_PRIORITY ?
			       change_priority(p, w, event->cell.amount, err) :
			       change_cell(p, &event->cell, err);
	if (w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	switch (event->kind) {
	case FL_EV_SUBMIT:
		return submit(p, w, err);
	case FL_EV_CANCEL:
		return cancel(p, w, err);
	case FL_EV_STARTED:
		return fl_holds_quota(&p->jobs[w.v]) ?
			       0 :
			       fl_common_refuse(p, w, "holds no quota", err);
	case FL_EV_EVICTED:
	case FL_EV_REJECTED:
	case FL_EV_KILLED:
		return release(p, w, /* again= */ true, err);
	case FL_EV_FINISHED:
		return release(p, w, /* again= */ false, err);
	case FL_EV_HOLDS:
		return fl_borrow_holds(p, event, err);
	case FL_EV_GOES:
		return fl_borrow_goes(p, event, err);
	case FL_EV_USAGE:
		return fl_fail(err, FAIRLEAD_ESTATE, "samples of usage are for the entitle policy");
	case FL_EV_CELL:
		break;
	}
	return 0;
}

/* --- cycles and marks --- */

static int borrow_step(struct fl_policy *p, fl_time now, unsigned flags, const struct fl_sink *sink,
		       struct fl_decisions *ret, fairlead_error *err)
{
	p->now = now;
	return fl_cycle_step(p, flags, sink, ret, err);
}

static int borrow_try(struct fl_policy *p, fl_time now, struct fl_workload w,
		      const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	p->now = now;
	if (w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if (fl_holds_quota(&p->jobs[w.v]))
		return fl_common_refuse(p, w, "holds quota already", err);
	if (p->jobs[w.v].queue.v == FL_NONE || !p->backlogs[p->jobs[w.v].queue.v].active)
		return fl_common_refuse(p, w, "has no active queue", err);
	return fl_cycle_try(p, w, sink, ret, err);
}

/* The pending workload of @q that has a promise; FL_NONE. */
static struct fl_workload promised(const struct fl_policy *p, struct fl_node q)
{
	uint32_t sticky = p->backlogs[q.v].sticky;

	return (struct fl_workload){ sticky != FL_NONE && p->jobs[sticky].promised ? sticky :
										     FL_NONE };
}

static int borrow_serve(struct fl_policy *p, fl_time now, struct fl_workload w,
			const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	struct fl_node q;

	p->now = now;
	if (w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if (fl_backlog_state(p, w) != FL_STATE_WAITING)
		return fl_common_refuse(p, w, "is not pending in its queue", err);
	q = p->jobs[w.v].queue;
	if (!p->backlogs[q.v].active)
		return fl_common_refuse(p, w, "has no active queue", err);
	if (promised(p, q).v != FL_NONE && promised(p, q).v != w.v)
		return fl_common_refuse(p, w, "is behind a workload for which freed quota is held",
					err);
	return fl_cycle_serve(p, w, sink, ret, err);
}

/* Forgets what was found out about pending workloads of @q. */
static void forget_backlog(struct fl_policy *p, struct fl_node q)
{
	struct fl_backlog *backlog = &p->backlogs[q.v];

	if (backlog->sticky != FL_NONE && !p->jobs[backlog->sticky].promised)
		FL_SET(p, backlog->sticky, FL_NONE);
	for (uint32_t i = 0; i < backlog->members.n; i++) {
		struct fl_job *j = &p->jobs[p->members[backlog->members.first + i]];

		if (j->scan_cycle)
			FL_SET(p, j->scan_cycle, 0);
	}
}

static int borrow_forget(struct fl_policy *p, fl_time now, fairlead_error *err)
{
	size_t room = p->model->n_workloads * FL_UNDO_OF(p->jobs[0].scan_cycle) +
		      p->tree.n_nodes * FL_UNDO_OF(p->backlogs[0].sticky);
	int r;

	p->now = now;
	for (uint32_t root = 0; root < p->tree.n_roots; root++)
		room += fl_backlog_flush_undo(p, p->tree.roots[root].node);
	if ((r = fl_undo_reserve(&p->undo, room, err)) < 0)
		return r;
	for (uint32_t root = 0; root < p->tree.n_roots; root++) {
		struct fl_span queues = p->tree.queues[root];

		fl_backlog_flush(p, p->tree.roots[root].node);
		for (uint32_t i = queues.first; i < queues.first + queues.n; i++)
			forget_backlog(p, (struct fl_node){ p->tree.queue_ids[i] });
	}
	r = fl_protect_wake_due(p, err);
	return r < 0 ? r : fl_requeue_wake_due(p, err);
}

/* One per workload, one per cell of back-offs, and one for workloads that are held back. */
static uint32_t borrow_delays(const struct fl_policy *p)
{
	uint64_t n = (uint64_t)p->model->n_workloads + fl_protect_back_offs(p) + 1;

	return n < FL_NONE ? (uint32_t)n : FL_NONE - 1;
}

static int borrow_lift(struct fl_policy *p, fl_time now, uint32_t i, fairlead_error *err)
{
	size_t cells = fl_protect_back_offs(p);
	uint32_t n = p->model->n_workloads;

	p->now = now;
	if (i < n)
		return fl_protect_lift(p, i, err);
	return i - n < cells ? fl_protect_lift_back_off(p, i - n, err) : fl_requeue_lift(p, err);
}

/*
 * Workloads of one class are of one queue and have equal requests and priority; those of one local
 * queue also have the same namespace.  What else is known here of a workload is
 *
 *   - its age: compared with that of another one in its queue's backlog, with heads of other
 *     queues, and with victims of its own queue where equal priorities do not protect the newer
 *     one;
 *   - its uid: where ages, or times of reservation, are equal;
 *   - when it got its quota, which is part of a state and not of a workload;
 *   - what a Policy, usage of local queues or a back-off remember of it.
 *
 * When workloads are served one by one, none is in a backlog behind another and none competes with
 * other heads; and no two have the same time of reservation, except workloads that hold quota
 * since the beginning.  Of two workloads that are both pending neither is one of those.  So where
 * the third kind of comparison and the last item do not occur, a state in which two such workloads
 * have exchanged names decides as the other state does, with names exchanged; and a state in which
 * both are pending is the same with their names exchanged.
 */
static uint64_t borrow_likeness(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_workload_row *row = fl_row(p, w);
	const struct fl_job *j = &p->jobs[w.v];

	if (j->queue.v == FL_NONE || p->protect || p->afs || row->requeue != FL_NONE ||
	    j->priority != row->priority ||
	    p->model->nodes[j->queue.v].within_queue == FL_PREEMPT_LOWER_OR_NEWER_EQUAL)
		return FL_LIKE_NOBODY;
	return (uint64_t)j->eq_class << 32 | row->queue.v;
}

/*
 * A promise is kept where no node uses more than its quota allows.  Quotas that were cut below
 * what is held are a change from outside, and the state after it is not one to which the rule
 * alone leads.  An eviction that takes longer than evictionTimeout is such a change too, and it
 * cannot be excluded.
 */
static bool borrow_settles(const struct fl_policy *p)
{
	if (!p->rungs || p->model->settings.eviction_timeout > 0)
		return false;
	for (uint32_t i = 0; i < p->tree.n_order; i++) {
		struct fl_node n = { p->tree.order[i] };
		uint32_t columns = p->tree.roots[p->tree.root_index[n.v]].n_columns;

		for (uint32_t c = 0; c < columns; c++)
			if (fl_quota_available(&p->tree, &p->usage, n, (struct fl_column){ c }) < 0)
				return false;
	}
	return true;
}

static int borrow_remember(struct fl_policy *p, const struct fl_yield *rows, uint32_t n,
			   fairlead_error *err)
{
	int r = fl_common_unmarked(p, "what workloads yielded is not told", err);

	for (uint32_t i = 0; r == 0 && i < n; i++)
		fl_yield_enter(p, &p->scratch->s, &rows[i]);
	return r;
}

static fl_time borrow_wake(const struct fl_policy *p, fl_time now)
{
	fl_time protect = fl_protect_wake(p, now), usage = fl_afs_wake(p, now);
	fl_time requeue = fl_requeue_wake(p, now);

	return fl_amount_min(requeue, fl_amount_min(protect, usage));
}

static void borrow_rollback(struct fl_policy *p, fl_mark mark)
{
	uint32_t changes = p->changes;

	fl_undo_rollback(&p->undo, mark);
	p->usage.all_written = true;
	if (p->changes != changes)
		fl_change_undone(p);
}

/* --- answers --- */

static void borrow_share(const struct fl_policy *p, struct fl_node n, struct fl_share *ret)
{
	struct fl_drs drs = { 0 };

	*ret = (struct fl_share){ .weight = p->tree.weight[n.v], .dominant = { FL_NONE } };
	if (p->tree.root_index[n.v] == FL_NONE)
		return;
	drs = fl_drs_of(&p->tree, &p->usage, n);
	ret->precise = drs.weighted;
	ret->ratio = drs.ratio;
	ret->borrowing = drs.borrowing;
	ret->dominant = fl_drs_dominant(&p->tree, &p->usage, n);
}

static enum fl_workload_state borrow_state(const struct fl_policy *p, struct fl_workload w)
{
	return fl_backlog_state(p, w);
}

static const struct fl_placement *borrow_placement(const struct fl_policy *p, struct fl_workload w,
						   uint32_t *ret_n)
{
	*ret_n = p->jobs[w.v].n_placement;
	return fl_placements(p, &p->jobs[w.v]);
}

static double borrow_held(const struct fl_policy *p, struct fl_workload w, struct fl_resource r)
{
	const struct fl_job *j = &p->jobs[w.v];
	double held = 0;

	for (uint32_t i = 0; i < j->n_use; i++) {
		const struct fl_tree_root *root = fl_tree_root_of(&p->tree, j->held_by);
		const struct fl_use *use = &fl_uses(p, j)[i];

		if (root->columns[use->column.v].resource.v == r.v)
			held += (double)use->amount;
	}
	return held;
}

static enum fl_reason borrow_reason(const struct fl_policy *p, struct fl_workload w)
{
	return fl_backlog_reason(p, w);
}

const struct fl_tree *fl_borrow_tree(const struct fl_policy *p) { return &p->tree; }

const struct fl_usage *fl_borrow_usage(const struct fl_policy *p) { return &p->usage; }

const uint32_t *fl_borrow_holders(const struct fl_policy *p, struct fl_node q, uint32_t *ret_n)
{
	*ret_n = p->backlogs[q.v].n_holders;
	return p->holders + p->backlogs[q.v].holders.first;
}

const uint32_t *fl_borrow_members(const struct fl_policy *p, struct fl_node q, uint32_t *ret_n)
{
	*ret_n = p->backlogs[q.v].members.n;
	return p->members + p->backlogs[q.v].members.first;
}

/* By usage there is no fixed order: keeps the first @cap of the workloads before @w sorted. */
static uint32_t ahead_by_usage(const struct fl_policy *p, struct fl_workload w, uint32_t *ids,
			       uint32_t cap)
{
	struct fl_node q = p->jobs[w.v].queue;
	struct fl_backlog_walk walk = { 0 };
	uint32_t n = 0;

	for (uint32_t other = fl_backlog_next(p, q, &walk).v; other != FL_NONE;
	     other = fl_backlog_next(p, q, &walk).v) {
		uint32_t i = n < cap ? n : cap;

		if (other == w.v || !fl_afs_before(p, other, w.v))
			continue;
		n++;
		for (; i > 0 && fl_afs_before(p, other, ids[i - 1]); i--)
			if (i < cap)
				ids[i] = ids[i - 1];
		if (i < cap)
			ids[i] = other;
	}
	return n;
}

uint32_t fl_borrow_ahead(const struct fl_policy *p, struct fl_workload w, uint32_t *ids,
			 uint32_t cap)
{
	const struct fl_job *j = &p->jobs[w.v];
	const struct fl_backlog *backlog;
	uint32_t n = 0, head;

	if (j->queue.v == FL_NONE)
		return 0;
	if (fl_afs_orders(p, j->queue))
		return ahead_by_usage(p, w, ids, cap);
	backlog = &p->backlogs[j->queue.v];
	head = backlog->sticky;
	if (head == w.v)
		return 0;
	if (head != FL_NONE &&
	    fl_backlog_state(p, (struct fl_workload){ head }) == FL_STATE_WAITING) {
		if (n < cap)
			ids[n] = head;
		n++;
	}
	for (uint32_t at = 0; at < j->position; at++) {
		struct fl_workload other = { p->members[backlog->members.first + at] };

		if (other.v == head || fl_backlog_state(p, other) != FL_STATE_WAITING)
			continue;
		if (n < cap)
			ids[n] = other.v;
		n++;
	}
	return n;
}

uint64_t fl_borrow_looked(const struct fl_policy *p)
{
	const struct fl_cycle *c = p->scratch;

	return fl_preempt_looked(c->search) + fl_borrowers_looked(&c->s) +
	       fl_borrowers_looked(&c->freed);
}

double fl_borrow_consumed(const struct fl_policy *p, struct fl_queue lq, struct fl_resource r)
{
	return fl_afs_consumed(p, lq.v, r.v);
}

double fl_borrow_queue_usage(const struct fl_policy *p, struct fl_queue lq)
{
	return fl_afs_usage_at(p, lq.v, p->now);
}

const struct fl_policy_ops fl_borrow_policy = {
	.name = "borrow",
	.new = borrow_new,
	.free = borrow_free,
	.save = borrow_save,
	.load = borrow_load,
	.adopt = fl_borrow_adopt,
	.apply = borrow_apply,
	.join = fl_borrow_join,
	.leave = fl_borrow_leave,
	.step = borrow_step,
	.try = borrow_try,
	.serve = borrow_serve,
	.forget = borrow_forget,
	.flush = fl_backlog_flush_due,
	.settles = borrow_settles,
	.yielded = fl_yielded,
	.remember = borrow_remember,
	.wake = borrow_wake,
	.mark = fl_common_mark,
	.rollback = borrow_rollback,
	.keep = fl_common_keep,
	.share = borrow_share,
	.state = borrow_state,
	.placement = borrow_placement,
	.held = borrow_held,
	.reason = borrow_reason,
	.digest = fl_digest,
	.spell = fl_spell,
	.gist = fl_gist,
	.delays = borrow_delays,
	.lift = borrow_lift,
	.likeness = borrow_likeness,
};
