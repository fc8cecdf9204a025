/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record - the words everything speaks: events in, decisions and evidence out
 *
 * Plain values; no function here changes any state.
 */
#ifndef FL_RECORD_RECORD_H
#define FL_RECORD_RECORD_H

#include "base/amount.h"
#include "base/ids.h"
#include "base/mem.h"
#include "model/model.h"

enum fl_reason {
#define FL_REASON(id, name, sentence) FL_REASON_##id,
#include "record/reason.def"
#undef FL_REASON
	FL_REASONS
} FL_BYTE;

enum fl_check {
#define FL_CHECK(id, name, meaning) FL_CHECK_##id,
#include "record/check.def"
#undef FL_CHECK
	FL_CHECKS
};

const char *fl_reason_name(enum fl_reason reason);
const char *fl_reason_sentence(enum fl_reason reason);
const char *fl_check_name(enum fl_check check);
const char *fl_check_meaning(enum fl_check check);

enum fl_event_kind {
	FL_EV_SUBMIT,   /* a workload arrives (it stands in the model already) */
	FL_EV_CANCEL,   /* a workload is deleted, pending or not */
	FL_EV_STARTED,  /* backend: an admitted workload runs */
	FL_EV_EVICTED,  /* backend: a preempted workload released its quota; it is pending again */
	FL_EV_FINISHED, /* backend: an admitted workload is done */
	FL_EV_REJECTED, /* backend: an admission could not be applied; it is pending again */
	FL_EV_KILLED,   /* backend: what it ran on is lost, or one machine; it is pending again */
	FL_EV_CELL,     /* one quota, limit, weight or priority changes */
	FL_EV_USAGE,    /* a sample of history from outside (entitle) */
	FL_EV_HOLDS,    /* another scheduler decided that a pending workload holds quota */
	FL_EV_GOES,     /* another scheduler evicts it; it holds its quota until FL_EV_EVICTED */
};

struct fl_cell {
	enum fl_cell_kind kind;
	union {
		struct fl_node node;       /* all but PRIORITY, which is of the event's workload */
		struct fl_machine machine; /* ALLOCATABLE */
	};
	struct fl_flavor flavor; /* quota and limits */
	struct fl_resource resource;
	fl_amount amount; /* quota, limit (FL_NO_LIMIT: none), priority */
	union {
		double weight;
		double value; /* entitle */
	};
};

/* What a queue held, or the capacity of the cluster (node FL_NONE), over (from, to]. */
struct fl_sample {
	struct fl_node node;
	fl_time from, to;
	struct fl_bundle amount;
};

/*
 * One resource of one podset in one flavor.  A podset that asks for nothing has one
 * row too, for its count: resource and flavor FL_NONE.
 */
struct fl_placement {
	uint32_t podset; /* 0-based within the spec; FL_NONE: held, but not in the spec */
	int32_t count;   /* pods admitted; below the podset's count with partial admission */
	struct fl_resource resource;
	union {
		struct fl_flavor flavor;
		struct fl_machine machine; /* entitle: where `count` tasks go; podset 0 */
	};
	fl_amount amount; /* of all the podset's pods together */
};

/*
 * What a workload holds, as its admission says: a row for each resource of each podset, in any
 * order.  entitle: a row for each task, with its index within the workload as `podset`, and the
 * machine where it is; no resource, and no queue.  The rows are the caller's.
 */
struct fl_holding {
	struct fl_node cluster_queue; /* whose quota */
	const struct fl_placement *rows;
	uint32_t n;
};

struct fl_event {
	enum fl_event_kind kind;
	struct fl_workload workload; /* all but CELL and USAGE; and CELL of a priority */
	struct fl_cell cell;         /* CELL only */
	struct fl_sample sample;     /* USAGE only */
	struct fl_machine machine;   /* KILLED, GOES: what is there; FL_NONE: all */
	struct fl_holding holding;   /* HOLDS only */
	fl_time since;               /* HOLDS, GOES: when that was; FL_TIME_NONE: now */
	enum fl_reason reason;       /* GOES: why */
};

enum fl_decision_kind {
	FL_ADMIT,
	FL_RESERVE, /* starts when the workloads evicted for it have ended */
	FL_EVICT,
	FL_WAIT,
};

struct fl_decision {
	enum fl_decision_kind kind;
	enum fl_reason reason;
	struct fl_workload workload;
	struct fl_workload preemptor; /* EVICT only; else FL_NONE */
	struct fl_node cluster_queue;
	struct fl_span placement; /* ADMIT, RESERVE: into decisions.placements */
	bool already_evicting;    /* EVICT of a workload whose eviction is under way */
	enum fl_action action;    /* entitle: which action decided */
	int32_t count;            /* entitle: tasks it is about */
};

/* Valid until the next step or try of the policy that gave them. */
struct fl_decisions {
	const struct fl_decision *rows;
	uint32_t n;
	const struct fl_placement *placements;
	uint32_t n_placements;
	const struct fl_workload *heads; /* looked at in this step, by queue; entitle: by age */
	uint32_t n_heads;
	bool waiting; /* a workload was pending, looked at or not */
	/*
	 * Something other than time has changed: a cycle right after this one may
	 * decide what this one could not.
	 */
	bool moved;
};

enum fl_number_kind {
	FL_NUMBER_AMOUNT,   /* of the row's resource; plain, such as a priority, without one */
	FL_NUMBER_SHARE,    /* weighted; INFINITY when the weight is 0 */
	FL_NUMBER_TIME,     /* a moment: fl_time in `amount` */
	FL_NUMBER_DURATION, /* a duration: the same */
	FL_NUMBER_BUNDLE,   /* entitle: of the row's resource, in a bundle's units, in `share` */
	FL_NUMBER_RATIO,    /* a plain number, in `share` */
};

/* Exact. */
struct fl_number {
	enum fl_number_kind kind;
	fl_amount amount;
	double share;
};

/*
 * One row for each inequality tested; each rule emits its own.  A search for victims
 * begins with a row of WITHIN_NOMINAL for each column that is needed; what it finds of
 * a node that stands for all below it has victim FL_NONE.
 */
struct fl_evidence {
	enum fl_check check;
	struct fl_workload workload; /* the preemptor, or the one that is decided */
	uint32_t podset;             /* during assignment; FL_NONE otherwise */
	struct fl_node node;         /* where in the tree */
	struct fl_flavor flavor;     /* FL_NONE when the check is not of one */
	struct fl_resource resource;
	struct fl_workload victim; /* FL_NONE when there is none */
	struct fl_number lhs, rhs;
	bool holds;
	uint32_t search; /* grows with every search for victims; rows of one search share it */
};

struct fl_sink {
	void (*row)(void *user, const struct fl_evidence *row);
	void *user;
	bool not_victims; /* rows about single victims are not wanted: a search has many */
};

/*
 * A node's weighted dominant resource share (KEP-1714).  entitle: its saturation, held / fair
 * share, as `precise` and `ratio`, INFINITY when it holds some of a share of 0; the weight is
 * that of GPUs, and borrowing is to hold more than is deserved.
 */
struct fl_share {
	double precise; /* INFINITY: weight 0 and borrowing */
	double ratio;   /* 1000 * borrowed / lendable, before the weight */
	double weight;
	bool borrowing;              /* may be true with ratio 0: nothing is lendable */
	struct fl_resource dominant; /* FL_NONE when ratio is 0 */
};

#endif
