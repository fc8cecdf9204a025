/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pty - a terminal for a job: what is typed at ours goes to it, what is printed at it comes to ours
 *
 * While it is on, ours passes each key on, also Ctrl-C and Ctrl-Z, which are then of the job's terminal;
 * fl_pty_off puts it back, and has to be called before any exit.
 */
#ifndef FL_CLI_TERMINAL_PTY_H
#define FL_CLI_TERMINAL_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct fl_pty {
	int master, slave; /* -1: closed */
	struct termios before;
	bool is_terminal, on; /* standard input is one; its keys are passed on */
	bool in_ended;        /* nothing more comes from standard input */
	bool out_ended;       /* nothing more is printed at it, or nothing can be at ours */
	char typed[4096];     /* what it has not taken yet */
	size_t at, n;
};

/* With the size and the settings of ours. -1: errno. */
int fl_pty_open(struct fl_pty *p);
/* There is none here, as the job runs elsewhere: our own terminal alone. */
void fl_pty_open_far(struct fl_pty *p);
/* The job has it: its slave is closed here. */
void fl_pty_on(struct fl_pty *p);
void fl_pty_off(struct fl_pty *p);
void fl_pty_close(struct fl_pty *p);
/* It becomes as large as ours. */
void fl_pty_resize(const struct fl_pty *p);
/* Standard input has something, or the terminal takes more. */
void fl_pty_type(struct fl_pty *p);
/* What is printed at it, to standard output. false: nothing now. */
bool fl_pty_print(struct fl_pty *p);
/* The job has ended: the rest of what was printed. */
void fl_pty_drain(struct fl_pty *p);

#endif
