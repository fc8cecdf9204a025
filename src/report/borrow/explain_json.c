/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time.h"
#include "report/borrow/explain_report.h"
#include "report/out/report_json.h"

struct out {
	struct fl_json *json;
	const struct fl_report *report;
	const struct fl_explain_report *e;
};

static const char *const decisions[] = {
	[FL_ADMIT] = "Admit",
	[FL_RESERVE] = "Preempt",
	[FL_EVICT] = "Evict",
	[FL_WAIT] = "Wait",
};

static void put_amount(const struct out *o, const char *key, fl_amount v)
{
	if (v == FL_UNLIMITED)
		fl_json_text(o->json, key, "unlimited");
	else
		fl_json_int(o->json, key, v);
}

static void put_node(const struct out *o, const char *key, struct fl_node n)
{
	fl_json_object(o->json, key);
	fl_json_text(o->json, "kind", fl_report_kind(o->report->model, n));
	fl_json_text(o->json, "name", fl_report_node(o->report->model, n));
	fl_json_end_object(o->json);
}

static void put_need(const struct out *o, const char *key, const struct fl_explain_need *need)
{
	const struct fl_model *m = o->report->model;
	const struct fl_workload_row *w = &m->workloads[o->e->x->workload.v];
	struct fl_json *j = o->json;

	fl_json_object(j, key);
	fl_json_text(j, "podSet",
		     fl_model_text(m, m->podsets[w->podsets.first + need->podset].name));
	if (need->flavor.v != FL_NONE)
		fl_json_text(j, "flavor", fl_report_flavor(m, need->flavor));
	if (need->resource.v != FL_NONE)
		fl_json_text(j, "resource", fl_report_resource(m, need->resource));
	fl_json_text(j, "verdict", fl_explain_verdict_name(need->verdict));
	if (need->verdict == FL_NEED_REFUSED)
		fl_json_text(j, "rule", fl_check_name(need->check));
	if (need->verdict != FL_NEED_NO_MATCH)
		put_amount(o, "requested", need->requested);
	if (need->verdict != FL_NEED_NO_MATCH && need->verdict != FL_NEED_NOT_COVERED) {
		bool limit = need->bind.kind == FL_BIND_BORROWING_LIMIT;

		put_amount(o, "available", need->available);
		put_amount(o, "maximum", need->potential);
		put_amount(o, "nominal", need->nominal);
		fl_json_object(j, "binding");
		fl_json_text(j, "by", limit ? "BorrowingLimit" : "Quota");
		put_node(o, "node", need->bind.node);
		put_amount(o, "left", need->bind.left);
		put_amount(o, "keptBelow", need->bind.below);
		fl_json_end_object(j);
	}
	fl_json_end_object(j);
}

static void put_holders(const struct out *o)
{
	const struct fl_explain *x = o->e->x;

	fl_json_list(o->json, "holders");
	for (uint32_t i = 0; i < x->n_holders; i++) {
		const struct fl_explain_holder *h = &x->holders[i];

		fl_json_object(o->json, NULL);
		fl_json_text(o->json, "clusterQueue", fl_report_node(o->report->model, h->queue));
		put_amount(o, "usage", h->usage);
		put_amount(o, "own", h->own);
		put_amount(o, "borrowed", h->borrowed);
		put_amount(o, "idleNotLent", h->kept);
		fl_json_int(o->json, "workloads", h->workloads);
		fl_json_end_object(o->json);
	}
	fl_json_end_list(o->json);
}

static void put_requests(const struct out *o, struct fl_workload w)
{
	const struct fl_model *m = o->report->model;
	const struct fl_workload_row *row = &m->workloads[w.v];

	fl_json_object(o->json, "requests");
	for (uint32_t r = 0; r < m->n_resources; r++) {
		fl_amount sum = 0;

		for (uint32_t k = 0; k < row->podsets.n; k++) {
			const struct fl_podset *ps = &m->podsets[row->podsets.first + k];

			for (uint32_t i = 0; i < ps->requests.n; i++)
				if (m->requests[ps->requests.first + i].resource.v == r)
					sum = fl_sat_add(
						sum,
						fl_sat_mul(
							m->requests[ps->requests.first + i].amount,
							fl_podset_left(ps)));
		}
		if (sum)
			fl_json_int(o->json, fl_report_resource(m, (struct fl_resource){ r }), sum);
	}
	fl_json_end_object(o->json);
}

