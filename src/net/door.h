/* SPDX-License-Identifier: Apache-2.0 */
/* door - lets connections in; private to net */
#ifndef FL_NET_DOOR_H
#define FL_NET_DOOR_H

#include "net/connection.h"

/* Accepts connections from now on. FAIRLEAD_EIO; the loop closes the handles. */
int fl_door_open(struct fl_server *s);
void fl_door_close(struct fl_server *s, uv_close_cb closed);
void fl_door_shut(struct fl_server *s);
/*
 * The connection is one of the payer of @who from now on. False: that payer has as many as it may
 * have, and nothing changes.
 */
bool fl_connection_acts_for(struct fl_connection *c, const struct fl_principal *who);
/*
 * It is as one of TCP from now on, from this machine: the rights of the user at its other end are given
 * up for good.  False: there is no room for one more of these, and nothing changes.
 */
bool fl_connection_relays(struct fl_connection *c, uint32_t port);
/* May another user be behind it than the kernel says?  Then its requests need a token, and their Host and Origin are looked at. */
bool fl_connection_is_far(const struct fl_connection *c);
/* Its request has ended, and with it the count of fl_exchange_holds. */
void fl_connection_holds_no_more(struct fl_connection *c);
/* It was closed, so there may be a descriptor again; frees it. */
void fl_connection_free(struct fl_connection *c);

#endif
