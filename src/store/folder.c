/* SPDX-License-Identifier: Apache-2.0 */
#include "store/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "store/open.h"

static const char lock_name[] = "lock";

/* Five seconds for the last processes of a daemon that was killed. */
enum { LOCK_TRIES = 500, LOCK_MOMENT_NS = 10000000 };

int fl_folder_no_path(const char *path, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_ELIMIT, "the path %.64s... is too long", path);
}

int fl_folder_fail(const char *path, const char *name, const char *doing, fairlead_error *err)
{
	int error = errno;

	fl_fail(err, FAIRLEAD_EIO, "%s%s%s cannot be %s: %s", path, name ? "/" : "",
		name ? name : "", doing, strerror(error));
	if (error == ENOSPC || error == EDQUOT || error == EFBIG)
		fl_fail_hint(err, "the disk is full: make room there");
	else if (error == EACCES || error == EPERM || error == EROFS)
		fl_fail_hint(err, "the folder must belong to the user that fairleadd runs as, on "
				  "a file system that can be written to");
	return FAIRLEAD_EIO;
}

/* Syncs the folder of @path, after an entry was made there. */
static int sync_parent(const char *path, fairlead_error *err)
{
	char parent[FL_STORE_PATH + 4];

	(void)snprintf(parent, sizeof parent, "%s/..", path);
	FL_FD fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? fl_folder_fail(parent, NULL, "opened", err) :
			fl_folder_sync(fd, parent, err);
}

static int there_already(const char *path, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ESTATE, "%s is there already", path);
	fl_fail_hint(err, "nothing was changed; choose a new folder");
	return FAIRLEAD_ESTATE;
}

/* 1: it was made now. */
static int make(const char *path, enum fl_folder_how how, fairlead_error *err)
{
	if (mkdir(path, 0700) == 0)
		return 1;
	if (errno != EEXIST)
		return fl_folder_fail(path, NULL, "made", err);
	if (how == FL_FOLDER_CREATED)
		return 0;
	return there_already(path, err);
}

/*
 * A user that may write to the folder could replace the database.  A folder that we wanted to make
 * must also belong to us or root, as another user may have made it first, for example in /tmp.
 * Other folders are only read, and may belong to any user.
 */
static int check_owner(int fd, enum fl_folder_how how, const char *path, fairlead_error *err)
{
	mode_t others = how == FL_FOLDER_CREATED ? S_IWGRP | S_IWOTH : S_IWOTH;
	struct stat s;

	if (fstat(fd, &s) < 0)
		return fl_folder_fail(path, NULL, "read", err);
	if (how == FL_FOLDER_CREATED && s.st_uid != 0 && s.st_uid != geteuid()) {
		fl_fail(err, FAIRLEAD_EIO, "%s belongs to user %u", path, s.st_uid);
		return fl_fail_hint(err, "choose another folder");
	}
	if (!(s.st_mode & others))
		return 0;
	fl_fail(err, FAIRLEAD_EIO, "%s can write to %s",
		s.st_mode & S_IWOTH ? "all users" : "its group", path);
	fl_fail_hint(err, "chmod 700 it, or choose another folder");
	return FAIRLEAD_EIO;
}

int fl_store_folder_open(const char *path, enum fl_folder_how how, int *ret_fd, char *ret_path,
			 fairlead_error *err)
{
	char real[PATH_MAX];
	int fd, r, made = how == FL_FOLDER_THERE ? 0 : make(path, how, err);

	if (made < 0)
		return made;
	if (!realpath(path, real)) {
		if (errno != ENOENT)
			return fl_folder_fail(path, NULL, "opened", err);
		return fl_fail(err, FAIRLEAD_ENOENT, "there is no folder %s", path);
	}
	/* Leaves room for the names of files after it. */
	if (strlen(real) + 128 > FL_STORE_PATH)
		return fl_folder_no_path(path, err);
	fd = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fl_folder_fail(real, NULL, "opened", err);
	r = made ? sync_parent(real, err) : check_owner(fd, how, real, err);
	if (r < 0) {
		(void)close(fd);
		return r;
	}
	memcpy(ret_path, real, strlen(real) + 1);
	*ret_fd = fd;
	return 0;
}

static int taken(int fd, const char *path, fairlead_error *err)
{
	char pid[32] = "";
	ssize_t n = pread(fd, pid, sizeof pid - 1, 0);

	pid[n > 0 ? n : 0] = '\0';
	pid[strspn(pid, "0123456789")] = '\0';
	fl_fail(err, FAIRLEAD_ESTATE, "%s is used by another fairleadd, process %s", path,
		*pid ? pid : "(not known)");
	fl_fail_hint(err, "stop that one first, or choose another state folder");
	return FAIRLEAD_ESTATE;
}

/*
 * The process that wrote its number there has ended: a child that it was just starting may have its
 * files open for a moment longer.
 */
static bool is_left_over(int fd)
{
	char text[32] = "";
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	long pid = n > 0 ? strtol(text, NULL, 10) : 0;

	return pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static int lock(int fd)
{
	const struct timespec moment = { .tv_nsec = LOCK_MOMENT_NS };

	for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; tries++) {
		if (errno != EWOULDBLOCK || tries == LOCK_TRIES)
			return -1;
		if (!is_left_over(fd)) {
			errno = EWOULDBLOCK;
			return -1;
		}
		(void)nanosleep(&moment, NULL);
	}
	return 0;
}

