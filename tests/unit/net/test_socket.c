/* SPDX-License-Identifier: Apache-2.0 */
#include "net/socket.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/unit.h"
#include "net/rate.h"

static char folder[64], path[96];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/fairlead-net-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/s.sock", folder);
	return 0;
}

/* Nothing but the socket may be left. */
static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static struct fl_socket listens(void)
{
	struct fl_socket s;
	fairlead_error err = { 0 };

	if (fl_socket_listen(path, 0660, &s, &err) != 0)
		fail_msg("%s: %s", err.subject, err.text);
	return s;
}

static void refuses(int code, const char *text)
{
	struct fl_socket s = { .fd = -7 };
	fairlead_error err = { 0 };

	assert_int_equal(fl_socket_listen(path, 0660, &s, &err), code);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, text) || !*err.hint)
		fail_msg("%s (%s)", err.text, err.hint);
	assert_int_equal(s.fd, -7);
}

TEST_IN(set_up, tear_down, made_and_removed)
{
	struct fl_socket s = listens();
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0660);
	assert_true(fcntl(s.fd, F_GETFD) & FD_CLOEXEC);
	fl_socket_remove(&s);
	assert_int_not_equal(lstat(path, &st), 0);
	close(s.fd);
}

TEST_IN(set_up, tear_down, live_is_refused_stale_is_replaced)
{
	struct fl_socket first = listens(), second;
	struct stat st;

	refuses(FAIRLEAD_ESTATE, "another process listens");
	shutdown(first.fd, SHUT_RDWR);
	second = listens();
	/* The first one's end does not take the second one's file. */
	fl_socket_remove(&first);
	close(first.fd);
	assert_int_equal(lstat(path, &st), 0);
	fl_socket_remove(&second);
	close(second.fd);
}

/* One whose queue is full listens, too. */
TEST_IN(set_up, tear_down, busy_is_live)
{
	struct fl_socket s = listens();
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fds[600];
	unsigned n = 0;

	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	listen(s.fd, 0);
	do
		fds[n] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	while (connect(fds[n++], (struct sockaddr *)&address, sizeof address) == 0 && n < 600);
	assert_in_range(n, 2, 599);
	refuses(FAIRLEAD_ESTATE, "another process listens");
	while (n > 0)
		close(fds[--n]);
	close(s.fd);
}

TEST_IN(set_up, tear_down, other_files_stay)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);
	struct stat st;
	char kept[96];

	close(fd);
	refuses(FAIRLEAD_EINPUT, "not a socket");
	assert_int_equal(lstat(path, &st), 0);
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	refuses(FAIRLEAD_EINPUT, "not a socket");
	unlink(path);

	memcpy(kept, path, sizeof kept);
	snprintf(path, sizeof path, "%s/none/s.sock", folder);
	refuses(FAIRLEAD_EIO, "the folder of the socket");
	path[0] = '\0';
	refuses(FAIRLEAD_EINPUT, "empty");
	memcpy(path, kept, sizeof kept);
}

TEST(too_long)
{
	char name[200];
	struct fl_socket s;
	fairlead_error err = { 0 };

	memset(name, 'a', sizeof name);
	name[sizeof name - 1] = '\0';
	assert_int_equal(fl_socket_listen(name, 0600, &s, &err), FAIRLEAD_EINPUT);
	assert_non_null(strstr(err.text, "too long"));
	assert_string_equal(err.hint, "at most 107 bytes");
	name[108] = '\0';
	assert_int_equal(fl_socket_listen(name, 0600, &s, &err), FAIRLEAD_EINPUT);
}

