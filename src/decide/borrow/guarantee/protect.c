/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/guarantee/protect.h"

#include <string.h>

#include "base/limits.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/kept.h"

enum { LONGEST_ROW = 64 }; /* of reclaims that are counted */

struct fl_protect {
	struct fl_kept_list kept; /* all arrays but `of` */
	struct fl_protection *of; /* by node: all fields are set */
	bool backs_off;           /* some queue has a back-off */
	fl_time *until;           /* by cell: end of the back-off; FL_TIME_NONE: never reclaimed */
	uint32_t *level;          /* by cell: reclaims in a row */
	int16_t *flavors;         /* by index of p->scans: the promised flavors */
	int32_t *counts;          /* by podset of the model: the promised pods */
	uint32_t n_counts;
	fl_time *lifted, *longer; /* by workload: of reservation `lifted`, time added to its run */
	fl_time *wake;            /* by root: when the first refusal so far ends */
	fl_time *noted;           /* the same in the running cycle */
};

/* --- from the Policy to one row per queue --- */

static void inherit(struct fl_protection *to, const struct fl_protection *from)
{
	for (unsigned c = 0; c < FL_CAUSES; c++) {
		if (to->minimum_run[c] == FL_TIME_NONE)
			to->minimum_run[c] = from->minimum_run[c];
		if (to->delay[c] == FL_TIME_NONE)
			to->delay[c] = from->delay[c];
	}
	if (to->back_off_base == FL_TIME_NONE) {
		to->back_off_base = from->back_off_base;
		to->back_off_max = from->back_off_max;
	}
	if (!to->has_overruling_priority) {
		to->has_overruling_priority = from->has_overruling_priority;
		to->overruling_priority = from->overruling_priority;
	}
	if (to->hold_freed_quota == FL_SWITCH_UNSET)
		to->hold_freed_quota = from->hold_freed_quota;
}

/* What holds where no row of the Policy says otherwise. */
static const struct fl_protection unprotected = { .hold_freed_quota = FL_SWITCH_OFF };

/*
 * Each field of a node: from its own row, else from the nearest cohort that has it, else the
 * default.
 */
static void fill(struct fl_policy *p)
{
	const struct fl_model *m = p->model;
	struct fl_protect *k = p->protect;
	struct fl_protection defaults = fl_protection_default;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		k->of[n] = fl_protection_default;
	for (uint32_t i = 0; i < m->n_protections; i++)
		if (m->protections[i].scope == FL_PROTECT_ALL)
			defaults = m->protections[i].says;
		else if (m->protections[i].node.v != FL_NONE)
			k->of[m->protections[i].node.v] = m->protections[i].says;
	inherit(&defaults, &unprotected);
	for (uint32_t i = 0; i < p->tree.n_order; i++) { /* parents come first */
		uint32_t n = p->tree.order[i], parent = p->tree.parent[n];

		inherit(&k->of[n], parent == FL_NONE ? &defaults : &k->of[parent]);
		k->backs_off |= !p->tree.is_cohort[n] && k->of[n].back_off_base > 0;
	}
	for (uint32_t n = 0; n < m->n_nodes; n++) /* nodes below a cohort cycle */
		inherit(&k->of[n], &defaults);
}

/* The time since when @w is pending, or evicting, as the model states it. */
static fl_time waits_since(const struct fl_policy *p, uint32_t w)
{
	const struct fl_workload_row *row = &p->model->workloads[w];

	return fl_amount_max(row->created, fl_model_requeue(p->model, row)->evicted_at);
}

static bool is_count(const struct fl_policy *p, const void *row)
{
	(void)p;
	return *(const int32_t *)row >= 0;
}

static bool is_level(const struct fl_policy *p, const void *row)
{
	(void)p;
	return *(const uint32_t *)row <= LONGEST_ROW;
}

