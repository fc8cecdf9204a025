/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape - the JSON of an answer: one table for the writer and for its schema
 *
 * A shape is the fields of one object.  A field has a key, a type, the place of its value in
 * a row (a C struct), when it is left out, and what it means.  fl_shape_json writes a row by
 * its shape; tests/guide/schema.c makes the files of doc/schema of the same tables.  The
 * macros tie type and place: a member of another type does not compile.
 *
 * Most rows are those of the answer itself.  Where its JSON looks different, the shape has a
 * row of its own, and `fill` makes one of what is there.
 */
#ifndef FL_REPORT_OUT_SHAPE_H
#define FL_REPORT_OUT_SHAPE_H

#include <stddef.h>

#include "base/bundle.h"
#include "report/out/report_json.h"

/*
 * FL_TYPE(name, C type): in JSON
 *
 *   TEXT      a string; NULL: nothing
 *   COUNT     a number of things, not below 0; COUNT64 a larger one
 *   NTH       a place or a number from 1 on; 0: nothing
 *   JOB       the number of a job of the daemon; 0: nothing
 *   INDEX     a row's number; null for FL_NONE
 *   WHOLE     an integer; INT one of 32 bits
 *   NUMBER    a double, which is finite
 *   REAL      the same in 17 digits, always with a point, as the daemon writes it; or "inf"; NAN: nothing
 *   KNOWN     a double; left out when it is not finite
 *   OR_NULL   a double; null when it is not finite
 *   RATIO     a double, or "inf"
 *   BOUND     a double, or "unlimited"
 *   LINE      a list of numbers or null; always written by `put`
 *   BUNDLE    BOUND each of gpu, cpu, memory
 *   AMOUNT    an integer, or "unlimited"
 *   LIMIT     the same; left out when there is no limit
 *   WORKLOAD  "namespace/name"; FL_NONE: nothing
 *   QUEUE     a name; FL_NONE: nothing, or "" where it must stand.  FLAVOR, RESOURCE: the same
 *   NODE      kind and name
 *   TIME      RFC 3339; FL_TIME_NONE: nothing
 *   SECONDS   a time as a number of seconds, exactly
 *   MOMENT    RFC 3339; null for FL_NEVER
 *   OR_NEVER  a time in seconds; null for FL_NEVER
 *   REASON, CHECK  their codes; EVICTION the reason of a decision to evict
 */
#define FL_SHAPE_TYPES(FL_TYPE)                                                                    \
	FL_TYPE(TEXT, const char *)                                                                \
	FL_TYPE(BOOL, bool)                                                                        \
	FL_TYPE(COUNT, uint32_t)                                                                   \
	FL_TYPE(COUNT64, uint64_t)                                                                 \
	FL_TYPE(NTH, uint32_t)                                                                     \
	FL_TYPE(JOB, uint64_t)                                                                     \
	FL_TYPE(INDEX, uint32_t)                                                                   \
	FL_TYPE(WHOLE, int64_t)                                                                    \
	FL_TYPE(INT, int32_t)                                                                      \
	FL_TYPE(NUMBER, double)                                                                    \
	FL_TYPE(REAL, double)                                                                      \
	FL_TYPE(KNOWN, double)                                                                     \
	FL_TYPE(OR_NULL, double)                                                                   \
	FL_TYPE(RATIO, double)                                                                     \
	FL_TYPE(BOUND, double)                                                                     \
	FL_TYPE(LINE, double *)                                                                    \
	FL_TYPE(BUNDLE, struct fl_bundle)                                                          \
	FL_TYPE(AMOUNT, fl_amount)                                                                 \
	FL_TYPE(LIMIT, fl_amount)                                                                  \
	FL_TYPE(WORKLOAD, struct fl_workload)                                                      \
	FL_TYPE(QUEUE, struct fl_node)                                                             \
	FL_TYPE(NODE, struct fl_node)                                                              \
	FL_TYPE(FLAVOR, struct fl_flavor)                                                          \
	FL_TYPE(RESOURCE, struct fl_resource)                                                      \
	FL_TYPE(TIME, fl_time)                                                                     \
	FL_TYPE(SECONDS, fl_time)                                                                  \
	FL_TYPE(MOMENT, fl_time)                                                                   \
	FL_TYPE(OR_NEVER, fl_time)                                                                 \
	FL_TYPE(REASON, enum fl_reason)                                                            \
	FL_TYPE(EVICTION, enum fl_reason)                                                          \
	FL_TYPE(CHECK, enum fl_check)

