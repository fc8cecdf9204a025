/* SPDX-License-Identifier: Apache-2.0 */
/* Reading standard input a second time. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/limits.h"
#include "input/input.h"

static int fail(fairlead_error *err)
{
	char text[128];

	fl_fail(err, FAIRLEAD_EIO, "cannot be kept to be read again: %s",
		fl_system_text(errno, text));
	snprintf(err->file, sizeof(err->file), "standard input");
	return FAIRLEAD_EIO;
}

static int copy(int to, fairlead_error *err)
{
	char buffer[1 << 16];
	int64_t total = 0;

	for (;;) {
		ssize_t n = read(STDIN_FILENO, buffer, sizeof(buffer));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(err);
		if (n == 0)
			return 0;
		total += n;
		if (total > FL_MAX_INPUT)
			return 0; /* enough for the reader to refuse it */
		for (ssize_t at = 0; at < n;) {
			ssize_t put = write(to, buffer + at, (size_t)(n - at));

			if (put < 0 && errno != EINTR)
				return fail(err);
			at += put > 0 ? put : 0;
		}
	}
}

int fl_inputs_keep(fairlead_error *err)
{
	static bool kept; /* standard input of the process, once */
	FILE *file;

	if (kept || lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
		return 0; /* or a regular file, from its start */
	file = tmpfile();
	if (!file)
		return fail(err);
	int rc = copy(fileno(file), err);
	if (rc == 0 &&
	    (lseek(fileno(file), 0, SEEK_SET) < 0 || dup2(fileno(file), STDIN_FILENO) < 0))
		rc = fail(err);
	kept = rc == 0;
	fclose(file);
	return rc;
}

int fl_inputs_rewind(fairlead_error *err)
{
	return lseek(STDIN_FILENO, 0, SEEK_SET) < 0 ? fail(err) : 0;
}
