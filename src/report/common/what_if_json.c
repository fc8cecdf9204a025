/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the answer as JSON. */
#include "report/common/face.h"
#include "report/out/held_shape.h"

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

const struct fl_model *fl_what_if_node(const struct fl_difference *d, const struct fl_pair *pair,
				       struct fl_node *ret)
{
	bool there = pair->after != FL_NONE;

	ret->v = there ? pair->after : pair->before;
	return there ? d->after->model : d->before->model;
}

const char *const fl_what_if_added_names[] = { "added", "removed" };

const char *fl_what_if_added(const struct fl_pair *pair)
{
	return pair->what & FL_DIFF_ADDED   ? fl_what_if_added_names[0] :
	       pair->what & FL_DIFF_REMOVED ? fl_what_if_added_names[1] :
					      NULL;
}

/* --- how one side ends --- */

struct side {
	uint32_t holds, waits, evicted;
	const struct fl_outcome *o;
	struct fl_settle_result result;
};

static bool fill_side(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_outcome *o = source;
	struct side *s = row;

	(void)i;
	at->model = o->model;
	*s = (struct side){ .o = o, .result = o->result };
	fl_what_if_count(o, &s->holds, &s->waits, &s->evicted);
	return true;
}

static void put_loop(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct side *s = row;

	fl_json_list(at->json, key);
	for (uint32_t i = 0; i < s->o->model->n_workloads; i++) {
		struct fl_workload w = { s->o->pending.order[i] };

		if (s->o->workloads[w.v].loops)
			fl_shape_value(at, NULL, FL_AS_WORKLOAD, &w);
	}
	fl_json_end_list(at->json);
}

static bool has_loop(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct side *)row)->result.loop_first;
}

#define ROW struct side
static const struct fl_json_field loop_fields[] = {
	FL_FIELD(NTH, "firstCycle", result.loop_first, NULL),
	FL_FIELD(NTH, "period", result.loop_period, NULL),
	FL_FIELD_PUT(LIST, "workloads", put_loop, NULL, .item = FL_AS_WORKLOAD),
};
static const struct fl_json_shape loop_shape = FL_SHAPE(loop_fields, "loop");

static const struct fl_json_field side_fields[] = {
	FL_FIELD(BOOL, "settled", result.settled, "nothing would change any more"),
	FL_FIELD(NTH, "cycles", result.kept, "up to the last that decided something"),
	FL_FIELD(COUNT, "admitted", holds, NULL),
	FL_FIELD(COUNT, "waiting", waits, NULL),
	FL_FIELD(COUNT, "evicted", evicted, "workloads preempted at least once before it settles"),
	FL_FIELD_SAME("loop", loop_shape,
		      "cycles firstCycle to firstCycle+period-1 repeat for ever", .when = has_loop),
};
static const struct fl_json_shape side_shape = FL_SHAPE_MADE(side_fields, fill_side,
							     sizeof(struct fl_outcome), "side");
#undef ROW

/* --- workloads that differ --- */

/* A workload on one side. */
struct one {
	const struct fl_outcome *o;
	uint32_t w;
};

static bool fill_held(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct one *one = source;
	const struct fl_span p = one->o->workloads[one->w].placement;

	(void)i;
	at->model = one->o->model;
	*(struct fl_held *)row = (struct fl_held){ { one->w }, one->o->placements + p.first, p.n };
	return true;
}

#define ROW struct fl_held
static const struct fl_json_field held_fields[] = {
	FL_FIELD_ALSO(fl_held_podsets_shape, NULL,
		      FL_FACE_SHAPE(struct fl_report_face, held_shape)),
};
static const struct fl_json_shape held_shape = FL_SHAPE_MADE(held_fields, fill_held,
							     sizeof(struct one), "held");
#undef ROW

struct reason {
	enum fl_reason reason;
	struct one of;
};

static bool fill_reason(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct one *one = source;

	(void)at;
	(void)i;
	if (one->w == FL_NONE || !one->o->workloads[one->w].waits)
		return false;
	*(struct reason *)row = (struct reason){
		one->o->pending.rows[one->o->workloads[one->w].pending].reason, *one
	};
	return true;
}

