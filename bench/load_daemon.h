/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_daemon - a daemon of the bench's own, in a folder of its own, with a company made up
 *
 * Whatever it started is gone after own_end, also when the daemon was killed: orphans become the
 * bench's children.
 */
#ifndef BENCH_LOAD_DAEMON_H
#define BENCH_LOAD_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { QUEUES = 20, COHORTS = 4, RUNNING = 2 };

struct own {
	char root[4096], state[4200], socket[4300], config[4200], program[4200], log[4200];
	pid_t pid;    /* 0: none runs */
	bool network; /* it listens on a port of its choice, with TLS, too; set before own_make */
};

/* A new folder named after @name, with a configuration, also of a port for TLS.  Ends the program where that fails. */
void own_make(struct own *d, const char *name);
/* Until it answers; ms.  A negative one: it did not start. */
double own_start(struct own *d);
/* @signal, until it is gone. */
void own_stop(struct own *d, int signal);
void own_end(struct own *d);

struct own_figures {
	double resident_mb, peak_mb;
	uint64_t switches; /* of all threads, voluntary */
	double cpu_ms;
};
void own_look(const struct own *d, struct own_figures *ret);
/* The peak begins anew; not everywhere can it. */
void own_forget_peak(const struct own *d);

#endif
