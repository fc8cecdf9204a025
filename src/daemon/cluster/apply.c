/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/apply.h"

#include <string.h>

#include "daemon/cluster/again.h"
#include "daemon/cluster/decided.h"
#include "mirror/adding.h"
#include "model/join_from.h"

enum { NEEDS_GENERATION = 1, ROWS = 1024 };

/* What the policy does not take is left to the next generation; only memory ends it. */
static int outcome(int r) { return r >= 0 || r == FAIRLEAD_ENOMEM ? r : NEEDS_GENERATION; }

int fl_cluster_tell_policy(struct fl_cluster *c, const struct fl_event *e,
			   struct fl_workload preemptor)
{
	struct fl_driver *d = &c->generation.driver;
	const fl_time now = fl_clock_now(&c->daemon.clock);
	const bool decided = e->kind == FL_EV_HOLDS || e->kind == FL_EV_GOES;
	fairlead_error err = { 0 };
	int r = decided ? fl_driver_follow(d, now, e, preemptor, &err) :
			  fl_driver_apply(d, now, e, &err);

	if (r == 0 && c->agreement)
		r = fl_agreement_hear(c->agreement, now, e, &err);
	return outcome(r);
}

static int tell(struct fl_cluster *c, const struct fl_event *e)
{
	return fl_cluster_tell_policy(c, e, (struct fl_workload){ FL_NONE });
}

/* --- one less --- */

static int drop(struct fl_cluster *c, struct fl_workload w)
{
	struct fl_generation *g = &c->generation;
	const enum fl_workload_state state = g->ops->state(g->policy, w);
	const fl_time now = fl_clock_now(&c->daemon.clock);
	const struct fl_event e = {
		.kind = state == FL_STATE_ADMITTED ? FL_EV_FINISHED : FL_EV_CANCEL,
		.workload = w,
	};
	fairlead_error err = { 0 };
	int r = state == FL_STATE_ABSENT || state == FL_STATE_EXCLUDED ? 0 : tell(c, &e);

	if (r == 0)
		r = outcome(g->ops->leave(g->policy, w, &err));
	if (r == 0 && c->agreement) /* which is behind: it gives the place back */
		return outcome(fl_agreement_leave(c->agreement, now, w, &err));
	return r ? r : outcome(fl_model_leave(g->model, w, &err));
}

static int leave(struct fl_cluster *c, struct fl_live *job)
{
	const struct fl_workload w = job->workload;

	if (w.v == FL_NONE)
		return 0;
	c->generation.job_of[w.v] = 0;
	job->workload.v = FL_NONE;
	return drop(c, w);
}

/* --- what it holds --- */

struct holding {
	struct fl_cluster *cluster;
	const struct fl_model *held; /* has its admission alone, with names of its own */
	struct fl_workload workload;
	struct fl_placement rows[ROWS];
	uint32_t n;
};

static const char *text_of(const struct holding *h, struct fl_sym sym)
{
	return fl_model_text(h->held, sym);
}

static bool add_row(struct holding *h, const struct fl_placement *row)
{
	if (h->n == ROWS)
		return false;
	h->rows[h->n++] = *row;
	return true;
}

/* Pods that are done hold nothing: the rest in proportion, division first, as sealing does it. */
static bool add_podset(struct holding *h, const struct fl_podset_assignment *a)
{
	const struct fl_model *m = h->cluster->generation.model;
	const struct fl_workload_row *w = &m->workloads[h->workload.v];
	const uint32_t set = fl_model_find_podset(m, h->workload, text_of(h, a->podset));
	int32_t left = set == FL_NONE ? a->count :
					fl_podset_left(&m->podsets[w->podsets.first + set]);
	int32_t count = a->count < left ? a->count : left;

	if (count < 0)
		count = set == FL_NONE ? 0 : m->podsets[w->podsets.first + set].count;
	if (!a->assignments.n)
		return add_row(h, &(struct fl_placement){ .podset = set,
							  .count = count,
							  .resource = { FL_NONE },
							  .flavor = { FL_NONE } });
	for (uint32_t i = 0; i < a->assignments.n; i++) {
		const struct fl_assignment *one = &h->held->assignments[a->assignments.first + i];
		struct fl_placement row = {
			.podset = set,
			.count = count,
			.resource = fl_model_find_resource(m, text_of(h, one->resource_name)),
			.flavor = fl_model_find_flavor(m, text_of(h, one->flavor_name)),
			.amount = one->amount,
		};

		if (a->count > left)
			row.amount = fl_sat_mul(row.amount / a->count, left);
		if (row.resource.v == FL_NONE || row.flavor.v == FL_NONE || !add_row(h, &row))
			return false;
	}
	return true;
}

