/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/local/attempt.h"

static int open_folder(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* 0, or -1 with errno. */
static int make_folder(int at, const char *name)
{
	return mkdirat(at, name, 0700) == 0 || errno == EEXIST ? 0 : -1;
}

static int open_own(struct fl_folder *f, const char *name, int *ret, fairlead_error *err)
{
	int state = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (state < 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot open the state folder %s: %s", f->path,
			       strerror(errno));
	*ret = make_folder(state, name) == 0 ? open_folder(state, name) : -1;
	int why = errno;
	close(state);
	if (*ret < 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot make or open %s/%s: %s", f->path, name,
			       strerror(why));
	return 0;
}

int fl_folder_open(struct fl_folder *f, const char *state, fairlead_error *err)
{
	f->runs = f->ended = -1;
	/* Room for the numbers behind it. */
	if (strlen(state) + 64 > sizeof f->path)
		return fl_fail(err, FAIRLEAD_ELIMIT, "the path of the state folder is too long");
	memcpy(f->path, state, strlen(state) + 1);
	int rc = open_own(f, "runs", &f->runs, err);
	return rc == 0 ? open_own(f, "ended", &f->ended, err) : rc;
}

void fl_folder_close(struct fl_folder *f)
{
	if (f->runs >= 0)
		close(f->runs);
	if (f->ended >= 0)
		close(f->ended);
	f->runs = f->ended = -1;
}

void fl_folder_path(const struct fl_folder *f, uint64_t job, uint32_t attempt, char *ret,
		    size_t size)
{
	snprintf(ret, size, "%s/runs/%" PRIu64 "/%" PRIu32, f->path, job, attempt);
}

struct names {
	char job[24], attempt[16], both[40];
};

static struct names names_of(uint64_t job, uint32_t attempt)
{
	struct names n;

	snprintf(n.job, sizeof n.job, "%" PRIu64, job);
	snprintf(n.attempt, sizeof n.attempt, "%" PRIu32, attempt);
	snprintf(n.both, sizeof n.both, "%" PRIu64 "/%" PRIu32, job, attempt);
	return n;
}

int fl_folder_of(const struct fl_folder *f, uint64_t job, uint32_t attempt, bool *ret_ended)
{
	struct names n = names_of(job, attempt);
	int fd = open_folder(f->runs, n.both);

	*ret_ended = fd < 0 && errno == ENOENT;
	return *ret_ended ? open_folder(f->ended, n.both) : fd;
}

/* --- making --- */

static int write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		bytes += done;
		n -= (size_t)done;
	}
	return 0;
}

/* 0, 1 it is there, -1 errno. It has its name once it is whole, which nobody can take from it. */
static int make_file(int folder, const void *bytes, size_t n)
{
	char temporary[40];
	uint64_t random = 0;

	if (getrandom(&random, sizeof random, 0) != sizeof random)
		return -1;
	snprintf(temporary, sizeof temporary, "new.%016" PRIx64, random);
	int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	int rc = write_all(fd, bytes, n);
	if (rc == 0)
		rc = fsync(fd);
	if (rc == 0 && linkat(folder, temporary, folder, FL_ATTEMPT_FILE, 0) != 0)
		rc = errno == EEXIST ? 1 : -1;
	int why = errno;
	close(fd);
	unlinkat(folder, temporary, 0);
	errno = why;
	return rc;
}

static int make_in(int job, const struct names *n, const void *bytes, size_t len)
{
	if (make_folder(job, n->attempt) != 0)
		return -1;
	int folder = open_folder(job, n->attempt);
	if (folder < 0)
		return -1;
	int rc = make_file(folder, bytes, len);
	if (rc == 0 && (fsync(folder) != 0 || fsync(job) != 0))
		rc = -1;
	if (rc < 0) {
		int why = errno;

		unlinkat(folder, FL_ATTEMPT_FILE, 0);
		unlinkat(job, n->attempt, AT_REMOVEDIR);
		errno = why;
	}
	close(folder);
	return rc;
}

int fl_folder_make(const struct fl_folder *f, uint64_t job, uint32_t attempt, const void *bytes,
		   size_t n, fairlead_error *err)
{
	struct names names = names_of(job, attempt);
	int rc = -1, why = ENOENT;

	/* The folder of the job goes with its last attempt, which may be forgotten just now. */
	for (int tries = 0; tries < 3 && rc < 0 && why == ENOENT; tries++) {
		int folder = make_folder(f->runs, names.job) == 0 ?
				     open_folder(f->runs, names.job) :
				     -1;

		rc = folder < 0 ? -1 : make_in(folder, &names, bytes, n);
		if (rc == 0 && fsync(f->runs) != 0)
			rc = -1;
		why = errno;
		if (folder >= 0)
			close(folder);
	}
	if (rc >= 0)
		return rc;
	fl_folder_drop(f, job, attempt);
	return fl_fail(err, FAIRLEAD_EIO, "cannot write to %s/runs/%s: %s", f->path, names.both,
		       strerror(why));
}

/* --- reading and removing --- */

static uint64_t number_of(const char *name)
{
	uint64_t n = 0;

	for (; *name; name++)
		if (*name < '0' || *name > '9' || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*name - '0'), &n))
			return 0;
	return n;
}

static DIR *list_of(int at, const char *name)
{
	int fd = open_folder(at, name);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

int fl_folder_each(const struct fl_folder *f, int (*fn)(void *user, uint64_t job, uint32_t attempt),
		   void *user, fairlead_error *err)
{
	DIR *jobs = list_of(f->runs, ".");
	struct dirent *job, *attempt;
	int rc = 0;

	if (!jobs)
		return fl_fail(err, FAIRLEAD_EIO, "cannot read %s/runs: %s", f->path,
			       strerror(errno));
	while (rc == 0 && (job = readdir(jobs))) {
		uint64_t n = number_of(job->d_name);
		DIR *attempts = n ? list_of(f->runs, job->d_name) : NULL;

		while (rc == 0 && attempts && (attempt = readdir(attempts))) {
			uint64_t k = number_of(attempt->d_name);

			if (k > 0 && k <= UINT32_MAX)
				rc = fn(user, n, (uint32_t)k);
		}
		if (attempts)
			closedir(attempts);
	}
	closedir(jobs);
	return rc;
}

void fl_folder_retire(const struct fl_folder *f, uint64_t job, uint32_t attempt)
{
	struct names n = names_of(job, attempt);

	if (make_folder(f->ended, n.job) == 0 && renameat(f->runs, n.both, f->ended, n.both) == 0)
		unlinkat(f->runs, n.job, AT_REMOVEDIR); /* unless another attempt is in it */
}

/* Files only are in the folder of a run. */
static void empty(int at, const char *name)
{
	DIR *dir = list_of(at, name);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	unlinkat(at, name, AT_REMOVEDIR);
}

void fl_folder_drop(const struct fl_folder *f, uint64_t job, uint32_t attempt)
{
	struct names n = names_of(job, attempt);

	empty(f->runs, n.both);
	unlinkat(f->runs, n.job, AT_REMOVEDIR);
}

void fl_folder_remove(const struct fl_folder *f, uint64_t job)
{
	struct names n = names_of(job, 0);

	for (int i = 0; i < 2; i++) {
		int at = i == 0 ? f->ended : f->runs;
		DIR *dir = list_of(at, n.job);
		struct dirent *entry;

		while (dir && (entry = readdir(dir)))
			if (entry->d_name[0] != '.')
				empty(dirfd(dir), entry->d_name);
		if (dir)
			closedir(dir);
		unlinkat(at, n.job, AT_REMOVEDIR);
	}
}
