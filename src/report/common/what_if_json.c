/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common/plan_report.h"
#include "report/common/what_if_report.h"
#include "report/out/report_json.h"

void fl_what_if_count(const struct fl_outcome *o, uint32_t *holds, uint32_t *waits,
		      uint32_t *evicted)
{
	*holds = *waits = *evicted = 0;
	for (uint32_t w = 0; w < o->model->n_workloads; w++) {
		*holds += o->workloads[w].holds;
		*waits += o->workloads[w].waits;
		*evicted += o->workloads[w].evicted;
	}
}

const char *fl_what_if_left(const struct fl_model *m, uint32_t w)
{
	if (w == FL_NONE)
		return "deleted";
	return m->workloads[w].excluded == FL_EXCLUDED_FINISHED    ? "finished" :
	       m->workloads[w].excluded == FL_EXCLUDED_DEACTIVATED ? "deactivated" :
								     "takes no part";
}

const char *fl_what_if_reason(const struct fl_report *r, const struct fl_outcome *o, uint32_t w,
			      bool people, char *buffer, size_t size)
{
	if (w == FL_NONE || !o->workloads[w].waits) {
		snprintf(buffer, size, "%s", fl_what_if_left(o->model, w));
		return buffer;
	}
	const struct fl_pending *p = &o->pending.rows[o->workloads[w].pending];
	const struct fl_plan_why why = { .shortages = o->entitle ? NULL : &o->shortages,
					 .obstacles = o->entitle ? &o->obstacles : NULL };

	return fl_plan_message(r, p, &why, people, buffer, size);
}

static void put_side(struct fl_json *j, const char *key, const struct fl_outcome *o)
{
	const struct fl_settle_result *s = &o->result;
	uint32_t holds, waits, evicted;
	char name[FL_REPORT_NAME];

	fl_what_if_count(o, &holds, &waits, &evicted);
	fl_json_object(j, key);
	fl_json_bool(j, "settled", s->settled);
	fl_json_int(j, "cycles", s->kept);
	fl_json_int(j, "admitted", holds);
	fl_json_int(j, "waiting", waits);
	fl_json_int(j, "evicted", evicted);
	if (s->loop_first) {
		fl_json_object(j, "loop");
		fl_json_int(j, "firstCycle", s->loop_first);
		fl_json_int(j, "period", s->loop_period);
		fl_json_list(j, "workloads");
		for (uint32_t i = 0; i < o->model->n_workloads; i++) {
			struct fl_workload w = { o->pending.order[i] };

			if (o->workloads[w.v].loops)
				fl_json_text(j, NULL, fl_report_workload(o->model, w, name));
		}
		fl_json_end_list(j);
		fl_json_end_object(j);
	}
	fl_json_end_object(j);
}

