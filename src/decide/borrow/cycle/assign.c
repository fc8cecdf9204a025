/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/cycle/assign.h"

#include <string.h>

#include "base/limits.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/match.h"

/* How well one resource fits in one flavor. */
struct fit {
	enum fl_mode mode;
	uint32_t level;
};

/* A request of the podset at hand that its queue covers. */
struct fl_need {
	struct fl_resource resource;
	uint32_t group, slot;    /* resource group of the queue; index in the group's resources */
	fl_amount amount;        /* of all pods together */
	struct fit tried;        /* in the flavor that is being tried */
	struct fl_column column; /* set when the flavor is chosen */
	struct fit fit;
};

__extension__ typedef __int128 wide;

struct fl_assign {
	const struct fl_teller *tell; /* that of the cycle */
	struct fl_preempt *search;    /* that of the cycle, to search for victims */
	struct fl_need *needs;        /* by request of one podset, and one for pods */

	/* the last nomination by a quick check, and its room; uses NULL: none */
	struct fl_nomination checked;
	uint32_t checked_room, checked_scan;
};

/* What is found besides the nomination. */
struct assigned {
	bool unsure; /* by a quick check: preemption may be needed */
	bool spared; /* a Policy protected a workload, for a time */
	/* The last search, which was for `searched` only; column FL_NONE: there was none. */
	struct fl_use searched;
	struct fl_victims found; /* valid until the next search */
};

struct assigner {
	struct fl_policy *p;
	struct fl_assign *k;
	struct fl_view *v;
	const struct fl_entry *entry;
	const struct fl_node_row *queue;
	const struct fl_backlog *backlog;
	const struct fl_job *job;
	const int16_t *only; /* flavors of an earlier nomination, or NULL */
	struct fl_nomination *out;
	uint32_t podset;
	struct fl_need *needs; /* of the podset at hand */
	uint32_t n_needs;
	bool certain; /* promised: its victims are evicting, and what they free is held for it */
	bool quick_check; /* no search: it is certain to find nothing, or the result is `unsure` */
	struct assigned *ret;
	/* why it does not fit, from which the reason is made */
	bool too_little_now, too_little_ever, too_large, backs_off;
};

int fl_assign_new(struct fl_policy *p, const struct fl_teller *tell, struct fl_preempt *search,
		  struct fl_assign **ret, fairlead_error *err)
{
	struct fl_assign *k = fl_arena_alloc(&p->arena, 1, sizeof *k, err);
	/* A newcomer asks for no resource that the model does not know (model/newcomer.h). */
	uint32_t requests = p->model->places ? p->model->n_resources : 0;

	if (!k)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < p->model->n_podsets; i++)
		if (requests < p->model->podsets[i].requests.n)
			requests = p->model->podsets[i].requests.n;
	k->tell = tell;
	k->search = search;
	k->needs = fl_arena_alloc(&p->arena, requests + 1, sizeof *k->needs, err);
	*ret = k;
	return k->needs ? 0 : FAIRLEAD_ENOMEM;
}

void fl_assign_begin(struct fl_assign *k) { k->checked.uses = NULL; }

/* Is @a strictly preferred to @b? */
static bool preferred(const struct fl_node_row *queue, struct fit a, struct fit b)
{
	bool lower = a.level < b.level, same_level = a.level == b.level;

	if (a.mode == FL_MODE_NO_FIT || b.mode == FL_MODE_NO_FIT)
		return a.mode != FL_MODE_NO_FIT;
	if ((a.mode == FL_MODE_NO_CANDIDATES) != (b.mode == FL_MODE_NO_CANDIDATES))
		return b.mode == FL_MODE_NO_CANDIDATES;
	if (queue->preference == FL_PREEMPTION_OVER_BORROWING)
		return same_level ? a.mode > b.mode : lower;
	return a.mode == b.mode ? lower : a.mode > b.mode;
}

static bool search_on(const struct fl_node_row *queue, struct fit fit)
{
	switch (fit.mode) {
	case FL_MODE_NO_FIT:
	case FL_MODE_NO_CANDIDATES:
		return true;
	case FL_MODE_PREEMPT:
	case FL_MODE_RECLAIM:
		if (queue->when_can_preempt == FL_TRY_NEXT_FLAVOR)
			return true;
		break;
	case FL_MODE_FIT:
		break;
	}
	return fit.level > 0 && queue->when_can_borrow == FL_TRY_NEXT_FLAVOR;
}

