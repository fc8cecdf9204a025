/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS = 40 };

/* --- one file or folder --- */

static int not_seen(const char *path, fairlead_error *err)
{
	int why = errno;

	fl_fail(err, FAIRLEAD_EIO, "%s cannot be checked: %s", path, strerror(why));
	return why == EACCES ?
		       fl_fail_hint(err,
				    "the daemon is user %u and must be able to reach it: let it "
				    "pass the folders above (chmod o+x), or choose a folder "
				    "such as /var/lib/fairlead; for jobs of root alone, start "
				    "it with --account root",
				    geteuid()) :
		       FAIRLEAD_EIO;
}

static uid_t account; /* 0: none but root */

void fl_trust_account(uid_t uid) { account = uid; }

static bool is_owned(const struct stat *s)
{
	return s->st_uid == 0 || s->st_uid == geteuid() || s->st_uid == account;
}

static int fail_owner(const struct stat *s, const char *path, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EIO,
		       "%s belongs to user %u, and that user could run jobs as every user that the "
		       "daemon can become",
		       path, s->st_uid);
}

static int check_owner(const struct stat *s, const char *path, fairlead_error *err)
{
	if (is_owned(s))
		return 0;
	fail_owner(s, path, err);
	return fl_fail_hint(err,
			    "choose another folder, or, if its contents are right: "
			    "chown -Rh %u %s",
			    geteuid(), path);
}

static int check_mode(const struct stat *s, const char *path, fairlead_error *err)
{
	if (!(s->st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	fl_fail(err, FAIRLEAD_EIO, "%s can write to %s, and could so run jobs as any user",
		s->st_mode & S_IWOTH ? "all users" : "its group", path);
	return fl_fail_hint(err, "choose another folder, or: chmod go-w %s", path);
}

/* Of a folder above: in a sticky one no other user can replace what belongs to us. */
static int check_above(const struct stat *s, const char *path, fairlead_error *err)
{
	if (!is_owned(s)) {
		fail_owner(s, path, err);
		return fl_fail_hint(err,
				    "choose a folder below folders that belong only to root or to "
				    "the user of the daemon, for example /var/lib/fairlead");
	}
	return s->st_mode & S_ISVTX ? 0 : check_mode(s, path, err);
}

/* --- all folders of the path --- */

struct walk {
	int fd; /* the folder that was reached, */
	struct stat stat;
	char path[FL_TRUST_PATH], rest[FL_TRUST_PATH]; /* its name, and the rest of the path */
	uint32_t links;
};

static int too_long(const struct walk *w, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EIO, "the path %.64s... is too long", w->path);
}

static int enter(struct walk *w, int fd, fairlead_error *err)
{
	if (fd < 0)
		return not_seen(w->path, err);
	if (w->fd >= 0)
		(void)close(w->fd);
	w->fd = fd;
	return fstat(fd, &w->stat) == 0 ? 0 : not_seen(w->path, err);
}

static int begin_at_root(struct walk *w, fairlead_error *err)
{
	w->path[0] = '\0';
	return enter(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), err);
}

/* @path: the path of the link. */
static int follow(struct walk *w, const char *name, const char *path, const struct stat *link,
		  fairlead_error *err)
{
	char target[FL_TRUST_PATH], rest[FL_TRUST_PATH];
	ssize_t n;

	if (!is_owned(link))
		return check_above(link, path, err);
	if (++w->links > LINKS)
		return fl_fail(err, FAIRLEAD_EIO, "%s: too many symbolic links", path);
	n = readlinkat(w->fd, name, target, sizeof target - 1);
	if (n < 0)
		return not_seen(path, err);
	target[n] = '\0';
	if (snprintf(rest, sizeof rest, "%s/%s", target, w->rest) >= (int)sizeof rest)
		return too_long(w, err);
	memcpy(w->rest, rest, strlen(rest) + 1);
	return target[0] == '/' ? begin_at_root(w, err) : 0;
}

static int go_up(struct walk *w, fairlead_error *err)
{
	char *slash = strrchr(w->path, '/');

	if (slash)
		*slash = '\0';
	return enter(w, openat(w->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC), err);
}

