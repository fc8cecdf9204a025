/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead - which workload a shared cluster admits next, and why
 *
 * The whole of the embedding interface.  An engine reads the manifests that
 * people have, is sealed, and then decides cycle by cycle:
 *
 *	fairlead_engine *e = NULL;
 *	fairlead_error err;
 *
 *	if (fairlead_engine_new(NULL, &e, &err) < 0 ||
 *	    fairlead_engine_read(e, "cluster.yaml", text, length, &err) < 0 ||
 *	    fairlead_engine_seal(e, now, &err) < 0 ||
 *	    fairlead_engine_step(e, now, print_decision, NULL, &err) < 0)
 *		fprintf(stderr, "%s:%u: %s: %s\n", err.file, err.line, err.subject, err.text);
 *	e = fairlead_engine_free(e);
 *
 * doc/examples/plan.c is this program, complete.
 *
 * Rules that hold for every function:
 *   - 0 is success; a negative FAIRLEAD_E... code says that nothing was changed
 *     (but see read and seal) and *err (which may be NULL) says why.
 *   - Objects are named, here and in every answer, and never numbered: a name means
 *     the same object for as long as there is one of that kind and name.
 *   - The library never logs, exits, reads the clock, the environment or the
 *     locale, and starts no threads.  "Now" is an argument: nanoseconds since 1970.
 *   - The same input gives the same decisions, on every machine and for every
 *     order of the objects.
 *   - Not thread-safe: one thread at a time per engine, any number of engines.
 */
#ifndef FAIRLEAD_FAIRLEAD_H
#define FAIRLEAD_FAIRLEAD_H

#include <stddef.h>
#include <stdint.h>

#include <fairlead/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FAIRLEAD_API __attribute__((visibility("default")))
#define FAIRLEAD_MUST_CHECK __attribute__((warn_unused_result))
#else
#define FAIRLEAD_API
#define FAIRLEAD_MUST_CHECK
#endif

/* "0.1.0" */
FAIRLEAD_API const char *fairlead_version(void);

/* One cluster's quotas, queues and workloads. */
typedef struct fairlead_engine fairlead_engine;

/* The policy: Kueue's fair sharing (borrow) or KAI's fairness (entitle). */
typedef enum fairlead_policy {
	FAIRLEAD_POLICY_OF_INPUT, /* that of the queues that were read; both: seal fails with FAIRLEAD_EINPUT */
	FAIRLEAD_POLICY_BORROW, /* the other one's objects are left out */
	FAIRLEAD_POLICY_ENTITLE,
} fairlead_policy;

/*
 * A caller that was built with an older header says a smaller @size, and what it does not know
 * gets its default.  One that was built with a newer header says a larger one: that is accepted if
 * all bytes that this version does not know are zero, which is every default.
 */
typedef struct fairlead_engine_options {
	size_t size; /* sizeof(fairlead_engine_options): later versions grow at the end */
	/* Where memory comes from: as realloc, but size 0 frees and returns NULL. NULL: the C heap. */
	void *(*resize)(void *user, void *old, size_t new_size);
	void *user;
	fairlead_policy policy;
	uint32_t reserved; /* ignored */
	uint64_t flags;    /* FAIRLEAD_KEEP_OBJECTS, or 0 */
} fairlead_engine_options;

/*
 * The engine keeps what it reads, so that objects can be added, changed and deleted after seal
 * (fairlead_engine_change): some 2,000 bytes for a Workload of one podset and container.
 */
#define FAIRLEAD_KEEP_OBJECTS UINT64_C(1)

#define FAIRLEAD_ENGINE_OPTIONS_INIT                                                               \
	{                                                                                          \
		sizeof(fairlead_engine_options), NULL, NULL, FAIRLEAD_POLICY_OF_INPUT, 0, 0        \
	}

/*
 * @options NULL: defaults.  *ret is the caller's.  FAIRLEAD_EINPUT: an impossible size (below that
 * of `size` itself, or above 4096 bytes), or something is asked for that this version does not know:
 * a policy, a flag, or a byte behind what it knows; ENOMEM.
 */
