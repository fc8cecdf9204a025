/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle - what exists for the entitle policy: queues that deserve, gangs, machines, history
 *
 * Rows of the model (model.h) that KAI's objects become: Queue, PodGroup, Pod, Node,
 * SchedulingShard, and what a Policy adds to them.  A Queue is a node of kind FL_QUEUE
 * with an entitlement; a PodGroup is a workload with a gang of tasks.
 */
#ifndef FL_MODEL_ENTITLE_H
#define FL_MODEL_ENTITLE_H

#include "base/bundle.h"
#include "base/ids.h"
#include "base/names.h"

/* What a queue is entitled to. */
struct fl_entitlement {
	struct fl_bundle deserved, limit; /* FL_UNBOUNDED: no bound */
	struct fl_bundle weight;          /* over-quota weight, not negative */
	int32_t priority;                 /* default 100; the higher is first */
	fl_time created;
	fl_time preempt_min_run, reclaim_min_run; /* FL_TIME_NONE: not set here */
	/* A request that is given and not found from workloads (simulators); below 0: none. */
	struct fl_bundle request;
};

enum fl_task_phase {
	FL_TASK_PENDING,
	FL_TASK_ALLOCATED, /* bound, binding or running: holds its machine */
	FL_TASK_RELEASING, /* going away: holds its machine, counts for no queue */
	FL_TASK_DONE,      /* succeeded, failed, gated: neither holds nor asks */
};

enum fl_preemptibility { FL_PREEMPTIBLE_UNSET, FL_PREEMPTIBLE, FL_NON_PREEMPTIBLE };
/* A workload that does not say is preemptible with a priority below this. */
enum { FL_PREEMPTIBLE_BELOW = 100 };

/*
 * One pod. After seal those of a gang are neighbours, in the order of their names; those of
 * no workload stand behind all others.  By seal a pod of ours without PodGroup is a workload
 * with a gang of one.
 */
struct fl_task_row {
	struct fl_sym namespace, name;
	struct fl_sym gang_name;    /* annotation of its PodGroup; FL_NONE: it has none */
	struct fl_sym queue_name;   /* label; FL_NONE: none */
	struct fl_sym machine_name; /* spec.nodeName; FL_NONE: none */
	struct fl_bundle request;
	int32_t priority;
	bool has_priority;
	struct fl_sym priority_class; /* FL_NONE: none */
	enum fl_preemptibility stated;
	bool foreign; /* of another scheduler: takes room, belongs to no queue */
	enum fl_task_phase phase;
	fl_time created, started; /* FL_TIME_NONE */
	struct fl_span node_selector, tolerations, affinity;
	bool has_affinity;
	uint32_t life; /* into lives: by annotation; FL_NONE: none of its own */
	struct fl_place place;
	struct fl_machine machine;   /* by seal; FL_NONE */
	struct fl_workload workload; /* by seal; FL_NONE: foreign, or its gang takes no part */
};

/* Memory of GPUs that a pod asks for: a part of GPUs by seal, which alone reads it. */
struct fl_gpu_memory_row {
	uint32_t task;
	int32_t devices;
	double memory; /* MiB of each device */
};

/* A pod that is being bound: it is on that machine by seal, which alone reads it. */
struct fl_bind_row {
	struct fl_sym namespace, pod, machine_name;
};

/* Of a workload that is a PodGroup. */
struct fl_gang {
	int32_t min_tasks; /* fewer never run */
	bool lone;         /* by seal: a Pod without PodGroup, in which it is the only task */
	enum fl_preemptibility stated;
	bool preemptible;     /* by seal: as stated, else priority < 100 */
	fl_time started;      /* when it last went from no allocated task to some; FL_TIME_NONE */
	fl_time stale_since;  /* it has fewer than its minimum since; FL_TIME_NONE */
	struct fl_span tasks; /* by seal: into tasks */
	struct fl_node queue; /* by seal: the workload's cluster_queue, a leaf or not; FL_NONE */
};

struct fl_machine_row {
	struct fl_sym name;
	struct fl_bundle allocatable;
	struct fl_span labels, taints;
	bool not_ready, unschedulable;
	struct fl_place place;
};

