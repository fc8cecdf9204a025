/* SPDX-License-Identifier: Apache-2.0 */
/*
 * role_hash - the role of a pod in its group
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_OBJECT_ROLE_HASH_H
#define FL_CODEC_JOBS_OBJECT_ROLE_HASH_H

#include "codec/jobs/object/job.h"

/* The role of a pod in its group: eight digits, or what its annotation says. */
int fl_kjob_role(const struct fl_kjob *job, const char **ret, fairlead_error *err);

#endif
