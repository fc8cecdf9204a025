/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/sanitize.h"

#include <string.h>

#include "report/out/report.h"

static void put_whole(struct fl_sanitize *w)
{
	fwrite(w->held, 1, w->n, w->out);
	w->n = 0;
}

static void put_bad(struct fl_sanitize *w)
{
	putc('?', w->out);
	w->n = 0;
}

/* Bytes of the character that @lead begins; 1 when it begins none. */
static unsigned length_of(unsigned char lead)
{
	return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
}

/* The first byte of something. */
static void begin(struct fl_sanitize *w, char c)
{
	unsigned char byte = (unsigned char)c;

	w->held[0] = c;
	w->n = 1;
	if (c == '\n' || c == '\t' || (c == '\r' && w->returns) || (byte >= 0x20 && byte < 0x7f))
		put_whole(w);
	else if (c != '\033' && length_of(byte) == 1)
		put_bad(w);
}

/* Of ESC [ digits and semicolons m: is @c, the n-th byte, still part of it? */
static bool in_sequence(const struct fl_sanitize *w, char c)
{
	if (w->n == 1)
		return c == '[';
	return c && strchr("0123456789;m", c);
}

static void put_byte(struct fl_sanitize *w, char c)
{
	bool sequence = w->n && w->held[0] == '\033';
	bool goes_on = sequence ? in_sequence(w, c) : ((unsigned char)c & 0xc0) == 0x80;

	if (w->n && (!goes_on || w->n + 1 >= sizeof(w->held)))
		put_bad(w);
	if (w->n == 0) {
		begin(w, c);
		return;
	}
	w->held[w->n++] = c;
	w->held[w->n] = '\0';
	if (sequence && c == 'm' && !w->color) {
		w->n = 0;
	} else if (sequence && c == 'm') {
		w->colored = true;
		put_whole(w);
	} else if (!sequence && w->n == length_of((unsigned char)w->held[0])) {
		if (fl_report_utf8(w->held) == w->n && !fl_report_control(w->held))
			put_whole(w);
		else
			put_bad(w);
	}
}

void fl_sanitize_put(struct fl_sanitize *w, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		put_byte(w, bytes[i]);
}

void fl_sanitize_end(struct fl_sanitize *w)
{
	if (w->n)
		put_bad(w);
	if (w->colored)
		fputs("\033[0m", w->out);
	w->colored = false;
}
