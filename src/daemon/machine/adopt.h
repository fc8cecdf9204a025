/* SPDX-License-Identifier: Apache-2.0 */
/* adopt - the runs in the state folder against the jobs that the database knows */
#ifndef FL_DAEMON_MACHINE_ADOPT_H
#define FL_DAEMON_MACHINE_ADOPT_H

#include "daemon/machine/core.h"

/* --- without a daemon --- */

/*
 * Makes the state folder @state from a backup.  FAIRLEAD_EINPUT, unless @adopt_runs: there are runs
 * of jobs above its last one, whose numbers would be given again.
 */
int fl_core_restore(const struct fl_backend_ops *backend, const char *backup, const char *state,
		    bool adopt_runs, fairlead_error *err);
/* fl_store_verify, and are the jobs of all runs in the database? FAIRLEAD_EINPUT. */
int fl_core_verify(const struct fl_backend_ops *backend, const char *state, fairlead_error *err);

/* --- with one --- */

/* Opens the store; FAIRLEAD_EINPUT: there are runs of jobs above its last one. */
int fl_core_open_store(struct fl_core *c, fairlead_error *err);
/*
 * Ends runs that are not in the database, and sets them aside.  After recovery, before a job is
 * started.
 */
int fl_core_disown_runs(struct fl_core *c, fairlead_error *err);
/* Rows DISOWNED, RESTORED and ACKNOWLEDGED. */
int fl_core_adopted(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);

/* A warning for admins, until one of them acknowledges it; NULL: none. */
enum { FL_CORE_WARNING = 480 };
const char *fl_core_warning(const struct fl_core *c);
/* @who acknowledges fl_core_warning, which is NULL from then on. FAIRLEAD_ESTATE: there is none. */
int fl_core_acknowledge(struct fl_core *c, const char *who, fl_reply_fn *done, void *user,
			fairlead_error *err);

#endif
