/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - a whole state: a sealed model, and the policy on it
 *
 * For a start without manifests: milliseconds instead of minutes.  Guarantees and limits are
 * those of base/image.h, model/image.h and the policies' `save` and `load`.
 */
#ifndef FL_DECIDE_IMAGE_H
#define FL_DECIDE_IMAGE_H

#include "decide/policy.h"

struct fl_state {
	struct fl_model *model;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	fl_time now;    /* the clock of who saved it */
	uint64_t flags; /* the caller's, kept for it */
};

/* Writes all of it. FAIRLEAD_ESTATE inside a mark; FAIRLEAD_EINPUT for a simulation's model. */
int fl_state_save(const struct fl_state *s, const struct fl_image_sink *sink, const char *maker,
		  fairlead_error *err);
/* The caller frees what is in *ret: the policy, then the model. */
int fl_state_load(const struct fl_mem *mem, const struct fl_source *source, const char *maker,
		  struct fl_state *ret, fairlead_error *err);
/* Frees both. Also for one that is all 0. */
void fl_state_done(struct fl_state *s);

#endif
