/* SPDX-License-Identifier: Apache-2.0 */
/*
 * undecided - what of an object uses a rule that the engine does not have: its queues are left to Kueue
 *
 * One table of fields, undecided.def.  A field that `check` passes over with a notice, and that changes which workload is
 * admitted, has a row there.
 *
 * Cannot: it does not know which queues an object is for, nor the settings of Kueue that are no part of its
 * Configuration (feature gates on its command line).
 * Tested in tests/unit/codec/object/test_undecided.c, a case a row.
 */
#ifndef FL_CODEC_OBJECT_UNDECIDED_H
#define FL_CODEC_OBJECT_UNDECIDED_H

#include "codec/text/doc.h"

/* When a row holds. */
enum fl_undecided_if {
	FL_UNDECIDED_ANY,  /* something stands there: no null, and not empty */
	FL_UNDECIDED_TRUE, /* the boolean, or the text "true" */
	FL_UNDECIDED_WORD, /* this word */
};

struct fl_undecided {
	const char *kind; /* "Workload" */
	const char *path; /* "spec.podSets[].topologyRequest"; [] is each item of a list */
	const char *key;  /* below that: a key that has dots; NULL: none */
	enum fl_undecided_if when;
	const char *word;
	const char *unless; /* a boolean that takes it back when it is false; NULL: none */
	const char *gate; /* the feature gate without which it has no effect; NULL: none is known */
	const char *name; /* "topology aware scheduling" */
	const char *what; /* of the object: "asks for a topology" */
	const char *advice;
};

/*
 * The next row behind @after (NULL: the first one) that holds for the object of @kind in @doc, and where; NULL behind
 * the last one.
 */
const struct fl_undecided *fl_undecided_next(const struct fl_doc *doc, const char *kind,
					     const struct fl_undecided *after, uint32_t *ret_value);

/* Does a row hold for the Workload in @doc? As fl_undecided_next says it, and cheaply where none does. */
bool fl_undecided_workload(const struct fl_doc *doc);

/* All rows by their numbers; NULL behind the last one. */
enum { FL_UNDECIDED_MOST = 64 };
const struct fl_undecided *fl_undecided_at(unsigned i);
unsigned fl_undecided_number(const struct fl_undecided *row);

#endif