static void put_changes(struct fl_json *j, const struct fl_what_if_report *w)
{
	fl_json_list(j, "changes");
	for (uint32_t i = 0; i < w->n_changes; i++) {
		const struct fl_what_if_change *c = &w->changes[i];

		fl_json_object(j, NULL);
		fl_json_text(j, "change", c->what);
		fl_json_text(j, "object", c->object);
		if (c->file) {
			fl_json_text(j, "file", c->file);
			fl_json_int(j, "line", c->line);
		}
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

/* Name and queue of one side of a pair: the second where it stands there. */
static void put_who(struct fl_json *j, const struct fl_difference *d, const struct fl_pair *pair,
		    bool after)
{
	const struct fl_outcome *o = after ? d->after : d->before;
	struct fl_workload w = { after ? pair->after : pair->before };
	struct fl_node queue = o->workloads[w.v].queue;
	char name[FL_REPORT_NAME];

	fl_json_text(j, "workload", fl_report_workload(o->model, w, name));
	fl_json_text(j, o->entitle ? "queue" : "clusterQueue",
		     queue.v == FL_NONE ? "" : fl_report_node(o->model, queue));
}

static void put_held(struct fl_json *j, const char *key, const struct fl_outcome *o, uint32_t w)
{
	struct fl_span p = o->workloads[w].placement;

	if (key)
		fl_json_object(j, key);
	if (o->entitle)
		fl_json_machines(j, o->model, o->placements + p.first, p.n);
	else
		fl_json_placement(j, o->model, (struct fl_workload){ w }, o->placements + p.first,
				  p.n);
	if (key)
		fl_json_end_object(j);
}

static void put_reason(struct fl_json *j, const char *key, const struct fl_report *r,
		       const struct fl_outcome *o, uint32_t w)
{
	char text[1024];

	if (w == FL_NONE || !o->workloads[w].waits)
		return;
	fl_json_object(j, key);
	fl_json_text(j, "reason", fl_reason_name(o->pending.rows[o->workloads[w].pending].reason));
	fl_json_text(j, "message",
		     fl_what_if_reason(r, o, w, /* people= */ false, text, sizeof(text)));
	fl_json_end_object(j);
}

static void put_eviction(struct fl_json *j, const struct fl_outcome *o, uint32_t w)
{
	const struct fl_outcome_workload *row = &o->workloads[w];
	char name[FL_REPORT_NAME];

	if (row->preemptor.v != FL_NONE)
		fl_json_text(j, o->entitle ? "reclaimer" : "preemptor",
			     fl_report_workload(o->model, row->preemptor, name));
	fl_json_text(j, "reason", fl_reason_name(row->evicted_for));
}

/* One list: everybody of whom @what is true. */
static void put_list(struct fl_json *j, const struct fl_what_if_report *w, const char *key,
		     unsigned what)
{
	const struct fl_difference *d = w->d;

	fl_json_list(j, key);
	for (uint32_t i = 0; i < d->n_workloads; i++) {
		const struct fl_pair *pair = &d->workloads[i];
		char text[1024];

		if (!(pair->what & what))
			continue;
		fl_json_object(j, NULL);
		put_who(j, d, pair,
			pair->after != FL_NONE && what != FL_DIFF_RELEASED &&
				what != FL_DIFF_SPARED && what != FL_DIFF_LEFT);
		if (what == FL_DIFF_ADMITTED)
			put_held(j, NULL, d->after, pair->after);
		if (what == FL_DIFF_MOVED) {
			put_held(j, "before", d->before, pair->before);
			put_held(j, "after", d->after, pair->after);
		}
		if (what == FL_DIFF_RELEASED || what == FL_DIFF_LEFT)
			fl_json_text(j, "message",
				     fl_what_if_reason(w->after, d->after, pair->after,
						       /* people= */ false, text, sizeof(text)));
		if (what == FL_DIFF_PREEMPTED)
			put_eviction(j, d->after, pair->after);
		if (what == FL_DIFF_SPARED)
			put_eviction(j, d->before, pair->before);
		if (what == FL_DIFF_WAITS) {
			put_reason(j, "before", w->before, d->before, pair->before);
			put_reason(j, "after", w->after, d->after, pair->after);
		}
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

/* --- nodes --- */

static void put_amount(struct fl_json *j, const char *key, fl_amount v)
{
	if (v == FL_UNLIMITED)
		fl_json_text(j, key, "unlimited");
	else if (v != FL_NO_LIMIT)
		fl_json_int(j, key, v);
}

static void put_cell(struct fl_json *j, const char *key, const struct fl_ledger_cell *c)
{
	if (!c)
		return;
	fl_json_object(j, key);
	put_amount(j, "nominal", c->nominal);
	put_amount(j, "borrowingLimit", c->borrowing_limit);
	put_amount(j, "lendingLimit", c->lending_limit);
	fl_json_int(j, "usage", c->usage);
	fl_json_int(j, "borrowed", c->borrowed);
	fl_json_end_object(j);
}

static void put_quota(struct fl_json *j, const struct fl_difference *d, const struct fl_pair *pair)
{
	struct fl_cell_walk walk = { 0 };
	struct fl_cell_pair cell;

	fl_json_list(j, "quota");
	while (fl_difference_cell(d, pair, &walk, &cell)) {
		const struct fl_ledger_cell *c = cell.after ? cell.after : cell.before;
		const struct fl_model *m = cell.after ? d->after->model : d->before->model;

		if (!cell.differ)
			continue;
		fl_json_object(j, NULL);
		fl_json_text(j, "flavor", fl_report_flavor(m, c->flavor));
		fl_json_text(j, "resource", fl_report_resource(m, c->resource));
		put_cell(j, "before", cell.before);
		put_cell(j, "after", cell.after);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

static void put_share(struct fl_json *j, const char *key, const struct fl_outcome *o, uint32_t n)
{
	char text[32];

	if (n == FL_NONE || !o->model->settings.fair_sharing || !o->nodes[n].active)
		return;
	fl_json_object(j, key);
	fl_json_text(j, "weightedShare", fl_report_share(&o->nodes[n].share, text));
	fl_json_text(j, "precise", fl_report_precise(&o->nodes[n].share, text));
	fl_json_end_object(j);
}

static void put_nodes(struct fl_json *j, const struct fl_difference *d)
{
	fl_json_list(j, "nodes");
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		const struct fl_pair *pair = &d->nodes[i];
		bool there = pair->after != FL_NONE;
		const struct fl_model *m = there ? d->after->model : d->before->model;
		struct fl_node n = { there ? pair->after : pair->before };

		if (!pair->what)
			continue;
		fl_json_object(j, NULL);
		fl_json_text(j, "kind", fl_report_kind(m, n));
		fl_json_text(j, "name", fl_report_node(m, n));
		if (pair->what & (FL_DIFF_ADDED | FL_DIFF_REMOVED))
			fl_json_text(j, "change", pair->what & FL_DIFF_ADDED ? "added" : "removed");
		fl_json_object(j, "share");
		put_share(j, "before", d->before, pair->before);
		put_share(j, "after", d->after, pair->after);
		fl_json_end_object(j);
		put_quota(j, d, pair);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

static void put_condition(struct fl_json *j, const struct fl_what_if_report *w)
{
	if (!w->condition)
		return;
	fl_json_object(j, "failIf");
	fl_json_text(j, "expression", w->condition);
	fl_json_bool(j, "holds", w->fails);
	fl_json_list(j, "comparisons");
	for (uint32_t i = 0; i < w->n_parts; i++) {
		fl_json_object(j, NULL);
		fl_json_text(j, "text", w->parts[i].text);
		fl_json_text(j, "left", w->parts[i].left);
		fl_json_text(j, "right", w->parts[i].right);
		fl_json_bool(j, "holds", w->parts[i].holds);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
	fl_json_end_object(j);
}

int fl_what_if_json(const struct fl_what_if_report *w, fairlead_error *err)
{
	struct fl_json j;

	(void)err;
	fl_json_start(&j, w->after, "WhatIf", w->policy);
	put_changes(&j, w);
	fl_json_bool(&j, "different", w->d->any);
	put_side(&j, "before", w->d->before);
	put_side(&j, "after", w->d->after);
	put_list(&j, w, "admitted", FL_DIFF_ADMITTED);
	put_list(&j, w, "noLongerAdmitted", FL_DIFF_RELEASED);
	put_list(&j, w, "moved", FL_DIFF_MOVED);
	put_list(&j, w, "preempted", FL_DIFF_PREEMPTED);
	put_list(&j, w, "noLongerPreempted", FL_DIFF_SPARED);
	put_list(&j, w, "waiting", FL_DIFF_WAITS);
	put_list(&j, w, "noLongerWaiting", FL_DIFF_LEFT);
	if (w->d->before->entitle)
		fl_entitle_what_if_nodes(&j, w->d);
	else
		put_nodes(&j, w->d);
	put_condition(&j, w);
	fl_json_finish(&j);
	return 0;
}
