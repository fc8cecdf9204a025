/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/confirm.h"

#include "daemon/cluster/scheduler/cycle.h"

/* Where it holds quota as the model has it; where it waited, if it was given it since. */
static struct fl_node queue_of(const struct fl_model *m, const struct fl_live *job)
{
	const struct fl_workload_row *row = &m->workloads[job->workload.v];

	return row->admitted_queue.v == FL_NONE ? row->cluster_queue : row->admitted_queue;
}

static bool is_ours(const struct fl_scheduler *s, const struct fl_live *job)
{
	const struct fl_cluster *c = s->o.cluster;
	const struct fl_model *m = c->generation.model;
	const struct fl_mirror_object *o = job->made_of;
	struct fl_node n;

	if (!c->viewed || !o || o->fate != FL_FATE_HOLDS || job->workload.v == FL_NONE)
		return false;
	n = queue_of(m, job);
	return n.v != FL_NONE && !m->nodes[n.v].elsewhere &&
	       m->nodes[n.v].checks == FL_CHECKS_TAKEN && m->nodes[n.v].handed == FL_HANDED_RUNS;
}

/* ENOMEM. */
static int look(const struct fl_scheduler *s, const struct fl_live *job, bool *ret,
		fairlead_error *err)
{
	enum fl_managed_check check = FL_MANAGED_NO_CHECK;
	int r = is_ours(s, job) ? fl_managed_check(&s->managed, job->made_of, &check, err) : 0;

	*ret = check == FL_MANAGED_CHECK_WAITS;
	return r;
}

bool fl_confirm_wants(const struct fl_scheduler *s, const struct fl_live *job)
{
	fairlead_error none;
	bool wants;

	return look(s, job, &wants, &none) == 0 && wants;
}

static int intend(struct fl_scheduler *s, const struct fl_live *job, fairlead_error *err)
{
	struct fl_intent intent = { .job = job->id,
				    .confirms = true,
				    .decided = fl_clock_now(&s->o.cluster->daemon.clock) };
	bool wants;
	int r = look(s, job, &wants, err);

	if (r == 0 && wants && (r = fl_scheduler_intend(s, &intent, err)) == 0)
		fl_scheduler_soon(s);
	return r;
}

int fl_confirm_seen(struct fl_scheduler *s, const struct fl_live *job, fairlead_error *err)
{
	struct fl_intent *intent = fl_intents_find(&s->intents, job->id);

	if (s->stage != FL_SCHEDULER_DECIDES || (intent && !intent->confirms))
		return 0;
	if (!intent)
		return intend(s, job, err);
	if (!fl_confirm_wants(s, job)) {
		s->writes[FL_WRITTEN_DONE] += intent->base != 0;
		fl_intents_close(&s->intents, intent);
	}
	return 0;
}

/* Most clusters have none, and their workloads are not looked at. */
static bool has_checked(const struct fl_model *m)
{
	for (uint32_t n = 0; n < m->n_nodes; n++)
		if (m->nodes[n].checks == FL_CHECKS_TAKEN)
			return true;
	return false;
}

int fl_confirm_all(struct fl_scheduler *s, fairlead_error *err)
{
	struct fl_cluster *c = s->o.cluster;
	const struct fl_model *m = c->generation.model;
	const uint32_t n = has_checked(m) ? m->n_workloads : 0;
	int r = 0;

	for (uint32_t w = 0; w < n && r == 0; w++) {
		const struct fl_live *job = fl_generation_job(&c->generation, &c->jobs,
							      (struct fl_workload){ w });

		if (job && !fl_intents_find(&s->intents, job->id))
			r = intend(s, job, err);
	}
	return r;
}
