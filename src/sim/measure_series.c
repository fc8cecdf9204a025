/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets: as many as there is room for, and when there would be more, two become one. */
#include "sim/measure_series.h"

#include <math.h>

#include "base/sort.h"
#include "sim/begin.h"
#include "sim/measure_state.h"

enum { LEAST_BUCKETS = 16 };

/* --- how wide --- */

/* Work of all jobs, of the resource of which it takes the longest with all that there is. */
static double longest_work(const struct fl_measure *m)
{
	double longest = 0;

	for (uint32_t k = 0; k < m->n_resources; k++) {
		double work = 0;

		for (uint32_t w = 0; w < m->n_jobs; w++) {
			const struct fl_life_row *life = m->sim->jobs[w].life;

			if (m->jobs[w].row != FL_NONE && life && life->runs != FL_NEVER)
				work += (double)life->runs *
					fl_sim_request(m->sim->model, (struct fl_workload){ w },
						       m->entitled.resources[k]);
		}
		if (m->entitled.capacity[k] > 0)
			longest = fmax(longest, work / m->entitled.capacity[k]);
	}
	return longest;
}

/* How long the run will take, as far as can be told before. */
static double expected(const struct fl_measure *m)
{
	const struct fl_sim *s = m->sim;
	double span = longest_work(m);

	if (s->end != FL_NEVER)
		return (double)(s->end - s->now);
	for (uint32_t w = 0; w < m->n_jobs; w++) {
		const struct fl_life_row *life = s->jobs[w].life;
		fl_time begins = s->now;

		if (m->jobs[w].row == FL_NONE || !life)
			continue;
		if (life->arrives != FL_TIME_NONE && life->arrives > begins)
			begins = life->arrives;
		span = fmax(span, (double)begins - (double)s->now);
		if (life->runs != FL_NEVER)
			span = fmax(span, (double)begins - (double)s->now + (double)life->runs);
	}
	return span;
}

fl_time fl_measure_step(const struct fl_measure *m)
{
	static const int32_t tenths[] = { 1,     2,     5,      10,     20,     50,    100,
					  300,   600,   1200,   3000,   6000,   9000,  18000,
					  36000, 72000, 108000, 216000, 432000, 864000 };
	double wish = expected(m) / m->buckets;
	fl_time step = 0;

	for (uint32_t i = 0; i < sizeof tenths / sizeof *tenths; i++) {
		step = tenths[i] * (FL_SECOND / 10);
		if ((double)step >= wish)
			return step;
	}
	while ((double)step < wish && step < FL_NEVER / 4)
		step *= 2;
	return step;
}

/* --- room --- */

int fl_measure_series_init(struct fl_measure *m, fairlead_error *err)
{
	size_t cells;

	m->columns = 3 * m->n_resources + 5;
	cells = (size_t)m->n_rows * m->columns;
	m->buckets = FL_MEASURE_BUCKETS;
	while (m->buckets > LEAST_BUCKETS && cells * m->buckets > FL_MEASURE_CELLS)
		m->buckets /= 2;
	m->series = fl_arena_alloc(&m->arena, cells * m->buckets, sizeof *m->series, err);
	return m->series ? 0 : FAIRLEAD_ENOMEM;
}

double *fl_measure_column(const struct fl_measure *m, uint32_t row, enum fl_measure_column c,
			  uint32_t k)
{
	uint32_t n = m->n_resources;
	uint32_t at = c == FL_COLUMN_HELD     ? k :
		      c == FL_COLUMN_WANTED   ? n + k :
		      c == FL_COLUMN_WAITING  ? 2 * n :
		      c == FL_COLUMN_RUNNING  ? 2 * n + 1 :
		      c == FL_COLUMN_ENTITLED ? 2 * n + 2 + k :
		      c == FL_COLUMN_SHARE    ? 3 * n + 2 :
		      c == FL_COLUMN_ENVY     ? 3 * n + 3 :
						3 * n + 4;

	return m->series + ((size_t)row * m->columns + at) * m->buckets;
}

