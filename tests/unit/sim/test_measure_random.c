/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures of random runs against a second, slow computation from a list of all events, and
 * against each other.
 */
#include "measure_world.h"
#include "sim/begin.h"

#include "sim/entitled.h"

enum { QUEUES = 4, JOBS = 24, RESOURCES = 2, RUNS = 30, ROWS = 2048 };

static uint32_t chance(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % n;
}

/* --- the list of events --- */

struct row {
	fl_time at;
	uint32_t w;
	enum fl_sim_event_kind kind;
	enum fl_sim_state state;
	double held[RESOURCES];
	fl_time lost;
};

struct list {
	struct row rows[ROWS];
	uint32_t n;
};

static int hear(void *user, const struct fl_sim *s, const struct fl_sim_event *e,
		fairlead_error *err)
{
	struct list *l = user;
	struct row *row = &l->rows[l->n++];

	(void)err;
	assert_true(l->n < ROWS);
	*row = (struct row){ .at = e->at,
			     .w = e->workload.v,
			     .kind = e->kind,
			     .state = s->jobs[e->workload.v].state,
			     .lost = e->lost };
	for (uint32_t k = 0; k < RESOURCES; k++)
		row->held[k] = s->ops->held(s->policy, e->workload, (struct fl_resource){ k });
	return 0;
}

/* --- everything once more --- */

struct tenant {
	double held[RESOURCES], wanted[RESOURCES];
	uint32_t waiting;
	double ratio;
};

struct slow {
	const struct timed *t;
	const struct list *list;
	const struct fl_measured *of;
	struct fl_entitled entitled;
	const struct row *last[JOBS];      /* by workload */
	struct tenant tenants[QUEUES + 3]; /* by row */
	double hours[QUEUES + 3][RESOURCES], blocked[QUEUES + 3];
	double *held, *wanted, *waiting; /* of resource 0, by row and bucket */
	double jain, jain_time, envy, ratios, ratios_time, least;
	uint32_t n_corrections, open;
	double longest;
	fl_time behind[QUEUES + 3];
};

/* As things stand between two events. */
static void stand(struct slow *s)
{
	memset(s->tenants, 0, sizeof s->tenants);
	for (uint32_t w = 0; w < JOBS; w++) {
		const struct row *job = s->last[w];
		uint32_t row = s->entitled.row_of[s->t->m->workloads[w].cluster_queue.v];
		bool waits = job && (job->state == FL_SIM_WAITS || job->state == FL_SIM_BACKS_OFF);

		for (; job && row != FL_NONE; row = s->entitled.parent[row]) {
			struct tenant *q = &s->tenants[row];

			q->waiting += waits;
			for (uint32_t k = 0; k < RESOURCES; k++) {
				double asks = fl_sim_request(s->t->m, (struct fl_workload){ w },
							     (struct fl_resource){ k });

				q->held[k] += job->held[k];
				q->wanted[k] += waits ? asks : job->held[k];
			}
		}
	}
}

/* Of one that knows of nothing before. */
static void entitle(const struct slow *s, double ret[][RESOURCES])
{
	uint32_t changed[QUEUES + 3];
	struct fl_entitled e;
	fairlead_error err;

	ok(fl_entitled_init(&e, &fl_mem_heap, s->t->m, &fl_borrow_policy, s->t->p, &err), &err);
	for (uint32_t row = 0; row < e.n; row++)
		fl_entitled_want(&e, row, s->tenants[row].wanted);
	(void)fl_entitled_find(&e, changed);
	for (uint32_t i = 0; i < e.n * RESOURCES; i++)
		ret[i / RESOURCES][i % RESOURCES] = e.shares[i];
	fl_entitled_done(&e);
}

