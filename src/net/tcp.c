/* SPDX-License-Identifier: Apache-2.0 */
#include "net/tcp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"

enum { BACKLOG = 512, FIRST_FOR_ALL = 1024 };

int fl_tcp_find(const char *host, uint32_t port, struct fl_tcp_address *ret, uint32_t most,
		uint32_t *ret_n, fairlead_error *err)
{
	const struct addrinfo wanted = { .ai_family = AF_UNSPEC,
					 .ai_socktype = SOCK_STREAM,
					 .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	char number[16];
	uint32_t n = 0;

	(void)snprintf(number, sizeof number, "%u", port);

	int code = getaddrinfo(host, number, &wanted, &found);

	for (const struct addrinfo *a = found; a && code == 0 && n < most; a = a->ai_next) {
		if (a->ai_addrlen > sizeof ret->at)
			continue;
		ret[n] = (struct fl_tcp_address){ .len = a->ai_addrlen };
		memcpy(&ret[n++].at, a->ai_addr, a->ai_addrlen);
	}
	if (found)
		freeaddrinfo(found);
	if (n == 0) {
		fl_fail(err, FAIRLEAD_EINPUT, "'%.200s' has no address on this machine: %s", host,
			code ? gai_strerror(code) : "none was found");
		return fl_fail_hint(err, "ip address show lists the addresses");
	}
	*ret_n = n;
	return 0;
}

bool fl_tcp_own(int fd, struct fl_tcp_address *ret)
{
	*ret = (struct fl_tcp_address){ .len = sizeof ret->at };
	return getsockname(fd, &ret->at.any, &ret->len) == 0 &&
	       (ret->at.any.sa_family == AF_INET || ret->at.any.sa_family == AF_INET6);
}

bool fl_tcp_is_loopback(const struct fl_tcp_address *a)
{
	return a->at.any.sa_family == AF_INET ? ntohl(a->at.v4.sin_addr.s_addr) >> 24 == 127 :
						IN6_IS_ADDR_LOOPBACK(&a->at.v6.sin6_addr);
}

static const void *bytes_of(const struct fl_tcp_address *a)
{
	return a->at.any.sa_family == AF_INET ? (const void *)&a->at.v4.sin_addr :
						(const void *)&a->at.v6.sin6_addr;
}

const char *fl_tcp_text(const struct fl_tcp_address *a, char ret[FL_TCP_TEXT])
{
	bool is_v6 = a->at.any.sa_family == AF_INET6;
	char text[INET6_ADDRSTRLEN] = "", scope[16] = "";

	(void)inet_ntop(a->at.any.sa_family, bytes_of(a), text, sizeof text);
	if (is_v6 && a->at.v6.sin6_scope_id)
		(void)snprintf(scope, sizeof scope, "%%%u", a->at.v6.sin6_scope_id);
	(void)snprintf(ret, FL_TCP_TEXT, "%s%s%s%s:%u", is_v6 ? "[" : "", text, scope,
		       is_v6 ? "]" : "", ntohs(is_v6 ? a->at.v6.sin6_port : a->at.v4.sin_port));
	return ret;
}

bool fl_tcp_is(const struct fl_tcp_address *a, const char *host, size_t len)
{
	bool is_v6 = a->at.any.sa_family == AF_INET6;
	char text[INET6_ADDRSTRLEN];
	struct in6_addr address; /* also large enough for IPv4 */

	if (is_v6) {
		if (len < 2 || host[0] != '[' || host[len - 1] != ']')
			return false;
		host++;
		len -= 2;
	}
	if (len >= sizeof text)
		return false;
	memcpy(text, host, len);
	text[len] = '\0';
	return inet_pton(a->at.any.sa_family, text, &address) == 1 &&
	       memcmp(&address, bytes_of(a), is_v6 ? sizeof address : sizeof a->at.v4.sin_addr) ==
		       0;
}

struct fl_principal fl_tcp_source(const struct fl_tcp_address *a)
{
	struct fl_principal who = { .kind = FL_PRINCIPAL_PROBE, .role = FL_RANK_PROBE };
	struct fl_tcp_address net = *a;
	bool is_v6 = a->at.any.sa_family == AF_INET6;
	char text[INET6_ADDRSTRLEN] = "";

	if (is_v6)
		memset(&net.at.v6.sin6_addr.s6_addr[8], 0, 8);
	(void)inet_ntop(a->at.any.sa_family, bytes_of(&net), text, sizeof text);
	(void)snprintf(who.name, sizeof who.name, "%s%s", text, is_v6 ? "/64" : "");
	return who;
}

static int fail_to_listen(const struct fl_tcp_address *a, int why, fairlead_error *err)
{
	char text[FL_TCP_TEXT];
	uint16_t port = ntohs(a->at.any.sa_family == AF_INET6 ? a->at.v6.sin6_port :
								a->at.v4.sin_port);

	fl_tcp_text(a, text);
	fl_fail(err, why == EADDRINUSE ? FAIRLEAD_ESTATE : FAIRLEAD_EIO, "cannot listen on %s: %s",
		text, strerror(why));
	if (why == EADDRINUSE)
		fl_fail_hint(err, "another process listens there (ss -ltnp shows which one): "
				  "stop it, or choose another port");
	else if (why == EADDRNOTAVAIL)
		fl_fail_hint(err, "this machine does not have the address: ip address show lists "
				  "those that it has");
	else if (why == EACCES && port < FIRST_FOR_ALL)
		fl_fail_hint(err, "only root may listen on ports below %d: choose a higher one",
			     FIRST_FOR_ALL);
	return fl_fail_in(err, ".spec.listen");
}

int fl_tcp_listen(const struct fl_tcp_address *a, int *ret, fairlead_error *err)
{
	FL_FD fd = socket(a->at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
	    (a->at.any.sa_family == AF_INET6 &&
	     setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0) ||
	    bind(fd, &a->at.any, a->len) != 0 || listen(fd, BACKLOG) != 0)
		return fail_to_listen(a, errno, err);
	*ret = fd;
	fd = -1;
	return 0;
}
