/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/kai.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/kai_gang.h"
#include "daemon/cluster/tell.h"
#include "mirror/adding.h"

int fl_cluster_kai_begin(struct fl_cluster *c, fairlead_error *err)
{
	fl_doc_init(&c->doc, &fl_mem_heap);
	return fl_kai_gangs_new(&c->gangs, err);
}

void fl_cluster_kai_done(struct fl_cluster *c)
{
	c->gangs = fl_kai_gangs_free(c->gangs);
	fl_doc_done(&c->doc);
}

/* --- jobs --- */

static struct fl_live *job_of(const struct fl_cluster *c, const struct fl_mirror_object *group)
{
	struct fl_live *job = group && group->number ? fl_jobs_find(&c->jobs, group->number) : NULL;

	return job && !fl_job_is_over(job->state) ? job : NULL;
}

static const enum fl_job_state states[FL_FATES] = {
	[FL_FATE_NONE] = FL_JOB_HELD,  [FL_FATE_WAITS] = FL_JOB_WAITS,
	[FL_FATE_HOLDS] = FL_JOB_RUNS, [FL_FATE_GOES] = FL_JOB_STOPS,
	[FL_FATE_OUT] = FL_JOB_HELD,   [FL_FATE_OVER] = FL_JOB_HELD,
};

/* What the object of a PodGroup says of its job. */
static int read_group(struct fl_cluster *c, const struct fl_mirror_object *o, struct fl_live *ret,
		      fairlead_error *err)
{
	struct fl_model *m = NULL;
	const char *namespace = fl_mirror_namespace(o), *queue;
	int r = fl_model_new(&fl_mem_heap, &m, err);

	if (r == 0)
		r = fl_mirror_add_text(m, o, &c->doc, err);
	if (r == 0) {
		queue = m->workloads[0].queue_name.v == FL_NONE ?
				"" :
				fl_model_text(m, m->workloads[0].queue_name);
		ret->submitted = m->workloads[0].created;
		ret->started = m->gangs[0].started;
		r = fl_names_add(&c->jobs.names, queue, strlen(queue), &ret->queue, err);
	}
	if (r == 0)
		r = fl_names_add(&c->jobs.names, namespace, strlen(namespace), &ret->user, err);
	fl_model_free(m);
	return r;
}

/* Is it other than @was? A gang that begins to hold does so now, unless its PodGroup says when it did. */
static void become(const struct fl_cluster *c, enum fl_fate fate, const struct fl_live *was,
		   struct fl_live *ret)
{
	const fl_time now = fl_clock_now(&c->daemon.clock);

	ret->state = states[fate];
	if (!fl_live_runs(ret))
		ret->started = FL_TIME_NONE;
	else if (ret->started == FL_TIME_NONE)
		ret->started = was && fl_live_runs(was) ? was->started : now;
	ret->attempt += fl_live_runs(ret) && !(was && fl_live_runs(was));
	ret->evictions += ret->state == FL_JOB_STOPS && was && was->state != FL_JOB_STOPS;
	ret->stopping = ret->state == FL_JOB_STOPS ? FL_GO_PREEMPTED : FL_GO_NOT;
	if (!was)
		ret->waits = ret->submitted;
	else if (fl_live_runs(was) && !fl_live_runs(ret))
		ret->waits = now;
}

static int come(struct fl_cluster *c, struct fl_mirror_object *o, enum fl_fate fate,
		fairlead_error *err)
{
	struct fl_live *added, row = { .workload = { FL_NONE },
				       .ended = FL_TIME_NONE,
				       .retry = FL_TIME_NONE,
				       .time_limit = FL_NEVER,
				       .outcome = -1,
				       .tasks = 1,
				       .asks = c->no_asks,
				       .made_of = o };
	int r = read_group(c, o, &row, err);

	if (r < 0)
		return r;
	if (!o->number)
		o->number = ++c->numbers;
	row.id = o->number;
	become(c, fate, /* was= */ NULL, &row);
	return fl_jobs_place(&c->jobs, &row, /* after= */ NULL, /* n_after= */ 0, &added, err);
}

static int change_job(struct fl_cluster *c, struct fl_live *job, const struct fl_mirror_object *o,
		      enum fl_fate fate, fairlead_error *err)
{
	const struct fl_live was = *job;
	struct fl_live row = was;
	int r = read_group(c, o, &row, err);

	if (r == 0 && row.queue.v != was.queue.v)
		r = fl_jobs_move(&c->jobs, job, fl_names_text(&c->jobs.names, row.queue), err);
	if (r < 0)
		return r;
	row.made_of = o;
	become(c, fate, &was, &row);
	*job = row;
	return 0;
}

