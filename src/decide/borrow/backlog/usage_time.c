/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How time alone changes the order of local queues
 *
 * While what a local queue holds stays the same, its usage moves from its value towards a limit,
 * never beyond it and never back.  So two local queues change places at most once, and when no two
 * of them can, time alone changes nothing any more.
 */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/by_usage.h"
#include "decide/share/decay.h"

static int cmp_values(const void *afs, uint32_t a, uint32_t b)
{
	const double *value = ((const struct fl_afs *)afs)->value;

	return (value[a] > value[b]) - (value[a] < value[b]);
}

/* Local queues of which workloads: those that the next cycle looks at, or all. */
enum whose { LOOKED_AT, ALL };

static void take(struct fl_afs *a, struct fl_queue lq, uint32_t *n)
{
	if (lq.v == FL_NONE || a->listed[lq.v] == a->list)
		return;
	a->listed[lq.v] = a->list;
	a->ids[(*n)++] = lq.v;
}

/* Do the rules of preemption of any queue allow that workloads of @q are preempted? */
static bool may_lose(const struct fl_policy *p, uint32_t q)
{
	struct fl_span queues = p->tree.queues[p->tree.root_index[q]];

	for (uint32_t i = queues.first; i < queues.first + queues.n; i++) {
		uint32_t other = p->tree.queue_ids[i];
		const struct fl_node_row *row = &p->model->nodes[other];

		if ((other == q ? row->within_queue : row->reclaim) != FL_PREEMPT_NEVER)
			return true;
	}
	return false;
}

/* Lists the local queues with a workload in @q: one that is pending and not parked, or any. */
static void take_members(const struct fl_policy *p, uint32_t q, enum whose whose, uint32_t *n)
{
	const struct fl_backlog *backlog = &p->backlogs[q];
	struct fl_backlog_walk walk = { 0 };
	struct fl_workload w;

	/*
	 * Walks over what is pending only: there may be a hundred times as many workloads in all.
	 */
	while (whose == LOOKED_AT &&
	       (w = fl_backlog_next(p, (struct fl_node){ q }, &walk)).v != FL_NONE)
		take(p->afs, fl_row(p, w)->queue, n);
	for (uint32_t i = 0; i < backlog->members.n && whose == ALL; i++) {
		w = (struct fl_workload){ p->members[backlog->members.first + i] };
		enum fl_workload_state state = fl_backlog_state(p, w);

		if (state != FL_STATE_ABSENT && state != FL_STATE_EXCLUDED)
			take(p->afs, fl_row(p, w)->queue, n);
	}
}

/*
 * Sorts the local queues of @q by usage at @t into a->ids, with the a->value and a->limit of each;
 * returns how many.
 */
static uint32_t rank(const struct fl_policy *p, uint32_t q, fl_time t, enum whose whose)
{
	const struct fl_backlog *backlog = &p->backlogs[q];
	struct fl_afs *a = p->afs;
	uint32_t n = 0;

	if (!p->model->nodes[q].usage_based || p->tree.root_index[q] == FL_NONE)
		return 0;
	a->list++;
	take_members(p, q, whose, &n);
	for (uint32_t i = 0; i < backlog->n_holders && (whose == ALL || may_lose(p, q)); i++)
		take(a,
		     fl_row(p, (struct fl_workload){ p->holders[backlog->holders.first + i] })
			     ->queue,
		     &n);
	for (uint32_t i = 0; i < n; i++) {
		a->value[a->ids[i]] = fl_afs_usage_at(p, a->ids[i], t);
		a->limit[a->ids[i]] = fl_afs_usage_limit(p, a->ids[i]);
	}
	fl_sort(a->ids, n, a->scratch, cmp_values, a);
	return n;
}

/*
 * Exact: the time at which @low, now not above @high, passes it.  The gap between them, g now and
 * e at infinity, is e + (g - e) 2^-(t / h), which is 0 at t = h log2((g - e) / -e), with the
 * half-life h.
 */
