/* SPDX-License-Identifier: Apache-2.0 */
/* config_parts - what the parts of a configuration share; private to config*.c */
#ifndef FL_DAEMON_CONFIG_CONFIG_PARTS_H
#define FL_DAEMON_CONFIG_CONFIG_PARTS_H

#include "daemon/config/config.h"

/*
 * config_machine.c: the rows that make a tree of whatever was read; once, when it is read.
 * @alone: nobody has said who there is, so there is one queue, beside those of @m.
 */
int fl_config_complete(struct fl_model *m, bool alone, fairlead_error *err);
/* The same with what the machine has; for every model. */
int fl_config_lay_machine(struct fl_model *m, const struct fl_capacity *capacity,
			  fairlead_error *err);

/* A symbol of a text that ends in NUL. */
int fl_config_sym(struct fl_model *m, const char *text, struct fl_sym *ret, fairlead_error *err);

#endif
