/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search - whom to evict so that a workload finds room (doc/semantics/entitle.md, E9)
 *
 * One search for consolidation, reclaim and preempt; they differ in who may ask, who is
 * eligible, and what is asked of an outcome (struct fl_search_rules).
 *
 * Victims are added one offer at a time, in the order of the victims' lines: all active
 * tasks of a workload, or, of one that has more than its minimum, its last task by name.
 * After each offer the outcome is simulated (simulate.c), and the first one that is allowed
 * is kept.  A gang is solved task by task: for one task, then for two, each time beginning
 * with the victims of the time before, until the solution for all its tasks is found.
 *
 * Guarantee: nobody is evicted unless all tasks to start are placed in the same outcome and
 * the rules allow it; a failed search leaves no trace.  A victim for which there is room
 * after all stays, or moves.  NOT guaranteed: that the set of victims is the smallest; that
 * a set is found whenever one exists, since only whole beginnings of the order are tried.
 *
 * Cost: a search that cannot succeed is mostly seen at once, from what the queues hold
 * (search.c: may_be_solved), or after its first candidates, from the GPUs of all who are
 * eligible.  Else, for each task to start, each eligible workload is popped at most once and
 * evicted once a machine; and each candidate in which there is room for who asks costs a walk
 * over all that waits, up to where nothing can come of it any more (where nobody may lose
 * anything that is mostly seen without one: simulate.c, is_doomed).  So what is dear is a search
 * in which most candidates have room, and the victims, whose queues come first, take it back, or
 * no outcome is allowed: its walks grow with the victims, each with all that waits.
 * No allocation: all memory is taken once, with the policy.
 */
#ifndef FL_DECIDE_ENTITLE_SEARCH_SEARCH_H
#define FL_DECIDE_ENTITLE_SEARCH_SEARCH_H

#include "decide/entitle/action/action.h"
#include "decide/entitle/rules/minruntime.h"
#include "decide/entitle/rules/reclaim_rules.h"
#include "decide/entitle/search/feasible.h"

/* Tasks of one workload that are offered together. */
struct fl_offer {
	struct fl_workload workload;
	struct fl_span tasks; /* into fl_search.victims */
	uint32_t next;        /* the next offer of its workload; FL_NONE */
	uint32_t run;         /* of fl_search.run: evicted with a machine */
};

/* A victim that found no place. */
struct fl_missed {
	uint32_t walk; /* in which; 0: none */
	bool moved;    /* some of its tasks did, and were taken back */
};

/* Victims that are on one machine, in the order in which they were used. */
struct fl_pile {
	uint32_t first, last, number;
};

struct fl_search {
	const struct fl_search_rules *rules;
	struct fl_workload asks;
	struct fl_witness witness; /* of who asks; no sink: nobody listens */

	/* what it is to be solved for */
	struct fl_part part; /* the first so many of: */
	uint32_t *to_start;
	uint32_t n_to_start;

	/* as things stand while no search changes them; taken anew when `current` is not set */
	bool current;
	struct fl_standing *before; /* queues, by node */
	uint32_t *waiting, *active; /* workloads with a waiting task; with an active one */
	uint32_t n_waiting, n_active;
	struct fl_bundle free; /* on usable machines, idle or leaving; none lacks below 0 */
	double sum_gpus;       /* the same, with what some lack */
	uint32_t *of_leaf;     /* all workloads, leaf by leaf, by rank */
	struct fl_span *leaf;  /* by node: into of_leaf */

	/* victims: those of the task before first, then as they come */
	uint32_t *eligible; /* workloads */
	uint32_t n_eligible;
	struct fl_offer *offers;
	uint32_t n_recorded, n_used, n_offers; /* offers beyond n_used are no victims yet */
	uint32_t *victims; /* their tasks; behind them room for all tasks of one more workload */
	uint32_t n_victims;
	bool *found; /* by victim, of those that are recorded: it is one itself, not its offer alone */
	uint32_t *first_offer, *last_offer; /* by workload; FL_NONE */
	struct fl_pile *on;                 /* by machine: what is used and not recorded */
	uint32_t *next_on;                  /* by victim: the next one on its machine; FL_NONE */
	uint32_t piles;                     /* a pile of an older number is empty */
	bool *recorded;                     /* by task */
	bool *out;                          /* by task: not in the victims' lines any more */
	bool lined, hopeful; /* those lines stand; all that is in them might suffice */

	/* do GPUs suffice?  For each machine, idle, leaving and offered; the best of them */
	double *gpus;
	double *needs; /* of the tasks, largest first */
	uint32_t *roomy;
	double *spent; /* of roomy, while tasks are spread over them */
	uint32_t n_roomy;
	uint32_t *seen, seen_in;           /* by machine: == seen_in when it was looked at */
	uint32_t *machines, *sort_scratch; /* those of the newest victim */

