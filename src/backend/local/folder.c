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
#include "base/fd.h"

/* Jobs are numbered one by one: no daemon made a folder with a larger number. */
static const uint64_t MOST_JOB = UINT64_C(1) << 53;

static int open_folder(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 ||
	    (fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH))))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* 0, or -1 with errno. */
static int make_folder(int at, const char *name)
{
	return mkdirat(at, name, 0700) == 0 || errno == EEXIST ? 0 : -1;
}

static int open_own(struct fl_folder *f, const char *name, int *ret, fairlead_error *err)
{
	FL_FD state = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (state < 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot open the state folder %s: %s", f->path,
			       strerror(errno));
	*ret = make_folder(state, name) == 0 ? open_folder(state, name) : -1;
	int why = errno;
	if (*ret >= 0)
		return 0;
	fl_fail(err, FAIRLEAD_EIO, "cannot make or open %s/%s: %s", f->path, name, strerror(why));
	return why == EPERM ? fl_fail_hint(err, "it must belong to the user that fairleadd runs "
						"as, and no other user may write to it") :
			      FAIRLEAD_EIO;
}

int fl_folder_open(struct fl_folder *f, const char *state, fairlead_error *err)
{
	f->runs = f->ended = -1;
	/* Leaves room for the numbers after it. */
	if (strlen(state) + 64 > sizeof f->path)
		return fl_fail(err, FAIRLEAD_ELIMIT, "the path of the state folder is too long");
	memcpy(f->path, state, strlen(state) + 1);
	int rc = open_own(f, "runs", &f->runs, err);
	return rc == 0 ? open_own(f, "ended", &f->ended, err) : rc;
}

void fl_folder_close(struct fl_folder *f)
{
	fl_fd_close(&f->runs);
	fl_fd_close(&f->ended);
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

/*
 * Gives the file its name.  Without RENAME_NOREPLACE of the file system by a link: until the other
 * name is removed it has two.
 */
static int name_it(int folder, const char *temporary)
{
	if (renameat2(folder, temporary, folder, FL_ATTEMPT_FILE, RENAME_NOREPLACE) == 0)
		return 0;
	return errno == EINVAL || errno == ENOSYS ?
		       linkat(folder, temporary, folder, FL_ATTEMPT_FILE, 0) :
		       -1;
}

/*
 * 0; 1: it exists; -1: errno.  It gets its name when it is whole, and a second one cannot replace
 * it.
 */
static int make_file(int folder, const void *bytes, size_t n)
{
	char temporary[40];
	uint64_t random = 0;

	if (getrandom(&random, sizeof random, 0) != sizeof random)
		return -1;
	snprintf(temporary, sizeof temporary, "new.%016" PRIx64, random);
	FL_FD fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	int rc = fl_fd_write(fd, bytes, n);
	if (rc == 0)
		rc = fsync(fd);
	if (rc == 0 && name_it(folder, temporary) != 0)
		rc = errno == EEXIST ? 1 : -1;
	int why = errno;
	unlinkat(folder, temporary, 0);
	errno = why;
	return rc;
}

static int make_in(int job, const struct names *n, const void *bytes, size_t len)
{
	if (make_folder(job, n->attempt) != 0)
		return -1;
	FL_FD folder = open_folder(job, n->attempt);
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
	return rc;
}

int fl_folder_make(const struct fl_folder *f, uint64_t job, uint32_t attempt, const void *bytes,
		   size_t n, fairlead_error *err)
{
	struct names names = names_of(job, attempt);
	int rc = -1, why = ENOENT;

	/*
	 * The folder of the job is removed with its last attempt, which may happen at this moment.
	 */
	for (int tries = 0; tries < 3 && rc < 0 && why == ENOENT; tries++) {
		FL_FD folder = make_folder(f->runs, names.job) == 0 ?
				       open_folder(f->runs, names.job) :
				       -1;

		rc = folder < 0 ? -1 : make_in(folder, &names, bytes, n);
		if (rc == 0 && fsync(f->runs) != 0)
			rc = -1;
		why = errno;
	}
	if (rc >= 0)
		return rc;
	fl_folder_drop(f, job, attempt);
	return fl_fail(err, FAIRLEAD_EIO, "cannot write to %s/runs/%s: %s", f->path, names.both,
		       strerror(why));
}

/* --- output --- */

void fl_folder_output_name(uint32_t stream, char ret[FL_OUTPUT_NAME])
{
	static const char *const names[FL_ATTEMPT_STREAMS] = { "out", "err", "order" };

	(void)snprintf(ret, FL_OUTPUT_NAME, "%s.%" PRIu32, names[stream % FL_ATTEMPT_STREAMS],
		       stream / FL_ATTEMPT_STREAMS);
}

int fl_folder_outputs(int folder, uint32_t n, int *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		char name[FL_OUTPUT_NAME];

		fl_folder_output_name(i, name);
		ret[i] = openat(folder, name,
				O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (ret[i] >= 0)
			continue;
		while (i-- > 0)
			fl_fd_close(&ret[i]);
		return -1;
	}
	return 0;
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

	if (!dir)
		fl_fd_close(&fd);
	return dir;
}

/* Is it the name of an unfinished file (make_file)? */
static bool is_half_made(const char *name) { return strncmp(name, "new.", 4) == 0; }

static int not_ours(const struct fl_folder *f, const char *job, const char *attempt,
		    fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EIO,
		"%s/runs/%s/%s: it, or its file 'run', belongs to another user, can be changed by "
		"others, or has a second name (hard link)",
		f->path, job, attempt);
	return fl_fail_hint(err, "it is not used: move it away if this daemon has not "
				 "made it");
}

