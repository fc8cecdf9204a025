/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/common/outcome.h"

#include <string.h>

#include "base/sort.h"
#include "decide/borrow/borrow.h"

struct run {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	const struct fl_outcome_options *options;
	struct fl_outcome *o;
};

static void note_eviction(struct run *r, const struct fl_decision *d, uint32_t cycle)
{
	struct fl_outcome_workload *w = &r->o->workloads[d->workload.v];

	w->let_go = true;
	if (d->already_evicting)
		return;
	w->evicted = true;
	w->evicted_for = d->reason;
	w->preemptor = d->preemptor;
	w->decided = cycle;
	if (d->preemptor.v != FL_NONE)
		r->o->workloads[d->preemptor.v].decided = cycle;
}

/* The heads of the last cycle are what the list of those who wait goes by. */
static int keep_heads(struct run *r, const struct fl_decisions *d, fairlead_error *err)
{
	struct fl_outcome *o = r->o;
	int rc = fl_mem_grow(r->options->mem, &o->heads, &o->cap_heads, d->n_heads + 1,
			     sizeof(*o->heads), err);

	if (rc < 0)
		return rc;
	if (d->n_heads)
		memcpy(o->heads, d->heads, d->n_heads * sizeof(*o->heads));
	o->n_heads = d->n_heads;
	return 0;
}

static int after_cycle(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	struct run *r = user;
	const struct fl_decisions *d = cycle->decisions;

	if (r->o->shortages.out_of_memory || r->o->obstacles.out_of_memory)
		return fl_fail_nomem(err);
	fl_shortage_next_cycle(&r->o->shortages);
	fl_obstacle_next_cycle(&r->o->obstacles);
	for (uint32_t i = 0; i < d->n; i++) {
		if (d->rows[i].kind == FL_EVICT)
			note_eviction(r, &d->rows[i], cycle->number);
		else if (d->rows[i].kind == FL_ADMIT)
			r->o->workloads[d->rows[i].workload.v].decided = cycle->number;
	}
	return keep_heads(r, d, err);
}

static int look_at_workloads(struct run *r, fairlead_error *err)
{
	const struct fl_model *m = r->model;
	struct fl_outcome *o = r->o;
	uint32_t total = 0, n = 0;

	for (uint32_t i = 0; i < m->n_workloads; i++) {
		r->ops->placement(r->policy, (struct fl_workload){ i }, &n);
		total += n;
	}
	o->placements = fl_arena_alloc(r->options->arena, total, sizeof(*o->placements), err);
	if (!o->placements)
		return FAIRLEAD_ENOMEM;
	total = 0;
	for (uint32_t i = 0; i < m->n_workloads; i++) {
		struct fl_outcome_workload *w = &o->workloads[i];
		enum fl_workload_state state = r->ops->state(r->policy, (struct fl_workload){ i });
		const struct fl_placement *rows = r->ops->placement(r->policy,
								    (struct fl_workload){ i }, &n);

		w->holds = state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING;
		w->queue = w->holds && !w->let_go && m->workloads[i].reserved ?
				   m->workloads[i].admitted_queue :
				   m->workloads[i].cluster_queue;
		w->loops = o->result.loop_first && w->decided >= o->result.loop_first;
		w->placement = (struct fl_span){ total, n };
		if (n)
			memcpy(o->placements + total, rows, n * sizeof(*rows));
		total += n;
	}
	for (uint32_t i = 0; i < o->pending.n; i++) {
		struct fl_outcome_workload *w = &o->workloads[o->pending.rows[i].workload.v];

		w->waits = true;
		w->pending = i;
	}
	return 0;
}

static int cmp_cells(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_outcome *o = ctx;
	const struct fl_model *m = o->model;
	const struct fl_ledger_cell *x = &o->cells[a], *y = &o->cells[b];
	int order = fl_names_cmp(&m->names, m->flavors[x->flavor.v].name,
				 m->flavors[y->flavor.v].name);

	return order ? order :
		       fl_names_cmp(&m->names, m->resources[x->resource.v],
				    m->resources[y->resource.v]);
}

static int cmp_nodes(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	const struct fl_node_row *x = &m->nodes[a], *y = &m->nodes[b];

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return fl_names_cmp(&m->names, x->name, y->name);
}

/* The cells of one node, sorted; @order and @sorted have room for a tree's
 * columns. */
static void look_at_cells(struct run *r, const struct fl_ledger *l, struct fl_node n,
			  uint32_t *ret_total, uint32_t *order, struct fl_ledger_cell *sorted)
{
	struct fl_outcome *o = r->o;
	struct fl_span *span = &o->nodes[n.v].cells;
	uint32_t columns = l->tree->root[n.v] == FL_NONE ? 0 :
							   fl_tree_root_of(l->tree, n)->n_columns;

	*span = (struct fl_span){ *ret_total, 0 };
	for (uint32_t c = 0; c < columns; c++)
		if (fl_ledger_cell(l, n, c, &o->cells[span->first + span->n]))
			order[span->n] = span->first + span->n, span->n++;
	fl_sort(order, span->n, order + columns, cmp_cells, o);
	for (uint32_t i = 0; i < span->n; i++)
		sorted[i] = o->cells[order[i]];
	if (span->n)
		memcpy(o->cells + span->first, sorted, span->n * sizeof(*sorted));
	*ret_total += span->n;
}