/* --- the end of a bucket --- */

static double mean(double a, double b) { return isnan(a) ? b : isnan(b) ? a : (a + b) / 2; }

/* Of means the mean, of extremes the one further out, of what is so at the end the later one. */
static double merged(const struct fl_measure *m, bool cluster, uint32_t column, double a, double b)
{
	uint32_t n = m->n_resources;

	if (column < 2 * n + 2 || (cluster && column < 3 * n + 3))
		return mean(a, b);
	if (!cluster)
		return b;
	return column == 3 * n + 3 ? fmax(a, b) : fmin(a, b);
}

static void merge(struct fl_measure *m)
{
	uint32_t n = m->n_buckets / 2;

	for (uint32_t row = 0; row < m->n_rows; row++)
		for (uint32_t c = 0; c < m->columns; c++) {
			double *of = m->series + ((size_t)row * m->columns + c) * m->buckets;

			for (uint32_t b = 0; b < n; b++)
				of[b] = merged(m, row == m->n_rows - 1, c, of[2 * b],
					       of[2 * b + 1]);
		}
	m->n_buckets = n;
	m->step *= 2;
}

static void close_row(struct fl_measure *m, uint32_t row, double width)
{
	uint32_t n = 2 * m->n_resources + 2, b = m->n_buckets;
	double *sum = m->sum + (size_t)row * n, *total = m->total + (size_t)row * n;
	double *to = m->series + (size_t)row * m->columns * m->buckets + b;

	for (uint32_t i = 0; i < n; i++) {
		to[(size_t)i * m->buckets] = sum[i] / width;
		total[i] += sum[i];
		sum[i] = 0;
	}
}

static void close_node(struct fl_measure *m, uint32_t row)
{
	uint32_t b = m->n_buckets;
	struct fl_share share;

	for (uint32_t k = 0; k < m->n_resources; k++)
		fl_measure_column(m, row, FL_COLUMN_ENTITLED,
				  k)[b] = fl_measure_of(m, m->entitled_now, row)[k];
	m->sim->ops->share(m->sim->policy, m->nodes[row].node, &share);
	fl_measure_column(m, row, FL_COLUMN_SHARE, 0)[b] = share.precise;
}

void fl_measure_new_bucket(struct fl_measure *m)
{
	m->bucket.jain_sum = m->bucket.jain_time = 0;
	m->bucket.least = m->bucket.envy = (double)NAN;
}

static void close_cluster(struct fl_measure *m, double width)
{
	uint32_t row = m->n_rows - 1, b = m->n_buckets;

	for (uint32_t k = 0; k < m->n_resources; k++) {
		fl_measure_column(m, row, FL_COLUMN_CAPACITY, k)[b] = m->capacity_sum[k] / width;
		m->capacity_total[k] += m->capacity_sum[k];
		m->capacity_sum[k] = 0;
	}
	fl_measure_column(m, row, FL_COLUMN_JAIN, 0)[b] =
		m->bucket.jain_time > 0 ? m->bucket.jain_sum / m->bucket.jain_time : (double)NAN;
	fl_measure_column(m, row, FL_COLUMN_ENVY, 0)[b] = m->bucket.envy;
	fl_measure_column(m, row, FL_COLUMN_LEAST, 0)[b] = m->bucket.least;
	fl_measure_new_bucket(m);
}

void fl_measure_close(struct fl_measure *m, fl_time at, bool last)
{
	double width = (double)(at - m->bucket_begins);

	for (uint32_t row = 0; row < m->n_rows; row++) {
		fl_measure_touch(m, row, at);
		close_row(m, row, width);
		if (row + 1 < m->n_rows)
			close_node(m, row);
	}
	fl_measure_touch_capacity(m, at);
	close_cluster(m, width);
	m->n_buckets++;
	m->bucket_begins = at;
	if (!last && m->n_buckets == m->buckets)
		merge(m);
}

/* --- lines of the results --- */

