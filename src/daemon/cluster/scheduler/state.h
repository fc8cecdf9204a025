/* SPDX-License-Identifier: Apache-2.0 */
/* state - the struct of a scheduler; private to the files of its folder */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_STATE_H
#define FL_DAEMON_CLUSTER_SCHEDULER_STATE_H

#include "daemon/cluster/scheduler.h"
#include "daemon/cluster/scheduler/decision_events.h"
#include "daemon/cluster/scheduler/intents.h"
#include "daemon/cluster/scheduler/managed.h"
#include "daemon/cluster/scheduler/refused.h"
#include "daemon/cluster/scheduler/rings.h"
#include "daemon/cluster/scheduler/scheduler.h"
#include "daemon/cluster/scheduler/stopped.h"

enum fl_scheduler_stage {
	FL_SCHEDULER_WAITS,   /* another one leads, or none */
	FL_SCHEDULER_READS,   /* it leads, and lists all anew */
	FL_SCHEDULER_DECIDES, /* while its lease lasts */
};

/*
 * ms in which a write is answered, or its answer not known.  The server gets as long from when it comes: what was sent before
 * the end of what this one believes (10 s) is over before another one can take the Lease (15 s).
 */
enum { FL_SCHEDULER_TIMEOUT = 2500, FL_SCHEDULER_UNSURE = 2 * FL_SCHEDULER_TIMEOUT };
/* So many refusals with no write done in between are told, and then one write is sent in so many ms. */
enum { FL_SCHEDULER_REFUSALS = 10, FL_SCHEDULER_SLOW = 200 };

/* Freed when they are closed. */
struct fl_scheduler_timers {
	uv_timer_t cycle, write;
};

struct fl_scheduler {
	struct fl_scheduler_options o;
	struct fl_cluster_scheduler told;
	struct fl_kube_lease *lease;             /* NULL: not before the first view */
	struct fl_kube_reflector *lease_changes; /* the same */
	enum fl_scheduler_stage stage;
	bool anew; /* it has decided nothing yet since it leads */
	struct fl_managed_all managed;
	struct fl_intents intents;
	struct fl_refused refused;
	struct fl_rings rings;
	struct fl_stopped stopped;
	struct fl_decision_events decision_events;
	struct fl_scheduler_timers *timers;
	uint64_t writes[FL_WRITTENS], tellings[FL_TELLINGS];
	uint64_t due;      /* uv_now: of the first intent that is not under way; UINT64_MAX */
	uint64_t troubled; /* uv_now: since when writes fail that are tried again; 0: they do not */
	char trouble[300], refusal[300];
	uint32_t refusals; /* with no write done in between */
	uint64_t slowed;   /* uv_now: after so many of them nothing is sent before */
	/* cycle.c; uv_now */
	uint64_t looked,
		unsettled; /* when it last might have decided; since when the view lacks something, 0: it does not */
	uint64_t needed; /* the generation that has what it may not decide without */
	bool closing;
	uint64_t close_by; /* uv_now */
	void (*closed)(void *user);
	void *closed_user;
};

static inline int fl_scheduler_intend(struct fl_scheduler *s, struct fl_intent *like,
				      fairlead_error *err)
{
	const uint64_t now = uv_now(s->o.cluster->o.loop);

	like->of = s;
	return fl_intents_replace(&s->intents, like, now, now + FL_SCHEDULER_UNSURE, err);
}

#endif
