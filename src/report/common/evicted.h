/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evicted - how a workload lost its quota the last time: when, for which other workload, by which rule
 *
 * It is what was recorded then, by Kueue in conditions or by the daemon in events; only shares and
 * what has become of the preemptor are of now.  Texts are those of the caller.
 */
#ifndef FL_REPORT_COMMON_EVICTED_H
#define FL_REPORT_COMMON_EVICTED_H

#include "report/out/shape.h"

/* What the preemptor does now. */
enum fl_preemptor_now {
	FL_PREEMPTOR_UNKNOWN, /* it is not known which workload it is */
	FL_PREEMPTOR_GONE,    /* it is not in the input, or has ended */
	FL_PREEMPTOR_WAITS,
	FL_PREEMPTOR_HOLDS,    /* quota */
	FL_PREEMPTOR_EXCLUDED, /* finished, or takes no part */
};

struct fl_evicted {
	fl_time at;                /* FL_TIME_NONE: not known */
	const char *reason;        /* "Preempted", "PodsReadyTimeout", ... */
	bool over;                 /* it was admitted again since */
	bool preempted;            /* for another workload: the rest is about that */
	const char *rule;          /* "InCohortReclamation"; "": not known */
	const char *uid, *job_uid; /* of the preemptor, and of its job; "": not known */
	uint64_t job;              /* the daemon's: its number; 0: none */
	struct fl_workload by;     /* FL_NONE: not in the model */
	const char *queue;         /* its ClusterQueue, then or now; "": not known */
	enum fl_preemptor_now now;
	/* Where fair shares count: those of both sides, below the nearest common cohort; first its own. */
	struct fl_evicted_side {
		struct fl_node node;
		struct fl_share share;
	} sides[2];
	uint32_t n_sides;
};

/* "It was preempted at ... by ... of queue '...': reclamation within the cohort ..." */
void fl_evicted_text(const struct fl_report *r, const struct fl_evicted *e);
/* Of a struct fl_evicted: keys `lastEviction` and, where it was preempted, `preemptedBy`. */
extern const struct fl_json_shape fl_evicted_shape;

#endif
