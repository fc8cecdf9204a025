/* SPDX-License-Identifier: Apache-2.0 */
/* client_state - what a client consists of; private to net */
#ifndef FL_NET_CLIENT_STATE_H
#define FL_NET_CLIENT_STATE_H

#include <stdbool.h>
#include <sys/un.h>

#include "net/client.h"
#include "net/loaded/curl.h"

struct fl_client {
	struct fl_curl curl;
	CURL *easy;
	char socket[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* where the URL is "" */
	struct fl_remote remote;                                  /* its texts are below */
	char *authorization;                                      /* the header; NULL: none */
	char match[64]; /* a header of what is not GET; "": none */
	char *ca_file;  /* NULL: those of the system */
	bool distrusts; /* the server, as its last request said */
};

/*
 * Options of a request to @path, as far as all of them are the same; *ret_url is freed behind it.
 * FAIRLEAD_EIO: the server has another certificate than the one that was named.
 */
int fl_client_prepare(struct fl_client *c, CURL *easy, const char *path, char **ret_url,
		      fairlead_error *err);

#endif
