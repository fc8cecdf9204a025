/* SPDX-License-Identifier: Apache-2.0 */
/* daemon - parts of a Daemon, each in a file of its own; private to daemon*.c */
#ifndef FL_CODEC_OWN_DAEMON_H
#define FL_CODEC_OWN_DAEMON_H

#include "codec/own/values.h"

/* daemon_machine.c, daemon_access.c; row: struct fl_daemon_settings */
extern const struct fl_field fl_fields_daemon_machine[], fl_fields_daemon_access[];

/*
 * Checks over several fields of the machine: detected amounts, and devices, belong to one flavor.
 */
int fl_daemon_check_machine(struct fl_kube *k);

#endif
