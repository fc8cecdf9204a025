/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/page/files.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
	"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const struct fl_page_file *fl_page_file(const char *path)
{
	for (size_t i = 0; i < fl_page_n_files; i++)
		if (strcmp(fl_page_files[i].path, path) == 0)
			return &fl_page_files[i];
	return NULL;
}

/* Has a list of the header one that is @wanted, or "*"?  Its parameters are *ret_more. */
static bool lists(const char *list, const char *wanted, const char **ret_more)
{
	size_t n = strlen(wanted);

	for (const char *at = list; at && *at; at += strcspn(at, ",")) {
		at += strspn(at, " \t,");

		size_t len = strcspn(at, ",; \t");

		*ret_more = at + len;
		if ((len == 1 && *at == '*') || (len == n && strncasecmp(at, wanted, n) == 0))
			return true;
	}
	return false;
}

/* Two tags are compared as weak ones (RFC 9110, section 8.8.3.2). */
static bool is_known(const struct fl_page_file *file, const struct fl_http_request *r)
{
	const char *known = fl_request_header(r, "If-None-Match"), *more;

	return lists(known, file->tag, &more) || lists(known, file->tag + 2, &more);
}

/* "gzip;q=0" is not gzip. */
static bool takes_packed(const struct fl_http_request *r)
{
	const char *more;

	if (!lists(fl_request_header(r, "Accept-Encoding"), "gzip", &more))
		return false;
	more += strspn(more, "; \t");
	return strncasecmp(more, "q=", 2) != 0 || strtod(more + 2, NULL) > 0;
}

void fl_page_answer(const struct fl_page_file *file, struct fl_exchange *x,
		    const struct fl_http_request *r)
{
	bool packed = takes_packed(r);

	if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0) {
		fl_exchange_header_constant(x, "Allow", "GET, HEAD");
		fl_exchange_fail(x, 405, "this path does not have this method", NULL);
		return;
	}
	fl_exchange_header_constant(x, "Content-Security-Policy", policy);
	fl_exchange_header_constant(x, "X-Content-Type-Options", "nosniff");
	fl_exchange_header_constant(x, "Referrer-Policy", "no-referrer");
	fl_exchange_header_constant(x, "Cross-Origin-Opener-Policy", "same-origin");
	fl_exchange_header_constant(x, "Cross-Origin-Resource-Policy", "same-origin");
	fl_exchange_header_constant(x, "Cache-Control",
				    file->lasts ? "public, max-age=31536000, immutable" :
						  "no-cache");
	fl_exchange_header_constant(x, "ETag", file->tag);
	fl_exchange_header_constant(x, "Vary", "Accept-Encoding");
	if (is_known(file, r)) {
		fl_exchange_answer(x, 304, file->type, "", 0);
		return;
	}
	if (packed)
		fl_exchange_header_constant(x, "Content-Encoding", "gzip");
	fl_exchange_answer(x, 200, file->type, (const char *)(packed ? file->packed : file->plain),
			   packed ? file->packed_len : file->plain_len);
}