/* It has no pods any more, or there is no such PodGroup. */
static int leave(struct fl_cluster *c, struct fl_live *job, enum fl_job_state state,
		 fairlead_error *err)
{
	int r = c->viewed ? fl_cluster_gang_leaves(c, job) : 0;

	job->made_of = NULL;
	job->ended = fl_clock_now(&c->daemon.clock);
	return r < 0 ? r : fl_jobs_end(&c->jobs, job, state, /* how= */ NULL, err);
}

static int note_since(struct fl_cluster *c, const struct fl_live *job, fairlead_error *err)
{
	int r = 0;

	c->changed = true;
	c->version++;
	if (!c->drafter.draft)
		return 0;
	r = fl_mem_grow(&fl_mem_heap, &c->since, &c->cap_since, c->n_since + 1, sizeof *c->since,
			err);
	if (r == 0)
		c->since[c->n_since++] = job->id;
	return r;
}

/* --- what gangs have become --- */

static bool has_pods(const struct fl_kai_counts *counts)
{
	uint32_t n = 0;

	for (int i = 0; i < FL_KAI_STATES; i++)
		n += i == FL_KAI_ENDED ? 0 : counts->of[i];
	return n && counts->least;
}

/* Its last pods held something, and left without being told to: they have ended. */
static bool has_ended(const struct fl_kai_gang_change *change)
{
	return change->was == FL_FATE_HOLDS && !has_pods(change->counts);
}

/* What followers of events are told: one that holds more or less than before does not begin anew. */
static unsigned said_of(const struct fl_kai_gang_change *change)
{
	if (has_ended(change))
		return FL_SAID_OVER;
	return change->said & FL_SAID_RELEASED && change->was == change->now ? FL_SAID_CHANGED :
									       change->said;
}

static int on_gang(void *cluster, const struct fl_kai_gang_change *change, fairlead_error *err)
{
	struct fl_cluster *c = cluster;
	struct fl_mirror_object *o = fl_mirror_find(c->mirror, FL_MIRROR_POD_GROUP,
						    change->namespace, change->group);
	struct fl_live *job = job_of(c, o);
	const bool there = o && o->n_own && (job ? !has_ended(change) : has_pods(change->counts));
	const unsigned said = said_of(change);
	int r = 0;

	if (!there && !job)
		return 0;
	if (!job)
		r = come(c, o, change->now, err);
	else if (there)
		r = change_job(c, job, o, change->now, err);
	if (r < 0)
		return r;
	job = job_of(c, o);
	r = note_since(c, job, err);
	if (r == 0 && there && c->viewed)
		r = fl_cluster_align_gang(c, job);
	if (r < 0)
		return r;
	fl_cluster_tell(c, job, said);
	return there ? 0 : leave(c, job, said & FL_SAID_OVER ? FL_JOB_DONE : FL_JOB_CANCELLED, err);
}

int fl_cluster_tell_gangs(struct fl_cluster *c, fairlead_error *err)
{
	int r = c->ready ? fl_kai_gangs_tell(c->gangs, on_gang, c, err) : 0;

	fl_cluster_drop_over(c, FL_CLUSTER_OVER);
	return r;
}

/* --- what the mirror tells --- */

static int hear_group(struct fl_cluster *c, const struct fl_mirror_change *change,
		      fairlead_error *err)
{
	const struct fl_mirror_object *o = change->now ? change->now : change->was;
	const bool there = change->now && o->n_own;
	struct fl_live *job = job_of(c, o);
	uint32_t least = 0;
	int r = there ? fl_mirror_read(o, &c->doc, err) : 0;

	if (r == 0 && there)
		least = fl_kai_read_least(&c->doc);
	if (r == 0)
		r = fl_kai_gangs_group(c->gangs, fl_mirror_namespace(o), fl_mirror_name(o), least,
				       err);
	if (r < 0 || !job)
		return r;
	r = note_since(c, job, err);
	if (r == 0 && there)
		return change_job(c, job, change->now,
				  fl_kai_fate(fl_kai_gangs_counts(c->gangs, fl_mirror_namespace(o),
								  fl_mirror_name(o))),
				  err);
	if (r < 0)
		return r;
	fl_cluster_tell(c, job, FL_SAID_GONE); /* the object is freed behind this call */
	return leave(c, job, FL_JOB_CANCELLED, err);
}

