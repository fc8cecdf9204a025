/* SPDX-License-Identifier: Apache-2.0 */
/* reason - why a job waits, and how it ended, in words */
#ifndef FL_DAEMON_ENGINE_REASON_H
#define FL_DAEMON_ENGINE_REASON_H

#include "daemon/engine/view.h"

enum { FL_LIVE_REASON = 320 };

/* Why it waits, in one sentence; how it ended. @size: FL_LIVE_REASON is enough. */
const char *fl_live_reason(const struct fl_living *of, const struct fl_live *job, char *buffer,
			   size_t size);
/* How it ended, in words; NULL: not yet, or there is nothing to say. */
const char *fl_live_ending(const struct fl_live *job, char *buffer, size_t size);
/* What became of its last run: "killed by signal 15 (time limit)". */
const char *fl_live_last_run(const struct fl_live *job, char *buffer, size_t size);
/* The part of a reason that all users may see: "impossible: cannot run 'train'" up to the colon. */
const char *fl_live_public(const char *reason, char buffer[FL_LIVE_REASON]);

#endif
