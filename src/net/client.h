/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client - HTTP requests to the daemon, one at a time, waiting for each: over its Unix socket, or over
 * the network (net/remote.h)
 *
 * For the command.  The answer of the daemon is passed on as it is; if there is no daemon, the
 * error says so, where it should be, and how to start it.
 *
 * No redirection is followed, and no proxy asked: a token goes to the server that was named, or nowhere.
 */
#ifndef FL_NET_CLIENT_H
#define FL_NET_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "net/remote.h"
#include "net/shown.h"

struct fl_client;

/* @socket NULL: $FAIRLEAD_SOCKET, else the places where a daemon has one (doc/guide/daemon.md). */
int fl_client_new(const char *socket, struct fl_client **ret, fairlead_error *err);
/* Its texts are copied. */
int fl_client_new_remote(const struct fl_remote *remote, struct fl_client **ret,
			 fairlead_error *err);
struct fl_client *fl_client_free(struct fl_client *c);
/* The path of the socket, or the URL, for messages. */
const char *fl_client_place(const struct fl_client *c);
/* It is asked over the network. */
bool fl_client_is_remote(const struct fl_client *c);
/* The last request failed since the server's certificate is not trusted. */
bool fl_client_distrusts(const struct fl_client *c);
/* The public key that the server must have, once that is known; "": none. */
const char *fl_client_key(const struct fl_client *c);
/* A token comes with each request. */
bool fl_client_has_token(const struct fl_client *c);

struct fl_answer {
	unsigned status;
	char *body; /* followed by a NUL that len does not count */
	size_t len;
};
void fl_answer_done(struct fl_answer *a);

/*
 * @path with its query. Any status is an answer. FAIRLEAD_EIO: no daemon, or it has ended, or it is not
 * trusted.
 */
int fl_client_call(struct fl_client *c, const char *method, const char *path, const char *body,
		   size_t len, struct fl_answer *ret, fairlead_error *err);
/*
 * Calls @piece for bytes as they come; it returns false to end the request. *ret_status is set
 * before the first call, as the bytes of an error come there too.
 */
int fl_client_follow(struct fl_client *c, const char *path,
		     bool (*piece)(void *user, const char *bytes, size_t len), void *user,
		     unsigned *ret_status, fairlead_error *err);
/* The same of a POST without a body. */
int fl_client_hold(struct fl_client *c, const char *path,
		   bool (*piece)(void *user, const char *bytes, size_t len), void *user,
		   unsigned *ret_status, fairlead_error *err);

/*
 * What the server of an https URL shows, trusted or not.  Nothing is sent but a request for its health,
 * without the token.
 */
int fl_client_shown(struct fl_client *c, struct fl_shown *ret, fairlead_error *err);
/* The next requests that are not GET are for this version alone: "\"17\"", the header If-Match. */
void fl_client_match(struct fl_client *c, const char *tag);

/* @text for a path or query. From malloc; NULL: no memory. */
char *fl_client_escape(const char *text);

#endif
