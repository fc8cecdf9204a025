/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema - what an API server with Kueue or KAI says of an object, before anything reads it
 *
 * Promises: the verdict of a real server for every kind listed in kinds.c, in both versions: the
 * definitions (types, bounds, patterns, rules between fields), the metadata, and the webhooks of
 * Kueue and KAI, in the order of a server: unknown fields are dropped, then the definition is held,
 * and only an object without a mistake in it is shown to the rules.  What is dropped is cut out of
 * the object, so that what reads it then sees what a cluster would.
 *
 * Cannot: look anything up (a server does not either), know feature gates that the input names
 * later, or tell a status that was sent with a manifest, which a server drops unseen, from one that
 * a controller wrote: where the caller wants it judged, it is as written by a controller.
 *
 * tests/conformance/validation.jsonl.gz has what real servers said; doc/differences.md the cases
 * where this is stricter.
 */
#ifndef FL_CODEC_SCHEMA_SCHEMA_H
#define FL_CODEC_SCHEMA_SCHEMA_H

#include "codec/text/doc.h"

enum fl_finding_kind {
	FL_FINDING_ERROR,   /* a server refuses the object */
	FL_FINDING_DROPPED, /* a field that it drops, and kubectl refuses */
	FL_FINDING_MENDED,  /* what it mends when the object is created, and refuses in an update */
};

/* Texts are valid during the call only. */
struct fl_finding {
	enum fl_finding_kind kind;
	uint32_t v;        /* the value of the object that it is about */
	const char *field; /* of the map @v a field that is missing; NULL */
	bool meant; /* it is there under a name that is misspelt: nothing goes on without it */
	const char *rule; /* "CQ1": which rule between fields, as in rules_*.c; NULL */
	const char *text,
		*hint; /* what is wrong, what to do; hint: NULL when there is nothing to add */
};

typedef void fl_finding_tell(void *user, const struct fl_finding *finding);

/* Feature gates of Kueue, off by default, that a webhook asks for. */
enum fl_schema_gate {
	FL_GATE_CONCURRENT_ADMISSION = 1,
	FL_GATE_PRIORITY_BOOST = 2,
	FL_GATE_REJECT_INVALID_ON_FLAVORS = 4,
};

struct fl_schema_kind; /* kinds.h */

struct fl_schema_call {
	bool drops_only; /* no errors are told: what a server drops is cut, and that is all */
	const struct fl_schema_kind *kind;
	struct fl_doc *doc;
	const struct fl_doc *was; /* the object before an update; NULL: it is created */
	bool status;              /* its status is judged, too, as if a controller wrote it */
	unsigned gates;
	fl_finding_tell *tell;
	void *user;
};

/*
 * Tells each finding and cuts out of the object what a server drops.  The number of errors; negative
 * when memory runs out.
 */
int fl_schema_judge(const struct fl_schema_call *call, fairlead_error *err);

#endif
