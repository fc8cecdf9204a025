/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine - what a fairlead_engine is: a model, the policy on it, and what may be laid over both
 *
 * Private to src/api.
 */
#ifndef FL_API_ENGINE_H
#define FL_API_ENGINE_H

#include <fairlead/fairlead.h>

#include "codec/edit/shelf.h"
#include "decide/policies.h"

struct fairlead_engine {
	struct fl_mem mem;
	struct fl_model *model;
	const struct fl_policy_ops *ops; /* of the policy, once there is one */
	struct fl_policy *policy;        /* NULL until sealed */
	enum fl_dialect wanted;          /* by the options */
	bool broken;                     /* reading or sealing failed: it can only be freed */
	bool keeps;                      /* what is read is put on the shelf, too */
	struct fl_shelf shelf;
	fl_time now;           /* newest that it was told outside marks */
	fl_time before;        /* what that was at the oldest open mark */
	uint32_t marks;        /* that are open */
	struct fl_arena texts; /* of one callback */
};

/* The policy of the objects in @m: FAIRLEAD_EINPUT when they are of both. */
int fl_engine_ops(const struct fl_model *m, const struct fl_policy_ops **ret, fairlead_error *err);

/* A policy on @m, which is sealed. */
int fl_engine_policy(const fairlead_engine *e, const struct fl_model *m, fl_time now,
		     const struct fl_policy_ops *ops, struct fl_policy **ret, fairlead_error *err);

int fl_engine_check_sealed(const fairlead_engine *e, fairlead_error *err);
/* "namespace/name" to a workload, and back, into the engine's arena. FAIRLEAD_ENOENT, ESTATE. */
int fl_engine_find(const fairlead_engine *e, const char *workload, struct fl_workload *ret,
		   fairlead_error *err);
int fl_engine_name(fairlead_engine *e, struct fl_workload w, const char **ret, fairlead_error *err);
int fl_engine_find_node(const fairlead_engine *e, fairlead_node_kind kind, const char *name,
			struct fl_node *ret, fairlead_error *err);
/* All of @decisions to @fn, or, when memory runs out, none. */
int fl_engine_tell(fairlead_engine *e, const struct fl_decisions *decisions,
		   fairlead_decision_fn *fn, void *user, fairlead_error *err);

/* change.c: the objects of @source, and deletions, after seal */
int fl_engine_change(fairlead_engine *e, const char *name, const struct fl_source *source,
		     const char *const *removed, size_t n_removed, fairlead_error *err);

#endif
