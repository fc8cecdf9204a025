/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/exec.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "kube/credentials_kept.h"

extern char **environ;

static const char info_name[] = "KUBERNETES_EXEC_INFO";

struct fl_kube_plugin {
	struct fl_kube_config *c;
	fl_kube_plugin_done *done; /* NULL: stopped */
	void *user;
	uv_process_t process;
	uv_pipe_t pipe;
	uv_timer_t timer;
	unsigned open;           /* handles that are not closed yet */
	bool exited, ended;      /* the process; its output */
	bool late, much, failed; /* it was killed; it printed too much; it was not read */
	int64_t status;
	int signal;
	char *text;
	size_t len;
	char piece[1 << 14]; /* what is read next */
};

static void on_closed(uv_handle_t *handle)
{
	struct fl_kube_plugin *p = handle->data;

	if (--p->open > 0)
		return;
	free(p->text);
	free(p);
}

static void close_one(uv_handle_t *handle)
{
	if (!uv_is_closing(handle))
		uv_close(handle, on_closed);
}

/* The process only once it has ended: of one that is closed before, libuv does not take the end, and it stays a zombie. */
static void close_all(struct fl_kube_plugin *p)
{
	close_one((uv_handle_t *)&p->pipe);
	close_one((uv_handle_t *)&p->timer);
	if (!uv_is_active((uv_handle_t *)&p->process))
		close_one((uv_handle_t *)&p->process);
}

/* It, and where it is in a session of its own what it has started, as far as we wait for that. */
static void kill_it(struct fl_kube_plugin *p)
{
	if (p->exited && p->ended)
		return;
	if (!p->c->exec->interactive)
		(void)kill(-uv_process_get_pid(&p->process), SIGKILL);
	if (!p->exited)
		(void)uv_process_kill(&p->process, SIGKILL);
}

/* Its name, which is no secret; arguments may be. */
static int name_it(const struct fl_kube_exec *exec, fairlead_error *err)
{
	return fl_fail_in(err, "plugin %.200s", exec->command);
}

static int judge(struct fl_kube_plugin *p, fairlead_error *err)
{
	if (p->late)
		fl_fail(err, FAIRLEAD_EIO, "gave no credentials within %u s, and was ended",
			p->c->exec->timeout / 1000);
	else if (p->much)
		fl_fail(err, FAIRLEAD_EIO, "printed more than %d bytes", FL_MAX_PLUGIN);
	else if (p->failed)
		fl_fail(err, FAIRLEAD_EIO, "its output cannot be read");
	else if (p->signal)
		fl_fail(err, FAIRLEAD_EIO, "was ended by signal %d", p->signal);
	else if (p->status)
		fl_fail(err, FAIRLEAD_EIO, "failed with exit status %d", (int)p->status);
	else if (fl_kube_kept_take(p->c, p->text ? p->text : "", p->len, err) == 0)
		return 0;
	if (p->late || p->signal || p->status)
		fl_fail_hint(err, "run it by hand; what it says is on standard error");
	return name_it(p->c->exec, err);
}

/* Once the process has ended, and its output, or it is late or prints too much. */
static void finish(struct fl_kube_plugin *p)
{
	fl_kube_plugin_done *done = p->done;
	void *user = p->user;
	fairlead_error err = { 0 };
	int rc;

	if (!done)
		return;
	p->done = NULL;
	kill_it(p);
	rc = judge(p, &err);
	close_all(p);
	done(user, rc, &err);
}

static void on_exit_of(uv_process_t *process, int64_t status, int signal)
{
	struct fl_kube_plugin *p = process->data;

	p->exited = true;
	p->status = status;
	p->signal = signal;
	if (!p->done)
		close_one((uv_handle_t *)process);
	else if (p->ended || status || signal)
		finish(p);
}

static void on_late(uv_timer_t *timer)
{
	struct fl_kube_plugin *p = timer->data;

	p->late = true;
	finish(p);
}

static void offer_room(uv_handle_t *handle, size_t wanted, uv_buf_t *ret)
{
	struct fl_kube_plugin *p = handle->data;

	(void)wanted;
	*ret = uv_buf_init(p->piece, sizeof p->piece);
}

static void on_output(uv_stream_t *stream, ssize_t n, const uv_buf_t *piece)
{
	struct fl_kube_plugin *p = stream->data;
	char *grown;

	if (n == UV_EOF) {
		p->ended = true;
		if (p->exited)
			finish(p);
		return;
	}
	if (n == 0)
		return;
	p->much = n > 0 && p->len + (size_t)n > FL_MAX_PLUGIN;
	grown = n > 0 && !p->much ? realloc(p->text, p->len + (size_t)n + 1) : NULL;
	if (!grown) {
		p->failed = !p->much;
		finish(p);
		return;
	}
	memcpy(grown + p->len, piece->base, (size_t)n);
	p->text = grown;
	p->len += (size_t)n;
	grown[p->len] = '\0';
}

