/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - a whole state: a sealed model, and the policy on it
 *
 * With it a program starts in milliseconds, without reading manifests, which takes minutes.
 * Guarantees and limits are those of base/image.h, model/image.h and the policies' `save` and
 * `load`.
 */
#ifndef FL_DECIDE_IMAGE_H
#define FL_DECIDE_IMAGE_H

#include "decide/policy.h"

struct fl_state {
	struct fl_model *model;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	fl_time now;    /* the time by the clock of the program that saved it */
	uint64_t flags; /* for the caller: saved and loaded, not read */
};

/*
 * Writes model and policy.  FAIRLEAD_ESTATE inside a mark; FAIRLEAD_EINPUT for the model of a
 * simulation.
 */
int fl_state_save(const struct fl_state *s, const struct fl_image_output *sink, const char *maker,
		  fairlead_error *err);
/* The caller frees what is in *ret: the policy, then the model. */
int fl_state_load(const struct fl_mem *mem, const struct fl_source *source, const char *maker,
		  struct fl_state *ret, fairlead_error *err);
/* Frees the policy and the model.  A state that is all zero is allowed. */
void fl_state_done(struct fl_state *s);

#endif
