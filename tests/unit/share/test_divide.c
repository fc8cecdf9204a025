/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "../../lib/fail_mem.h"
#include "../../lib/unit.h"
#include "decide/share/divide.h"

#define UN FL_UNBOUNDED

/* --- each rule by name: one level, one resource ---------------------------------------------- */

enum { MOST = 4 };

struct row {
	double deserved, limit, weight, request, usage;
	int32_t priority;
	uint32_t rank; /* among those of the rule */
	double share, bounded;
};

static const struct rule {
	const char *name;
	double total, k;
	struct row rows[MOST]; /* up to the first that requests nothing */
} rules[] = {
	{ "deserved comes first",
	  FIELDS(10, 0),
	  { { 4, UN, 1, 10, 0, 0, 0, 6, 6 }, { 2, UN, 1, 10, 0, 0, 1, 4, 4 } } },
	{ "deserved no further than it is requested",
	  FIELDS(10, 0),
	  { { 6, UN, 1, 2, 0, 0, 0, 2, 2 }, { 2, UN, 1, 10, 0, 0, 1, 8, 8 } } },
	{ "deserved no further than the limit",
	  FIELDS(10, 0),
	  { { 6, 3, 1, 9, 0, 0, 0, 3, 3 }, { 2, UN, 1, 10, 0, 0, 1, 7, 7 } } },
	{ "deserved is given beyond the total",
	  FIELDS(10, 0),
	  { { 8, UN, 1, 8, 0, 0, 0, 8, 5 }, { 8, UN, 1, 8, 0, 0, 1, 8, 5 } } },
	{ "too much deserved: by priority",
	  FIELDS(10, 0),
	  { { 8, UN, 1, 8, 0, 9, 0, 8, 8 }, { 8, UN, 1, 8, 0, 0, 1, 8, 2 } } },
	{ "too much deserved: who asks for little gets it",
	  FIELDS(8, 0),
	  { { 8, UN, 1, 1, 0, 0, 0, 1, 1 }, { 8, UN, 1, 8, 0, 0, 1, 8, 7 } } },
	{ "too much deserved: in proportion to it, whatever the weight and the usage",
	  FIELDS(9, 1),
	  { { 4, UN, 9, 9, 5, 0, 0, 4, 3 }, { 8, UN, 0, 9, 0, 0, 1, 8, 6 } } },
	{ "what is left is the total less one part after another: a last bit goes to the oldest",
	  FIELDS(76, 0),
	  { { 76. / 3, UN, 1, 40, 0, 0, 0, 0x1.9555555555557p4, 0x1.9555555555557p4 },
	    { 76. / 3, UN, 1, 40, 0, 0, 1, 76. / 3, 76. / 3 },
	    { 76. / 3, UN, 1, 40, 0, 0, 2, 76. / 3, 76. / 3 } } },
	{ "unlimited deserved is the total",
	  FIELDS(10, 0),
	  { { UN, UN, 1, 7, 0, 0, 0, 7, 7 }, { 2, UN, 1, 5, 0, 0, 1, 3, 3 } } },
	{ "unlimited deserved and too little",
	  FIELDS(6, 0),
	  { { UN, UN, 1, 9, 0, 0, 0, 6, 4 }, { 3, UN, 1, 9, 0, 0, 1, 3, 2 } } },
	{ "a limit caps what is requested",
	  FIELDS(10, 0),
	  { { 0, 3, 1, 10, 0, 0, 0, 3, 3 }, { 0, UN, 1, 10, 0, 0, 1, 7, 7 } } },
	{ "limit 0 is nothing",
	  FIELDS(10, 0),
	  { { 5, 0, 1, 10, 0, 0, 0, 0, 0 }, { 0, UN, 1, 10, 0, 0, 1, 10, 10 } } },
	{ "weight 0 gets what is deserved and no more",
	  FIELDS(10, 0),
	  { { 1, UN, 0, 10, 0, 0, 0, 1, 1 }, { 0, UN, 1, 3, 0, 0, 1, 3, 3 } } },
	{ "in proportion to weights",
	  FIELDS(8, 0),
	  { { 0, UN, 1, 10, 0, 0, 0, 2, 2 }, { 0, UN, 3, 10, 0, 0, 1, 6, 6 } } },
	{ "what one leaves goes on to the others by weight",
	  FIELDS(12, 0),
	  { { 0, UN, 2, 3, 0, 0, 0, 3, 3 },
	    { 0, UN, 1, 10, 0, 0, 1, 3, 3 },
	    { 0, UN, 2, 10, 0, 0, 2, 6, 6 } } },
	{ "higher priority first",
	  FIELDS(5, 0),
	  { { 0, UN, 1, 3, 0, 9, 1, 3, 3 }, { 0, UN, 5, 10, 0, 0, 0, 2, 2 } } },
	{ "a unit of what rounding left: the earlier queue when remainders are equal",
	  FIELDS(10, 0),
	  { { 0, UN, 1, 10, 0, 0, 1, 3, 3 },
	    { 0, UN, 1, 10, 0, 0, 2, 3, 3 },
	    { 0, UN, 1, 10, 0, 0, 0, 4, 4 } } },
	{ "a unit of what rounding left: the largest remainders",
	  FIELDS(10, 0),
	  { { 0, UN, 1, 10, 0, 0, 0, 1, 1 },
	    { 0, UN, 2, 10, 0, 0, 1, 3, 3 },
	    { 0, UN, 4, 10, 0, 0, 2, 6, 6 } } },
	{ "a unit of what rounding left: whatever is requested",
	  FIELDS(1, 0),
	  { { 0, UN, 1, .5, 0, 0, 0, 1, .5 },
	    { 0, UN, 1, .5, 0, 0, 1, 0, .5 },
	    { 0, UN, 1, .5, 0, 0, 2, 0, 0 } } },
	{ "a unit of what rounding left: whatever the limit",
	  FIELDS(1, 0),
	  { { 0, .5, 1, 9, 0, 0, 0, 1, .5 },
	    { 0, UN, 1, 9, 0, 0, 1, 0, .5 },
	    { 0, UN, 1, 9, 0, 0, 2, 0, 0 } } },
	{ "the last of what rounding left may be less than a unit",
	  FIELDS(1.5, 0),
	  { { 0, UN, 1, 9, 0, 0, 0, 1, 1 }, { 0, UN, 1, 9, 0, 0, 1, .5, .5 } } },
	{ "a part that is whole leaves an older remainder",
	  FIELDS(5.5, 0),
	  { { 0, UN, 1, 1, 0, 0, 0, 1, 1 },
	    { 0, UN, 2, 9, 0, 0, 1, 3.5, 3.5 },
	    { 0, UN, 1, 9, 0, 0, 2, 1, 1 } } },
	{ "what rounding left of a class goes to lower ones first",
	  FIELDS(10, 0),
	  { { 0, UN, 1, 10, 0, 9, 0, 3, 4 },
	    { 0, UN, 1, 10, 0, 9, 1, 3, 3 },
	    { 0, UN, 1, 10, 0, 9, 2, 3, 3 },
	    { 0, UN, 1, 10, 0, 0, 3, 1, 0 } } },
	{ "past usage lowers the portion",
	  FIELDS(8, 1),
	  { { 0, UN, 1, 10, .75, 0, 0, 2, 2 }, { 0, UN, 1, 10, .25, 0, 1, 6, 6 } } },
	{ "past usage has portions of those who still want",
	  FIELDS(8, 1),
	  { { 0, UN, 1, 10, 1, 0, 0, 6, 6 }, { 0, UN, 1, 2, 0, 0, 1, 2, 2 } } },
	{ "past usage does not touch what is deserved",
	  FIELDS(8, 9),
	  { { 4, UN, 1, 10, 1, 0, 0, 4, 4 }, { 0, UN, 1, 10, 0, 0, 1, 4, 4 } } },
	{ "past usage does not go before priority",
	  FIELDS(8, 9),
	  { { 0, UN, 1, 6, 1, 9, 0, 6, 6 }, { 0, UN, 1, 10, 0, 0, 1, 2, 2 } } },
	{ "all are penalised: nobody gets anything",
	  FIELDS(8, 1),
	  { { 0, UN, 1, 10, 1, 0, 0, 0, 4 }, { 0, UN, 1, 10, 1, 0, 1, 0, 4 } } },
	{ "all are penalised: lower ones get it",
	  FIELDS(8, 1),
	  { { 0, UN, 1, 10, 1, 9, 0, 0, 4 },
	    { 0, UN, 1, 10, 1, 9, 1, 0, 4 },
	    { 0, UN, 1, 10, 0, 0, 2, 8, 0 } } },
	{ "the one who is left is penalised",
	  FIELDS(8, 1),
	  { { 0, UN, 1, 10, 3, 0, 0, 0, 6 }, { 0, UN, 1, 2, 0, 0, 1, 2, 2 } } },
	{ "k = 0: usage does not count",
	  FIELDS(8, 0),
	  { { 0, UN, 1, 10, 1, 0, 0, 4, 4 }, { 0, UN, 1, 10, 0, 0, 1, 4, 4 } } },
	{ "nothing to divide",
	  FIELDS(0, 1),
	  { { 0, UN, 1, 10, 0, 0, 0, 0, 0 }, { 3, UN, 1, 10, 0, 0, 1, 3, 0 } } },
};