static bool may_preempt_while_borrowing(const struct fl_policy *p, const struct fl_node_row *queue)
{
	return queue->borrow_within != FL_PREEMPT_NEVER ||
	       (p->model->settings.fair_sharing && queue->reclaim != FL_PREEMPT_NEVER);
}

static void emit_heard(const struct assigner *a, enum fl_check check, struct fl_column column,
		       fl_amount lhs, fl_amount rhs)
{
	const struct fl_column_info *info =
		&fl_tree_root_of(&a->p->tree, a->entry->queue)->columns[column.v];
	struct fl_evidence row = {
		.check = check,
		.workload = a->entry->workload,
		.podset = a->podset,
		.node = a->entry->queue,
		.flavor = info->flavor,
		.resource = info->resource,
		.victim = { FL_NONE },
		.lhs = { .amount = lhs },
		.rhs = { .amount = rhs },
		.holds = lhs <= rhs,
	};

	fl_tell(a->k->tell, &row);
}

static inline void emit(const struct assigner *a, enum fl_check check, struct fl_column column,
			fl_amount lhs, fl_amount rhs)
{
	if (a->k->tell->sink)
		emit_heard(a, check, column, lhs, rhs);
}

/* Would victims make room in this one column, and up to which level would it then borrow? */
static struct fit simulate_preemption(struct assigner *a, struct fl_column column, fl_amount amount,
				      struct fl_level now)
{
	const bool needs = true;
	const struct fl_use use = { column, amount };
	const struct fl_ask ask = { .workload = a->entry->workload,
				    .queue = a->entry->queue,
				    .uses = &use,
				    .needs = &needs,
				    .n = 1 };
	struct fl_preempt *search = a->k->search;
	struct fit fit = { FL_MODE_RECLAIM, now.height };
	struct fl_victims found = { .n = 0 };

	if (a->quick_check)
		a->ret->unsure |= !fl_preempt_hopeless(a->p, search, a->v, &ask);
	else
		found = fl_preempt_search(a->p, search, a->v, &ask);
	a->ret->spared |= found.spared;
	a->ret->searched = use;
	a->ret->found = found;
	if (found.n == 0)
		return (struct fit){ FL_MODE_NO_CANDIDATES, now.height };
	for (uint32_t i = 0; i < found.n; i++) {
		if (a->p->jobs[found.targets[i].workload.v].held_by.v == a->entry->queue.v)
			fit.mode = FL_MODE_PREEMPT;
		fl_view_take(a->p, a->v, found.targets[i].workload);
	}
	fit.level = fl_quota_lowest_subtree(&a->p->tree, &a->v->usage, a->entry->queue, column,
					    amount)
			    .height;
	for (uint32_t i = found.n; i-- > 0;)
		fl_view_give(a->p, a->v, found.targets[i].workload);
	return fit;
}

static struct fit try_column(struct assigner *a, struct fl_column column, fl_amount amount)
{
	const struct fl_tree *t = &a->p->tree;
	const struct fl_usage *u = &a->v->usage;
	struct fl_node q = a->entry->queue;
	size_t at = fl_tree_cell(t, q, column);
	fl_amount available = fl_amount_max(0, fl_quota_available(t, u, q, column));
	struct fl_level level;
	bool backs_off;

