/* SPDX-License-Identifier: Apache-2.0 */
/*
 * common - what all policies do alike behind policy.h: make, mark, take over a state
 *
 * Every struct fl_policy begins with FL_POLICY_COMMON, so it is also a struct fl_common.
 *
 * Private to the policies.
 */
#ifndef FL_DECIDE_COMMON_H
#define FL_DECIDE_COMMON_H

#include "base/image.h"
#include "base/undo.h"
#include "decide/adopt.h"
#include "decide/policy.h"

#define FL_COMMON_MEMBERS                                                                          \
	const struct fl_model *model;                                                              \
	const struct fl_mem *mem;                                                                  \
	struct fl_arena arena, cycle_arena;                                                        \
	struct fl_undo undo;                                                                       \
	fl_time now /* of the running call */

struct fl_common {
	FL_COMMON_MEMBERS;
};

/* The first members of a struct fl_policy. */
#define FL_POLICY_COMMON                                                                           \
	union {                                                                                    \
		struct fl_common common;                                                           \
		struct {                                                                           \
			FL_COMMON_MEMBERS;                                                         \
		};                                                                                 \
	}

/* Write through the undo log: FL_SET(p, cell, value). */
#define FL_SET(p, cell, value)                                                                     \
	(fl_undo_note(&(p)->undo, &(cell), (uint32_t)sizeof(cell)), (cell) = (value))

/* --- make: `new` and `load` of policy.h --- */

struct fl_maker {
	size_t size; /* of its struct fl_policy, bytes */
	/*
	 * Called with FL_POLICY_COMMON filled in and all other members zero.  @image NULL: the
	 * state is that of the model.
	 */
	int (*setup)(struct fl_policy *p, const struct fl_policy_options *options,
		     const struct fl_image *image, fairlead_error *err);
	/* The options that an image states, read before anything is set up. */
	int (*saved_options)(const struct fl_image *image, struct fl_policy_options *ret,
			     fairlead_error *err);
	struct fl_policy *(*free)(struct fl_policy *p); /* partly set up ones, too */
};

int fl_common_make(const struct fl_maker *maker, const struct fl_model *model,
		   const struct fl_policy_options *options, const struct fl_image *image,
		   struct fl_policy **ret, fairlead_error *err);
/* The last thing that a policy's `free` does: frees the arenas, the undo log and @p. */
struct fl_policy *fl_common_free(struct fl_policy *p);

/* --- mark --- */

int fl_common_mark(struct fl_policy *p, fl_mark *ret, fairlead_error *err);
void fl_common_keep(struct fl_policy *p, fl_mark mark);
/* For what is allowed outside marks only: inside a mark FAIRLEAD_ESTATE, "@what inside a mark". */
int fl_common_unmarked(const struct fl_policy *p, const char *what, fairlead_error *err);

/* Fails with FAIRLEAD_ESTATE: "workload 'namespace/name' @wanted". */
int fl_common_refuse(const struct fl_policy *p, struct fl_workload w, const char *wanted,
		     fairlead_error *err);

/* --- take over a state --- */

/*
 * `adopt` of policy.h without what the policy itself carries: which row of @from is which row of
 * @p, in *@ret, until fl_adoption_done.
 */
int fl_common_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		    const struct fl_workload *was, struct fl_adoption *ret, fairlead_error *err);

#endif
