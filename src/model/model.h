/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model - what exists: flavors, cohorts, queues, workloads, as people wrote them
 *
 * Filled row by row in any order (names only), then sealed: names become ids,
 * references are checked, resources are numbered in name order.  Read-only
 * after seal.  Malformed input is an error and leaves nothing usable; what is
 * legal but inert (a missing flavor, a cohort cycle, a workload without queue)
 * is kept with its reason and a notice, and the rest is used.
 *
 * Rows live in plain arrays indexed by id.  Lists inside a row are spans into a
 * shared pool: push the items first (they must be neighbours), then the row.
 *
 * Memory: model.  All of it is freed by fl_model_free.
 */
#ifndef FL_MODEL_MODEL_H
#define FL_MODEL_MODEL_H

#include "base/amount.h"
#include "base/ids.h"
#include "base/mem.h"
#include "base/names.h"
#include "model/daemon.h"
#include "model/entitle.h"
#include "model/pod.h"
#include "model/simulation.h"

struct fl_label {
	struct fl_sym key, value;
};

enum fl_operator { FL_OP_IN, FL_OP_NOT_IN, FL_OP_EXISTS, FL_OP_NOT_EXISTS, FL_OP_GT, FL_OP_LT };

/* One requirement of a selector or of a node affinity term. */
struct fl_requirement {
	struct fl_sym key;
	enum fl_operator op;
	struct fl_span values; /* into syms */
};

/* matchLabels are requirements too (In, one value). Absent matches nothing, empty everything. */
struct fl_selector {
	bool present;
	struct fl_span requirements;
};

enum fl_effect { FL_NO_SCHEDULE, FL_PREFER_NO_SCHEDULE, FL_NO_EXECUTE, FL_EFFECT_ANY };

struct fl_taint {
	struct fl_sym key, value;
	enum fl_effect effect;
};

struct fl_toleration {
	struct fl_sym key, value; /* key "" with exists: everything */
	bool exists;              /* operator Exists; else Equal */
	enum fl_effect effect;    /* FL_EFFECT_ANY: any */
};

struct fl_flavor_row {
	struct fl_sym name;
	struct fl_span labels, taints, tolerations;
	struct fl_place place;
	bool declared;  /* set by seal: false for one that is only referred to */
	bool undecided; /* as that of a node: trees with quota of it are left to Kueue */
};

/* Quota of one resource in one flavor of a queue or cohort. */
struct fl_quota {
	struct fl_sym flavor_name, resource_name;
	fl_amount nominal, borrowing_limit, lending_limit; /* FL_NO_LIMIT when absent */
	struct fl_place place;
	struct fl_flavor flavor; /* by seal */
	struct fl_resource resource;
};

/* Flavors in the order they are tried; each gives quota for every covered resource. */
struct fl_group {
	struct fl_span resources; /* into syms: coveredResources */
	struct fl_span flavors;   /* into group_flavors */
	struct fl_place place;
};

struct fl_group_flavor {
	struct fl_sym name;
	struct fl_span quotas; /* into quotas */
	struct fl_flavor id;   /* by seal */
};

enum fl_strategy { FL_BEST_EFFORT_FIFO, FL_STRICT_FIFO };
enum fl_stop { FL_STOP_NONE, FL_STOP_HOLD, FL_STOP_HOLD_AND_DRAIN };
/* What this annotation of a ClusterQueue says: fairlead decides there, and what it is to do. */
#define FL_HANDED_ANNOTATION "fairlead.dev/scheduler"
enum fl_handed {
	FL_HANDED_NOT,     /* there is none */
	FL_HANDED_RUNS,    /* "true" */
	FL_HANDED_HOLD,    /* "hold" */
	FL_HANDED_DRAIN,   /* "drain" */
	FL_HANDED_BETWEEN, /* "handover": neither scheduler decides, on the way over or back */
	FL_HANDED_OTHER,   /* any other value: nothing is admitted by mistake */
	FL_HANDEDS
} FL_BYTE;
/*
 * The AdmissionCheck of fairlead, which is never active: where it is in the list of a ClusterQueue Kueue decides nothing there,
 * and keeps a reservation whose other checks are still to come.  This annotation has the names of the others, "a,b".
 */
#define FL_CHECK_NAME "fairlead"
#define FL_CHECK_CONTROLLER "fairlead.dev/scheduler"
#define FL_CHECKS_ANNOTATION "fairlead.dev/checks"
/* The admission checks of a ClusterQueue. */
enum fl_checks {
	FL_CHECKS_NONE,
	FL_CHECKS_THEIRS,  /* without that of fairlead */
	FL_CHECKS_CHANGED, /* with it, and the others are not those that the annotation names */
	FL_CHECKS_TAKEN,   /* with it, and those */
	FL_CHECKSES
} FL_BYTE;
enum fl_preempt_policy {
	FL_PREEMPT_NEVER,
	FL_PREEMPT_LOWER_PRIORITY,
	FL_PREEMPT_LOWER_OR_NEWER_EQUAL,
	FL_PREEMPT_ANY,
};
enum fl_fungibility { FL_MAY_STOP_SEARCH, FL_TRY_NEXT_FLAVOR };
enum fl_preference { FL_BORROWING_OVER_PREEMPTION, FL_PREEMPTION_OVER_BORROWING };

