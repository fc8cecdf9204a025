/* SPDX-License-Identifier: Apache-2.0 */
/* Reading standard input, or a pipe that is open already, a second time. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "input/input.h"

static int fail(const char *name, fairlead_error *err)
{
	char text[128];

	fl_fail(err, FAIRLEAD_EIO, "cannot be kept to be read again: %s",
		fl_system_text(errno, text));
	snprintf(err->file, sizeof(err->file), "%s", fl_input_title(name));
	return FAIRLEAD_EIO;
}

static int copy(const char *name, int from, int to, fairlead_error *err)
{
	char buffer[1 << 16];
	int64_t total = 0;

	for (;;) {
		ssize_t n = read(from, buffer, sizeof(buffer));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(name, err);
		if (n == 0)
			return 0;
		total += n;
		if (total > FL_MAX_INPUT)
			return 0; /* enough for the reader to refuse it */
		for (ssize_t at = 0; at < n;) {
			ssize_t put = write(to, buffer + at, (size_t)(n - at));

			if (put < 0 && errno != EINTR)
				return fail(name, err);
			at += put > 0 ? put : 0;
		}
	}
}

/* What is read from @fd is from now on a file without a name, at its start. */
static int keep(const char *name, int fd, fairlead_error *err)
{
	struct stat st;
	FILE *file;

	if (fd == STDIN_FILENO ? lseek(fd, 0, SEEK_CUR) == 0 :
				 fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode))
		return 0; /* a regular file, from its start, or kept already */
	file = tmpfile();
	if (!file)
		return fail(name, err);
	int rc = copy(name, fd, fileno(file), err);
	if (rc == 0 && (lseek(fileno(file), 0, SEEK_SET) < 0 || dup2(fileno(file), fd) < 0))
		rc = fail(name, err);
	fclose(file);
	return rc;
}

int fl_inputs_keep(char **files, uint32_t n, fairlead_error *err)
{
	static bool kept; /* standard input of the process, once */
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++) {
		bool standard = strcmp(files[i], "-") == 0;
		int fd = standard ? STDIN_FILENO : fl_input_descriptor(files[i]);

		if (fd < 0 || (standard && kept))
			continue;
		rc = keep(files[i], fd, err);
		kept |= rc == 0 && standard;
	}
	return rc;
}

int fl_inputs_rewind(char **files, uint32_t n, fairlead_error *err)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(files[i], "-") == 0 && lseek(STDIN_FILENO, 0, SEEK_SET) < 0)
			return fail(files[i], err);
	return 0;
}
