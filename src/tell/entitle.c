/* SPDX-License-Identifier: Apache-2.0 */
/* entitle - the entitle policy's face */
#include "ask/lint/entitle.h"
#include "ask/entitle/outcome.h"
#include "ask/lint/lint.h"
#include "decide/entitle/entitle.h"
#include "report/entitle/explain_report.h"
#include "report/entitle/face.h"
#include "report/entitle/tree_report.h"
#include "tell/evicted.h"
#include "tell/face.h"

static int explain(const struct fl_question *q, struct fl_workload w, const struct fl_eta *eta,
		   fairlead_error *err)
{
	struct fl_evicted evicted;
	struct fl_entitle_explain x;
	int rc = fl_entitle_explain(q->ops, q->policy, q->model, q->now, w, q->machine, q->arena,
				    &x, err);

	if (rc < 0)
		return rc;
	const struct fl_entitle_answer a = {
		.x = &x, .now = q->now, .eta = eta, .evicted = fl_tell_evicted(q, w, &evicted)
	};
	if (!q->json)
		return fl_entitle_explain_text(q->report, &a, err);
	fl_document_json(q->report, &fl_entitle_explain_document, &a);
	return 0;
}

static int tree(const struct fl_question *q, const struct fl_tell_tree *of, fairlead_error *err)
{
	struct fl_standings standings;
	struct fl_entitle_tree t = { .standings = &standings,
				     .top = of->top,
				     .running = of->running,
				     .waiting = of->waiting };

	int rc = fl_standings_init(&standings, q->model, q->arena, err);
	if (rc < 0)
		return rc;
	fl_standings_look(&standings, q->policy);
	if (!q->json)
		return fl_entitle_tree_text(q->report, &t, err);
	fl_document_json(q->report, &fl_entitle_tree_document, &t);
	return 0;
}

static struct fl_node find(const struct fl_model *m, const char *name)
{
	return fl_model_find_node(m, FL_QUEUE, name);
}

static bool stands(const struct fl_question *q, struct fl_node n)
{
	return q->model->nodes[n.v].inactive == FL_ACTIVE;
}

static void count(const struct fl_model *m, void (*say)(uint32_t n, const char *what))
{
	say(m->n_nodes, "queue");
	say(m->n_machines, "node");
}

static void assume(const struct fl_assuming *a)
{
	const struct fl_model *m = a->model;
	bool history = m->n_samples || m->n_usages;
	uint32_t foreign = 0;

	for (uint32_t i = 0; i < m->n_tasks; i++)
		foreign += m->tasks[i].foreign && m->tasks[i].machine.v != FL_NONE;
	if (!m->entitle.present && !m->entitle.fairshare_body)
		a->say(a->user, "k is 1, nobody has a minimum run time, and all actions are on: "
				"no SchedulingShard "
				"in the input");
	if (m->entitle.k > 0 && !history)
		a->say(a->user,
		       "nobody has used anything so far: no history of usage in the input");
	else if (m->entitle.k > 0 && !a->simulated)
		a->say(a->user, "usage over time stays as it is: what is decided here does not "
				"add to it");
	fl_assume_clock(a);
	if (m->n_machines == 0)
		a->say(a->user, "there is nothing to run on: no Node in the input");
	if (foreign)
		a->say(a->user, "%u pod%s of other schedulers stay%s where %s", foreign,
		       foreign == 1 ? "" : "s", foreign == 1 ? "s" : "",
		       foreign == 1 ? "it is" : "they are");
	if (!a->simulated)
		a->say(a->user, "nothing finishes, and who is evicted is gone by the next cycle");
	if (m->entitle.has_budgets && m->n_samples == 0)
		a->say(a->user, "no budget is used yet: no samples of usage in the input");
	else if (m->entitle.has_budgets && !a->simulated)
		a->say(a->user,
		       "what is used of budgets stays as it is: what is decided here does not "
		       "add to it");
}

extern const struct fl_face fl_entitle_face;
const struct fl_face fl_entitle_face = {
	.ops = &fl_entitle_policy,
	.ask = &fl_entitle_asks,
	.report = &fl_entitle_reports,
	.explain = explain,
	.tree = tree,
	.lint = fl_lint_entitle,
	.count = count,
	.assume = assume,
	.find = find,
	.nodes = "queue",
	.divides = true,
	.stands = stands,
};
