/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_state - a server, for its files: server.c (requests), door.c (who comes in),
 * exchange.c (answers) and library.c (those of the library)
 */
#ifndef FL_NET_SERVER_STATE_H
#define FL_NET_SERVER_STATE_H

#include <microhttpd.h>

#include "net/exchange.h"
#include "net/rate.h"
#include "net/socket.h"

enum {
	/* Bytes of a connection's own memory: the head of a request with all its headers. */
	FL_HEAD_BYTES = 32 * 1024,
	/* Connections beyond the limit, which are told so. */
	FL_SPARE_CONNECTIONS = 16,
	/* Of the server itself: its socket, twice; the library's; one that is kept (door.c). */
	FL_OWN_DESCRIPTORS = 6,
	/* Bodies in the works, all together: so many of the largest size. */
	FL_BODIES = 16,
	/* Of whole answers that one uid has not read: beyond so many bytes no large one is given. */
	FL_UNREAD = 64 * 1024 * 1024,
	FL_LARGE = 64 * 1024,
};

struct fl_server {
	struct fl_server_options options;
	struct fl_socket socket;
	struct MHD_Daemon *mhd;
	uv_poll_t work;          /* there is something for the library to do */
	uv_timer_t again, sweep; /* there still is; for who takes too long */
	uv_poll_t knock;         /* somebody is at the door */
	uv_timer_t reopen;       /* it is shut for a moment */
	uint32_t n_handles;      /* of these that are open */
	int spare;               /* a descriptor that can be done without; -1 */
	struct fl_connection *connections;
	struct fl_payer *payers; /* of whom there is one */
	uint32_t n_connections, n_served, n_over;
	size_t body_bytes;
	struct fl_rates rates;
	struct fl_server_figures figures;
	bool closing;
	void (*closed)(void *user);
	void *closed_user;
};

#endif