/* What is fair from @at on, for @length. */
static void look(struct slow *s, fl_time at, double length)
{
	double entitled[QUEUES + 3][RESOURCES];
	double sum = 0, squares = 0, n = 0, largest = 0, least = 1;

	entitle(s, entitled);
	for (uint32_t row = 0; row < s->entitled.n; row++) {
		const struct tenant *q = &s->tenants[row];
		double part[RESOURCES];
		uint32_t k = 0;

		for (uint32_t i = 0; i < RESOURCES; i++) {
			part[i] = q->wanted[i] / s->entitled.capacity[i];
			k = part[i] > part[k] ? i : k;
		}
		if (!s->of->nodes[row].leaf)
			continue;
		double ratio = q->wanted[k] > 0 && entitled[row][k] > 0 ?
				       q->held[k] / entitled[row][k] :
				       (double)NAN;
		bool behind = q->waiting && ratio < 0.9;

		if (behind && s->behind[row] < 0)
			s->behind[row] = at;
		if (!behind && s->behind[row] >= 0) {
			s->longest = fmax(s->longest, (double)(at - s->behind[row]) / FL_SECOND);
			s->n_corrections++;
			s->behind[row] = -1;
		}
		if (isnan(ratio))
			continue;
		n++;
		sum += ratio;
		squares += ratio * ratio;
		largest = fmax(largest, ratio);
		if (q->waiting) {
			least = fmin(least, ratio);
			s->ratios += length * fmin(ratio, 1);
			s->least = fmin(s->least, ratio);
			s->ratios_time += length;
		}
	}
	if (n >= 2) {
		s->jain += length * (squares > 0 ? sum * sum / n / squares : 1);
		s->jain_time += length;
	}
	if (least < 1)
		s->envy = fmax(s->envy, largest - least);
}

/* All is the same after @from and until @to. */
static void stretch(struct slow *s, fl_time from, fl_time to)
{
	const struct fl_measured_series *series = &s->of->series;

	stand(s);
	for (uint32_t row = 0; row < s->entitled.n; row++) {
		const struct tenant *q = &s->tenants[row];

		s->blocked[row] += q->waiting ? (double)(to - from) / FL_SECOND : 0;
		for (uint32_t k = 0; k < RESOURCES; k++)
			s->hours[row][k] += q->held[k] * (double)(to - from) / FL_SECOND / 3600;
		for (uint32_t b = (uint32_t)(from / series->step); b < series->n; b++) {
			fl_time begins = b * series->step;
			fl_time ends = fl_amount_min(begins + series->step, s->of->end);
			fl_time length = fl_amount_min(to, ends) - fl_amount_max(from, begins);
			double part = (double)length / (double)(ends - begins);

			if (length <= 0)
				break;
			s->held[row * series->n + b] += q->held[0] * part;
			s->wanted[row * series->n + b] += q->wanted[0] * part;
			s->waiting[row * series->n + b] += q->waiting * part;
		}
	}
	look(s, from, (double)(to - from));
}

static void go_through(struct slow *s)
{
	size_t cells = (size_t)s->entitled.n * s->of->series.n + 1;

	s->held = calloc(cells, sizeof *s->held);
	s->wanted = calloc(cells, sizeof *s->wanted);
	s->waiting = calloc(cells, sizeof *s->waiting);
	assert_true(s->held && s->wanted && s->waiting);
	s->least = 1;
	for (uint32_t row = 0; row < QUEUES + 3; row++)
		s->behind[row] = -1;
	fl_time now = 0;
	for (uint32_t i = 0; i <= s->list->n; i++) {
		fl_time next = i < s->list->n ? s->list->rows[i].at : s->of->end;

		if (next > now)
			stretch(s, now, next);
		now = next;
		if (i < s->list->n)
			s->last[s->list->rows[i].w] = &s->list->rows[i];
	}
	stand(s);
	look(s, now, 0);
	for (uint32_t row = 0; row < QUEUES + 3; row++)
		s->open += s->behind[row] >= 0 && s->behind[row] < now;
}

/* --- the comparison --- */

static int cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool is_below(const struct slow *s, uint32_t row, uint32_t above)
{
	while (row != FL_NONE && row != above)
		row = s->entitled.parent[row];
	return row == above;
}

