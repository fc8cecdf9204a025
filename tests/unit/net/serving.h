/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serving - a server with a loop and a thread of its own, and a client made of bare sockets
 *
 * It answers:
 *   /echo      "METHOD PATH a=ARGUMENT len=BODY" at once
 *   /later     the same, after some turns of the loop
 *   /peer      "UID GID PID"
 *   /give?n=   n bytes, whole
 *   /slow?n=   the same as /echo after n milliseconds in which nobody else is served
 *   /stream?n= n bytes in pieces, as fast as they are taken
 *   /follow    a line, and then nothing until the client leaves or the server closes
 *   /caller    "KIND UID NAME"
 *
 * On TCP, too, where /open needs no token, /elsewhere is not served, and all else needs one: "ci" and
 * "laptop" are tokens of user 1000, "bob" is one of user 2000.
 */
#ifndef FL_TEST_NET_SERVING_H
#define FL_TEST_NET_SERVING_H

#include <stdatomic.h>

#include "net/server.h"
#include "net/tcp.h"

struct serving {
	char folder[64], path[96];
	struct fl_server_options options;
	struct fl_listener listener;
	struct fl_tcp_address address;
	struct fl_server *server;
	uv_loop_t loop;
	uv_async_t stop;
	uv_thread_t thread;
	atomic_int gone, drained, closed;
	atomic_ullong refused_writes;
	struct fl_server_figures figures; /* as of the end */
};

/* What usual tests want: 64 connections, bodies of 64 KiB, no rate, a minute. */
struct fl_server_limits serving_limits(void);
void serving_begin(struct serving *s, struct fl_server_limits limits);
void serving_end(struct serving *s);

int serving_connect(const struct serving *s); /* a descriptor */
int serving_connect_tcp(const struct serving *s);
/* The same as serving_ask on TCP, with headers, each of which ends with CRLF. */
char *serving_ask_tcp(const struct serving *s, const char *path, const char *headers);
void serving_send(int fd, const void *bytes, size_t len); /* that it is closed is no failure */
/* All until the other end closes, or until @len are there; ended by a NUL, to be freed. */
char *serving_read(int fd, size_t len, size_t *ret_len);
/* One request on a connection of its own, whole; its answer, to be freed. */
char *serving_ask(const struct serving *s, const char *method, const char *path);
void serving_await(atomic_int *value, int least);
/* Does it serve? */
void serving_is_well(const struct serving *s);

#endif
