/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal - where output goes and how it looks
 */
#ifndef FL_CLI_TERMINAL_TERMINAL_H
#define FL_CLI_TERMINAL_TERMINAL_H

#include "report/out/report.h"

/* Standard output, its width (COLUMNS), and whether there is colour (NO_COLOR, TERM). */
void fl_terminal(struct fl_report *r);

#endif
