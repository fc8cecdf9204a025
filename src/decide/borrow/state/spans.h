/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans - which parts of an array are in use, when parts of it move to where they have more room
 *
 * A span that is given back is joined with free neighbours, and taken again for what fits into it
 * best.  It remembers a few dozen free spans, the largest ones; smaller ones are lost until the
 * array is made anew.
 *
 * Not undone by rollback: to be used outside marks only.  Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_STATE_SPANS_H
#define FL_DECIDE_BORROW_STATE_SPANS_H

#include <stdbool.h>

#include "base/ids.h"

enum { FL_SPANS_FREE = 48 };

struct fl_spans {
	uint32_t end, cap; /* behind @end nothing was ever in use, up to @cap */
	uint32_t n_free;
	struct fl_span free[FL_SPANS_FREE];
};

/* False: there is no room for @n. */
bool fl_spans_take(struct fl_spans *s, uint32_t n, uint32_t *ret_first);
void fl_spans_give(struct fl_spans *s, uint32_t first, uint32_t n);

#endif
