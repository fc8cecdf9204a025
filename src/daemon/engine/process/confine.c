/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/process/confine.h"

#include <errno.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif

#define CALL(name) SCMP_SYS(name)

/* Memory, time, signals of its own, the end. */
static const int of_copies[] = {
	CALL(mmap),         CALL(munmap),      CALL(mremap),         CALL(mprotect),
	CALL(madvise),      CALL(brk),         CALL(futex),          CALL(clock_gettime),
	CALL(gettimeofday), CALL(getrandom),   CALL(sched_yield),    CALL(rt_sigaction),
	CALL(rt_sigreturn), CALL(sigaltstack), CALL(rt_sigprocmask), CALL(restart_syscall),
	CALL(getpid),       CALL(gettid),      CALL(exit),           CALL(exit_group),
	CALL(close),
};

static const int of_daemon[] = {
	/* files */
	CALL(openat),
	CALL(open),
	CALL(read),
	CALL(write),
	CALL(readv),
	CALL(writev),
	CALL(pread64),
	CALL(pwrite64),
	CALL(preadv),
	CALL(pwritev),
	CALL(close_range),
	CALL(stat),
	CALL(fstat),
	CALL(lstat),
	CALL(newfstatat),
	CALL(statx),
	CALL(access),
	CALL(faccessat),
	CALL(faccessat2),
	CALL(readlink),
	CALL(readlinkat),
	CALL(getdents64),
	CALL(lseek),
	CALL(fcntl),
	CALL(flock),
	CALL(fsync),
	CALL(fdatasync),
	CALL(ftruncate),
	CALL(fallocate),
	CALL(fadvise64),
	CALL(sync_file_range),
	CALL(rename),
	CALL(renameat),
	CALL(renameat2),
	CALL(unlink),
	CALL(unlinkat),
	CALL(mkdir),
	CALL(mkdirat),
	CALL(rmdir),
	CALL(linkat),
	CALL(umask),
	CALL(fchmod),
	CALL(chmod),
	CALL(fchown),
	CALL(statfs),
	CALL(fstatfs),
	CALL(dup),
	CALL(dup2),
	CALL(dup3),
	CALL(pipe),
	CALL(pipe2),
	CALL(memfd_create), /* certificates in a kubeconfig */
	CALL(getcwd),
	CALL(sendfile),
	CALL(copy_file_range),
	CALL(utimensat),
	/* sockets; which ones: below */
	CALL(bind),
	CALL(listen),
	CALL(accept),
	CALL(accept4),
	CALL(connect),
	CALL(getsockname),
	CALL(getpeername),
	CALL(getsockopt),
	CALL(setsockopt),
	CALL(sendto),
	CALL(sendmsg),
	CALL(sendmmsg),
	CALL(recvfrom),
	CALL(recvmsg),
	CALL(shutdown),
	/* the loop */
	CALL(epoll_create1),
	CALL(epoll_ctl),
	CALL(epoll_wait),
	CALL(epoll_pwait),
	CALL(poll),
	CALL(ppoll),
	CALL(select),
	CALL(pselect6),
	CALL(eventfd2),
	CALL(timerfd_create),
	CALL(timerfd_settime),
	CALL(signalfd4),
	CALL(inotify_init1),
	CALL(inotify_add_watch),
	CALL(inotify_rm_watch),
	CALL(nanosleep),
	CALL(clock_nanosleep),
	CALL(clock_getres),
	/* threads, copies, processes as they are */
	CALL(set_robust_list),
	CALL(get_robust_list),
	CALL(rseq),
	CALL(sched_getaffinity),
	CALL(membarrier),
	CALL(set_tid_address),
	CALL(wait4),
	CALL(waitid),
	CALL(kill),
	CALL(tgkill),
	CALL(rt_sigpending),
	CALL(rt_sigtimedwait),
	CALL(getppid),
	CALL(getuid),
	CALL(geteuid),
	CALL(getgid),
	CALL(getegid),
	CALL(getresuid),
	CALL(getresgid),
	CALL(getgroups),
	CALL(prctl),
	CALL(seccomp),
	CALL(prlimit64),
	CALL(getrlimit),
	CALL(setrlimit),
	CALL(times),
	CALL(getrusage),
	CALL(sysinfo),
	CALL(uname),
	CALL(pidfd_open),
	CALL(pidfd_send_signal),
};

/*
 * What a terminal or a pipe is asked for.  Not all: it may be started at a terminal of root, into which
 * TIOCSTI would type.
 */
static const scmp_datum_t of_ioctl[] = { FIONBIO, FIOCLEX, FIONREAD, TCGETS, TIOCGWINSZ };

static bool allow_ioctl(scmp_filter_ctx filter)
{
	bool done = true;

	/* The kernel reads 32 bits of the request. */
	for (size_t i = 0; i < sizeof of_ioctl / sizeof *of_ioctl && done; i++)
		done = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(ioctl), 1,
					SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, of_ioctl[i])) == 0;
	return done;
}

static bool allow(scmp_filter_ctx filter, const int *calls, size_t n)
{
	bool done = true;

	for (size_t i = 0; i < n && done; i++) {
		int rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);

		/* One that this machine has not. */
		done = rc == 0 || rc == -EDOM;
	}
	return done;
}

/* Also for threads that there are. */
static bool apply(scmp_filter_ctx filter, bool whole)
{
	bool done = whole && seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
		    seccomp_load(filter) == 0;

	seccomp_release(filter);
	return done;
}

