/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api - the routes of the socket: from requests to the core and back
 *
 * doc/guide/api.md has each route.  An answer of success is sent only when the change is durable.
 */
#ifndef FL_DAEMON_API_API_H
#define FL_DAEMON_API_API_H

#include "daemon/config/access.h"
#include "daemon/config/listen.h"
#include "daemon/engine/daemon.h"

struct fl_api;
struct fl_core;   /* machine/core.h */
struct fl_people; /* engine/people.h */

struct fl_api_options {
	uv_loop_t *loop;
	struct fl_daemon *daemon;
	struct fl_core *core;     /* of a machine; NULL: the daemon of a cluster */
	struct fl_people *people; /* of a cluster: whose a token is */
	const char *path;         /* mode of the socket */
	int fd;                   /* a socket that listens already; -1: none */
	bool made;                /* it was made for this daemon: its file is removed at the end */
	const char *state;        /* its folder; absolute */
	/* The configuration of this start, which has these addresses; only for fl_api_new. */
	const struct fl_config *config;
	const struct fl_listening *listening; /* on TCP; the sockets become the API's */
	struct fl_access_runs runs;
};

/* Listens. FAIRLEAD_ESTATE: another process listens there; FAIRLEAD_EIO. */
int fl_api_new(const struct fl_api_options *options, struct fl_api **ret, fairlead_error *err);
/*
 * Takes no more requests, ends streams, answers open requests, then calls @closed; freed by then.
 */
void fl_api_close(struct fl_api *a, void (*closed)(void *user), void *user);

#endif
