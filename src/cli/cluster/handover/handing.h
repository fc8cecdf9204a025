/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handing - one cohort tree of a cluster: its ClusterQueues as they stand, and what stands against handing it over
 *
 * Trees are those of the model: implicit cohorts are in them, and what is in a cycle is one.
 * Cannot: what happens in the cluster after it was read is not in it.
 * Tested in tests/kube/test_handover.py and tests/e2e/test_handover.py.
 */
#ifndef FL_CLI_CLUSTER_HANDOVER_HANDING_H
#define FL_CLI_CLUSTER_HANDOVER_HANDING_H

#include "base/limits.h"
#include "cli/cluster/handover/marked.h"
#include "cli/input/snapshot.h"
#include "codec/object/undecided.h"
#include "report/job/handover.h"

/* A ClusterQueue of the tree, by name. Texts live as long as the tree. */
struct fl_handing_queue {
	const char *name, *version; /* of the API: "kueue.x-k8s.io/v1beta2" */
	const char *mark;           /* the annotation as it is; NULL: none */
	const char *checks; /* "a,b": names of its admission checks but for that of fairlead; "" */
	struct fl_marked now;
	int64_t generation;  /* metadata.generation: it changes with the spec */
	bool going;          /* it is being deleted */
	struct fl_node node; /* FL_NONE: it could not be read */
};

/* A row of the table of what is undecided that holds for an object, of any tree. */
struct fl_handing_finding {
	const struct fl_undecided *row;
	struct fl_sym namespace, name;
	const char *subject; /* with the field */
	const char *detail;  /* names of what stands there; "" */
};

/* An AdmissionCheck. */
struct fl_handing_check {
	const char *name, *controller;
};

struct fl_handing {
	struct fl_options options; /* of reading; its files are those of the cluster */
	struct fl_snapshot snapshot;
	struct fl_arena arena;
	struct fl_handing_queue *queues; /* of all trees until it is found, then of this one */
	struct fl_handing_finding *findings;
	struct fl_handing_check *checks;
	uint32_t n_queues, cap_queues, n_findings, cap_findings, n_checks, cap_checks;
	bool off[FL_UNDECIDED_MOST]; /* by row of the table: its feature gate is false */
	bool *has;                   /* by node: it is in the tree */
	char name[FL_MAX_NAME + 16]; /* "cohort prod": of the root */
	struct fl_handover answer;   /* its rows live as long as the tree */
};

/*
 * Reads the cluster of the options, and finds the tree that @o->operands[0] names; what stands against it is in
 * answer.refusals, unless it is to go back.  An exit code: FL_EXIT_YES, or what is wrong has been printed.
 */
int fl_handing_open(struct fl_handing *t, const struct fl_options *o, const char *context);
/* Frees all but the answer. */
void fl_handing_rest(struct fl_handing *t);
void fl_handing_close(struct fl_handing *t);

static inline bool fl_handing_has(const struct fl_handing *t, struct fl_node n)
{
	return n.v != FL_NONE && t->has[n.v];
}

/* What decides about the AdmissionCheck of these first @len bytes of @name; NULL: there is none, or none that may be read. */
const char *fl_handing_controller(const struct fl_handing *t, const char *name, size_t len);
/* Copies into the arena; NULL without memory. */
const char *fl_handing_text(struct fl_handing *t, fairlead_error *err, const char *format, ...)
	FL_PRINTF(3, 4);

#endif
