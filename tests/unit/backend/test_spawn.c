/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-spawn, and a daemon that was taken over: whatever it asks for, it gets what the table of the
 * spawner says, or nothing.  And users, who may do to their own processes what they like.
 *
 * The program that it starts is this one, which then waits for ever, so that what is seen of it is as the
 * spawner made it.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/launch.h"
#include "backend/process/process.h"
#include "backend/process/text.h"
#include "base/fd.h"
#include "lib/unit.h"

enum {
	ACCOUNT = 64733,
	FIRST = 64000,
	LAST = 65534,
	USER = 65530, /* without an account, as is */
	OTHER = 65531,
	NOBODY = 65534,
	OUTSIDE = 63999,
	PATIENCE_MS = 20000,
};

/* In tables; what is sent is a token of this process: the test may run twice on a machine. */
#define TOKEN "0123456789abcdef0123456789abcdef"

static char token[FL_SPAWN_TOKEN], mark[FL_SPAWN_TOKEN + 16];

/* Its name when it waits: no library is being opened then. */
#define STARTED "fl-started"

/* Before all tests: is it what a spawner has started? */
__attribute__((constructor)) static void wait_if_started(int argc, char **argv)
{
	if (argc != 4 || argv[3][0] != '-' || !strstr(argv[1], "/runs/"))
		return;
	(void)prctl(PR_SET_NAME, STARTED);
	for (;;)
		pause();
}

/* --- the daemon --- */

struct daemon {
	int socket;
	pid_t spawner;
	char state[64];
	int file; /* that it sends */
};

static void launch(struct daemon *d)
{
	static char program[4096], runner[4096];
	const char *build = getenv("FAIRLEAD_BUILD");
	fairlead_error err = { 0 };

	assert_true(readlink("/proc/self/exe", runner, sizeof runner - 1) > 0);
	const struct fl_spawn_table table = { .account = ACCOUNT,
					      .group = ACCOUNT,
					      .first = FIRST,
					      .last = LAST,
					      .runner = runner,
					      .state = d->state,
					      .socket = "" };

	(void)snprintf(program, sizeof program, "%s/fairlead-spawn", build ? build : ".");
	if (fl_launch_spawner(program, &table, &d->socket, &d->spawner, &err) != 0)
		fail_msg("%s", err.text);
}