/* Why a queue or cohort takes no part; 0 is active. */
enum fl_inactive {
	FL_ACTIVE,
	FL_INACTIVE_FLAVOR_NOT_FOUND,
	FL_INACTIVE_COHORT_CYCLE,
	FL_INACTIVE_STOPPED,
	FL_INACTIVE_PARENT_NOT_FOUND, /* of it or of one above it; FL_QUEUE only */
};

struct fl_node_row {
	enum fl_node_kind kind;
	struct fl_sym name, parent_name; /* parent_name.v FL_NONE: none */
	struct fl_span groups;
	double weight; /* fairSharing.weight, default 1 */
	bool declared; /* false: an implicit cohort */
	struct fl_place place;
	struct fl_node parent;        /* by seal; FL_NONE at a root */
	enum fl_inactive inactive;    /* by seal */
	struct fl_sym missing_flavor; /* with FL_INACTIVE_FLAVOR_NOT_FOUND */

	/* ClusterQueue only */
	enum fl_strategy strategy;
	enum fl_stop stop;
	struct fl_selector namespaces;
	enum fl_preempt_policy within_queue, reclaim; /* withinClusterQueue, reclaimWithinCohort */
	enum fl_preempt_policy
		borrow_within; /* borrowWithinCohort.policy: Never or LowerPriority */
	bool has_borrow_threshold;
	int32_t borrow_threshold; /* borrowWithinCohort.maxPriorityThreshold */
	enum fl_fungibility when_can_borrow, when_can_preempt;
	enum fl_preference preference;
	bool usage_based; /* admissionScope: UsageBasedAdmissionFairSharing */
	enum fl_handed handed;
	enum fl_checks checks;
	bool undecided; /* it has a rule that the engine has not: it is left to Kueue (codec/object/undecided.h) */
	/*
	 * By seal, of any node: fairlead does not decide in its tree, as not each ClusterQueue of it is handed
	 * over (fl_left_is_handed_over), or as it is not known how much is held there.  Else `stop` is what `handed` says.
	 */
	bool elsewhere;

	/* FL_QUEUE only */
	uint32_t entitlement; /* into entitlements; FL_NONE otherwise */
};

/* Decayed usage of one resource in natural units (cores, bytes). */
struct fl_consumed {
	struct fl_sym resource_name;
	fl_nanos amount;
	struct fl_resource resource;
};

struct fl_queue_row {
	struct fl_sym namespace, name, cluster_queue_name;
	enum fl_stop stop;
	double weight; /* fairSharing.weight, default 1 */
	struct fl_span
		consumed;    /* status.fairSharing.admissionFairSharingStatus.consumedResources */
	fl_time consumed_at; /* its lastUpdate; FL_TIME_NONE */
	struct fl_place place;
	struct fl_node cluster_queue; /* by seal; FL_NONE when it does not exist */
};

/* Queues made for names that the trees have not: `match` is a name with one * in it at most. */
struct fl_template_row {
	struct fl_sym match;
	bool local;              /* a LocalQueue is made, `queue`; else `node` */
	struct fl_node_row node; /* CLUSTER_QUEUE or QUEUE, without a name */
	struct fl_queue_row queue;
	struct fl_place place;
	bool used;
};

struct fl_namespace_row {
	struct fl_sym name;
	struct fl_span labels;
	struct fl_place place;
};

struct fl_priority_row {
	struct fl_sym name;
	bool of_workloads; /* WorkloadPriorityClass; else PriorityClass */
	bool global_default;
	int32_t value;
	struct fl_place place;
};

struct fl_request {
	struct fl_sym resource_name;
	fl_amount amount;
	struct fl_resource resource;
};

/* One required node affinity term: all its requirements hold. Terms are alternatives. */
struct fl_term {
	struct fl_span requirements;
};

struct fl_podset {
	struct fl_sym name;
	int32_t count, min_count;     /* min_count -1: absent, no partial admission */
	int32_t reclaimed;            /* status.reclaimablePods: so many of count are done */
	struct fl_span parts;         /* into parts: the pod as it is written */
	struct fl_sym runtime_class;  /* symbol 0: none */
	struct fl_span requests;      /* into requests: of one pod; by seal when there are parts */
	struct fl_span node_selector; /* into labels */
	bool has_affinity;
	struct fl_span affinity; /* into terms */
	struct fl_span tolerations;
	uint64_t spec_hash; /* of the whole pod template's spec, whatever the order of keys */
};

