/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/common/outcome.h"

#include <string.h>

#include "base/sort.h"

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

/* The list of pending workloads is made from the heads of the last cycle. */
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

	if (r->o->why->out_of_memory)
		return fl_fail_nomem(err);
	r->o->why->cycle++;
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

static int cmp_nodes(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	const struct fl_node_row *x = &m->nodes[a], *y = &m->nodes[b];

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return fl_names_cmp(&m->names, x->name, y->name);
}

static int look_at_nodes(struct run *r, fairlead_error *err)
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
	return o->face->look(o, r->ops, r->policy, r->options->arena, &o->stand, err);
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
				    .face = options->face,
				    .pending = { .mem = options->mem } };
	int rc = ret->face->why_new(options->mem, m, &ret->why, err);
	if (rc < 0)
		return rc;
	sink = (struct fl_sink){ .row = ret->why->kind->row,
				 .user = ret->why,
				 .not_victims = true };
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
	if (rc == 0 && ret->why->out_of_memory)
		rc = fl_fail_nomem(err);
	if (rc < 0)
		return rc;
	const struct fl_decisions last = { .heads = ret->heads, .n_heads = ret->n_heads };
	rc = fl_pending_fill(&ret->pending, ops, p, m, &last, err);
	if (rc == 0)
		rc = look_at_workloads(&r, err);
	if (rc < 0)
		return rc;
	return look_at_nodes(&r, err);
}

void fl_outcome_done(struct fl_outcome *o)
{
	const struct fl_mem *mem = o->pending.mem;

	if (!mem)
		return;
	fl_mem_free(mem, o->heads);
	fl_pending_done(&o->pending);
	if (o->why)
		o->why->kind->free(o->why);
	*o = (struct fl_outcome){ 0 };
}
