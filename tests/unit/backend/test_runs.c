/* SPDX-License-Identifier: Apache-2.0 */
/* What runs do when nothing is wrong with the machine: ends, tasks, output, stops, devices. */
#include <fcntl.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "place.h"

static struct place place;

static int set_up(void **state)
{
	(void)state;
	place_make(&place);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	place_remove(&place);
	return 0;
}

#define TEXTS(...) .command = __VA_ARGS__, .command_len = sizeof(__VA_ARGS__)

TEST_IN(set_up, tear_down, ends)
{
	static const struct {
		const char *name;
		struct ask ask;
		enum fl_outcome_kind kind;
		int status;
		const char *out, *err, *text; /* text: in it */
	} rows[] = {
		{ "good",
		  { .script = "echo one; echo two >&2" },
		  FIELDS(FL_RUN_EXITED, 0, "one\n", "two\n", "") },
		{ "status", { .script = "exit 7" }, FL_RUN_EXITED, 7, "", "", "" },
		{ "signal", { .script = "kill -SEGV $$" }, FL_RUN_SIGNALLED, SIGSEGV, "", "", "" },
		{ "arguments are not looked into",
		  { TEXTS("printf\0%s|\0a b\0$HOME;\0*") },
		  FIELDS(FL_RUN_EXITED, 0, "a b|$HOME;|*|", "", "") },
		{ "not found",
		  { TEXTS("no-such-program") },
		  FL_RUN_IMPOSSIBLE,
		  FIELDS(0, "", "", "cannot run 'no-such-program': No such file") },
		{ "no program",
		  { TEXTS("/etc/passwd") },
		  FL_RUN_IMPOSSIBLE,
		  FIELDS(0, "", "", "cannot run '/etc/passwd': Permission denied") },
		{ "no directory",
		  { .script = "true", .directory = "/no/such" },
		  FIELDS(FL_RUN_IMPOSSIBLE, 0, "", "", "cannot go to the directory '/no/such'") },
		{ "a directory with an order for the terminal in it",
		  { .script = "true", .directory = "/\033[2J\n\xc3\xa4" },
		  FIELDS(FL_RUN_IMPOSSIBLE, 0, "", "", "the directory '/?[2J?\xc3\xa4'") },
		{ "no place for output",
		  { .script = "true", .output = "/no/such/out" },
		  FL_RUN_IMPOSSIBLE,
		  FIELDS(0, NULL, NULL, "cannot write output to '/no/such/out'") },
		{ "output to a folder",
		  { .script = "true", .output = "/tmp" },
		  FIELDS(FL_RUN_IMPOSSIBLE, 0, NULL, NULL, "cannot write output to '/tmp'") },
		{ "a pattern that is none",
		  { .script = "true", .output = "/tmp/%x" },
		  FIELDS(FL_RUN_IMPOSSIBLE, 0, NULL, NULL, "after % comes") },
		{ "standard input is empty",
		  { .script = "cat; echo end" },
		  FIELDS(FL_RUN_EXITED, 0, "end\n", "", "") },
		{ "no files of ours are open",
		  { .script = "for f in /proc/self/fd/*; do case $f in */[0-3]) ;; *) echo $f;; "
			      "esac; done" },
		  FL_RUN_EXITED,
		  0,
		  "",
		  "",
		  "" },
		{ "no signal is blocked or ignored",
		  { .script = "while read -r name bits; do case $name in SigBlk:|SigIgn:) echo "
			      "$((0x$bits & 0x7fffffff));; esac; done </proc/self/status" },
		  FL_RUN_EXITED,
		  0,
		  "0\n0\n",
		  "",
		  "" },
		{ "its path is the one that is looked in",
		  { TEXTS("sh\0-c\0true"), .environment = "PATH=/no/such",
		    .environment_len = sizeof "PATH=/no/such" },
		  FIELDS(FL_RUN_IMPOSSIBLE, 0, "", "", "cannot run 'sh'") },
	};

	for (uint64_t i = 0; i < COUNT(rows); i++) {
		struct ask ask = rows[i].ask;

		ask.job = i + 1;
		place_start(&place, &ask);
	}
	for (uint64_t i = 0; i < COUNT(rows); i++) {
		const struct fl_run_outcome *o = place_wait(&place, i + 1, 1);
		bool began = rows[i].kind != FL_RUN_IMPOSSIBLE;

		CHECK(o->kind == rows[i].kind, rows[i].name);
		CHECK(o->status == rows[i].status, rows[i].name);
		CHECK(o->stopped == FL_GO_NOT && !o->killed, rows[i].name);
		CHECK(strstr(o->text, rows[i].text), rows[i].name);
		CHECK((o->began != FL_TIME_NONE) == began, rows[i].name);
		CHECK(o->ended != FL_TIME_NONE && o->ended >= o->began, rows[i].name);
		CHECK(place_told(&place, i + 1, 1)->began == began, rows[i].name);
		if (!rows[i].out)
			continue;
		CHECK(strcmp(place_output(&place, i + 1, 1, 0, FL_STREAM_OUT), rows[i].out) == 0,
		      rows[i].name);
		CHECK(strcmp(place_output(&place, i + 1, 1, 0, FL_STREAM_ERR), rows[i].err) == 0,
		      rows[i].name);
	}
}