/* Pods that are still asked for. */
static inline int32_t fl_podset_left(const struct fl_podset *p)
{
	return p->reclaimed < p->count ? p->count - p->reclaimed : 0;
}

/* What an admitted podset holds: amount of one resource, all its pods together. */
struct fl_assignment {
	struct fl_sym resource_name, flavor_name;
	fl_amount amount;
	struct fl_resource resource;
	struct fl_flavor flavor;
};
struct fl_podset_assignment {
	struct fl_sym podset;
	int32_t count;
	struct fl_span assignments;
};

/* A workload that holds quota, and how much cannot be read: nothing can be decided in its tree. */
struct fl_uncertain_row {
	struct fl_sym namespace, name;
	struct fl_sym
		cluster_queue_name; /* status.admission.clusterQueue; FL_NONE: unreadable too */
	struct fl_sym queue_name;   /* spec.queueName; FL_NONE */
	struct fl_sym why;          /* the field, and what is wrong there */
	struct fl_node
		node; /* by seal: the ClusterQueue that it holds quota of; FL_NONE: it may be any */
};

/* Why a workload takes no part; 0 is: it may wait, or it is admitted. */
enum fl_excluded {
	FL_INCLUDED,
	FL_EXCLUDED_FINISHED,
	FL_EXCLUDED_DEACTIVATED, /* spec.active false */
	FL_EXCLUDED_NO_QUEUE,    /* no queueName, or the LocalQueue does not exist */
	FL_EXCLUDED_NO_CLUSTER_QUEUE,
	FL_EXCLUDED_QUEUE_STOPPED, /* the LocalQueue's stopPolicy */
	FL_EXCLUDED_CLUSTER_QUEUE_STOPPED,
	FL_EXCLUDED_MISCONFIGURED, /* a container requests more than its limits */
	FL_EXCLUDED_LIMIT_RANGE,   /* asks for more or less than a LimitRange allows */
	/* of a gang; NO_QUEUE too */
	FL_EXCLUDED_NOT_A_LEAF,       /* its queue has queues below it; its request still counts */
	FL_EXCLUDED_PARENT_NOT_FOUND, /* its queue takes no part */
} FL_BYTE;

/* Why a workload that holds quota is evicting from the beginning; 0: it is not. */
enum fl_evicting {
	FL_EVICTING_NOT,
	FL_EVICTING_UNDER_WAY, /* condition Evicted: evicted_reason says why */
	FL_EVICTING_CLUSTER_QUEUE_STOPPED,
	FL_EVICTING_LOCAL_QUEUE_STOPPED,
	FL_EVICTING_QUEUE_MISSING,   /* not admitted yet, and its LocalQueue was deleted */
	FL_EVICTING_ADMISSION_CHECK, /* a check wants it to be tried again */
} FL_BYTE;

/* What is wrong with its requests, by seal. */
enum fl_requests {
	FL_REQUESTS_RIGHT,
	FL_REQUESTS_OUTSIDE_RANGE, /* of a LimitRange */
	FL_REQUESTS_ABOVE_LIMITS,  /* of its own containers; comes first */
} FL_BYTE;

/* Of which there are most: fields of a size stand together. */
struct fl_workload_row {
	struct fl_sym namespace, name, uid;
	struct fl_sym queue_name;     /* FL_NONE: none */
	struct fl_sym owner_job;      /* name of the Job that owns it; FL_NONE: none */
	struct fl_sym priority_class; /* FL_NONE: none */
	fl_time created;
	fl_time reserved_at;
	int32_t priority;
	bool class_of_workloads; /* priority_class names a WorkloadPriorityClass */
	bool has_priority;       /* spec.priority given; else seal resolves the class */
	bool active, finished;
	enum fl_requests requests;
	bool evicted;       /* condition Evicted is True */
	bool reserved;      /* condition QuotaReserved is True and status.admission is there */
	bool admitted;      /* condition Admitted is True */
	bool check_retries; /* an admission check is in state Retry */
	bool not_requeued;  /* condition Requeued is False */
	/* Has a gate, waits for pods in place of others, is on hold, is being deleted, or uses what fairlead does not decide for. */
	bool gated;
	enum fl_excluded excluded;    /* by seal */
	enum fl_evicting evicting;    /* by seal; only where admitted_queue is */
	struct fl_queue queue;        /* by seal; FL_NONE */
	struct fl_node cluster_queue; /* by seal: its LocalQueue's, or a gang's queue; FL_NONE */
	union {
		struct fl_sym admitted_queue_name; /* status.admission.clusterQueue; until seal */
		struct fl_node admitted_queue;     /* by seal: where it holds quota; FL_NONE */
	};
	struct fl_span podsets;
	struct fl_span admission; /* into podset_assignments */
	struct fl_place place;
	uint32_t gang;    /* into gangs; FL_NONE: a Workload of Kueue's, with podsets */
	uint32_t requeue; /* into requeues; FL_NONE: never evicted, and for any queue to take */
};

