/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/lines.h"

#include <string.h>

#include "base/ids.h"
#include "codec/text/format.h"

enum { READ = 1 << 16 };

int fl_lines_open(struct fl_line_reader *lines, const struct fl_mem *mem,
		  const struct fl_source *source, fairlead_error *err)
{
	int r;

	*lines = (struct fl_line_reader){ 0 };
	r = fl_input_buffer_open(&lines->buffer, mem, source, err);
	lines->next = lines->text = lines->end = lines->buffer.bytes;
	return r;
}

void fl_lines_done(struct fl_line_reader *lines) { fl_input_buffer_done(&lines->buffer); }

static const char *newline(const struct fl_line_reader *lines)
{
	const char *at = lines->next;

	return at == lines->buffer.end ? NULL : memchr(at, '\n', (size_t)(lines->buffer.end - at));
}

int fl_lines_next(struct fl_line_reader *lines, fairlead_error *err)
{
	const char *end = newline(lines);
	int r;

	if (!end && !lines->buffer.ended) {
		r = fl_input_buffer_fill(&lines->buffer, lines->next, READ, err);
		if (r < 0)
			return r;
		lines->next = lines->buffer.bytes;
		end = newline(lines);
	}
	if (!end && lines->next == lines->buffer.end)
		return 1;
	lines->number++;
	lines->text = lines->next;
	lines->end = end ? end : lines->buffer.end;
	lines->next = end ? end + 1 : lines->buffer.end;
	if (lines->end - lines->text > FL_MAX_LINE)
		return fl_format_fail(err, FAIRLEAD_ELIMIT, lines->number, 1,
				      "a line of more than %d bytes", FL_MAX_LINE);
	if (lines->end > lines->text && lines->end[-1] == '\r')
		lines->end--;
	return 0;
}

static bool is_digit(const char *at, const char *end)
{
	return at < end && *at >= '0' && *at <= '9';
}

int fl_lines_number(const char *at, const char *end, int64_t *ret, fairlead_error *err)
{
	bool negative = at < end && *at == '-';
	int64_t whole = 0, fraction = 0, unit = FL_SECOND;
	const char *digits = at += negative;

	for (; is_digit(at, end) && whole <= INT32_MAX; at++)
		whole = whole * 10 + (*at - '0');
	if (at == digits)
		return fl_fail(err, FAIRLEAD_EINPUT, "is not a number");
	if (at < end && *at == '.')
		for (at++; is_digit(at, end); at++)
			if (unit > 1)
				fraction += (*at - '0') * (unit /= 10);
	if (is_digit(at, end) || whole > INT32_MAX)
		return fl_fail(err, FAIRLEAD_EINPUT, "is more than %d", INT32_MAX);
	if (at != end)
		return fl_fail(err, FAIRLEAD_EINPUT, "is not a number");
	*ret = (negative ? -1 : 1) * (whole * FL_SECOND + fraction);
	return 0;
}