static fl_time meets(const struct fl_policy *p, uint32_t low, uint32_t high, fl_time now)
{
	const struct fl_afs *a = p->afs;
	double gap = a->value[high] - a->value[low], end = a->limit[high] - a->limit[low], after;

	if (gap == 0 && end != 0 && !isnan(end))
		return fl_sat_add(now, 1); /* equal now, and @low is above from the next moment */
	if (isnan(gap) || !(end < 0))      /* both infinite, or the gap never closes */
		return FL_NEVER;
	after = (double)p->model->settings.usage_half_life * log2((gap - end) / -end);
	/* 2^62 ns is 146 years. */
	return after < 0x1p62 ? fl_sat_add(now, (fl_time)after + 1) : FL_NEVER;
}

static fl_time exact_wake(const struct fl_policy *p, uint32_t n, fl_time now)
{
	const uint32_t *ids = p->afs->ids;
	fl_time wake = FL_NEVER;

	/* The first two to meet are neighbours. */
	for (uint32_t i = 1; i < n; i++) {
		fl_time t = meets(p, ids[i - 1], ids[i], now);

		wake = t < wake ? t : wake;
	}
	return wake;
}

/*
 * An upper bound of how far below its limit sampled usage may stop: each sample cuts off two
 * products after nine decimal places, and the part alpha of what earlier ones cut off is
 * forgotten.
 */
static double slack(const struct fl_policy *p, uint32_t lq)
{
	const struct fl_afs *a = p->afs;
	double alpha = fl_decay_alpha(p->model->settings.usage_sampling,
				      p->model->settings.usage_half_life);

	if (p->model->settings.usage_half_life <= 0 || (a->value[lq] == 0 && a->limit[lq] == 0))
		return 0;
	for (uint32_t r = 0; r < a->n_resources; r++)
		a->row[r] = 2e-9 / alpha;
	return fl_decay_usage(a->resource_weight, a->row, a->n_resources,
			      p->model->queues[lq].weight) +
	       1e-12 * fmax(a->value[lq], a->limit[lq]);
}

/*
 * Sampled: @x and @y have the same usage and hold the same, so their usage is equal at all later
 * times.
 */
static bool are_twins(const struct fl_policy *p, uint32_t x, uint32_t y, fl_time now)
{
	const struct fl_afs *a = p->afs;
	fl_time t = fl_sat_add(now, p->model->settings.usage_sampling);
	size_t row = a->n_resources * sizeof(fl_nanos);

	return a->updated[x] == a->updated[y] &&
	       p->model->queues[x].weight == p->model->queues[y].weight &&
	       fl_afs_is_due(p, x, t) == fl_afs_is_due(p, y, t) &&
	       memcmp(a->held + (size_t)x * a->n_resources, a->held + (size_t)y * a->n_resources,
		      row) == 0 &&
	       memcmp(a->consumed + (size_t)x * a->n_resources,
		      a->consumed + (size_t)y * a->n_resources, row) == 0;
}

/* Sampled: the next sample; FL_NEVER if the ranges in which usages move do not overlap. */
static fl_time sampled_wake(const struct fl_policy *p, uint32_t n, fl_time now)
{
	const struct fl_afs *a = p->afs;
	double most = -HUGE_VAL;
	bool apart = true, still = false;
	fl_time wake = FL_NEVER;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t lq = a->ids[i];
		fl_time t = fl_sat_add(a->updated[lq], p->model->settings.usage_sampling);
		fl_time next = t > now ? t : fl_sat_add(now, 1);
		bool moves = fl_afs_is_due(p, lq, next) && !fl_afs_rests(p, lq, next);
		double limit = moves ? a->limit[lq] : a->value[lq];
		double spare = moves && a->value[lq] < HUGE_VAL ? slack(p, lq) : 0;
		double least = fmin(a->value[lq], limit) - spare;
		bool stays = limit == a->value[lq] && spare == 0;

		if (moves)
			wake = t < wake ? t : wake;
		if (i > 0 && are_twins(p, a->ids[i - 1], lq, now))
			continue;
		/* Two usages may be equal if both stay as they are. */
		apart &= least > most || (least == most && still && stays);
		still = stays;
		most = fmax(most, fmax(a->value[lq], limit) + spare);
	}
	return apart || wake == FL_NEVER ? FL_NEVER : wake > now ? wake : fl_sat_add(now, 1);
}