/* What the status of some says besides: fl_model_requeue. */
struct fl_requeue_row {
	fl_time evicted_at; /* FL_TIME_NONE */
	fl_time requeue_at; /* status.requeueState.requeueAt; FL_TIME_NONE */
	fl_time ready_at;   /* by seal: no queue takes it before; FL_TIME_NONE: at once; FL_NEVER */
	struct fl_sym evicted_reason;
	struct fl_sym requeued_reason; /* of that condition */
};

/*
 * The last eviction of a workload, as its conditions tell it: for people, no decision depends on
 * it.  Symbol 0 ("") where nothing is said.
 */
struct fl_eviction_row {
	struct fl_workload workload;
	fl_time at;           /* FL_TIME_NONE: not known */
	struct fl_sym reason; /* of condition Evicted: Preempted, PodsReadyTimeout, ... */
	/* Preempted for another workload: */
	struct fl_sym rule;           /* of condition Preempted: InCohortReclamation, ... */
	struct fl_sym preemptor;      /* uid of that Workload */
	struct fl_sym preemptor_job;  /* uid of its job */
	struct fl_sym preemptor_path; /* "/cohort/queue" of its ClusterQueue, then */
	bool over;                    /* it was admitted again since */
};

/* A place whose workload left (newcomer.h); the last one is taken first. */
struct fl_vacant_row {
	struct fl_workload workload;
};

/* What one LimitRange says of a resource; FL_NO_LIMIT where it says nothing. */
enum fl_range_scope { FL_RANGE_CONTAINER, FL_RANGE_POD };
struct fl_range {
	enum fl_range_scope scope;
	struct fl_sym resource_name;
	fl_amount limit, request; /* default, defaultRequest: of containers that do not say */
	fl_amount min, max;
};

struct fl_limit_range_row {
	struct fl_sym namespace, name;
	struct fl_span ranges;
	struct fl_place place;
};

struct fl_runtime_class_row {
	struct fl_sym name;
	struct fl_span overhead; /* into amounts */
	struct fl_place place;
};

/* Configuration.resources: a resource counts as others. */
struct fl_transformed {
	struct fl_sym resource_name;
	fl_nanos per_unit; /* in natural units, for each natural unit of the input */
};
struct fl_transformation {
	struct fl_sym input;
	struct fl_sym multiply_by; /* symbol 0: none */
	bool replace;              /* the input itself no longer counts */
	struct fl_span outputs;    /* into outputs */
};

/* Feature gates that change decisions here; all are on unless the Configuration says otherwise. */
enum fl_gate {
#define FL_GATE(id, name, off) FL_GATE_##id,
#include "model/gate.def"
#undef FL_GATE
	FL_GATES
};

/* What a preemption is for; a Policy's protections are given by it. */
enum fl_cause {
	FL_CAUSE_WITHIN_QUEUE,      /* InClusterQueue */
	FL_CAUSE_RECLAIM,           /* InCohortReclamation */
	FL_CAUSE_FAIR_SHARING,      /* InCohortFairSharing */
	FL_CAUSE_RECLAIM_BORROWING, /* InCohortReclaimWhileBorrowing */
	FL_CAUSES
};

/* A setting that may be left to what stands above. */
enum fl_switch { FL_SWITCH_UNSET, FL_SWITCH_OFF, FL_SWITCH_ON };

/* What a Policy says of a queue's workloads; FL_TIME_NONE: nothing. */
struct fl_protection {
	fl_time minimum_run[FL_CAUSES]; /* as victims: hold quota so long before preemption */
	fl_time delay[FL_CAUSES];       /* as preemptors: wait so long before they may preempt */
	fl_time back_off_base,
		back_off_max; /* a reclaimed queue may not borrow again for so long */
	bool has_overruling_priority;
	int32_t overruling_priority; /* above it priority counts, shares do not */
	enum fl_switch hold_freed_quota;
};

enum fl_protection_scope { FL_PROTECT_ALL, FL_PROTECT_COHORT, FL_PROTECT_CLUSTER_QUEUE };

struct fl_protection_row {
	enum fl_protection_scope scope;
	struct fl_sym name; /* symbol 0 for ALL */
	struct fl_protection says;
	struct fl_place place;
	struct fl_node node; /* by seal; FL_NONE for ALL, and when there is no such node */
};

struct fl_resource_weight {
	struct fl_sym resource_name;
	double weight;
	struct fl_resource resource;
};