static struct fl_bundle all(double x) { return (struct fl_bundle){ { x, x, x } }; }

static struct fl_divider *new_divider(const struct fl_divide_queue *queues, uint32_t n)
{
	struct fl_divider *d;

	assert_int_equal(fl_divider_new(&fl_mem_heap, queues, n, &d, NULL), 0);
	return d;
}

static bool check_rule(const struct rule *rule, unsigned flags)
{
	struct fl_divide_queue queues[MOST] = { 0 };
	struct fl_bundle request[MOST], usage[MOST], share[MOST], total = all(rule->total);
	bool good = true;
	uint32_t n = 0;

	for (; n < MOST && rule->rows[n].request > 0; n++) {
		const struct row *row = &rule->rows[n];

		queues[n] = (struct fl_divide_queue){ FL_NONE,         row->rank,
						      row->priority,   all(row->deserved),
						      all(row->limit), all(row->weight) };
		request[n] = all(row->request);
		usage[n] = all(row->usage);
	}
	struct fl_divider *d = new_divider(queues, n);

	fl_divide(d, &total, rule->k, request, usage, flags, NULL, share);
	for (uint32_t i = 0; i < n; i++)
		for (int r = 0; r < FL_BUNDLE; r++) {
			double want = flags ? rule->rows[i].bounded : rule->rows[i].share;

			if (share[i].of[r] == want)
				continue;
			print_error("%s%s: queue %u has %.17g, not %g\n", rule->name,
				    flags ? " (bounded)" : "", i, share[i].of[r], want);
			good = false;
		}
	fl_divider_free(d);
	return good;
}

