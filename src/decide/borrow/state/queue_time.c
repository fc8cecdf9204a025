/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "decide/borrow/state/state.h"

/* Is the reason of its eviction one after which it queues from the time of the eviction? */
static bool queues_from_eviction(const struct fl_model *m, const struct fl_workload_row *row)
{
	const struct fl_requeue_row *q = fl_model_requeue(m, row);
	const char *why = fl_model_text(m, q->evicted_reason);

	return row->evicted && q->evicted_at != FL_TIME_NONE &&
	       ((strcmp(why, "PodsReadyTimeout") == 0 && !m->settings.from_creation) ||
		strcmp(why, "AdmissionCheck") == 0);
}

fl_time fl_queue_time(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_workload_row *row = fl_row(p, w);

	return queues_from_eviction(p->model, row) ? fl_model_requeue(p->model, row)->evicted_at :
						     row->created;
}