/* All of what is given in the environment, and that the user cannot put something else there. */
TEST_IN(set_up, tear_down, environment)
{
	static const char given[] = "PATH=/usr/bin:/bin\0ODD=\x01\xff;$(no) `no`\0FAIRLEAD_TASK=9\0"
				    "FAIRLEAD_ARRAY_INDEX=9\0CUDA_VISIBLE_DEVICES=7\0MINE=1";
	struct ask ask = {
		.job = 17,
		.attempt = 3,
		.tasks = 2,
		.script =
			"env | grep -aE '^(FAIRLEAD|CUDA|ODD|MINE|TMPDIR)' | grep -v FAIRLEAD_RUN | sort",
		.environment = given,
		.environment_len = sizeof given,
		.name = "train\n\xc3\xa4;",
		.queue = "lab/team-a",
	};

	setenv("FAIRLEAD_SECRET_OF_THE_DAEMON", "1", 1);
	assert_int_equal(place_run(&place, &ask)->kind, FL_RUN_EXITED);
	unsetenv("FAIRLEAD_SECRET_OF_THE_DAEMON");
	assert_string_equal(place_output(&place, 17, 3, 1, FL_STREAM_OUT),
			    "CUDA_VISIBLE_DEVICES=7\n"
			    "FAIRLEAD_ATTEMPT=3\n"
			    "FAIRLEAD_DEVICES=\n"
			    "FAIRLEAD_JOB_ID=17\n"
			    "FAIRLEAD_JOB_NAME=train\n"
			    "FAIRLEAD_QUEUE=lab/team-a\n"
			    "FAIRLEAD_TASK=1\n"
			    "FAIRLEAD_TASKS=2\n"
			    "MINE=1\n"
			    "ODD=\x01\xff;$(no) `no`\n");
	ask = (struct ask){ .job = 18,
			    .array = 12,
			    .array_index = 6,
			    .script = "echo $FAIRLEAD_JOB_NAME $FAIRLEAD_ARRAY_ID "
				      "$FAIRLEAD_ARRAY_INDEX" };
	assert_string_equal(place_run(&place, &ask)->text, "");
	assert_string_equal(place_output(&place, 18, 1, 0, FL_STREAM_OUT), "sh 12 6\n");
}