/* Many at the same moment: one of them has it. */
TEST_IN(set_up, tear_down, all_at_once)
{
	enum { N = 8 };
	int go[2], done[2], won = 0;
	pid_t pids[N];
	char byte;

	assert_int_equal(pipe(go) | pipe(done), 0);
	for (int i = 0; i < N; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct fl_socket s;

			close(go[1]);
			close(done[1]);
			/* Both pipes end when the other side closes them. */
			if (read(go[0], &byte, 1) != 0)
				_exit(9);
			if (fl_socket_listen(path, 0600, &s, NULL) != 0)
				_exit(0);
			_exit(read(done[0], &byte, 1) == 0 ? 1 : 9);
		}
	}
	close(go[0]);
	close(done[0]);
	close(go[1]);
	for (int i = 0, left = N; left > 1; i = (i + 1) % N) {
		int status;

		if (pids[i] > 0 && waitpid(pids[i], &status, WNOHANG) == pids[i]) {
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
			pids[i] = 0;
			left--;
		}
	}
	close(done[1]);
	for (int i = 0; i < N; i++) {
		int status = 0;

		if (pids[i] > 0 && waitpid(pids[i], &status, 0) == pids[i])
			won += WEXITSTATUS(status);
	}
	assert_int_equal(won, 1);
}

/* Whoever may read the folder may lock it for ever: that keeps nobody from listening. */
TEST_IN(set_up, tear_down, lock_of_others)
{
	int fd = open(folder, O_RDONLY | O_CLOEXEC);

	assert_int_equal(flock(fd, LOCK_EX), 0);
	struct fl_socket s = listens();
	close(fd);
	fl_socket_remove(&s);
	assert_int_not_equal(access(path, F_OK), 0);
	close(s.fd);
}

TEST_IN(set_up, tear_down, handed_over)
{
	struct fl_socket first = listens(), s = { .fd = -7 };
	fairlead_error err = { 0 };
	int fds[2], plain = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(fl_socket_adopt(first.fd, false, &s, &err), 0);
	assert_string_equal(s.path, path);
	fl_socket_remove(&s);
	assert_int_equal(access(path, F_OK), 0);
	close(first.fd);

	s.fd = -7;
	assert_int_equal(pipe(fds), 0);
	const int wrong[] = { fds[0], plain, 999 };

	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(fl_socket_adopt(wrong[i], false, &s, &err), FAIRLEAD_EINPUT);
	assert_int_equal(s.fd, -7);
	close(fds[0]);
	close(fds[1]);
	close(plain);
}

/* --- rates --- */

static bool take(struct fl_rates *r, uid_t uid, uint64_t now)
{
	const struct fl_principal payer = fl_principal_user(uid, 1);

	return fl_rate_take(r, &payer, now);
}

static void charge(struct fl_rates *r, uid_t uid, double seconds)
{
	const struct fl_principal payer = fl_principal_user(uid, 1);

	fl_rate_charge(r, &payer, seconds);
}

TEST(rates)
{
	static struct fl_rates r;
	unsigned taken = 0;

	assert_true(take(&r, 1, 0)); /* no limit */
	r.per_second = 10;
	for (int i = 0; i < 30; i++)
		taken += take(&r, 1, 1000);
	assert_int_equal(taken, 10);
	assert_true(take(&r, 2, 1000));
	assert_false(take(&r, 1, 1099));
	assert_true(take(&r, 1, 1100));
	assert_false(take(&r, 1, 1100));
	/* However long one waits, a burst is that of one second. */
	taken = 0;
	for (int i = 0; i < 30; i++)
		taken += take(&r, 1, 1000000);
	assert_int_equal(taken, 10);
}

/* What takes long costs more: half of the time is the most that one user gets. */
TEST(long_requests)
{
	static struct fl_rates r = { .per_second = 10 };
	unsigned taken = 0;

	for (uint64_t now = 0; now < 10000; now += 100)
		if (take(&r, 1, now)) {
			charge(&r, 1, 0.5);
			taken++;
		}
	assert_in_range(taken, 9, 11);
	charge(&r, 1, 1e9);
	assert_false(take(&r, 1, 19000));
	assert_true(take(&r, 1, 21000));
	charge(&r, 2, 1); /* who never asked owes nothing */
	assert_true(take(&r, 2, 21000));
}

/* Names without end are no way around it. */
TEST(many_users)
{
	static struct fl_rates r;
	unsigned taken = 0;

	r.per_second = 10;
	for (uid_t uid = 1; uid < 100000; uid++)
		taken += take(&r, uid, 5);
	assert_int_equal(taken, FL_RATE_PAYERS + 9);
}

UNIT_GROUP("socket")
