/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach - the connection of a client to its interactive job
 *
 * As long as it is open the job goes on; when it is closed the daemon cancels the job.  The daemon says
 * the state of the job on it, in lines; descriptors are sent on it, which the job gets.  Over the network
 * what the job reads and writes is on it, too (far.h).
 */
#ifndef FL_CLI_CLIENT_ATTACH_H
#define FL_CLI_CLIENT_ATTACH_H

#include "cli/client/daemon.h"
#include "cli/client/far.h"
#include "record/job.h"

struct fl_attach {
	struct fl_client *client;
	struct fl_far *far; /* the job runs elsewhere; NULL: on this machine */
	int socket;         /* -1: closed */
	char text[4096];
	size_t len;
	bool has_head;
	unsigned status;         /* of the answer */
	enum fl_job_state state; /* the last that was heard; FL_JOB_STATES: none */
};

/*
 * Connects to the daemon that @c asks, and asks; a->far stays.  FAIRLEAD_EIO: no daemon is there.  Over
 * the network also what fl_attach_hear gives.
 */
int fl_attach_open(struct fl_attach *a, struct fl_client *c, uint64_t job, fairlead_error *err);
void fl_attach_close(struct fl_attach *a);

enum fl_heard {
	FL_HEARD_NOTHING, /* now; there may be more later */
	FL_HEARD_STATE,   /* `state` is another one; call again */
	FL_HEARD_END,     /* the daemon has closed the connection */
};
/* Does not wait.  FAIRLEAD_EINPUT, EIO: the daemon refuses, and says why. */
int fl_attach_hear(struct fl_attach *a, fairlead_error *err);
/* The state in such a line; FL_JOB_STATES: there is none. */
enum fl_job_state fl_attach_state(const char *line, size_t len);
/* The standard files of the job, of this machine.  -1: errno. */
int fl_attach_send(const struct fl_attach *a, const int files[3]);

#endif
