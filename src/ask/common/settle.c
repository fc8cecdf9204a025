/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/common/settle.h"

#include "base/sort.h"

struct seen {
	uint64_t digest[2];
	uint32_t decided; /* cycles before this state that decided something */
};

struct run {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	const struct fl_settle_options *options;
	struct fl_pairs by_digest; /* half of a digest -> index in seen */
	struct seen *seen; /* [i]: the state after cycle i, its evictions done; [0] the input */
	uint32_t n_seen, cap_seen;
	uint32_t *evicting, *scratch;
	uint32_t cap_evicting, cap_scratch, n_evicting;
	uint32_t decided;
	fl_time now;        /* of the cycle to come */
	uint64_t anchor[2]; /* a state since the last decision, time left out (rests) */
	uint32_t lap, laps;
};

static int cmp_ids(const void *ctx, uint32_t a, uint32_t b)
{
	(void)ctx;
	return (a > b) - (a < b);
}

static int push_evicting(struct run *r, uint32_t id, fairlead_error *err)
{
	int rc = fl_mem_grow(r->options->mem, &r->evicting, &r->cap_evicting, r->n_evicting + 1,
			     sizeof(*r->evicting), err);

	if (rc < 0)
		return rc;
	r->evicting[r->n_evicting++] = id;
	return 0;
}

/*
 * Workloads being evicted, by id.  All evictions complete between cycles, so after the
 * first cycle only those of the cycle itself can be under way.
 */
static int find_evicting(struct run *r, uint32_t cycle, const struct fl_decisions *d,
			 fairlead_error *err)
{
	int rc = 0;

	r->n_evicting = 0;
	if (cycle == 1) {
		for (uint32_t w = 0; w < r->model->n_workloads && rc == 0; w++)
			if (r->ops->state(r->policy, (struct fl_workload){ w }) ==
			    FL_STATE_EVICTING)
				rc = push_evicting(r, w, err);
		return rc;
	}
	for (uint32_t i = 0; i < d->n && rc == 0; i++)
		if (d->rows[i].kind == FL_EVICT)
			rc = push_evicting(r, d->rows[i].workload.v, err);
	if (rc < 0 || r->n_evicting < 2)
		return rc;
	rc = fl_mem_grow(r->options->mem, &r->scratch, &r->cap_scratch, r->n_evicting,
			 sizeof(*r->scratch), err);
	if (rc < 0)
		return rc;
	fl_sort(r->evicting, r->n_evicting, r->scratch, cmp_ids, /* ctx= */ NULL);
	return 0;
}

