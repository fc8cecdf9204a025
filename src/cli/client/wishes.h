/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wishes - one request about many jobs, and what became of each: cancel, hold, update and the like
 */
#ifndef FL_CLI_CLIENT_WISHES_H
#define FL_CLI_CLIENT_WISHES_H

#include "cli/client/daemon.h"

struct fl_wishes {
	const struct fl_options *options; /* the jobs: operands and options */
	const char *action;               /* the last part of its path: "cancel" */
	struct json_t *body;              /* what it has beside the jobs; used up */
	const char *done;    /* for people, of one job: "job 17 " and this; NULL: its state */
	const char *running; /* behind the state of one that runs; NULL */
};
/*
 * Asks, and prints.  Exit code: 0, also when no job was found; 1 if of one of them it was refused; 2
 * if operands or options are no jobs, or there are none, and nothing was asked.
 */
int fl_wishes_ask(const struct fl_wishes *w);

#endif
