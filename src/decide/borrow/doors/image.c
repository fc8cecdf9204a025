/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/doors/image.h"

#include <string.h>

#include "decide/borrow/afs/afs.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/line/holders.h"
#include "decide/borrow/line/lines.h"

/*
 * Rows of the tables, without room between their fields.  Those of workloads stand in the order
 * of fl_policy.members, queue by queue, which memory likes when they are entered.
 */
struct saved_policy {
	fl_time now;
	uint32_t changes, requeued_n, unsampled, n_shapes;
};
struct saved_shape {
	uint32_t marks, reason, marked;
};
struct saved_line {
	uint32_t sticky, generation;
};
struct saved_root {
	uint32_t cycle, stirred;
};
struct saved_cell {
	fl_amount nominal, borrowing_limit, lending_limit, known;
};
_Static_assert(sizeof(struct fl_placement) == 24 && sizeof(struct fl_use) == 16,
	       "no room between fields");

static const struct fl_image_kind policy_kind = { "borrow", sizeof(struct saved_policy), 0 };
static const struct fl_image_kind job_kind = { "borrow.jobs", sizeof(struct fl_saved_job), 0 };
static const struct fl_image_kind order_kind = { "borrow.orders", sizeof(struct fl_order), 0 };
static const struct fl_image_kind placement_kind = { "borrow.placements",
						     sizeof(struct fl_placement), 0 };
static const struct fl_image_kind use_kind = { "borrow.uses", sizeof(struct fl_use), 0 };
static const struct fl_image_kind scan_kind = { "borrow.scans", sizeof(int16_t), 0 };
static const struct fl_image_kind shape_kind = { "borrow.shapes", sizeof(struct saved_shape), 0 };
static const struct fl_image_kind line_kind = { "borrow.lines", sizeof(struct saved_line), 0 };
static const struct fl_image_kind root_kind = { "borrow.roots", sizeof(struct saved_root), 0 };
static const struct fl_image_kind cell_kind = { "borrow.cells", sizeof(struct saved_cell), 0 };
static const struct fl_image_kind weight_kind = { "borrow.weights", sizeof(double), 0 };

/* --- saving --- */

/* Room for the rows that are made to be written. */
struct saving {
	const struct fl_policy *p;
	struct fl_image_writer *w;
	struct fl_arena arena;
};