/* With FL_DIVIDE_FREE_WITHIN, beside what history does by default: four queues of weight 1. */
TEST(usage_within_the_share_is_free)
{
	static const struct {
		const char *name;
		double k, usage[MOST], share[MOST], free_share[MOST];
	} rows[] = {
		{ "a queue within its share pays nothing for one that was idle",
		  FIELDS(1, { .25, .25, .25, 0 }),
		  { 4, 4, 4, 8 },
		  { 5, 5, 5, 5 } },
		{ "what is above the share counts as before",
		  FIELDS(1, { .5, .25, .25, .25 }),
		  { 0, 7, 7, 6 },
		  { 0, 7, 7, 6 } },
		{ "above and below: only what is above",
		  FIELDS(1, { .375, .125, 0, .25 }),
		  { 2, 6, 8, 4 },
		  { 3, 6, 6, 5 } },
		{ "k = 0", FIELDS(0, { 1, 0, 0, 0 }), { 5, 5, 5, 5 }, { 5, 5, 5, 5 } },
	};
	struct fl_divide_queue queues[MOST];
	struct fl_bundle request[MOST], total = all(20);

	for (uint32_t i = 0; i < MOST; i++) {
		queues[i] = (struct fl_divide_queue){ FL_NONE, i, 0, all(0), all(UN), all(1) };
		request[i] = all(20);
	}
	struct fl_divider *d = new_divider(queues, MOST);

	for (size_t row = 0; row < COUNT(rows); row++) {
		struct fl_bundle usage[MOST], share[2][MOST];

		for (uint32_t i = 0; i < MOST; i++)
			usage[i] = all(rows[row].usage[i]);
		fl_divide(d, &total, rows[row].k, request, usage, 0, NULL, share[0]);
		fl_divide(d, &total, rows[row].k, request, usage, FL_DIVIDE_FREE_WITHIN, NULL,
			  share[1]);
		for (uint32_t i = 0; i < MOST; i++) {
			CHECK(share[0][i].of[FL_GPU] == rows[row].share[i], rows[row].name);
			CHECK(share[1][i].of[FL_GPU] == rows[row].free_share[i], rows[row].name);
		}
	}
	fl_divider_free(d);
}

