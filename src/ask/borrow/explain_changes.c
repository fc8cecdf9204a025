/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest changes that would admit the workload, one of each kind
 *
 *	nominalQuota    of its queue, else of a cohort above it
 *	borrowingLimit  of its queue or a cohort above it
 *	lendingLimit    of a queue or cohort beside it that keeps quota to itself, nearest first
 *	weight          of its queue or a cohort above it (fair sharing)
 *	priority        of the workload
 *	several cells   where no single quota or limit will do: each raised by its deficit
 *
 * A change that is proposed was tried, and so was the next smaller one, which is not enough
 * (explain_try.h).  Quota of a machine is never proposed beyond what it has.  Where the workload waits although there is room for it, only priority
 * and weight are asked for: they decide which is served first.
 *
 * Order: fewer cells, then those that need no victims, then what is nearest to the workload.
 */
#include "ask/borrow/explain_changes.h"

#include <string.h>

#include "ask/borrow/explain_run.h"
#include "ask/borrow/explain_try.h"
#include "base/sort.h"
#include "decide/borrow/borrow.h"

enum { MAX_NODES = 16, MAX_PROPOSALS = FL_CELL_PRIORITY + 2 };

static bool is_short(const struct fl_explain_need *need)
{
	return need->verdict == FL_NEED_WAITS || need->verdict == FL_NEED_NEVER;
}

/* --- proposals --- */

static uint32_t distance(const struct fl_explain_run *r, const struct fl_explain_change *c)
{
	uint32_t steps = 1;

	if (c->kind == FL_CELL_PRIORITY)
		return 0;
	for (struct fl_node n = r->x->cluster_queue; n.v != c->node.v;
	     n = fl_tree_parent(r->tree, n), steps++)
		if (!fl_tree_has_parent(r->tree, n))
			return UINT32_MAX; /* not above it */
	return steps;
}

static bool comes_before(const struct fl_explain_run *r, const struct fl_explain_proposal *a,
			 const struct fl_explain_proposal *b)
{
	uint32_t near_a = distance(r, &r->x->changes[a->first]);
	uint32_t near_b = distance(r, &r->x->changes[b->first]);

	if (a->n != b->n)
		return a->n < b->n;
	if (a->alone != b->alone)
		return a->alone == FL_ADMIT;
	return near_a < near_b;
}

/* What @t holds, which is enough, is put in its place among the others. */
static int propose(struct fl_try *t, struct fl_try_answer answer, fairlead_error *err)
{
	struct fl_explain *x = t->run->x;
	struct fl_explain_proposal p = {
		.first = x->n_changes, .n = t->n, .n_victims = answer.n_victims, .next = answer.kind
	};
	uint32_t at = x->n_proposals;
	int rc = 0;

	memcpy(x->changes + x->n_changes, t->cells, t->n * sizeof(*t->cells));
	x->n_changes += t->n;
	p.alone = t->cycle ? x->alone : answer.kind;
	if (!t->cycle) {
		t->cycle = true;
		rc = fl_try_ask(t, &answer, err);
		t->cycle = false;
		p.next = answer.kind;
	}
	for (; at > 0 && comes_before(t->run, &p, &x->proposals[at - 1]); at--)
		x->proposals[at] = x->proposals[at - 1];
	x->proposals[at] = p;
	x->n_proposals++;
	return rc;
}

/* One cell, from a position that is not enough up to one that might be; *ret: it was proposed. */
static int try_cell(struct fl_explain_run *r, bool cycle, struct fl_explain_change cell,
		    fl_amount fails, fl_amount does, bool *ret, fairlead_error *err)
{
	struct fl_try t = { .run = r, .cycle = cycle, .n = 1 };
	struct fl_try_answer answer;

	t.cells[0] = cell;
	int rc = fl_try_least(&t, 0, fails, does, &answer, err);
	*ret = rc == 0 && fl_try_does(answer);
	return *ret ? propose(&t, answer, err) : rc;
}

/* --- a quota or a limit --- */

/* Nodes that keep some of the column to themselves, nearest to the queue first. */
static uint32_t keepers(const struct fl_explain_run *r, struct fl_column c,
			struct fl_node nodes[MAX_NODES])
{
	const struct fl_tree *t = r->tree;
	struct fl_node q = r->x->cluster_queue;
	uint32_t depths[MAX_NODES], n = 0;