static void put_ahead(const struct out *o)
{
	const struct fl_explain *x = o->e->x;
	const struct fl_model *m = o->report->model;
	char name[FL_REPORT_NAME], time[40];

	fl_json_object(o->json, "ahead");
	fl_json_int(o->json, "count", x->n_ahead);
	fl_json_list(o->json, "workloads");
	for (uint32_t i = 0; i < x->n_ahead && i < FL_EXPLAIN_AHEAD; i++) {
		struct fl_workload w = { x->ahead[i] };

		fl_json_object(o->json, NULL);
		fl_json_text(o->json, "workload", fl_report_workload(m, w, name));
		fl_json_int(o->json, "priority", m->workloads[w.v].priority);
		if (m->workloads[w.v].created != FL_TIME_NONE)
			fl_json_text(o->json, "created",
				     fl_time_format(time, m->workloads[w.v].created));
		put_requests(o, w);
		fl_json_end_object(o->json);
	}
	fl_json_end_list(o->json);
	fl_json_end_object(o->json);
	fl_json_list(o->json, "servedFirst");
	for (uint32_t i = 0; i < x->n_served; i++)
		fl_json_text(o->json, NULL,
			     fl_report_workload(m, (struct fl_workload){ x->served[i] }, name));
	fl_json_end_list(o->json);
}

static void put_share(const struct out *o, const char *key, double share)
{
	char text[32];

	fl_json_text(o->json, key, fl_report_precise(&(struct fl_share){ .precise = share }, text));
}

/* Both numbers of a check, and what they count. */
static void put_numbers(const struct out *o, struct fl_number lhs, struct fl_number rhs)
{
	static const char *const units[] = {
		[FL_NUMBER_AMOUNT] = "amount",
		[FL_NUMBER_SHARE] = "share",
		[FL_NUMBER_TIME] = "time",
		[FL_NUMBER_DURATION] = "nanoseconds",
	};
	const struct fl_number both[] = { lhs, rhs };
	static const char *const keys[] = { "lhs", "rhs" };
	char time[40];

	fl_json_text(o->json, "unit", units[lhs.kind]);
	for (int i = 0; i < 2; i++)
		if (both[i].kind == FL_NUMBER_SHARE)
			put_share(o, keys[i], both[i].share);
		else if (both[i].kind == FL_NUMBER_TIME)
			fl_json_text(o->json, keys[i], fl_time_format(time, both[i].amount));
		else
			put_amount(o, keys[i], both[i].amount);
}

static void put_refusal(const struct out *o, const struct fl_explain_refusal *row)
{
	const struct fl_model *m = o->report->model;
	char name[FL_REPORT_NAME];

	fl_json_object(o->json, NULL);
	if (row->victim.v == FL_NONE) {
		fl_json_int(o->json, "allBelow", row->n);
	} else {
		fl_json_text(o->json, "workload", fl_report_workload(m, row->victim, name));
		fl_json_text(o->json, "clusterQueue",
			     fl_report_node(m, fl_report_queue(m, row->victim)));
	}
	put_node(o, "node", row->node);
	if (row->flavor.v != FL_NONE)
		fl_json_text(o->json, "flavor", fl_report_flavor(m, row->flavor));
	if (row->resource.v != FL_NONE)
		fl_json_text(o->json, "resource", fl_report_resource(m, row->resource));
	put_numbers(o, row->lhs, row->rhs);
	fl_json_end_object(o->json);
}

static const char *policy_name(enum fl_preempt_policy policy)
{
	static const char *const names[] = {
		[FL_PREEMPT_NEVER] = "Never",
		[FL_PREEMPT_LOWER_PRIORITY] = "LowerPriority",
		[FL_PREEMPT_LOWER_OR_NEWER_EQUAL] = "LowerOrNewerEqualPriority",
		[FL_PREEMPT_ANY] = "Any",
	};

	return names[policy];
}

static void put_preemption(const struct out *o)
{
	const struct fl_explain *x = o->e->x;
	const struct fl_model *m = o->report->model;
	const struct fl_node_row *queue = &m->nodes[x->cluster_queue.v];
	char name[FL_REPORT_NAME];

	fl_json_object(o->json, "preemption");
	fl_json_text(o->json, "withinClusterQueue", policy_name(queue->within_queue));
	fl_json_text(o->json, "reclaimWithinCohort", policy_name(queue->reclaim));
	fl_json_text(o->json, "borrowWithinCohort", policy_name(queue->borrow_within));
	fl_json_bool(o->json, "searched", x->searched);
	fl_json_int(o->json, "considered", x->n_considered);
	fl_json_int(o->json, "unrelated", x->n_unrelated);
	fl_json_list(o->json, "refused");
	for (uint32_t i = 0; i < x->n_rules; i++) {
		const struct fl_explain_rule *rule = &x->rules[i];

		fl_json_object(o->json, NULL);
		fl_json_text(o->json, "rule", fl_check_name(rule->check));
		fl_json_text(o->json, "meaning", fl_check_meaning(rule->check));
		fl_json_text(o->json, "message", fl_explain_refused(rule->check));
		fl_json_int(o->json, "count", rule->workloads);
		if (x->refusals[rule->first].victim.v != FL_NONE)
			fl_json_text(o->json, "example",
				     fl_report_workload(m, x->refusals[rule->first].victim, name));
		fl_json_list(o->json, "victims");
		for (uint32_t k = 0; k < rule->n; k++)
			put_refusal(o, &x->refusals[rule->first + k]);
		fl_json_end_list(o->json);
		fl_json_end_object(o->json);
	}
	fl_json_end_list(o->json);
	fl_json_list(o->json, "victims");
	for (uint32_t i = 0; i < x->n_victims; i++) {
		fl_json_object(o->json, NULL);
		fl_json_text(o->json, "workload",
			     fl_report_workload(m, x->victims[i].workload, name));
		fl_json_text(o->json, "reason", fl_reason_name(x->victims[i].reason));
		fl_json_end_object(o->json);
	}
	fl_json_end_list(o->json);
	fl_json_end_object(o->json);
}

