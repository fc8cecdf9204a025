/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for jobs to end, and how that is told to a shell.
 */
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/job_wait.h"
#include "cli/client/submit.h"

/* What Ctrl-C prints; made before a signal can come. */
static char farewell[256];
static volatile sig_atomic_t farewell_len;

static void leave(int number)
{
	ssize_t unused = write(STDERR_FILENO, farewell, (size_t)farewell_len);

	(void)unused;
	_exit(128 + number);
}

static void listen_for_leave(const uint64_t *jobs, uint32_t n)
{
	struct sigaction action = { .sa_handler = leave };
	char more[64] = "";

	if (n > 1)
		snprintf(more, sizeof(more), " and %" PRIu32 " more", n - 1);
	farewell_len = snprintf(farewell, sizeof(farewell),
				"\nfairlead: job %" PRIu64 "%s %s on; fairlead job %" PRIu64
				" shows it, fairlead cancel %" PRIu64 " ends it\n",
				jobs[0], more, n > 1 ? "go" : "goes", jobs[0], jobs[0]);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int fl_submit_wait(const struct fl_options *o, const uint64_t *jobs, uint32_t n)
{
	struct fl_job_wait w = { 0 };
	fairlead_error err = { 0 };
	int code = 0, rc;

	listen_for_leave(jobs, n);
	rc = fl_daemon_open(o, &w.client, &err);
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		json_t *answer = NULL;

		rc = fl_job_wait(&w, jobs[i], &answer, &err);
		if (rc < 0)
			break;
		fl_job_say_how(jobs[i], answer);
		code = code ? code : fl_job_exit_code(answer);
		json_decref(answer);
	}
	fl_client_free(w.client);
	return rc < 0 ? fl_complain(&err) : code;
}
