/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_task - a task: from a child of the runner to the command of the user
 *
 * First all processes are made and set up (session, user, folder, files); each reports that it is
 * ready and waits.  When all are ready they begin together.  A task ends with its runner.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/local/runner.h"

/* --- user --- */

enum { GROUPS = 65536 /* NGROUPS_MAX of Linux */ };

int fl_user_enter(const struct fl_attempt_spec *spec, fairlead_error *err)
{
	int n = GROUPS;

	if (geteuid() != 0) {
		if (spec->uid == geteuid())
			return 0;
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "the daemon runs as user %u and cannot run jobs of user %u; only a "
			       "daemon that runs as root can",
			       geteuid(), spec->uid);
	}
	gid_t *groups = calloc(GROUPS, sizeof *groups);
	if (!groups)
		return fl_fail_nomem(err);
	const struct passwd *user = getpwuid(spec->uid);
	groups[0] = spec->gid;
	if (!user || getgrouplist(user->pw_name, spec->gid, groups, &n) < 0)
		n = 1;
	int rc = setgroups((size_t)n, groups) == 0 ?
			 0 :
			 fl_fail(err, FAIRLEAD_EIO, "cannot take the groups of user %u: %s",
				 spec->uid, strerror(errno));
	free(groups);
	return rc;
}

/*
 * Gives the job a keyring of its own: otherwise all jobs of all users could use the keys of the
 * session in which the daemon was started.  If the kernel has no keyrings, or forbids it (ENOSYS,
 * EPERM), no job gets one.  Made as root, which may have many keys; the user's own keys are found
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

int fl_user_become(const struct fl_attempt_spec *spec)
{
	uid_t real, effective, saved;

	/*
	 * Until it becomes the command it has our descriptors, so it must not be traced; the
	 * command may be.
	 */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return -1;
	if (geteuid() != 0)
		/* Setuid programs get no other rights: we could not kill them. */
		return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (have_keys() != 0 || setresgid(spec->gid, spec->gid, spec->gid) != 0 ||
	    setresuid(spec->uid, spec->uid, spec->uid) != 0)
		return -1;
	if (getresuid(&real, &effective, &saved) != 0 || real != spec->uid ||
	    effective != spec->uid || saved != spec->uid) {
		errno = EPERM;
		return -1;
	}
	find_own_keys();
	if (spec->uid != 0 && drop_privileges() != 0)
		return -1;
	/* The change of user may have reset it. */
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* --- environment --- */

/* Variables that we set; those of the user with these names are left out. */
static const char *const ours[] = {
	"FAIRLEAD_RUN",         "FAIRLEAD_JOB_ID",  "FAIRLEAD_JOB_NAME", "FAIRLEAD_ATTEMPT",
	"FAIRLEAD_TASK",        "FAIRLEAD_TASKS",   "FAIRLEAD_QUEUE",    "FAIRLEAD_ARRAY_ID",
	"FAIRLEAD_ARRAY_INDEX", "FAIRLEAD_DEVICES",
};
enum { OURS = sizeof ours / sizeof *ours, MORE = OURS + 3 };

static bool is_name(const char *text, const char *name)
{
	size_t n = strlen(name);

	return strncmp(text, name, n) == 0 && text[n] == '=';
}

static bool is_taken(const struct fl_attempt_spec *spec, const char *text)
{
	for (size_t i = 0; i < OURS; i++)
		if (is_name(text, ours[i]))
			return true;
	return spec->numbered && is_name(text, "CUDA_VISIBLE_DEVICES");
}

/* @n texts in @len bytes, each ended by a NUL, as a list ended by NULL, with room for @more. */
static char **list_of(const char *texts, uint32_t len, uint32_t more, uint32_t *ret_n)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < len; i++)
		n += texts[i] == 0;
	char **list = calloc((size_t)n + more + 1, sizeof *list);
	if (!list)
		return NULL;
	n = 0;
	for (uint32_t at = 0; at < len; at += (uint32_t)strlen(texts + at) + 1)
		list[n++] = (char *)(uintptr_t)(texts + at);
	*ret_n = n;
	return list;
}

/* Numbers of the devices of @task: the devices are divided among the tasks. */
static char *devices_of(const struct fl_attempt_spec *spec, uint32_t task)
{
	uint32_t each = spec->n_devices / spec->tasks;
	char *text = calloc(each + 1, 12), *at = text;

	for (uint32_t i = 0; text && i < each; i++)
		at += sprintf(at, "%s%u", i ? "," : "", spec->devices[task * each + i]);
	return text;
}

