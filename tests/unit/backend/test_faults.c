/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of runs when the daemon, a runner, the machine or the disk fails. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/attempt.h"
#include "backend/local/folder.h"
#include "backend/process/process.h"
#include "place.h"

static struct place place;

static int set_up(void **state)
{
	(void)state;
	place_make(&place);
	return 0;
}

static int set_up_closed(void **state)
{
	(void)state;
	place_make_folder(&place);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	place.runner = NULL;
	place_remove(&place);
	return 0;
}

static int tear_down_mounted(void **state)
{
	(void)state;
	place_remove(&place);
	umount(place.state);
	rmdir(place.state);
	return 0;
}

/* --- the daemon is killed --- */

static void start_and_die(struct place *p)
{
	place_open(p);
	place_start(p, &(struct ask){ .job = 1,
				      .script = "echo >>ran; until [ -e go ]; do sleep 0.01; done; "
						"echo out; exit 9" });
	place_start(p, &(struct ask){ .job = 2, .script = "echo >>ran2; exit 4" });
	place_wait_began(p, 1, 1);
	place_wait(p, 2, 1);
	kill(getpid(), SIGKILL);
}

TEST_IN(set_up_closed, tear_down, daemon_killed)
{
	const struct fl_run_outcome *o;

	assert_int_equal(WTERMSIG(place_in_another(&place, start_and_die)), SIGKILL);
	place_open(&place);
	/* It goes on; asked for again it is the same run. */
	place_start(&place, &(struct ask){ .job = 1, .script = "echo >>ran" });
	assert_int_equal(place_find(&place, 1), FL_FOUND_RUNS);
	assert_true(place_wait_began(&place, 1, 1)->began_at > 0);
	assert_int_equal(place_find(&place, 2), FL_FOUND_ENDED);
	assert_int_equal(place_find(&place, 3), FL_FOUND_NEVER);
	assert_int_equal(place_wait(&place, 2, 1)->status, 4);
	place_write(&place, "go", "");
	o = place_wait(&place, 1, 1);
	assert_int_equal(o->kind, FL_RUN_EXITED);
	assert_int_equal(o->status, 9);
	assert_true(o->ended > o->began);
	assert_string_equal(place_output(&place, 1, 1, 0, FL_STREAM_OUT), "out\n");
	assert_string_equal(place_file(&place, "ran"), "\n");
	assert_string_equal(place_file(&place, "ran2"), "\n");
	/* Again until it is forgotten. */
	place_close(&place);
	place_open(&place);
	assert_int_equal(place_find(&place, 1), FL_FOUND_ENDED);
	assert_int_equal(place_wait(&place, 1, 1)->status, 9);
}

static void start_many_and_die(struct place *p)
{
	place_open(p);
	for (uint64_t job = 1; job <= 20; job++)
		place_start(p,
			    &(struct ask){ .job = job, .script = "echo >>ran.$FAIRLEAD_JOB_ID" });
	/* So soon that some are made, some half, and some not at all. */
	for (int i = getpid() % 7; i > 0; i--)
		uv_run(&p->loop, UV_RUN_NOWAIT);
	kill(getpid(), SIGKILL);
}

TEST_IN(set_up_closed, tear_down, killed_while_starting)
{
	for (int i = 0; i < 3; i++) {
		char name[32];

		place_in_another(&place, start_many_and_die);
		place_open(&place);
		for (uint64_t job = 1; job <= 20; job++)
			place_start(&place,
				    &(struct ask){ .job = job,
						   .script = "echo >>ran.$FAIRLEAD_JOB_ID" });
		for (uint64_t job = 1; job <= 20; job++) {
			assert_int_equal(place_wait(&place, job, 1)->status, 0);
			assert_int_equal(place_told(&place, job, 1)->outcome.kind, FL_RUN_EXITED);
			snprintf(name, sizeof name, "ran.%llu", (unsigned long long)job);
			assert_string_equal(place_file(&place, name), "\n");
			place_write(&place, name, "");
			fl_local_backend.remove(place.host, job);
		}
		place_close(&place);
	}
	place_open(&place);
}

