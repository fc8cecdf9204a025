/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and control groups: lines of the kernel read, the right ones ended, limits written. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/process/inside.h"
#include "backend/process/process.h"
#include "backend/process/text.h"
#include "lib/unit.h"

TEST(parses)
{
	static const struct {
		const char *line;
		bool good;
		struct fl_process p;
	} rows[] = {
		{ "17 (sh) S 5 17 16 34816 1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 10 11\n",
		  true,
		  { 17, 5, 16, 98765, 'S' } },
		{ "17 (a) R 1 (x)) Z 5 17 16 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4 10 11\n",
		  true,
		  { 17, 5, 16, 4, 'Z' } },
		{ "17 (sh) S 5 17 16 34816 1", false, { 0 } },
		{ "17 sh S 5 17 16", false, { 0 } },
		{ "", false, { 0 } },
	};
	struct fl_process p;

	for (size_t i = 0; i < COUNT(rows); i++) {
		CHECK(fl_process_parse(rows[i].line, &p) == rows[i].good, rows[i].line);
		CHECK(!rows[i].good || (p.pid == rows[i].p.pid && p.parent == rows[i].p.parent &&
					p.session == rows[i].p.session &&
					p.since == rows[i].p.since && p.state == rows[i].p.state),
		      rows[i].line);
	}
	assert_true(fl_process_look(getpid(), &p));
	assert_int_equal(p.parent, getppid());
	int fd = fl_process_open(getpid(), p.since);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(fl_process_open(getpid(), p.since + 1), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(fl_process_open(0, 0), -1);
}

/* What is there is not gone because nothing more can be opened. */
TEST(without_files)
{
	struct rlimit files, few;
	struct fl_process p;
	int last = dup(0);

	assert_true(last > 0 && fl_process_look(getpid(), &p));
	close(last);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	for (rlim_t more = 0; more < 2; more++) {
		few = (struct rlimit){ (rlim_t)last + more, files.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		int fd = fl_process_open(getpid(), p.since), why = errno;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
		assert_int_equal(fd, -1);
		assert_int_equal(why, EMFILE);
	}
}

static pid_t start_in(bool own_session, uid_t uid, const char *script, const char *mark)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (own_session)
			setsid();
		if (setresuid(uid, uid, uid) != 0)
			_exit(126);
		execle("/bin/sh", "sh", "-c", script, NULL,
		       (char *[]){ "PATH=/usr/bin:/bin", (char *)(uintptr_t)mark, NULL });
		_exit(127);
	}
	assert_true(pid > 0);
	return pid;
}

static pid_t start_as(uid_t uid, const char *script, const char *mark)
{
	return start_in(/* own session= */ true, uid, script, mark);
}

static pid_t start(const char *script, const char *mark)
{
	return start_as(getuid(), script, mark);
}

