/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/daemon.h"

#include <stddef.h>

#include "daemon/cluster/capacity.h"
#include "daemon/cluster/decided.h"
#include "daemon/cluster/mirrored.h"
#include "daemon/cluster/scheduler.h"

static struct fl_cluster *cluster_of(const struct fl_daemon *d)
{
	return (struct fl_cluster *)(void *)((char *)(uintptr_t)d -
					     offsetof(struct fl_cluster, daemon));
}

static struct fl_living living(const struct fl_daemon *d)
{
	const struct fl_cluster *c = cluster_of(d);

	return (struct fl_living){ .config = c->config,
				   .capacity = &c->nothing,
				   .jobs = &c->jobs,
				   .generation = &c->generation,
				   .maker = &c->maker };
}

static struct fl_jobs *jobs(struct fl_daemon *d) { return &cluster_of(d)->jobs; }
static fl_time now(const struct fl_daemon *d) { return fl_clock_now(&d->clock); }
static uint64_t version(const struct fl_daemon *d) { return cluster_of(d)->version; }

static int capacities(const struct fl_daemon *d, struct fl_weighed_capacity **ret, uint32_t *ret_n,
		      fairlead_error *err)
{
	return fl_cluster_capacities(cluster_of(d), ret, ret_n, err);
}

static const struct fl_job_row *newer(const struct fl_daemon *d, uint64_t job)
{
	(void)d;
	(void)job;
	return NULL;
}

static void unwritten(const struct fl_daemon *d,
		      void (*fn)(void *user, const struct fl_event_row *row), void *user)
{
	const struct fl_keeping *k = &cluster_of(d)->kept;
	const struct fl_gathered *const both[] = { k->writing, k->gather };

	for (int i = 0; i < 2; i++)
		for (uint32_t e = 0; both[i] && e < both[i]->rows.n_events; e++)
			fn(user, &both[i]->rows.events[e]);
}

static const char *problem(const struct fl_daemon *d)
{
	const struct fl_cluster *c = cluster_of(d);

	const char *unwritten = c->scheduler ? c->scheduler->problem(c->scheduler->user) : NULL;
	const char *const problems[] = { c->trouble, unwritten ? unwritten : "", c->kept.problem,
					 c->times.problem };

	for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
		if (problems[i][0])
			return problems[i];
	return NULL;
}

static const char *store_problem(const struct fl_daemon *d)
{
	const struct fl_keeping *k = &cluster_of(d)->kept;

	return k->problem[0] ? k->problem : NULL;
}

static const char *warning(const struct fl_daemon *d)
{
	const struct fl_cluster *c = cluster_of(d);

	return c->refused[0] ? c->refused : NULL;
}

static const char *unready(const struct fl_daemon *d)
{
	const struct fl_cluster *c = cluster_of(d);

	if (c->viewed)
		return NULL;
	return c->refused[0] ? c->refused : "the cluster is being read for the first time";
}

static const char *stale(const struct fl_daemon *d)
{
	struct fl_cluster *c = cluster_of(d);

	if (c->fresh && c->fresh(c->following, c->stale))
		c->stale[0] = '\0';
	return c->stale[0] ? c->stale : NULL;
}

static const struct fl_live *find(const struct fl_daemon *d, const char *namespace,
				  const char *name)
{
	return fl_cluster_find(cluster_of(d), namespace, name);
}

static bool named(const struct fl_daemon *d, const struct fl_live *job, const char **ret_namespace,
		  const char **ret_name)
{
	const struct fl_mirror_object *o = job->made_of;

	(void)d;
	if (!o)
		return false;
	*ret_namespace = fl_mirror_namespace(o);
	*ret_name = fl_mirror_name(o);
	return true;
}

static const struct fl_agreement *agreement(const struct fl_daemon *d)
{
	return cluster_of(d)->agreement;
}

static int last_eviction(const struct fl_daemon *d, const struct fl_live *job,
			 struct fl_last_eviction *ret, fairlead_error *err)
{
	return fl_cluster_last_eviction(cluster_of(d), job, ret, err);
}

static int mirrored(const struct fl_daemon *d, const struct fl_mirrored_question *q,
		    struct fl_mirrored_answer *ret, fairlead_error *err)
{
	return fl_cluster_mirrored(cluster_of(d), q, ret, err);
}

static bool writing(const struct fl_daemon *d, struct fl_daemon_writing *ret)
{
	const struct fl_cluster_scheduler *s = cluster_of(d)->scheduler;

	if (s)
		s->writing(s->user, ret);
	return s != NULL;
}

/* Nothing can be changed here, so there is nothing to be audited. */
static void audit(struct fl_daemon *d, const struct fl_audit_row *row)
{
	(void)d;
	(void)row;
}

static void log_line(const struct fl_daemon *d, const char *line)
{
	fl_cluster_log(cluster_of(d), "%s", line);
}

static const struct fl_daemon_ops ops = {
	.living = living,
	.jobs = jobs,
	.now = now,
	.version = version,
	.capacities = capacities,
	.newer = newer,
	.unwritten = unwritten,
	.problem = problem,
	.store_problem = store_problem,
	.warning = warning,
	.unready = unready,
	.stale = stale,
	.find = find,
	.named = named,
	.agreement = agreement,
	.mirrored = mirrored,
	.last_eviction = last_eviction,
	.writing = writing,
	.audit = audit,
	.log = log_line,
};

void fl_cluster_begin_daemon(struct fl_cluster *c) { c->daemon.ops = &ops; }

struct fl_daemon *fl_cluster_daemon(struct fl_cluster *c) { return &c->daemon; }
