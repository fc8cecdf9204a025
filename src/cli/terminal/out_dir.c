/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/out_dir.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fl_out_dir_open(struct fl_out_dir *d, const char *path, fairlead_error *err)
{
	struct stat st;

	*d = (struct fl_out_dir){ .path = strdup(path) };
	if (!d->path)
		return fl_fail_nomem(err);
	if (mkdir(path, 0777) == 0) {
		d->made = true;
		return 0;
	}
	if (errno != EEXIST || stat(path, &st) != 0)
		return fl_out_fail(path, err);
	if (S_ISDIR(st.st_mode))
		return 0;
	errno = ENOTDIR;
	return fl_out_fail(path, err);
}

int fl_out_dir_add(struct fl_out_dir *d, const char *name, FILE **ret, fairlead_error *err)
{
	char *path;

	assert(d->n < FL_OUT_FILES);
	if (asprintf(&path, "%s/%s", d->path, name) < 0)
		return fl_fail_nomem(err);
	int rc = fl_out_file_open(&d->files[d->n], path, err);
	free(path);
	if (rc == 0)
		*ret = d->files[d->n++].out;
	return rc;
}

int fl_out_dir_check(const struct fl_out_dir *d, fairlead_error *err)
{
	for (unsigned i = 0; i < d->n; i++)
		if (ferror(d->files[i].out))
			return fl_out_fail(d->files[i].name, err);
	return 0;
}

int fl_out_dir_commit(struct fl_out_dir *d, fairlead_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < d->n && rc == 0; i++)
		rc = fl_out_file_finish(&d->files[i], err);
	for (unsigned i = 0; i < d->n && rc == 0; i++)
		rc = fl_out_file_place(&d->files[i], err);
	/* The names themselves; where a folder cannot be synced they are as safe as they get. */
	int fd = rc == 0 ? open(d->path, O_RDONLY | O_DIRECTORY) : -1;
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	d->made &= rc < 0;
	return rc;
}

void fl_out_dir_done(struct fl_out_dir *d)
{
	for (unsigned i = 0; i < d->n; i++)
		fl_out_file_done(&d->files[i]);
	if (d->made) /* fails when something else is in it */
		rmdir(d->path);
	free(d->path);
	*d = (struct fl_out_dir){ 0 };
}
