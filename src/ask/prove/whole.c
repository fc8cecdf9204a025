/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/prove/whole.h"

#include "ask/prove/proof.h"

struct whole {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	const struct fl_prove_options *options;
	fairlead_error *err;
};

/* Moves [first, end) of @loop; pending ones are looked at anew after each. */
static int make(const struct whole *h, struct fl_prove_clock *clock,
		const struct fl_prove_result *loop, uint32_t first, uint32_t end)
{
	int rc = 0;

	for (uint32_t i = first; i < end && rc == 0; i++) {
		struct fl_decisions d;

		fl_prove_tick(clock, loop->moves[i].kind);
		rc = fl_prove_move(h->ops, h->policy, clock->now, loop->moves[i],
				   /* sink= */ NULL, &d, h->err);
		if (rc == 0)
			rc = h->ops->forget(h->policy, clock->now, h->err);
	}
	return rc;
}

/* Does no order settle from here, as far as was explored?  1: one does. */
static int forced_here(const struct whole *h, fl_time now)
{
	struct fl_prove_options options = *h->options;
	struct fl_prove_result from = { 0 };

	options.now = now;
	int rc = fl_proof(h->ops, h->policy, h->model, &options, /* prover= */ NULL, &from, h->err);
	if (rc < 0)
		return rc;
	fl_prove_done(options.mem, &from);
	return !from.always;
}

/* Do @loop's moves close a round on the present policy, and is it of @kind?  1: no. */
static int try(const struct whole *h, const struct fl_prove_result *loop, enum fl_loop kind)
{
	struct fl_prove_clock clock = fl_prove_clock(h->ops, h->model, h->options->now);
	uint64_t begin[2], end[2];
	int rc = h->ops->forget(h->policy, clock.now, h->err);

	if (rc == 0)
		rc = make(h, &clock, loop, 0, loop->prefix);
	fl_prove_gist(h->ops, h->policy, &clock, begin);
	if (rc == 0 && kind == FL_LOOP_FORCED)
		rc = forced_here(h, clock.now);
	if (rc == 0)
		rc = make(h, &clock, loop, loop->prefix, loop->prefix + loop->n);
	fl_prove_gist(h->ops, h->policy, &clock, end);
	if (rc == 0)
		return begin[0] != end[0] || begin[1] != end[1];
	return rc == FAIRLEAD_ESTATE ? 1 : rc;
}

int fl_whole_loop(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
		  const struct fl_prove_options *options, struct fl_prove_result *found,
		  enum fl_whole *ret, fairlead_error *err)
{
	const struct whole h = { ops, p, m, options, err };
	struct fl_prove_options prompt = *options;
	struct fl_prove_result loop = { 0 };
	fl_mark mark;

	prompt.prompt = true;
	int rc = fl_proof(ops, p, m, &prompt, /* prover= */ NULL, &loop, err);
	if (rc < 0)
		return rc;
	if (loop.loop == FL_LOOP_NONE) {
		*ret = fl_proof_is_one(&loop) ? FL_WHOLE_NONE : FL_WHOLE_UNKNOWN;
		return 0;
	}
	rc = ops->mark(p, &mark, err);
	if (rc == 0) {
		rc = try(&h, &loop, found->loop);
		ops->rollback(p, mark);
	}
	if (rc == 0) {
		struct fl_move *moves = found->moves;

		found->prefix = loop.prefix;
		found->n = loop.n;
		found->moves = loop.moves;
		loop.moves = moves;
	}
	if (rc >= 0)
		*ret = rc == 0 ? FL_WHOLE_LOOP : FL_WHOLE_UNKNOWN;
	fl_prove_done(options->mem, &loop);
	return rc < 0 ? rc : 0;
}