enum fl_window_kind { FL_WINDOW_SLIDING, FL_WINDOW_TUMBLING, FL_WINDOW_CRON };
enum fl_min_run_method { FL_MIN_RUN_LCA, FL_MIN_RUN_QUEUE };
enum fl_action {
	FL_ACTION_NONE, /* the borrow policy has none */
	FL_ACTION_ALLOCATE,
	FL_ACTION_CONSOLIDATION,
	FL_ACTION_RECLAIM,
	FL_ACTION_PREEMPT,
	FL_ACTION_STALE_GANG,
	FL_ACTIONS
};

/* How much a queue held, or the capacity of the cluster, over (from, to]. */
struct fl_sample_row {
	struct fl_sym queue_name; /* FL_NONE: the capacity of the cluster */
	fl_time from, to;
	struct fl_bundle amount;
	struct fl_place place;
	struct fl_node node; /* by seal; FL_NONE: the capacity, or no such queue */
};

/* Usage that is given normalised: part of the cluster's capacity, 0 to 1. */
struct fl_usage_row {
	struct fl_sym queue_name;
	struct fl_bundle usage;
	struct fl_place place;
	struct fl_node node; /* by seal */
};

/* Resource-hours that a queue may use in a period (Policy). */
struct fl_budget_row {
	struct fl_sym queue_name;
	struct fl_bundle hours; /* milli-core-, byte-, GPU-hours; FL_UNBOUNDED: no budget */
	struct fl_place place;
	struct fl_node node; /* by seal */
};

enum fl_overcommitment { FL_OVERCOMMIT_PROPORTIONAL, FL_OVERCOMMIT_FIRST_COME };
enum fl_after_budget {
	FL_AFTER_BUDGET_SPARE /* what no queue in budget wants */,
	FL_AFTER_BUDGET_STOP
};

/* The scheduler's configuration (SchedulingShard) and what a Policy adds; see its default. */
struct fl_entitle_settings {
	bool fairshare_body; /* the input is that of KAI's fairshare simulator */
	bool present;        /* a SchedulingShard was in the input; else all of this is assumed */
	struct fl_place place;
	double k;                         /* kValue; 0: history does not count */
	double multiplier;                /* of the saturation ratio; at least 1 */
	bool consolidating_reclaim;       /* re-placed victims are no victims */
	bool actions[FL_ACTIONS];         /* which are on */
	uint32_t queue_depth[FL_ACTIONS]; /* jobs a leaf and action; 0: all */
	bool spread_gpu, spread_cpu;      /* placementStrategy; else bin-pack */
	fl_time default_preempt_min_run, default_reclaim_min_run; /* 0: none */
	enum fl_min_run_method min_run_method;
	fl_time stale_grace; /* FL_NEVER: stale gangs stay */

	bool usage_on;     /* there is a usage database */
	fl_time half_life; /* 0: none */
	fl_time window, resolution, fetch_interval, staleness;
	enum fl_window_kind window_kind;
	fl_time window_start; /* tumbling */
	struct fl_sym cron;   /* cron; symbol 0: none */

	/* Policy .spec.entitlement: what the documents promise; all off by default */
	bool bounded_division; /* shares within capacity, nothing idle, no remainder too much */
	bool turns;            /* jobs larger than a share: least relative usage is next */
	bool keep_below_quota; /* a queue below its quota stays so after its reclaim */
	bool protect_quota;    /* no reclaim takes a queue below what it deserves */
	bool has_budgets;
	bool free_within_share; /* usage up to the part of its weight does not count */
	bool by_documents;      /* the documented multiplier counts, within a fair share, too */
	enum fl_window_kind period_kind; /* TUMBLING or CRON */
	fl_time period, period_start;
	struct fl_sym period_cron;
	enum fl_overcommitment overcommitment;
	enum fl_after_budget after_budget;
};
extern const struct fl_entitle_settings fl_entitle_settings_default;

/* The value of a priority class that comes with KAI, so that it need not be in the input. */
bool fl_entitle_own_class(const char *name, int32_t *ret);

/* The multiplier by its documented name, which seal alone reads. */
struct fl_documented_multiplier {
	double value; /* 0: not given */
	struct fl_place place;
	struct fl_sym subject; /* in messages */
};

#endif
