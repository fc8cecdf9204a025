/* SPDX-License-Identifier: Apache-2.0 */
/* specify - from an order to the file of a run (attempt.h), and what of it the daemon keeps */
#ifndef FL_BACKEND_LOCAL_SPECIFY_H
#define FL_BACKEND_LOCAL_SPECIFY_H

#include "backend/backend.h"
#include "backend/local/attempt.h"

struct fl_local_run;
struct fl_taken;

/* FAIRLEAD_EINPUT or FAIRLEAD_ELIMIT: no run can be made of it. */
int fl_specify_check(const struct fl_run *run, fairlead_error *err);
/* r->bytes and r->n_bytes: the bytes of its file; and fl_specify_keep.  @run was checked. */
int fl_specify(struct fl_local_run *r, const struct fl_run *run, const struct fl_taken *devices,
	       fairlead_error *err);
/* What is asked of a run later, too. */
int fl_specify_keep(struct fl_local_run *r, const struct fl_attempt_spec *spec,
		    fairlead_error *err);

#endif
