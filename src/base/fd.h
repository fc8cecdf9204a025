/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fd - descriptors and folders that are closed where their name ends; errno stays as it was
 *
 * For code that has files: the core has none (tools/check-symbols.sh).
 */
#ifndef FL_BASE_FD_H
#define FL_BASE_FD_H

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

static inline void fl_fd_close(const int *fd)
{
	int why = errno;

	if (*fd >= 0)
		(void)close(*fd);
	errno = why;
}

static inline void fl_dir_close(DIR *const *dir)
{
	int why = errno;

	if (*dir)
		(void)closedir(*dir);
	errno = why;
}

/* All of it. -1: errno. */
static inline int fl_fd_write(int fd, const void *bytes, size_t n)
{
	for (const char *at = bytes; n > 0;) {
		ssize_t done = write(fd, at, n);

		if (done <= 0 && !(done < 0 && errno == EINTR))
			return -1;
		at += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

/* -1, NULL: none. */
#define FL_FD __attribute__((cleanup(fl_fd_close))) int
#define FL_DIR __attribute__((cleanup(fl_dir_close))) DIR *

#endif
