/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elsewhere - a run that goes on, and whose folder stands in another state folder
 *
 * For example when a backup was restored into a new folder.  Its runner has the folder open, so it
 * can be moved, and the run goes on as if it were from here.
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
#include "backend/local/process.h"
#include "base/fd.h"

struct wanted {
	char end[64];     /* end of the path: "/runs/17/1" */
	char state[4096]; /* the path before that: the other state folder */
};

/* Is a process the runner? Then the folder of the run is one of its open files. */
static bool has_folder(void *user, pid_t pid)
{
	struct wanted *w = user;
	char path[64];
	size_t end = strlen(w->end);
	struct dirent *entry;

	snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
	FL_DIR files = opendir(path);
	bool found = false;
	while (files && !found && (entry = readdir(files))) {
		ssize_t n = readlinkat(dirfd(files), entry->d_name, w->state, sizeof w->state - 1);

		if (n <= (ssize_t)end || memcmp(w->state + n - end, w->end, end) != 0)
			continue;
		w->state[(size_t)n - end] = 0;
		found = true;
	}
	return found;
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

int fl_elsewhere_fetch(const struct fl_folder *f, uint64_t job, uint32_t attempt, const char *token,
		       fairlead_error *err)
{
	struct wanted w;

	snprintf(w.end, sizeof w.end, "/runs/%" PRIu64 "/%" PRIu32, job, attempt);
	if (!fl_process_find_marked(token, has_folder, &w))
		return 1;
	FL_FD state = open(w.state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (state < 0)
		return 1;
	return is_here(f, state) ? 1 : take_from(f, state, w.state, job, attempt, err);
}
