/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>
#include <unistd.h>

#include "backend/process/text.h"
#include "base/fd.h"

/*
 * Rounds of stopping: a fork bomb that still has new processes then is killed as far as it was
 * seen.
 */
enum { ROUNDS = 32 };
enum { ENVIRONMENT = 1 << 20 /* bytes of an environment that are read */ };

bool fl_process_parse(const char *line, struct fl_process *ret)
{
	struct fl_process p;
	long pid = 0, parent = 0, session = 0;
	unsigned long long since = 0;
	const char *end = strrchr(line, ')'); /* the end of the name, which may have ")" itself */

	if (!end || sscanf(line, "%ld", &pid) != 1 || pid <= 0 ||
	    sscanf(end + 1,
		   " %c %ld %*d %ld %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
		   "%llu",
		   &p.state, &parent, &session, &since) != 4)
		return false;
	p.pid = (pid_t)pid;
	p.parent = (pid_t)parent;
	p.session = (pid_t)session;
	p.since = since;
	*ret = p;
	return true;
}

static ssize_t read_of(pid_t pid, const char *what, char *to, size_t room)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
	return fl_text_of(path, to, room);
}

bool fl_process_look(pid_t pid, struct fl_process *ret)
{
	char line[1024];

	return read_of(pid, "stat", line, sizeof line) > 0 && fl_process_parse(line, ret);
}

int fl_process_open(pid_t pid, uint64_t since)
{
	struct fl_process p;
	int fd = -1;

	errno = ESRCH;
	if (pid <= 0 || (fd = pidfd_open(pid, 0)) < 0)
		return -1;
	/* Compared after pidfd_open: if it is the wanted process now, the pidfd refers to it. */
	errno = 0;
	bool seen = fl_process_look(pid, &p);
	int why = !seen && (errno == EMFILE || errno == ENFILE) ? errno : ESRCH;
	if (seen && p.since == since && p.state != 'Z' && p.state != 'X')
		return fd;
	close(fd);
	errno = why;
	return -1;
}

void fl_boot_id(char ret[40])
{
	if (fl_text_of("/proc/sys/kernel/random/boot_id", ret, 40) < 0)
		ret[0] = 0;
	ret[strcspn(ret, "\n")] = 0;
}

static fl_time clock_of(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (fl_time)now.tv_sec * FL_SECOND + now.tv_nsec;
}

fl_time fl_boot_clock(void) { return clock_of(CLOCK_BOOTTIME); }
fl_time fl_wall_clock(void) { return clock_of(CLOCK_REALTIME); }

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* --- all processes --- */

enum member { UNKNOWN, OUT, IN };

struct seen {
	struct fl_process p;
	enum member member;
};

struct census {
	struct seen *all; /* by number */
	size_t n, room;
};

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct seen *)a)->p.pid, y = ((const struct seen *)b)->p.pid;

	return (x > y) - (x < y);
}

/* Without memory for all of them, takes those that there is memory for. */
static void take_census(struct census *c)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	c->n = 0;
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		if (c->n == c->room) {
			size_t room = c->room ? 2 * c->room : 1024;
			struct seen *all = realloc(c->all, room * sizeof *all);

			if (!all)
				break;
			c->all = all;
			c->room = room;
		}
		struct seen *s = &c->all[c->n];
		*s = (struct seen){ .member = UNKNOWN };
		if (fl_process_look((pid_t)atol(entry->d_name), &s->p))
			c->n++;
	}
	if (dir)
		closedir(dir);
	if (c->n > 0)
		qsort(c->all, c->n, sizeof *c->all, by_pid);
}

static struct seen *find(const struct census *c, pid_t pid)
{
	struct seen key = { .p.pid = pid };

	return c->n ? bsearch(&key, c->all, c->n, sizeof *c->all, by_pid) : NULL;
}

/* Each process is IN or OUT as its nearest ancestor that is known. */
static void inherit(struct census *c)
{
	for (size_t i = 0; i < c->n; i++) {
		enum member found = OUT;
		struct seen *s = &c->all[i];

		/* The census is not of one moment, so parents may form a loop in it. */
		for (size_t steps = 0; s && steps <= c->n; steps++) {
			if (s->member != UNKNOWN) {
				found = s->member;
				break;
			}
			s = find(c, s->p.parent);
		}
		s = &c->all[i];
		for (size_t steps = 0; s && s->member == UNKNOWN && steps <= c->n; steps++) {
			s->member = found;
			s = find(c, s->p.parent);
		}
	}
}

struct who {
	pid_t top;         /* descendants of it, */
	pid_t spared[2];   /* except these with theirs; if top is 0: */
	const char *token; /* processes with this token */
	uid_t uid;         /* of this user */
};

bool fl_process_user(pid_t pid, uid_t *ret)
{
	char text[4096];
	const char *line;

	return read_of(pid, "status", text, sizeof text) > 0 && (line = strstr(text, "\nUid:")) &&
	       sscanf(line + 5, "%u", ret) == 1;
}

static bool is_marked(pid_t pid, const char *token, char *room, size_t size)
{
	char mark[64];
	ssize_t n = read_of(pid, "environ", room, size);

	snprintf(mark, sizeof mark, "FAIRLEAD_RUN=%s", token);
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(room + at) + 1)
		if (strcmp(room + at, mark) == 0)
			return true;
	return false;
}

