/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_parts - what server.c (requests), door.c (who comes in), exchange.c (answers) and library.c
 * (those of the library) share
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
	/* Of the server itself: its socket, twice; the library's; one that is kept (door.c). */
	FL_OWN_DESCRIPTORS = 6,
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

/* Why the server itself answers a request (exchange.c has the words). */
enum fl_refusal {
	FL_REFUSE_NOTHING,
	FL_REFUSE_ZERO_BYTE,
	FL_REFUSE_NO_HOST,
	FL_REFUSE_TWO_LENGTHS,
	FL_REFUSE_STRANGER,
	FL_REFUSE_LARGE,
	FL_REFUSE_RATE,
	FL_REFUSE_ENCODING,
	FL_REFUSE_BUSY,
};

/* All connections of one payer. */
struct fl_payer {
	struct fl_payer *next;
	uid_t uid;
	uint32_t served, over, n; /* n: with those that leave */
};

struct fl_connection {
	struct fl_server *server;
	struct fl_connection *next, **link;
	int fd;
	struct fl_peer peer;
	struct fl_payer *payer;
	enum fl_rank rank;
	enum fl_doing doing;
	uint64_t since; /* ms: when it began to do this */
	bool started;   /* the library has it */
	bool over;      /* beyond a limit, or a stranger's: is told so and closed */
	bool leaves;    /* it was hung up: is served no more */
	bool holds;     /* a descriptor more, while this request lasts */
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
	enum fl_refusal refusal; /* of a request that comes whole all the same */
	bool suspended;
	bool last; /* its length is said twice: nothing is read behind it */

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

void fl_connection_does(struct fl_connection *c, enum fl_doing doing);

/* The library sees the end, closes it, and says so. */
void fl_connection_hang_up(struct fl_connection *c);

/* --- door.c --- */

/* Lets them in from now on. FAIRLEAD_EIO; the handles are closed by the loop. */
int fl_door_open(struct fl_server *s);
void fl_door_close(struct fl_server *s, uv_close_cb closed);
void fl_door_shut(struct fl_server *s);
/* Its request is over, and with it what fl_exchange_holds counted. */
void fl_connection_holds_no_more(struct fl_connection *c);
/* Has gone, and there may be a descriptor again; frees it. */
void fl_connection_free(struct fl_connection *c);

/* --- server.c --- */

/* There is a connection, which may take too long. */
void fl_server_attend(struct fl_server *s);

/* The library is given its turn in the next round of the loop: its descriptor does not say that
 * a connection was resumed. */
void fl_server_wake(struct fl_server *s);

struct fl_exchange *fl_exchange_new(struct fl_connection *c, struct MHD_Connection *mhd,
				    const char *method, const char *path);
/* The request is over, however it ended. */
void fl_exchange_free(struct fl_exchange *x);
/* Hand over what the owner answered. */
enum MHD_Result fl_exchange_queue(struct fl_exchange *x);
/* An error, around the library: there is room for so much in any socket. Each of @headers ends
 * with CRLF. @text and @hint are written as they are. */
void fl_answer_at_once(int fd, unsigned status, const char *headers, const char *text,
		       const char *hint);
/* 4xx or 5xx from the server itself. */
void fl_exchange_refuse(struct fl_exchange *x, enum fl_refusal refusal);
/* The server closes: what is there goes out, without an end, and the owner hears that it is gone. */
void fl_exchange_cut(struct fl_exchange *x);

#endif
