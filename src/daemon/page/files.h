/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files - the bytes of the page (web/page), which the daemon serves to every caller
 *
 * They are the same for all, and say nothing about this daemon: they need no token, are there before
 * the daemon is ready, and count as any other request.  The index is asked about again each time;
 * style and script have a hash in their names, and a browser keeps them.
 *
 * The policy that goes with each lets a browser run that one script, use that one style, and ask
 * no other server than this daemon.
 */
#ifndef FL_DAEMON_PAGE_FILES_H
#define FL_DAEMON_PAGE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "net/server.h"

struct fl_page_file {
	const char *path, *type;
	const char *tag; /* its version, for the header ETag */
	const unsigned char *plain;
	size_t plain_len;
	const unsigned char *packed; /* the same by gzip */
	size_t packed_len;
	bool lasts; /* never has other bytes */
};

/* Made by web/page/embed.py. */
extern const struct fl_page_file fl_page_files[];
extern const size_t fl_page_n_files;

/* NULL: this is the path of none. */
const struct fl_page_file *fl_page_file(const char *path);
/* Answers the request, also with 405. */
void fl_page_answer(const struct fl_page_file *file, struct fl_exchange *x,
		    const struct fl_http_request *r);

#endif
