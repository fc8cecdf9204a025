/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search - which workloads to evict so that a workload finds room (doc/semantics/entitle.md, E9)
 *
 * One search for consolidation, reclaim and preempt; they differ in which workloads may ask, which
 * are eligible as victims, and what an outcome must fulfil (struct fl_search_rules).
 *
 * Victims are added one offer at a time, in the order of the victims' lines: all active tasks of a
 * workload, or, if it has more than its minimum, its last task by name.  After each offer the
 * outcome is simulated (simulate.c), and the first one that is allowed is kept.  A gang is solved
 * task by task: for one task, then for two, each time beginning with the victims found before,
 * until all its tasks are solved.
 *
 * Guarantee: no workload is evicted unless all tasks to start are placed in the same outcome and
 * the rules allow it; a failed search changes nothing.  A victim for which there is room after all
 * stays, or moves.  NOT guaranteed: that the set of victims is the smallest; that a set is found
 * whenever one exists, since only prefixes of the order are tried.
 *
 * Cost: that a search cannot succeed is mostly known at once, from what the queues hold (search.c:
 * may_be_solved), or after its first candidates, from the GPUs of all eligible workloads.
 * Otherwise, for each task to start, each eligible workload is popped at most once and evicted
 * once per machine; and each candidate that makes room for the workload that asks costs a walk
 * over all pending workloads, up to where it cannot succeed any more (where victims may lose
 * nothing that is mostly known without a walk: simulate.c, is_doomed).  So a search is expensive
 * when most candidates make room, but the victims, whose queues come first, take it back, or no
 * outcome is allowed: the number of its walks grows with the victims, and each walk is over all
 * pending workloads.  No allocation: all memory is allocated once, with the policy.
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
	struct fl_span tasks; /* a span of fl_search.victims */
	uint32_t next;        /* the next offer of its workload; FL_NONE */
	uint32_t run;         /* the fl_search.run that evicted it */
};

/* A victim that found no place. */
struct fl_missed {
	uint32_t walk; /* number of the walk; 0: none */
	bool moved;    /* places of some of its tasks were taken back */
};

/* Victims on one machine, in the order in which they were used. */
struct fl_pile {
	uint32_t first, last, number;
};

struct fl_search {
	const struct fl_search_rules *rules;
	struct fl_workload asks;
	struct fl_witness witness; /* for the workload that asks; without sink no caller listens */

	/* the tasks for which it is to be solved */
	struct fl_part part; /* the first few of: */
	uint32_t *to_start;
	uint32_t n_to_start;

	/* as things are while no search changes them; computed again when `current` is not set */
	bool current;
	struct fl_standing *before; /* queues, by node */
	uint32_t *waiting, *active; /* workloads with a pending task; with an active task */
	uint32_t n_waiting, n_active;
	struct fl_bundle free; /* on usable machines, idle or leaving; amounts below 0 count as 0 */
	double sum_gpus;       /* the same of GPUs, with amounts below 0 */
	uint32_t *of_leaf;     /* all workloads, leaf by leaf, by rank */
	struct fl_span *leaf;  /* by node: a span of of_leaf */

	/* victims: those of the task before first, then in the order of offers */
	uint32_t *eligible; /* workloads */
	uint32_t n_eligible;
	struct fl_offer *offers;
	uint32_t n_recorded, n_used, n_offers; /* offers from n_used on are not victims yet */
	uint32_t *victims; /* their tasks; behind them room for the tasks of one workload */
	uint32_t n_victims;
	bool *found; /* by victim that is recorded: it is one itself, not only by its offer */
	uint32_t *first_offer, *last_offer; /* by workload; FL_NONE */
	struct fl_pile *on;                 /* by machine: victims that are used and not recorded */
	uint32_t *next_on;                  /* by victim: the next victim on its machine; FL_NONE */
	uint32_t piles;                     /* a pile with a lower number is empty */
	bool *recorded;                     /* by task */
	bool *out;                          /* by task: no longer in the victims' lines */
	bool ordered, hopeful; /* those lines are filled; all that is in them might be enough */

	/* are GPUs enough?  By machine: idle, leaving and offered; the machines with most */
	double *gpus;
	double *needs; /* of the tasks, largest first */
	uint32_t *roomy;
	double *spent; /* by index of roomy, while tasks are distributed */
	uint32_t n_roomy;
	uint32_t *seen, seen_in;           /* by machine: == seen_in if it was looked at */
	uint32_t *machines, *sort_scratch; /* machines of the newest victim */