/* What a Policy remembers: refusals, promises, since when workloads are pending, and back-offs. */
static int keep(struct fl_policy *p, fairlead_error *err)
{
	struct fl_protect *k = p->protect;
	uint32_t jobs = p->places, roots = p->tree.n_roots;
	uint64_t cells = k->backs_off ? p->tree.cells : 0;
	const struct fl_kept all[] = {
		FL_KEPT(k->wake, roots, "protect.wake", NULL),
		FL_KEPT(k->flavors, p->n_scans, "protect.flavors", NULL),
		FL_KEPT(k->counts, k->n_counts, "protect.counts", is_count),
		FL_KEPT(p->waiting_since, jobs, "protect.waiting", NULL),
		FL_KEPT(k->until, cells, k->backs_off ? "protect.until" : NULL, NULL),
		FL_KEPT(k->level, cells, k->backs_off ? "protect.level" : NULL, is_level),
		FL_ROOM(k->noted, roots),
		FL_ROOM(k->lifted, jobs),
		FL_ROOM(k->longer, jobs),
	};

	return fl_kept_new(&k->kept, all, sizeof all / sizeof *all, &p->arena, err);
}

/* With places for newcomers, as many podsets as there are before the model takes no more. */
static uint32_t most_podsets(const struct fl_policy *p)
{
	const struct fl_model *m = p->model;

	return p->spare && m->worn.podsets >= m->n_podsets ? m->worn.podsets + FL_MAX_PODSETS :
							     m->n_podsets + p->spare;
}

int fl_protect_setup(struct fl_policy *p, fairlead_error *err)
{
	struct fl_protect *k;
	int r;

	if (!p->model->n_protections && !p->model->settings.settles)
		return 0;
	if (!FL_NEW(&p->arena, k, 1, err) || !FL_NEW(&p->arena, k->of, p->model->n_nodes, err))
		return FAIRLEAD_ENOMEM;
	p->protect = k;
	k->n_counts = most_podsets(p);
	fill(p);
	if ((r = keep(p, err)) < 0)
		return r;
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		p->waiting_since[w] = waits_since(p, w);
		k->lifted[w] = FL_TIME_NONE;
	}
	for (uint32_t i = 0; i < p->tree.n_roots; i++)
		k->wake[i] = k->noted[i] = FL_NEVER;
	for (size_t at = 0; k->backs_off && at < p->tree.cells; at++)
		k->until[at] = FL_TIME_NONE;
	return 0;
}

int16_t *fl_protect_scans(const struct fl_policy *p) { return p->protect->flavors; }

bool fl_protect_counts_podsets(const struct fl_policy *p, struct fl_span podsets)
{
	return podsets.first + podsets.n <= p->protect->n_counts;
}

void fl_protect_join(struct fl_policy *p, struct fl_workload w)
{
	struct fl_protect *k = p->protect;

	FL_SET(p, p->waiting_since[w.v], waits_since(p, w.v));
	FL_SET(p, k->lifted[w.v], FL_TIME_NONE);
	FL_SET(p, k->longer[w.v], 0);
}

int fl_protect_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	return p->protect ? fl_kept_save(&p->protect->kept, w, err) : 0;
}

int fl_protect_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	return p->protect ? fl_kept_load(&p->protect->kept, p, i, err) : 0;
}

/* --- carried into another policy --- */

static void carry_promise(struct fl_policy *p, const struct fl_adopting *a, struct fl_workload w)
{
	uint32_t was = a->is.was[w.v].v;
	struct fl_span to = fl_scan(p, &p->jobs[w.v]), podsets = fl_row(p, w)->podsets;
	struct fl_span from = fl_scan(a->from, &a->from->jobs[was]);

	memcpy(p->protect->flavors + to.first, a->from->protect->flavors + from.first,
	       to.n * sizeof *p->protect->flavors);
	memcpy(p->protect->counts + podsets.first,
	       a->from->protect->counts + a->from->model->workloads[was].podsets.first,
	       podsets.n * sizeof *p->protect->counts);
}

/* Carries the back-offs of queue @n. */
static void carry_back_offs(struct fl_policy *p, const struct fl_adopting *a, struct fl_node n)
{
	const struct fl_protect *from = a->from->protect;
	uint32_t is = a->is.nodes[n.v];

	if (is == FL_NONE || p->tree.root_index[is] == FL_NONE ||
	    a->from->tree.root_index[n.v] == FL_NONE)
		return;
	for (uint32_t c = 0; c < fl_tree_root_of(&a->from->tree, n)->n_columns; c++) {
		struct fl_column column = fl_adopting_column(a, p, n, (struct fl_column){ c });
		size_t was = a->from->tree.row[n.v] + c, at;

		if (column.v == FL_NONE)
			continue;
		at = fl_tree_cell(&p->tree, (struct fl_node){ is }, column);
		p->protect->until[at] = from->until[was];
		p->protect->level[at] = from->level[was];
	}
}

