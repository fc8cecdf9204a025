/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library - requests that libmicrohttpd refuses by itself are answered as JSON, like all others
 *
 * To a head that is too large or not HTTP, or to a wrong chunk, the library (0.9.75) answers with a
 * page of HTML, in some cases with its head twice, and has no option to change that.  It passes
 * that page to its own exported function, through the dynamic linker, which finds the definition
 * below first.  Answers of the server have a Content-Type; a page of the library has none.
 *
 * If a later library passes such a page in another way, it stays HTML, and odd_requests of
 * tests/unit/net/test_server.c fails.
 */
#include "net/library.h"

#include <dlfcn.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "net/server.h"
#include "net/server_state.h"

static const struct refusal {
	unsigned status;
	const char *text, *hint;
} refusals[] = {
	{ 400,
	  "this is not an HTTP request: its first line, a header, its length or a chunk is wrong",
	  "see RFC 9112" },
	{ 413, "the request, or a chunk of it, is too large", "send it in several parts" },
	{ 414, "the path and its arguments are too long",
	  "the head of a request has up to 32 KiB" },
	{ 431, "the headers are too large", "the head of a request has up to 32 KiB" },
	{ 505, "this version of HTTP is not supported", "use HTTP 1.0 or 1.1" },
	{ 0, "the request is not valid", "see RFC 9112" },
};

/* Of bytes that fit: an answer. Returns their number. */
enum { ANSWER = 2048 };
static size_t spell(char answer[ANSWER], unsigned status, const char *headers, const char *text,
		    const char *hint)
{
	char *body = fl_problem_json(
		&(struct fl_problem){ .status = status, .text = text, .hint = hint });
	int n = snprintf(answer, ANSWER,
			 "HTTP/1.1 %u %s\r\nConnection: close\r\nContent-Type: " FL_PROBLEM_TYPE
			 "\r\n%sContent-Length: %zu\r\n\r\n%s",
			 status, MHD_get_reason_phrase_for(status), headers,
			 body ? strlen(body) : 0, body ? body : "");

	free(body);
	return (size_t)n;
}

void fl_answer_at_once(int fd, unsigned status, const char *headers, const char *text,
		       const char *hint)
{
	char answer[ANSWER];

	(void)send(fd, answer, spell(answer, status, headers, text, hint),
		   MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* The same through TLS, if the connection has that. */
static void answer_at_once(struct MHD_Connection *connection, const struct refusal *r,
			   unsigned status)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	char answer[ANSWER];

	if (info && info->tls_session)
		(void)gnutls_record_send(info->tls_session, answer,
					 spell(answer, status, "", r->text, r->hint));
	else
		fl_answer_at_once(MHD_get_connection_info(connection,
							  MHD_CONNECTION_INFO_CONNECTION_FD)
					  ->connect_fd,
				  status, "", r->text, r->hint);
}

__attribute__((visibility("default"))) enum MHD_Result MHD_queue_response(
	struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
	static enum MHD_Result (*queue)(struct MHD_Connection *, unsigned, struct MHD_Response *);
	const struct refusal *r = refusals;

	if (!queue)
		*(void **)&queue = dlsym(RTLD_NEXT, "MHD_queue_response");
	if (!queue)
		return MHD_NO;
	if (MHD_get_response_header(response, "Content-Type"))
		return queue(connection, status, response);

	while (r->status && r->status != status)
		r++;
	answer_at_once(connection, r, status);
	return MHD_NO; /* it closes the connection */
}
