/* SPDX-License-Identifier: Apache-2.0 */
/* say - what fairleadd says on standard error, and how it ends */
#ifndef FL_DAEMON_START_SAY_H
#define FL_DAEMON_START_SAY_H

#include "base/error.h"

enum { FL_EXIT_YES = 0, FL_EXIT_NO = 1, FL_EXIT_USAGE = 2, FL_EXIT_ENVIRONMENT = 3 };

/* Prints one line: control characters in names are replaced. */
void fl_say_line(void *user, const char *line);
/* The same behind "fairleadd: ". */
void fl_say(const char *text);
/* The error with its place and hint; how to end because of it. */
int fl_say_why(const fairlead_error *err);

#endif
