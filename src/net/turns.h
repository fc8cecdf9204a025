/* SPDX-License-Identifier: Apache-2.0 */
/* turns - the turns of the library in the loop: over plain sockets, and over TLS; private to net */
#ifndef FL_NET_TURNS_H
#define FL_NET_TURNS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct fl_server;

enum { FL_NET_TURNS_HANDLES = 3 };
struct fl_net_turns {
	struct MHD_Daemon *mhd; /* NULL: not used */
	uv_poll_t work;         /* it has work to do */
	uv_idle_t soon;         /* it still has work */
	uv_timer_t again;       /* it will have work */
	/*
	 * Handshakes of TLS that have not ended.  As long as a part of a record is there the library
	 * (0.9.75) says that it has work, though it only waits for the rest.
	 */
	uint32_t handshakes;
	struct fl_server *server;
	uv_close_cb closed;
};

/* Counts its handles in the server. FAIRLEAD_EIO; *t needs fl_net_turns_close if `mhd` is set. */
int fl_net_turns_begin(struct fl_net_turns *t, struct fl_server *s, struct MHD_Daemon *mhd);
/* Closes its handles, if it has any. */
void fl_net_turns_close(struct fl_net_turns *t, uv_close_cb closed);
void fl_net_turns_take(struct fl_net_turns *t);
/* A turn in the next round of the loop. */
void fl_net_turns_wake(struct fl_net_turns *t);

#endif
