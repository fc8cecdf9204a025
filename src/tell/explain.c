/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/explain.h"
#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"
#include "report/borrow/explain_report.h"
#include "report/entitle/explain_report.h"
#include "tell/tell.h"

bool fl_question_is_entitle(const struct fl_question *q) { return q->ops == &fl_entitle_policy; }

static int explain_entitle(const struct fl_question *q, struct fl_workload w,
			   const struct fl_eta *eta, fairlead_error *err)
{
	struct fl_entitle_explain x;
	int rc = fl_entitle_explain(q->ops, q->policy, q->model, q->now, w, q->machine, q->arena,
				    &x, err);

	if (rc < 0)
		return rc;
	const struct fl_entitle_answer a = {
		.x = &x, .now = q->now, .policy = q->ops->name, .eta = eta
	};
	return q->json ? fl_entitle_explain_json(q->report, &a, err) :
			 fl_entitle_explain_text(q->report, &a, err);
}

int fl_tell_explain(const struct fl_question *q, struct fl_workload w, const struct fl_eta *eta,
		    fairlead_error *err)
{
	struct fl_explain x;

	if (fl_question_is_entitle(q))
		return explain_entitle(q, w, eta, err);
	int rc = fl_explain(q->ops, q->policy, q->model, q->now, w, q->machine, q->arena, &x, err);
	if (rc < 0)
		return rc;
	struct fl_explain_report e = {
		.x = &x,
		.tree = fl_borrow_tree(q->policy),
		.usage = fl_borrow_usage(q->policy),
		.now = q->now,
		.policy = q->ops->name,
		.eta = eta,
	};
	return q->json ? fl_explain_json(q->report, &e, err) : fl_explain_text(q->report, &e, err);
}
