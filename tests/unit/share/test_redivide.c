/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A division that is kept is the division of what was told last, bit for bit, whatever was told
 * in between; and it divides no group of which nothing has changed.
 */
#include "../../lib/fail_mem.h"
#include "../../lib/unit.h"
#include "decide/share/redivide.h"

#define UN FL_UNBOUNDED

enum { WORLDS = 150, ROUNDS = 40, QUEUES = 80 };

struct world {
	uint32_t n;
	struct fl_divide_queue queues[QUEUES];
	struct fl_bundle total, own[QUEUES], usage[QUEUES];
	double k;
	unsigned flags;
};

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

/* Sometimes in fractions: those of tenths have no exact double. */
static double draw_amount(uint64_t *state, uint32_t most)
{
	static const double units[] = { 1, 1, 0.5, 0.1, 1e9 };

	double amount = draw(state, most);

	return amount * units[draw(state, most > 20 ? 5 : 4)];
}

static void draw_row(uint64_t *s, struct fl_divide_queue *q)
{
	q->priority = (int32_t)draw(s, 3) * 50;
	for (int r = 0; r < FL_BUNDLE; r++) {
		q->deserved.of[r] = draw(s, 9) ? draw_amount(s, 6) : UN;
		q->limit.of[r] = draw(s, 3) ? UN : draw_amount(s, 12);
		q->weight.of[r] = draw(s, 4);
	}
}

/* Some trees are flat, some deep; who is inside may request something itself. */
static void draw_world(uint64_t seed, struct world *w)
{
	uint64_t s = seed * 977 + 5;
	uint32_t tops = 1 + draw(&s, 8);

	*w = (struct world){ .n = 1 + draw(&s, QUEUES) };
	w->k = draw(&s, 2);
	for (uint32_t i = 0; i < w->n; i++) {
		w->queues[i].parent = i < tops ? FL_NONE : draw(&s, i < 20 ? i : 20);
		w->queues[i].rank = w->n - 1 - i;
		draw_row(&s, &w->queues[i]);
	}
}

static void edit(uint64_t *s, struct world *w, struct fl_redivider *v)
{
	uint32_t i = draw(s, w->n);
	int r = (int)draw(s, FL_BUNDLE);

	switch (draw(s, 12)) {
	case 0:
		w->total.of[r] = draw_amount(s, 200);
		break;
	case 1:
		w->k = draw(s, 4) ? w->k : (const double[]){ 0, .5, 1, 3 }[draw(s, 4)];
		break;
	case 2:
		w->flags = draw(s, 4) ? w->flags : w->flags ^ FL_DIVIDE_BOUNDED;
		break;
	case 3:
		draw_row(s, &w->queues[i]);
		fl_redivider_set(v, i, &w->queues[i]);
		break;
	case 4:
		w->queues[i].limit.of[r] = draw(s, 2) ? UN : draw_amount(s, 12);
		fl_redivider_set(v, i, &w->queues[i]);
		break;
	case 5:
		w->usage[i].of[r] = draw(s, 100) * 0.01;
		fl_redivider_usage(v, i, &w->usage[i]);
		break;
	default:
		w->own[i].of[r] = draw_amount(s, 40);
		fl_redivider_request(v, i, &w->own[i]);
	}
}

static void divide_fresh(const struct world *w, struct fl_bundle *request, struct fl_bundle *share)
{
	struct fl_divider *d;

	assert_int_equal(fl_divider_new(&fl_mem_heap, w->queues, w->n, &d, NULL), 0);
	memcpy(request, w->own, sizeof w->own);
	fl_divide_roll_up(d, request);
	fl_divide(d, &w->total, w->k, request, w->usage, w->flags, NULL, share);
	fl_divider_free(d);
}

/* Exactly those who differ are named, each once. */
static void check_changed(const struct world *w, const struct fl_redivided *got,
			  const struct fl_bundle *request, const struct fl_bundle *share,
			  const struct fl_bundle *old_request, const struct fl_bundle *old_share)
{
	bool named[QUEUES] = { false };

	for (uint32_t i = 0; i < got->n_changed; i++) {
		assert_true(!named[got->changed[i]]);
		named[got->changed[i]] = true;
	}
	for (uint32_t i = 0; i < w->n; i++)
		if (memcmp(&request[i], &old_request[i], sizeof *request) ||
		    memcmp(&share[i], &old_share[i], sizeof *share))
			assert_true(named[i]);
}

