/* SPDX-License-Identifier: Apache-2.0 */
/*
 * afs - Admission Fair Sharing: local queues of one ClusterQueue by decayed usage
 *
 * A local queue that used less comes first in its ClusterQueue's order; of two
 * workloads of one queue, that of the local queue that used more is preempted
 * first.  Only for queues with admissionMode UsageBasedAdmissionFairSharing, and with
 * admissionFairSharing in the Configuration.  Usage is counted in one of two ways:
 *
 *   sampled   as the reference does (doc/semantics/borrow.md, B10).  An admission is paid for at
 *             once by an entry penalty, settled when the admission is entered; every sampling
 *             interval what is held is counted.  Nothing gives a penalty back.
 *   exact     opt-in (Policy): the integral of what is held, moved on whenever that
 *             changes (decide/share/integral.h).  Local queues are compared by what their usage
 *             will be one sampling interval ahead if nothing changes, so that what was
 *             admitted a moment ago counts already; nothing of that is stored.
 *
 * Promises: no order of input, of calls at one moment, or of reading changes a number.
 * It cannot promise that usage is right in a dump: what ended since it was last written
 * into the LocalQueue's status is not there to be counted.
 *
 * Tested in tests/unit/decide/test_afs.c and by the recorded suites afs and afs_decay; the
 * long explanation is doc/guide/admission-fair-sharing.md.  Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_AFS_AFS_H
#define FL_DECIDE_BORROW_AFS_AFS_H

#include "base/image.h"
#include "decide/borrow/state/adopting.h"
#include "decide/borrow/state/state.h"
#include "decide/kept.h"

/* Rows of cells are one a resource of the model; usage is in natural units: cores, bytes. */
struct fl_afs {
	struct fl_kept_list kept; /* all arrays of this */

	/* fixed */
	uint32_t n_resources;
	bool exact;
	bool samples; /* of the sampled way: as time passes, and not at admissions alone */
	double *resource_weight;
	bool *shares; /* by local queue: usage orders its workloads somewhere */

	/* changes */
	fl_nanos *held;     /* by local queue, rows: what its workloads hold now */
	fl_nanos *consumed; /* sampled: the same, as of `updated` */
	double *integral;   /* exact: the same */
	fl_time *updated;   /* by local queue */
	uint64_t epoch;     /* changes whenever any of these does; never comes back */
	uint64_t *turns;    /* one: how often quota was given or released */

	/* derived, each from an epoch and a time */
	struct fl_afs_known {
		uint64_t epoch;
		fl_time at;
		double usage;
	} * known; /* by local queue */
	uint64_t stamp, stamp_epoch;
	fl_time stamp_at;

	/* room to work in */
	double *row, *value, *limit; /* one row; by local queue */
	uint32_t *ids, *scratch;     /* as many as there are local queues */
	uint64_t *listed, list;      /* by local queue: in the list of that number */
	uint32_t *place, *by_queue;  /* by workload */
};

int fl_afs_setup(struct fl_policy *p, fairlead_error *err);
/* All that holds quota at the beginning is entered. */
void fl_afs_start(struct fl_policy *p);

/* Does usage order the workloads of @q? */
static inline bool fl_afs_orders(const struct fl_policy *p, struct fl_node q)
{
	return p->afs && p->model->nodes[q.v].usage_based;
}
/* What orders @w's local queue, as of now; INFINITY with weight 0, 0 without a local queue. */
double fl_afs_usage(const struct fl_policy *p, struct fl_workload w);
/* The same at any time, if nothing changes till then; and in the end. */
double fl_afs_usage_at(const struct fl_policy *p, uint32_t lq, fl_time t);
double fl_afs_usage_limit(const struct fl_policy *p, uint32_t lq);
/* What @lq consumed of @r by now, in natural units. */
double fl_afs_consumed(const struct fl_policy *p, uint32_t lq, uint32_t r);
/* Changes whenever the order of local queues may have. */
uint64_t fl_afs_stamp(struct fl_policy *p);

/* What @w's local queue holds changes with @w (sign +1: more); where usage is counted. */
void fl_afs_hold(struct fl_policy *p, struct fl_workload w, int sign);
/* @w was admitted: what the admission costs. */
void fl_afs_settle(struct fl_policy *p, struct fl_workload w);
/* Is a sample of @lq due at @t? */
bool fl_afs_is_due(const struct fl_policy *p, uint32_t lq, fl_time t);
/* Would a sample of @lq at @t leave its usage as it is? */
bool fl_afs_rests(const struct fl_policy *p, uint32_t lq, fl_time t);
/* Samples that are due, of all local queues; reserves its own room to undo. */
bool fl_afs_any_due(const struct fl_policy *p);
int fl_afs_sample_due(struct fl_policy *p, fairlead_error *err);
/* Room to undo that a workload with so many placements is admitted or released; 0 without it. */
size_t fl_afs_undo(const struct fl_policy *p, uint32_t placements);

/* In an image, and carried into another policy; after all who hold something are entered. */
int fl_afs_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
int fl_afs_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);
void fl_afs_adopt(struct fl_policy *p, const struct fl_adopting *a);

#endif
