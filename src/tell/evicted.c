/* SPDX-License-Identifier: Apache-2.0 */
#include "tell/evicted.h"

#include <string.h>

#include "tell/face.h"

static struct fl_workload find_uid(const struct fl_model *m, struct fl_sym uid)
{
	for (uint32_t w = 0; uid.v && w < m->n_workloads; w++)
		if (m->workloads[w].uid.v == uid.v)
			return (struct fl_workload){ w };
	return (struct fl_workload){ FL_NONE };
}

/* "/cohort/queue" ends with the queue. */
static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static enum fl_preemptor_now now_of(const struct fl_question *q, struct fl_workload w)
{
	switch (q->ops->state(q->policy, w)) {
	case FL_STATE_WAITING:
	case FL_STATE_INADMISSIBLE:
	case FL_STATE_HELD_BACK:
		return FL_PREEMPTOR_WAITS;
	case FL_STATE_ADMITTED:
	case FL_STATE_EVICTING:
		return FL_PREEMPTOR_HOLDS;
	case FL_STATE_ABSENT:
	case FL_STATE_EXCLUDED:
		break;
	}
	return FL_PREEMPTOR_EXCLUDED;
}

static void read_row(const struct fl_model *m, const struct fl_eviction_row *row,
		     struct fl_evicted *ret)
{
	const char *reason = fl_model_text(m, row->reason);

	*ret = (struct fl_evicted){
		.at = row->at,
		.reason = reason,
		.over = row->over,
		.preempted = strcmp(reason, "Preempted") == 0,
		.rule = fl_model_text(m, row->rule),
		.uid = fl_model_text(m, row->preemptor),
		.job_uid = fl_model_text(m, row->preemptor_job),
		.by = find_uid(m, row->preemptor),
		.queue = last_of(fl_model_text(m, row->preemptor_path)),
	};
	if (ret->preempted && ret->by.v == FL_NONE && *ret->uid)
		ret->now = FL_PREEMPTOR_GONE;
}

/* Whether @a and @b are different nodes of one tree: then *ret are the nodes below which they part. */
static bool part_at(const struct fl_model *m, struct fl_node a, struct fl_node b,
		    struct fl_node ret[2])
{
	for (struct fl_node x = a; x.v != FL_NONE; x = m->nodes[x.v].parent)
		for (struct fl_node y = b; y.v != FL_NONE; y = m->nodes[y.v].parent) {
			if (m->nodes[x.v].parent.v == FL_NONE || x.v == y.v ||
			    m->nodes[x.v].parent.v != m->nodes[y.v].parent.v)
				continue;
			ret[0] = x;
			ret[1] = y;
			return true;
		}
	return false;
}

static void add_sides(const struct fl_question *q, struct fl_workload w, struct fl_evicted *e)
{
	const struct fl_model *m = q->model;
	struct fl_node own = fl_report_queue(m, w), other, sides[2];

	if (!q->report->fair || !e->preempted || !*e->queue || own.v == FL_NONE)
		return;
	other = fl_face_of(q->ops)->find(m, e->queue);
	if (e->by.v != FL_NONE)
		other = fl_report_queue(m, e->by);
	if (other.v == FL_NONE || !fl_face_of(q->ops)->stands(q, own) ||
	    !fl_face_of(q->ops)->stands(q, other) || !part_at(m, own, other, sides))
		return;
	e->n_sides = 2;
	for (int i = 0; i < 2; i++) {
		e->sides[i].node = sides[i];
		q->ops->share(q->policy, sides[i], &e->sides[i].share);
	}
}

const struct fl_evicted *fl_tell_evicted(const struct fl_question *q, struct fl_workload w,
					 struct fl_evicted *ret)
{
	const struct fl_eviction_row *row = fl_model_eviction(q->model, w);

	if (q->evicted)
		*ret = *q->evicted;
	else if (row)
		read_row(q->model, row, ret);
	else
		return NULL;
	if (ret->by.v != FL_NONE) {
		ret->now = now_of(q, ret->by);
		ret->queue = fl_report_node(q->model, fl_report_queue(q->model, ret->by));
	}
	add_sides(q, w, ret);
	return ret;
}
