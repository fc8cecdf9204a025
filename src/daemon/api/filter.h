/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter - rows of answers, as a caller that does not see all may have them
 *
 * Names of Workloads that it may not get are left out, and those of LocalQueues of their namespaces;
 * names of ClusterQueues and cohorts, too, unless it may get ClusterQueues.  What is left says of which
 * queue it is, if anything.  Answers that are made of a model are filtered in it (sees.h).
 * Tested in tests/kube/test_people.py.
 */
#ifndef FL_DAEMON_API_FILTER_H
#define FL_DAEMON_API_FILTER_H

#include "daemon/api/call.h"
#include "daemon/engine/people.h"
#include "report/job/agreement.h"

/* @sees NULL below: it sees all, and nothing is changed. */

/* May it get this job, which may have ended a moment ago? */
bool fl_filter_job(const struct fl_daemon *d, const struct fl_sees *sees,
		   const struct fl_live *job);
/* *@ret is what it may have of @row, whose texts it shares; false: nothing. */
bool fl_filter_event(const struct fl_daemon *d, const struct fl_sees *sees,
		     const struct fl_event_row *row, char buffer[FL_PEOPLE_TEXT],
		     struct fl_event_row *ret);
void fl_filter_queues(const struct fl_sees *sees, struct fl_queues_answer *a);
void fl_filter_difference(const struct fl_sees *sees, struct fl_agreement_difference *d);
/* What no admin has acknowledged, which may name queues; NULL. */
const char *fl_filter_warning(const struct fl_call *call);

#endif
