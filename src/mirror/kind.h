/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind - the kinds of objects that a cluster is read by, whose they are, and which of their fields are kept
 *
 * A table (kind.def).  What is not kept decides nothing: an object that differs only there is the
 * same as before.  Of a cluster those kinds are read that belong to Kueue, or those that belong to KAI, and
 * those that are of both.  Tested in tests/unit/mirror/test_document.c.
 */
#ifndef FL_MIRROR_KIND_H
#define FL_MIRROR_KIND_H

#include <stdbool.h>

#include "model/model.h"

enum fl_mirror_kind {
#define FL_MIRROR_KIND(id, whose, use, group, versions, name, plural, namespaced, keep)            \
	FL_MIRROR_##id,
#include "mirror/kind.def"
#undef FL_MIRROR_KIND
	FL_MIRROR_KINDS
};

enum fl_mirror_use {
	FL_MIRROR_OWN,      /* fairlead's own documents */
	FL_MIRROR_SETTINGS, /* what configures: queues, quota, nodes */
	FL_MIRROR_JOBS,     /* each is a job */
	FL_MIRROR_PARTS,    /* of jobs: pods, and where they are bound */
};

struct fl_mirror_kind_row {
	enum fl_dialect whose; /* FL_DIALECT_ANY: of both */
	enum fl_mirror_use use;
	const char *group;    /* "" the core group */
	const char *versions; /* that can be read, the best first, with a blank between */
	const char *name, *plural;
	bool namespaced;
	/*
	 * Paths of fields that are kept, each whole, with a blank between; one that ends in '*' stands
	 * for all keys that begin so.  Of a list the path is that of its items.
	 */
	const char *keep;
};

const struct fl_mirror_kind_row *fl_mirror_kind(enum fl_mirror_kind kind);
/* Is a cluster of that dialect read by it? */
bool fl_mirror_reads(enum fl_dialect dialect, enum fl_mirror_kind kind);
/* "kueue.x-k8s.io/v1beta2": of a version that the table has; of the first one with NULL. */
const char *fl_mirror_api_version(const struct fl_mirror_kind_row *kind, const char *version,
				  char ret[128]);

#endif
