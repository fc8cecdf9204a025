/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer - the part of an input that is in memory; private to src/codec
 *
 * A stream is read in blocks into one buffer, from which the processed part is dropped; a text is
 * its own buffer and is never copied.  A buffer is always filled to its end, so its reader does not
 * depend on how many bytes a source gives at a time.
 */
#ifndef FL_CODEC_TEXT_BUFFER_H
#define FL_CODEC_TEXT_BUFFER_H

#include "codec/text/reader.h"

struct fl_input_buffer {
	const struct fl_mem *mem;
	struct fl_source source;
	char *buffer; /* NULL: a text, all of it */
	uint32_t cap;
	const char *bytes, *end;
	int64_t before; /* bytes of the input before `bytes` */
	bool ended;     /* the input ends at `end` */
};

/* Reads the first block. FAIRLEAD_ENOMEM, ELIMIT, or the error of the source. */
int fl_input_buffer_open(struct fl_input_buffer *w, const struct fl_mem *mem,
			 const struct fl_source *source, fairlead_error *err);
int fl_input_buffer_text(struct fl_input_buffer *w, const char *text, size_t len,
			 fairlead_error *err);
void fl_input_buffer_done(struct fl_input_buffer *w);

/*
 * Drops the bytes before @keep, which becomes w->bytes, and reads on into a buffer of at least
 * @size bytes, at most half of which are kept bytes: the caller limits these.
 */
int fl_input_buffer_fill(struct fl_input_buffer *w, const char *keep, uint32_t size,
			 fairlead_error *err);

static inline int64_t fl_input_buffer_offset(const struct fl_input_buffer *w, const char *at)
{
	return w->before + (at - w->bytes);
}

#endif