/* Numbers of devices: each run and each task has its own, and they come back. */
TEST_IN(set_up, tear_down, devices)
{
	static const struct fl_host_resource gpus[] = { { "nvidia.com/gpu", 4 } };
	static const uint32_t numbers[] = { 1, 3, 5, 7 };
	const char *script = "echo $CUDA_VISIBLE_DEVICES/$FAIRLEAD_DEVICES/$CUDA_DEVICE_ORDER; "
			     "while [ ! -e go ]; do sleep 0.01; done";
	uint32_t has[8];

	place_close(&place);
	place.flavor = (struct fl_host_flavor){ "default", gpus, 1, NULL, numbers, 4 };
	place.has_flavor = true;
	place_open(&place);
	place_start(&place, &(struct ask){ .job = 1, .tasks = 2, .gpus = 1, .script = script });
	place_start(&place, &(struct ask){ .job = 2, .script = script });
	place_start(&place, &(struct ask){ .job = 3, .gpus = 2, .script = script });
	place_start(&place, &(struct ask){ .job = 4, .gpus = 1, .script = script });
	assert_int_equal(place_wait(&place, 4, 1)->kind, FL_RUN_NOT_STARTED);
	assert_non_null(strstr(place_told(&place, 4, 1)->outcome.text, "not enough devices"));
	for (uint64_t job = 1; job <= 3; job++)
		place_wait_began(&place, job, 1);
	assert_int_equal(fl_local_backend.devices(place.host, 3, 1, has, 8), 2);
	assert_int_equal(has[0], 5);
	assert_int_equal(has[1], 7);
	/* After a restart they are theirs still. */
	place_close(&place);
	place_open(&place);
	assert_int_equal(fl_local_backend.devices(place.host, 1, 1, has, 8), 2);
	place_start(&place, &(struct ask){ .job = 5, .gpus = 1, .script = "true" });
	assert_int_equal(place_wait(&place, 5, 1)->kind, FL_RUN_NOT_STARTED);
	for (uint64_t job = 1; job <= 3; job++) {
		enum fl_found found;

		assert_int_equal(fl_local_backend.find(place.host, job, 1,
						       place_token(&place, job, 1), &found, NULL),
				 0);
		assert_int_equal(found, FL_FOUND_RUNS);
	}
	place_write(&place, "go", "");
	for (uint64_t job = 1; job <= 3; job++)
		assert_int_equal(place_wait(&place, job, 1)->status, 0);
	assert_string_equal(place_output(&place, 1, 1, 0, FL_STREAM_OUT), "1/1/PCI_BUS_ID\n");
	assert_string_equal(place_output(&place, 1, 1, 1, FL_STREAM_OUT), "3/3/PCI_BUS_ID\n");
	assert_string_equal(place_output(&place, 2, 1, 0, FL_STREAM_OUT), "//PCI_BUS_ID\n");
	assert_string_equal(place_output(&place, 3, 1, 0, FL_STREAM_OUT), "5,7/5,7/PCI_BUS_ID\n");
	place_run(&place, &(struct ask){ .job = 6, .gpus = 4, .script = script });
	assert_string_equal(place_output(&place, 6, 1, 0, FL_STREAM_OUT),
			    "1,3,5,7/1,3,5,7/PCI_BUS_ID\n");
}

/* The first that fails is how the job ends, and the others are told to go. */
TEST_IN(set_up, tear_down, tasks)
{
	const struct fl_run_outcome *o;

	o = place_run(&place, &(struct ask){ .job = 1,
					     .tasks = 20,
					     .script = "echo $FAIRLEAD_TASK >>all" });
	assert_int_equal(o->status, 0);
	place_wait_lines(&place, "all", 20);
	o = place_run(&place, &(struct ask){ .job = 2,
					     .tasks = 3,
					     .script = "[ $FAIRLEAD_TASK != 1 ] || exit 5; "
						       "exec sleep 600" });
	assert_int_equal(o->kind, FL_RUN_EXITED);
	assert_int_equal(o->status, 5);
	assert_int_equal(o->stopped, FL_GO_NOT);
}

struct stop_row {
	const char *name, *script;
	int signal;
	fl_time grace; /* of the stop */
	enum fl_outcome_kind kind;
	int status;
	bool killed;
};

TEST_IN(set_up, tear_down, stops)
{
	static const struct stop_row rows[] = {
		{ "goes", "echo >>up; exec sleep 600", 0, 600 * FL_SECOND, FL_RUN_SIGNALLED,
		  SIGTERM, false },
		{ "with its own signal", "trap 'exit 3' USR2; echo >>up; sleep 600 & wait", SIGUSR2,
		  600 * FL_SECOND, FL_RUN_EXITED, 3, false },
		{ "has not heard", "trap '' TERM; echo >>up; while :; do sleep 600; done", 0,
		  FL_SECOND / 10, FL_RUN_SIGNALLED, SIGKILL, true },
		{ "at once", "echo >>up; exec sleep 600", 0, 0, FL_RUN_SIGNALLED, SIGKILL, true },
		{ "is stopped", "echo >>up; kill -STOP $$; sleep 600", 0, 600 * FL_SECOND,
		  FL_RUN_SIGNALLED, SIGTERM, false },
	};

	for (uint64_t i = 0; i < COUNT(rows); i++)
		place_start(&place, &(struct ask){ .job = i + 1,
						   .script = rows[i].script,
						   .signal = rows[i].signal });
	place_wait_lines(&place, "up", COUNT(rows));
	for (uint64_t i = 0; i < COUNT(rows); i++) {
		place_wait_began(&place, i + 1, 1);
		place_stop(&place, i + 1, FL_GO_PREEMPTED, rows[i].grace);
	}
	for (uint64_t i = 0; i < COUNT(rows); i++) {
		const struct fl_run_outcome *o = place_wait(&place, i + 1, 1);
		bool at_once = rows[i].grace == 0;

		CHECK(o->kind == rows[i].kind, rows[i].name);
		CHECK(o->status == rows[i].status || (at_once && o->status == SIGTERM),
		      rows[i].name);
		CHECK(o->stopped == FL_GO_PREEMPTED, rows[i].name);
		CHECK(o->killed == rows[i].killed || at_once, rows[i].name);
	}
}

