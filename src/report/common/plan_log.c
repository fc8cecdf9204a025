/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/sort.h"
#include "report/common/plan_report.h"

struct by_name {
	const struct fl_model *model;
	const struct fl_decision *rows;
};

static int cmp_rows(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by_name *o = ctx;

	return fl_workload_name_cmp(o->model, o->rows[a].workload.v, o->rows[b].workload.v);
}

static int keep_row(struct fl_plan_log *log, const struct fl_plan_cycle *c,
		    const struct fl_decision *d, fairlead_error *err)
{
	const struct fl_placement *from = c->cycle->decisions->placements + d->placement.first;
	uint32_t n = d->kind == FL_EVICT ? 0 : d->placement.n;

	int rc = fl_mem_grow(log->mem, &log->rows, &log->cap_rows, log->n_rows + 1,
			     sizeof(*log->rows), err);
	if (rc == 0)
		rc = fl_mem_grow(log->mem, &log->placements, &log->cap_placements,
				 log->n_placements + n + 1, sizeof(*log->placements), err);
	if (rc < 0)
		return rc;
	log->rows[log->n_rows++] = (struct fl_plan_row){
		.cycle = c->cycle->number,
		.kind = d->kind,
		.reason = d->reason,
		.workload = d->workload,
		.preemptor = d->preemptor,
		.cluster_queue = d->cluster_queue,
		.placement = { log->n_placements, n },
		.action = d->action,
		.count = d->count,
	};
	if (n)
		memcpy(log->placements + log->n_placements, from, n * sizeof(*from));
	log->n_placements += n;
	return 0;
}

/* A reservation says nothing new where it follows from evictions alone (borrow). */
static bool is_news(const struct fl_decision *d)
{
	return d->kind == FL_ADMIT || (d->kind == FL_EVICT && !d->already_evicting) ||
	       (d->kind == FL_RESERVE && d->action != FL_ACTION_NONE);
}

int fl_plan_log_cycle(struct fl_plan_log *log, const struct fl_model *m,
		      const struct fl_plan_cycle *c, fairlead_error *err)
{
	const struct fl_decisions *d = c->cycle->decisions;
	struct by_name o = { m, d->rows };
	uint32_t *order = NULL, cap = 0, n = 0;

	if (!c->cycle->decided)
		return 0;
	int rc = fl_mem_grow(log->mem, &order, &cap, d->n * 2, sizeof(*order), err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < d->n; i++)
		if (is_news(&d->rows[i]))
			order[n++] = i;
	fl_sort(order, n, order + d->n, cmp_rows, &o);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = keep_row(log, c, &d->rows[order[i]], err);
	fl_mem_free(log->mem, order);
	return rc;
}

void fl_plan_log_done(struct fl_plan_log *log)
{
	if (!log->mem)
		return;
	fl_mem_free(log->mem, log->rows);
	fl_mem_free(log->mem, log->placements);
	*log = (struct fl_plan_log){ 0 };
}

static int cmp_names(const void *ctx, uint32_t a, uint32_t b)
{
	return fl_workload_name_cmp(ctx, a, b);
}

uint32_t fl_plan_log_loop(const struct fl_plan_log *log, const struct fl_model *m,
			  const struct fl_settle_result *result, struct fl_workload *ret,
			  uint32_t *scratch)
{
	uint32_t first = result->loop_first, end = first + result->loop_period, n = 0, kept = 0;
	uint32_t *ids = scratch;

	if (!first)
		return 0;
	for (uint32_t i = 0; i < log->n_rows; i++) {
		const struct fl_plan_row *row = &log->rows[i];

		if (row->cycle < first || row->cycle >= end)
			continue;
		ids[n++] = row->workload.v;
		if (row->kind == FL_EVICT && row->preemptor.v != FL_NONE)
			ids[n++] = row->preemptor.v;
	}
	fl_sort(ids, n, scratch + n, cmp_names, m);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || ids[i] != ids[i - 1])
			ret[kept++] = (struct fl_workload){ ids[i] };
	return kept;
}

bool fl_plan_log_in_loop(const struct fl_plan_row *row, const struct fl_settle_result *result)
{
	return row->kind == FL_EVICT && row->cycle >= result->loop_first &&
	       row->cycle < result->loop_first + result->loop_period;
}
