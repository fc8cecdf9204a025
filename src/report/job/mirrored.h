/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mirrored - what the daemon of a cluster has of each object, to be compared with the cluster
 *
 * The daemon fills in the rows; `fairlead agreement --verify` reads them.  Tested in tests/kube/test_verify.py.
 */
#ifndef FL_REPORT_JOB_MIRRORED_H
#define FL_REPORT_JOB_MIRRORED_H

#include "report/out/shape.h"

enum {
	FL_MIRRORED_KINDS = 32,
	FL_MIRRORED_FIELDS = 300, /* bytes of a field selector, with a NUL */
	FL_MIRRORED_DIGEST = 33,  /* hexadecimal, with a NUL */
};

struct fl_mirrored_kind {
	uint32_t number;
	const char *kind, *group, *plural;
	const char *version;   /* NULL: the server does not have it */
	const char *namespace; /* NULL: of all */
	char fields[FL_MIRRORED_FIELDS];
	uint32_t objects;
};

struct fl_mirrored_object {
	uint32_t of;                        /* the number of its kind */
	const char *namespace, *name, *uid; /* namespace and uid NULL: none */
	uint64_t version;
	char digest[FL_MIRRORED_DIGEST];
	bool readable;
};

struct fl_mirrored_answer {
	char form[FL_MIRRORED_DIGEST];
	const char *version, *problem; /* of fairleadd; NULL */
	struct fl_mirrored_kind kinds[FL_MIRRORED_KINDS];
	uint32_t n_kinds;
	struct fl_mirrored_object *objects; /* heap; the caller frees them */
	uint32_t n_objects, cap;
	uint64_t next; /* where the next page begins; UINT64_MAX: there is none */
	const char *go_on;
};

/* One object, or the page that begins at @from. */
struct fl_mirrored_question {
	const char *name, *namespace; /* NULL: a page */
	uint32_t of;
	uint64_t from;
};

extern const struct fl_json_shape fl_mirrored_shape;

#endif