/* In a tree without a head no workload is looked at, and no victim is searched for. */
static bool somebody_waits(const struct fl_policy *p, uint32_t q)
{
	uint32_t root = p->tree.root_index[q];
	struct fl_span order = { 0 };

	if (root != FL_NONE)
		order = p->tree.roots[root].order;
	return fl_bitset_next(&p->ready, order.first) < order.first + order.n;
}

/* The first time at which time alone changes the order of local queues anywhere; FL_NEVER. */
static fl_time next_change(const struct fl_policy *p, fl_time now, enum whose whose)
{
	fl_time next = FL_NEVER;

	if (!p->afs->exact && !p->afs->samples)
		return FL_NEVER;
	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		uint32_t n;
		fl_time t;

		if (!p->model->nodes[q].usage_based || (whose != ALL && !somebody_waits(p, q)))
			continue;
		n = rank(p, q, now, whose);
		if (n < 2)
			continue;
		t = p->afs->exact ? exact_wake(p, n, now) : sampled_wake(p, n, now);
		next = t < next ? t : next;
	}
	return next;
}

fl_time fl_afs_wake(const struct fl_policy *p, fl_time now)
{
	return p->afs ? next_change(p, now, LOOKED_AT) : FL_NEVER;
}

static uint64_t bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

/* The order of local queues at the last call, and which of them are equal. */
static void spell_ranks(const struct fl_policy *p, fl_word *word, void *user)
{
	const struct fl_afs *a = p->afs;

	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		uint32_t n = rank(p, q, p->now, LOOKED_AT);

		for (uint32_t i = 1; i < n; i++)
			word(user, (uint64_t)a->ids[i] << 32 | a->ids[i - 1] << 1 |
					   (a->value[a->ids[i]] == a->value[a->ids[i - 1]]));
	}
}

static void spell_usage(const struct fl_policy *p, uint32_t lq, fl_word *word, void *user)
{
	const struct fl_afs *a = p->afs;
	bool forgets = p->model->settings.usage_half_life <= 0, any = false;

	for (uint32_t r = 0; r < a->n_resources; r++) {
		size_t at = (size_t)lq * a->n_resources + r;

		if (a->exact) {
			word(user, bits_of(a->integral[at]));
		} else {
			word(user, (uint64_t)a->consumed[at]);
			word(user, (uint64_t)(a->consumed[at] >> 64));
			any |= a->consumed[at] != 0;
		}
	}
	/* With half-life 0 the time is read only where something is left to be set to 0. */
	if (!forgets || (a->samples && any))
		word(user, (uint64_t)a->updated[lq]);
}

/*
 * Two states of equal digest have the same usage, as of the same moments.  How it develops depends
 * on the time that passes.  Where that may change the order of workloads that the next cycle looks
 * at, the time of that cycle counts too.  Where it may change the order of others, which are
 * looked at after the next change, the number of changes so far counts: so no more is decided
 * after either of two such states, but a loop is not reported that time might end.  With FL_NEVER
 * what time has done to usage is left out, except the order that results.
 */
void fl_afs_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	const struct fl_afs *a = p->afs;

	/* Exact usage without half-life follows from which workloads hold what. */
	if (!a || (a->exact && p->model->settings.usage_half_life <= 0))
		return;
	if (now == FL_NEVER) {
		spell_ranks(p, word, user);
		return;
	}
	for (uint32_t lq = 0; lq < p->model->n_queues; lq++)
		if (a->shares[lq])
			spell_usage(p, lq, word, user);
	if (next_change(p, now, ALL) != FL_NEVER)
		word(user, *a->turns);
	if (next_change(p, now, LOOKED_AT) != FL_NEVER)
		word(user, (uint64_t)now);
}
