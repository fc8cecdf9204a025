/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client - HTTP requests to the daemon over its Unix socket, one at a time, waiting for each
 *
 * For the command. What the daemon answers is passed on as it is; that it is not there is an
 * error that says so, where it was looked for, and how to start it.
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
/* Where it asks, for messages. */
const char *fl_client_socket(const struct fl_client *c);

struct fl_answer {
	unsigned status;
	char *body; /* ended by a NUL beyond len */
	size_t len;
};
void fl_answer_done(struct fl_answer *a);

/* @path with its query. Any status is an answer. FAIRLEAD_EIO: no daemon, or it went away. */
int fl_client_call(struct fl_client *c, const char *method, const char *path, const char *body,
		   size_t len, struct fl_answer *ret, fairlead_error *err);
/*
 * Bytes as they come; @piece returns false to end it. *ret_status is written before the first one,
 * since those of an error come there too.
 */
int fl_client_follow(struct fl_client *c, const char *path,
		     bool (*piece)(void *user, const char *bytes, size_t len), void *user,
		     unsigned *ret_status, fairlead_error *err);

/* @text for a path or query. From malloc; NULL: no memory. */
char *fl_client_escape(const char *text);

#endif
