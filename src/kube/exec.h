/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec - runs the plugin that gives credentials, in a loop that goes on turning
 *
 * Never through a shell.  It has a minute (exec.timeout); its output is bounded (base/limits.h); what it says on standard
 * error goes to ours.  One that no person can talk to is in a session of its own, and what it has started
 * ends with it.
 *
 * Tested in tests/unit/kube/test_credentials.c.
 */
#ifndef FL_KUBE_EXEC_H
#define FL_KUBE_EXEC_H

#include <uv.h>

#include "kube/config.h"

struct fl_kube_plugin;

/* @rc 0: fl_kube_credentials has what it gave; else an error.  The plugin ends with it. */
typedef void fl_kube_plugin_done(void *user, int rc, const fairlead_error *err);

/*
 * Runs it once: @done is called once, from the loop.  Not for a configuration whose plugin runs already.
 * FAIRLEAD_EIO: it cannot be started, with how to install it where that is said.
 */
int fl_kube_plugin_run(struct fl_kube_config *c, uv_loop_t *loop, fl_kube_plugin_done *done,
		       void *user, struct fl_kube_plugin **ret, fairlead_error *err);

/*
 * Before @done: kills it, and @done is not called.  Its handles are closed in the next turns of the loop,
 * once the system has told the end of the process.
 */
struct fl_kube_plugin *fl_kube_plugin_stop(struct fl_kube_plugin *p);

#endif
