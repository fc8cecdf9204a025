/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/doors/image.h"

#include <string.h>

#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"

_Static_assert(sizeof(struct fl_placement) == 24 && sizeof(struct fl_use) == 16,
	       "no room between fields");

/* --- tables with one row per workload, queue, class or cell --- */

static const struct fl_job *member(const struct fl_policy *p, uint32_t place)
{
	return &p->jobs[p->members[place]];
}

/* Is the workload at that index of eq_class_ids the first of its class? */
static bool begins_eq_class(const struct fl_policy *p, uint32_t place)
{
	const uint32_t *ids = p->eq_class_ids + place;

	return place == 0 || p->jobs[ids[0]].eq_class != p->jobs[ids[-1]].eq_class;
}

static bool is_pending_in(const struct fl_policy *p, uint32_t queue, uint32_t w)
{
	return w < p->model->n_workloads && p->jobs[w].queue.v == queue;
}

#define STATE "decide/borrow/state/state.def"
#include "decide/table_doors.h"

/* --- tables with several rows per workload --- */

static const struct fl_image_kind placement_kind = { "borrow.placements",
						     sizeof(struct fl_placement), 0 };
static const struct fl_image_kind use_kind = { "borrow.uses", sizeof(struct fl_use), 0 };
static const struct fl_image_kind scan_kind = { "borrow.scans", sizeof(int16_t), 0 };

/* Saves what workloads hold, one after another. */
static int save_held(const struct fl_policy *p, struct fl_arena *a, struct fl_image_writer *w,
		     fairlead_error *err)
{
	uint32_t n = p->model->n_workloads, placements = 0, uses = 0;
	struct fl_placement *placed;
	struct fl_use *used;
	int r;

	for (uint32_t k = 0; k < n; k++) {
		placements += p->jobs[k].n_placement;
		uses += p->jobs[k].n_use;
	}
	if (!FL_NEW(a, placed, placements, err) || !FL_NEW(a, used, uses, err))
		return FAIRLEAD_ENOMEM;
	placements = uses = 0;
	for (uint32_t k = 0; k < n; k++) {
		const struct fl_job *j = member(p, k);

		for (uint32_t i = 0; i < j->n_placement; i++)
			placed[placements++] = fl_placements(p, j)[i];
		for (uint32_t i = 0; i < j->n_use; i++) {
			used[uses].column = fl_uses(p, j)[i].column;
			used[uses++].amount = fl_uses(p, j)[i].amount;
		}
	}
	r = fl_image_put(w, &placement_kind, placed, placements, err);
	return r < 0 ? r : fl_image_put(w, &use_kind, used, uses, err);
}

static int save_scans(const struct fl_policy *p, struct fl_arena *a, struct fl_image_writer *w,
		      fairlead_error *err)
{
	uint32_t n = 0;
	int16_t *rows;

	for (uint32_t k = 0; k < p->model->n_workloads; k++)
		n += p->jobs[k].scan_cycle ? fl_scan(p, &p->jobs[k]).n : 0;
	if (!FL_NEW(a, rows, n, err))
		return FAIRLEAD_ENOMEM;
	n = 0;
	for (uint32_t k = 0; k < p->model->n_workloads; k++) {
		const struct fl_job *j = member(p, k);
		struct fl_span scan = fl_scan(p, j);

		for (uint32_t i = 0; j->scan_cycle && i < scan.n; i++)
			rows[n++] = p->scans[scan.first + i];
	}
	return fl_image_put(w, &scan_kind, rows, n, err);
}

int fl_borrow_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	struct fl_arena a;
	int r = fl_common_unmarked(p, "a policy is not saved", err);

	if (r < 0)
		return r;
	fl_arena_init(&a, p->mem);
	if ((r = save_policy(p, &a, w, err)) == 0 && (r = save_job(p, &a, w, err)) == 0 &&
	    (r = save_order(p, &a, w, err)) == 0 && (r = save_held(p, &a, w, err)) == 0 &&
	    (r = save_scans(p, &a, w, err)) == 0 && (r = save_eq_class(p, &a, w, err)) == 0 &&
	    (r = save_backlog(p, &a, w, err)) == 0 && (r = save_root(p, &a, w, err)) == 0 &&
	    (r = save_cell(p, &a, w, err)) == 0 && (r = save_weight(p, &a, w, err)) == 0 &&
	    (r = fl_protect_save(p, w, err)) == 0 && (r = fl_rung_save(p, w, err)) == 0)
		r = fl_afs_save(p, w, err);
	fl_arena_done(&a);
	return r;
}

/* --- load --- */

int fl_borrow_saved_options(const struct fl_image *i, struct fl_policy_options *ret,
			    fairlead_error *err)
{
	const struct fl_saved_policy *row;
	const void *rows;
	int r = fl_image_exactly(i, &policy_kind, 1, &rows, err);

	if (r < 0)
		return r;
	row = rows;
	ret->now = row->now;
	ret->unsampled = row->unsampled;
	return 0;
}

