/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_begin - when a job is to begin, as people write it: by sbatch's grammar, RFC 3339, or a
 * length of time from now on
 *
 *   16:00, 4:30PM, noon, midnight, teatime   the next time that it is so late, in the zone of the
 *                                            user (TZ)
 *   today, tomorrow, 2026-12-01, 12/01/26, 120126   at 0:00, or with T16:00 or a blank and 16:00
 *   now, now+1hour, now+90 (seconds), 1h30m         from now on
 */
#ifndef FL_CLI_CLIENT_SUBMIT_BEGIN_H
#define FL_CLI_CLIENT_SUBMIT_BEGIN_H

#include <stdbool.h>
#include <time.h>

#include "base/ids.h"

/* The time on the wall. False: it is none of these. */
bool fl_submit_begin(const char *text, time_t now, fl_time *ret);

#endif
