/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common/face.h"
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

const char *fl_what_if_reason(const struct fl_what_if_report *x, bool after, uint32_t w,
			      bool people, char *buffer, size_t size)
{
	const struct fl_outcome *o = after ? x->d->after : x->d->before;

	if (w == FL_NONE || !o->workloads[w].waits) {
		snprintf(buffer, size, "%s", fl_what_if_left(o->model, w));
		return buffer;
	}
	const struct fl_pending *p = &o->pending.rows[o->workloads[w].pending];
	return fl_plan_message(after ? x->after : x->before, x->face, p, o->why, people, buffer,
			       size);
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
static void put_who(struct fl_json *j, const struct fl_what_if_report *r,
		    const struct fl_pair *pair, bool after)
{
	const struct fl_difference *d = r->d;
	const struct fl_outcome *o = after ? d->after : d->before;
	struct fl_workload w = { after ? pair->after : pair->before };
	struct fl_node queue = o->workloads[w.v].queue;
	char name[FL_REPORT_NAME];

	fl_json_text(j, "workload", fl_report_workload(o->model, w, name));
	fl_json_text(j, r->face->queue_key,
		     queue.v == FL_NONE ? "" : fl_report_node(o->model, queue));
}

static void put_held(struct fl_json *j, const char *key, const struct fl_report_face *face,
		     const struct fl_outcome *o, uint32_t w)
{
	struct fl_span p = o->workloads[w].placement;

	if (key)
		fl_json_object(j, key);
	face->held_json(j, o->model, (struct fl_workload){ w }, o->placements + p.first, p.n);
	if (key)
		fl_json_end_object(j);
}

static void put_reason(struct fl_json *j, const char *key, const struct fl_what_if_report *r,
		       bool after, uint32_t w)
{
	const struct fl_outcome *o = after ? r->d->after : r->d->before;
	char text[1024];

	if (w == FL_NONE || !o->workloads[w].waits)
		return;
	fl_json_object(j, key);
	fl_json_text(j, "reason", fl_reason_name(o->pending.rows[o->workloads[w].pending].reason));
	fl_json_text(j, "message",
		     fl_what_if_reason(r, after, w, /* people= */ false, text, sizeof(text)));
	fl_json_end_object(j);
}

static void put_eviction(struct fl_json *j, const struct fl_report_face *face,
			 const struct fl_outcome *o, uint32_t w)
{
	const struct fl_outcome_workload *row = &o->workloads[w];
	char name[FL_REPORT_NAME];

	if (row->preemptor.v != FL_NONE)
		fl_json_text(j, face->preemptor_key,
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
		put_who(j, w, pair,
			pair->after != FL_NONE && what != FL_DIFF_RELEASED &&
				what != FL_DIFF_SPARED && what != FL_DIFF_LEFT);
		if (what == FL_DIFF_ADMITTED)
			put_held(j, NULL, w->face, d->after, pair->after);
		if (what == FL_DIFF_MOVED) {
			put_held(j, "before", w->face, d->before, pair->before);
			put_held(j, "after", w->face, d->after, pair->after);
		}
		if (what == FL_DIFF_RELEASED || what == FL_DIFF_LEFT)
			fl_json_text(j, "message",
				     fl_what_if_reason(w, /* after= */ true, pair->after,
						       /* people= */ false, text, sizeof(text)));
		if (what == FL_DIFF_PREEMPTED)
			put_eviction(j, w->face, d->after, pair->after);
		if (what == FL_DIFF_SPARED)
			put_eviction(j, w->face, d->before, pair->before);
		if (what == FL_DIFF_WAITS) {
			put_reason(j, "before", w, /* after= */ false, pair->before);
			put_reason(j, "after", w, /* after= */ true, pair->after);
		}
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
	w->face->nodes_json(&j, w->d);
	put_condition(&j, w);
	fl_json_finish(&j);
	return 0;
}
