/* SPDX-License-Identifier: Apache-2.0 */
/* options - the command line of fairleadd */
#ifndef FL_DAEMON_START_OPTIONS_H
#define FL_DAEMON_START_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fl_start_options {
	const char *config, *state, *socket, *restore, *account;
	uid_t first, last; /* users whose jobs are run */
	bool check, verify, adopt_runs, root_jobs;
	bool cluster;   /* watches one, and runs no jobs */
	bool schedules; /* --role scheduler: decides there */
	const char *context, *kubeconfig, *namespace, *identity;
	uint32_t qps; /* requests a second to its API server; 0: as usual */
};

/* An exit code, with what was to be said; or -1: go on. */
int fl_start_parse(int argc, char **argv, struct fl_start_options *o);

#endif
