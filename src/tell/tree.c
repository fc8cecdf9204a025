/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"
#include "tell/face.h"

static int find_top(const struct fl_question *q, const char *name, struct fl_node *ret,
		    fairlead_error *err)
{
	const struct fl_face *face = fl_face_of(q->ops);
	const struct fl_model *m = q->model;
	struct fl_nearest near = { .wanted = name };
	char text[1600];

	*ret = face->find(m, name);
	if (ret->v == FL_NONE) {
		for (uint32_t i = 0; i < m->n_nodes; i++)
			fl_nearest_offer(&near, fl_model_text(m, m->nodes[i].name));
		fl_fail(err, FAIRLEAD_ENOENT, "there is no %s '%s'", face->nodes, name);
		if (near.n)
			fl_fail_hint(err, "did you mean %s?",
				     fl_nearest_text(&near, text, sizeof(text)));
		return FAIRLEAD_ENOENT;
	}
	if (!face->stands(q, *ret)) {
		char why[320];

		return fl_fail(err, FAIRLEAD_ENOENT, "'%s' is in no tree: %s", name,
			       fl_report_why_inactive(m, *ret, why));
	}
	return 0;
}

/* Where it holds quota: a gang holds in its own queue. */
static struct fl_node holds_in(const struct fl_workload_row *row)
{
	return row->gang == FL_NONE ? row->admitted_queue : row->cluster_queue;
}

/* By node: workloads that hold something there, and those that wait. */
static void count_workloads(const struct fl_question *q, uint32_t *running, uint32_t *waiting)
{
	const struct fl_model *m = q->model;

	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		switch (q->ops->state(q->policy, (struct fl_workload){ w })) {
		case FL_STATE_ADMITTED:
		case FL_STATE_EVICTING:
			if (holds_in(row).v != FL_NONE)
				running[holds_in(row).v]++;
			break;
		case FL_STATE_WAITING:
		case FL_STATE_INADMISSIBLE:
		case FL_STATE_HELD_BACK:
			if (row->cluster_queue.v != FL_NONE)
				waiting[row->cluster_queue.v]++;
			break;
		case FL_STATE_EXCLUDED: /* a queue that is stopped still has them */
			if (row->excluded == FL_EXCLUDED_CLUSTER_QUEUE_STOPPED)
				waiting[row->cluster_queue.v]++;
			break;
		case FL_STATE_ABSENT:
			break;
		}
	}
}

int fl_tell_tree(const struct fl_question *q, const char *top, fairlead_error *err)
{
	struct fl_tell_tree t = { .top = { FL_NONE } };
	int rc = top ? find_top(q, top, &t.top, err) : 0;

	if (rc < 0)
		return rc;
	t.running = fl_arena_alloc(q->arena, q->model->n_nodes, sizeof(*t.running), err);
	t.waiting = fl_arena_alloc(q->arena, q->model->n_nodes, sizeof(*t.waiting), err);
	if (!t.running || !t.waiting)
		return FAIRLEAD_ENOMEM;
	count_workloads(q, t.running, t.waiting);
	return fl_face_of(q->ops)->tree(q, &t, err);
}
