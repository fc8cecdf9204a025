/* SPDX-License-Identifier: Apache-2.0 */
/* runner_environment - what a task is called with: the texts of its command, and its environment */
#ifndef FL_BACKEND_RUNNER_ENVIRONMENT_H
#define FL_BACKEND_RUNNER_ENVIRONMENT_H

#include "backend/local/attempt.h"

/*
 * Lists ended by NULL with room for @more behind. NULL: no memory.  Never freed: the process becomes
 * another program next.
 */

/* @ret_n texts in @len bytes, each ended by a NUL. */
char **fl_task_texts(const char *texts, uint32_t len, uint32_t more, uint32_t *ret_n);
/* That of the user, with our variables. */
char **fl_task_environment(const struct fl_attempt_spec *spec, uint32_t task, uint32_t more);

#endif
