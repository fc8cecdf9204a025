/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document - the text of an object as the API server sends it, without what decides nothing
 *
 * Only the fields that its kind keeps (kind.def) come into the document; all else, managed fields
 * and annotations of 100 kB, is passed over and costs no memory.  `apiVersion` and `kind`, which the
 * items of lists lack, are those of the source.
 *
 * What it cannot do: it does not put keys in order.  The API server writes an object in the same
 * order each time, and another order is another essence, which costs a look at it and nothing else.
 * Tested in tests/unit/mirror/test_document.c.
 */
#ifndef FL_MIRROR_DOCUMENT_H
#define FL_MIRROR_DOCUMENT_H

#include "codec/text/doc.h"
#include "mirror/kind.h"

enum { FL_MIRROR_RULES = 64 /* fields that a kind keeps, at most */ };

/* Names of an object; they live in a document. */
struct fl_mirror_names {
	const char *namespace, *name, *uid; /* "" where there is none */
	uint64_t version;                   /* metadata.resourceVersion; 0 */
};

/*
 * The object in @json into @ret, whose memory is used again.  @version NULL: the best one.
 * FAIRLEAD_EINPUT, ELIMIT: no object, or one without a name.
 */
int fl_mirror_document(const struct fl_mirror_kind_row *kind, const char *version, const char *json,
		       size_t len, struct fl_doc *ret, struct fl_mirror_names *ret_names,
		       fairlead_error *err);

/* The whole document as compact JSON, added at *n of *bytes (heap; *cap bytes). */
struct fl_mirror_text {
	char *bytes;
	uint32_t n, cap;
};
int fl_mirror_write(const struct fl_doc *doc, struct fl_mirror_text *to, fairlead_error *err);

#endif
