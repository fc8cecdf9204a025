/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/heard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/apply.h"
#include "daemon/cluster/before.h"
#include "daemon/cluster/kai.h"
#include "daemon/cluster/scheduler.h"
#include "daemon/cluster/seen.h"
#include "daemon/cluster/tell.h"

static const enum fl_job_state states[FL_FATES] = {
	[FL_FATE_NONE] = FL_JOB_CANCELLED, [FL_FATE_WAITS] = FL_JOB_WAITS,
	[FL_FATE_HOLDS] = FL_JOB_RUNS,     [FL_FATE_GOES] = FL_JOB_STOPS,
	[FL_FATE_OUT] = FL_JOB_HELD,       [FL_FATE_OVER] = FL_JOB_DONE,
};

static int word(struct fl_cluster *c, const char *text, struct fl_sym *ret, fairlead_error *err)
{
	return fl_names_add(&c->jobs.names, text, strlen(text), ret, err);
}

/* As the Workload says, without its number. */
static int read_row(struct fl_cluster *c, const struct fl_mirror_object *o, struct fl_live *ret,
		    fairlead_error *err)
{
	struct fl_rows_own own;
	struct fl_names names;
	char queue[600];
	int r = fl_names_init(&names, &fl_mem_heap, err);

	if (r == 0)
		r = fl_rows_read_own(fl_mirror_own(o), &names, &own, err);
	if (r == 0) {
		(void)snprintf(queue, sizeof queue, "%s/%s", fl_mirror_namespace(o),
			       own.row.queue_name.v == FL_NONE ?
				       "" :
				       fl_names_text(&names, own.row.queue_name));
		r = word(c, queue, &ret->queue, err);
	}
	if (r == 0)
		r = word(c, fl_mirror_namespace(o), &ret->user, err);
	ret->stopping =
		r < 0 || o->fate != FL_FATE_GOES ?
			FL_GO_NOT :
			fl_cluster_go_why(fl_names_text(&names, own.requeue.evicted_reason));
	fl_names_done(&names);
	if (r < 0)
		return r;
	ret->id = o->number;
	ret->asks = c->no_asks;
	ret->tasks = 1;
	ret->made_of = o;
	ret->outcome = -1;
	ret->state = states[o->fate];
	ret->priority = own.row.priority;
	ret->submitted = own.row.created;
	ret->waits = own.row.created;
	if (own.row.requeue != FL_NONE && own.requeue.evicted_at != FL_TIME_NONE)
		ret->waits = own.requeue.evicted_at;
	ret->started = own.row.reserved ? own.row.reserved_at : FL_TIME_NONE;
	return 0;
}

static bool is_job(const struct fl_mirror_object *o)
{
	return o->n_own && o->fate != FL_FATE_OVER && o->fate != FL_FATE_NONE;
}

static const struct fl_live blank = { .workload = { FL_NONE },
				      .ended = FL_TIME_NONE,
				      .retry = FL_TIME_NONE,
				      .time_limit = FL_NEVER };

/* It was thought to have ended, and is the one that it was before. */
static void go_on(struct fl_live *row, const struct fl_live *before)
{
	const bool held = before->attempt && before->started != FL_TIME_NONE;

	row->kept = before->kept;
	row->attempt += before->attempt;
	row->evictions = before->evictions;
	row->ran = before->ran;
	if (held &&
	    row->started == before->started) { /* the attempt goes on that was thought to be over */
		row->attempt--;
		row->waits = before->waits == FL_TIME_NONE ? row->waits : before->waits;
		row->ran -= fl_amount_max(before->ended, before->started) - before->started;
	}
}

static int come_again(struct fl_cluster *c, struct fl_live *row, fairlead_error *err)
{
	const struct fl_live *before = fl_jobs_find(&c->jobs, row->id);
	struct fl_live kept;
	int r = before ? 0 : fl_before_recall(c, row->id, &kept, err);

	if (r == 0)
		go_on(row, before ? before : &kept);
	return r < 0 ? r : 0;
}

static int come(struct fl_cluster *c, struct fl_mirror_object *o, fairlead_error *err)
{
	struct fl_live row = blank;
	struct fl_live *added;
	bool again;
	int r = 0;

	if (!o->number)
		r = fl_before_number(c, o, &o->number, err);
	again = o->number && !c->before;
	if (r == 0 && !o->number)
		o->number = ++c->numbers;
	if (r == 0)
		r = read_row(c, o, &row, err);
	row.attempt = row.started != FL_TIME_NONE;
	if (r == 0 && again)
		r = come_again(c, &row, err);
	if (r == 0)
		r = fl_jobs_place(&c->jobs, &row, /* after= */ NULL, /* n_after= */ 0, &added, err);
	if (r < 0)
		return r;
	return again ? fl_kept_touch(c, added, err) : fl_before_meet(c, added, err);
}