	if (a->certain)
		return (struct fit){ amount <= available ? FL_MODE_FIT : FL_MODE_PREEMPT, 0 };
	emit(a, FL_CHECK_POTENTIAL, column, amount, t->potential[at]);
	if (amount > t->potential[at]) {
		a->too_little_ever = true;
		return (struct fit){ FL_MODE_NO_FIT, 0 };
	}
	level = fl_quota_lowest_subtree(t, u, q, column, amount);
	emit(a, FL_CHECK_AVAILABLE, column, amount, available);
	backs_off = amount > 0 && fl_quota_borrows_with(t, u, q, column, amount) &&
		    !fl_protect_may_borrow_for(a->p, a->k->tell, a->entry->workload, a->podset,
					       column);
	a->backs_off |= backs_off;
	if (backs_off && amount > t->nominal[at]) /* as if the borrowing limit were 0 */
		return (struct fit){ FL_MODE_NO_FIT, 0 };
	if (amount <= available && !backs_off) {
		if (!fl_usage_overflows(u, t, q, column, amount))
			return (struct fit){ FL_MODE_FIT,
					     fl_rung_is_nothing(a->p, amount) ? 0 : level.height };
		a->too_large = true;
		return (struct fit){ FL_MODE_NO_FIT, 0 };
	}
	a->too_little_now = true;
	emit(a, FL_CHECK_NOMINAL, column, amount, t->nominal[at]);
	if (t->nominal[at] >= amount || level.below_root ||
	    may_preempt_while_borrowing(a->p, a->queue))
		return simulate_preemption(a, column, amount, level);
	return (struct fit){ FL_MODE_NO_FIT, 0 };
}

/* How much of @column earlier podsets of this nomination take. */
static fl_amount assumed(const struct fl_nomination *out, struct fl_column column)
{
	for (uint32_t i = 0; i < out->n_uses; i++)
		if (out->uses[i].column.v == column.v)
			return out->uses[i].amount;
	return 0;
}

static void emit_match(const struct assigner *a, struct fl_flavor flavor, bool holds)
{
	struct fl_evidence row = {
		.check = FL_CHECK_FLAVOR,
		.workload = a->entry->workload,
		.podset = a->podset,
		.node = a->entry->queue,
		.flavor = flavor,
		.resource = { FL_NONE },
		.victim = { FL_NONE },
		.holds = holds,
	};

	if (a->k->tell->sink)
		fl_tell(a->k->tell, &row);
}

/* Tries all needs of the group in its @f-th flavor; returns the worst fit of them. */
static struct fit try_flavor(struct assigner *a, uint32_t group, uint32_t f)
{
	const struct fl_queue_group *g = &a->p->groups[a->backlog->groups.first + group];
	const struct fl_column *columns = a->p->group_columns + g->columns + f * g->resources.n;
	struct fit worst = { FL_MODE_FIT, 0 };

	for (uint32_t i = 0; i < a->n_needs; i++) {
		struct fl_need *need = &a->needs[i];

		if (need->group != group)
			continue;
		need->tried =
			try_column(a, columns[need->slot],
				   fl_sat_add(assumed(a->out, columns[need->slot]), need->amount));
		if (need->tried.mode == FL_MODE_NO_FIT)
			return need->tried;
		if (preferred(a->queue, worst, need->tried))
			worst = need->tried;
	}
	return worst;
}

/* At which flavor the scan of this podset and group starts. */
static uint32_t scan_start(const struct assigner *a, uint32_t group)
{
	int16_t last = FL_SCAN_NONE;

	if (!a->only && fl_backlog_scan_counts(a->p, a->job))
		last = a->p->scans[fl_scan(a->p, a->job).first + a->podset * a->backlog->groups.n +
				   group];
	return last < 0 ? 0 : (uint32_t)last + 1;
}

/* Takes the group's @f-th flavor for its needs. */
static void take_flavor(struct assigner *a, uint32_t group, uint32_t f)
{
	const struct fl_queue_group *g = &a->p->groups[a->backlog->groups.first + group];

	for (uint32_t i = 0; i < a->n_needs; i++) {
		struct fl_need *need = &a->needs[i];

		if (need->group != group)
			continue;
		need->fit = need->tried;
		need->column = a->p->group_columns[g->columns + f * g->resources.n + need->slot];
	}
}