/*
 * Since when @w, as row @was of the old policy, is pending or evicting; if that was not recorded
 * of an eviction, from now on.
 */
static fl_time carried_since(const struct fl_policy *p, const struct fl_adopting *a, uint32_t w)
{
	const struct fl_protect *from = a->from->protect;

	if (from)
		return a->from->waiting_since[a->is.was[w].v];
	return p->jobs[w].state == FL_STATE_EVICTING ? p->now : waits_since(p, w);
}

void fl_protect_adopt(struct fl_policy *p, const struct fl_adopting *a)
{
	const struct fl_protect *from = a->from->protect;
	struct fl_protect *k = p->protect;

	if (!k)
		return;
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		uint32_t was = a->is.was[w].v;

		if (was != FL_NONE)
			p->waiting_since[w] = carried_since(p, a, w);
		if (p->jobs[w].promised)
			carry_promise(p, a, (struct fl_workload){ w });
	}
	for (uint32_t root = 0; from && root < p->tree.n_roots; root++)
		if (a->alike[root])
			k->wake[root] =
				from->wake[a->from->tree.root_index
						   [a->is.nodes_were[p->tree.roots[root].node.v]]];
	for (uint32_t n = 0; from && k->backs_off && from->backs_off && n < a->from->tree.n_nodes;
	     n++)
		carry_back_offs(p, a, (struct fl_node){ n });
}

/* --- what the rules ask --- */

static struct fl_number length(fl_time t)
{
	return (struct fl_number){ .kind = FL_NUMBER_DURATION, .amount = t };
}

/* Notes that a refusal in the tree around @q ends at @when. */
static void note(struct fl_policy *p, struct fl_node q, fl_time when)
{
	fl_time *noted = &p->protect->noted[p->tree.root_index[q.v]];

	if (when < *noted)
		*noted = when;
}

/* Passes both sides of a comparison about @victim to the sink. */
static void tell(const struct fl_policy *p, const struct fl_teller *t, const struct fl_ask *ask,
		 uint32_t victim, enum fl_check check, struct fl_number lhs, struct fl_number rhs,
		 bool holds)
{
	if (t->sink)
		fl_tell_of(p, t, ask, (struct fl_column){ FL_NONE },
			   (struct fl_evidence){
				   .check = check,
				   .node = p->jobs[victim].held_by,
				   .victim = { victim },
				   .lhs = lhs,
				   .rhs = rhs,
				   .holds = holds,
			   });
}

/* The time since when @w runs, or since when it counts as running (fl_protect_lift). */
static fl_time runs_since(const struct fl_policy *p, uint32_t w)
{
	fl_time since = p->jobs[w].reserved_at;

	return p->protect->lifted[w] == since ? fl_sat_sub(since, p->protect->longer[w]) : since;
}

/* Has at least @needed passed since @since? */
static bool long_enough(struct fl_policy *p, const struct fl_teller *t, const struct fl_ask *ask,
			uint32_t victim, enum fl_check check, fl_time since, fl_time needed)
{
	fl_time end = fl_sat_add(since, needed);

	if (needed <= 0)
		return true;
	tell(p, t, ask, victim, check, length(fl_sat_sub(p->now, since)), length(needed),
	     p->now >= end);
	if (p->now >= end)
		return true;
	note(p, ask->queue, end);
	return false;
}

/* Does the priority of @victim overrule fair sharing, so that fair sharing does not preempt it? */
static bool outranks_shares(const struct fl_policy *p, const struct fl_teller *t,
			    const struct fl_ask *ask, uint32_t victim, enum fl_cause cause)
{
	const struct fl_job *v = &p->jobs[victim];
	const struct fl_protection *of = &p->protect->of[v->held_by.v];
	bool outranks = v->priority > of->overruling_priority;

	if (cause != FL_CAUSE_FAIR_SHARING || !of->has_overruling_priority)
		return false;
	tell(p, t, ask, victim, FL_CHECK_OVERRULING, (struct fl_number){ .amount = v->priority },
	     (struct fl_number){ .amount = of->overruling_priority }, !outranks);
	return outranks;
}

enum fl_protect_answer fl_protect_allows(struct fl_policy *p, const struct fl_teller *t,
					 const struct fl_ask *ask, uint32_t victim,
					 enum fl_cause cause)
{
	const struct fl_job *v = &p->jobs[victim];

