/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ids - one struct a kind of thing, so that a queue's id cannot be passed as a workload's
 *
 * An id is an index into that thing's columns.  FL_NONE is no thing.
 */
#ifndef FL_BASE_IDS_H
#define FL_BASE_IDS_H

#include <stdbool.h>
#include <stdint.h>

#define FL_NONE UINT32_MAX

/* Behind an enum: it takes one byte, for rows of which there are many. */
#define FL_BYTE __attribute__((__packed__))

/* clang-format off */
struct fl_sym { uint32_t v; };      /* an interned text (base/names.h) */
struct fl_node { uint32_t v; };     /* ClusterQueue or Cohort: a node of the quota tree */
struct fl_flavor { uint32_t v; };   /* ResourceFlavor */
struct fl_resource { uint32_t v; }; /* resource name, numbered in name order once sealed */
struct fl_queue { uint32_t v; };    /* LocalQueue */
struct fl_workload { uint32_t v; };
struct fl_machine { uint32_t v; };  /* a Kubernetes Node */
struct fl_column { uint32_t v; };   /* a (flavor, resource) pair within one tree */
/* clang-format on */

/* A run of rows in some pool: [first, first + n). */
struct fl_span {
	uint32_t first;
	uint32_t n;
};

/* Nanoseconds since 1970-01-01T00:00:00Z. */
typedef int64_t fl_time;
#define FL_TIME_NONE INT64_MIN
#define FL_NEVER INT64_MAX
#define FL_SECOND INT64_C(1000000000)

#endif
