/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/whole.h"

/*
 * What is found promptly is made move by move, where times of evictions may need a round or two to
 * fall into an order that recurs.
 */
enum { LAPS = 4 };

struct whole {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	const struct fl_prove_options *options;
	fairlead_error *err;
	/* the moves of a loop, one by one */
	struct fl_move *moves;
	uint32_t n, cap;
};

static fl_time time_of(const struct whole *h, uint32_t move)
{
	fl_time tick = fl_prove_tick(h->model, h->options->now);

	return fl_sat_add(h->options->now, (fl_time)move * tick);
}

/* Moves [first, end) of @loop; whoever waits is looked at anew after each. */
static int make(struct whole *h, const struct fl_prove_result *loop, uint32_t first, uint32_t end)
{
	int rc = fl_mem_grow(h->options->mem, &h->moves, &h->cap, h->n + end - first,
			     sizeof(*h->moves), h->err);

	for (uint32_t i = first; i < end && rc == 0; i++) {
		fl_time now = time_of(h, h->n);
		struct fl_decisions d;

		rc = fl_prove_move(h->ops, h->policy, now, loop->moves[i], /* sink= */ NULL, &d,
				   h->err);
		if (rc == 0)
			rc = h->ops->forget(h->policy, now, h->err);
		h->moves[h->n++] = loop->moves[i];
	}
	return rc;
}

/* Does no order come to rest from here?  1: one does, or it was not found out. */
static int forced_here(const struct whole *h)
{
	struct fl_prove_options options = *h->options;
	struct fl_prove_result from = { 0 };

	options.now = time_of(h, h->n);
	int rc = fl_prove(h->ops, h->policy, h->model, &options, &from, h->err);
	fl_prove_done(options.mem, &from);
	return rc < 0 ? rc : !from.always;
}

/* Do @loop's moves close a round on the policy at hand, and is it of @kind?  1: no. */
static int try(struct whole *h, struct fl_prove_result *loop, enum fl_loop kind)
{
	uint64_t begin[2], end[2];
	int rc = h->ops->forget(h->policy, h->options->now, h->err);

	if (rc == 0)
		rc = make(h, loop, 0, loop->prefix);
	for (int lap = 0; lap < LAPS && rc == 0; lap++) {
		h->ops->digest(h->policy, time_of(h, h->n), begin);
		if (kind == FL_LOOP_FORCED)
			rc = forced_here(h);
		if (rc == 0)
			rc = make(h, loop, loop->prefix, loop->prefix + loop->n);
		h->ops->digest(h->policy, time_of(h, h->n), end);
		if (rc == 0 && begin[0] == end[0] && begin[1] == end[1]) {
			loop->prefix = h->n - loop->n;
			return 0;
		}
	}
	return rc == 0 || rc == FAIRLEAD_ESTATE ? 1 : rc;
}

int fl_whole_loop(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
		  const struct fl_prove_options *options, struct fl_prove_result *found,
		  enum fl_whole *ret, fairlead_error *err)
{
	struct whole h = { .ops = ops, .policy = p, .model = m, .options = options, .err = err };
	struct fl_prove_options prompt = *options;
	struct fl_prove_result loop = { 0 };
	fl_mark mark;

	prompt.prompt = true;
	int rc = fl_prove(ops, p, m, &prompt, &loop, err);
	if (rc < 0)
		return rc;
	*ret = loop.loop == FL_LOOP_NONE && loop.complete ? FL_WHOLE_NONE : FL_WHOLE_UNKNOWN;
	if (loop.loop != FL_LOOP_NONE)
		rc = ops->mark(p, &mark, err);
	if (rc == 0 && loop.loop != FL_LOOP_NONE) {
		rc = try(&h, &loop, found->loop);
		ops->rollback(p, mark);
		*ret = rc == 0 ? FL_WHOLE_LOOP : FL_WHOLE_UNKNOWN;
	}
	fl_prove_done(options->mem, &loop);
	if (*ret == FL_WHOLE_LOOP) {
		fl_prove_done(options->mem, found);
		found->prefix = loop.prefix;
		found->n = loop.n;
		found->moves = h.moves;
	} else {
		fl_mem_free(options->mem, h.moves);
	}
	return rc < 0 ? rc : 0;
}
