/* SPDX-License-Identifier: Apache-2.0 */
/*
 * face - what a daemon tells of the queues of one policy; a table a policy (decide/policies.def)
 *
 * Here and not in report/: the figures are those of the API and of metrics, whose amounts are in the
 * units of amounts (milli-cores, bytes, pieces) and whose JSON is jansson's.
 */
#ifndef FL_DAEMON_ENGINE_FACE_H
#define FL_DAEMON_ENGINE_FACE_H

#include <jansson.h>

#include "daemon/engine/view.h"

/* What there is of a node, of one resource. */
enum fl_figure {
	FL_FIGURE_NOMINAL,    /* its own quota; what it deserves */
	FL_FIGURE_SUBTREE,    /* with that of all below it */
	FL_FIGURE_USAGE,      /* what is held */
	FL_FIGURE_BORROWED,   /* of that, beyond its quota */
	FL_FIGURE_LENT,       /* of its quota, what others hold */
	FL_FIGURE_FAIR_SHARE, /* what a division gave */
};

/* @flavor FL_NONE: of all.  @amount INFINITY: without end. */
typedef void fl_figure_tell(void *user, struct fl_node n, struct fl_flavor flavor,
			    struct fl_resource resource, double amount);

struct fl_daemon_face {
	/* How all nodes stand: what the functions below go by, in @arena. FAIRLEAD_ENOMEM. */
	int (*look)(const struct fl_live_view *v, struct fl_arena *arena, void **ret,
		    fairlead_error *err);
	/* Each of @what that the node has; none where queues have no such thing. */
	void (*figures)(const void *stand, struct fl_node n, enum fl_figure what,
			fl_figure_tell *tell, void *user);
	/* Resource -> amounts, as text; @pending: what is waited for below it, by resource. */
	json_t *(*resources)(const void *stand, struct fl_node n, const fl_amount *pending);
	/* The number that people compare, or null; the node takes part. */
	json_t *(*share)(const struct fl_live_view *v, const void *stand, struct fl_node n);
	/* Resource -> what there is to be divided; NULL: quotas say so. */
	json_t *(*total)(const void *stand);
	/* What quotas are parts of: fl_live_view_machine, once it is emptied; NULL: of nothing. */
	int (*machine)(const struct fl_live_view *v, struct fl_arena *arena,
		       struct fl_explain_machine *ret, fairlead_error *err);
};

const struct fl_daemon_face *fl_daemon_face_of(const struct fl_policy_ops *ops);

/* The amount of @name as text, as people write it; FL_UNLIMITED and FL_NO_LIMIT: "unlimited". */
json_t *fl_daemon_amount(const char *name, fl_amount v);

#endif