int fl_borrow_saved_orders(const struct fl_image *i, uint32_t n, const struct fl_saved_order **ret,
			   fairlead_error *err)
{
	const void *rows;
	int r = fl_image_exactly(i, &order_kind, n, &rows, err);

	if (r == 0)
		*ret = rows;
	return r;
}

static int load_cells(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	int r = load_cell(p, i, err);

	if (r == 0)
		r = load_weight(p, i, err);
	for (uint32_t root = 0; r == 0 && root < p->tree.n_roots; root++) {
		fl_tree_derive(&p->tree, root);
		fl_usage_derive(&p->usage, &p->tree, root);
	}
	return r;
}

/* A mark is entered with its queue, which must exist. */
static int load_eq_classes(struct fl_policy *p, const struct fl_image *image, fairlead_error *err)
{
	const struct fl_saved_eq_class *row;
	const void *rows;
	int r = load_eq_class(p, image, err);

	if (r == 0)
		r = fl_image_exactly(image, &eq_class_kind, p->n_eq_classes, &rows, err);
	if (r < 0)
		return r;
	row = rows;
	for (uint32_t i = 0; i < p->n_eq_classes; i++) {
		struct fl_node q = p->jobs[p->eq_class_ids[p->eq_classes[i].members.first]].queue;

		if (row[i].marked && q.v == FL_NONE)
			return fl_image_damaged(eq_class_kind.name, err);
		if (row[i].marked)
			fl_backlog_enter_mark(p, q, i);
	}
	return 0;
}

/* Is the row of @w a valid state for it? */
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

/* Enters what @w holds; false if sums are wrong or a column is there twice. */
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

/* Enters where the next scan of each podset and group begins. */
static bool enter_scan(struct fl_policy *p, struct fl_workload w, const struct fl_saved_job *row,
		       const int16_t *scans)
{
	struct fl_job *j = &p->jobs[w.v];
	const struct fl_backlog *backlog = &p->backlogs[j->queue.v];
	struct fl_span scan = fl_scan(p, j);

	if (p->tree.root_index[j->queue.v] == FL_NONE)
		return false; /* no cycle looks at it */
	for (uint32_t i = 0; i < scan.n; i++) {
		const struct fl_queue_group *g =
			&p->groups[backlog->groups.first + i % backlog->groups.n];

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
		fl_backlog_enter(p, w);
	j->joined = row->joined;
	return 0;
}

/* It holds quota of its own queue, or of the queue of its admission in the model. */
static bool has_room(const struct fl_policy *p, struct fl_workload w,
		     const struct fl_saved_job *row)
{
	return row->held_by == FL_NONE || row->held_by == p->jobs[w.v].queue.v ||
	       row->held_by == fl_row(p, w)->admitted_queue.v;
}

static int load_jobs(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	const void *jobs, *placements, *uses, *scans;
	uint32_t n_placements, n_uses, n_scans, placement = 0, use = 0, scan = 0;
	int r;

	if ((r = fl_image_exactly(i, &job_kind, p->model->n_workloads, &jobs, err)) < 0 ||
	    (r = fl_image_rows(i, &placement_kind, &placements, &n_placements, err)) < 0 ||
	    (r = fl_image_rows(i, &use_kind, &uses, &n_uses, err)) < 0 ||
	    (r = fl_image_rows(i, &scan_kind, &scans, &n_scans, err)) < 0)
		return r;
	for (uint32_t k = 0; k < p->model->n_workloads; k++) {
		const struct fl_saved_job *row = (const struct fl_saved_job *)jobs + k;
		struct fl_workload w = { p->members[k] };
		uint32_t scanned = row->scan_cycle ? fl_scan(p, &p->jobs[w.v]).n : 0;

		if (!has_room(p, w, row) || row->n_placement > n_placements - placement ||
		    row->n_use > n_uses - use || scanned > n_scans - scan)
			return fl_image_damaged(job_kind.name, err);
		r = fl_borrow_enter_job(p, w, row,
					(const struct fl_placement *)placements + placement,
					(const struct fl_use *)uses + use,
					(const int16_t *)scans + scan, err);
		if (r != 0)
			return r < 0 ? r : fl_image_damaged(job_kind.name, err);
		placement += row->n_placement;
		use += row->n_use;
		scan += scanned;
	}
	return 0;
}

int fl_borrow_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	int r;

	if ((r = load_policy(p, i, err)) < 0 || (r = load_cells(p, i, err)) < 0 ||
	    (r = load_backlog(p, i, err)) < 0 || (r = load_eq_classes(p, i, err)) < 0 ||
	    (r = load_jobs(p, i, err)) < 0 || (r = fl_protect_enter(p, i, err)) < 0 ||
	    (r = fl_rung_restore(p, i, err)) < 0 || (r = fl_afs_enter(p, i, err)) < 0)
		return r;
	return load_root(p, i, err); /* entering workloads has dirty their trees */
}
