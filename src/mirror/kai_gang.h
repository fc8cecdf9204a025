/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_gang - what the pods of a cluster with KAI make of its gangs: pending, holding, evicted, finished
 *
 * KAI decides about pods, and a PodGroup says nothing of what was decided: that is in its pods and in the
 * requests to bind them.  So each pod's state is counted for its group, and a group's fate follows from its
 * counts, by rules in one place (fl_kai_fate):
 *
 *   holds      a pod of it is being bound, is bound or runs
 *   goes       none does, and a pod of it terminates: all of it was evicted, and its nodes are not free yet
 *   pending    none of both, and as many pods as it needs are there
 *   finished   no pod is left that may run, and one has succeeded or failed
 *   out        there are too few pods, or they are gated: KAI does not look at it
 *
 * Guarantee: the fates are a function of what is there, in whatever order it was told; what is told (fl_said)
 * is the difference between two calls of fl_kai_gangs_tell, so a gang that is bound pod by pod holds once.
 * Cost: O(1) for each pod, and for each gang that changed.  Memory: 80 bytes and the names of each
 * pod, of each gang, and what is deleted is freed.
 *
 * Cannot: subgroups, of which each has a minimum of its own.  Tested in tests/unit/mirror/test_kai.c, with
 * random orders against new counts.
 */
#ifndef FL_MIRROR_KAI_GANG_H
#define FL_MIRROR_KAI_GANG_H

#include "mirror/kai_pod.h"
#include "mirror/mirror.h"

struct fl_kai_counts {
	uint32_t of[FL_KAI_STATES];
	uint32_t least; /* pods that it needs; 0: there is no such group */
};
enum fl_fate fl_kai_fate(const struct fl_kai_counts *counts);

struct fl_kai_gang_change {
	const char *namespace, *group;
	enum fl_fate was, now;
	unsigned
		said; /* bits of enum fl_said, to be looked at in their order; 0: nothing that decides */
	const struct fl_kai_counts *counts;
};
typedef int fl_kai_gang_fn(void *user, const struct fl_kai_gang_change *change,
			   fairlead_error *err);

struct fl_kai_gangs;
int fl_kai_gangs_new(struct fl_kai_gangs **ret, fairlead_error *err);
struct fl_kai_gangs *fl_kai_gangs_free(struct fl_kai_gangs *g); /* NULL is fine; returns NULL */

/* As each is now; FAIRLEAD_ENOMEM: nothing changed. @least 0, @pod NULL, @node NULL: it is deleted. */
int fl_kai_gangs_group(struct fl_kai_gangs *g, const char *namespace, const char *name,
		       uint32_t least, fairlead_error *err);
int fl_kai_gangs_pod(struct fl_kai_gangs *g, const char *namespace, const char *name,
		     const struct fl_kai_pod *pod, fairlead_error *err);
/* A request to bind that pod. */
int fl_kai_gangs_bind(struct fl_kai_gangs *g, const char *namespace, const char *pod,
		      const char *node, fairlead_error *err);

/* Of its pods as they are now; NULL: there is no such group, and no pod of it. Valid until the next change. */
const struct fl_kai_counts *fl_kai_gangs_counts(const struct fl_kai_gangs *g, const char *namespace,
						const char *group);
/* Tells each gang that is other than at the last call, or has more or fewer pods. A negative value of @fn ends it: what is left comes next time. */
int fl_kai_gangs_tell(struct fl_kai_gangs *g, fl_kai_gang_fn *fn, void *user, fairlead_error *err);

#endif
