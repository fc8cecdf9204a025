/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/process/text.h"

#include <unistd.h>

#include "base/fd.h"

ssize_t fl_text_at(int dir, const char *name, char *to, size_t room)
{
	FL_FD fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;
	size_t n = 0;

	if (fd < 0)
		return -1;
	while (n < room - 1 && (got = read(fd, to + n, room - 1 - n)) > 0)
		n += (size_t)got;
	to[n] = 0;
	return got < 0 ? got : (ssize_t)n;
}
