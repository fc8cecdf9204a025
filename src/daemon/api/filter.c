/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/filter.h"

#include <string.h>

#include "daemon/config/config_queue.h"
#include "daemon/engine/daemon.h"

/* --- events --- */

bool fl_filter_job(const struct fl_daemon *d, const struct fl_sees *sees, const struct fl_live *job)
{
	return !sees || fl_sees_inside(sees, fl_daemon_word(d, job->queue));
}

static bool sees_number(const struct fl_daemon *d, const struct fl_sees *sees, uint64_t number)
{
	const struct fl_live *job = number ? fl_daemon_job(d, number) : NULL;

	return job && fl_filter_job(d, sees, job);
}

/* The ClusterQueue of "namespace/name", as it is now; NULL: it is not known. */
static const char *cluster_queue_of(const struct fl_daemon *d, const char *queue)
{
	struct fl_live_view view;
	struct fl_sym namespace, name;
	uint32_t at;

	fl_daemon_view(d, &view);
	if (fl_config_queue(view.model, queue, &namespace, &name, NULL) < 0)
		return NULL;
	at = fl_config_local_queue(view.model, namespace, name);
	if (at == FL_NONE || view.model->queues[at].cluster_queue.v == FL_NONE)
		return NULL;
	return fl_model_text(view.model,
			     view.model->nodes[view.model->queues[at].cluster_queue.v].name);
}

/* Of a job that it may not get: that it happened in a queue. */
static bool hide_job(const struct fl_daemon *d, struct fl_event_row *row)
{
	row->queue = row->queue ? cluster_queue_of(d, row->queue) : NULL;
	row->job = row->by = 0;
	row->attempt = 0;
	row->text = NULL;
	return row->queue;
}

bool fl_filter_event(const struct fl_daemon *d, const struct fl_sees *sees,
		     const struct fl_event_row *row, char buffer[FL_PEOPLE_TEXT],
		     struct fl_event_row *ret)
{
	const bool is_inside = row->job || (row->queue && strchr(row->queue, '/'));

	*ret = *row;
	if (!sees)
		return true;
	if (!is_inside) { /* of a queue, or of all; its text may name anything */
		ret->text = NULL;
		ret->by = 0;
		return !row->queue || sees->queues;
	}
	if (!(row->queue && fl_sees_inside(sees, row->queue)) && !sees_number(d, sees, row->job))
		return sees->queues && hide_job(d, ret);
	if (row->by && !sees_number(d, sees, row->by))
		ret->by = 0;
	ret->text = row->by && !ret->by ? NULL : fl_sees_text(sees, row->text, buffer);
	return true;
}

/* --- queues --- */

void fl_filter_queues(const struct fl_sees *sees, struct fl_queues_answer *a)
{
	uint32_t n = 0;

	if (!sees)
		return;
	for (uint32_t i = 0; i < a->n; i++) {
		struct fl_queue_answer *one = &a->queues[i];
		const bool is_local = i >= a->n_nodes;

		if (is_local ? !fl_sees_namespace(sees, one->namespace) : !sees->queues)
			continue;
		if (!sees->queues) {
			one->parent = NULL;
			one->conditions = NULL;
		}
		a->queues[n++] = *one;
	}
	a->n = n;
	if (!sees->queues) {
		a->n_nodes = a->n_total = 0;
		a->warning = NULL;
	}
}

/* --- other answers --- */

void fl_filter_difference(const struct fl_sees *sees, struct fl_agreement_difference *d)
{
	if (!sees)
		return;

	const bool is_own = d->workload && fl_sees_inside(sees, d->workload);

	if (!is_own)
		d->workload = NULL;
	if (!sees->queues)
		d->queue = NULL;
	if (!is_own || !sees->queues)
		d->said = NULL;
}

const char *fl_filter_warning(const struct fl_call *call)
{
	return fl_sees_queues(call->sees) ? fl_daemon_warning(call->api->daemon) : NULL;
}
