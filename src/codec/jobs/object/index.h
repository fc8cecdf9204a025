/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index - the objects of one input, found by kind, namespace and name
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_OBJECT_INDEX_H
#define FL_CODEC_JOBS_OBJECT_INDEX_H

#include "codec/jobs/object/job.h"

/* Sets all of @run that is looked up. */
int fl_kjobs_sort(struct fl_kjobs_run *run, uint32_t n, fairlead_error *err);

/* NULL: there is none. */
const struct fl_kjobs_row *fl_kjobs_find(const struct fl_kjobs_run *run, uint32_t kind,
					 const char *namespace, const char *name);

/* Place in run->sorted of the first row of that kind and namespace; up to *ret_end. */
uint32_t fl_kjobs_within(const struct fl_kjobs_run *run, uint32_t kind, const char *namespace,
			 uint32_t *ret_end);
/* Place in run->owned of the first Workload whose owner has that name; up to *ret_end. */
uint32_t fl_kjobs_owned_by(const struct fl_kjobs_run *run, const char *namespace, const char *name,
			   uint32_t *ret_end);
bool fl_kjobs_gate(const struct fl_kjobs_run *run, enum fl_kjobs_gates gate);

/* The kind of that apiVersion and kind; FL_KJOBS_KINDS: none of them. */
uint32_t fl_kjobs_kind(const char *api_version, const char *kind);

/* Are objects of that kind in a namespace? */
bool fl_kjobs_namespaced(uint32_t kind);
/* A text of the arena; NULL with *err. */
char *fl_kjobs_format(const struct fl_kjobs_run *run, fairlead_error *err, const char *format, ...)
	FL_PRINTF(3, 4);

#endif
