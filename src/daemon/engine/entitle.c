/* SPDX-License-Identifier: Apache-2.0 */
/* entitle - figures of queues with deserved quotas, for API and metrics */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ask/entitle/standings.h"
#include "codec/text/quantity.h"
#include "daemon/engine/face.h"
#include "report/out/bundle_text.h"

static int look(const struct fl_live_view *v, struct fl_arena *arena, void **ret,
		fairlead_error *err)
{
	struct fl_standings *s = fl_arena_alloc(arena, 1, sizeof *s, err);
	int code = s ? fl_standings_init(s, v->model, arena, err) : FAIRLEAD_ENOMEM;

	if (code < 0)
		return code;
	fl_standings_look(s, v->policy);
	*ret = s;
	return 0;
}

/* FL_UNBOUNDED becomes infinity. */
static double amount_of(const struct fl_standing *q, enum fl_figure what, int axis)
{
	double deserved = q->deserved.of[axis], held = q->allocated.of[axis];

	switch (what) {
	case FL_FIGURE_NOMINAL:
		return deserved;
	case FL_FIGURE_FAIR_SHARE:
		return q->fair_share.of[axis];
	case FL_FIGURE_BORROWED:
		return deserved >= 0 && held > deserved ? held - deserved : 0;
	default:
		return held;
	}
}

static void figures(const void *stand, struct fl_node n, enum fl_figure what, fl_figure_tell *tell,
		    void *user)
{
	const struct fl_standings *s = stand;

	if (what == FL_FIGURE_LENT || what == FL_FIGURE_SUBTREE ||
	    s->model->nodes[n.v].inactive != FL_ACTIVE)
		return;
	for (int axis = 0; axis < FL_BUNDLE; axis++) {
		double v = amount_of(&s->rows[n.v], what, axis);

		if (s->model->axis[axis].v != FL_NONE)
			tell(user, n, (struct fl_flavor){ FL_NONE }, s->model->axis[axis],
			     v < 0 ? (double)INFINITY : v);
	}
}

static void put_amount(int resource, double v, char ret[FL_AMOUNT_TEXT])
{
	if (v == FL_UNBOUNDED)
		(void)strcpy(ret, "unlimited");
	else if (resource == FL_GPU)
		(void)snprintf(ret, FL_AMOUNT_TEXT, "%.10g", v);
	else
		fl_quantity_format(ret, (fl_amount)v, resource == FL_CPU, resource == FL_MEMORY);
}

/* The name of the resource in jobs. */
static const char *bundle_name(int resource)
{
	return resource == FL_GPU ? "nvidia.com/gpu" : fl_bundle_name(resource);
}

static uint32_t resources(const void *stand, struct fl_node n, const fl_amount *pending,
			  struct fl_queue_amounts *ret)
{
	const struct fl_standings *nodes = stand;
	const struct fl_standing *s = &nodes->rows[n.v];
	uint32_t all = 0;

	(void)pending; /* the request of the queue is shown instead */
	for (int r = 0; r < FL_BUNDLE; r++) {
		double over = s->deserved.of[r] == FL_UNBOUNDED ?
				      0 :
				      s->allocated.of[r] - s->deserved.of[r];

		if (!nodes->used[r])
			continue;
		ret[all] = (struct fl_queue_amounts){ .resource = bundle_name(r), .lent = "0" };
		put_amount(r, s->deserved.of[r], ret[all].nominal);
		put_amount(r, s->allocated.of[r], ret[all].usage);
		put_amount(r, over > 0 ? over : 0, ret[all].borrowed);
		put_amount(r, fmax(0, s->request.of[r] - s->allocated.of[r]), ret[all].pending);
		put_amount(r, s->fair_share.of[r], ret[all++].fair_share);
	}
	return all;
}

/* The largest saturation. */
static double share(const struct fl_live_view *v, const void *stand, struct fl_node n)
{
	const struct fl_standings *s = stand;
	double most = 0;

	(void)v;
	for (int r = 0; r < FL_BUNDLE; r++)
		if (s->used[r])
			most = fmax(most, fl_standings_saturation(s, n, r));
	return most;
}

/* A limit, if it has one: amounts of GPUs are rounded, as they may be parts of one. */
static void consider(struct fl_live_room *to, bool *has, struct fl_node n, double used, double most)
{
	const struct fl_live_room room = { n, (fl_amount)ceil(used), (fl_amount)most };

	if (most >= 0 && most < 9e18)
		fl_live_room_tighten(to, has, &room);
}

static bool tightest(const void *stand, struct fl_workload w, struct fl_resource r,
		     struct fl_live_room *ret)
{
	const struct fl_standings *s = stand;
	struct fl_node n = s->model->workloads[w.v].cluster_queue;
	double all = 0;
	bool has = false;
	int axis = 0;

	while (axis < FL_BUNDLE && s->model->axis[axis].v != r.v)
		axis++;
	if (axis == FL_BUNDLE)
		return false;
	for (; n.v != FL_NONE; n = s->rows[n.v].parent)
		consider(ret, &has, n, s->rows[n.v].allocated.of[axis],
			 s->rows[n.v].limit.of[axis]);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->rows[s->order[i]].parent.v == FL_NONE)
			all += s->rows[s->order[i]].allocated.of[axis];
	consider(ret, &has, (struct fl_node){ FL_NONE }, all, s->total.of[axis]);
	return has;
}

static uint32_t total(const void *stand, struct fl_queue_amounts *ret)
{
	const struct fl_standings *s = stand;

	for (int r = 0; r < FL_BUNDLE; r++) {
		ret[r] = (struct fl_queue_amounts){ .resource = bundle_name(r) };
		put_amount(r, s->total.of[r], ret[r].nominal);
	}
	return FL_BUNDLE;
}

extern const struct fl_daemon_face fl_entitle_daemon;
const struct fl_daemon_face fl_entitle_daemon = {
	.look = look,
	.figures = figures,
	.resources = resources,
	.share = share,
	.tightest = tightest,
	.total = total,
};