FAIRLEAD_API int fairlead_engine_new(const fairlead_engine_options *options, fairlead_engine **ret,
				     fairlead_error *err) FAIRLEAD_MUST_CHECK;

/* NULL is allowed; always returns NULL, so `e = fairlead_engine_free(e)` reads well. */
FAIRLEAD_API fairlead_engine *fairlead_engine_free(fairlead_engine *e);

/*
 * Read Kubernetes objects (YAML of one or many documents, JSON, kind: List).
 * @name is what errors call the input.  May be called many times.
 * FAIRLEAD_EINPUT, ELIMIT: malformed; ENOMEM.  After any of them the engine can only be freed,
 * unless it is sealed: reading is then fairlead_engine_change without deletions.
 */
FAIRLEAD_API int fairlead_engine_read(fairlead_engine *e, const char *name, const char *text,
				      size_t length, fairlead_error *err) FAIRLEAD_MUST_CHECK;

/*
 * Where a large input comes from: up to @size bytes into @buffer, how many in *ret; 0 is the
 * end.  Returns 0, or a FAIRLEAD_E... code with err->text (and the rest of it, if known).
 * It must not call the engine.
 */
typedef int fairlead_read_fn(void *user, char *buffer, size_t size, size_t *ret,
			     fairlead_error *err);

/*
 * As fairlead_engine_read, from a stream: with what is read at a time and the largest object
 * in memory (doc/guide/input.md#large-dumps has the bound), never the whole input.  The outcome is
 * that of fairlead_engine_read, however the bytes are cut.  An error of @read is returned.
 */
FAIRLEAD_API int fairlead_engine_read_from(fairlead_engine *e, const char *name,
					   fairlead_read_fn *read, void *user,
					   fairlead_error *err) FAIRLEAD_MUST_CHECK;

/*
 * All initial objects were read: resolve references, build the quota trees.  FAIRLEAD_ESTATE when
 * sealed already; after ELIMIT or ENOMEM the engine can only be freed.
 */
FAIRLEAD_API int fairlead_engine_seal(fairlead_engine *e, int64_t now,
				      fairlead_error *err) FAIRLEAD_MUST_CHECK;

/*
 * Add, change and delete objects after seal, in an engine with FAIRLEAD_KEEP_OBJECTS: what is in @text
 * (as read; NULL: nothing) is laid over what is there as `kubectl apply` does, and @n_removed objects,
 * named "KIND/NAME" or "KIND/NAMESPACE/NAME", are deleted; with a Namespace also what is in it.
 * All of it at once, or nothing: after an error the engine is as it was.  The time is the
 * newest that seal, step or event was given.
 *
 * Workloads that hold quota keep it, and pending ones stay pending; where queues, quotas and rules
 * are the same, later decisions are those that would have been made anyway (source:
 * ARCHITECTURE.md, "From model to model").  A new Workload or Pod is pending, as after
 * FAIRLEAD_SUBMITTED, without a creationTimestamp as created now; a deleted one has released its
 * quota.  A pending Workload may have other podsets: it is then queued again.  The quota that
 * `status` says a Workload holds counts before seal only; after it the engine decides.
 *
 * FAIRLEAD_EINPUT: malformed; or the podsets of a Workload that holds quota would change; or it holds
 * what would not exist any more; or a new one says that it holds quota; or the policy would change;
 * or a UsageHistory, Simulation or Moves, which are read before seal only.
 * FAIRLEAD_ENOENT: no such kind, or nothing of that name to be deleted.
 * FAIRLEAD_ESTATE: not sealed, no objects were kept, or inside a mark.  ELIMIT; ENOMEM.
 *
 * New pending Workloads alone, with nothing else in @text and nothing deleted, cost what they cost,
 * whatever is there, until as many have come as a sixteenth of those that were there and 32 more.
 * Then, and whenever anything else changes, it costs a look at every object that is there: time and
 * memory grow as with seal, with the number of objects (5 to 10 microseconds for each Workload), and
 * while it lasts all exists twice.  So collect what has ended, and delete it in one call.
 * Texts of fairlead_share and fairlead_notice that were valid before are not any more; notices are
 * those of what is there now.
 */
