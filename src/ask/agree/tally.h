/* SPDX-License-Identifier: Apache-2.0 */
/* tally - counts by hour, and the newest differences; private to this folder */
#ifndef FL_ASK_AGREE_TALLY_H
#define FL_ASK_AGREE_TALLY_H

#include "ask/agree/agree.h"

struct fl_agree_hour {
	fl_time begins; /* FL_TIME_NONE: nothing was counted */
	struct fl_agree_counts counts;
};

struct fl_agree_tally {
	struct fl_agree_hour *hours;             /* a ring by number of the hour */
	struct fl_agree_difference *differences; /* a ring by number */
	uint64_t n;                              /* differences so far */
	uint64_t windows;                        /* so far */
};

int fl_agree_tally_init(struct fl_agree_tally *t, const struct fl_mem *mem, fairlead_error *err);
void fl_agree_tally_done(struct fl_agree_tally *t, const struct fl_mem *mem);
/* The counts of the hour of @at. */
struct fl_agree_counts *fl_agree_tally_hour(struct fl_agree_tally *t, fl_time at);
/* A new difference, which is empty but for its number. */
struct fl_agree_difference *fl_agree_tally_add(struct fl_agree_tally *t);
/* The state just before that window was kept. */
void fl_agree_tally_kept(struct fl_agree_tally *t, uint64_t window);
/* Really decided at @at: it comes later where only the engine decided so. */
void fl_agree_tally_later(struct fl_agree_tally *t, enum fl_agree_kind kind, const char *workload,
			  fl_time at);
void fl_agree_tally_sum(const struct fl_agree_tally *t, fl_time from, fl_time to,
			struct fl_agree_counts *ret);
const struct fl_agree_difference *fl_agree_tally_next(const struct fl_agree_tally *t, fl_time from,
						      fl_time to, uint32_t *i);

#endif
