/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weighed - what there was of each resource on a machine, along time
 *
 * It is known of the last FL_STORE_VERSIONS versions of the configuration, one of which is made
 * whenever the machine has more or less at a start; what was before the first one that says so counts
 * as the same.
 */
#ifndef FL_DAEMON_MACHINE_WEIGHED_H
#define FL_DAEMON_MACHINE_WEIGHED_H

#include "daemon/engine/history/weighed.h"
#include "daemon/machine/core.h"

/* By time; from malloc.  On the loop. */
int fl_core_capacities(const struct fl_core *c, struct fl_weighed_capacity **ret, uint32_t *ret_n,
		       fairlead_error *err);

#endif
