/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/view.h"

#include <math.h>
#include <stdlib.h>

#include "daemon/engine/face.h"

void fl_live_view_of(const struct fl_living *of, fl_time now, struct fl_live_view *ret)
{
	*ret = (struct fl_live_view){ .model = of->generation->model,
				      .ops = of->generation->ops,
				      .policy = of->generation->policy,
				      .driver = &of->generation->driver,
				      .now = now,
				      .jobs = of->jobs->rows,
				      .n_jobs = of->jobs->n,
				      .of = *of };
}

int fl_live_view_try(const struct fl_live_view *v, struct fl_jobs *jobs,
		     const struct fl_config *config, struct fl_live_view *ret, fairlead_error *err)
{
	struct fl_generation *g =
		calloc(1, sizeof *g); /* belongs to the copy of the process until it ends */
	struct fl_living living = v->of;
	const struct fl_generation_options o = { .config = config,
						 .capacity = living.capacity,
						 .now = v->now,
						 .up_to = UINT64_MAX,
						 .backend = &living.generation->driver.backend,
						 .from = living.generation,
						 .maker = living.maker,
						 .still = living.generation->still };
	int r;

	if (!g)
		return fl_fail_nomem(err);
	r = fl_generation_new(&o, jobs, g, err);
	if (r == 0)
		r = g->ops->forget(g->policy, o.now, err);
	living.config = config;
	living.jobs = jobs;
	living.generation = g;
	fl_live_view_of(&living, o.now, ret);
	return r;
}

static uint32_t asks_of_gang(const struct fl_live_view *v, const struct fl_live *job,
			     struct fl_live_ask *ret, uint32_t room)
{
	const struct fl_jobs *jobs = v->of.jobs;
	const struct fl_asks *a = &jobs->asks[job->asks];
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n_requests && n < room; i++) {
		const char *name = fl_names_text(&jobs->names, a->requests[i].resource);

		ret[n] = (struct fl_live_ask){ fl_model_find_resource(v->model, name),
					       fl_sat_mul(a->requests[i].amount, a->tasks) };
		n += ret[n].resource.v != FL_NONE;
	}
	return n;
}

static void add_ask(struct fl_live_ask *rows, uint32_t *n, uint32_t room, struct fl_live_ask ask)
{
	uint32_t i = 0;

	while (i < *n && rows[i].resource.v != ask.resource.v)
		i++;
	if (i == room || ask.resource.v == FL_NONE)
		return;
	if (i == *n)
		rows[(*n)++] = (struct fl_live_ask){ ask.resource, 0 };
	rows[i].amount = fl_sat_add(rows[i].amount, ask.amount);
}

/* Amounts of GPUs are rounded up, as they may be parts of one. */
static uint32_t asks_of_pods(const struct fl_model *m, struct fl_span tasks,
			     struct fl_live_ask *ret, uint32_t room)
{
	struct fl_bundle sum = { { 0 } };
	uint32_t n = 0;

	for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++)
		for (int axis = 0; axis < FL_BUNDLE && m->tasks[t].phase != FL_TASK_DONE; axis++)
			sum.of[axis] += m->tasks[t].request.of[axis];
	for (int axis = 0; axis < FL_BUNDLE; axis++)
		add_ask(ret, &n, room,
			(struct fl_live_ask){ m->axis[axis], (fl_amount)ceil(sum.of[axis]) });
	return n;
}

uint32_t fl_live_asks(const struct fl_live_view *v, const struct fl_live *job,
		      struct fl_live_ask *ret, uint32_t room)
{
	const struct fl_model *m = v->model;
	const struct fl_workload_row *row = &m->workloads[job->workload.v];
	uint32_t n = 0;

	if (row->gang != FL_NONE && !job->made_of)
		return asks_of_gang(v, job, ret, room);
	if (row->gang != FL_NONE)
		return asks_of_pods(m, m->gangs[row->gang].tasks, ret, room);
	for (uint32_t p = 0; p < row->podsets.n; p++) {
		const struct fl_podset *set = &m->podsets[row->podsets.first + p];

		for (uint32_t i = 0; i < set->requests.n; i++) {
			const struct fl_request *a = &m->requests[set->requests.first + i];

			add_ask(ret, &n, room,
				(struct fl_live_ask){ a->resource,
						      fl_sat_mul(a->amount, fl_podset_left(set)) });
		}
	}
	return n;
}

int fl_live_view_machine(const struct fl_live_view *v, struct fl_arena *arena,
			 struct fl_explain_machine *ret, fairlead_error *err)
{
	const struct fl_daemon_face *face = fl_daemon_face_of(v->ops);

	*ret = (struct fl_explain_machine){ .rest = { FL_NONE } };
	return face->machine ? face->machine(v, arena, ret, err) : 0;
}

int fl_live_pending_cmp(const void *a, const void *b)
{
	const struct fl_live_pending *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->submitted != y->submitted)
		return x->submitted < y->submitted ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}
