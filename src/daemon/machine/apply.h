/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply - what a row of the journal does to jobs, policy and backend
 *
 * What fails here is an error after which the core cannot go on.
 */
#ifndef FL_DAEMON_MACHINE_APPLY_H
#define FL_DAEMON_MACHINE_APPLY_H

#include "daemon/machine/core.h"

/* *ret: how it went for who asked for it; FAIRLEAD_ESTATE, ENOENT: nothing came of it. */
int fl_core_apply(struct fl_core *c, const struct fl_journal_row *row,
		  const struct fl_job_spec *spec, int *ret, fairlead_error *err);
/* Fills in c->deciding and c->driven: what cycles decide is carried out. */
void fl_core_decide(struct fl_core *c);
/* Of a job that is there, or in the store alone; FL_JOB_STATES: it is in neither. */
enum fl_job_state fl_core_state_of(const struct fl_core *c, uint64_t id);
/* A job that is there and cannot go on is over now, without a row of the journal. */
int fl_core_end(struct fl_core *c, uint64_t id, enum fl_job_state state, const char *why,
		fairlead_error *err);

#endif