/*
 * Each task has a session of its own: all processes in a session with a member are members.  Never the
 * session of the caller: that is the daemon's, or the shell's from which it was started.
 */
static void mark_sessions(struct census *c)
{
	pid_t *sessions = malloc((c->n + 1) * sizeof *sessions), own = getsid(0);
	size_t n = 0;

	for (size_t i = 0; sessions && i < c->n; i++)
		if (c->all[i].member == IN && c->all[i].p.session != own)
			sessions[n++] = c->all[i].p.session;
	if (n > 0) {
		qsort(sessions, n, sizeof *sessions, by_number);
		for (size_t i = 0; i < c->n; i++)
			if (bsearch(&c->all[i].p.session, sessions, n, sizeof *sessions, by_number))
				c->all[i].member = IN;
	}
	free(sessions);
}

static void mark_by_token(struct census *c, const struct who *who)
{
	char *room = malloc(ENVIRONMENT);

	for (size_t i = 0; room && i < c->n; i++) {
		struct seen *s = &c->all[i];
		const uint64_t since = s->p.since;
		uid_t uid;

		if (s->p.pid == getpid() || !is_marked(s->p.pid, who->token, room, ENVIRONMENT))
			continue;
		/* Looked at again: a runner that was just being made has its session only since it has its token. */
		if (fl_process_look(s->p.pid, &s->p) && s->p.since == since &&
		    fl_process_user(s->p.pid, &uid) && uid == who->uid)
			s->member = IN;
	}
	free(room);
}

/* A member stays one: the parents by which it was found may have ended since, and it is stopped. */
static void mark_again(struct census *c, const struct census *was)
{
	for (size_t i = 0; i < was->n; i++) {
		const struct seen *s = &was->all[i];
		struct seen *now = s->member == IN ? find(c, s->p.pid) : NULL;

		if (now && now->p.since == s->p.since)
			now->member = IN;
	}
}

/*
 * A user may be in the session of another, as after su, and start programs of another, as with sudo:
 * of all that was found only what is the user's own is ended, as the kernel would have it.
 */
static void leave_others(struct census *c, uid_t own)
{
	uid_t uid;

	for (size_t i = 0; i < c->n; i++)
		if (c->all[i].member == IN &&
		    (!fl_process_user(c->all[i].p.pid, &uid) || uid != own))
			c->all[i].member = OUT;
}

static void mark(struct census *c, const struct census *was, const struct who *who)
{
	if (who->top != 0) {
		for (size_t i = 0; i < c->n; i++)
			if (c->all[i].p.pid == who->top || c->all[i].p.pid == who->spared[0] ||
			    c->all[i].p.pid == who->spared[1])
				c->all[i].member = OUT;
			else if (c->all[i].p.parent == who->top)
				c->all[i].member = IN;
	} else {
		mark_by_token(c, who);
	}
	mark_again(c, was);
	if (who->top == 0)
		mark_sessions(c);
	inherit(c);
	if (who->top == 0)
		leave_others(c, who->uid);
}

static void send(const struct fl_process *p, int sig)
{
	FL_FD fd = fl_process_open(p->pid, p->since);

	if (fd >= 0)
		pidfd_send_signal(fd, sig, NULL, 0);
}

static uint32_t kill_who(const struct who *who)
{
	struct census c = { 0 }, was = { 0 };
	uint32_t found = 0;

	for (int round = 0; round < ROUNDS; round++) {
		bool fresh = false;
		struct census swap = was;

		was = c;
		c = swap;
		take_census(&c);
		mark(&c, &was, who);
		for (size_t i = 0; i < c.n; i++) {
			char state = c.all[i].p.state;

			if (c.all[i].member != IN || state == 'T' || state == 'Z' || state == 'X')
				continue;
			send(&c.all[i].p, SIGSTOP);
			fresh = true;
		}
		if (!fresh)
			break;
	}
	for (size_t i = 0; i < c.n; i++)
		if (c.all[i].member == IN && c.all[i].p.state != 'Z' && c.all[i].p.state != 'X') {
			send(&c.all[i].p, SIGKILL);
			found++;
		}
	free(c.all);
	free(was.all);
	return found;
}

uint32_t fl_process_kill_below(pid_t top, const pid_t spared[2])
{
	return kill_who(&(struct who){
		.top = top, .spared = { spared ? spared[0] : 0, spared ? spared[1] : 0 } });
}

uint32_t fl_process_kill_marked(const char *token, uid_t uid)
{
	return kill_who(&(struct who){ .token = token, .uid = uid });
}

pid_t fl_process_find_marked(const char *token, bool (*is)(void *user, pid_t pid), void *user)
{
	char *room = malloc(ENVIRONMENT);
	struct census c = { 0 };
	pid_t found = 0;

	take_census(&c);
	for (size_t i = 0; room && i < c.n && found == 0; i++)
		if (is_marked(c.all[i].p.pid, token, room, ENVIRONMENT) && is(user, c.all[i].p.pid))
			found = c.all[i].p.pid;
	free(c.all);
	free(room);
	return found;
}