struct ranking {
	const struct fl_measure *m;
	const double *part; /* by row: of what there is, what it held; or what it missed */
};

static int by_parent_and_part(const void *ctx, uint32_t a, uint32_t b)
{
	const struct ranking *r = ctx;
	uint32_t x = r->m->rows[a].above, y = r->m->rows[b].above;

	if (x != y)
		return x < y ? -1 : 1;
	if (r->part[a] != r->part[b])
		return r->part[a] > r->part[b] ? -1 : 1;
	return (a > b) - (a < b);
}

/* The largest part that it held of any resource. */
static double part_held(const struct fl_measure *m, uint32_t row)
{
	const double *capacity = fl_entitled_capacity(&m->entitled, row);
	double most = 0;

	for (uint32_t k = 0; k < m->n_resources; k++)
		if (capacity[k] > 0)
			most = fmax(most, m->total[(size_t)row * (2 * m->n_resources + 2) + k] /
						  capacity[k]);
	return most;
}

/* How much it was behind while it was kept from its own, times how long. */
static double missed(const struct fl_measure *m, uint32_t row)
{
	const struct fl_measure_row *r = &m->rows[row];

	return r->ratio_time > 0 ? r->ratio_time - r->ratio_sum : 0;
}

/* Of each parent's children the first @most by @part, beside those that are shown already. */
static void choose(const struct fl_measure *m, uint32_t most, const double *part, uint32_t *sorted,
		   bool *shown)
{
	struct ranking ranking = { .m = m, .part = part };
	uint32_t n = m->n_rows - 1, chosen = 0;

	for (uint32_t row = 0; row < n; row++)
		sorted[row] = row;
	fl_sort(sorted, n, sorted + m->n_rows, by_parent_and_part, &ranking);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = sorted[i];

		if (i == 0 || m->rows[sorted[i - 1]].above != m->rows[row].above)
			chosen = 0;
		if (shown[row] || chosen == most)
			continue;
		shown[row] = true;
		chosen++;
	}
}

/*
 * Which rows have a line: @top children of one that has (the cluster has); two thirds of them those
 * that held most, the others those that missed most.
 */
