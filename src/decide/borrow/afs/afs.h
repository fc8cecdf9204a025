/* SPDX-License-Identifier: Apache-2.0 */
/*
 * afs - Admission Fair Sharing: orders local queues of one ClusterQueue by decayed usage
 *
 * Workloads of a local queue with less usage come first in the ClusterQueue; of two candidates of
 * one queue, that of the local queue with more usage is preempted first.  Only for queues with
 * admissionMode UsageBasedAdmissionFairSharing, and with admissionFairSharing in the
 * Configuration.  Usage is counted in one of two ways:
 *
 *   sampled   as the reference does (doc/semantics/borrow.md, B10).  An admission is charged at
 *             once by an entry penalty, which is settled when the admission is entered; at each
 *             sampling interval what is held is counted.  A penalty is never given back.
 *   exact     opt-in (Policy): the integral of what is held, updated whenever that changes
 *             (decide/share/integral.h).  Local queues are compared by what their usage will be one
 *             sampling interval later if nothing changes, so that a workload that was admitted just
 *             now counts already; nothing of that is stored.
 *
 * Promises: the order of the input, of calls at the same time and of reads changes no number.  Not
 * promised: that usage is right after a dump is read.  A workload that ended after usage was last
 * written into the LocalQueue's status is not in the dump, so it cannot be counted.
 *
 * Tested in tests/unit/decide/test_afs.c and by the recorded suites afs and afs_decay; the long
 * explanation is doc/guide/admission-fair-sharing.md.  Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_AFS_AFS_H
#define FL_DECIDE_BORROW_AFS_AFS_H

#include "base/image.h"
#include "decide/borrow/state/adopting.h"
#include "decide/borrow/state/state.h"
#include "decide/kept.h"

/*
 * Arrays of cells have one row per local queue, with one cell per resource of the model; usage is
 * in natural units: cores, bytes.
 */
struct fl_afs {
	struct fl_kept_list kept; /* all arrays of this struct */

	/* fixed */
	uint32_t n_resources;
	bool exact;
	bool samples; /* sampled: counts as time passes too, and not at admissions only */
	double *resource_weight;
	bool *shares; /* by local queue: its usage orders workloads of some queue */

	/* changes */
	fl_nanos *held;     /* rows: what the workloads of each local queue hold now */
	fl_nanos *consumed; /* sampled: consumed as of `updated` */
	double *integral;   /* exact: consumed as of `updated` */
	fl_time *updated;   /* by local queue */
	uint64_t epoch;     /* a new one at each change; no value is used twice */
	uint64_t *turns;    /* one number: how often quota was given or released */

	/* derived, each for one epoch and one time */
	struct fl_afs_known {
		uint64_t epoch;
		fl_time at;
		double usage;
	} * known; /* by local queue */
	uint64_t stamp, stamp_epoch;
	fl_time stamp_at;

	/* working memory */
	double *row, *value, *limit; /* one row; by local queue */
	uint32_t *ids, *scratch;     /* as many as there are local queues */
	uint64_t *listed, list;      /* by local queue: is its number `list`, the list at hand? */
	uint32_t *place, *by_queue;  /* by workload */
};

int fl_afs_setup(struct fl_policy *p, fairlead_error *err);
/* Enters the workloads that hold quota in the initial state. */
void fl_afs_start(struct fl_policy *p);

/* Does usage order the workloads of @q? */
static inline bool fl_afs_orders(const struct fl_policy *p, struct fl_node q)
{
	return p->afs && p->model->nodes[q.v].usage_based;
}
/*
 * The usage by which @w's local queue is ordered, at present; INFINITY with weight 0, 0 without a
 * local queue.
 */
double fl_afs_usage(const struct fl_policy *p, struct fl_workload w);
/* The usage of @lq at @t if nothing changes until then; and its limit as time goes to infinity. */
double fl_afs_usage_at(const struct fl_policy *p, uint32_t lq, fl_time t);
double fl_afs_usage_limit(const struct fl_policy *p, uint32_t lq);
/* The amount of @r that @lq has consumed until now, in natural units. */
double fl_afs_consumed(const struct fl_policy *p, uint32_t lq, uint32_t r);
/* A number that changes whenever the order of local queues may have changed. */
uint64_t fl_afs_stamp(struct fl_policy *p);

/*
 * Where usage is counted: @w begins (@sign +1) or ceases (-1) to count in what its local queue
 * holds.
 */
void fl_afs_hold(struct fl_policy *p, struct fl_workload w, int sign);
/* @w was admitted: charges what the admission costs. */
void fl_afs_confirm(struct fl_policy *p, struct fl_workload w);
/*
 * @w holds quota since @since by another scheduler's decision: charges what the admission costs, or
 * counts what it held until now.
 */
void fl_afs_since(struct fl_policy *p, struct fl_workload w, fl_time since);
/* Room in the undo log for that, with @placements rows. */
size_t fl_afs_since_undo(const struct fl_policy *p, uint32_t placements);
/* Is a sample of @lq due at time @t? */
bool fl_afs_is_due(const struct fl_policy *p, uint32_t lq, fl_time t);
/* Would a sample of @lq at time @t leave its usage unchanged? */
bool fl_afs_rests(const struct fl_policy *p, uint32_t lq, fl_time t);
/* Takes all samples that are due, of all local queues; reserves its own room in the undo log. */
bool fl_afs_any_due(const struct fl_policy *p);
int fl_afs_sample_due(struct fl_policy *p, fairlead_error *err);
/*
 * Room in the undo log to admit or release a workload with @placements rows; 0 if usage is not
 * counted.
 */
size_t fl_afs_undo(const struct fl_policy *p, uint32_t placements);

/*
 * Saves and loads usage, or takes it over from another policy; call the latter two after all
 * workloads that hold quota are entered.
 */
int fl_afs_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
int fl_afs_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);
void fl_afs_adopt(struct fl_policy *p, const struct fl_adopting *a);

#endif
