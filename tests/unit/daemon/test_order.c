/* SPDX-License-Identifier: Apache-2.0 */
/* The order of pending jobs, as they come, change and go: what is kept is what sorting all of them gives. */
#include "base/random.h"
#include "daemon/engine/order.h"
#include "lib/unit.h"

enum { MOST = 300, NODES = 7, STEPS = 2000 };

struct world {
	struct fl_workload_row workloads[2][MOST];
	struct fl_model model[2];
	struct fl_generation generation;
	struct fl_jobs table; /* of names only */
	uint32_t of, skipped;
	struct fl_live jobs[MOST];
	struct fl_live_view view;
	struct fl_random random;
	uint64_t last;
};

static uint32_t draw(struct world *w, uint32_t below)
{
	return (uint32_t)(fl_random_bits(&w->random) % below);
}

static void change(struct world *w)
{
	uint32_t i = draw(w, MOST);
	struct fl_live *job = &w->jobs[i];

	if (draw(w, 3) == 0 && w->view.n_jobs < MOST) {
		i = w->view.n_jobs++;
		w->jobs[i] = (struct fl_live){ .id = w->last += 1 + draw(w, 3),
					       .state = FL_JOB_WAITS,
					       .priority = (int32_t)draw(w, 3),
					       .submitted = draw(w, 20) };
	} else if (i < w->view.n_jobs && draw(w, 8) == 0) {
		memmove(job, job + 1, (--w->view.n_jobs - i) * sizeof *job);
	} else if (i < w->view.n_jobs) {
		job->priority = (int32_t)draw(w, 5) - 2;
		job->state = draw(w, 3) ? FL_JOB_WAITS : FL_JOB_RUNS;
		job->submitted = draw(w, 20);
	}
	/* A new model, in which workloads have other numbers and queues. */
	if (draw(w, 50) == 0) {
		w->of ^= 1;
		for (i = 0; i < MOST; i++)
			w->workloads[w->of][i].cluster_queue.v = draw(w, NODES);
		w->model[w->of].workloads = w->workloads[w->of];
		w->view.model = &w->model[w->of];
		w->generation.number++;
		w->skipped = draw(w, 11);
	}
	for (i = 0; i < w->view.n_jobs; i++)
		w->jobs[i].workload.v = w->jobs[i].id % 11 == w->skipped ?
						FL_NONE :
						(uint32_t)((w->jobs[i].id * 7 + w->of) % MOST);
}

static void check(struct world *w, struct fl_live_order *o, uint64_t version)
{
	struct fl_live_pending want[MOST];
	const struct fl_live_pending *got;
	uint32_t n = 0, n_got;

	for (uint32_t i = 0; i < w->view.n_jobs; i++)
		if (fl_live_is_pending(&w->jobs[i]))
			want[n++] = fl_live_pending_of(w->view.model, &w->jobs[i]);
	qsort(want, n, sizeof *want, fl_live_pending_cmp);
	assert_int_equal(fl_live_order_get(o, &w->view, version, &got, &n_got, NULL), 0);
	assert_int_equal(n_got, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(fl_live_pending_cmp(&got[i], &want[i]), 0);
		assert_int_equal(fl_live_order_before(got, n, &want[i]), i);
	}
}

static void begin(struct world *w, uint64_t seed)
{
	memset(w, 0, sizeof *w);
	fl_random_init(&w->random, seed, 0);
	for (uint32_t i = 0; i < MOST; i++)
		w->workloads[0][i].cluster_queue.v = draw(w, NODES);
	w->model[0].workloads = w->workloads[0];
	w->view.model = &w->model[0];
	w->generation.number = 1;
	w->view.of.generation = &w->generation;
	w->view.of.jobs = &w->table;
	w->view.jobs = w->jobs;
}

TEST(is_what_sorting_gives)
{
	struct fl_live_order o;
	struct world w;

	begin(&w, 1);
	fl_live_order_init(&o);
	for (uint64_t step = 0; step < STEPS; step++) {
		for (uint32_t n = draw(&w, 12); n > 0; n--)
			change(&w);
		check(&w, &o, step);
	}
	w.view.n_jobs = 0;
	check(&w, &o, STEPS);
	fl_live_order_done(&o);
}

TEST(is_kept_while_the_version_stays)
{
	const struct fl_live_pending *first, *second;
	struct fl_live_order o;
	struct world w;
	uint32_t n, n_second;

	begin(&w, 2);
	fl_live_order_init(&o);
	while (w.view.n_jobs < 50)
		change(&w);
	assert_int_equal(fl_live_order_get(&o, &w.view, 7, &first, &n, NULL), 0);
	assert_true(n > 1);
	w.view.n_jobs = 1;
	assert_int_equal(fl_live_order_get(&o, &w.view, 7, &second, &n_second, NULL), 0);
	assert_ptr_equal(first, second);
	assert_int_equal(n, n_second);
	check(&w, &o, 8);
	fl_live_order_done(&o);
}

/* A job that has moved may have the place and the symbol that it had before, and they are of another queue. */
TEST(symbols_of_queues_become_others)
{
	struct fl_live_order o;
	struct world w;

	begin(&w, 3);
	fl_live_order_init(&o);
	w.jobs[0] = (struct fl_live){ .id = 1, .state = FL_JOB_WAITS };
	w.view.n_jobs = 1;
	check(&w, &o, 1);
	w.workloads[0][0].cluster_queue.v++;
	w.table.names_number++;
	check(&w, &o, 2);
	fl_live_order_done(&o);
}

UNIT_GROUP("order")
