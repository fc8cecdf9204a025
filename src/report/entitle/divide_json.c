/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the answer as JSON. */
#include "report/entitle/divide_report.h"
#include "report/out/bundle_text.h"

static const char *const phases[] = {
	[FL_DIVIDE_DESERVED] = "deserved",
	[FL_DIVIDE_SHORT] = "short",
	[FL_DIVIDE_ROUND] = "round",
	[FL_DIVIDE_REMAINDERS] = "remainders",
};

static const char *const stops[] = {
	[FL_DIVIDE_GOES_ON] = "goesOn",       [FL_DIVIDE_ALL_GIVEN] = "allGiven",
	[FL_DIVIDE_CONTENT] = "content",      [FL_DIVIDE_PENALISED] = "penalised",
	[FL_DIVIDE_ONLY_PARTS] = "onlyParts",
};

static const char *const resources[] = {
	[FL_CPU] = "cpu", [FL_MEMORY] = "memory", [FL_GPU] = "gpu"
};

static const char *name_of(const struct fl_report *r, uint32_t node)
{
	return fl_report_node(r->model, (struct fl_node){ node });
}

/* --- a queue --- */

struct queue {
	struct fl_node node;
	struct fl_standing of;
	struct fl_bundle usage, fair_share;
};

static bool fill_queue(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_division *d = at->answer;
	uint32_t n = *(const uint32_t *)source;

	(void)i;
	*(struct queue *)row = (struct queue){
		{ n }, d->standings->rows[n], d->standings->usage[n], d->fair_share[n]
	};
	return true;
}

#define ROW struct queue
static const struct fl_json_field queue_fields[] = {
	FL_FIELD(QUEUE, "name", node, NULL),
	FL_FIELD(QUEUE, "parent", of.parent, NULL, .maybe = true),
	FL_FIELD(INT, "priority", of.priority, NULL),
	FL_FIELD(BUNDLE, "deserved", of.deserved,
		 "given before anything else, as far as it is requested"),
	FL_FIELD(BUNDLE, "limit", of.limit, "it never gets more"),
	FL_FIELD(BUNDLE, "overQuotaWeight", of.weight, "of what no queue deserves"),
	FL_FIELD(BUNDLE, "request", of.request,
		 "what its jobs, and those below it, hold and ask for"),
	FL_FIELD(BUNDLE, "usage", usage, "part of the cluster held over time, 0 to 1"),
	FL_FIELD(BUNDLE, "fairShare", fair_share, "the result"),
};
static const struct fl_json_shape queue_shape = FL_SHAPE_MADE(queue_fields, fill_queue,
							      sizeof(uint32_t), "dividedQueue");
#undef ROW

/* --- a step --- */

struct part {
	struct fl_node queue;
	struct fl_divide_part of;
	enum fl_divide_phase phase;
};

/* Of the parts of the step that is the answer here. */
static bool fill_part(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_divide_part *p = source;
	const struct fl_divide_step *s = at->answer;

	(void)i;
	*(struct part *)row = (struct part){ { p->queue }, *p, s->phase };
	return true;
}

#define IF_ROUND FL_IF(phase, 1u << FL_DIVIDE_ROUND | 1u << FL_DIVIDE_SHORT)
#define IF_CLASS FL_IF(phase, ~(1u << FL_DIVIDE_DESERVED))

#define ROW struct part
static const struct fl_json_field part_fields[] = {
	FL_FIELD(QUEUE, "queue", queue, NULL),
	FL_FIELD(NUMBER, "wants", of.want, "what it may still get, before the step"),
	FL_FIELD(NUMBER, "weight", of.weight,
		 "of a round: over-quota weight; of phase short: what is deserved", IF_ROUND),
	FL_FIELD(
		NUMBER, "portion", of.portion,
		"of a round: max(0, n + k (n - usage)), n = weight / weights; with usageWithinShare: "
		"Free max(0, n - k max(0, usage - n))",
		IF_ROUND),
	FL_FIELD(NUMBER, "part", of.part,
		 "of a round: amount x portion / portions, before it is cut to whole units",
		 IF_ROUND),
	FL_FIELD(NUMBER, "remainder", of.remainder, "recorded after the step; 0: none", IF_CLASS),
	FL_FIELD(NUMBER, "given", of.given, NULL),
};
static const struct fl_json_shape part_shape = FL_SHAPE_MADE(part_fields, fill_part,
							     sizeof(struct fl_divide_part), "part");
#undef ROW

static const char *parent(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	const struct fl_divide_step *s = row;

	(void)buffer;
	return s->parent == FL_NONE ? NULL : name_of(at->report, s->parent);
}

