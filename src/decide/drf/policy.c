/* SPDX-License-Identifier: Apache-2.0 */
/* policy - drf behind decide/policy.h: events, steps, marks, answers */
#include <math.h>
#include <string.h>

#include "base/mix.h"
#include "decide/drf/state.h"
#include "decide/holding.h"

static struct fl_policy *drf_free(struct fl_policy *p)
{
	if (!p)
		return NULL;
	fl_undo_done(&p->undo);
	fl_arena_done(&p->arena);
	return fl_mem_free(p->mem, p);
}

/* @image NULL: the state is that of the model. */
static int make(const struct fl_model *model, const struct fl_policy_options *options,
		const struct fl_image *image, struct fl_policy **ret, fairlead_error *err)
{
	struct fl_policy *p;
	int r;

	if (!model->sealed)
		return fl_fail(err, FAIRLEAD_ESTATE, "the model is not sealed");
	p = options->mem->resize(options->mem->user, NULL, sizeof *p);
	if (!p)
		return fl_fail_nomem(err);
	*p = (struct fl_policy){ .model = model, .mem = options->mem };
	fl_arena_init(&p->arena, p->mem);
	fl_undo_init(&p->undo, p->mem);
	r = fl_drf_setup(p, err);
	if (r == 0)
		r = image ? fl_drf_restore(p, image, err) : fl_drf_begin(p, err);
	if (r < 0) {
		drf_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

static int drf_new(const struct fl_model *model, const struct fl_policy_options *options,
		   struct fl_policy **ret, fairlead_error *err)
{
	return make(model, options, /* image= */ NULL, ret, err);
}

static int drf_load(const struct fl_model *model, const struct fl_policy_options *options,
		    const struct fl_image *image, struct fl_policy **ret, fairlead_error *err)
{
	return make(model, options, image, ret, err);
}

/* --- events --- */

static int wrong_state(const struct fl_policy *p, struct fl_workload w, const char *what,
		       fairlead_error *err)
{
	const struct fl_workload_row *row = &p->model->workloads[w.v];

	return fl_fail(err, FAIRLEAD_ESTATE, "workload '%s/%s' %s",
		       fl_model_text(p->model, row->namespace), fl_model_text(p->model, row->name),
		       what);
}

static int release(struct fl_policy *p, struct fl_workload w, bool again, fairlead_error *err)
{
	const struct fl_job *j = &p->jobs[w.v];

	if (!fl_drf_holds(j))
		return wrong_state(p, w, "holds no quota", err);
	fl_drf_release(p, w,
		       !again                ? FL_STATE_ABSENT :
		       j->queue.v == FL_NONE ? FL_STATE_EXCLUDED :
					       FL_STATE_WAITING);
	return 0;
}

static int submit(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	const struct fl_job *j = &p->jobs[w.v];

	if (j->state != FL_STATE_ABSENT || j->queue.v == FL_NONE)
		return wrong_state(
			p, w, "cannot be submitted: it is there already, or has no queue", err);
	fl_drf_enter(p, w, FL_STATE_WAITING);
	return 0;
}

static int cancel(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	if (fl_drf_holds(&p->jobs[w.v]))
		return release(p, w, /* again= */ false, err);
	fl_drf_enter(p, w, FL_STATE_ABSENT);
	return 0;
}

/* As a workload that the model has admitted (setup.c). */
static int holds(struct fl_policy *p, const struct fl_event *event, fairlead_error *err)
{
	struct fl_workload w = event->workload;
	const struct fl_holding *h = &event->holding;
	const struct fl_job *j = &p->jobs[w.v];
	int r;

	if (fl_drf_holds(j) || j->state == FL_STATE_ABSENT)
		return wrong_state(
			p, w, "cannot be admitted: it holds quota already, or is not there", err);
	if ((r = fl_holding_check(p->model, w, h, err)) < 0)
		return r;
	if (h->n > j->places.n || fl_drf_overflows(p, h->rows, h->n)) {
		(void)fl_fail(err, FAIRLEAD_ELIMIT,
			      h->n > j->places.n ?
				      "it holds more resources than the workload asks for" :
				      "what is admitted is more than 2^63 units of a resource");
		return fl_holding_fail(p->model, w, err);
	}
	if ((r = fl_drf_reserve(p, h->n, err)) < 0)
		return r;
	fl_drf_hold(p, w, h->cluster_queue, h->rows, h->n);
	return 0;
}

static int goes(struct fl_policy *p, const struct fl_event *event, fairlead_error *err)
{
	struct fl_job *j = &p->jobs[event->workload.v];

	if (!fl_drf_holds(j))
		return wrong_state(p, event->workload, "holds no quota", err);
	FL_SET(p, j->state, FL_STATE_EVICTING);
	FL_SET(p, j->reason, event->reason);
	return 0;
}

static int change_quota(struct fl_policy *p, const struct fl_cell *cell, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct fl_quota_walk walk = { 0 };
	const struct fl_quota *q;

	while ((q = fl_model_next_quota(m, cell->node, &walk)))
		if (q->flavor.v == cell->flavor.v && q->resource.v == cell->resource.v) {
			FL_SET(p, p->quota[q - m->quotas], cell->amount);
			return 0;
		}
	return fl_fail(err, FAIRLEAD_ENOENT,
		       "the queue or cohort has no quota for that flavor and resource");
}

static int change_priority(struct fl_policy *p, struct fl_workload w, fl_amount priority,
			   fairlead_error *err)
{
	if (w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if (priority < INT32_MIN || priority > INT32_MAX)
		return fl_fail(err, FAIRLEAD_EINPUT, "a priority beyond 32 bits");
	FL_SET(p, p->jobs[w.v].priority, (int32_t)priority);
	return 0;
}

/* This policy has no limits of borrowing and lending: an event may change them, without effect. */
static int change_cell(struct fl_policy *p, struct fl_workload w, const struct fl_cell *cell,
		       fairlead_error *err)
{
	if (cell->kind == FL_CELL_PRIORITY)
		return change_priority(p, w, cell->amount, err);
	if (cell->node.v >= p->model->n_nodes)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such queue or cohort");
	if (cell->kind > FL_CELL_PRIORITY)
		return fl_fail(err, FAIRLEAD_ESTATE, "a cell of the entitle policy");
	if (cell->kind == FL_CELL_WEIGHT) {
		if (!(cell->weight >= 0))
			return fl_fail(err, FAIRLEAD_EINPUT, "a negative weight");
		FL_SET(p, p->users[cell->node.v].weight, fl_drf_weight(cell->weight));
		return 0;
	}
	if (cell->amount < 0 && (cell->kind == FL_CELL_NOMINAL || cell->amount != FL_NO_LIMIT))
		return fl_fail(err, FAIRLEAD_EINPUT, "a negative quota or limit");
	return cell->kind == FL_CELL_NOMINAL ? change_quota(p, cell, err) : 0;
}

/*
 * Each workload that was found never to fit is tried again, and all that is derived is derived
 * again.
 */
static int change(struct fl_policy *p, const struct fl_event *event, fairlead_error *err)
{
	int r = event ? change_cell(p, event->workload, &event->cell, err) : 0;

	if (r < 0)
		return r;
	FL_SET(p, p->changes, p->changes + 1);
	fl_drf_derive(p);
	return 0;
}

static int drf_apply(struct fl_policy *p, fl_time now, const struct fl_event *event,
		     fairlead_error *err)
{
	struct fl_workload w = event->workload;
	bool cell = event->kind == FL_EV_CELL;
	int r;

	(void)now;
	if (event->kind == FL_EV_USAGE)
		return fl_fail(err, FAIRLEAD_ESTATE, "samples of usage are for the entitle policy");
	if (!cell && w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if ((r = fl_drf_reserve(p, cell ? 0 : p->jobs[w.v].places.n, err)) < 0)
		return r;
	switch (event->kind) {
	case FL_EV_SUBMIT:
		return submit(p, w, err);
	case FL_EV_CANCEL:
		return cancel(p, w, err);
	case FL_EV_STARTED:
		return fl_drf_holds(&p->jobs[w.v]) ? 0 : wrong_state(p, w, "holds no quota", err);
	case FL_EV_EVICTED:
	case FL_EV_REJECTED:
	case FL_EV_KILLED:
		return release(p, w, /* again= */ true, err);
	case FL_EV_FINISHED:
		return release(p, w, /* again= */ false, err);
	case FL_EV_HOLDS:
		return holds(p, event, err);
	case FL_EV_GOES:
		return goes(p, event, err);
	case FL_EV_CELL:
		return change(p, event, err);
	case FL_EV_USAGE:
		break;
	}
	return 0;
}

/* --- steps --- */

static void begin_decisions(struct fl_policy *p)
{
	p->decisions =
		(struct fl_decisions){ .rows = p->rows, .placements = p->given, .heads = p->heads };
}

/* Appends the decision about @w, with the rows in `found`. */
static void decide(struct fl_policy *p, struct fl_workload w, enum fl_reason why)
{
	struct fl_decisions *d = &p->decisions;
	bool admit = why == FL_REASON_FITS;

	p->rows[d->n++] = (struct fl_decision){
		.kind = admit ? FL_ADMIT : FL_WAIT,
		.reason = why,
		.workload = w,
		.preemptor = { FL_NONE },
		.cluster_queue = p->jobs[w.v].queue,
		.placement = { d->n_placements, admit ? p->n_found : 0 },
	};
	if (admit && p->n_found)
		memcpy(p->given + d->n_placements, p->found, p->n_found * sizeof *p->found);
	d->n_placements += admit ? p->n_found : 0;
	p->heads[d->n_heads++] = w;
	d->waiting = true;
}

/* Serves @w: it is admitted, found never to fit, or stays pending. */
static int serve(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
		 fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	enum fl_reason why = fl_drf_fit(p, w, sink);
	int r = fl_drf_reserve(p, p->n_found, err);

	if (r < 0)
		return r;
	decide(p, w, why);
	if (why == FL_REASON_FITS)
		fl_drf_hold(p, w, j->queue, p->found, p->n_found);
	else if (why != FL_REASON_WAITING_FOR_QUOTA && why != FL_REASON_USAGE_LIMIT)
		fl_drf_park(p, w, why);
	else if (j->reason != why)
		FL_SET(p, j->reason, why);
	return 0;
}

/* Algorithm 1: serves the next workload, again and again, until one does not fit. */
static int serve_all(struct fl_policy *p, const struct fl_sink *sink, fairlead_error *err)
{
	struct fl_workload w;
	int r = 0;

	while (r == 0 && (w = fl_drf_next(p)).v != FL_NONE) {
		r = serve(p, w, sink, err);
		if (r == 0 && fl_drf_next(p).v == w.v)
			break;
	}
	return r;
}

/* Runs in a mark, so that all or nothing takes effect. */
static int in_mark(struct fl_policy *p, struct fl_workload only, bool keep,
		   const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	fl_mark mark;
	int r = fl_undo_mark(&p->undo, &mark, err);

	if (r < 0)
		return r;
	begin_decisions(p);
	r = only.v == FL_NONE ? serve_all(p, sink, err) : serve(p, only, sink, err);
	if (r == 0 && keep)
		fl_undo_keep(&p->undo, mark);
	else
		fl_undo_rollback(&p->undo, mark);
	if (r == 0)
		*ret = p->decisions;
	return r;
}

/*
 * @flags are not needed: a workload that never fits is not tried twice, so a step is always as
 * short as it can be.
 */
static int drf_step(struct fl_policy *p, fl_time now, unsigned flags, const struct fl_sink *sink,
		    struct fl_decisions *ret, fairlead_error *err)
{
	(void)now;
	(void)flags;
	return in_mark(p, (struct fl_workload){ FL_NONE }, /* keep= */ true, sink, ret, err);
}

static int drf_try(struct fl_policy *p, fl_time now, struct fl_workload w,
		   const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	(void)now;
	if (w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if (fl_drf_holds(&p->jobs[w.v]))
		return wrong_state(p, w, "holds quota already", err);
	if (p->jobs[w.v].queue.v == FL_NONE)
		return wrong_state(p, w, "has no active queue", err);
	return in_mark(p, w, /* keep= */ false, sink, ret, err);
}

static int drf_serve(struct fl_policy *p, fl_time now, struct fl_workload w,
		     const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	(void)now;
	if (w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if (p->jobs[w.v].state != FL_STATE_WAITING)
		return wrong_state(p, w, "is not pending in its queue", err);
	return in_mark(p, w, /* keep= */ true, sink, ret, err);
}

static int drf_forget(struct fl_policy *p, fl_time now, fairlead_error *err)
{
	int r = fl_drf_reserve(p, 0, err);

	(void)now;
	return r < 0 ? r : change(p, /* event= */ NULL, err);
}

/* True: this policy never evicts. */
static bool drf_settles(const struct fl_policy *p)
{
	(void)p;
	return true;
}

static fl_time drf_wake(const struct fl_policy *p, fl_time now)
{
	(void)p;
	(void)now;
	return FL_NEVER;
}

static int drf_mark(struct fl_policy *p, fl_mark *ret, fairlead_error *err)
{
	return fl_undo_mark(&p->undo, ret, err);
}

static void drf_rollback(struct fl_policy *p, fl_mark mark)
{
	uint32_t changes = p->changes;

	fl_undo_rollback(&p->undo, mark);
	if (p->changes != changes)
		fl_drf_derive(p);
}

static void drf_keep(struct fl_policy *p, fl_mark mark) { fl_undo_keep(&p->undo, mark); }

/* --- answers --- */

/* 1000 * dominant share / weight. */
static void drf_share(const struct fl_policy *p, struct fl_node n, struct fl_share *ret)
{
	const struct fl_drf_user *u = &p->users[n.v];
	const struct fl_drf_part *most = &u->dominant;
	double part = (double)most->part, whole = (double)most->whole;

	*ret = (struct fl_share){ .weight = (double)u->weight / 1e9, .dominant = most->resource };
	if (most->part == 0)
		return;
	ret->ratio = most->whole ? 1000 * part / whole : (double)INFINITY;
	ret->precise = u->weight ? ret->ratio / ret->weight : (double)INFINITY;
}

static enum fl_workload_state drf_state(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];

	return j->state == FL_STATE_WAITING && fl_drf_is_parked(p, j) ? FL_STATE_INADMISSIBLE :
									j->state;
}

static const struct fl_placement *drf_placement(const struct fl_policy *p, struct fl_workload w,
						uint32_t *ret_n)
{
	*ret_n = p->jobs[w.v].n_held;
	return fl_drf_rows(p, &p->jobs[w.v]);
}

static double drf_held(const struct fl_policy *p, struct fl_workload w, struct fl_resource r)
{
	const struct fl_job *j = &p->jobs[w.v];
	double held = 0;

	for (uint32_t i = 0; i < j->n_held; i++)
		if (fl_drf_rows(p, j)[i].resource.v == r.v)
			held += (double)fl_drf_rows(p, j)[i].amount;
	return held;
}

/* Heads that no step reached: pending for their turn. */
static enum fl_reason drf_reason(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];

	if (j->reason != FL_REASON_NONE || j->state != FL_STATE_WAITING)
		return j->reason;
	return fl_drf_head(p, j->queue) == w.v ? FL_REASON_NOT_ITS_TURN : FL_REASON_NONE;
}

fl_amount fl_drf_capacity(const struct fl_policy *p, struct fl_flavor f, struct fl_resource r)
{
	return p->capacity[(size_t)f.v * p->model->n_resources + r.v];
}

fl_amount fl_drf_used(const struct fl_policy *p, struct fl_flavor f, struct fl_resource r)
{
	return p->used[(size_t)f.v * p->model->n_resources + r.v];
}

fl_amount fl_drf_held(const struct fl_policy *p, struct fl_node n, struct fl_resource r)
{
	return p->held[(size_t)n.v * p->model->n_resources + r.v];
}

fl_amount fl_drf_quota(const struct fl_policy *p, struct fl_node n, struct fl_resource r)
{
	struct fl_quota_walk walk = { 0 };
	const struct fl_quota *q;
	fl_amount sum = 0;

	while ((q = fl_model_next_quota(p->model, n, &walk)))
		if (q->resource.v == r.v)
			sum = fl_quota_add(sum, p->quota[q - p->model->quotas]);
	return sum;
}

/* --- digest: the state word by word --- */

static void drf_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	(void)now;
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		const struct fl_job *j = &p->jobs[w];
		const struct fl_placement *rows = fl_drf_rows(p, j);

		word(user, (uint64_t)drf_state(p, (struct fl_workload){ w }) << 32 | j->held_by.v);
		word(user, j->n_held);
		for (uint32_t i = 0; i < j->n_held; i++) {
			word(user, (uint64_t)rows[i].flavor.v << 32 | rows[i].resource.v);
			word(user, (uint64_t)rows[i].amount);
		}
	}
}

static void mix(void *user, uint64_t word) { fl_mix(user, word); }

static void drf_digest(const struct fl_policy *p, fl_time now, uint64_t ret[2])
{
	uint64_t h[2] = { 1, 2 };

	drf_spell(p, now, mix, h);
	ret[0] = h[0];
	ret[1] = h[1];
}

const struct fl_policy_ops fl_drf_policy = {
	.name = "drf",
	.new = drf_new,
	.free = drf_free,
	.save = fl_drf_save,
	.load = drf_load,
	.adopt = fl_drf_adopt,
	.apply = drf_apply,
	.step = drf_step,
	.try = drf_try,
	.serve = drf_serve,
	.forget = drf_forget,
	.settles = drf_settles,
	.wake = drf_wake,
	.mark = drf_mark,
	.rollback = drf_rollback,
	.keep = drf_keep,
	.share = drf_share,
	.state = drf_state,
	.placement = drf_placement,
	.held = drf_held,
	.reason = drf_reason,
	.digest = drf_digest,
	.spell = drf_spell,
	.gist = drf_spell,
};