TEST(each_rule)
{
	bool good = true;

	for (size_t i = 0; i < COUNT(rules); i++) {
		good &= check_rule(&rules[i], 0);
		good &= check_rule(&rules[i], FL_DIVIDE_BOUNDED);
	}
	assert_true(good);
}

/* --- trees ------------------------------------------------------------------------------------ */

/* 0 and 1 at the top, 2 and 3 under 0. */
static const struct tree_row {
	double limit, weight, request, share, bounded;
} capped_child[] = { { UN, 1, 0, 5, 2 },
		     { UN, 1, 10, 5, 8 },
		     { 2, 1, 10, 2, 2 },
		     { UN, 1, 0, 0, 0 } },
  child_without_weight[] = { { UN, 1, 0, 5, 3 },
			     { UN, 1, 10, 5, 7 },
			     { UN, 0, 10, 0, 0 },
			     { UN, 1, 3, 3, 3 } },
  plain_tree[] = {
	  { UN, 3, 0, 6, 6 }, { UN, 1, 10, 4, 4 }, { UN, 1, 2, 2, 2 }, { UN, 1, 4, 4, 4 }
  };

static void check_tree(const struct tree_row *rows)
{
	static const uint32_t parents[] = { FL_NONE, FL_NONE, 0, 0 };
	struct fl_divide_queue queues[4];
	struct fl_bundle request[4], share[4], total = all(10);

	for (uint32_t i = 0; i < 4; i++) {
		queues[i] = (struct fl_divide_queue){
			parents[i], i, 100, all(0), all(rows[i].limit), all(rows[i].weight)
		};
		request[i] = all(rows[i].request);
	}
	struct fl_divider *d = new_divider(queues, 4);

	fl_divide_roll_up(d, request);
	assert_true(request[0].of[FL_GPU] == rows[2].request + rows[3].request);
	fl_divide(d, &total, 0, request, NULL, 0, NULL, share);
	for (uint32_t i = 0; i < 4; i++)
		assert_true(share[i].of[FL_GPU] == rows[i].share);
	fl_divide(d, &total, 0, request, NULL, FL_DIVIDE_BOUNDED, NULL, share);
	for (uint32_t i = 0; i < 4; i++)
		assert_true(share[i].of[FL_GPU] == rows[i].bounded);
	fl_divider_free(d);
}

TEST(children_divide_what_their_parent_has)
{
	check_tree(plain_tree);
	check_tree(capped_child);
	check_tree(child_without_weight);
}

/* --- random worlds ----------------------------------------------------------------------------- */

enum { WORLDS = 1000, QUEUES = 24 };

struct world {
	uint32_t n;
	struct fl_divide_queue queues[QUEUES];
	struct fl_bundle total, request[QUEUES], usage[QUEUES];
	double k;
};

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

/* Sometimes in fractions: those of tenths have no exact double. */
static double draw_amount(uint64_t *state, uint32_t most)
{
	static const double units[] = { 1, 1, 1, 0.5, 0.1, 1e9 };

	double amount = draw(state, most);

	return amount * units[draw(state, 6) % (most > 20 ? 6 : 5)];
}

