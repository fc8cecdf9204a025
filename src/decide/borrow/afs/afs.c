/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/afs/afs.h"

#include <math.h>
#include <string.h>

#include "decide/share/decay.h"
#include "decide/share/integral.h"

/*
 * An amount in nanos, 10^-9 of a natural unit.  Amounts of cpu are milli-cores: a core is 10^9
 * nanos, and so is a byte.
 */
static fl_nanos to_nanos(const struct fl_policy *p, uint32_t resource, fl_amount amount)
{
	bool cpu = p->model->resources[resource].v == p->afs_cpu.v;

	return (fl_nanos)amount * (cpu ? 1000000 : 1000000000);
}

static size_t row_of(const struct fl_afs *a, uint32_t lq) { return (size_t)lq * a->n_resources; }

/* --- setup --- */

/*
 * A local queue's usage orders workloads in the queue it points to, and in queues that gave quota
 * to its workloads when it pointed elsewhere.
 */
static void find_sharers(struct fl_policy *p)
{
	const struct fl_model *m = p->model;

	for (uint32_t lq = 0; lq < m->n_queues; lq++)
		p->afs->shares[lq] = m->queues[lq].cluster_queue.v != FL_NONE &&
				     m->nodes[m->queues[lq].cluster_queue.v].usage_based;
	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (m->workloads[w].queue.v != FL_NONE &&
		    m->workloads[w].admitted_queue.v != FL_NONE)
			p->afs->shares[m->workloads[w].queue.v] |=
				m->nodes[m->workloads[w].admitted_queue.v].usage_based;
}

static bool is_integral(const struct fl_policy *p, const void *row)
{
	double integral = *(const double *)row;

	(void)p;
	return integral >= 0 && isfinite(integral);
}

static bool is_consumed(const struct fl_policy *p, const void *row)
{
	const fl_nanos most = (fl_nanos)1 << 118; /* of all that 2^24 workloads may hold, twice */
	fl_nanos consumed = *(const fl_nanos *)row;

	(void)p;
	return consumed >= 0 && consumed <= most;
}

/* Only what was counted is saved; what is held follows from the workloads that hold quota. */
static int keep(struct fl_policy *p, fairlead_error *err)
{
	struct fl_afs *a = p->afs;
	uint32_t queues = p->model->n_queues, jobs = p->places;
	uint64_t cells = (uint64_t)queues * a->n_resources;
	const struct fl_kept all[] = {
		FL_KEPT(a->consumed, a->exact ? 0 : cells, a->exact ? NULL : "afs.consumed",
			is_consumed),
		FL_KEPT(a->integral, a->exact ? cells : 0, a->exact ? "afs.integral" : NULL,
			is_integral),
		FL_KEPT(a->updated, queues, "afs.updated", NULL),
		FL_KEPT(a->turns, 1, "afs.turns", NULL),
		FL_ROOM(a->held, cells),
		FL_ROOM(a->resource_weight, a->n_resources),
		FL_ROOM(a->row, a->n_resources),
		FL_ROOM(a->known, queues),
		FL_ROOM(a->value, queues),
		FL_ROOM(a->limit, queues),
		FL_ROOM(a->shares, queues),
		FL_ROOM(a->listed, queues),
		FL_ROOM(a->ids, queues),
		FL_ROOM(a->scratch, queues),
		FL_ROOM(a->place, jobs),
		FL_ROOM(a->by_queue, jobs),
	};

	return fl_kept_new(&a->kept, all, sizeof all / sizeof *all, &p->arena, err);
}

