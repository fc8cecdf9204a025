/* SPDX-License-Identifier: Apache-2.0 */
/* submit_make - from options and a command to a job that is submitted */
#ifndef FL_CLI_CLIENT_SUBMIT_MAKE_H
#define FL_CLI_CLIENT_SUBMIT_MAKE_H

#include "cli/client/submit.h"

/* @words as the command of the job. Exit code. */
int fl_submit_command(struct fl_submission *s, char **words, uint32_t n);
/*
 * What is left once options and command are known: places, environment, and what only the daemon
 * knows.  The job is then one that the daemon takes, as far as that can be checked here. Exit code.
 */
int fl_submit_complete(struct fl_submission *s);
/* Submits it; @ret: the answer, for json_decref. Exit code. */
int fl_submit_send(struct fl_submission *s, struct json_t **ret);
/* Prints the warnings of that answer. */
void fl_submit_notes(const struct json_t *answer);

#endif
