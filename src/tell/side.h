/* SPDX-License-Identifier: Apache-2.0 */
/*
 * side - one side of a what-if: how a state settles, as it is or changed
 */
#ifndef FL_TELL_SIDE_H
#define FL_TELL_SIDE_H

#include "ask/common/outcome.h"
#include "codec/edit/change.h"
#include "report/common/what_if_report.h"
#include "tell/tell.h"

/* Runs until it settles; then takes all back. */
int fl_tell_side(const struct fl_question *q, const struct fl_tell_side *options,
		 struct fl_outcome *ret, fairlead_error *err);
/* The same with quotas, limits and weights changed; 1 when that takes a model of its own. */
int fl_tell_changed_side(const struct fl_question *q, const struct fl_tell_side *options,
			 struct fl_changes *changes, const struct fl_model *edit,
			 struct fl_outcome *ret, fairlead_error *err);
/*
 * What differs between @before and @after, the same state with @changes, which are objects of @edit:
 * both run until they settle, are compared and reported.  @after NULL: on the same model, by events;
 * 1, and nothing is reported, when it takes a model of its own.
 */
int fl_tell_what_if(const struct fl_question *before, const struct fl_question *after,
		    const struct fl_tell_side *options, struct fl_changes *changes,
		    const struct fl_model *edit, fairlead_error *err);
/* The same of any two states on models of their own; @changes are told as what leads to @after. */
int fl_tell_difference(const struct fl_question *before, const struct fl_question *after,
		       const struct fl_tell_side *options, const struct fl_what_if_change *changes,
		       uint32_t n, fairlead_error *err);
/*
 * Is all that is to be deleted, or of which fields are to be set, there?  FAIRLEAD_ENOENT, with what
 * of @m may have been meant.  @options: it says with which option of the command it was named.
 */
int fl_tell_check_named(const struct fl_changes *changes, const struct fl_model *m, bool options,
			fairlead_error *err);
/* @ret has room for all of @changes. */
void fl_tell_list_changes(const struct fl_changes *changes, const struct fl_model *edit,
			  struct fl_what_if_change *ret);

#endif
