/* SPDX-License-Identifier: Apache-2.0 */
/* config_queue - the queue that a name means */
#ifndef FL_DAEMON_CONFIG_CONFIG_QUEUE_H
#define FL_DAEMON_CONFIG_CONFIG_QUEUE_H

#include "model/model.h"

/*
 * The queue of a job that was submitted to @name: a LocalQueue (NAME when it is the only one of
 * that name, or NAMESPACE/NAME), a ClusterQueue with one LocalQueue or one of its own name, or a
 * Queue without others below it, which is in the namespace "default".  The symbols are @m's, a
 * model of above, sealed or not.  FAIRLEAD_ENOENT with the nearest names; FAIRLEAD_EINPUT: several
 * queues have that name.
 */
int fl_config_queue(const struct fl_model *m, const char *name, struct fl_sym *ret_namespace,
		    struct fl_sym *ret_queue, fairlead_error *err);
/* Its row; FL_NONE when there is none. */
uint32_t fl_config_local_queue(const struct fl_model *m, struct fl_sym namespace,
			       struct fl_sym name);

#endif
