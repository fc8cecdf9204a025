/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt - Ctrl-C and SIGTERM ask for the end, once; a second one is the end */
#ifndef FL_CLI_TERMINAL_INTERRUPT_H
#define FL_CLI_TERMINAL_INTERRUPT_H

#include <stdbool.h>

/* From now on. Who is started ignoring them goes on doing so. */
void fl_interrupt_listen(void);
bool fl_interrupted(void);

#endif
