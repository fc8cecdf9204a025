/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle - amounts of the three resources that entitlement knows
 *
 * IEEE doubles, as the reference has them: cpu in milli-cores, memory in bytes, GPUs
 * in GPUs (fractions are allowed).  Loops go in the order of the enum, which matters
 * only for which resource a refusal names.
 */
#ifndef FL_BASE_BUNDLE_H
#define FL_BASE_BUNDLE_H

#include <stdbool.h>

enum { FL_CPU, FL_MEMORY, FL_GPU, FL_BUNDLE };

struct fl_bundle {
	double of[FL_BUNDLE];
};

/* Of what is deserved and of a limit: there is none. Exactly this value. */
#define FL_UNBOUNDED (-1.0)

static inline void fl_bundle_add(struct fl_bundle *to, const struct fl_bundle *what)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		to->of[r] += what->of[r];
}

static inline void fl_bundle_take(struct fl_bundle *from, const struct fl_bundle *what)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		from->of[r] -= what->of[r];
}

/* a <= b in all three, where unlimited is more than anything and not more than itself. */
static inline bool fl_bundle_within(const struct fl_bundle *a, const struct fl_bundle *b)
{
	for (int r = 0; r < FL_BUNDLE; r++) {
		if (b->of[r] == FL_UNBOUNDED)
			continue;
		if (a->of[r] == FL_UNBOUNDED || a->of[r] > b->of[r])
			return false;
	}
	return true;
}

#endif
