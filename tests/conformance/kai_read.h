/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_read - what recorded cases of entitlement have in common: queues, bundles, numbers
 *
 * Test code: allocates from the heap and exits with status 3 when it cannot.
 */
#ifndef CONFORMANCE_KAI_READ_H
#define CONFORMANCE_KAI_READ_H

#include <stdio.h>

#include "base/bundle.h"
#include "base/ids.h"
#include "codec/text/doc.h"
#include "decide/entitle/standing.h"
#include "decide/share/divide.h"

/* A queue of a case. What its line does not say: priority 100, all amounts 0. */
struct kai_queue {
	const char *name; /* of the doc */
	uint32_t value;   /* in the doc: the map, for what only one suite has */
	uint32_t parent;  /* index; FL_NONE at the top */
	uint32_t rank;    /* by (creation, name) */
	int32_t priority;
	double created; /* nanoseconds, or the place in the order of creation */
	struct fl_bundle deserved, limit, weight;
	struct fl_bundle request, usage, allocated, allocated_non_preemptible, fair_share;
};

struct kai_queues {
	struct kai_queue *rows;
	uint32_t *by_name; /* indices */
	uint32_t n;
};

/* The one object of @text. */
int kai_read(struct fl_doc *d, const char *text, size_t len, fairlead_error *err) FL_MUST_CHECK;

/* map[key]; @ret is untouched when it is not there. */
int kai_number(const struct fl_doc *d, uint32_t map, const char *key, double *ret,
	       fairlead_error *err) FL_MUST_CHECK;
/* {"cpu", "memory", "gpu"} of the map; what is not there is untouched. */
int kai_amounts(const struct fl_doc *d, uint32_t map, struct fl_bundle *ret,
		fairlead_error *err) FL_MUST_CHECK;
/* The same of map[key]. */
int kai_bundle(const struct fl_doc *d, uint32_t map, const char *key, struct fl_bundle *ret,
	       fairlead_error *err) FL_MUST_CHECK;
/* "" when it is not there. */
const char *kai_text(const struct fl_doc *d, uint32_t map, const char *key);
bool kai_true(const struct fl_doc *d, uint32_t map, const char *key);

/* The list `queues` of the case. A parent that is not in it is none (some list siblings only). */
int kai_queues_read(const struct fl_doc *d, struct kai_queues *ret,
		    fairlead_error *err) FL_MUST_CHECK;
void kai_queues_free(struct kai_queues *queues);
uint32_t kai_queue_find(const struct kai_queues *queues, const char *name); /* or FL_NONE */

struct fl_divide_queue kai_divide_row(const struct kai_queue *q);
/* A row a queue, without minimum run times; free() it. */
struct fl_standing *kai_standings(const struct kai_queues *queues);

void *kai_alloc(size_t n, size_t size); /* zeroed; free() it */

/* {"cpu":...,"memory":...,"gpu":...} in 17 digits */
void kai_put_bundle(FILE *out, const struct fl_bundle *b);

#endif
