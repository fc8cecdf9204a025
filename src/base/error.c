/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fl_fail(fairlead_error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	*err = (fairlead_error){ .code = code };
	va_start(args, format);
	(void)vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	return code;
}

int fl_fail_nomem(fairlead_error *err) { return fl_fail(err, FAIRLEAD_ENOMEM, "out of memory"); }

int fl_fail_in(fairlead_error *err, const char *format, ...)
{
	char outer[sizeof err->subject], inner[sizeof err->subject];
	va_list args;

	if (!err)
		return FAIRLEAD_EINPUT;
	va_start(args, format);
	(void)vsnprintf(outer, sizeof outer, format, args);
	va_end(args);
	memcpy(inner, err->subject, sizeof inner);
	/* A subject too long for its field is cut: it is read by people only. */
	size_t n = strlen(outer);
	size_t m = strlen(inner);

	memcpy(err->subject, outer, n);
	if (m && n + 1 < sizeof err->subject) {
		size_t room = sizeof err->subject - n - 2;

		err->subject[n++] = ' ';
		m = m < room ? m : room;
		memcpy(err->subject + n, inner, m);
		n += m;
	}
	err->subject[n] = '\0';
	return err->code;
}

int fl_fail_hint(fairlead_error *err, const char *format, ...)
{
	va_list args;

	if (!err)
		return FAIRLEAD_EINPUT;
	va_start(args, format);
	(void)vsnprintf(err->hint, sizeof err->hint, format, args);
	va_end(args);
	return err->code;
}
