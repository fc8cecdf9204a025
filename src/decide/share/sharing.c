/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/share/sharing.h"

#include <string.h>

static uint32_t class_end(const struct fl_sharing *s, uint32_t first)
{
	uint32_t end = first + 1;

	while (end < s->n && s->priority[end] == s->priority[first])
		end++;
	return end;
}

/* x >= 0 cut to whole units; from 2^52 on every double is whole. */
static inline double whole(double x) { return x < 0x1p52 ? (double)(int64_t)x : x; }

/* @first ? a : b without a branch: which queues are content after a round cannot be predicted. */
static inline double either(bool first, double a, double b)
{
	uint64_t x, y, mask = (uint64_t)0 - first;

	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	x = (x & mask) | (y & ~mask);
	memcpy(&a, &x, sizeof a);
	return a;
}

/* Notes the @n active queues as they are before a step. */
static void listen_before(struct fl_sharing *s, uint32_t n, double amount)
{
	if (!s->sink)
		return;
	for (uint32_t j = 0; j < n; j++) {
		uint32_t i = s->active[j];

		s->parts[j] = (struct fl_divide_part){
			.queue = i,
			.want = s->cap[i] - s->share[i],
			.weight = s->weight[i],
			.given = s->share[i],
		};
	}
	s->step.n_parts = n;
	s->step.amount = amount;
}

/* Notes the portions of a round; with @sum 0 nothing is given. */
static void listen_portions(struct fl_sharing *s, double weights, double sum)
{
	s->step.weights = weights;
	s->step.portions = sum;
	for (uint32_t j = 0; s->sink && j < s->step.n_parts; j++) {
		s->parts[j].portion = s->portion[j];
		s->parts[j].part = sum > 0 ? s->step.amount * (s->portion[j] / sum) : 0;
	}
}

static void listen_after(struct fl_sharing *s, double left, enum fl_divide_stop stop)
{
	if (!s->sink)
		return;
	for (uint32_t j = 0; j < s->step.n_parts; j++) {
		struct fl_divide_part *part = &s->parts[j];
		uint32_t i = part->queue;

		part->queue = s->queue[i];
		part->given = s->share[i] - part->given;
		part->remainder = s->remainder[i];
	}
	s->step.left = left;
	s->step.stop = stop;
	s->step.parts = s->parts;
	s->sink->step(s->sink->user, &s->step);
}

/* Finds the queues of the class that want more and have weight, and the sum of their weights. */
static uint32_t find_active(const struct fl_sharing *s, uint32_t first, uint32_t end,
			    double *ret_weights)
{
	uint32_t n = 0;
	double weights = 0;

	for (uint32_t i = first; i < end; i++) {
		bool wants = (s->share[i] < s->cap[i]) & (s->weight[i] > 0);

		s->active[n] = i;
		n += wants;
		weights += either(wants, s->weight[i], 0);
	}
	*ret_weights = weights;
	return n;
}

static bool used_before(const struct fl_sharing *s, uint32_t n)
{
	bool used = false;

	for (uint32_t j = 0; s->usage && j < n; j++)
		used |= s->usage[s->active[j]] != 0;
	return used;
}

/* Portions of a round by weight alone; returns their sum. */
static double plain_portions(const struct fl_sharing *s, uint32_t n, double weights)
{
	double sum = 0;

	for (uint32_t j = 0; j < n; j++) {
		s->portion[j] = s->weight[s->active[j]] / weights;
		sum += s->portion[j];
	}
	return sum;
}

/* P = max(W' + k (W' - U'), 0): a queue that used more than the part of its weight gets less. */
static double penalised_portions(const struct fl_sharing *s, uint32_t n, double weights)
{
	double sum = 0;

	for (uint32_t j = 0; j < n; j++) {
		uint32_t i = s->active[j];
		double part = s->weight[i] / weights;
		double portion = part + s->k * (part - s->usage[i]);

		s->portion[j] = portion > 0 ? portion : 0;
		sum += s->portion[j];
	}
	return sum;
}

/* The same, but P = W' for a queue that used less than the part of its weight. */
static double free_portions(const struct fl_sharing *s, uint32_t n, double weights)
{
	double sum = 0;

	for (uint32_t j = 0; j < n; j++) {
		uint32_t i = s->active[j];
		double part = s->weight[i] / weights, beyond = s->usage[i] - part;
		double portion = part - s->k * (beyond > 0 ? beyond : 0);

		s->portion[j] = portion > 0 ? portion : 0;
		sum += s->portion[j];
	}
	return sum;
}

