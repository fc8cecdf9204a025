/* SPDX-License-Identifier: Apache-2.0 */
/* config_machine - the machine among the objects of a configuration */
#ifndef FL_DAEMON_CONFIG_CONFIG_MACHINE_H
#define FL_DAEMON_CONFIG_CONFIG_MACHINE_H

#include "daemon/config/config.h"

/*
 * The rows that make a tree of whatever was read; once, when it is read.
 * @alone: nobody has said who there is, so there is one queue, beside those of @m.
 */
int fl_config_complete(struct fl_model *m, bool alone, fairlead_error *err);
/* The same with what the machine has; for every model. */
int fl_config_lay_machine(struct fl_model *m, const struct fl_capacity *capacity,
			  fairlead_error *err);

#endif
