/* SPDX-License-Identifier: Apache-2.0 */
/* drf - the face of plain DRF */
#include "decide/drf/drf.h"
#include "ask/drf/explain.h"
#include "ask/drf/lint.h"
#include "ask/drf/outcome.h"
#include "report/drf/face.h"
#include "tell/evicted.h"
#include "tell/face.h"

static int explain(const struct fl_question *q, struct fl_workload w, const struct fl_eta *eta,
		   fairlead_error *err)
{
	struct fl_evicted evicted;
	struct fl_drf_explain x;
	const struct fl_drf_answer a = { .x = &x,
					 .eta = eta,
					 .evicted = fl_tell_evicted(q, w, &evicted) };
	int rc = fl_drf_explain(q->ops, q->policy, q->model, q->now, w, q->arena, &x, err);

	if (rc < 0)
		return rc;
	if (!q->json)
		return fl_drf_explain_text(q->report, &a, err);
	fl_document_json(q->report, &fl_drf_explain_document, &a);
	return 0;
}

static int tree(const struct fl_question *q, const struct fl_tell_tree *of, fairlead_error *err)
{
	struct fl_drf_stand stand;
	const struct fl_drf_tree t = {
		.stand = &stand, .top = of->top, .running = of->running, .waiting = of->waiting
	};
	int rc = fl_drf_stand_init(&stand, q->model, q->arena, err);

	if (rc < 0)
		return rc;
	fl_drf_stand_look(&stand, q->ops, q->policy);
	return q->json ? fl_drf_tree_json(q->report, &t, err) :
			 fl_drf_tree_text(q->report, &t, err);
}

static struct fl_node find(const struct fl_model *m, const char *name)
{
	return fl_model_find_node(m, FL_CLUSTER_QUEUE, name);
}

static bool stands(const struct fl_question *q, struct fl_node n)
{
	return q->model->nodes[n.v].inactive == FL_ACTIVE;
}

static void count(const struct fl_model *m, void (*say)(uint32_t n, const char *what))
{
	uint32_t queues = 0;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		queues += m->nodes[n].kind == FL_CLUSTER_QUEUE;
	say(queues, "cluster queue");
	say(m->n_queues, "local queue");
}

static void assume(const struct fl_assuming *a)
{
	if (a->namespaces)
		a->say(a->user, "every namespace exists, with its name as only label: no "
				"Namespaces in the input");
	fl_assume_clock(a);
	a->say(a->user, "all nominal quotas together are one cluster, which all queues share: "
			"cohorts, limits and preemption do not count");
	if (a->model->n_limit_ranges == 0)
		a->say(a->user, "containers take what they state: no LimitRange in the input");
}

extern const struct fl_face fl_drf_face;
const struct fl_face fl_drf_face = {
	.ops = &fl_drf_policy,
	.ask = &fl_drf_asks,
	.report = &fl_drf_reports,
	.explain = explain,
	.tree = tree,
	.lint = fl_drf_lint,
	.count = count,
	.assume = assume,
	.find = find,
	.nodes = "queue",
	.by_namespace = true,
	.stands = stands,
};
