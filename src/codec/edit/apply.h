/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply - an object laid over another one field by field, as kubectl apply does
 *
 * Maps are merged key by key; null removes a key.  Lists of objects with names (flavors, resources,
 * podSets, ...) are merged item by item: known items stay in their order, new ones follow, and an
 * item with `$patch: delete` is removed.  When all items are given, their order is the new one.
 * A resource group has no name: it is the one with which it has a flavor in common, or else a
 * covered resource.  All other lists, empty ones, and those of `status` are replaced as a whole.
 *
 * What the annotation kubectl.kubernetes.io/last-applied-configuration of the old object has, and
 * the new one has not, is removed.
 */
#ifndef FL_CODEC_EDIT_APPLY_H
#define FL_CODEC_EDIT_APPLY_H

#include "base/ids.h"
#include "codec/text/doc.h"

/* Into @ret, which is empty; only what is of @fresh has places. */
int fl_apply(const struct fl_doc *fresh, const struct fl_doc *old, struct fl_doc *ret,
	     fairlead_error *err);

/* The other name of a field of an older version ("cohort", "cohortName"); NULL: none. */
const char *fl_apply_alias(const char *field);

/* One value from a text, as YAML, into @ret, which is empty. FAIRLEAD_EINPUT. */
int fl_apply_parse(const char *text, size_t len, struct fl_doc *ret, fairlead_error *err);

#endif