struct round {
	double amount, portions; /* before the round; not changed during it */
	double left, weights;    /* after it; weights of queues that take part in the next */
	uint32_t n;              /* active queues before it, and after */
	bool spare;              /* a queue got all that it wanted and left something of its part */
};

/*
 * Gives each queue of its part of the amount all that it wants, or as many whole units as are in
 * the part.
 */
static void hand_out(struct fl_sharing *s, struct round *round)
{
	const double amount = round->amount, portions = round->portions;
	double left = amount, weights = 0;
	uint32_t kept = 0;
	bool spare = false;

	for (uint32_t j = 0; j < round->n && left > 0; j++) {
		uint32_t i = s->active[j];
		double part = amount * (s->portion[j] / portions), units = whole(part);
		double want = s->cap[i] - s->share[i];
		bool content = want <= part;

		/* A part that is whole does not change the remainder of an earlier round. */
		double rest = either(part > units, part - units, s->remainder[i]);

		s->remainder[i] = either(content, 0, rest);
		s->share[i] = either(content, s->cap[i], s->share[i] + units);
		left -= either(content, want, units);
		weights += either(content, 0, s->weight[i]);
		spare |= want < part;
		s->active[kept] = i;
		kept += !content;
	}
	round->left = left;
	round->weights = weights;
	round->n = kept;
	round->spare = spare;
}

static enum fl_divide_stop stop_of(const struct round *round)
{
	if (round->left <= 0)
		return FL_DIVIDE_ALL_GIVEN;
	if (!round->spare)
		return FL_DIVIDE_ONLY_PARTS;
	return round->n ? FL_DIVIDE_GOES_ON : FL_DIVIDE_CONTENT;
}

/* Weighted rounds of one class; returns what is left of @amount. */
static double give_rounds(struct fl_sharing *s, uint32_t first, uint32_t end, double amount)
{
	struct round round = { .left = amount };
	enum fl_divide_stop stop = FL_DIVIDE_GOES_ON;

	round.n = find_active(s, first, end, &round.weights);
	if (!round.n)
		return amount;

	bool penalise = used_before(s, round.n);

	s->step.priority = s->priority[first];
	for (s->step.round = 1; stop == FL_DIVIDE_GOES_ON; s->step.round++) {
		round.amount = round.left;
		round.portions = !penalise      ? 0 :
				 s->free_within ? free_portions(s, round.n, round.weights) :
						  penalised_portions(s, round.n, round.weights);
		s->step.by_weight = !penalise || (s->bounded && round.portions == 0);
		if (s->step.by_weight)
			round.portions = plain_portions(s, round.n, round.weights);
		listen_before(s, round.n, round.amount);
		listen_portions(s, round.weights, round.portions);
		if (round.portions > 0) {
			hand_out(s, &round);
			stop = stop_of(&round);
		} else {
			stop = FL_DIVIDE_PENALISED;
		}
		listen_after(s, round.left, stop);
	}
	return round.left;
}

/* Does @a come before @b when whole units are given for remainders? */
static bool more_left(const struct fl_sharing *s, uint32_t a, uint32_t b)
{
	if (s->remainder[a] != s->remainder[b])
		return s->remainder[a] > s->remainder[b];
	return a < b;
}

static void sift_down(struct fl_sharing *s, uint32_t at, uint32_t n)
{
	uint32_t moving = s->active[at];

	for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && more_left(s, s->active[child + 1], s->active[child]))
			child++;
		if (!more_left(s, s->active[child], moving))
			break;
		s->active[at] = s->active[child];
	}
	s->active[at] = moving;
}

static uint32_t pop(struct fl_sharing *s, uint32_t n)
{
	uint32_t top = s->active[0];

	s->active[0] = s->active[n - 1];
	sift_down(s, 0, n - 1);
	return top;
}

/*
 * Finds the queues of one class that have a remainder; bounded: all that want more and have
 * weight.
 */