int fl_cluster_hear_finished(struct fl_cluster *c, struct fl_mirror_object *o, fairlead_error *err)
{
	struct fl_live row = blank;
	struct fl_seen_workload seen;
	uint64_t number;
	int r = fl_cluster_see(o, &seen, err);

	if (r == 0)
		r = fl_before_number(c, o, &number, err);
	if (r < 0)
		return r;
	if (number ? !c->before : seen.finished <= fl_before_since(c))
		return 0; /* that is kept already, or was before all that is */
	o->number = number ? number : ++c->numbers;
	r = read_row(c, o, &row, err);
	return r < 0 ? r : fl_before_finished(c, &row, o, err);
}

static int over(struct fl_cluster *c, const struct fl_live *was, const struct fl_mirror_object *o,
		fl_time at, const char *how, fl_time *ran, fairlead_error *err)
{
	const fl_time to = fl_amount_max(at, was->started);

	*ran += to - was->started;
	return fl_kept_over(c, was, o, to, how, err);
}

/* It holds nothing any more, or something else. */
static int release(struct fl_cluster *c, const struct fl_live *was,
		   const struct fl_mirror_object *o, fl_time at, fl_time *ran, fairlead_error *err)
{
	const enum fl_go_why why = was->stopping == FL_GO_NOT ? FL_GO_REQUEUED : was->stopping;

	return over(c, was, o, at, fl_go_why_name(why), ran, err);
}

/* The job is as its Workload is now. */
static int change_job(struct fl_cluster *c, struct fl_live *job,
		      const struct fl_mirror_change *change, fairlead_error *err)
{
	const struct fl_live was = *job;
	struct fl_live row = was;
	int r = read_row(c, change->now, &row, err);
	const bool holds = row.started != FL_TIME_NONE, held = was.started != FL_TIME_NONE;

	if (r < 0)
		return r;
	if (row.queue.v != was.queue.v) {
		r = fl_jobs_move(&c->jobs, job, fl_names_text(&c->jobs.names, row.queue), err);
		if (r < 0)
			return r;
	}
	if (row.state == FL_JOB_STOPS && was.state != FL_JOB_STOPS)
		row.evictions++;
	if (holds) /* since it was pending for that */
		row.waits = was.waits;
	if (held && row.started != was.started)
		r = release(c, &was, change->was, fl_clock_now(&c->daemon.clock), &row.ran, err);
	row.attempt += holds && row.started != was.started;
	*job = row;
	return r < 0 ? r : fl_kept_touch(c, job, err);
}

/* It is in no list of jobs any more. */
static int leave(struct fl_cluster *c, struct fl_live *job, const struct fl_mirror_change *change,
		 fairlead_error *err)
{
	const struct fl_live was = *job;
	struct fl_seen_workload seen = { .finished = FL_TIME_NONE };
	int r = change->now ? fl_cluster_see(change->now, &seen, err) : 0;

	job->made_of = NULL;
	job->ended = seen.finished == FL_TIME_NONE ? fl_clock_now(&c->daemon.clock) : seen.finished;
	if (r == 0)
		r = fl_jobs_end(&c->jobs, job, change->now ? FL_JOB_DONE : FL_JOB_CANCELLED,
				/* how= */ NULL, err);
	if (r == 0 && was.started != FL_TIME_NONE)
		r = over(c, &was, change->was, job->ended,
			 change->now ? fl_outcome_name(FL_RUN_EXITED) :
				       fl_go_why_name(FL_GO_CANCELLED),
			 &job->ran, err);
	return r < 0 ? r : fl_kept_write(c, job, change->was, err);
}

/* The job of a Workload as it was; NULL: it was none. */
static struct fl_live *job_of(struct fl_cluster *c, uint64_t number)
{
	struct fl_live *job = number ? fl_jobs_find(&c->jobs, number) : NULL;

	return job && !fl_job_is_over(job->state) ? job : NULL;
}

static int note_since(struct fl_cluster *c, uint64_t number, fairlead_error *err)
{
	if (!c->drafter.draft)
		return 0;
	if (fl_mem_grow(&fl_mem_heap, &c->since, &c->cap_since, c->n_since + 1, sizeof *c->since,
			err) < 0)
		return FAIRLEAD_ENOMEM;
	c->since[c->n_since++] = number;
	return 0;
}

