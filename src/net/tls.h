/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls - TLS 1.2 and 1.3 between the library and a connection; private to net
 *
 * The library makes the sessions and drives them; here each gets the newest certificate of its listener,
 * and it is noted when its handshake has ended.
 */
#ifndef FL_NET_TLS_H
#define FL_NET_TLS_H

#include "net/connection.h"

struct MHD_Daemon;
struct MHD_Connection;

/* The library for connections with TLS. NULL: no memory. */
struct MHD_Daemon *fl_tls_library(struct fl_server *s);
/* A new connection that the library has just made a session for. */
void fl_tls_begin(struct fl_connection *c, struct MHD_Connection *mhd);
/* The connection is closed. */
void fl_tls_end(struct fl_connection *c);
bool fl_tls_is_on(const struct fl_connection *c);

#endif