static void put_parts(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_divide_step *s = row;
	struct fl_shape_at sub = *at;

	sub.answer = s;
	fl_json_list(at->json, key);
	for (uint32_t i = 0; i < s->n_parts; i++)
		fl_shape_json(&sub, NULL, &part_shape, &s->parts[i]);
	fl_json_end_list(at->json);
}

#define ROW struct fl_divide_step
static const struct fl_json_field step_fields[] = {
	FL_FIELD_TEXT("parent", parent, "of the group of siblings; absent at the top",
		      .maybe = true),
	FL_FIELD_ENUM("resource", resource, resources, NULL),
	FL_FIELD_ENUM("phase", phase, phases,
		      "what is deserved; bounded: a round over what is deserved, when it is more "
		      "than there is; a round by weight; units of what rounding left"),
	FL_FIELD(INT, "priority", priority, "of the class; absent of phase deserved", IF_CLASS),
	FL_FIELD(NUMBER, "amount", amount, "before the step"),
	FL_FIELD(NTH, "round", round, "of the class", IF_ROUND),
	FL_FIELD(NUMBER, "weights", weights, "sum of the weights of the queues that want more",
		 IF_ROUND),
	FL_FIELD(NUMBER, "portions", portions, "sum of their portions", IF_ROUND),
	FL_FIELD(NUMBER, "left", left,
		 "after the step; below 0 where more is deserved than there is"),
	FL_FIELD_ENUM(
		"stop", stop, stops,
		"why the class stops: nothing left; no queue in it wants more; usage has reduced "
		"every portion to 0; only parts of units are left"),
	FL_FIELD_PUT(LIST, "queues", put_parts, NULL, .shape = &part_shape),
};
static const struct fl_json_shape step_shape = FL_SHAPE(step_fields, "step");
#undef ROW

/* --- the whole --- */

static void put_steps(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_division *d = row;
	const struct fl_standings *s = d->standings;

	fl_json_list(at->json, key);
	for (uint32_t i = 0; i <= s->n; i++) {
		uint32_t group = i ? s->order[i - 1] : at->model->n_nodes;

		for (const struct fl_division_step *step = d->steps[group]; step; step = step->next)
			fl_shape_json(at, NULL, &step_shape, &step->step);
	}
	fl_json_end_list(at->json);
}

static bool has_steps(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_division *)row)->steps;
}

#define ROW struct fl_standings
static const struct fl_json_field total_fields[] = {
	FL_FIELD(BUNDLE, "total", total, "allocatable on the machines"),
};
static const struct fl_json_shape total_shape = FL_SHAPE(total_fields, "total");
static const struct fl_json_field queues_fields[] = {
	FL_FIELD_LIST("queues", order, n, queue_shape, "parents before children, siblings by name"),
};
static const struct fl_json_shape queues_shape = FL_SHAPE(queues_fields, "queues");
#undef ROW

#define ROW struct fl_division
static const struct fl_json_field fields[] = {
	FL_FIELD_INLINE_TO(standings, total_shape, NULL),
	FL_FIELD(NUMBER, "kValue", k, "how much history counts; 0: not at all"),
	FL_FIELD(BOOL, "bounded", bounded,
		 "shares stay within the total, and nothing stays idle that a queue wants"),
	FL_FIELD(BOOL, "usageWithinShareIsFree", free_within,
		 "usageWithinShare: Free of a Policy: only what is used above the part of a "
		 "weight counts",
		 FL_IF_TRUE(free_within)),
	FL_FIELD_INLINE_TO(standings, queues_shape, NULL),
	FL_FIELD_PUT(LIST, "steps", put_steps, "with --rounds", .shape = &step_shape,
		     .when = has_steps),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "division");
#undef ROW

const struct fl_document fl_divide_document = { .kind = "Division",
						.policy = "entitle",
						.shape = &shape };

int fl_divide_json(const struct fl_report *r, const struct fl_division *d, fairlead_error *err)
{
	(void)err;
	fl_document_json(r, &fl_divide_document, d);
	return 0;
}

int fl_divide_simulator_json(const struct fl_report *r, const struct fl_division *d,
			     fairlead_error *err)
{
	struct fl_json j;

	(void)err;
	fl_json_init(&j, r->out);
	fl_json_object(&j, NULL);
	for (uint32_t i = 0; i < d->standings->n; i++)
		fl_json_bundle(&j, name_of(r, d->standings->order[i]),
			       &d->fair_share[d->standings->order[i]]);
	fl_json_end_object(&j);
	putc('\n', r->out);
	return 0;
}
