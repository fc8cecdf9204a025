/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/process/end.h"
#include "backend/process/process.h"
#include "backend/spawn/records.h"
#include "base/fd.h"

/* A request that was not answered yet. */
struct waiter {
	uint32_t id;
	/* of a start, which no caller waits for: on the heap */
	fl_spawner_started *started;
	void *user;
	struct fl_spawned run;
	/* of others, whose caller waits: in its frame */
	bool done;
	struct fl_spawn_reply reply;
	int file; /* that came with it; -1 */
	struct waiter *next;
};

struct fl_spawner {
	char *runner;
	int socket; /* -1: this process itself */
	struct fl_group_place place;
	void (*gone)(void *user);
	void *user;
	/* A request is written whole, also one of several messages. */
	pthread_mutex_t writes;
	pthread_mutex_t waits;
	pthread_cond_t answered;
	struct waiter *waiters;
	uint32_t last;
	bool ended, closing, reads;
	pthread_t reader;
};

/* --- the answers of the spawner process --- */

static int file_of(struct msghdr *m)
{
	int file = -1;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(&file, CMSG_DATA(c), sizeof file);
	return file;
}

static int failed(const struct fl_spawned *run, const struct fl_spawn_reply *reply,
		  fairlead_error *err);

/* Takes over @w. */
static void tell_started(struct waiter *w, const struct fl_spawn_reply *reply, int file)
{
	fairlead_error err = { 0 };
	int rc = reply->why == 0 ? 0 : failed(&w->run, reply, &err);

	w->started(w->user, rc, file, 0, &err);
	free(w);
}

/* Takes it out of the list; called with the lock. NULL: it was not asked for. */
static struct waiter *take_waiter(struct fl_spawner *s, uint32_t id)
{
	struct waiter **at = &s->waiters, *w;

	while (*at && (*at)->id != id)
		at = &(*at)->next;
	w = *at;
	if (w)
		*at = w->next;
	return w;
}

static void give(struct fl_spawner *s, const struct fl_spawn_reply *reply, int file)
{
	pthread_mutex_lock(&s->waits);
	struct waiter *w = take_waiter(s, reply->id);
	bool starts = w && w->started;
	if (w && !starts) {
		w->reply = *reply;
		w->file = file;
		w->done = true;
		pthread_cond_broadcast(&s->answered);
	}
	pthread_mutex_unlock(&s->waits);
	if (starts)
		tell_started(w, reply, file);
	else if (!w)
		fl_fd_close(&file);
}

static const struct fl_spawn_reply no_answer = { .why = ECONNRESET, .stage = FL_SPAWN_STAGES };

/* No more answers come. */
static void end_waiting(struct fl_spawner *s)
{
	pthread_mutex_lock(&s->waits);
	s->ended = true;
	struct waiter *all = s->waiters;
	s->waiters = NULL;
	bool tell = !s->closing;
	for (struct waiter *w = all, *next; w; w = next) {
		next = w->next;
		if (w->started) {
			pthread_mutex_unlock(&s->waits);
			tell_started(w, &no_answer, -1);
			pthread_mutex_lock(&s->waits);
		} else {
			w->reply = no_answer;
			w->done = true;
		}
	}
	pthread_cond_broadcast(&s->answered);
	pthread_mutex_unlock(&s->waits);
	if (tell)
		s->gone(s->user);
}

static void *read_answers(void *spawner)
{
	struct fl_spawner *s = spawner;

	for (;;) {
		struct fl_spawn_reply reply;
		struct iovec bytes = { &reply, sizeof reply };
		union {
			char room[CMSG_SPACE(sizeof(int))];
			struct cmsghdr head;
		} control;
		struct msghdr m = { .msg_iov = &bytes,
				    .msg_iovlen = 1,
				    .msg_control = &control,
				    .msg_controllen = sizeof control.room };
		ssize_t n = recvmsg(s->socket, &m, MSG_CMSG_CLOEXEC);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof reply)
			break;
		give(s, &reply, file_of(&m));
	}
	end_waiting(s);
	return NULL;
}

/* --- requests to it --- */

