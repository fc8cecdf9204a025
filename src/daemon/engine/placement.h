/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement - what a job holds: of which queue's quota, and how much of which flavors; as text and
 * back
 */
#ifndef FL_DAEMON_ENGINE_PLACEMENT_H
#define FL_DAEMON_ENGINE_PLACEMENT_H

#include "daemon/engine/view.h"

enum {
	FL_GRANTS = FL_JOB_RESOURCES * 4, /* grants of one job, at most */
	FL_PLACEMENT = FL_GRANTS * (2 * FL_JOB_RESOURCE + 64)
};

/* The ClusterQueue or Queue of a job; "" when its queue does not exist any more. */
const char *fl_live_queue(const struct fl_living *of, const struct fl_live *job);
/* What it holds; FL_GRANTS is room enough. */
uint32_t fl_live_grants(const struct fl_living *of, const struct fl_live *job,
			struct fl_run_grant *ret, uint32_t room);
/*
 * The same as in rows of the store: [{"resource":"cpu","flavor":"default","amount":2000}]; NULL:
 * nothing.
 */
const char *fl_live_placement(const struct fl_living *of, const struct fl_live *job,
			      char buffer[FL_PLACEMENT]);
/* Of these rows, FL_GRANTS at most. */
const char *fl_grants_text(const struct fl_run_grant *grants, uint32_t n,
			   char buffer[FL_PLACEMENT]);
/* And back. FAIRLEAD_EINPUT. */
int fl_placement_read(const char *json, struct fl_run_grant *ret, uint32_t room, uint32_t *ret_n,
		      fairlead_error *err);

#endif
