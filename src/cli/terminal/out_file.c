/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/out_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/input.h"

int fl_out_fail(const char *name, fairlead_error *err)
{
	char text[128];

	fl_fail(err, FAIRLEAD_EIO, "%s", fl_system_text(errno, text));
	snprintf(err->file, sizeof(err->file), "%s", name);
	return FAIRLEAD_EIO;
}

int fl_out_file_open(struct fl_out_file *f, const char *name, fairlead_error *err)
{
	struct stat st;
	bool direct = stat(name, &st) == 0 && !S_ISREG(st.st_mode);
	int fd = -1;

	*f = (struct fl_out_file){ .name = strdup(name) };
	if (!f->name || (!direct && asprintf(&f->temporary, "%s.XXXXXX", name) < 0)) {
		free(f->name);
		*f = (struct fl_out_file){ 0 };
		return fl_fail_nomem(err);
	}
	if (!direct)
		fd = mkstemp(f->temporary);
	if (direct)
		f->out = fopen(name, "w");
	else if (fd >= 0)
		f->out = fdopen(fd, "w");
	if (f->out)
		return 0;
	int rc = fl_out_fail(name, err);
	if (fd >= 0) {
		close(fd);
		unlink(f->temporary);
	}
	free(f->temporary);
	f->temporary = NULL;
	fl_out_file_done(f);
	return rc;
}

int fl_out_file_finish(struct fl_out_file *f, fairlead_error *err)
{
	mode_t mask = umask(0);
	int failure = 0;

	umask(mask);
	errno = 0;
	if (fflush(f->out) != 0 || ferror(f->out) ||
	    (f->temporary &&
	     (fchmod(fileno(f->out), 0666 & ~mask) != 0 || fsync(fileno(f->out)) != 0)))
		failure = errno ? errno : EIO;
	if (fclose(f->out) != 0 && !failure)
		failure = errno;
	f->out = NULL;
	errno = failure;
	return failure ? fl_out_fail(f->name, err) : 0;
}

int fl_out_file_place(struct fl_out_file *f, fairlead_error *err)
{
	if (!f->temporary)
		return 0;
	if (rename(f->temporary, f->name) != 0)
		return fl_out_fail(f->name, err);
	free(f->temporary);
	f->temporary = NULL;
	return 0;
}

void fl_out_file_done(struct fl_out_file *f)
{
	if (f->out)
		fclose(f->out);
	if (f->temporary)
		unlink(f->temporary);
	free(f->temporary);
	free(f->name);
	*f = (struct fl_out_file){ 0 };
}