int fl_afs_setup(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct fl_afs *a;
	int r;

	if (!m->settings.admission_fair_sharing)
		return 0;
	a = p->afs = fl_arena_alloc(&p->arena, 1, sizeof *a, err);
	if (!a)
		return FAIRLEAD_ENOMEM;
	a->n_resources = m->n_resources;
	a->epoch = ++p->epochs; /* 0 is for what was never derived */
	a->exact = m->settings.exact_usage;
	a->samples = !a->exact && !p->unsampled && m->settings.usage_sampling > 0;
	p->afs_cpu = fl_names_find(&m->names, "cpu", 3);
	if ((r = keep(p, err)) < 0)
		return r;
	find_sharers(p);
	for (uint32_t i = 0; i < a->n_resources; i++)
		a->resource_weight[i] = 1;
	for (uint32_t i = 0; i < m->settings.resource_weights.n; i++) {
		const struct fl_resource_weight *w =
			&m->resource_weights[m->settings.resource_weights.first + i];

		if (w->resource.v != FL_NONE)
			a->resource_weight[w->resource.v] = w->weight;
	}
	for (uint32_t lq = 0; lq < m->n_queues; lq++) {
		struct fl_span span = m->queues[lq].consumed;

		for (uint32_t i = span.first; i < span.first + span.n; i++) {
			size_t at = row_of(a, lq) + m->consumed[i].resource.v;

			if (a->exact)
				a->integral[at] = fl_decay_natural(m->consumed[i].amount);
			else
				a->consumed[at] = m->consumed[i].amount;
		}
		a->updated[lq] = p->now;
	}
	return 0;
}

int fl_afs_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	return p->afs ? fl_kept_save(&p->afs->kept, w, err) : 0;
}

int fl_afs_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	int r = p->afs ? fl_kept_load(&p->afs->kept, p, i, err) : 0;

	if (r == 0 && p->afs)
		p->afs->epoch = ++p->epochs;
	return r;
}

/* --- the initial state --- */

/*
 * The time of the usage that the status of @lq states, at most now; now if it states usage without
 * a time; FL_TIME_NONE if it states no usage.
 */
static fl_time status_time(const struct fl_policy *p, uint32_t lq)
{
	const struct fl_queue_row *row = &p->model->queues[lq];

	if (row->consumed_at != FL_TIME_NONE)
		return row->consumed_at < p->now ? row->consumed_at : p->now;
	return row->consumed.n ? p->now : FL_TIME_NONE;
}

/* The exact way: counts what @w held from @since, or from the time of the status, until now. */
static void add_held(struct fl_policy *p, struct fl_workload w, fl_time since)
{
	const struct fl_job *j = &p->jobs[w.v];
	uint32_t lq = fl_row(p, w)->queue.v;
	fl_time from = fl_amount_max(status_time(p, lq), since);
	double gained = fl_integral_over(fl_sat_sub(p->now, from),
					 p->model->settings.usage_half_life)
				.gained;

	for (uint32_t k = 0; k < j->n_placement; k++) {
		const struct fl_placement *row = &fl_placements(p, j)[k];
		double *sum;

		if (row->resource.v == FL_NONE)
			continue;
		sum = &p->afs->integral[row_of(p->afs, lq) + row->resource.v];
		FL_SET(p, *sum,
		       *sum + fl_decay_natural(to_nanos(p, row->resource.v, row->amount)) * gained);
	}
}

/*
 * In the exact way the time since the status is counted, which a restart of the reference leaves
 * out.
 */
void fl_afs_start(struct fl_policy *p)
{
	const struct fl_model *m = p->model;
	fl_time half_life = m->settings.usage_half_life;
	struct fl_afs *a = p->afs;

	if (!a || !a->exact)
		return;
	for (uint32_t lq = 0; lq < m->n_queues; lq++) {
		fl_time since = fl_sat_sub(p->now, status_time(p, lq));

		for (uint32_t r = 0; r < a->n_resources; r++)
			a->integral[row_of(a, lq) + r] *= fl_integral_over(since, half_life).left;
	}
	/*
	 * Sums of doubles depend on their order: the order of members is the same for any order of
	 * the input.
	 */
	for (uint32_t q = 0; q <= m->n_nodes; q++)
		for (uint32_t i = 0; i < p->backlogs[q].members.n; i++) {
			struct fl_workload w = { p->members[p->backlogs[q].members.first + i] };
			const struct fl_job *j = &p->jobs[w.v];

			if (fl_holds_quota(j) && fl_row(p, w)->queue.v != FL_NONE)
				add_held(p, w, j->reserved_at);
		}
}

/* --- how usage is counted --- */

