/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/shape.h"

#include <assert.h>
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "base/time.h"
#include "report/out/bundle_text.h"

static void put_amount(struct fl_json *j, const char *key, fl_amount v)
{
	if (v == FL_UNLIMITED)
		fl_json_text(j, key, "unlimited");
	else
		fl_json_int(j, key, v);
}

static void put_index(struct fl_json *j, const char *key, uint32_t i)
{
	if (i == FL_NONE)
		fl_json_null(j, key);
	else
		fl_json_int(j, key, i);
}

static void put_double(struct fl_json *j, const char *key, enum fl_field_type type, double v)
{
	if (type == FL_AS_RATIO && isinf(v))
		fl_json_text(j, key, "inf");
	else if (type == FL_AS_BOUND)
		fl_json_bound(j, key, v);
	else if (type == FL_AS_REAL && isinf(v))
		fl_json_text(j, key, "inf");
	else if (type == FL_AS_REAL)
		fl_json_real(j, key, v);
	else if (type == FL_AS_OR_NULL && !isfinite(v))
		fl_json_null(j, key);
	else
		fl_json_number(j, key, v);
}

static void put_time(struct fl_json *j, const char *key, enum fl_field_type type, fl_time t)
{
	char text[40];

	if (type == FL_AS_SECONDS)
		fl_json_raw(j, key, text, strlen(fl_report_seconds(t, text)));
	else if (type != FL_AS_TIME && t == FL_NEVER)
		fl_json_null(j, key);
	else if (type != FL_AS_OR_NEVER)
		fl_json_text(j, key, fl_time_format(text, t));
	else
		fl_json_number(j, key, (double)t / 1e9);
}

static const char *node_kind(const struct fl_shape_at *at, const void *row,
			     char buffer[FL_SHAPE_TEXT])
{
	(void)buffer;
	return fl_report_kind(at->model, *(const struct fl_node *)row);
}

static const char *node_name(const struct fl_shape_at *at, const void *row,
			     char buffer[FL_SHAPE_TEXT])
{
	(void)buffer;
	return fl_report_node(at->model, *(const struct fl_node *)row);
}

static const char *const node_kinds[] = { "ClusterQueue", "Cohort" };
static const char *const queue_kinds[] = { "Queue" };

#define ROW struct fl_node
static const struct fl_json_field node_fields[] = {
	FL_FIELD_TEXT("kind", node_kind, NULL, FL_NAMES(node_kinds)),
	FL_FIELD_TEXT("name", node_name, NULL),
};
const struct fl_json_shape fl_node_shape = FL_SHAPE(node_fields, "node", .closed = true);
static const struct fl_json_field queue_fields[] = {
	FL_FIELD_TEXT("kind", node_kind, NULL, FL_NAMES(queue_kinds)),
	FL_FIELD_TEXT("name", node_name, NULL),
};
const struct fl_json_shape fl_queue_shape = FL_SHAPE(queue_fields, "queue");
#undef ROW

static const char *inactive_name(unsigned why) { return fl_inactive_name((enum fl_inactive)why); }

static const char *inactive(const struct fl_shape_at *at, const void *row,
			    char buffer[FL_SHAPE_TEXT])
{
	enum fl_inactive why = at->model->nodes[((const struct fl_node *)row)->v].inactive;

	(void)buffer;
	return why == FL_ACTIVE ? NULL : fl_inactive_name(why);
}

static const char *why_inactive(const struct fl_shape_at *at, const void *row,
				char buffer[FL_SHAPE_TEXT])
{
	return inactive(at, row, buffer) ?
		       fl_report_why_inactive(at->model, *(const struct fl_node *)row, buffer) :
		       NULL;
}

#define ROW struct fl_node
#define INACTIVE(from, to)                                                                         \
	FL_FIELD_TEXT("inactive", inactive, NULL, .maybe = true, .name_of = inactive_name,         \
		      .first_name = (from), .end_name = (to) + 1),                                 \
		FL_FIELD_TEXT("message", why_inactive, "why it is inactive", .maybe = true)