static void waits_are_those_of_jobs(const struct slow *s, uint32_t row, const char *name)
{
	const struct fl_spread *spread = &s->of->nodes[row].counts.wait;
	double waits[JOBS], sum = 0;
	uint32_t n = 0;

	for (uint32_t w = 0; w < JOBS; w++) {
		const struct fl_sim_job *job = &s->t->sim.jobs[w];
		uint32_t mine = s->entitled.row_of[s->t->m->workloads[w].cluster_queue.v];

		if (job->starts && is_below(s, mine, row))
			waits[n++] = (double)job->waited / FL_SECOND;
	}
	qsort(waits, n, sizeof *waits, cmp_double);
	for (uint32_t i = 0; i < n; i++)
		sum += waits[i];
	CHECK(spread->n == n, name);
	if (!n)
		return;
	CHECK(about(spread->mean, sum / n), name);
	CHECK(spread->p50 == waits[(n + 1) / 2 - 1], name);
	CHECK(spread->p90 == waits[(uint32_t)ceil(n * 0.9) - 1], name);
	CHECK(spread->max == waits[n - 1], name);
}

static void same_as_slow(const struct slow *s, const char *name)
{
	const struct fl_measured *m = s->of;
	const struct fl_measured_fairness *f = &m->fairness;
	double total[RESOURCES] = { 0 };

	CHECK(m->series.n_lines == m->n_nodes, name);
	for (uint32_t row = 0; row < m->n_nodes; row++) {
		const struct fl_series_row *line = &m->series.lines[row];

		CHECK(line->node == row && line->members == 0, name);
		CHECK(about(m->nodes[row].blocked_seconds, s->blocked[row]), name);
		waits_are_those_of_jobs(s, row, name);
		for (uint32_t k = 0; k < RESOURCES; k++) {
			CHECK(about(m->nodes[row].counts.hours[k], s->hours[row][k]), name);
			total[k] += m->nodes[row].leaf ? s->hours[row][k] : 0;
		}
		for (uint32_t b = 0; b < m->series.n; b++) {
			size_t at = row * m->series.n + b;

			CHECK(about(line->held[0][b], s->held[at]), name);
			CHECK(about(line->wanted[0][b], s->wanted[at]), name);
			CHECK(about(line->waiting[b], s->waiting[at]), name);
		}
	}
	for (uint32_t k = 0; k < RESOURCES; k++)
		CHECK(about(m->totals.hours[k], total[k]), name);
	CHECK(about(f->jain, s->jain_time > 0 ? s->jain / s->jain_time : (double)NAN), name);
	CHECK(about(f->largest_envy, s->envy), name);
	CHECK(about(f->blocked_mean, s->ratios_time > 0 ? s->ratios / s->ratios_time : (double)NAN),
	      name);
	CHECK(!(s->ratios_time > 0) || about(f->blocked_least, fmin(s->least, 1)), name);
	CHECK(f->corrections.n == s->n_corrections && f->open == s->open, name);
	CHECK(!s->n_corrections || about(f->corrections.max, s->longest), name);
}