bool fl_afs_is_due(const struct fl_policy *p, uint32_t lq, fl_time t)
{
	const struct fl_queue_row *row = &p->model->queues[lq];
	fl_time elapsed = fl_sat_sub(t, p->afs->updated[lq]);

	return p->afs->samples && p->afs->shares[lq] && elapsed > 0 &&
	       elapsed >= p->model->settings.usage_sampling && row->stop == FL_STOP_NONE &&
	       row->cluster_queue.v != FL_NONE && p->backlogs[row->cluster_queue.v].active;
}

/* What is consumed after a sample.  With half-life 0 the reference sets it to 0. */
static fl_nanos sampled(const struct fl_policy *p, size_t at, struct fl_decay past)
{
	return p->model->settings.usage_half_life <= 0 ?
		       0 :
		       fl_decay_toward(past, p->afs->consumed[at], p->afs->held[at]);
}

/* The decay from when usage of @lq was last counted until @t. */
static struct fl_decay decay_until(const struct fl_policy *p, uint32_t lq, fl_time t)
{
	return fl_decay_over(fl_sat_sub(t, p->afs->updated[lq]),
			     p->model->settings.usage_half_life);
}

bool fl_afs_rests(const struct fl_policy *p, uint32_t lq, fl_time t)
{
	struct fl_decay past = decay_until(p, lq, t);

	for (size_t at = row_of(p->afs, lq); at < row_of(p->afs, lq + 1); at++)
		if (sampled(p, at, past) != p->afs->consumed[at])
			return false;
	return true;
}

/*
 * Usage of @lq by resource at @t, into a->row; from @t on nothing changes for @ahead nanoseconds.
 */
static void count(const struct fl_policy *p, uint32_t lq, fl_time t, fl_time ahead)
{
	const struct fl_afs *a = p->afs;
	fl_time elapsed = fl_sat_sub(t, a->updated[lq]);
	struct fl_integral exact = fl_integral_over(fl_sat_add(elapsed > 0 ? elapsed : 0, ahead),
						    p->model->settings.usage_half_life);
	bool due = fl_afs_is_due(p, lq, t);
	struct fl_decay past = due ? decay_until(p, lq, t) : (struct fl_decay){ 0 };

	for (uint32_t r = 0; r < a->n_resources; r++) {
		size_t at = row_of(a, lq) + r;

		a->row[r] = a->exact ?
				    fl_integral_of(exact, a->integral[at],
						   fl_decay_natural(a->held[at])) :
				    fl_decay_natural(due ? sampled(p, at, past) : a->consumed[at]);
	}
}

double fl_afs_consumed(const struct fl_policy *p, uint32_t lq, uint32_t r)
{
	count(p, lq, p->now, /* ahead= */ 0);
	return p->afs->row[r];
}

static double weighted(const struct fl_policy *p, uint32_t lq)
{
	const struct fl_afs *a = p->afs;

	return fl_decay_usage(a->resource_weight, a->row, a->n_resources,
			      p->model->queues[lq].weight);
}

double fl_afs_usage_at(const struct fl_policy *p, uint32_t lq, fl_time t)
{
	count(p, lq, t, p->model->settings.usage_sampling);
	return weighted(p, lq);
}

double fl_afs_usage_limit(const struct fl_policy *p, uint32_t lq)
{
	const struct fl_afs *a = p->afs;
	bool forgets = !a->exact && p->model->settings.usage_half_life <= 0;

	for (uint32_t r = 0; r < a->n_resources; r++)
		a->row[r] = forgets ? 0 : fl_decay_natural(a->held[row_of(a, lq) + r]);
	return weighted(p, lq);
}

double fl_afs_usage(const struct fl_policy *p, struct fl_workload w)
{
	struct fl_queue lq = fl_row(p, w)->queue;
	struct fl_afs_known *known;

	if (lq.v == FL_NONE)
		return 0;
	known = &p->afs->known[lq.v];
	if (known->epoch != p->afs->epoch || known->at != p->now)
		*known = (struct fl_afs_known){ p->afs->epoch, p->now,
						fl_afs_usage_at(p, lq.v, p->now) };
	return known->usage;
}

uint64_t fl_afs_stamp(struct fl_policy *p)
{
	struct fl_afs *a = p->afs;

	if (a->stamp_epoch != a->epoch || ((a->exact || a->samples) && a->stamp_at != p->now))
		a->stamp = ++p->epochs;
	a->stamp_epoch = a->epoch;
	a->stamp_at = p->now;
	return a->stamp;
}

