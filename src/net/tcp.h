/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp - addresses of TCP: those that a server listens on, and those that its callers come from
 */
#ifndef FL_NET_TCP_H
#define FL_NET_TCP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/principal.h"

struct fl_tcp_address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} at;
	socklen_t len;
};

enum { FL_TCP_TEXT = INET6_ADDRSTRLEN + sizeof "[%4294967295]:65535" };

/*
 * The addresses of @host, an address without brackets or a name; up to @most.  FAIRLEAD_EINPUT: it has
 * none.
 */
int fl_tcp_find(const char *host, uint32_t port, struct fl_tcp_address *ret, uint32_t most,
		uint32_t *ret_n, fairlead_error *err);
/* The address of this end of a socket. False: it has none. */
bool fl_tcp_own(int fd, struct fl_tcp_address *ret);
bool fl_tcp_is_loopback(const struct fl_tcp_address *a);
/* "127.0.0.1:8450", "[::1]:8450". Returns @ret. */
const char *fl_tcp_text(const struct fl_tcp_address *a, char ret[FL_TCP_TEXT]);
/* Is @host, of @len bytes and with brackets around one of IPv6, this address? */
bool fl_tcp_is(const struct fl_tcp_address *a, const char *host, size_t len);

/*
 * The caller from there that shows no token: a probe whose name is the address, without
 * its port; of IPv6 the first 64 bits, since one machine has all of these.
 */
struct fl_principal fl_tcp_source(const struct fl_tcp_address *a);

/*
 * A listening socket, close-on-exec, which does not block; an address of IPv6 is for IPv6 alone.
 * FAIRLEAD_ESTATE: another process listens there; FAIRLEAD_EIO.
 */
int fl_tcp_listen(const struct fl_tcp_address *a, int *ret, fairlead_error *err);

#endif
