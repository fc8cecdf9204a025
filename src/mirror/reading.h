/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading - one object as rows of a model of its own, which is not sealed
 *
 * Promises: a Workload that no model takes keeps no other out of one, and what it holds counts all the same.
 *
 * Tested in tests/unit/mirror/test_mirror.c.
 */
#ifndef FL_MIRROR_READING_H
#define FL_MIRROR_READING_H

#include "mirror/mirror.h"

/*
 * The object in @doc. @lenient: or what can be made of it (codec/object/salvage.h).  *ret is freed by the caller, after
 * an error too. EINPUT, ELIMIT, ENOMEM.
 */
int fl_read_rows(struct fl_doc *doc, enum fl_mirror_kind kind, bool lenient, struct fl_model **ret,
		 fairlead_error *err);
/*
 * A Workload; one that is wrong and holds quota counts as what it holds.  1: it is in @ret so, and *err says what is wrong.  *uncertain
 * is set where how much it holds cannot be read, or whether it does, and @ret has that row; else it stays. The same.
 */
int fl_read_workload(struct fl_doc *doc, bool *uncertain, struct fl_model **ret,
		     fairlead_error *err);

#endif