#define FL_TYPE(name, c) FL_AS_##name,
enum fl_field_type {
	FL_SHAPE_TYPES(FL_TYPE) FL_SHAPE_SCALARS,
	FL_AS_ENUM = FL_SHAPE_SCALARS, /* an enum by its names */
	FL_AS_CHARS,                   /* a text that stands in the row */
	FL_AS_CONST,                   /* always the same text, names[0] */
	FL_AS_OBJECT,
	FL_AS_LIST,
	FL_AS_MAP,    /* an object with keys of the input; always written by `put` */
	FL_AS_STREAM, /* a list that comes by and by: fl_shape_begin */
	FL_AS_INLINE, /* the fields of another shape, in the same object */
};
#undef FL_TYPE
#define FL_TYPE(name, c) typedef c FL_C_##name;
FL_SHAPE_TYPES(FL_TYPE)
#undef FL_TYPE

/* Where an answer is written; rows get a copy, so that `fill` may change the model. */
struct fl_shape_at {
	struct fl_json *json;
	const struct fl_report *report;
	const struct fl_model *model;
	const void *face;   /* of the policy, for keys and shapes that are its own; NULL */
	const void *answer; /* the row of the whole document */
	unsigned tag;       /* of the field that is written */
};

struct fl_shape_rows {
	const void *rows; /* NULL: `fill` gets the row that has the list, and the number */
	uint32_t n;
};

enum { FL_SHAPE_TEXT = 4096, FL_SHAPE_ROW = 1024 };

struct fl_json_field {
	const char *key;
	enum fl_field_type type, item; /* item: of LIST, STREAM and MAP without a shape */
	size_t at;                     /* of the member, in bytes */
	size_t n_at;                   /* LIST: of the number of rows */
	size_t size;                   /* of the row below, or of one of a list */
	bool pointer;                  /* the member points there; NULL: left out */
	bool maybe;                    /* left out where nothing stands there */
	bool null;                     /* null where nothing stands there */
	const struct fl_json_shape *shape;
	/* In the face, for keys and shapes that are the policy's own; 1 more than the place. */
	size_t face_key, face_shape;
	const char *(*name_of)(unsigned i);     /* the same, from first_name to end_name */
	const char *const *names;               /* of an ENUM, or of a TEXT that is one of these */
	unsigned n_names, first_name, end_name; /* of them, or of all reasons; end 0: all */
	/* Only there with an int or a bool of the row that is one of these bits; 0: always. */
	size_t if_at, if_size;
	uint32_t if_one_of;
	bool (*when)(const struct fl_shape_at *at, const void *row); /* the same; NULL: always */
	/* Instead of a member. */
	const char *(*text)(const struct fl_shape_at *at, const void *row,
			    char buffer[FL_SHAPE_TEXT]);
	struct fl_shape_rows (*rows)(const struct fl_shape_at *at, const void *row);
	void (*put)(const struct fl_shape_at *at, const char *key, const void *row);
	unsigned tag; /* for `fill` of the rows below */
	const char *doc;
	const char *more; /* of its schema, "key": value */
};

struct fl_json_shape {
	const char *name; /* in the schema's $defs */
	const struct fl_json_field *fields;
	unsigned n;
	size_t size; /* of the row that it is written from; 0: it is made of whatever there is */
	/* Makes @row, of its fields, of @source; false: nothing is written. */
	bool (*fill)(struct fl_shape_at *at, const void *source, uint32_t i, void *row);
	bool closed; /* no other key may stand in it, in no version */
	const char *doc;
	const char *more; /* of its schema, "key": value */
};

/* One document of the command. */
struct fl_document {
	const char *kind;                  /* NULL: the shape has all of it */
	const char *policy;                /* NULL: it says none, or that which is asked */
	const struct fl_json_shape *shape; /* of what follows the assumptions */
	const void *face;                  /* of that policy */
	bool any_policy;
	bool plain; /* without assumptions */
};

/* --- tables: ROW is the struct that the fields stand in --- */

#define FL_SHAPE_MEMBER(m) (((ROW *)0)->m)
#define FL_SHAPE_TIED(m, c)                                                                        \
	(0 * sizeof(char[__builtin_types_compatible_p(__typeof__(FL_SHAPE_MEMBER(m)), c) ? 1 : -1]))
#define FL_SHAPE_POINTS(m)                                                                         \
	__builtin_types_compatible_p(__typeof__(FL_SHAPE_MEMBER(m)),                               \
				     __typeof__(&FL_SHAPE_MEMBER(m)[0]))

