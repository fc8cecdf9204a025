/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synthetic jobs: each class draws random numbers from a stream of its own, which depends on its
 * name and its queue, so that adding or removing a class changes no other one.
 *
 * The time between two jobs counts only within the hours of the class: nights and weekends are left
 * out, and the rate within the hours is that of `every`.  If that is a constant the first job
 * arrives when the class begins, otherwise after a time that is drawn, too.
 */
#include "codec/trace/classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mix.h"
#include "codec/trace/jobs.h"

#define DAY (86400 * FL_SECOND)

struct expansion {
	struct fl_model *m;
	const struct fl_class_row *class; /* a copy, as rows are pushed meanwhile */
	struct fl_target_row target;
	struct fl_random random;
	struct fl_span requests; /* requests of one pod, in the order of names */
	struct fl_pairs podsets; /* (0, pods) -> podset, of the current class */
	struct fl_sym podset;
	struct fl_pairs pairs;    /* (to, name) -> into seen */
	uint32_t *seen, cap_seen; /* how many classes of that name and queue there were */
	uint32_t occurrence;      /* number of classes of that name and queue before it */
	bool entitle;
	bool only_counts; /* numbers are drawn, but no rows made */
	fl_time start;
	fairlead_error *err;
};

/* --- hours of the day --- */

static int64_t floor_day(fl_time t) { return t / DAY - (t % DAY < 0); }

/* The first of January 1970 was a Thursday. */
static bool is_weekend(int64_t day)
{
	int64_t of_week = ((day + 4) % 7 + 7) % 7;

	return of_week == 0 || of_week == 6;
}

/* The time at which @need of the class's hours has passed since @t. */
static fl_time on_after(const struct fl_class_row *c, fl_time t, fl_time need)
{
	fl_time week = c->day_length * (c->weekends ? 7 : 5), local;
	int64_t day;

	if (c->day_length == 0 || need >= FL_NEVER / 16)
		return fl_sat_add(t, need);
	if (need / week > FL_NEVER / 16 / (7 * DAY))
		return FL_NEVER;
	local = t + c->zone + need / week * 7 * DAY;
	need %= week;
	for (day = floor_day(local) - 1;; day++) { /* yesterday's hours may end after midnight */
		fl_time from = day * DAY + c->day_begins, to = from + c->day_length;

		if ((!c->weekends && is_weekend(day)) || to <= local)
			continue;
		if (local < from)
			local = from;
		if (need < to - local)
			return local + need - c->zone;
		need -= to - local;
		local = to;
	}
}

static fl_time seconds(double v)
{
	double ns = v * (double)FL_SECOND;

	return ns >= (double)(FL_NEVER / 8) ? FL_NEVER / 8 : ns <= 0 ? 0 : (fl_time)ns;
}

/* --- rows --- */

static int sort_requests(struct expansion *x)
{
	struct fl_model *m = x->m;
	uint32_t first = m->n_requests, n = x->class->requests.n;

	for (uint32_t i = 0; i < n; i++) {
		struct fl_request row = m->requests[x->class->requests.first + i];
		uint32_t at = m->n_requests;
		int r = fl_model_push_requests(m, &row, /* ret_id= */ NULL, x->err);

		if (r < 0)
			return r;
		for (; at > first && fl_names_cmp(&m->names, m->requests[at - 1].resource_name,
						  row.resource_name) > 0;
		     at--)
			m->requests[at] = m->requests[at - 1];
		m->requests[at] = row;
	}
	x->requests = (struct fl_span){ first, n };
	return 0;
}

static int find_podset(struct expansion *x, int32_t pods, uint32_t *ret)
{
	struct fl_podset p = fl_podset_default;
	uint64_t hash[2] = { 0, 0 };
	int r = fl_pairs_add(&x->podsets, 0, (uint32_t)pods, x->m->n_podsets, ret, x->err);

	if (r != 0)
		return r < 0 ? r : 0;
	*ret = x->m->n_podsets;
	for (uint32_t i = 0; i < x->requests.n; i++) {
		const struct fl_request *q = &x->m->requests[x->requests.first + i];

		for (const char *c = fl_model_text(x->m, q->resource_name); *c; c++)
			fl_mix(hash, (uint64_t)(unsigned char)*c);
		fl_mix(hash, (uint64_t)q->amount);
	}
	p.name = x->podset;
	p.count = pods;
	p.requests = x->requests;
	p.spec_hash = hash[0];
	return fl_model_push_podsets(x->m, &p, /* ret_id= */ NULL, x->err);
}

