/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manage - is an object Kueue's: its integration, its namespace, and what is above it
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_MANAGE_H
#define FL_CODEC_JOBS_MANAGE_H

#include "codec/jobs/object/job.h"

enum fl_kjob_above { FL_KJOB_NO_ANCESTOR, FL_KJOB_ANCESTOR, FL_KJOB_ANCESTOR_MISSING };

bool fl_kjob_enabled(const struct fl_kjobs_run *run, uint32_t kind);

/* The pod integration is on only because one that needs it is. */
bool fl_kjob_pods_implied(const struct fl_kjobs_run *run);

/* The object above @job that has the Workload; *ret may be set with FL_KJOB_ANCESTOR only. */
enum fl_kjob_above fl_kjob_ancestor(const struct fl_kjob *job, const struct fl_kjobs_row **ret);

/* Its controller is of an enabled integration. */
bool fl_kjob_owner_kind_managed(const struct fl_kjob *job);
bool fl_kjob_namespace_matches(const struct fl_kjobs_run *run, const char *namespace);

#endif