/* The first reason, the shorter grace; one that is not yet there, and one that is over. */
TEST_IN(set_up, tear_down, stops_again)
{
	fairlead_error err = { 0 };
	const struct fl_run_outcome *o;

	place_start(&place,
		    &(struct ask){ .job = 1, .script = "trap '' TERM; echo >>up; sleep 600" });
	place_wait_lines(&place, "up", 1);
	place_stop(&place, 1, FL_GO_PREEMPTED, 600 * FL_SECOND);
	place_stop(&place, 1, FL_GO_CANCELLED, 0);
	place_stop(&place, 1, FL_GO_CANCELLED, 600 * FL_SECOND);
	o = place_wait(&place, 1, 1);
	assert_int_equal(o->stopped, FL_GO_PREEMPTED);
	assert_true(o->killed);
	place_stop(&place, 1, FL_GO_CANCELLED, 0); /* it is over: nothing */

	place_start(&place, &(struct ask){ .job = 2, .script = "echo >>ran; sleep 600" });
	place_stop(&place, 2, FL_GO_CANCELLED, 0);
	o = place_wait(&place, 2, 1);
	assert_int_equal(o->stopped, FL_GO_CANCELLED);
	assert_true(o->kind == FL_RUN_NOT_STARTED || o->kind == FL_RUN_SIGNALLED);
	assert_int_equal(fl_local_backend.stop(place.host, 3, 1, FL_GO_CANCELLED, 0, &err),
			 FAIRLEAD_ENOENT);
}

TEST_IN(set_up, tear_down, limits_of_time)
{
	const struct fl_run_outcome *o;

	o = place_run(&place, &(struct ask){ .job = 1,
					     .script = "trap '' TERM; while :; do sleep 600; done",
					     .time_limit = 2 * FL_SECOND, /* to become deaf */
					     .grace = FL_SECOND / 5 });
	assert_int_equal(o->stopped, FL_GO_TIME_LIMIT);
	assert_int_equal(o->kind, FL_RUN_SIGNALLED);
	assert_int_equal(o->status, SIGKILL);
	assert_true(o->killed);
	assert_true(o->ended - o->began >= 2 * FL_SECOND + FL_SECOND / 5);
	assert_true(o->wall_ended > o->wall_began);
}

/* What a job leaves behind ends with it, whatever it has done to get away. */
TEST_IN(set_up, tear_down, leaves_nothing)
{
	for (uint64_t job = 1; job <= 2; job++) {
		place_run(&place,
			  &(struct ask){
				  .job = job,
				  .script = ": >left; setsid sh -c 'echo >>left; exec sleep @' & "
					    "(setsid sh -c 'trap \"\" TERM HUP; echo >>left; sleep "
					    "@; sleep @' &) & "
					    "until [ $(wc -l <left) = 2 ]; do sleep 0.01; done",
			  });
		assert_int_equal(place_told(&place, job, 1)->outcome.status, 0);
		assert_int_equal(place_count(&place), 0);
		place_close(&place);
		place.cgroup = FL_CGROUP_OFF;
		place_open(&place);
	}
}

