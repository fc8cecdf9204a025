/* SPDX-License-Identifier: Apache-2.0 */
/* The status of a Workload: the quota it holds, its conditions, its admission checks. */
#include <string.h>

#include "codec/kueue/eviction.h"
#include "codec/object/workload.h"

/* --- conditions --- */

struct condition {
	const char *type, *status, *message; /* message: never NULL */
	struct fl_sym reason;
	fl_time time;
};

#define CONDITION(field, type, member) FL_IS(field, type, struct condition, member)

static const struct fl_field condition[] = {
	{ CONDITION("type", said, type), .text = FL_TEXT_WORD },
	{ CONDITION("status", said, status), .text = FL_TEXT_WORD },
	{ CONDITION("reason", text, reason), .text = FL_TEXT_WORD },
	{ CONDITION("lastTransitionTime", time, time) },
	FL_RECORDED("message", .blank = true,
		    .note = "changes no decision; explain reads in it which workload preempted "
			    "this one"),
	FL_IGNORED("observedGeneration"),
	{ .name = NULL },
};

/* What is told of the last eviction; Evicted and Preempted come in any order. */
static int note_eviction(struct fl_kube *k, uint32_t item, struct fl_reading *w,
			 struct condition *c)
{
	const struct fl_sym from_message = { FL_NONE };
	struct fl_eviction_row *e = &w->eviction;
	uint32_t message = fl_doc_find(&k->doc, item, "message");
	bool holds = strcmp(c->status, "True") == 0;

	if (message != FL_NONE && k->doc.values[message].kind == FL_TOKEN_SCALAR)
		c->message = fl_doc_text(&k->doc, message);
	if (holds && strcmp(c->type, "Evicted") == 0) {
		e->at = c->time;
		if (strcmp(fl_model_text(k->m, c->reason), "Preempted") == 0)
			return fl_kube_preempted(k, c->message, from_message, e);
		e->reason = c->reason;
		return 0;
	}
	if (strcmp(c->type, "Preempted") != 0)
		return 0;
	if (holds) {
		w->preemption.at = c->time;
		return fl_kube_preempted(k, c->message, c->reason, &w->preemption);
	}
	return fl_kube_was_preempted(c->message) ?
		       fl_kube_preempted(k, c->message, from_message, &w->preemption) :
		       0;
}

static void apply_condition(const struct fl_kube *k, struct fl_reading *w,
			    const struct condition *c)
{
	if (strcmp(c->type, "Requeued") == 0) {
		w->row.not_requeued = strcmp(c->status, "False") == 0;
		w->requeue.requeued_reason = c->reason;
	}
	if (strcmp(c->type, "QuotaReserved") == 0 &&
	    strcmp(fl_model_text(k->m, c->reason), "OnHold") == 0)
		w->row.gated = true;
	if (strcmp(c->status, "True") != 0)
		return;
	if (strcmp(c->type, "QuotaReserved") == 0) {
		w->quota_reserved = true;
		w->row.reserved_at = c->time;
	} else if (strcmp(c->type, "Admitted") == 0) {
		w->row.admitted = true;
		w->admitted_at = c->time;
	} else if (strcmp(c->type, "Finished") == 0) {
		w->row.finished = true;
		w->finished_at = c->time;
	} else if (strcmp(c->type, "WaitingForReplacementPods") == 0) {
		w->row.gated = true;
	} else if (strcmp(c->type, "DeactivationTarget") == 0) {
		w->to_deactivate = true;
	} else if (strcmp(c->type, "Evicted") == 0) {
		w->row.evicted = true;
		w->requeue.evicted_reason = c->reason;
		w->requeue.evicted_at = c->time;
	}
}

static int read_conditions(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct condition c = { .message = "", .time = FL_TIME_NONE };

		r = fl_kube_map(k, item, condition, &c);
		if (r < 0 || !c.type || !c.status)
			continue;
		apply_condition(k, row, &c);
		if (*c.type == 'E' || *c.type == 'P') /* Evicted, Preempted; PodsReady */
			r = note_eviction(k, item, row, &c);
	}
	return r;
}

/* --- admission --- */

/* Data shared by the handlers of one podset's assignment. */
struct assigning {
	struct fl_podset_assignment row;
	uint32_t usage; /* resourceUsage; FL_NONE */
};

static int read_assigned_podset(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct assigning *)row)->row.podset);
}

static int read_assigned_count(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_count(k, v, &((struct assigning *)row)->row.count);
}

/* A flavor of a resource, with its usage: 0 when resourceUsage lacks it. */
static int push_assignment(struct fl_kube *k, uint32_t key, uint32_t usage, uint32_t first)
{
	struct fl_model *m = k->m;
	struct fl_assignment a = { 0 };
	const char *resource = fl_doc_text(&k->doc, key);
	uint32_t amount = fl_doc_find(&k->doc, usage, resource), at;
	int r = fl_kube_text(k, key + 1, &a.flavor_name);

	if (r == 0)
		r = fl_model_sym(m, resource, k->doc.values[key].len, &a.resource_name, k->err);
	if (r == 0 && amount != FL_NONE && !fl_kube_is_null(k, amount))
		r = fl_kube_quantity(k, amount, fl_doc_text(&k->doc, key), &a.amount);
	if (r == 0)
		r = fl_model_push_assignments(m, &a, /* ret_id= */ NULL, k->err);
	if (r < 0)
		return r;
	/* In name order, whatever the order of the input. */
	for (at = m->n_assignments - 1;
	     at > first &&
	     fl_names_cmp(&m->names, m->assignments[at - 1].resource_name, a.resource_name) > 0;
	     at--)
		m->assignments[at] = m->assignments[at - 1];
	m->assignments[at] = a;
	return 0;
}

