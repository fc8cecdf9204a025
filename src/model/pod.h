/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod - what one pod takes: containers, init containers, sidecars, overhead
 *
 * Containers run together, so they add up.  Init containers run one after
 * another before them; a restartable one (a sidecar) stays and is added to all
 * that comes later.  What the pod takes of a resource is the most it has at any
 * time, plus the overhead.  Requests of the pod as a whole replace that most.
 *
 * Sums saturate at INT64_MAX.  Give init containers in the order of the pod.
 */
#ifndef FL_MODEL_POD_H
#define FL_MODEL_POD_H

#include "base/amount.h"
#include "base/ids.h"
#include "base/mem.h"

/* One resource of one container. */
struct fl_pod_amount {
	struct fl_sym resource_name;
	bool has_request, has_limit;
	fl_amount request, limit;
};

enum fl_pod_kind {
	FL_POD_CONTAINER,
	FL_POD_INIT,
	FL_POD_SIDECAR,  /* an init container that is restarted always */
	FL_POD_WHOLE,    /* spec.resources */
	FL_POD_OVERHEAD, /* requests only */
};

/* A container, or another part, as it is written. */
struct fl_pod_part {
	enum fl_pod_kind kind;
	struct fl_span amounts; /* into the model's amounts */
};

struct fl_pod_row {
	struct fl_sym resource_name;
	bool whole_set;
	fl_amount containers, sidecars, init, whole, overhead;
};

/* The sum of parts; kept for the next pod. */
struct fl_pod {
	const struct fl_mem *mem;
	struct fl_pod_row *rows; /* in order of first appearance */
	uint32_t n, cap;
	bool misconfigured; /* something requests more than its own limit */
};

void fl_pod_init(struct fl_pod *pod, const struct fl_mem *mem);
void fl_pod_done(struct fl_pod *pod);
void fl_pod_clear(struct fl_pod *pod);

/* Add a part; a limit stands in for an absent request. 0, FAIRLEAD_ENOMEM or FAIRLEAD_ELIMIT. */
int fl_pod_add(struct fl_pod *pod, enum fl_pod_kind kind, const struct fl_pod_amount *amounts,
	       uint32_t n, fairlead_error *err);

/* What the pod takes of the resource of @row. */
fl_amount fl_pod_total(const struct fl_pod_row *row);

#endif
