/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - fairlead-spawn: what a daemon needs root for, and nothing else
 *
 *     fairlead-spawn ACCOUNT GROUP FIRST LAST ROOT STATE RUNNER SOCKET
 *
 * Started by fairleadd before it gives up root, never by hand: the numbers of its account, the first
 * and the last user whose runs may be started, whether root's may (1), the paths of the state folder, for people that list
 * processes, of the runner, and of the socket of the daemon, which root has made and it removes.
 * Requests come over a socket pair (records.h), which is descriptor 3.
 *
 * What it promises: it starts only that runner, only as users of the table (table.h), with their
 * groups and without privileges; signals and ends only processes of these users; opens no file that a
 * request names; parses no text of users or of the daemon.  A request that no daemon sends is the
 * end of it.  It keeps nothing: killed at any moment, it loses no run, as runners do not
 * need it.  It ends with its daemon.
 *
 * What it cannot do: know whether a user asked for a run. That is the daemon's word.
 *
 * Tested in tests/unit/backend/test_spawn.c, which speaks to it as a daemon that was taken over would,
 * and in tests/daemon/test_spawn.py, which kills it at work.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/process/end.h"
#include "backend/process/namespace.h"
#include "backend/process/process.h"
#include "backend/spawn/start.h"
#include "base/fd.h"

/* Children whose report is awaited: starts, which a look-up of a user may hold up, and all. */
enum { STARTS = 1024, PENDING = 2048, CONTINUE_MS = 1000 };

struct pending {
	uint32_t id, op;
	int report, pidfd;
	pid_t pid;
	char group[FL_GROUP_PATH]; /* of a start: removed when it fails */
};

struct spawner {
	struct fl_spawn_table table;
	struct fl_spawn_for with;
	struct fl_group_place place;
	struct pending pending[PENDING];
	uint32_t n_pending;
	int files[FL_SPAWN_MOST]; /* of the request at hand */
	uint32_t n_files;
	int daemon; /* pidfd of our parent */
	bool lacks; /* some could not be taken, with too many open files */
};

static _Noreturn void give_up(const char *why)
{
	(void)fprintf(stderr, "fairlead-spawn: %s\n", why);
	exit(1);
}

/* --- the socket of the daemon --- */

/* As long as @made is open no other file has its number, as that of a next daemon might. */
static struct {
	int folder, made;
	const char *name;
} listens = { .folder = -1, .made = -1 };

