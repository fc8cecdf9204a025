/* SPDX-License-Identifier: Apache-2.0 */
#include "report/entitle/explain_report.h"
#include "report/entitle/words.h"
#include "report/out/bundle_text.h"
#include "report/out/report_json.h"

struct out {
	struct fl_json *json;
	const struct fl_report *report;
	const struct fl_entitle_answer *answer;
};

static const char *const decisions[] = {
	[FL_ADMIT] = "Allocate", [FL_RESERVE] = "Reserve", [FL_EVICT] = "Evict", [FL_WAIT] = "Wait"
};

static void put_workload(const struct out *o, const char *key, struct fl_workload w)
{
	char name[FL_REPORT_NAME];

	fl_json_text(o->json, key, fl_report_workload(o->report->model, w, name));
}

static void put_queue(const struct out *o, struct fl_node n)
{
	fl_json_text(o->json, "queue", fl_report_node(o->report->model, n));
}

/*
 * "resource" and both numbers, each in its own unit: an amount, a ratio, seconds, a priority.
 * Nothing where nothing was compared.
 */
static void put_numbers(const struct out *o, struct fl_resource resource,
			const struct fl_number *lhs, const struct fl_number *rhs)
{
	const struct fl_number *both[] = { lhs, rhs };
	static const char *const keys[] = { "left", "right" };
	int res = fl_bundle_resource(o->report->model, resource);

	if (lhs->kind == FL_NUMBER_AMOUNT && lhs->amount == 0 && rhs->amount == 0)
		return;
	if (res != FL_BUNDLE)
		fl_json_text(o->json, "resource", fl_bundle_name(res));
	for (unsigned i = 0; i < 2; i++)
		if (both[i]->kind == FL_NUMBER_BUNDLE)
			fl_json_bound(o->json, keys[i], both[i]->share);
		else if (both[i]->kind == FL_NUMBER_RATIO && both[i]->share <= 1e300)
			fl_json_number(o->json, keys[i], both[i]->share);
		else if (both[i]->kind == FL_NUMBER_RATIO)
			fl_json_text(o->json, keys[i], "inf");
		else if (both[i]->kind == FL_NUMBER_DURATION)
			fl_json_number(o->json, keys[i],
				       (double)both[i]->amount / (double)FL_SECOND);
		else
			fl_json_int(o->json, keys[i], both[i]->amount);
}

static void put_obstacle(const struct out *o, const char *key, const struct fl_evidence *row)
{
	char text[512];

	fl_json_object(o->json, key);
	fl_json_text(o->json, "rule", fl_check_name(row->check));
	fl_json_text(o->json, "meaning", fl_check_meaning(row->check));
	put_queue(o, row->node);
	put_numbers(o, row->resource, &row->lhs, &row->rhs);
	fl_json_text(o->json, "message",
		     fl_entitle_obstacle_text(o->report, row, "", text, sizeof(text)));
	fl_json_end_object(o->json);
}

static void put_standing(const struct out *o, struct fl_node n)
{
	const struct fl_entitle_explain *x = o->answer->x;
	const struct fl_standing *q = &x->standings.rows[n.v];

	fl_json_number(o->json, "allocated", q->allocated.of[x->resource]);
	fl_json_bound(o->json, "fairShare", q->fair_share.of[x->resource]);
	fl_json_bound(o->json, "deserved", q->deserved.of[x->resource]);
	fl_json_bound(o->json, "limit", q->limit.of[x->resource]);
}

static void put_path(const struct out *o)
{
	const struct fl_entitle_explain *x = o->answer->x;

	fl_json_list(o->json, "path");
	for (struct fl_node n = x->queue; x->resource != FL_BUNDLE && n.v != FL_NONE;
	     n = x->standings.rows[n.v].parent) {
		fl_json_object(o->json, NULL);
		put_queue(o, n);
		put_standing(o, n);
		fl_json_end_object(o->json);
	}
	fl_json_end_list(o->json);
	fl_json_list(o->json, "holders");
	for (uint32_t i = 0; i < x->n_holders; i++) {
		fl_json_object(o->json, NULL);
		put_queue(o, x->holders[i].queue);
		put_standing(o, x->holders[i].queue);
		fl_json_int(o->json, "workloads", x->holders[i].workloads);
		fl_json_end_object(o->json);
	}
	fl_json_end_list(o->json);
}

static void put_ahead(const struct out *o)
{
	const struct fl_entitle_explain *x = o->answer->x;
	uint32_t n = x->n_ahead < FL_EXPLAIN_AHEAD ? x->n_ahead : FL_EXPLAIN_AHEAD;

	fl_json_object(o->json, "ahead");
	fl_json_int(o->json, "count", x->n_ahead);
	fl_json_list(o->json, "first");
	for (uint32_t i = 0; i < n; i++) {
		char name[FL_REPORT_NAME];

		fl_json_text(o->json, NULL,
			     fl_report_workload(o->report->model,
						(struct fl_workload){ x->ahead[i] }, name));
	}
	fl_json_end_list(o->json);
	fl_json_end_object(o->json);
}