static int set_up(void **state)
{
	static struct daemon d;
	char path[128];

	if (getuid() != 0)
		return 0;
	(void)snprintf(token, sizeof token, "%08x%s", (unsigned)getpid(), TOKEN + 8);
	(void)snprintf(mark, sizeof mark, "FAIRLEAD_RUN=%s", token);
	(void)snprintf(d.state, sizeof d.state, "/tmp/fairlead-test-XXXXXX");
	assert_non_null(mkdtemp(d.state));
	assert_int_equal(chmod(d.state, 0755), 0);
	(void)snprintf(path, sizeof path, "%s/file", d.state);
	d.file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(d.file >= 0);
	launch(&d);
	*state = &d;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	struct daemon *d = *state;

	if (!d)
		return 0;
	close(d->socket);
	close(d->file);
	if (d->spawner > 0)
		waitpid(d->spawner, NULL, 0);
	return nftw(d->state, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A program that begins under a sanitizer takes long, and has files open that are not its own. */
#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif

#define AS_ROOT(d)                                                                                 \
	struct daemon *d = *unit_state;                                                            \
	if (!d || SANITIZED)                                                                       \
	skip()

static void send_to(const struct daemon *d, const struct fl_spawn_request *r, size_t n,
		    const int *files, size_t n_files)
{
	struct {
		struct fl_spawn_request r;
		char more[8];
	} sent = { 0 };
	struct iovec bytes = { &sent, n };
	union {
		char room[CMSG_SPACE(sizeof(int) * 253)];
		struct cmsghdr head;
	} control = { .head = { .cmsg_len = CMSG_LEN(n_files * sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS } };
	struct msghdr m = { .msg_iov = &bytes, .msg_iovlen = 1 };

	assert_true(n <= sizeof sent);
	memcpy(&sent, r, n);
	if (n >= sizeof *r && strcmp(r->token, TOKEN) == 0)
		memcpy(sent.r.token, token, sizeof sent.r.token);
	if (n_files > 0) {
		memcpy(CMSG_DATA(&control.head), files, n_files * sizeof(int));
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n_files * sizeof(int));
	}
	/* It may have ended over what was sent before. */
	(void)sendmsg(d->socket, &m, MSG_NOSIGNAL);
}

/* false: the spawner has ended. @ret_file: what came with it; -1. */
static bool hear(const struct daemon *d, struct fl_spawn_reply *ret, int *ret_file)
{
	struct iovec bytes = { ret, sizeof *ret };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control;
	struct msghdr m = { .msg_iov = &bytes,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof control.room };
	struct pollfd one = { .fd = d->socket, .events = POLLIN };

	*ret_file = -1;
	if (poll(&one, 1, PATIENCE_MS) != 1)
		fail_msg("no answer");
	ssize_t n = recvmsg(d->socket, &m, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (c)
		memcpy(ret_file, CMSG_DATA(c), sizeof *ret_file);
	return n == sizeof *ret;
}

/* It answers, and this first: nothing else was to be answered. */
static bool is_well(const struct daemon *d)
{
	const struct fl_spawn_request r = { .op = FL_SPAWN_PLACE, .id = 4711 };
	struct fl_spawn_reply reply;
	int file;

	send_to(d, &r, sizeof r, NULL, 0);
	bool said = hear(d, &reply, &file);
	assert_true(!said || reply.id == r.id);
	return said;
}

static struct fl_spawn_reply ask(const struct daemon *d, struct fl_spawn_request r, int *ret_file)
{
	struct fl_spawn_reply reply = { 0 };

	r.id = 12;
	send_to(d, &r, sizeof r, &d->file, r.op == FL_SPAWN_START);
	assert_true(hear(d, &reply, ret_file));
	assert_int_equal(reply.id, 12);
	return reply;
}

/* --- processes --- */

static uint32_t n_children(pid_t of)
{
	FL_DIR dir = opendir("/proc");
	struct dirent *entry;
	struct fl_process p;
	uint32_t n = 0;

	while (dir && (entry = readdir(dir)))
		n += fl_process_look((pid_t)atol(entry->d_name), &p) && p.parent == of &&
		     p.state != 'Z' && p.state != 'X';
	return n;
}

static bool goes_within(bool (*is)(pid_t pid), pid_t pid)
{
	for (int i = 0; i < PATIENCE_MS / 5 && !is(pid); i++)
		usleep(5000);
	return is(pid);
}

static bool has_no_child(pid_t pid) { return n_children(pid) == 0; }

static bool is_gone(pid_t pid)
{
	struct fl_process p;

	return !fl_process_look(pid, &p) || p.state == 'Z' || p.state == 'X';
}

static bool is_started(pid_t pid)
{
	char path[64], name[64] = "";

	(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	return fl_text_of(path, name, sizeof name) > 0 && strcmp(name, STARTED "\n") == 0;
}

/* A process of a user, with that variable and @file (-1: none) as its descriptor 3. */
static pid_t be(uid_t uid, const char *variable, int file, bool session)
{
	pid_t pid = fork();

	if (pid == 0) {
		if ((session && setsid() < 0) || (file >= 0 && dup2(file, 3) < 0))
			_exit(1);
		closefrom(file >= 0 ? 4 : 3);
		if (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 ||
		    setresuid(uid, uid, uid) != 0)
			_exit(1);
		execle("/bin/sleep", "sleep", "600", NULL,
		       (char *[]){ (char *)(uintptr_t)variable, NULL });
		_exit(1);
	}
	char path[64], name[64];
	for (int i = 0; i < 30000; i++) {
		(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
		if (fl_text_of(path, name, sizeof name) > 0 && strcmp(name, "sleep\n") == 0)
			return pid;
		usleep(1000);
	}
	fail_msg("it did not become its program");
	return -1;
}

static void end_it(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static uint64_t since_of(pid_t pid)
{
	struct fl_process p = { 0 };

	assert_true(fl_process_look(pid, &p));
	return p.since;
}

/* --- what is refused --- */

enum outcome { REFUSED, ENDS, SILENT };

#define RUN .job = 1, .attempt = 1, .token = TOKEN
#define OF(user) RUN, .uid = (user), .gid = (user)

TEST_IN(set_up, tear_down, refuses)
{
	static const struct row {
		const char *name;
		struct fl_spawn_request r;
		size_t sent; /* descriptors */
		long longer; /* bytes that it is longer than agreed */
		enum outcome outcome;
		uint32_t stage;
	} rows[] = {
		/* users */
		{ "root",
		  { .op = FL_SPAWN_START, OF(0), .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_REFUSED },
		{ "the account",
		  { .op = FL_SPAWN_START, OF(ACCOUNT), .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_REFUSED },
		{ "below",
		  { .op = FL_SPAWN_START, OF(OUTSIDE), .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_REFUSED },
		{ "above",
		  { .op = FL_SPAWN_START, OF(LAST + 1), .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_REFUSED },
		{ "no user",
		  { .op = FL_SPAWN_START, RUN, .uid = UINT32_MAX, .gid = USER, .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_REFUSED },
		/* groups */
		{ "group of root",
		  { .op = FL_SPAWN_START, RUN, .uid = USER, .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_MEMBER },
		{ "of the system",
		  { .op = FL_SPAWN_START, RUN, .uid = USER, .gid = 4, .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_MEMBER },
		{ "of the daemon",
		  { .op = FL_SPAWN_START, RUN, .uid = USER, .gid = ACCOUNT, .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_MEMBER },
		{ "with a name",
		  { .op = FL_SPAWN_START, RUN, .uid = USER, .gid = NOBODY, .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_MEMBER },
		{ "root's, of an account",
		  { .op = FL_SPAWN_START, RUN, .uid = NOBODY, .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_MEMBER },
		{ "free, of an account",
		  { .op = FL_SPAWN_START, RUN, .uid = NOBODY, .gid = USER, .n_files = 1 },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_MEMBER },
		{ "no group",
		  { .op = FL_SPAWN_START, RUN, .uid = USER, .gid = UINT32_MAX, .n_files = 1 },
		  1,
		  0,
		  ENDS,
		  0 },
		/* numbers and texts */
		{ "no op", { .op = FL_SPAWN_OPS, OF(USER) }, 0, 0, ENDS, 0 },
		{ "any op", { .op = UINT32_MAX, OF(USER) }, 0, 0, ENDS, 0 },
		{ "more of nothing",
		  { .op = FL_SPAWN_MORE, OF(USER), .n_files = 1 },
		  1,
		  0,
		  ENDS,
		  0 },
		{ "short", { .op = FL_SPAWN_START, OF(USER), .n_files = 1 }, 1, -1, ENDS, 0 },
		{ "empty",
		  { .op = FL_SPAWN_PLACE },
		  0,
		  -(long)sizeof(struct fl_spawn_request),
		  ENDS,
		  0 },
		{ "long", { .op = FL_SPAWN_START, OF(USER), .n_files = 1 }, 1, 1, ENDS, 0 },
		{ "no job",
		  { .op = FL_SPAWN_START,
		    .attempt = 1,
		    .token = TOKEN,
		    .uid = USER,
		    .gid = USER,
		    .n_files = 1 },
		  1,
		  0,
		  ENDS,
		  0 },
		{ "no attempt",
		  { .op = FL_SPAWN_END, .job = 1, .token = TOKEN, .uid = USER },
		  0,
		  0,
		  ENDS,
		  0 },
		{ "no token",
		  { .op = FL_SPAWN_END, .job = 1, .attempt = 1, .uid = USER },
		  0,
		  0,
		  ENDS,
		  0 },
		{ "half a token",
		  { .op = FL_SPAWN_FIND, .job = 1, .attempt = 1, .token = "0123456789abcdef" },
		  0,
		  0,
		  ENDS,
		  0 },
		{ "a path",
		  { .op = FL_SPAWN_CLEAR,
		    .job = 1,
		    .attempt = 1,
		    .uid = USER,
		    .token = "/../../../etc0123456789abcdef012" },
		  0,
		  0,
		  ENDS,
		  0 },
		{ "a format",
		  { .op = FL_SPAWN_START,
		    .job = 1,
		    .attempt = 1,
		    .uid = USER,
		    .gid = USER,
		    .token = "%s%n%s%n89abcdef0123456789abcdef",
		    .n_files = 1 },
		  1,
		  0,
		  ENDS,
		  0 },
		{ "flags",
		  { .op = FL_SPAWN_START, OF(USER), .n_files = 1, .flags = 8 },
		  1,
		  0,
		  ENDS,
		  0 },
		{ "limits",
		  { .op = FL_SPAWN_START, OF(USER), .n_files = 1, .limits.memory = -1 },
		  1,
		  0,
		  ENDS,
		  0 },
		{ "a group, but no place for it",
		  { .op = FL_SPAWN_START, OF(USER), .n_files = 1, .flags = FL_SPAWN_GROUP },
		  1,
		  0,
		  REFUSED,
		  FL_SPAWN_GROUP_MADE },
		/* descriptors */
		{ "none", { .op = FL_SPAWN_START, OF(USER) }, 0, 0, ENDS, 0 },
		{ "fewer", { .op = FL_SPAWN_START, OF(USER), .n_files = 2 }, 1, 0, ENDS, 0 },
		{ "more", { .op = FL_SPAWN_START, OF(USER), .n_files = 1 }, 2, 0, ENDS, 0 },
		{ "too many at once",
		  { .op = FL_SPAWN_START, OF(USER), .n_files = 253 },
		  253,
		  0,
		  ENDS,
		  0 },
		{ "too many",
		  { .op = FL_SPAWN_START, OF(USER), .n_files = FL_SPAWN_MOST + 1 },
		  250,
		  0,
		  ENDS,
		  0 },
		{ "with an end", { .op = FL_SPAWN_END, OF(USER) }, 1, 0, ENDS, 0 },
		{ "with a place", { .op = FL_SPAWN_PLACE }, 1, 0, ENDS, 0 },
		/* processes */
		{ "wake init", { .op = FL_SPAWN_WAKE, OF(USER), .pid = 1 }, 0, 0, ENDS, 0 },
		{ "wake all", { .op = FL_SPAWN_WAKE, OF(USER), .pid = -1 }, 0, 0, ENDS, 0 },
		{ "wake our group", { .op = FL_SPAWN_WAKE, OF(USER) }, 0, 0, ENDS, 0 },
		{ "open init", { .op = FL_SPAWN_OPEN, .pid = 1 }, 0, 0, ENDS, 0 },
		/* runs of others */
		{ "end root's", { .op = FL_SPAWN_END, OF(0) }, 0, 0, REFUSED, FL_SPAWN_REFUSED },
		{ "end the account's",
		  { .op = FL_SPAWN_END, OF(ACCOUNT) },
		  0,
		  0,
		  REFUSED,
		  FL_SPAWN_REFUSED },
		{ "clear root's", { .op = FL_SPAWN_CLEAR, OF(0) }, 0, 0, SILENT, 0 },
		{ "wake root's", { .op = FL_SPAWN_WAKE, OF(0), .pid = 2 }, 0, 0, SILENT, 0 },
	};
	AS_ROOT(d);
	int files[253], status;

	for (int i = 0; i < 253; i++)
		files[i] = d->file;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct {
			struct fl_spawn_request r;
			char more[8];
		} asked = { .r = row->r };
		struct fl_spawn_reply reply = { 0 };
		int file = -1;

		if (row->r.uid == NOBODY && !getpwuid(NOBODY))
			continue;
		if (row->r.gid == NOBODY && !getgrgid(NOBODY))
			continue;
		asked.r.id = 12;
		send_to(d, &asked.r, (size_t)((long)sizeof asked.r + row->longer), files,
			row->sent);
		if (row->outcome == REFUSED) {
			CHECK(hear(d, &reply, &file), row->name);
			CHECK(reply.id == 12 && reply.why != 0 && file < 0, row->name);
			CHECK(row->r.op != FL_SPAWN_START || reply.stage == row->stage, row->name);
		}
		CHECK(is_well(d) == (row->outcome != ENDS), row->name);
		CHECK(goes_within(has_no_child, d->spawner), row->name);
		if (row->outcome != ENDS)
			continue;
		CHECK(waitpid(d->spawner, &status, 0) == d->spawner, row->name);
		/* An empty message looks like the end of the daemon. */
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == (row->longer < -1 ? 0 : 1),
		      row->name);
		close(d->socket);
		launch(d);
	}
}

/* The rest of the descriptors of a run has another number, is another thing, or too much. */
TEST_IN(set_up, tear_down, refuses_the_rest)
{
	static const struct {
		const char *name;
		struct fl_spawn_request more;
		size_t sent;
	} rows[] = {
		{ "another number", { .op = FL_SPAWN_MORE, .id = 13 }, 1 },
		{ "another thing", { .op = FL_SPAWN_PLACE, .id = 12 }, 1 },
		{ "fewer", { .op = FL_SPAWN_MORE, .id = 12 }, 0 },
		{ "more", { .op = FL_SPAWN_MORE, .id = 12 }, 2 },
	};
	AS_ROOT(d);
	const struct fl_spawn_request r = {
		.op = FL_SPAWN_START, .id = 12, OF(USER), .n_files = 251
	};
	int files[250], status;

	for (int i = 0; i < 250; i++)
		files[i] = d->file;
	for (size_t i = 0; i < COUNT(rows); i++) {
		send_to(d, &r, sizeof r, files, 250);
		send_to(d, &rows[i].more, sizeof rows[i].more, files, rows[i].sent);
		CHECK(waitpid(d->spawner, &status, 0) == d->spawner, rows[i].name);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1, rows[i].name);
		close(d->socket);
		launch(d);
	}
	const struct fl_spawn_request good = { .op = FL_SPAWN_MORE, .id = 12 };
	struct fl_spawn_reply reply;
	int file;
	send_to(d, &r, sizeof r, files, 250);
	send_to(d, &good, sizeof good, files, 1);
	assert_true(hear(d, &reply, &file));
	assert_int_equal(reply.why, 0);
	close(file);
	kill(reply.pid, SIGKILL);
	assert_true(goes_within(has_no_child, d->spawner));
}

/* --- what is started --- */

/* A line of /proc/PID/status, without its name; "" if there is none. */
static const char *line_of(const char *status, const char *name)
{
	static char line[256];
	const char *at = strstr(status, name);

	line[0] = 0;
	if (at)
		(void)snprintf(line, sizeof line, "%.*s", (int)strcspn(at + strlen(name), "\n"),
			       at + strlen(name));
	return line;
}

/* What is a descriptor of it beyond the standard files: at most @n, and 0 to 2 are /dev/null. */
static bool has_only(pid_t pid, uint32_t n)
{
	char path[64], to[256];
	uint32_t last = 2;

	for (uint32_t i = 0; i < 64; i++) {
		(void)snprintf(path, sizeof path, "/proc/%d/fd/%u", (int)pid, i);
		ssize_t length = readlink(path, to, sizeof to - 1);
		if (length < 0)
			continue;
		to[length] = 0;
		if (i < 3 && strcmp(to, "/dev/null") != 0)
			return false;
		last = i;
	}
	return last == n + 2;
}

static void check_started(const struct daemon *d, const char *name, pid_t pid, uint32_t uid,
			  uint32_t gid, uint32_t n_files)
{
	static const char *const none[] = { "\nCapInh:\t", "\nCapPrm:\t", "\nCapEff:\t",
					    "\nCapAmb:\t" };
	char path[64], status[8192], numbers[64];
	struct stat st;
	struct fl_process p;

	(void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	CHECK(fl_text_of(path, status, sizeof status) > 0, name);
	(void)snprintf(numbers, sizeof numbers, "%u\t%u\t%u\t%u", uid, uid, uid, uid);
	CHECK(strcmp(line_of(status, "\nUid:\t"), numbers) == 0, name);
	/* Its real group is another one: no user can trace it from its first moment. */
	(void)snprintf(numbers, sizeof numbers, "%u\t%u\t%u\t%u",
		       gid == NOBODY ? NOBODY - 1 : NOBODY, gid, gid, gid);
	CHECK(strcmp(line_of(status, "\nGid:\t"), numbers) == 0, name);
	(void)snprintf(numbers, sizeof numbers, "%u ", gid);
	CHECK(strcmp(line_of(status, "\nGroups:\t"), numbers) == 0, name);
	for (size_t i = 0; i < COUNT(none); i++)
		CHECK(strspn(line_of(status, none[i]), "0") == 16, name);
	(void)snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	CHECK(stat(path, &st) == 0 && st.st_uid == 0, name);
	CHECK(has_only(pid, n_files), name);
	CHECK(fl_process_look(pid, &p) && p.parent == d->spawner && p.session == pid, name);
}

/* Whatever its descriptors are, it is as its user, and has those alone. */
TEST_IN(set_up, tear_down, starts)
{
	AS_ROOT(d);
	int pair[2], folder = open("/root", O_PATH | O_CLOEXEC), null = open("/dev/null", O_RDWR);
	int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	const struct {
		const char *name;
		uint32_t uid, gid, flags, n;
		int files[4];
	} rows[] = {
		{ "a file", USER, USER, 0, 1, { d->file } },
		{ "another group without a name", USER, OTHER, 0, 1, { d->file } },
		{ "an account", NOBODY, NOBODY, 0, 1, { d->file } },
		{ "a client", USER, USER, FL_SPAWN_CLIENT, 2, { d->file, null } },
		{ "a folder", USER, USER, 0, 1, { root } },
		{ "a folder of root", USER, USER, 0, 1, { folder } },
		{ "a socket", USER, USER, 0, 2, { pair[0], pair[0] } },
		{ "its own socket", USER, USER, 0, 3, { d->socket, d->socket, d->file } },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_spawn_request r = { .op = FL_SPAWN_START, .id = 12, RUN };
		struct fl_spawn_reply reply;
		int pidfd;

		if (rows[i].uid == NOBODY && !getpwuid(NOBODY))
			continue;
		r.uid = rows[i].uid;
		r.gid = rows[i].gid;
		r.flags = rows[i].flags;
		r.n_files = rows[i].n;
		send_to(d, &r, sizeof r, rows[i].files, rows[i].n);
		CHECK(hear(d, &reply, &pidfd), rows[i].name);
		CHECK(reply.why == 0 && pidfd >= 0, rows[i].name);
		CHECK(goes_within(is_started, reply.pid), rows[i].name);
		check_started(d, rows[i].name, reply.pid, r.uid, r.gid, r.n_files);
		kill(reply.pid, SIGKILL);
		CHECK(goes_within(has_no_child, d->spawner), rows[i].name);
		close(pidfd);
	}
	close(pair[0]);
	close(pair[1]);
	close(folder);
	close(root);
	close(null);
}

/* All are answered, though their user stops whatever process it has, all the time. */
TEST_IN(set_up, tear_down, goes_on_when_stopped)
{
	enum { STARTS = 200 };
	AS_ROOT(d);
	/* Not that of others who test beside us: all of that user is stopped. */
	const uid_t user = FIRST + (uid_t)getpid() % 700;
	struct fl_spawn_request r = { .op = FL_SPAWN_START, OF(user), .n_files = 1 };
	struct fl_spawn_reply reply;
	pid_t pids[STARTS], stopper = fork();
	int pidfd;

	if (stopper == 0) {
		closefrom(3);
		/* It ends with this test, also with one that fails. */
		if (setresuid(user, user, user) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
			_exit(1);
		/*
		 * A breath each time: a kernel that is told without a pause lets nobody start a
		 * process, ours or another's, for as long as it likes.
		 */
		for (;; usleep(50))
			kill(-1, SIGSTOP);
	}
	for (uint32_t i = 0; i < STARTS; i++) {
		r.id = i + 1;
		send_to(d, &r, sizeof r, &d->file, 1);
		if (i % 20 == 19)
			usleep(20000);
	}
	for (int i = 0; i < STARTS; i++) {
		assert_true(hear(d, &reply, &pidfd));
		assert_int_equal(reply.why, 0);
		pids[i] = reply.pid;
		close(pidfd);
	}
	end_it(stopper);
	for (int i = 0; i < STARTS; i++)
		kill(pids[i], SIGKILL);
	assert_true(goes_within(has_no_child, d->spawner));
}

/* --- processes of others --- */

TEST_IN(set_up, tear_down, leaves_processes_of_others)
{
	static const struct {
		const char *name;
		uid_t uid, as; /* whose it is, and as whose it is asked for */
		bool woken, opened;
	} rows[] = {
		{ "root's", 0, USER, false, false },
		{ "root's, as such", 0, 0, false, false },
		{ "the account's", ACCOUNT, USER, false, false },
		{ "the account's, as such", ACCOUNT, ACCOUNT, false, false },
		{ "outside", OUTSIDE, OUTSIDE, false, false },
		{ "of another user", OTHER, USER, false, true },
		{ "its own", USER, USER, true, true },
	};
	AS_ROOT(d);

	for (size_t i = 0; i < COUNT(rows); i++) {
		pid_t pid = be(rows[i].uid, mark, -1, true);
		struct fl_spawn_request r = { .op = FL_SPAWN_OPEN,
					      .pid = pid,
					      .since = since_of(pid) };
		int file;

		struct fl_spawn_reply reply = ask(d, r, &file);
		CHECK((reply.why == 0 && file >= 0) == rows[i].opened, rows[i].name);
		CHECK(rows[i].opened || (reply.why == EPERM && file < 0), rows[i].name);
		fl_fd_close(&file);
		r.since++;
		CHECK(ask(d, r, &file).why == ESRCH && file < 0, rows[i].name);

		r = (struct fl_spawn_request){ .op = FL_SPAWN_END, OF(rows[i].as) };
		if (rows[i].uid != rows[i].as) {
			reply = ask(d, r, &file);
			CHECK(reply.why == 0 && !reply.found && !reply.remains, rows[i].name);
		}
		r = (struct fl_spawn_request){ .op = FL_SPAWN_WAKE, OF(rows[i].as), .pid = pid };
		send_to(d, &r, sizeof r, NULL, 0);
		CHECK(is_well(d), rows[i].name);
		CHECK(rows[i].woken ? goes_within(is_gone, pid) : !is_gone(pid), rows[i].name);
		end_it(pid);
	}
}

/*
 * A user is in the session of root, as after su: what root has there is not ended with what the user
 * has, which says that it is of a run.
 */
TEST_IN(set_up, tear_down, leaves_the_session_of_root)
{
	AS_ROOT(d);
	int of_user[2];
	pid_t leader;

	assert_int_equal(pipe2(of_user, O_CLOEXEC), 0);
	leader = fork();
	if (leader == 0) {
		pid_t all[3];

		setsid();
		all[0] = be(OTHER, "X=1", -1, false);
		all[1] = be(0, "X=1", -1, false);
		all[2] = be(USER, mark, -1, false);
		if (write(of_user[1], all, sizeof all) != sizeof all)
			_exit(1);
		for (;;)
			pause();
	}
	pid_t all[3];
	int file;
	assert_int_equal(read(of_user[0], all, sizeof all), sizeof all);
	struct fl_spawn_reply reply =
		ask(d, (struct fl_spawn_request){ .op = FL_SPAWN_END, OF(USER) }, &file);
	assert_int_equal(reply.why, 0);
	assert_true(reply.found && !reply.remains);
	assert_true(is_gone(all[2]));
	assert_false(is_gone(all[0]) || is_gone(all[1]) || is_gone(leader));
	for (int i = 0; i < 3; i++)
		kill(all[i], SIGKILL);
	end_it(leader);
	close(of_user[0]);
	close(of_user[1]);
}

/* A process with the token has as descriptor 3 what its user likes: only a file of the daemon is opened. */
TEST_IN(set_up, tear_down, opens_only_its_own)
{
	AS_ROOT(d);
	const struct fl_spawn_request r = { .op = FL_SPAWN_FIND, RUN };
	const char *const names[] = { "file", "fifo", "own" };
	char path[128], event[256];
	int file, watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	assert_true(watch >= 0);
	assert_int_equal(ask(d, r, &file).why, ESRCH);
	for (size_t i = 0; i < COUNT(names); i++) {
		bool own = strcmp(names[i], "own") == 0;
		struct stat want, got;

		(void)snprintf(path, sizeof path, "%s/%s", d->state, names[i]);
		if (strcmp(names[i], "fifo") == 0)
			assert_int_equal(mkfifo(path, 0600), 0);
		else
			close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
		assert_int_equal(chown(path, own ? ACCOUNT : 0, 0), 0);
		int fd = open(path, O_PATH | O_CLOEXEC);
		assert_true(fd >= 0 && fstat(fd, &want) == 0);
		assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
		pid_t pid = be(USER, mark, fd, true);
		close(fd);
		struct fl_spawn_reply reply = ask(d, r, &file);
		CHECK(reply.why == (own ? 0 : ESRCH) && (file >= 0) == own, names[i]);
		CHECK((read(watch, event, sizeof event) > 0) == own, names[i]);
		CHECK(!own || (fstat(file, &got) == 0 && got.st_ino == want.st_ino), names[i]);
		CHECK(!own || (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDONLY, names[i]);
		fl_fd_close(&file);
		end_it(pid);
		/* The same of a user that the table has not. */
		fd = open(path, O_PATH | O_CLOEXEC);
		pid = be(OUTSIDE, mark, fd, true);
		close(fd);
		CHECK(ask(d, r, &file).why == ESRCH && file < 0, names[i]);
		end_it(pid);
	}
	close(watch);
}

/* --- control groups --- */

/* With all its numbers: a group is that of its user, and no request of another reaches it. */
TEST_IN(set_up, tear_down, has_groups_of_its_user)
{
	AS_ROOT(d);
	struct fl_spawn_request r = { .op = FL_SPAWN_PLACE, .flags = FL_SPAWN_GROUP };
	int file, pidfd;
	struct fl_spawn_reply place = ask(d, r, &file);
	char path[FL_GROUP_PATH];

	if (!*place.place.path || !place.place.ends)
		skip();
	fl_group_path(&place.place, USER, 1, 1, token, path);
	r = (struct fl_spawn_request){
		.op = FL_SPAWN_START, OF(USER), .n_files = 1, .flags = FL_SPAWN_GROUP
	};
	struct fl_spawn_reply started = ask(d, r, &pidfd);
	assert_int_equal(started.why, 0);
	close(pidfd);
	struct fl_group_files group;
	assert_int_equal(fl_group_open(path, &group), 0);
	pid_t member = be(USER, "X=1", -1, true);
	assert_true(dprintf(group.procs, "%d", (int)member) > 0);

	r = (struct fl_spawn_request){ .op = FL_SPAWN_END, OF(OTHER) };
	assert_int_equal(ask(d, r, &file).found, 0);
	assert_false(is_gone(member));
	r = (struct fl_spawn_request){ .op = FL_SPAWN_CLEAR, OF(USER) };
	send_to(d, &r, sizeof r, NULL, 0);
	assert_true(is_well(d));
	assert_int_equal(access(path, F_OK), 0);
	r.op = FL_SPAWN_END;
	struct fl_spawn_reply ended = ask(d, r, &file);
	assert_true(ended.found && !ended.remains);
	assert_true(is_gone(member));
	assert_int_equal(access(path, F_OK), -1);
	fl_group_close(&group);
	end_it(member);
}

/* --- the end of the daemon --- */

/* Though a run was given its end of the socket. */
TEST_IN(set_up, tear_down, ends_with_its_daemon)
{
	AS_ROOT(d);
	pid_t spawners[2];
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid_t other = fork();
	if (other == 0) {
		struct daemon mine = *d;
		struct fl_spawn_request r = {
			.op = FL_SPAWN_START, .id = 12, OF(USER), .n_files = 2
		};
		struct fl_spawn_reply reply;
		int pidfd;

		close(d->socket);
		launch(&mine);
		send_to(&mine, &r, sizeof r, (int[]){ mine.file, mine.socket }, 2);
		spawners[0] = mine.spawner;
		spawners[1] = hear(&mine, &reply, &pidfd) ? reply.pid : -1;
		_exit(write(ends[1], spawners, sizeof spawners) != sizeof spawners);
	}
	assert_int_equal(read(ends[0], spawners, sizeof spawners), sizeof spawners);
	assert_int_equal(waitpid(other, NULL, 0), other);
	assert_true(spawners[1] > 0);
	bool gone = goes_within(is_gone, spawners[0]);
	assert_false(is_gone(spawners[1]));
	kill(spawners[1], SIGKILL);
	assert_true(gone);
	close(ends[0]);
	close(ends[1]);
}

UNIT_GROUP("spawn")
