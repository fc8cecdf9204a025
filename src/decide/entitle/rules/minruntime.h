/* SPDX-License-Identifier: Apache-2.0 */
/*
 * minruntime - workloads that are protected by a minimum run time
 *
 * How long a victim may run before it can be preempted or reclaimed is set at its queue, or at a
 * queue above; the nearest that sets it decides, and 0 is a value.  If none does, the default
 * applies.
 *
 *   preempt        from the victim's leaf up to its root
 *   reclaim, queue the same walk, with the duration for reclaims
 *   reclaim, lca   what the reclaimer's queues set for themselves does not apply to the victim: the
 *                  walk begins just below the lowest common ancestor, on the victim's side (at the
 *                  ancestor itself when the victim is there), and goes up to the root; of two trees
 *                  only the root of the victim's tree is asked
 *
 * Guarantee: pure; a job without a start time is not protected; a job is not protected at any time
 * from its start plus the duration on, and protection never begins again while it runs.
 *
 * A protected job is not a victim; an elastic one is offered nevertheless, and keeps the minimum
 * of its gang (fl_min_run_spares).
 *
 * Tested in tests/unit/decide/test_entitle_minruntime.c and by the recorded cases `minruntime`.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_MINRUNTIME_H
#define FL_DECIDE_ENTITLE_RULES_MINRUNTIME_H

#include "decide/entitle/standing.h"
#include "model/entitle.h"

struct fl_min_run {
	fl_time length;
	struct fl_node set_by; /* FL_NONE: the default */
};

/* For a victim in @victim that is preempted for a job of the same leaf. */
struct fl_min_run fl_min_run_preempt(const struct fl_standing *queues,
				     const struct fl_entitle_settings *settings,
				     struct fl_node victim);
/* For a victim in @victim that is reclaimed for a job in @reclaimer. */
struct fl_min_run fl_min_run_reclaim(const struct fl_standing *queues,
				     const struct fl_entitle_settings *settings,
				     struct fl_node reclaimer, struct fl_node victim);

/* @started FL_TIME_NONE: it has not started, or the time is not known. */
bool fl_min_run_protects(fl_time now, fl_time started, fl_time length);

/*
 * A protected job has @holds tasks: may @taken of them be evicted?  Only while its gang of
 * @min_tasks stays whole.
 */
bool fl_min_run_spares(uint32_t holds, int32_t min_tasks, uint32_t taken);

#endif
