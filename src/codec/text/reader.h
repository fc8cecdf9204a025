/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader - YAML and JSON as one stream of tokens, each with its place
 *
 * Guarantees: never crashes on any bytes; nothing is read twice; depth, alias
 * expansion and scalar length are bounded (base/limits.h); duplicate keys,
 * invalid UTF-8 and truncated input are errors with line and column.  One input
 * may hold many documents (YAML `---`, or JSON values one after another).
 *
 * Which format: JSON when the first non-blank byte is '{' or '[', else YAML.
 *
 * Memory, for a stream of any size: for JSON 1.5 MiB; for YAML 0.3 MiB, up to 16 MiB more during a
 * text or a comment of FL_MAX_GAP bytes, and the values of anchors and merge keys of a document
 * (FL_MAX_ANCHORED).  Both also need the keys of the open maps.
 */
#ifndef FL_CODEC_TEXT_READER_H
#define FL_CODEC_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/source.h"

enum fl_token_kind {
	FL_TOKEN_END,      /* end of the input */
	FL_TOKEN_DOCUMENT, /* a document begins; its root value follows */
	FL_TOKEN_MAP,      /* then KEY value KEY value ... MAP_END */
	FL_TOKEN_MAP_END,
	FL_TOKEN_LIST, /* then values ... LIST_END */
	FL_TOKEN_LIST_END,
	FL_TOKEN_KEY,    /* text */
	FL_TOKEN_SCALAR, /* text and type */
};

/* YAML 1.2 core schema; quoted scalars are strings. */
enum fl_scalar_type {
	FL_SCALAR_NULL,
	FL_SCALAR_BOOL,
	FL_SCALAR_INT,
	FL_SCALAR_FLOAT,
	FL_SCALAR_STRING
};

struct fl_token {
	enum fl_token_kind kind;
	enum fl_scalar_type type; /* SCALAR only */
	uint32_t line, column;    /* 1-based, in bytes */
	const char *text;         /* KEY, SCALAR: not NUL-terminated; valid until the next call */
	size_t len;
};

struct fl_reader;

/* @source is copied. The size of its pieces makes no difference. */
int fl_reader_open(const struct fl_mem *mem, const struct fl_source *source, struct fl_reader **ret,
		   fairlead_error *err);
/* @text stays the caller's and must outlive the reader. */
int fl_reader_new(const struct fl_mem *mem, const char *text, size_t len, struct fl_reader **ret,
		  fairlead_error *err);
struct fl_reader *fl_reader_free(struct fl_reader *r);

/* FAIRLEAD_EINPUT or FAIRLEAD_ELIMIT with line and column set; after that the reader can only be freed. */
int fl_reader_next(struct fl_reader *r, struct fl_token *ret, fairlead_error *err);

/* After KEY (or before an item of a list): skips one whole value. */
int fl_reader_skip(struct fl_reader *r, fairlead_error *err);

#endif
