/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elsewhere - a run that goes on, and whose folder stands in another state folder
 *
 * For example when a backup was restored into a new folder.  Its runner has its files open, so their
 * folder can be moved, and the run goes on as if it were from here.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/local/host.h"
#include "base/fd.h"

/* The state folder of the run whose file that is. 0, or -1. */
static int state_of(int file, uint64_t job, uint32_t attempt, char ret[4096])
{
	char path[64], end[80];

	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	int want = snprintf(end, sizeof end, "/runs/%" PRIu64 "/%" PRIu32 "/" FL_ATTEMPT_FILE, job,
			    attempt);
	ssize_t n = readlink(path, ret, 4095);

	if (n <= want || memcmp(ret + n - want, end, (size_t)want) != 0)
		return -1;
	ret[n - want] = 0;
	return 0;
}

/* Is that state folder our own? The file of such a run was removed, and no other folder has it. */
static bool is_here(const struct fl_folder *f, int state)
{
	struct stat own, its;

	return fstat(f->runs, &own) == 0 && fstatat(state, "runs", &its, 0) == 0 &&
	       own.st_dev == its.st_dev && own.st_ino == its.st_ino;
}

/*
 * The process number of the daemon that uses the folder; 0: none does, and none can start there
 * until @ret_lock is closed, which may be -1.  Opening does not block, whatever is there instead of
 * a file.
 */
static long owner_of(int state, int *ret_lock)
{
	int fd = openat(state, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[32];

	*ret_lock = fd;
	if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0)
		return 0;
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? atol(text) : -1;
}

/* FAIRLEAD_ESTATE, or as fl_folder_take. */
static int take_from(const struct fl_folder *f, int state, const char *path, uint64_t job,
		     uint32_t attempt, fairlead_error *err)
{
	FL_FD lock = -1;
	long owner = owner_of(state, &lock);
	int rc;

	if (owner != 0) {
		fl_fail(err, FAIRLEAD_ESTATE,
			"job %" PRIu64
			" runs for another fairleadd, process %ld, with the state folder "
			"%.300s",
			job, owner, path);
		rc = fl_fail_hint(err, "stop that one first: both would run the same jobs");
	} else {
		rc = fl_folder_take(f, state, job, attempt);
	}
	return rc;
}

int fl_elsewhere_fetch(struct fl_spawner *spawner, const struct fl_folder *f, uint64_t job,
		       uint32_t attempt, const char *token, fairlead_error *err)
{
	const struct fl_spawned run = { .job = job, .attempt = attempt, .token = token };
	FL_FD file = fl_spawner_find(spawner, &run);
	char path[4096];

	if (file < 0 || state_of(file, job, attempt, path) != 0)
		return 1;
	FL_FD state = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (state < 0)
		return 1;
	return is_here(f, state) ? 1 : take_from(f, state, path, job, attempt, err);
}