static void draw_world(uint64_t seed, struct world *w)
{
	uint64_t s = seed * 977 + 5;

	w->n = 1 + draw(&s, QUEUES);
	w->k = (const double[]){ 0, 0, .5, 1, 3 }[draw(&s, 5)];
	for (int r = 0; r < FL_BUNDLE; r++)
		w->total.of[r] = draw_amount(&s, 40);
	for (uint32_t i = 0; i < w->n; i++) {
		struct fl_divide_queue *q = &w->queues[i];

		q->parent = draw(&s, 2) && i ? draw(&s, i) : FL_NONE;
		q->rank = w->n - 1 - i;
		q->priority = (int32_t)draw(&s, 3) * 50;
		for (int r = 0; r < FL_BUNDLE; r++) {
			q->deserved.of[r] = draw(&s, 9) ? draw_amount(&s, 6) : UN;
			q->limit.of[r] = draw(&s, 3) ? UN : draw_amount(&s, 12);
			q->weight.of[r] = draw(&s, 4);
			w->request[i].of[r] = draw_amount(&s, 30);
			w->usage[i].of[r] = draw(&s, 100) * 0.01;
		}
	}
	/* Only leaves request. */
	for (uint32_t i = 0; i < w->n; i++)
		if (w->queues[i].parent != FL_NONE)
			w->request[w->queues[i].parent] = all(0);
}

static void divide_world(const struct world *w, unsigned flags,
			 const struct fl_divide_listener *sink, struct fl_bundle *ret_request,
			 struct fl_bundle *ret_share)
{
	struct fl_divider *d = new_divider(w->queues, w->n);

	memcpy(ret_request, w->request, sizeof w->request);
	fl_divide_roll_up(d, ret_request);
	fl_divide(d, &w->total, w->k, ret_request, w->usage, flags, sink, ret_share);
	fl_divider_free(d);
}

static double min(double a, double b) { return a < b ? a : b; }

/* As in README.md: what each can use, found without looking at the code. */
static double usable(const struct world *w, uint32_t q, int r)
{
	double sum = 0;
	bool leaf = true;

	for (uint32_t i = 0; i < w->n; i++)
		if (w->queues[i].parent == q) {
			leaf = false;
			sum += usable(w, i, r);
		}
	sum = leaf ? w->request[q].of[r] : sum;
	if (w->queues[q].limit.of[r] != UN)
		sum = min(sum, w->queues[q].limit.of[r]);
	if (w->queues[q].weight.of[r] == 0 && w->queues[q].deserved.of[r] != UN)
		sum = min(sum, w->queues[q].deserved.of[r]);
	return sum;
}

/* One resource of the children of @parent, divided with FL_DIVIDE_BOUNDED. */
static void check_bounded(const struct world *w, uint32_t parent, int r,
			  const struct fl_bundle *share)
{
	double total = parent == FL_NONE ? w->total.of[r] : share[parent].of[r];
	double sum = 0, can = 0, deserved = 0, slack = 1e-9 * (1 + total);

	for (uint32_t i = 0; i < w->n; i++) {
		const struct fl_divide_queue *q = &w->queues[i];
		double most = usable(w, i, r), own = q->deserved.of[r];

		if (q->parent != parent)
			continue;
		assert_true(share[i].of[r] >= 0);
		assert_true(share[i].of[r] <= most + slack); /* nobody more than it can use */
		sum += share[i].of[r];
		can += most;
		deserved += min(own == UN ? total : own, most);
	}
	/* Exactly what there is, or what all can use. */
	assert_true(fabs(sum - min(total, can)) <= slack);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct fl_divide_queue *q = &w->queues[i];
		double most = usable(w, i, r), own = q->deserved.of[r];

		own = min(own == UN ? total : own, most);
		if (q->parent != parent)
			continue;
		/* What is deserved, as long as there is so much. */
		if (deserved <= total)
			assert_true(share[i].of[r] >= own - slack);
		/* Somebody of higher priority who still wants: then not a unit more than that. */
		for (uint32_t j = 0; j < w->n; j++)
			if (w->queues[j].parent == parent && w->queues[j].priority > q->priority &&
			    w->queues[j].weight.of[r] > 0 && deserved <= total &&
			    share[j].of[r] < usable(w, j, r) - slack)
				assert_true(share[i].of[r] <= own + slack);
	}
}

TEST(bounded_keeps_its_promises)
{
	struct world w;
	struct fl_bundle request[QUEUES], share[QUEUES];

	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		draw_world(seed, &w);
		divide_world(&w, FL_DIVIDE_BOUNDED, NULL, request, share);
		for (int r = 0; r < FL_BUNDLE; r++) {
			check_bounded(&w, FL_NONE, r, share);
			for (uint32_t i = 0; i < w.n; i++)
				check_bounded(&w, i, r, share);
		}
	}
}

