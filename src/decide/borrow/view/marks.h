/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks - which workloads are victims in this cycle, and which a search refused: one number each
 *
 * The numbers of cycles and searches grow, so nothing need be cleared between them.  One number
 * serves both, since a victim is never refused: searches skip victims.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_VIEW_MARKS_H
#define FL_DECIDE_BORROW_VIEW_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* When numbers pass this they begin anew; one cycle uses far fewer than there are above it. */
#define FL_MARKS_RENEWED (UINT32_MAX / 2)
#define FL_MARKS_CHOSEN (UINT32_C(1) << 31) /* the bit above them */

struct fl_marks {
	uint32_t *of;    /* by workload: FL_MARKS_CHOSEN | serial, or the search that refused it */
	uint32_t serial; /* the number of the cycle */
};

/* Is @w a victim of this cycle already (the set P)? */
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
