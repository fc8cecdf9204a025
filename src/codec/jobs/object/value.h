/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value - a place in an object, and what stands below it
 *
 * A field that is absent, null or of another type than is asked for is no value; all functions take
 * one and find none below it.
 */
#ifndef FL_CODEC_JOBS_OBJECT_VALUE_H
#define FL_CODEC_JOBS_OBJECT_VALUE_H

#include "base/ids.h"
#include "codec/text/doc.h"

struct fl_kjob_value {
	const struct fl_doc *doc;
	uint32_t v; /* FL_NONE, or no doc: none */
};

#define FL_KJOB_NO_VALUE ((struct fl_kjob_value){ .doc = NULL, .v = FL_NONE })

static inline bool fl_kjob_has(struct fl_kjob_value n) { return n.doc && n.v != FL_NONE; }

/* All of an object. */
struct fl_kjob_value fl_kjob_root(const struct fl_doc *doc);
/* What @key of a map has; the key may be that of a label. */
struct fl_kjob_value fl_kjob_get(struct fl_kjob_value n, const char *key);
/* What is at a path of fields: "spec.template". */
struct fl_kjob_value fl_kjob_at(struct fl_kjob_value n, const char *path);

/* "" unless it is a text. */
const char *fl_kjob_text(struct fl_kjob_value n);
bool fl_kjob_is(struct fl_kjob_value n, const char *text);
bool fl_kjob_true(struct fl_kjob_value n);
/* A whole number; beyond 64 bits the nearest. */
bool fl_kjob_int(struct fl_kjob_value n, int64_t *ret);
/* The same, or @otherwise. */
int64_t fl_kjob_int_or(struct fl_kjob_value n, int64_t otherwise);
bool fl_kjob_is_list(struct fl_kjob_value n);
bool fl_kjob_is_map(struct fl_kjob_value n);

/* Items of a list, or keys of a map: i = fl_kjob_first(n); fl_kjob_has(i); i = fl_kjob_next(n, i) */
struct fl_kjob_value fl_kjob_first(struct fl_kjob_value n);
struct fl_kjob_value fl_kjob_next(struct fl_kjob_value n, struct fl_kjob_value item);
/* The key that @item of a map is, and its value. */
const char *fl_kjob_key(struct fl_kjob_value item);
struct fl_kjob_value fl_kjob_of_key(struct fl_kjob_value item);
uint32_t fl_kjob_count(struct fl_kjob_value n); /* items or keys; 0 of all else */

/* A condition of that type is true in status.conditions of an object. */
bool fl_kjob_condition(struct fl_kjob_value object, const char *type);

/* As Go's strconv.Atoi: a sign, digits, all of the text, 64 bits. */
bool fl_kjob_atoi(const char *text, int64_t *ret);

#endif
