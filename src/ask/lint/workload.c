/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads that could never be admitted, and flavors and namespaces that admit no workload. */
#include "ask/lint/workload.h"

#include <stdio.h>
#include <string.h>

#include "ask/lint/lint.h"
#include "ask/lint/lint_run.h"
#include "ask/lint/unsuited.h"
#include "base/nearest.h"
#include "decide/match.h"

/* The most of a resource that queue @n could have in one flavor; -1 when no group covers it. */
static fl_amount most_of(const struct fl_lint *l, struct fl_node n, struct fl_resource resource)
{
	const struct fl_model *m = l->m;
	fl_amount most = -1;

	for (uint32_t g = 0; g < m->nodes[n.v].groups.n; g++) {
		const struct fl_span *flavors = &m->groups[m->nodes[n.v].groups.first + g].flavors;

		for (uint32_t f = 0; f < flavors->n; f++) {
			struct fl_flavor flavor = m->group_flavors[flavors->first + f].id;
			struct fl_column c = fl_tree_column(l->tree, n, flavor, resource);
			size_t cell = c.v == FL_NONE ? 0 : fl_tree_cell(l->tree, n, c);

			if (c.v != FL_NONE && l->tree->known[cell])
				most = fl_amount_max(most,
						     fl_amount_max(0, l->tree->potential[cell]));
		}
	}
	return most;
}

/* A resource that the queue has quota for, and that may be meant; NULL when none is near. */
static const char *covered_instead(const struct fl_lint *l, struct fl_node n, const char *wanted,
				   char *hint, size_t size)
{
	const struct fl_model *m = l->m;
	struct fl_nearest near = { .wanted = wanted };
	char text[400];

	for (uint32_t g = 0; g < m->nodes[n.v].groups.n; g++) {
		const struct fl_span *names = &m->groups[m->nodes[n.v].groups.first + g].resources;

		for (uint32_t i = 0; i < names->n; i++) {
			const char *name = fl_model_text(m, m->syms[names->first + i]);

			if (strcmp(name, "cpu") != 0) /* "gpu" is no slip of it */
				fl_nearest_offer(&near, name);
		}
	}
	if (near.n == 0)
		return NULL;
	(void)snprintf(hint, size, "did you mean %s?", fl_nearest_text(&near, text, sizeof text));
	return hint;
}

/* One resource of one podset, all the pods that must start. */
static int lint_request(struct fl_lint *l, const struct fl_workload_row *w, const char *subject,
			struct fl_resource resource, fl_amount amount, bool *found,
			fairlead_error *err)
{
	fl_amount most = most_of(l, w->cluster_queue, resource);
	const char *queue = fl_model_text(l->m, l->m->nodes[w->cluster_queue.v].name);
	char asked[32], had[32], hint[440];

	if (amount == 0 || amount <= most)
		return 0;
	*found = true;
	if (most < 0)
		return fl_model_notice(
			l->m, FL_NOTICE_NEVER_FITS, w->place, subject,
			covered_instead(l, w->cluster_queue, fl_lint_resource(l, resource), hint,
					sizeof hint),
			err, "asks for '%s', which cluster queue '%s' has no quota for",
			fl_lint_resource(l, resource), queue);
	return fl_model_notice(
		l->m, FL_NOTICE_NEVER_FITS, w->place, subject, /* hint= */ NULL, err,
		"asks for %s of '%s', but cluster queue '%s' can never have more than %s in one flavor",
		fl_lint_amount(l, resource, amount, asked), fl_lint_resource(l, resource), queue,
		fl_lint_amount(l, resource, most, had));
}

static int lint_requests(struct fl_lint *l, const struct fl_workload_row *w, const char *subject,
			 bool *found, fairlead_error *err)
{
	const struct fl_model *m = l->m;
	int r = 0;

	for (uint32_t p = 0; p < w->podsets.n; p++) {
		const struct fl_podset *podset = &m->podsets[w->podsets.first + p];
		int32_t count = podset->min_count >= 0 ? podset->min_count : fl_podset_left(podset);

		for (uint32_t i = 0; i < podset->requests.n && r == 0 && !*found; i++) {
			const struct fl_request *q = &m->requests[podset->requests.first + i];

			r = lint_request(l, w, subject, q->resource, fl_sat_mul(q->amount, count),
					 found, err);
		}
	}
	return r;
}