static void wait_gone(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void wait_up(const char *mark)
{
	char path[64], text[256];

	/* Its own program: what it was started with is there. */
	snprintf(path, sizeof path, "/proc/%s/environ", mark);
	for (int i = 0; i < 30000; i++) {
		ssize_t n = fl_text_of(path, text, sizeof text);

		if (n > 0 && memmem(text, (size_t)n, "FAIRLEAD_RUN", 12))
			return;
		usleep(1000);
	}
	fail_msg("process %s did not come up", mark);
}

/* Others may run this test, too. */
static const char *token_of(char ret[32])
{
	snprintf(ret, 32, "FAIRLEAD_RUN=one.%d", (int)getpid());
	return ret + strlen("FAIRLEAD_RUN=");
}

static bool is_in_state(pid_t pid, char what)
{
	struct fl_process p;

	return fl_process_look(pid, &p) && p.state == what;
}

static bool is_untouched(pid_t pid)
{
	return kill(pid, 0) == 0 && !is_in_state(pid, 'T') && !is_in_state(pid, 'Z');
}

TEST(kills_marked)
{
	char pids[3][16], run[32], close_mark[40], other_mark[40];
	const char *one = token_of(run);

	snprintf(close_mark, sizeof close_mark, "%s2", run);
	snprintf(other_mark, sizeof other_mark, "NOT_%s", run);
	uid_t user = getuid() == 0 ? 65534 : getuid();
	pid_t mine = start_as(user, "sleep 600", run);
	pid_t close_to = start("sleep 600", close_mark);
	pid_t other = start("sleep 600", other_mark);
	snprintf(pids[0], sizeof pids[0], "%d", mine);
	snprintf(pids[1], sizeof pids[1], "%d", close_to);
	snprintf(pids[2], sizeof pids[2], "%d", other);
	for (int i = 0; i < 3; i++)
		wait_up(pids[i]);
	/* Who is not as whom the run is, and has its token all the same. */
	assert_int_equal(fl_process_kill_marked(one, user + 1), 0);
	assert_true(is_untouched(mine));
	assert_true(fl_process_kill_marked(one, user) > 0);
	wait_gone(mine);
	assert_int_equal(fl_process_kill_marked(one, user), 0);
	assert_int_equal(kill(close_to, 0), 0);
	assert_int_equal(kill(other, 0), 0);
	assert_true(fl_process_kill_below(getpid(), NULL) >= 2);
	wait_gone(close_to);
	wait_gone(other);
	assert_int_equal(fl_process_kill_below(getpid(), NULL), 0);
}

/* In the moment in which it is stopped its parent goes, by which it was found. */
TEST(kills_orphans)
{
	char run[32];
	const char *one = token_of(run);

	for (int i = 0; i < 20; i++) {
		int hidden[2];
		pid_t found;

		assert_int_equal(pipe(hidden), 0);
		assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
		char script[200], mark[24];
		snprintf(script, sizeof script,
			 "setsid env -i sh -c 'echo $$ >/proc/self/fd/%d; exec sleep 600' & wait",
			 hidden[1]);
		pid_t parent = start(script, run);
		ssize_t n = read(hidden[0], mark, sizeof mark - 1);
		assert_true(n > 0);
		mark[n] = 0;
		found = (pid_t)atol(mark);
		snprintf(mark, sizeof mark, "%d", (int)parent);
		wait_up(mark);

		pid_t watcher = fork();
		if (watcher == 0) {
			while (!is_in_state(found, 'T'))
				if (kill(found, 0) != 0)
					_exit(0);
			kill(parent, SIGKILL);
			_exit(0);
		}
		pid_t killer = fork();
		if (killer == 0)
			_exit(fl_process_kill_marked(one, getuid()) > 0 ? 0 : 1);
		int status;
		assert_int_equal(waitpid(killer, &status, 0), killer);
		assert_int_equal(status, 0);
		assert_int_equal(waitpid(parent, NULL, 0), parent);
		for (int k = 0; k < 200 && kill(found, 0) == 0 && !is_in_state(found, 'Z'); k++)
			usleep(5000);
		bool stays = is_in_state(found, 'T');
		kill(found, SIGKILL);
		waitpid(found, NULL, 0);
		waitpid(watcher, NULL, 0);
		close(hidden[0]);
		close(hidden[1]);
		assert_false(stays);
	}
}

/* Its status; of one that is stopped, or takes a minute, that it was killed. */
static int status_of(pid_t pid)
{
	int status;

	for (int i = 0; waitpid(pid, &status, WNOHANG) == 0; i++) {
		if (i == 6000 || is_in_state(pid, 'T'))
			kill(pid, SIGKILL);
		usleep(10000);
	}
	return status;
}

/* Whoever ends a run is not ended with it, though what is of the run is in its session. */
TEST(spares_its_own_session)
{
	char run[32];
	const char *one = token_of(run);
	pid_t killer = fork();

	if (killer == 0) {
		setsid();
		pid_t mine = start_in(/* own_session= */ false, getuid(), "exec sleep 600", run);
		pid_t other = start_in(/* own_session= */ false, getuid(), "exec sleep 600", "A=1");
		/* Its program may not be there yet, and its token comes with it. */
		for (int i = 0; i < 1000 && fl_process_kill_marked(one, getuid()) == 0; i++)
			usleep(1000);
		bool ended = waitpid(mine, NULL, 0) == mine, stays = is_untouched(other);
		kill(other, SIGKILL);
		_exit(!ended ? 1 : !stays ? 2 : 0);
	}
	assert_int_equal(status_of(killer), 0);
}

/* A runner that is being made is in the session of who makes it until it has its own: that one stays. */
TEST(spares_who_makes_runners)
{
	enum { RUNNERS = 400 };
	char run[32];
	const char *one = token_of(run);
	pid_t maker = fork();

	if (maker == 0) {
		setsid();
		for (int i = 0; i < RUNNERS; i++)
			waitpid(start("exec sleep 600", run), NULL, 0);
		_exit(0);
	}
	pid_t killer = fork();
	if (killer == 0)
		for (;;)
			fl_process_kill_marked(one, getuid());
	int status = status_of(maker);
	kill(killer, SIGKILL);
	waitpid(killer, NULL, 0);
	assert_int_equal(status, 0);
}

TEST(finds_groups)
{
	static const struct {
		const char *name, *mounts, *self, *mount, *own; /* NULL: none */
	} rows[] = {
		{ "version 2 alone", "x / ext4 rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
		  "0::/system.slice/a.service\n", "/sys/fs/cgroup", "/system.slice/a.service" },
		{ "both", "c /cg/cpu cgroup rw,cpu 0 0\ncgroup2 /cg/unified cgroup2 rw 0 0\n",
		  "2:cpu:/x\n0::/\n", "/cg/unified", "/" },
		{ "version 1 alone", "c /cg/cpu cgroup rw,cpu 0 0\n", "2:cpu:/x\n", NULL, NULL },
		{ "not a member", "c /cg cgroup2 rw 0 0\n", "2:cpu:/x\n", NULL, NULL },
		{ "an odd folder", "c /c\\040g cgroup2 rw 0 0\n", "0::/\n", NULL, NULL },
		{ "nothing", "", "", NULL, NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char mount[512], own[512];
		bool found = fl_group_parse(rows[i].mounts, rows[i].self, mount, own);

		CHECK(found == (rows[i].mount != NULL), rows[i].name);
		CHECK(!found || strcmp(mount, rows[i].mount) == 0, rows[i].name);
		CHECK(!found || strcmp(own, rows[i].own) == 0, rows[i].name);
	}
}

/* What is written, and that files which are not there are left out. */
TEST(limits)
{
	static const struct {
		const char *name;
		struct fl_group_limits limits;
		const char *cpu, *memory, *processes;
	} rows[] = {
		{ "all", { 2500, 1 << 30, 100 }, "250000 100000", "1073741824", "100" },
		{ "least", { 1, 1, 1 }, "1000 100000", "1", "1" },
		{ "none", { 0, 0, 0 }, "", "", "" },
	};
	char root[] = "/tmp/fairlead-test-XXXXXX", text[64];

	assert_non_null(mkdtemp(root));
	int dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	fl_group_limit(dir, &rows[0].limits); /* nothing there */
	for (size_t i = 0; i < COUNT(rows); i++) {
		static const char *const names[] = { "cpu.max", "memory.max", "pids.max" };
		const char *expected[] = { rows[i].cpu, rows[i].memory, rows[i].processes };

		for (int k = 0; k < 3; k++)
			close(openat(dir, names[k], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				     0600));
		fl_group_limit(dir, &rows[i].limits);
		for (int k = 0; k < 3; k++) {
			CHECK(fl_text_at(dir, names[k], text, sizeof text) >= 0, rows[i].name);
			CHECK(strcmp(text, expected[k]) == 0, rows[i].name);
			unlinkat(dir, names[k], 0);
		}
	}
	assert_false(fl_group_kill(root)); /* it is none */
	assert_false(fl_group_kill(""));
	assert_true(fl_group_remove(""));
	assert_true(fl_group_remove("/tmp/no/such"));
	close(dir);
	assert_int_equal(rmdir(root), 0);
}

/* What the kernel tells that all in a group used; what it does not tell is left as it was. */
TEST(used)
{
	static const struct {
		const char *name, *cpu, *memory; /* NULL: there is no such file */
		uint64_t want_cpu, want_memory;
	} rows[] = {
		{ "both", "usage_usec 2500000\nuser_usec 2000000\n", "1073741824\n",
		  UINT64_C(2500000000), 1 << 30 },
		{ "not the first line", "nr_periods 7\nusage_usec 3\n", "4096\n", 3000, 4096 },
		{ "no memory", "usage_usec 3\n", NULL, 3000, 22 },
		{ "nothing", NULL, NULL, 11, 22 },
		{ "odd", "usage_usec x\nusage_usecs 9\n", "max\n", 11, 22 },
		{ "empty", "", "", 11, 22 },
	};
	char root[] = "/tmp/fairlead-test-XXXXXX";
	uint64_t cpu = 11, memory = 22;

	assert_non_null(mkdtemp(root));
	int dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	const struct fl_group_files none = { -1, -1, -1 }, group = { -1, -1, dir };
	fl_group_used(&none, &cpu, &memory);
	assert_true(cpu == 11 && memory == 22);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *const names[] = { "cpu.stat", "memory.peak" };
		const char *const texts[] = { rows[i].cpu, rows[i].memory };

		cpu = 11;
		memory = 22;
		for (int k = 0; k < 2; k++) {
			int fd = texts[k] ? openat(dir, names[k],
						   O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) :
					    -1;

			if (fd >= 0) {
				assert_int_equal(write(fd, texts[k], strlen(texts[k])),
						 strlen(texts[k]));
				close(fd);
			}
		}
		fl_group_used(&group, &cpu, &memory);
		CHECK(cpu == rows[i].want_cpu && memory == rows[i].want_memory, rows[i].name);
		for (int k = 0; k < 2; k++)
			unlinkat(dir, names[k], 0);
	}
	close(dir);
	assert_int_equal(rmdir(root), 0);
}

/* What the kernel counts in memory.events. */
TEST(out_of_memory)
{
	static const struct {
		const char *name, *events;
		bool killed;
	} rows[] = {
		{ "none", "low 0\nhigh 0\nmax 7\noom 2\noom_kill 0\noom_group_kill 0\n", false },
		{ "one", "low 0\nhigh 0\nmax 7\noom 2\noom_kill 1\noom_group_kill 1\n", true },
		{ "first", "oom_kill 12\n", true },
		{ "another", "oom_killed 12\n", false },
		{ "empty", "", false },
	};
	char root[] = "/tmp/fairlead-test-XXXXXX";

	assert_non_null(mkdtemp(root));
	int dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct fl_group_files none = { -1, -1, -1 }, group = { -1, -1, dir };
	assert_false(fl_group_out_of_memory(&none));
	assert_false(fl_group_out_of_memory(&group));
	assert_true(fl_group_is_empty(&none));
	assert_false(fl_group_end(&none));
	for (size_t i = 0; i < COUNT(rows); i++) {
		int file = openat(dir, "memory.events", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				  0600);
		size_t n = strlen(rows[i].events);

		CHECK(write(file, rows[i].events, n) == (ssize_t)n, rows[i].name);
		close(file);
		CHECK(fl_group_out_of_memory(&group) == rows[i].killed, rows[i].name);
	}
	unlinkat(dir, "memory.events", 0);
	close(dir);
	assert_int_equal(rmdir(root), 0);
}

UNIT_GROUP("process")
