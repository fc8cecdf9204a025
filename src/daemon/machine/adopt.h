/* SPDX-License-Identifier: Apache-2.0 */
/* adopt - the runs in the state folder against the jobs that the database knows */
#ifndef FL_DAEMON_MACHINE_ADOPT_H
#define FL_DAEMON_MACHINE_ADOPT_H

#include "daemon/machine/core.h"

/* --- without a daemon --- */

/*
 * A backup becomes the state folder @state.  FAIRLEAD_EINPUT: there are runs of jobs above the last
 * one that it knows, whose numbers would be given again; unless @adopt_runs.
 */
int fl_core_restore(const struct fl_backend_ops *backend, const char *backup, const char *state,
		    bool adopt_runs, fairlead_error *err);
/* fl_store_verify, and does the database know of the jobs of all runs?  FAIRLEAD_EINPUT. */
int fl_core_verify(const struct fl_backend_ops *backend, const char *state, fairlead_error *err);

/* --- with one --- */

/* Open the store; FAIRLEAD_EINPUT: it knows fewer jobs than there are runs of. */
int fl_core_open_store(struct fl_core *c, fairlead_error *err);
/* Runs that nobody knows are ended and set aside. After recovery, before anything is started. */
int fl_core_disown_runs(struct fl_core *c, fairlead_error *err);
/* Rows DISOWNED, RESTORED and ACKNOWLEDGED. */
int fl_core_adopted(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);

/* What people should know until one of them says that he does; NULL: nothing. */
enum { FL_CORE_WARNING = 480 };
const char *fl_core_warning(const struct fl_core *c);
/* @who knows of what fl_core_warning says, which is told no more. FAIRLEAD_ESTATE: there is nothing. */
int fl_core_acknowledge(struct fl_core *c, const char *who, fl_reply_fn *done, void *user,
			fairlead_error *err);

#endif