static const struct fl_json_field inactive_node_fields[] = { INACTIVE(FL_INACTIVE_FLAVOR_NOT_FOUND,
								      FL_INACTIVE_STOPPED) };
const struct fl_json_shape fl_inactive_node_shape = FL_SHAPE(inactive_node_fields, "inactive");
static const struct fl_json_field inactive_queue_fields[] = { INACTIVE(
	FL_INACTIVE_PARENT_NOT_FOUND, FL_INACTIVE_PARENT_NOT_FOUND) };
const struct fl_json_shape fl_inactive_queue_shape = FL_SHAPE(inactive_queue_fields, "inactive");
#undef ROW

static const char *share_text(const struct fl_shape_at *at, const void *row,
			      char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	return fl_report_share(row, buffer);
}

static const char *share_precise(const struct fl_shape_at *at, const void *row,
				 char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	return fl_report_precise(row, buffer);
}

#define ROW struct fl_share
static const struct fl_json_field share_fields[] = {
	FL_FIELD_TEXT("weightedShare", share_text, "the ceiling of precise, as Kueue publishes it",
		      .more = "{\"pattern\": \"^([0-9]+|inf)$\"}"),
	FL_FIELD_TEXT("precise", share_precise, "the double in 17 significant digits",
		      .more = "{\"pattern\": \"^([0-9].*|inf)$\"}"),
};
const struct fl_json_shape fl_share_shape = FL_SHAPE(share_fields, "share");
#undef ROW

static bool may_go(const struct fl_json_field *f)
{
	return f->maybe || f->type == FL_AS_KNOWN || f->type == FL_AS_LIMIT;
}

/* Nothing stands there. */
static bool absent(enum fl_field_type type, const void *value)
{
	switch (type) {
	case FL_AS_TEXT:
		return !*(const char *const *)value;
	case FL_AS_CHARS:
		return !*(const char *)value;
	case FL_AS_OBJECT:
		return !*(const void *const *)value;
	case FL_AS_NTH:
		return *(const uint32_t *)value == 0;
	case FL_AS_JOB:
		return *(const uint64_t *)value == 0;
	case FL_AS_REAL:
		return isnan(*(const double *)value);
	case FL_AS_KNOWN:
		return !isfinite(*(const double *)value);
	case FL_AS_LIMIT:
		return *(const fl_amount *)value == FL_NO_LIMIT;
	case FL_AS_TIME:
		return *(const fl_time *)value == FL_TIME_NONE;
	case FL_AS_WORKLOAD:
	case FL_AS_QUEUE:
	case FL_AS_NODE:
	case FL_AS_FLAVOR:
	case FL_AS_RESOURCE:
		return *(const uint32_t *)value == FL_NONE;
	default:
		return false;
	}
}

/* Names and ids of the model. */
static const char *text_of(const struct fl_model *m, enum fl_field_type type, const void *value,
			   char buffer[FL_REPORT_NAME])
{
	switch (type) {
	case FL_AS_WORKLOAD:
		return fl_report_workload(m, *(const struct fl_workload *)value, buffer);
	case FL_AS_QUEUE:
		return fl_report_node(m, *(const struct fl_node *)value);
	case FL_AS_FLAVOR:
		return fl_report_flavor(m, *(const struct fl_flavor *)value);
	case FL_AS_RESOURCE:
		return fl_report_resource(m, *(const struct fl_resource *)value);
	case FL_AS_REASON:
	case FL_AS_EVICTION:
		return fl_reason_name(*(const enum fl_reason *)value);
	case FL_AS_CHECK:
		return fl_check_name(*(const enum fl_check *)value);
	default:
		assert(type == FL_AS_TEXT);
		return *(const char *const *)value;
	}
}

