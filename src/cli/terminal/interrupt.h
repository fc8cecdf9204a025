/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt - the first Ctrl-C or SIGTERM asks for the end, a second one ends the process */
#ifndef FL_CLI_TERMINAL_INTERRUPT_H
#define FL_CLI_TERMINAL_INTERRUPT_H

#include <stdbool.h>

/* From now on. A signal that was ignored when the process started stays ignored. */
void fl_interrupt_listen(void);
bool fl_interrupted(void);

#endif
