/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page - how a browser comes to the rights of a caller (page/pages.h), and what its token may do then
 *
 * Over TCP the browser asks the daemon itself.  On this machine `fairlead page` listens on a port of
 * loopback, and passes on what comes there, byte by byte, over the Unix socket.  There every user of the
 * machine can connect, so the command must not lend its own rights, which the kernel tells.  Before it
 * passes on a first byte it gives them up (fl_api_page_relay): from then on the connection is to the
 * daemon what one of TCP is, with the same checks of Host, Origin and token, by the same code.  The
 * command reads no request, so it cannot be made to misread one.
 */
#ifndef FL_DAEMON_API_PAGE_H
#define FL_DAEMON_API_PAGE_H

#include "daemon/api/api.h"
#include "daemon/page/pages.h"

struct fl_call;

/* A code for the rights of the caller; with `hold` its page ends with the answer, a stream. */
void fl_api_page_code(struct fl_call *call);
/* The token for a code. */
void fl_api_page_token(struct fl_call *call);
/* Ends the page of the caller. */
void fl_api_page_end(struct fl_call *call);
/* Of the socket: this connection is a relay's from now on. */
void fl_api_page_relay(struct fl_call *call);

/*
 * The principal that a page's token stands for.  FAIRLEAD_ENOENT: the token is none of a page; other
 * errors as those of a token.
 */
int fl_api_page_bearer(struct fl_api *a, const char *secret, struct fl_principal *ret);
/* Would that begin to ask the cluster about it? */
bool fl_api_page_is_new(const struct fl_api *a, const char *secret);
/* Of a stream that is open: may the page ask still?  Also true for a caller without one. */
bool fl_api_page_is_still(const struct fl_api *a, const struct fl_principal *who);

#endif