/* What holds of any run. */
static void consistent(const struct slow *s, const char *name)
{
	const struct fl_measured *m = s->of;
	uint32_t bins = 0, starts = 0, evictions = 0, flows = 0;
	double lost = 0, of_flows = 0;

	for (uint32_t i = 0; i < s->list->n; i++) {
		starts += s->list->rows[i].kind == FL_SIM_STARTED;
		evictions += s->list->rows[i].kind == FL_SIM_EVICTED;
		lost += (double)s->list->rows[i].lost / FL_SECOND / 3600 *
			fl_sim_request(s->t->m, (struct fl_workload){ s->list->rows[i].w },
				       (struct fl_resource){ 0 });
	}
	for (uint32_t i = 0; i < m->n_waits; i++)
		for (uint32_t b = 0; b <= FL_WAIT_EDGES; b++)
			bins += m->waits[i].counts[b];
	for (uint32_t i = 0; i < m->n_flows; i++) {
		flows += m->flows[i].count;
		of_flows += m->flows[i].lost[0];
		CHECK(i == 0 || m->flows[i - 1].from <= m->flows[i].from, name);
	}
	CHECK(bins == m->totals.wait.n, name);
	CHECK(m->totals.starts == starts, name);
	CHECK(m->totals.evictions == evictions && flows == evictions, name);
	CHECK(about(m->totals.lost[0], lost) && about(of_flows, lost), name);
	CHECK(isnan(m->fairness.jain) || (m->fairness.jain > 0 && m->fairness.jain <= 1 + 1e-12),
	      name);
	CHECK(m->utilisation[0] >= 0 && m->utilisation[0] <= 1 + 1e-12, name);
	CHECK(m->totals.jobs == m->totals.finished + m->totals.gave_up + m->totals.waiting +
					m->totals.running,
	      name);
	if (m->ended == FL_SIM_ALL_DONE)
		for (uint32_t k = 0; k < RESOURCES; k++)
			CHECK(about(m->totals.hours[k], m->totals.useful[k] + m->totals.lost[k] +
								m->totals.restarted[k]),
			      name);
}

/* --- random runs --- */

static struct world_node nodes[QUEUES + 3] = {
	{ "root", NULL, FL_COHORT, 1, { QUOTA(0), QUOTA(0) } },
	{ "left", "root", FL_COHORT, 1, { QUOTA(0), QUOTA(0) } },
	{ "right", "root", FL_COHORT, 2, { QUOTA(4), QUOTA(2) } },
};
static struct timed_job jobs[JOBS];
static char names[JOBS][8];
static const char *const queue_names[QUEUES] = { "qa", "qb", "qc", "qd" };

static void make_up(struct timed_world *of, uint64_t *seed)
{
	for (uint32_t q = 0; q < QUEUES; q++) {
		nodes[3 + q] = (struct world_node){ .name = queue_names[q],
						    .parent = q < 2 ? "left" : "right",
						    .kind = FL_CLUSTER_QUEUE,
						    .weight = 1 + chance(seed, 3) };
		for (uint32_t k = 0; k < RESOURCES; k++) {
			struct world_quota *quota = &nodes[3 + q].quota[k];

			*quota = (struct world_quota){ .nominal = 2 + chance(seed, 6) };
			quota->borrow = chance(seed, 3) ? FL_NO_LIMIT : chance(seed, 8);
			quota->lend = chance(seed, 3) ? FL_NO_LIMIT : chance(seed, 4);
		}
	}
	for (uint32_t w = 0; w < JOBS; w++) {
		(void)snprintf(names[w], sizeof names[w], "job%u", w);
		jobs[w] = (struct timed_job){ .name = names[w] };
		jobs[w].queue = queue_names[chance(seed, QUEUES)];
		jobs[w].arrives = chance(seed, 400);
		jobs[w].runs = 1 + chance(seed, 300);
		jobs[w].ask[0] = 1 + chance(seed, 6);
		jobs[w].ask[1] = chance(seed, 4);
		jobs[w].priority = (int32_t)chance(seed, 3);
		jobs[w].class_name = chance(seed, 3) ? NULL : "named";
		jobs[w].leaves = chance(seed, 5) ? 0 : 1 + chance(seed, 100);
	}
	*of = (struct timed_world){ .nodes = nodes,
				    .n_nodes = COUNT(nodes),
				    .jobs = jobs,
				    .n_jobs = JOBS,
				    .resources = RESOURCES,
				    .settings = fl_simulation_default };
	of->reclaims = chance(seed, 4) > 0;
	of->settings.grace = chance(seed, 3) * 7 * FL_SECOND;
	/* the long ones make runs longer than anybody expects */
	of->settings.restart = (chance(seed, 4) ? 50 : 3000) * FL_SECOND;
	of->settings.back_off_base = chance(seed, 2) * 20 * FL_SECOND;
	of->settings.back_off_max = 60 * FL_SECOND;
	of->settings.checkpoint = chance(seed, 2) ? FL_NEVER : 30 * FL_SECOND;
	of->settings.until = chance(seed, 4) ? FL_NEVER : 333 * FL_SECOND + 1;
}