	/* simulation */
	struct fl_feasible feasible;
	uint32_t runs, run;        /* a run evicts what goes with one machine */
	struct fl_machine machine; /* of the run; FL_NONE: none runs */
	uint32_t evicted;          /* offers that the run has looked at */
	bool last_try; /* no room or refused, it is the same: the candidate is not tried again */
	fl_mark probe_mark, run_mark;
	uint32_t *in_run;  /* by workload: == run when its offers are evicted */
	uint32_t *members; /* workloads that have evicted tasks */
	uint32_t n_members, n_members_recorded;
	uint32_t *changing; /* of who waits: those whose place in the walk may change */
	uint32_t n_changing;
	bool prepared;              /* the others stand in the walk of this part */
	uint32_t *placed, *placing; /* tasks that got a promise; of one workload, to be placed */
	uint32_t n_placed;
	uint32_t walks;           /* so many there were */
	struct fl_missed *missed; /* by workload */

	/* in this cycle (simulate.c) */
	bool twice;      /* tasks were taken off their queues twice */
	bool remembered; /* there are memories that a try may end, whatever comes of it */
	/*
	 * Tasks were moved.  One that is evicted again may be put back by either of its places, and
	 * takes the one that it was promised, though somebody else has that by now: more may be placed
	 * than there is room for, and nothing follows from how much there is.
	 */
	bool moved;

	struct fl_reclaim_scratch *reclaim;
	struct fl_reclaim_victim *vectors;
};

struct fl_search_rules {
	enum fl_action action;
	enum fl_reason none_found; /* why it waits when nobody helps; NONE: as before */
	bool asks_preemptible;     /* who asks must be preemptible */
	/* May who asks have somebody evicted?  NONE, or why not. */
	enum fl_reason (*may)(struct fl_policy *p, struct fl_search *s);
	/* How long victims of @leaf may run first; NULL: nobody is protected. */
	struct fl_min_run (*min_run)(const struct fl_policy *p, const struct fl_search *s,
				     struct fl_node leaf);
	bool all_stay; /* no outcome is allowed in which a victim has no place */
	/* The workloads to choose from: those of its leaf, or all. */
	bool own_leaf;
	/* Of another workload with active tasks: may it be a victim, if it is preemptible? */
	bool (*eligible)(const struct fl_policy *p, const struct fl_search *s, uint32_t victim);
	/* Might an outcome be allowed in which somebody in @leaf loses something? NULL: who knows. */
	bool (*may_lose)(const struct fl_policy *p, const struct fl_search *s, struct fl_node leaf);
	/*
	 * All victims so far are gone, or placed again, and who asks is placed: will that do?
	 * (That protected gangs keep their minimum is seen to.)
	 */
	bool (*allows)(struct fl_policy *p, struct fl_search *s);
};

int fl_search_new(struct fl_policy *p, struct fl_search **ret, fairlead_error *err);
/* A cycle begins, and the books are in order. */
void fl_search_begin(struct fl_policy *p);

/* All workloads that wait, in their order: those that may search, and what is found is kept. */
int fl_search_all(struct fl_policy *p, const struct fl_search_rules *rules, fairlead_error *err);

/* For the rules: a row about @victim, if anybody listens to such. */
void fl_search_emit(const struct fl_search *s, struct fl_evidence row);

/* For the rules; NULL when nobody listens. */
static inline const struct fl_witness *fl_search_witness(const struct fl_search *s)
{
	return s->witness.sink ? &s->witness : NULL;
}

/* simulate.c */

/* Begin to evict for the part: the recorded victims. Everything is under a mark of its own. */
int fl_simulate_begin(struct fl_policy *p, struct fl_search *s, fairlead_error *err);
/* As before it began, if it did. */
void fl_simulate_end(struct fl_policy *p, struct fl_search *s);
/*
 * What comes of evicting the victims used so far that go with @machine (FL_NONE: the recorded
 * alone).  FL_SIMULATED_WELL leaves the outcome in the state.
 */
enum { FL_SIMULATED_NO_ROOM, FL_SIMULATED_REFUSED, FL_SIMULATED_WELL };
int fl_simulate(struct fl_policy *p, struct fl_search *s, struct fl_machine machine,
		fairlead_error *err);

/* protect.c: minimum run times (doc/semantics/entitle.md, E8) */

/* Is it to be left alone?  One with more tasks than its minimum is offered nevertheless. */
bool fl_search_protects(const struct fl_policy *p, const struct fl_search *s, uint32_t victim);
/* Does every victim that is protected keep the minimum of its gang? */
bool fl_search_spares_gangs(const struct fl_policy *p, const struct fl_search *s);

/* Has the trial that runs evicted it, and not put it back where it was? */
static inline bool fl_task_displaced(const struct fl_policy *p, const struct fl_task *t)
{
	return t->trial == p->trial;
}

#endif
