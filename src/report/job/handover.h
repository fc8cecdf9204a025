/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handover - a cohort tree that changes its scheduler: what is there, what will change, what stands against it, and
 * what became of it
 *
 * The command fills in the rows.  Tested in tests/kube/test_handover.py.
 */
#ifndef FL_REPORT_JOB_HANDOVER_H
#define FL_REPORT_JOB_HANDOVER_H

#include "report/out/shape.h"

struct fl_handover_standing {
	const char *stop; /* "None", "Hold", "HoldAndDrain" */
	const char *mark; /* the value of the annotation; NULL: there is none */
	bool checked;     /* it has the admission check of fairlead */
};

struct fl_handover_queue {
	const char *name;
	const char *quota; /* "cpu 40, gpu 8": over all flavors; "" */
	struct fl_handover_standing before, after;
	uint32_t pending, holding; /* workloads */
	bool changes, done;        /* there is something to do; it is done */
};

struct fl_handover_refusal {
	const char *subject; /* "Workload/default/a .spec.podSets[0].topologyRequest.required" */
	const char *rule;    /* "topology aware scheduling" */
	const char *text, *advice;
};

/* Quota of one resource and flavor that a queue holds beyond its nominal one, and the workloads that may be preempted for it. */
struct fl_handover_over {
	const char *queue, *resource, *flavor, *amount;
	const char *const *workloads;
	uint32_t n_workloads;
};

struct fl_handover {
	const char *tree;    /* "cohort prod" */
	const char *context; /* of the kubeconfig */
	bool back, dry_run;
	bool done; /* all queues are as they shall be, and the barrier was reached */
	const struct fl_handover_queue *queues;
	uint32_t n_queues;
	const struct fl_handover_refusal *refusals;
	uint32_t n_refusals;
	const struct fl_handover_over *over; /* of --back */
	uint32_t n_over;
};

extern const struct fl_document fl_handover_document;

/* What is there and would change, above the question. */
int fl_handover_text(const struct fl_report *r, const struct fl_handover *h, fairlead_error *err);

#endif
