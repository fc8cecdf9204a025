/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - the state of a policy as tables of an image, and back
 *
 * Saved is what cannot be derived from the model: of each workload its state, what it holds and
 * its scan positions; marks of classes, sticky workloads, cells, usage as counted, refusals of a
 * Policy.  All else is made by setup, as in a new policy, and derived: sets, trees of heads, sums
 * of usage, sorted lists.  So an image has nothing that could contradict itself, and a structure
 * that exists only for speed is not in it.
 *
 * Guarantees: a policy that was loaded has the digest of the saved one, and decides as it would
 * from then on.  Each number is checked before it is used: states, ids, columns, flavors and room
 * must be those of the model, and what is held must add up.
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
/* The time and the way in which usage is counted, read before anything is set up. */
int fl_borrow_saved_options(const struct fl_image *i, struct fl_policy_options *ret,
			    fairlead_error *err);
#define FL_ORDER_BEGINS (UINT32_C(1) << 31) /* in a eq_class_id: a new class begins here */
/*
 * The orders that setup would find by sorting, of each of @n workloads; the numbers are not
 * checked.
 */
int fl_borrow_saved_orders(const struct fl_image *i, uint32_t n, const struct fl_saved_order **ret,
			   fairlead_error *err);

/* fl_saved_job.flags */
enum { FL_SAVED_PROMISED = 1, FL_SAVED_LOOSE = 2 };
_Static_assert(sizeof(struct fl_saved_job) == 40, "no room between fields");

/*
 * Gives @w, which is new in @p, the state of its row and of the arrays beside it: as many
 * placements and uses as the row says, and, with a scan_cycle, as many positions as fl_scan has.
 * The queue whose quota it holds must have room for one more holder (setup.h). 1: the row is not
 * valid, and @p can only be freed; FAIRLEAD_ENOMEM.
 */
int fl_borrow_enter_job(struct fl_policy *p, struct fl_workload w, const struct fl_saved_job *row,
			const struct fl_placement *placements, const struct fl_use *uses,
			const int16_t *scans, fairlead_error *err);
/* @p is set up, and no workload holds quota or is pending yet. */
int fl_borrow_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);

#endif