static const char *reason_message(const struct fl_shape_at *at, const void *row,
				  char buffer[FL_SHAPE_TEXT])
{
	const struct fl_what_if_report *x = at->answer;
	const struct one *one = &((const struct reason *)row)->of;

	return fl_what_if_reason(x, one->o == x->d->after, one->w, /* people= */ false, buffer,
				 1024);
}

#define ROW struct reason
static const struct fl_json_field reason_fields[] = {
	FL_FIELD(REASON, "reason", reason, NULL),
	FL_FIELD_TEXT("message", reason_message, NULL),
};
static const struct fl_json_shape reason_shape = FL_SHAPE_MADE(reason_fields, fill_reason,
							       sizeof(struct one), "reason");
#undef ROW

struct listed {
	struct fl_workload workload, preemptor;
	struct fl_node queue;
	enum fl_reason reason; /* of the eviction */
	struct one before, after;
};

/* Workloads of which the tag is true, as they are on the side where it is. */
static bool fill_listed(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	static const unsigned of_before = FL_DIFF_RELEASED | FL_DIFF_SPARED | FL_DIFF_LEFT;
	const struct fl_difference *d = ((const struct fl_what_if_report *)at->answer)->d;
	const struct fl_pair *pair = source;
	bool after = pair->after != FL_NONE && !(at->tag & of_before);
	const struct fl_outcome *o = after ? d->after : d->before;
	uint32_t w = after ? pair->after : pair->before;

	(void)i;
	if (!(pair->what & at->tag))
		return false;
	at->model = o->model;
	*(struct listed *)row = (struct listed){
		.workload = { w },
		.queue = o->workloads[w].queue,
		.preemptor = o->workloads[w].preemptor,
		.reason = o->workloads[w].evicted_for,
		.before = { d->before, pair->before },
		.after = { d->after, pair->after },
	};
	return true;
}

static const char *left_message(const struct fl_shape_at *at, const void *row,
				char buffer[FL_SHAPE_TEXT])
{
	const struct listed *l = row;

	return fl_what_if_reason(at->answer, /* after= */ true, l->after.w, /* people= */ false,
				 buffer, 1024);
}

#define ROW struct listed
#define WHO                                                                                        \
	FL_FIELD(WORKLOAD, "workload", workload, NULL),                                            \
		FL_FIELD(QUEUE, NULL, queue, "empty when there is none",                           \
			 FL_FACE_KEY(struct fl_report_face, queue_key))
static const struct fl_json_field admitted_fields[] = {
	WHO,
	FL_FIELD_INLINE(after, held_shape),
};
static const struct fl_json_field left_fields[] = {
	WHO,
	FL_FIELD_TEXT("message", left_message, NULL),
};
static const struct fl_json_field moved_fields[] = {
	WHO,
	FL_FIELD_IN("before", before, held_shape, NULL),
	FL_FIELD_IN("after", after, held_shape, NULL),
};
static const struct fl_json_field evicted_fields[] = {
	WHO,
	FL_FIELD(WORKLOAD, NULL, preemptor, NULL, .maybe = true,
		 FL_FACE_KEY(struct fl_report_face, preemptor_key)),
	FL_FIELD(REASON, "reason", reason, NULL),
};
static const struct fl_json_field waits_fields[] = {
	WHO,
	FL_FIELD_IN("before", before, reason_shape, NULL, .maybe = true),
	FL_FIELD_IN("after", after, reason_shape, NULL),
};
#define LISTED(fields, name) FL_SHAPE_MADE(fields, fill_listed, sizeof(struct fl_pair), name)
static const struct fl_json_shape admitted_shape = LISTED(admitted_fields, "admitted");
static const struct fl_json_shape left_shape = LISTED(left_fields, "left");
static const struct fl_json_shape moved_shape = LISTED(moved_fields, "moved");
static const struct fl_json_shape evicted_shape = LISTED(evicted_fields, "evicted");
static const struct fl_json_shape waits_shape = LISTED(waits_fields, "waits");
#undef ROW

/* --- the whole --- */

