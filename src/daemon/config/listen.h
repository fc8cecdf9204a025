/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen - the addresses of .spec.listen: which ones they are, whether they are safe, and their sockets
 *
 * Guarantee: where a token is asked for beyond this machine there are TLS and a valid token, or the
 * daemon does not start.
 */
#ifndef FL_DAEMON_CONFIG_LISTEN_H
#define FL_DAEMON_CONFIG_LISTEN_H

#include "daemon/config/config.h"
#include "net/tcp.h"

enum { FL_LISTEN_MOST = 32 }; /* addresses; a name may have several */

/* Without pointers, since one process finds them and another one listens there. */
struct fl_listen_places {
	uint32_t n;
	struct {
		uint32_t row; /* of daemon_listens */
		struct fl_tcp_address address;
	} at[FL_LISTEN_MOST];
};

/* Looks up names. FAIRLEAD_EINPUT: with its place in the document. */
int fl_listen_find(const struct fl_config *config, struct fl_listen_places *ret,
		   fairlead_error *err);
/* @tokens: that are valid now. */
int fl_listen_check_tokens(const struct fl_config *config, const struct fl_listen_places *places,
			   uint32_t tokens, fairlead_error *err);

/* Sockets that listen, one for each place. */
struct fl_listening {
	struct fl_listen_places places;
	int fds[FL_LISTEN_MOST];
};
int fl_listen_open(const struct fl_listen_places *places, struct fl_listening *ret,
		   fairlead_error *err);

#endif
