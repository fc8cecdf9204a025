/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/history/past.h"

static const fl_time DAY = 86400 * FL_SECOND;

static int take(void *past, const struct fl_job_row *row, fairlead_error *err)
{
	return fl_past_add(past, row, err);
}

int fl_past_read(struct fl_store *s, fl_time now, struct fl_past **ret, fairlead_error *err)
{
	const struct fl_job_filter live = {
		.states = 1u << FL_JOB_WAITS | 1u << FL_JOB_STARTS | 1u << FL_JOB_RUNS |
			  1u << FL_JOB_STOPS,
		.limit = FL_PAST_LIVE,
		.aside = true,
	};
	const struct fl_job_filter ended = {
		.ended_after = now > FL_PAST_DAYS * DAY ? now - FL_PAST_DAYS * DAY : 1,
		.limit = FL_PAST_ENDED,
		.newest_first = true,
		.aside = true,
	};
	struct fl_past *p = NULL;
	int r = fl_past_new(&p, err);

	if (r == 0)
		r = fl_store_jobs(s, &live, take, p, err);
	if (r == 0)
		r = fl_store_jobs(s, &ended, take, p, err);
	if (r == 0)
		*ret = p;
	else
		fl_past_free(p);
	return r;
}
