/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digest - words that are equal when two states decide alike from here on, and 128 bits of them
 *
 * What counts: which task is in which state and where; what is left of protections and of
 * the patience with stale gangs; usage; who is in budget.  Where usage moves, no two times are
 * alike, since what is forgotten later hangs on all that was.  Of one model there are as many
 * words in each state, in the same order.
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

/* When it will have been short of its minimum for too long; FL_TIME_NONE: never. */
static fl_time patience_until(const struct fl_policy *p, const struct fl_job *j)
{
	bool ends = p->settings.actions[FL_ACTION_STALE_GANG] &&
		    p->settings.stale_grace != FL_NEVER;

	return !ends || j->stale_since == FL_TIME_NONE ?
		       FL_TIME_NONE :
		       fl_sat_add(j->stale_since, p->settings.stale_grace);
}

/* Inline, so that a digest mixes each word where it stands. */
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
 * Beside what is left: who is short already, and who has not been noticed yet.  How much is left and
 * not whether anything is: of one that runs it is the longest of several minimum run times, and the
 * shorter ones may be over or not.  That makes few states: whoever explores lets all of it pass at
 * once, and between that each runs since the beginning or since now.
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
