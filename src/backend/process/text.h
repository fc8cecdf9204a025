/* SPDX-License-Identifier: Apache-2.0 */
/* text - a small file of the system, whole */
#ifndef FL_BACKEND_PROCESS_TEXT_H
#define FL_BACKEND_PROCESS_TEXT_H

#include <fcntl.h>
#include <sys/types.h>

/*
 * Reads up to @room - 1 bytes of @name in the folder @dir, and adds a NUL; returns how many. -1:
 * errno.
 */
ssize_t fl_text_at(int dir, const char *name, char *to, size_t room);

static inline ssize_t fl_text_of(const char *path, char *to, size_t room)
{
	return fl_text_at(AT_FDCWD, path, to, room);
}

#endif
