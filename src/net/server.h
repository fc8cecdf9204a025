/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server - HTTP/1.1 on a Unix socket and on TCP, in the loop of its owner
 *
 * On the Unix socket the kernel says which user calls.  On TCP a caller is a probe from a network
 * address, until a request has a valid token: then that one's principal is the caller of the request,
 * and pays for it and for the connection.
 *
 * Guarantees: whatever bytes come in, the server stays up, and a client cannot exceed its limits:
 * connections, bytes of a body, requests a second of one payer.  A request is answered once, at once
 * or later; the answer to a client that has left is dropped.  Probes have at most half of the
 * connections, so that they take no place of users of the socket.
 *
 * Not done here: routes, JSON, permissions.
 */
#ifndef FL_NET_SERVER_H
#define FL_NET_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "base/error.h"
#include "base/principal.h"
#include "net/problem.h"

struct fl_server;
struct fl_certificate; /* certificate.h */
struct fl_exchange;    /* one request and its answer */

struct fl_http_request {
	const char *method, *path; /* path without its query, not decoded beyond %XX */
	const char
		*body; /* followed by a NUL that body_len does not count; "" when there is none */
	size_t body_len;
	/* As the kernel reports the other end of the socket; on TCP of the token, or a probe. */
	struct fl_principal who;
	pid_t pid;   /* its process; 0: not known */
	bool is_far; /* it came over TCP: no descriptors can be passed */
	void *private;
};
/* An argument of the query, decoded; NULL when it is not given. Valid as long as the exchange. */
const char *fl_request_argument(const struct fl_http_request *r, const char *name);
const char *fl_request_header(const struct fl_http_request *r, const char *name);
/* An argument that is not in @known, names separated by blanks; NULL: there is none. */
const char *fl_request_stranger(const struct fl_http_request *r, const char *known);

/* Beyond a limit the answer is 413, 429 or 503. */
struct fl_server_limits {
	uint32_t connections; /* in all; one payer may have half of it */
	size_t body;
	uint32_t requests_per_second; /* of one payer; 0: no limit. Not for root */
	/* Of one address of TCP; 0: no limit: requests without a valid token, handshakes of TLS. */
	uint32_t strange_per_second, handshakes_per_second;
	/*
	 * Seconds, for each: from one answer to the next whole request, and to read an answer; on TCP
	 * ten times as many in which nothing of a stream is read.
	 */
	uint32_t idle_seconds;
};

/*
 * Beyond the connections that all users share, FL_RESERVED are kept: half of them for admins and
 * root, the other half for root alone, whose connections have no limit of their own.
 */
enum { FL_RESERVED = 16 };
struct fl_guest {
	struct fl_principal payer; /* for whose limits the connection counts */
	enum fl_rank rank;         /* a stranger is answered 403 */
};

/* An address of TCP to listen on. */
struct fl_listener {
	int fd;                             /* listens (tcp.h); the server closes it at its end */
	struct fl_certificate *certificate; /* of TLS; NULL: without TLS. Must outlive the server */
	/* Names by which it may be called, beside its address, and localhost on loopback. */
	const char *const *names;
	uint32_t n_names;
};

#define FL_LISTENER_RELAY UINT32_MAX /* what a relay passes on (fl_exchange_relay) */
/* What a request needs on a listener. Without a token none has a body, but for FL_NEEDS_NO_TOKEN. */
enum { FL_STRANGE_BODY = 4096 };
enum fl_needs {
	FL_NEEDS_TOKEN,
	FL_NEEDS_NOTHING,
	FL_NEEDS_NO_TOKEN, /* and may have a body of up to FL_STRANGE_BODY bytes */
	FL_NEEDS_ANOTHER,  /* listener: this one does not serve that path: 404 */
};

struct fl_server_options {
	uv_loop_t *loop;
	const char
		*path; /* of the socket; a stale one is replaced, for one in use: FAIRLEAD_ESTATE */
	unsigned mode; /* mode of the socket */
	int fd;        /* a listening socket that was handed over; -1: none */
	bool made;     /* by this program, before it changed its user: its file is removed */
	const struct fl_listener *listeners; /* must outlive the server */
	uint32_t n_listeners;
	struct fl_server_limits limits;
	/* For TCP: what a request needs; @listener: its index, or FL_LISTENER_RELAY. */
	enum fl_needs (*needs)(void *user, uint32_t listener, const struct fl_http_request *r);
	/*
	 * Has this token to be asked about elsewhere?  Then its address pays for the request as for one
	 * without a token.  NULL: none has.
	 */
	bool (*is_new)(void *user, const char *secret);
	/*
	 * Whose is this token?  0: *ret was set.  FAIRLEAD_ENOENT, ESTATE: it is not valid; any other
	 * error: that cannot be said now.
	 */
	int (*bearer)(void *user, const char *secret, struct fl_principal *ret);
	/*
	 * May @who, of an open stream, ask still?  Otherwise it is cut off.  Asked every second;
	 * NULL: yes.
	 */
	bool (*is_still)(void *user, const struct fl_principal *who);
	/* Sets the rank and payer of @who. NULL: each uid is a user, and 0 is root. */
	void (*meet)(void *user, const struct fl_principal *who, struct fl_guest *ret);
	const char *always; /* a path that is answered beyond the limits, too; NULL: none */
	/* Called for complete requests only. It answers, now or later, exactly once. */
	void (*request)(void *user, struct fl_exchange *x, const struct fl_http_request *r);
	void *user;
};

