/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/runtimes.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "sim/begin.h"
#include "sim/simulation.h"

/* So many samples of a group count as much as all that is wider. */
static const double doubt[FL_RUN_GROUPS] = { [FL_RUN_CLUSTER] = 1,
					     [FL_RUN_QUEUE] = 4,
					     [FL_RUN_USER] = 4,
					     [FL_RUN_SIZE] = 2,
					     [FL_RUN_LIMIT] = 2 };

int fl_runtimes_init(struct fl_runtimes *t, const struct fl_mem *mem, const struct fl_model *model,
		     fairlead_error *err)
{
	*t = (struct fl_runtimes){ .mem = mem, .model = model, .n_groups = 1 };
	fl_pairs_init(&t->ids, mem);
	int r = fl_mem_grow(mem, &t->groups, &t->cap_groups, 1, sizeof *t->groups, err);

	if (r == 0)
		t->groups[0] = (struct fl_run_group){ .newest = FL_NONE, .wider = FL_NONE };
	return r;
}

void fl_runtimes_done(struct fl_runtimes *t)
{
	fl_pairs_done(&t->ids);
	t->groups = fl_mem_free(t->mem, t->groups);
	t->samples = fl_mem_free(t->mem, t->samples);
}

/* --- groups --- */

static unsigned powers_of_2(double amount)
{
	unsigned n = 0;

	for (; amount >= 2 && n < 63; n++)
		amount /= 2;
	return n + (amount > 0);
}

uint32_t fl_run_size(const struct fl_model *m, struct fl_workload w)
{
	double cores = 0, others = 0;

	for (uint32_t i = 0; i < m->n_resources; i++) {
		const char *name = fl_model_text(m, m->resources[i]);
		struct fl_resource r = { i };

		if (strcmp(name, "cpu") == 0)
			cores = fl_sim_request(m, w, r) / 1000;
		else if (strcmp(name, "memory") != 0 && strcmp(name, "ephemeral-storage") != 0)
			others += fl_sim_request(m, w, r);
	}
	return others > 0 ? 64 + powers_of_2(others) : powers_of_2(cores);
}

/* What the members of a group share, beside the wider one. */
static uint32_t shared(const struct fl_model *m, const struct fl_life_row *life,
		       enum fl_run_basis group)
{
	const struct fl_workload_row *row = &m->workloads[life->workload.v];

	switch (group) {
	case FL_RUN_QUEUE:
		return row->cluster_queue.v;
	case FL_RUN_USER:
		return life->user.v != FL_NONE ? life->user.v : row->queue.v;
	case FL_RUN_SIZE: /* and class; what coincides by chance does no harm */
		return fl_run_size(m, life->workload) + 128 * (life->class_name.v + 1);
	default:
		return (uint32_t)(life->asked / FL_SECOND);
	}
}

/* Its groups from the widest on, as far as there are any; their number. */
static unsigned find_groups(const struct fl_runtimes *t, const struct fl_life_row *life,
			    uint32_t ret[FL_RUN_GROUPS])
{
	unsigned most = life->asked == FL_TIME_NONE ? FL_RUN_LIMIT : FL_RUN_GROUPS;

	ret[0] = 0;
	for (unsigned g = 1; g < most; g++) {
		ret[g] = fl_pairs_find(&t->ids, ret[g - 1], shared(t->model, life, g));
		if (ret[g] == FL_NONE)
			return g;
	}
	return most;
}

static int make_group(struct fl_runtimes *t, uint32_t wider, uint32_t key, uint32_t *ret,
		      fairlead_error *err)
{
	int r = fl_mem_grow(t->mem, &t->groups, &t->cap_groups, t->n_groups + 1, sizeof *t->groups,
			    err);

	if (r == 0)
		r = fl_pairs_add(&t->ids, wider, key, t->n_groups, /* ret_old= */ NULL, err);
	if (r < 0)
		return r;
	t->groups[t->n_groups] = (struct fl_run_group){ .newest = FL_NONE, .wider = wider };
	*ret = t->n_groups++;
	return 0;
}

/* To its groups from @first on. */
static int add(struct fl_runtimes *t, const struct fl_life_row *life, fl_time runs, unsigned first,
	       fairlead_error *err)
{
	unsigned end = life->asked == FL_TIME_NONE ? FL_RUN_LIMIT : FL_RUN_GROUPS;
	struct fl_run_sample sample = {
		.runs = runs, .asked = life->asked, .first = (uint8_t)first, .end = (uint8_t)end
	};
	uint32_t ids[FL_RUN_GROUPS];
	unsigned n = find_groups(t, life, ids);
	int r = fl_mem_grow(t->mem, &t->samples, &t->cap_samples, t->n_samples + 1,
			    sizeof *t->samples, err);

	for (unsigned g = n; g < end && r == 0; g++)
		r = make_group(t, ids[g - 1], shared(t->model, life, g), &ids[g], err);
	if (r < 0)
		return r; /* groups without samples do no harm */
	for (unsigned g = first; g < end; g++) {
		sample.before[g] = t->groups[ids[g]].newest;
		t->groups[ids[g]].newest = t->n_samples;
	}
	sample.group = ids[end - 1];
	t->samples[t->n_samples++] = sample;
	return 0;
}

int fl_runtimes_add(struct fl_runtimes *t, const struct fl_life_row *life, fl_time runs,
		    fairlead_error *err)
{
	return add(t, life, runs, FL_RUN_CLUSTER, err);
}

void fl_runtimes_forget(struct fl_runtimes *t, uint32_t n)
{
	while (t->n_samples > n) {
		const struct fl_run_sample *s = &t->samples[--t->n_samples];
		uint32_t group = s->group;

		for (unsigned g = s->end; g-- > s->first; group = t->groups[group].wider)
			t->groups[group].newest = s->before[g];
	}
}

