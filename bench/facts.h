/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts - a cycle's outcome as a sorted set of texts, to compare ours with the recorded one
 *
 * One text for each admission, each flavor of it, and each preemption with its
 * preemptor and reason; so equal sets are equal outcomes, in whatever order.
 */
#ifndef BENCH_FACTS_H
#define BENCH_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "record/record.h"

struct facts {
	char **text;
	size_t n, cap;
};

void facts_free(struct facts *f);

/* What the policy decided. */
void facts_of_decisions(struct facts *f, const struct fl_model *m, const struct fl_decisions *d);

/* The first cycle of an `expected` object. */
int facts_of_expected(struct facts *f, const char *text, size_t len,
		      fairlead_error *err) FL_MUST_CHECK;

/* Sorts both. */
bool facts_equal(struct facts *a, struct facts *b);

#endif
