/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eta - from what -f names to a forecast: what `explain --eta` asks for
 */
#ifndef FL_CLI_INPUT_ETA_H
#define FL_CLI_INPUT_ETA_H

#include "cli/input/snapshot.h"
#include "report/common/eta_report.h"
#include "tell/eta.h"

/* What a forecast of a snapshot needs beside it. */
struct fl_eta_input {
	struct fl_span spares; /* workloads that stand for those that come again */
	struct fl_tell_coming coming;
};

/* As fl_snapshot_open, with spares that are not there.  An exit code. */
int fl_eta_open(struct fl_snapshot *s, const struct fl_options *o, struct fl_eta_input *ret);
void fl_eta_done(struct fl_eta_input *e);

/*
 * simulate --from-snapshot: a life for each workload, by its index; run times that the
 * input does not have are drawn, no arrivals are drawn, and assumptions say so.  The caller's to free.
 */
int fl_eta_lives(struct fl_snapshot *s, fl_time start, uint64_t seed, struct fl_life_row **ret,
		 fairlead_error *err);

#endif
