/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_usage - what KAI's scheduler asks a Prometheus for, answered from the history
 *
 * Promise: the forms of codec/kai/usage_query.h are answered by a vector, whose values are the exact
 * integrals divided by the step; anything else is 400, in the form of a Prometheus.  A queue above
 * others has what the queues below it now held, as KAI's metrics have it.  Queues that held nothing
 * have no row.  The capacity has one row, or none where nothing is known of that time.
 *
 * Limits: one question at a time reads the store, on a thread; FL_KAI_USAGE_WAITING wait for it, others
 * get 503.  What began to hold in the last moments, before it is on the disk, is not counted yet.
 * Tested by tests/daemon/test_kai_usage.py.
 */
#ifndef FL_DAEMON_API_KAI_USAGE_H
#define FL_DAEMON_API_KAI_USAGE_H

#include "daemon/api/call.h"

enum { FL_KAI_USAGE_WAITING = 32 };

void fl_api_kai_query(struct fl_call *call);
void fl_api_kai_query_by_form(struct fl_call *call);
void fl_api_kai_query_range(struct fl_call *call);
void fl_api_kai_query_range_by_form(struct fl_call *call);

/* At the end of the API; no question is under way. */
void fl_api_kai_usage_free(struct fl_api *a);

#endif