/* A daemon that was killed between the two calls of name_it leaves its file with both names. */
static void drop_half_made(int folder)
{
	FL_DIR dir = list_of(folder, ".");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_half_made(entry->d_name))
			unlinkat(folder, entry->d_name, 0);
}

/* A file that is not whole is reported to the caller. FAIRLEAD_EIO: it is not ours. */
static int check_run(const struct fl_folder *f, int at, const char *job, const char *attempt,
		     fairlead_error *err)
{
	FL_FD folder = open_folder(at, attempt);
	FL_FD file = folder < 0 ? -1 : fl_attempt_open(folder, O_RDONLY);

	/*
	 * Only we can make names in a folder that is ours, so the second name was made by us, too.
	 */
	if (folder >= 0 && file < 0 && errno == EPERM) {
		drop_half_made(folder);
		file = fl_attempt_open(folder, O_RDONLY);
	}
	return file >= 0 || (errno != EPERM && errno != EACCES) ? 0 :
								  not_ours(f, job, attempt, err);
}

/* Names only, from any user: root may look at the folder of a daemon's account. */
static int see_last(int state, const char *name, struct fl_last_run *ret)
{
	int fd = openat(state, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	FL_DIR jobs = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *job;

	if (!jobs) {
		fl_fd_close(&fd);
		return errno == ENOENT ? 0 : -1;
	}
	while ((job = readdir(jobs))) {
		uint64_t n = number_of(job->d_name);

		if (n <= ret->job || n > MOST_JOB)
			continue;
		ret->job = n;
		snprintf(ret->where, sizeof ret->where, "%s/%" PRIu64, name, n);
	}
	return 0;
}

int fl_folder_last(const char *state, struct fl_last_run *ret, fairlead_error *err)
{
	struct fl_last_run last = { 0 };
	FL_FD fd = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd >= 0 || errno == ENOENT ? 0 : -1;

	if (fd >= 0 && (see_last(fd, "runs", &last) != 0 || see_last(fd, "ended", &last) != 0))
		rc = -1;
	if (rc != 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot look for runs in %s: %s", state,
			       strerror(errno));
	*ret = last;
	return 0;
}

int fl_folder_each(const struct fl_folder *f, int (*fn)(void *user, uint64_t job, uint32_t attempt),
		   void *user, fairlead_error *err)
{
	FL_DIR jobs = list_of(f->runs, ".");
	struct dirent *job, *attempt;
	int rc = 0;

	if (!jobs)
		return fl_fail(err, FAIRLEAD_EIO, "cannot read %s/runs: %s", f->path,
			       strerror(errno));
	while (rc == 0 && (job = readdir(jobs))) {
		uint64_t n = number_of(job->d_name);
		FL_DIR attempts = n ? list_of(f->runs, job->d_name) : NULL;

		if (n && !attempts && (errno == EPERM || errno == EACCES))
			rc = not_ours(f, job->d_name, "", err);
		while (rc == 0 && attempts && (attempt = readdir(attempts))) {
			uint64_t k = number_of(attempt->d_name);

			if (k == 0 || k > UINT32_MAX)
				continue;
			rc = check_run(f, dirfd(attempts), job->d_name, attempt->d_name, err);
			if (rc == 0)
				rc = fn(user, n, (uint32_t)k);
		}
	}
	return rc;
}

void fl_folder_retire(const struct fl_folder *f, uint64_t job, uint32_t attempt)
{
	struct names n = names_of(job, attempt);

	if (make_folder(f->ended, n.job) == 0 && renameat(f->runs, n.both, f->ended, n.both) == 0)
		unlinkat(f->runs, n.job, AT_REMOVEDIR); /* unless another attempt is in it */
}

/* The folder of a run has files only. */
static void empty(int at, const char *name)
{
	FL_DIR dir = list_of(at, name);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	unlinkat(at, name, AT_REMOVEDIR);
}

void fl_folder_drop(const struct fl_folder *f, uint64_t job, uint32_t attempt)
{
	struct names n = names_of(job, attempt);

	empty(f->runs, n.both);
	unlinkat(f->runs, n.job, AT_REMOVEDIR);
}

/*
 * 1: it has files of a run; 0: it has none, as a daemon was killed while making it, or it does not
 * exist; -1: errno, and it may have some.
 */
static int has_anything(int at, const char *name)
{
	FL_DIR dir = list_of(at, name);
	struct dirent *entry;
	int has = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -1;
	errno = 0;
	while (has == 0 && (entry = readdir(dir)))
		has = entry->d_name[0] != '.' && !is_half_made(entry->d_name);
	return has == 0 && errno != 0 ? -1 : has;
}

int fl_folder_take(const struct fl_folder *f, int from, uint64_t job, uint32_t attempt)
{
	struct names n = names_of(job, attempt);
	FL_FD runs = open_folder(from, "runs");
	bool taken = runs >= 0 && make_folder(f->runs, n.job) == 0 &&
		     renameat2(runs, n.both, f->runs, n.both, RENAME_NOREPLACE) == 0;

	if (taken)
		unlinkat(runs, n.job, AT_REMOVEDIR); /* unless another attempt is in it */
	else
		unlinkat(f->runs, n.job, AT_REMOVEDIR);
	return taken ? 0 : 1;
}

void fl_folder_clear(const struct fl_folder *f, uint64_t job, uint32_t attempt)
{
	if (has_anything(f->runs, names_of(job, attempt).both) == 0)
		fl_folder_drop(f, job, attempt);
}

static int move_aside(int at, const char *name, const struct names *n, char kept[FL_RUN_PLACE])
{
	char to[FL_RUN_PLACE + 8];
	int rc = make_folder(at, "../stray");

	for (int i = 1; rc == 0; i++) {
		snprintf(kept, FL_RUN_PLACE, i == 1 ? "stray/%s.%s" : "stray/%s.%s-%d", n->job,
			 n->attempt, i);
		snprintf(to, sizeof to, "../%s", kept);
		if (renameat(at, name, at, to) == 0)
			break;
		if (errno != EEXIST && errno != ENOTEMPTY)
			rc = -1;
	}
	return rc;
}

int fl_folder_set_aside(const struct fl_folder *f, uint64_t job, uint32_t attempt,
			char kept[FL_RUN_PLACE])
{
	struct names n = names_of(job, attempt);
	int rc = 0;

	kept[0] = '\0';
	for (int i = 0; i < 2 && rc == 0; i++) {
		int at = i == 0 ? f->runs : f->ended;

		rc = has_anything(at, n.both);
		if (rc > 0)
			rc = move_aside(at, n.both, &n, kept);
		if (rc == 0)
			unlinkat(at, n.job, AT_REMOVEDIR); /* unless another attempt is in it */
	}
	return rc;
}

void fl_folder_remove(const struct fl_folder *f, uint64_t job)
{
	struct names n = names_of(job, 0);

	for (int i = 0; i < 2; i++) {
		int at = i == 0 ? f->ended : f->runs;
		FL_DIR dir = list_of(at, n.job);
		struct dirent *entry;

		while (dir && (entry = readdir(dir)))
			if (entry->d_name[0] != '.')
				empty(dirfd(dir), entry->d_name);
		unlinkat(at, n.job, AT_REMOVEDIR);
	}
}
