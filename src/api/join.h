/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join - new pending Workloads in an engine that goes on with its model
 *
 * Promises: later decisions are those of an engine that was made with these workloads (model/newcomer.h,
 * decide/policy.h: join); all of them join, or none.  Costs what they cost, whatever is there already.
 * Cannot: anything but new, pending Workloads of Kueue's kind.
 *
 * Tested in tests/api/test_change.c, and with allocations that fail in tests/fault/test_public.c.
 */
#ifndef FL_API_JOIN_H
#define FL_API_JOIN_H

#include "api/engine.h"

/* A sealed model that may be joined has places for a part of its workloads, and for some more. */
enum { FL_ENGINE_SPARE_SHARE = 16, FL_ENGINE_SPARE = 32 };

/*
 * 0: all objects of @changes, which are read alone in @edit, have joined.  1: it needs a new model;
 * nothing has changed.
 */
int fl_engine_join(fairlead_engine *e, struct fl_changes *changes, const struct fl_model *edit,
		   fairlead_error *err);

#endif