/* What of it the default does not keep happens, so that the difference is one. */
TEST(the_default_breaks_them)
{
	struct world w;
	struct fl_bundle request[QUEUES], share[QUEUES];
	uint32_t above_total = 0, above_request = 0, idle = 0;

	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		draw_world(seed, &w);
		divide_world(&w, 0, NULL, request, share);
		for (int r = 0; r < FL_BUNDLE; r++) {
			double sum = 0;
			bool wants = false;

			for (uint32_t i = 0; i < w.n; i++) {
				const struct fl_divide_queue *q = &w.queues[i];
				double lim = q->limit.of[r], req = request[i].of[r];
				double own = q->deserved.of[r];
				double total = q->parent == FL_NONE ? w.total.of[r] :
								      share[q->parent].of[r];
				double most = lim == UN ? req : min(lim, req);

				own = min(own == UN ? total : own, most);
				/* What it does keep: never below what is deserved. */
				assert_true(share[i].of[r] >= own - 1e-9 * (1 + own));
				if (q->weight.of[r] == 0)
					assert_true(share[i].of[r] == own);
				above_request += share[i].of[r] > most + 1e-9;
				if (q->parent != FL_NONE)
					continue;
				sum += share[i].of[r];
				wants |= q->weight.of[r] > 0 && share[i].of[r] < most - 1e-9;
			}
			above_total += sum > w.total.of[r] + 1e-9;
			idle += wants && sum < w.total.of[r] - 1e-9;
		}
	}
	assert_true(above_total > 0 && above_request > 0 && idle > 0);
}

TEST(order_of_the_input_makes_no_difference)
{
	struct world w, moved;
	struct fl_bundle request[QUEUES], share[QUEUES], other_request[QUEUES], other[QUEUES];

	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		uint64_t s = seed;
		uint32_t to[QUEUES];

		draw_world(seed, &w);
		for (uint32_t i = 0; i < w.n; i++) {
			uint32_t j = draw(&s, i + 1);

			to[i] = i;
			to[i] = to[j];
			to[j] = i;
		}
		moved = w;
		for (uint32_t i = 0; i < w.n; i++) {
			moved.queues[to[i]] = w.queues[i];
			if (w.queues[i].parent != FL_NONE)
				moved.queues[to[i]].parent = to[w.queues[i].parent];
			moved.request[to[i]] = w.request[i];
			moved.usage[to[i]] = w.usage[i];
		}
		for (unsigned flags = 0; flags <= FL_DIVIDE_BOUNDED; flags++) {
			divide_world(&w, flags, NULL, request, share);
			divide_world(&moved, flags, NULL, other_request, other);
			for (uint32_t i = 0; i < w.n; i++) {
				assert_memory_equal(&request[i], &other_request[to[i]],
						    sizeof *request);
				assert_memory_equal(&share[i], &other[to[i]], sizeof *share);
			}
		}
	}
}

/* No usage, k = 0, and usage 0 with any k: the same bits. */
TEST(without_history_it_is_the_plain_division)
{
	struct world w;
	struct fl_bundle request[QUEUES], plain[QUEUES], share[QUEUES];

	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		unsigned flags = seed % 2 ? FL_DIVIDE_BOUNDED : 0;

		draw_world(seed, &w);
		w.k = 0;
		divide_world(&w, flags, NULL, request, plain);
		w.k = 1.7;
		struct fl_divider *d = new_divider(w.queues, w.n);

		fl_divide(d, &w.total, w.k, request, NULL, flags, NULL, share);
		assert_memory_equal(share, plain, w.n * sizeof *share);
		memset(w.usage, 0, sizeof w.usage);
		fl_divide(d, &w.total, w.k, request, w.usage, flags, NULL, share);
		assert_memory_equal(share, plain, w.n * sizeof *share);
		fl_divider_free(d);
	}
}