static int hold(struct fl_cluster *c, struct fl_workload w, const struct fl_model *from)
{
	const struct fl_workload_row *row = &from->workloads[0];
	struct holding h = { .cluster = c, .held = from, .workload = w };
	struct fl_event e = { .kind = FL_EV_HOLDS, .workload = w, .since = row->reserved_at };

	for (uint32_t i = 0; i < row->admission.n; i++)
		if (!add_podset(&h, &from->podset_assignments[row->admission.first + i]))
			return NEEDS_GENERATION;
	e.holding = (struct fl_holding){
		.cluster_queue = fl_model_find_node(c->generation.model, FL_CLUSTER_QUEUE,
						    fl_model_text(from, row->admitted_queue_name)),
		.rows = h.rows,
		.n = h.n,
	};
	return e.holding.cluster_queue.v == FL_NONE ? NEEDS_GENERATION : tell(c, &e);
}

static int go(struct fl_cluster *c, struct fl_workload w, const struct fl_model *from)
{
	const struct fl_event e = {
		.kind = FL_EV_GOES,
		.workload = w,
		.machine = { FL_NONE },
		.since = fl_model_requeue(from, &from->workloads[0])->evicted_at,
		.reason = fl_cluster_why_it_goes(from),
	};

	return fl_cluster_tell_policy(c, &e, fl_cluster_preemptor(c->generation.model, from));
}

/* --- one more --- */

int fl_cluster_read_object(const struct fl_mirror_object *o, struct fl_model **ret,
			   fairlead_error *err)
{
	struct fl_mirror_adding adding;
	int r = fl_model_new(&fl_mem_heap, ret, err);

	if (r < 0)
		return r;
	fl_mirror_adding_begin(&adding, *ret);
	r = fl_mirror_add(&adding, o, err);
	fl_mirror_adding_end(&adding);
	if (r < 0)
		*ret = fl_model_free(*ret);
	return r;
}

/* It joins as one that waits, and is then what its object says. @was: its workload; or FL_NONE. */
static int join(struct fl_cluster *c, struct fl_model *from, struct fl_workload was,
		struct fl_workload *ret, fairlead_error *err)
{
	struct fl_generation *g = &c->generation;
	struct fl_workload_row *row = &from->workloads[0];
	const struct fl_workload_row is = *row;
	const char *why = "";
	int r;

	row->reserved = row->admitted = false; /* how it was evicted says since when it waits */
	row->admission.n = 0;
	row->admitted_queue_name = (struct fl_sym){ 0 };
	r = outcome(fl_model_join_from(g->model, from, (struct fl_workload){ 0 }, ret, &why, err));
	*row = is;
	if (r)
		return r;
	r = outcome(g->ops->join(g->policy, *ret, err));
	if (r) {
		(void)fl_model_leave(g->model, *ret, err);
		return r;
	}
	/* One that comes back is known (sim/loop_watch.h). */
	if (was.v == FL_NONE)
		fl_driver_join(&g->driver, *ret);
	else if (ret->v != was.v)
		fl_driver_move(&g->driver, was, *ret);
	return c->agreement ?
		       outcome(fl_agreement_join(c->agreement, fl_clock_now(&c->daemon.clock), *ret,
						 was, is.reserved, err)) :
		       0;
}

static int enter(struct fl_cluster *c, struct fl_live *job, const struct fl_mirror_object *o,
		 struct fl_again *again, fairlead_error *err)
{
	struct fl_event come = { .kind = FL_EV_SUBMIT };
	struct fl_generation *g = &c->generation;
	struct fl_model *from = NULL;
	int r = fl_cluster_read_object(o, &from, err);

