/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/common/pending.h"
#include "base/nearest.h"
#include "decide/borrow/borrow.h"
#include "report/borrow/tree_report.h"
#include "report/entitle/tree_report.h"
#include "tell/tell.h"

/* A cohort or a queue; a cohort where both have the name, for it shows more. */
static int find_top(const struct fl_question *q, const char *name, struct fl_node *ret,
		    fairlead_error *err)
{
	const struct fl_model *m = q->model;
	struct fl_nearest near = { .wanted = name };
	char text[1600];

	*ret = fl_model_find_node(m, fl_question_is_entitle(q) ? FL_QUEUE : FL_COHORT, name);
	if (ret->v == FL_NONE && !fl_question_is_entitle(q))
		*ret = fl_model_find_node(m, FL_CLUSTER_QUEUE, name);
	if (ret->v == FL_NONE) {
		for (uint32_t i = 0; i < m->n_nodes; i++)
			fl_nearest_offer(&near, fl_model_text(m, m->nodes[i].name));
		fl_fail(err, FAIRLEAD_ENOENT, "there is no %squeue '%s'",
			fl_question_is_entitle(q) ? "" : "cohort or ", name);
		if (near.n)
			fl_fail_hint(err, "did you mean %s?",
				     fl_nearest_text(&near, text, sizeof(text)));
		return FAIRLEAD_ENOENT;
	}
	if (fl_question_is_entitle(q) ? m->nodes[ret->v].inactive != FL_ACTIVE :
					fl_borrow_tree(q->policy)->root[ret->v] == FL_NONE) {
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
static void count_workloads(const struct fl_question *q, uint32_t *running, uint32_t *waiting)
{
	const struct fl_model *m = q->model;

	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		switch (q->ops->state(q->policy, (struct fl_workload){ w })) {
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

static int tree_entitle(const struct fl_question *q, const char *top, fairlead_error *err)
{
	struct fl_standings standings;
	struct fl_entitle_tree t = { .standings = &standings,
				     .top = { FL_NONE },
				     .policy = q->ops->name };

	int rc = top ? find_top(q, top, &t.top, err) : 0;
	if (rc == 0)
		rc = fl_standings_init(&standings, q->model, q->arena, err);
	if (rc < 0)
		return rc;
	fl_standings_look(&standings, q->policy);
	uint32_t *counts = fl_arena_alloc(q->arena, (size_t)q->model->n_nodes * 2, sizeof(*counts),
					  err);
	if (!counts)
		return FAIRLEAD_ENOMEM;
	count_workloads(q, counts, counts + q->model->n_nodes);
	t.running = counts;
	t.waiting = counts + q->model->n_nodes;
	return q->json ? fl_entitle_tree_json(q->report, &t, err) :
			 fl_entitle_tree_text(q->report, &t, err);
}

static int tree_borrow(const struct fl_question *q, const char *top, fairlead_error *err)
{
	uint32_t n = q->model->n_nodes;
	struct fl_ledger ledger;
	struct fl_tree_report t = { .ledger = &ledger, .top = { FL_NONE }, .policy = q->ops->name };

	int rc = top ? find_top(q, top, &t.top, err) : 0;
	if (rc == 0)
		rc = fl_ledger_init(&ledger, fl_borrow_tree(q->policy), fl_borrow_usage(q->policy),
				    q->arena, err);
	if (rc < 0)
		return rc;
	t.waiting = fl_arena_alloc(q->arena, n, sizeof(*t.waiting), err);
	t.running = fl_arena_alloc(q->arena, n, sizeof(*t.running), err);
	struct fl_share *shares = fl_arena_alloc(q->arena, n, sizeof(*shares), err);
	if (!t.waiting || !t.running || !shares)
		return FAIRLEAD_ENOMEM;
	count_workloads(q, t.running, t.waiting);
	if (q->report->fair) {
		for (uint32_t i = 0; i < n; i++)
			if (q->model->nodes[i].inactive == FL_ACTIVE)
				q->ops->share(q->policy, (struct fl_node){ i }, &shares[i]);
		t.shares = shares;
	}
	return q->json ? fl_tree_json(q->report, &t, err) : fl_tree_text(q->report, &t, err);
}

int fl_tell_tree(const struct fl_question *q, const char *top, fairlead_error *err)
{
	return fl_question_is_entitle(q) ? tree_entitle(q, top, err) : tree_borrow(q, top, err);
}