/* How a state becomes another, when it is told which way to go (ask/prove/prove.h). */
enum fl_move_kind {
	FL_MOVE_SERVE,  /* a cycle of its own for a workload that waits */
	FL_MOVE_LET_GO, /* an eviction completes */
	FL_MOVE_CYCLE,  /* a whole cycle */
	FL_MOVE_WAIT,   /* time passes, until all that it lifts is lifted */
} FL_BYTE;

/* One of a Moves document. */
struct fl_move_row {
	enum fl_move_kind kind;
	struct fl_sym namespace, name; /* FL_NONE of a whole cycle, and of a wait */
	struct fl_place place;
	struct fl_workload workload; /* by seal; FL_NONE of these two */
};

/* Is it one workload's? */
static inline bool fl_move_names(enum fl_move_kind kind)
{
	return kind == FL_MOVE_SERVE || kind == FL_MOVE_LET_GO;
}

enum fl_fair_strategy {
	FL_FINAL_SHARE /* S2-a: LessThanOrEqualToFinalShare */,
	FL_INITIAL_SHARE /* S2-b: LessThanInitialShare */
};

/* Kueue's Configuration, and our Policy: the parts that change decisions. */
struct fl_settings {
	bool present;      /* a Configuration was in the input; else all of this is assumed */
	bool fair_sharing; /* fairSharing present (and not enable: false) */
	enum fl_fair_strategy strategies[2];
	uint32_t n_strategies; /* after defaulting: 1 or 2 */

	bool admission_fair_sharing;
	fl_time usage_half_life, usage_sampling; /* durations; 0 half-life: nothing decays */
	struct fl_span resource_weights;         /* into resource_weights; 1 for those not named */
	struct fl_span excluded_prefixes;        /* into syms: resources that do not count */
	struct fl_span transformations;
	bool off[FL_GATES];
	bool undecided;     /* it has a rule that the engine has not (codec/object/undecided.h) */
	bool from_creation; /* after PodsReadyTimeout: queued by age, not by eviction */
	struct fl_place place;

	bool has_policy; /* a Policy was in the input */
	struct fl_place policy_place;
	bool many_heads; /* borrow: cycles follow each other in a step until one admits none */
	bool settles;    /* borrow: preemption cannot loop (decide/borrow/guarantee/rung.h) */
	fl_time eviction_timeout; /* with that: one evicting for longer counts as running; 0: none */
	bool exact_usage; /* local queues by the integral of what they hold (decide/borrow/afs/afs.c) */

	bool has_moves; /* a Moves was in the input */
	struct fl_place moves_place;
	uint32_t moves_repeat; /* so many at the end repeat; 0: none */
};

enum fl_notice_kind {
#define FL_NOTICE(id, name, meaning, advice) FL_NOTICE_##id,
#include "model/notice.def"
#undef FL_NOTICE
	FL_NOTICE_KINDS
};

/* A warning: legal, but surely not meant. */
struct fl_notice {
	enum fl_notice_kind kind;
	struct fl_place place;
	struct fl_sym subject; /* "Workload/ns/name .spec.queueName" */
	struct fl_sym text;    /* one line */
	struct fl_sym hint;    /* symbol 0 ("") when there is none */
};

/* It says what is not modelled or assumed: nothing is wrong with the input. */
bool fl_notice_is_note(enum fl_notice_kind kind);

/* The scheduler of the objects; KUEUE too when nothing says. */
enum fl_dialect { FL_DIALECT_ANY, FL_DIALECT_KUEUE, FL_DIALECT_KAI, FL_DIALECT_MIXED };