	if (r < 0)
		return r;
	r = join(c, from, again->was, &come.workload, err);
	if (r == 0) {
		job->workload = come.workload;
		g->job_of[come.workload.v] = job->id;
		/* One whose queue leads nowhere is in the model, and takes no part. */
		if (g->model->workloads[come.workload.v].excluded == FL_INCLUDED ||
		    from->workloads[0].reserved)
			r = tell(c, &come);
	}
	if (r == 0)
		r = outcome(fl_again_tell(c, come.workload, again, err));
	if (r == 0 && from->workloads[0].reserved)
		r = hold(c, come.workload, from);
	if (r == 0 && o->fate == FL_FATE_GOES)
		r = go(c, come.workload, from);
	fl_model_free(from);
	return r;
}

/* It leaves, and comes as it is now. */
static int come_again(struct fl_cluster *c, struct fl_live *job, const struct fl_mirror_object *o,
		      fairlead_error *err)
{
	struct fl_again again;
	int r = fl_again_take(c, job->workload, &again, err);

	if (r == 0)
		r = leave(c, job);
	if (r == 0)
		r = enter(c, job, o, &again, err);
	fl_again_done(&again);
	return r;
}

/* --- changes --- */

static int prioritize(struct fl_cluster *c, const struct fl_live *job,
		      const struct fl_mirror_object *o, fairlead_error *err)
{
	struct fl_event e = { .kind = FL_EV_CELL, .workload = job->workload };
	struct fl_rows_own own;
	struct fl_names names;
	int r = fl_names_init(&names, &fl_mem_heap, err);

	if (r == 0)
		r = fl_rows_read_own(fl_mirror_own(o), &names, &own, err);
	fl_names_done(&names);
	if (r < 0)
		return r;
	e.cell.kind = FL_CELL_PRIORITY;
	e.cell.amount = own.row.priority;
	return own.row.has_priority ? tell(c, &e) : NEEDS_GENERATION;
}

static int with_object(struct fl_cluster *c, const struct fl_live *job,
		       const struct fl_mirror_object *o,
		       int (*fn)(struct fl_cluster *c, struct fl_workload w,
				 const struct fl_model *from),
		       fairlead_error *err)
{
	struct fl_model *from = NULL;
	int r = fl_cluster_read_object(o, &from, err);

	if (r == 0)
		r = fn(c, job->workload, from);
	fl_model_free(from);
	return r;
}

int fl_cluster_apply(struct fl_cluster *c, struct fl_live *job,
		     const struct fl_mirror_object *object, unsigned said, fairlead_error *err)
{
	if (!said)
		return 0;
	if (!c->viewed || !c->generation.ops->join || !c->generation.model->places)
		return NEEDS_GENERATION;
	if (job->workload.v != FL_NONE && said == FL_SAID_PRIORITY)
		return prioritize(c, job, object, err);
	if (job->workload.v != FL_NONE && said == FL_SAID_HOLDS)
		return with_object(c, job, object, hold, err);
	if (job->workload.v != FL_NONE && said == FL_SAID_GOES)
		return with_object(c, job, object, go, err);
	return object ? come_again(c, job, object, err) : leave(c, job);
}

int fl_cluster_renew(struct fl_cluster *c, struct fl_live *job, fairlead_error *err)
{
	return fl_cluster_apply(c, job, job->made_of, FL_SAID_CHANGED, err);
}

int fl_cluster_leave_out(struct fl_cluster *c, struct fl_live *job) { return leave(c, job); }

int fl_cluster_catch_up(struct fl_cluster *c, fairlead_error *err)
{
	struct fl_generation *g = &c->generation;
	int r = 0;

	/* Those that have left since it was begun. */
	for (uint32_t w = 0; w < g->model->n_workloads && r == 0 && c->n_since; w++)
		if (!g->job_of[w])
			r = g->ops->leave ? drop(c, (struct fl_workload){ w }) : NEEDS_GENERATION;
	for (uint32_t i = 0; i < c->n_since && r == 0; i++) {
		struct fl_live *job = fl_jobs_find(&c->jobs, c->since[i]);

		if (!job || !job->made_of)
			continue;
		r = g->ops->join ? come_again(c, job, job->made_of, err) : NEEDS_GENERATION;
	}
	c->n_since = 0;
	return r;
}
