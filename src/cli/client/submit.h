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
	bool remote;              /* it runs on another machine: files of this one are not there */
	char *user;               /* whose job it is there, once that is needed; from malloc */
	struct json_t *spec;
	struct json_t *environment; /* variables that were named */
	bool clean;                 /* none but these */
	bool wait;
	/* What sbatch counts for all tasks, or for each cpu; 0: not given (submit_sbatch.h). */
	fl_amount memory, cpu_memory;
	uint32_t gpus;
	bool as_sbatch;     /* something was asked for by sbatch's options */
	bool sbatch_lines;  /* the options are of #SBATCH lines */
	const char *script; /* whose line is read; NULL: options of the command line */
	uint32_t line;
};

/*
 * Options that were given, laid over what is there: those of a script first, then those of the
 * command line.  Exit code: after a complaint that names the option, or 0.
 */
int fl_submit_options(struct fl_submission *s, const struct fl_options *o);

/*
 * @name as a script: its command (interpreter, the file, @arguments), and before that the options
 * of its #SBATCH lines, and over them those of its #FAIRLEAD lines.  Where the job is remote its text
 * is in the command, as that of standard input.  Exit code.
 */
int fl_submit_script(struct fl_submission *s, const char *name, char **arguments, uint32_t n);
/*
 * The same of standard input.  Its text is in the command: a shell gives it to the interpreter as
 * file descriptor 3.  *ret_empty: there was nothing.
 */
int fl_submit_standard_input(struct fl_submission *s, char **arguments, uint32_t n,
			     bool *ret_empty);

/* Waits until all of @jobs are over; the exit code is that of the first that did not succeed. */
int fl_submit_wait(const struct fl_options *o, const uint64_t *jobs, uint32_t n);

/* A note about an option that does not count, with the line of the script. */
void fl_submit_note(const struct fl_submission *s, const char *format, ...) FL_PRINTF(2, 3);
/* The member @key of the job, made when it is not there. NULL: no memory. */
struct json_t *fl_submit_member(struct fl_submission *s, const char *key,
				struct json_t *(*make)(void));
/* Exit code; @value NULL: no memory. */
int fl_submit_put(struct json_t *object, const char *key, struct json_t *value);
/* "NAME=VALUE", or "NAME" for that of this process. */
int fl_submit_variable(struct fl_submission *s, const char *option, const char *key,
		       const char *word);

/* Prints that memory ran out; FL_EXIT_FAILED. */
int fl_submit_no_memory(void);
/* Prints why a text did not become JSON: not UTF-8, or no memory. @option NULL: not of an option. */
int fl_submit_bad_text(const struct fl_submission *s, const char *option, const char *text);
bool fl_submit_is_utf8(const char *text);

#endif