static int save_jobs(struct saving *s, fairlead_error *err)
{
	const struct fl_policy *p = s->p;
	uint32_t n = p->model->n_workloads;
	struct fl_saved_job *rows;

	if (!FL_NEW(&s->arena, rows, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_job *j = &p->jobs[p->members[i]];

		rows[i] = (struct fl_saved_job){
			.reserved_at = j->reserved_at,
			.joined = j->joined,
			.held_by = j->held_by.v,
			.scan_cycle = j->scan_cycle,
			.scan_generation = j->scan_cycle ? j->scan_generation : 0,
			.n_placement = j->n_placement,
			.n_use = j->n_use,
			.state = (uint8_t)j->state,
			.flags = (uint8_t)((j->promised ? FL_SAVED_PROMISED : 0) |
					   (j->loose ? FL_SAVED_LOOSE : 0)),
			.reason = (uint16_t)j->reason,
		};
	}
	return fl_image_put(s->w, &job_kind, rows, n, err);
}

static int save_orders(struct saving *s, fairlead_error *err)
{
	const struct fl_policy *p = s->p;
	uint32_t n = p->model->n_workloads;
	struct fl_order *rows;

	if (!FL_NEW(&s->arena, rows, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_job *j = &p->jobs[i];
		uint32_t w = p->shape_ids[i];
		bool begins = i == 0 || p->jobs[w].shape != p->jobs[p->shape_ids[i - 1]].shape;

		rows[i] = (struct fl_order){ .uid_rank = j->uid_rank,
					     .age = j->age,
					     .priority = j->priority,
					     .member = p->members[i],
					     .shape_id = w | (begins ? FL_ORDER_BEGINS : 0) };
	}
	return fl_image_put(s->w, &order_kind, rows, n, err);
}

/* What workloads hold, one behind the other. */
static int save_held(struct saving *s, fairlead_error *err)
{
	const struct fl_policy *p = s->p;
	uint32_t n = p->model->n_workloads, placements = 0, uses = 0;
	struct fl_placement *placed;
	struct fl_use *used;
	int r;

	for (uint32_t w = 0; w < n; w++) {
		placements += p->jobs[w].n_placement;
		uses += p->jobs[w].n_use;
	}
	if (!FL_NEW(&s->arena, placed, placements, err) || !FL_NEW(&s->arena, used, uses, err))
		return FAIRLEAD_ENOMEM;
	placements = uses = 0;
	for (uint32_t k = 0; k < n; k++) {
		const struct fl_job *j = &p->jobs[p->members[k]];

		for (uint32_t i = 0; i < j->n_placement; i++)
			placed[placements++] = fl_placements(p, j)[i];
		for (uint32_t i = 0; i < j->n_use; i++) {
			used[uses].column = fl_uses(p, j)[i].column;
			used[uses++].amount = fl_uses(p, j)[i].amount;
		}
	}
	r = fl_image_put(s->w, &placement_kind, placed, placements, err);
	return r < 0 ? r : fl_image_put(s->w, &use_kind, used, uses, err);
}

static int save_scans(struct saving *s, fairlead_error *err)
{
	const struct fl_policy *p = s->p;
	uint32_t n = 0;
	int16_t *rows;

	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		n += p->jobs[w].scan_cycle ? fl_scan(p, &p->jobs[w]).n : 0;
	if (!FL_NEW(&s->arena, rows, n, err))
		return FAIRLEAD_ENOMEM;
	n = 0;
	for (uint32_t k = 0; k < p->model->n_workloads; k++) {
		const struct fl_job *j = &p->jobs[p->members[k]];
		struct fl_span scan = fl_scan(p, j);

		for (uint32_t i = 0; j->scan_cycle && i < scan.n; i++)
			rows[n++] = p->scans[scan.first + i];
	}
	return fl_image_put(s->w, &scan_kind, rows, n, err);
}

static int save_shapes(struct saving *s, fairlead_error *err)
{
	const struct fl_policy *p = s->p;
	struct saved_shape *rows;

	if (!FL_NEW(&s->arena, rows, p->n_shapes, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < p->n_shapes; i++)
		rows[i] = (struct saved_shape){ .marks = p->shapes[i].marks,
						.reason = p->shapes[i].reason,
						.marked = fl_bitset_has(&p->marked, i) };
	return fl_image_put(s->w, &shape_kind, rows, p->n_shapes, err);
}

static int save_nodes(struct saving *s, fairlead_error *err)
{
	const struct fl_policy *p = s->p;
	struct saved_line *lines;
	struct saved_root *roots;
	int r;

	if (!FL_NEW(&s->arena, lines, p->tree.n_nodes, err) ||
	    !FL_NEW(&s->arena, roots, p->tree.n_roots, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < p->tree.n_nodes; n++)
		lines[n] = (struct saved_line){ p->lines[n].sticky, p->lines[n].generation };
	for (uint32_t i = 0; i < p->tree.n_roots; i++)
		roots[i] = (struct saved_root){ p->cycle[i], fl_bitset_has(&p->stirred, i) };
	if ((r = fl_image_put(s->w, &line_kind, lines, p->tree.n_nodes, err)) == 0)
		r = fl_image_put(s->w, &root_kind, roots, p->tree.n_roots, err);
	return r;
}

static int save_cells(struct saving *s, fairlead_error *err)
{
	const struct fl_tree *t = &s->p->tree;
	struct saved_cell *rows;
	int r;

	if (!FL_NEW(&s->arena, rows, t->cells, err))
		return FAIRLEAD_ENOMEM;
	for (size_t at = 0; at < t->cells; at++)
		rows[at] = (struct saved_cell){ t->nominal[at], t->borrowing_limit[at],
						t->lending_limit[at], t->known[at] };
	r = fl_image_put(s->w, &cell_kind, rows, (uint32_t)t->cells, err);
	return r < 0 ? r : fl_image_put(s->w, &weight_kind, t->weight, t->n_nodes, err);
}

int fl_borrow_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	const struct saved_policy row = { .now = p->now,
					  .changes = p->changes,
					  .requeued_n = p->requeued_n,
					  .unsampled = p->unsampled,
					  .n_shapes = p->n_shapes };
	struct saving s = { .p = p, .w = w };
	int r = fl_common_unmarked(p, "a policy is not saved", err);

	if (r < 0)
		return r;
	fl_arena_init(&s.arena, p->mem);
	if ((r = fl_image_put(w, &policy_kind, &row, 1, err)) == 0 &&
	    (r = save_jobs(&s, err)) == 0 && (r = save_orders(&s, err)) == 0 &&
	    (r = save_held(&s, err)) == 0 && (r = save_scans(&s, err)) == 0 &&
	    (r = save_shapes(&s, err)) == 0 && (r = save_nodes(&s, err)) == 0 &&
	    (r = save_cells(&s, err)) == 0 && (r = fl_protect_save(p, w, err)) == 0 &&
	    (r = fl_rung_save(p, w, err)) == 0)
		r = fl_afs_save(p, w, err);
	fl_arena_done(&s.arena);
	return r;
}

/* --- loading --- */

struct saved {
	const struct saved_policy *policy;
	const struct fl_saved_job *jobs;
	const struct fl_placement *placements;
	const struct fl_use *uses;
	const int16_t *scans;
	const struct saved_shape *shapes;
	const struct saved_line *lines;
	const struct saved_root *roots;
	const struct saved_cell *cells;
	const double *weights;
	uint32_t n_placements, n_uses, n_scans;
};

int fl_borrow_saved_options(const struct fl_image *i, struct fl_policy_options *ret,
			    fairlead_error *err)
{
	const struct saved_policy *row;
	const void *rows;
	int r = fl_image_exactly(i, &policy_kind, 1, &rows, err);

	if (r < 0)
		return r;
	row = rows;
	ret->now = row->now;
	ret->unsampled = row->unsampled;
	return 0;
}

int fl_borrow_saved_orders(const struct fl_image *i, uint32_t n, const struct fl_order **ret,
			   fairlead_error *err)
{
	const void *rows;
	int r = fl_image_exactly(i, &order_kind, n, &rows, err);

	if (r == 0)
		*ret = rows;
	return r;
}

static int find_tables(const struct fl_policy *p, const struct fl_image *i, struct saved *ret,
		       fairlead_error *err)
{
	const void *policy, *jobs, *placements, *uses, *scans, *shapes, *lines, *roots, *cells,
		*weights;
	int r;

	if ((r = fl_image_exactly(i, &policy_kind, 1, &policy, err)) < 0 ||
	    (r = fl_image_exactly(i, &job_kind, p->model->n_workloads, &jobs, err)) < 0 ||
	    (r = fl_image_exactly(i, &shape_kind, p->n_shapes, &shapes, err)) < 0 ||
	    (r = fl_image_exactly(i, &line_kind, p->tree.n_nodes, &lines, err)) < 0 ||
	    (r = fl_image_exactly(i, &root_kind, p->tree.n_roots, &roots, err)) < 0 ||
	    (r = fl_image_exactly(i, &cell_kind, p->tree.cells, &cells, err)) < 0 ||
	    (r = fl_image_exactly(i, &weight_kind, p->tree.n_nodes, &weights, err)) < 0 ||
	    (r = fl_image_rows(i, &placement_kind, &placements, &ret->n_placements, err)) < 0 ||
	    (r = fl_image_rows(i, &use_kind, &uses, &ret->n_uses, err)) < 0 ||
	    (r = fl_image_rows(i, &scan_kind, &scans, &ret->n_scans, err)) < 0)
		return r;
	ret->policy = policy;
	ret->jobs = jobs;
	ret->placements = placements;
	ret->uses = uses;
	ret->scans = scans;
	ret->shapes = shapes;
	ret->lines = lines;
	ret->roots = roots;
	ret->cells = cells;
	ret->weights = weights;
	return 0;
}

static bool is_amount(fl_amount a, bool or_none) { return a >= 0 || (or_none && a == FL_NO_LIMIT); }

static int enter_cells(struct fl_policy *p, const struct saved *s, fairlead_error *err)
{
	struct fl_tree *t = &p->tree;

	for (size_t at = 0; at < t->cells; at++) {
		const struct saved_cell *row = &s->cells[at];

		if (!is_amount(row->nominal, false) || !is_amount(row->borrowing_limit, true) ||
		    !is_amount(row->lending_limit, true) || row->known < 0 || row->known > 1)
			return fl_image_damaged(cell_kind.name, err);
		t->nominal[at] = row->nominal;
		t->borrowing_limit[at] = row->borrowing_limit;
		t->lending_limit[at] = row->lending_limit;
		t->known[at] = row->known;
	}
	for (uint32_t n = 0; n < t->n_nodes; n++) {
		if (!(s->weights[n] >= 0))
			return fl_image_damaged(weight_kind.name, err);
		t->weight[n] = s->weights[n];
	}
	for (uint32_t i = 0; i < t->n_roots; i++) {
		fl_tree_derive(t, i);
		fl_usage_derive(&p->usage, t, i);
	}
	return 0;
}

static int enter_nodes(struct fl_policy *p, const struct saved *s, fairlead_error *err)
{
	for (uint32_t n = 0; n < p->tree.n_nodes; n++) {
		uint32_t sticky = s->lines[n].sticky;

		if (sticky != FL_NONE &&
		    (sticky >= p->model->n_workloads || p->jobs[sticky].queue.v != n))
			return fl_image_damaged(line_kind.name, err);
		p->lines[n].sticky = sticky;
		p->lines[n].generation = s->lines[n].generation;
	}
	for (uint32_t i = 0; i < p->tree.n_roots; i++)
		p->cycle[i] = s->roots[i].cycle;
	return 0;
}

static int enter_shapes(struct fl_policy *p, const struct saved *s, fairlead_error *err)
{
	for (uint32_t i = 0; i < p->n_shapes; i++) {
		const struct saved_shape *row = &s->shapes[i];
		uint32_t first = p->shape_ids[p->shapes[i].members.first];

		if (row->reason >= FL_REASONS || (row->marked && p->jobs[first].queue.v == FL_NONE))
			return fl_image_damaged(shape_kind.name, err);
		p->shapes[i].reason = row->reason;
		p->shapes[i].marks = row->marks;
		if (row->marked)
			fl_line_enter_mark(p, p->jobs[first].queue, i);
	}
	return 0;
}

/* Can @w be as its row says? */
static bool can_be(const struct fl_policy *p, struct fl_workload w, const struct fl_saved_job *row)
{
	const struct fl_job *j = &p->jobs[w.v];
	struct fl_node q = { row->held_by };

	if (row->reason >= FL_REASONS || row->flags > (FL_SAVED_PROMISED | FL_SAVED_LOOSE))
		return false;
	switch ((enum fl_workload_state)row->state) {
	case FL_STATE_ABSENT:
	case FL_STATE_EXCLUDED:
		break;
	case FL_STATE_WAITING:
	case FL_STATE_INADMISSIBLE:
	case FL_STATE_HELD_BACK:
		if (j->queue.v == FL_NONE)
			return false;
		break;
	case FL_STATE_ADMITTED:
	case FL_STATE_EVICTING:
		return q.v != FL_NONE && row->n_placement <= fl_room(p, j) &&
		       row->n_use <= fl_room(p, j) &&
		       (p->tree.root_index[q.v] != FL_NONE || row->n_use == 0);
	default:
		return false;
	}
	return q.v == FL_NONE && row->n_placement == 0 && row->n_use == 0;
}

static bool is_placement(const struct fl_model *m, struct fl_workload w,
			 const struct fl_placement *row)
{
	return (row->podset == FL_NONE || row->podset < m->workloads[w.v].podsets.n) &&
	       (row->resource.v == FL_NONE || row->resource.v < m->n_resources) &&
	       (row->flavor.v == FL_NONE || row->flavor.v < m->n_flavors) && row->amount >= 0;
}

/* What @w holds; it adds up, and no column is there twice. */
static bool hold(struct fl_policy *p, struct fl_workload w, const struct fl_saved_job *row,
		 const struct fl_placement *placements, const struct fl_use *uses)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_node q = { row->held_by };
	uint32_t columns = p->tree.root_index[q.v] == FL_NONE ?
				   0 :
				   fl_tree_root_of(&p->tree, q)->n_columns;

	for (uint32_t i = 0; i < row->n_placement; i++) {
		if (!is_placement(p->model, w, &placements[i]))
			return false;
		fl_placements(p, j)[i] = placements[i];
	}
	for (uint32_t i = 0; i < row->n_use; i++) {
		if (uses[i].column.v >= columns || uses[i].amount < 0 ||
		    fl_usage_overflows(&p->usage, &p->tree, q, uses[i].column, uses[i].amount))
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (uses[k].column.v == uses[i].column.v)
				return false;
		fl_uses(p, j)[i] = uses[i];
	}
	j->n_placement = (uint16_t)row->n_placement;
	j->n_use = (uint16_t)row->n_use;
	j->reserved_at = row->reserved_at;
	fl_holders_hold(p, w, q);
	return true;
}

/* Where the next scan of each podset and group begins. */
static bool enter_scan(struct fl_policy *p, struct fl_workload w, const struct fl_saved_job *row,
		       const int16_t *scans)
{
	struct fl_job *j = &p->jobs[w.v];
	const struct fl_line *line = &p->lines[j->queue.v];
	struct fl_span scan = fl_scan(p, j);

	if (p->tree.root_index[j->queue.v] == FL_NONE)
		return false; /* no cycle looks at it */
	for (uint32_t i = 0; i < scan.n; i++) {
		const struct fl_queue_group *g =
			&p->groups[line->groups.first + i % line->groups.n];

		if (scans[i] < FL_SCAN_NONE || scans[i] >= (int32_t)g->flavors.n)
			return false;
		p->scans[scan.first + i] = scans[i];
	}
	j->scan_cycle = row->scan_cycle;
	j->scan_generation = row->scan_generation;
	return true;
}

int fl_borrow_enter_job(struct fl_policy *p, struct fl_workload w, const struct fl_saved_job *row,
			const struct fl_placement *placements, const struct fl_use *uses,
			const int16_t *scans, fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	int r;

	if (!can_be(p, w, row) ||
	    (row->scan_cycle && fl_scan(p, j).n && !enter_scan(p, w, row, scans)))
		return 1;
	j->state = row->state;
	j->reason = row->reason;
	j->promised = row->flags & FL_SAVED_PROMISED;
	j->loose = row->flags & FL_SAVED_LOOSE;
	if (row->held_by != FL_NONE && (r = fl_cycle_room(p, w, err)) < 0)
		return r;
	if (row->held_by != FL_NONE && !hold(p, w, row, placements, uses))
		return 1;
	if (j->state == FL_STATE_WAITING || j->state == FL_STATE_INADMISSIBLE)
		fl_line_enter(p, w);
	j->joined = row->joined;
	return 0;
}

/* What it holds it holds in its queue, or where it did at the beginning. */
static bool has_room(const struct fl_policy *p, struct fl_workload w,
		     const struct fl_saved_job *row)
{
	return row->held_by == FL_NONE || row->held_by == p->jobs[w.v].queue.v ||
	       row->held_by == fl_row(p, w)->admitted_queue.v;
}

static int enter_jobs(struct fl_policy *p, const struct saved *s, fairlead_error *err)
{
	uint32_t placements = 0, uses = 0, scans = 0;
	int r;

	for (uint32_t k = 0; k < p->model->n_workloads; k++) {
		const struct fl_saved_job *row = &s->jobs[k];
		struct fl_workload w = { p->members[k] };
		uint32_t n_scans = row->scan_cycle ? fl_scan(p, &p->jobs[w.v]).n : 0;

		if (!has_room(p, w, row) || row->n_placement > s->n_placements - placements ||
		    row->n_use > s->n_uses - uses || n_scans > s->n_scans - scans)
			return fl_image_damaged(job_kind.name, err);
		r = fl_borrow_enter_job(p, w, row, s->placements + placements, s->uses + uses,
					s->scans + scans, err);
		if (r != 0)
			return r < 0 ? r : fl_image_damaged(job_kind.name, err);
		placements += row->n_placement;
		uses += row->n_use;
		scans += n_scans;
	}
	return 0;
}

int fl_borrow_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	struct saved s;
	int r;

	if ((r = find_tables(p, i, &s, err)) < 0)
		return r;
	if (s.policy->requeued_n > p->n_requeued || s.policy->n_shapes != p->n_shapes)
		return fl_image_damaged(policy_kind.name, err);
	if ((r = enter_cells(p, &s, err)) < 0 || (r = enter_nodes(p, &s, err)) < 0 ||
	    (r = enter_shapes(p, &s, err)) < 0 || (r = enter_jobs(p, &s, err)) < 0 ||
	    (r = fl_protect_enter(p, i, err)) < 0 || (r = fl_rung_restore(p, i, err)) < 0 ||
	    (r = fl_afs_enter(p, i, err)) < 0)
		return r;
	p->changes = s.policy->changes;
	p->requeued_n = s.policy->requeued_n;
	for (uint32_t root = 0; root < p->tree.n_roots; root++) {
		bool stirred = fl_bitset_has(&p->stirred, root);

		if (s.roots[root].stirred && !stirred)
			fl_bitset_add(&p->stirred, root, /* undo= */ NULL);
		else if (!s.roots[root].stirred && stirred)
			fl_bitset_remove(&p->stirred, root, /* undo= */ NULL);
	}
	return 0;
}