FAIRLEAD_API int fairlead_engine_change(fairlead_engine *e, const char *name, const char *text,
					size_t length, const char *const *removed, size_t n_removed,
					fairlead_error *err) FAIRLEAD_MUST_CHECK;

typedef enum fairlead_decision_kind {
	FAIRLEAD_ADMIT,   /* starts now, placed as `placements` say */
	FAIRLEAD_RESERVE, /* starts when the workloads evicted for it have ended */
	FAIRLEAD_EVICT,   /* must release its quota, for `preemptor` */
	FAIRLEAD_WAIT,    /* was looked at and is pending */
} fairlead_decision_kind;

/*
 * One resource of one podset, all its pods together, in one flavor.  A podset that
 * asks for nothing has one row too, for its count: resource and flavor are "".
 */
typedef struct fairlead_placement {
	const char *podset, *resource, *flavor;
	int32_t count;       /* pods */
	int64_t amount;      /* cpu in milli-units, all else in whole units */
	const char *machine; /* entitle: where so many pods go, the other texts are ""; else "" */
} fairlead_placement;

/* Texts are valid during the callback only, which must not call the engine. */
typedef struct fairlead_decision {
	fairlead_decision_kind kind;
	const char *workload;      /* "namespace/name" */
	const char *cluster_queue; /* entitle: the queue */
	const char *reason;        /* one word, as in the manual: "InCohortFairSharing" */
	const char *sentence; /* the same for people: "waits for quota that other workloads hold" */
	const char *preemptor; /* EVICT only, else NULL */
	const fairlead_placement *placements;
	size_t n_placements;
	int32_t pods; /* entitle: how many it is about; else 0 */
} fairlead_decision;

typedef void fairlead_decision_fn(void *user, const fairlead_decision *decision);

/*
 * One scheduling cycle at time @now; @fn (may be NULL) sees each decision in order.  A
 * workload that is pending, or has a reservation, as after the cycle before is not reported again.
 */
FAIRLEAD_API int fairlead_engine_step(fairlead_engine *e, int64_t now, fairlead_decision_fn *fn,
				      void *user, fairlead_error *err) FAIRLEAD_MUST_CHECK;

/* What would be decided for one pending workload alone; nothing changes. FAIRLEAD_ENOENT, ESTATE. */
FAIRLEAD_API int fairlead_engine_try(fairlead_engine *e, int64_t now, const char *workload,
				     fairlead_decision_fn *fn, void *user,
				     fairlead_error *err) FAIRLEAD_MUST_CHECK;

/* What a side of an inequality is counted in. */
typedef enum fairlead_number_kind {
	FAIRLEAD_NUMBER_AMOUNT, /* `amount`: cpu in milli-units, all else in whole ones; a priority */
	FAIRLEAD_NUMBER_SHARE,    /* `value`: a weighted share (fairlead_share), may be infinite */
	FAIRLEAD_NUMBER_TIME,     /* `amount`: nanoseconds since 1970 */
	FAIRLEAD_NUMBER_DURATION, /* `amount`: nanoseconds */
	FAIRLEAD_NUMBER_BUNDLE,   /* `value`: of the row's resource, as in fairlead_bundle */
	FAIRLEAD_NUMBER_RATIO,    /* `value`: a plain number */
} fairlead_number_kind;

typedef struct fairlead_number {
	fairlead_number_kind kind;
	int64_t amount; /* exact; 0 where `value` counts */
	double value;   /* 0 where `amount` counts */
} fairlead_number;

/*
 * One inequality that was tested on the way to a decision.  Texts are valid during the callback
 * only, which must not call the engine; "" where the check has none of that kind.
 */