	if (!p->protect || v->state == FL_STATE_EVICTING)
		return FL_PROTECT_ALLOWS;
	if (outranks_shares(p, t, ask, victim, cause) || !fl_rung_may_go(p, t, ask, victim, cause))
		return FL_PROTECT_REFUSES;
	return long_enough(p, t, ask, victim, FL_CHECK_MINIMUM_RUN, runs_since(p, victim),
			   p->protect->of[v->held_by.v].minimum_run[cause]) &&
			       long_enough(p, t, ask, victim, FL_CHECK_PREEMPTION_DELAY,
					   p->waiting_since[ask->workload.v],
					   p->protect->of[ask->queue.v].delay[cause]) ?
		       FL_PROTECT_ALLOWS :
		       FL_PROTECT_FOR_NOW;
}

bool fl_protect_may_borrow(struct fl_policy *p, struct fl_node q, struct fl_column column)
{
	fl_time until;

	if (!p->protect || !p->protect->backs_off)
		return true;
	until = p->protect->until[fl_tree_cell(&p->tree, q, column)];
	if (p->now >= until)
		return true;
	note(p, q, until);
	return false;
}

bool fl_protect_may_borrow_for(struct fl_policy *p, const struct fl_teller *t, struct fl_workload w,
			       uint32_t podset, struct fl_column column)
{
	struct fl_node q = p->jobs[w.v].queue;
	bool may = fl_protect_may_borrow(p, q, column);
	const struct fl_column_info *info;

	if (may)
		return true;
	info = &fl_tree_root_of(&p->tree, q)->columns[column.v];
	struct fl_evidence row = {
		.check = FL_CHECK_BACK_OFF,
		.workload = w,
		.podset = podset,
		.node = q,
		.flavor = info->flavor,
		.resource = info->resource,
		.victim = { FL_NONE },
		.lhs = { .kind = FL_NUMBER_TIME, .amount = p->now },
		.rhs = { .kind = FL_NUMBER_TIME,
			 .amount = p->protect->until[fl_tree_cell(&p->tree, q, column)] },
		.holds = false,
	};

	fl_tell(t, &row);
	return false;
}

bool fl_protect_fits(struct fl_policy *p, const struct fl_view *v, const struct fl_ask *ask,
		     bool borrow)
{
	/* With the guarantee a promise was made before any back-off that its queue earned since. */
	bool certain = p->rungs && p->jobs[ask->workload.v].promised;

	for (uint32_t i = 0; i < ask->n; i++) {
		struct fl_column column = ask->uses[i].column;
		fl_amount amount = ask->uses[i].amount;

		if (fl_rung_is_nothing(p, amount))
			continue;
		if ((!borrow ||
		     (amount > 0 && !certain && !fl_protect_may_borrow(p, ask->queue, column))) &&
		    fl_quota_borrows_with(&p->tree, &v->usage, ask->queue, column, amount))
			return false;
		if (amount >
		    fl_amount_max(0, fl_quota_available(&p->tree, &v->usage, ask->queue, column)))
			return false;
	}
	return true;
}

bool fl_protect_overrules(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_protection *of;

	if (!p->protect || !p->model->settings.fair_sharing)
		return false;
	of = &p->protect->of[p->jobs[w.v].queue.v];
	return of->has_overruling_priority && p->jobs[w.v].priority > of->overruling_priority;
}

bool fl_protect_holds(const struct fl_policy *p, struct fl_node q)
{
	return p->protect && (p->rungs || p->protect->of[q.v].hold_freed_quota == FL_SWITCH_ON);
}

/* The time at which evicting @w counts as staying. */
static fl_time stuck_at(const struct fl_policy *p, uint32_t w)
{
	return p->model->settings.eviction_timeout > 0 ?
		       fl_sat_add(p->waiting_since[w], p->model->settings.eviction_timeout) :
		       FL_NEVER;
}

bool fl_protect_is_stuck(const struct fl_policy *p, uint32_t w)
{
	return p->protect && p->now >= stuck_at(p, w);
}

