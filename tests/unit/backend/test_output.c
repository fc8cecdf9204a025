/* SPDX-License-Identifier: Apache-2.0 */
/* Output to files that users name: who writes it, where it may go, and what nobody waits for. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/folder.h"
#include "backend/process/process.h"
#include "backend/runner/runner.h"
#include "place.h"
#include "record/order.h"

enum { SOMEBODY = 65534 };

static struct place place;
static char path[200];

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

static const char *in_state(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", place.state, name);
	return path;
}

/* A folder of the one that jobs run as. */
static void make_own(const char *name)
{
	in_state(name);
	assert_int_equal(mkdir(path, 0755), 0);
	if (getuid() == 0)
		assert_int_equal(chown(path, SOMEBODY, SOMEBODY), 0);
}

static struct ask as_somebody(uint64_t job, const char *output, const char *script)
{
	uint32_t id = getuid() == 0 ? SOMEBODY : 0;

	return (struct ask){ .job = job, .uid = id, .gid = id, .output = output, .script = script };
}

static bool says(pid_t pid, const char *file, const char *line)
{
	char text[8192], name[64];

	snprintf(name, sizeof name, "/proc/%d/%s", (int)pid, file);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return strstr(text, line) != NULL;
}

static bool has_open(const char *pid, const char *file)
{
	char fds[300], fd[600], target[300];
	struct dirent *entry;
	bool found = false;

	snprintf(fds, sizeof fds, "/proc/%.20s/fd", pid);
	DIR *dir = opendir(fds);
	while (dir && (entry = readdir(dir))) {
		snprintf(fd, sizeof fd, "%s/%s", fds, entry->d_name);
		ssize_t n = readlink(fd, target, sizeof target - 1);
		target[n > 0 ? n : 0] = 0;
		found |= strcmp(target, file) == 0;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The only process that has the file open. It cannot be traced: only root sees which that is. */
static pid_t writer_of(const char *file)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    has_open(entry->d_name, file)) {
			assert_int_equal(found, 0);
			found = (pid_t)atol(entry->d_name);
		}
	closedir(dir);
	assert_true(found > 0);
	return found;
}

/* --- who writes --- */

TEST_IN(set_up, tear_down, by_its_user)
{
	char number[24], file[200];
	struct stat st;
	struct ask ask;

	if (getuid() != 0)
		skip();
	make_own("own");
	ask = as_somebody(1, in_state("own/out"), "echo here; exec sleep @");
	place_start(&place, &ask);
	place_wait_lines(&place, "own/out", 1);
	pid_t runner = place_runner(&place, 1, 1), writer = writer_of(path);

	assert_int_not_equal(writer, runner);
	assert_true(says(writer, "status", "\nUid:\t65534\t65534\t65534\t65534\n"));
	assert_true(says(writer, "status", "\nGid:\t65534\t65534\t65534\t65534\n"));
	assert_true(says(writer, "status", "\nCapPrm:\t0000000000000000\n"));
	assert_true(says(writer, "status", "\nCapEff:\t0000000000000000\n"));
	assert_true(says(writer, "status", "\nNoNewPrivs:\t1\n"));
	/* The files in /proc of what may not be traced are root's. */
	snprintf(number, sizeof number, "%d", (int)writer);
	snprintf(file, sizeof file, "/proc/%s/fd", number);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_uid, 0);
	snprintf(file, sizeof file, "%s/runs/1/1", place.state);
	assert_false(has_open(number, file));
	snprintf(file, sizeof file, "%s/runs/1/1/run", place.state);
	assert_false(has_open(number, file));
	place_stop(&place, 1, FL_GO_CANCELLED, 0);
	place_wait(&place, 1, 1);
	assert_int_equal(kill(writer, 0), -1);
	assert_string_equal(place_file(&place, "own/out"), "here\n");
}

static void read_all(const char *name, char *text, size_t room)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && read(fd, text, room - 1) > 0);
	close(fd);
}

