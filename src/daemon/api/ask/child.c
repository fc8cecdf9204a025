/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child - questions that take too long to be answered in the loop
 *
 * A copy of the process (aside.h) computes the answer, writes it into a pipe, and ends.
 *
 * The first byte that it writes says how it ended: 'a', and the answer follows; 'e', and an error
 * follows, as the bytes of its struct.
 */
#include "daemon/api/ask/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "daemon/engine/process/aside.h"

enum { ANSWER_BYTES = 256 * 1024 * 1024 };

struct fl_child {
	struct fl_call call;
	struct fl_child *next, **link;
	const char *type;
	pid_t pid;
	uv_pipe_t pipe;
	uv_timer_t deadline;
	uint32_t open; /* handles */
	char *bytes;
	size_t len, room;
	const char *why; /* the error, if it failed; NULL */
};

/* --- in the copy --- */

static _Noreturn void think(struct fl_call *call,
			    int (*answer)(struct fl_call *call, FILE *out, fairlead_error *err))
{
	fairlead_error err = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out;
	int code;

	out = open_memstream(&text, &len);
	code = out ? answer(call, out, &err) : fl_fail_nomem(&err);
	if (out && fclose(out) != 0 && code == 0)
		code = fl_fail_nomem(&err);
	if (fl_fd_write(FL_ASIDE_PIPE, code < 0 ? "e" : "a", 1) < 0 ||
	    (code < 0 ? fl_fd_write(FL_ASIDE_PIPE, &err, sizeof err) :
			fl_fd_write(FL_ASIDE_PIPE, text, len)) < 0)
		_exit(1);
	_exit(0);
}

/* --- here --- */

static void answer(struct fl_child *c)
{
	fairlead_error err;

	if (!c->why && c->len > 0 && c->bytes[0] == 'a') {
		fl_exchange_answer(c->call.x, 200, c->type, c->bytes + 1, c->len - 1);
	} else if (!c->why && c->len == 1 + sizeof err && c->bytes[0] == 'e') {
		memcpy(&err, c->bytes + 1, sizeof err);
		fl_api_error(&c->call, &err);
	} else {
		fl_api_fail(&c->call, 503, c->why ? c->why : "no answer was computed",
			    "try again, or ask for less");
	}
}

static void handle_closed(uv_handle_t *handle)
{
	struct fl_child *c = handle->data;
	struct fl_api *a = c->call.api;

	if (--c->open > 0)
		return;
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	a->n_children--;
	answer(c);
	free(c->bytes);
	free(c);
}

/* The copy has ended or is killed now, so the loop waits for it only a moment. */
static void end(struct fl_child *c)
{
	if (uv_is_closing((uv_handle_t *)&c->pipe))
		return;
	(void)fl_aside_end(c->pid);
	uv_close((uv_handle_t *)&c->pipe, handle_closed);
	uv_close((uv_handle_t *)&c->deadline, handle_closed);
}

static void too_late(uv_timer_t *timer)
{
	struct fl_child *c = timer->data;

	c->why = "the answer took too long";
	end(c);
}

static void room(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct fl_child *c = handle->data;

	*buf = uv_buf_init(NULL, 0);
	if (c->room - c->len < suggested && c->room < ANSWER_BYTES) {
		size_t more = c->room ? 2 * c->room : 4 * suggested;
		char *bytes = realloc(c->bytes, more);

		if (!bytes)
			return;
		c->bytes = bytes;
		c->room = more;
	}
	if (c->room > c->len)
		*buf = uv_buf_init(c->bytes + c->len, (unsigned)(c->room - c->len));
}

static void came(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct fl_child *c = stream->data;

	(void)buf;
	if (n > 0)
		c->len += (size_t)n;
	else if (n == UV_ENOBUFS)
		c->why = "the answer is too large";
	if (n < 0)
		end(c);
}

static int begin(struct fl_child *c, int fd)
{
	uv_loop_t *loop = c->call.api->options.loop;

	c->pipe.data = c->deadline.data = c;
	c->open = 2;
	uv_timer_init(loop, &c->deadline);
	uv_timer_start(&c->deadline, too_late, FL_API_CHILD_SECONDS * 1000, 0);
	uv_pipe_init(loop, &c->pipe, 0);
	return uv_pipe_open(&c->pipe, fd) == 0 &&
			       uv_read_start((uv_stream_t *)&c->pipe, room, came) == 0 ?
		       0 :
		       -1;
}

/* A user other than root, with its tokens, may have at most half of all copies at once. */
static bool may_think(const struct fl_api *a, const struct fl_principal *who)
{
	const struct fl_principal behind = fl_principal_behind(who);
	uint32_t own = 0;

	for (const struct fl_child *c = a->children; c; c = c->next) {
		const struct fl_principal other = fl_principal_behind(&c->call.r->who);

		own += fl_principal_same(&other, &behind);
	}
	return a->n_children < FL_API_CHILDREN &&
	       (fl_principal_is_root(who) || own < FL_API_CHILDREN / 2);
}

bool fl_api_may_copy(const struct fl_call *call)
{
	if (fl_aside_fits())
		return true;
	fl_api_fail(call, 503,
		    "the daemon has more than half of the machine's memory, so it makes no copy of "
		    "itself for a question",
		    "jobs go on as before; with fewer jobs that are not over, or more memory, "
		    "questions are answered");
	return false;
}

void fl_api_aside(struct fl_call *call, const char *type,
		  int (*make)(struct fl_call *call, FILE *out, fairlead_error *err))
{
	struct fl_api *a = call->api;

	if (!fl_api_may_copy(call))
		return;

	bool may = may_think(a, &call->r->who);
	struct fl_child *c = may ? calloc(1, sizeof *c) : NULL;
	static const struct fl_aside limits = { .seconds = FL_API_CHILD_SECONDS };
	int fd = -1, made = c ? fl_aside_new(&limits, &c->pid, &fd) : -1;

	if (made > 0)
		think(call, make);
	if (made < 0) {
		fl_api_fail(call, 503,
			    may ? "no process could be started for this question" :
				  "too many questions are thought about at once",
			    "try again in a moment");
		free(c);
		return;
	}
	c->call = *call;
	c->type = type;
	c->next = a->children;
	c->link = &a->children;
	if (c->next)
		c->next->link = &c->next;
	a->children = c;
	a->n_children++;
	if (begin(c, fd) != 0)
		end(c);
}

bool fl_api_may_read(const struct fl_call *call)
{
	if (call->api->n_threads < FL_API_THREADS)
		return true;
	fl_api_fail(call, 503, "too many questions are thought about at once",
		    "try again in a moment");
	return false;
}

void fl_api_children_end(struct fl_api *a)
{
	for (struct fl_child *c = a->children; c; c = c->next) {
		c->why = "the daemon is stopping";
		end(c);
	}
}