static const char *name_of(const struct fl_attempt_spec *spec)
{
	const char *last = strrchr(spec->command, '/');

	if (*spec->name)
		return spec->name;
	return last ? last + 1 : spec->command;
}

__attribute__((format(printf, 3, 4))) static bool add(char **list, uint32_t *n, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	bool done = vasprintf(&list[*n], format, args) >= 0;
	va_end(args);
	if (done)
		++*n;
	return done;
}

/* NULL: no memory. Never freed: the process becomes another program next. */
static char **environment_of(const struct fl_attempt_spec *spec, uint32_t task)
{
	char *devices = devices_of(spec, task);
	uint32_t n, kept = 0;
	char **list = list_of(spec->environment, spec->environment_len, MORE, &n);
	bool ordered = false;

	if (!list || !devices)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		ordered = ordered || is_name(list[i], "CUDA_DEVICE_ORDER");
		if (!is_taken(spec, list[i]))
			list[kept++] = list[i];
	}
	n = kept;
	bool done = add(list, &n, "FAIRLEAD_RUN=%s", spec->token) &&
		    add(list, &n, "FAIRLEAD_JOB_ID=%llu", (unsigned long long)spec->job) &&
		    add(list, &n, "FAIRLEAD_JOB_NAME=%s", name_of(spec)) &&
		    add(list, &n, "FAIRLEAD_ATTEMPT=%u", spec->attempt) &&
		    add(list, &n, "FAIRLEAD_TASK=%u", task) &&
		    add(list, &n, "FAIRLEAD_TASKS=%u", spec->tasks) &&
		    add(list, &n, "FAIRLEAD_QUEUE=%s", spec->queue) &&
		    add(list, &n, "FAIRLEAD_DEVICES=%s", devices);
	if (done && spec->array != 0)
		done = add(list, &n, "FAIRLEAD_ARRAY_ID=%llu", (unsigned long long)spec->array) &&
		       add(list, &n, "FAIRLEAD_ARRAY_INDEX=%u", spec->array_index);
	if (done && spec->numbered)
		done = add(list, &n, "CUDA_VISIBLE_DEVICES=%s", devices) &&
		       (ordered || add(list, &n, "CUDA_DEVICE_ORDER=PCI_BUS_ID"));
	list[n] = NULL;
	return done ? list : NULL;
}

/* --- from child to command --- */

enum stage { READY, SESSION, GROUP, NAMESPACE, USER, FILES, DIRECTORY, ENVIRONMENT, COMMAND };

struct report {
	uint32_t task;
	int32_t stage, why; /* errno */
};

static void say(const struct fl_tasks *t, uint32_t task, enum stage stage)
{
	struct report r = { .task = task, .stage = stage, .why = stage == READY ? 0 : errno };

	/*
	 * Short enough for one write to a pipe; an error is ignored: without the runner we end
	 * anyway.
	 */
	if (write(t->report[1], &r, sizeof r) != sizeof r)
		_exit(126);
}

static _Noreturn void fail(const struct fl_tasks *t, uint32_t task, enum stage stage)
{
	say(t, task, stage);
	_exit(127);
}

static void plain_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void be_task(struct fl_tasks *t, uint32_t task, int out, int err)
{
	const struct fl_attempt_spec *spec = t->spec;
	uint32_t n;
	char byte;

	close(t->go[1]);
	if (setsid() < 0)
		fail(t, task, SESSION);
	if (t->group >= 0 && write(t->group, "0", 1) != 1)
		fail(t, task, GROUP);
	if (spec->alone && fl_namespace_see(&t->namespace) != 0)
		fail(t, task, NAMESPACE);
	if (fl_user_become(spec) != 0)
		fail(t, task, USER);
	/* Set after the change of user, which clears it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		fail(t, task, SESSION);
	/* A parent in another namespace of processes has number 0 here. */
	if (getppid() != (spec->alone ? 0 : t->runner))
		_exit(126);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		fail(t, task, FILES);
	umask(022);
	if (chdir(spec->directory) != 0)
		fail(t, task, DIRECTORY);
	char **command = list_of(spec->command, spec->command_len, 0, &n);
	char **environment = environment_of(spec, task);
	errno = ENOMEM;
	if (!command || !environment)
		fail(t, task, ENVIRONMENT);
	setrlimit(RLIMIT_NOFILE, &t->files);
	say(t, task, READY);
	while (read(t->go[0], &byte, 1) < 0 && errno == EINTR)
		continue;
	plain_signals();
	environ = environment; /* its PATH is searched */
	execvp(command[0], command);
	fail(t, task, COMMAND);
}

