/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enumerate - every configuration of a family, one of each orbit
 *
 * A configuration is a root cohort with quota of its own, below it queues and (two levels) cohorts
 * with queues, and in each queue at least one workload.  Siblings may change places, and so may
 * the workloads of a queue and, where there are two, the resources: of what comes out of one
 * another so, one is looked at.  What that leaves open is which of two names comes first where
 * nothing else decides; it is the order here.
 *
 * A queue or cohort without workloads gives its quota to what is above it and does nothing else,
 * so it stands in the quota of that (root_quota, cohort_quota).  A root with one child alone is as
 * that child.  Besides, these are covered without being explored:
 *
 *   fits     all workloads together fit into what all may use: nobody ever asks for victims
 *   never    somebody asks for more than there is, so never starts, takes part in nothing, and
 *            the configuration behaves as the one without it, which is smaller
 *   alike    shares are only compared between siblings, and only their order counts.  So
 *            weights of siblings with a common factor are as without it; the weight of an only
 *            child counts for nothing; amounts with a common factor are as without it
 */
#ifndef FL_TESTS_PROVE_ENUMERATE_H
#define FL_TESTS_PROVE_ENUMERATE_H

#include "config.h"

/* Bounds: all from 0 (sizes: from 1; of two resources one may be 0) to these. */
struct family {
	const char *name;
	unsigned levels; /* below the root: 1 or 2 */
	unsigned resources, queues, jobs;
	unsigned nominal, size, root_quota, cohort_quota;
	unsigned weight;     /* of queues and cohorts; 1 only, if 1 */
	unsigned priorities; /* how many there are */
	enum fl_preempt_policy within, reclaim;
	bool gangs; /* requests are of so many pods of 1, of which so many must be admitted at least */
};

struct enumerated {
	uint64_t configurations; /* where every order of names counts */
	uint64_t orbits, fits, never, alike;
};

/* Of those left, each; what it returns other than 0 ends it. */
typedef int enumerate_each(void *user, const struct config *c);
int enumerate(const struct family *f, enumerate_each *each, void *user, struct enumerated *ret);

/* How many configurations there are, by a formula. */
double enumerate_expected(const struct family *f);

#endif
