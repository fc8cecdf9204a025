/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decision_events - Events about Workloads that were evicted, or admitted, where the Daemon document wants them (`events`)
 *
 * One in the namespace of the Workload, once the API shows what was decided.  Reasons are those of Kueue's scheduler, and
 * the note of an eviction is the message of its condition.
 *
 * Guarantees: no Event is sent while a decision is to be written or its write is not answered, and one at a time, so a decision waits for one
 * Event at most; no more are sent a second than the options say.  FL_MAX_KUBE_EVENTS wait, and further ones are left out.  One
 * that is refused, or was sent three times without an answer that it was taken, is left out.  All are counted, and the log says when
 * some are left out.
 *
 * Cannot: tell of what the API shows after another one leads, or of what waits when this one ends.
 *
 * Tested in tests/kube/test_events.py.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_DECISION_EVENTS_H
#define FL_DAEMON_CLUSTER_SCHEDULER_DECISION_EVENTS_H

#include "daemon/cluster/scheduler/intents.h"

struct fl_decision_event;

struct fl_decision_events {
	struct fl_decision_event *first, *last; /* in the order of what they tell */
	uint32_t n;
	struct fl_kube_call *call; /* of the first; NULL: none is under way */
	uint64_t from, not_before; /* uv_now */
	uint32_t sent;             /* since the second `from` began */
	uint64_t left_out;         /* since none waited */
	bool refused;              /* one was, which is in the log */
};

/* The API shows @o, of which @intent was decided. It is nothing where that is not its doing, or no Event is wanted. */
void fl_decision_events_put(struct fl_scheduler *s, const struct fl_intent *intent,
			    const struct fl_mirror_object *o);
/* Sends the next one, if one may be sent now. */
void fl_decision_events_send(struct fl_scheduler *s);
/* It leads no more: all that wait are left out. */
void fl_decision_events_stop(struct fl_scheduler *s);
void fl_decision_events_done(struct fl_decision_events *e);

#endif
