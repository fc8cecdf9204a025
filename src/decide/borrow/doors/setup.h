/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup - fills a new policy from its sealed model; changes its quotas
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_DOORS_SETUP_H
#define FL_DECIDE_BORROW_DOORS_SETUP_H

#include "decide/borrow/state/state.h"

/* p->model, mem, now and the arenas must be set; on failure the caller frees what was made. */
int fl_setup(struct fl_policy *p, fairlead_error *err);
/* The same with the state of @i instead of the model's. */
int fl_setup_from(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);

/* The row of @w before it is in any array; and the one of a place without workload. */
void fl_setup_job(const struct fl_policy *p, struct fl_workload w, struct fl_job *ret);
void fl_setup_nobody(struct fl_job *ret);
/* The most rows that a workload can hold at once; at most so many for newcomers. */
uint32_t fl_setup_room_of(const struct fl_policy *p, const struct fl_workload_row *row);
enum { FL_SETUP_ROWS = 768 };
/* Compares what makes a class within a queue and priority: names, counts and specs of podsets. */
int fl_setup_cmp_podsets(const void *model, uint32_t a, uint32_t b);

/*
 * While no workload holds anything: makes room for as many more holders of each queue, by node,
 * than are in it or were admitted there; and for at least as many rows of what a workload of each
 * class holds, by class.
 */
int fl_setup_more_room(struct fl_policy *p, const uint32_t *holders, const uint32_t *rows,
		       fairlead_error *err);

/*
 * change.c: sets a quota or limit of @column to change->amount, and derives again what depends on
 * it.  FAIRLEAD_ELIMIT, and nothing is changed, when usage would overflow.
 */
int fl_change_quota(struct fl_policy *p, struct fl_column column, const struct fl_cell *change,
		    fairlead_error *err);
int fl_change_weight(struct fl_policy *p, const struct fl_cell *change, fairlead_error *err);
int fl_change_priority(struct fl_policy *p, struct fl_workload w, int32_t priority,
		       fairlead_error *err);
/* To be called after a rollback that undid a change of quota. */
void fl_change_undone(struct fl_policy *p);

/* digest.c */
void fl_digest(const struct fl_policy *p, fl_time now, uint64_t ret[2]);
void fl_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user);
void fl_gist(const struct fl_policy *p, fl_time now, fl_word *word, void *user);

#endif