/* The last request that was too large for what the queue could ever have. */
static void keep_shortage(void *user, const struct fl_evidence *row)
{
	struct fl_evidence *last = user;

	if (row->check == FL_CHECK_POTENTIAL && !row->holds)
		*last = *row;
}

/* Reasons that no amount of waiting takes away, and what a person would call them. */
static bool is_for_ever(const struct fl_lint *l, const struct fl_workload_row *w,
			enum fl_reason reason, enum fl_notice_kind *ret)
{
	const struct fl_namespace_row *namespace;

	switch (reason) {
	case FL_REASON_EXCEEDS_MAX_QUOTA:
	case FL_REASON_RESOURCE_NOT_COVERED:
		*ret = FL_NOTICE_NEVER_FITS;
		return true;
	case FL_REASON_NAMESPACE_MISMATCH:
		/* Of a namespace that is only assumed, the labels are not known. */
		namespace
		= fl_model_find_namespace(l->m, w->namespace);
		*ret = FL_NOTICE_NEVER_ADMITTED;
		return namespace && namespace->place.line;
	case FL_REASON_NAMESPACE_MISSING:
	case FL_REASON_NO_MATCHING_FLAVOR:
		*ret = FL_NOTICE_NEVER_ADMITTED;
		return true;
	default:
		return false;
	}
}

/* Each resource alone may be enough, and yet not all of them together. */
static int lint_trial(struct fl_lint *l, struct fl_workload w, const char *subject,
		      fairlead_error *err)
{
	struct fl_model *m = l->m;
	struct fl_evidence short_of = { .holds = true };
	struct fl_sink sink = { .row = keep_shortage, .user = &short_of };
	struct fl_decisions d = { 0 };
	enum fl_notice_kind kind = FL_NOTICE_NEVER_FITS;
	char asked[32], had[32], more[400] = "";
	int r = l->ops->try(l->policy, l->now, w, &sink, &d, err);

	for (uint32_t i = 0; i < d.n && r == 0; i++) {
		enum fl_reason reason = d.rows[i].reason;

		if (d.rows[i].kind != FL_WAIT || d.rows[i].workload.v != w.v ||
		    !is_for_ever(l, &m->workloads[w.v], reason, &kind))
			continue;
		if (reason == FL_REASON_EXCEEDS_MAX_QUOTA && !short_of.holds)
			(void)snprintf(
				more, sizeof more, ": %s '%.100s' in flavor '%.200s', %s at most",
				fl_lint_amount(l, short_of.resource, short_of.lhs.amount, asked),
				fl_lint_resource(l, short_of.resource),
				fl_lint_flavor(l, short_of.flavor),
				fl_lint_amount(l, short_of.resource, short_of.rhs.amount, had));
		if (reason == FL_REASON_NO_MATCHING_FLAVOR)
			(void)fl_lint_unsuited(m, &m->workloads[w.v], more, sizeof more);
		return fl_model_notice(m, kind, m->workloads[w.v].place, subject, /* hint= */ NULL,
				       err, "not even an empty cluster admits it: it %s%s",
				       fl_reason_sentence(reason), more);
	}
	return r;
}

int fl_lint_workloads(struct fl_lint *l, fairlead_error *err)
{
	const struct fl_model *m = l->m;
	char subject[FL_SUBJECT];
	int r = 0;

	for (uint32_t i = 0; i < m->n_workloads && r == 0; i++) {
		const struct fl_workload_row *w = &m->workloads[i];
		enum fl_workload_state state = l->ops->state(l->policy, (struct fl_workload){ i });
		bool found = false; /* one finding a workload is enough */

		if (w->excluded != FL_INCLUDED || w->admitted_queue.v != FL_NONE ||
		    m->nodes[w->cluster_queue.v].inactive != FL_ACTIVE)
			continue;
		fl_table_subject(m, FL_TABLE_WORKLOAD, w->namespace, w->name, subject);
		r = lint_requests(l, w, subject, &found, err);
		if (r == 0 && !found &&
		    (state == FL_STATE_WAITING || state == FL_STATE_INADMISSIBLE))
			r = lint_trial(l, (struct fl_workload){ i }, subject, err);
	}
	return r;
}

