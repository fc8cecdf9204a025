/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the answer as JSON. */
#include <math.h>

#include "report/tune/tune_report.h"

/* Null where there is none; where the schema knows of none, there always is one. */
#define ALWAYS .more = "{\"type\": \"number\"}"

static const struct fl_tune_report *report_of(const struct fl_shape_at *at) { return at->answer; }

struct costs {
	double idle, busy;
};

static struct costs costs(const struct fl_tune_report *t, double part, double usage)
{
	return (struct costs){ fl_tune_cost(t->tune.k, part, usage, FL_OTHERS_IDLE),
			       fl_tune_cost(t->tune.k, part, usage, FL_OTHERS_BUSY) };
}

#define ROW struct costs
static const struct fl_json_field cost_fields[] = {
	FL_FIELD(OR_NULL, "costIfOthersIdle", idle, "The others used nothing.", ALWAYS),
	FL_FIELD(OR_NULL, "costIfOthersBusy", busy, "The others used all the rest.", ALWAYS),
};
static const struct fl_json_shape cost_shape = FL_SHAPE(cost_fields, "costs");
#undef ROW

struct use {
	double part, weight, usage;
	fl_time used, halves, window;
	struct costs costs;
};

static bool fill_use(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_tune_report *t = source;
	const struct fl_tune_weight *own = &t->weights[t->own];
	double usage = fl_tune_usage(&t->tune, t->part, t->used, 0);

	(void)at;
	(void)i;
	*(struct use *)row = (struct use){ .part = t->part,
					   .weight = own->weight,
					   .usage = usage,
					   .used = t->used,
					   .halves = fl_tune_halves(&t->tune, t->used),
					   .window = t->tune.window,
					   .costs = costs(t, own->part, usage) };
	return true;
}

#define ROW struct use
static const struct fl_json_field use_fields[] = {
	FL_FIELD(OR_NULL, "clusterPart", part, "Of the cluster, 0 to 1.", ALWAYS),
	FL_FIELD(OR_NEVER, "seconds", used, "For how long.", ALWAYS),
	FL_FIELD(OR_NULL, "weight", weight, "Of the queue.", ALWAYS),
	FL_FIELD(OR_NULL, "usage", usage, "Part of the window's capacity.", ALWAYS),
	FL_FIELD_INLINE(costs, cost_shape),
	FL_FIELD(OR_NEVER, "halfForgottenSeconds", halves, "After the use ended.", ALWAYS),
	FL_FIELD(OR_NEVER, "forgottenSeconds", window, "After the use ended: the window.", ALWAYS),
};
static const struct fl_json_shape use_shape = FL_SHAPE_MADE(use_fields, fill_use,
							    sizeof(struct fl_tune_report), "use");
#undef ROW

struct weight {
	struct fl_tune_weight of;
	struct costs hour;
	double portion, k;
	fl_time yields, back;
};

static bool fill_weight(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_tune_report *t = report_of(at);
	const struct fl_tune_weight *w = source;

	(void)i;
	*(struct weight *)row = (struct weight){
		.of = *w,
		.hour = costs(t, w->part, fl_tune_usage(&t->tune, 1, 3600 * FL_SECOND, 0)),
		.portion = fl_tune_portion(t->tune.k, w->part, 0, FL_OTHERS_BUSY),
		.k = fl_tune_least_k(&t->tune, w->part),
		.yields = fl_tune_yields(&t->tune, w->part),
		.back = fl_tune_recovers(&t->tune, w->part),
	};
	return true;
}

#define ROW struct weight
static const struct fl_json_field weight_fields[] = {
	FL_FIELD(OR_NULL, "weight", of.weight, "As given.", ALWAYS),
	FL_FIELD(NTH, "queues", of.count, NULL),
	FL_FIELD(OR_NULL, "part", of.part, "Of all weights.", ALWAYS),
	FL_FIELD_IN("hourOfCluster", hour, cost_shape, NULL),
	FL_FIELD(OR_NULL, "portionWhenIdle", portion,
		 "Of a queue that used nothing while the others used everything.", ALWAYS),
	FL_FIELD(
		OR_NULL, "yieldsFromK", k,
		"From this k on a queue that holds the whole cluster gets nothing in the end; null: "
		"it is alone."),
	FL_FIELD(OR_NEVER, "yieldsAfterSeconds", yields,
		 "How long it holds everything until then."),
	FL_FIELD(
		OR_NEVER, "backAfterSeconds", back,
		"Time idle, after a long use of everything, until its portion is again that of its weight."),
};
static const struct fl_json_shape weight_shape =
	FL_SHAPE_MADE(weight_fields, fill_weight, sizeof(struct fl_tune_weight), "weight");