static int fail_fork(const struct fl_tasks *t, uint32_t task, const char *what, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EIO, "cannot make %s for task %u of %u: %s", what, task + 1,
		       t->spec->tasks, strerror(errno));
}

static int fork_task(struct fl_tasks *t, uint32_t task, fairlead_error *err)
{
	int out[2], errs[2];

	if (pipe2(out, O_CLOEXEC) != 0)
		return fail_fork(t, task, "a pipe", err);
	if (pipe2(errs, O_CLOEXEC) != 0) {
		close(out[0]);
		close(out[1]);
		return fail_fork(t, task, "a pipe", err);
	}
	pid_t pid = fork();
	if (pid == 0)
		be_task(t, task, out[1], errs[1]);
	int rc = pid < 0 ? fail_fork(t, task, "a process", err) : 0;
	close(out[1]);
	close(errs[1]);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(errs[0], F_SETFL, O_NONBLOCK);
	t->outputs->ends[2 * task].fd = out[0];
	t->outputs->ends[2 * task + 1].fd = errs[0];
	if (rc == 0)
		t->pids[task] = pid;
	return rc;
}

int fl_tasks_fork(struct fl_tasks *t, fairlead_error *err)
{
	if (pipe2(t->report, O_CLOEXEC) != 0 || pipe2(t->go, O_CLOEXEC) != 0)
		return fail_fork(t, 0, "a pipe", err);
	int rc = t->spec->alone ? fl_namespace_make(&t->namespace, err) : 0;
	for (uint32_t task = 0; task < t->spec->tasks && rc == 0; task++)
		rc = fork_task(t, task, err);
	if (rc == 0 && t->spec->alone)
		rc = fl_namespace_leave(&t->namespace, err);
	if (rc != 0)
		return rc;
	close(t->report[1]);
	close(t->go[0]);
	t->report[1] = t->go[0] = -1;
	return 0;
}

int fl_start_code(int why)
{
	switch (why) {
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case EACCES:
	case EPERM:
	case EROFS:
	case ELOOP:
	case ENAMETOOLONG:
	case ENOEXEC:
	case E2BIG:
		return FAIRLEAD_EINPUT;
	default:
		return FAIRLEAD_EIO;
	}
}

int fl_tasks_hear(struct fl_tasks *t, fairlead_error *err)
{
	const struct fl_attempt_spec *spec = t->spec;
	struct report r;
	ssize_t n;

	while ((n = read(t->report[0], &r, sizeof r)) < 0 && errno == EINTR)
		continue;
	if (n != sizeof r)
		return 1;
	const char *why = strerror(r.why);
	switch ((enum stage)r.stage) {
	case READY:
		return 0;
	case SESSION:
		return fl_fail(err, FAIRLEAD_EIO, "cannot have a session of its own: %s", why);
	case GROUP:
		return fl_fail(err, FAIRLEAD_EIO, "cannot enter the control group %s: %s",
			       spec->group, why);
	case NAMESPACE:
		return fl_fail(err, FAIRLEAD_EIO, "cannot enter its namespace: %s", why);
	case USER:
		return fl_fail(err, FAIRLEAD_EIO, "cannot run as user %u: %s", spec->uid, why);
	case FILES:
		return fl_fail(err, FAIRLEAD_EIO, "cannot open its standard files: %s", why);
	case DIRECTORY:
		return fl_fail(err, fl_start_code(r.why), "cannot go to the directory '%s': %s",
			       spec->directory, why);
	case ENVIRONMENT:
		return fl_fail(err, FAIRLEAD_EIO, "no memory for its environment");
	case COMMAND:
		break;
	}
	return fl_fail(err, fl_start_code(r.why), "cannot run '%s': %s", spec->command, why);
}

void fl_tasks_go(struct fl_tasks *t)
{
	close(t->go[1]);
	t->go[1] = -1;
}
