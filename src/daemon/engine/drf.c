/* SPDX-License-Identifier: Apache-2.0 */
/* drf - figures of queues that share one cluster, for API and metrics */
#include "decide/drf/drf.h"

#include <math.h>

#include "ask/drf/outcome.h"
#include "daemon/engine/face.h"
#include "decide/match.h"
#include "report/out/report.h"

static int look(const struct fl_live_view *v, struct fl_arena *arena, void **ret,
		fairlead_error *err)
{
	struct fl_drf_stand *s = fl_arena_alloc(arena, 1, sizeof *s, err);
	int code = s ? fl_drf_stand_init(s, v->model, arena, err) : FAIRLEAD_ENOMEM;

	if (code < 0)
		return code;
	fl_drf_stand_look(s, v->ops, v->policy);
	*ret = s;
	return 0;
}

static fl_amount borrowed(fl_amount held, fl_amount quota)
{
	return fl_amount_max(0, fl_sat_sub(held, quota));
}

/* Quotas are parts of the cluster; there is no lending, and no queue has others below it. */
static void figures(const void *stand, struct fl_node n, enum fl_figure what, fl_figure_tell *tell,
		    void *user)
{
	const struct fl_drf_stand *s = stand;

	if (what == FL_FIGURE_LENT || what == FL_FIGURE_SUBTREE || what == FL_FIGURE_FAIR_SHARE)
		return;
	for (uint32_t r = 0; r < s->model->n_resources; r++) {
		size_t at = (size_t)n.v * s->model->n_resources + r;
		fl_amount v = what == FL_FIGURE_NOMINAL  ? s->quota[at] :
			      what == FL_FIGURE_BORROWED ? borrowed(s->held[at], s->quota[at]) :
							   s->held[at];

		if (s->quota[at] || s->held[at])
			tell(user, n, (struct fl_flavor){ FL_NONE }, (struct fl_resource){ r },
			     v == FL_UNLIMITED ? (double)INFINITY : (double)v);
	}
}

static uint32_t resources(const void *stand, struct fl_node n, const fl_amount *pending,
			  struct fl_queue_amounts *ret)
{
	const struct fl_drf_stand *s = stand;
	uint32_t all = 0;

	for (uint32_t r = 0; r < s->model->n_resources; r++) {
		size_t at = (size_t)n.v * s->model->n_resources + r;
		const char *name = fl_report_resource(s->model, (struct fl_resource){ r });

		if (!s->quota[at] && !s->held[at] && !pending[r])
			continue;
		ret[all] = (struct fl_queue_amounts){ .resource = name, .lent = "0" };
		fl_daemon_amount(name, s->quota[at], ret[all].nominal);
		fl_daemon_amount(name, s->held[at], ret[all].usage);
		fl_daemon_amount(name, borrowed(s->held[at], s->quota[at]), ret[all].borrowed);
		fl_daemon_amount(name, pending[r], ret[all++].pending);
	}
	return all;
}

/* The dominant share in thousandths, by weight. */
static double share(const struct fl_live_view *v, const void *stand, struct fl_node n)
{
	const struct fl_drf_stand *s = stand;

	(void)v;
	return s->shares[n.v].precise;
}

static bool tightest(const void *stand, struct fl_workload w, struct fl_resource r,
		     struct fl_live_room *ret)
{
	const struct fl_drf_stand *s = stand;
	const struct fl_model *m = s->model;
	const struct fl_workload_row *row = &m->workloads[w.v];

	*ret = (struct fl_live_room){ .node = { FL_NONE } };
	for (uint32_t f = 0; f < m->n_flavors; f++) {
		size_t at = (size_t)f * m->n_resources + r.v;

		if (row->podsets.n > 0 &&
		    !fl_match_flavor(m, &m->podsets[row->podsets.first], (struct fl_flavor){ f }))
			continue;
		ret->used = fl_sat_add(ret->used, s->used[at]);
		ret->most = fl_quota_add(ret->most, s->capacity[at]);
	}
	return ret->most != FL_UNLIMITED;
}

/* All flavors of a resource together. */
static uint32_t total(const void *stand, struct fl_queue_amounts *ret)
{
	const struct fl_drf_stand *s = stand;
	const struct fl_model *m = s->model;

	for (uint32_t r = 0; r < m->n_resources; r++) {
		const char *name = fl_report_resource(m, (struct fl_resource){ r });
		fl_amount sum = 0;

		for (uint32_t f = 0; f < m->n_flavors; f++)
			sum = fl_quota_add(sum, s->capacity[(size_t)f * m->n_resources + r]);
		ret[r] = (struct fl_queue_amounts){ .resource = name };
		fl_daemon_amount(name, sum, ret[r].nominal);
	}
	return m->n_resources;
}

extern const struct fl_daemon_face fl_drf_daemon;
const struct fl_daemon_face fl_drf_daemon = {
	.look = look,
	.figures = figures,
	.resources = resources,
	.share = share,
	.tightest = tightest,
	.total = total,
};