/* Chooses a flavor for the podset's needs in @group.  False: no flavor is better than NO_FIT. */
static bool choose_flavor(struct assigner *a, uint32_t group, struct fit *ret)
{
	const struct fl_queue_group *g = &a->p->groups[a->backlog->groups.first + group];
	const struct fl_podset *pods =
		&a->p->model->podsets[fl_row(a->p, a->entry->workload)->podsets.first + a->podset];
	uint32_t slot = a->podset * a->backlog->groups.n + group, last = g->flavors.n - 1;
	struct fit best = { FL_MODE_NO_FIT, 0 };
	int16_t chosen = -1;

	for (uint32_t f = scan_start(a, group); f < g->flavors.n; f++) {
		struct fl_flavor flavor = a->p->group_flavors[g->flavors.first + f];
		struct fit fit;
		bool suits = fl_match_flavor(a->p->model, pods, flavor), stop;

		emit_match(a, flavor, suits);
		if (!suits || (a->only && a->only[slot] != (int16_t)f))
			continue;
		fit = try_flavor(a, group, f);
		stop = !search_on(a->queue, fit);
		if (stop || preferred(a->queue, fit, best)) {
			best = fit;
			chosen = (int16_t)f;
			take_flavor(a, group, f);
		}
		if (stop) {
			last = f;
			break;
		}
	}
	a->out->flavor[slot] = chosen;
	a->out->scan[slot] = last + 1 == g->flavors.n ? FL_SCAN_LAST : (int16_t)last;
	*ret = best;
	return chosen >= 0;
}

static bool find_slot(const struct assigner *a, struct fl_resource r, struct fl_need *ret)
{
	for (uint32_t g = 0; g < a->backlog->groups.n; g++) {
		struct fl_span resources = a->p->groups[a->backlog->groups.first + g].resources;

		for (uint32_t i = 0; i < resources.n; i++)
			if (a->p->group_resources[resources.first + i].v == r.v) {
				ret->group = g;
				ret->slot = i;
				return true;
			}
	}
	return false;
}

/*
 * The part of a request for fewer pods: of_one / all * count, division first, so that a saturated
 * request is divided too.
 */
static fl_amount for_count(fl_amount of_one, int32_t all, int32_t count)
{
	fl_amount whole = fl_sat_mul(of_one, all);

	return count == all || all == 0 ? whole : whole / all * count;
}

static bool add_need(struct assigner *a, struct fl_resource resource, fl_amount amount)
{
	struct fl_need need = { .resource = resource, .amount = amount };

	if (!find_slot(a, resource, &need))
		return amount == 0;
	a->needs[a->n_needs++] = need;
	return true;
}

/* Lists what the podset requests of this queue.  False: the queue does not cover a resource. */
static bool list_needs(struct assigner *a, int32_t count)
{
	const struct fl_model *m = a->p->model;
	const struct fl_podset *pods =
		&m->podsets[fl_row(a->p, a->entry->workload)->podsets.first + a->podset];
	bool covered = true;

	a->n_needs = 0;
	for (uint32_t i = 0; i < pods->requests.n; i++) {
		const struct fl_request *r = &m->requests[pods->requests.first + i];

		if (!a->backlog->covers_pods || r->resource.v != a->p->pods_resource.v)
			covered &= add_need(a, r->resource,
					    for_count(r->amount, fl_podset_left(pods), count));
	}
	if (a->backlog->covers_pods)
		covered &= add_need(a, a->p->pods_resource, count);
	return covered;
}

/* Enters the choices for the podset into the nomination. */
static void commit(struct assigner *a, int32_t count)
{
	struct fl_nomination *out = a->out;

	if (a->n_needs == 0)
		out->placements[out->n_placements++] =
			(struct fl_placement){ .podset = a->podset,
					       .count = count,
					       .resource = { FL_NONE },
					       .flavor = { FL_NONE } };
	for (uint32_t i = 0; i < a->n_needs; i++) {
		const struct fl_need *need = &a->needs[i];
		uint32_t at = 0;

		while (at < out->n_uses && out->uses[at].column.v != need->column.v)
			at++;
		if (at == out->n_uses) {
			out->uses[at] = (struct fl_use){ need->column, 0 };
			out->needs[at] = false;
			out->n_uses++;
		}
		out->uses[at].amount = fl_sat_add(out->uses[at].amount, need->amount);
		out->needs[at] |= need->fit.mode != FL_MODE_FIT;
		if (out->level < need->fit.level)
			out->level = need->fit.level;
		out->placements[out->n_placements++] = (struct fl_placement){
			.podset = a->podset,
			.count = count,
			.resource = need->resource,
			.flavor = fl_tree_root_of(&a->p->tree, a->entry->queue)
					  ->columns[need->column.v]
					  .flavor,
			.amount = need->amount,
		};
	}
}

