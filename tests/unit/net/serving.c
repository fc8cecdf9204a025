/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/net/serving.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/unit.h"

enum { DEADLINE_MS = 20000 };

/* --- the owner of the server: on its thread --- */

struct answer {
	struct serving *serving;
	struct fl_exchange *exchange;
	uv_timer_t timer;
	int turns;
	size_t left;
	char text[512];
};

static void answer_closed(uv_handle_t *handle) { free(handle->data); }

static void later(uv_timer_t *timer)
{
	struct answer *a = timer->data;

	if (--a->turns > 0)
		return;
	fl_exchange_answer(a->exchange, 200, "text/plain", a->text, strlen(a->text));
	uv_close((uv_handle_t *)timer, answer_closed);
}

static void pour(void *user)
{
	static const char piece[8192] = "piece";
	struct answer *a = user;

	while (a->left > 0) {
		size_t len = a->left < sizeof piece ? a->left : sizeof piece;

		if (!fl_exchange_write(a->exchange, piece, len)) {
			a->serving->refused_writes++;
			return;
		}
		a->left -= len;
	}
	fl_exchange_end(a->exchange);
	free(a);
}

static void drained(void *user)
{
	struct answer *a = user;

	a->serving->drained++;
	pour(a);
}

static void gone(void *user)
{
	struct answer *a = user;

	a->serving->gone++;
	free(a);
}

static size_t number(const struct fl_http_request *r)
{
	const char *n = fl_request_argument(r, "n");

	return n ? strtoul(n, NULL, 10) : 0;
}

static void stream(struct answer *a, const struct fl_http_request *r)
{
	const struct fl_stream_callbacks callbacks = { drained, gone, a };

	fl_exchange_begin(a->exchange, 200, "text/plain", &callbacks);
	if (strcmp(r->path, "/follow") == 0) {
		fl_exchange_write(a->exchange, "line\n", 5);
	} else {
		a->left = number(r);
		pour(a);
	}
}

static void request(void *user, struct fl_exchange *x, const struct fl_http_request *r)
{
	struct serving *s = user;
	const char *argument = fl_request_argument(r, "a");
	struct answer *a = calloc(1, sizeof *a);

	a->serving = s;
	a->exchange = x;
	a->turns = 3;
	a->timer.data = a;
	if (strcmp(r->path, "/peer") == 0)
		snprintf(a->text, sizeof a->text, "%u %u %d", (unsigned)r->peer.uid,
			 (unsigned)r->peer.gid, (int)r->peer.pid);
	else
		snprintf(a->text, sizeof a->text, "%s %.100s a=%.100s len=%zu", r->method, r->path,
			 argument ? argument : "-", r->body_len);
	if (strcmp(r->path, "/follow") == 0 || strcmp(r->path, "/stream") == 0) {
		stream(a, r);
		return;
	}
	if (strcmp(r->path, "/later") == 0) {
		uv_timer_init(&s->loop, &a->timer);
		uv_timer_start(&a->timer, later, 1, 1);
		return;
	}
	if (strcmp(r->path, "/hold") == 0 && !(fl_exchange_holds(x) && fl_exchange_holds(x))) {
		free(a); /* it was refused */
		return;
	}
	if (strcmp(r->path, "/slow") == 0)
		uv_sleep((unsigned)number(r));
	if (strcmp(r->path, "/give") == 0)
		fl_exchange_give(x, 200, NULL, calloc(1, number(r) + 1), number(r));
	else if (strcmp(r->path, "/echo") == 0 || strcmp(r->path, "/peer") == 0 ||
		 strcmp(r->path, "/slow") == 0 || strcmp(r->path, "/hold") == 0)
		fl_exchange_answer(x, 200, "text/plain", a->text, strlen(a->text));
	else
		fl_exchange_fail(x, 404, a->text, "try /echo");
	free(a);
}

static void closed(void *user)
{
	struct serving *s = user;

	s->closed++;
	uv_close((uv_handle_t *)&s->stop, NULL);
}

static void stop(uv_async_t *async)
{
	struct serving *s = async->data;

	fl_server_figures(s->server, &s->figures);
	fl_server_close(s->server, closed, s);
}

static void run(void *user)
{
	struct serving *s = user;

	uv_run(&s->loop, UV_RUN_DEFAULT);
}

/* --- the test's side --- */

struct fl_server_limits serving_limits(void)
{
	return (struct fl_server_limits){
		.connections = 64, .body = 64 * 1024, .requests_per_second = 0, .idle_seconds = 60
	};
}

void serving_begin(struct serving *s, struct fl_server_limits limits)
{
	fairlead_error err = { 0 };

	*s = (struct serving){ .folder = "/tmp/fairlead-net-XXXXXX" };
	assert_non_null(mkdtemp(s->folder));
	assert_int_equal(chmod(s->folder, 0755), 0);
	snprintf(s->path, sizeof s->path, "%s/s.sock", s->folder);
	assert_int_equal(uv_loop_init(&s->loop), 0);
	s->options = (struct fl_server_options){ .loop = &s->loop,
						 .path = s->path,
						 .mode = 0666,
						 .fd = -1,
						 .limits = limits,
						 .always = "/peer",
						 .request = request,
						 .user = s };
	if (fl_server_new(&s->options, &s->server, &err) != 0)
		fail_msg("%s", err.text);
	uv_async_init(&s->loop, &s->stop, stop);
	s->stop.data = s;
	assert_int_equal(uv_thread_create(&s->thread, run, s), 0);
}

void serving_end(struct serving *s)
{
	uv_async_send(&s->stop);
	uv_thread_join(&s->thread);
	assert_int_equal(s->closed, 1);
	assert_int_equal(uv_loop_close(&s->loop), 0);
	assert_int_not_equal(access(s->path, F_OK), 0);
	assert_int_equal(rmdir(s->folder), 0);
}

int serving_connect(const struct serving *s)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "%s", s->path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	return fd;
}

void serving_send(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len > 0) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n < 0)
			return;
		at += n;
		len -= (size_t)n;
	}
}

char *serving_read(int fd, size_t len, size_t *ret_len)
{
	size_t room = 4096, used = 0;
	char *bytes = malloc(room + 1);

	while (used < len) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

		if (used == room)
			bytes = realloc(bytes, (room *= 2) + 1);
		if (poll(&poll_fd, 1, DEADLINE_MS) != 1)
			fail_msg("nothing came within %d ms after %zu bytes", DEADLINE_MS, used);

		ssize_t n = read(fd, bytes + used,
				 room - used < len - used ? room - used : len - used);

		if (n <= 0)
			break;
		used += (size_t)n;
	}
	bytes[used] = '\0';
	if (ret_len)
		*ret_len = used;
	return bytes;
}

char *serving_ask(const struct serving *s, const char *method, const char *path)
{
	char head[512];
	int fd = serving_connect(s);

	snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		 method, path);
	serving_send(fd, head, strlen(head));

	char *answer = serving_read(fd, SIZE_MAX, NULL);

	close(fd);
	return answer;
}

void serving_await(atomic_int *value, int least)
{
	for (int i = 0; *value < least; i++) {
		if (i > DEADLINE_MS)
			fail_msg("%d, not %d after %d ms", *value, least, DEADLINE_MS);
		poll(NULL, 0, 1);
	}
}

void serving_is_well(const struct serving *s)
{
	char *answer = serving_ask(s, "GET", "/echo?a=b");

	assert_non_null(strstr(answer, "HTTP/1.1 200 "));
	assert_non_null(strstr(answer, "GET /echo a=b len=0"));
	free(answer);
}
