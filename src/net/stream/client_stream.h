/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_stream - a request over the network whose connection becomes a stream of bytes in both
 * directions (HTTP Upgrade), beside other requests of the same client
 */
#ifndef FL_NET_STREAM_CLIENT_STREAM_H
#define FL_NET_STREAM_CLIENT_STREAM_H

#include <sys/types.h>

#include "net/client.h"

struct fl_client_stream;

/*
 * POSTs @path, and waits for the answer.  0 with *ret NULL: it is another one, in *ret_refusal, for
 * fl_answer_done.  FAIRLEAD_EIO: no daemon, or it is not trusted.
 */
int fl_client_stream_open(struct fl_client *c, const char *path, const char *protocol,
			  struct fl_client_stream **ret, struct fl_answer *ret_refusal,
			  fairlead_error *err);
struct fl_client_stream *fl_client_stream_free(struct fl_client_stream *s);

/* To wait on.  When it can be read, read until nothing is there: TLS may have more than the socket. */
int fl_client_stream_descriptor(const struct fl_client_stream *s);
/* Bytes; 0: nothing now; -1: the other side has ended it. */
ssize_t fl_client_stream_read(struct fl_client_stream *s, char *bytes, size_t room);
/* The same; what was not taken has to be given first again. */
ssize_t fl_client_stream_write(struct fl_client_stream *s, const char *bytes, size_t len);

#endif
