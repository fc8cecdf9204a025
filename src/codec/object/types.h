/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types - the types of fields, and how their values are read into members of a row
 *
 * A row of a table names its field, a type, and the member by FL_IS: the compiler refuses a member
 * with another C type.  The schema of a document of ours is printed from the same row
 * (tests/guide/schemas.c), so each type has its JSON schema.
 */
#ifndef FL_CODEC_OBJECT_TYPES_H
#define FL_CODEC_OBJECT_TYPES_H

#include <stddef.h>

#include "codec/object/fields.h"

struct fl_type {
	/* @v is never null, @to is the member; 0, or negative with the error at @v. */
	int (*read)(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to);
	/* Members of a JSON schema; '@' is the schema of `fields`, or of an item of the list. */
	const char *schema;
	/* Keywords of its bounds in the schema, and those without bounds; NULL: none. */
	const char *low, *high;
	int64_t least, most;
};

/* The offset of @member in a row; it must be of type @c. */
#define FL_MEMBER(row, member, c)                                                                  \
	(offsetof(row, member) +                                                                   \
	 sizeof(char[__builtin_types_compatible_p(__typeof__(((row *)0)->member), c) ? 1 : -1]) -  \
	 1)

/* A field that is read into @member of struct @row by type fl_type_<of>. */
#define FL_IS(field, of, row, member)                                                              \
	.name = field, .type = &fl_type_##of, .offset = FL_MEMBER(row, member, FL_C_##of)

/* One of some words: the index of the word is the value of enum @c, or 0 and 1 of a bool. */
#define FL_IS_ENUM(field, row, member, c, ...)                                                     \
	.name = field, .type = &fl_type_enum, .offset = FL_MEMBER(row, member, c),                 \
	.words = (const char *const[])                                                             \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}
#define FL_IS_EITHER(field, row, member, ...)                                                      \
	FL_IS(field, either, row, member), .words = (const char *const[]) { __VA_ARGS__, NULL }

/*
 * A list: each item is read by @function, and pushes rows of model table @table; the member is the
 * span of them.  Beside `fields`, `list` must be set, too.  With `fail` an empty list is an error,
 * with that text.
 */
#define FL_IS_LIST(field, row, member, table, function)                                            \
	FL_IS(field, list, row, member), .item = function,                                         \
					 .pool = offsetof(struct fl_model, n_##table)
/* The same without a member: the list replaces the whole table. */
#define FL_IS_TABLE(field, table, function)                                                        \
	.name = field, .type = &fl_type_table, .item = function,                                   \
	.pool = offsetof(struct fl_model, n_##table)
/* A list whose items are only passed to @function, with the row. */
#define FL_IS_EACH(field, function) .name = field, .type = &fl_type_each, .item = function

/* Another member, a bool: whether the field is given. */
#define FL_SAID(row, member) .said = FL_MEMBER(row, member, bool) + 1

/* With bounds (`least`, `most`) or without; `fail` is the error for other values. */
#define FL_C_int32 int32_t
#define FL_C_uint32 uint32_t
/* Not negative. */
#define FL_C_count int32_t
#define FL_C_flag bool
#define FL_C_either bool
/* A text, which may be empty; a name, where "" means none; 1 to `most` bytes. */
#define FL_C_text struct fl_sym
#define FL_C_name struct fl_sym
#define FL_C_word struct fl_sym
/* The text itself, valid while the object is read. */
#define FL_C_said const char *
/*
 * A quantity of `resource`, with bounds as those above; and as a number in the units of a bundle.
 */
#define FL_C_quantity fl_amount
#define FL_C_amount double
/* Numbers: not negative; any; any, in quotes or not; a quantity. */
#define FL_C_number double
#define FL_C_finite double
#define FL_C_finite_text double
#define FL_C_weight double
/* Durations as Go writes them; a time, and one that does not count as newest. */
#define FL_C_duration fl_time
#define FL_C_time fl_time
#define FL_C_time_aside fl_time
/* Rows of the model, read by the functions of the same names in fields.h. */
#define FL_C_texts struct fl_span
#define FL_C_labels struct fl_span
#define FL_C_tolerations struct fl_span
#define FL_C_taints struct fl_span
#define FL_C_list struct fl_span

extern const struct fl_type fl_type_int32, fl_type_uint32, fl_type_count, fl_type_flag;
extern const struct fl_type fl_type_either, fl_type_enum;
extern const struct fl_type fl_type_text, fl_type_name, fl_type_word, fl_type_said;
extern const struct fl_type fl_type_quantity, fl_type_amount;
extern const struct fl_type fl_type_number, fl_type_finite, fl_type_finite_text, fl_type_weight;
extern const struct fl_type fl_type_duration, fl_type_time, fl_type_time_aside;
extern const struct fl_type fl_type_texts, fl_type_labels, fl_type_tolerations, fl_type_taints;
extern const struct fl_type fl_type_list, fl_type_table, fl_type_each;
/* The known keys of a map with any keys: `fields`, read into the part of the row. */
extern const struct fl_type fl_type_some;
/* Checks the form only; the value is read elsewhere. */
extern const struct fl_type fl_type_any, fl_type_any_text, fl_type_any_time, fl_type_any_map;

#define FL_QUANTITY_SCHEMA "\"type\": [\"string\", \"number\"]"
#define FL_DURATION_SCHEMA                                                                         \
	"\"type\": \"string\", "                                                                   \
	"\"pattern\": \"^(0|([0-9]+(\\\\.[0-9]+)?(ns|us|ms|s|m|h))+)$\""
#define FL_TIME_SCHEMA "\"type\": \"string\", \"format\": \"date-time\""

#endif