int fl_folder_lock(int folder, const char *path, int *ret_fd, fairlead_error *err)
{
	char pid[32];
	int fd = openat(folder, lock_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r, n;

	if (fd < 0)
		return fl_folder_fail(path, lock_name, "written to", err);
	if (lock(fd) < 0) {
		r = errno == EWOULDBLOCK ? taken(fd, path, err) :
					   fl_folder_fail(path, lock_name, "locked", err);
		(void)close(fd);
		return r;
	}
	n = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, pid, (size_t)n, 0) != n) {
		r = fl_folder_fail(path, lock_name, "written to", err);
		(void)close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

int fl_folder_has(int folder, const char *name)
{
	struct stat s;

	return fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) == 0;
}

int fl_folder_sync(int folder, const char *path, fairlead_error *err)
{
	return fsync(folder) == 0 ? 0 : fl_folder_fail(path, NULL, "written to", err);
}

int fl_store_folder_make(int folder, const char *path, const char *name, int *ret_fd,
			 fairlead_error *err)
{
	int fd;

	(void)unlinkat(folder, name, 0);
	fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fl_folder_fail(path, name, "made", err);
	*ret_fd = fd;
	return 0;
}

int fl_folder_rename(int folder, const char *path, const char *from, const char *name,
		     fairlead_error *err)
{
	if (renameat(folder, from, folder, name) < 0)
		return fl_folder_fail(path, name, "made", err);
	return fl_folder_sync(folder, path, err);
}

/* --- a folder that is complete, or does not exist --- */

/* The length without the slashes at its end. */
static int length_of(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return (int)n;
}

/* "DIR/.NAME.fairlead-part": a name that no user would choose. */
static int part_of(const char *path, char ret[FL_STORE_PATH], fairlead_error *err)
{
	int n = length_of(path), dir = n, used;

	while (dir > 0 && path[dir - 1] != '/')
		dir--;
	used = snprintf(ret, FL_STORE_PATH, "%.*s.%.*s.fairlead-part", dir, path, n - dir,
			path + dir);
	return used < FL_STORE_PATH ? 0 : fl_folder_no_path(path, err);
}

static int is_being_made(const char *path, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ESTATE, "another process is making %s", path);
	fl_fail_hint(err, "wait until it has ended, or choose another folder");
	return FAIRLEAD_ESTATE;
}

/* Removes a part that a kill has left: no process has it locked. */
static int remove_left(const char *part, const char *path, fairlead_error *err)
{
	FL_FD fd = open(part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return is_being_made(path, err);
	fl_store_folder_remove(part);
	return 0;
}

int fl_folder_begin(const char *path, char part[FL_STORE_PATH], int *ret_fd, char *ret_path,
		    fairlead_error *err)
{
	struct stat st;
	int r;

	if (lstat(path, &st) == 0)
		return there_already(path, err);
	r = part_of(path, part, err);
	if (r == 0)
		r = remove_left(part, path, err);
	if (r == 0)
		r = fl_store_folder_open(part, FL_FOLDER_NEW, ret_fd, ret_path, err);
	if (r < 0 || flock(*ret_fd, LOCK_EX | LOCK_NB) == 0)
		return r;
	(void)close(*ret_fd);
	*ret_fd = -1;
	return is_being_made(path, err);
}

int fl_folder_finish(const char *part, const char *path, fairlead_error *err)
{
	char named[FL_STORE_PATH];

	(void)snprintf(named, sizeof named, "%.*s", length_of(path), path);
	/* A folder of that name that exists by now is replaced only if it is empty. */
	if (rename(part, named) < 0)
		return errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR ?
			       there_already(path, err) :
			       fl_folder_fail(path, NULL, "made", err);
	return sync_parent(named, err);
}

DIR *fl_folder_entries(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && !entries)
		fl_fd_close(&fd);
	return entries;
}

void fl_store_folder_remove(const char *path)
{
	FL_DIR entries = fl_folder_entries(AT_FDCWD, path);
	const struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries)))
		if (strncmp(entry->d_name, FL_STORE_DATABASE, strlen(FL_STORE_DATABASE)) == 0 ||
		    strncmp(entry->d_name, "checkpoint-", strlen("checkpoint-")) == 0)
			(void)unlinkat(dirfd(entries), entry->d_name, 0);
	(void)rmdir(path);
}

int fl_folder_join(char ret[FL_STORE_PATH], const char *path, const char *name, fairlead_error *err)
{
	int n = snprintf(ret, FL_STORE_PATH, "%s/%s", path, name);

	return n < FL_STORE_PATH ? 0 : fl_folder_no_path(path, err);
}

/* 0, or -1 with errno. */
static int copy_bytes(int from, int to)
{
	char buffer[1 << 16];
	ssize_t n;

	while ((n = read(from, buffer, sizeof buffer)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || fl_fd_write(to, buffer, (size_t)n) != 0)
			return -1;
	}
	return fsync(to);
}

int fl_folder_copy(int from, int folder, const char *path, const char *name, fairlead_error *err)
{
	FL_FD to = -1;
	int r = fl_store_folder_make(folder, path, name, &to, err);

	if (r < 0)
		return r;
	if (copy_bytes(from, to) < 0)
		r = fl_folder_fail(path, name, "written", err);
	if (r < 0)
		(void)unlinkat(folder, name, 0);
	return r;
}

uint64_t fl_store_bytes(const struct fl_store *s)
{
	static const char *const files[] = { FL_STORE_DATABASE, FL_STORE_DATABASE "-wal" };
	uint64_t sum = 0;
	struct stat st;

	for (int i = 0; i < 2; i++)
		if (fstatat(s->folder_fd, files[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			sum += (uint64_t)st.st_size;
	return sum;
}
