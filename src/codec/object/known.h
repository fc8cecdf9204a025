/* SPDX-License-Identifier: Apache-2.0 */
/* known - the kinds of objects that are read, by group, version and name, and their fields, for the guide */
#ifndef FL_CODEC_OBJECT_KNOWN_H
#define FL_CODEC_OBJECT_KNOWN_H

#include "codec/object/fields.h"

/* The kind, or that of a job; of several versions of one that of @api_version, else the first.  NULL: none. */
const struct fl_kind *fl_known_find(const char *api_version, const char *name);
/* Is "group/version" of @group?  A version alone is of the group "". */
bool fl_known_group(const char *api_version, const char *group);
/* Is its version one of those of @kind? */
bool fl_known_version(const char *api_version, const struct fl_kind *kind);

const char *fl_kind_name(const struct fl_kind *kind); /* "ClusterQueue" */
/* The kind with a number of fl_kube_kind; NULL after the last. */
const struct fl_kind *fl_kube_kind_row(uint32_t kind);

struct fl_kube_field {
	char path[160]; /* ".spec.resourceGroups[].flavors[].name" */
	enum fl_support support;
	const char *doc;              /* what it is, in a sentence; NULL */
	const char *note;             /* what is not done, or why; NULL */
	enum fl_text_kind text, keys; /* for its value or items; for the keys of a map */
	bool leaf;                    /* no field below it is in the table */
};

/* The known kinds, then the known fields of one, in the order of the tables. NULL or false at the end. */
const char *fl_kube_kind(uint32_t kind);
bool fl_kube_field(uint32_t kind, uint32_t field, struct fl_kube_field *ret);

#endif