/* The last argument of each: what it means, or NULL, and what else is to be set. */
#define FL_FIELD(as, name, m, ...)                                                                 \
	{                                                                                          \
		.key = name, .type = FL_AS_##as,                                                   \
		.at = offsetof(ROW, m) + FL_SHAPE_TIED(m, FL_C_##as), .doc = __VA_ARGS__           \
	}
#define FL_FIELD_ENUM(name, m, all, ...)                                                           \
	{                                                                                          \
		.key = name, .type = FL_AS_ENUM,                                                   \
		.at = offsetof(ROW, m) +                                                           \
		      0 * sizeof(char[sizeof(FL_SHAPE_MEMBER(m)) == sizeof(int) ? 1 : -1]),        \
		.names = all, .n_names = sizeof(all) / sizeof((all)[0]), .doc = __VA_ARGS__        \
	}
/* The same, of which more is known: of type WORKLOAD. */
#define FL_FIELD_TEXT_AS(as, name, get, ...)                                                       \
	{                                                                                          \
		.key = name, .type = FL_AS_##as, .text = get, .doc = __VA_ARGS__                   \
	}
#define FL_FIELD_TEXT(name, get, ...)                                                              \
	{                                                                                          \
		.key = name, .type = FL_AS_TEXT, .text = get, .doc = __VA_ARGS__                   \
	}
#define FL_FIELD_CONST(name, value)                                                                \
	{                                                                                          \
		.key = name, .type = FL_AS_CONST, .names = (const char *const[]){ value },         \
		.n_names = 1                                                                       \
	}
#define FL_FIELD_CHARS(name, m, ...)                                                               \
	{                                                                                          \
		.key = name, .type = FL_AS_CHARS, .doc = __VA_ARGS__,                              \
		.at = offsetof(ROW, m) + 0 * sizeof(&FL_SHAPE_MEMBER(m)[0]),                       \
	}
#define FL_FIELD_PUT(as, name, function, ...)                                                      \
	{                                                                                          \
		.key = name, .type = FL_AS_##as, .put = function, .doc = __VA_ARGS__               \
	}
#define FL_FIELD_IN(name, m, of, ...)                                                              \
	{                                                                                          \
		.key = name, .type = FL_AS_OBJECT, .at = offsetof(ROW, m),                         \
		.size = sizeof(FL_SHAPE_MEMBER(m)), .shape = &of, .doc = __VA_ARGS__               \
	}
#define FL_FIELD_TO(name, m, of, ...)                                                              \
	{                                                                                          \
		.key = name, .type = FL_AS_OBJECT, .at = offsetof(ROW, m), .pointer = true,        \
		.size = sizeof(*FL_SHAPE_MEMBER(m)), .shape = &of, .doc = __VA_ARGS__              \
	}
/* The same row. */
#define FL_FIELD_SAME(name, of, ...)                                                               \
	{                                                                                          \
		.key = name, .type = FL_AS_OBJECT, .size = sizeof(ROW), .shape = &of,              \
		.doc = __VA_ARGS__                                                                 \
	}
/* One row, from elsewhere; NULL: left out. */
#define FL_FIELD_FROM(name, get, of, ...)                                                          \
	{                                                                                          \
		.key = name, .type = FL_AS_OBJECT, .rows = get, .shape = &of, .doc = __VA_ARGS__   \
	}
#define FL_FIELD_ROWS(name, get, of, ...)                                                          \
	{                                                                                          \
		.key = name, .type = FL_AS_LIST, .rows = get, .shape = &of, .doc = __VA_ARGS__     \
	}
#define FL_FIELD_LIST(name, m, count, of, ...)                                                     \
	{                                                                                          \
		.key = name, .type = FL_AS_LIST, .at = offsetof(ROW, m),                           \
		.n_at = offsetof(ROW, count) + FL_SHAPE_TIED(count, uint32_t),                     \
		.size = sizeof(FL_SHAPE_MEMBER(m)[0]), .pointer = FL_SHAPE_POINTS(m),              \
		.shape = &of, .doc = __VA_ARGS__                                                   \
	}
#define FL_FIELD_ITEMS(as, name, m, count, ...)                                                    \
	{                                                                                          \
		.key = name, .type = FL_AS_LIST, .item = FL_AS_##as,                               \
		.at = offsetof(ROW, m) +                                                           \
		      0 * sizeof(char[sizeof(FL_SHAPE_MEMBER(m)[0]) == sizeof(FL_C_##as) ? 1 :     \
											   -1]),   \
		.n_at = offsetof(ROW, count) + FL_SHAPE_TIED(count, uint32_t),                     \
		.size = sizeof(FL_SHAPE_MEMBER(m)[0]), .pointer = FL_SHAPE_POINTS(m),              \
		.doc = __VA_ARGS__                                                                 \
	}
#define FL_FIELD_ITEMS_OF(as, name, get, ...)                                                      \
	{                                                                                          \
		.key = name, .type = FL_AS_LIST, .item = FL_AS_##as, .size = sizeof(FL_C_##as),    \
		.rows = get, .doc = __VA_ARGS__                                                    \
	}
/* All fields of @of, of a member or of the same row, in the same object. */
#define FL_FIELD_INLINE(m, of)                                                                     \
	{                                                                                          \
		.type = FL_AS_INLINE, .at = offsetof(ROW, m), .shape = &of,                        \
		.size = sizeof(FL_SHAPE_MEMBER(m))                                                 \
	}
#define FL_FIELD_INLINE_TO(m, of, ...)                                                             \
	{                                                                                          \
		.type = FL_AS_INLINE, .at = offsetof(ROW, m), .shape = &of,                        \
		.size = sizeof(*FL_SHAPE_MEMBER(m)), .pointer = true, .doc = __VA_ARGS__           \
	}
#define FL_FIELD_ALSO(of, ...)                                                                     \
	{                                                                                          \
		.type = FL_AS_INLINE, .shape = &of, .size = sizeof(ROW), .doc = __VA_ARGS__        \
	}

/* Among what is set: the policy's own key or shape, a member of its face. */
#define FL_FACE_KEY(face, m) .face_key = 1 + offsetof(face, m)
#define FL_FACE_SHAPE(face, m) .face_shape = 1 + offsetof(face, m)
/* The same: a TEXT is one of @all. */
#define FL_NAMES(all) .names = all, .n_names = sizeof(all) / sizeof((all)[0])
/* The same: there only when @m, an enum or a bool, is one of @bits. */
#define FL_IF(m, bits)                                                                             \
	.if_at = offsetof(ROW, m), .if_size = sizeof(FL_SHAPE_MEMBER(m)), .if_one_of = (bits)
#define FL_IF_TRUE(m) FL_IF(m, 1u << 1)

#define FL_SHAPE_FIELDS(table) .fields = table, .n = sizeof(table) / sizeof((table)[0])
/* Of a row that is written as it is. */
#define FL_SHAPE(table, ...)                                                                       \
	{                                                                                          \
		FL_SHAPE_FIELDS(table), .size = sizeof(ROW), .name = __VA_ARGS__                   \
	}
/* Of a row that @function makes of @source; 0: of whatever there is. */
#define FL_SHAPE_MADE(table, function, source, ...)                                                \
	{                                                                                          \
		FL_SHAPE_FIELDS(table),                                                            \
			.fill = function,                                                          \
			.size = (source) + 0 * sizeof(char[sizeof(ROW) <= FL_SHAPE_ROW ? 1 : -1]), \
			.name = __VA_ARGS__                                                        \
	}

/* Of a struct fl_node: kind and name, of what Kueue has and of what KAI has. */
extern const struct fl_json_shape fl_node_shape, fl_queue_shape;
/* Why a node takes no part; nothing when it does. */
extern const struct fl_json_shape fl_inactive_node_shape, fl_inactive_queue_shape;
/* Of a struct fl_share, as Kueue publishes it and as it is. */
extern const struct fl_json_shape fl_share_shape;

/* --- writing --- */

/* The whole document, and the line's end. */
void fl_document_json(const struct fl_report *r, const struct fl_document *d, const void *answer);
/* The object of @row; @key NULL in a list and at the top. */
void fl_shape_json(const struct fl_shape_at *at, const char *key, const struct fl_json_shape *shape,
		   const void *row);
/* All fields, into the object that is open; or up to the STREAM, and what follows it. */
void fl_shape_fields(const struct fl_shape_at *at, const struct fl_json_shape *shape,
		     const void *row);
void fl_shape_begin(const struct fl_shape_at *at, const struct fl_json_shape *shape,
		    const void *row);
void fl_shape_rest(const struct fl_shape_at *at, const struct fl_json_shape *shape,
		   const void *row);
/* A value of a scalar type. */
void fl_shape_value(const struct fl_shape_at *at, const char *key, enum fl_field_type type,
		    const void *value);
/* Key and shape of @f, of the policy whose @face it is. */
const char *fl_field_key(const struct fl_json_field *f, const void *face);
const struct fl_json_shape *fl_field_shape(const struct fl_json_field *f, const void *face);

#endif
