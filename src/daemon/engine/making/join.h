/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join - jobs join a generation that there is, without a new one
 *
 * By the doors of newcomers (model/newcomer.h, decide/policy.h).  Tested in tests/unit/daemon/test_core.c and
 * tests/prop/incremental.
 */
#ifndef FL_DAEMON_ENGINE_MAKING_JOIN_H
#define FL_DAEMON_ENGINE_MAKING_JOIN_H

#include "daemon/engine/generation.h"

/*
 * Those of @newcomers, in the order of their numbers, that would be added to a new generation join @g.  1: some
 * could not, and a new one is needed; what joined stays.  Errors are as of a generation.
 */
int fl_generation_join(struct fl_generation *g, const struct fl_generation_options *options,
		       struct fl_jobs *jobs, const uint64_t *newcomers, uint32_t n,
		       fairlead_error *err);
/* Are there places for @n jobs more, as far as is known before they join? */
bool fl_generation_has_places(const struct fl_generation *g, uint32_t n);

#endif
