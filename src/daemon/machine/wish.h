/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wish - what people want of jobs that exist: of one, or of many at one moment
 *
 * First each job is checked; then rows are made for those that passed, in one transaction.  When
 * they are applied a job may have changed, so each has a result of its own.
 */
#ifndef FL_DAEMON_MACHINE_WISH_H
#define FL_DAEMON_MACHINE_WISH_H

#include "daemon/machine/change.h"

enum fl_wish {
	FL_WISH_CANCEL,
	FL_WISH_HOLD, /* a job that runs is held from starting again */
	FL_WISH_STOP, /* the same, and it is stopped */
	FL_WISH_RELEASE,
	FL_WISH_PRIORITY,
	FL_WISH_SIGNAL,
	FL_WISH_REQUEUE,
	FL_WISH_UPDATE,
	FL_WISHES
};

struct fl_wishing {
	enum fl_wish wish;
	struct fl_wisher who;
	int32_t value;                      /* PRIORITY; the number of a SIGNAL */
	const struct fl_job_update *update; /* UPDATE; of HOLD and STOP a reason, or NULL */
	uint32_t budget;                    /* dependencies that may be looked at, in all */
	uint32_t again;                     /* ended jobs that were found fit to be pending again */
};
enum { FL_WISH_BUDGET = 1000000 };

/*
 * Can it be done now?  The caller has checked the rights of the user, but for an admin's hold, and
 * a higher limit of a job that runs.  FAIRLEAD_ENOENT, ESTATE, EINPUT: not, and why.
 */
int fl_core_check_wish(const struct fl_core *c, struct fl_wishing *w, uint64_t job,
		       fairlead_error *err);
/* Bytes of the job's spec if the wish changes it, so that it is read and written anew; else 0. */
uint64_t fl_core_wish_bytes(const struct fl_core *c, const struct fl_wishing *w, uint64_t job);
/*
 * The rows of @n jobs that were checked a moment ago; one answer for all, with a result for each.
 * FAIRLEAD_EIO, ENOMEM: at once, and @done is not called.
 */
int fl_core_wish(struct fl_core *c, struct fl_wishing *w, const uint64_t *jobs, uint32_t n,
		 fl_reply_fn *done, void *user, fairlead_error *err);
/* What a result of a row means. */
const char *fl_core_refusal(int result);

#endif
