/* SPDX-License-Identifier: Apache-2.0 */
/* life_report - what the daemon is told of a run: its begin, its end, and what is odd */
#ifndef FL_BACKEND_LOCAL_LIFE_REPORT_H
#define FL_BACKEND_LOCAL_LIFE_REPORT_H

#include "backend/local/host.h"

/* It could not be started. */
void fl_life_refuse(struct fl_local_run *r, const char *text);
/* It has ended with @status: reports that. */
void fl_life_over(struct fl_local_run *r, const struct fl_attempt_status *status);
/* Reports its state in the next turn of the loop. */
void fl_life_tell(struct fl_local_run *r);
void fl_life_tell_all(uv_async_t *tell);
void fl_life_notice(const struct fl_local_run *r, const char *text);
/* The status of a run that was not started, because of @text. */
struct fl_attempt_status fl_life_not_started(const struct fl_host *h, const char *text);

#endif
