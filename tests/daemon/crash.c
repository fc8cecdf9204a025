/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash - a library for LD_PRELOAD: its process is killed, or told that the disk is full, at one
 * call that changes what is on the disk or starts a process
 *
 *     CRASH_AT=N      the N-th such call of the process, from 1; 0: none
 *     CRASH_HOW=...   "before" it is made, "after" it was, or "full": it is not made and fails
 *     CRASH_LOG=FILE  where the number and name of that call go; without one, how many there were
 *
 * Of the process alone: what it starts does not have the library, and its copies do not count.
 * Threads count together, so which call is the N-th may differ from run to run.
 */
#undef _FILE_OFFSET_BITS /* both kinds of calls by their own names */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum how { BEFORE, AFTER, FULL };

static pid_t self;
static long at;
static enum how how;
static char log_file[512];
static atomic_long calls;

/* By the kernel at once: nothing of ours may be counted. */
static void tell(const char *name, long n)
{
	char line[100];
	int len = snprintf(line, sizeof line, "%ld %s\n", n, name);
	long fd = syscall(SYS_openat, AT_FDCWD, log_file, O_WRONLY | O_APPEND | O_CREAT, 0600);

	if (fd < 0)
		return;
	(void)syscall(SYS_write, fd, line, len);
	(void)syscall(SYS_close, fd);
}

static void die(void) { (void)syscall(SYS_kill, self, SIGKILL); }

__attribute__((constructor)) static void begin(void)
{
	const char *n = getenv("CRASH_AT"), *when = getenv("CRASH_HOW"),
		   *file = getenv("CRASH_LOG");

	self = getpid();
	at = n ? atol(n) : 0;
	how = !when || strcmp(when, "before") == 0 ? BEFORE :
	      strcmp(when, "full") == 0            ? FULL :
						     AFTER;
	(void)snprintf(log_file, sizeof log_file, "%s", file ? file : "");
	(void)unsetenv("LD_PRELOAD");
	(void)unsetenv("CRASH_AT");
}

__attribute__((destructor)) static void end(void)
{
	if (getpid() == self && at == 0)
		tell("calls", atomic_load(&calls));
}

/* This call is the one. */
static int is_it(const char *name)
{
	int keep = errno;

	if (getpid() != self || atomic_fetch_add(&calls, 1) + 1 != at)
		return 0;
	tell(name, at);
	if (how == BEFORE)
		die();
	errno = keep;
	return 1;
}

/* The function of the C library; through memory, as C has no other way from one kind of pointer to
 * the other. */
#define FIND(real, name)                                                                           \
	do {                                                                                       \
		void *found = (real) ? NULL : dlsym(RTLD_NEXT, name);                              \
		if (found)                                                                         \
			memcpy(&(real), &found, sizeof(real));                                     \
	} while (0)

#define CALL(result, name, parameters, arguments)                                                  \
	result name parameters                                                                     \
	{                                                                                          \
		static result(*real) parameters;                                                   \
		int one = is_it(#name);                                                            \
		FIND(real, #name);                                                                 \
		if (one && how == FULL) {                                                          \
			errno = ENOSPC;                                                            \
			return (result)-1;                                                         \
		}                                                                                  \
		result got = real arguments;                                                       \
		if (one)                                                                           \
			die();                                                                     \
		return got;                                                                        \
	}

CALL(int, fsync, (int fd), (fd))
CALL(int, fdatasync, (int fd), (fd))
CALL(ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t to), (fd, b, n, to))
CALL(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t to), (fd, b, n, to))
CALL(int, ftruncate64, (int fd, off64_t n), (fd, n))
CALL(int, ftruncate, (int fd, off_t n), (fd, n))
CALL(int, rename, (const char *a, const char *b), (a, b))
CALL(int, renameat, (int d, const char *a, int e, const char *b), (d, a, e, b))
CALL(int, linkat, (int d, const char *a, int e, const char *b, int f), (d, a, e, b, f))
CALL(int, mkdirat, (int d, const char *a, mode_t m), (d, a, m))
CALL(int, unlinkat, (int d, const char *a, int f), (d, a, f))
CALL(int, unlink, (const char *a), (a))
CALL(pid_t, fork, (void), ())

/* Its own way of failing. */
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	static int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);
	int one = is_it("posix_spawn");

	FIND(real, "posix_spawn");
	if (one && how == FULL)
		return ENOMEM;
	int got = real(pid, path, actions, attributes, argv, envp);
	if (one)
		die();
	return got;
}
