/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event - an Event of the API (events.k8s.io/v1) about one of its objects
 *
 * Promises: what is sent is what the API server takes: a name of the letters that it has, and no longer than it may be; a
 * note that is cut where it is longer than FL_KUBE_EVENT_NOTE bytes.  The same name is taken once, so an Event may be sent again.
 *
 * Tested in tests/kube/test_rings.py and tests/kube/test_events.py, against the rules of the API server.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_EVENT_H
#define FL_DAEMON_CLUSTER_SCHEDULER_EVENT_H

#include "kube/client.h"
#include "mirror/mirror.h"

struct fl_scheduler;

enum { FL_KUBE_EVENT_NOTE = 1000 /* bytes; the server takes 1024 */ };

struct fl_kube_event {
	uint64_t number; /* of its name, behind that of the object */
	const char *type, *reason, *action, *note;
	/* What it is about; namespace "": it is in none, and its Events are in `default`. */
	enum fl_mirror_kind kind;
	const char *namespace, *name, *uid;
};

/* What became of one. */
enum fl_kube_event_fate {
	FL_KUBE_EVENT_THERE,   /* it is written, or was before */
	FL_KUBE_EVENT_REFUSED, /* and would be again */
	FL_KUBE_EVENT_UNKNOWN, /* it may be sent again */
};

/* @done as that of fl_kube_ask, and the same errors. */
int fl_kube_event_send(struct fl_scheduler *s, const struct fl_kube_event *e,
		       void (*done)(void *user, const struct fl_kube_answer *answer), void *user,
		       struct fl_kube_call **ret, fairlead_error *err);
enum fl_kube_event_fate fl_kube_event_fate_of(const struct fl_kube_answer *answer);

#endif
