/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/handover/over.h"

#include <stdio.h>
#include <string.h>

/* What @row holds of a quota; what pods that are done held is given back already (fl_model_seal). */
static fl_amount held(const struct fl_model *m, const struct fl_workload_row *row,
		      const struct fl_quota *quota)
{
	fl_amount sum = 0;

	for (uint32_t i = 0; i < row->admission.n; i++) {
		const struct fl_span rows =
			m->podset_assignments[row->admission.first + i].assignments;

		for (uint32_t k = rows.first; k < rows.first + rows.n; k++)
			if (m->assignments[k].flavor.v == quota->flavor.v &&
			    m->assignments[k].resource.v == quota->resource.v)
				sum = fl_sat_add(sum, m->assignments[k].amount);
	}
	return sum;
}

static bool holds_here(const struct fl_workload_row *row, struct fl_node n)
{
	return row->reserved && !row->finished && row->admitted_queue.v == n.v;
}

/* Another queue of the tree can take back this quota of its own. */
static bool is_reclaimed(const struct fl_handing *t, struct fl_node n, const struct fl_quota *of)
{
	const struct fl_model *m = t->snapshot.model;
	const struct fl_quota *quota;

	for (uint32_t i = 0; i < m->n_nodes; i++) {
		struct fl_quota_walk walk = { 0 };

		if (i == n.v || !t->has[i] || m->nodes[i].kind != FL_CLUSTER_QUEUE ||
		    m->nodes[i].reclaim == FL_PREEMPT_NEVER)
			continue;
		while ((quota = fl_model_next_quota(m, (struct fl_node){ i }, &walk)))
			if (quota->flavor.v == of->flavor.v &&
			    quota->resource.v == of->resource.v && quota->nominal != 0)
				return true;
	}
	return false;
}

static int fill(struct fl_handing *t, const struct fl_handing_queue *q,
		const struct fl_quota *quota, fl_amount over, struct fl_handover_over *ret,
		fairlead_error *err)
{
	const struct fl_model *m = t->snapshot.model;
	const struct fl_report report = { .model = m, .quantity = t->snapshot.report.quantity };
	char amount[32], name[FL_REPORT_NAME];
	const char **workloads;
	uint32_t n = 0;

	for (uint32_t w = 0; w < m->n_workloads; w++)
		n += holds_here(&m->workloads[w], q->node) && held(m, &m->workloads[w], quota) > 0;
	if (!FL_NEW(&t->arena, workloads, n, err))
		return FAIRLEAD_ENOMEM;
	*ret = (struct fl_handover_over){
		.queue = q->name,
		.resource = fl_handing_text(t, err, "%s", fl_model_text(m, quota->resource_name)),
		.flavor = fl_handing_text(t, err, "%s", fl_model_text(m, quota->flavor_name)),
		.amount = fl_handing_text(t, err, "%s",
					  fl_report_amount(&report, quota->resource, over, amount)),
		.workloads = workloads,
	};
	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (holds_here(&m->workloads[w], q->node) && held(m, &m->workloads[w], quota) > 0)
			workloads[ret->n_workloads++] = fl_handing_text(
				t, err, "%s",
				fl_report_workload(m, (struct fl_workload){ w }, name));
	for (uint32_t i = 0; i < n; i++)
		if (!workloads[i])
			return FAIRLEAD_ENOMEM;
	return ret->resource && ret->flavor && ret->amount ? 0 : FAIRLEAD_ENOMEM;
}

static fl_amount sum_of(const struct fl_model *m, struct fl_node n, const struct fl_quota *quota)
{
	fl_amount sum = 0;

	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (holds_here(&m->workloads[w], n))
			sum = fl_sat_add(sum, held(m, &m->workloads[w], quota));
	return sum;
}

/* Of one queue, into @rows from *n on; NULL: they are counted alone. */
static int add_queue(struct fl_handing *t, const struct fl_handing_queue *q,
		     struct fl_handover_over *rows, uint32_t *n, fairlead_error *err)
{
	const struct fl_model *m = t->snapshot.model;
	struct fl_quota_walk walk = { 0 };
	const struct fl_quota *quota;
	int rc = 0;

	while (rc == 0 && (quota = fl_model_next_quota(m, q->node, &walk))) {
		fl_amount nominal = quota->nominal, sum = sum_of(m, q->node, quota);

		if (nominal == FL_NO_LIMIT || sum <= nominal || !is_reclaimed(t, q->node, quota))
			continue;
		if (rows)
			rc = fill(t, q, quota, sum - nominal, &rows[*n], err);
		*n += 1;
	}
	return rc;
}

int fl_handing_over(struct fl_handing *t, fairlead_error *err)
{
	struct fl_handover_over *rows;
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; i < t->n_queues; i++)
		rc = add_queue(t, &t->queues[i], NULL, &n, err);
	if (!FL_NEW(&t->arena, rows, n, err))
		return FAIRLEAD_ENOMEM;
	n = 0;
	for (uint32_t i = 0; i < t->n_queues && rc == 0; i++)
		rc = add_queue(t, &t->queues[i], rows, &n, err);
	t->answer.over = rows;
	t->answer.n_over = n;
	return rc;
}
