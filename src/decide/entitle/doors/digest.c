/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digest - words that are equal for two states that decide alike from here on, and their 128 bits
 *
 * What counts: the state and machine of each task; how much is left of protections and of grace
 * periods of stale gangs; usage; which queues are in budget.  Where usage moves, no two times are
 * alike, since what is forgotten later depends on all usage so far.  For one model each state has
 * the same number of words, in the same order.
 */
#include <string.h>

#include "base/amount.h"
#include "base/mix.h"
#include "decide/entitle/cycle/wake.h"
#include "decide/entitle/doors/setup.h"
#include "decide/entitle/rules/budget.h"
#include "decide/entitle/rules/turns.h"

static uint64_t left_of(fl_time until, fl_time now)
{
	return until == FL_TIME_NONE || until <= now ? 0 : (uint64_t)until - (uint64_t)now;
}

/* When it will have been below its minimum for the grace period; FL_TIME_NONE: never. */
static fl_time patience_until(const struct fl_policy *p, const struct fl_job *j)
{
	bool ends = p->settings.actions[FL_ACTION_STALE_GANG] &&
		    p->settings.stale_grace != FL_NEVER;

	return !ends || j->stale_since == FL_TIME_NONE ?
		       FL_TIME_NONE :
		       fl_sat_add(j->stale_since, p->settings.stale_grace);
}

/* Inline, so that a digest mixes each word at its place. */
static inline void spell_job(const struct fl_policy *p, const struct fl_job *j, fl_time now,
			     fl_word *word, void *user)
{
	word(user, j->present);
	if (fl_turns_count(p))
		word(user, j->reason == FL_REASON_RESERVED);
	for (uint32_t t = j->tasks.first; t < j->tasks.first + j->tasks.n; t++)
		word(user, (uint64_t)p->tasks[t].state << 32 | p->tasks[t].machine.v);
	word(user, left_of(fl_wake_protected_until(p, j), now));
	word(user, left_of(patience_until(p, j), now));
}

static inline void spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		spell_job(p, &p->jobs[w], now, word, user);
	for (uint32_t q = 0; p->usage && q < p->model->n_nodes; q++)
		for (int r = 0; r < FL_BUNDLE; r++) {
			uint64_t bits;

			memcpy(&bits, &p->usage[q].of[r], sizeof bits);
			word(user, bits);
		}
	if (p->budgets)
		fl_budgets_spell(p, now, word, user);
	if (p->moving)
		word(user, (uint64_t)now);
}

void fl_entitle_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	spell(p, now, word, user);
}

/*
 * Besides what is left: which gangs are below their minimum already, and which have not been
 * noticed yet.  How much is left counts, not only whether anything is: for a running task that is
 * the longest of several minimum run times, and the shorter ones may have ended or not.  Still
 * there are few states: exploring ends all times at once, and between two such ends each task runs
 * since the beginning or since the present time.
 */
void fl_entitle_gist(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	spell(p, now, word, user);
	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		word(user, p->jobs[w].stale_since != FL_TIME_NONE);
}

static void mix(void *user, uint64_t word) { fl_mix(user, word); }

void fl_entitle_digest(const struct fl_policy *p, fl_time now, uint64_t ret[2])
{
	uint64_t h[2] = { 1, 2 };

	spell(p, now, mix, h);
	ret[0] = h[0];
	ret[1] = h[1];
}
