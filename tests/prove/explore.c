/* SPDX-License-Identifier: Apache-2.0 */
#include "explore.h"

#include <stdlib.h>
#include <string.h>

#include "ask/common/settle.h"
#include "decide/borrow/borrow.h"

/* More cycles than any round of the scheduler's has been seen to have. */
enum { MOST_CYCLES = 500 };

const char *const rule_names[RULES] = { "within-queue", "S1", "S2-a", "S2-b",
					"reclaim-while-borrowing" };

struct explorer {
	struct fl_prover *prover;
	uint32_t states;
	bool prompt;
};

static void must(int r, const fairlead_error *err)
{
	if (r < 0) {
		(void)fprintf(stderr, "explore: %s: %s\n", err->subject, err->text);
		abort();
	}
}

/* --- what happens on the round --- */

/* The rule by which a side was last found to have to yield, by victim. */
struct heard {
	unsigned rule[64];
};

static void hear(void *user, const struct fl_evidence *row)
{
	struct heard *h = user;

	if (row->holds && row->victim.v < 64 &&
	    (row->check == FL_CHECK_S2A || row->check == FL_CHECK_S2B))
		h->rule[row->victim.v] = row->check == FL_CHECK_S2A ? RULE_S2A : RULE_S2B;
}

static unsigned rule_of(const struct heard *h, const struct fl_decision *d)
{
	switch (d->reason) {
	case FL_REASON_IN_CLUSTER_QUEUE:
		return RULE_WITHIN;
	case FL_REASON_IN_COHORT_RECLAMATION:
		return RULE_S1;
	case FL_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING:
		return RULE_BORROWING;
	case FL_REASON_IN_COHORT_FAIR_SHARING:
		return d->workload.v < 64 ? h->rule[d->workload.v] : 0;
	default:
		return 0;
	}
}

static unsigned rules_of(const struct fl_model *m, struct fl_policy *p, fl_time now,
			 const struct fl_prove_result *found)
{
	struct fl_prove_clock clock = fl_prove_clock(&fl_borrow_policy, m, now);
	struct heard h = { { 0 } };
	struct fl_sink sink = { .row = hear, .user = &h };
	fairlead_error err;
	unsigned rules = 0;
	fl_mark mark;

	must(fl_borrow_policy.mark(p, &mark, &err), &err);
	for (uint32_t i = 0; i < found->prefix + found->n; i++) {
		struct fl_decisions d;

		fl_prove_tick(&clock, found->moves[i].kind);
		must(fl_prove_move(&fl_borrow_policy, p, clock.now, found->moves[i], &sink, &d,
				   &err),
		     &err);
		for (uint32_t k = 0; k < d.n && i >= found->prefix; k++)
			if (d.rows[k].kind == FL_EVICT)
				rules |= rule_of(&h, &d.rows[k]);
		must(fl_borrow_policy.forget(p, clock.now, &err), &err);
	}
	fl_borrow_policy.rollback(p, mark);
	return rules;
}

/* --- the scheduler's own order --- */

static int ignore(void *user, const struct fl_settle_cycle *c, fairlead_error *err)
{
	(void)user, (void)c, (void)err;
	return 0;
}

static bool goes_round(const struct fl_model *m, struct fl_policy *p)
{
	struct fl_settle_options options = { .mem = &fl_mem_heap,
					     .interval = FL_SECOND,
					     .cycles = MOST_CYCLES,
					     .to_the_end = true };
	struct fl_settle_result result;
	fairlead_error err;
	fl_mark mark;

	must(fl_borrow_policy.mark(p, &mark, &err), &err);
	must(fl_settle(&fl_borrow_policy, p, m, &options, ignore, NULL, &result, &err), &err);
	fl_borrow_policy.rollback(p, mark);
	if (!result.settled && !result.loop_first) {
		(void)fprintf(stderr, "explore: no end within %d cycles\n", MOST_CYCLES);
		abort();
	}
	return result.loop_first != 0;
}

static bool goes_round_strictly(const struct config *c)
{
	struct fl_policy_options options = { .mem = &fl_mem_heap };
	struct config strict = *c;
	struct fl_policy *p = NULL;
	struct fl_model *m;
	fairlead_error err;
	bool round;

	strict.strict = true;
	m = config_model(&strict, &fl_mem_heap);
	must(fl_borrow_policy.new(m, &options, &p, &err), &err);
	round = goes_round(m, p);
	fl_borrow_policy.free(p);
	fl_model_free(m);
	return round;
}

/* --- */

void explorer_run_policy(struct explorer *e, const struct fl_model *m, struct fl_policy *p,
			 fl_time now, struct outcome *ret)
{
	struct fl_prove_options options = { .now = now, .states = e->states, .prompt = e->prompt };
	struct fl_prove_result r;
	fairlead_error err;

	fl_prover_reset(e->prover);
	must(fl_prover_run(e->prover, &fl_borrow_policy, p, m, &options, &r, &err), &err);
	*ret = (struct outcome){ .complete = r.complete,
				 .always = r.always,
				 .passing = r.passing,
				 .loop = r.loop,
				 .round = r.n,
				 .prefix = r.prefix,
				 .bound = r.bound,
				 .states = r.states,
				 .moves = r.tried };
	if (r.loop != FL_LOOP_NONE)
		ret->rules = rules_of(m, p, now, &r);
	fl_prove_done(&fl_mem_heap, &r);
}

/* Cycles, until one admits nobody; nobody lets go.  Returns when the last one was. */
static fl_time fill(const struct fl_model *m, struct fl_policy *p)
{
	struct fl_move cycle = { FL_MOVE_CYCLE, { FL_NONE } };
	struct fl_prove_clock clock = fl_prove_clock(&fl_borrow_policy, m, /* now= */ 0);
	bool admitted = true;

	while (admitted) {
		struct fl_decisions d;
		fairlead_error err;

		fl_prove_tick(&clock, cycle.kind);
		must(fl_prove_move(&fl_borrow_policy, p, clock.now, cycle, /* sink= */ NULL, &d,
				   &err),
		     &err);
		admitted = false;
		for (uint32_t i = 0; i < d.n; i++)
			admitted |= d.rows[i].kind == FL_ADMIT;
		must(fl_borrow_policy.forget(p, clock.now, &err), &err);
	}
	return clock.now;
}

void explorer_run(struct explorer *e, const struct config *c, struct outcome *ret)
{
	struct fl_policy_options options = { .mem = &fl_mem_heap };
	struct fl_model *m = config_model(c, &fl_mem_heap);
	struct fl_policy *p = NULL;
	fairlead_error err;
	bool scheduler;

	must(fl_borrow_policy.new(m, &options, &p, &err), &err);
	scheduler = goes_round(m, p);
	explorer_run_policy(e, m, p, c->full ? fill(m, p) : 0, ret);
	ret->scheduler = scheduler;
	if (ret->loop != FL_LOOP_NONE)
		ret->strict = goes_round_strictly(c);
	fl_borrow_policy.free(p);
	fl_model_free(m);
}

struct explorer *explorer_new(uint32_t states, bool prompt)
{
	struct explorer *e = calloc(1, sizeof *e);
	fairlead_error err;

	if (!e)
		abort();
	e->states = states;
	e->prompt = prompt;
	must(fl_prover_new(&fl_mem_heap, &e->prover, &err), &err);
	return e;
}

struct explorer *explorer_free(struct explorer *e)
{
	fl_prover_free(e->prover);
	free(e);
	return NULL;
}
