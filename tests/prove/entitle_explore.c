/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/entitle_explore.h"

#include <stdlib.h>
#include <string.h>

#include "ask/common/settle.h"
#include "decide/entitle/entitle.h"

/* More cycles than any round of the scheduler's has been seen to have. */
enum { MOST_CYCLES = 200 };

static const struct fl_policy_ops *const ops = &fl_entitle_policy;

struct entitle_explorer {
	struct fl_prover *prover;
	uint32_t states;
};

static void must(int r, const fairlead_error *err)
{
	if (r < 0) {
		(void)fprintf(stderr, "%s: %s\n", err->subject, err->text);
		abort();
	}
}

struct entitle_explorer *entitle_explorer_new(uint32_t states)
{
	struct entitle_explorer *x = malloc(sizeof *x);
	fairlead_error err;

	if (!x)
		abort();
	x->states = states;
	must(fl_prover_new(&fl_mem_heap, &x->prover, &err), &err);
	return x;
}

struct entitle_explorer *entitle_explorer_free(struct entitle_explorer *x)
{
	fl_prover_free(x->prover);
	free(x);
	return NULL;
}

static struct fl_policy *policy_of(const struct fl_model *m, fl_time now)
{
	struct fl_policy_options options = { .mem = &fl_mem_heap, .now = now };
	struct fl_policy *p = NULL;
	fairlead_error err;

	must(ops->new (m, &options, &p, &err), &err);
	return p;
}

/* What evicts somebody. */
static unsigned actions_of(const struct fl_decisions *d)
{
	unsigned actions = 0;

	for (uint32_t i = 0; i < d->n; i++)
		if (d->rows[i].kind == FL_EVICT)
			actions |= 1U << d->rows[i].action;
	return actions;
}

/* The way to the loop, and once round it. */
static unsigned follow(struct fl_policy *p, const struct fl_model *m,
		       const struct fl_prove_result *r)
{
	struct fl_prove_clock clock = fl_prove_clock(ops, m, m->newest);
	unsigned actions = 0;
	fairlead_error err;
	fl_mark mark;

	must(ops->mark(p, &mark, &err), &err);
	for (uint32_t i = 0; i < r->prefix + r->n; i++) {
		struct fl_decisions d;

		fl_prove_tick(&clock, r->moves[i].kind);
		must(fl_prove_move(ops, p, clock.now, r->moves[i], NULL, &d, &err), &err);
		actions |= i < r->prefix ? 0 : actions_of(&d);
		must(ops->forget(p, clock.now, &err), &err);
	}
	ops->rollback(p, mark);
	return actions;
}

/* *ret_actions: what evicts on the shortest round. */
static struct fl_prove_result prove(struct entitle_explorer *x, struct fl_policy *p,
				    const struct fl_model *m, bool held, unsigned *ret_actions)
{
	const struct fl_prove_options options = {
		.mem = &fl_mem_heap, .now = m->newest, .states = x->states, .prompt = held
	};
	struct fl_prove_result r;
	fairlead_error err;

	fl_prover_reset(x->prover);
	must(fl_prover_run(x->prover, ops, p, m, &options, &r, &err), &err);
	*ret_actions = r.loop != FL_LOOP_NONE ? follow(p, m, &r) : 0;
	fl_prove_done(&fl_mem_heap, &r);
	return r;
}

static void prove_both(struct entitle_explorer *x, struct fl_policy *p, const struct fl_model *m,
		       struct entitle_outcome *ret)
{
	unsigned actions, held_actions;
	struct fl_prove_result r = prove(x, p, m, /* held= */ false, &actions);
	struct fl_prove_result held = prove(x, p, m, /* held= */ true, &held_actions);

	*ret = (struct entitle_outcome){ .complete = r.complete && held.complete,
					 .loop = r.loop,
					 .always = r.always,
					 .round = r.n,
					 .prefix = r.prefix,
					 .bound = r.bound,
					 .states = r.states,
					 .actions = actions,
					 .held = held.loop,
					 .held_actions = held_actions };
}

/* --- the scheduler's own order --- */

static int note_actions(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	unsigned *of = user;

	(void)err;
	of[cycle->number] = actions_of(cycle->decisions);
	return 0;
}

static void settle(struct fl_policy *p, const struct fl_model *m, fl_time now,
		   struct entitle_outcome *ret)
{
	const struct fl_settle_options options = { .mem = &fl_mem_heap,
						   .now = now,
						   .interval = FL_SECOND,
						   .cycles = MOST_CYCLES,
						   .to_the_end = true };
	unsigned actions[MOST_CYCLES + 1];
	struct fl_settle_result r;
	fairlead_error err;
	fl_mark mark;

	must(ops->mark(p, &mark, &err), &err);
	must(fl_settle(ops, p, m, &options, note_actions, actions, &r, &err), &err);
	ops->rollback(p, mark);
	ret->scheduler = r.loop_first > 0;
	ret->period = r.loop_first > 0 ? r.loop_period : 0;
	ret->its_actions = 0;
	for (uint32_t i = 0; i < ret->period; i++)
		ret->its_actions |= actions[r.loop_first + i];
	if (!r.settled && !ret->scheduler) {
		(void)fprintf(stderr, "neither rests nor goes round within %d cycles\n",
			      MOST_CYCLES);
		abort();
	}
}

void entitle_explore_model(struct entitle_explorer *x, const struct fl_model *m,
			   struct entitle_outcome *ret)
{
	fl_time now = m->newest;
	struct fl_policy *p = policy_of(m, now);

	prove_both(x, p, m, ret);
	settle(p, m, now, ret);
	ops->free(p);
}

void entitle_explore(struct entitle_explorer *x, const struct entitle_config *c,
		     struct entitle_outcome *ret)
{
	struct fl_model *m = entitle_config_model(c, &fl_mem_heap);

	entitle_explore_model(x, m, ret);
	fl_model_free(m);
}

void entitle_explore_scheduler(const struct entitle_config *c, struct entitle_outcome *ret)
{
	struct fl_model *m = entitle_config_model(c, &fl_mem_heap);
	struct fl_policy *p = policy_of(m, m->newest);

	*ret = (struct entitle_outcome){ 0 };
	settle(p, m, m->newest, ret);
	ops->free(p);
	fl_model_free(m);
}

const char *entitle_actions_text(unsigned actions, char *buffer, size_t size)
{
	static const char *const names[FL_ACTIONS] = {
		[FL_ACTION_CONSOLIDATION] = "consolidation",
		[FL_ACTION_RECLAIM] = "reclaim",
		[FL_ACTION_PREEMPT] = "preempt",
		[FL_ACTION_STALE_GANG] = "stale",
	};
	int n = snprintf(buffer, size, "%s", actions ? "" : "-");

	for (enum fl_action a = FL_ACTION_NONE; a < FL_ACTIONS; a++)
		if (actions >> a & 1 && names[a])
			n += snprintf(buffer + n, size - (size_t)n, "%s%s", n ? "+" : "", names[a]);
	return buffer;
}
