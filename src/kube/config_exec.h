/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_exec - the plugin that gives credentials of a user: how it is called, and what it is told; private to
 * kube
 *
 * Tested with config.h.
 */
#ifndef FL_KUBE_CONFIG_EXEC_H
#define FL_KUBE_CONFIG_EXEC_H

#include "kube/config_said.h"

/*
 * The map @exec of a user; a plugin that wants it is told of @cluster.  @interactive: a person is at
 * standard input.
 */
int fl_kube_read_exec(struct fl_kube_config *c, struct fl_said exec, struct fl_said cluster,
		      bool interactive, fairlead_error *err);

#endif