/* A changed cell is as if it had always been so. */
TEST(set_is_as_new)
{
	struct world w, other;
	struct fl_bundle request[QUEUES], share[QUEUES], fresh[QUEUES];

	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		draw_world(seed, &w);
		draw_world(seed + WORLDS, &other);
		struct fl_divider *d = new_divider(w.queues, w.n);

		for (uint32_t i = 0; i < w.n && i < other.n; i += 2) {
			other.queues[i].parent = w.queues[i].parent;
			other.queues[i].rank = w.queues[i].rank;
			w.queues[i] = other.queues[i];
			fl_divider_set(d, i, &w.queues[i]);
		}
		divide_world(&w, 0, NULL, request, fresh);
		fl_divide(d, &w.total, w.k, request, w.usage, 0, NULL, share);
		assert_memory_equal(share, fresh, w.n * sizeof *share);
		fl_divider_free(d);
	}
}

/* --- listening, memory ------------------------------------------------------------------------- */

struct heard {
	struct fl_bundle given[QUEUES];
};

static void hear(void *user, const struct fl_divide_step *step)
{
	struct heard *h = user;
	double given = 0, parts = 0, slack = 1e-9 * (1 + fabs(step->amount) + fabs(step->left));

	for (uint32_t i = 0; i < step->n_parts; i++) {
		const struct fl_divide_part *p = &step->parts[i];

		given += p->given;
		parts += p->part;
		h->given[p->queue].of[step->resource] += p->given;
		/* `given` is a difference of shares, which may be large. */
		slack += 1e-15 * h->given[p->queue].of[step->resource];
	}
	assert_true(fabs(step->amount - step->left - given) <= slack);
	if (step->phase == FL_DIVIDE_ROUND && step->portions > 0)
		assert_true(fabs(parts - step->amount) <= slack);
	assert_true((step->stop == FL_DIVIDE_PENALISED) ==
		    (step->phase == FL_DIVIDE_ROUND && step->portions == 0));
}

TEST(steps_add_up)
{
	struct world w;
	struct fl_bundle request[QUEUES], share[QUEUES], again[QUEUES];

	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		for (unsigned flags = 0; flags <= FL_DIVIDE_BOUNDED; flags++) {
			struct heard h = { .given = { { { 0 } } } };
			const struct fl_divide_listener sink = { hear, &h };

			draw_world(seed, &w);
			divide_world(&w, flags, NULL, request, share);
			divide_world(&w, flags, &sink, request, again);
			assert_memory_equal(share, again, w.n * sizeof *share);
			for (uint32_t i = 0; i < w.n; i++)
				for (int r = 0; r < FL_BUNDLE; r++)
					assert_true(fabs(h.given[i].of[r] - share[i].of[r]) <=
						    1e-9 * (1 + share[i].of[r]));
		}
	}
}

TEST(memory)
{
	struct fail_mem f;
	struct world w;
	struct fl_bundle request[QUEUES], share[QUEUES];
	struct fl_divider *const untouched = (struct fl_divider *)&w, *d = untouched;
	unsigned long at = 0;
	int rc;

	draw_world(7, &w);
	fail_mem_init(&f);
	do {
		fairlead_error err = { .code = 0 };

		assert_int_equal(f.live, 0);
		f.fail_at = ++at;
		rc = fl_divider_new(&f.mem, w.queues, w.n, &d, &err);
		assert_true(rc == 0 || (rc == FAIRLEAD_ENOMEM && err.code == rc && d == untouched));
	} while (rc < 0);
	assert_true(at > 2);
	f.calls = 0;
	memcpy(request, w.request, sizeof request);
	fl_divide_roll_up(d, request);
	fl_divide(d, &w.total, 1, request, w.usage, FL_DIVIDE_BOUNDED, NULL, share);
	fl_divider_set(d, 0, &w.queues[0]);
	assert_int_equal(f.calls, 0);
	fl_divider_free(d);
	assert_int_equal(f.live, 0);
	assert_null(fl_divider_free(NULL));
}

TEST(no_queues)
{
	struct fl_bundle total = all(8), share = all(5), request = all(3);
	struct fl_divider *d = new_divider(NULL, 0);

	fl_divide_roll_up(d, &request);
	fl_divide(d, &total, 1, &request, NULL, FL_DIVIDE_BOUNDED, NULL, &share);
	assert_true(request.of[FL_GPU] == 3 && share.of[FL_GPU] == 5); /* nobody's: untouched */
	fl_divider_free(d);
}

UNIT_GROUP("divide")