	for (uint32_t i = 0; i < t->n_order; i++) {
		struct fl_node k = { t->order[i] };

		if (t->root[k.v] != t->root[q.v] || t->local[fl_tree_cell(t, k, c)] == 0)
			continue;
		struct fl_node common = fl_tree_lca(t, k, q);
		uint32_t depth = t->depth[common.v], at = n < MAX_NODES ? n : MAX_NODES;

		if (common.v == k.v)
			continue; /* what it keeps is the queue's to use */
		for (; at > 0 && depth > depths[at - 1]; at--)
			if (at < MAX_NODES) {
				depths[at] = depths[at - 1];
				nodes[at] = nodes[at - 1];
			}
		if (at < MAX_NODES) {
			depths[at] = depth;
			nodes[at] = k;
			n += n < MAX_NODES;
		}
	}
	return n;
}

/* What this one has follows from what the others have. */
static bool is_rest(const struct fl_explain_run *r, struct fl_node n)
{
	return r->machine && r->machine->rest.v == n.v;
}

static uint32_t nodes_for(const struct fl_explain_run *r, enum fl_cell_kind kind,
			  struct fl_column c, struct fl_node nodes[MAX_NODES])
{
	const struct fl_tree *t = r->tree;
	uint32_t n = 0;

	if (kind == FL_CELL_LENDING_LIMIT)
		return keepers(r, c, nodes);
	for (struct fl_node k = r->x->cluster_queue; n < MAX_NODES; k = fl_tree_parent(t, k)) {
		bool root = !fl_tree_has_parent(t, k);

		if ((kind == FL_CELL_NOMINAL && !is_rest(r, k)) ||
		    (kind == FL_CELL_WEIGHT && !root) ||
		    (kind == FL_CELL_BORROWING_LIMIT && !root &&
		     t->borrowing_limit[fl_tree_cell(t, k, c)] != FL_NO_LIMIT))
			nodes[n++] = k;
		if (root)
			break;
	}
	return n;
}

/* The most that any podset needs of the column of @need. */
static fl_amount most_requested(const struct fl_explain *x, const struct fl_explain_need *need)
{
	fl_amount most = need->requested;

	for (uint32_t i = 0; i < x->n_needs; i++)
		if (x->needs[i].flavor.v == need->flavor.v &&
		    x->needs[i].resource.v == need->resource.v)
			most = fl_amount_max(most, x->needs[i].requested);
	return most;
}

/* From where, and up to where it can help: all that is asked for gets through, or is lent. */
static void bounds(const struct fl_explain_run *r, enum fl_cell_kind kind, struct fl_node n,
		   const struct fl_explain_need *need, fl_amount *from, fl_amount *to)
{
	const struct fl_tree *t = r->tree;
	struct fl_column c = fl_tree_column(t, r->x->cluster_queue, need->flavor, need->resource);
	fl_amount requested = most_requested(r->x, need);
	size_t at = fl_tree_cell(t, n, c);
	struct fl_node q = r->x->cluster_queue;
	fl_amount now = fl_path_bind(t, r->usage, q, c).available;
	fl_amount ever = fl_path_bind_potential(t, q, c).available;

	if (kind == FL_CELL_NOMINAL) {
		*from = t->nominal[at];
		*to = fl_quota_add(*from, fl_sat_sub(requested, fl_amount_min(now, ever)));
		if (r->machine) { /* not more in all: what helps is that it is its own */
			*to = fl_amount_max(*to, fl_sat_add(r->usage->cell[at], requested));
			*to = fl_amount_min(*to, fl_quota_add(*from, fl_try_spare(r, need->flavor,
										  need->resource)));
		}
	} else if (kind == FL_CELL_BORROWING_LIMIT) {
		*from = t->borrowing_limit[at];
		*to = fl_quota_add(*from, fl_sat_add(requested, r->usage->cell[at]));
	} else {
		*from = t->lending_limit[at];
		*to = t->subtree[at];
	}
	*to = fl_amount_min(*to, FL_UNLIMITED - 1);
}

