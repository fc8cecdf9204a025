/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/state/queue_time.h"

#include <string.h>

#include "decide/borrow/state/state.h"

/* Is the reason of its eviction one after which it queues from the time of the eviction? */
static bool queues_from_eviction(const struct fl_model *m, const struct fl_workload_row *row)
{
	const struct fl_requeue_row *q;
	const char *why;

	if (!row->evicted)
		return false;
	q = fl_model_requeue(m, row);
	why = fl_model_text(m, q->evicted_reason);
	return q->evicted_at != FL_TIME_NONE &&
	       ((strcmp(why, "PodsReadyTimeout") == 0 && !m->settings.from_creation) ||
		strcmp(why, "AdmissionCheck") == 0);
}

fl_time fl_queue_time(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_workload_row *row = fl_row(p, w);

	return queues_from_eviction(p->model, row) ? fl_model_requeue(p->model, row)->evicted_at :
						     row->created;
}

int fl_cmp_unranked(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	const struct fl_names *names = &p->model->names;
	const struct fl_workload_row *x = &p->model->workloads[a], *y = &p->model->workloads[b];
	int order = fl_names_cmp(names, x->uid, y->uid);

	if (!order)
		order = fl_names_cmp(names, x->namespace, y->namespace);
	return order ? order : fl_names_cmp(names, x->name, y->name);
}
