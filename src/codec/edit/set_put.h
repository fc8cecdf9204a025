/* SPDX-License-Identifier: Apache-2.0 */
/* set_put - a value put into an object at a known place; private to set */
#ifndef FL_CODEC_EDIT_SET_PUT_H
#define FL_CODEC_EDIT_SET_PUT_H

#include "base/ids.h"
#include "codec/text/doc.h"

/* A key of a map, or an item of a list by its number. */
struct fl_put_step {
	const char *key; /* NULL: an item */
	uint32_t item;
};

/*
 * @object with @value at the place that @steps lead to, into @ret, which is empty; null removes it.
 * Maps that are missing are made; items are there.  Nothing has a place.
 */
int fl_put(const struct fl_doc *object, const struct fl_put_step *steps, unsigned n,
	   const struct fl_doc *value, struct fl_doc *ret, fairlead_error *err);

/* @a + @sign * @b of two numbers or quantities, exactly, to nine decimals; false: one is none. */
bool fl_put_sum(const char *a, const char *b, int sign, char *ret, size_t size);

#endif