static int look_at_nodes(struct run *r, fairlead_error *err)
{
	const struct fl_model *m = r->model;
	const struct fl_tree *t = fl_borrow_tree(r->policy);
	struct fl_arena *a = r->options->arena;
	struct fl_outcome *o = r->o;
	struct fl_ledger ledger;
	uint32_t total = 0, widest = 0;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		if (t->root[n] != FL_NONE) {
			uint32_t columns = fl_tree_root_of(t, (struct fl_node){ n })->n_columns;

			total += columns;
			widest = columns > widest ? columns : widest;
		}
	int rc = fl_ledger_init(&ledger, t, fl_borrow_usage(r->policy), a, err);
	if (rc < 0)
		return rc;
	o->cells = fl_arena_alloc(a, (size_t)total + 1, sizeof(*o->cells), err);
	uint32_t *order = fl_arena_alloc(a, (size_t)widest * 2 + 1, sizeof(*order), err);
	struct fl_ledger_cell *sorted = fl_arena_alloc(a, (size_t)widest + 1, sizeof(*sorted), err);
	uint32_t *by_name = fl_arena_alloc(a, (size_t)m->n_nodes * 2 + 1, sizeof(*by_name), err);
	if (!o->cells || !order || !sorted || !by_name)
		return FAIRLEAD_ENOMEM;
	total = 0;
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		o->nodes[n].active = m->nodes[n].inactive == FL_ACTIVE;
		if (o->nodes[n].active)
			r->ops->share(r->policy, (struct fl_node){ n }, &o->nodes[n].share);
		look_at_cells(r, &ledger, (struct fl_node){ n }, &total, order, sorted);
		by_name[n] = n;
	}
	fl_sort(by_name, m->n_nodes, by_name + m->n_nodes, cmp_nodes, m);
	o->node_order = by_name;
	return 0;
}

static int look_at_queues(struct run *r, fairlead_error *err)
{
	const struct fl_model *m = r->model;
	struct fl_outcome *o = r->o;
	uint32_t *by_name = fl_arena_alloc(r->options->arena, (size_t)m->n_nodes * 2 + 1,
					   sizeof(*by_name), err);

	if (!by_name)
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		o->nodes[n].active = m->nodes[n].inactive == FL_ACTIVE;
		by_name[n] = n;
	}
	fl_sort(by_name, m->n_nodes, by_name + m->n_nodes, cmp_nodes, m);
	o->node_order = by_name;
	int rc = fl_standings_init(&o->standings, m, r->options->arena, err);
	if (rc == 0)
		fl_standings_look(&o->standings, r->policy);
	return rc;
}

/* Who is told what was short, by the policy's own log. */
static int listen(struct run *r, struct fl_sink *ret, fairlead_error *err)
{
	struct fl_outcome *o = r->o;
	const struct fl_mem *mem = r->options->mem;

	*ret = o->entitle ? (struct fl_sink){ .row = fl_obstacle_row, .user = &o->obstacles } :
			    (struct fl_sink){ .row = fl_shortage_row, .user = &o->shortages };
	ret->not_victims = true;
	return o->entitle ? fl_obstacle_init(&o->obstacles, mem, r->model, err) :
			    fl_shortage_init(&o->shortages, mem, r->model, err);
}

int fl_outcome_run(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
		   const struct fl_outcome_options *options, struct fl_outcome *ret,
		   fairlead_error *err)
{
	struct run r = { ops, p, m, options, ret };
	struct fl_sink sink;
	struct fl_settle_options settle = {
		.mem = options->mem,
		.sink = &sink,
		.now = options->now,
		.interval = options->interval,
		.cycles = options->cycles,
		.to_the_end = true,
	};

	*ret = (struct fl_outcome){ .model = m,
				    .entitle = ops == &fl_entitle_policy,
				    .pending = { .mem = options->mem } };
	int rc = listen(&r, &sink, err);
	if (rc < 0)
		return rc;
	ret->workloads = fl_arena_alloc(options->arena, m->n_workloads, sizeof(*ret->workloads),
					err);
	ret->nodes = fl_arena_alloc(options->arena, m->n_nodes, sizeof(*ret->nodes), err);
	if (!ret->workloads || !ret->nodes)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		ret->workloads[w].preemptor.v = FL_NONE;
		ret->workloads[w].let_go = ops->state(p, (struct fl_workload){ w }) !=
					   FL_STATE_ADMITTED;
	}
	rc = fl_settle(ops, p, m, &settle, after_cycle, &r, &ret->result, err);
	if (rc == 0 && (ret->shortages.out_of_memory || ret->obstacles.out_of_memory))
		rc = fl_fail_nomem(err);
	if (rc < 0)
		return rc;
	const struct fl_decisions last = { .heads = ret->heads, .n_heads = ret->n_heads };
	rc = fl_pending_fill(&ret->pending, ops, p, m, &last, err);
	if (rc == 0)
		rc = look_at_workloads(&r, err);
	if (rc < 0)
		return rc;
	return ret->entitle ? look_at_queues(&r, err) : look_at_nodes(&r, err);
}

void fl_outcome_done(struct fl_outcome *o)
{
	const struct fl_mem *mem = o->pending.mem;

	if (!mem)
		return;
	fl_mem_free(mem, o->heads);
	fl_pending_done(&o->pending);
	fl_shortage_done(&o->shortages);
	fl_obstacle_done(&o->obstacles);
	*o = (struct fl_outcome){ 0 };
}
