/* SPDX-License-Identifier: Apache-2.0 */
/* borrow - the borrow policy's face */
#include "decide/borrow/borrow.h"
#include "ask/borrow/explain.h"
#include "ask/borrow/outcome.h"
#include "ask/borrow/shares.h"
#include "ask/lint/lint.h"
#include "report/borrow/explain_report.h"
#include "report/borrow/face.h"
#include "report/borrow/tree_report.h"
#include "tell/evicted.h"
#include "tell/face.h"

static int explain(const struct fl_question *q, struct fl_workload w, const struct fl_eta *eta,
		   fairlead_error *err)
{
	struct fl_evicted evicted;
	struct fl_explain x;

	int rc = fl_explain(q->ops, q->policy, q->model, q->now, w, q->machine, q->arena, &x, err);
	if (rc < 0)
		return rc;
	struct fl_explain_report e = {
		.x = &x,
		.tree = fl_borrow_tree(q->policy),
		.usage = fl_borrow_usage(q->policy),
		.now = q->now,
		.eta = eta,
		.evicted = fl_tell_evicted(q, w, &evicted),
		.user = q->machine && q->machine->owners ? q->machine->owner : NULL,
	};
	if (!q->json)
		return fl_explain_text(q->report, &e, err);
	fl_document_json(q->report, &fl_explain_document, &e);
	return 0;
}

static int tree(const struct fl_question *q, const struct fl_tell_tree *of, fairlead_error *err)
{
	uint32_t n = q->model->n_nodes;
	struct fl_ledger ledger;
	struct fl_tree_report t = {
		.ledger = &ledger, .top = of->top, .running = of->running, .waiting = of->waiting
	};

	int rc = fl_ledger_init(&ledger, fl_borrow_tree(q->policy), fl_borrow_usage(q->policy),
				q->arena, err);
	if (rc < 0)
		return rc;
	struct fl_share *shares = fl_arena_alloc(q->arena, n, sizeof(*shares), err);
	if (!shares)
		return FAIRLEAD_ENOMEM;
	if (q->report->fair) {
		for (uint32_t i = 0; i < n; i++)
			if (q->model->nodes[i].inactive == FL_ACTIVE)
				q->ops->share(q->policy, (struct fl_node){ i }, &shares[i]);
		t.shares = shares;
	}
	return q->json ? fl_tree_json(q->report, &t, err) : fl_tree_text(q->report, &t, err);
}

/* A cohort where a queue has the name, too, for it shows more. */
static struct fl_node find(const struct fl_model *m, const char *name)
{
	struct fl_node n = fl_model_find_node(m, FL_COHORT, name);

	return n.v == FL_NONE ? fl_model_find_node(m, FL_CLUSTER_QUEUE, name) : n;
}

static bool stands(const struct fl_question *q, struct fl_node n)
{
	return fl_borrow_tree(q->policy)->root[n.v] != FL_NONE;
}

static void count(const struct fl_model *m, void (*say)(uint32_t n, const char *what))
{
	uint32_t queues = 0;

	for (uint32_t i = 0; i < m->n_nodes; i++)
		queues += m->nodes[i].kind == FL_CLUSTER_QUEUE;
	say(queues, "cluster queue");
	say(m->n_nodes - queues, "cohort");
	say(m->n_queues, "local queue");
}

static const char no_configuration[] =
	"there is no Configuration in the input: fair sharing is taken to be off, and queues here may "
	"borrow from each other; add that of the cluster, which is in the ConfigMap "
	"kueue-manager-config of namespace kueue-system";

static void assume(const struct fl_assuming *a)
{
	const struct fl_model *m = a->model;

	if (!m->settings.present && a->shares)
		a->warn(a->user, "%s", no_configuration);
	else if (!m->settings.present)
		a->say(a->user, "fair sharing is off: no Configuration in the input");
	if (a->namespaces)
		a->say(a->user, "every namespace exists, with its name as only label: no "
				"Namespaces in the input");
	fl_assume_clock(a);
	a->say(a->user, "no workload is parked and no flavor search is under way: objects "
			"do not tell");
	if (m->n_limit_ranges == 0)
		a->say(a->user, "containers take what they state: no LimitRange in the input");
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].usage_based && !m->settings.exact_usage) {
			a->say(a->user,
			       "entry penalties of admission fair sharing are zero: objects "
			       "do not tell");
			break;
		}
}

extern const struct fl_face fl_borrow_face;
const struct fl_face fl_borrow_face = {
	.ops = &fl_borrow_policy,
	.ask = &fl_borrow_asks,
	.report = &fl_borrow_reports,
	.explain = explain,
	.tree = tree,
	.lint = fl_lint_borrow,
	.count = count,
	.assume = assume,
	.find = find,
	.shares = fl_borrow_shares,
	.nodes = "cohort or queue",
	.by_namespace = true,
	.stands = stands,
};