/* A change of @kind for @need; *ret: it was proposed. */
static int for_need(struct fl_explain_run *r, enum fl_cell_kind kind,
		    const struct fl_explain_need *need, bool *ret, fairlead_error *err)
{
	struct fl_node nodes[MAX_NODES];
	struct fl_column c = fl_tree_column(r->tree, r->x->cluster_queue, need->flavor,
					    need->resource);
	int rc = 0;

	if (c.v == FL_NONE)
		return 0;
	uint32_t n = nodes_for(r, kind, c, nodes);
	for (uint32_t i = 0; i < n && rc == 0 && !*ret; i++) {
		struct fl_explain_change cell = {
			.kind = kind,
			.node = nodes[i],
			.flavor = need->flavor,
			.resource = need->resource,
		};
		fl_amount to;

		bounds(r, kind, nodes[i], need, &cell.from, &to);
		rc = try_cell(r, /* cycle= */ false, cell, cell.from, to, ret, err);
	}
	return rc;
}

/* First for the need that decides, then for all others that are short. */
static int quota_change(struct fl_explain_run *r, enum fl_cell_kind kind, bool *ret,
			fairlead_error *err)
{
	const struct fl_explain *x = r->x;
	const struct fl_explain_need *failing = &x->needs[x->failing];
	int rc = is_short(failing) ? for_need(r, kind, failing, ret, err) : 0;

	for (uint32_t i = 0; i < x->n_needs && rc == 0 && !*ret; i++)
		if (i != x->failing && is_short(&x->needs[i]))
			rc = for_need(r, kind, &x->needs[i], ret, err);
	return rc;
}

/* --- several quotas and limits at once --- */

static struct fl_explain_change *cell_of(struct fl_try *t, enum fl_cell_kind kind, struct fl_node n,
					 const struct fl_explain_need *need, fl_amount from)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct fl_explain_change *c = &t->cells[i];

		if (c->kind == kind && c->node.v == n.v && c->flavor.v == need->flavor.v &&
		    c->resource.v == need->resource.v)
			return c;
	}
	if (t->n == FL_TRY_CELLS)
		return NULL;
	t->cells[t->n] = (struct fl_explain_change){
		.kind = kind,
		.node = n,
		.flavor = need->flavor,
		.resource = need->resource,
		.from = from,
		.to = from,
	};
	return &t->cells[t->n++];
}

/*
 * One edit towards room for @need: where the whole tree has too little, the queue's own
 * quota grows; what limits still withhold after that, they are raised by.
 * 0 done, 1 room is there already, 2 no way; or an error.
 */
static int widen(struct fl_try *t, const struct fl_explain_need *need, fairlead_error *err)
{
	const struct fl_explain_run *r = t->run;
	const struct fl_tree *tree = r->tree;
	struct fl_node q = r->x->cluster_queue;
	struct fl_column c = fl_tree_column(tree, q, need->flavor, need->resource);

	if (c.v == FL_NONE)
		return 2;
	struct fl_bind b = fl_path_bind(tree, r->usage, q, c);
	struct fl_bind ever = fl_path_bind_potential(tree, q, c);
	fl_amount reach = fl_amount_min(fl_path_reach(tree, r->usage, q, c),
					fl_path_reach_potential(tree, q, c));
	if (ever.available < b.available)
		b = ever;
	if (need->requested <= b.available)
		return 1;

	bool limit = need->requested <= reach;
	if (limit && b.kind != FL_BIND_BORROWING_LIMIT)
		return 2;
	fl_amount deficit = fl_sat_sub(need->requested, limit ? b.available : reach);
	struct fl_node n = limit ? b.node : q;
	enum fl_cell_kind kind = limit ? FL_CELL_BORROWING_LIMIT : FL_CELL_NOMINAL;
	size_t at = fl_tree_cell(tree, n, c);
	fl_amount from = limit ? tree->borrowing_limit[at] : tree->nominal[at];
	if (from >= FL_UNLIMITED - deficit)
		return 2;
	struct fl_explain_change *cell = cell_of(t, kind, n, need, from);
	if (!cell)
		return 2;
	cell->to = from + deficit;
	return fl_try_apply(t, cell, err);
}

/* Room for all that is asked of the flavor that decides; *ret: there is a way. */
static int widen_all(struct fl_try *t, bool *ret, fairlead_error *err)
{
	const struct fl_explain_run *r = t->run;
	const struct fl_explain *x = r->x;
	struct fl_flavor flavor = x->needs[x->failing].flavor;
	fairlead_error refused;
	fl_mark mark;
	int rc = r->ops->mark(r->policy, &mark, err);

	if (rc < 0)
		return rc;
	*ret = true;
	for (uint32_t i = 0; i < x->n_needs && *ret; i++) {
		if (x->needs[i].flavor.v != flavor.v || x->needs[i].resource.v == FL_NONE)
			continue;
		/* Each edit moves what binds one node up; no path is longer than the tree. */
		for (uint32_t k = 0, done = 0; !done && k <= r->tree->n_nodes; k++) {
			rc = widen(t, &x->needs[i], &refused);
			done = rc != 0;
		}
		*ret = rc == 1;
	}
	r->ops->rollback(r->policy, mark);
	return rc == FAIRLEAD_ENOMEM ? fl_fail_nomem(err) : 0;
}

