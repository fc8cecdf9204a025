/* SPDX-License-Identifier: Apache-2.0 */
/* runner_hooks - commands that the user wants to be run when something happens to the job */
#ifndef FL_BACKEND_RUNNER_RUNNER_HOOKS_H
#define FL_BACKEND_RUNNER_RUNNER_HOOKS_H

#include "backend/runner/runner.h"

/* The process that runs them. */
struct fl_hooks {
	pid_t pid; /* 0: there are none */
	int say;
};

/* Before the tasks are made. */
int fl_hooks_begin(struct fl_hooks *h, const struct fl_tasks *t, fairlead_error *err);
/* What the end of a run is to hooks: a bit of enum fl_hook_event; 0: nothing. */
unsigned fl_hooks_event(const struct fl_attempt_spec *spec, const struct fl_attempt_status *s);
/* Has those that want to hear of @event (0: none) run, and does not wait for them. */
void fl_hooks_tell(const struct fl_hooks *h, unsigned event, const struct fl_attempt_status *s);
/* Waits until they have ended. */
void fl_hooks_end(struct fl_hooks *h);

#endif