static struct fl_bundle bundle(const struct expansion *x)
{
	static const char *const names[FL_BUNDLE] = { "cpu", "memory", "nvidia.com/gpu" };
	struct fl_bundle b = { { 0 } };

	for (uint32_t i = 0; i < x->requests.n; i++) {
		const struct fl_request *q = &x->m->requests[x->requests.first + i];

		for (int axis = 0; axis < FL_BUNDLE; axis++)
			if (strcmp(fl_model_text(x->m, q->resource_name), names[axis]) == 0)
				b.of[axis] = (double)q->amount;
	}
	return b;
}

static int add_gang(struct expansion *x, struct fl_workload_row *row, int32_t pods)
{
	struct fl_task_row task = fl_task_default;
	struct fl_gang gang = fl_gang_default;
	int r;

	gang.min_tasks = x->class->min_pods && x->class->min_pods < pods ? x->class->min_pods :
									   pods;
	r = fl_model_push_gangs(x->m, &gang, &row->gang, x->err);
	if (r == 0)
		r = fl_model_add_workload(x->m, row, x->err);
	task.namespace = row->namespace;
	task.gang_name = row->name;
	task.created = row->created;
	task.place = row->place;
	task.request = bundle(x);
	for (int32_t i = 0; i < pods && r == 0; i++) {
		char name[FL_MAX_NAME + 16];

		(void)snprintf(name, sizeof name, "%.*s-%d", FL_MAX_NAME,
			       fl_model_text(x->m, row->name), i);
		r = fl_model_sym(x->m, name, strlen(name), &task.name, x->err);
		if (r == 0)
			r = fl_model_add_task(x->m, &task, x->err);
	}
	return r;
}

/* "team-a-small-7"; "team-a-small-2-7" of the second class of that name. */
static int name_job(struct expansion *x, uint32_t n, struct fl_sym *ret)
{
	char name[2 * FL_MAX_NAME + 64];
	int used = snprintf(name, sizeof name, "%.*s-%.*s", FL_MAX_NAME,
			    fl_model_text(x->m, x->target.queue_name), FL_MAX_NAME,
			    fl_model_text(x->m, x->class->name));

	if (x->occurrence)
		used += snprintf(name + used, sizeof name - (size_t)used, "-%u", x->occurrence + 1);
	(void)snprintf(name + used, sizeof name - (size_t)used, "-%u", n);
	return fl_model_sym(x->m, name, strlen(name), ret, x->err);
}

static int add_job(struct expansion *x, uint32_t n, fl_time arrives)
{
	struct fl_workload_row row = fl_workload_default;
	struct fl_life_row life = {
		.workload = { x->m->n_workloads },
		.arrives = arrives,
		.runs = seconds(fl_random_draw(&x->random, &x->class->runs)),
		.asked = FL_TIME_NONE,
		.leaves = FL_NEVER,
		.waited = FL_TIME_NONE,
		.class_name = x->class->name,
		.user = { FL_NONE },
	};
	int32_t pods = fl_random_count(&x->random, &x->class->pods, FL_MAX_LIST);
	int r;

	if (x->only_counts)
		return 0;
	r = name_job(x, n, &row.name);
	row.namespace = x->target.namespace;
	row.queue_name = x->target.queue_name;
	row.has_priority = x->class->has_priority;
	row.priority = x->class->priority;
	row.created = arrives;
	row.place = x->class->place;
	if (r == 0)
		r = fl_model_push_lives(x->m, &life, /* ret_id= */ NULL, x->err);
	if (r == 0 && x->entitle)
		return add_gang(x, &row, pods);
	row.podsets.n = 1;
	if (r == 0)
		r = find_podset(x, pods, &row.podsets.first);
	return r < 0 ? r : fl_model_add_workload(x->m, &row, x->err);
}

