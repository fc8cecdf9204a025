/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state - what the borrow policy knows between cycles
 *
 * Private to decide/borrow.  All that may change after `new` is written through the undo log;
 * lists that are only derived from it have the epoch for which they were built, and are built
 * again when it has changed.
 *
 * Bytes per workload, by what uses them:
 *
 *      64  fl_job
 *       8  members, eq_class_ids: queue order, and the same by class
 *       4  uid_rank
 *      12  holders, holder_at, candidates: those with quota, and their order for preemption
 *       8  tree_candidates, tree_holders: only without fair sharing, or with a Policy
 *       4  fl_marks.of
 *       2  scans: for each podset and resource group
 *       1  shaped, loose, parked: bits
 *      40  a class (fl_eq_class, heads, marked), divided by its number of workloads
 *
 * Where the model has places for newcomers (model/newcomer.h) there are as many rows as places, and
 * each queue has room for a sixteenth more than is in it: about a tenth more for a sixteenth more
 * places.
 *
 * More while it holds quota:
 *
 *      40  holdings: a use and a placement, for each resource of each podset
 *   12-24  fl_preempt.targets, sort_scratch: grown by doubling
 *
 * and 2 KB per queue or cohort with one column.  Usage of local queues takes 16 more per workload,
 * a Policy 8 and what is promised.  Tested in tests/unit/decide/test_bytes.c: at most 128 and 192.
 */
#ifndef FL_DECIDE_BORROW_STATE_STATE_H
#define FL_DECIDE_BORROW_STATE_STATE_H

#include "base/bitset.h"
#include "decide/borrow/quota/drs.h"
#include "decide/borrow/quota/tree.h"
#include "decide/borrow/state/holdings.h"
#include "decide/borrow/state/queue_time.h"
#include "decide/borrow/state/spans.h"
#include "decide/common.h"

/* Scan position of one podset and resource group (doc/semantics/borrow.md, B9.5). */
enum { FL_SCAN_NONE = -2, FL_SCAN_LAST = -1 };

/* One per workload. */
struct fl_job {
	/* fixed while it takes part */
	struct fl_node queue; /* its ClusterQueue; FL_NONE: takes no part */
	uint32_t eq_class;    /* equal for equal podsets and priority within a queue */
	fl_time since;        /* fl_queue_time */

	/* changes */
	uint32_t eq_class_place; /* in queue order within its class */
	uint32_t position;       /* in queue order within its ClusterQueue; FL_NONE: not in p */
	int32_t priority;
	enum fl_workload_state state; /* of a pending workload call fl_backlog_state */
	enum fl_reason reason;        /* of a pending workload call fl_backlog_reason */
	bool promised;                /* quota that is freed for it is held (protect.h) */
	bool loose;                   /* pending, and unlike its class (backlog.c) */
	uint32_t joined;              /* `marks` of its class when it joined the backlog */
	uint32_t scan_cycle;          /* in which its scan positions were stored; 0: none are */
	uint32_t scan_generation;
	struct fl_node held_by;      /* the ClusterQueue whose quota it holds; FL_NONE */
	uint32_t held;               /* its rows (holdings.h); FL_NONE */
	uint16_t n_placement, n_use; /* how many of each */
	fl_time reserved_at;
};
_Static_assert(sizeof(struct fl_job) == 64, "a cache line a workload");

/* One per resource group of a ClusterQueue. */
struct fl_queue_group {
	struct fl_span resources; /* a span of group_resources */
	struct fl_span flavors;   /* a span of this policy's group_flavors */
	uint32_t columns;         /* first in group_columns: flavor-major, one per resource */
};

/* An equivalence class: workloads of a queue with equal pod sets and priority. */
struct fl_eq_class {
	/* fixed, but for newcomers; without members it is free for another one of its queue */
	struct fl_span members; /* a span of eq_class_ids */
	uint32_t scans, n_scan; /* into scans: rows of n_scan; podset-major, then by group */
	uint32_t stride;        /* from one row to the next */
	uint32_t room;          /* the most uses, or placements, that one of them can have */

	/* changes */
	uint32_t marks;        /* how often it was marked */
	enum fl_reason reason; /* reason of its last mark */
};

/* One per node; unused for cohorts. */
struct fl_backlog {
	/* fixed */
	struct fl_span groups;  /* a span of policy->groups */
	struct fl_span members; /* into policy->members: its workloads, in queue order */
	uint32_t room;          /* for so many members; eq_class_ids has the same span */
	struct fl_span scans;   /* into policy->scans: room, with places for newcomers */
	struct fl_span holders; /* a span of policy->holders: room */
	uint32_t n_foreign;     /* those of other queues for which there is room among them */
	struct fl_span
		eq_classes; /* numbers of the classes of its workloads, free ones among them */
	bool active;        /* flavors exist, not stopped, in no cohort cycle */
	bool covers_pods;

	/* changes */
	struct fl_bitset loose, parked; /* positions: pending unlike its class; parked alone */
	uint32_t sticky;                /* workload id; FL_NONE */
	uint32_t generation;
	uint32_t n_holders; /* workloads that hold its quota, in no order */

	uint64_t epoch; /* another one after every change of its holders */

	/* derived */
	uint64_t sorted_epoch; /* epoch of `candidates`; never rolled back */
	uint32_t n_sorted;     /* how many are in `candidates` */
	uint64_t sorted_usage; /* the stamp of the usage they were sorted by (afs.h) */
};