/* The next time at which an evicting workload of a tree counts as staying. */
static fl_time next_stuck(const struct fl_policy *p, uint32_t root)
{
	struct fl_span queues = p->tree.queues[root];
	fl_time first = FL_NEVER;

	if (p->model->settings.eviction_timeout <= 0)
		return FL_NEVER;
	for (uint32_t i = queues.first; i < queues.first + queues.n; i++) {
		const struct fl_backlog *backlog = &p->backlogs[p->tree.queue_ids[i]];

		for (uint32_t k = 0; k < backlog->n_holders; k++) {
			uint32_t w = p->holders[backlog->holders.first + k];

			if (p->jobs[w].state == FL_STATE_EVICTING && stuck_at(p, w) > p->now)
				first = fl_amount_min(first, stuck_at(p, w));
		}
	}
	return first;
}

void fl_protect_watch(struct fl_policy *p)
{
	for (uint32_t root = 0; p->protect && root < p->tree.n_roots; root++)
		p->protect->wake[root] = fl_amount_min(p->protect->wake[root], next_stuck(p, root));
}

void fl_protect_goes(struct fl_policy *p, struct fl_workload w)
{
	if (!p->protect)
		return;
	/* Recorded always: if a later Policy has a timeout, it counts from this time. */
	FL_SET(p, p->waiting_since[w.v], p->now);
	if (p->model->settings.eviction_timeout > 0)
		note(p, p->jobs[w.v].held_by, stuck_at(p, w.v));
}

void fl_protect_goes_since(struct fl_policy *p, struct fl_workload w, fl_time since)
{
	uint32_t root = p->tree.root_index[p->jobs[w.v].held_by.v];

	if (!p->protect)
		return;
	FL_SET(p, p->waiting_since[w.v], since);
	if (root != FL_NONE && stuck_at(p, w.v) > p->now &&
	    stuck_at(p, w.v) < p->protect->wake[root])
		FL_SET(p, p->protect->wake[root], stuck_at(p, w.v));
}

const int16_t *fl_protect_flavors(const struct fl_policy *p, struct fl_workload w)
{
	return p->protect->flavors + fl_scan(p, &p->jobs[w.v]).first;
}

const int32_t *fl_protect_counts(const struct fl_policy *p, struct fl_workload w)
{
	return p->protect->counts + fl_row(p, w)->podsets.first;
}

void fl_protect_promise(struct fl_policy *p, const struct fl_entry *e, bool kept)
{
	struct fl_job *j = &p->jobs[e->workload.v];
	const struct fl_nomination *a = &e->assignment;
	struct fl_span podsets = fl_row(p, e->workload)->podsets, scan = fl_scan(p, j);

	if (j->promised != kept) {
		FL_SET(p, j->promised, kept);
		fl_backlog_mark_dirty(p,
				      e->queue); /* the next cycle serves another workload first */
	}
	if (!kept)
		return;
	fl_undo_note(&p->undo, p->protect->flavors + scan.first,
		     scan.n * (uint32_t)sizeof *p->protect->flavors);
	fl_undo_note(&p->undo, p->protect->counts + podsets.first,
		     podsets.n * (uint32_t)sizeof *p->protect->counts);
	for (uint32_t i = 0; i < scan.n; i++)
		p->protect->flavors[scan.first + i] = a->flavor[i];
	for (uint32_t i = podsets.first; i < podsets.first + podsets.n; i++)
		p->protect->counts[i] = p->model->podsets[i].count;
	for (uint32_t i = 0; i < a->n_placements; i++)
		p->protect->counts[podsets.first + a->placements[i].podset] =
			a->placements[i].count;
}

size_t fl_protect_promise_undo(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];

	return FL_UNDO_OF(j->promised) + FL_BITSET_UNDO + 2 * FL_UNDO_NOTE +
	       fl_scan(p, j).n * sizeof *p->protect->flavors +
	       fl_row(p, w)->podsets.n * sizeof *p->protect->counts;
}

/* --- as time passes --- */

void fl_protect_begin(struct fl_policy *p)
{
	for (uint32_t r = 0; p->protect && r < p->tree.n_roots; r++)
		p->protect->noted[r] = FL_NEVER;
}

bool fl_protect_is_due(const struct fl_policy *p)
{
	for (uint32_t r = 0; p->protect && r < p->tree.n_roots; r++)
		if (p->protect->wake[r] <= p->now)
			return true;
	return false;
}

