/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passage - a port of 127.0.0.1 whose bytes go to the daemon's Unix socket, and back
 *
 * Any user of this machine can connect to the port, and the daemon takes what comes from us for ours.  So
 * each connection to it begins with a request of our own that gives our rights up (daemon/api/page.h), and
 * nothing is passed on before the daemon has said that it did: a daemon that does not know the request, or
 * refuses it, gets no byte of the client.  From then on bytes are copied, and nothing is read into them.
 *
 * Limits: FL_PASSAGE_PAIRS connections, further ones wait; a client that ends its side has ended all of it.
 */
#ifndef FL_CLI_CLIENT_PASSAGE_H
#define FL_CLI_CLIENT_PASSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { FL_PASSAGE_PAIRS = 64 };

struct fl_passage;

/*
 * Listens; @port 0: on a free one, which is *ret_port.  @socket must outlive it.  FAIRLEAD_ESTATE: another
 * process listens there.
 */
int fl_passage_new(const char *socket, uint32_t port, struct fl_passage **ret, uint32_t *ret_port,
		   fairlead_error *err);
struct fl_passage *fl_passage_free(struct fl_passage *r);
/* Waits, and passes on what there is; true: @other, a descriptor, can be read. */
bool fl_passage_turn(struct fl_passage *r, int other);

/* Connects to a Unix socket, without blocking if @flags say so (SOCK_NONBLOCK); -1: errno. */
int fl_passage_connect(const char *socket, int flags);

#endif