/* Every pool and table: X(type, field). */
#define FL_MODEL_TABLES(X)                                                                         \
	X(struct fl_flavor_row, flavors)                                                           \
	X(struct fl_node_row, nodes)                                                               \
	X(struct fl_queue_row, queues)                                                             \
	X(struct fl_consumed, consumed)                                                            \
	X(struct fl_resource_weight, resource_weights)                                             \
	X(struct fl_protection_row, protections)                                                   \
	X(struct fl_namespace_row, namespaces)                                                     \
	X(struct fl_priority_row, priorities)                                                      \
	X(struct fl_workload_row, workloads)                                                       \
	X(struct fl_uncertain_row, uncertain)                                                      \
	X(struct fl_requeue_row, requeues)                                                         \
	X(struct fl_eviction_row, evictions)                                                       \
	X(struct fl_vacant_row, vacant)                                                            \
	X(struct fl_podset, podsets)                                                               \
	X(struct fl_podset_assignment, podset_assignments)                                         \
	X(struct fl_assignment, assignments)                                                       \
	X(struct fl_request, requests)                                                             \
	X(struct fl_pod_part, parts)                                                               \
	X(struct fl_pod_amount, amounts)                                                           \
	X(struct fl_limit_range_row, limit_ranges)                                                 \
	X(struct fl_range, ranges)                                                                 \
	X(struct fl_runtime_class_row, runtime_classes)                                            \
	X(struct fl_transformation, transformations)                                               \
	X(struct fl_transformed, outputs)                                                          \
	X(struct fl_group, groups)                                                                 \
	X(struct fl_group_flavor, group_flavors)                                                   \
	X(struct fl_quota, quotas)                                                                 \
	X(struct fl_label, labels)                                                                 \
	X(struct fl_taint, taints)                                                                 \
	X(struct fl_toleration, tolerations)                                                       \
	X(struct fl_term, terms)                                                                   \
	X(struct fl_requirement, requirements)                                                     \
	X(struct fl_sym, syms)                                                                     \
	X(struct fl_sym, inputs)                                                                   \
	X(struct fl_sym, resources)                                                                \
	X(struct fl_entitlement, entitlements)                                                     \
	X(struct fl_gang, gangs)                                                                   \
	X(struct fl_task_row, tasks)                                                               \
	X(struct fl_machine_row, machines)                                                         \
	X(struct fl_sample_row, samples)                                                           \
	X(struct fl_usage_row, usages)                                                             \
	X(struct fl_budget_row, budgets)                                                           \
	X(struct fl_life_row, lives)                                                               \
	X(struct fl_change_row, changes)                                                           \
	X(struct fl_failure_row, failures)                                                         \
	X(struct fl_trace_row, traces)                                                             \
	X(struct fl_trace_rule, trace_rules)                                                       \
	X(struct fl_log_row, logs)                                                                 \
	X(struct fl_class_row, classes)                                                            \
	X(struct fl_tree_row, trees)                                                               \
	X(struct fl_template_row, templates)                                                       \
	X(struct fl_target_row, targets)                                                           \
	X(struct fl_move_row, moves)                                                               \
	X(struct fl_tree_row, daemon_trees)                                                        \
	X(struct fl_daemon_flavor_row, daemon_flavors)                                             \
	X(struct fl_daemon_resource_row, daemon_resources)                                         \
	X(uint32_t, daemon_devices)                                                                \
	X(struct fl_daemon_access_row, daemon_access)                                              \
	X(struct fl_daemon_listen_row, daemon_listens)                                             \
	X(struct fl_gpu_memory_row, gpu_memories)                                                  \
	X(struct fl_bind_row, binds)                                                               \
	X(uint32_t, generated)                                                                     \
	X(struct fl_notice, notices)

/*
 * Objects whose rows are made when all of the input is known, such as jobs: their reader puts them
 * here, and knows what they are.
 */
struct fl_late {
	void *objects; /* NULL: none */
	int (*make)(struct fl_model *m, void *objects, fairlead_error *err);
	void (*done)(void *objects);
};

struct fl_former; /* codec/edit/former.h */
struct fl_doc;

struct fl_model {
	const struct fl_mem *mem;
	struct fl_names names;
#define X(type, field)                                                                             \
	type *field;                                                                               \
	uint32_t n_##field, cap_##field;
	FL_MODEL_TABLES(X)
#undef X
	struct fl_settings settings;
	struct fl_entitle_settings entitle;
	struct fl_documented_multiplier documented;
	struct fl_simulation_settings simulation;
	struct fl_daemon_settings daemon;
	struct fl_late late;    /* until sealing */
	enum fl_dialect wanted; /* before reading: objects of the others are left out */
	struct fl_resource
		axis[FL_BUNDLE]; /* by seal, of the entitle policy: cpu, memory, nvidia.com/gpu */
	struct fl_pairs by_name; /* (kind, name or namespaced name) -> id; private to model.c */
	uint32_t *named;         /* the same of workloads; private to named.c */
	uint32_t n_named;
	uint32_t notices_dropped;
	uint32_t spare;  /* before sealing: places for so many newcomers (newcomer.h) */
	uint32_t places; /* by seal: workloads that there may be; 0: no newcomers */
	/* By seal, with places: beyond so many names, podsets, requests or tasks it is worn. */
	struct fl_worn {
		uint32_t names, podsets, requests, tasks;
	} worn;
	/*
	 * Before reading: what collects mistakes; then reading goes on behind it, and the model is
	 * `spoiled`: it can only be freed.  @err has file, line and column.  0, or negative to end it.
	 */
	struct {
		int (*tell)(void *user,
			    const fairlead_error *err); /* NULL: the first error ends it */
		void *user;
	} wrong;
	bool spoiled;
	/*
	 * Before reading: where the objects are as they were before a change; each one that has a former
	 * self is judged as an update of it.  NULL: all are created.
	 */
	const struct fl_former *former;
	const struct fl_doc *(*former_of)(const struct fl_former *former, const char *subject,
					  const char *api_version);
	/*
	 * Before reading: what is wrong and configures nothing is left out; what configures, and a server
	 * would refuse, is read with a warning.
	 */
	bool lenient, warns;
	/*
	 * Before reading: what a server would refuse is wrong.  Without, only what it drops is dropped, and
	 * an object is wrong where it cannot be read.
	 */
	bool judged;
	unsigned webhook_gates; /* of the Configuration: enum fl_schema_gate */
	fl_time newest;         /* newest time in the input; FL_TIME_NONE when there is none */
	bool sealed;
};

