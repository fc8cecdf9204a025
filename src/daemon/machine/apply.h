/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply - the effect of a row of the journal on jobs, policy and backend
 *
 * What fails here is an error after which the core cannot go on.
 */
#ifndef FL_DAEMON_MACHINE_APPLY_H
#define FL_DAEMON_MACHINE_APPLY_H

#include "daemon/machine/core.h"

/* *ret: the result for the client; FAIRLEAD_ESTATE, ENOENT: nothing was changed. */
int fl_core_apply(struct fl_core *c, const struct fl_journal_row *row,
		  const struct fl_job_spec *spec, int *ret, fairlead_error *err);
/* Fills in c->deciding and c->driven, which carry out the decisions of cycles. */
void fl_core_decide(struct fl_core *c);
/* The state of a job in memory or only in the store; FL_JOB_STATES: it is in neither. */
enum fl_job_state fl_core_state_of(const struct fl_core *c, uint64_t id);
/* Ends a job in memory that cannot go on, without a row of the journal. */
int fl_core_end(struct fl_core *c, uint64_t id, enum fl_job_state state, const char *why,
		fairlead_error *err);

#endif
