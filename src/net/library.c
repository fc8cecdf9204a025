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
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "net/server.h"
#include "net/server_state.h"

void fl_answer_at_once(int fd, unsigned status, const char *headers, const char *text,
		       const char *hint)
{
	char body[512], answer[1024];
	int n = snprintf(body, sizeof body,
			 "{\"error\":{\"code\":%u,\"text\":\"%s\",\"hint\":\"%s\"}}", status, text,
			 hint);

	n = snprintf(answer, sizeof answer,
		     "HTTP/1.1 %u %s\r\nConnection: close\r\nContent-Type: application/json\r\n"
		     "%sContent-Length: %d\r\n\r\n%s",
		     status, MHD_get_reason_phrase_for(status), headers, n, body);
	(void)send(fd, answer, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

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
	fl_answer_at_once(
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
		status, "", r->text, r->hint);
	return MHD_NO; /* it closes the connection */
}
