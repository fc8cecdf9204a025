/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world - small models for tests, without any manifest
 *
 * Nodes are given as rows of one flavor "f" and up to three resources; any
 * failure to build one fails the test.
 */
#ifndef FL_TESTS_WORLD_H
#define FL_TESTS_WORLD_H

#include "decide/policy.h"
#include "model/model.h"

enum { WORLD_RESOURCES = 3 };

struct world_quota {
	fl_amount nominal, borrow, lend; /* limits: FL_NO_LIMIT for none */
};

struct world_node {
	const char *name, *parent; /* parent NULL: none */
	enum fl_node_kind kind;
	double weight;
	struct world_quota quota[WORLD_RESOURCES]; /* of resources r0, r1, r2 */
};

/* A sealed model of these nodes with @resources resources; free with fl_model_free. */
struct fl_model *world_new(const struct fl_mem *mem, const struct world_node *nodes, uint32_t n,
			   uint32_t resources);

/* The unsealed one, to which more can be added. */
struct fl_model *world_open(const struct fl_mem *mem, const struct world_node *nodes, uint32_t n,
			    uint32_t resources);

/* The borrow policy of a sealed model; free with fl_borrow_policy.free. */
struct fl_policy *world_policy(const struct fl_mem *mem, const struct fl_model *m, fl_time now);

struct fl_sym world_sym(struct fl_model *m, const char *text);

/* A workload of one pod in local queue "lq-<queue>" (made when it is not there), namespace "ns". */
struct world_job {
	const char *name, *queue;
	int32_t priority;
	int64_t age; /* creation: seconds; the smaller the older */
	fl_amount ask[WORLD_RESOURCES];
	bool admitted; /* holds what it asks for, since `age` */
};
void world_add_job(struct fl_model *m, const struct world_job *job, uint32_t resources);

#endif