/* --- its start --- */

/* "NAME=VALUE" of @list is for a name that @env has, too. */
static bool is_set(const char *const *env, const char *variable)
{
	size_t len = strcspn(variable, "=") + 1;

	for (; *env; env++)
		if (strncmp(*env, variable, len) == 0)
			return true;
	return strncmp(variable, info_name, sizeof info_name - 1) == 0 &&
	       variable[sizeof info_name - 1] == '=';
}

/* Ours, those of the configuration, and what is told to it; @info is the last one's text. */
static char **environment(const struct fl_kube_exec *exec, char *info)
{
	size_t n = 2, at = 0;
	char **ret;

	for (char **e = environ; *e; e++)
		n++;
	for (const char *const *e = exec->env; *e; e++)
		n++;
	ret = malloc(n * sizeof *ret);
	if (!ret)
		return NULL;
	for (char **e = environ; *e; e++)
		if (!is_set(exec->env, *e))
			ret[at++] = *e;
	for (const char *const *e = exec->env; *e; e++)
		ret[at++] = (char *)*e;
	ret[at++] = info;
	ret[at] = NULL;
	return ret;
}

static int not_started(const struct fl_kube_exec *exec, int why, fairlead_error *err)
{
	if (why == UV_ENOENT)
		fl_fail(err, FAIRLEAD_EIO, "is not installed here: it is not in $PATH");
	else
		fl_fail(err, FAIRLEAD_EIO, "cannot be started: %s", uv_strerror(why));
	if (exec->hint)
		fl_fail_hint(err, "%.250s", exec->hint);
	return name_it(exec, err);
}

static int start(struct fl_kube_plugin *p, uv_loop_t *loop, char **env)
{
	const struct fl_kube_exec *exec = p->c->exec;
	uv_stdio_container_t files[3] = {
		{ .flags = exec->interactive ? UV_INHERIT_FD : UV_IGNORE, .data.fd = 0 },
		{ .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
		  .data.stream = (uv_stream_t *)&p->pipe },
		{ .flags = UV_INHERIT_FD, .data.fd = 2 },
	};
	const uv_process_options_t options = {
		.exit_cb = on_exit_of,
		.file = exec->command,
		.args = (char **)exec->words,
		.env = env,
		.flags = exec->interactive ? 0 : UV_PROCESS_DETACHED,
		.stdio = files,
		.stdio_count = 3,
	};

	return uv_spawn(loop, &p->process, &options);
}

int fl_kube_plugin_run(struct fl_kube_config *c, uv_loop_t *loop, fl_kube_plugin_done *done,
		       void *user, struct fl_kube_plugin **ret, fairlead_error *err)
{
	struct fl_kube_plugin *p = calloc(1, sizeof *p);
	size_t size = sizeof info_name + strlen(c->exec->info) + 1;
	char *info = malloc(size);
	char **env = info ? environment(c->exec, info) : NULL;
	int why;

	if (!p || !env) {
		free(p);
		free(info);
		return fl_fail_nomem(err);
	}
	(void)snprintf(info, size, "%s=%s", info_name, c->exec->info);
	*p = (struct fl_kube_plugin){ .c = c, .done = done, .user = user, .open = 3 };
	p->process.data = p->pipe.data = p->timer.data = p;
	(void)uv_pipe_init(loop, &p->pipe, /* ipc= */ 0);
	(void)uv_timer_init(loop, &p->timer);
	why = start(p, loop, env);
	free(env);
	free(info);
	if (why == 0)
		why = uv_read_start((uv_stream_t *)&p->pipe, offer_room, on_output);
	if (why == 0)
		why = uv_timer_start(&p->timer, on_late, c->exec->timeout, 0);
	if (why < 0) {
		p->done = NULL;
		if (uv_is_active((uv_handle_t *)&p->process))
			kill_it(p);
		close_all(p);
		return not_started(c->exec, why, err);
	}
	*ret = p;
	return 0;
}

struct fl_kube_plugin *fl_kube_plugin_stop(struct fl_kube_plugin *p)
{
	if (!p || !p->done)
		return NULL;
	p->done = NULL;
	kill_it(p);
	close_all(p);
	return NULL;
}
