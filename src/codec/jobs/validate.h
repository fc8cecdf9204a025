/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate - what the webhooks reject
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_VALIDATE_H
#define FL_CODEC_JOBS_VALIDATE_H

#include "codec/jobs/object/job.h"

enum fl_kjob_reason fl_kjob_validate(struct fl_kjob *job);

/* Texts of the API: a DNS subdomain; what admission-gated-by may be. */
bool fl_kjob_is_subdomain(const char *text);
bool fl_kjob_is_label(const char *text);
bool fl_kjob_gates_valid(const char *text);

#endif
