/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amounts - maps of quantities and of texts, in the arena of a run
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_OBJECT_AMOUNTS_H
#define FL_CODEC_JOBS_OBJECT_AMOUNTS_H

#include "codec/jobs/object/job.h"

enum fl_kjob_put {
	FL_KJOB_PUT,
	FL_KJOB_PUT_IF_ABSENT,
	FL_KJOB_PUT_SUM,
	FL_KJOB_PUT_MAX,
	FL_KJOB_PUT_MIN
};

const struct fl_kjob_amount *fl_kjob_amount(const struct fl_kjob_amounts *a, const char *resource);
int fl_kjob_put(const struct fl_kjobs_run *run, struct fl_kjob_amounts *a, const char *resource,
		fl_nanos amount, enum fl_kjob_put how, fairlead_error *err);
int fl_kjob_put_all(const struct fl_kjobs_run *run, struct fl_kjob_amounts *a,
		    const struct fl_kjob_amounts *from, enum fl_kjob_put how, fairlead_error *err);

/* A map of quantities. */
int fl_kjob_read_amounts(const struct fl_kjobs_run *run, struct fl_kjob_value map,
			 struct fl_kjob_amounts *ret, fairlead_error *err);
void fl_kjob_sort_amounts(struct fl_kjob_amounts *a);
int fl_kjob_set_pair(const struct fl_kjobs_run *run, struct fl_kjob_pairs *pairs, const char *key,
		     const char *value, fairlead_error *err);

/* All texts of a map. */
int fl_kjob_read_pairs(const struct fl_kjobs_run *run, struct fl_kjob_value map,
		       struct fl_kjob_pairs *pairs, fairlead_error *err);

#endif
