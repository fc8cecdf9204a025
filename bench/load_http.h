/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_http - one connection to a daemon's socket, or to its port over TLS, that is kept; a request, then its whole answer
 *
 * As plain as it can be, so that what is timed is the daemon.  Not for anything but a bench: an
 * answer has a Content-Length or it is none.
 */
#ifndef BENCH_LOAD_HTTP_H
#define BENCH_LOAD_HTTP_H

#include <stddef.h>

struct gnutls_session_int;

struct door {
	const char *socket; /* NULL: over TLS, to this port, with this token */
	unsigned port;
	const char *token;
	struct gnutls_session_int *tls;
	int fd; /* -1: not connected */
	char *bytes;
	size_t room, len, body; /* the last answer: all of it, where its body begins */
};

void door_init(struct door *d, const char *socket);
/* The daemon's certificate is not looked at. */
void door_init_tls(struct door *d, unsigned port, const char *token);
void door_done(struct door *d);

/* The status; 0: no answer came. The body is text, ended by a NUL, until the next one. */
unsigned door_ask(struct door *d, const char *method, const char *path, const char *body);
const char *door_body(const struct door *d);

#endif