static const scmp_datum_t namespaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWNET |
				       CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

static bool allow_sockets(scmp_filter_ctx filter, int family)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(socket), 1,
				SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)family)) == 0;
}

/* NULL: nothing is confined. */
static scmp_filter_ctx begin_daemon(bool *ret_whole)
{
	scmp_filter_ctx filter = SANITIZED ? NULL : seccomp_init(SCMP_ACT_ERRNO(EPERM));

	*ret_whole = filter && allow(filter, of_copies, sizeof of_copies / sizeof *of_copies) &&
		     allow(filter, of_daemon, sizeof of_daemon / sizeof *of_daemon) &&
		     allow_ioctl(filter) && allow_sockets(filter, AF_UNIX) &&
		     seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(socketpair), 1,
				      SCMP_A0(SCMP_CMP_EQ, AF_UNIX)) == 0 &&
		     seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(clone), 1,
				      SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces, 0)) == 0 &&
		     /* A copy makes itself nicer. */
		     seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(setpriority), 2,
				      SCMP_A0(SCMP_CMP_EQ, PRIO_PROCESS),
				      SCMP_A1(SCMP_CMP_EQ, 0)) == 0 &&
		     /* Its flags cannot be seen: the library takes clone where there is none. */
		     seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), CALL(clone3), 0) == 0;
	return filter;
}

bool fl_confine_daemon(void)
{
	bool whole;
	scmp_filter_ctx filter = begin_daemon(&whole);

	return filter && apply(filter, whole);
}

/* --- a daemon that asks an API server --- */

/* What no program for credentials needs. */
static const int of_admins[] = {
	/* other processes */
	CALL(ptrace),
	CALL(process_vm_readv),
	CALL(process_vm_writev),
	CALL(kcmp),
	CALL(pidfd_getfd),
	CALL(perf_event_open),
	/* namespaces and mounts */
	CALL(unshare),
	CALL(setns),
	CALL(mount),
	CALL(umount2),
	CALL(pivot_root),
	CALL(chroot),
	CALL(open_tree),
	CALL(move_mount),
	CALL(fsopen),
	CALL(fsconfig),
	CALL(fsmount),
	CALL(fspick),
	CALL(mount_setattr),
	CALL(open_by_handle_at),
	/* the kernel and the machine */
	CALL(bpf),
	CALL(userfaultfd),
	CALL(io_uring_setup),
	CALL(io_uring_enter),
	CALL(io_uring_register),
	CALL(init_module),
	CALL(finit_module),
	CALL(delete_module),
	CALL(kexec_load),
	CALL(kexec_file_load),
	CALL(reboot),
	CALL(syslog),
	CALL(acct),
	CALL(swapon),
	CALL(swapoff),
	CALL(quotactl),
	CALL(iopl),
	CALL(ioperm),
	CALL(settimeofday),
	CALL(clock_settime),
	CALL(clock_adjtime),
	CALL(adjtimex),
	CALL(sethostname),
	CALL(setdomainname),
	/* keys of the kernel */
	CALL(add_key),
	CALL(request_key),
	CALL(keyctl),
};

static bool refuse(scmp_filter_ctx filter, const int *calls, size_t n)
{
	bool done = true;

	for (size_t i = 0; i < n && done; i++) {
		int rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), calls[i], 0);

		done = rc == 0 || rc == -EDOM;
	}
	return done;
}

/* Bits of the namespaces, each of which is refused: a rule has all conditions at once. */
static bool refuse_namespaces(scmp_filter_ctx filter)
{
	bool done = true;

	for (scmp_datum_t bit = 1; bit <= namespaces && done; bit <<= 1)
		if (bit & namespaces)
			done = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), CALL(clone), 1,
						SCMP_A0(SCMP_CMP_MASKED_EQ, bit, bit)) == 0;
	return done;
}

static bool refuse_ioctl(scmp_filter_ctx filter, scmp_datum_t request)
{
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), CALL(ioctl), 1,
				SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, request)) == 0;
}

static bool confine_programs(void)
{
	scmp_filter_ctx filter = SANITIZED ? NULL : seccomp_init(SCMP_ACT_ALLOW);
	bool whole =
		filter && refuse(filter, of_admins, sizeof of_admins / sizeof *of_admins) &&
		refuse_namespaces(filter) && refuse_ioctl(filter, TIOCSTI) &&
		refuse_ioctl(filter, TIOCLINUX) &&
		/* Packets, other hosts' memory, ...: none after the one that lists interfaces. */
		seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), CALL(socket), 1,
				 SCMP_A0(SCMP_CMP_GT, AF_NETLINK)) == 0 &&
		seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), CALL(clone3), 0) == 0;

	return filter && apply(filter, whole);
}

bool fl_confine_watcher(bool programs)
{
	scmp_filter_ctx filter;
	bool whole;

	if (programs)
		return confine_programs();
	filter = begin_daemon(&whole);
	return filter && apply(filter, whole && allow_sockets(filter, AF_INET) &&
					       allow_sockets(filter, AF_INET6));
}

bool fl_confine_copy(void)
{
	scmp_filter_ctx filter = SANITIZED ? NULL : seccomp_init(SCMP_ACT_ERRNO(EPERM));
	bool whole = filter && allow(filter, of_copies, sizeof of_copies / sizeof *of_copies);

	if (!filter)
		return false;
	whole = whole && seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(write), 1,
					  SCMP_A0(SCMP_CMP_EQ, 3)) == 0;
	return apply(filter, whole);
}
