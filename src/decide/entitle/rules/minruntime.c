/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/rules/minruntime.h"

static fl_time length_for_preempt(const struct fl_standing *q) { return q->preempt_min_run; }
static fl_time length_for_reclaim(const struct fl_standing *q) { return q->reclaim_min_run; }

/* The first duration that is set, from @n up to its root. */
static struct fl_min_run first_set(const struct fl_standing *queues, struct fl_node n,
				   fl_time (*length)(const struct fl_standing *), fl_time otherwise)
{
	for (; n.v != FL_NONE; n = queues[n.v].parent)
		if (length(&queues[n.v]) != FL_TIME_NONE)
			return (struct fl_min_run){ length(&queues[n.v]), n };
	return (struct fl_min_run){ otherwise, { FL_NONE } };
}

/*
 * The start of the walk of method lca: the node just below the lowest common ancestor, towards
 * @victim; @victim itself if it is the ancestor.  In two trees the root of the victim's tree.
 */
static struct fl_node below_common(const struct fl_standing *queues, struct fl_node reclaimer,
				   struct fl_node victim)
{
	struct fl_node below = victim;

	while (reclaimer.v != victim.v) { /* two roots have the same parent: none */
		uint32_t x = queues[reclaimer.v].depth, y = queues[victim.v].depth;

		if (x >= y)
			reclaimer = queues[reclaimer.v].parent;
		if (y >= x) {
			below = victim;
			victim = queues[victim.v].parent;
		}
	}
	return below;
}

struct fl_min_run fl_min_run_preempt(const struct fl_standing *queues,
				     const struct fl_entitle_settings *settings,
				     struct fl_node victim)
{
	return first_set(queues, victim, length_for_preempt, settings->default_preempt_min_run);
}

struct fl_min_run fl_min_run_reclaim(const struct fl_standing *queues,
				     const struct fl_entitle_settings *settings,
				     struct fl_node reclaimer, struct fl_node victim)
{
	struct fl_node from = settings->min_run_method == FL_MIN_RUN_LCA ?
				      below_common(queues, reclaimer, victim) :
				      victim;

	return first_set(queues, from, length_for_reclaim, settings->default_reclaim_min_run);
}

bool fl_min_run_protects(fl_time now, fl_time started, fl_time length)
{
	if (started == FL_TIME_NONE || length <= 0)
		return false;
	/* As unsigned numbers the difference of any two times fits. */
	return now < started || (uint64_t)now - (uint64_t)started < (uint64_t)length;
}

bool fl_min_run_spares(uint32_t holds, int32_t min_tasks, uint32_t taken)
{
	return (int64_t)holds - taken >= min_tasks;
}
