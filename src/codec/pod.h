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
#ifndef FL_CODEC_POD_H
#define FL_CODEC_POD_H

#include "base/amount.h"
#include "base/mem.h"

/* One resource of one container; resources are any numbers that tell them apart. */
struct fl_pod_amount {
	uint32_t resource;
	bool has_request, has_limit;
	fl_amount request, limit;
};

struct fl_pod_row {
	uint32_t resource;
	bool whole_set;
	fl_amount containers, sidecars, init, whole, overhead;
};

struct fl_pod {
	const struct fl_mem *mem;
	struct fl_pod_row *rows; /* in order of first appearance */
	uint32_t n, cap;
	bool misconfigured; /* something requests more than its own limit */
};

enum fl_pod_part {
	FL_POD_CONTAINER,
	FL_POD_INIT,
	FL_POD_SIDECAR,  /* an init container that is restarted always */
	FL_POD_WHOLE,    /* spec.resources */
	FL_POD_OVERHEAD, /* requests only */
};

void fl_pod_init(struct fl_pod *pod, const struct fl_mem *mem);
void fl_pod_done(struct fl_pod *pod);
void fl_pod_clear(struct fl_pod *pod);

/* Add a part; a limit stands in for an absent request. 0, FAIRLEAD_ENOMEM or FAIRLEAD_ELIMIT. */
int fl_pod_add(struct fl_pod *pod, enum fl_pod_part part, const struct fl_pod_amount *amounts,
	       uint32_t n, fairlead_error *err);

/* What the pod takes of the resource of @row. */
fl_amount fl_pod_total(const struct fl_pod_row *row);

#endif
