/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/backlog/requeue.h"

#include "base/sort.h"
#include "decide/borrow/backlog/backlog.h"

static fl_time ready_at(const struct fl_policy *p, uint32_t w)
{
	return fl_model_requeue(p->model, &p->model->workloads[w])->ready_at;
}

static bool has_end(const struct fl_policy *p, uint32_t w)
{
	return ready_at(p, w) != FL_TIME_NONE && ready_at(p, w) != FL_NEVER;
}

static int cmp_ready(const void *policy, uint32_t a, uint32_t b)
{
	fl_time x = ready_at(policy, a), y = ready_at(policy, b);

	return x == y ? (a > b) - (a < b) : (x > y) - (x < y);
}

/* Lists the workloads with a back-off that ends, by the time of its end. */
int fl_requeue_setup(struct fl_policy *p, fairlead_error *err)
{
	uint32_t n = 0, at = 0, *scratch;
	struct fl_arena arena;

	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		n += has_end(p, w);
	p->cap_requeued = n + p->spare;
	p->requeued = fl_arena_alloc(&p->arena, p->cap_requeued, sizeof *p->requeued, err);
	if (!p->requeued)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		if (has_end(p, w))
			p->requeued[at++] = w;
	p->n_requeued = n;
	fl_arena_init(&arena, p->mem);
	scratch = fl_arena_alloc(&arena, n, sizeof *scratch, err);
	if (scratch)
		fl_sort(p->requeued, n, scratch, cmp_ready, p);
	fl_arena_done(&arena);
	return scratch ? 0 : FAIRLEAD_ENOMEM;
}

/* Is it known that the back-off of @w ended?  That stays known when the clock goes back. */
static bool has_ended(const struct fl_policy *p, uint32_t w)
{
	return p->requeued_n > 0 && cmp_ready(p, w, p->requeued[p->requeued_n - 1]) <= 0;
}

bool fl_requeue_keep(struct fl_policy *p, struct fl_workload w)
{
	fl_time at = ready_at(p, w.v);

	if (at == FL_TIME_NONE || has_ended(p, w.v))
		return false;
	FL_SET(p, p->jobs[w.v].state, FL_STATE_HELD_BACK);
	FL_SET(p, p->jobs[w.v].reason,
	       at == FL_NEVER ? FL_REASON_NOT_REQUEUED : FL_REASON_BACK_OFF);
	return true;
}

bool fl_requeue_hold(struct fl_policy *p, struct fl_workload w)
{
	return ready_at(p, w.v) > p->now && fl_requeue_keep(p, w);
}

bool fl_requeue_has_room(const struct fl_policy *p, struct fl_workload w)
{
	return !has_end(p, w.v) || p->n_requeued < p->cap_requeued;
}

size_t fl_requeue_join_undo(const struct fl_policy *p)
{
	return (p->n_requeued + (size_t)3) * FL_UNDO_OF(uint32_t);
}

void fl_requeue_join(struct fl_policy *p, struct fl_workload w)
{
	uint32_t at = p->n_requeued, ended = p->requeued_n;

	if (!has_end(p, w.v))
		return;
	if (ended && ready_at(p, w.v) <= ready_at(p, p->requeued[ended - 1]))
		FL_SET(p, p->requeued_n, ended + 1);
	for (; at > 0 && cmp_ready(p, w.v, p->requeued[at - 1]) < 0; at--)
		FL_SET(p, p->requeued[at], p->requeued[at - 1]);
	FL_SET(p, p->requeued[at], w.v);
	FL_SET(p, p->n_requeued, p->n_requeued + 1);
}

void fl_requeue_leave(struct fl_policy *p, struct fl_workload w)
{
	uint32_t at = 0;

	while (at < p->n_requeued && p->requeued[at] != w.v)
		at++;
	if (at == p->n_requeued)
		return;
	if (at < p->requeued_n)
		FL_SET(p, p->requeued_n, p->requeued_n - 1);
	for (; at + 1 < p->n_requeued; at++)
		FL_SET(p, p->requeued[at], p->requeued[at + 1]);
	FL_SET(p, p->n_requeued, p->n_requeued - 1);
}

/* Back-offs that end at the same time end together. */
void fl_requeue_adopt(struct fl_policy *p, const struct fl_policy *from)
{
	fl_time last = from->requeued_n ? ready_at(from, from->requeued[from->requeued_n - 1]) :
					  FL_TIME_NONE;

	p->requeued_n = 0;
	while (p->requeued_n < p->n_requeued && ready_at(p, p->requeued[p->requeued_n]) <= last)
		p->requeued_n++;
}

void fl_requeue_push(struct fl_policy *p, struct fl_workload w)
{
	if (!fl_requeue_hold(p, w))
		fl_backlog_push(p, w);
}

bool fl_requeue_is_due(const struct fl_policy *p)
{
	return p->requeued_n < p->n_requeued && ready_at(p, p->requeued[p->requeued_n]) <= p->now;
}

/* Pushes the workloads whose back-off ends by @then. */
static int wake_by(struct fl_policy *p, fl_time then, fairlead_error *err)
{
	uint32_t end = p->requeued_n;
	int r;

	while (end < p->n_requeued && ready_at(p, p->requeued[end]) <= then)
		end++;
	r = fl_undo_reserve(&p->undo,
			    (end - p->requeued_n) * (size_t)FL_BACKLOG_UNDO + FL_UNDO_OF(end), err);
	if (r < 0)
		return r;
	for (uint32_t i = p->requeued_n; i < end; i++) {
		struct fl_workload w = { p->requeued[i] };

		if (p->jobs[w.v].state != FL_STATE_HELD_BACK)
			continue;
		FL_SET(p, p->jobs[w.v].reason, FL_REASON_NONE);
		fl_backlog_push(p, w);
	}
	FL_SET(p, p->requeued_n, end);
	return 0;
}

int fl_requeue_wake_due(struct fl_policy *p, fairlead_error *err)
{
	return wake_by(p, p->now, err);
}

int fl_requeue_lift(struct fl_policy *p, fairlead_error *err)
{
	return p->requeued_n == p->n_requeued ?
		       1 :
		       wake_by(p, ready_at(p, p->requeued[p->requeued_n]), err);
}

fl_time fl_requeue_wake(const struct fl_policy *p, fl_time now)
{
	for (uint32_t i = p->requeued_n; i < p->n_requeued; i++)
		if (p->jobs[p->requeued[i]].state == FL_STATE_HELD_BACK)
			return ready_at(p, p->requeued[i]) > now ? ready_at(p, p->requeued[i]) :
								   now;
	return FL_NEVER;
}

void fl_requeue_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	for (uint32_t i = p->requeued_n; i < p->n_requeued && now != FL_NEVER; i++)
		if (p->jobs[p->requeued[i]].state == FL_STATE_HELD_BACK)
			word(user, (uint64_t)fl_sat_sub(ready_at(p, p->requeued[i]), now));
}
