/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a comparison as JSON. */
#include "report/sim/compare_json.h"

/* --- a run --- */

struct variant {
	const char *name;
	const struct fl_sim_report *report;
	bool series;
};

static void put_report(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct variant *v = row;

	fl_sim_json(at->json, key, at->report, v->report, v->series);
}

#define ROW struct variant
static const struct fl_json_field variant_fields[] = {
	FL_FIELD(TEXT, "name", name, "as given, 'baseline', or the point of a sweep in words"),
	FL_FIELD_PUT(OBJECT, "report", put_report, "what simulate -o json would print of it",
		     .shape = &fl_sim_shape),
};
static const struct fl_json_shape variant_shape = FL_SHAPE(variant_fields, "variant");
#undef ROW

/* --- a sweep --- */

struct point {
	double value;
	uint32_t variant;
};

static bool fill_point(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	(void)at;
	*(struct point *)row = (struct point){ *(const double *)source, i };
	return true;
}

#define ROW struct point
static const struct fl_json_field point_fields[] = {
	FL_FIELD(NUMBER, "value", value, NULL),
	FL_FIELD(COUNT, "variant", variant, "index in variants"),
};
static const struct fl_json_shape point_shape = FL_SHAPE_MADE(point_fields, fill_point,
							      sizeof(double), "point");
#undef ROW

static struct fl_shape_rows points(const struct fl_shape_at *at, const void *row)
{
	const struct fl_comparison *c = at->answer;

	(void)row;
	return (struct fl_shape_rows){ c->sweep->values, c->n };
}

#define ROW struct fl_compared_sweep
static const struct fl_json_field sweep_fields[] = {
	FL_FIELD(TEXT, "parameter", parameter, "such as half-life, or quota:team-a"),
	FL_FIELD(TEXT, "unit", unit, NULL, .more = "{\"enum\": [\"seconds\", \"times\", \"\"]}"),
	FL_FIELD_ROWS("points", points, point_shape, NULL),
};
static const struct fl_json_shape sweep_shape = FL_SHAPE(sweep_fields, "sweep");
#undef ROW

/* --- the whole --- */

static const char *scenario(const struct fl_shape_at *at, const void *row,
			    char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return ((const struct fl_comparison *)row)->scenario;
}

#define ROW struct fl_comparison
static const struct fl_json_field fields[] = {
	FL_FIELD_CONST("apiVersion", "fairlead.dev/v1alpha1"),
	FL_FIELD_CONST("kind", "ComparisonReport"),
	{ .key = "variants",
	  .type = FL_AS_STREAM,
	  .shape = &variant_shape,
	  .doc = "in the order in which they ran; the first one is what others are compared with",
	  .more = "{\"minItems\": 1}" },
	FL_FIELD_TEXT("name", scenario, "metadata.name of the Simulation; empty when it has none"),
	FL_FIELD(NTH, "asked", asked,
		 "runs that were asked for: more than there are variants where it was stopped"),
	FL_FIELD_TO("sweep", sweep, sweep_shape, "only of a sweep", .maybe = true),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "comparison");
#undef ROW

const struct fl_document fl_comparison_document = { .shape = &shape };

void fl_comparison_json_begin(struct fl_json *j, FILE *out, const struct fl_comparison *c)
{
	const struct fl_shape_at at = { .json = j, .answer = c };

	fl_json_init(j, out);
	fl_json_object(j, NULL);
	fl_shape_begin(&at, &shape, c);
}

void fl_comparison_json_run(struct fl_json *j, const char *name, const struct fl_report *r,
			    const struct fl_sim_report *s, bool series)
{
	const struct fl_shape_at at = { .json = j, .report = r };
	const struct variant variant = { name, s, series };

	fl_shape_json(&at, NULL, &variant_shape, &variant);
}

void fl_comparison_json_end(struct fl_json *j, const struct fl_comparison *c)
{
	const struct fl_shape_at at = { .json = j, .answer = c };

	fl_shape_rest(&at, &shape, c);
	fl_json_finish(j);
}