#undef ROW

static const char *const codes[] = {
	"k-below-zero", "k-zero",          "one-queue",          "half-life-inert",
	"window-inert", "window-kind",     "window-below-fetch", "multiplier-inert",
	"never-yields", "part-of-cluster", "three-queues",
};

#define ROW struct fl_tune_note
static const struct fl_json_field note_fields[] = {
	FL_FIELD(TEXT, "code", code, NULL, FL_NAMES(codes)),
	FL_FIELD(TEXT, "text", text, NULL),
};
static const struct fl_json_shape note_shape = FL_SHAPE(note_fields, "note");
#undef ROW

static const char *const found[] = { [FL_TUNE_K] = "k",
				     [FL_TUNE_HALF_LIFE] = "halfLife",
				     [FL_TUNE_WINDOW] = "window",
				     [FL_TUNE_PAIR] = "kAndHalfLife" };
static const char *const others[] = { [FL_OTHERS_IDLE] = "idle", [FL_OTHERS_BUSY] = "busy" };

struct times {
	fl_time half_life, turn;
};

static bool fill_times(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_tune_report *t = source;

	(void)at;
	(void)i;
	*(struct times *)row = (struct times){ t->tune.half_life ? t->tune.half_life : FL_NEVER,
					       fl_tune_turn(&t->tune) };
	return true;
}

#define ROW struct times
static const struct fl_json_field half_life_fields[] = {
	FL_FIELD(OR_NEVER, "halfLifeSeconds", half_life, "null: no half-life."),
};
static const struct fl_json_field turn_fields[] = {
	FL_FIELD(OR_NEVER, "turnOfTwoSeconds", turn,
		 "A model: turns of two queues of equal weight with jobs that need the whole "
		 "cluster; null: one keeps it."),
};
static const struct fl_json_shape half_life_shape =
	FL_SHAPE_MADE(half_life_fields, fill_times, sizeof(struct fl_tune_report), "halfLife");
static const struct fl_json_shape turn_shape = FL_SHAPE_MADE(turn_fields, fill_times,
							     sizeof(struct fl_tune_report), "turn");
#undef ROW

#define ROW struct fl_tune_report
#define IF_FOUND FL_IF(found, ~(1u << FL_TUNE_NOTHING))
static const struct fl_json_field fields[] = {
	FL_FIELD(OR_NULL, "k", tune.k, "As it counts: not below 0.", ALWAYS),
	FL_FIELD_ALSO(half_life_shape, NULL),
	FL_FIELD(OR_NEVER, "windowSeconds", tune.window, "Of the sliding window.", ALWAYS),
	FL_FIELD_ENUM("found", found, found,
		      "The parameters that were not given and have been found.", IF_FOUND),
	FL_FIELD(OR_NULL, "cost", cost, "The penalty that was asked for.", ALWAYS, IF_FOUND),
	FL_FIELD_ENUM("others", others, others, "What the others used, for that penalty.",
		      IF_FOUND),
	FL_FIELD_SAME("use", use_shape, NULL),
	FL_FIELD_LIST("weights", weights, n_weights, weight_shape, "Distinct weights, ascending."),
	FL_FIELD_ALSO(turn_shape, NULL),
	FL_FIELD_LIST("notes", notes, n_notes, note_shape, NULL),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "tune");
#undef ROW

const struct fl_document fl_tune_document = { .kind = "Tune", .shape = &shape };

void fl_tune_json(const struct fl_report *r, const struct fl_tune_report *t)
{
	fl_document_json(r, &fl_tune_document, t);
}
