/* SPDX-License-Identifier: Apache-2.0 */
/* door - lets connections in; private to net */
#ifndef FL_NET_DOOR_H
#define FL_NET_DOOR_H

#include "net/connection.h"

/* Lets them in from now on. FAIRLEAD_EIO; the handles are closed by the loop. */
int fl_door_open(struct fl_server *s);
void fl_door_close(struct fl_server *s, uv_close_cb closed);
void fl_door_shut(struct fl_server *s);
/* Its request is over, and with it what fl_exchange_holds counted. */
void fl_connection_holds_no_more(struct fl_connection *c);
/* Has gone, and there may be a descriptor again; frees it. */
void fl_connection_free(struct fl_connection *c);

#endif
