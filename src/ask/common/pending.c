/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/common/pending.h"

#include <string.h>

#include "base/sort.h"

int fl_workload_name_cmp(const struct fl_model *m, uint32_t a, uint32_t b)
{
	const struct fl_workload_row *x = &m->workloads[a], *y = &m->workloads[b];
	const char *s = fl_model_text(m, x->namespace), *t = fl_model_text(m, y->namespace);

	if (x->namespace.v == y->namespace.v)
		return strcmp(fl_model_text(m, x->name), fl_model_text(m, y->name));
	while (*s && *s == *t)
		s++, t++;
	/* Where one namespace ends, the slash takes part: "a-b/x" stands before "a/x". */
	unsigned char c = *s ? (unsigned char)*s : '/', e = *t ? (unsigned char)*t : '/';
	return (c > e) - (c < e);
}

static int cmp_names(const void *ctx, uint32_t a, uint32_t b)
{
	return fl_workload_name_cmp(ctx, a, b);
}

static int prepare(struct fl_pending_list *list, const struct fl_model *m, fairlead_error *err)
{
	uint32_t cap = 0, cap_scratch = 0, cap_head = 0, n = m->n_workloads;
	uint32_t *order = NULL, *scratch = NULL;
	uint8_t *is_head = NULL;

	if (list->order || n == 0)
		return 0;
	int rc = fl_mem_grow(list->mem, &order, &cap, n, sizeof(*order), err);
	if (rc == 0)
		rc = fl_mem_grow(list->mem, &is_head, &cap_head, n, 1, err);
	if (rc == 0)
		rc = fl_mem_grow(list->mem, &scratch, &cap_scratch, n, sizeof(*scratch), err);
	if (rc < 0) {
		fl_mem_free(list->mem, order);
		fl_mem_free(list->mem, is_head);
		return rc;
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	memset(is_head, 0, n);
	fl_sort(order, n, scratch, cmp_names, m);
	fl_mem_free(list->mem, scratch);
	list->order = order;
	list->is_head = is_head;
	return 0;
}

enum fl_reason fl_pending_fixed_reason(const struct fl_model *m, struct fl_workload w)
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	switch (row->excluded) {
	case FL_INCLUDED:
		break;
	case FL_EXCLUDED_FINISHED:
		return FL_REASON_FINISHED;
	case FL_EXCLUDED_DEACTIVATED:
		return FL_REASON_DEACTIVATED;
	case FL_EXCLUDED_NO_QUEUE:
	case FL_EXCLUDED_NO_CLUSTER_QUEUE:
		return FL_REASON_QUEUE_MISSING;
	case FL_EXCLUDED_QUEUE_STOPPED:
		return FL_REASON_QUEUE_STOPPED;
	case FL_EXCLUDED_CLUSTER_QUEUE_STOPPED:
		return FL_REASON_QUEUE_INACTIVE;
	case FL_EXCLUDED_MISCONFIGURED:
		return FL_REASON_MISCONFIGURED;
	case FL_EXCLUDED_LIMIT_RANGE:
		return FL_REASON_OUTSIDE_LIMIT_RANGE;
	case FL_EXCLUDED_NOT_A_LEAF:
		return FL_REASON_NOT_A_LEAF;
	case FL_EXCLUDED_PARENT_NOT_FOUND:
		return FL_REASON_PARENT_MISSING;
	}
	if (row->cluster_queue.v == FL_NONE)
		return FL_REASON_QUEUE_MISSING;
	switch (m->nodes[row->cluster_queue.v].inactive) {
	case FL_ACTIVE:
		break;
	case FL_INACTIVE_COHORT_CYCLE:
		return FL_REASON_COHORT_CYCLE;
	case FL_INACTIVE_PARENT_NOT_FOUND:
		return FL_REASON_PARENT_MISSING;
	case FL_INACTIVE_FLAVOR_NOT_FOUND:
	case FL_INACTIVE_STOPPED:
		return FL_REASON_QUEUE_INACTIVE;
	}
	return FL_REASON_NONE;
}

static enum fl_reason reason_of(const struct fl_policy_ops *ops, const struct fl_policy *p,
				const struct fl_model *m, struct fl_workload w,
				enum fl_workload_state state, bool head)
{
	enum fl_reason fixed = fl_pending_fixed_reason(m, w);

	if (fixed != FL_REASON_NONE)
		return fixed;
	enum fl_reason said = ops->reason(p, w);
	if (said != FL_REASON_NONE)
		return said;
	if (state == FL_STATE_INADMISSIBLE)
		return FL_REASON_INADMISSIBLE;
	return head ? FL_REASON_WAITING_FOR_QUOTA : FL_REASON_BEHIND_HEAD;
}

static bool waits(const struct fl_model *m, uint32_t w, enum fl_workload_state state)
{
	enum fl_excluded excluded = m->workloads[w].excluded;

	if (state == FL_STATE_EXCLUDED)
		return excluded != FL_EXCLUDED_FINISHED && excluded != FL_EXCLUDED_DEACTIVATED;
	return state == FL_STATE_WAITING || state == FL_STATE_INADMISSIBLE ||
	       state == FL_STATE_HELD_BACK;
}

int fl_pending_fill(struct fl_pending_list *list, const struct fl_policy_ops *ops,
		    const struct fl_policy *p, const struct fl_model *m,
		    const struct fl_decisions *d, fairlead_error *err)
{
	int rc = prepare(list, m, err);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; d && i < d->n_heads; i++)
		list->is_head[d->heads[i].v] = 1;
	list->n = 0;
	for (uint32_t i = 0; i < m->n_workloads; i++) {
		struct fl_workload w = { list->order[i] };
		enum fl_workload_state state = ops->state(p, w);

		if (!waits(m, w.v, state))
			continue;
		rc = fl_mem_grow(list->mem, &list->rows, &list->cap, list->n + 1,
				 sizeof(*list->rows), err);
		if (rc < 0)
			break;
		bool head = list->is_head[w.v];
		list->rows[list->n++] = (struct fl_pending){
			.workload = w,
			.cluster_queue = m->workloads[w.v].cluster_queue,
			.reason = reason_of(ops, p, m, w, state, head),
			.head = head,
			.parked = state == FL_STATE_INADMISSIBLE,
		};
	}
	for (uint32_t i = 0; d && i < d->n_heads; i++)
		list->is_head[d->heads[i].v] = 0;
	return rc;
}

void fl_pending_done(struct fl_pending_list *list)
{
	if (!list->mem)
		return;
	fl_mem_free(list->mem, list->rows);
	fl_mem_free(list->mem, list->order);
	fl_mem_free(list->mem, list->is_head);
	*list = (struct fl_pending_list){ .mem = list->mem };
}
