/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upgrade - an exchange that becomes a stream of bytes in both directions (HTTP Upgrade, RFC 9110, 7.8)
 *
 * The owner reads and writes without blocking, and waits on the descriptor of the connection itself.
 * Flow control is that of the connection: what is not read waits with the client.  What a client has sent
 * before it was answered may be lost.
 */
#ifndef FL_NET_STREAM_UPGRADE_H
#define FL_NET_STREAM_UPGRADE_H

#include "net/server.h"

struct fl_upgrade_callbacks {
	/* The client is told: from now on there is a stream. @fd: to wait on, alone. */
	void (*begun)(void *user, int fd);
	/*
	 * The server closes, or it could not begin; once, and not after fl_exchange_downgrade.  The
	 * exchange must not be used any more.
	 */
	void (*gone)(void *user);
	void *user;
};

/* Does the client ask for @protocol? */
bool fl_request_upgrades(const struct fl_http_request *r, const char *protocol);
/* Answers 101. */
void fl_exchange_upgrade(struct fl_exchange *x, const char *protocol,
			 const struct fl_upgrade_callbacks *callbacks);

/*
 * Bytes; 0: nothing now; -1: the client has left.  The room for reading is more than 16 KiB, so that over
 * TLS nothing is left that the descriptor does not tell.
 */
ssize_t fl_exchange_read(struct fl_exchange *x, char *bytes, size_t room);
ssize_t fl_exchange_send(struct fl_exchange *x, const char *bytes, size_t len);
/* Something that was taken is not sent yet: send again, if need be nothing, when it can be written. */
bool fl_exchange_is_unsent(const struct fl_exchange *x);

/* The end: the descriptor must not be waited on any more.  What was sent arrives before it. */
void fl_exchange_downgrade(struct fl_exchange *x);

#endif