typedef struct fairlead_evidence {
	const char *check; /* one word, as explain has it: "Available", "S2-a", "MinimumRunTime" */
	const char *meaning; /* what is compared: "request <= what is available to the queue now" */
	const char *workload; /* the preemptor: "namespace/name" */
	const char *podset;
	const char *node; /* the queue or cohort where it was tested */
	const char *flavor, *resource;
	const char *victim; /* the victim: "namespace/name" */
	fairlead_number lhs, rhs;
	int holds;
	uint32_t search; /* a number of the search for victims, which grows */
} fairlead_evidence;

typedef void fairlead_evidence_fn(void *user, const fairlead_evidence *row);

/*
 * As try, and why: @evidence (may be NULL) sees each inequality that was tested for it, in order,
 * then @fn (may be NULL) the decision; nothing changes.  The rows are made where the comparison is
 * made, by the code that decides (source: ARCHITECTURE.md, "Evidence").  FAIRLEAD_ENOENT; ESTATE: it
 * holds quota, or has no active queue; ENOMEM: the listener was not called.
 */
FAIRLEAD_API int fairlead_engine_explain(fairlead_engine *e, int64_t now, const char *workload,
					 fairlead_evidence_fn *evidence, fairlead_decision_fn *fn,
					 void *user, fairlead_error *err) FAIRLEAD_MUST_CHECK;

typedef enum fairlead_event {
	FAIRLEAD_SUBMITTED, /* a workload that was cancelled or finished is pending again */
	FAIRLEAD_CANCELLED, /* it is deleted, pending or not */
	FAIRLEAD_EVICTED,   /* it released its quota and is pending again */
	FAIRLEAD_FINISHED,  /* it is done; its quota is free */
	FAIRLEAD_REJECTED,  /* its admission could not be applied; it is pending again */
} fairlead_event;

/* Report what happened to a workload ("namespace/name"). FAIRLEAD_ENOENT; ESTATE: impossible now. */
FAIRLEAD_API int fairlead_engine_event(fairlead_engine *e, int64_t now, fairlead_event event,
				       const char *workload,
				       fairlead_error *err) FAIRLEAD_MUST_CHECK;

#define FAIRLEAD_NEVER INT64_MAX

/*
 * The next time at which a step may decide otherwise without an event: a minimum run time
 * or a delay of a Policy ends, usage has decayed, ...  Not before @now; FAIRLEAD_NEVER also
 * before the engine is sealed.  Step then, and whenever something happens.
 */
FAIRLEAD_API int64_t fairlead_engine_wake(const fairlead_engine *e, int64_t now);

/*
 * Marks nest: all steps, events and changed numbers after a mark are undone, exactly, by its rollback,
 * which ends the mark and all newer ones.  Rolling back a mark that has ended does nothing.
 * FAIRLEAD_ESTATE: not sealed; ENOMEM: no mark was made.
 */
FAIRLEAD_API int fairlead_engine_mark(fairlead_engine *e, uint32_t *ret,
				      fairlead_error *err) FAIRLEAD_MUST_CHECK;
FAIRLEAD_API void fairlead_engine_rollback(fairlead_engine *e, uint32_t mark);

typedef enum fairlead_node_kind {
	FAIRLEAD_CLUSTER_QUEUE,
	FAIRLEAD_COHORT,
	FAIRLEAD_QUEUE, /* of the entitle policy */
} fairlead_node_kind;

/* The numbers that can change while all else stays as it is. */
typedef enum fairlead_cell_kind {
	/* borrow: `amount` of `flavor` and `resource` at a ClusterQueue or Cohort */
	FAIRLEAD_CELL_NOMINAL,
	FAIRLEAD_CELL_BORROWING_LIMIT, /* or FAIRLEAD_NO_LIMIT */
	FAIRLEAD_CELL_LENDING_LIMIT,   /* the same */
	FAIRLEAD_CELL_WEIGHT,          /* `value`, not negative, of the node */
	/* both: `amount`, within 32 bits, of the workload "namespace/name" */
	FAIRLEAD_CELL_PRIORITY,
	/* entitle: `value` of `resource` at a Queue, as in fairlead_bundle; -1: unbounded */
	FAIRLEAD_CELL_DESERVED,
	FAIRLEAD_CELL_LIMIT,
	FAIRLEAD_CELL_OVER_QUOTA_WEIGHT, /* never unbounded */
	FAIRLEAD_CELL_QUEUE_PRIORITY,    /* `value`, of the Queue */
	FAIRLEAD_CELL_ALLOCATABLE,       /* `value` of `resource`, of the machine (Node) */
} fairlead_cell_kind;

