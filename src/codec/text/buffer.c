/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/buffer.h"

#include <string.h>

#include "base/limits.h"

enum { FIRST = 1 << 16 }; /* bytes of the first block */

static int too_large(fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ELIMIT, "larger than %lld GiB, the limit of one input",
		(long long)(FL_MAX_INPUT >> 30));
	fl_fail_hint(err, "give the objects in several files");
	return FAIRLEAD_ELIMIT;
}

/* One read into the room behind w->end. */
static int pull(struct fl_input_buffer *w, fairlead_error *err)
{
	size_t used = (size_t)(w->end - w->buffer), room = w->cap - used, n = 0;
	fairlead_error own = { 0 };
	int r = w->source.read(w->source.user, w->buffer + used, room, &n, &own);

	if (r == 0 && n > room)
		r = fl_fail(&own, FAIRLEAD_EIO, "the source gave more bytes than it was asked for");
	if (r != 0) {
		bool explained = r < 0 && r >= FAIRLEAD_EIO && own.text[0];

		if (!explained)
			fl_fail(&own, FAIRLEAD_EIO, "the source could not be read");
		else
			own.code = r;
		if (err)
			*err = own;
		return own.code;
	}
	w->end += n;
	w->ended = n == 0;
	return fl_input_buffer_offset(w, w->end) > FL_MAX_INPUT ? too_large(err) : 0;
}

int fl_input_buffer_fill(struct fl_input_buffer *w, const char *keep, uint32_t size,
			 fairlead_error *err)
{
	uint32_t kept = (uint32_t)(w->end - keep);
	int r = 0;

	if (!w->buffer || w->ended)
		return 0;
	w->before += keep - w->bytes;
	memmove(w->buffer, keep, kept);
	if (kept > w->cap / 2)
		size = size > 2 * kept ? size : 2 * kept;
	r = fl_mem_grow(w->mem, &w->buffer, &w->cap, size, 1, err);
	w->bytes = w->buffer;
	w->end = w->buffer + kept;
	while (r == 0 && !w->ended && w->end < w->buffer + w->cap)
		r = pull(w, err);
	return r;
}

int fl_input_buffer_open(struct fl_input_buffer *w, const struct fl_mem *mem,
			 const struct fl_source *source, fairlead_error *err)
{
	int r;

	*w = (struct fl_input_buffer){ .mem = mem, .source = *source };
	r = fl_mem_grow(mem, &w->buffer, &w->cap, FIRST, 1, err);
	w->bytes = w->end = w->buffer;
	if (r == 0)
		r = fl_input_buffer_fill(w, w->bytes, FIRST, err);
	if (r < 0)
		fl_input_buffer_done(w);
	return r;
}

int fl_input_buffer_text(struct fl_input_buffer *w, const char *text, size_t len,
			 fairlead_error *err)
{
	*w = (struct fl_input_buffer){ .bytes = text, .end = text + len, .ended = true };
	return len > (size_t)FL_MAX_INPUT ? too_large(err) : 0;
}

void fl_input_buffer_done(struct fl_input_buffer *w)
{
	if (w->mem)
		fl_mem_free(w->mem, w->buffer);
	*w = (struct fl_input_buffer){ 0 };
}
