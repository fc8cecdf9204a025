/* SPDX-License-Identifier: Apache-2.0 */
/* daemon_listen - an item of .spec.listen of a Daemon; private to daemon*.c */
#ifndef FL_CODEC_OWN_DAEMON_LISTEN_H
#define FL_CODEC_OWN_DAEMON_LISTEN_H

#include "codec/object/fields.h"

/* Pushes a row of daemon_listens; there is no row for the fields. */
int fl_daemon_read_listen(struct fl_kube *k, uint32_t v, void *unused);
extern const struct fl_field fl_fields_daemon_listen[];

#endif
