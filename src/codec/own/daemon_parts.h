/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon_parts - what the readers of a Daemon share; private to daemon*.c
 */
#ifndef FL_CODEC_OWN_DAEMON_PARTS_H
#define FL_CODEC_OWN_DAEMON_PARTS_H

#include "codec/object/fields.h"

/* A text of 1 to @longest bytes. */
int fl_daemon_word(struct fl_kube *k, uint32_t v, size_t longest, struct fl_sym *ret);

/* daemon_machine.c; row: struct fl_daemon_settings */
extern const struct fl_field fl_fields_daemon_machine[];
/* What no single field of it says: amounts that are found, and devices, go to one flavor. */
int fl_daemon_check_machine(struct fl_kube *k);

/* daemon_access.c; row: struct fl_daemon_settings */
extern const struct fl_field fl_fields_daemon_access[];

#endif
