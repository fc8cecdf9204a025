/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/prove/follow.h"

struct seen {
	uint64_t digest[2];
	uint32_t decided;
};

struct way {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_follow_options *options;
	struct fl_prove_clock clock;
	struct seen *seen; /* as each round began */
	uint32_t n_seen, cap_seen;
	uint32_t decided; /* cycles so far that decided something */
};

/* A round begins: did one begin like this before, and was something decided since? */
static int begin_round(struct way *y, struct fl_settle_result *result, fairlead_error *err)
{
	struct seen s = { .decided = y->decided };
	int rc = fl_mem_grow(y->options->mem, &y->seen, &y->cap_seen, y->n_seen + 1, sizeof(s),
			     err);

	if (rc < 0)
		return rc;
	fl_prove_gist(y->ops, y->policy, &y->clock, s.digest);
	for (uint32_t i = 0; i < y->n_seen && !result->loop_first; i++)
		if (y->seen[i].digest[0] == s.digest[0] && y->seen[i].digest[1] == s.digest[1] &&
		    y->seen[i].decided < s.decided) {
			result->loop_first = y->options->n - y->options->repeat +
					     i * y->options->repeat + 1;
			result->loop_period = (y->n_seen - i) * y->options->repeat;
		}
	y->seen[y->n_seen++] = s;
	return 0;
}

static int make(struct way *y, uint32_t number, struct fl_move move, fl_settle_each *each,
		void *user, struct fl_settle_result *result, fairlead_error *err)
{
	const struct fl_follow_options *o = y->options;
	struct fl_decisions d;

	fl_prove_tick(&y->clock, move.kind);
	struct fl_settle_cycle c = { .number = number, .now = y->clock.now, .decisions = &d };
	int rc = fl_prove_move(y->ops, y->policy, c.now, move, o->sink, &d, err);
	if (rc < 0)
		return rc;
	c.decided = fl_settle_decides(&d);
	y->decided += c.decided;
	result->cycles = number;
	if (c.decided || number == 1)
		result->kept = number;
	rc = each(user, &c, err);
	return rc < 0 ? rc : y->ops->forget(y->policy, c.now, err);
}

int fl_follow(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	      const struct fl_follow_options *options, fl_settle_each *each, void *user,
	      struct fl_settle_result *ret, uint32_t *ret_failed, fairlead_error *err)
{
	struct way y = { .ops = ops,
			 .policy = p,
			 .options = options,
			 .clock = fl_prove_clock(ops, m, options->now) };
	struct fl_settle_result result = { 0 };
	uint32_t round = options->n - options->repeat, at = 0;
	int rc = ops->forget(p, options->now, err);

	while (rc == 0 && result.cycles < options->cycles && !result.loop_first) {
		if (options->repeat && at == options->n)
			at = round;
		if (options->repeat && at == round)
			rc = begin_round(&y, &result, err);
		if (rc < 0 || at == options->n || result.loop_first)
			break;
		*ret_failed = at;
		rc = make(&y, result.cycles + 1, options->moves[at++], each, user, &result, err);
	}
	if (rc == 0)
		*ret = result;
	fl_mem_free(options->mem, y.seen);
	return rc;
}