TEST_IN(set_up, tear_down, output)
{
	struct fl_run_log log;
	char path[200], last[200];
	const char *text;

	place_close(&place);
	place.output_limit = 1000;
	place_open(&place);
	/* Beyond the limit: what is below it is kept, all of it is taken, the rest counted. */
	place_run(&place, &(struct ask){ .job = 1,
					 .script = "head -c 5000000 /dev/zero | tr '\\0' x; "
						   "printf y >&2" });
	assert_int_equal(place_told(&place, 1, 1)->outcome.output_lost, 5000000 - 1000);
	text = place_output(&place, 1, 1, 0, FL_STREAM_OUT);
	assert_int_equal(strspn(text, "x"), 1000);
	assert_string_equal(text + 1000, "\n[fairlead: 4999000 more bytes were not kept: the limit "
					 "is 1000 bytes]\n");
	assert_string_equal(place_output(&place, 1, 1, 0, FL_STREAM_ERR), "y");
	assert_int_equal(fl_local_backend.log(place.host, 1, 1, 0, FL_STREAM_OUT, &log, NULL), 0);
	assert_true(log.complete);
	assert_int_equal(log.size, strlen(text));
	assert_int_equal(log.lost, 4999000);
	close(log.fd);

	/* To a file of the user: both streams, all tasks, one behind the other. */
	snprintf(path, sizeof path, "%s/out-%%j.%%t%%%%", place.state);
	place_run(&place, &(struct ask){ .job = 2,
					 .tasks = 2,
					 .output = path,
					 .script = "echo out $FAIRLEAD_TASK; echo err >&2" });
	assert_string_equal(place_file(&place, "out-2.0%"), "out 0\nerr\n");
	assert_string_equal(place_file(&place, "out-2.1%"), "out 1\nerr\n");
	assert_int_equal(fl_local_backend.log(place.host, 2, 1, 0, FL_STREAM_OUT, &log, NULL),
			 FAIRLEAD_ENOENT);
	snprintf(path, sizeof path, "%s/one", place.state);
	for (uint64_t job = 3; job < 5; job++)
		place_run(&place,
			  &(struct ask){
				  .job = job, .tasks = 2, .output = path, .script = "echo line" });
	assert_string_equal(place_file(&place, "one"), "line\nline\nline\nline\n");

	/* A link in the place of the file is not followed. */
	snprintf(last, sizeof last, "%s/link", place.state);
	assert_int_equal(symlink(path, last), 0);
	place_run(&place, &(struct ask){ .job = 5, .output = last, .script = "echo line" });
	assert_non_null(strstr(place_told(&place, 5, 1)->outcome.text, "it is a symbolic link"));
	assert_int_equal(fl_local_backend.log(place.host, 99, 1, 0, FL_STREAM_OUT, &log, NULL),
			 FAIRLEAD_ENOENT);
	assert_int_equal(fl_local_backend.log(place.host, 1, 1, 1, FL_STREAM_OUT, &log, NULL),
			 FAIRLEAD_ENOENT);
}

/* Jobs of another user, with its groups and no others; and that nobody but root can have them run. */
TEST_IN(set_up, tear_down, users)
{
	static const char script[] = "id -u; id -g; id -G; touch mine 2>/dev/null || echo denied; "
				     "cat ../runs/1/1/run 2>/dev/null || echo hidden";
	char path[200];
	const struct fl_run_outcome *o;

	if (getuid() != 0) {
		o = place_run(&place,
			      &(struct ask){ .job = 1, .uid = getuid() + 1, .script = "true" });
		assert_int_equal(o->kind, FL_RUN_IMPOSSIBLE);
		assert_non_null(strstr(o->text, "only a daemon that root has started can"));
		return;
	}
	/* A number without an account has the group with which it came. */
	o = place_run(&place,
		      &(struct ask){ .job = 1, .uid = 65531, .gid = 65533, .script = script });
	assert_int_equal(o->kind, FL_RUN_EXITED);
	assert_string_equal(place_output(&place, 1, 1, 0, FL_STREAM_OUT),
			    "65531\n65533\n65533\ndenied\nhidden\n");
	o = place_run(&place,
		      &(struct ask){ .job = 3, .uid = 65534, .gid = 65533, .script = "true" });
	assert_int_equal(o->kind, FL_RUN_IMPOSSIBLE);
	assert_string_equal(o->text, "user 65534 is not in group 65533");
	/* Its output is opened in its name: in a folder of root's it is not. */
	snprintf(path, sizeof path, "%s/stolen", place.state);
	o = place_run(
		&place,
		&(struct ask){
			.job = 2, .uid = 65534, .gid = 65534, .output = path, .script = "true" });
	assert_int_equal(o->kind, FL_RUN_IMPOSSIBLE);
	assert_non_null(strstr(o->text, "Permission denied"));
	assert_int_equal(access(path, F_OK), -1);
}