/* Cell @i no higher than it must be while the others stay; *changed: it was. */
static int lower(struct fl_try *t, uint32_t i, struct fl_try_answer *answer, bool *changed,
		 fairlead_error *err)
{
	struct fl_explain_change was = t->cells[i];
	struct fl_try_answer less;
	int rc;

	for (int step = 0; step < 2; step++) { /* without it, then with one unit less */
		t->cells[i].to = step ? was.to - 1 : was.from;
		if ((rc = fl_try_ask(t, &less, err)) < 0)
			return rc;
		if (fl_try_does(less))
			break;
		if (step) {
			t->cells[i] = was;
			return 0;
		}
	}
	*changed = true;
	if (t->cells[i].to == was.from) {
		memmove(t->cells + i, t->cells + i + 1, (--t->n - i) * sizeof(*t->cells));
		*answer = less;
		return 0;
	}
	return fl_try_least(t, i, was.from, was.to - 1, answer, err);
}

static int combination(struct fl_explain_run *r, fairlead_error *err)
{
	struct fl_try t = { .run = r };
	struct fl_try_answer answer = { .kind = FL_WAIT };
	bool found = false, changed = true;
	int rc = widen_all(&t, &found, err);

	if (rc < 0 || !found)
		return rc;
	rc = fl_try_ask(&t, &answer, err);
	while (rc == 0 && changed && fl_try_does(answer)) {
		uint32_t n = t.n;

		changed = false;
		for (uint32_t i = 0; i < t.n && rc == 0 && fl_try_does(answer); i += t.n == n) {
			n = t.n;
			rc = lower(&t, i, &answer, &changed, err);
		}
	}
	if (rc < 0 || !fl_try_does(answer) || r->x->n_tries >= FL_TRY_MOST)
		return rc;
	return propose(&t, answer, err);
}

/* --- which workload comes first --- */

static int weight_change(struct fl_explain_run *r, bool cycle, fairlead_error *err)
{
	struct fl_node nodes[MAX_NODES];
	uint32_t n = 0;
	bool done = false;
	int rc = 0;

	if (r->model->settings.fair_sharing)
		n = nodes_for(r, FL_CELL_WEIGHT, (struct fl_column){ FL_NONE }, nodes);
	for (uint32_t i = 0; i < n && rc == 0 && !done; i++) {
		struct fl_explain_change cell = {
			.kind = FL_CELL_WEIGHT,
			.node = nodes[i],
			.flavor = { FL_NONE },
			.resource = { FL_NONE },
			.weight_from = r->tree->weight[nodes[i].v],
		};

		rc = try_cell(r, cycle, cell, fl_try_weight_position(cell.weight_from),
			      FL_TRY_WEIGHTS - 1, &done, err);
	}
	return rc;
}

static int cmp_priorities(const void *model, uint32_t a, uint32_t b)
{
	const struct fl_model *m = model;
	int32_t x = m->workloads[a].priority, y = m->workloads[b].priority;

	return (x > y) - (x < y);
}

struct priorities {
	const struct fl_explain_run *run;
	uint32_t *ids, n; /* of workloads, each priority once or a few times */
	int64_t seen[64]; /* of many workloads most have one of a few priorities */
};

static const uint32_t *list(const struct fl_explain_run *r, uint32_t q, int which, uint32_t *ret_n)
{
	const struct fl_node queue = { q };

	return which ? fl_borrow_holders(r->policy, queue, ret_n) :
		       fl_borrow_members(r->policy, queue, ret_n);
}

static void note_priorities(struct priorities *ps, uint32_t q, int which)
{
	uint32_t n;
	const uint32_t *ids = list(ps->run, q, which, &n);

	for (uint32_t i = 0; i < n; i++) {
		int32_t priority = ps->run->model->workloads[ids[i]].priority;
		int64_t *lately =
			&ps->seen[(uint32_t)priority % (sizeof ps->seen / sizeof *ps->seen)];

		if (*lately == priority)
			continue;
		*lately = priority;
		ps->ids[ps->n++] = ids[i];
	}
}