TEST(again_is_as_if_for_the_first_time)
{
	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		struct fl_bundle request[QUEUES] = { { { 0 } } }, share[QUEUES] = { { { 0 } } };
		struct fl_bundle old_request[QUEUES], old_share[QUEUES];
		struct fl_redivider *v;
		struct world w;
		uint64_t s = seed;

		draw_world(seed, &w);
		assert_int_equal(fl_redivider_new(&fl_mem_heap, w.queues, w.n, &v, NULL), 0);
		for (int round = 0; round < ROUNDS; round++) {
			struct fl_redivided got;

			for (uint32_t i = draw(&s, round ? 4 : 200); i > 0; i--)
				edit(&s, &w, v);
			memcpy(old_request, request, sizeof request);
			memcpy(old_share, share, sizeof share);
			divide_fresh(&w, request, share);
			got = fl_redivide(v, &w.total, w.k, w.flags);
			assert_memory_equal(got.request, request, w.n * sizeof *request);
			assert_memory_equal(got.fair_share, share, w.n * sizeof *share);
			assert_int_equal(got.number, round + 1);
			check_changed(&w, &got, request, share, old_request, old_share);
		}
		fl_redivider_free(v);
	}
}

/* --- how much is divided ------------------------------------------------------------------------ */

/* Two at the top that deserve 8 each; below each 2, below each of those 2. */
static struct fl_redivider *new_tree(void)
{
	struct fl_divide_queue rows[14] = { { .parent = FL_NONE } };
	struct fl_redivider *v;

	for (uint32_t i = 0; i < 14; i++) {
		double deserves = i < 2 ? 8 : i < 6 ? 4 : 2;

		rows[i] = (struct fl_divide_queue){ .parent = i < 2 ? FL_NONE : (i - 2) / 2,
						    .rank = i };
		for (int r = 0; r < FL_BUNDLE; r++) {
			rows[i].deserved.of[r] = deserves;
			rows[i].limit.of[r] = UN;
			rows[i].weight.of[r] = 1;
		}
	}
	assert_int_equal(fl_redivider_new(&fl_mem_heap, rows, 14, &v, NULL), 0);
	return v;
}

TEST(only_what_changed_is_divided)
{
	/*
	 * What leaf 13 requests of GPUs, and how many groups that changes: all the way up, and
	 * nobody's share; nothing; then its sibling gets what it had, and then their cousins.
	 */
	static const struct {
		double request;
		uint32_t sums, groups;
	} steps[] = {
		{ 5, 2, 3 }, { 5, 0, 0 }, { 7, 2, 3 }, { 1, 2, 3 }, { 0, 2, 4 },
	};
	const struct fl_bundle total = { { 16, 16, 16 } };
	struct fl_redivider *v = new_tree();
	struct fl_bundle own = { { 3, 3, 3 } };
	struct fl_redivided got;

	for (uint32_t i = 6; i < 14; i++)
		fl_redivider_request(v, i, &own);
	got = fl_redivide(v, &total, 0, 0);
	assert_int_equal(got.n_groups, 7 * FL_BUNDLE);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		own.of[FL_GPU] = steps[i].request;
		fl_redivider_request(v, 13, &own);
		got = fl_redivide(v, &total, 0, 0);
		assert_int_equal(got.n_sums, steps[i].sums);
		assert_int_equal(got.n_groups, steps[i].groups);
	}
	/* Usage counts only with k. */
	fl_redivider_usage(v, 13, &own);
	assert_int_equal(fl_redivide(v, &total, 0, 0).n_groups, 0);
	assert_int_equal(fl_redivide(v, &total, 1, 0).n_groups, 7 * FL_BUNDLE);
	fl_redivider_free(v);
}

TEST(memory)
{
	struct fail_mem f;
	struct world w;
	struct fl_redivider *const untouched = (struct fl_redivider *)&w, *v = untouched;
	unsigned long at = 0;
	int rc;

	draw_world(7, &w);
	fail_mem_init(&f);
	do {
		fairlead_error err = { .code = 0 };

		assert_int_equal(f.live, 0);
		f.fail_at = ++at;
		rc = fl_redivider_new(&f.mem, w.queues, w.n, &v, &err);
		assert_true(rc == 0 || (rc == FAIRLEAD_ENOMEM && err.code == rc && v == untouched));
	} while (rc < 0);
	f.calls = 0;
	for (uint64_t s = 0, i = 0; i < 100; i++)
		edit(&s, &w, v);
	fl_redivide(v, &w.total, w.k, w.flags);
	assert_int_equal(f.calls, 0);
	fl_redivider_free(v);
	assert_int_equal(f.live, 0);
	assert_null(fl_redivider_free(NULL));
}

TEST(no_queues)
{
	const struct fl_bundle total = { { 1, 2, 3 } };
	struct fl_redivider *v;

	assert_int_equal(fl_redivider_new(&fl_mem_heap, NULL, 0, &v, NULL), 0);
	assert_int_equal(fl_redivide(v, &total, 1, FL_DIVIDE_BOUNDED).n_changed, 0);
	fl_redivider_free(v);
}

UNIT_GROUP("redivide")
