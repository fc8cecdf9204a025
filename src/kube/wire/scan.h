/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan - JSON as it comes, byte by byte, held against RFC 8259; private to src/kube
 *
 * For answers that are cut anywhere: what was read is not read again, and nothing is kept but the
 * text that was asked for.  Texts must be UTF-8, and pairs of surrogates whole.  Keys that come twice are
 * not found here, but by the reader of an object (codec/text/reader.h).
 *
 * An answer is objects, one after another, with white space between them.
 */
#ifndef FL_KUBE_WIRE_SCAN_H
#define FL_KUBE_WIRE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FL_SCAN_DEPTH = 10240, /* API servers nest 10,000 levels at most */
	FL_SCAN_TEXT = 4096,
};

enum fl_scan_event {
	FL_SCAN_MORE,  /* all bytes are read */
	FL_SCAN_BEGIN, /* a value begins with the next byte */
	FL_SCAN_END,   /* a value ended before the next byte */
	FL_SCAN_KEY,   /* a key has ended, its text is kept */
	FL_SCAN_BAD,   /* this is not JSON: see problem; nothing more can be read */
};

struct fl_scan {
	int state, number; /* scan.c */
	uint32_t depth;    /* open maps and lists */
	uint32_t
		quiet; /* nothing is told of what is deeper: set after BEGIN, until the value ends */
	uint32_t deepest; /* the most `depth` at which a value began; may be set anew */
	uint8_t is_map[FL_SCAN_DEPTH / 8];
	bool in_key;
	bool keep; /* the text of the value that has begun: set after BEGIN, for strings and numbers */
	bool cut; /* it was longer than there is room */
	size_t n;
	char text[FL_SCAN_TEXT + 4]; /* n bytes, without escapes, then a NUL */
	uint32_t point, high;        /* of an escape */
	uint8_t left, low, top; /* bytes of a character, or digits of an escape, and their bounds */
	const char *word;       /* the rest of true, false or null */
	const char *problem;
};

void fl_scan_init(struct fl_scan *s);
/* Reads from *at, which moves on to what the event says. */
enum fl_scan_event fl_scan_next(struct fl_scan *s, const char **at, const char *end);
/* Between objects: an answer may end here. */
bool fl_scan_rests(const struct fl_scan *s);

#endif
