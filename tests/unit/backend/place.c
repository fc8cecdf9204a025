/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/attempt.h"
#include "backend/local/launch.h"

enum { DEADLINE_MS = 100000 };

/* --- what is told --- */

struct told *place_told(struct place *p, uint64_t job, uint32_t attempt)
{
	for (uint32_t i = 0; i < p->n_told; i++)
		if (p->told[i].job == job && p->told[i].attempt == attempt)
			return &p->told[i];
	assert_true(p->n_told < PLACE_RUNS);
	struct told *t = &p->told[p->n_told++];
	*t = (struct told){ .job = job, .attempt = attempt };
	return t;
}

static void on_began(void *user, uint64_t job, uint32_t attempt, fl_time at)
{
	struct told *t = place_told(user, job, attempt);

	assert_int_equal(t->ended, 0);
	t->began++;
	t->began_at = at;
}

static void on_ended(void *user, const struct fl_run_outcome *outcome)
{
	struct told *t = place_told(user, outcome->job, outcome->attempt);

	t->ended++;
	t->outcome = *outcome;
}

static void on_notice(void *user, const char *text)
{
	struct place *p = user;

	if (p->n_notices < PLACE_NOTICES)
		snprintf(p->notices[p->n_notices++], sizeof p->notices[0], "%s", text);
}

static void on_broken(void *user, const char *why)
{
	struct place *p = user;

	(void)why;
	p->broken++;
}

/* --- open and close --- */

void place_make_folder(struct place *p)
{
	*p = (struct place){ .output_limit = 1 << 20 };
	snprintf(p->state, sizeof p->state, "/tmp/fairlead-test-XXXXXX");
	snprintf(p->mark, sizeof p->mark, "6000.%d", (int)getpid());
	assert_non_null(mkdtemp(p->state));
	/* Users that jobs run as may read what is in it. */
	assert_int_equal(chmod(p->state, 0755), 0);
}

void place_make(struct place *p)
{
	place_make_folder(p);
	place_open(p);
}

void place_open(struct place *p)
{
	static char runner[4096], spawner[4096];
	const char *build = getenv("FAIRLEAD_BUILD");
	fairlead_error err = { 0 };
	pid_t pid;

	snprintf(runner, sizeof runner, "%s/fairlead-runner", build ? build : ".");
	snprintf(spawner, sizeof spawner, "%s/fairlead-spawn", build ? build : ".");
	struct fl_host_options options = {
		.loop = &p->loop,
		.state = p->state,
		.runner = p->runner ? p->runner : runner,
		.flavors = &p->flavor,
		.n_flavors = p->has_flavor,
		.cgroup = p->cgroup,
		.output_limit = p->output_limit,
		.patience = p->patience,
		.callbacks = { on_began, on_ended, on_notice, on_broken, p },
	};
	const struct fl_spawn_table table = { .first = 1,
					      .last = 65535,
					      .root = true,
					      .runner = options.runner,
					      .state = p->state,
					      .socket = "" };
	/* As root it is as a daemon that root has started, but for its account. */
	if (getuid() == 0 && fl_launch_spawner(spawner, &table, &options.spawner, &pid, &err) != 0)
		fail_msg("%s", err.text);
	p->n_told = 0;
	p->broken = 0;
	assert_int_equal(uv_loop_init(&p->loop), 0);
	if (fl_local_backend.open(&options, &p->host, &err) != 0)
		fail_msg("open: %s", err.text);
}

