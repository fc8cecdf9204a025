/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - the state of a policy as tables of an image, and back
 *
 * What is saved is what cannot be found out from the model: of each workload its state, what it
 * holds and where its scan stopped; marks of shapes, sticky workloads, cells, usage as counted,
 * refusals of a Policy.  All else is made by setup, as in a new policy, and follows: sets, trees
 * of heads, sums of usage, sorted lists.  So there is nothing in an image that could contradict
 * itself, and a structure that is kept for speed needs no word here.
 *
 * Guarantees: a policy that is loaded has the digest of the saved one and decides as it would,
 * for ever after.  Each number is looked at before it counts: states, ids, columns, flavors and
 * rooms are those of the model, and what is held adds up.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_DOORS_IMAGE_H
#define FL_DECIDE_BORROW_DOORS_IMAGE_H

#include "base/image.h"
#include "decide/borrow/state/state.h"

#define STATE "decide/borrow/state/state.def"
#include "decide/table_rows.h"
#undef STATE

/* FAIRLEAD_ESTATE while a mark is open. */
int fl_borrow_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
/* The clock and the way of counting, before anything is set up. */
int fl_borrow_saved_options(const struct fl_image *i, struct fl_policy_options *ret,
			    fairlead_error *err);
#define FL_ORDER_BEGINS (UINT32_C(1) << 31) /* of a shape_id: another shape begins */
/* What setup would find by sorting, for each of @n workloads; the numbers may be anything. */
int fl_borrow_saved_orders(const struct fl_image *i, uint32_t n, const struct fl_saved_order **ret,
			   fairlead_error *err);

/* fl_saved_job.flags */
enum { FL_SAVED_PROMISED = 1, FL_SAVED_LOOSE = 2 };
_Static_assert(sizeof(struct fl_saved_job) == 40, "no room between fields");

/*
 * @w, of which nothing is known yet, becomes as its row says, and what stands beside it: so many
 * placements and uses, and, with a scan_cycle, as many positions as fl_scan has.  The queue whose
 * quota it holds must have room for one more holder (setup.h).  1: that cannot be, and @p can only
 * be freed; FAIRLEAD_ENOMEM.
 */
int fl_borrow_enter_job(struct fl_policy *p, struct fl_workload w, const struct fl_saved_job *row,
			const struct fl_placement *placements, const struct fl_use *uses,
			const int16_t *scans, fairlead_error *err);
/* @p is set up, and nobody holds or waits yet. */
int fl_borrow_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);

#endif
