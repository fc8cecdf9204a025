/* SPDX-License-Identifier: Apache-2.0 */
/* folder - a folder of a test's own, with files in it; gone at its end */
#ifndef FL_TESTS_FOLDER_H
#define FL_TESTS_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/unit.h"

struct folder {
	char path[256];
};

static inline void folder_make(struct folder *f)
{
	const char *in = getenv("TMPDIR");

	(void)snprintf(f->path, sizeof f->path, "%.200s/fairlead-XXXXXX", in ? in : "/tmp");
	assert_non_null(mkdtemp(f->path));
}

/* The name of a file in it; valid until the next call. */
static inline const char *folder_path(const struct folder *f, const char *name)
{
	static char path[512];

	(void)snprintf(path, sizeof path, "%s/%s", f->path, name);
	return path;
}

static inline void folder_write(const struct folder *f, const char *name, const char *text)
{
	FILE *file = fopen(folder_path(f, name), "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static inline int folder_drop(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static inline void folder_gone(const struct folder *f)
{
	(void)nftw(f->path, folder_drop, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