static int read_flavors(struct fl_kube *k, uint32_t v, void *row)
{
	struct assigning *a = row;
	uint32_t end = 0, n = 0;
	int r = fl_kube_pairs(k, v, &end);

	a->row.assignments.first = k->m->n_assignments;
	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		if (++n > FL_MAX_AMOUNTS)
			return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "more than %d resources",
					    FL_MAX_AMOUNTS);
		r = push_assignment(k, key, a->usage, a->row.assignments.first);
	}
	a->row.assignments.n = k->m->n_assignments - a->row.assignments.first;
	return r;
}

static int read_usage(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;

	(void)row; /* read beside the flavors: a row needs both */
	return fl_kube_pairs(k, v, &end);
}

static const struct fl_field assignment[] = {
	{ .name = "name", .read = read_assigned_podset, .text = FL_TEXT_PODSET },
	{ .name = "flavors",
	  .read = read_flavors,
	  .text = FL_TEXT_FLAVOR,
	  .keys = FL_TEXT_RESOURCE },
	{ .name = "resourceUsage", .read = read_usage, .keys = FL_TEXT_RESOURCE },
	{ .name = "count", .read = read_assigned_count },
	FL_NOTED("topologyAssignment", "topology aware scheduling is not decided here"),
	FL_IGNORED("delayedTopologyRequest"),
	{ .name = NULL },
};

static int read_assignments(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_reading *w = row;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	w->row.admission.first = k->m->n_podset_assignments;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct assigning a = { .row = { .count = -1 },
				       .usage = fl_doc_find(&k->doc, item, "resourceUsage") };

		r = fl_model_sym(k->m, "main", 4, &a.row.podset, k->err);
		if (r == 0)
			r = fl_kube_map(k, item, assignment, &a);
		if (r == 0)
			r = fl_model_push_podset_assignments(k->m, &a.row, /* ret_id= */ NULL,
							     k->err);
	}
	w->row.admission.n = k->m->n_podset_assignments - w->row.admission.first;
	return r;
}

static const struct fl_field admission[] = {
	{ FL_IS("clusterQueue", text, struct fl_reading, row.admitted_queue_name),
	  .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = "podSetAssignments",
	  .read = read_assignments,
	  .fields = assignment,
	  .list = true },
	{ .name = NULL },
};

/* --- finished pods, back-off, admission checks --- */

static const struct fl_field reclaimable[] = {
	{ FL_IS("name", text, struct fl_reclaimable, podset), .text = FL_TEXT_PODSET },
	{ FL_IS("count", count, struct fl_reclaimable, count) },
	{ .name = NULL },
};

static int read_reclaimable(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_reading *w = row;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		if (w->n_reclaimable == FL_MAX_PODSETS)
			return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "more than %d entries",
					    FL_MAX_PODSETS);
		r = fl_kube_map(k, item, reclaimable, &w->reclaimable[w->n_reclaimable++]);
	}
	return r;
}

static const struct fl_field requeue_state[] = {
	{ FL_IS("requeueAt", time_aside, struct fl_reading, requeue.requeue_at) },
	FL_PASSED("count", "Kueue computes the next back-off"),
	{ .name = NULL },
};

static int read_check_state(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "Pending", "Ready", "Retry", "Rejected", NULL };
	struct fl_reading *w = row;
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	w->row.check_retries |= i == 2;
	w->check_rejected |= i == 3;
	return r;
}

static const struct fl_field check[] = {
	{ .name = "state", .read = read_check_state },
	FL_IGNORED("name"),
	FL_IGNORED("lastTransitionTime"),
	FL_IGNORED("message"),
	FL_IGNORED("podSetUpdates"),
	FL_IGNORED("requeueAfterSeconds"),
	FL_IGNORED("retryCount"),
	{ .name = NULL },
};

static int read_check(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_map(k, v, check, row);
}

const struct fl_field fl_fields_workload_status[] = {
	{ .name = "admission", FL_SAID(struct fl_reading, has_admission), .fields = admission },
	{ .name = "conditions", .read = read_conditions, .fields = condition, .list = true },
	FL_IGNORED("accumulatedPastExecutionTimeSeconds"),
	FL_IGNORED("accumulatedPastExexcutionTimeSeconds"),
	{ FL_IS_EACH("admissionChecks", read_check), .fields = check, .list = true },
	FL_IGNORED("clusterName"),
	FL_IGNORED("nominatedClusterNames"),
	FL_NOTED("preemptionGates", "a workload may always preempt"),
	{ .name = "reclaimablePods",
	  .read = read_reclaimable,
	  .fields = reclaimable,
	  .list = true },
	{ .name = "requeueState", .fields = requeue_state },
	FL_IGNORED("resourceRequests"),
	FL_IGNORED("schedulingStats"),
	FL_IGNORED("unhealthyNodes"),
	{ .name = NULL },
};
