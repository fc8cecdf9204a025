/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config - a small cluster as plain numbers, and the model that the engine decides on
 *
 * Cohort 0 is the root.  Queues are q0, q1, ... and workloads w0, w1, ..., all created at the same
 * time, so that where nothing else decides the names do, in this order.  Every queue is
 * BestEffortFIFO unless `strict`.
 *
 * Test code: what cannot be made ends the program.
 */
#ifndef FL_TESTS_PROVE_CONFIG_H
#define FL_TESTS_PROVE_CONFIG_H

#include <stdio.h>

#include "model/model.h"

enum {
	MOST_COHORTS = 5,
	MOST_QUEUES = 6,
	MOST_JOBS = 8,
	RESOURCES = 2,
	FLAVORS = 2,
	NO_PARENT = 255,
};

struct config_quota {
	int8_t nominal, borrow, lend; /* limits: -1 for none */
};

struct config_node {
	uint8_t parent; /* a cohort */
	uint8_t weight;
	uint8_t within, reclaim; /* enum fl_preempt_policy; of queues */
	struct config_quota quota[FLAVORS][RESOURCES];
};

struct config_job {
	uint8_t queue, priority, count;
	int8_t least;           /* fewest pods; -1: all */
	uint8_t ask[RESOURCES]; /* of one pod */
};

/* Which rules look for victims. */
enum strategies { FINAL, INITIAL, BOTH, CLASSICAL, STRATEGIES };
extern const char *const strategies_names[STRATEGIES];

struct config {
	uint8_t n_resources, n_flavors, n_cohorts, n_queues, n_jobs;
	enum strategies strategies;
	bool strict, hold, settles;
	bool full; /* is looked at from where the scheduler's first cycles lead, not from nothing */
	struct config_node cohorts[MOST_COHORTS], queues[MOST_QUEUES];
	struct config_job jobs[MOST_JOBS];
};

/* A sealed model; free with fl_model_free. */
struct fl_model *config_model(const struct config *c, const struct fl_mem *mem);

/* The same rules in a model that is made already; not from or to CLASSICAL. */
void config_set_rules(const struct config *c, struct fl_model *m);

/* As one JSON object; manifest.py makes Kubernetes objects of it. */
void config_print(const struct config *c, FILE *to);

/* Workloads, queues, sum of quotas, sum of requests, other than plain settings: compared in turn. */
struct config_size {
	uint32_t parts[5];
};
struct config_size config_size(const struct config *c);
int config_cmp_size(const struct config_size *a, const struct config_size *b);

#endif