/* --- changes of usage --- */

static void changed(struct fl_policy *p)
{
	p->epochs++;
	FL_SET(p, p->afs->epoch, p->epochs);
}

/* Counts usage of @lq up to now: exact always, sampled only if a sample is due. */
static void catch_up(struct fl_policy *p, uint32_t lq)
{
	struct fl_afs *a = p->afs;

	if (a->exact ? p->now <= a->updated[lq] : !fl_afs_is_due(p, lq, p->now))
		return;
	if (a->exact) {
		count(p, lq, p->now, /* ahead= */ 0);
		for (uint32_t r = 0; r < a->n_resources; r++)
			FL_SET(p, a->integral[row_of(a, lq) + r], a->row[r]);
	} else {
		struct fl_decay past = decay_until(p, lq, p->now);

		for (size_t at = row_of(a, lq); at < row_of(a, lq + 1); at++)
			FL_SET(p, a->consumed[at], sampled(p, at, past));
	}
	FL_SET(p, a->updated[lq], p->now);
	changed(p);
}

void fl_afs_hold(struct fl_policy *p, struct fl_workload w, int sign)
{
	const struct fl_job *j = &p->jobs[w.v];
	struct fl_queue lq = fl_row(p, w)->queue;
	struct fl_afs *a = p->afs;

	FL_SET(p, *a->turns, *a->turns + 1);
	if (lq.v == FL_NONE || !a->shares[lq.v])
		return;
	catch_up(p, lq.v);
	for (uint32_t i = 0; i < j->n_placement; i++) {
		const struct fl_placement *row = &fl_placements(p, j)[i];

		if (row->resource.v == FL_NONE)
			continue;
		fl_nanos *held = &a->held[row_of(a, lq.v) + row->resource.v];

		FL_SET(p, *held, *held + sign * to_nanos(p, row->resource.v, row->amount));
	}
	changed(p);
}

/* The total request of the admitted workload for @resource, as in its placement. */
static fl_nanos admitted_amount(const struct fl_policy *p, const struct fl_job *j,
				uint32_t resource)
{
	const struct fl_placement *rows = fl_placements(p, j);
	fl_nanos sum = 0;

	for (uint32_t i = 0; i < j->n_placement; i++)
		if (rows[i].resource.v == resource)
			sum += to_nanos(p, resource, rows[i].amount);
	return sum;
}

void fl_afs_confirm(struct fl_policy *p, struct fl_workload w)
{
	const struct fl_settings *settings = &p->model->settings;
	struct fl_queue lq = fl_row(p, w)->queue;
	struct fl_afs *a = p->afs;
	struct fl_decay past;
	struct fl_factor entry;

	if (!a || a->exact || lq.v == FL_NONE || !fl_afs_orders(p, p->jobs[w.v].queue))
		return;
	past = decay_until(p, lq.v, p->now);
	entry = fl_decay_over(settings->usage_sampling, settings->usage_half_life).gained;
	for (uint32_t r = 0; r < a->n_resources; r++) {
		size_t at = row_of(a, lq.v) + r;
		fl_nanos consumed = fl_decay_toward(past, a->consumed[at], a->held[at]) +
				    fl_decay_scale(admitted_amount(p, &p->jobs[w.v], r), entry);

		if (consumed != a->consumed[at])
			FL_SET(p, a->consumed[at], consumed);
	}
	FL_SET(p, a->updated[lq.v], p->now);
	changed(p);
}

void fl_afs_since(struct fl_policy *p, struct fl_workload w, fl_time since)
{
	const struct fl_job *j = &p->jobs[w.v];
	uint32_t lq = fl_row(p, w)->queue.v;

	if (!p->afs || lq == FL_NONE)
		return;
	if (p->afs->exact) {
		add_held(p, w, since);
		changed(p);
	} else if (j->held_by.v == j->queue.v) {
		fl_afs_confirm(p, w);
	}
}

size_t fl_afs_since_undo(const struct fl_policy *p, uint32_t placements)
{
	return p->afs ? placements * FL_UNDO_OF(p->afs->integral[0]) + FL_UNDO_OF(p->afs->epoch) :
			0;
}

