/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/decided.h"

#include <stdio.h>
#include <string.h>

#include "daemon/cluster/apply.h"
#include "daemon/cluster/scheduler.h"
#include "daemon/engine/decisions.h"
#include "daemon/engine/rows.h"

/* --- evictions --- */

static enum fl_reason reason_named(const char *name)
{
	for (enum fl_reason r = FL_REASON_NONE + 1; r < FL_REASONS; r++)
		if (strcmp(fl_reason_name(r), name) == 0)
			return r;
	return FL_REASON_NONE;
}

enum fl_reason fl_cluster_why_it_goes(const struct fl_model *from)
{
	const struct fl_eviction_row *e = from->n_evictions ? &from->evictions[0] : NULL;
	enum fl_reason r = e ? reason_named(fl_model_text(from, e->rule)) : FL_REASON_NONE;

	return r == FL_REASON_NONE && e ? reason_named(fl_model_text(from, e->reason)) : r;
}

struct fl_workload fl_cluster_preemptor(const struct fl_model *m, const struct fl_model *from)
{
	const char *uid = from->n_evictions ? fl_model_text(from, from->evictions[0].preemptor) :
					      "";
	const struct fl_sym sym = fl_names_find(&m->names, uid, strlen(uid));

	for (uint32_t w = 0; *uid && sym.v != FL_NONE && w < m->n_workloads; w++)
		if (m->workloads[w].uid.v == sym.v && !m->workloads[w].finished)
			return (struct fl_workload){ w };
	return (struct fl_workload){ FL_NONE };
}

int fl_cluster_last_eviction(const struct fl_cluster *c, const struct fl_live *job,
			     struct fl_last_eviction *ret, fairlead_error *err)
{
	const struct fl_mirror_object *o = job->made_of;
	const struct fl_eviction_row *row;
	struct fl_model *from = NULL;
	int r;

	*ret = (struct fl_last_eviction){ .at = FL_TIME_NONE, .by = { FL_NONE } };
	if (c->dialect == FL_DIALECT_KAI || !o || !o->n_own) /* without rows it cannot be read */
		return 0;
	r = fl_cluster_read_object(o, &from, err);
	if (r == 0 && from->n_evictions) {
		row = &from->evictions[0];
		*ret = (struct fl_last_eviction){
			.at = row->at,
			.why = fl_cluster_why_it_goes(from),
			.for_one = *fl_model_text(from, row->preemptor),
			.by = fl_cluster_preemptor(c->generation.model, from),
		};
		(void)snprintf(ret->reason, sizeof ret->reason, "%s",
			       fl_model_text(from, row->reason));
		(void)snprintf(ret->rule, sizeof ret->rule, "%s", fl_model_text(from, row->rule));
		ret->preempted = strcmp(ret->reason, "Preempted") == 0;
		r = 1;
	}
	fl_model_free(from);
	return r;
}

/* --- loops --- */

/* Where nothing decides here, drivers are never stepped. */
static int start(void *cluster, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	const struct fl_cluster_scheduler *s = ((struct fl_cluster *)cluster)->scheduler;

	return s->start(s->user, now, d, err);
}

static int evict(void *cluster, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	const struct fl_cluster_scheduler *s = ((struct fl_cluster *)cluster)->scheduler;

	return s->evict(s->user, now, d, err);
}

static int tell_loop(void *cluster, fl_time now, const struct fl_watched_loop *l,
		     fairlead_error *err)
{
	struct fl_cluster *c = cluster;
	char text[FL_LOOP_TEXT];
	const struct fl_tell tell = { .what = FL_HAPPENED_LOOP,
				      .at = now,
				      .reason = l->sure ? "sure" : "repeated",
				      .text = fl_loop_text(l, text) };

	(void)err;
	fl_metrics_loop(c->daemon.metrics);
	fl_kept_event(c, &tell, ++c->version, 0);
	return 0;
}

struct fl_backend fl_cluster_backend(struct fl_cluster *c)
{
	return (struct fl_backend){ .start = start, .evict = evict, .loop = tell_loop, .user = c };
}

/* --- as the engine? --- */

static int begin(struct fl_cluster *c, fairlead_error *err)
{
	const struct fl_generation *g = &c->generation;
	const struct fl_agreement_options o = { .folder = c->agreement_folder,
						.ops = g->ops,
						.moving_usage = !g->still,
						.busy = true };

	c->agreed_by = g->ops;
	return fl_agreement_new(&o, g->model, fl_clock_now(&c->daemon.clock), g->policy,
				&c->agreement, err);
}

int fl_cluster_agree(struct fl_cluster *c, struct fl_agreement *a, fairlead_error *err)
{
	const struct fl_generation *g = &c->generation;
	fairlead_error own = { 0 };
	int r;

	if (c->scheduler) /* it would be compared with itself */
		return 0;
	if (a && c->agreed_by != g->ops) /* another policy */
		a = fl_agreement_free(a);
	if (a)
		r = fl_agreement_renew(a, g->model, fl_clock_now(&c->daemon.clock), g->policy,
				       &own);
	else
		r = begin(c, &own);
	if (a && r == 0)
		c->agreement = a;
	else if (a)
		fl_agreement_free(a);
	if (r < 0 && r != FAIRLEAD_ENOMEM) {
		fl_cluster_log(c, "what the scheduler decides is not compared with the engine: %s",
			       own.text);
		return 0;
	}
	if (r < 0)
		*err = own;
	return r;
}
