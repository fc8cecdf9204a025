/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intents - what was decided and is not yet seen in the API: one for each job, in the order of decisions
 *
 * From the cycle that decides on, the policy counts the quota of an admission as held, and that of an eviction as held
 * until the API says that it is free.  An intent is what lets a new generation, which is made of the API's objects
 * alone, count it so, too.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_INTENTS_H
#define FL_DAEMON_CLUSTER_SCHEDULER_INTENTS_H

#include "daemon/cluster/inside.h"
#include "daemon/cluster/scheduler/managed.h"
#include "kube/client.h"

struct fl_scheduler;

struct fl_intent {
	struct fl_scheduler *of;
	uint64_t job;    /* its number */
	uint64_t begun;  /* uv_now: when it was decided */
	fl_time decided; /* the same by the API server's clock */
	bool evicts;     /* else it admits, or */
	bool confirms;   /* the check of fairlead passes in what holds quota already (confirm.h) */
	char *queue;     /* admits: where; texts are the intent's own */
	struct fl_managed_row *rows;
	uint32_t n;
	enum fl_reason reason; /* evicts: why */
	char *message;
	char *yielded; /* what it has yielded, as it is written (recall.h); NULL: nothing */
	/* the write */
	struct fl_kube_call *call; /* under way; NULL */
	uint64_t base;     /* resourceVersion that the last one was based on; 0: none was sent */
	uint64_t next;     /* uv_now: not sent before */
	uint64_t again;    /* uv_now: sent then, though no version later than `base` was seen */
	uint32_t failures; /* since an answer that was one */
	struct fl_intent *later; /* in the order of decisions */
};

struct fl_intents {
	struct fl_intent **rows; /* by number of their jobs */
	uint32_t n, cap;
	struct fl_intent *first, *last;
	uint32_t under_way;
};
void fl_intents_done(struct fl_intents *i); /* calls are cancelled */
struct fl_intent *fl_intents_find(const struct fl_intents *i, uint64_t job); /* NULL */
/* @like, whose texts it takes over, also after an error. There must be none of that job. ENOMEM. */
int fl_intents_add(struct fl_intents *i, const struct fl_intent *like, struct fl_intent **ret,
		   fairlead_error *err);
/*
 * The same, in place of what there is of that job.  Where that was sent already, and is not answered, the new one waits until
 * the API shows what came of it, or until @again at least. @now, @again: uv_now.
 */
int fl_intents_replace(struct fl_intents *i, struct fl_intent *like, uint64_t now, uint64_t again,
		       fairlead_error *err);
/* It is over; its call is cancelled. */
void fl_intents_close(struct fl_intents *i, struct fl_intent *intent);

/* What the policy has given @w, with names. ENOMEM. */
int fl_intent_of_admission(const struct fl_generation *g, struct fl_workload w,
			   struct fl_node queue, struct fl_intent *ret, fairlead_error *err);
/* Does the object hold what was decided for it, and nothing else? ENOMEM. */
int fl_intent_is_held(const struct fl_intent *intent, const struct fl_mirror_object *o, bool *ret,
		      fairlead_error *err);
/*
 * Tells the policy of @c again: the job gets what was decided for it.  1: the cluster has no such queue or flavor any
 * more. ENOMEM.
 */
int fl_intent_impose(struct fl_cluster *c, const struct fl_intent *intent,
		     const struct fl_live *job, fairlead_error *err);

#endif