/* Both are open before one starts anything: a daemon that opens clears away what is half made. */
static void start_when_told(struct place *p, int ready, int go)
{
	char c = 0;

	place_open(p);
	if (write(ready, &c, 1) != 1 || read(go, &c, 1) != 1)
		_exit(2);
	for (uint64_t job = 1; job <= 8; job++)
		place_start(p,
			    &(struct ask){ .job = job, .script = "echo >>ran; sleep 0.5; exit 6" });
	place_wait_lines(p, "ran", 8);
	if (write(ready, &c, 1) != 1)
		_exit(2);
	for (uint64_t job = 1; job <= 8; job++)
		if (place_wait(p, job, 1)->status != 6)
			_exit(1);
	place_close(p);
	_exit(7);
}

/*
 * Two daemons on one folder, though a lock forbids it: one is told to start what the other one has
 * running.  Both hear of it, and it has run once.  That both make one run at the same moment is
 * what the lock is for.
 */
TEST_IN(set_up_closed, tear_down, two_daemons)
{
	pid_t pids[2];
	int status, ready[2], go[2];
	char both[2] = { 0 };

	assert_int_equal(pipe(ready) | pipe(go), 0);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			start_when_told(&place, ready[1], go[0]);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(read(ready[0], both, 1), 1);
	assert_int_equal(write(go[1], both, 1), 1);
	assert_int_equal(read(ready[0], both, 1), 1);
	assert_int_equal(write(go[1], both, 1), 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(WEXITSTATUS(status), 7);
		close(ready[i]);
		close(go[i]);
	}
	assert_string_equal(place_file(&place, "ran"), "\n\n\n\n\n\n\n\n");
	place_open(&place);
}

/* --- files that are not whole, runners that never were --- */

static void make_folder(uint64_t job, size_t cut, fl_time limit)
{
	struct fl_folder f;
	struct fl_attempt_spec spec = {
		.job = job,
		.attempt = 1,
		.tasks = 1,
		.uid = getuid(),
		.gid = getgid(),
		.time_limit = limit,
		.grace = 20 * FL_SECOND,
		.signal = SIGTERM,
		.output_limit = 100,
		.token = place_token(&place, job, 1),
		.name = "",
		.queue = "q",
		.directory = place.state,
		.output = "",
		.group = "",
		.command = "sh\0-c\0echo >>ran",
		.command_len = sizeof "sh\0-c\0echo >>ran",
	};
	void *bytes;
	size_t n;

	assert_int_equal(fl_attempt_encode(&spec, &bytes, &n, NULL), 0);
	assert_int_equal(fl_folder_open(&f, place.state, NULL), 0);
	assert_int_equal(fl_folder_make(&f, job, 1, bytes, n - cut, NULL), 0);
	fl_folder_close(&f);
	free(bytes);
}

/* Killed between giving it its name and taking away the one of before. */
static void give_two_names(uint64_t job, char second[250])
{
	char path[200];

	snprintf(path, sizeof path, "%s/runs/%d/1", place.state, (int)job);
	snprintf(second, 250, "%s/new.0123456789abcdef", path);
	strcat(path, "/run");
	assert_int_equal(link(path, second), 0);
}

TEST_IN(set_up_closed, tear_down, half_made)
{
	char path[200], second[250];

	make_folder(1, 0, FL_NEVER);  /* whole, and nobody has begun it */
	make_folder(2, 40, FL_NEVER); /* not whole */
	snprintf(path, sizeof path, "%s/runs/3", place.state);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/1");
	assert_int_equal(mkdir(path, 0700), 0);
	make_folder(4, 0, FL_NEVER);
	give_two_names(4, second);
	place_open(&place);
	assert_int_equal(place_find(&place, 1), FL_FOUND_RUNS);
	assert_int_equal(place_find(&place, 2), FL_FOUND_DAMAGED);
	assert_int_equal(place_find(&place, 3), FL_FOUND_NEVER);
	assert_int_equal(place_wait(&place, 1, 1)->kind, FL_RUN_EXITED);
	assert_string_equal(place_file(&place, "ran"), "\n");
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access(second, F_OK), -1);
	assert_int_equal(place_find(&place, 4), FL_FOUND_RUNS);
	assert_int_equal(place_wait(&place, 4, 1)->kind, FL_RUN_EXITED);
	assert_string_equal(place_file(&place, "ran"), "\n\n");
	for (uint64_t job = 2; job <= 3; job++)
		assert_int_equal(
			place_run(&place, &(struct ask){ .job = job, .script = "true" })->kind,
			FL_RUN_EXITED);
}