struct fl_policy {
	FL_POLICY_COMMON;
	struct fl_tree tree;
	struct fl_usage usage;
	struct fl_resource pods_resource; /* "pods"; FL_NONE: no queue has quota for it */

	struct fl_job *jobs;         /* by workload */
	uint32_t *uid_rank;          /* by workload: of its uid as a string; FL_NONE: a newcomer */
	uint32_t places;             /* rows of what is by workload */
	uint32_t spare;              /* newcomers that there is room for, about; 0: none at all */
	struct fl_backlog *backlogs; /* by node; and behind them one of workloads without queue */
	struct fl_queue_group *groups;
	struct fl_resource *group_resources;
	struct fl_flavor *group_flavors;
	struct fl_column *group_columns;
	uint32_t *members;
	uint32_t *holders, *holder_at; /* holder_at: workload -> index in its backlog's holders */
	uint32_t *candidates;          /* holders of a backlog in candidate order; same spans */
	uint32_t *sort_scratch, cap_sort; /* room to sort all workloads that hold quota */
	struct fl_holdings holdings;
	int16_t *scans;
	uint32_t n_scans; /* with places for newcomers */
	struct fl_eq_class *eq_classes;
	uint32_t n_eq_classes;
	uint32_t *eq_class_ids; /* workloads by class; of one class in queue order */
	/* which workloads are pending (backlog.c) */
	struct fl_bitset with_class;    /* indices of eq_class_ids: pending with its class */
	struct fl_bitset marked;        /* shapes: known not to fit */
	struct fl_bitset ready, asleep; /* queues, by place in the tree's order */
	uint32_t *heads;                /* two per class: each backlog's tree of heads */
	/* which parts of the arrays are in use: places for newcomers */
	struct fl_spans member_spans, holder_spans, class_spans, scan_spans, tree_spans;

	fl_amount *least;      /* least.h, by cell */
	uint64_t *least_epoch; /* by node: epoch of the bound; 0: there is none */
	uint32_t *least_age;   /* by node: changes since the bound was computed */

	uint64_t *tree_epoch;          /* per root: another one after every change of its holders */
	uint64_t *tree_sorted_epoch;   /* per root: epoch of tree_candidates */
	uint32_t *tree_first, *tree_n; /* per root: its part of tree_candidates */
	uint32_t *tree_room;           /* per root: of that part */
	uint32_t *tree_candidates, *tree_holders; /* workload, and the queue whose quota it holds */
	uint64_t epochs;        /* the last one; never goes back, not even by rollback */
	struct fl_bitset dirty; /* roots: changed after a cycle left them unchanged */
	uint32_t *cycle;        /* per root: number of cycles that looked at it */
	uint32_t changes;       /* how often quotas and limits changed */

	struct fl_afs *afs;         /* NULL: admission fair sharing is off */
	bool unsampled;             /* fl_policy_options.unsampled */
	fl_time flush_after;        /* fl_policy_options.flush_after */
	fl_time *flush_due;         /* by root: FL_NEVER; NULL: flushes are at once */
	fl_time flush_next;         /* no flush is due before that */
	struct fl_protect *protect; /* NULL: there is no Policy */
	fl_time *waiting_since;     /* with one, by workload: pending or evicting since */
	struct fl_rungs *rungs;     /* rung.h; NULL: nothing asks that preemption settles */
	uint32_t *requeued;         /* workloads with a back-off, by its end (requeue.h) */
	uint32_t n_requeued, cap_requeued;
	uint32_t requeued_n; /* of those so many back-offs ended */
	struct fl_sym afs_cpu;

	struct fl_cycle *scratch; /* cycle/cycle.h: data of one cycle */
};

static inline const struct fl_workload_row *fl_row(const struct fl_policy *p, struct fl_workload w)
{
	return &p->model->workloads[w.v];
}

static inline bool fl_holds_quota(const struct fl_job *j) { return j->held_by.v != FL_NONE; }

/* The most uses, and the most placements, that @j can have. */
static inline uint32_t fl_room(const struct fl_policy *p, const struct fl_job *j)
{
	return p->eq_classes[j->eq_class].room;
}
/* What @j holds: n_use rows, each column once; n_placement rows. */
static inline struct fl_use *fl_uses(const struct fl_policy *p, const struct fl_job *j)
{
	return fl_holdings_uses(&p->holdings, j->held);
}
static inline struct fl_placement *fl_placements(const struct fl_policy *p, const struct fl_job *j)
{
	return fl_holdings_placements(&p->holdings, j->held, fl_room(p, j));
}
/* Scan positions of @j, a span of p->scans. */
static inline struct fl_span fl_scan(const struct fl_policy *p, const struct fl_job *j)
{
	const struct fl_eq_class *s = &p->eq_classes[j->eq_class];

	return (struct fl_span){ s->scans + j->eq_class_place * s->stride, s->n_scan };
}

/* The backlog that has @j among its members; that of workloads without queue is in no tree. */
static inline struct fl_backlog *fl_backlog_of(const struct fl_policy *p, const struct fl_job *j)
{
	return &p->backlogs[j->queue.v == FL_NONE ? p->model->n_nodes : j->queue.v];
}

static inline int fl_cmp_uids(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	uint32_t x = p->uid_rank[a], y = p->uid_rank[b];

	return (x | y) == FL_NONE ? fl_cmp_unranked(p, a, b) : (x > y) - (x < y);
}

#endif