/* What is in the session that the daemon was started in is not for jobs, nor is one's for others. */
TEST_IN(set_up, tear_down, keys)
{
	static const char secret[] = "secret";
	const struct ask ask = { .job = 1,
				 .uid = 65534,
				 .gid = 65534,
				 .script = "grep -c fairlead-test-key /proc/keys" };

	if (getuid() != 0 || access("/proc/keys", R_OK) != 0 ||
	    syscall(SYS_add_key, "user", "fairlead-test-key", secret, sizeof secret,
		    KEY_SPEC_SESSION_KEYRING) < 0)
		skip();
	place_run(&place, &ask);
	assert_string_equal(place_output(&place, 1, 1, 0, FL_STREAM_OUT), "0\n");
}

/* Without control groups: it sees its own processes and no others, by the numbers it knows. */
TEST_IN(set_up, tear_down, alone)
{
	struct fl_capacity capacity;
	char path[200];

	place_close(&place);
	place.cgroup = FL_CGROUP_OFF;
	place_open(&place);
	assert_int_equal(fl_local_backend.capacity(place.host, &capacity, NULL), 0);
	if (!capacity.contains)
		skip();
	place_run(&place,
		  &(struct ask){ .job = 1,
				 .tasks = 2,
				 .script = "test $PPID = 1 && test -d /proc/$$ && test $(ls "
					   "-d /proc/[0-9]* | wc -l) -lt 20 && echo good; kill "
					   "-9 1; test -d /proc/1 && echo stays" });
	assert_string_equal(place_output(&place, 1, 1, 0, FL_STREAM_OUT), "good\nstays\n");
	assert_string_equal(place_output(&place, 1, 1, 1, FL_STREAM_OUT), "good\nstays\n");
	/* Who writes for it is outside, and has all that it wrote. */
	snprintf(path, sizeof path, "%s/out", place.state);
	place_run(&place, &(struct ask){ .job = 2,
					 .output = path,
					 .script = "echo one; (sleep 0.1; echo no) & exit 5" });
	assert_int_equal(place_told(&place, 2, 1)->outcome.status, 5);
	assert_string_equal(place_file(&place, "out"), "one\n");
	/* Told to go, and killed when it does not. */
	place_start(&place, &(struct ask){ .job = 3,
					   .script = "trap '' TERM; echo >>up; sleep @; sleep @" });
	place_wait_lines(&place, "up", 1);
	place_stop(&place, 3, FL_GO_CANCELLED, FL_SECOND / 10);
	assert_true(place_wait(&place, 3, 1)->killed);
	assert_int_equal(place_count(&place), 0);
	/* Nothing of it is seen from outside: what is mounted here is as before. */
	assert_int_equal(access("/proc/self/ns", F_OK), 0);
	snprintf(path, sizeof path, "/proc/%d", (int)getpid());
	assert_int_equal(access(path, F_OK), 0);
}

/* A folder that never answers: time is up all the same. */
TEST_IN(set_up, tear_down, stuck_folder)
{
	int fuse = getuid() == 0 ? open("/dev/fuse", O_RDWR | O_CLOEXEC) : -1;
	char path[200], options[100];
	struct ask ask = {
		.job = 1, .directory = path, .time_limit = FL_SECOND / 5, .script = "true"
	};

	snprintf(path, sizeof path, "%s/stuck", place.state);
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (fuse < 0 || mkdir(path, 0755) != 0 ||
	    mount("fairlead-test", path, "fuse", 0, options) != 0) {
		close(fuse);
		skip();
	}
	const struct fl_run_outcome *o = place_run(&place, &ask);
	umount2(path, MNT_DETACH);
	close(fuse);
	assert_int_equal(o->kind, FL_RUN_NOT_STARTED);
	assert_int_equal(o->stopped, FL_GO_TIME_LIMIT);
	assert_int_equal(place_count(&place), 0);
}

