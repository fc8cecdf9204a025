/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach - the clients of interactive jobs: a job starts when one is attached, and is cancelled when
 * that one leaves
 *
 * A client is a socket: its own connection, or of one that is elsewhere a socket of ours behind which it
 * is.  What it sends, the standard files of the job's task, is never read here: the socket is passed to
 * the run, whose user takes them.  So no descriptor of a user is
 * ever one of this process, where closing it could block.
 *
 * A job without a client for FL_ATTACH_SECONDS, after its submission or a start of the daemon, is
 * cancelled; until then it waits, also when it was admitted.
 */
#ifndef FL_DAEMON_MACHINE_ATTACH_H
#define FL_DAEMON_MACHINE_ATTACH_H

#include "daemon/machine/core.h"

enum { FL_ATTACH_SECONDS = 15 };

/*
 * @socket stays the caller's, and open until fl_core_detach.  FAIRLEAD_ESTATE: the job has ended, or a
 * client is attached to it; FAIRLEAD_EINPUT: it is not interactive.
 */
int fl_core_attach(struct fl_core *c, uint64_t job, int socket, fairlead_error *err);
/* The same errors, and nothing changes. */
int fl_core_check_attach(const struct fl_core *c, uint64_t job, fairlead_error *err);
/* @leaves: the client has left, and its job is cancelled; else the daemon ends, and it may come back. */
void fl_core_detach(struct fl_core *c, uint64_t job, bool leaves);

/* Was a run started with the socket of its client?  Not if one began under an earlier daemon. */
bool fl_core_has_given(const struct fl_core *c, uint64_t job);

/* --- for the other files of machine --- */

/* An interactive job that has not ended. */
struct fl_attended {
	uint64_t job;
	int socket;            /* of its client; -1: it has none */
	bool given;            /* a run was started with that socket */
	uint64_t since;        /* it has none; ns of the loop */
	bool due;              /* it was admitted, and starts when it has one, */
	enum fl_before before; /* as this */
};

/* From now on a client may attach to it. */
int fl_core_await_client(struct fl_core *c, uint64_t job, fairlead_error *err);
/* The socket of its client; -1: none, and fl_core_start is called again when there is one. */
int fl_core_client_for_start(struct fl_core *c, uint64_t job, enum fl_before before);
/* It was admitted and waits for its client: it does so no more. */
bool fl_core_give_up_start(struct fl_core *c, uint64_t job);
int fl_core_begin_attach(struct fl_core *c, fairlead_error *err);

#endif
