/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/evidence.h"

#include <string.h>

#include "base/sort.h"
#include "decide/borrow/borrow.h"

void fl_evidence_log_init(struct fl_evidence_log *log, const struct fl_mem *mem,
			  struct fl_workload w)
{
	*log = (struct fl_evidence_log){ .workload = w, .mem = mem };
}

void fl_evidence_log_done(struct fl_evidence_log *log)
{
	log->needs = fl_mem_free(log->mem, log->needs);
}

static struct fl_explain_need *find_need(struct fl_evidence_log *log, uint32_t podset,
					 struct fl_flavor flavor, struct fl_resource resource)
{
	for (uint32_t i = 0; i < log->n_needs; i++)
		if (log->needs[i].podset == podset && log->needs[i].flavor.v == flavor.v &&
		    log->needs[i].resource.v == resource.v)
			return &log->needs[i];
	return NULL;
}

static void log_need(struct fl_evidence_log *log, const struct fl_evidence *row)
{
	bool match = row->check != FL_CHECK_FLAVOR;
	struct fl_resource resource = { match ? row->resource.v : FL_NONE };

	/* The full assignment comes first; later rows are of tries with fewer pods. */
	if (find_need(log, row->podset, row->flavor, resource))
		return;
	if (fl_mem_grow(log->mem, &log->needs, &log->cap_needs, log->n_needs + 1,
			sizeof(*log->needs),
			/* err= */ NULL) < 0) {
		log->out_of_memory = true;
		return;
	}
	log->needs[log->n_needs++] = (struct fl_explain_need){
		.podset = row->podset,
		.flavor = row->flavor,
		.resource = resource,
		.requested = match ? row->lhs.amount : 0,
		.verdict = match ? FL_NEED_FITS : FL_NEED_NO_MATCH,
	};
}

/* Something else than a lack of quota stands against it. */
static void log_refusal(struct fl_evidence_log *log, const struct fl_evidence *row)
{
	struct fl_explain_need *need = find_need(log, row->podset, row->flavor, row->resource);

	if (!need || row->holds || need->verdict == FL_NEED_REFUSED)
		return;
	need->verdict = FL_NEED_REFUSED;
	need->check = row->check;
	need->lhs = row->lhs;
	need->rhs = row->rhs;
}

/* A search for victims begins; one such row for each column it is about. */
static void log_search(struct fl_evidence_log *log, const struct fl_evidence *row)
{
	log->search = row->search;
	for (uint32_t i = 0; i < log->n_needs; i++)
		if (log->needs[i].flavor.v == row->flavor.v &&
		    log->needs[i].resource.v == row->resource.v)
			log->needs[i].search = row->search;
}

void fl_evidence_log_row(void *user, const struct fl_evidence *row)
{
	struct fl_evidence_log *log = user;

	if (row->workload.v != log->workload.v || row->flavor.v == FL_NONE)
		return;
	if (row->check == FL_CHECK_WITHIN_NOMINAL)
		log_search(log, row);
	if (row->podset == FL_NONE)
		return;
	switch (row->check) {
	case FL_CHECK_FLAVOR:
		if (!row->holds)
			log_need(log, row);
		return;
	case FL_CHECK_POTENTIAL:
	case FL_CHECK_AVAILABLE:
		if (row->resource.v != FL_NONE)
			log_need(log, row);
		return;
	case FL_CHECK_NOMINAL: /* only says whether victims are looked for */
		return;
	default:
		log_refusal(log, row);
		return;
	}
}

static int cmp_ids(const void *ctx, uint32_t a, uint32_t b)
{
	(void)ctx;
	return (a > b) - (a < b);
}

/* No other can be a victim. */
static int list_holders(struct fl_victim_log *log, const struct fl_policy *p, struct fl_node q,
			struct fl_arena *arena, fairlead_error *err)
{
	const struct fl_tree *t = log->tree;
	const struct fl_span queues = t->queues[t->root_index[q.v]];
	uint32_t n = 0, most = 0;

