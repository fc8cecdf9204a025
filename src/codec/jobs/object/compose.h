/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compose - objects that are made of jobs, written value by value
 *
 * Values are appended one after another; the first error ends all of it and stays in `code`.  What
 * comes from an object of the input keeps its places; all else has the place of the composer.
 */
#ifndef FL_CODEC_JOBS_OBJECT_COMPOSE_H
#define FL_CODEC_JOBS_OBJECT_COMPOSE_H

#include "codec/jobs/object/types.h"

struct fl_compose {
	struct fl_doc *doc;
	uint32_t line, column;
	int code;
	fairlead_error *err;
};

/* What each opens is closed by fl_compose_end. */
uint32_t fl_compose_key(struct fl_compose *o, const char *key);
uint32_t fl_compose_map(struct fl_compose *o);
uint32_t fl_compose_list(struct fl_compose *o);
void fl_compose_end(struct fl_compose *o, uint32_t v);

/* A key and its value. An empty text, a missing value and no pairs: not even the key. */
void fl_compose_scalar(struct fl_compose *o, const char *key, enum fl_scalar_type type,
		       const char *text);
void fl_compose_text(struct fl_compose *o, const char *key, const char *text);
void fl_compose_int(struct fl_compose *o, const char *key, int64_t n);
void fl_compose_value(struct fl_compose *o, const char *key, struct fl_kjob_value value);
void fl_compose_pairs(struct fl_compose *o, const char *key, const struct fl_kjob_pairs *pairs);
/* The keys of @map that are not in @over, then @over. */
void fl_compose_merged(struct fl_compose *o, const char *key, struct fl_kjob_value map,
		       const struct fl_kjob_pairs *over);

/* An item of ownerReferences. */
void fl_compose_owner(struct fl_compose *o, const struct fl_kjob_reference *owner);
/* The field "spec" of a pod or of its template. */
void fl_compose_pod_spec(struct fl_compose *o, const struct fl_kjob_pod *pod);

#endif
