/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema - the JSON schema (2020-12) of an answer, of the tables that write it (shape.h)
 *
 * doc/schema and the description of the daemon's API are made here.
 */
#ifndef FL_REPORT_OUT_SCHEMA_H
#define FL_REPORT_OUT_SCHEMA_H

#include <jansson.h>

#include "report/out/shape.h"

struct fl_schema_maker {
	const char *place;                  /* where a reference finds `defs`: "#/$defs/" */
	const char *before;                 /* of each name there; "" */
	bool closed;                        /* no key may come in later versions */
	const struct fl_document *document; /* policy and face; never NULL */
	json_t *defs; /* shapes and types that others refer to, by their names; objects come in */
	bool failed; /* out of memory, or a text of a table is not JSON: what was made is of no use */
};

/* Of a document, with what all documents begin with; of a shape, with its fields alone. */
json_t *fl_schema_document(struct fl_schema_maker *k);
json_t *fl_schema_shape(struct fl_schema_maker *k, const struct fl_json_shape *shape);

#endif