static int hear_workload(struct fl_cluster *c, const struct fl_mirror_change *change,
			 fairlead_error *err)
{
	struct fl_mirror_object *now = change->now && is_job(change->now) ? change->now : NULL;
	struct fl_live *job = job_of(c, change->now ? change->now->number : change->was->number);
	int r = 0;

	if (!now && !job)
		return change->now && !change->was && change->now->fate == FL_FATE_OVER ?
			       fl_cluster_hear_finished(c, change->now, err) :
			       0;
	if (now && job)
		r = change_job(c, job, change, err);
	else if (now)
		r = come(c, now, err);
	if (r < 0)
		return r;
	if (now && !job)
		job = job_of(c, now->number);
	r = note_since(c, job->id, err);
	if (r == 0)
		r = c->scheduler && now &&
				    c->scheduler->knows(c->scheduler->user, job, now,
							change->said) ?
			    0 :
			    fl_cluster_apply(c, job, now, change->said, err);
	if (r > 0)
		c->changed = true;
	else if (r == 0)
		c->events += change->said != 0;
	c->heard = true;
	c->version++;
	fl_cluster_tell(c, job, change->said);
	if (r >= 0 && !now)
		r = leave(c, job, change, err);
	if (c->scheduler)
		c->scheduler->heard(c->scheduler->user, job);
	fl_cluster_drop_over(c, FL_CLUSTER_OVER);
	return r < 0 ? r : 0;
}

/* What the scheduler knows of one that is over, or of the one before it of that name. */
static void forget(struct fl_cluster *c, const struct fl_mirror_change *change)
{
	const struct fl_mirror_object *now = change->now;

	if (!now || now->fate == FL_FATE_OVER)
		c->scheduler->removed(c->scheduler->user, now ? now : change->was);
}

/* In which trees nothing can be decided stands in a generation. */
static void hear_uncertain(struct fl_cluster *c, const struct fl_mirror_change *change)
{
	if (!(change->was && change->was->uncertain) && !(change->now && change->now->uncertain))
		return;
	c->changed = true;
	if (c->scheduler)
		c->scheduler->restructured(c->scheduler->user, change);
}

int fl_cluster_hear(void *cluster, const struct fl_mirror_change *change, fairlead_error *err)
{
	struct fl_cluster *c = cluster;
	int r;

	if (fl_mirror_kind(change->kind)->use < FL_MIRROR_JOBS) {
		c->restructured = true;
		if (c->scheduler)
			c->scheduler->restructured(c->scheduler->user, change);
		fl_cluster_soon(c);
		return 0;
	}
	if (change->kind != FL_MIRROR_WORKLOAD) {
		r = fl_cluster_hear_kai(c, change, err);
		if (r < 0)
			fl_cluster_break(c, err);
		fl_cluster_soon(c);
		return r;
	}
	hear_uncertain(c, change);
	if (c->scheduler)
		forget(c, change);
	if (!c->ready)
		return 0; /* all of them are taken in together, in the order of their numbers */
	r = hear_workload(c, change, err);
	if (r < 0)
		fl_cluster_break(c, err);
	fl_cluster_soon(c);
	return r;
}

/* --- at the beginning --- */

struct one {
	struct fl_mirror_object *object;
	fl_time created;
};

struct all {
	struct fl_cluster *cluster;
	struct one *rows;
	uint32_t n, cap;
	struct fl_names names;
};

static int add(void *user, struct fl_mirror_object *o, fairlead_error *err)
{
	struct all *a = user;
	struct fl_rows_own own;
	int r;

	if (o->fate == FL_FATE_OVER && o->n_own)
		return fl_cluster_hear_finished(a->cluster, o, err);
	if (!is_job(o))
		return 0;
	r = fl_before_number(a->cluster, o, &o->number, err);
	if (r < 0)
		return r;
	r = fl_mem_grow(&fl_mem_heap, &a->rows, &a->cap, a->n + 1, sizeof *a->rows, err);
	if (r == 0)
		r = fl_rows_read_own(fl_mirror_own(o), &a->names, &own, err);
	if (r == 0)
		a->rows[a->n++] = (struct one){ o, own.row.created };
	return r;
}

/* Those with a number by it, then the others as they came. */
static int by_number(const void *a, const void *b)
{
	const struct one *x = a, *y = b;
	const uint64_t m = x->object->number - 1, n = y->object->number - 1; /* 0: last */

	if (m != n)
		return m < n ? -1 : 1;
	if (x->created != y->created)
		return x->created < y->created ? -1 : 1;
	return strcmp(fl_mirror_uid(x->object), fl_mirror_uid(y->object));
}

int fl_cluster_take_in(struct fl_cluster *c, fairlead_error *err)
{
	struct all a = { .cluster = c };
	int r;

	if (c->dialect == FL_DIALECT_KAI)
		return fl_cluster_take_in_kai(c, err);
	r = fl_names_init(&a.names, &fl_mem_heap, err);

	if (r == 0)
		r = fl_before_begin(c, err);
	if (r == 0)
		r = fl_mirror_each(c->mirror, FL_MIRROR_WORKLOAD, add, &a, err);
	if (r == 0 && a.n)
		qsort(a.rows, a.n, sizeof *a.rows, by_number);
	for (uint32_t i = 0; i < a.n && r == 0; i++)
		r = come(c, a.rows[i].object, err);
	if (r == 0)
		r = fl_before_rest(c, err);
	fl_mem_free(&fl_mem_heap, a.rows);
	fl_names_done(&a.names);
	return r;
}