static void put_change(const struct out *o, const struct fl_explain_change *c)
{
	const struct fl_model *m = o->report->model;
	char name[FL_REPORT_NAME], number[40];

	fl_json_object(o->json, NULL);
	if (c->kind == FL_CELL_PRIORITY)
		fl_json_text(o->json, "workload", fl_report_workload(m, o->e->x->workload, name));
	else
		put_node(o, "node", c->node);
	fl_json_text(o->json, "field", fl_explain_field(c->kind));
	if (c->kind == FL_CELL_WEIGHT) {
		for (int i = 0; i < 2; i++) {
			int n = snprintf(number, sizeof(number), "%.15g",
					 i ? c->weight_to : c->weight_from);

			fl_json_raw(o->json, i ? "to" : "from", number, (size_t)n);
		}
	} else {
		if (c->kind != FL_CELL_PRIORITY) {
			fl_json_text(o->json, "flavor", fl_report_flavor(m, c->flavor));
			fl_json_text(o->json, "resource", fl_report_resource(m, c->resource));
		}
		put_amount(o, "from", c->from);
		put_amount(o, "to", c->to);
	}
	fl_json_end_object(o->json);
}

/* "changes": the cells of the smallest; "proposals": every kind's. */
static void put_changes(const struct out *o)
{
	const struct fl_explain *x = o->e->x;
	char then[160];

	fl_json_list(o->json, "changes");
	for (uint32_t i = 0; x->n_proposals && i < x->proposals[0].n; i++)
		put_change(o, &x->changes[x->proposals[0].first + i]);
	fl_json_end_list(o->json);
	fl_json_list(o->json, "proposals");
	for (uint32_t i = 0; i < x->n_proposals; i++) {
		const struct fl_explain_proposal *p = &x->proposals[i];

		fl_json_object(o->json, NULL);
		fl_json_list(o->json, "changes");
		for (uint32_t k = 0; k < p->n; k++)
			put_change(o, &x->changes[p->first + k]);
		fl_json_end_list(o->json);
		fl_json_text(o->json, "alone", decisions[p->alone]);
		fl_json_text(o->json, "comingCycle", decisions[p->next]);
		fl_json_int(o->json, "preempted", p->n_victims);
		fl_json_text(o->json, "message", fl_explain_outcome(p, then));
		fl_json_end_object(o->json);
	}
	fl_json_end_list(o->json);
	fl_json_int(o->json, "tries", x->n_tries);
}

static void put_waiting(const struct out *o)
{
	const struct fl_explain *x = o->e->x;
	struct fl_json *j = o->json;

	fl_json_bool(j, "head", x->head);
	fl_json_bool(j, "parked", x->parked);
	fl_json_object(j, "alone");
	fl_json_text(j, "decision", decisions[x->alone]);
	fl_json_text(j, "reason", fl_reason_name(x->alone_reason));
	fl_json_end_object(j);
	if (x->failing != FL_NONE)
		put_need(o, "failed", &x->needs[x->failing]);
	fl_json_list(j, "tried");
	for (uint32_t i = 0; i < x->n_needs; i++)
		put_need(o, NULL, &x->needs[i]);
	fl_json_end_list(j);
	put_holders(o);
	put_ahead(o);
	put_preemption(o);
	put_changes(o);
}

int fl_explain_json(const struct fl_report *r, const struct fl_explain_report *e,
		    fairlead_error *err)
{
	const struct fl_explain *x = e->x;
	struct fl_json j;
	struct out o = { &j, r, e };
	char text[FL_SENTENCE];

	(void)err;
	fl_json_start(&j, r, "Explanation", e->policy);
	fl_json_text(&j, "workload", fl_report_workload(r->model, x->workload, text));
	fl_json_text(&j, "clusterQueue", fl_report_node(r->model, x->cluster_queue));
	fl_json_text(&j, "state", fl_explain_state_name(x->state));
	fl_json_text(&j, "reason", fl_reason_name(x->reason));
	fl_json_text(&j, "message", fl_explain_sentence(r, e, text));
	put_requests(&o, x->workload);
	if (x->n_placement)
		fl_json_placement(&j, r->model, x->workload, x->placement, x->n_placement);
	if (x->state == FL_EXPLAIN_WAITS || x->state == FL_EXPLAIN_NEXT ||
	    x->state == FL_EXPLAIN_PREEMPTS)
		put_waiting(&o);
	if (e->eta)
		fl_eta_json(&j, r, e->eta);
	fl_json_finish(&j);
	return 0;
}
