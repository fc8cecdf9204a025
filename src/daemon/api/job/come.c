/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/job/come.h"

struct newest {
	uint64_t id; /* 0: there is none */
	fl_time submitted;
};

static int see(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)err;
	*(struct newest *)user = (struct newest){ row->id, row->submitted };
	return 0;
}

int fl_jobs_come_by(struct fl_store *s, fl_time at, uint64_t *before, fairlead_error *err)
{
	struct fl_job_filter filter = { .newest_first = true, .limit = 1, .without_spec = true };
	uint64_t low = 0, high = *before ? *before : (uint64_t)INT64_MAX;

	while (low < high) {
		const uint64_t mid = low + (high - low) / 2;
		struct newest newest = { 0 };
		int r;

		filter.before = mid + 1;
		r = fl_store_jobs(s, &filter, see, &newest, err);
		if (r < 0)
			return r;
		/* Those between it and `mid` are not there any more. */
		if (newest.id && newest.submitted > at)
			high = newest.id;
		else
			low = mid + 1;
	}
	*before = high;
	return 0;
}