/*
 * Assigns one podset; false: it has no flavor.  It counts as Fit when the mode of each group's
 * flavor is Fit, even if that of a single resource is not (with PreemptionOverBorrowing the worst
 * is determined by level first).  With the guarantee of rung.h each resource must be Fit: a
 * workload that is nominated as fitting but does not fit would be skipped in every cycle.
 */
static bool assign_podset(struct assigner *a, int32_t count, bool *fits)
{
	*fits = true;
	if (!list_needs(a, count)) {
		a->out->reason = FL_REASON_RESOURCE_NOT_COVERED;
		return false;
	}
	for (uint32_t g = 0; g < a->backlog->groups.n; g++) {
		bool wanted = false;
		struct fit fit;

		for (uint32_t i = 0; i < a->n_needs; i++)
			wanted |= a->needs[i].group == g;
		if (!wanted)
			continue;
		if (!choose_flavor(a, g, &fit))
			return false;
		*fits &= fit.mode == FL_MODE_FIT;
	}
	for (uint32_t i = 0; a->p->rungs && i < a->n_needs; i++)
		*fits &= a->needs[i].fit.mode == FL_MODE_FIT;
	commit(a, count);
	return true;
}

static enum fl_reason why_not(const struct assigner *a)
{
	if (a->too_large)
		return FL_REASON_USAGE_LIMIT;
	if (a->backs_off)
		return FL_REASON_RECLAIM_BACK_OFF;
	if (a->too_little_now)
		return FL_REASON_WAITING_FOR_QUOTA;
	return a->too_little_ever ? FL_REASON_EXCEEDS_MAX_QUOTA : FL_REASON_NO_MATCHING_FLAVOR;
}

static void clear_podset(struct assigner *a)
{
	for (uint32_t g = 0; g < a->backlog->groups.n; g++) {
		a->out->scan[a->podset * a->backlog->groups.n + g] = FL_SCAN_NONE;
		a->out->flavor[a->podset * a->backlog->groups.n + g] = -1;
	}
}

/* The conditions of an assignment: which flavors it must use, how many pods each podset has. */
struct terms {
	const int16_t *only;   /* as in fl_nomination.flavor; NULL: any */
	const int32_t *counts; /* NULL: all */
	bool quick_check;      /* without a search for victims */
};

static void assign(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		   const struct fl_entry *e, const struct terms *terms, struct fl_nomination *out,
		   struct assigned *ret)
{
	struct assigner a = {
		.p = p,
		.k = k,
		.v = v,
		.entry = e,
		.only = terms->only,
		.certain = p->rungs && p->jobs[e->workload.v].promised,
		.quick_check = terms->quick_check,
		.out = out,
		.ret = ret,
		.needs = k->needs,
		.queue = &p->model->nodes[e->queue.v],
		.backlog = &p->backlogs[e->queue.v],
		.job = &p->jobs[e->workload.v],
	};
	struct fl_span podsets = fl_row(p, e->workload)->podsets;

	ret->unsure = ret->spared = false;
	ret->searched.column.v = FL_NONE;
	out->mode = FL_MODE_FIT;
	out->reason = FL_REASON_NONE;
	out->level = out->n_uses = out->n_placements = 0;
	for (a.podset = 0; a.podset < podsets.n; a.podset++)
		clear_podset(&a);
	for (a.podset = 0; a.podset < podsets.n && !ret->unsure; a.podset++) {
		int32_t count =
			terms->counts ?
				terms->counts[a.podset] :
				fl_podset_left(&p->model->podsets[podsets.first + a.podset]);
		bool fits;

		if (!assign_podset(&a, count, &fits)) {
			clear_podset(&a);
			out->mode = FL_MODE_NO_FIT;
			if (out->reason == FL_REASON_NONE)
				out->reason = why_not(&a);
			break;
		}
		if (!fits)
			out->mode = FL_MODE_PREEMPT;
	}
	out->backs_off = a.backs_off;
}

/*
 * Is the whole request the one for which victims were searched last?  Never with a sink, which
 * gets rows of both searches.
 */
