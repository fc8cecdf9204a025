/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/start/separate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/launch.h"
#include "base/fd.h"
#include "daemon/engine/process/confine.h"
#include "net/socket.h"

static _Noreturn void look(const struct fl_separation *s, const struct fl_account *a, int to)
{
	struct fl_places *places = calloc(1, sizeof *places);
	fairlead_error err;

	if (!places || fl_account_become(a, &err) != 0)
		_exit(3);
	int code = s->look(s->user, places);
	if (code == 0 && fl_fd_write(to, places, sizeof *places) != 0)
		code = 3;
	_exit(code);
}

static ssize_t read_whole(int fd, void *to, size_t n)
{
	size_t at = 0;
	ssize_t got;

	while (at < n && (got = read(fd, (char *)to + at, n - at)) != 0)
		if (got > 0)
			at += (size_t)got;
		else if (errno != EINTR)
			return -1;
	return (ssize_t)at;
}

/* What the configuration means, read as the account. */
static int ask(const struct fl_separation *s, const struct fl_account *a, struct fl_places *ret,
	       fairlead_error *err)
{
	int ends[2], how = 0;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot make a pipe: %s", strerror(errno));
	pid_t pid = fork();
	if (pid == 0)
		look(s, a, ends[1]);
	int why = errno;
	(void)close(ends[1]);
	ssize_t n = pid > 0 ? read_whole(ends[0], ret, sizeof *ret) : -1;
	(void)close(ends[0]);
	if (pid < 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot make a process: %s", strerror(why));
	while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
		continue;
	if (WIFEXITED(how) && WEXITSTATUS(how) != 0)
		return WEXITSTATUS(how);
	if (!WIFEXITED(how) || n != sizeof *ret || ret->listens.n > FL_LISTEN_MOST)
		return fl_fail(err, FAIRLEAD_EIO, "the configuration could not be read as user %u",
			       a->uid);
	ret->state[sizeof ret->state - 1] = ret->socket[sizeof ret->socket - 1] = '\0';
	return 0;
}

int fl_separate(const struct fl_separation *s, struct fl_separated *ret, fairlead_error *err)
{
	struct fl_spawn_table table = s->table;
	struct fl_places *places = calloc(1, sizeof *places);
	struct fl_socket socket = { .fd = -1 };
	int r = places ? fl_account_find(s->account, &ret->account, err) : fl_fail_nomem(err);

	table.account = ret->account.uid;
	table.group = ret->account.gid;
	if (r == 0)
		r = ask(s, &ret->account, places, err);
	table.state = places ? places->state : NULL;
	table.socket = places && !s->listens ? places->socket : "";
	if (r == 0)
		r = fl_account_take(&ret->account, places->state, err);
	if (r == 0 && !s->listens)
		r = fl_socket_listen(places->socket, (mode_t)places->socket_mode, &socket, err);
	if (r == 0)
		r = fl_listen_open(&places->listens, &ret->listening, err);
	if (r == 0 && s->program)
		r = fl_launch_spawner(s->program, &table, &ret->spawner, &ret->pid, err);
	if (r == 0 && s->program)
		ret->end = fcntl(ret->spawner, F_DUPFD_CLOEXEC, 3);
	free(places);
	if (r == 0)
		r = fl_account_become(&ret->account, err);
	ret->confined = r == 0 && s->program && fl_confine_daemon();
	ret->socket = socket.fd;
	return r;
}

void fl_separate_end(const struct fl_separated *s)
{
	if (!s->pid)
		return;
	(void)shutdown(s->end, SHUT_RDWR);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}
