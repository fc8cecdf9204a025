/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/spawn/start.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/process/namespace.h"
#include "backend/process/signals.h"

enum {
	GROUPS = 65536, /* NGROUPS_MAX of Linux */
	FIRST = 3,      /* descriptor of a runner */
	NOBODY = 65534, /* a group that owns nothing */
};

/* --- the user --- */

/*
 * The groups are those of the account, whatever the daemon says; the group of the run must be one of
 * them.  A number without an account has that group alone, which then has no name either: it could be
 * the group of users, or of a system's program, with which the run has nothing to do.
 */
static enum fl_spawn_stage take_groups(const struct fl_spawn_table *t,
				       const struct fl_spawn_request *r)
{
	gid_t *groups = calloc(GROUPS, sizeof *groups);
	const struct passwd *user = getpwuid(r->uid);
	int n = GROUPS;
	bool member = false;

	if (!groups)
		return FL_SPAWN_USER;
	if (!user) {
		groups[0] = r->gid;
		n = 1;
		member = r->gid >= t->first && r->gid != t->group && !getgrgid(r->gid);
	} else if (getgrouplist(user->pw_name, user->pw_gid, groups, &n) < 0) {
		return FL_SPAWN_USER;
	}
	for (int i = 0; i < n; i++)
		member |= user && groups[i] == r->gid;
	if (!member) {
		errno = EPERM;
		return FL_SPAWN_MEMBER;
	}
	return setgroups((size_t)n, groups) == 0 ? FL_SPAWN_STAGES : FL_SPAWN_USER;
}

/*
 * Gives the run a keyring of its own: otherwise all runs of all users could use the keys of the
 * session in which the daemon was started.  If the kernel has no keyrings, or forbids it (ENOSYS,
 * EPERM), no run gets one.  Made as root, which may have many keys; the user's own keys are found
 * through it as in any session.
 */
static int have_keys(void)
{
	bool made = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0;

	return made || errno == ENOSYS || errno == EPERM ? 0 : -1;
}

static void find_own_keys(void)
{
	(void)syscall(SYS_keyctl, KEYCTL_LINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_SESSION_KEYRING);
}

/* Drops capabilities, also if the kernel would keep them over a change of user (securebits). */
static int drop_privileges(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return (int)syscall(SYS_capset, &head, none);
}

/*
 * For good.  The real group is another than the effective one until the runner changes it: so the
 * kernel lets no user trace the program from its first moment (runner.c).
 */
static int become(const struct fl_spawn_request *r)
{
	uid_t real, effective, saved;

	if (have_keys() != 0 ||
	    setresgid(r->gid == NOBODY ? NOBODY - 1 : NOBODY, r->gid, r->gid) != 0 ||
	    setresuid(r->uid, r->uid, r->uid) != 0)
		return -1;
	if (getresuid(&real, &effective, &saved) != 0 || real != r->uid || effective != r->uid ||
	    saved != r->uid) {
		errno = EPERM;
		return -1;
	}
	find_own_keys();
	if (r->uid != 0 && drop_privileges() != 0)
		return -1;
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* --- descriptors --- */

/* Those of the request, then those of the group, become 3, 4 and so on; all others are closed. */
static int put_files(const struct fl_spawn_request *r, const int *files,
		     const struct fl_group_files *group, int *report)
{
	int n = (int)r->n_files + (group ? FL_GROUP_FILES : 0);
	int of_group[FL_GROUP_FILES] = { group ? group->procs : -1, group ? group->kill : -1,
					 group ? group->folder : -1 };
	int *high = calloc((size_t)n, sizeof *high), null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (!high || null < 0)
		return -1;
	*report = fcntl(*report, F_DUPFD_CLOEXEC, FIRST + n);
	if (*report < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		int from = i < (int)r->n_files ? files[i] : of_group[i - (int)r->n_files];

		/* A kernel without cgroup.kill. */
		high[i] = fcntl(from < 0 ? null : from, F_DUPFD_CLOEXEC, FIRST + n);
		if (high[i] < 0)
			return -1;
	}
	for (int i = 0; i < FIRST; i++)
		if (dup2(null, i) < 0)
			return -1;
	for (int i = 0; i < n; i++)
		if (dup2(high[i], FIRST + i) < 0)
			return -1;
	return close_range((unsigned)(FIRST + n), ~0U, CLOSE_RANGE_CLOEXEC);
}

/* --- the child --- */

static _Noreturn void fail(int report, enum fl_spawn_stage stage)
{
	struct fl_spawn_failure f = { .stage = stage, .why = errno };

	_exit(write(report, &f, sizeof f) == sizeof f ? 126 : 127);
}

static _Noreturn void be_runner(const struct fl_spawn_for *with, const struct fl_spawn_request *r,
				const int *files, const struct fl_group_files *group, int report)
{
	char run[64], place[4200], number[24], how[8], limit[48];
	/* Sanitizers of a build for tests are told what to do by these. */
	static const char *const kept[] = { "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS" };
	char *argv[] = { (char *)(uintptr_t)with->table->runner, place, number, how, NULL };
	char *environment[8] = { run, limit, NULL };
	pid_t pid = getpid();

	fl_signals_plain();
	if (r->flags & FL_SPAWN_ALONE && fl_namespace_see(&pid) != 0)
		fail(report, FL_SPAWN_NAMESPACE);
	if (setsid() < 0 || put_files(r, files, group, &report) != 0)
		fail(report, FL_SPAWN_DESCRIPTORS);
	for (int i = 0, n = 2; i < 3; i++)
		if (getenv(kept[i]))
			environment[n++] = getenv(kept[i]) - strlen(kept[i]) - 1;
	enum fl_spawn_stage stage = take_groups(with->table, r);
	if (stage != FL_SPAWN_STAGES)
		fail(report, stage);
	umask(022);
	if (chdir("/") != 0 || become(r) != 0)
		fail(report, FL_SPAWN_USER);
	(void)snprintf(run, sizeof run, "FAIRLEAD_RUN=%s", r->token);
	(void)snprintf(limit, sizeof limit, "FAIRLEAD_FILES=%llu",
		       (unsigned long long)with->files.rlim_cur);
	/* For people that list processes. */
	(void)snprintf(place, sizeof place, "%s/runs/%llu/%u", with->table->state,
		       (unsigned long long)r->job, r->attempt);
	(void)snprintf(number, sizeof number, "%ld", (long)pid);
	(void)snprintf(how, sizeof how, "-%s%s%s", group ? "g" : "",
		       r->flags & FL_SPAWN_ALONE || (group && group->kill >= 0) ? "c" : "",
		       r->flags & FL_SPAWN_CLIENT ? "i" : "");
	execve(with->table->runner, argv, environment);
	fail(report, FL_SPAWN_RUNNER);
}

pid_t fl_spawn_start(const struct fl_spawn_for *with, const struct fl_spawn_request *r,
		     const int *files, const struct fl_group_files *group, int report, int *pidfd)
{
	pid_t pid = fl_namespace_fork(r->flags & FL_SPAWN_ALONE, pidfd);

	if (pid == 0)
		be_runner(with, r, files, group, report);
	return pid;
}