/* --- flavors and namespaces --- */

enum { ENOUGH_WORKLOADS = 10 }; /* fewer say little about later ones */

/* Does queue @n offer @flavor? */
static bool offers(const struct fl_model *m, struct fl_node n, struct fl_flavor flavor)
{
	for (uint32_t g = 0; g < m->nodes[n.v].groups.n; g++) {
		const struct fl_span *flavors = &m->groups[m->nodes[n.v].groups.first + g].flavors;

		for (uint32_t f = 0; f < flavors->n; f++)
			if (m->group_flavors[flavors->first + f].id.v == flavor.v)
				return true;
	}
	return false;
}

/* How many workloads stand in queues with this flavor; 0 as soon as it suits one of them. */
static uint32_t kept_out(const struct fl_model *m, struct fl_flavor flavor, const bool *offered)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_workloads; i++) {
		const struct fl_workload_row *w = &m->workloads[i];

		if (w->cluster_queue.v == FL_NONE || !offered[w->cluster_queue.v])
			continue;
		n++;
		for (uint32_t p = 0; p < w->podsets.n; p++)
			if (fl_match_flavor(m, &m->podsets[w->podsets.first + p], flavor))
				return 0;
	}
	return n;
}

static int lint_flavor(struct fl_lint *l, struct fl_flavor flavor, bool *offered,
		       fairlead_error *err)
{
	struct fl_model *m = l->m;
	const struct fl_flavor_row *row = &m->flavors[flavor.v];
	char subject[FL_SUBJECT];
	uint32_t n;

	if (!row->declared || (row->taints.n == 0 && row->labels.n == 0))
		return 0;
	for (uint32_t i = 0; i < m->n_nodes; i++)
		offered[i] = m->nodes[i].kind == FL_CLUSTER_QUEUE &&
			     offers(m, (struct fl_node){ i }, flavor);
	n = kept_out(m, flavor, offered);
	if (n < ENOUGH_WORKLOADS)
		return 0;
	fl_table_subject(m, FL_TABLE_FLAVOR, (struct fl_sym){ 0 }, row->name, subject);
	return fl_model_notice(m, FL_NOTICE_FLAVOR_MATCHES_NOBODY, row->place, subject,
			       /* hint= */ NULL, err,
			       "none of the %u workloads of its queues suits its labels and taints",
			       n);
}

/* Of a namespace that is not in the input nothing is known. */
static int lint_local_queue(struct fl_lint *l, const struct fl_queue_row *q, fairlead_error *err)
{
	struct fl_model *m = l->m;
	const struct fl_namespace_row *namespace = fl_model_find_namespace(m, q->namespace);
	const struct fl_node_row *cq;
	char subject[FL_SUBJECT];

	if (q->cluster_queue.v == FL_NONE || !namespace || namespace->place.line == 0)
		return 0;
	cq = &m->nodes[q->cluster_queue.v];
	if (!cq->namespaces.present || fl_match_namespace(m, &cq->namespaces, q->namespace))
		return 0;
	fl_table_subject(m, FL_TABLE_QUEUE, q->namespace, q->name, subject);
	return fl_model_notice(
		m, FL_NOTICE_NAMESPACE_NOT_SELECTED, q->place, subject,
		/* hint= */ NULL, err,
		"cluster queue '%s' does not select namespace '%s': nothing is admitted",
		fl_model_text(m, cq->name), fl_model_text(m, q->namespace));
}

int fl_lint_matches(struct fl_lint *l, fairlead_error *err)
{
	struct fl_model *m = l->m;
	struct fl_arena scratch;
	bool *offered;
	int r = 0;

	fl_arena_init(&scratch, m->mem);
	offered = fl_arena_alloc(&scratch, m->n_nodes, sizeof *offered, err);
	if (!offered)
		r = FAIRLEAD_ENOMEM;
	for (uint32_t f = 0; f < m->n_flavors && r == 0; f++)
		r = lint_flavor(l, (struct fl_flavor){ f }, offered, err);
	for (uint32_t q = 0; q < m->n_queues && r == 0; q++)
		r = lint_local_queue(l, &m->queues[q], err);
	fl_arena_done(&scratch);
	return r;
}