static void run(struct timed_world *of, struct timed *t, struct list *list, struct fl_measure **m,
		const struct fl_measured **ret)
{
	fairlead_error err;

	timed_begin(t, &fl_mem_heap, of);
	list->n = 0;
	t->sim.options.listeners[t->sim.options.n_listeners++] =
		(struct fl_sim_listener){ .event = hear, .user = list };
	ok(fl_measure_new(&fl_mem_heap, &t->sim, m, &err), &err);
	ok(fl_sim_run(&t->sim, &err), &err);
	ok(fl_measure_end(*m, /* top= */ 0, ret, &err), &err);
}

static bool equal(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same_spread(const struct fl_spread *a, const struct fl_spread *b)
{
	return a->n == b->n && equal(a->mean, b->mean) && equal(a->p50, b->p50) &&
	       equal(a->p90, b->p90) && equal(a->p99, b->p99) && equal(a->max, b->max);
}

/* The input the other way round. */
static void same_in_any_order(struct timed_world *of, const struct fl_measured *a, const char *name)
{
	struct list *list = calloc(1, sizeof *list);
	const struct fl_measured *b;
	struct fl_measure *m;
	struct timed t;

	assert_non_null(list);
	of->last_first = true;
	run(of, &t, list, &m, &b);
	CHECK(a->n_nodes == b->n_nodes && a->n_flows == b->n_flows, name);
	for (uint32_t row = 0; row < a->n_nodes; row++) {
		const struct fl_measured_counts *x = &a->nodes[row].counts;
		const struct fl_measured_counts *y = &b->nodes[row].counts;

		CHECK(x->starts == y->starts && x->evictions == y->evictions, name);
		CHECK(same_spread(&x->wait, &y->wait), name);
		CHECK(same_spread(&x->slowdown, &y->slowdown), name);
		CHECK(memcmp(x->hours, y->hours, RESOURCES * sizeof *x->hours) == 0, name);
	}
	CHECK(equal(a->fairness.jain, b->fairness.jain), name);
	CHECK(equal(a->fairness.largest_envy, b->fairness.largest_envy), name);
	CHECK(same_spread(&a->fairness.corrections, &b->fairness.corrections), name);
	fl_measure_free(m);
	timed_end(&t);
	free(list);
}

TEST(random_runs)
{
	struct list *list = calloc(1, sizeof *list);
	struct slow *slow = calloc(1, sizeof *slow);
	uint32_t merged = 0, evicted = 0, corrected = 0;
	uint64_t seed = 7;

	assert_true(list && slow);
	for (uint32_t i = 0; i < RUNS; i++) {
		struct timed_world of;
		const struct fl_measured *r;
		struct fl_measure *m;
		struct timed t;
		fairlead_error err;
		char name[32];

		(void)snprintf(name, sizeof name, "run %u", i);
		make_up(&of, &seed);
		run(&of, &t, list, &m, &r);
		*slow = (struct slow){ .t = &t, .list = list, .of = r };
		ok(fl_entitled_init(&slow->entitled, &fl_mem_heap, t.m, &fl_borrow_policy, t.p,
				    &err),
		   &err);
		go_through(slow);
		same_as_slow(slow, name);
		consistent(slow, name);
		same_in_any_order(&of, r, name);
		merged += r->series.n < (r->end - r->start) / (FL_SECOND / 10);
		evicted += r->totals.evictions;
		corrected += r->fairness.corrections.n;
		free(slow->held);
		free(slow->wanted);
		free(slow->waiting);
		fl_entitled_done(&slow->entitled);
		fl_measure_free(m);
		timed_end(&t);
	}
	/* else nothing was tried */
	assert_true(merged > 0 && evicted > RUNS && corrected > RUNS);
	free(list);
	free(slow);
}

UNIT_GROUP("measure-random")
