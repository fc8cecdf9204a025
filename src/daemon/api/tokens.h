/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens - they are made, listed and revoked: by users of the socket, and never by a token; and what the
 * caller is
 */
#ifndef FL_DAEMON_API_TOKENS_H
#define FL_DAEMON_API_TOKENS_H

#include <stdbool.h>

struct fl_api;
struct fl_call;
struct fl_principal;
struct json_t; /* of jansson */

/* The caller's user, its token, and what it may do. */
void fl_api_whoami(struct fl_call *call);
/* Adds its user, role, and queues: those that its token names, or null. False: no memory. */
bool fl_api_add_rights(const struct fl_api *a, const struct fl_principal *who, struct json_t *json);
void fl_api_token_create(struct fl_call *call);
void fl_api_tokens(struct fl_call *call);
/* By its id, or by its name, which is one of the caller's unless `user` says whose. */
void fl_api_token_revoke(struct fl_call *call);

#endif
