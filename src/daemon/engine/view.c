/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/view.h"

#include <stdlib.h>
#include <string.h>

#include "decide/borrow/borrow.h"
#include "model/table.h"

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
	struct fl_generation *g = calloc(1, sizeof *g); /* the copy's, until it ends */
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

/* What queues and cohorts other than @rest have of their own in a flavor and resource. */
static fl_amount promised(const struct fl_live_view *v, struct fl_node rest,
			  const struct fl_explain_spare *of)
{
	const struct fl_tree *t = fl_borrow_tree(v->policy);
	fl_amount sum = 0;

	for (uint32_t i = 0; i < t->n_order; i++) {
		struct fl_node n = { t->order[i] };
		struct fl_column c = fl_tree_column(t, n, of->flavor, of->resource);

		if (n.v != rest.v && c.v != FL_NONE)
			sum = fl_quota_add(sum, t->nominal[fl_tree_cell(t, n, c)]);
	}
	return sum;
}

static struct fl_flavor flavor_of(const struct fl_model *m, const char *name)
{
	static const struct fl_sym no_namespace = { 0 };
	struct fl_sym sym = fl_names_find(&m->names, name, strlen(name));

	return (struct fl_flavor){ sym.v == FL_NONE ?
					   FL_NONE :
					   fl_table_find(m, FL_TABLE_FLAVOR, no_namespace, sym) };
}

int fl_live_view_machine(const struct fl_live_view *v, struct fl_arena *arena,
			 struct fl_explain_machine *ret, fairlead_error *err)
{
	const struct fl_model *m = v->model;
	const struct fl_capacity *capacity = v->of.capacity;
	struct fl_explain_spare *rows = fl_arena_alloc(arena, capacity->n, sizeof *rows, err);

	if (!rows)
		return FAIRLEAD_ENOMEM;
	*ret = (struct fl_explain_machine){ .spare = rows, .rest = { FL_NONE } };
	if (v->ops != &fl_borrow_policy)
		return 0;
	if (m->daemon.cohort.v != 0)
		ret->rest = fl_model_find_node(m, FL_COHORT, fl_model_text(m, m->daemon.cohort));
	for (uint32_t i = 0; i < capacity->n; i++) {
		const struct fl_capacity_row *has = &capacity->rows[i];
		struct fl_explain_spare *row = &rows[ret->n];

		row->flavor = flavor_of(m, has->flavor);
		row->resource = fl_model_find_resource(m, has->resource);
		if (row->flavor.v == FL_NONE || row->resource.v == FL_NONE)
			continue;
		row->amount = fl_quota_sub(has->amount, promised(v, ret->rest, row));
		row->amount = row->amount < 0 ? 0 : row->amount;
		ret->n++;
	}
	return 0;
}