static int choose_lines(struct fl_measure *m, uint32_t top, bool *shown, fairlead_error *err)
{
	uint32_t *sorted, n = m->n_rows;
	double *held, *behind;

	if (!FL_NEW(&m->arena, sorted, (size_t)n * 2, err) || !FL_NEW(&m->arena, held, n, err) ||
	    !FL_NEW(&m->arena, behind, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t row = 0; row + 1 < n; row++) {
		held[row] = part_held(m, row);
		behind[row] = missed(m, row);
	}
	choose(m, top ? top - top / 3 : n, held, sorted, shown);
	choose(m, top / 3, behind, sorted, shown);
	for (uint32_t row = 0; row + 1 < n; row++)
		if (m->nodes[row].parent != FL_NONE)
			shown[row] &= shown[m->nodes[row].parent];
	return 0;
}

static double **columns_of(struct fl_measure *m, uint32_t row, enum fl_measure_column c,
			   fairlead_error *err)
{
	double **ret;

	if (!FL_NEW(&m->arena, ret, m->n_resources, err))
		return NULL;
	for (uint32_t k = 0; k < m->n_resources; k++) {
		ret[k] = fl_measure_column(m, row, c, k);
		for (uint32_t b = 0; b < m->n_buckets; b++)
			ret[k][b] *= m->scale[k];
	}
	return ret;
}

static int line_of_node(struct fl_measure *m, uint32_t row, struct fl_series_row *line,
			fairlead_error *err)
{
	line->node = row;
	line->held = columns_of(m, row, FL_COLUMN_HELD, err);
	line->wanted = columns_of(m, row, FL_COLUMN_WANTED, err);
	line->entitled = columns_of(m, row, FL_COLUMN_ENTITLED, err);
	line->waiting = fl_measure_column(m, row, FL_COLUMN_WAITING, 0);
	line->share = fl_measure_column(m, row, FL_COLUMN_SHARE, 0);
	return line->held && line->wanted && line->entitled ? 0 : FAIRLEAD_ENOMEM;
}

/* The line of all children of @above without one is made in the place of the first of them. */
static int line_of_rest(struct fl_measure *m, uint32_t above, const bool *shown,
			struct fl_series_row *line, fairlead_error *err)
{
	uint32_t first = FL_NONE, last = 3 * m->n_resources + 2, cluster = m->n_rows - 1;
	int r;

	for (uint32_t row = above == cluster ? 0 : above + 1; row < cluster; row++) {
		if (above != cluster && m->entitled.depth[row] <= m->entitled.depth[above])
			break;
		if (m->rows[row].above != above || shown[row])
			continue;
		line->members++;
		if (first == FL_NONE) {
			first = row;
			continue;
		}
		for (uint32_t c = 0; c < last; c++) {
			double *to = m->series + ((size_t)first * m->columns + c) * m->buckets;
			double *from = m->series + ((size_t)row * m->columns + c) * m->buckets;

			for (uint32_t b = 0; b < m->n_buckets; b++)
				to[b] += from[b];
		}
	}
	if (first == FL_NONE)
		return 0;
	r = line_of_node(m, first, line, err);
	line->node = above == cluster ? FL_NONE : above;
	line->share = NULL;
	return r;
}

/* Nodes in order; behind the last one below a node its rest. */
static int make_lines(struct fl_measure *m, const bool *shown, struct fl_series_row *lines,
		      uint32_t *n, fairlead_error *err)
{
	uint32_t above = m->n_rows - 1, end = m->n_rows - 1;
	int r = 0;

	for (uint32_t row = 0; row <= end && r >= 0; row++) {
		uint32_t next = row < end ? m->rows[row].above : FL_NONE;

		/* up to the parent of the next row: subtrees before it are complete */
		while (r >= 0 && above != next && above != FL_NONE) {
			if (above == end || shown[above]) {
				lines[*n] = (struct fl_series_row){ 0 };
				r = line_of_rest(m, above, shown, &lines[*n], err);
				*n += lines[*n].members > 0;
			}
			above = m->rows[above].above;
		}
		if (row == end || r < 0)
			break;
		above = row;
		if (!shown[row])
			continue;
		lines[*n] = (struct fl_series_row){ 0 };
		r = line_of_node(m, row, &lines[(*n)++], err);
	}
	return r;
}

int fl_measure_lines(struct fl_measure *m, uint32_t top, fairlead_error *err)
{
	struct fl_measured_series *s = &m->results.series;
	struct fl_series_row *lines;
	uint32_t n = m->n_rows;
	bool *shown;
	int r;

	if (!FL_NEW(&m->arena, shown, n, err) || !FL_NEW(&m->arena, lines, (size_t)n * 2, err))
		return FAIRLEAD_ENOMEM;
	r = choose_lines(m, top, shown, err);
	if (r < 0)
		return r;
	s->start = m->results.start;
	s->step = m->step;
	s->n = m->n_buckets;
	s->held = columns_of(m, n - 1, FL_COLUMN_HELD, err);
	s->wanted = columns_of(m, n - 1, FL_COLUMN_WANTED, err);
	s->capacity = columns_of(m, n - 1, FL_COLUMN_CAPACITY, err);
	if (!s->held || !s->wanted || !s->capacity)
		return FAIRLEAD_ENOMEM;
	s->waiting = fl_measure_column(m, n - 1, FL_COLUMN_WAITING, 0);
	s->running = fl_measure_column(m, n - 1, FL_COLUMN_RUNNING, 0);
	s->jain = fl_measure_column(m, n - 1, FL_COLUMN_JAIN, 0);
	s->jain_least = fl_measure_column(m, n - 1, FL_COLUMN_LEAST, 0);
	s->envy = fl_measure_column(m, n - 1, FL_COLUMN_ENVY, 0);
	r = make_lines(m, shown, lines, &s->n_lines, err);
	s->lines = lines;
	return r;
}
