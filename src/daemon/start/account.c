/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/start/account.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

int fl_account_find(const char *name, struct fl_account *ret, fairlead_error *err)
{
	const struct passwd *p = getpwnam(name ? name : FL_ACCOUNT_NAME);

	if (p) {
		*ret = (struct fl_account){ .uid = p->pw_uid, .gid = p->pw_gid, .named = true };
		return 0;
	}
	if (name) {
		fl_fail(err, FAIRLEAD_EINPUT, "there is no account '%.100s'", name);
		return fl_fail_hint(err, "make it: useradd --system --no-create-home %.100s", name);
	}
	*ret = (struct fl_account){ .uid = FL_ACCOUNT_NUMBER, .gid = FL_ACCOUNT_NUMBER };
	if (!getpwuid(ret->uid))
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "there is no account '%s' for the daemon", FL_ACCOUNT_NAME);
	return fl_fail_hint(err, "make it: useradd --system --no-create-home %s, or say --account",
			    FL_ACCOUNT_NAME);
}

int fl_account_become(const struct fl_account *a, fairlead_error *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
	uid_t real, effective, saved;

	if (setgroups(0, NULL) != 0 || setresgid(a->gid, a->gid, a->gid) != 0 ||
	    setresuid(a->uid, a->uid, a->uid) != 0 || syscall(SYS_capset, &head, none) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot become user %u: %s", a->uid,
			       strerror(errno));
	if (getresuid(&real, &effective, &saved) != 0 || real != a->uid || effective != a->uid ||
	    saved != a->uid || (a->uid != 0 && setuid(0) == 0))
		return fl_fail(err, FAIRLEAD_EIO, "cannot give up root");
	return 0;
}

/* --- the state folder --- */

enum { DEEPEST = 4 /* STATE/runs/JOB/ATTEMPT */ };

/*
 * What belongs to others stays theirs: the start refuses it.  A folder changes behind all in it, so one
 * that has changed is done.
 */
static int take_entry(const struct fl_account *a, int at, const char *name, int depth)
{
	FL_FD it = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat s;

	/* It is this one that is looked at and given, whatever its name means by then. */
	if (it < 0 || fstat(it, &s) != 0)
		return errno == ENOENT ? 0 : -1;
	bool is_ours = s.st_uid == 0 && (S_ISDIR(s.st_mode) || s.st_nlink == 1);
	if (S_ISDIR(s.st_mode) && depth < DEEPEST && (is_ours || depth == 0)) {
		FL_DIR dir = NULL;
		struct dirent *entry;
		int fd = openat(it, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0 || !(dir = fdopendir(fd))) {
			fl_fd_close(&fd);
			return -1;
		}
		while (errno = 0, (entry = readdir(dir)))
			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			    take_entry(a, dirfd(dir), entry->d_name, depth + 1) != 0)
				return -1;
		if (errno != 0)
			return -1;
	}
	return is_ours ? fchownat(it, "", a->uid, a->gid, AT_EMPTY_PATH) : 0;
}

int fl_account_take(const struct fl_account *a, const char *state, fairlead_error *err)
{
	struct stat s;
	int rc = mkdir(state, 0700) == 0 || errno == EEXIST ? lstat(state, &s) : -1;

	if (rc == 0 && (s.st_uid == 0 || s.st_uid == a->uid))
		rc = take_entry(a, AT_FDCWD, state, 0);
	return rc == 0 ? 0 :
			 fl_fail(err, FAIRLEAD_EIO, "%s cannot become the folder of user %u: %s",
				 state, a->uid, strerror(errno));
}