/* 0 and *ret owned by the caller, or FAIRLEAD_ENOMEM. */
int fl_model_new(const struct fl_mem *mem, struct fl_model **ret, fairlead_error *err);
struct fl_model *fl_model_free(struct fl_model *m);
/* Another one with the same rows, sealed or not as it is. FAIRLEAD_ENOMEM. */
int fl_model_copy(const struct fl_model *m, const struct fl_mem *mem, struct fl_model **ret,
		  fairlead_error *err);

/* Intern @text. */
int fl_model_sym(struct fl_model *m, const char *text, size_t len, struct fl_sym *ret,
		 fairlead_error *err);
const char *fl_model_text(const struct fl_model *m, struct fl_sym sym);
/*
 * The number of the next name that is made of @prefix, for objects of this @kind and namespace:
 * 0, 1, ...  A name that another object has in the input is not left out.
 */
int fl_model_generate(struct fl_model *m, const char *kind, const char *namespace,
		      const char *prefix, uint32_t *ret, fairlead_error *err);
/* The file of @place; "" when it is not known. */
const char *fl_model_file(const struct fl_model *m, struct fl_place place);

/*
 * Makes the rows of late objects, once; sealing does it as well. Errors are those of the objects.
 */
int fl_model_complete(struct fl_model *m, fairlead_error *err);

/* Fill file, line and column of *err (NULL is allowed) from @place. Returns err's code. */
int fl_model_fail_at(const struct fl_model *m, struct fl_place place, fairlead_error *err);

/*
 * fl_model_push_<table>: append a copy of *row; *ret_id (NULL allowed) is its index.
 * 0, FAIRLEAD_ENOMEM, or FAIRLEAD_ELIMIT.  No check beyond limits: pools only.
 */
#define X(type, field)                                                                             \
	int fl_model_push_##field(struct fl_model *m, const type *row, uint32_t *ret_id,           \
				  fairlead_error *err);
FL_MODEL_TABLES(X)
#undef X

/*
 * What was pushed since @mark goes again: an object whose reading failed half-way.  Objects that were
 * added stay, so none may have been.
 */
struct fl_model_mark {
#define X(type, field) uint32_t n_##field;
	FL_MODEL_TABLES(X)
#undef X
	fl_time newest;
};
/* The text of an error: an object of that kind and name is there already. */
extern const char fl_model_twice[];
void fl_model_mark(const struct fl_model *m, struct fl_model_mark *ret);
void fl_model_cut(struct fl_model *m, const struct fl_model_mark *mark);

/*
 * Add an object.  As push, and FAIRLEAD_EINPUT with place, subject and text when
 * an object of that kind and name is there already, or the name is empty or too
 * long, or a resource stands in two groups of it, or a quota is given twice.
 * Defaults to start a row from:
 */
extern const struct fl_node_row fl_cluster_queue_default, fl_cohort_default;
extern const struct fl_node_row fl_entitled_default;       /* FL_QUEUE, entitlement to be set */
extern const struct fl_entitlement fl_entitlement_default; /* deserves and may have nothing */
extern const struct fl_gang fl_gang_default;               /* minimum 1 */
extern const struct fl_task_row fl_task_default;           /* pending, asks for nothing */
extern const struct fl_queue_row fl_queue_default;
extern const struct fl_workload_row fl_workload_default;
extern const struct fl_requeue_row fl_requeue_default;
extern const struct fl_podset fl_podset_default;
extern const struct fl_protection fl_protection_default; /* says nothing */

int fl_model_add_flavor(struct fl_model *m, const struct fl_flavor_row *row, fairlead_error *err);
int fl_model_add_node(struct fl_model *m, const struct fl_node_row *row, fairlead_error *err);
int fl_model_add_queue(struct fl_model *m, const struct fl_queue_row *row, fairlead_error *err);
int fl_model_add_namespace(struct fl_model *m, const struct fl_namespace_row *row,
			   fairlead_error *err);
int fl_model_add_priority(struct fl_model *m, const struct fl_priority_row *row,
			  fairlead_error *err);
int fl_model_add_workload(struct fl_model *m, const struct fl_workload_row *row,
			  fairlead_error *err);
