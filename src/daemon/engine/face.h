/* SPDX-License-Identifier: Apache-2.0 */
/*
 * face - figures of the queues of one policy, for API and metrics; a table for each policy
 * (decide/policies.def)
 *
 * Here and not in report/: the figures are those of the API and of metrics, whose amounts are in the
 * units of amounts (milli-cores, bytes, pieces).
 */
#ifndef FL_DAEMON_ENGINE_FACE_H
#define FL_DAEMON_ENGINE_FACE_H

#include "daemon/engine/view.h"
#include "report/job/answers.h"

/* An amount of one resource at a node. */
enum fl_figure {
	FL_FIGURE_NOMINAL,    /* nominal quota, or deserved quota */
	FL_FIGURE_SUBTREE,    /* the same with that of all nodes below it */
	FL_FIGURE_USAGE,      /* held by its jobs */
	FL_FIGURE_BORROWED,   /* the part of usage beyond its quota */
	FL_FIGURE_LENT,       /* the part of its quota that others hold */
	FL_FIGURE_FAIR_SHARE, /* given by the last division */
};

/* @flavor FL_NONE: of all flavors. @amount INFINITY: unlimited. */
typedef void fl_figure_tell(void *user, struct fl_node n, struct fl_flavor flavor,
			    struct fl_resource resource, double amount);

/* A limit: what is used of it, of what could be at most. */
struct fl_live_room {
	struct fl_node node; /* the queue or cohort whose limit it is; FL_NONE: all that there is */
	fl_amount used, most;
};

/* Makes @to the one of two that leaves less; of equals the second, which is of more jobs. */
static inline void fl_live_room_tighten(struct fl_live_room *to, bool *has,
					const struct fl_live_room *other)
{
	if (!*has || fl_sat_sub(other->most, other->used) <= fl_sat_sub(to->most, to->used))
		*to = *other;
	*has = true;
}

struct fl_daemon_face {
	/*
	 * Computes the figures of all nodes, which the functions below read, in @arena.
	 * FAIRLEAD_ENOMEM.
	 */
	int (*look)(const struct fl_live_view *v, struct fl_arena *arena, void **ret,
		    fairlead_error *err);
	/*
	 * Calls @tell for each amount of kind @what of the node; for none where the policy has no
	 * such figure.
	 */
	void (*figures)(const void *stand, struct fl_node n, enum fl_figure what,
			fl_figure_tell *tell, void *user);
	/*
	 * A row for each resource, and how many; @pending: what is waited for below it, by resource.
	 * There is room for FL_BUNDLE and for all resources of the model.
	 */
	uint32_t (*resources)(const void *stand, struct fl_node n, const fl_amount *pending,
			      struct fl_queue_amounts *ret);
	/* The number that people compare, INFINITY, or NAN: none; the node takes part. */
	double (*share)(const struct fl_live_view *v, const void *stand, struct fl_node n);
	/*
	 * Of all limits that a workload's use of a resource counts for, the one that leaves least;
	 * of several flavors together, those that it may use.  false: there is none.
	 */
	bool (*tightest)(const void *stand, struct fl_workload w, struct fl_resource r,
			 struct fl_live_room *ret);
	/* What there is to be divided of each resource, as nominal; NULL: quotas say so. */
	uint32_t (*total)(const void *stand, struct fl_queue_amounts *ret);
	/* What quotas are parts of: fl_live_view_machine, once it is emptied; NULL: of nothing. */
	int (*machine)(const struct fl_live_view *v, struct fl_arena *arena,
		       struct fl_explain_machine *ret, fairlead_error *err);
};

const struct fl_daemon_face *fl_daemon_face_of(const struct fl_policy_ops *ops);

/* The amount of @name as text, as people write it; FL_UNLIMITED and FL_NO_LIMIT: "unlimited". */
void fl_daemon_amount(const char *name, fl_amount v, char ret[FL_AMOUNT_TEXT]);

#endif