/* A folder that is locked is that of a next daemon, which removes what it finds. */
static void remove_socket(void)
{
	struct stat made, there;

	if (flock(listens.folder, LOCK_EX | LOCK_NB) == 0 && fstat(listens.made, &made) == 0 &&
	    fstatat(listens.folder, listens.name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    there.st_dev == made.st_dev && there.st_ino == made.st_ino)
		unlinkat(listens.folder, listens.name, 0);
}

/* That file alone, in that folder, whatever its path means later. */
static void remember_socket(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[256];
	struct stat s;

	if (!slash || (size_t)(slash - path) >= sizeof folder)
		return;
	(void)snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
	listens.name = slash + 1;
	listens.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (listens.folder >= 0)
		listens.made = openat(listens.folder, listens.name,
				      O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (listens.made >= 0 && fstat(listens.made, &s) == 0 && S_ISSOCK(s.st_mode))
		(void)atexit(remove_socket);
}

/* --- messages --- */

static void answer(struct fl_spawn_reply *reply, int with)
{
	struct iovec bytes = { reply, sizeof *reply };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS } };
	struct msghdr m = { .msg_iov = &bytes, .msg_iovlen = 1 };

	if (with >= 0) {
		memcpy(CMSG_DATA(&control.head), &with, sizeof with);
		m.msg_control = &control;
		m.msg_controllen = sizeof control.room;
	}
	while (sendmsg(FL_SPAWN_SOCKET, &m, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			exit(0); /* its daemon has ended */
}

/* One message; its descriptors are added to the files at hand.  Returns its length. */
static size_t receive(struct spawner *s, struct fl_spawn_request *r)
{
	struct iovec bytes = { r, sizeof *r };
	union {
		char room[CMSG_SPACE(sizeof(int) * FL_SPAWN_FILES)];
		struct cmsghdr head;
	} control;
	struct msghdr m = { .msg_iov = &bytes,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof control.room };
	ssize_t n;

	while ((n = recvmsg(FL_SPAWN_SOCKET, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		continue;
	if (n <= 0)
		exit(0);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		size_t more = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_type != SCM_RIGHTS || s->n_files + more > FL_SPAWN_MOST)
			give_up("a message has more descriptors than agreed");
		memcpy(s->files + s->n_files, CMSG_DATA(c), more * sizeof(int));
		s->n_files += (uint32_t)more;
	}
	s->lacks |= (m.msg_flags & MSG_CTRUNC) != 0;
	return m.msg_flags & MSG_TRUNC ? 0 : (size_t)n;
}

static void drop_files(struct spawner *s)
{
	for (uint32_t i = 0; i < s->n_files; i++)
		close(s->files[i]);
	s->n_files = 0;
	s->lacks = false;
}

/* --- requests --- */

static void refuse(const struct fl_spawn_request *r, enum fl_spawn_stage stage, int why)
{
	answer(&(struct fl_spawn_reply){ .id = r->id, .why = why, .stage = stage }, -1);
}

static void tell_place(struct spawner *s, const struct fl_spawn_request *r)
{
	struct fl_spawn_reply reply = { .id = r->id };

	if (r->flags & FL_SPAWN_GROUP)
		fl_group_find(&s->place);
	reply.place = s->place;
	signal(SIGCHLD, SIG_DFL); /* it waits for a child */
	reply.alone = !s->place.ends && fl_namespace_can();
	signal(SIGCHLD, SIG_IGN);
	answer(&reply, -1);
}

/* The rest of the descriptors of a request. */
static void receive_rest(struct spawner *s, const struct fl_spawn_request *r)
{
	for (uint32_t n = FL_SPAWN_FILES; n < r->n_files; n += FL_SPAWN_FILES) {
		struct fl_spawn_request more;

		if (receive(s, &more) != sizeof more || more.op != FL_SPAWN_MORE ||
		    more.id != r->id)
			give_up("the descriptors of a run are incomplete");
	}
	if (!s->lacks && s->n_files != r->n_files)
		give_up("the descriptors of a run are incomplete");
}

static bool has_room(const struct spawner *s, const struct fl_spawn_request *r)
{
	uint32_t starts = 0;

	for (uint32_t i = 0; i < s->n_pending; i++)
		starts += s->pending[i].op == FL_SPAWN_START;
	return s->n_pending < PENDING && (r->op != FL_SPAWN_START || starts < STARTS);
}

static struct pending *await(struct spawner *s, const struct fl_spawn_request *r, int report)
{
	struct pending *p = &s->pending[s->n_pending++];

	*p = (struct pending){ .id = r->id, .op = r->op, .report = report, .pidfd = -1 };
	return p;
}

static void start(struct spawner *s, const struct fl_spawn_request *r)
{
	struct fl_group_files group = { -1, -1, -1 };
	char path[FL_GROUP_PATH] = "";
	int report[2], why = 0, pidfd = -1;

	receive_rest(s, r);
	if (!has_room(s, r)) {
		refuse(r, FL_SPAWN_FORKED, EAGAIN);
		return;
	}
	if (s->lacks || pipe2(report, O_CLOEXEC) != 0) {
		refuse(r, FL_SPAWN_DESCRIPTORS, s->lacks ? EMFILE : errno);
		return;
	}
	if (r->flags & FL_SPAWN_GROUP) {
		fl_group_path(&s->place, r->uid, r->job, r->attempt, r->token, path);
		why = *path ? fl_group_make(path, &r->limits) : ENOENT;
		if (why == 0)
			why = fl_group_open(path, &group);
	}
	pid_t pid = why != 0 ? -1 :
			       fl_spawn_start(&s->with, r, s->files, *path ? &group : NULL,
					      report[1], &pidfd);
	enum fl_spawn_stage stage = why != 0 ? FL_SPAWN_GROUP_MADE : FL_SPAWN_FORKED;
	if (why == 0 && pid < 0)
		why = errno;
	close(report[1]);
	fl_group_close(&group);
	if (pid < 0) {
		close(report[0]);
		fl_group_remove(path);
		refuse(r, stage, why);
		return;
	}
	struct pending *p = await(s, r, report[0]);
	p->pid = pid;
	p->pidfd = pidfd;
	memcpy(p->group, path, sizeof path);
}

/* It takes long, so another process does it, and reports @work's result, of two bytes. */
static void do_apart(struct spawner *s, const struct fl_spawn_request *r,
		     void (*work)(const struct spawner *s, const struct fl_spawn_request *r,
				  char ret[2]))
{
	int report[2], pidfd;

	if (!has_room(s, r) || pipe2(report, O_CLOEXEC) != 0) {
		refuse(r, 0, EAGAIN);
		return;
	}
	pid_t pid = fl_namespace_fork(/* alone= */ false, &pidfd);
	if (pid == 0) {
		char said[2];

		work(s, r, said);
		_exit(write(report[1], said, sizeof said) != sizeof said);
	}
	int why = errno;
	close(report[1]);
	if (pid < 0) {
		close(report[0]);
		refuse(r, 0, why);
		return;
	}
	await(s, r, report[0])->pidfd = pidfd;
}

/* Seconds, when a process does not end. */
static void end(const struct spawner *s, const struct fl_spawn_request *r, char ret[2])
{
	char path[FL_GROUP_PATH];
	bool found;

	fl_group_path(&s->place, r->uid, r->job, r->attempt, r->token, path);
	ret[1] = (char)!fl_process_end_run(path, r->token, r->uid, &found);
	ret[0] = (char)found;
}

static void wake(const struct fl_spawn_request *r)
{
	FL_FD pidfd = pidfd_open(r->pid, 0);
	/* Looked at after it was opened: the number cannot mean another process now. */
	uid_t uid;
	bool is = pidfd >= 0 && fl_process_user(r->pid, &uid) && uid == r->uid;

	if (is) {
		pidfd_send_signal(pidfd, SIGUSR1, NULL, 0);
		pidfd_send_signal(pidfd, SIGCONT, NULL, 0); /* it may have been stopped */
	}
}

static void open_process(const struct spawner *s, const struct fl_spawn_request *r)
{
	FL_FD pidfd = fl_process_open(r->pid, r->since);
	uid_t uid;
	int why = pidfd < 0                                                     ? errno :
		  fl_process_user(r->pid, &uid) && fl_spawn_may(&s->table, uid) ? 0 :
										  EPERM;

	answer(&(struct fl_spawn_reply){ .id = r->id, .why = why }, why == 0 ? pidfd : -1);
}

/*
 * The runner has the file of its run as descriptor 3.  Another process with its token may have
 * anything: a device that does something when it is opened, a file system of its user's that does not
 * answer.  So it is opened, and asked, only when it is known to be ours.
 */
struct wanted {
	const struct fl_spawn_table *table;
	int file;
};

static bool has_file(void *user, pid_t pid)
{
	struct wanted *w = user;
	char path[64], same[64];
	struct statx st;
	uid_t uid;

	(void)snprintf(path, sizeof path, "/proc/%ld/fd/3", (long)pid);
	if (!fl_process_user(pid, &uid) || !fl_spawn_may(w->table, uid))
		return false;
	FL_FD fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 ||
	    statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_UID, &st) != 0 ||
	    !S_ISREG(st.stx_mode) || st.stx_uid != w->table->account)
		return false;
	(void)snprintf(same, sizeof same, "/proc/self/fd/%d", fd);
	w->file = open(same, O_RDONLY | O_CLOEXEC);
	return w->file >= 0;
}

/* All processes are looked at. It answers itself, with the file. */
static void find(const struct spawner *s, const struct fl_spawn_request *r, char ret[2])
{
	struct wanted w = { .table = &s->table, .file = -1 };
	bool found = fl_process_find_marked(r->token, has_file, &w) != 0;

	answer(&(struct fl_spawn_reply){ .id = r->id, .why = found ? 0 : ESRCH }, w.file);
	memset(ret, 0, 2);
}

static void clear(const struct spawner *s, const struct fl_spawn_request *r)
{
	char path[FL_GROUP_PATH];

	fl_group_path(&s->place, r->uid, r->job, r->attempt, r->token, path);
	fl_group_remove(path);
}

static void serve(struct spawner *s)
{
	struct fl_spawn_request r;
	size_t n = receive(s, &r);

	if (!fl_spawn_is_sound(&r, n, s->lacks ? FL_SPAWN_LACKS : (int)s->n_files))
		give_up("a request is not what was agreed");
	if (fl_spawn_is_of_user(&r) && !fl_spawn_may(&s->table, r.uid)) {
		if (r.op == FL_SPAWN_START)
			receive_rest(s, &r);
		if (r.op == FL_SPAWN_START || r.op == FL_SPAWN_END)
			refuse(&r, FL_SPAWN_REFUSED, EPERM);
	} else if (r.op == FL_SPAWN_PLACE) {
		tell_place(s, &r);
	} else if (r.op == FL_SPAWN_START) {
		start(s, &r);
	} else if (r.op == FL_SPAWN_END) {
		do_apart(s, &r, end);
	} else if (r.op == FL_SPAWN_WAKE) {
		wake(&r);
	} else if (r.op == FL_SPAWN_OPEN) {
		open_process(s, &r);
	} else if (r.op == FL_SPAWN_FIND) {
		do_apart(s, &r, find);
	} else {
		clear(s, &r);
	}
	drop_files(s);
}

/* --- reports --- */

static void started(const struct pending *p, const struct fl_spawn_failure *f, bool failed)
{
	struct fl_spawn_reply reply = { .id = p->id, .pid = p->pid };

	if (failed) {
		reply.why = f->why ? f->why : EIO;
		reply.stage = f->stage;
		fl_group_remove(p->group);
	}
	answer(&reply, failed ? -1 : p->pidfd);
}

static void hear(struct spawner *s, uint32_t i)
{
	struct pending p = s->pending[i];
	struct fl_spawn_failure f = { 0 };
	ssize_t n = read(p.report, &f, sizeof f);

	if (n < 0 && errno == EINTR)
		return;
	s->pending[i] = s->pending[--s->n_pending];
	if (p.op == FL_SPAWN_START) {
		started(&p, &f, n == sizeof f);
	} else if (p.op == FL_SPAWN_END || n != 2) {
		const char *said = (const char *)&f;

		answer(&(struct fl_spawn_reply){ .id = p.id,
						 .why = p.op == FL_SPAWN_END ? 0 : EIO,
						 .found = n != 2 || said[0],
						 .remains = n != 2 || said[1] },
		       -1);
	}
	close(p.report);
	fl_fd_close(&p.pidfd);
}

/* Its user may have stopped one after it became that user, and before it became the runner. */
static void continue_starts(const struct spawner *s)
{
	static fl_time next;
	fl_time now = fl_boot_clock();

	if (now < next)
		return;
	next = now + FL_SECOND;
	for (uint32_t i = 0; i < s->n_pending; i++)
		if (s->pending[i].op == FL_SPAWN_START)
			pidfd_send_signal(s->pending[i].pidfd, SIGCONT, NULL, 0);
}

static void turn(struct spawner *s)
{
	static struct pollfd all[PENDING + 2];
	uint32_t n = s->n_pending;

	for (uint32_t i = 0; i < n; i++)
		all[i] = (struct pollfd){ .fd = s->pending[i].report, .events = POLLIN };
	all[n] = (struct pollfd){ .fd = FL_SPAWN_SOCKET, .events = POLLIN };
	all[n + 1] = (struct pollfd){ .fd = s->daemon, .events = POLLIN };
	continue_starts(s);
	if (poll(all, n + 2, n > 0 ? CONTINUE_MS : -1) < 0)
		return;
	/* From the end: one that was heard gives its place to the last. */
	for (uint32_t i = n; i-- > 0;)
		if (all[i].revents)
			hear(s, i);
	/* Others may have its end of the socket, but nothing to ask. */
	if (all[n + 1].revents)
		shutdown(FL_SPAWN_SOCKET, SHUT_RD);
	if (all[n].revents)
		serve(s);
}

int main(int argc, char **argv)
{
	static struct spawner s;
	struct rlimit files;

	if (!fl_spawn_table_read(argc, argv, &s.table)) {
		(void)fputs(
			"usage: fairlead-spawn ACCOUNT GROUP FIRST LAST ROOT STATE RUNNER SOCKET\n"
			"fairleadd starts it; do not start it by hand\n",
			stderr);
		return 2;
	}
	s.with.table = &s.table;
	s.daemon = pidfd_open(getppid(), 0);
	(void)getpwuid(0); /* so that what looks users up is loaded once, and not by each child */
	remember_socket(s.table.socket);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	signal(SIGCHLD, SIG_IGN); /* children are not waited for: their pidfds say when they end */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	if (getrlimit(RLIMIT_NOFILE, &s.with.files) == 0) {
		files = s.with.files;
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	for (;;)
		turn(&s);
}
