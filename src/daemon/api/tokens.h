/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens - they are made, listed and revoked: by users of the socket, and never by a token; and what the
 * caller is
 */
#ifndef FL_DAEMON_API_TOKENS_H
#define FL_DAEMON_API_TOKENS_H

struct fl_call;

/* The caller's user, its token, and what it may do. */
void fl_api_whoami(struct fl_call *call);
void fl_api_token_create(struct fl_call *call);
void fl_api_tokens(struct fl_call *call);
/* By its id, or by its name, which is one of the caller's unless `user` says whose. */
void fl_api_token_revoke(struct fl_call *call);

#endif
