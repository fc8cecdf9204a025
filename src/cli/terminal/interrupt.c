/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t asked;

static void ask(int number)
{
	if (asked) {
		signal(number, SIG_DFL);
		raise(number);
	}
	asked = 1;
}

void fl_interrupt_listen(void)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = ask }, old;

	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

bool fl_interrupted(void) { return asked; }
