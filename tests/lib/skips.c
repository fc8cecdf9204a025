/* SPDX-License-Identifier: Apache-2.0 */
/* skips.c - a skipped test is reported as skipped
 *
 * cmocka 1.1.5 writes "not ok 3 # SKIP name" for a test that calls skip().  A reader of TAP takes
 * that for a failure.  Part of each unit test program: what is written to standard output passes here, a
 * line at a time, and such a line loses its "not".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_all(const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(STDOUT_FILENO, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		bytes += n;
		size -= (size_t)n;
	}
	return 0;
}

/* 'line' may be a part of one: a test's own output is passed on as it comes. */
static int write_line(const char *line, size_t size)
{
	static const char not_ok[] = "not ok ", skipped[] = " # SKIP ";
	const size_t less = strlen("not ");

	if (size > sizeof not_ok && memcmp(line, not_ok, sizeof not_ok - 1) == 0 &&
	    memmem(line, size, skipped, sizeof skipped - 1))
		return write_all(line + less, size - less);
	return write_all(line, size);
}

static ssize_t write_lines(void *cookie, const char *bytes, size_t size)
{
	size_t done = 0;

	(void)cookie;
	while (done < size) {
		const char *end = memchr(bytes + done, '\n', size - done);
		size_t length = end ? (size_t)(end - bytes) + 1 - done : size - done;

		if (write_line(bytes + done, length) != 0)
			return 0;
		done += length;
	}
	return (ssize_t)size;
}

__attribute__((constructor)) static void begin(void)
{
	FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_lines });

	if (!file)
		abort();
	setvbuf(file, NULL, _IOLBF, 0);
	stdout = file;
}
