/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc - the values of one object in memory, in reading order, with a link past each subtree
 *
 * The fields of an object come in any order, and its name is needed before the first message: so
 * one object is kept whole, and its memory is used again for the next one.  A map's value is
 * followed by its keys, each by its value; a list by its items.
 */
#ifndef FL_CODEC_TEXT_DOC_H
#define FL_CODEC_TEXT_DOC_H

#include "codec/text/reader.h"

struct fl_value {
	enum fl_token_kind kind; /* MAP, LIST, SCALAR, KEY */
	enum fl_scalar_type type;
	uint32_t line, column;
	uint32_t start, len; /* text: into bytes, ended by a NUL */
	uint32_t next;       /* after the whole value; of a key: after the key's value */
	uint64_t hash;       /* set by fl_doc_hash */
};

struct fl_doc {
	const struct fl_mem *mem;
	struct fl_value *values;
	char *bytes;
	uint32_t n, cap, n_bytes, cap_bytes;
};

void fl_doc_init(struct fl_doc *doc, const struct fl_mem *mem);
void fl_doc_done(struct fl_doc *doc);
void fl_doc_clear(struct fl_doc *doc); /* keeps the memory */

/* An independent copy of all of @from, without spare memory. */
int fl_doc_copy(const struct fl_doc *from, struct fl_doc *ret, fairlead_error *err);
/* Append the value (or key and value) at @v of another; with @place false without its places. */
int fl_doc_append(struct fl_doc *doc, const struct fl_doc *from, uint32_t v, bool place,
		  fairlead_error *err);

/* Appends @t as it is; fl_doc_end sets the link of a map, list or key that it opens. */
int fl_doc_push(struct fl_doc *doc, const struct fl_token *t, fairlead_error *err);
/* The key or scalar @v gets another text. */
int fl_doc_rename(struct fl_doc *doc, uint32_t v, const char *text, size_t len,
		  fairlead_error *err);
/* The value (or key) @v ends here. */
void fl_doc_end(struct fl_doc *doc, uint32_t v);

/*
 * The key @key and its value shall go: they stay until fl_doc_close, which takes out all that were
 * cut at once; numbers of the values behind them change then.
 */
void fl_doc_cut(struct fl_doc *doc, uint32_t key);
void fl_doc_close(struct fl_doc *doc);
bool fl_doc_is_cut(const struct fl_doc *doc, uint32_t key);

/* Append the whole value whose first token is @t. */
int fl_doc_read(struct fl_doc *doc, struct fl_reader *r, const struct fl_token *t,
		fairlead_error *err);

static inline const char *fl_doc_text(const struct fl_doc *doc, uint32_t v)
{
	return doc->bytes + doc->values[v].start;
}

/* The value of @key in the map @map; FL_NONE when @map is FL_NONE, no map, or has no such key. */
uint32_t fl_doc_find(const struct fl_doc *doc, uint32_t map, const char *key);
/* The same for the first @len bytes of @key. */
uint32_t fl_doc_find_part(const struct fl_doc *doc, uint32_t map, const char *key, size_t len);

/* ".spec.podSets[0].name" of value @v; cut when it does not fit. */
const char *fl_doc_path(const struct fl_doc *doc, uint32_t v, char *buffer, size_t size);

/*
 * Hash of the whole value, independent of the order of keys; the order of list items, texts and
 * types count.
 */
uint64_t fl_doc_hash(struct fl_doc *doc, uint32_t v);

#endif