static bool is_searched(const struct fl_teller *tell, const struct fl_nomination *a,
			const struct assigned *as)
{
	return !tell->sink && a->n_uses == 1 && a->needs[0] &&
	       a->uses[0].column.v == as->searched.column.v &&
	       a->uses[0].amount == as->searched.amount;
}

/*
 * Searches victims for the whole request of @a, which was just assigned; they are kept in the
 * cycle arena.
 */
static int find_targets(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
			struct fl_entry *e, const struct fl_nomination *a, struct assigned *as,
			fairlead_error *err)
{
	struct fl_ask ask = { e->workload, e->queue, a->uses, a->needs, a->n_uses };

	if (!is_searched(k->tell, a, as)) {
		as->found = fl_preempt_search(p, k->search, v, &ask);
		as->spared |= as->found.spared;
	}
	e->n_targets = 0;
	if (as->found.n == 0)
		return 0;
	e->targets = fl_arena_alloc(&p->cycle_arena, as->found.n, sizeof *e->targets, err);
	if (!e->targets)
		return FAIRLEAD_ENOMEM;
	memcpy(e->targets, as->found.targets, as->found.n * sizeof *e->targets);
	e->n_targets = as->found.n;
	return 0;
}

/*
 * Partial admission: finds the least reduction that fits, with victims or without, by bisection as
 * the reference does it: a smaller count need not fit where a larger one does, so the last index
 * that was found good is taken only if bisection ends there.
 */
static int reduce(struct fl_policy *p, struct fl_assign *k, struct fl_view *v, struct fl_entry *e,
		  const int16_t *only, bool *spared, fairlead_error *err)
{
	struct fl_span podsets = fl_row(p, e->workload)->podsets;
	const struct fl_podset *pods = p->model->podsets + podsets.first;
	int32_t counts[FL_MAX_PODSETS];
	int64_t all = 0, low = 0, high, good = -1;
	int r;

	for (uint32_t i = 0; i < podsets.n; i++)
		all += pods[i].min_count >= 0 && pods[i].min_count < pods[i].count ?
			       pods[i].count - pods[i].min_count :
			       0;
	if (all == 0)
		return 0;
	for (high = all + 1; low < high;) {
		int64_t middle = low + (high - low) / 2;

		for (uint32_t i = 0; i < podsets.n; i++) {
			int32_t spare = pods[i].min_count >= 0 &&
							pods[i].min_count < pods[i].count ?
						pods[i].count - pods[i].min_count :
						0;

			counts[i] = (int32_t)(pods[i].count - (wide)spare * middle / all);
		}
		const struct terms less = { .only = only, .counts = counts };
		struct assigned as;

		assign(p, k, v, e, &less, &e->spare, &as);
		uint32_t had = e->n_targets;

		e->n_targets = 0;
		if (e->spare.mode == FL_MODE_PREEMPT &&
		    (r = find_targets(p, k, v, e, &e->spare, &as, err)) < 0)
			return r;
		*spared |= as.spared;
		if (e->spare.mode == FL_MODE_FIT || e->n_targets > 0) {
			struct fl_nomination swap = e->assignment;

			e->assignment = e->spare;
			e->spare = swap;
			good = high = middle;
		} else {
			e->n_targets = had;
			low = middle + 1;
		}
	}
	if (good == low)
		return 0;
	/* No count fits: back to the full assignment, without victims. */
	e->n_targets = 0;
	if (good >= 0) {
		struct assigned as;

		assign(p, k, v, e, &(struct terms){ .only = only }, &e->assignment, &as);
		*spared |= as.spared;
	}
	return 0;
}

static int alloc_assignment(struct fl_policy *p, struct fl_workload w, struct fl_nomination *a,
			    fairlead_error *err)
{
	const struct fl_eq_class *eq_class = &p->eq_classes[p->jobs[w.v].eq_class];
	struct fl_arena *arena = &p->cycle_arena;

	a->uses = fl_arena_alloc(arena, eq_class->room, sizeof *a->uses, err);
	a->needs = fl_arena_alloc(arena, eq_class->room, sizeof *a->needs, err);
	a->placements = fl_arena_alloc(arena, eq_class->room, sizeof *a->placements, err);
	a->scan = fl_arena_alloc(arena, eq_class->n_scan, sizeof *a->scan, err);
	a->flavor = fl_arena_alloc(arena, eq_class->n_scan, sizeof *a->flavor, err);
	return a->uses && a->needs && a->placements && a->scan && a->flavor ? 0 : FAIRLEAD_ENOMEM;
}

