/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/process/group.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/process/text.h"
#include "base/amount.h"
#include "base/fd.h"

enum { CPU_PERIOD = 100000 /* microseconds */, LEAST_CPU = 1000 };

static bool write_at(int dir, const char *name, const char *text)
{
	FL_FD fd = openat(dir, name, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

bool fl_group_parse(const char *mounts, const char *self, char mount[512], char own[512])
{
	bool found = false;

	for (const char *line = mounts; line && *line && !found;) {
		char type[32];

		/* Odd characters in names are written in octal; our folders have none. */
		found = sscanf(line, "%*s %511s %31s", mount, type) == 2 &&
			strcmp(type, "cgroup2") == 0 && !strchr(mount, '\\');
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	for (const char *line = self; found && line && *line;) {
		if (strncmp(line, "0::/", 4) == 0) {
			size_t n = strcspn(line + 3, "\n");

			if (n >= 512)
				return false;
			memcpy(own, line + 3, n);
			own[n] = 0;
			return true;
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += n)
		if ((at == text || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\n' || !at[n]))
			return true;
	return false;
}

/* One by one: controllers that are missing or not delegated to us are left out. */
static void pass_on(int group)
{
	static const char *const controllers[] = { "+cpu", "+memory", "+pids" };

	for (int i = 0; i < 3; i++)
		write_at(group, "cgroup.subtree_control", controllers[i]);
}

/* Makes our place below @parent, with the controllers that can be delegated to it. */
static bool settle(const char *parent, struct fl_group_place *ret)
{
	struct fl_group_place place = { 0 };
	char text[512];
	int n = snprintf(place.path, sizeof place.path, "%s/fairlead", parent);

	if (n < 0 || (size_t)n >= sizeof place.path)
		return false;
	FL_FD above = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (above < 0)
		return false;
	if (mkdirat(above, "fairlead", 0755) != 0 && errno != EEXIST)
		return false;
	pass_on(above);
	FL_FD own = open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (own < 0)
		return false;
	pass_on(own);
	bool usable = faccessat(own, "cgroup.procs", W_OK, AT_EACCESS) == 0;
	if (usable && fl_text_at(own, "cgroup.subtree_control", text, sizeof text) >= 0) {
		place.cpu = has_word(text, "cpu");
		place.memory = has_word(text, "memory");
		place.processes = has_word(text, "pids");
	}
	place.ends = faccessat(own, "cgroup.kill", W_OK, AT_EACCESS) == 0;
	if (usable)
		*ret = place;
	return usable;
}

void fl_group_find(struct fl_group_place *ret)
{
	char mounts[16384], self[4096], mount[512], own[512], parent[1100];

	ret->path[0] = 0;
	ret->cpu = ret->memory = ret->processes = ret->ends = false;
	if (fl_text_of("/proc/self/mounts", mounts, sizeof mounts) < 0 ||
	    fl_text_of("/proc/self/cgroup", self, sizeof self) < 0 ||
	    !fl_group_parse(mounts, self, mount, own))
		return;
	/*
	 * Not below our own group: a group with processes cannot delegate controllers, and a
	 * service manager cannot restart us in a group with groups below.
	 */
	if (geteuid() == 0 && settle(mount, ret))
		return;
	char *last = strrchr(own, '/');
	*last = 0;
	snprintf(parent, sizeof parent, "%s%s", mount, own);
	if (geteuid() != 0)
		settle(parent, ret);
}

void fl_group_limit(int group, const struct fl_group_limits *limits)
{
	char text[64];

	if (limits->cpu > 0) {
		int64_t time = fl_amount_max(fl_sat_mul(limits->cpu, CPU_PERIOD) / 1000, LEAST_CPU);

		snprintf(text, sizeof text, "%lld %d", (long long)time, CPU_PERIOD);
		write_at(group, "cpu.max", text);
	}
	if (limits->memory > 0) {
		snprintf(text, sizeof text, "%lld", (long long)limits->memory);
		write_at(group, "memory.max", text);
		/*
		 * The kernel kills all of a run, as a run that lost one process for lack of memory
		 * would hang or give wrong results.
		 */
		write_at(group, "memory.oom.group", "1");
	}
	if (limits->processes > 0) {
		snprintf(text, sizeof text, "%lld", (long long)limits->processes);
		write_at(group, "pids.max", text);
	}
}

/* Our place is removed with the last group in it, and made again for the next. */
static int make(const char *path)
{
	int rc = mkdir(path, 0755);

	for (int tries = 0; rc != 0 && errno == ENOENT && tries < 100; tries++) {
		struct fl_group_place place;
		char parent[1024];

		snprintf(parent, sizeof parent, "%s", path);
		for (int up = 0; up < 2 && strrchr(parent, '/'); up++)
			*strrchr(parent, '/') = 0;
		if (settle(parent, &place) || errno == ENOENT)
			rc = mkdir(path, 0755);
	}
	return rc == 0 || errno == EEXIST ? 0 : -1;
}

void fl_group_path(const struct fl_group_place *place, uint32_t uid, uint64_t job, uint32_t attempt,
		   const char *token, char ret[FL_GROUP_PATH])
{
	ret[0] = 0;
	if (*place->path)
		(void)snprintf(ret, FL_GROUP_PATH,
			       "%s/run-%" PRIu64 ".%" PRIu32 "-%" PRIu32 "-%.8s", place->path, job,
			       attempt, uid, token);
}

int fl_group_make(const char *path, const struct fl_group_limits *limits)
{
	if (make(path) != 0)
		return errno;
	FL_FD group = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (group < 0)
		return errno;
	fl_group_limit(group, limits);
	return 0;
}

int fl_group_open(const char *path, struct fl_group_files *ret)
{
	*ret = (struct fl_group_files){ .procs = -1, .kill = -1, .folder = -1 };
	ret->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->folder >= 0)
		ret->procs = openat(ret->folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (ret->procs >= 0) {
		ret->kill = openat(ret->folder, "cgroup.kill", O_WRONLY | O_CLOEXEC);
		return 0;
	}
	int why = errno;
	fl_group_close(ret);
	return why;
}

void fl_group_close(struct fl_group_files *f)
{
	fl_fd_close(&f->procs);
	fl_fd_close(&f->kill);
	fl_fd_close(&f->folder);
	*f = (struct fl_group_files){ .procs = -1, .kill = -1, .folder = -1 };
}

bool fl_group_kill(const char *path)
{
	FL_FD group = *path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	return group >= 0 && write_at(group, "cgroup.kill", "1");
}

bool fl_group_remove(const char *path)
{
	char place[1024];

	if (!*path)
		return true;
	if (rmdir(path) != 0 && errno != ENOENT)
		return false;
	snprintf(place, sizeof place, "%s", path);
	*strrchr(place, '/') = 0;
	rmdir(place); /* unless others are in it */
	return true;
}
