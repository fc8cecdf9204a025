/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "ask/pending.h"
#include "base/nearest.h"
#include "cli/snapshot.h"
#include "decide/borrow/borrow.h"
#include "report/entitle_tree_report.h"
#include "report/tree_report.h"

/* A cohort or a queue; a cohort where both have the name, for it shows more. */
static int find_top(const struct fl_snapshot *s, const char *name, struct fl_node *ret,
		    fairlead_error *err)
{
	const struct fl_model *m = s->model;
	struct fl_nearest near = { .wanted = name };
	char text[1600];

	*ret = fl_model_find_node(m, s->entitle ? FL_QUEUE : FL_COHORT, name);
	if (ret->v == FL_NONE && !s->entitle)
		*ret = fl_model_find_node(m, FL_CLUSTER_QUEUE, name);
	if (ret->v == FL_NONE) {
		for (uint32_t i = 0; i < m->n_nodes; i++)
			fl_nearest_offer(&near, fl_model_text(m, m->nodes[i].name));
		fl_fail(err, FAIRLEAD_ENOENT, "there is no %squeue '%s'",
			s->entitle ? "" : "cohort or ", name);
		if (near.n)
			fl_fail_hint(err, "did you mean %s?",
				     fl_nearest_text(&near, text, sizeof(text)));
		return FAIRLEAD_ENOENT;
	}
	if (s->entitle ? m->nodes[ret->v].inactive != FL_ACTIVE :
			 fl_borrow_tree(s->policy)->root[ret->v] == FL_NONE) {
		char why[320];

		return fl_fail(err, FAIRLEAD_ENOENT, "'%s' stands in no tree: %s", name,
			       fl_tree_why_inactive(m, *ret, why));
	}
	return 0;
}

/* Where it holds quota: a gang holds in its own queue. */
static struct fl_node holds_in(const struct fl_workload_row *row)
{
	return row->gang == FL_NONE ? row->admitted_queue : row->cluster_queue;
}

/* By node: workloads that hold something there, and those that wait. */
static void count_workloads(const struct fl_snapshot *s, uint32_t *running, uint32_t *waiting)
{
	const struct fl_model *m = s->model;

	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		switch (s->ops->state(s->policy, (struct fl_workload){ w })) {
		case FL_STATE_ADMITTED:
		case FL_STATE_EVICTING:
			if (holds_in(row).v != FL_NONE)
				running[holds_in(row).v]++;
			break;
		case FL_STATE_WAITING:
		case FL_STATE_INADMISSIBLE:
		case FL_STATE_HELD_BACK:
			if (row->cluster_queue.v != FL_NONE)
				waiting[row->cluster_queue.v]++;
			break;
		case FL_STATE_EXCLUDED: /* a queue that is stopped still has them */
			if (row->excluded == FL_EXCLUDED_CLUSTER_QUEUE_STOPPED)
				waiting[row->cluster_queue.v]++;
			break;
		case FL_STATE_ABSENT:
			break;
		}
	}
}

static int run_entitle(const struct fl_snapshot *s, struct fl_arena *arena, fairlead_error *err)
{
	const struct fl_options *o = s->options;
	struct fl_standings standings;
	struct fl_entitle_tree t = { .standings = &standings,
				     .top = { FL_NONE },
				     .policy = s->ops->name };

	int rc = o->n_operands ? find_top(s, o->operands[0], &t.top, err) : 0;
	if (rc == 0)
		rc = fl_standings_init(&standings, s->model, arena, err);
	if (rc < 0)
		return rc;
	fl_standings_look(&standings, s->policy);
	uint32_t *counts = fl_arena_alloc(arena, (size_t)s->model->n_nodes * 2, sizeof(*counts),
					  err);
	if (!counts)
		return FAIRLEAD_ENOMEM;
	count_workloads(s, counts, counts + s->model->n_nodes);
	t.running = counts;
	t.waiting = counts + s->model->n_nodes;
	return o->output == FL_OUTPUT_JSON ? fl_entitle_tree_json(&s->report, &t, err) :
					     fl_entitle_tree_text(&s->report, &t, err);
}

static int run_borrow(const struct fl_snapshot *s, struct fl_arena *arena, fairlead_error *err)
{
	const struct fl_options *o = s->options;
	uint32_t n = s->model->n_nodes;
	struct fl_ledger ledger;
	struct fl_tree_report t = { .ledger = &ledger, .top = { FL_NONE }, .policy = s->ops->name };

	int rc = o->n_operands ? find_top(s, o->operands[0], &t.top, err) : 0;
	if (rc == 0)
		rc = fl_ledger_init(&ledger, fl_borrow_tree(s->policy), fl_borrow_usage(s->policy),
				    arena, err);
	if (rc < 0)
		return rc;
	t.waiting = fl_arena_alloc(arena, n, sizeof(*t.waiting), err);
	t.running = fl_arena_alloc(arena, n, sizeof(*t.running), err);
	struct fl_share *shares = fl_arena_alloc(arena, n, sizeof(*shares), err);
	if (!t.waiting || !t.running || !shares)
		return FAIRLEAD_ENOMEM;
	count_workloads(s, t.running, t.waiting);
	if (s->report.fair) {
		for (uint32_t i = 0; i < n; i++)
			if (s->model->nodes[i].inactive == FL_ACTIVE)
				s->ops->share(s->policy, (struct fl_node){ i }, &shares[i]);
		t.shares = shares;
	}
	return o->output == FL_OUTPUT_JSON ? fl_tree_json(&s->report, &t, err) :
					     fl_tree_text(&s->report, &t, err);
}

static int run(const struct fl_snapshot *s, struct fl_arena *arena, fairlead_error *err)
{
	return s->entitle ? run_entitle(s, arena, err) : run_borrow(s, arena, err);
}

int fl_cmd_tree(const struct fl_options *options) { return fl_snapshot_answer(options, run); }
