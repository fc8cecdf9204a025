/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell - rows of evidence, to whoever listens to a cycle
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_VIEW_TELL_H
#define FL_DECIDE_BORROW_VIEW_TELL_H

#include "decide/borrow/view/view.h"

struct fl_teller {
	const struct fl_sink *sink; /* NULL: nobody listens */
	uint32_t search;            /* the last search for victims: rows have its number */
};

/* Does anybody listen to what is said of victims? */
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

/* Of @ask: fills in who asks, and the flavor and resource of @column (FL_NONE: of none). */
void fl_tell_of(const struct fl_policy *p, const struct fl_teller *t, const struct fl_ask *ask,
		struct fl_column column, struct fl_evidence row);

#endif