/* Shown before: an amount below what it had, which only root may write. */
TEST_IN(set_up, tear_down, not_to_kernel)
{
	char name[64], before[16] = "", text[16] = "";
	pid_t other;
	struct ask ask;

	if (getuid() != 0)
		skip();
	other = fork();
	if (other == 0) {
		if (setresgid(SOMEBODY, SOMEBODY, SOMEBODY) != 0 ||
		    setresuid(SOMEBODY, SOMEBODY, SOMEBODY) != 0)
			_exit(1);
		/* Its file in /proc is its own once it can be traced. */
		execlp("sleep", "sleep", "60", NULL);
		_exit(1);
	}
	snprintf(name, sizeof name, "/proc/%d/oom_score_adj", (int)other);
	for (int i = 0; i < 3000 && !says(other, "cmdline", "sleep"); i++)
		usleep(10000);
	read_all(name, before, sizeof before); /* as ours is */
	ask = as_somebody(1, name, "echo -900; sleep 0.2");
	const struct fl_run_outcome *o = place_run(&place, &ask);
	read_all(name, text, sizeof text);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	assert_string_equal(text, before);
	assert_int_equal(o->kind, FL_RUN_IMPOSSIBLE);
	assert_non_null(strstr(o->text, "it is a file of the kernel"));
}

/* --- where it may go --- */

TEST_IN(set_up, tear_down, places)
{
	static const struct {
		const char *output, *text;
		enum fl_outcome_kind kind;
	} rows[] = {
		{ "pipe", "it is not a file", FL_RUN_IMPOSSIBLE },
		{ "socket", "it is not a file", FL_RUN_IMPOSSIBLE },
		{ "/dev/full", "it is not a file", FL_RUN_IMPOSSIBLE },
		{ "/proc/sys/kernel/core_pattern", "cannot write output", FL_RUN_IMPOSSIBLE },
		{ "/sys/kernel/profiling", "cannot write output", FL_RUN_IMPOSSIBLE },
		{ "/dev/null", "", FL_RUN_EXITED },
		{ "file", "", FL_RUN_EXITED },
	};
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(mkfifo(in_state("pipe"), 0666), 0);
	snprintf(address.sun_path, sizeof address.sun_path, "%.100s", in_state("socket"));
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool own = rows[i].output[0] != '/';
		const struct fl_run_outcome *o = place_run(
			&place,
			&(struct ask){ .job = i + 1,
				       .script = "echo line",
				       .output = own ? in_state(rows[i].output) : rows[i].output });

		CHECK(o->kind == rows[i].kind, rows[i].output);
		CHECK(strstr(o->text, rows[i].text) != NULL, rows[i].output);
		CHECK(o->output_lost == 0, rows[i].output);
	}
	assert_string_equal(place_file(&place, "file"), "line\n");
	close(listener);
}

/* The last twentieth of a small disk is not for output, of whoever it is. */
TEST_IN(set_up, tear_down, room_is_kept)
{
	struct statvfs disk;
	struct ask ask;

	make_own("small");
	place_close(&place);
	place.output_limit = 64 << 20;
	place_open(&place);
	if (getuid() != 0 || mount("tmpfs", path, "tmpfs", 0, "size=8m,mode=0777") != 0)
		skip();
	ask = as_somebody(1, in_state("small/out"),
			  "head -c 20000000 /dev/zero; echo $? >&2; sleep 0.1");
	const struct fl_run_outcome *o = place_run(&place, &ask);
	assert_int_equal(statvfs(path, &disk), 0);
	assert_int_equal(umount(in_state("small")), 0);
	assert_true(disk.f_bavail >= disk.f_blocks / 20);
	/* And not much more was kept from it. */
	assert_true(disk.f_bavail <= disk.f_blocks / 10);
	assert_int_equal(o->kind, FL_RUN_EXITED);
	assert_int_equal(o->status, 0);
	assert_true(o->output_lost > 10000000);
}

/* --- what nobody waits for --- */

/* Its user may kill it: what is written then is lost, counted, and waits for nobody. */
TEST_IN(set_up, tear_down, killed)
{
	struct ask ask;

	if (getuid() != 0)
		skip();
	make_own("own");
	place_write(&place, "go", "");
	ask = as_somebody(1, in_state("own/out"),
			  "echo one; while test -e go; do sleep 0.02; done; "
			  "head -c 300000 /dev/zero || exit 9; exit 3");
	place_start(&place, &ask);
	place_wait_lines(&place, "own/out", 1);
	assert_int_equal(kill(writer_of(path), SIGKILL), 0);
	assert_int_equal(unlink(in_state("go")), 0);
	const struct fl_run_outcome *o = place_wait(&place, 1, 1);
	assert_int_equal(o->kind, FL_RUN_EXITED);
	assert_int_equal(o->status, 3);
	assert_int_equal(o->output_lost, 300000);
	assert_string_equal(place_file(&place, "own/out"), "one\n");
}