	/* simulation */
	struct fl_feasible feasible;
	uint32_t runs, run;        /* a run evicts all that is evicted together with one machine */
	struct fl_machine machine; /* machine of the run; FL_NONE: none is running */
	uint32_t evicted;          /* how many offers the run has looked at */
	bool last_try;             /* the candidate is not tried again, whatever the result */
	fl_mark probe_mark, run_mark;
	uint32_t *in_run;  /* by workload: == run if its offers are evicted */
	uint32_t *members; /* workloads with evicted tasks */
	uint32_t n_members, n_members_recorded;
	uint32_t *changing; /* pending workloads whose place in the walk may change */
	uint32_t n_changing;
	bool prepared;              /* the others are in the lines of this part already */
	uint32_t *placed, *placing; /* tasks with a promise; tasks of one workload to place */
	uint32_t n_placed;
	uint32_t walks;           /* how many there were */
	struct fl_missed *missed; /* by workload */

	/* of this cycle (simulate.c) */
	bool twice;      /* tasks were subtracted from their queues twice */
	bool remembered; /* there are memories that any try may end, also a failed one */
	/*
	 * Tasks were moved.  Evicting such a task again frees both its places, and it may be put
	 * back to the place that it was promised although another task has that by now: so more
	 * may be placed than there is room for, and nothing can be concluded from the amount of
	 * room.
	 */
	bool moved;

	struct fl_reclaim_scratch *reclaim;
	struct fl_reclaim_victim *vectors;
};

struct fl_search_rules {
	enum fl_action action;
	enum fl_reason none_found; /* why it is pending if no victims are found; NONE: as before */
	bool asks_preemptible;     /* the workload that asks must be preemptible */
	/* May the workload that asks evict others?  FL_REASON_NONE: yes; or why not. */
	enum fl_reason (*may)(struct fl_policy *p, struct fl_search *s);
	/* For how long victims of @leaf must have run; NULL: none is protected. */
	struct fl_min_run (*min_run)(const struct fl_policy *p, const struct fl_search *s,
				     struct fl_node leaf);
	bool all_stay; /* no outcome is allowed in which a victim has no place */
	/* Candidates are the workloads of its own leaf only, or all. */
	bool own_leaf;
	/* May another workload with active tasks be a victim, if it is preemptible? */
	bool (*eligible)(const struct fl_policy *p, const struct fl_search *s, uint32_t victim);
	/*
	 * Could an outcome be allowed in which a workload in @leaf loses something?  NULL: not
	 * known.
	 */
	bool (*may_lose)(const struct fl_policy *p, const struct fl_search *s, struct fl_node leaf);
	/*
	 * All victims so far are evicted, or placed again, and the workload that asks is placed:
	 * is that allowed? (That protected gangs keep their minimum is checked elsewhere.)
	 */
	bool (*allows)(struct fl_policy *p, struct fl_search *s);
};

int fl_search_new(struct fl_policy *p, struct fl_search **ret, fairlead_error *err);
/* Begins a cycle; all counts are right. */
void fl_search_begin(struct fl_policy *p);

/*
 * All pending workloads that may search do so, in their order, and each outcome found takes
 * effect.
 */
int fl_search_all(struct fl_policy *p, const struct fl_search_rules *rules, fairlead_error *err);

/* For the rules: a row about @victim, if the sink takes such rows. */
void fl_search_emit(const struct fl_search *s, struct fl_evidence row);

/* For the rules; NULL without a sink. */
static inline const struct fl_witness *fl_search_witness(const struct fl_search *s)
{
	return s->witness.sink ? &s->witness : NULL;
}

/* simulate.c */

/*
 * Begins to evict for the part: evicts the recorded victims.  All that follows is inside a mark of
 * its own.
 */
int fl_simulate_begin(struct fl_policy *p, struct fl_search *s, fairlead_error *err);
/* Restores the state before fl_simulate_begin, if that was called. */
void fl_simulate_end(struct fl_policy *p, struct fl_search *s);
/*
 * Evicts the victims used so far that are evicted together with @machine (FL_NONE: only the
 * recorded ones), and finds the outcome.  FL_SIMULATED_WELL leaves the outcome in the state.
 */
enum { FL_SIMULATED_NO_ROOM, FL_SIMULATED_REFUSED, FL_SIMULATED_WELL };
int fl_simulate(struct fl_policy *p, struct fl_search *s, struct fl_machine machine,
		fairlead_error *err);

/* protect.c: minimum run times (doc/semantics/entitle.md, E8) */

/* Is the victim protected?  One with more tasks than its minimum is offered nevertheless. */
bool fl_search_protects(const struct fl_policy *p, const struct fl_search *s, uint32_t victim);
/* Does every protected victim keep the minimum of its gang? */
bool fl_search_spares_gangs(const struct fl_policy *p, const struct fl_search *s);

/* Has the trial that runs evicted the task, and not put it back to where it was? */
static inline bool fl_task_displaced(const struct fl_policy *p, const struct fl_task *t)
{
	return t->trial == p->trial;
}

#endif