/* What cannot be looked at is not taken for nothing, and stays where it is. */
TEST_IN(set_up_closed, tear_down, not_set_aside)
{
	struct rlimit files, few;
	struct fl_folder f;
	char kept[FL_RUN_PLACE], path[200];
	int last;

	make_folder(1, 40, FL_NEVER);
	assert_int_equal(fl_folder_open(&f, place.state, NULL), 0);
	snprintf(path, sizeof path, "%s/runs/1/1", place.state);
	assert_int_equal(chmod(path, 0770), 0);
	assert_int_equal(fl_folder_set_aside(&f, 1, 1, kept), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(chmod(path, 0700), 0);
	last = dup(0);
	close(last);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	few = (struct rlimit){ (rlim_t)last, files.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	int rc = fl_folder_set_aside(&f, 1, 1, kept), why = errno;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	assert_int_equal(rc, -1);
	assert_int_equal(why, EMFILE);
	assert_int_equal(fl_folder_set_aside(&f, 1, 1, kept), 0);
	assert_string_equal(kept, "stray/1.1");
	assert_int_equal(fl_folder_set_aside(&f, 1, 1, kept), 0);
	assert_string_equal(kept, "");
	fl_folder_close(&f);
	place_open(&place);
}

TEST_IN(set_up_closed, tear_down, bad_runner)
{
	static const struct {
		const char *runner, *text;
	} rows[] = {
		{ "/bin/false", "its runner ended before it began" },
		{ "/etc", "cannot start its runner: Permission denied" },
	};

	for (uint64_t i = 0; i < COUNT(rows); i++) {
		place.runner = rows[i].runner;
		place_open(&place);
		place_start(&place, &(struct ask){ .job = i + 1, .script = "true" });
		CHECK(place_wait(&place, i + 1, 1)->kind == FL_RUN_NOT_STARTED, rows[i].runner);
		CHECK(strstr(place_told(&place, i + 1, 1)->outcome.text, rows[i].text),
		      rows[i].runner);
		place_close(&place);
	}
	place.runner = NULL;
	place_open(&place);
	/* What was said stays so. */
	place_start(&place, &(struct ask){ .job = 1, .script = "true" });
	assert_int_equal(place_wait(&place, 1, 1)->kind, FL_RUN_NOT_STARTED);
}

/* --- runners that are killed, stopped, told --- */

TEST_IN(set_up, tear_down, runner_killed)
{
	for (uint64_t job = 1; job <= 2; job++) {
		const struct fl_run_outcome *o;
		char up[16];

		snprintf(up, sizeof up, "up%d", (int)job);
		place_start(&place,
			    &(struct ask){ .job = job,
					   .tasks = 2,
					   .environment = job == 1 ? "PATH=/usr/bin:/bin\0UP=up1" :
								     "PATH=/usr/bin:/bin\0UP=up2",
					   .environment_len = sizeof "PATH=/usr/bin:/bin\0UP=up1",
					   .script = "trap '' TERM HUP; setsid sleep @ & (sh "
						     "-c 'sleep @; :' &); echo >>$UP; "
						     "sleep @" });
		place_wait_lines(&place, up, 2);
		place_wait_began(&place, job, 1);
		assert_true(place_count(&place) > 0);
		assert_int_equal(kill(place_runner(&place, job, 1), SIGKILL), 0);
		o = place_wait(&place, job, 1);
		assert_int_equal(o->kind, FL_RUN_LOST);
		assert_int_equal(o->stopped, FL_GO_NOT);
		assert_true(o->ended >= o->began);
		assert_non_null(strstr(o->text, "its runner was killed"));
		assert_int_equal(place_count(&place), 0);
		place_close(&place);
		place.cgroup = FL_CGROUP_OFF;
		place_open(&place);
		/* It stays lost, and is not run again. */
		place_start(&place, &(struct ask){ .job = job, .script = "true" });
		assert_int_equal(place_wait(&place, job, 1)->kind, FL_RUN_LOST);
	}
}

/* What has another session, no environment of ours, other parents, or was stopped. */
static void kill_runner_of_hidden(void)
{
	struct fl_capacity capacity;
	static const char script[] =
		"setsid env -i sh -c 'echo >>up; exec sleep @' & "
		"(setsid setsid env -i sh -c 'echo >>up; exec sleep @' &); "
		"(setsid env -i sh -c 'echo >>up; kill -STOP $$; exec sleep @' &); "
		"trap '' TERM; sleep @; sleep @";

	assert_int_equal(fl_local_backend.capacity(place.host, &capacity, NULL), 0);
	if (!capacity.contains)
		skip();
	place_start(&place, &(struct ask){ .job = 1, .script = script });
	place_wait_lines(&place, "up", 3);
	place_wait_began(&place, 1, 1);
	assert_int_equal(kill(place_runner(&place, 1, 1), SIGKILL), 0);
	assert_int_equal(place_wait(&place, 1, 1)->kind, FL_RUN_LOST);
	assert_int_equal(place_count(&place), 0);
}

TEST_IN(set_up, tear_down, runner_of_hidden_killed) { kill_runner_of_hidden(); }

TEST_IN(set_up, tear_down, runner_of_hidden_killed_without_groups)
{
	place_close(&place);
	place.cgroup = FL_CGROUP_OFF;
	place_open(&place);
	kill_runner_of_hidden();
}

static void start_kill_and_die(struct place *p)
{
	place_open(p);
	place_start(p, &(struct ask){ .job = 1, .script = "setsid sleep @ & echo >>up; sleep @" });
	place_wait_began(p, 1, 1);
	place_wait_lines(p, "up", 1);
	kill(place_runner(p, 1, 1), SIGKILL);
	kill(getpid(), SIGKILL);
}

TEST_IN(set_up_closed, tear_down, both_killed)
{
	place_in_another(&place, start_kill_and_die);
	place_open(&place);
	assert_int_equal(fl_local_backend.stop(place.host, 1, 1, FL_GO_CANCELLED, 0, NULL), 0);
	assert_int_equal(place_wait(&place, 1, 1)->kind, FL_RUN_LOST);
	assert_int_equal(place_count(&place), 0);
}

/* A number that another process has now, and the number of one of another boot. */
TEST_IN(set_up_closed, tear_down, not_its_process)
{
	static const char *const names[] = { "", "its runner was killed",
					     "the machine was restarted" };
	struct fl_process self;

	assert_true(fl_process_look(getpid(), &self));
	for (uint64_t job = 1; job <= 2; job++) {
		struct fl_attempt_status s = { .state = FL_ATTEMPT_RUNS,
					       .runner = self.pid,
					       .runner_since = self.since + (job == 1),
					       .wall_began = 5 };

		make_folder(job, 0, FL_NEVER);
		fl_boot_id(s.boot);
		s.boot[0] = job == 1 ? s.boot[0] : 'x';
		int fd = place_open_file(&place, job);
		assert_int_equal(fl_attempt_set_status(fd, &s), 0);
		close(fd);
	}
	place_open(&place);
	for (uint64_t job = 1; job <= 2; job++) {
		const struct fl_run_outcome *o;

		assert_int_equal(place_find(&place, job), FL_FOUND_RUNS);
		o = place_wait(&place, job, 1);
		assert_int_equal(o->kind, FL_RUN_LOST);
		assert_non_null(strstr(o->text, names[job]));
		assert_int_equal(o->ended == FL_TIME_NONE, job == 2);
		assert_int_equal(o->wall_began, 5);
	}
	assert_string_equal(place_file(&place, "ran"), "");
}

TEST_IN(set_up, tear_down, runner_told)
{
	const struct fl_run_outcome *o;

	/* By somebody else: its own grace. */
	place_start(&place, &(struct ask){ .job = 1, .script = "echo >>up; exec sleep 600" });
	place_start(&place, &(struct ask){ .job = 2, .script = "echo >>up; exec sleep 600" });
	place_wait_lines(&place, "up", 2);
	kill(place_runner(&place, 1, 1), SIGTERM);
	o = place_wait(&place, 1, 1);
	assert_int_equal(o->status, SIGTERM);
	assert_int_equal(o->stopped, FL_GO_DRAIN);
	/* Stopped by somebody, it hears all the same. */
	kill(place_runner(&place, 2, 1), SIGSTOP);
	place_stop(&place, 2, FL_GO_HELD, 600 * FL_SECOND);
	o = place_wait(&place, 2, 1);
	assert_int_equal(o->status, SIGTERM);
	assert_int_equal(o->stopped, FL_GO_HELD);
}

/* Its user keeps it from doing anything: it ends all the same, after a time. */
TEST_IN(set_up_closed, tear_down, runner_stopped)
{
	static const struct {
		const char *name;
		bool begins, told; /* it had begun; it is to stop, and is stopped again and again */
		fl_time limit;
		enum fl_go_why why;
	} rows[] = {
		{ "at its time limit", true, false, FL_SECOND / 2, FL_GO_TIME_LIMIT },
		{ "when it is cancelled", true, true, 0, FL_GO_CANCELLED },
		{ "before it began", false, false, FL_SECOND / 2, FL_GO_TIME_LIMIT },
		{ "before it began, and it is cancelled", false, true, 0, FL_GO_CANCELLED },
	};
	char script[128];

	(void)snprintf(script, sizeof script, "%s/stopped", place.state);
	FILE *f = fopen(script, "w");
	assert_non_null(f);
	assert_true(fputs("#!/bin/sh\nkill -STOP $$\n", f) > 0 && fclose(f) == 0);
	assert_int_equal(chmod(script, 0755), 0);
	for (uint64_t i = 0; i < COUNT(rows); i++) {
		struct ask ask = { .job = i + 1,
				   .script = "echo >>up; exec sleep @",
				   .grace = FL_SECOND / 10,
				   .time_limit = rows[i].limit };
		pid_t stopper = -1;

		place.runner = rows[i].begins ? NULL : script;
		place.patience = FL_SECOND;
		place_open(&place);
		place_start(&place, &ask);
		if (rows[i].begins) {
			place_wait_began(&place, ask.job, 1);
			pid_t runner = place_runner(&place, ask.job, 1);
			stopper = rows[i].told ? fork() : 0;
			if (stopper == 0)
				kill(runner, SIGSTOP);
			while (stopper == 0 && rows[i].told)
				kill(runner, SIGSTOP);
		}
		fl_time before = fl_boot_clock();
		if (rows[i].told)
			place_stop(&place, ask.job, rows[i].why, FL_SECOND / 10);
		const struct fl_run_outcome *o = place_wait(&place, ask.job, 1);
		if (stopper > 0) {
			kill(stopper, SIGKILL);
			waitpid(stopper, NULL, 0);
		}
		CHECK(fl_boot_clock() - before < 60 * FL_SECOND, rows[i].name);
		CHECK(o->stopped == rows[i].why, rows[i].name);
		CHECK(rows[i].begins == (o->wall_began != FL_TIME_NONE), rows[i].name);
		CHECK(place_count(&place) == 0, rows[i].name);
		place_close(&place);
	}
}

/* Written down, and then the daemon was killed before it could tell. */
TEST_IN(set_up, tear_down, order_not_told)
{
	struct fl_attempt_order order = { .why = FL_GO_PREEMPTED, .by = FL_NEVER };

	place_start(&place, &(struct ask){ .job = 1, .script = "echo >>up; exec sleep 600" });
	place_wait_lines(&place, "up", 1);
	place_close(&place);
	fl_boot_id(order.boot);
	int fd = place_open_file(&place, 1);
	assert_int_equal(fl_attempt_set_order(fd, &order), 0);
	close(fd);
	place_open(&place);
	/* On a slow machine the runner has read it by itself by now. */
	enum fl_found found = place_find(&place, 1);
	assert_true(found == FL_FOUND_RUNS || found == FL_FOUND_ENDED);
	assert_int_equal(place_wait(&place, 1, 1)->stopped, FL_GO_PREEMPTED);
	/* And one that nobody has begun: it does not begin. */
	make_folder(2, 0, FL_NEVER);
	fd = place_open_file(&place, 2);
	assert_int_equal(fl_attempt_set_order(fd, &order), 0);
	close(fd);
	place_close(&place);
	place_open(&place);
	place_find(&place, 2);
	assert_int_equal(place_wait(&place, 2, 1)->kind, FL_RUN_NOT_STARTED);
	assert_int_equal(place_told(&place, 2, 1)->outcome.stopped, FL_GO_PREEMPTED);
	assert_string_equal(place_file(&place, "ran"), "");
}

/* --- jobs that do their worst --- */

TEST_IN(set_up, tear_down, bomb)
{
	for (uint64_t job = 1; job <= 2; job++) {
		place_write(&place, "up", "");
		/* Up to 200 that hear nothing, and each that ends is followed by another. */
		place_start(
			&place,
			&(struct ask){
				.job = job,
				.script = "trap '' TERM HUP INT; cat >bomb.sh <<'EOF'\n"
					  "trap '' TERM HUP INT\n"
					  ": @\n"
					  "[ $1 -gt 0 ] || exec sleep @\n"
					  "for i in 1 2 3 4 5; do setsid sh bomb.sh $(($1 - 1)) "
					  "@ & done\n"
					  "echo >>up\n"
					  "while :; do wait; (sleep 0.01; :) & done\n"
					  "EOF\n"
					  "sh bomb.sh 3 @ & wait",
			});
		place_wait_lines(&place, "up", 31);
		place_stop(&place, job, FL_GO_CANCELLED, FL_SECOND / 100);
		const struct fl_run_outcome *o = place_wait(&place, job, 1);
		assert_int_equal(o->kind, FL_RUN_SIGNALLED);
		assert_true(o->killed);
		assert_int_equal(place_count(&place), 0);
		place_close(&place);
		place.cgroup = FL_CGROUP_OFF;
		place_open(&place);
	}
}

/* --- nothing more to be had --- */

TEST_IN(set_up_closed, tear_down_mounted, full_disk)
{
	const struct fl_run_outcome *o;
	char big[200];

	if (getuid() != 0 || mount("fairlead-test", place.state, "tmpfs", 0, "size=256k") != 0)
		skip();
	place_open(&place);
	place_start(&place,
		    &(struct ask){ .job = 1,
				   .script = "until [ -e full ]; do sleep 0.01; done; yes | head "
					     "-c 1000000; exit 3" });
	place_start(&place, &(struct ask){ .job = 2, .script = "exec sleep 600" });
	place_wait_began(&place, 1, 1);
	place_wait_began(&place, 2, 1);
	snprintf(big, sizeof big, "%s/full", place.state);
	int fd = open(big, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	char zeros[4096] = { 0 };
	while (write(fd, zeros, sizeof zeros) > 0)
		continue;
	assert_int_equal(errno, ENOSPC);
	close(fd);
	/* Its end is kept, and it was not held up; another can be told to go. */
	place_stop(&place, 2, FL_GO_PREEMPTED, FL_SECOND);
	o = place_wait(&place, 2, 1);
	assert_int_equal(o->stopped, FL_GO_PREEMPTED);
	o = place_run(&place, &(struct ask){ .job = 3, .script = "true" });
	assert_int_equal(o->kind, FL_RUN_NOT_STARTED);
	assert_non_null(strstr(o->text, "No space left on device"));
	o = place_wait(&place, 1, 1);
	assert_int_equal(o->kind, FL_RUN_EXITED);
	assert_int_equal(o->status, 3);
	assert_int_equal(o->output_lost, 1000000);
	/* There is room again, and what could not be started can. */
	unlink(big);
	place_close(&place);
	place_open(&place);
	assert_int_equal(place_find(&place, 3), FL_FOUND_NEVER);
	assert_int_equal(place_run(&place, &(struct ask){ .job = 3, .script = "true" })->kind,
			 FL_RUN_EXITED);
}

/* Logs leave room for what the daemon writes. */
TEST_IN(set_up_closed, tear_down_mounted, last_of_the_disk)
{
	const struct fl_run_outcome *o;
	struct statvfs disk;

	if (getuid() != 0 || mount("fairlead-test", place.state, "tmpfs", 0, "size=1m") != 0)
		skip();
	place_open(&place);
	o = place_run(&place, &(struct ask){ .job = 1, .script = "yes | head -c 3000000" });
	assert_int_equal(o->kind, FL_RUN_EXITED);
	assert_in_range(o->output_lost, 2000000, 2999999);
	assert_int_equal(statvfs(place.state, &disk), 0);
	/* A twentieth, and a piece of 64 KiB that would have gone beyond it. */
	assert_in_range(disk.f_bavail, disk.f_blocks / 20, disk.f_blocks / 8);
	o = place_run(&place, &(struct ask){ .job = 2, .script = "true" });
	assert_int_equal(o->kind, FL_RUN_EXITED);
}

enum { ALONE = 4294901 /* a user that has no other processes */ };

/* Processes of runs that are over may take a while to be gone, and count against the limit until then. */
static bool is_alone(void *user)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	struct stat st;
	int n = 0;

	(void)user;
	while (dir && (e = readdir(dir)))
		n += atoi(e->d_name) > 0 && atoi(e->d_name) != getpid() &&
		     fstatat(dirfd(dir), e->d_name, &st, 0) == 0 && st.st_uid == ALONE;
	if (dir)
		closedir(dir);
	return n == 0;
}

/* As a user who may have few processes: enough for us and the runner, not for its tasks. */
static void start_without_processes(struct place *p)
{
	struct rlimit few = { 12, 12 };
	const struct fl_run_outcome *o;

	if (chown(p->state, ALONE, ALONE) != 0 || setgid(ALONE) != 0 || setuid(ALONE) != 0)
		_exit(1);
	place_open(p);
	if (setrlimit(RLIMIT_NPROC, &few) != 0)
		_exit(2);
	o = place_run(p, &(struct ask){ .job = 1, .tasks = 20, .script = "echo >>ran" });
	if (o->kind != FL_RUN_NOT_STARTED || !strstr(o->text, "cannot make a process for task") ||
	    !strstr(o->text, "of 20"))
		_exit(3);
	place_until(p, is_alone, NULL, "processes to be gone");
	few.rlim_cur = 1;
	setrlimit(RLIMIT_NPROC, &few);
	o = place_run(p, &(struct ask){ .job = 2, .script = "echo >>ran" });
	if (o->kind != FL_RUN_NOT_STARTED || !strstr(o->text, "cannot start its runner"))
		_exit(4);
	place_until(p, is_alone, NULL, "processes to be gone");
	few.rlim_cur = 12;
	setrlimit(RLIMIT_NPROC, &few);
	o = place_run(p, &(struct ask){ .job = 3, .script = "echo >>ran3" });
	if (o->kind != FL_RUN_EXITED || o->status != 0)
		_exit(5);
	place_close(p);
	_exit(7);
}

static int make_ours(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return lchown(path, getuid(), getgid());
}

/* NULL: it was. */
static const char *why_not_opened(void)
{
	static fairlead_error err;
	uv_loop_t loop;
	struct fl_host *host = NULL;
	struct fl_host_options options = {
		.loop = &loop,
		.state = place.state,
		.runner = "/bin/true",
	};

	assert_int_equal(uv_loop_init(&loop), 0);
	int rc = fl_local_backend.open(&options, &host, &err);
	if (rc == 0)
		fl_local_backend.close(host);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	return rc == 0 ? NULL : err.hint;
}

TEST_IN(set_up_closed, tear_down, no_fork)
{
	if (getuid() != 0) {
		place_open(&place);
		skip();
	}
	assert_int_equal(WEXITSTATUS(place_in_another(&place, start_without_processes)), 7);
	assert_string_equal(place_file(&place, "ran"), "");
	assert_string_equal(place_file(&place, "ran3"), "\n");
	/* What another user has made is not believed by root. */
	assert_string_equal(
		why_not_opened(),
		"it must belong to the user that fairleadd runs as, and no other user may write to it");
	assert_int_equal(nftw(place.state, make_ours, 16, FTW_PHYS), 0);
	place_open(&place);
}

/* --- what somebody else could have written --- */

TEST_IN(set_up, tear_down, foreign)
{
	enum how { OWNER, MODE, LINK, OTHER, FINE /* a mode */ };
	static const struct {
		const char *name, *path;
		enum how how;
		mode_t mode;
	} rows[] = {
		{ "a file of another user", "runs/1/1/run", OWNER, 0 },
		{ "a file that others read", "runs/1/1/run", FINE, 0644 },
		{ "a file that its group writes", "runs/1/1/run", MODE, 0620 },
		{ "a file with two names", "runs/1/1/run", LINK, 0 },
		{ "a pipe in its place", "runs/1/1/run", OTHER, 0 },
		{ "a folder of another user", "runs/1/1", OWNER, 0 },
		{ "a folder that everybody writes to", "runs/1/1", MODE, 0777 },
		{ "one above it of another user", "runs/1", OWNER, 0 },
		{ "one above it that its group writes to", "runs/1", MODE, 0770 },
	};
	char path[200], aside[200];
	struct stat st;

	place_run(&place, &(struct ask){ .job = 1, .script = "echo ran >>ran" });
	place_close(&place);
	snprintf(aside, sizeof aside, "%s/aside", place.state);
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].how == OWNER && getuid() != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", place.state, rows[i].path);
		assert_int_equal(stat(path, &st), 0);
		if (rows[i].how == OWNER)
			assert_int_equal(chown(path, ALONE, ALONE), 0);
		else if (rows[i].how == MODE || rows[i].how == FINE)
			assert_int_equal(chmod(path, rows[i].mode), 0);
		else if (rows[i].how == LINK)
			assert_int_equal(link(path, aside), 0);
		else
			assert_true(rename(path, aside) == 0 && mkfifo(path, 0600) == 0);
		const char *hint = why_not_opened();
		CHECK(rows[i].how == FINE ? !hint :
					    hint && strstr(hint, "it is not used: move it away"),
		      rows[i].name);
		if (rows[i].how == OTHER)
			assert_int_equal(rename(aside, path), 0);
		unlink(aside);
		assert_int_equal(chown(path, getuid(), getgid()), 0);
		assert_int_equal(chmod(path, st.st_mode & 07777), 0);
		CHECK(!why_not_opened(), rows[i].name);
	}
	/* It is as it was: known, and not run again. */
	place_open(&place);
	assert_int_equal(place_find(&place, 1), FL_FOUND_ENDED);
	assert_string_equal(place_file(&place, "ran"), "ran\n");
}

/* --- what cannot be opened --- */

TEST(not_opened)
{
	static const struct {
		const char *state, *runner, *text;
	} rows[] = {
		{ "/no/such", "/bin/true", "cannot open the state folder /no/such" },
		{ "/proc", "/bin/true", "cannot make or open /proc/runs" },
		{ "/tmp", "/no/such", "cannot run /no/such" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uv_loop_t loop;
		fairlead_error err = { 0 };
		struct fl_host *host = NULL;
		struct fl_host_options options = { .loop = &loop,
						   .state = rows[i].state,
						   .runner = rows[i].runner };

		assert_int_equal(uv_loop_init(&loop), 0);
		CHECK(fl_local_backend.open(&options, &host, &err) == FAIRLEAD_EIO, rows[i].text);
		CHECK(strstr(err.text, rows[i].text), rows[i].text);
		assert_null(host);
		uv_run(&loop, UV_RUN_DEFAULT);
		assert_int_equal(uv_loop_close(&loop), 0);
	}
	assert_null(fl_local_backend.close(NULL));
}

UNIT_GROUP("faults")