/*
 * A row is counted up to now, and once more when the admission is charged; each time with its
 * time.
 */
size_t fl_afs_undo(const struct fl_policy *p, uint32_t placements)
{
	const struct fl_afs *a = p->afs;

	return a ? (2 * (size_t)a->n_resources + placements) * FL_UNDO_OF(fl_nanos) +
			       2 * FL_UNDO_OF(a->updated[0]) + FL_UNDO_OF(*a->turns) +
			       3 * FL_UNDO_OF(a->epoch) :
		   0;
}

bool fl_afs_any_due(const struct fl_policy *p)
{
	if (p->afs && p->afs->samples)
		for (uint32_t lq = 0; lq < p->model->n_queues; lq++)
			if (fl_afs_is_due(p, lq, p->now))
				return true;
	return false;
}

int fl_afs_sample_due(struct fl_policy *p, fairlead_error *err)
{
	size_t due = 0;
	int r;

	for (uint32_t lq = 0; p->afs && lq < p->model->n_queues; lq++)
		due += fl_afs_is_due(p, lq, p->now);
	r = due ? fl_undo_reserve(&p->undo, due * fl_afs_undo(p, /* placements= */ 0), err) : 0;
	if (r < 0)
		return r;
	for (uint32_t lq = 0; due && lq < p->model->n_queues; lq++)
		catch_up(p, lq);
	return 0;
}

/* --- carried into another policy --- */

/*
 * What @from counted for local queue @was is counted for @lq; resources that the new model does
 * not have are left out.
 */
static void carry_counted(struct fl_policy *p, const struct fl_adopting *a, uint32_t was,
			  uint32_t lq)
{
	const struct fl_afs *from = a->from->afs;
	struct fl_afs *to = p->afs;

	for (size_t at = row_of(to, lq); at < row_of(to, lq + 1); at++)
		if (to->exact)
			to->integral[at] = 0;
		else
			to->consumed[at] = 0;
	for (uint32_t r = 0; r < from->n_resources; r++) {
		size_t at = row_of(to, lq) + a->is.resources[r];

		if (a->is.resources[r] == FL_NONE)
			continue;
		if (to->exact)
			to->integral[at] = from->integral[row_of(from, was) + r];
		else
			to->consumed[at] = from->consumed[row_of(from, was) + r];
	}
	to->updated[lq] = from->updated[was];
}

/*
 * Of workload @gone, which only the old policy has: what it held counts as held (sign +1), and
 * then ends at the present time (sign -1).
 */
static void count_gone(struct fl_policy *p, const struct fl_adopting *a, uint32_t gone, int sign)
{
	const struct fl_job *was = &a->from->jobs[gone];
	uint32_t lq = fl_adopted(a->is.queues, a->from->model->workloads[gone].queue.v);

	if (lq == FL_NONE || !p->afs->shares[lq])
		return;
	if (sign < 0)
		catch_up(p, lq);
	for (uint32_t i = 0; i < was->n_placement; i++) {
		const struct fl_placement *row = &fl_placements(a->from, was)[i];
		uint32_t r = fl_adopted(a->is.resources, row->resource.v);

		if (r != FL_NONE)
			p->afs->held[row_of(p->afs, lq) + r] += sign * to_nanos(p, r, row->amount);
	}
}

/*
 * The two ways of counting cannot be converted: if the way changed, usage begins as in a new
 * policy.
 */
void fl_afs_adopt(struct fl_policy *p, const struct fl_adopting *a)
{
	const struct fl_policy *from = a->from;

	if (!p->afs || !from->afs || p->afs->exact != from->afs->exact)
		return;
	for (uint32_t lq = 0; lq < from->model->n_queues; lq++)
		if (a->is.queues[lq] != FL_NONE)
			carry_counted(p, a, lq, a->is.queues[lq]);
	for (int sign = +1; sign >= -1; sign -= 2)
		for (uint32_t w = 0; w < from->model->n_workloads; w++)
			if (a->is.workloads[w] == FL_NONE && fl_holds_quota(&from->jobs[w]))
				count_gone(p, a, w, sign);
	*p->afs->turns = *from->afs->turns;
	p->afs->epoch = ++p->epochs;
}