void place_close(struct place *p)
{
	if (!p->host)
		return;
	p->host = fl_local_backend.close(p->host);
	uv_run(&p->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&p->loop), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int end_run(void *user, uint64_t job, uint32_t attempt, const char *token)
{
	struct place *p = user;
	struct fl_stray stray = { .job = job, .attempt = attempt };

	(void)token;
	fl_local_backend.disown(p->host, &stray, 1);
	return 0;
}

void place_remove(struct place *p)
{
	/* A test that failed may have left some; told of again are those of before only. */
	place_close(p);
	place_open(p);
	fl_local_backend.each(p->host, end_run, p, NULL);
	place_close(p);
	nftw(p->state, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- jobs --- */

const char *place_token(const struct place *p, uint64_t job, uint32_t attempt)
{
	static char texts[4][FL_RUN_TOKEN];
	static int next;
	char *text = texts[next++ % 4];
	uint64_t h = 5381;

	for (const char *at = p->state; *at; at++)
		h = h * 33 + (unsigned char)*at;
	h *= UINT64_C(
		0x9E3779B97F4A7C15); /* the last letters tell, and groups have the first digits */
	snprintf(text, FL_RUN_TOKEN, "%016llx%08llx%08x", (unsigned long long)h,
		 (unsigned long long)job, attempt);
	return text;
}

int place_in_another(struct place *p, void (*daemon)(struct place *p))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		daemon(p);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

int place_open_file(const struct place *p, uint64_t job)
{
	char path[200];

	snprintf(path, sizeof path, "%s/runs/%llu/1/run", p->state, (unsigned long long)job);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* "sh", "-c" and @script with the mark for each @. Returns its bytes. */
static uint32_t put_script(char *to, size_t room, const char *script, const char *mark)
{
	static const char shell[] = "sh\0-c";
	size_t n = sizeof shell;

	memcpy(to, shell, n);
	for (; *script; script++) {
		const char *piece = *script == '@' ? mark : (const char[]){ *script, 0 };

		assert_true(n + strlen(piece) + 1 < room);
		memcpy(to + n, piece, strlen(piece));
		n += strlen(piece);
	}
	to[n] = 0;
	return (uint32_t)n + 1;
}

int place_try(struct place *p, const struct ask *a, fairlead_error *err)
{
	static const char gpu[] = "nvidia.com/gpu";
	char shell[4096];
	struct fl_job_spec *spec = calloc(1, sizeof *spec);
	struct fl_run_grant grant = { .flavor = "default" };
	struct fl_run run = { .job = a->job,
			      .attempt = a->attempt ? a->attempt : 1,
			      .token = a->token ?
					       a->token :
					       place_token(p, a->job, a->attempt ? a->attempt : 1),
			      .before = a->before,
			      .spec = spec,
			      .grants = &grant,
			      .n_grants = a->gpus > 0,
			      .time_limit = a->time_limit ? a->time_limit : FL_NEVER,
			      .grace = a->grace ? a->grace : 20 * FL_SECOND };

	assert_non_null(spec);
	spec->tasks = a->tasks ? a->tasks : 1;
	spec->uid = a->uid ? a->uid : getuid();
	spec->gid = a->gid ? a->gid : getgid();
	spec->array = a->array;
	spec->array_index = a->array_index;
	spec->signal = a->signal;
	spec->command = a->command;
	spec->command_len = a->command_len;
	if (a->script) {
		spec->command = shell;
		spec->command_len = put_script(shell, sizeof shell, a->script, p->mark);
	}
	spec->environment = a->environment ? a->environment : "PATH=/usr/bin:/bin";
	spec->environment_len = a->environment ? a->environment_len : 19;
	snprintf(spec->directory, sizeof spec->directory, "%s",
		 a->directory ? a->directory : p->state);
	snprintf(spec->output, sizeof spec->output, "%s", a->output ? a->output : "");
	snprintf(spec->name, sizeof spec->name, "%s", a->name ? a->name : "");
	snprintf(spec->queue, sizeof spec->queue, "%s", a->queue ? a->queue : "team-a");
	memcpy(grant.resource, gpu, sizeof gpu);
	grant.amount = (fl_amount)a->gpus * spec->tasks;
	int rc = fl_local_backend.start(p->host, &run, err);
	free(spec);
	return rc;
}

void place_start(struct place *p, const struct ask *a)
{
	fairlead_error err = { 0 };

	if (place_try(p, a, &err) != 0)
		fail_msg("start of job %llu: %s", (unsigned long long)a->job, err.text);
}

void place_stop(struct place *p, uint64_t job, enum fl_go_why why, fl_time grace)
{
	fairlead_error err = { 0 };

	if (fl_local_backend.stop(p->host, job, 1, why, grace, &err) != 0)
		fail_msg("stop of job %llu: %s", (unsigned long long)job, err.text);
}

static void nothing(uv_timer_t *timer) { (void)timer; }

static void closed(uv_handle_t *handle) { *(bool *)handle->data = true; }

void place_until(struct place *p, bool (*done)(void *user), void *user, const char *what)
{
	uv_timer_t tick;
	bool is_closed = false;

	assert_int_equal(uv_timer_init(&p->loop, &tick), 0);
	uv_update_time(&p->loop);
	uint64_t end = uv_now(&p->loop) + DEADLINE_MS;
	/* Some conditions come without an event of ours. */
	uv_timer_start(&tick, nothing, 10, 10);
	while (!done(user) && uv_now(&p->loop) < end)
		uv_run(&p->loop, UV_RUN_ONCE);
	bool is_done = done(user);
	tick.data = &is_closed;
	uv_close((uv_handle_t *)&tick, closed);
	while (!is_closed)
		uv_run(&p->loop, UV_RUN_ONCE);
	if (!is_done)
		fail_msg("waited for %s, in vain", what);
}

struct wanted {
	struct place *p;
	uint64_t job;
	uint32_t attempt;
	bool end;
};

static bool is_told(void *user)
{
	struct wanted *w = user;
	const struct told *t = place_told(w->p, w->job, w->attempt);

	return w->end ? t->ended > 0 : t->began > 0 || t->ended > 0;
}

const struct told *place_wait_began(struct place *p, uint64_t job, uint32_t attempt)
{
	struct wanted w = { p, job, attempt, false };

	place_until(p, is_told, &w, "a run to begin");
	const struct told *t = place_told(p, job, attempt);
	if (t->began == 0)
		fail_msg("job %llu did not begin: %s", (unsigned long long)job, t->outcome.text);
	return t;
}

const struct fl_run_outcome *place_wait(struct place *p, uint64_t job, uint32_t attempt)
{
	struct wanted w = { p, job, attempt, true };

	place_until(p, is_told, &w, "a run to end");
	assert_int_equal(place_told(p, job, attempt)->ended, 1);
	return &place_told(p, job, attempt)->outcome;
}

enum fl_found place_find(struct place *p, uint64_t job)
{
	enum fl_found found;
	fairlead_error err = { 0 };

	if (fl_local_backend.find(p->host, job, 1, place_token(p, job, 1), &found, &err) != 0)
		fail_msg("find of job %llu: %s", (unsigned long long)job, err.text);
	return found;
}

const struct fl_run_outcome *place_run(struct place *p, const struct ask *a)
{
	place_start(p, a);
	return place_wait(p, a->job, a->attempt ? a->attempt : 1);
}

/* --- files --- */

static const char *text_of(int fd)
{
	static char texts[4][1 << 16];
	static int next;
	char *text = texts[next++ % 4];
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof texts[0] - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return text;
}

const char *place_output(struct place *p, uint64_t job, uint32_t attempt, uint32_t task,
			 enum fl_stream stream)
{
	struct fl_run_log log;
	fairlead_error err = { 0 };

	if (fl_local_backend.log(p->host, job, attempt, task, stream, &log, &err) != 0)
		fail_msg("log of job %llu: %s", (unsigned long long)job, err.text);
	return text_of(log.fd);
}

const char *place_file(struct place *p, const char *name)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", p->state, name);
	return text_of(open(path, O_RDONLY | O_CLOEXEC));
}

void place_write(struct place *p, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", p->state, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

struct lines {
	struct place *p;
	const char *name;
	int n;
};

static bool has_lines(void *user)
{
	struct lines *l = user;
	int n = 0;

	for (const char *at = place_file(l->p, l->name); (at = strchr(at, '\n')); at++)
		n++;
	return n >= l->n;
}

void place_wait_lines(struct place *p, const char *name, int lines)
{
	struct lines l = { p, name, lines };

	place_until(p, has_lines, &l, name);
}

int place_count(const struct place *p)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char path[300], line[4096] = "";

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t got = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
		if (fd >= 0)
			close(fd);
		n += got > 0 && memmem(line, (size_t)got, p->mark, strlen(p->mark)) != NULL;
	}
	closedir(dir);
	return n;
}

struct which {
	int fd;
	pid_t pid;
};

static bool is_taken(void *user)
{
	struct which *w = user;
	struct fl_attempt_status s = { 0 };

	assert_int_equal(fl_attempt_get_status(w->fd, &s), 0);
	w->pid = s.runner;
	return s.state != FL_ATTEMPT_NEW;
}

pid_t place_runner(struct place *p, uint64_t job, uint32_t attempt)
{
	char path[256];
	struct which w = { 0 };

	snprintf(path, sizeof path, "%s/runs/%llu/%u/run", p->state, (unsigned long long)job,
		 attempt);
	w.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(w.fd >= 0);
	place_until(p, is_taken, &w, "a runner");
	close(w.fd);
	return w.pid;
}