static int hear_pod(struct fl_cluster *c, const struct fl_mirror_change *change,
		    fairlead_error *err)
{
	const struct fl_mirror_object *o = change->now ? change->now : change->was;
	const bool there = change->now && o->n_own;
	struct fl_kai_pod pod;
	int r = there ? fl_mirror_read(o, &c->doc, err) : 0;

	if (r == 0 && there)
		fl_kai_read_pod(&c->doc, &pod);
	return r < 0 ? r :
		       fl_kai_gangs_pod(c->gangs, fl_mirror_namespace(o), fl_mirror_name(o),
					there ? &pod : NULL, err);
}

static int hear_bind(struct fl_cluster *c, const struct fl_mirror_change *change,
		     fairlead_error *err)
{
	const struct fl_mirror_object *now = change->now && change->now->n_own ? change->now : NULL;
	const struct fl_mirror_object *was = change->was && change->was->n_own ? change->was : NULL;
	struct fl_kai_bind bind;
	int r = 0;

	if (was)
		r = fl_mirror_read(was, &c->doc, err);
	if (was && r == 0) {
		fl_kai_read_bind(&c->doc, &bind);
		r = fl_kai_gangs_bind(c->gangs, fl_mirror_namespace(was), bind.pod, NULL, err);
	}
	if (now && r == 0)
		r = fl_mirror_read(now, &c->doc, err);
	if (!now || r < 0)
		return r;
	fl_kai_read_bind(&c->doc, &bind);
	return fl_kai_gangs_bind(c->gangs, fl_mirror_namespace(now), bind.pod, bind.node, err);
}

int fl_cluster_hear_kai(struct fl_cluster *c, const struct fl_mirror_change *change,
			fairlead_error *err)
{
	c->changed = c->heard = true;
	return change->kind == FL_MIRROR_POD_GROUP ? hear_group(c, change, err) :
	       change->kind == FL_MIRROR_POD       ? hear_pod(c, change, err) :
						     hear_bind(c, change, err);
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
};

static const struct fl_kai_counts *counts_of(const struct fl_cluster *c,
					     const struct fl_mirror_object *o)
{
	return fl_kai_gangs_counts(c->gangs, fl_mirror_namespace(o), fl_mirror_name(o));
}

static int add(void *user, struct fl_mirror_object *o, fairlead_error *err)
{
	struct all *a = user;
	struct fl_live row = { .id = 0 };
	int r;

	if (!o->n_own || !has_pods(counts_of(a->cluster, o)))
		return 0;
	r = read_group(a->cluster, o, &row, err);
	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &a->rows, &a->cap, a->n + 1, sizeof *a->rows, err);
	if (r == 0)
		a->rows[a->n++] = (struct one){ o, row.submitted };
	return r;
}

static int by_age(const void *a, const void *b)
{
	const struct one *x = a, *y = b;

	if (x->created != y->created)
		return x->created < y->created ? -1 : 1;
	return strcmp(fl_mirror_uid(x->object), fl_mirror_uid(y->object));
}

static int pass_over(void *user, const struct fl_kai_gang_change *change, fairlead_error *err)
{
	(void)user;
	(void)change;
	(void)err;
	return 0;
}

int fl_cluster_take_in_kai(struct fl_cluster *c, fairlead_error *err)
{
	struct all a = { .cluster = c };
	int r = fl_mirror_each(c->mirror, FL_MIRROR_POD_GROUP, add, &a, err);

	if (a.n)
		qsort(a.rows, a.n, sizeof *a.rows, by_age);
	for (uint32_t i = 0; i < a.n && r == 0; i++)
		r = come(c, a.rows[i].object, fl_kai_fate(counts_of(c, a.rows[i].object)), err);
	fl_mem_free(&fl_mem_heap, a.rows);
	return r < 0 ? r : fl_kai_gangs_tell(c->gangs, pass_over, /* user= */ NULL, err);
}

/* --- behind a generation --- */

int fl_cluster_catch_up_kai(struct fl_cluster *c, fairlead_error *err)
{
	const struct fl_generation *g = &c->generation;
	int r = 0;

	(void)err;
	for (uint32_t i = 0; i < c->jobs.n; i++)
		if (c->jobs.rows[i].workload.v != FL_NONE)
			c->jobs.rows[i].priority =
				g->model->workloads[c->jobs.rows[i].workload.v].priority;
	for (uint32_t i = 0; i < c->n_since && r >= 0; i++) {
		const struct fl_live *job = fl_jobs_find(&c->jobs, c->since[i]);

		if (job && !fl_job_is_over(job->state))
			r = fl_cluster_align_gang(c, job);
	}
	c->n_since = 0;
	return r < 0 ? r : 0;
}
