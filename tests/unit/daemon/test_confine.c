/* SPDX-License-Identifier: Apache-2.0 */
/* Daemons that were taken over, and a copy of one that answers a question: what the kernel lets them call. */
#include <errno.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/engine/process/confine.h"
#include "lib/unit.h"

/* Requests of the kernel are 32 bits: what stands above them is nothing. */
static const unsigned long above = 1UL << 32;

static long do_exec(void) { return execl("/bin/true", "true", NULL); }
static long do_exec_at(void) { return syscall(SYS_execveat, -1, "/bin/true", NULL, NULL, 0); }
static long do_type(void) { return ioctl(0, TIOCSTI, "x"); }
static long do_type_above(void) { return syscall(SYS_ioctl, 0, above | TIOCSTI, "x"); }
static long do_paste(void) { return ioctl(0, TIOCLINUX, "\3"); }
static long do_network(void) { return socket(AF_INET, SOCK_STREAM, 0); }
static long do_trace(void) { return syscall(SYS_ptrace, 0, 0, 0, 0); }
static long do_unshare(void) { return unshare(CLONE_NEWUSER); }
static long do_key(void) { return syscall(SYS_keyctl, 0, 0); }
static long do_become(void) { return setuid(0); }

static long do_pipe(void)
{
	int ends[2], more = 1;

	return pipe(ends) == 0 && ioctl(ends[0], FIONBIO, &more) == 0 &&
			       ioctl(ends[0], FIONREAD, &more) == 0 ?
		       0 :
		       -1;
}

static long do_unix(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static long do_fork(void) { return fork(); }

static long do_memory(void)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? -1 : 0;
}

static long do_packets(void) { return socket(AF_PACKET, SOCK_RAW, 0); }
static long do_copy_apart(void) { return syscall(SYS_clone, CLONE_NEWUSER, 0, 0, 0, 0); }
static bool watcher(void) { return fl_confine_watcher(/* programs= */ false); }
static bool with_programs(void) { return fl_confine_watcher(/* programs= */ true); }

/* Is it refused with EPERM in a process that @confine has confined? */
static bool is_refused(bool (*confine)(void), long (*call)(void))
{
	int how = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (!confine())
			_exit(3);
		errno = 0;
		_exit(call() >= 0 ? 0 : errno == EPERM ? 1 : 2);
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	assert_true(WIFEXITED(how) && WEXITSTATUS(how) < 2);
	return WEXITSTATUS(how) == 1;
}

TEST(confines)
{
	static const struct {
		const char *name;
		long (*call)(void);
		bool daemon, copy, watcher, programs; /* may do it */
	} rows[] = {
		{ "exec", do_exec, false, false, false, true },
		{ "exec of a file", do_exec_at, false, false, false, true },
		{ "type into a terminal", do_type, false, false, false, false },
		{ "with bits above", do_type_above, false, false, false, false },
		{ "paste into a terminal", do_paste, false, false, false, false },
		{ "network", do_network, false, false, true, true },
		{ "packets", do_packets, false, false, false, false },
		{ "a copy in a namespace", do_copy_apart, false, false, false, false },
		{ "trace", do_trace, false, false, false, false },
		{ "namespaces", do_unshare, false, false, false, false },
		{ "keys", do_key, false, false, false, false },
		/* With programs as far as its capabilities go: a daemon that gave up root has none. */
		{ "another user", do_become, false, false, false, true },
		{ "pipes", do_pipe, true, false, true, true },
		{ "its socket", do_unix, true, false, true, true },
		{ "copies", do_fork, true, false, true, true },
		{ "memory", do_memory, true, true, true, true },
	};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip();
#endif
	for (size_t i = 0; i < COUNT(rows); i++) {
		CHECK(is_refused(fl_confine_daemon, rows[i].call) == !rows[i].daemon, rows[i].name);
		CHECK(is_refused(watcher, rows[i].call) == !rows[i].watcher, rows[i].name);
		CHECK(is_refused(with_programs, rows[i].call) == !rows[i].programs, rows[i].name);
		CHECK(is_refused(fl_confine_copy, rows[i].call) == !rows[i].copy, rows[i].name);
	}
}

UNIT_GROUP("confine")
