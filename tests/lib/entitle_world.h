/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle_world - small models of queues, machines and gangs for tests, without any manifest
 *
 * Only GPUs are scarce: cpu and memory are deserved without bound, and not asked for.
 * Queues and gangs are as old as their row: the first is the oldest.  Tasks are named
 * "<gang>-<number>".  Any failure to build one fails the test.
 */
#ifndef FL_TESTS_ENTITLE_WORLD_H
#define FL_TESTS_ENTITLE_WORLD_H

#include "decide/entitle/entitle.h"
#include "model/model.h"

struct world_leaf {                /* LEAF */
	const char *name, *parent; /* parent NULL: at the top */
	double deserved, limit, weight;
	int32_t priority;
	int64_t reclaim_min_run; /* seconds; 0: not set */
	int64_t preempt_min_run;
};

#define LEAF(its_name, its_parent, its_deserved, its_limit, its_weight)                            \
	.name = (its_name), .parent = (its_parent), .deserved = (its_deserved),                    \
	.limit = (its_limit), .weight = (its_weight)

struct world_machine {
	const char *name;
	double gpus;
};

struct world_gang { /* WAITS, RUNS */
	const char *name, *queue;
	int32_t priority;
	bool firm;            /* it cannot be preempted */
	int tasks, min_tasks; /* minimum 0: all */
	double gpus;          /* of each task */
	const char *running;  /* where its tasks run; NULL: they wait */
	int waiting;          /* so many of them, the last ones, wait nevertheless */
	int64_t ran;          /* for so many seconds */
};

/* Of so many tasks, with a minimum, and so many GPUs each. */
#define WAITS(its_name, its_queue, its_priority, n, min, each)                                     \
	.name = (its_name), .queue = (its_queue), .priority = (its_priority), .tasks = (n),        \
	.min_tasks = (min), .gpus = (each)
#define RUNS(its_name, its_queue, its_priority, n, min, each, where)                               \
	WAITS(its_name, its_queue, its_priority, n, min, each), .running = (where)

struct world_budget {
	const char *queue;
	double gpu_hours;
};

struct world_usage { /* of the cluster's GPUs, over time: settings.usage_on */
	const char *queue;
	double part;
};

struct world_of {
	const struct world_leaf *queues;
	const struct world_machine *machines;
	const struct world_gang *gangs;
	const struct world_budget *budgets; /* their period and the rest are in the settings */
	const struct world_usage *usages;
	uint32_t n_queues, n_machines, n_gangs, n_budgets, n_usages;
	struct fl_entitle_settings settings;
};

enum { WORLD_NOW = 100000 }; /* seconds: the time of the first step */

/* A sealed model; free with fl_model_free. */
struct fl_model *entitle_world(const struct fl_mem *mem, const struct world_of *world);
/* Its policy; free with fl_entitle_policy.free. */
struct fl_policy *entitle_world_policy(const struct fl_mem *mem, const struct fl_model *m);
/* The same, and usage moves: what queues hold counts from the first step on. */
struct fl_policy *entitle_world_moving(const struct fl_mem *mem, const struct fl_model *m);

/* One cycle, @later seconds after WORLD_NOW. */
struct fl_decisions entitle_world_step(struct fl_policy *p, int64_t later);
/* All evicted tasks have ended and are pending again. */
void entitle_world_settle(struct fl_policy *p, const struct fl_decisions *decisions, int64_t later);
/* Tasks of @gang that got such a decision. */
int entitle_world_count(const struct fl_model *m, const struct fl_decisions *decisions,
			enum fl_decision_kind kind, const char *gang);
/* "+a*1 -b*2 >c*1": a starts one task, b loses two, c gets a promise for one, in this order. */
const char *entitle_world_text(const struct fl_model *m, const struct fl_decisions *decisions,
			       char *buffer, size_t size);
struct fl_workload entitle_world_find(const struct fl_model *m, const char *gang);

#endif