void fl_shape_value(const struct fl_shape_at *at, const char *key, enum fl_field_type type,
		    const void *value)
{
	struct fl_json *j = at->json;
	char buffer[FL_REPORT_NAME];

	switch (type) {
	case FL_AS_BOOL:
		fl_json_bool(j, key, *(const bool *)value);
		break;
	case FL_AS_COUNT:
	case FL_AS_NTH:
		fl_json_int(j, key, *(const uint32_t *)value);
		break;
	case FL_AS_INDEX:
		put_index(j, key, *(const uint32_t *)value);
		break;
	case FL_AS_COUNT64:
	case FL_AS_JOB:
	case FL_AS_WHOLE:
		fl_json_int(j, key, *(const int64_t *)value);
		break;
	case FL_AS_INT:
		fl_json_int(j, key, *(const int32_t *)value);
		break;
	case FL_AS_NUMBER:
	case FL_AS_REAL:
	case FL_AS_KNOWN:
	case FL_AS_OR_NULL:
	case FL_AS_RATIO:
	case FL_AS_BOUND:
		put_double(j, key, type, *(const double *)value);
		break;
	case FL_AS_BUNDLE:
		fl_json_bundle(j, key, value);
		break;
	case FL_AS_AMOUNT:
	case FL_AS_LIMIT:
		put_amount(j, key, *(const fl_amount *)value);
		break;
	case FL_AS_NODE:
		fl_shape_json(at, key, &fl_node_shape, value);
		break;
	case FL_AS_TIME:
	case FL_AS_SECONDS:
	case FL_AS_MOMENT:
	case FL_AS_OR_NEVER:
		put_time(j, key, type, *(const fl_time *)value);
		break;
	default:
		fl_json_text(j, key, text_of(at->model, type, value, buffer));
	}
}

const char *fl_field_key(const struct fl_json_field *f, const void *face)
{
	return f->face_key ? *(const char *const *)((const char *)face + f->face_key - 1) : f->key;
}

const struct fl_json_shape *fl_field_shape(const struct fl_json_field *f, const void *face)
{
	return f->face_shape ? *(const struct fl_json_shape *const *)((const char *)face +
								      f->face_shape - 1) :
			       f->shape;
}

/* The object of @source, or its fields alone; false: it was left out. */
static bool put_object(const struct fl_shape_at *at, const char *key,
		       const struct fl_json_shape *shape, const void *source, uint32_t i,
		       bool fields_only)
{
	struct fl_shape_at sub = *at;
	alignas(max_align_t) char row[FL_SHAPE_ROW];

	if (shape->fill) {
		if (!shape->fill(&sub, source, i, row))
			return false;
		source = row;
	}
	if (!fields_only)
		fl_json_object(at->json, key);
	fl_shape_fields(&sub, shape, source);
	if (!fields_only)
		fl_json_end_object(at->json);
	return true;
}

static void put_list(const struct fl_shape_at *at, const struct fl_json_field *f, const char *key,
		     const struct fl_json_shape *shape, const void *row)
{
	const char *place = (const char *)row + f->at;
	struct fl_shape_rows all;

	if (f->rows)
		all = f->rows(at, row);
	else
		all = (struct fl_shape_rows){
			.rows = f->pointer ? *(const void *const *)place : place,
			.n = *(const uint32_t *)((const char *)row + f->n_at),
		};
	size_t size = f->rows && shape ? shape->size : f->size;

	fl_json_list(at->json, key);
	for (uint32_t i = 0; i < all.n; i++) {
		const void *item = all.rows ? (const char *)all.rows + i * size : row;

		if (shape)
			put_object(at, NULL, shape, item, i, /* fields_only= */ false);
		else
			fl_shape_value(at, NULL, f->item, item);
	}
	fl_json_end_list(at->json);
}

static void put_text(const struct fl_shape_at *at, const struct fl_json_field *f, const char *key,
		     const void *row)
{
	char buffer[FL_SHAPE_TEXT];
	const char *text = f->text(at, row, buffer);

	assert(text || f->maybe);
	if (text)
		fl_json_text(at->json, key, text);
}

