/* SPDX-License-Identifier: Apache-2.0 */
/* connection - one of a server, and all of one payer; private to net */
#ifndef FL_NET_CONNECTION_H
#define FL_NET_CONNECTION_H

#include "net/server.h"

/* All connections of one payer. */
struct fl_payer {
	struct fl_payer *next;
	struct fl_principal who;
	uint32_t served, over, n; /* n: also those that are closing */
	size_t body_bytes;        /* of its requests that come */
};

struct fl_connection {
	struct fl_server *server;
	struct fl_entrance *entrance;
	struct fl_connection *next, **link;
	int fd;
	struct fl_principal who;
	pid_t pid; /* 0: not known */
	struct fl_payer *payer;
	enum fl_rank rank;
	enum fl_doing doing;
	uint64_t since;                         /* ms: when this phase began */
	bool started;                           /* the library has it */
	bool asked;                             /* a whole request came */
	bool shaken;                            /* TLS: its handshake has ended */
	struct fl_certificate_use *certificate; /* TLS: of its handshake */
	bool over;      /* beyond a limit, or a stranger's: it is told so and closed */
	bool leaves;    /* it was closed by us: it is not served any more */
	uint32_t holds; /* descriptors that count, too, during this request */
	/*
	 * Of the Unix socket, but of a relay (fl_exchange_relay): requests come from others, which call
	 * this port of 127.0.0.1; else 0.
	 */
	uint32_t relay_port;
	bool odd_path; /* has a %00 in it */
	size_t unread; /* bytes of the answer on its way */
	struct fl_exchange *exchange;
};

#endif
