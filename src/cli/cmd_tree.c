/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "ask/pending.h"
#include "cli/nearest.h"
#include "cli/snapshot.h"
#include "decide/borrow/borrow.h"
#include "report/tree_report.h"

/* A cohort or a queue; a cohort where both have the name, for it shows more. */
static int find_top(const struct fl_snapshot *s, const char *name, struct fl_node *ret,
		    fairlead_error *err)
{
	const struct fl_model *m = s->model;
	struct fl_nearest near = { .wanted = name };
	char text[1600];

	*ret = fl_model_find_node(m, FL_COHORT, name);
	if (ret->v == FL_NONE)
		*ret = fl_model_find_node(m, FL_CLUSTER_QUEUE, name);
	if (ret->v == FL_NONE) {
		for (uint32_t i = 0; i < m->n_nodes; i++)
			fl_nearest_offer(&near, fl_model_text(m, m->nodes[i].name));
		fl_fail(err, FAIRLEAD_ENOENT, "there is no cohort or queue '%s'", name);
		if (near.n)
			fl_fail_hint(err, "did you mean %s?",
				     fl_nearest_text(&near, text, sizeof(text)));
		return FAIRLEAD_ENOENT;
	}
	if (fl_borrow_tree(s->policy)->root[ret->v] == FL_NONE) {
		char why[320];

		return fl_fail(err, FAIRLEAD_ENOENT, "'%s' stands in no tree: %s", name,
			       fl_tree_why_inactive(m, *ret, why));
	}
	return 0;
}

static void count_workloads(const struct fl_snapshot *s, struct fl_tree_report *t)
{
	const struct fl_model *m = s->model;

	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		switch (s->ops->state(s->policy, (struct fl_workload){ w })) {
		case FL_STATE_ADMITTED:
		case FL_STATE_EVICTING:
			if (row->admitted_queue.v != FL_NONE)
				t->running[row->admitted_queue.v]++;
			break;
		case FL_STATE_WAITING:
		case FL_STATE_INADMISSIBLE:
		case FL_STATE_HELD_BACK:
			if (row->cluster_queue.v != FL_NONE)
				t->waiting[row->cluster_queue.v]++;
			break;
		case FL_STATE_EXCLUDED: /* a queue that is stopped still has them */
			if (row->excluded == FL_EXCLUDED_CLUSTER_QUEUE_STOPPED)
				t->waiting[row->cluster_queue.v]++;
			break;
		case FL_STATE_ABSENT:
			break;
		}
	}
}

static int run(const struct fl_snapshot *s, struct fl_arena *arena, fairlead_error *err)
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
	count_workloads(s, &t);
	if (s->report.fair) {
		for (uint32_t i = 0; i < n; i++)
			if (s->model->nodes[i].inactive == FL_ACTIVE)
				s->ops->share(s->policy, (struct fl_node){ i }, &shares[i]);
		t.shares = shares;
	}
	return o->output == FL_OUTPUT_JSON ? fl_tree_json(&s->report, &t, err) :
					     fl_tree_text(&s->report, &t, err);
}

int fl_cmd_tree(const struct fl_options *options) { return fl_snapshot_answer(options, run); }