int fl_server_new(const struct fl_server_options *options, struct fl_server **ret,
		  fairlead_error *err);
/*
 * Stops accepting connections, finishes the open requests, then calls @closed.  Streams are cut off
 * without an end, so that no client takes it for their end; their owners are told by `gone`.
 * Requests that are not answered yet are waited for.
 */
void fl_server_close(struct fl_server *s, void (*closed)(void *user), void *user);

/* Asks of all open streams, now, whether their principal may ask still. */
void fl_server_look_again(struct fl_server *s);

/* The descriptors that it has open at most. */
uint32_t fl_server_descriptors(const struct fl_server_limits *limits);

/*
 * The connection of the request, open until its answer has ended; then it is closed, and nothing more is
 * read from it.  What the client sends while its answer, a stream, is on its way may be read by others that
 * this descriptor is passed to.
 */
int fl_exchange_descriptor(struct fl_exchange *x);

/*
 * All requests behind this one on its connection, which is of the Unix socket, come from others: a relay
 * passes them on, which listens on this port of 127.0.0.1.  They are as those of TCP from there: each
 * needs a token, and none has the rights of the user that runs the relay.  There is no way back.  False:
 * there is no room, and an error was answered.
 */
bool fl_exchange_relay(struct fl_exchange *x, uint32_t port);

/* --- answers --- */

/*
 * The answer keeps @n descriptors open beside its connection: each counts as one more connection until
 * the answer ends.  False: there is no room for them, and an error was answered.
 */
bool fl_exchange_holds(struct fl_exchange *x, uint32_t n);

/*
 * Adds a header to the answer; called before answering; @name must stay valid.  A few, short ones.
 */
void fl_exchange_header(struct fl_exchange *x, const char *name, const char *value);
/* The same with a value of any length, which must stay valid, too. */
void fl_exchange_header_constant(struct fl_exchange *x, const char *name, const char *value);

/* @body is copied. @type NULL: application/json. */
void fl_exchange_answer(struct fl_exchange *x, unsigned status, const char *type, const char *body,
			size_t len);
/* The same; the server takes over @body, which is from malloc. */
void fl_exchange_give(struct fl_exchange *x, unsigned status, const char *type, char *body,
		      size_t len);
void fl_exchange_problem(struct fl_exchange *x, const struct fl_problem *problem);
/* The same without a position. */
static inline void fl_exchange_fail(struct fl_exchange *x, unsigned status, const char *text,
				    const char *hint)
{
	fl_exchange_problem(x,
			    &(struct fl_problem){ .status = status, .text = text, .hint = hint });
}

/*
 * An answer in pieces, as they come: begin, any number of writes, end.  Bytes that the client has
 * not read yet are kept, up to FL_STREAM_BYTES; a write beyond that returns false and takes
 * nothing, and `drained` is called when half of that is free. `gone` is called once when the client
 * has left before the end, or the server closes: after it the exchange must not be used, nor after
 * end.
 */
enum { FL_STREAM_BYTES = 1024 * 1024 };
struct fl_stream_callbacks {
	void (*drained)(void *user);
	void (*gone)(void *user);
	void *user;
};
void fl_exchange_begin(struct fl_exchange *x, unsigned status, const char *type,
		       const struct fl_stream_callbacks *callbacks);
bool fl_exchange_write(struct fl_exchange *x, const char *bytes, size_t len);
void fl_exchange_end(struct fl_exchange *x);

/* Why a connection is refused. */
enum fl_turned_away {
	FL_AWAY_FULL,        /* all connections are taken */
	FL_AWAY_SHARE,       /* the limit of one payer is reached */
	FL_AWAY_STRANGER,    /* of a rank that is answered 403 */
	FL_AWAY_DESCRIPTORS, /* the process has no descriptor left */
	FL_AWAY_MEMORY,
	FL_AWAY_HANDSHAKES, /* one address begins too many of TLS */
	FL_AWAYS
};
/* Figures for metrics. */
struct fl_server_figures {
	uint64_t requests, refused;     /* refused: beyond a limit */
	uint64_t turned_away[FL_AWAYS]; /* connections that were refused or closed */
	uint64_t gave_way;              /* idle ones that were closed for others */
	uint64_t handshakes_failed;     /* connections of TLS that ended before theirs */
	uint64_t without_token;         /* requests without the valid token that they need */
	uint32_t connections;
};
void fl_server_figures(const struct fl_server *s, struct fl_server_figures *ret);

/* --- within net --- */

struct fl_connection;
struct MHD_Daemon;
struct MHD_OptionItem;

enum fl_doing {
	FL_READS,   /* a request is awaited, or comes */
	FL_THINKS,  /* the owner will answer it */
	FL_ANSWERS, /* the answer is on its way, whole */
	FL_STREAMS, /* the answer is a stream */
};

/* A library that works for this server, with @flags and options of its own beside the usual ones. */
struct MHD_Daemon *fl_server_library(struct fl_server *s, unsigned flags,
				     const struct MHD_OptionItem *more);

void fl_connection_does(struct fl_connection *c, enum fl_doing doing);

/* Shuts it down: the library sees the end, closes it, and reports that. */
void fl_connection_hang_up(struct fl_connection *c);

/* There is a connection that may take too long: starts the timer. */
void fl_server_attend(struct fl_server *s);

/* The library is given its turn in the next round of the loop: its descriptor does not say that
 * a connection was resumed. */
void fl_server_wake(struct fl_server *s);

#endif