static bool may_be_reduced(const struct fl_policy *p, struct fl_workload w)
{
	struct fl_span podsets = fl_row(p, w)->podsets;

	for (uint32_t i = 0; i < podsets.n; i++) {
		const struct fl_podset *pods = &p->model->podsets[podsets.first + i];

		if (pods->min_count >= 0 && pods->min_count < pods->count)
			return true;
	}
	return false;
}

/* Assigns the flavors and pods that were promised, whether they fit or not. */
static int take_promise(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
			struct fl_entry *e, struct assigned *ret, fairlead_error *err)
{
	const struct terms promised = { .only = fl_protect_flavors(p, e->workload),
					.counts = fl_protect_counts(p, e->workload) };
	int r;

	if (!e->assignment.uses && (r = alloc_assignment(p, e->workload, &e->assignment, err)) < 0)
		return r;
	e->n_targets = 0;
	assign(p, k, v, e, &promised, &e->assignment, ret);
	return 0;
}

int fl_assign_certain(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		      struct fl_entry *e, fairlead_error *err)
{
	struct assigned as;
	int r = take_promise(p, k, v, e, &as, err);

	return r < 0 ? r : 1;
}

int fl_assign_promised(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		       struct fl_entry *e, fairlead_error *err)
{
	struct assigned as;
	int r = take_promise(p, k, v, e, &as, err);

	if (r < 0)
		return r;
	if (e->assignment.mode == FL_MODE_PREEMPT &&
	    (r = find_targets(p, k, v, e, &e->assignment, &as, err)) < 0)
		return r;
	return e->assignment.mode == FL_MODE_FIT || e->n_targets > 0;
}

int fl_assign_nominate(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		       struct fl_entry *e, const int16_t *only, fairlead_error *err)
{
	bool reducible = may_be_reduced(p, e->workload);
	struct assigned as;
	int r;

	if (!e->assignment.uses && (r = alloc_assignment(p, e->workload, &e->assignment, err)) < 0)
		return r;
	if (reducible && !e->spare.uses &&
	    (r = alloc_assignment(p, e->workload, &e->spare, err)) < 0)
		return r;
	e->n_targets = 0;
	assign(p, k, v, e, &(struct terms){ .only = only }, &e->assignment, &as);
	if (e->assignment.mode == FL_MODE_FIT)
		return 0;
	if (e->assignment.mode == FL_MODE_PREEMPT &&
	    (r = find_targets(p, k, v, e, &e->assignment, &as, err)) < 0)
		return r;
	r = e->n_targets > 0 || !reducible ? 0 : reduce(p, k, v, e, only, &as.spared, err);
	e->protected = as.spared;
	return r;
}

int fl_assign_quick_check(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
			  struct fl_entry *e, enum fl_quick_check *ret, fairlead_error *err)
{
	const struct fl_eq_class *eq_class = &p->eq_classes[p->jobs[e->workload.v].eq_class];
	struct assigned as;
	int r;

	if (!k->checked.uses || k->checked_room < eq_class->room ||
	    k->checked_scan < eq_class->n_scan) {
		if ((r = alloc_assignment(p, e->workload, &k->checked, err)) < 0)
			return r;
		k->checked_room = eq_class->room;
		k->checked_scan = eq_class->n_scan;
	}
	assign(p, k, v, e, &(struct terms){ .quick_check = true }, &k->checked, &as);
	e->assignment = k->checked;
	*ret = as.unsure                      ? FL_QUICK_CHECK_UNSURE :
	       k->checked.mode == FL_MODE_FIT ? FL_QUICK_CHECK_FITS :
	       may_be_reduced(p, e->workload) ? FL_QUICK_CHECK_UNSURE :
						FL_QUICK_CHECK_REFUSED;
	return 0;
}

void fl_assign_take_quick_check(struct fl_assign *k, struct fl_entry *e)
{
	e->assignment = k->checked;
	k->checked.uses = NULL;
}
