/* SPDX-License-Identifier: Apache-2.0 */
#include "load_http.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void door_init(struct door *d, const char *socket)
{
	*d = (struct door){ .socket = socket, .fd = -1 };
}

void door_init_tls(struct door *d, unsigned port, const char *token)
{
	*d = (struct door){ .port = port, .token = token, .fd = -1 };
}

static void hang_up(struct door *d)
{
	if (d->tls)
		gnutls_deinit(d->tls);
	d->tls = NULL;
	if (d->fd >= 0)
		(void)close(d->fd);
	d->fd = -1;
}

void door_done(struct door *d)
{
	hang_up(d);
	free(d->bytes);
	d->bytes = NULL;
}

static gnutls_certificate_credentials_t nobody;

__attribute__((constructor)) static void begin(void)
{
	(void)gnutls_certificate_allocate_credentials(&nobody);
}

static int call_tls(struct door *d)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons((uint16_t)d->port),
					.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int code = -1;

	d->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (d->fd >= 0 && connect(d->fd, (const struct sockaddr *)&to, sizeof to) == 0 &&
	    gnutls_init(&d->tls, GNUTLS_CLIENT) == 0 && gnutls_set_default_priority(d->tls) == 0 &&
	    gnutls_credentials_set(d->tls, GNUTLS_CRD_CERTIFICATE, nobody) == 0) {
		gnutls_transport_set_int(d->tls, d->fd);
		do
			code = gnutls_handshake(d->tls);
		while (code < 0 && !gnutls_error_is_fatal(code));
	}
	if (code < 0)
		hang_up(d);
	return code;
}

/* As send and recv. */
static ssize_t put(struct door *d, const char *bytes, size_t len)
{
	return d->tls ? gnutls_record_send(d->tls, bytes, len) :
			send(d->fd, bytes, len, MSG_NOSIGNAL);
}

static ssize_t take(struct door *d, char *bytes, size_t len)
{
	ssize_t n;

	if (!d->tls)
		return recv(d->fd, bytes, len, 0);
	do
		n = gnutls_record_recv(d->tls, bytes, len);
	while (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED);
	return n;
}

static int call(struct door *d)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	if (d->fd >= 0)
		return 0;
	if (!d->socket)
		return call_tls(d);
	(void)snprintf(to.sun_path, sizeof to.sun_path, "%s", d->socket);
	d->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (d->fd < 0 || connect(d->fd, (struct sockaddr *)&to, sizeof to) != 0) {
		hang_up(d);
		return -1;
	}
	return 0;
}

static int say(struct door *d, const char *method, const char *path, const char *body)
{
	size_t len = strlen(body), room = len + strlen(path) + 512, sent = 0;
	char *text = malloc(room);
	int n = text ? snprintf(
			       text, room,
			       "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s%sContent-Length: %zu\r\n\r\n%s",
			       method, path, d->token ? "Authorization: Bearer " : "",
			       d->token ? d->token : "", d->token ? "\r\n" : "", len, body) :
		       -1;

	while (n > 0 && sent < (size_t)n) {
		ssize_t k = put(d, text + sent, (size_t)n - sent);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		sent += (size_t)k;
	}
	free(text);
	return n > 0 && sent == (size_t)n ? 0 : -1;
}

/* More of it; at its end and after an error -1. */
static int hear(struct door *d)
{
	ssize_t k;

	if (d->room - d->len < 16384) {
		size_t room = d->room ? 2 * d->room : 65536;
		char *bytes = realloc(d->bytes, room);

		if (!bytes)
			return -1;
		d->bytes = bytes;
		d->room = room;
	}
	do
		k = take(d, d->bytes + d->len, d->room - d->len - 1);
	while (k < 0 && errno == EINTR);
	if (k <= 0)
		return -1;
	d->len += (size_t)k;
	d->bytes[d->len] = '\0';
	return 0;
}

static unsigned answer(struct door *d)
{
	const char *end = NULL, *length;
	size_t whole;

	d->len = 0;
	while (!end) {
		if (hear(d) < 0)
			return 0;
		end = strstr(d->bytes, "\r\n\r\n");
	}
	d->body = (size_t)(end - d->bytes) + 4;
	length = strcasestr(d->bytes, "\r\nContent-Length:");
	if (!length || length > end)
		return 0;
	whole = d->body + strtoul(length + 17, NULL, 10);
	while (d->len < whole)
		if (hear(d) < 0)
			return 0;
	return (unsigned)strtoul(d->bytes + 9, NULL, 10); /* HTTP/1.1 200 */
}

unsigned door_ask(struct door *d, const char *method, const char *path, const char *body)
{
	unsigned status = 0;

	if (call(d) == 0 && say(d, method, path, body) == 0)
		status = answer(d);
	if (!status)
		hang_up(d);
	return status;
}

const char *door_body(const struct door *d) { return d->bytes + d->body; }