static void put_rule(const struct out *o, const struct fl_explain_rule *rule)
{
	const struct fl_entitle_explain *x = o->answer->x;

	fl_json_object(o->json, NULL);
	fl_json_text(o->json, "rule", fl_check_name(rule->check));
	fl_json_text(o->json, "meaning", fl_check_meaning(rule->check));
	fl_json_text(o->json, "message", fl_explain_refused(rule->check));
	fl_json_int(o->json, "count", rule->workloads);
	fl_json_list(o->json, "victims");
	for (uint32_t k = 0; k < rule->n; k++) {
		const struct fl_explain_refusal *row = &x->refusals[rule->first + k];

		fl_json_object(o->json, NULL);
		if (row->victim.v != FL_NONE)
			put_workload(o, "workload", row->victim);
		fl_json_int(o->json, "count", row->n);
		put_queue(o, row->node);
		put_numbers(o, row->resource, &row->lhs, &row->rhs);
		fl_json_end_object(o->json);
	}
	fl_json_end_list(o->json);
	fl_json_end_object(o->json);
}

static void put_eviction(const struct out *o)
{
	const struct fl_entitle_explain *x = o->answer->x;

	fl_json_object(o->json, "eviction");
	fl_json_int(o->json, "considered", x->n_considered);
	fl_json_list(o->json, "refused");
	for (uint32_t i = 0; i < x->n_rules; i++)
		put_rule(o, &x->rules[i]);
	fl_json_end_list(o->json);
	fl_json_list(o->json, "victims");
	for (uint32_t i = 0; i < x->n_victims; i++) {
		fl_json_object(o->json, NULL);
		put_workload(o, "workload", x->victims[i].workload);
		fl_json_text(o->json, "reason", fl_reason_name(x->victims[i].reason));
		fl_json_end_object(o->json);
	}
	fl_json_end_list(o->json);
	fl_json_end_object(o->json);
}

static void put_changes(const struct out *o)
{
	const struct fl_entitle_explain *x = o->answer->x;
	const struct fl_model *m = o->report->model;
	char text[FL_SENTENCE];

	fl_json_list(o->json, "changes");
	for (uint32_t i = 0; i < x->n_changes; i++) {
		const struct fl_entitle_change *c = &x->changes[i];

		fl_json_object(o->json, NULL);
		if (c->kind == FL_CELL_PRIORITY)
			put_workload(o, "workload", x->workload);
		else if (c->kind == FL_CELL_ALLOCATABLE)
			fl_json_text(o->json, "machine",
				     fl_model_text(m, m->machines[c->machine.v].name));
		else
			put_queue(o, c->node);
		fl_json_text(o->json, "field", fl_explain_field(c->kind));
		if (c->resource != FL_BUNDLE)
			fl_json_text(o->json, "resource", fl_bundle_name(c->resource));
		fl_json_number(o->json, "from", c->from);
		fl_json_number(o->json, "to", c->to);
		fl_json_bool(o->json, "exact", c->exact);
		fl_json_text(o->json, "alone", decisions[c->alone]);
		fl_json_text(o->json, "comingCycle", decisions[c->next]);
		fl_json_int(o->json, "evicted", c->n_victims);
		fl_json_text(o->json, "message",
			     fl_entitle_change_text(o->report, o->answer, c, text));
		fl_json_end_object(o->json);
	}
	fl_json_end_list(o->json);
	fl_json_int(o->json, "tries", x->n_tries);
}

static void put_waiting(const struct out *o)
{
	const struct fl_entitle_explain *x = o->answer->x;

	fl_json_object(o->json, "alone");
	fl_json_text(o->json, "decision", decisions[x->alone]);
	fl_json_text(o->json, "reason", fl_reason_name(x->alone_reason));
	fl_json_end_object(o->json);
	if (x->failing != FL_NONE)
		put_obstacle(o, "failed", &x->obstacles[x->failing]);
	fl_json_list(o->json, "obstacles");
	for (uint32_t i = 0; i < x->n_obstacles; i++)
		put_obstacle(o, NULL, &x->obstacles[i]);
	fl_json_end_list(o->json);
	put_path(o);
	put_ahead(o);
	put_eviction(o);
	put_changes(o);
}

int fl_entitle_explain_json(const struct fl_report *r, const struct fl_entitle_answer *a,
			    fairlead_error *err)
{
	const struct fl_entitle_explain *x = a->x;
	struct fl_json j;
	struct out o = { &j, r, a };
	char text[FL_SENTENCE];

	(void)err;
	fl_json_start(&j, r, "Explanation", a->policy);
	put_workload(&o, "workload", x->workload);
	put_queue(&o, x->queue);
	fl_json_text(&j, "state", fl_explain_state_name(x->state));
	fl_json_text(&j, "reason", fl_reason_name(x->reason));
	fl_json_text(&j, "message", fl_entitle_sentence(r, a, text));
	fl_json_object(&j, "requests");
	fl_json_int(&j, "tasks", x->n_tasks);
	fl_json_bundle(&j, "amount", &x->amount);
	fl_json_end_object(&j);
	fl_json_int(&j, "minTasks", x->min_tasks);
	fl_json_bool(&j, "preemptible", x->preemptible);
	if (x->n_placement)
		fl_json_machines(&j, r->model, x->placement, x->n_placement);
	if (x->state == FL_EXPLAIN_NEXT || x->state == FL_EXPLAIN_PREEMPTS)
		fl_json_text(&j, "action", fl_action_name(x->by));
	if (x->state == FL_EXPLAIN_WAITS || x->state == FL_EXPLAIN_NEXT ||
	    x->state == FL_EXPLAIN_PREEMPTS)
		put_waiting(&o);
	if (a->eta)
		fl_eta_json(&j, r, a->eta);
	fl_json_finish(&j);
	return 0;
}
