/* SPDX-License-Identifier: Apache-2.0 */
/*
 * face - what questions need of a policy beside decide/policy.h
 *
 * A table a policy: ask/borrow/outcome.c and ask/entitle/outcome.c fill one each, and the asking code
 * passes it on (tell/face.h), so that nothing here asks which policy it is.
 */
#ifndef FL_ASK_COMMON_FACE_H
#define FL_ASK_COMMON_FACE_H

#include "decide/policy.h"

struct fl_difference;
struct fl_outcome;
struct fl_pair;

/*
 * What refused each workload when it was last looked at: fed by a sink during steps, where
 * running out of memory is only noted.  Each policy's log begins with it.
 */
struct fl_why {
	const struct fl_why_kind *kind;
	uint32_t cycle; /* so many steps are over */
	bool out_of_memory;
};
struct fl_why_kind {
	void (*row)(void *why, const struct fl_evidence *row); /* for fl_sink */
	void (*free)(struct fl_why *why);
};

/* What a queue or cohort has of one resource, in natural units of 10^-9: cores, bytes, pieces. */
enum fl_node_amount {
	FL_NODE_USAGE,
	FL_NODE_BORROWED,   /* beyond its quota */
	FL_NODE_QUOTA,      /* of all below it; what it deserves */
	FL_NODE_FAIR_SHARE, /* where it is divided */
};

struct fl_ask_face {
	/* A log in @mem, which is freed by its kind. */
	int (*why_new)(const struct fl_mem *mem, const struct fl_model *m, struct fl_why **ret,
		       fairlead_error *err);
	/* How all nodes of @o->model stand, copied to @a: what the functions below use. */
	int (*look)(const struct fl_outcome *o, const struct fl_policy_ops *ops,
		    const struct fl_policy *p, struct fl_arena *a, void **ret, fairlead_error *err);
	/* What differs between the two sides of a node (FL_DIFF_...), beside pair->what. */
	unsigned (*compare)(const struct fl_difference *d, const struct fl_pair *pair);
	/* Do two placements of the two sides hold the same? */
	bool (*same_place)(const struct fl_difference *d, const struct fl_placement *p,
			   const struct fl_placement *q);
	/* The number that people compare: weighted share, or saturation in thousandths. */
	double (*share)(const struct fl_outcome *o, struct fl_node n);
	/* FL_NANOS_INFINITE: without bound.  0 of what the node does not have. */
	fl_nanos (*amount)(const struct fl_outcome *o, struct fl_node n, enum fl_node_amount what,
			   const char *resource);
	/* Is there such a resource, beside those of the model?  NULL: no others. */
	bool (*has_resource)(const char *resource);
	bool divides; /* FL_NODE_FAIR_SHARE is there */
};

#endif
