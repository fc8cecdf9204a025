/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/handover/rows.h"

#include <stdio.h>

/* "cpu 40, gpu 8" */
static const char *quota_of(struct fl_handing *t, struct fl_node n, fairlead_error *err)
{
	const struct fl_model *m = t->snapshot.model;
	const struct fl_report report = { .model = m, .quantity = t->snapshot.report.quantity };
	const struct fl_quota *quota;
	char text[400] = "", amount[32];
	size_t len = 0;

	for (uint32_t i = 0; i < m->n_resources && len < sizeof text - 300; i++) {
		struct fl_quota_walk walk = { 0 };
		fl_amount sum = 0;
		bool any = false;

		while ((quota = fl_model_next_quota(m, n, &walk)))
			if (quota->resource.v == i) {
				sum = fl_quota_add(sum, quota->nominal);
				any = true;
			}
		if (any)
			len += (size_t)snprintf(
				text + len, sizeof text - len, "%s%.200s %s", len ? ", " : "",
				fl_report_short_resource(m, (struct fl_resource){ i }),
				fl_report_amount(&report, (struct fl_resource){ i }, sum, amount));
	}
	return fl_handing_text(t, err, "%s", text);
}

static void count(const struct fl_handing *t, struct fl_node n, struct fl_handover_queue *ret)
{
	const struct fl_model *m = t->snapshot.model;

	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		if (row->finished)
			continue;
		if (row->reserved)
			ret->holding += row->admitted_queue.v == n.v;
		else
			ret->pending += row->active && row->cluster_queue.v == n.v;
	}
}

static struct fl_handover_standing words(struct fl_marked s, const char *other)
{
	const char *value = fl_handed_word(s.mark);

	return (struct fl_handover_standing){ fl_stop_word(s.stop),
					      s.mark == FL_HANDED_OTHER ? other : value,
					      fl_marked_checked(s) };
}

int fl_handing_rows(struct fl_handing *t, fairlead_error *err)
{
	const enum fl_way way = t->answer.back ? FL_WAY_BACK : FL_WAY_OVER;
	struct fl_handover_queue *rows;

	if (!FL_NEW(&t->arena, rows, t->n_queues, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < t->n_queues; i++) {
		const struct fl_handing_queue *q = &t->queues[i];
		const struct fl_marked after = fl_marked_final(q->now, way);

		rows[i] = (struct fl_handover_queue){
			.name = q->name,
			.quota = quota_of(t, q->node, err),
			.before = words(q->now, q->mark),
			.after = words(after, q->mark),
			.changes = !fl_marked_same(q->now, after),
		};
		if (!rows[i].quota)
			return FAIRLEAD_ENOMEM;
		count(t, q->node, &rows[i]);
	}
	t->answer.queues = rows;
	t->answer.n_queues = t->n_queues;
	return 0;
}
