/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks - who is a victim of the cycle at hand, and whom a search refused: a number a workload
 *
 * Numbers of cycles and of searches grow, so that nothing need be wiped between them.  Both kinds
 * share a number, for nobody who is chosen is refused: a search passes over who is.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_VIEW_MARKS_H
#define FL_DECIDE_BORROW_VIEW_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* Where the numbers that mark things begin anew; one cycle needs far fewer than the rest. */
#define FL_MARKS_RENEWED (UINT32_MAX / 2)
#define FL_MARKS_CHOSEN (UINT32_C(1) << 31) /* beyond them */

struct fl_marks {
	uint32_t *of;    /* by workload: FL_MARKS_CHOSEN | serial, or the search that refused it */
	uint32_t serial; /* of the cycle */
};

/* Is @w chosen already in this cycle (the set P)? */
static inline bool fl_marks_is_chosen(const struct fl_marks *m, uint32_t w)
{
	return m->of[w] == (FL_MARKS_CHOSEN | m->serial);
}
static inline void fl_marks_choose(struct fl_marks *m, uint32_t w)
{
	m->of[w] = FL_MARKS_CHOSEN | m->serial;
}

/* Did the first pass of @search refuse @w? */
static inline bool fl_marks_is_refused(const struct fl_marks *m, uint32_t w, uint32_t search)
{
	return m->of[w] == search;
}
static inline void fl_marks_refuse(struct fl_marks *m, uint32_t w, uint32_t search)
{
	m->of[w] = search;
}

#endif