static int send_one(const struct fl_spawner *s, const struct fl_spawn_request *r, const int *files,
		    uint32_t n)
{
	struct iovec bytes = { (void *)(uintptr_t)r, sizeof *r };
	union {
		char room[CMSG_SPACE(sizeof(int) * FL_SPAWN_FILES)];
		struct cmsghdr head;
	} control = { .head = { .cmsg_len = CMSG_LEN(n * sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS } };
	struct msghdr m = { .msg_iov = &bytes, .msg_iovlen = 1 };
	ssize_t done;

	if (n > 0) {
		memcpy(CMSG_DATA(&control.head), files, n * sizeof(int));
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
	}
	while ((done = sendmsg(s->socket, &m, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		continue;
	return done < 0 ? -1 : 0;
}

static int send_all(struct fl_spawner *s, struct fl_spawn_request r, const int *files)
{
	uint32_t sent = 0, n = r.n_files < FL_SPAWN_FILES ? r.n_files : FL_SPAWN_FILES;

	pthread_mutex_lock(&s->writes);
	int rc = send_one(s, &r, files, n);
	int why = errno;
	for (r.op = FL_SPAWN_MORE; rc == 0 && (sent += n) < r.n_files;) {
		n = r.n_files - sent < FL_SPAWN_FILES ? r.n_files - sent : FL_SPAWN_FILES;
		rc = send_one(s, &r, files + sent, n);
		why = errno;
		/* Half a request cannot be taken back. */
		if (rc != 0)
			shutdown(s->socket, SHUT_RDWR);
	}
	pthread_mutex_unlock(&s->writes);
	errno = why;
	return rc;
}

/* Adds it to the list, numbers its request and sends that. */
static void send_request(struct fl_spawner *s, struct waiter *w, struct fl_spawn_request r,
			 const int *files)
{
	pthread_mutex_lock(&s->waits);
	w->id = r.id = ++s->last;
	w->next = s->waiters;
	s->waiters = w;
	bool ended = s->ended;
	pthread_mutex_unlock(&s->waits);
	if (!ended && send_all(s, r, files) == 0)
		return;
	/* Unless it was answered: the spawner has ended. */
	struct fl_spawn_reply reply = no_answer;
	reply.id = r.id;
	if (!ended)
		reply.why = errno;
	if (reply.why == EPIPE || reply.why == ECONNRESET) {
		pthread_mutex_lock(&s->waits);
		s->ended = true;
		pthread_mutex_unlock(&s->waits);
	}
	give(s, &reply, -1);
}

/* Waits for the answer. @ret_file: what came with it; NULL: none comes. */
static struct fl_spawn_reply ask(struct fl_spawner *s, struct fl_spawn_request r, int *ret_file)
{
	struct waiter w = { .file = -1 };

	send_request(s, &w, r, NULL);
	pthread_mutex_lock(&s->waits);
	while (!w.done)
		pthread_cond_wait(&s->answered, &s->waits);
	pthread_mutex_unlock(&s->waits);
	if (ret_file)
		*ret_file = w.file;
	else
		fl_fd_close(&w.file);
	return w.reply;
}

/* Without an answer and without waiting. */
static bool tell(struct fl_spawner *s, struct fl_spawn_request r)
{
	if (pthread_mutex_trylock(&s->writes) != 0)
		return false;
	bool sent = send(s->socket, &r, sizeof r, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
	pthread_mutex_unlock(&s->writes);
	return sent;
}

static struct fl_spawn_request request_of(enum fl_spawn_op op, const struct fl_spawned *run)
{
	struct fl_spawn_request r = {
		.op = op, .job = run->job, .attempt = run->attempt, .uid = run->uid, .gid = run->gid
	};

	snprintf(r.token, sizeof r.token, "%s", run->token);
	return r;
}

/* --- open and close --- */

int fl_spawner_new(int socket, const char *runner, void (*gone)(void *user), void *user,
		   struct fl_spawner **ret, fairlead_error *err)
{
	struct fl_spawner *s = calloc(1, sizeof *s);

	if (s)
		s->runner = strdup(runner);
	if (!s || !s->runner) {
		free(s);
		fl_fd_close(&socket);
		return fl_fail_nomem(err);
	}
	s->socket = socket;
	s->gone = gone;
	s->user = user;
	pthread_mutex_init(&s->writes, NULL);
	pthread_mutex_init(&s->waits, NULL);
	pthread_cond_init(&s->answered, NULL);
	if (socket >= 0) {
		int why = pthread_create(&s->reader, NULL, read_answers, s);

		if (why != 0) {
			fl_spawner_free(s);
			return fl_fail(err, FAIRLEAD_ENOMEM, "cannot make a thread: %s",
				       strerror(why));
		}
		s->reads = true;
	}
	*ret = s;
	return 0;
}

bool fl_spawner_is_gone(struct fl_spawner *s)
{
	pthread_mutex_lock(&s->waits);
	bool gone = s->ended;
	pthread_mutex_unlock(&s->waits);
	return gone;
}

void fl_spawner_stop(struct fl_spawner *s)
{
	if (!s || !s->reads)
		return;
	pthread_mutex_lock(&s->waits);
	s->closing = true;
	pthread_mutex_unlock(&s->waits);
	shutdown(s->socket, SHUT_RDWR);
	pthread_join(s->reader, NULL);
	s->reads = false;
}

struct fl_spawner *fl_spawner_free(struct fl_spawner *s)
{
	if (!s)
		return NULL;
	fl_spawner_stop(s);
	fl_fd_close(&s->socket);
	pthread_cond_destroy(&s->answered);
	pthread_mutex_destroy(&s->waits);
	pthread_mutex_destroy(&s->writes);
	free(s->runner);
	free(s);
	return NULL;
}

int fl_spawner_place(struct fl_spawner *s, bool groups, struct fl_spawner_place *ret,
		     fairlead_error *err)
{
	*ret = (struct fl_spawner_place){ 0 };
	if (s->socket < 0) {
		if (groups)
			fl_group_find(&ret->group);
	} else {
		struct fl_spawn_reply reply =
			ask(s,
			    (struct fl_spawn_request){ .op = FL_SPAWN_PLACE,
						       .flags = groups ? FL_SPAWN_GROUP : 0 },
			    NULL);

		if (reply.why != 0)
			return fl_fail(err, FAIRLEAD_EIO, "fairlead-spawn does not answer: %s",
				       strerror(reply.why));
		if (groups)
			ret->group = reply.place;
		ret->alone = reply.alone != 0;
		ret->contained = ret->alone || ret->group.ends;
	}
	s->place = ret->group;
	return 0;
}

/* --- starting --- */

static int failed(const struct fl_spawned *run, const struct fl_spawn_reply *reply,
		  fairlead_error *err)
{
	const char *why = strerror(reply->why);

	switch ((enum fl_spawn_stage)reply->stage) {
	case FL_SPAWN_REFUSED:
		return fl_fail(err, FAIRLEAD_EINPUT, "jobs of user %u are not started here",
			       run->uid);
	case FL_SPAWN_GROUP_MADE:
		return fl_fail(err, FAIRLEAD_EIO, "cannot make its control group: %s", why);
	case FL_SPAWN_FORKED:
		return fl_fail(err, FAIRLEAD_EIO, "cannot make a process: %s", why);
	case FL_SPAWN_NAMESPACE:
		return fl_fail(err, FAIRLEAD_EIO, "cannot have a namespace for its processes: %s",
			       why);
	case FL_SPAWN_MEMBER:
		return fl_fail(err, FAIRLEAD_EINPUT, "user %u is not in group %u", run->uid,
			       run->gid);
	case FL_SPAWN_USER:
		return fl_fail(err, FAIRLEAD_EIO, "cannot run as user %u: %s", run->uid, why);
	case FL_SPAWN_DESCRIPTORS:
		return fl_fail(err, FAIRLEAD_EIO, "cannot pass on its files: %s", why);
	case FL_SPAWN_RUNNER:
		return fl_fail(err, FAIRLEAD_EIO, "cannot start its runner: %s", why);
	case FL_SPAWN_STAGES:
		break;
	}
	return fl_fail(err, FAIRLEAD_EIO, "fairlead-spawn does not answer: %s", why);
}

/* The runner has the token as well, so that it and all its descendants are found by it. */
static char **with_token(const char *token, char mark[FL_SPAWN_TOKEN + 16])
{
	size_t n = 0;

	while (environ[n])
		n++;
	char **all = calloc(n + 2, sizeof *all);
	if (!all)
		return NULL;
	snprintf(mark, FL_SPAWN_TOKEN + 16, "FAIRLEAD_RUN=%s", token);
	all[0] = mark;
	memcpy(all + 1, environ, n * sizeof *all);
	return all;
}

/*
 * In a session of its own, with our environment.  Their numbers must not be among those that they
 * get: a copy has a higher one. 0 or errno.
 */
static int spawn_here(const struct fl_spawner *s, const char *token, const int *files, uint32_t n,
		      const char *place, const char *how, pid_t *ret)
{
	char mark[FL_SPAWN_TOKEN + 16], number[] = "0";
	char *argv[] = { s->runner, (char *)(uintptr_t)place, number, (char *)(uintptr_t)how,
			 NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t all, none;
	int *high = calloc(n + 1, sizeof *high), why = high ? 0 : ENOMEM;
	uint32_t made = 0;

	for (; why == 0 && made < n; made++) {
		high[made] = fcntl(files[made], F_DUPFD_CLOEXEC, FL_SPAWN_SOCKET + (int)n);
		if (high[made] < 0) {
			why = errno;
			break;
		}
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	sigfillset(&all);
	sigemptyset(&none);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_addopen(&actions, i, "/dev/null",
						 i == 0 ? O_RDONLY : O_WRONLY, 0);
	for (uint32_t i = 0; i < n; i++)
		posix_spawn_file_actions_adddup2(&actions, high[i], FL_SPAWN_SOCKET + (int)i);
	posix_spawn_file_actions_addclosefrom_np(&actions, FL_SPAWN_SOCKET + (int)n);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	char **with = with_token(token, mark);
	if (why == 0)
		why = with ? posix_spawn(ret, s->runner, &actions, &attributes, argv, with) :
			     ENOMEM;
	free(with);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	for (uint32_t i = 0; i < made; i++)
		close(high[i]);
	free(high);
	return why;
}

static int join_group(const struct fl_spawner *s, const struct fl_spawner_start *start,
		      char path[FL_GROUP_PATH], struct fl_group_files *ret, fairlead_error *err)
{
	const struct fl_spawned *run = &start->run;

	fl_group_path(&s->place, run->uid, run->job, run->attempt, run->token, path);
	int why = fl_group_make(path, &start->limits);
	if (why == 0)
		why = fl_group_open(path, ret);
	return why == 0 ? 0 :
			  fl_fail(err, FAIRLEAD_EIO, "cannot make the control group %s: %s", path,
				  strerror(why));
}

static int start_here(struct fl_spawner *s, const struct fl_spawner_start *start, pid_t *ret,
		      fairlead_error *err)
{
	struct fl_group_files group = { -1, -1, -1 };
	char path[FL_GROUP_PATH] = "", how[8];
	uint32_t n = start->n_files;

	if (start->run.uid != geteuid())
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "the daemon runs as user %u and cannot run jobs of user %u; only a "
			       "daemon that root has started can",
			       geteuid(), start->run.uid);
	int *files = calloc(n + FL_GROUP_FILES, sizeof *files);
	int rc = files ? 0 : fl_fail_nomem(err);
	if (rc == 0)
		memcpy(files, start->files, n * sizeof *files);
	if (rc == 0 && start->group && (rc = join_group(s, start, path, &group, err)) == 0) {
		files[n++] = group.procs;
		/* A kernel without cgroup.kill: what is written to a folder has no effect. */
		files[n++] = group.kill >= 0 ? group.kill : group.folder;
		files[n++] = group.folder;
	}
	(void)snprintf(how, sizeof how, "-%s%s", start->group ? "g" : "", start->client ? "i" : "");
	int why = rc == 0 ? spawn_here(s, start->run.token, files, n, start->place, how, ret) : 0;
	if (why != 0)
		rc = fl_fail(err, FAIRLEAD_EIO, "cannot start its runner: %s", strerror(why));
	fl_group_close(&group);
	free(files);
	if (rc != 0)
		fl_group_remove(path);
	return rc;
}

void fl_spawner_start(struct fl_spawner *s, const struct fl_spawner_start *start,
		      fl_spawner_started *done, void *user)
{
	fairlead_error err = { 0 };
	struct waiter *w = NULL;
	pid_t child = 0;
	int rc = 0;

	if (s->socket < 0) {
		rc = start_here(s, start, &child, &err);
		/* Our child, not reaped: the number is still its own. */
		done(user, rc, rc == 0 ? pidfd_open(child, 0) : -1, child, &err);
		return;
	}
	if (start->n_files > FL_SPAWN_MOST)
		rc = fl_fail(&err, FAIRLEAD_ELIMIT, "the run has too many files");
	else if (!(w = calloc(1, sizeof *w)))
		rc = fl_fail_nomem(&err);
	if (rc != 0) {
		done(user, rc, -1, 0, &err);
		return;
	}
	struct fl_spawn_request r = request_of(FL_SPAWN_START, &start->run);
	r.limits = start->limits;
	r.flags = (start->group ? FL_SPAWN_GROUP : 0U) | (start->alone ? FL_SPAWN_ALONE : 0U) |
		  (start->client ? FL_SPAWN_CLIENT : 0U);
	r.n_files = start->n_files;
	*w = (struct waiter){ .started = done, .user = user, .run = start->run, .file = -1 };
	send_request(s, w, r, start->files);
}

/* --- signals and the end --- */

bool fl_spawner_end(struct fl_spawner *s, const struct fl_spawned *run, bool *ret_found)
{
	if (s->socket < 0) {
		char path[FL_GROUP_PATH];

		fl_group_path(&s->place, run->uid, run->job, run->attempt, run->token, path);
		return fl_process_end_run(path, run->token, run->uid, ret_found);
	}
	struct fl_spawn_reply reply = ask(s, request_of(FL_SPAWN_END, run), NULL);

	*ret_found = reply.why != 0 || reply.found != 0;
	return reply.why == 0 && reply.remains == 0;
}

bool fl_spawner_wake(struct fl_spawner *s, const struct fl_spawned *run, pid_t pid, uint64_t since)
{
	if (s->socket >= 0) {
		struct fl_spawn_request r = request_of(FL_SPAWN_WAKE, run);

		r.pid = pid;
		return tell(s, r);
	}
	FL_FD pidfd = fl_process_open(pid, since);
	if (pidfd >= 0) {
		pidfd_send_signal(pidfd, SIGUSR1, NULL, 0);
		pidfd_send_signal(pidfd, SIGCONT, NULL, 0); /* it may have been stopped */
	}
	return true;
}

int fl_spawner_open(struct fl_spawner *s, pid_t pid, uint64_t since)
{
	int file;

	/* Where /proc hides processes of other users the spawner looks. */
	int pidfd = fl_process_open(pid, since), why = errno;
	if (pidfd >= 0 || s->socket < 0 || pid <= 1 || access("/proc/1/stat", R_OK) == 0) {
		errno = why;
		return pidfd;
	}
	struct fl_spawn_reply reply =
		ask(s, (struct fl_spawn_request){ .op = FL_SPAWN_OPEN, .pid = pid, .since = since },
		    &file);
	errno = reply.why;
	return file;
}

/* The runner has the file of its run as descriptor 3. */
static bool has_file(void *user, pid_t pid)
{
	char path[64];
	struct stat st;
	int *file = user;
	uid_t uid;

	(void)snprintf(path, sizeof path, "/proc/%ld/fd/3", (long)pid);
	if (!fl_process_user(pid, &uid) || uid != geteuid())
		return false;
	*file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*file >= 0 && fstat(*file, &st) == 0 && S_ISREG(st.st_mode))
		return true;
	fl_fd_close(file);
	*file = -1;
	return false;
}

int fl_spawner_find(struct fl_spawner *s, const struct fl_spawned *run)
{
	int file = -1;

	if (s->socket < 0) {
		fl_process_find_marked(run->token, has_file, &file);
		return file;
	}
	struct fl_spawn_reply reply = ask(s, request_of(FL_SPAWN_FIND, run), &file);
	errno = reply.why;
	return file;
}

void fl_spawner_clear(struct fl_spawner *s, const struct fl_spawned *run)
{
	if (s->socket < 0) {
		char path[FL_GROUP_PATH];

		fl_group_path(&s->place, run->uid, run->job, run->attempt, run->token, path);
		fl_group_remove(path);
	} else {
		(void)tell(s, request_of(FL_SPAWN_CLEAR, run));
	}
}
