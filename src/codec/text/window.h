/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window - the part of an input that is in memory; private to src/codec
 *
 * A stream is read in blocks into one buffer, from which what has been dealt with
 * is dropped; a text is its own window and is never copied.  A window is always
 * filled as far as it goes, so what its reader sees does not depend on how many
 * bytes a source gives at a time.
 */
#ifndef FL_CODEC_TEXT_WINDOW_H
#define FL_CODEC_TEXT_WINDOW_H

#include "codec/text/reader.h"

struct fl_input_window {
	const struct fl_mem *mem;
	struct fl_source source;
	char *buffer; /* NULL: a text, all of it */
	uint32_t cap;
	const char *bytes, *end;
	int64_t before; /* how much of the input stood before bytes */
	bool ended;     /* nothing follows end */
};

/* The first block is read. FAIRLEAD_ENOMEM, ELIMIT, or what the source says. */
int fl_window_open(struct fl_input_window *w, const struct fl_mem *mem,
		   const struct fl_source *source, fairlead_error *err);
int fl_window_text(struct fl_input_window *w, const char *text, size_t len, fairlead_error *err);
void fl_window_done(struct fl_input_window *w);

/*
 * Drop what stands before @keep, which becomes w->bytes, and read on into a buffer of
 * at least @size bytes, of which at most half is what was kept: who keeps has a limit.
 */
int fl_window_fill(struct fl_input_window *w, const char *keep, uint32_t size, fairlead_error *err);

static inline int64_t fl_window_offset(const struct fl_input_window *w, const char *at)
{
	return w->before + (at - w->bytes);
}

#endif