/* 1: @name does not exist. */
static int step(struct walk *w, const char *name, fairlead_error *err)
{
	char path[FL_TRUST_PATH];
	struct stat s;
	int rc;

	if (strcmp(name, ".") == 0)
		return 0;
	rc = check_above(&w->stat, w->path[0] ? w->path : "/", err);
	if (rc < 0)
		return rc;
	if (strcmp(name, "..") == 0)
		return go_up(w, err);
	if (snprintf(path, sizeof path, "%s/%s", w->path, name) >= (int)sizeof path)
		return too_long(w, err);
	bool there = fstatat(w->fd, name, &s, AT_SYMLINK_NOFOLLOW) == 0;
	if (!there && errno != ENOENT)
		return not_seen(path, err);
	if (there && S_ISLNK(s.st_mode))
		return follow(w, name, path, &s, err);
	memcpy(w->path, path, strlen(path) + 1);
	return there ? enter(w, openat(w->fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
			     err) :
		       1;
}

/* Takes the next name off the front of the rest. false: the rest is empty. */
static bool next_name(struct walk *w, char name[FL_TRUST_PATH])
{
	size_t skip = strspn(w->rest, "/"), n = strcspn(w->rest + skip, "/");

	memcpy(name, w->rest + skip, n);
	name[n] = '\0';
	memmove(w->rest, w->rest + skip + n, strlen(w->rest + skip + n) + 1);
	return n > 0;
}

int fl_trust_path(const char *path, char ret[FL_TRUST_PATH], fairlead_error *err)
{
	struct walk w = { .fd = -1 };
	char name[FL_TRUST_PATH];
	int rc;

	if (strlen(path) >= sizeof w.rest)
		return fl_fail(err, FAIRLEAD_EIO, "the path %.64s... is too long", path);
	memcpy(w.rest, path, strlen(path) + 1);
	rc = begin_at_root(&w, err);
	while (rc == 0 && next_name(&w, name))
		rc = step(&w, name, err);
	if (rc == 0)
		rc = check_owner(&w.stat, w.path, err);
	if (rc == 0)
		rc = check_mode(&w.stat, w.path, err);
	if (rc == 1 && next_name(&w, name))
		rc = fl_fail(err, FAIRLEAD_EIO, "there is no folder %s", w.path);
	(void)close(w.fd);
	if (rc < 0)
		return rc;
	(void)snprintf(ret, FL_TRUST_PATH, "%s", w.path[0] ? w.path : "/");
	return 0;
}

/* --- its entries --- */

static int check_entry(int folder, const char *path, const char *name, fairlead_error *err)
{
	char whole[FL_TRUST_PATH + 300];
	struct stat s;
	int rc;

	(void)snprintf(whole, sizeof whole, "%s/%s", path, name);
	if (fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : not_seen(whole, err);
	rc = check_owner(&s, whole, err);
	return rc == 0 && (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode)) ? check_mode(&s, whole, err) :
								       rc;
}

int fl_trust_entries(const char *path, fairlead_error *err)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int rc = 0;

	if (!dir)
		return errno == ENOENT ? 0 : not_seen(path, err);
	while (rc == 0 && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rc = check_entry(dirfd(dir), path, entry->d_name, err);
	(void)closedir(dir);
	return rc;
}

/* --- a folder alone --- */

static int check_folder(const struct stat *s, const char *path, fairlead_error *err)
{
	const bool is_ours = s->st_uid == 0 || s->st_uid == geteuid();
	char whose[40];

	if (is_ours && !(s->st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	(void)snprintf(whose, sizeof whose, "user %u", s->st_uid);
	fl_fail(err, FAIRLEAD_EIO, "%s can write to %s, and so change what the daemon remembers",
		!is_ours             ? whose :
		s->st_mode & S_IWOTH ? "all users" :
				       "its group",
		path);
	return fl_fail_hint(err,
			    "choose a folder in it, which the daemon makes for itself: "
			    "--state %s/state",
			    path);
}

int fl_trust_folder(const char *path, char ret[FL_TRUST_PATH], fairlead_error *err)
{
	char resolved[PATH_MAX];
	struct stat s;

	if (strlen(path) >= FL_TRUST_PATH)
		return fl_fail(err, FAIRLEAD_EIO, "the path %.64s... is too long", path);
	if (!realpath(path, resolved)) {
		if (errno != ENOENT)
			return not_seen(path, err);
		memmove(ret, path, strlen(path) + 1);
		return 0;
	}
	if (stat(resolved, &s) != 0)
		return not_seen(resolved, err);
	if (!S_ISDIR(s.st_mode))
		return fl_fail(err, FAIRLEAD_EIO, "%s is no folder", resolved);
	int rc = check_folder(&s, resolved, err);
	if (rc == 0)
		memcpy(ret, resolved, strlen(resolved) + 1);
	return rc;
}