static int complete_evictions(struct run *r, fl_time now, fairlead_error *err)
{
	for (uint32_t i = 0; i < r->n_evicting; i++) {
		struct fl_event event = {
			.kind = FL_EV_EVICTED,
			.workload = { r->evicting[i] },
		};

		/* One workload may be the victim of two rows: it is evicted once. */
		if (r->ops->state(r->policy, event.workload) != FL_STATE_EVICTING)
			continue;
		int rc = r->ops->apply(r->policy, now, &event, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Note the state as it stands; *ret is the index of its first occurrence. */
static int remember(struct run *r, uint32_t *ret, fairlead_error *err)
{
	struct seen s = { .decided = r->decided };
	uint32_t old = 0;

	int rc = fl_mem_grow(r->options->mem, &r->seen, &r->cap_seen, r->n_seen + 1, sizeof(s),
			     err);
	if (rc < 0)
		return rc;
	r->ops->digest(r->policy, r->now, s.digest);
	rc = fl_pairs_add(&r->by_digest, (uint32_t)(s.digest[0] >> 32), (uint32_t)s.digest[0],
			  r->n_seen, &old, err);
	if (rc < 0)
		return rc;
	*ret = r->n_seen;
	/* The table's key is half of the digest only; the whole decides. */
	if (rc == 1 && r->seen[old].digest[0] == s.digest[0] &&
	    r->seen[old].digest[1] == s.digest[1])
		*ret = old;
	r->seen[r->n_seen++] = s;
	return 0;
}

/*
 * Is there nothing left but to wait for a time?  States since the last decision, time
 * left out, are compared with one of them, which moves on at ever longer laps, so that
 * any loop is found within three rounds (Brent).
 */
static bool rests(struct run *r, bool decided)
{
	uint64_t still[2];

	r->ops->digest(r->policy, FL_NEVER, still);
	if (!decided && r->laps && still[0] == r->anchor[0] && still[1] == r->anchor[1])
		return true;
	if (decided || r->lap++ == r->laps) {
		r->anchor[0] = still[0];
		r->anchor[1] = still[1];
		r->laps = decided || !r->laps ? 1 : 2 * r->laps;
		r->lap = 0;
	}
	return false;
}

bool fl_settle_decides(const struct fl_decisions *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		const struct fl_decision *row = &d->rows[i];

		if (row->kind == FL_ADMIT || (row->kind == FL_EVICT && !row->already_evicting))
			return true;
	}
	return false;
}

/* What the states so far say: at rest, in a loop, or neither. */
static int judge(struct run *r, fl_time wake, struct fl_settle_result *result, bool *ret_end,
		 fairlead_error *err)
{
	uint32_t first = 0, last;
	int rc = remember(r, &first, err);

	if (rc < 0)
		return rc;
	last = r->n_seen - 1;
	if (first == last)
		return 0;
	if (r->seen[first].decided == r->decided) {
		result->settled = *ret_end = wake == FL_NEVER;
		return 0;
	}
	result->loop_first = first + 1;
	result->loop_period = last - first;
	*ret_end = r->options->to_the_end;
	return 0;
}

/* One cycle and what follows it; *ret_end when there is nothing more to run. */
static int run_cycle(struct run *r, fl_settle_each *each, void *user,
		     struct fl_settle_result *result, bool *ret_end, fairlead_error *err)
{
	const struct fl_settle_options *o = r->options;
	struct fl_decisions d;
	struct fl_settle_cycle c = { .number = result->cycles + 1, .now = r->now, .decisions = &d };

	int rc = r->ops->step(r->policy, c.now, FL_STEP_FULL, o->sink, &d, err);
	if (rc < 0)
		return rc;
	c.decided = fl_settle_decides(&d);
	uint32_t n_heads = d.n_heads;
	fl_time wake = r->ops->wake(r->policy, c.now);
	rc = find_evicting(r, c.number, &d, err);
	if (rc < 0)
		return rc;
	rc = each(user, &c, err);
	if (rc < 0)
		return rc;

	result->cycles = c.number;
	r->decided += c.decided;
	if (c.decided || c.number == 1)
		result->kept = c.number;
	if (n_heads == 0 && !c.decided && wake == FL_NEVER &&
	    (r->n_evicting == 0 || !o->to_the_end)) {
		result->settled = r->n_evicting == 0;
		*ret_end = true;
		return 0;
	}
	r->now = fl_sat_add(c.now, o->interval);
	rc = complete_evictions(r, r->now, err);
	if (rc < 0 || result->loop_first)
		return rc;
	if (wake != FL_NEVER && rests(r, c.decided || r->n_evicting) && o->to_the_end)
		r->now = r->now > wake ? r->now : wake;
	return judge(r, wake, result, ret_end, err);
}

int fl_settle(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	      const struct fl_settle_options *options, fl_settle_each *each, void *user,
	      struct fl_settle_result *ret, fairlead_error *err)
{
	struct run r = {
		.ops = ops, .policy = p, .model = m, .options = options, .now = options->now
	};
	struct fl_settle_result result = { 0 };
	uint32_t first = 0;
	bool end = false;

	fl_pairs_init(&r.by_digest, options->mem);
	int rc = remember(&r, &first, err);
	while (rc == 0 && !end && result.cycles < options->cycles)
		rc = run_cycle(&r, each, user, &result, &end, err);
	if (rc == 0)
		*ret = result;
	fl_pairs_done(&r.by_digest);
	fl_mem_free(options->mem, r.seen);
	fl_mem_free(options->mem, r.evicting);
	fl_mem_free(options->mem, r.scratch);
	return rc;
}
