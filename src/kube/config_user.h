/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_user - the user of a context: its token, certificate or password, and the user it stands in for; private to kube
 *
 * Tested with config.h.
 */
#ifndef FL_KUBE_CONFIG_USER_H
#define FL_KUBE_CONFIG_USER_H

#include "kube/config_said.h"

/* @user: a map, or none. */
int fl_kube_read_user(struct fl_kube_config *c, struct fl_said user, fairlead_error *err);

/* Certificates or a key, by two fields of which one may be given: that it can be read. */
int fl_kube_check_pem(struct fl_said map, const char *field, const struct fl_kube_pem *pem,
		      fairlead_error *err);

#endif
