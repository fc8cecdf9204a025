/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/drf/lint.h"

#include <stdio.h>
#include <string.h>

#include "decide/drf/drf.h"

static void add(char *text, size_t size, const char *what)
{
	size_t n = strlen(text);

	(void)snprintf(text + n, size - n, "%s%s", n ? ", " : "", what);
}

static bool has_limits(const struct fl_model *m, struct fl_node n)
{
	struct fl_quota_walk walk = { 0 };
	const struct fl_quota *q;
	bool any = false;

	while ((q = fl_model_next_quota(m, n, &walk)))
		any |= q->borrowing_limit != FL_NO_LIMIT || q->lending_limit != FL_NO_LIMIT;
	return any;
}

static int lint_node(struct fl_model *m, struct fl_node n, fairlead_error *err)
{
	const struct fl_node_row *row = &m->nodes[n.v];
	char subject[400], left_out[200] = "";

	if (row->parent_name.v != FL_NONE)
		add(left_out, sizeof left_out, "its cohort");
	if (has_limits(m, n))
		add(left_out, sizeof left_out, "limits of borrowing and lending");
	if (row->kind == FL_CLUSTER_QUEUE &&
	    (row->within_queue != FL_PREEMPT_NEVER || row->reclaim != FL_PREEMPT_NEVER))
		add(left_out, sizeof left_out, "preemption");
	if (!*left_out)
		return 0;
	(void)snprintf(subject, sizeof subject, "%s/%.300s",
		       row->kind == FL_COHORT ? "Cohort" : "ClusterQueue",
		       fl_model_text(m, row->name));
	return fl_model_notice(m, FL_NOTICE_IGNORED_FIELD, row->place, subject, /* hint= */ NULL,
			       err, "plain DRF leaves out: %s", left_out);
}

/* @w does not fit though nothing is held. */
static int lint_workload(struct fl_model *m, struct fl_workload w, enum fl_reason why,
			 fairlead_error *err)
{
	const struct fl_workload_row *row = &m->workloads[w.v];
	bool large = why == FL_REASON_EXCEEDS_MAX_QUOTA || why == FL_REASON_RESOURCE_NOT_COVERED;
	char subject[600];

	(void)snprintf(subject, sizeof subject, "Workload/%.253s/%.253s",
		       fl_model_text(m, row->namespace), fl_model_text(m, row->name));
	return fl_model_notice(m, large ? FL_NOTICE_NEVER_FITS : FL_NOTICE_NEVER_ADMITTED,
			       row->place, subject, /* hint= */ NULL, err, "%s",
			       fl_reason_sentence(why));
}

static int lint_workloads(struct fl_model *m, struct fl_policy *p, fairlead_error *err)
{
	const struct fl_policy_ops *ops = &fl_drf_policy;
	int r = 0;

	for (uint32_t w = 0; w < m->n_workloads && r == 0; w++) {
		const struct fl_event done = { .kind = FL_EV_FINISHED, .workload = { w } };
		enum fl_workload_state state = ops->state(p, done.workload);

		if (state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING)
			r = ops->apply(p, 0, &done, err);
	}
	for (uint32_t w = 0; w < m->n_workloads && r == 0; w++) {
		struct fl_decisions d;

		if (ops->state(p, (struct fl_workload){ w }) != FL_STATE_WAITING)
			continue;
		r = ops->try(p, 0, (struct fl_workload){ w }, /* sink= */ NULL, &d, err);
		if (r == 0 && d.rows[0].kind == FL_WAIT)
			r = lint_workload(m, (struct fl_workload){ w }, d.rows[0].reason, err);
	}
	return r;
}

int fl_drf_lint(struct fl_model *m, fairlead_error *err)
{
	const struct fl_policy_options options = { .mem = m->mem };
	struct fl_policy *p = NULL;
	int r = fl_drf_policy.new(m, &options, &p, err);

	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++)
		r = lint_node(m, (struct fl_node){ n }, err);
	if (r == 0)
		r = lint_workloads(m, p, err);
	fl_drf_policy.free(p);
	return r;
}
