/* SPDX-License-Identifier: Apache-2.0 */
/*
 * said - what of a Workload's change decides something
 *
 * By its fate before and now, a table; and where that is the same, by what differs.
 * Tested in tests/unit/mirror/test_said.c.
 */
#ifndef FL_MIRROR_SAID_H
#define FL_MIRROR_SAID_H

#include "mirror/mirror.h"

enum fl_fate fl_fate_of(const struct fl_workload_row *row);

/* Its own part, and whether the others are those of before. */
struct fl_saying {
	const struct fl_rows_own *was, *now; /* symbols of the same names; NULL: none */
	bool same_pods, same_held;
};
unsigned fl_said(enum fl_fate was, enum fl_fate now, const struct fl_saying *s);

#endif