/* Its user may stop it: it goes on with what there is once the tasks have ended. */
TEST_IN(set_up, tear_down, stopped)
{
	struct ask ask;

	if (getuid() != 0)
		skip();
	make_own("own");
	ask = as_somebody(1, in_state("own/out"), "echo one; sleep 0.5; echo two");
	place_start(&place, &ask);
	place_wait_lines(&place, "own/out", 1);
	assert_int_equal(kill(writer_of(path), SIGSTOP), 0);
	const struct fl_run_outcome *o = place_wait(&place, 1, 1);
	assert_int_equal(o->status, 0);
	assert_int_equal(o->output_lost, 0);
	assert_string_equal(place_file(&place, "own/out"), "one\ntwo\n");
}

/* A file system that never answers: time is up all the same, and before it began. */
TEST_IN(set_up, tear_down, stuck)
{
	int fuse = getuid() == 0 ? open("/dev/fuse", O_RDWR | O_CLOEXEC) : -1;
	char options[100];

	make_own("stuck");
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other",
		 fuse, SOMEBODY, SOMEBODY);
	if (fuse < 0 || mount("stuck", path, "fuse", 0, options) != 0)
		skip();
	struct ask ask = as_somebody(1, in_state("stuck/out"), "true");
	ask.time_limit = FL_SECOND / 5;
	ask.grace = FL_SECOND / 10;
	fl_time began = fl_boot_clock();
	place_start(&place, &ask);
	const struct fl_run_outcome *o = place_wait(&place, 1, 1);
	fl_time took = fl_boot_clock() - began;
	umount2(in_state("stuck"), MNT_DETACH);
	close(fuse);
	assert_int_equal(o->kind, FL_RUN_NOT_STARTED);
	assert_int_equal(o->stopped, FL_GO_TIME_LIMIT);
	/* Nothing was written: there is nothing to have patience for. */
	assert_true(took < 9 * FL_SECOND);
}

/* Nobody has to be there who takes it: the runner was killed. */
TEST_IN(set_up, tear_down, alone)
{
	struct ask ask;

	if (getuid() != 0)
		skip();
	make_own("own");
	ask = as_somebody(1, in_state("own/out"), "echo one; exec sleep @");
	place_start(&place, &ask);
	place_wait_lines(&place, "own/out", 1);
	pid_t writer = writer_of(path);

	kill(writer, SIGSTOP);
	kill(place_runner(&place, 1, 1), SIGKILL);
	assert_int_equal(place_wait(&place, 1, 1)->kind, FL_RUN_LOST);
	for (int i = 0; i < 3000 && kill(writer, 0) == 0 && !says(writer, "status", "zombie"); i++)
		usleep(10000);
	assert_true(kill(writer, 0) == -1 || says(writer, "status", "zombie"));
	assert_int_equal(place_count(&place), 0);
}

/* --- the order of both streams --- */

static off_t size_of(const char *name)
{
	struct stat st;

	return stat(in_state(name), &st) == 0 ? st.st_size : -1;
}

/* It changes as often as it likes: what is written of that has an end, the output has not. */
TEST_IN(set_up, tear_down, order_is_bounded)
{
	enum { CHANGES = FL_ORDER_BYTES / 8 + 1000, FIRST = 200 };
	static struct fl_outputs o;
	struct fl_attempt_spec spec = { .tasks = 1, .output = "", .output_limit = CHANGES };
	int folder = open(place.state, O_RDONLY | O_DIRECTORY | O_CLOEXEC), pipes[2][2], files[3];

	/* As a runner gets them: one behind the other. */
	assert_int_equal(fl_folder_outputs(folder, 3, files), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(dup2(files[i], FIRST + i), FIRST + i);
		close(files[i]);
	}
	assert_int_equal(fl_outputs_open(&o, FIRST, &spec, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe2(pipes[i], O_CLOEXEC | O_NONBLOCK), 0);
		o.ends[i].fd = pipes[i][0];
	}
	for (uint32_t i = 0; i < CHANGES; i++) {
		assert_int_equal(write(pipes[i % 2][1], "x", 1), 1);
		fl_outputs_take(&o, i % 2);
		if (i == 0) /* of one stream there is no order */
			assert_int_equal(size_of("order.0"), 0);
	}
	for (int i = 0; i < 2; i++)
		close(pipes[i][1]);
	fl_outputs_close(&o);
	assert_int_equal(size_of("order.0"), FL_ORDER_BYTES);
	assert_int_equal(size_of("out.0"), CHANGES / 2);
	assert_int_equal(size_of("err.0"), CHANGES / 2);
	assert_int_equal(o.own.lost, 0);
	free(o.ends);
	free(o.orders);
	free(o.output_files);
	close(folder);
}

UNIT_GROUP("output")
