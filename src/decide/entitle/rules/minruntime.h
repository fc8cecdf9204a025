/* SPDX-License-Identifier: Apache-2.0 */
/*
 * minruntime - who may not be taken yet
 *
 * How long a victim may run before anybody takes its place is set at its queue or at one
 * above it; nearer is stronger, and 0 is a value.  Where nobody says, the default holds.
 *
 *   preempt        from the victim's leaf to its root
 *   reclaim, queue the same walk, with the length for reclaims
 *   reclaim, lca   what the reclaimer's queues have said of themselves is no business of the
 *                  victim's: the walk begins one below the lowest common ancestor, on the
 *                  victim's side (at the ancestor itself when the victim is there), and goes
 *                  to the root; of two trees only the victim's top queue is asked
 *
 * Guarantee: pure; a job without a start time is not protected; one is protected at no time
 * from its start plus the length on, and protection never comes back while it runs.
 *
 * A protected job is no victim; an elastic one is offered nevertheless, and keeps the minimum
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

/* Of a victim in @victim, taken for a job of the same leaf. */
struct fl_min_run fl_min_run_preempt(const struct fl_standing *queues,
				     const struct fl_entitle_settings *settings,
				     struct fl_node victim);
/* Of a victim in @victim, taken for a job in @reclaimer. */
struct fl_min_run fl_min_run_reclaim(const struct fl_standing *queues,
				     const struct fl_entitle_settings *settings,
				     struct fl_node reclaimer, struct fl_node victim);

/* @started FL_TIME_NONE: it has not, or nobody knows. */
bool fl_min_run_protects(fl_time now, fl_time started, fl_time length);

/*
 * A job that is protected and holds @holds tasks: may @taken of them go?  Only while its
 * gang of @min_tasks stays whole.
 */
bool fl_min_run_spares(uint32_t holds, int32_t min_tasks, uint32_t taken);

#endif