static void put_field(const struct fl_shape_at *outer, const struct fl_json_field *f,
		      const void *row)
{
	struct fl_shape_at tagged = *outer, *at = &tagged;
	const struct fl_json_shape *shape = fl_field_shape(f, at->face);
	const char *key = fl_field_key(f, at->face);
	const void *value = (const char *)row + f->at;

	tagged.tag = f->tag;
	if (f->null && absent(f->type, value)) {
		fl_json_null(at->json, key);
	} else if (f->put) {
		f->put(at, key, row);
	} else if (f->text) {
		put_text(at, f, key, row);
	} else if (f->type == FL_AS_LIST) {
		put_list(at, f, key, shape, row);
	} else if (f->type == FL_AS_OBJECT || f->type == FL_AS_INLINE) {
		if (f->rows)
			value = f->rows(at, row).rows;
		else if (f->pointer)
			value = *(const void *const *)value;
		bool there = value && put_object(at, key, shape, value, 0, f->type == FL_AS_INLINE);
		assert(there || f->maybe || f->type == FL_AS_INLINE);
		(void)there;
	} else if (f->type == FL_AS_CONST) {
		fl_json_text(at->json, key, f->names[0]);
	} else if (f->type == FL_AS_ENUM) {
		fl_json_text(at->json, key, f->names[*(const unsigned *)value]);
	} else if (!may_go(f) || !absent(f->type, value)) {
		if (f->type == FL_AS_CHARS)
			fl_json_text(at->json, key, value);
		else
			fl_shape_value(at, key, f->type, value);
	}
}

static bool is_there(const struct fl_shape_at *at, const struct fl_json_field *f, const void *row)
{
	const char *value = (const char *)row + f->if_at;

	if (f->if_one_of) {
		unsigned bit = f->if_size == 1 ? *(const unsigned char *)value :
						 *(const unsigned *)value;

		if (!(f->if_one_of >> bit & 1))
			return false;
	}
	return !f->when || f->when(at, row);
}

/* Those of fields[from] and on, up to a STREAM; the number of the first that was not written. */
static unsigned put_fields(const struct fl_shape_at *at, const struct fl_json_shape *shape,
			   const void *row, unsigned from)
{
	unsigned i = from;

	for (; i < shape->n && shape->fields[i].type != FL_AS_STREAM; i++)
		if (is_there(at, &shape->fields[i], row))
			put_field(at, &shape->fields[i], row);
	return i;
}

static unsigned stream_of(const struct fl_json_shape *shape)
{
	unsigned i = 0;

	while (shape->fields[i].type != FL_AS_STREAM)
		i++;
	return i;
}

void fl_shape_fields(const struct fl_shape_at *at, const struct fl_json_shape *shape,
		     const void *row)
{
	unsigned n = put_fields(at, shape, row, 0);

	assert(n == shape->n);
	(void)n;
}

void fl_shape_begin(const struct fl_shape_at *at, const struct fl_json_shape *shape,
		    const void *row)
{
	fl_json_list(at->json, shape->fields[put_fields(at, shape, row, 0)].key);
}

void fl_shape_rest(const struct fl_shape_at *at, const struct fl_json_shape *shape, const void *row)
{
	fl_json_end_list(at->json);
	put_fields(at, shape, row, stream_of(shape) + 1);
}

void fl_shape_json(const struct fl_shape_at *at, const char *key, const struct fl_json_shape *shape,
		   const void *row)
{
	put_object(at, key, shape, row, 0, /* fields_only= */ false);
}

void fl_document_json(const struct fl_report *r, const struct fl_document *d, const void *answer)
{
	struct fl_json j;
	struct fl_shape_at at = {
		.json = &j, .report = r, .model = r->model, .face = d->face, .answer = answer
	};

	if (!d->kind) {
		fl_json_init(&j, r->out);
		fl_json_object(&j, NULL);
	} else if (d->plain) {
		fl_json_head(&j, r->out, d->kind);
	} else {
		fl_json_start(&j, r, d->kind, d->policy);
	}
	put_object(&at, NULL, d->shape, answer, 0, /* fields_only= */ true);
	fl_json_finish(&j);
}
