/* SPDX-License-Identifier: Apache-2.0 */
/* daemon_ask - questions about the state of the daemon */
#ifndef FL_CLI_CLIENT_DAEMON_ASK_H
#define FL_CLI_CLIENT_DAEMON_ASK_H

#include "cli/cli.h"

/* Without an input: explain, tree, plan, what-if and simulate of the daemon's state; exit codes. */
int fl_daemon_explain(const struct fl_options *o);
int fl_daemon_tree(const struct fl_options *o);
int fl_daemon_plan(const struct fl_options *o);
int fl_daemon_what_if(const struct fl_options *o);
int fl_daemon_simulate(const struct fl_options *o);
/* What @configuration in place of the daemon's would change. */
int fl_daemon_difference(const struct fl_options *o, const char *configuration);
/* What what-if says when it has nothing to try. */
extern const char fl_no_change[];

#endif
