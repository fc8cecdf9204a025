/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/view.h"

#include <stdlib.h>

#include "daemon/engine/face.h"

void fl_live_view_of(const struct fl_living *of, fl_time now, struct fl_live_view *ret)
{
	*ret = (struct fl_live_view){ .model = of->generation->model,
				      .ops = of->generation->ops,
				      .policy = of->generation->policy,
				      .driver = &of->generation->driver,
				      .now = now,
				      .jobs = of->jobs->rows,
				      .n_jobs = of->jobs->n,
				      .of = *of };
}

int fl_live_view_try(const struct fl_live_view *v, struct fl_jobs *jobs,
		     const struct fl_config *config, struct fl_live_view *ret, fairlead_error *err)
{
	struct fl_generation *g =
		calloc(1, sizeof *g); /* belongs to the copy of the process until it ends */
	struct fl_living living = v->of;
	const struct fl_generation_options o = { .config = config,
						 .capacity = living.capacity,
						 .now = v->now,
						 .up_to = UINT64_MAX,
						 .backend = &living.generation->driver.backend,
						 .from = living.generation };
	int r;

	if (!g)
		return fl_fail_nomem(err);
	r = fl_generation_new(&o, jobs, g, err);
	if (r == 0)
		r = g->ops->forget(g->policy, o.now, err);
	living.config = config;
	living.jobs = jobs;
	living.generation = g;
	fl_live_view_of(&living, o.now, ret);
	return r;
}

int fl_live_view_machine(const struct fl_live_view *v, struct fl_arena *arena,
			 struct fl_explain_machine *ret, fairlead_error *err)
{
	const struct fl_daemon_face *face = fl_daemon_face_of(v->ops);

	*ret = (struct fl_explain_machine){ .rest = { FL_NONE } };
	return face->machine ? face->machine(v, arena, ret, err) : 0;
}