int fl_protect_wake_due(struct fl_policy *p, fairlead_error *err)
{
	struct fl_protect *k = p->protect;
	int r = 0;

	for (uint32_t root = 0; k && root < p->tree.n_roots && r == 0; root++) {
		struct fl_node n = p->tree.roots[root].node;

		if (k->wake[root] > p->now)
			continue;
		r = fl_undo_reserve(&p->undo,
				    FL_UNDO_OF(k->wake[root]) + fl_backlog_flush_undo(p, n), err);
		if (r < 0)
			break;
		FL_SET(p, k->wake[root], next_stuck(p, root));
		fl_backlog_flush(p, n);
	}
	return r;
}

void fl_protect_end(struct fl_policy *p)
{
	struct fl_protect *k = p->protect;

	for (uint32_t r = 0; k && r < p->tree.n_roots; r++)
		if (k->noted[r] < k->wake[r])
			FL_SET(p, k->wake[r], k->noted[r]);
}

/* min(base * 2^(level - 1), max) */
static fl_time back_off(const struct fl_protection *of, uint32_t level)
{
	fl_time t = of->back_off_base;

	for (uint32_t i = 1; i < level && t < of->back_off_max; i++)
		t = fl_sat_add(t, t);
	return t < of->back_off_max ? t : of->back_off_max;
}

/* Does @e need preemption in @column? */
static bool needs(const struct fl_entry *e, struct fl_column column)
{
	for (uint32_t i = 0; i < e->assignment.n_uses; i++)
		if (e->assignment.uses[i].column.v == column.v)
			return e->assignment.needs[i];
	return false;
}

/* Counts one more reclaim of what is borrowed in cell @at, at the present time. */
static void strike(struct fl_policy *p, const struct fl_protection *of, size_t at)
{
	struct fl_protect *k = p->protect;
	uint32_t level = k->level[at];

	if (level && k->until[at] == fl_sat_add(p->now, back_off(of, level)))
		return; /* another victim at the same time */
	if (p->now >= fl_sat_add(k->until[at], of->back_off_max))
		level = 0;
	level += level < LONGEST_ROW;
	FL_SET(p, k->level[at], level);
	FL_SET(p, k->until[at], fl_sat_add(p->now, back_off(of, level)));
}

void fl_protect_evicted(struct fl_policy *p, const struct fl_entry *e,
			const struct fl_target *victim)
{
	const struct fl_job *j = &p->jobs[victim->workload.v];
	const struct fl_protection *of;

	if (!p->protect || !p->protect->backs_off ||
	    (victim->reason != FL_REASON_IN_COHORT_RECLAMATION &&
	     victim->reason != FL_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING))
		return;
	of = &p->protect->of[j->held_by.v];
	for (uint32_t i = 0; i < j->n_use && of->back_off_base > 0; i++) {
		const struct fl_use *use = &fl_uses(p, j)[i];
		size_t at = fl_tree_cell(&p->tree, j->held_by, use->column);

		if (use->amount > 0 && needs(e, use->column) &&
		    p->usage.cell[at] > p->tree.subtree[at])
			strike(p, of, at);
	}
}

fl_time fl_protect_wake(const struct fl_policy *p, fl_time now)
{
	fl_time first = FL_NEVER;

	for (uint32_t r = 0; p->protect && r < p->tree.n_roots; r++)
		if (p->protect->wake[r] < first)
			first = p->protect->wake[r];
	return first > now ? first : now;
}

size_t fl_protect_end_undo(const struct fl_policy *p)
{
	return p->protect ? p->tree.n_roots * FL_UNDO_OF(p->protect->wake[0]) : 0;
}

size_t fl_protect_eviction_undo(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_protect *k = p->protect;

	return !k ? 0 :
		    FL_UNDO_OF(p->waiting_since[0]) +
			       (k->backs_off ? p->jobs[w.v].n_use * (FL_UNDO_OF(k->level[0]) +
								     FL_UNDO_OF(k->until[0])) :
					       0);
}

static uint64_t left(fl_time since, fl_time needed, fl_time now)
{
	fl_time end = fl_sat_add(since, needed);

	return needed > 0 && end > now ? (uint64_t)fl_sat_sub(end, now) : 0;
}

/* How much is left; for the gist, whether anything is left. */
static uint64_t told(uint64_t left, bool gist) { return gist ? left > 0 : left; }

