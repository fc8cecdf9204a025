/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits, slowdowns and size classes of jobs.
 *
 * For quantiles all jobs are sorted once by what is asked for; to have them of every queue,
 * cohort or class the sorted ones are dealt out, one level of the tree at a time.  What is
 * summed is summed in that order, too, so it does not depend on the order of the input.
 */
#include "sim/measure_waits.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "sim/begin.h"
#include "sim/measure_state.h"

const double fl_wait_edges[FL_WAIT_EDGES] = { 1, 10, 60, 600, 3600, 21600, 86400, 604800 };

/* --- quantiles --- */

/* Jobs that have a value, by it. */
struct values {
	double *of; /* by job; NAN: it has none */
	uint32_t *sorted, n;
};

static int by_value(const void *ctx, uint32_t a, uint32_t b)
{
	const double *of = ctx;

	return (of[a] > of[b]) - (of[a] < of[b]);
}

static int sort_values(struct fl_measure *m, struct values *v, fairlead_error *err)
{
	uint32_t *scratch;

	if (!FL_NEW(&m->arena, v->sorted, m->n_jobs, err) ||
	    !FL_NEW(&m->arena, scratch, m->n_jobs, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_jobs; w++)
		if (!isnan(v->of[w]))
			v->sorted[v->n++] = w;
	fl_sort(v->sorted, v->n, scratch, by_value, v->of);
	return 0;
}

/* Nearest rank: the smallest value that so many percent are at or below. */
static double quantile(const double *sorted, uint32_t n, uint32_t percent)
{
	uint64_t rank = ((uint64_t)n * percent + 99) / 100;

	return sorted[rank ? rank - 1 : 0];
}

struct fl_spread fl_measure_spread(const double *sorted, uint32_t n)
{
	double sum = 0;

	if (!n)
		return (struct fl_spread){ .mean = (double)NAN,
					   .p50 = (double)NAN,
					   .p90 = (double)NAN,
					   .p99 = (double)NAN,
					   .max = (double)NAN };
	for (uint32_t i = 0; i < n; i++)
		sum += sorted[i];
	return (struct fl_spread){ .n = n,
				   .mean = sum / n,
				   .p50 = quantile(sorted, n, 50),
				   .p90 = quantile(sorted, n, 90),
				   .p99 = quantile(sorted, n, 99),
				   .max = sorted[n - 1] };
}

/* Room to deal values out to groups. */
struct deal {
	uint32_t *group;  /* by job; FL_NONE: none */
	uint32_t *begins; /* by group, and behind the last one */
	double *dealt;
};

static int make_deal(struct fl_measure *m, uint32_t groups, struct deal *d, fairlead_error *err)
{
	return FL_NEW(&m->arena, d->group, m->n_jobs, err) &&
			       FL_NEW(&m->arena, d->begins, groups + 2, err) &&
			       FL_NEW(&m->arena, d->dealt, m->n_jobs, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

/* After it group g has dealt[begins[g]] up to dealt[begins[g + 1]], in order. */
static void deal(struct deal *d, const struct values *v, uint32_t groups)
{
	memset(d->begins, 0, (groups + 2) * sizeof *d->begins);
	for (uint32_t i = 0; i < v->n; i++)
		if (d->group[v->sorted[i]] != FL_NONE)
			d->begins[d->group[v->sorted[i]] + 2]++;
	for (uint32_t g = 2; g < groups + 2; g++)
		d->begins[g] += d->begins[g - 1];
	for (uint32_t i = 0; i < v->n; i++) {
		uint32_t g = d->group[v->sorted[i]];

		if (g != FL_NONE)
			d->dealt[d->begins[g + 1]++] = v->of[v->sorted[i]];
	}
}

static struct fl_spread dealt(const struct deal *d, uint32_t group)
{
	uint32_t first = d->begins[group];

	return fl_measure_spread(d->dealt + first, d->begins[group + 1] - first);
}

static void spread_levels(struct fl_measure *m, struct deal *d, const struct values *v, bool wait)
{
	uint32_t deepest = 0, cluster = m->n_rows - 1;

	for (uint32_t row = 0; row < cluster; row++)
		if (m->entitled.depth[row] > deepest)
			deepest = m->entitled.depth[row];
	for (uint32_t w = 0; w < m->n_jobs; w++)
		d->group[w] = m->jobs[w].row;
	for (uint32_t level = deepest + 2;
	     level-- > 0;) { /* a top is at 1 here, the cluster at 0 */
		for (uint32_t w = 0; w < m->n_jobs; w++) {
			uint32_t row = d->group[w];

			if (row != FL_NONE && row != cluster && m->entitled.depth[row] + 1 > level)
				d->group[w] = m->rows[row].above;
		}
		deal(d, v, m->n_rows);
		for (uint32_t row = 0; row < m->n_rows; row++) {
			struct fl_measured_counts *c = &m->nodes[row].counts;
			bool here = row == cluster ? level == 0 :
						     m->entitled.depth[row] + 1 == level;

			if (here)
				*(wait ? &c->wait : &c->slowdown) = dealt(d, row);
		}
	}
}

/* --- values of jobs --- */

/* All its waiting, if it has started; how long it waited before all began is not known. */
static double wait_of(const struct fl_measure *m, uint32_t w)
{
	const struct fl_sim_job *job = &m->sim->jobs[w];

	if (!m->jobs[w].came || m->jobs[w].ran || !job->starts)
		return (double)NAN;
	return fl_measure_seconds(job->waited);
}

static double slowdown_of(const struct fl_measure *m, uint32_t w)
{
	const struct fl_sim_job *job = &m->sim->jobs[w];
	const struct fl_life_row *life = job->life;
	fl_time arrived = m->results.start;

	if (!m->jobs[w].came || m->jobs[w].ran || job->state != FL_SIM_FINISHED || !life)
		return (double)NAN;
	if (life->arrives != FL_TIME_NONE && life->arrives > arrived)
		arrived = life->arrives;
	return fmax(fl_measure_seconds(job->ended - arrived) /
			    fmax(fl_measure_seconds(life->runs), 10),
		    1);
}

static double recorded_of(const struct fl_measure *m, uint32_t w)
{
	const struct fl_life_row *life = m->sim->jobs[w].life;

	if (!m->jobs[w].came || !life || life->waited == FL_TIME_NONE)
		return (double)NAN;
	return fl_measure_seconds(life->waited);
}

/* --- size classes --- */

enum { CORES, GPUS, SIZES = 4, SIZE_CLASSES = 2 * SIZES };

static const char *const size_names[SIZE_CLASSES] = {
	"1 core", "2-8 cores", "9-64 cores", "65+ cores",
	"1 GPU",  "2-8 GPUs",  "9-64 GPUs",  "65+ GPUs",
};

bool fl_measure_is_gpu(const char *resource)
{
	const char *last = strrchr(resource, '/');

	last = last ? last + 1 : resource;
	return strcmp(last, "gpu") == 0 || strcmp(last, "gpu-milli") == 0;
}

double fl_measure_scale(const char *resource)
{
	static const char milli[] = "-milli";
	size_t len = strlen(resource), end = sizeof(milli) - 1;
	bool thousandths = len > end && strcmp(resource + len - end, milli) == 0;

	return thousandths || strcmp(resource, "cpu") == 0 ? 0.001 : 1;
}

static uint32_t size_class(const struct fl_measure *m, uint32_t w)
{
	const struct fl_model *model = m->sim->model;
	double cores = 0, gpus = 0, size;

	for (uint32_t r = 0; r < model->n_resources; r++) {
		const char *name = fl_model_text(model, model->resources[r]);
		bool cpu = strcmp(name, "cpu") == 0;

		if (!cpu && !fl_measure_is_gpu(name))
			continue;
		double asks = fl_sim_request(model, (struct fl_workload){ w },
					     (struct fl_resource){ r });
		*(cpu ? &cores : &gpus) += asks * fl_measure_scale(name);
	}
	size = gpus > 0 ? gpus : cores;
	return (gpus > 0 ? SIZES : 0) + (uint32_t)(size <= 1  ? 0 :
						   size <= 8  ? 1 :
						   size <= 64 ? 2 :
								3);
}

static int cmp_syms(const void *ctx, uint32_t a, uint32_t b)
{
	return fl_names_cmp(ctx, (struct fl_sym){ a }, (struct fl_sym){ b });
}

/*
 * Sizes first, then names in their order: numbers of classes by job, SIZE_CLASSES of sizes
 * and then those of @names.
 */
static int class_jobs(struct fl_measure *m, uint32_t *of, uint32_t *n_names, uint32_t **names,
		      fairlead_error *err)
{
	const struct fl_names *all = &m->sim->model->names;
	uint32_t *sorted, *scratch, *place;

	*n_names = 0;
	if (!FL_NEW(&m->arena, sorted, all->n, err) || !FL_NEW(&m->arena, scratch, all->n, err) ||
	    !FL_NEW(&m->arena, place, all->n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_jobs; w++) {
		const struct fl_life_row *life = m->sim->jobs[w].life;

		of[w] = FL_NONE;
		if (!m->jobs[w].came || !life || life->class_name.v == FL_NONE)
			continue;
		if (!place[life->class_name.v])
			sorted[(*n_names)++] = life->class_name.v;
		place[life->class_name.v] = 1;
	}
	fl_sort(sorted, *n_names, scratch, cmp_syms, all);
	for (uint32_t i = 0; i < *n_names; i++)
		place[sorted[i]] = SIZE_CLASSES + i;
	for (uint32_t w = 0; w < m->n_jobs; w++) {
		const struct fl_life_row *life = m->sim->jobs[w].life;

		if (m->jobs[w].came)
			of[w] = life && life->class_name.v != FL_NONE ? place[life->class_name.v] :
									size_class(m, w);
	}
	*names = sorted;
	return 0;
}

/* The first by name of two workloads that waited as long. */
static bool named_before(const struct fl_model *m, uint32_t a, uint32_t b)
{
	int c = fl_names_cmp(&m->names, m->workloads[a].namespace, m->workloads[b].namespace);

	c = c ? c : fl_names_cmp(&m->names, m->workloads[a].name, m->workloads[b].name);
	return c < 0;
}

static void note_longest(const struct fl_measure *m, struct fl_measured_class *c, uint32_t w)
{
	const struct fl_sim_job *job = &m->sim->jobs[w];
	double waited = fl_measure_seconds(job->waited);

	if (m->jobs[w].waits)
		waited += fl_measure_seconds(m->results.end - job->waits_since);
	else if (!job->starts || m->jobs[w].ran)
		return;
	if (c->longest.v == FL_NONE || waited > c->longest_seconds ||
	    (waited == c->longest_seconds && named_before(m->sim->model, w, c->longest.v))) {
		c->longest.v = w;
		c->longest_seconds = waited;
	}
}

static int make_classes(struct fl_measure *m, struct deal *d, const struct values *waits,
			fairlead_error *err)
{
	uint32_t n_names, *names, *row, n;
	struct fl_measured_class *classes;
	int r = class_jobs(m, d->group, &n_names, &names, err);

	if (r < 0)
		return r;
	n = SIZE_CLASSES + n_names;
	if (!FL_NEW(&m->arena, classes, n, err) || !FL_NEW(&m->arena, row, n, err) ||
	    !FL_NEW(&m->arena, d->begins, n + 2, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_jobs; w++)
		if (d->group[w] != FL_NONE)
			row[d->group[w]]++;
	for (uint32_t c = 0; c < n; c++) {
		struct fl_measured_class *to = &classes[m->results.n_classes];
		uint32_t jobs = row[c];

		row[c] = m->results.n_classes;
		if (!jobs)
			continue;
		m->results.n_classes++;
		to->jobs = jobs;
		to->longest.v = FL_NONE;
		to->longest_seconds = (double)NAN;
		to->name = c < SIZE_CLASSES ?
				   size_names[c] :
				   fl_model_text(m->sim->model,
						 (struct fl_sym){ names[c - SIZE_CLASSES] });
	}
	for (uint32_t w = 0; w < m->n_jobs; w++) {
		if (d->group[w] == FL_NONE)
			continue;
		d->group[w] = row[d->group[w]];
		note_longest(m, &classes[d->group[w]], w);
	}
	deal(d, waits, m->results.n_classes);
	for (uint32_t c = 0; c < m->results.n_classes; c++)
		classes[c].wait = dealt(d, c);
	m->results.classes = classes;
	return 0;
}

/* Of leaves by classes; @class_of by job. */
static int make_waits(struct fl_measure *m, const uint32_t *class_of, const struct values *v,
		      fairlead_error *err)
{
	uint32_t classes = m->results.n_classes, n = 0;
	struct fl_measured_waits *rows;
	uint32_t *at;

	if (!FL_NEW(&m->arena, at, (size_t)m->n_rows * classes, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < v->n; i++) {
		uint32_t w = v->sorted[i];
		uint32_t *slot = &at[(size_t)m->jobs[w].row * classes + class_of[w]];

		n += !*slot;
		*slot = 1;
	}
	if (!FL_NEW(&m->arena, rows, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0, made = 0; i < m->n_rows * classes; i++)
		if (at[i]) {
			rows[made].node = i / classes;
			rows[made].class = i % classes;
			at[i] = made++;
		}
	for (uint32_t i = 0; i < v->n; i++) {
		uint32_t w = v->sorted[i], bin = 0;

		while (bin < FL_WAIT_EDGES && v->of[w] >= fl_wait_edges[bin])
			bin++;
		rows[at[(size_t)m->jobs[w].row * classes + class_of[w]]].counts[bin]++;
	}
	m->results.waits = rows;
	m->results.n_waits = n;
	return 0;
}

int fl_measure_waits(struct fl_measure *m, fairlead_error *err)
{
	struct values waits = { 0 }, slowdowns = { 0 }, recorded = { 0 };
	struct deal d;
	double *sorted;
	int r;

	if (!FL_NEW(&m->arena, waits.of, m->n_jobs, err) ||
	    !FL_NEW(&m->arena, slowdowns.of, m->n_jobs, err) ||
	    !FL_NEW(&m->arena, recorded.of, m->n_jobs, err) ||
	    !FL_NEW(&m->arena, sorted, m->n_jobs, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_jobs; w++) {
		waits.of[w] = wait_of(m, w);
		slowdowns.of[w] = slowdown_of(m, w);
		recorded.of[w] = recorded_of(m, w);
	}
	if ((r = make_deal(m, m->n_rows, &d, err)) < 0 || (r = sort_values(m, &waits, err)) < 0 ||
	    (r = sort_values(m, &slowdowns, err)) < 0 || (r = sort_values(m, &recorded, err)) < 0)
		return r;
	spread_levels(m, &d, &waits, /* wait= */ true);
	spread_levels(m, &d, &slowdowns, /* wait= */ false);
	for (uint32_t i = 0; i < recorded.n; i++)
		sorted[i] = recorded.of[recorded.sorted[i]];
	m->results.recorded_wait = fl_measure_spread(sorted, recorded.n);
	r = make_classes(m, &d, &waits, err);
	return r < 0 ? r : make_waits(m, d.group, &waits, err);
}
