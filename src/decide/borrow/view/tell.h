/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell - passes rows of evidence to the sink of a cycle
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_VIEW_TELL_H
#define FL_DECIDE_BORROW_VIEW_TELL_H

#include "decide/borrow/view/view.h"

struct fl_teller {
	const struct fl_sink *sink; /* NULL: no caller listens */
	uint32_t search;            /* number of the last search for victims, which its rows have */
};

/* Does the sink take rows about victims? */
static inline bool fl_tell_of_victims(const struct fl_teller *t)
{
	return t->sink && !t->sink->not_victims;
}

static inline void fl_tell(const struct fl_teller *t, const struct fl_evidence *row)
{
	if (t->sink && !(t->sink->not_victims && row->victim.v != FL_NONE)) {
		struct fl_evidence numbered = *row;

		numbered.search = t->search;
		t->sink->row(t->sink->user, &numbered);
	}
}

/*
 * A row about @ask: fills in the workload that asks, and the flavor and resource of @column
 * (FL_NONE: none).
 */
void fl_tell_of(const struct fl_policy *p, const struct fl_teller *t, const struct fl_ask *ask,
		struct fl_column column, struct fl_evidence row);

#endif
