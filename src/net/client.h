/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client - HTTP requests to the daemon over its Unix socket, one at a time, waiting for each
 *
 * For the command.  The answer of the daemon is passed on as it is; if there is no daemon, the
 * error says so, where it should be, and how to start it.
 */
#ifndef FL_NET_CLIENT_H
#define FL_NET_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fl_client;

/* @socket NULL: $FAIRLEAD_SOCKET, else the places where a daemon has one (doc/guide/daemon.md). */
int fl_client_new(const char *socket, struct fl_client **ret, fairlead_error *err);
struct fl_client *fl_client_free(struct fl_client *c);
/* The path of the socket, for messages. */
const char *fl_client_socket(const struct fl_client *c);

struct fl_answer {
	unsigned status;
	char *body; /* followed by a NUL that len does not count */
	size_t len;
};
void fl_answer_done(struct fl_answer *a);

/* @path with its query. Any status is an answer. FAIRLEAD_EIO: no daemon, or it has ended. */
int fl_client_call(struct fl_client *c, const char *method, const char *path, const char *body,
		   size_t len, struct fl_answer *ret, fairlead_error *err);
/*
 * Calls @piece for bytes as they come; it returns false to end the request. *ret_status is set
 * before the first call, as the bytes of an error come there too.
 */
int fl_client_follow(struct fl_client *c, const char *path,
		     bool (*piece)(void *user, const char *bytes, size_t len), void *user,
		     unsigned *ret_status, fairlead_error *err);

/* @text for a path or query. From malloc; NULL: no memory. */
char *fl_client_escape(const char *text);

#endif
