/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_state - a server, for its files: server.c (requests), door.c (which connections are let in),
 * exchange.c (answers) and library.c (those of the library)
 */
#ifndef FL_NET_SERVER_STATE_H
#define FL_NET_SERVER_STATE_H

#include <microhttpd.h>

#include "net/certificate.h"
#include "net/exchange.h"
#include "net/rate.h"
#include "net/socket.h"
#include "net/turns.h"

enum {
	/*
	 * Bytes of a connection's own memory: the head of a request with all its headers.  The library
	 * uses all of it once a request has ended; TLS needs 15 KB more (measured:
	 * tests/daemon/test_tcp_faults.py).
	 */
	FL_HEAD_BYTES = 32 * 1024,
	/* Connections beyond the limit, which are accepted to be told so. */
	FL_SPARE_CONNECTIONS = 16,
	/*
	 * Descriptors of the server itself: its socket, twice; those of the library; a spare one
	 * (door.c).
	 */
	FL_OWN_DESCRIPTORS = 6,
	/* Limit of all bodies together, and of those of one payer but root, in bodies of the largest size. */
	FL_BODIES = 16,
	FL_PAYER_BODIES = 4,
	/* Bytes of whole answers that one payer has not read: beyond that it gets no large ones. */
	FL_UNREAD = 64 * 1024 * 1024,
	FL_LARGE = 64 * 1024,
};

/* A socket that it listens on. */
struct fl_entrance {
	struct fl_server *server;
	const struct fl_listener *listener; /* NULL: the Unix socket */
	int fd;
	uv_poll_t knock; /* a new connection waits */
};

struct fl_server {
	struct fl_server_options options;
	struct fl_socket socket;
	struct fl_entrance *entrances; /* the first is that of the Unix socket */
	uint32_t n_entrances, n_open;  /* open: watched by the loop */
	uv_close_cb door_closed;
	struct fl_net_turns plain, secure; /* the library without and with TLS */
	uv_timer_t sweep;                  /* closes connections that take too long */
	uv_timer_t reopen;                 /* accepting is stopped for a moment */
	uint32_t n_handles;                /* that are open */
	int spare;                         /* the spare descriptor; -1 */
	struct fl_connection *connections;
	struct fl_payer *payers; /* of payers with connections */
	uint32_t n_connections, n_served, n_over;
	uint32_t n_probes; /* of those that are served */
	size_t body_bytes;
	/* Of payers; of addresses without a token; of their handshakes. */
	struct fl_rates rates, strange, handshakes;
	struct fl_server_figures figures;
	bool closing;
	void (*closed)(void *user);
	void *closed_user;
};

#endif
