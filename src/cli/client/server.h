/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server - which daemon is asked, and with which token: options first, then the environment, then what
 * `fairlead login` has written, and else the socket of this machine
 *
 * The token and the trust that login has written are for its own server: another one that an option or
 * the environment names gets neither.
 */
#ifndef FL_CLI_CLIENT_SERVER_H
#define FL_CLI_CLIENT_SERVER_H

#include "cli/cli.h"
#include "net/remote.h"

struct fl_server_choice {
	struct fl_remote remote; /* its url is "": the socket is asked */
	const char *socket;      /* NULL: where it usually is */
	char *token, *ca_file;   /* those of remote, from malloc */
	/* Where the address stood: "--server", "FAIRLEAD_SERVER", or the path of login's file. */
	char from[4096];
};

int fl_server_choose(const struct fl_options *o, struct fl_server_choice *ret, fairlead_error *err);
/* The daemon is asked over the network; false also where it is not known, which asking it will tell. */
bool fl_server_is_remote(const struct fl_options *o);
void fl_server_done(struct fl_server_choice *s);

#endif