static uint32_t find_remainders(struct fl_sharing *s, uint32_t first, uint32_t end)
{
	uint32_t n = 0;
	double weights;

	if (s->bounded)
		return find_active(s, first, end, &weights);
	for (uint32_t i = first; i < end; i++) {
		s->active[n] = i;
		n += s->remainder[i] > 0;
	}
	return n;
}

/*
 * Gives each, in the order of remainders, one unit, or what is left of one; returns what is left
 * of @amount.  Only if bounded does it matter what they want.
 */
static double give_remainders(struct fl_sharing *s, uint32_t first, uint32_t end, double amount)
{
	uint32_t n = find_remainders(s, first, end);
	bool for_all = n <= amount; /* then the order does not matter */
	double left = amount;

	if (!n)
		return amount;
	enum fl_divide_phase phase = s->step.phase;

	s->step.phase = FL_DIVIDE_REMAINDERS;
	s->step.priority = s->priority[first];
	listen_before(s, n, amount);
	for (uint32_t at = for_all ? 0 : n / 2; at-- > 0;)
		sift_down(s, at, n);
	for (; n && left > 0; n--) {
		uint32_t i = for_all ? s->active[n - 1] : pop(s, n);
		double give = left < 1 ? left : 1, want = s->cap[i] - s->share[i];

		if (s->bounded && want < give)
			give = want;
		s->share[i] += give;
		left -= give;
	}
	listen_after(s, left, left > 0 ? FL_DIVIDE_CONTENT : FL_DIVIDE_ALL_GIVEN);
	s->step.phase = phase;
	return left;
}

/*
 * Gives @amount by priority, highest first.  By default what rounding left in all classes is given
 * out at the end; if bounded, each class gets its own before a class of lower priority is served.
 */
static void give_by_priority(struct fl_sharing *s, enum fl_divide_phase phase, double amount)
{
	s->step.phase = phase;
	for (uint32_t first = 0, end; first < s->n && amount > 0; first = end) {
		end = class_end(s, first);
		amount = give_rounds(s, first, end, amount);
		if (s->bounded && amount > 0)
			amount = give_remainders(s, first, end, amount);
	}
	if (s->bounded)
		return;
	for (uint32_t first = 0, end; first < s->n && amount > 0; first = end) {
		end = class_end(s, first);
		amount = give_remainders(s, first, end, amount);
	}
}

/*
 * Gives each queue what it deserves, as far as it can use it; returns what is left of @total,
 * which may be below 0.  One part after another is subtracted, since that leaves another last bit
 * than subtracting the sum does (76 less three times 76/3), and any bit that is left becomes a
 * queue's remainder.
 */
static double give_deserved(struct fl_sharing *s, const double *deserved, double total)
{
	double left = total;

	for (uint32_t i = 0; s->sink && i < s->n; i++) {
		s->active[i] = i;
		s->share[i] = 0;
	}
	s->step.phase = FL_DIVIDE_DESERVED;
	s->step.priority = 0;
	listen_before(s, s->n, total);
	for (uint32_t i = 0; i < s->n; i++) {
		double most = deserved[i] == FL_UNBOUNDED ? total : deserved[i];

		s->share[i] = most < s->cap[i] ? most : s->cap[i];
		left -= s->share[i];
	}
	if (left >= 0 || !s->bounded) /* otherwise it does not stay so */
		listen_after(s, left, left > 0 ? FL_DIVIDE_GOES_ON : FL_DIVIDE_ALL_GIVEN);
	return left;
}

/*
 * Bounded, when more is deserved than there is: what is deserved, as far as it can be used, is
 * both the most that each queue can get and its weight.  History does not count.
 */
static void give_short(struct fl_sharing *s, const double *deserved, double *owed, double total)
{
	for (uint32_t i = 0; i < s->n; i++) {
		owed[i] = deserved[i] == FL_UNBOUNDED ? total : deserved[i];
		s->cap[i] = s->share[i];
		s->share[i] = 0;
	}
	s->weight = owed;
	s->usage = NULL;
	give_by_priority(s, FL_DIVIDE_SHORT, total);
}

void fl_sharing_divide(struct fl_sharing *s, const double *deserved, double *owed, double total)
{
	double left = give_deserved(s, deserved, total);

	if (left > 0)
		give_by_priority(s, FL_DIVIDE_ROUND, left);
	else if (left < 0 && s->bounded)
		give_short(s, deserved, owed, total);
}
