/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_wait - waiting until a job is over: its events are followed, and after each event its state is
 * read.  The daemon may be stopped and started meanwhile: the job goes on, and the waiting as well.
 */
#ifndef FL_CLI_CLIENT_JOB_WAIT_H
#define FL_CLI_CLIENT_JOB_WAIT_H

#include "cli/client/daemon.h"

struct fl_job_wait {
	struct fl_client *client;
	/* Called for each of its events, the first ones first; NULL: they are not wanted. */
	void (*event)(void *user, const struct json_t *event);
	void *user;
	unsigned without; /* seconds that no daemon was there */
};

/* The job once it is over, for json_decref, also after an error; else *ret stays as it was. */
int fl_job_wait(struct fl_job_wait *w, uint64_t job, struct json_t **ret, fairlead_error *err);
/* The daemon was not there (@err): waits a second, for a minute in all; then the code of *err. */
int fl_job_wait_longer(struct fl_job_wait *w, const fairlead_error *err);

bool fl_job_has_ended(const struct json_t *job);
/* As a shell says it: the status, or 128 and the signal; 1 of one that was cancelled before it ran. */
int fl_job_exit_code(const struct json_t *job);
/* "note: job 17: failed: exited with status 7", to standard error; nothing of one that is done. */
void fl_job_say_how(uint64_t number, const struct json_t *job);

#endif
