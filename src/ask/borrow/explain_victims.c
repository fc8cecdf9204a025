/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which workload could be a victim and is not, and by which rule: what the search for victims
 * said of each workload, or of its queue or a cohort above as a whole.
 */
#include "ask/borrow/explain_victims.h"

#include "ask/borrow/explain_run.h"

/* Does @w hold some of what the search was about? */
static bool holds_needed(const struct fl_explain_run *r, const struct fl_victim_log *log,
			 struct fl_workload w)
{
	uint32_t n = 0;
	const struct fl_placement *rows = r->ops->placement(r->policy, w, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct fl_column c = rows[i].amount > 0 && rows[i].flavor.v != FL_NONE ?
					     fl_tree_column(r->tree, r->x->cluster_queue,
							    rows[i].flavor, rows[i].resource) :
					     (struct fl_column){ FL_NONE };

		if (c.v != FL_NONE && log->needed[c.v] == log->search)
			return true;
	}
	return false;
}

/* The lowest node above @w of which the search said something as a whole; FL_NONE. */
static struct fl_node refused_above(const struct fl_explain_run *r, const struct fl_victim_log *log,
				    struct fl_workload w)
{
	struct fl_node q = fl_explain_queue(r->model, w), own = r->x->cluster_queue;

	/* What is said of cohorts is not about the asking queue itself. */
	for (struct fl_node n = q;; n = fl_tree_parent(r->tree, n)) {
		if (log->node_said[n.v] == log->search)
			return n;
		if (q.v == own.v || !fl_tree_has_parent(r->tree, n))
			return (struct fl_node){ FL_NONE };
	}
}

static bool is_victim(const struct fl_explain *x, uint32_t w)
{
	for (uint32_t i = 0; i < x->n_victims; i++)
		if (x->victims[i].workload.v == w)
			return true;
	return false;
}

/* Taken, and in the end needed: the coming cycle may choose others all the same. */
static bool is_chosen(const struct fl_victim_log *log, uint32_t i)
{
	bool taken = log->said_of[i] == log->search && log->refused[i].n &&
		     log->refused[i].check == FL_CHECK_FITS_WITHOUT;

	return log->enough && (taken || log->all.victim.v == log->ids[i]);
}

/* What refuses log->ids[@i] as a victim is added to x->refusals; n of a node's row is counted up. */
static void classify(const struct fl_explain_run *r, struct fl_victim_log *log, uint32_t i)
{
	struct fl_explain *x = r->x;
	const uint32_t w = log->ids[i];
	const struct fl_explain_refusal *own = &log->refused[i];
	struct fl_node q = fl_explain_queue(r->model, (struct fl_workload){ w }), above;
	bool said = log->said_of[i] == log->search;

	if (q.v == FL_NONE || r->tree->root[q.v] != r->tree->root[x->cluster_queue.v])
		return;
	if (said && own->n && own->check == FL_CHECK_VICTIM_USES) {
		x->n_unrelated++;
		return;
	}
	if (!holds_needed(r, log, (struct fl_workload){ w }))
		return;
	if (is_victim(x, w) || is_chosen(log, i)) {
		x->n_considered++;
		return;
	}
	if (said && own->n) {
		struct fl_explain_refusal *row = &x->refusals[x->n_refusals++];

		*row = own->check == FL_CHECK_FITS_WITHOUT ? log->all : *own;
		row->victim.v = w;
		x->n_considered++;
		return;
	}
	above = refused_above(r, log, (struct fl_workload){ w });
	if (above.v != FL_NONE) {
		log->node_refused[above.v].n++;
		x->n_considered++;
	}
}

int fl_explain_refusals(struct fl_explain_run *r, fairlead_error *err)
{
	struct fl_explain *x = r->x;
	struct fl_victim_log log;
	struct fl_sink sink = { .row = fl_victim_log_row, .user = &log };
	struct fl_decisions d;
	uint32_t refused = 0;

	if (x->failing == FL_NONE || x->needs[x->failing].search == 0)
		return 0;
	struct fl_column c = fl_tree_column(r->tree, x->cluster_queue, x->needs[x->failing].flavor,
					    x->needs[x->failing].resource);
	int rc = fl_victim_log_init(&log, r->policy, x->workload, c, r->arena, err);
	if (rc == 0)
		rc = r->ops->try(r->policy, r->now, x->workload, &sink, &d, err);
	if (rc < 0 || log.search == 0)
		return rc;
	x->searched = true;
	for (uint32_t i = 0; i < log.n; i++)
		refused += log.said_of[i] == log.search && log.refused[i].n;
	x->refusals = fl_arena_alloc(r->arena, refused + r->tree->n_nodes, sizeof(*x->refusals),
				     err);
	if (!x->refusals)
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < r->tree->n_nodes; n++)
		log.node_refused[n].n = 0;
	for (uint32_t i = 0; i < log.n; i++)
		classify(r, &log, i);
	for (uint32_t n = 0; n < r->tree->n_nodes; n++)
		if (log.node_refused[n].n)
			x->refusals[x->n_refusals++] = log.node_refused[n];
	return fl_explain_sort(r->model, r->arena, &x->refusals, x->n_refusals, &x->rules,
			       &x->n_rules, err);
}