int fl_model_add_machine(struct fl_model *m, const struct fl_machine_row *row, fairlead_error *err);
/* Twins are found by seal. */
int fl_model_add_task(struct fl_model *m, const struct fl_task_row *row, fairlead_error *err);
int fl_model_add_limit_range(struct fl_model *m, const struct fl_limit_range_row *row,
			     fairlead_error *err);
int fl_model_add_runtime_class(struct fl_model *m, const struct fl_runtime_class_row *row,
			       fairlead_error *err);
int fl_model_add_protection(struct fl_model *m, const struct fl_protection_row *row,
			    fairlead_error *err);

/* One a queue; FAIRLEAD_EINPUT without place or subject for a second one. */
int fl_model_add_budget(struct fl_model *m, const struct fl_budget_row *row, fairlead_error *err);
int fl_model_add_usage(struct fl_model *m, const struct fl_usage_row *row, fairlead_error *err);

/* A notice with a printf text; @subject and @hint are plain texts, NULL for none. */
int fl_model_notice(struct fl_model *m, enum fl_notice_kind kind, struct fl_place place,
		    const char *subject, const char *hint, fairlead_error *err, const char *format,
		    ...) FL_PRINTF(7, 8);

/*
 * Resolve names, number resources, find cohort cycles, exclude what cannot take
 * part (with a notice each), give implicit cohorts their rows.  0 or an error;
 * after an error the model can only be freed.
 */
int fl_model_seal(struct fl_model *m, fairlead_error *err);

/*
 * The scheduler of the objects: KUEUE, KAI, or MIXED, of which no policy can be made.
 * Machines and other schedulers' pods do not count; where nothing does it is as wanted, or KUEUE.
 */
enum fl_dialect fl_model_dialect(const struct fl_model *m);

/* 0, or FAIRLEAD_EINPUT with place for a sample of history that ends after @now. */
int fl_model_check_samples(const struct fl_model *m, fl_time now, fairlead_error *err);

/*
 * Each quota of @n, by group and flavor: begin with a zeroed walk; NULL behind the
 * last one.
 */
struct fl_quota_walk {
	uint32_t group, flavor, quota; /* of the next one */
};
const struct fl_quota *fl_model_next_quota(const struct fl_model *m, struct fl_node n,
					   struct fl_quota_walk *walk);

/* Of a workload; the default where there is none. */
static inline const struct fl_requeue_row *fl_model_requeue(const struct fl_model *m,
							    const struct fl_workload_row *row)
{
	return row->requeue == FL_NONE ? &fl_requeue_default : &m->requeues[row->requeue];
}

/* The last eviction of @w; NULL: none is known. */
const struct fl_eviction_row *fl_model_eviction(const struct fl_model *m, struct fl_workload w);

/* By name; FL_NONE ids when there is no such object. Sealed models only. */
struct fl_node fl_model_find_node(const struct fl_model *m, enum fl_node_kind kind,
				  const char *name);
struct fl_resource fl_model_find_resource(const struct fl_model *m, const char *name);
struct fl_flavor fl_model_find_flavor(const struct fl_model *m, const char *name);
/* Of @w, by its number within it. */
uint32_t fl_model_find_podset(const struct fl_model *m, struct fl_workload w, const char *name);
/* A Workload or PodGroup, else whatever the Pod of that name belongs to. */
struct fl_workload fl_model_find_workload(const struct fl_model *m, const char *namespace,
					  const char *name);
/* The Workload owned by the Job @name; the first in name order when several. @namespace NULL: any. */
struct fl_workload fl_model_find_job(const struct fl_model *m, const char *namespace,
				     const char *name);
struct fl_namespace_row *fl_model_find_namespace(const struct fl_model *m, struct fl_sym name);

/* The highest cohort above it, or itself; within a cohort cycle any node of it. */
struct fl_node fl_model_root(const struct fl_model *m, struct fl_node n);

/* "None", "Hold", "HoldAndDrain". */
const char *fl_stop_word(enum fl_stop stop);
/* The value of the annotation: NULL for NOT and OTHER. And back; NULL: NOT. */
const char *fl_handed_word(enum fl_handed handed);
enum fl_handed fl_handed_of(const char *word);

/* Words for messages and JSON, as Kubernetes spells them. */
const char *fl_notice_name(enum fl_notice_kind kind); /* "unknown-field" */
const char *fl_notice_meaning(enum fl_notice_kind kind);
const char *fl_notice_advice(enum fl_notice_kind kind);
const char *fl_inactive_name(enum fl_inactive why); /* "CohortCycle" */
const char *fl_excluded_name(enum fl_excluded why); /* "QueueDoesNotExist" */
const char *fl_gate_name(enum fl_gate gate);        /* "PartialAdmission" */
const char *fl_cause_name(enum fl_cause cause);     /* "InCohortFairSharing" */

#endif
