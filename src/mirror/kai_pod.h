/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_pod - what the pods of a cluster with KAI are to its scheduler, and what requests to bind say
 *
 * The state of a pod is what KAI's scheduler makes of the same fields, by a table (kai_pod.c): by it a queue's
 * usage is counted.
 *
 * Cannot: more than one node pool; pods of DRA claims count by their containers alone.
 * Tested in tests/unit/mirror/test_kai.c.
 */
#ifndef FL_MIRROR_KAI_POD_H
#define FL_MIRROR_KAI_POD_H

#include "codec/text/doc.h"

/* What a pod is to KAI's scheduler. */
enum fl_kai_state {
	FL_KAI_PENDING,
	FL_KAI_GATED,
	FL_KAI_BINDING, /* a request to bind it is there, which has not failed for good */
	FL_KAI_BOUND,
	FL_KAI_RUNNING,
	FL_KAI_RELEASING, /* it terminates, and its node is not free of it yet */
	FL_KAI_ENDED,     /* succeeded or failed */
	FL_KAI_AWAY, /* is no part of anything: its node is lost, or it goes and holds nothing */
	FL_KAI_STATES
};

/* What its fields say; texts are those of the document. */
struct fl_kai_pod {
	const char *group, *node; /* "" none */
	enum fl_kai_phase {
		FL_KAI_IS_PENDING,
		FL_KAI_IS_RUNNING,
		FL_KAI_IS_SUCCEEDED,
		FL_KAI_IS_FAILED,
		FL_KAI_IS_UNKNOWN
	} phase;
	bool deleted, gated;
};
void fl_kai_read_pod(const struct fl_doc *doc, struct fl_kai_pod *ret);
/* It holds nothing and asks for nothing any more: it has succeeded or failed. */
bool fl_kai_has_ended(const struct fl_doc *doc);
enum fl_kai_state fl_kai_state_of(const struct fl_kai_pod *pod, bool binding);

/* A request to bind: the pod, and the node it gets; "" when the request has failed for good. */
struct fl_kai_bind {
	const char *pod, *node;
};
void fl_kai_read_bind(const struct fl_doc *doc, struct fl_kai_bind *ret);

/* How many pods a group needs at least; 1 unless it says more. */
uint32_t fl_kai_read_least(const struct fl_doc *doc);

#endif