/* --- what the model knows --- */

static bool has_ended(const struct fl_model *m, const struct fl_life_row *life)
{
	return m->workloads[life->workload.v].finished && life->runs != FL_NEVER;
}

fl_time fl_run_came(const struct fl_model *m, struct fl_workload w, const struct fl_life_row *life)
{
	return life && life->arrives != FL_TIME_NONE ? life->arrives : m->workloads[w.v].created;
}

fl_time fl_run_ended(const struct fl_model *m, const struct fl_life_row *life)
{
	fl_time start = fl_run_came(m, life->workload, life);

	if (!has_ended(m, life))
		return FL_NEVER;
	start = start == FL_TIME_NONE ? 0 : start;

	start = fl_sat_add(start, life->waited == FL_TIME_NONE ? 0 : life->waited);
	return fl_sat_add(start, life->runs);
}

static int cmp_ended(const void *model, uint32_t a, uint32_t b)
{
	const struct fl_model *m = model;
	const struct fl_life_row *x = &m->lives[a], *y = &m->lives[b];
	fl_time s = fl_run_ended(m, x), t = fl_run_ended(m, y);
	const struct fl_workload_row *v = &m->workloads[x->workload.v],
				     *w = &m->workloads[y->workload.v];
	int r;

	if (s != t)
		return s < t ? -1 : 1;
	r = fl_names_cmp(&m->names, v->namespace, w->namespace);
	return r ? r : fl_names_cmp(&m->names, v->name, w->name);
}

int fl_runtimes_learn(struct fl_runtimes *t, fairlead_error *err)
{
	const struct fl_model *m = t->model;
	struct fl_arena arena;
	uint32_t *ids, n = 0;
	int r = 0;

	fl_arena_init(&arena, t->mem);
	ids = fl_arena_alloc(&arena, m->n_lives, 2 * sizeof *ids, err);
	for (uint32_t i = 0; ids && i < m->n_lives; i++)
		if (has_ended(m, &m->lives[i]))
			ids[n++] = i;
	if (ids)
		fl_sort(ids, n, ids + m->n_lives, cmp_ended, m);
	for (uint32_t i = 0; ids && i < n && r == 0; i++)
		r = fl_runtimes_add(t, &m->lives[ids[i]], m->lives[ids[i]].runs, err);
	fl_arena_done(&arena);
	return ids ? r : FAIRLEAD_ENOMEM;
}

/* --- draws --- */

/* What the sample says of a workload with that limit. */
static fl_time as_long_as(const struct fl_run_sample *s, fl_time asked)
{
	double part;

	if (asked == FL_TIME_NONE || s->asked == asked)
		return s->runs;
	if (s->asked == FL_TIME_NONE || s->asked <= 0)
		return fl_amount_min(s->runs, asked);
	part = (double)s->runs / (double)s->asked;
	part = fmin(part, 1) * (double)asked;
	return (fl_time)part;
}

/* Those of the newest of the group that ran longer than @age: how many, and the @pick-th. */
static uint32_t longer(const struct fl_runtimes *t, unsigned g, uint32_t id, fl_time asked,
		       fl_time age, uint32_t pick, fl_time *ret)
{
	uint32_t n = 0, looked = 0;

	for (uint32_t i = t->groups[id].newest; i != FL_NONE && looked < FL_RUN_NEWEST;
	     i = t->samples[i].before[g], looked++) {
		fl_time runs = as_long_as(&t->samples[i], asked);

		if (runs <= age)
			continue;
		if (n++ == pick) {
			*ret = runs;
			return n;
		}
	}
	return n;
}

/* Without samples: up to its limit; else as if there were no scale of run times. */
static enum fl_run_basis draw_alone(const struct fl_runtimes *t, fl_time asked, fl_time age,
				    struct fl_random *r, fl_time *ret)
{
	double u = fl_random_unit(r);

	if (asked != FL_TIME_NONE && asked > age) {
		*ret = age + (fl_time)(u * (double)(asked - age));
		return FL_RUN_ASKED;
	}
	if (age <= 0 || (t->n_samples == 0 && asked == FL_TIME_NONE))
		return FL_RUN_UNKNOWN;
	*ret = fl_sat_add(age, (fl_time)fmin((double)age * u / (1 - u), 1e18));
	return FL_RUN_AGE;
}

static enum fl_run_basis draw(const struct fl_runtimes *t, const struct fl_life_row *life,
			      fl_time age, struct fl_random *r, fl_time *ret)
{
	uint32_t ids[FL_RUN_GROUPS];
	unsigned n = find_groups(t, life, ids);

	while (n-- > 0) {
		uint32_t found = longer(t, n, ids[n], life->asked, age, FL_NONE, ret);
		double all = (double)found;

		if (n > 0 || age > 0 || life->asked != FL_TIME_NONE)
			all += doubt[n];
		if (found == 0 || fl_random_unit(r) * all >= (double)found)
			continue;
		longer(t, n, ids[n], life->asked, age,
		       (uint32_t)(fl_random_unit(r) * (double)found), ret);
		return n;
	}
	return draw_alone(t, life->asked, age, r, ret);
}

int fl_runtimes_suppose(struct fl_runtimes *t, const struct fl_life_row *life, fl_time age,
			struct fl_random *r, fl_time *ret, fairlead_error *err)
{
	fl_time runs = 0;
	enum fl_run_basis basis = draw(t, life, age, r, &runs);
	int rc;

	if (basis == FL_RUN_UNKNOWN)
		return FL_RUN_UNKNOWN;
	rc = add(t, life, runs, basis < FL_RUN_GROUPS ? basis : FL_RUN_CLUSTER, err);
	if (rc < 0)
		return rc;
	*ret = runs;
	return (int)basis;
}
