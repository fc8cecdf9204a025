/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calendar - what is to happen, in the order in which it will
 *
 * A binary heap.  Of what happens at the same time the lower kind goes first, then the
 * lower number, then what was entered first: the order is total, so equal runs are equal.
 * Entries are never removed: one that is out of date has an old epoch.
 *
 * Cost: O(log n) a push and a pop.
 */
#ifndef FL_SIM_CALENDAR_H
#define FL_SIM_CALENDAR_H

#include <stdbool.h>

#include "base/ids.h"
#include "base/mem.h"

struct fl_due {
	fl_time at;
	uint32_t kind, number; /* what happens, and the number of the workload or row */
	uint32_t epoch;        /* the caller's: whether it still holds */
};

struct fl_calendar {
	const struct fl_mem *mem;
	struct fl_due_slot {
		struct fl_due due;
		uint32_t serial;
	} * slots;
	uint32_t n, cap, serials;
};

void fl_calendar_init(struct fl_calendar *c, const struct fl_mem *mem);
void fl_calendar_done(struct fl_calendar *c);
/* 0 or FAIRLEAD_ENOMEM with nothing changed. */
int fl_calendar_push(struct fl_calendar *c, const struct fl_due *due, fairlead_error *err);
/* The first one; NULL when there is none. Valid until the next push or pop. */
const struct fl_due *fl_calendar_first(const struct fl_calendar *c);
void fl_calendar_pop(struct fl_calendar *c);

#endif
