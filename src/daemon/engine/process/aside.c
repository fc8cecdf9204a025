/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/process/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/engine/process/confine.h"

/* Of this process, in bytes. */
struct memory {
	uint64_t reserved; /* address space */
	uint64_t resident;
	uint64_t data; /* that it may write to */
};

/* False: not known. */
static bool own_memory(struct memory *ret)
{
	unsigned long long pages[6];
	FILE *f = fopen("/proc/self/statm", "re");
	bool known = f && fscanf(f, "%llu %llu %llu %llu %llu %llu", &pages[0], &pages[1],
				 &pages[2], &pages[3], &pages[4], &pages[5]) == 6;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (f)
		(void)fclose(f);
	if (known)
		*ret = (struct memory){ pages[0] * page, pages[1] * page, pages[5] * page };
	return known;
}

bool fl_aside_fits(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	struct memory own;

	return !own_memory(&own) || pages <= 0 ||
	       own.resident / (uint64_t)page <= (uint64_t)pages / 2;
}

static void limit(int what, uint64_t most, uint64_t end)
{
	const struct rlimit r = { most, end };

	(void)setrlimit((__rlimit_resource_t)what, &r);
}

/* The copy closes all files of the daemon, so that none stays open or is written to here. */
static void begin(int fd, pid_t parent, const struct fl_aside *limits)
{
	struct memory own;
	bool known = limits->bytes && own_memory(&own);
	sigset_t none;

	if (dup2(fd, FL_ASIDE_PIPE) < 0)
		_exit(1);
	for (int i = 0; i < 3; i++) {
		int null = open("/dev/null", O_RDWR);

		if (null >= 0 && null != i)
			(void)dup2(null, i);
	}
	if (close_range(FL_ASIDE_PIPE + 1, ~0U, 0) != 0)
		_exit(1);
	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* The signal of the first limit tells the parent which one it was. */
	limit(RLIMIT_CPU, limits->seconds, limits->seconds + 5);
	/* The allocator has reserved more than it uses: the second one limits that, too. */
	if (known) {
		limit(RLIMIT_AS, own.reserved + limits->bytes, own.reserved + limits->bytes);
		limit(RLIMIT_DATA, own.data + limits->bytes, own.data + limits->bytes);
	}
	/* No core is written of it: in its memory there are secrets of requests. */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (limits->nice)
		(void)setpriority(PRIO_PROCESS, 0, limits->nice);
	(void)fl_confine_copy();
}

int fl_aside_new(const struct fl_aside *limits, pid_t *ret_pid, int *ret_fd)
{
	const pid_t parent = getpid();
	int fds[2], why;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -1;
	pid = fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0 ? fork() : -1;
	why = errno;
	if (pid == 0) {
		begin(fds[1], parent, limits);
		return 1;
	}
	(void)close(fds[1]);
	if (pid < 0) {
		(void)close(fds[0]);
		errno = why;
		return -1;
	}
	*ret_pid = pid;
	*ret_fd = fds[0];
	return 0;
}

int fl_aside_end(pid_t pid)
{
	int status = 0;

	(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}
