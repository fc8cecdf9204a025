/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle_config - a small cluster of KAI's queues as plain numbers: the model that the engine
 * decides on, and the same as objects
 *
 * Queues are q0, q1, ..., machines m0, m1, ..., workloads w0, w1, ..., each as old as its place:
 * the first is the oldest.  All that a workload asks for is GPUs, and all of it waits.
 *
 * Test code: what cannot be made ends the program.
 */
#ifndef FL_TESTS_PROVE_ENTITLE_CONFIG_H
#define FL_TESTS_PROVE_ENTITLE_CONFIG_H

#include <stdio.h>

#include "model/model.h"

enum { ENTITLE_QUEUES = 6, ENTITLE_GANGS = 6, ENTITLE_MACHINES = 3 };

struct entitle_queue {
	int8_t parent;   /* -1: at the top */
	int8_t deserved; /* -1: without bound, as of the limit */
	int8_t limit;
	uint8_t weight, priority; /* 0: the lowest */
	uint8_t used;             /* quarters of the cluster */
};

struct entitle_gang {
	uint8_t queue, priority;
	uint8_t pods, least; /* least: its minimum */
	uint8_t gpus;        /* of each pod */
};

/* What can be set; all off: the real program's rules as it comes, and no usage over time. */
enum entitle_setting {
	ENTITLE_BOUNDED = 1,
	ENTITLE_TURNS = 2,
	ENTITLE_KEEP_BELOW = 4,
	ENTITLE_PROTECT = 8,
	ENTITLE_NO_CONSOLIDATION = 16,
	ENTITLE_NO_PREEMPTION = 32,
	ENTITLE_NO_RECLAIM = 64,
	ENTITLE_MULTIPLIER = 128, /* reclaimerUtilizationMultiplier 2, not 1 */
};
enum { ENTITLE_SETTINGS = 8 };
/* By bit: a word for it. */
extern const char *const entitle_setting_names[ENTITLE_SETTINGS];

struct entitle_config {
	uint8_t n_queues, n_gangs, n_machines;
	uint8_t k;                          /* 0: usage does not count */
	uint8_t settings;                   /* enum entitle_setting */
	uint8_t machines[ENTITLE_MACHINES]; /* GPUs */
	struct entitle_queue queues[ENTITLE_QUEUES];
	struct entitle_gang gangs[ENTITLE_GANGS];
};

/* A sealed model; free with fl_model_free. */
struct fl_model *entitle_config_model(const struct entitle_config *c, const struct fl_mem *mem);
/* Settings (enum entitle_setting), too: a policy made of it from then on has them. */
void entitle_config_set(struct fl_model *m, uint8_t settings);
/* YAML, for `fairlead prove -f` and `plan -f`. */
void entitle_config_print(const struct entitle_config *c, FILE *to);

/* A bit smaller, the n-th way: 1, or 0: not this way, or -1: there are no more. */
int entitle_config_smaller(const struct entitle_config *c, unsigned n, struct entitle_config *ret);

#endif
