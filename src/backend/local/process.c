/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/process.h"

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

#include "backend/local/text.h"

/* A bomb that has been stopped so often and still has new ones is killed as far as it is seen. */
enum { ROUNDS = 32 };

bool fl_process_parse(const char *line, struct fl_process *ret)
{
	struct fl_process p;
	long pid = 0, parent = 0, session = 0;
	unsigned long long since = 0;
	const char *end = strrchr(line, ')'); /* of the name, which may have ")" itself */

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
	/* Looked at once it is held: if it is the one, it was so all the time. */
	if (!fl_process_look(pid, &p) || p.since != since || p.state == 'Z' || p.state == 'X') {
		close(fd);
		errno = ESRCH;
		return -1;
	}
	return fd;
}

void fl_boot_id(char ret[40])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, 39);

	if (fd >= 0)
		close(fd);
	ret[n < 0 ? 0 : n] = 0;
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

/* --- all processes there are --- */

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

/* Without memory for all of them, those that there is memory for. */
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

/* Everybody is what the nearest one above who is known is. */
static void inherit(struct census *c)
{
	for (size_t i = 0; i < c->n; i++) {
		enum member found = OUT;
		struct seen *s = &c->all[i];

		/* A census is not taken in one moment: parents may go round in it. */
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
	pid_t top;         /* what descends from it; 0: */
	const char *token; /* who has that */
	uid_t uid;
};

static bool is_of_user(pid_t pid, uid_t uid)
{
	char text[4096];
	unsigned real;
	const char *line;

	return read_of(pid, "status", text, sizeof text) > 0 && (line = strstr(text, "\nUid:")) &&
	       sscanf(line + 5, "%u", &real) == 1 && real == uid;
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

static int by_value(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* Each task has a session of its own: who is in one with a member is one, too. */
static void mark_sessions(struct census *c)
{
	pid_t *sessions = malloc((c->n + 1) * sizeof *sessions);
	size_t n = 0;

	for (size_t i = 0; sessions && i < c->n; i++)
		if (c->all[i].member == IN)
			sessions[n++] = c->all[i].p.session;
	if (n > 0) {
		qsort(sessions, n, sizeof *sessions, by_value);
		for (size_t i = 0; i < c->n; i++)
			if (bsearch(&c->all[i].p.session, sessions, n, sizeof *sessions, by_value))
				c->all[i].member = IN;
	}
	free(sessions);
}

static void mark_by_token(struct census *c, const struct who *who)
{
	enum { ROOM = 1 << 20 };
	char *room = malloc(ROOM);

	for (size_t i = 0; room && i < c->n; i++) {
		struct seen *s = &c->all[i];

		if (s->p.pid != getpid() && is_marked(s->p.pid, who->token, room, ROOM) &&
		    is_of_user(s->p.pid, who->uid))
			s->member = IN;
	}
	free(room);
	mark_sessions(c);
}

static void mark(struct census *c, const struct who *who)
{
	if (who->top != 0) {
		for (size_t i = 0; i < c->n; i++)
			if (c->all[i].p.pid == who->top)
				c->all[i].member = OUT;
			else if (c->all[i].p.parent == who->top)
				c->all[i].member = IN;
	} else {
		mark_by_token(c, who);
	}
	inherit(c);
}

static void send(const struct fl_process *p, int sig)
{
	int fd = fl_process_open(p->pid, p->since);

	if (fd < 0)
		return;
	pidfd_send_signal(fd, sig, NULL, 0);
	close(fd);
}

static uint32_t kill_who(const struct who *who)
{
	struct census c = { 0 };
	uint32_t found = 0;

	for (int round = 0; round < ROUNDS; round++) {
		bool fresh = false;

		take_census(&c);
		mark(&c, who);
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
	return found;
}

uint32_t fl_process_kill_below(pid_t top) { return kill_who(&(struct who){ .top = top }); }

uint32_t fl_process_kill_marked(const char *token, uid_t uid)
{
	return kill_who(&(struct who){ .token = token, .uid = uid });
}