static void spell_back_offs(const struct fl_policy *p, uint32_t n, fl_time now, bool gist,
			    fl_word *word, void *user)
{
	const struct fl_protect *k = p->protect;
	fl_time max = k->of[n].back_off_max;

	for (uint32_t c = 0; c < p->tree.roots[p->tree.root_index[n]].n_columns; c++) {
		size_t at = p->tree.row[n] + c;

		if (gist && k->until[at] > now)
			word(user, at);
		if (gist || !k->level[at] || !left(k->until[at], max, now))
			continue;
		word(user, at);
		word(user, k->level[at]);
		word(user, left(k->until[at], max, now));
	}
}

void fl_protect_spell(const struct fl_policy *p, fl_time now, bool gist, fl_word *word, void *user)
{
	const struct fl_protect *k = p->protect;

	if (!k)
		return;
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		const struct fl_job *j = &p->jobs[w];
		struct fl_span scan = fl_scan(p, j);

		for (unsigned c = 0; c < FL_CAUSES; c++)
			if (fl_holds_quota(j))
				word(user, told(left(runs_since(p, w),
						     k->of[j->held_by.v].minimum_run[c], now),
						gist));
			else if (j->queue.v != FL_NONE)
				word(user, told(left(p->waiting_since[w],
						     k->of[j->queue.v].delay[c], now),
						gist));
		if (j->state == FL_STATE_EVICTING)
			word(user, told(left(p->waiting_since[w],
					     p->model->settings.eviction_timeout, now),
					gist));
		word(user, j->promised);
		for (uint32_t i = 0; j->promised && i < scan.n; i++)
			word(user, (uint64_t)(uint16_t)k->flavors[scan.first + i]);
		for (uint32_t i = 0; j->promised && i < p->model->workloads[w].podsets.n; i++)
			word(user, (uint64_t)(uint32_t)
					   k->counts[p->model->workloads[w].podsets.first + i]);
	}
	for (uint32_t r = 0; r < p->tree.n_roots && now != FL_NEVER && !gist; r++)
		if (k->wake[r] != FL_NEVER)
			word(user, (uint64_t)r << 32 ^ (uint64_t)fl_sat_sub(k->wake[r], now));
	for (uint32_t i = 0; k->backs_off && i < p->tree.n_order; i++)
		spell_back_offs(p, p->tree.order[i], now, gist, word, user);
}

/* --- for exploring --- */

/* How long after @now the first of @lengths since @since passes; 0: all have passed. */
static fl_time first_left(fl_time since, const fl_time lengths[FL_CAUSES], fl_time now)
{
	uint64_t first = 0;

	for (unsigned c = 0; c < FL_CAUSES; c++) {
		uint64_t more = left(since, lengths[c], now);

		if (more && (!first || more < first))
			first = more;
	}
	return (fl_time)first;
}

int fl_protect_lift(struct fl_policy *p, uint32_t w, fairlead_error *err)
{
	struct fl_protect *k = p->protect;
	const struct fl_job *j = &p->jobs[w];
	bool holds = fl_holds_quota(j);
	fl_time more = 0;
	int r;

	if (k && holds)
		more = first_left(runs_since(p, w), k->of[j->held_by.v].minimum_run, p->now);
	else if (k && j->queue.v != FL_NONE)
		more = first_left(p->waiting_since[w], k->of[j->queue.v].delay, p->now);
	if (more == 0)
		return 1;
	r = fl_undo_reserve(&p->undo, 2 * FL_UNDO_OF(fl_time), err);
	if (r < 0)
		return r;
	if (!holds) {
		FL_SET(p, p->waiting_since[w], fl_sat_sub(p->waiting_since[w], more));
		return 0;
	}
	more = fl_sat_add(more, j->reserved_at - runs_since(p, w));
	FL_SET(p, k->lifted[w], j->reserved_at);
	FL_SET(p, k->longer[w], more);
	return 0;
}

size_t fl_protect_back_offs(const struct fl_policy *p)
{
	return p->protect && p->protect->backs_off ? p->tree.cells : 0;
}

int fl_protect_lift_back_off(struct fl_policy *p, size_t at, fairlead_error *err)
{
	int r;

	if (p->protect->until[at] <= p->now)
		return 1;
	r = fl_undo_reserve(&p->undo, FL_UNDO_OF(p->protect->until[at]), err);
	if (r == 0)
		FL_SET(p, p->protect->until[at], p->now);
	return r;
}
