/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framework - the kinds of objects that Kueue makes Workloads of, and what their status says
 *
 * A row of framework.def for each.  An object is the whole of a doc (codec/text/doc.h), in any order
 * of its fields; a field of another type than the API's counts as absent.
 */
#ifndef FL_CODEC_JOBS_OBJECT_FRAMEWORK_H
#define FL_CODEC_JOBS_OBJECT_FRAMEWORK_H

#include "codec/text/doc.h"

enum fl_framework_id {
#define FL_FRAMEWORK(id, kind, group, version, name, suspend, finished, active) FL_FRAMEWORK_##id,
#include "codec/jobs/object/framework.def"
#undef FL_FRAMEWORK
	FL_FRAMEWORKS
};

struct fl_framework {
	const char *kind, *api_version, *name;
	const char *suspend; /* "spec.suspend"; "": it has no such field */
	uint8_t finished, active;
};

extern const struct fl_framework fl_frameworks[FL_FRAMEWORKS];

/* The row of that kind, whatever integrations are enabled; NULL: it is none of them. */
const struct fl_framework *fl_framework_find(const char *api_version, const char *kind);

/* It holds no pods until it is started. Never of a kind that has no such field. */
bool fl_framework_suspended(const struct fl_framework *f, const struct fl_doc *object);
/* It has ended, with or without success: no Workload is made of it. */
bool fl_framework_finished(const struct fl_framework *f, const struct fl_doc *object);
/* It still has pods: its Workload is made when it has none. */
bool fl_framework_active(const struct fl_framework *f, const struct fl_doc *object);

#endif