	for (uint32_t i = 0; i < queues.n; i++, most += n)
		(void)fl_borrow_holders(p, (struct fl_node){ t->queue_ids[queues.first + i] }, &n);
	if (!FL_NEW(arena, log->ids, (size_t)2 * most, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < queues.n; i++) {
		const uint32_t *rows = fl_borrow_holders(
			p, (struct fl_node){ t->queue_ids[queues.first + i] }, &n);

		if (n)
			memcpy(log->ids + log->n, rows, n * sizeof *rows);
		log->n += n;
	}
	fl_sort(log->ids, log->n, log->ids + most, cmp_ids, /* ctx= */ NULL);
	return 0;
}

/* FL_NONE: it holds none of the tree's quota. */
static uint32_t index_of(const struct fl_victim_log *log, uint32_t w)
{
	uint32_t at = 0, end = log->n;

	while (at < end) {
		const uint32_t mid = at + (end - at) / 2;

		if (log->ids[mid] < w)
			at = mid + 1;
		else
			end = mid;
	}
	return at < log->n && log->ids[at] == w ? at : FL_NONE;
}

int fl_victim_log_init(struct fl_victim_log *log, const struct fl_policy *p, struct fl_workload w,
		       struct fl_column column, struct fl_arena *arena, fairlead_error *err)
{
	const struct fl_tree *t = fl_borrow_tree(p);
	uint32_t nodes = t->n_nodes;
	struct fl_node q = t->model->workloads[w.v].cluster_queue;

	*log = (struct fl_victim_log){ .workload = w, .tree = t, .column = column };
	if (list_holders(log, p, q, arena, err) < 0)
		return FAIRLEAD_ENOMEM;
	log->said_of = fl_arena_alloc(arena, log->n, sizeof(*log->said_of), err);
	log->refused = fl_arena_alloc(arena, log->n, sizeof(*log->refused), err);
	log->node_said = fl_arena_alloc(arena, nodes, sizeof(*log->node_said), err);
	log->node_refused = fl_arena_alloc(arena, nodes, sizeof(*log->node_refused), err);
	log->needed = fl_arena_alloc(arena, fl_tree_root_of(t, q)->n_columns, sizeof(*log->needed),
				     err);
	return log->said_of && log->refused && log->node_said && log->node_refused && log->needed ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

static struct fl_explain_refusal refusal_of(const struct fl_evidence *row)
{
	return (struct fl_explain_refusal){
		.check = row->check,
		.victim = row->victim,
		.n = 1,
		.node = row->node,
		.flavor = row->flavor,
		.resource = row->resource,
		.lhs = row->lhs,
		.rhs = row->rhs,
	};
}

/*
 * A workload that fails one check is no victim, so the last that failed is what ruled it out; but
 * of the two rules of fair sharing either is enough.  One that was chosen, though others were
 * needed as well, counts as such only when no other attempt refused it.
 */
static void log_victim(struct fl_victim_log *log, const struct fl_evidence *row)
{
	uint32_t i = index_of(log, row->victim.v);

	if (i == FL_NONE)
		return;
	if (log->said_of[i] != log->search)
		log->refused[i].n = 0;
	log->said_of[i] = log->search;
	if (row->check == FL_CHECK_FITS_WITHOUT) {
		log->all = refusal_of(row);
		log->enough = row->holds;
	}
	if (row->holds)
		log->refused[i].n &= row->check != FL_CHECK_S2A && row->check != FL_CHECK_S2B;
	else if (row->check != FL_CHECK_FITS_WITHOUT || log->refused[i].n == 0)
		log->refused[i] = refusal_of(row);
}

/* A search begins: with one such row for each column it is about. */
static void log_start(struct fl_victim_log *log, const struct fl_evidence *row)
{
	struct fl_column c = fl_tree_column(log->tree, row->node, row->flavor, row->resource);

	if (c.v == FL_NONE)
		return;
	log->needed[c.v] = row->search;
	if (c.v != log->column.v)
		return;
	log->search = row->search;
	log->all.n = 0;
	log->enough = false;
}

void fl_victim_log_row(void *user, const struct fl_evidence *row)
{
	struct fl_victim_log *log = user;

	if (row->workload.v != log->workload.v || log->again)
		return;
	if (row->check == FL_CHECK_POTENTIAL) {
		log->again = log->any && row->podset == log->first.podset &&
			     row->flavor.v == log->first.flavor.v &&
			     row->resource.v == log->first.resource.v;
		if (!log->any)
			log->first = *row;
		log->any = true;
	}
	if (row->podset != FL_NONE)
		return;
	if (row->check == FL_CHECK_WITHIN_NOMINAL && row->victim.v == FL_NONE)
		log_start(log, row);
	if (log->search == 0 || row->search != log->search)
		return;
	if (row->victim.v != FL_NONE) {
		log_victim(log, row);
	} else if (!row->holds && row->check != FL_CHECK_WITHIN_NOMINAL &&
		   row->check != FL_CHECK_FITS_WITHOUT) {
		log->node_said[row->node.v] = log->search;
		log->node_refused[row->node.v] = refusal_of(row);
	}
}