/* --- a class --- */

static int fail(const struct expansion *x, int code, const char *text)
{
	fl_fail(x->err, code, "%s", text);
	fl_fail_in(x->err, "class '%s'", fl_model_text(x->m, x->class->name));
	return fl_model_fail_at(x->m, x->class->place, x->err);
}

static int too_many(const struct expansion *x)
{
	char text[64];

	(void)snprintf(text, sizeof text, "makes more than %d jobs", FL_MAX_CLASS_JOBS);
	return fail(x, FAIRLEAD_ELIMIT, text);
}

/* No job arrives from then on; FL_NEVER: their number is given. */
static fl_time end_of(const struct expansion *x)
{
	return x->class->count && x->class->ends == FL_NEVER ?
		       FL_NEVER :
		       fl_amount_min(x->class->ends, x->m->simulation.until);
}

static int each_job(struct expansion *x, fl_time ends)
{
	const struct fl_class_row *c = x->class;
	fl_time end = x->start + fl_amount_min(ends, FL_LONGEST_SIMULATION);
	fl_time at = fl_sat_add(x->start, c->begins);
	bool drawn = c->between.kind != FL_CONSTANT;
	int r = 0;

	for (uint32_t n = 1; (c->count == 0 || n <= c->count) && r == 0; n++) {
		fl_time need = n > 1 || drawn ? seconds(fl_random_draw(&x->random, &c->between)) :
						0;

		if (at < end)
			at = on_after(c, at, need);
		if (at >= end)
			break;
		if (n > FL_MAX_CLASS_JOBS)
			return too_many(x);
		r = add_job(x, n, at);
	}
	return r;
}

/* Drawn twice, first without rows: so no memory is used for too many jobs. */
static int expand(struct expansion *x)
{
	const struct fl_random random = x->random;
	fl_time ends = end_of(x);
	int r;

	if (x->class->count == 0 && ends == FL_NEVER)
		return fail(x, FAIRLEAD_EINPUT,
			    "has no count and no end, and the simulation has no end");
	x->only_counts = true;
	r = each_job(x, ends);
	x->only_counts = false;
	x->random = random;
	return r < 0 ? r : each_job(x, ends);
}

/* Its stream depends on its name and queue, and on its number among those with the same. */
static int begin_stream(struct expansion *x)
{
	const struct fl_model *m = x->m;
	char name[2 * FL_MAX_NAME + 32];
	uint32_t pair = x->pairs.n;
	int r = fl_pairs_add(&x->pairs, x->class->to.v, x->class->name.v, pair, &pair, x->err);

	if (r == 0) {
		r = fl_mem_grow(m->mem, &x->seen, &x->cap_seen, pair + 1, sizeof *x->seen, x->err);
		if (r == 0)
			x->seen[pair] = 0;
	}
	if (r < 0)
		return r;
	x->occurrence = x->seen[pair]++;
	(void)snprintf(name, sizeof name, "%.*s/%.*s/%u", FL_MAX_NAME,
		       fl_model_text(m, x->class->to), FL_MAX_NAME,
		       fl_model_text(m, x->class->name), x->occurrence);
	fl_random_init(&x->random, m->simulation.seed, fl_random_stream(name));
	return 0;
}

int fl_classes_expand(struct fl_model *m, fl_time start, fairlead_error *err)
{
	struct expansion x = { .m = m, .start = start, .err = err };
	int r = fl_model_sym(m, "pods", 4, &x.podset, err);

	fl_pairs_init(&x.pairs, m->mem);
	for (uint32_t i = 0; i < m->n_classes && r == 0; i++) {
		struct fl_class_row class = m->classes[i];

		x.class = &class;
		r = fl_model_target(m, class.to, class.place, &x.target, err);
		if (r < 0)
			break;
		x.entitle = fl_trace_entitle(m);
		fl_pairs_init(&x.podsets, m->mem);
		r = begin_stream(&x);
		if (r == 0)
			r = sort_requests(&x);
		if (r == 0)
			r = expand(&x);
		fl_pairs_done(&x.podsets);
	}
	fl_pairs_done(&x.pairs);
	fl_mem_free(m->mem, x.seen);
	return r;
}
