/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_state - a server, for its files: server.c (requests), door.c (which connections are let in),
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
	/* Connections beyond the limit, which are accepted to be told so. */
	FL_SPARE_CONNECTIONS = 16,
	/*
	 * Descriptors of the server itself: its socket, twice; those of the library; a spare one
	 * (door.c).
	 */
	FL_OWN_DESCRIPTORS = 6,
	/* Limit of all bodies together, in bodies of the largest size. */
	FL_BODIES = 16,
	/* Bytes of whole answers that one uid has not read: beyond that it gets no large ones. */
	FL_UNREAD = 64 * 1024 * 1024,
	FL_LARGE = 64 * 1024,
};

struct fl_server {
	struct fl_server_options options;
	struct fl_socket socket;
	struct MHD_Daemon *mhd;
	uv_poll_t work;          /* the library has work to do */
	uv_timer_t again, sweep; /* it still has work; closes connections that take too long */
	uv_poll_t knock;         /* a new connection waits */
	uv_timer_t reopen;       /* accepting is stopped for a moment */
	uint32_t n_handles;      /* that are open */
	int spare;               /* the spare descriptor; -1 */
	struct fl_connection *connections;
	struct fl_payer *payers; /* of payers with connections */
	uint32_t n_connections, n_served, n_over;
	size_t body_bytes;
	struct fl_rates rates;
	struct fl_server_figures figures;
	bool closing;
	void (*closed)(void *user);
	void *closed_user;
};

#endif
