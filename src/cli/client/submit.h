/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit - what `fairlead submit` is made of: options to a job, a script's own options, and waiting
 */
#ifndef FL_CLI_CLIENT_SUBMIT_H
#define FL_CLI_CLIENT_SUBMIT_H

#include "cli/client/daemon.h"

/* A job as it comes together; all texts are copied into the JSON. */
struct fl_submission {
	const struct fl_options *options;
	struct fl_client *client; /* once it is needed */
	struct json_t *spec;
	struct json_t *environment; /* variables that were named */
	bool clean;                 /* none but these */
	bool wait;
};

/*
 * Options that were given, laid over what is there: those of a script first, then those of the
 * command line.  Exit code: after a complaint that names the option, or 0.
 */
int fl_submit_options(struct fl_submission *s, const struct fl_options *o);

/*
 * @name as a script: its command (interpreter, the file, @arguments), and before that the options
 * of its #FAIRLEAD lines.  Exit code.
 */
int fl_submit_script(struct fl_submission *s, const char *name, char **arguments, uint32_t n);

/* Waits until all of @jobs are over; the exit code is that of the first that did not succeed. */
int fl_submit_wait(const struct fl_options *o, const uint64_t *jobs, uint32_t n);

/* Prints that memory ran out; FL_EXIT_FAILED. */
int fl_submit_no_memory(void);
/* Prints why a text did not become JSON: not UTF-8, or no memory. @option NULL: not of an option. */
int fl_submit_bad_text(const char *option, const char *text);
bool fl_submit_is_utf8(const char *text);

#endif