/*
 * Priorities that could make a difference, ascending: @from, those of others in its tree and
 * one above each, and the highest.
 */
static int turning_points(const struct fl_explain_run *r, fl_amount from, fl_amount **ret,
			  uint32_t *ret_n, fairlead_error *err)
{
	const struct fl_tree *t = r->tree;
	const struct fl_span queues = t->queues[t->root_index[r->x->cluster_queue.v]];
	struct priorities ps = { .run = r };
	fl_amount *points;
	uint32_t n = 0, most = 0;

	for (size_t i = 0; i < sizeof ps.seen / sizeof *ps.seen; i++)
		ps.seen[i] = INT64_MAX;
	for (uint32_t i = 0; i < queues.n; i++)
		for (int which = 0; which < 2; which++, most += n)
			(void)list(r, t->queue_ids[queues.first + i], which, &n);
	if (!FL_NEW(r->arena, ps.ids, (size_t)2 * most, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < queues.n; i++)
		for (int which = 0; which < 2; which++)
			note_priorities(&ps, t->queue_ids[queues.first + i], which);
	if (!FL_NEW(r->arena, points, (size_t)2 * ps.n + 2, err))
		return FAIRLEAD_ENOMEM;
	fl_sort(ps.ids, ps.n, ps.ids + ps.n, cmp_priorities, r->model);
	n = 0;
	points[n++] = from;
	for (uint32_t i = 0; i < ps.n; i++)
		for (fl_amount p = r->model->workloads[ps.ids[i]].priority, end = p + 2; p < end;
		     p++)
			if (p > points[n - 1] && p < FL_TRY_PRIORITY)
				points[n++] = p;
	if (from < FL_TRY_PRIORITY)
		points[n++] = FL_TRY_PRIORITY;
	*ret = points;
	*ret_n = n;
	return 0;
}

/* By the turning points first, which are few, and then exactly. */
static int priority_change(struct fl_explain_run *r, bool cycle, fairlead_error *err)
{
	struct fl_explain_change cell = {
		.kind = FL_CELL_PRIORITY,
		.node = { FL_NONE },
		.flavor = { FL_NONE },
		.resource = { FL_NONE },
		.from = r->model->workloads[r->x->workload.v].priority,
	};
	struct fl_try t = { .run = r, .cycle = cycle, .n = 1 };
	fl_amount *points;
	struct fl_try_answer answer = { .kind = FL_WAIT };
	bool done = false;
	uint32_t low = 0, high;
	int rc = turning_points(r, cell.from, &points, &high, err);

	if (rc < 0)
		return rc;
	high--;
	t.cells[0] = cell;
	t.cells[0].to = points[high];
	rc = high ? fl_try_ask(&t, &answer, err) : 0;
	if (rc < 0 || !fl_try_does(answer))
		return rc;
	while (rc == 0 && high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		t.cells[0].to = points[middle];
		rc = fl_try_ask(&t, &answer, err);
		if (fl_try_does(answer))
			high = middle;
		else
			low = middle;
	}
	return rc < 0 ? rc : try_cell(r, cycle, cell, points[low], points[high], &done, err);
}

int fl_explain_changes(struct fl_explain_run *r, fairlead_error *err)
{
	static const enum fl_cell_kind quotas[] = {
		FL_CELL_BORROWING_LIMIT,
		FL_CELL_LENDING_LIMIT,
		FL_CELL_NOMINAL,
	};
	struct fl_explain *x = r->x;
	bool room = x->alone != FL_WAIT, quota = !room && x->failing != FL_NONE, any = false;
	int rc = 0;

	x->changes = fl_arena_alloc(r->arena, FL_TRY_CELLS + MAX_PROPOSALS, sizeof(*x->changes),
				    err);
	x->proposals = fl_arena_alloc(r->arena, MAX_PROPOSALS, sizeof(*x->proposals), err);
	if (!x->changes || !x->proposals)
		return FAIRLEAD_ENOMEM;
	rc = priority_change(r, room, err);
	for (unsigned i = 0; i < 3 && quota && rc == 0; i++) {
		bool done = false;

		rc = quota_change(r, quotas[i], &done, err);
		any |= done;
	}
	if (rc == 0)
		rc = weight_change(r, room, err);
	if (rc == 0 && quota && !any && is_short(&x->needs[x->failing]))
		rc = combination(r, err);
	return rc;
}
