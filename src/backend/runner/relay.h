/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_relay - the standard files of an interactive task whose client is elsewhere: pipes or a
 * terminal, which the runner makes as the user of the run, and frames to the client and from it
 * (record/frame.h)
 *
 * The daemon stands between, and may end; then the next one comes (meeting.h).  What the client has not
 * taken is kept, FL_FRAME_WINDOW at most, and sent again; what was typed is counted, so that the client
 * does the same.  So nothing is lost or comes twice.  When so much is kept the task waits, as at a pipe
 * that is not read.
 */
#ifndef FL_BACKEND_RUNNER_RELAY_H
#define FL_BACKEND_RUNNER_RELAY_H

#include <sys/types.h>

#include "backend/local/attempt.h"
#include "record/frame.h"

enum fl_relay_place {
	FL_RELAY_IN, /* our ends of the files: of a terminal twice the same */
	FL_RELAY_OUT,
	FL_RELAY_ERR, /* of a terminal: none */
	FL_RELAY_SOCKET,
	FL_RELAY_LISTENER,
	FL_RELAY_PLACES
};

enum {
	FL_RELAY_READ = 16 * 1024,
	FL_RELAY_KEPT = FL_FRAME_WINDOW,
	FL_RELAY_TYPED = FL_FRAME_WINDOW + FL_RELAY_READ
};

struct fl_relay {
	int epoll; /* readable: fl_relay_turn has work; -1: there is no relay */
	int fds[FL_RELAY_PLACES];
	uint32_t watched[FL_RELAY_PLACES];
	bool terminal;
	uid_t daemon;

	struct fl_frame_reader reader;
	char *typed; /* what the task has not taken yet: as much as a client may send, and more */
	size_t typed_at, typed_end;
	bool in_ended, end_is_typed; /* the client has said so; and the terminal was told */
	bool given_up;               /* what is left will not be read */
	uint64_t taken, told;        /* bytes of input; those of which the client was told */

	char *out;              /* frames */
	size_t kept, sent, end; /* in it: the first that was not taken; where sending goes on */
	size_t frame_end;       /* of the frame that is being sent; `sent`: none is */
	uint64_t kept_at;       /* bytes of output before `kept`, without heads */
	bool resumed;           /* the client has said what it took, on this connection */
	bool tell;              /* the client has to be told what was taken */
	bool blocked;           /* the socket takes no more now */
	unsigned char control[FL_FRAME_TAKEN_BYTES]; /* a frame beside the output */
	size_t control_n, control_at;
};

/*
 * Takes over the socket of the client, and makes the files: *ret are the task's.  FAIRLEAD_EIO.
 */
int fl_relay_open(struct fl_relay *r, const struct fl_attempt_spec *spec, int socket, int ret[3],
		  fairlead_error *err);
/* The tasks go: from now on there are turns. */
void fl_relay_begin(struct fl_relay *r);
void fl_relay_turn(struct fl_relay *r);
/* Is there a daemon, and maybe a client behind it? */
bool fl_relay_is_attended(const struct fl_relay *r);
/* The client will not come back: closes the files, by which a terminal is hung up. */
void fl_relay_hang_up(struct fl_relay *r);
/* The task has ended: the client gets the rest, as long as it takes some of it within @patience. */
void fl_relay_finish(struct fl_relay *r, fl_time patience);

#endif
