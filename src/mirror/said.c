/* SPDX-License-Identifier: Apache-2.0 */
#include "mirror/said.h"

enum {
	GONE = FL_SAID_GONE,
	OVER = FL_SAID_OVER,
	REL = FL_SAID_RELEASED,
	OUT = FL_SAID_OUT,
	COMES = FL_SAID_COMES,
	HOLDS = FL_SAID_HOLDS,
	GOES = FL_SAID_GOES,
};

/* By the fate before and now; where both are the same, `same` below decides. */
static const unsigned by_fate[FL_FATES][FL_FATES] = {
	/*                    not there   waits  holds         goes                 out        over */
	[FL_FATE_NONE] = { 0, COMES, COMES | HOLDS, COMES | HOLDS | GOES, 0, 0 },
	[FL_FATE_WAITS] = { GONE, 0, HOLDS, HOLDS | GOES, OUT, OVER },
	[FL_FATE_HOLDS] = { GONE, REL, 0, GOES, REL | OUT, OVER },
	[FL_FATE_GOES] = { GONE, REL, REL | HOLDS, 0, REL | OUT, OVER },
	[FL_FATE_OUT] = { GONE, COMES, COMES | HOLDS, COMES | HOLDS | GOES, 0, OVER },
	[FL_FATE_OVER] = { 0, COMES, COMES | HOLDS, COMES | HOLDS | GOES, 0, 0 },
};

enum fl_fate fl_fate_of(const struct fl_workload_row *row)
{
	if (row->finished)
		return FL_FATE_OVER;
	if (row->reserved)
		return row->evicted ? FL_FATE_GOES : FL_FATE_HOLDS;
	return row->active ? FL_FATE_WAITS : FL_FATE_OUT;
}

static bool same_class(const struct fl_workload_row *a, const struct fl_workload_row *b)
{
	return a->has_priority == b->has_priority && a->priority == b->priority &&
	       a->priority_class.v == b->priority_class.v &&
	       a->class_of_workloads == b->class_of_workloads;
}

/* Whether and when a queue takes it, but for its priority. */
static bool same_wait(const struct fl_rows_own *a, const struct fl_rows_own *b)
{
	return a->row.queue_name.v == b->row.queue_name.v && a->row.created == b->row.created &&
	       a->row.not_requeued == b->row.not_requeued && a->row.gated == b->row.gated &&
	       a->row.check_retries == b->row.check_retries && a->row.evicted == b->row.evicted &&
	       a->requeue.requeue_at == b->requeue.requeue_at &&
	       a->requeue.evicted_at == b->requeue.evicted_at &&
	       a->requeue.evicted_reason.v == b->requeue.evicted_reason.v &&
	       a->requeue.requeued_reason.v == b->requeue.requeued_reason.v;
}

static bool same_hold(const struct fl_rows_own *a, const struct fl_rows_own *b)
{
	return a->row.reserved_at == b->row.reserved_at &&
	       a->row.admitted_queue_name.v == b->row.admitted_queue_name.v;
}

static unsigned same(enum fl_fate fate, const struct fl_saying *s)
{
	const bool holds = fate == FL_FATE_HOLDS || fate == FL_FATE_GOES;

	if (holds && (!s->same_held || !same_hold(s->was, s->now)))
		return REL | HOLDS | (fate == FL_FATE_GOES ? GOES : 0);
	if (!s->same_pods || (fate == FL_FATE_WAITS && !same_wait(s->was, s->now)))
		return FL_SAID_CHANGED;
	return same_class(&s->was->row, &s->now->row) ? 0 : FL_SAID_PRIORITY;
}

unsigned fl_said(enum fl_fate was, enum fl_fate now, const struct fl_saying *s)
{
	unsigned said = by_fate[was][now];

	if (was == now && now != FL_FATE_NONE && now != FL_FATE_OUT && now != FL_FATE_OVER)
		return same(now, s);
	/* What is pending again, or holds again, may have changed meanwhile. */
	if (s->was && s->now && now != FL_FATE_OVER && now != FL_FATE_OUT && !(said & COMES) &&
	    (!s->same_pods || s->was->row.queue_name.v != s->now->row.queue_name.v))
		said |= FL_SAID_CHANGED;
	if (s->was && s->now && !(said & (COMES | FL_SAID_CHANGED)) && now != FL_FATE_OVER &&
	    !same_class(&s->was->row, &s->now->row))
		said |= FL_SAID_PRIORITY;
	return said;
}