#define FAIRLEAD_NO_LIMIT INT64_C(-1)

typedef struct fairlead_cell {
	fairlead_cell_kind kind;
	fairlead_node_kind node; /* of the first four: ClusterQueue or Cohort */
	const char *name;        /* of the object that has the cell */
	const char *flavor;      /* of the first three; else ignored */
	const char *resource; /* "cpu", "memory", "nvidia.com/gpu"; not of weights and priorities */
	int64_t amount;       /* cpu in milli-units, all else in whole units */
	double value;
} fairlead_cell;

/*
 * Change one number from @now on: a "what if" that needs no other objects is a mark, some
 * of these, steps and questions, and the rollback.  Without a mark the number stays, until a change
 * (fairlead_engine_change) sets another one.
 * FAIRLEAD_ENOENT: no such node, workload, machine, flavor or resource there; EINPUT: an impossible
 * number; ESTATE: not of this policy, or a node below a cycle of cohorts; ENOMEM.
 */
FAIRLEAD_API int fairlead_engine_set(fairlead_engine *e, int64_t now, const fairlead_cell *cell,
				     fairlead_error *err) FAIRLEAD_MUST_CHECK;

/* A node's weighted dominant resource share (KEP-1714). */
typedef struct fairlead_share {
	double precise; /* 1000 * borrowed / lendable of the dominant resource / weight; may be infinite */
	double weight;
	int borrowing;        /* 1 also when the share is 0 because nothing is lendable */
	const char *dominant; /* NULL when the share is 0; valid until the next change, or free */
} fairlead_share;

/*
 * The share of @name as it is now, into *ret.  FAIRLEAD_ENOENT: no such ClusterQueue or Cohort, or
 * the engine's policy is not borrow; FAIRLEAD_ESTATE: not sealed.
 */
FAIRLEAD_API int fairlead_engine_share(const fairlead_engine *e, fairlead_node_kind kind,
				       const char *name, fairlead_share *ret,
				       fairlead_error *err) FAIRLEAD_MUST_CHECK;

/* Amounts of the entitle policy: cpu in milli-cores, memory in bytes, GPUs; with fractions. */
typedef struct fairlead_bundle {
	double cpu, memory, gpu;
} fairlead_bundle;

/*
 * The figures of a Queue of the entitle policy, as of the last step; with all queues below it.
 * What is held from seal on counts as usage over time; what was held before is read (UsageHistory).
 */
typedef struct fairlead_standing {
	fairlead_bundle fair_share; /* what the division gives it */
	fairlead_bundle allocated;  /* what it holds */
	fairlead_bundle request;    /* what it holds and wants */
	fairlead_bundle usage;      /* over time: part of the cluster's capacity, 0 to 1 */
} fairlead_standing;

/* FAIRLEAD_ENOENT: no such Queue, or the engine's policy is not entitle. */
FAIRLEAD_API int fairlead_engine_standing(const fairlead_engine *e, const char *queue,
					  fairlead_standing *ret,
					  fairlead_error *err) FAIRLEAD_MUST_CHECK;

/* A warning: legal, but surely not meant as written, such as unknown fields or missing flavors. */
typedef struct fairlead_notice {
	const char *file, *kind, *subject, *text, *hint; /* valid until the next change, or free */
	uint32_t line, column;
} fairlead_notice;

/* How many there are; more come with seal, and with changes. */
FAIRLEAD_API size_t fairlead_engine_notices(const fairlead_engine *e);
/* @at < fairlead_engine_notices(e) */
FAIRLEAD_API void fairlead_engine_notice(const fairlead_engine *e, size_t at, fairlead_notice *ret);

#ifdef __cplusplus
}
#endif
#endif
