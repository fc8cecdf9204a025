/* SPDX-License-Identifier: Apache-2.0 */
/* signals - what a process that is about to run another program has of signals: none blocked, none ignored */
#ifndef FL_BACKEND_PROCESS_SIGNALS_H
#define FL_BACKEND_PROCESS_SIGNALS_H

#include <signal.h>
#include <stddef.h>

static inline void fl_signals_plain(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

#endif
