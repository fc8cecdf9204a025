/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_parts - what server.c (connections) and exchange.c (answers) share
 */
#ifndef FL_NET_SERVER_PARTS_H
#define FL_NET_SERVER_PARTS_H

#include <microhttpd.h>

#include "net/rate.h"
#include "net/server.h"
#include "net/socket.h"

enum {
	/* Bytes of a connection's own memory: the head of a request with all its headers. */
	FL_HEAD_BYTES = 32 * 1024,
	/* Connections beyond the limit, which are told so. */
	FL_SPARE_CONNECTIONS = 16,
	/* Bodies in the works, all together: so many of the largest size. */
	FL_BODIES = 16,
	FL_HEADERS = 4, /* of an answer, beside its type */
	/* Of whole answers that one uid has not read: beyond so many bytes no large one is given. */
	FL_UNREAD = 64 * 1024 * 1024,
	FL_LARGE = 64 * 1024,
};

enum fl_doing {
	FL_READS,   /* a request is awaited, or comes */
	FL_THINKS,  /* the owner has it */
	FL_ANSWERS, /* the answer is on its way, whole */
	FL_STREAMS, /* the answer comes in pieces */
};

struct fl_connection {
	struct fl_server *server;
	struct fl_connection *next, **link;
	int fd;
	struct fl_peer peer;
	enum fl_doing doing;
	uint64_t since; /* ms: when it began to do this */
	bool over;      /* beyond a limit: is told so and closed */
	bool odd_path;  /* with a %00 in it */
	size_t unread;  /* bytes of the answer that is on its way */
	struct fl_exchange *exchange;
};

struct fl_stream {
	struct fl_stream_callbacks callbacks;
	char *bytes; /* a ring of FL_STREAM_BYTES */
	size_t first, used;
	bool ended;       /* by the owner, or because the server closes: nothing more is taken */
	bool cut;         /* before its end, and the client is to know */
	bool left;        /* the client has: no answer any more */
	bool refused;     /* a write: drained is owed */
	uv_poll_t *watch; /* for the client to leave: nobody else looks while nothing is written */
};

struct fl_exchange {
	struct fl_connection *connection;
	struct MHD_Connection *mhd;
	struct fl_http_request request;
	char *body;
	size_t body_len, body_room;
	unsigned refusal; /* of a request that comes whole all the same; 0: none */
	bool suspended;

	struct MHD_Response *response; /* NULL: no answer yet */
	unsigned status;
	struct {
		const char *name;
		char value[64];
	} headers[FL_HEADERS];
	uint32_t n_headers;
	bool streams;
	struct fl_stream stream;
};

struct fl_server {
	struct fl_server_options options;
	struct fl_socket socket;
	struct MHD_Daemon *mhd;
	uv_poll_t work;          /* there is something for the library to do */
	uv_timer_t again, sweep; /* there still is; for who takes too long */
	uint32_t n_handles;      /* of these that are open */
	struct fl_connection *connections;
	uint32_t n_connections;
	size_t body_bytes;
	struct fl_rates rates;
	struct fl_server_figures figures;
	bool closing;
	void (*closed)(void *user);
	void *closed_user;
};

void fl_connection_does(struct fl_connection *c, enum fl_doing doing);

/* The library is given its turn in the next round of the loop: its descriptor does not say that
 * a connection was resumed. */
void fl_server_wake(struct fl_server *s);

struct fl_exchange *fl_exchange_new(struct fl_connection *c, struct MHD_Connection *mhd,
				    const char *method, const char *path);
/* The request is over, however it ended. */
void fl_exchange_free(struct fl_exchange *x);
/* Hand over what the owner answered. */
enum MHD_Result fl_exchange_queue(struct fl_exchange *x);
/* 4xx or 5xx from the server itself. */
void fl_exchange_refuse(struct fl_exchange *x, unsigned status);
/* The server closes: what is there goes out, without an end, and the owner hears that it is gone. */
void fl_exchange_cut(struct fl_exchange *x);

#endif