#define ROW struct fl_difference
#define LIST(key, what, of, doc)                                                                   \
	FL_FIELD_LIST(key, workloads, n_workloads, of, doc, .tag = FL_DIFF_##what)
static const struct fl_json_field difference_fields[] = {
	FL_FIELD(BOOL, "different", any, "some entry below is not empty"),
	FL_FIELD_TO("before", before, side_shape, "without the change"),
	FL_FIELD_TO("after", after, side_shape, "with it"),
	LIST("admitted", ADMITTED, admitted_shape,
	     "holds quota (entitle: runs) with the change, and does not without"),
	LIST("noLongerAdmitted", RELEASED, left_shape,
	     "holds quota (entitle: runs) without the change only"),
	LIST("moved", MOVED, moved_shape,
	     "holds quota on both sides: in another queue, in other flavors (entitle: on other "
	     "machines), or for other counts"),
	LIST("preempted", PREEMPTED, evicted_shape, "preempted only with the change"),
	LIST("noLongerPreempted", SPARED, evicted_shape, "preempted only without the change"),
	LIST("waiting", WAITS, waits_shape,
	     "waits for another reason, or did neither wait nor hold quota"),
	LIST("noLongerWaiting", LEFT, left_shape,
	     "waited, and with the change neither waits nor holds quota"),
	FL_FIELD_LIST("nodes", nodes, n_nodes, left_shape,
		      "queues and cohorts that differ in share, quota or usage",
		      FL_FACE_SHAPE(struct fl_report_face, node_shape)),
};
static const struct fl_json_shape difference_shape = FL_SHAPE(difference_fields, "difference");
#undef ROW

static const char *const changes[] = { "add", "replace", "set", "delete" };

static bool has_sets(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_what_if_change *)row)->n_sets;
}

#define ROW struct fl_what_if_change
static const struct fl_json_field change_fields[] = {
	FL_FIELD(TEXT, "change", what,
		 "add: it was not there; replace: merged into what was there; set: only fields are "
		 "set",
		 FL_NAMES(changes)),
	FL_FIELD(TEXT, "object", object, "Kind/name or Kind/namespace/name"),
	FL_FIELD(TEXT, "file", file, NULL, .maybe = true),
	FL_FIELD(NTH, "line", line, NULL, .maybe = true),
	FL_FIELD_ITEMS(TEXT, "set", sets, n_sets, "the fields that are set, each as PATH=VALUE",
		       .when = has_sets),
};
static const struct fl_json_shape change_shape = FL_SHAPE(change_fields, "change");
#undef ROW

static const char *part_text(const struct fl_shape_at *at, const void *row,
			     char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return ((const struct fl_what_if_part *)row)->text;
}

#define ROW struct fl_what_if_part
static const struct fl_json_field part_fields[] = {
	FL_FIELD_TEXT("text", part_text, NULL),
	FL_FIELD_CHARS("left", left, NULL),
	FL_FIELD_CHARS("right", right, NULL),
	FL_FIELD(BOOL, "holds", holds, NULL),
};
static const struct fl_json_shape part_shape = FL_SHAPE(part_fields, "comparison");
#undef ROW

static bool has_condition(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_what_if_report *)row)->condition;
}

#define ROW struct fl_what_if_report
static const struct fl_json_field condition_fields[] = {
	FL_FIELD(TEXT, "expression", condition, NULL),
	FL_FIELD(BOOL, "holds", fails, "true: exit status 1"),
	FL_FIELD_LIST("comparisons", parts, n_parts, part_shape, NULL, .more = "{\"minItems\": 1}"),
};
static const struct fl_json_shape condition_shape = FL_SHAPE(condition_fields, "failIf");

static const struct fl_json_field what_if_fields[] = {
	FL_FIELD_LIST("changes", changes, n_changes, change_shape, NULL),
	FL_FIELD_INLINE_TO(d, difference_shape, NULL),
	FL_FIELD_SAME("failIf", condition_shape, "with --fail-if", .when = has_condition),
};
const struct fl_json_shape fl_what_if_shape = FL_SHAPE(what_if_fields, "whatIf");
#undef ROW

int fl_what_if_json(const struct fl_what_if_report *w, fairlead_error *err)
{
	(void)err;
	fl_document_json(w->after, w->face->what_if, w);
	return 0;
}
