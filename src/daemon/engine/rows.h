/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows - jobs, and what happened to them, as rows of history (record/history.h)
 *
 * Texts of a row are those of what it is made of, and of `texts`: it is valid as long as they are.
 */
#ifndef FL_DAEMON_ENGINE_ROWS_H
#define FL_DAEMON_ENGINE_ROWS_H

#include "daemon/engine/events.h"
#include "daemon/engine/placement.h"
#include "daemon/engine/reason.h"

struct fl_row_texts {
	char placement[FL_PLACEMENT], reason[FL_LIVE_REASON];
};

/* The job as it is, without its name and spec. */
void fl_row_of_job(const struct fl_living *of, const struct fl_live *job,
		   struct fl_row_texts *texts, struct fl_job_row *ret);
/*
 * What it holds, or held until @to (FL_TIME_NONE: it still does), as long as the policy knows it.
 * @ended: how that ended, or NULL.
 */
void fl_row_of_admission(const struct fl_living *of, const struct fl_live *job, fl_time to,
			 const char *ended, struct fl_row_texts *texts,
			 struct fl_admission_row *ret);

struct fl_tell {
	enum fl_happened what;
	fl_time at;
	const struct fl_live *job; /* NULL: none, or only its number is known, which is */
	uint64_t number;
	uint32_t attempt;
	uint64_t by;
	const char *queue, *reason, *text; /* queue NULL: the job's */
};
/* The @n-th event of the journal row @seq. */
void fl_row_of_event(const struct fl_jobs *jobs, const struct fl_tell *tell, uint64_t seq,
		     uint32_t n, struct fl_event_row *ret);

/* The condition that says whether a queue or cohort is active, as of @at. */
void fl_row_of_condition(const struct fl_model *m, struct fl_node node, fl_time at,
			 struct fl_condition_row *ret);

#endif
