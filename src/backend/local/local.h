/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local - the backend that runs jobs as processes of this machine, each with a runner beside it
 */
#ifndef FL_BACKEND_LOCAL_LOCAL_H
#define FL_BACKEND_LOCAL_LOCAL_H

#include "backend/backend.h"

/*
 * Variable of the environment: the soft limit of open files for runs, if that of this process
 * differs.
 */
#define FL_RUNNER_FILES "FAIRLEAD_FILES"

extern const struct fl_backend_ops fl_local_backend;

#endif
