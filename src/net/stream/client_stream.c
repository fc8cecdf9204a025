/* SPDX-License-Identifier: Apache-2.0 */
#include "net/stream/client_stream.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "net/client_failure.h"

enum { ANSWER_MS = 10000, HEAD = 16 * 1024 };

struct fl_client_stream {
	struct fl_client *client;
	CURL *easy;
	curl_socket_t socket;
	char text[HEAD + 1]; /* of the answer, and bytes behind its head that came with it */
	size_t at, n;
	int64_t deadline; /* of the head of the answer, ms */
};

struct fl_client_stream *fl_client_stream_free(struct fl_client_stream *s)
{
	if (s && s->easy)
		s->client->curl.easy_cleanup(s->easy);
	free(s);
	return NULL;
}

int fl_client_stream_descriptor(const struct fl_client_stream *s) { return s->socket; }

static ssize_t result(CURLcode code, size_t n)
{
	if (code == CURLE_AGAIN)
		return 0;
	return code == CURLE_OK && n > 0 ? (ssize_t)n : -1;
}

ssize_t fl_client_stream_read(struct fl_client_stream *s, char *bytes, size_t room)
{
	size_t n = s->n - s->at;

	if (n == 0) {
		CURLcode code = s->client->curl.easy_recv(s->easy, bytes, room, &n);

		return result(code, n);
	}
	n = n < room ? n : room;
	memcpy(bytes, s->text + s->at, n);
	s->at += n;
	return (ssize_t)n;
}

ssize_t fl_client_stream_write(struct fl_client_stream *s, const char *bytes, size_t len)
{
	size_t n = 0;
	CURLcode code = s->client->curl.easy_send(s->easy, bytes, len, &n);

	return result(code, n);
}

/* --- the request and the head of its answer --- */

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool wait_for(const struct fl_client_stream *s, short events)
{
	struct pollfd p = { .fd = s->socket, .events = events };
	int n;

	do {
		int64_t left = s->deadline - now_ms();

		n = left > 0 ? poll(&p, 1, (int)left) : 0;
	} while (n < 0 && errno == EINTR);
	return n == 1;
}

static CURLcode send_all(struct fl_client_stream *s, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = fl_client_stream_write(s, text, len);

		if (n < 0)
			return CURLE_SEND_ERROR;
		if (n == 0 && !wait_for(s, POLLOUT))
			return CURLE_OPERATION_TIMEDOUT;
		text += n;
		len -= (size_t)n;
	}
	return CURLE_OK;
}

/* Reads until @len bytes are there, or with 0 a whole head. */
static CURLcode receive(struct fl_client_stream *s, size_t len)
{
	while (len ? s->n < len : !strstr(s->text, "\r\n\r\n")) {
		size_t n = 0;
		CURLcode code = s->n == HEAD ? CURLE_RECV_ERROR :
					       s->client->curl.easy_recv(s->easy, s->text + s->n,
									 HEAD - s->n, &n);

		if (code == CURLE_AGAIN && !wait_for(s, POLLIN))
			return CURLE_OPERATION_TIMEDOUT;
		if (code != CURLE_AGAIN && (code != CURLE_OK || n == 0))
			return CURLE_RECV_ERROR;
		s->n += n;
		s->text[s->n] = '\0';
	}
	return CURLE_OK;
}

static CURLcode ask(struct fl_client_stream *s, const char *path, const char *protocol)
{
	const struct fl_client *c = s->client;
	char *text;
	int n = asprintf(&text,
			 "POST %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: %s\r\n"
			 "Content-Length: 0\r\n%s%s\r\n",
			 path, strstr(c->remote.url, "://") + 3, protocol,
			 c->authorization ? c->authorization : "", c->authorization ? "\r\n" : "");
	if (n < 0)
		return CURLE_OUT_OF_MEMORY;
	s->deadline = now_ms() + ANSWER_MS;
	CURLcode code = send_all(s, text, (size_t)n);
	explicit_bzero(text, (size_t)n);
	free(text);
	return code == CURLE_OK ? receive(s, /* len= */ 0) : code;
}

static size_t length_of(const char *head)
{
	const char *at = strcasestr(head, "\r\nContent-Length:");

	return at ? strtoul(at + sizeof "\r\nContent-Length:" - 1, NULL, 10) : 0;
}

/* Another answer than that it becomes a stream. */
static CURLcode take_refusal(struct fl_client_stream *s, unsigned status, struct fl_answer *ret)
{
	size_t head = (size_t)(strstr(s->text, "\r\n\r\n") + 4 - s->text);
	size_t len = length_of(s->text);
	CURLcode code = len < HEAD - head ? receive(s, head + len) : CURLE_RECV_ERROR;

	if (code != CURLE_OK)
		return code;
	char *body = malloc(len + 1);
	if (!body)
		return CURLE_OUT_OF_MEMORY;
	memcpy(body, s->text + head, len);
	body[len] = '\0';
	*ret = (struct fl_answer){ status, body, len };
	return CURLE_OK;
}

/* *ret_status 101: it is one. */
static CURLcode begin(struct fl_client_stream *s, const char *path, const char *protocol,
		      unsigned *ret_status, struct fl_answer *ret_refusal)
{
	CURLcode code = ask(s, path, protocol);

	if (code != CURLE_OK)
		return code;
	if (sscanf(s->text, "HTTP/%*u.%*u %u", ret_status) != 1)
		return CURLE_RECV_ERROR;
	s->at = (size_t)(strstr(s->text, "\r\n\r\n") + 4 - s->text);
	return *ret_status == 101 ? CURLE_OK : take_refusal(s, *ret_status, ret_refusal);
}

static CURLcode connect_to(struct fl_client_stream *s)
{
	const struct fl_curl *curl = &s->client->curl;

	curl->easy_setopt(s->easy, CURLOPT_CONNECT_ONLY, 1L);
	curl->easy_setopt(s->easy, CURLOPT_FRESH_CONNECT, 1L);
	CURLcode code = curl->easy_perform(s->easy);
	if (code == CURLE_OK)
		code = curl->easy_getinfo(s->easy, CURLINFO_ACTIVESOCKET, &s->socket);
	return code;
}

int fl_client_stream_open(struct fl_client *c, const char *path, const char *protocol,
			  struct fl_client_stream **ret, struct fl_answer *ret_refusal,
			  fairlead_error *err)
{
	struct fl_client_stream *s = calloc(1, sizeof *s);
	unsigned status = 0;
	char *url = NULL;
	int rc;

	*ret = NULL;
	*ret_refusal = (struct fl_answer){ 0 };
	if (!s)
		return fl_fail_nomem(err);
	s->client = c;
	s->easy = c->curl.easy_init();
	rc = s->easy ? fl_client_prepare(c, s->easy, path, &url, err) : fl_fail_nomem(err);
	if (rc == 0) {
		CURLcode code = connect_to(s);

		if (code == CURLE_OK)
			code = begin(s, path, protocol, &status, ret_refusal);
		if (code != CURLE_OK)
			rc = fl_client_failed(c, code, /* writes= */ false, err);
	}
	free(url);
	if (rc == 0 && status == 101)
		*ret = s;
	else
		fl_client_stream_free(s);
	return rc;
}