/* Known for good: its output stays until the job goes. */
TEST_IN(set_up, tear_down, forgets)
{
	struct ask ask = { .job = 1, .script = "echo here; echo >>ran" };
	struct fl_run_log log;
	enum fl_found found;

	place_run(&place, &ask);
	fl_local_backend.forget(place.host, 1, 1);
	assert_string_equal(place_output(&place, 1, 1, 0, FL_STREAM_OUT), "here\n");
	/* Asked for again, in this life of the daemon or another, it is not run again. */
	for (int i = 0; i < 2; i++) {
		place.n_told = 0;
		assert_int_equal(place_run(&place, &ask)->kind, FL_RUN_EXITED);
		assert_string_equal(place_file(&place, "ran"), "\n");
		fl_local_backend.forget(place.host, 1, 1);
		assert_int_equal(fl_local_backend.find(place.host, 1, 1, place_token(&place, 1, 1),
						       &found, NULL),
				 0);
		assert_int_equal(found, FL_FOUND_ENDED);
		fl_local_backend.forget(place.host, 1, 1);
		place_close(&place);
		place_open(&place);
	}
	ask.attempt = 2;
	assert_int_equal(place_run(&place, &ask)->kind, FL_RUN_EXITED);
	assert_string_equal(place_file(&place, "ran"), "\n\n");
	fl_local_backend.remove(place.host, 1);
	place_close(&place);
	place_open(&place);
	for (uint32_t attempt = 1; attempt < 3; attempt++) {
		assert_int_equal(fl_local_backend.log(place.host, 1, attempt, 0, FL_STREAM_OUT,
						      &log, NULL),
				 FAIRLEAD_ENOENT);
		assert_int_equal(fl_local_backend.find(place.host, 1, attempt,
						       place_token(&place, 1, attempt), &found,
						       NULL),
				 0);
		assert_int_equal(found, FL_FOUND_NEVER);
	}
}

static int collect(void *user, uint64_t job, uint32_t attempt, const char *token)
{
	char **at = user;

	assert_string_equal(token, place_token(&place, job, attempt));
	*at += sprintf(*at, "%llu.%u ", (unsigned long long)job, attempt);
	return job == 99 ? -1 : 0;
}

TEST_IN(set_up, tear_down, each_in_order)
{
	char text[200] = "", *at = text;

	for (uint64_t job = 12; job > 8; job--)
		place_start(&place, &(struct ask){ .job = job, .script = "true" });
	place_start(&place, &(struct ask){ .job = 9, .attempt = 2, .script = "true" });
	for (uint64_t job = 12; job > 8; job--)
		place_wait(&place, job, 1);
	place_wait(&place, 9, 2);
	fl_local_backend.forget(place.host, 11, 1);
	place_close(&place);
	place_open(&place);
	assert_int_equal(fl_local_backend.each(place.host, collect, &at, NULL), 0);
	assert_string_equal(text, "9.1 9.2 10.1 12.1 ");
}

TEST_IN(set_up, tear_down, refused)
{
	static const struct {
		const char *name;
		struct ask ask;
		int code;
	} rows[] = {
		{ "no job", { .job = 0, .script = "true" }, FAIRLEAD_EINPUT },
		{ "no command", { .job = 1 }, FAIRLEAD_EINPUT },
		{ "a command that is cut off",
		  { .job = 1, .command = "true", .command_len = 4 },
		  FAIRLEAD_EINPUT },
		{ "an environment that is cut off",
		  { .job = 1, .script = "true", .environment = "A=B", .environment_len = 3 },
		  FAIRLEAD_EINPUT },
		{ "a directory that is not absolute",
		  { .job = 1, .script = "true", .directory = "tmp" },
		  FAIRLEAD_EINPUT },
		{ "output that is not absolute",
		  { .job = 1, .script = "true", .output = "tmp" },
		  FAIRLEAD_EINPUT },
		{ "too many tasks",
		  { .job = 1, .script = "true", .tasks = FL_JOB_TASKS + 1 },
		  FAIRLEAD_ELIMIT },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err = { 0 };

		CHECK(place_try(&place, &rows[i].ask, &err) == rows[i].code, rows[i].name);
		CHECK(*err.text, rows[i].name);
	}
}

UNIT_GROUP_RUN("runs")
{
	/* A session for the test of keys, before there are threads, each of which has its own. */
	(void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	return unit_run_tests("runs", unit_tests, NULL, NULL);
}
