/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/net/serving.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/unit.h"

enum { DEADLINE_MS = 40000 };

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
	if (strcmp(r->path, "/caller") == 0 || strcmp(r->path, "/open") == 0)
		snprintf(a->text, sizeof a->text, "%d %u %s", (int)r->who.kind,
			 (unsigned)r->who.uid, r->who.name);
	else if (strcmp(r->path, "/peer") == 0)
		snprintf(a->text, sizeof a->text, "%u %u %d", (unsigned)r->who.uid,
			 (unsigned)r->who.gid, (int)r->pid);
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
	if (strcmp(r->path, "/hold") == 0 &&
	    !(fl_exchange_holds(x, 1) && fl_exchange_holds(x, 1))) {
		free(a); /* it was refused */
		return;
	}
	if (strcmp(r->path, "/slow") == 0)
		uv_sleep((unsigned)number(r));
	if (strcmp(r->path, "/give") == 0)
		fl_exchange_give(x, 200, NULL, calloc(1, number(r) + 1), number(r));
	else if (strcmp(r->path, "/echo") == 0 || strcmp(r->path, "/peer") == 0 ||
		 strcmp(r->path, "/caller") == 0 || strcmp(r->path, "/open") == 0 ||
		 strcmp(r->path, "/slow") == 0 || strcmp(r->path, "/hold") == 0)
		fl_exchange_answer(x, 200, "text/plain", a->text, strlen(a->text));
	else
		fl_exchange_fail(x, 404, a->text, "try /echo");
	free(a);
}

static enum fl_needs needs(void *user, uint32_t listener, const struct fl_http_request *r)
{
	(void)user;
	assert_int_equal(listener, 0);
	if (strcmp(r->path, "/elsewhere") == 0)
		return FL_NEEDS_ANOTHER;
	return strcmp(r->path, "/open") == 0 ? FL_NEEDS_NOTHING : FL_NEEDS_TOKEN;
}

static bool is_new(void *user, const char *secret)
{
	(void)user;
	return strncmp(secret, "new", 3) == 0;
}

static int bearer(void *user, const char *secret, struct fl_principal *ret)
{
	static const struct {
		const char *name;
		uid_t uid;
	} tokens[] = { { "ci", 1000 }, { "laptop", 1000 }, { "bob", 2000 }, { "new", 3000 } };

	(void)user;
	for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
		if (strcmp(tokens[i].name, secret) == 0) {
			*ret = fl_principal_user(tokens[i].uid, 0);
			ret->kind = FL_PRINCIPAL_TOKEN;
			ret->role = FL_RANK_USER;
			snprintf(ret->name, sizeof ret->name, "%s", tokens[i].name);
			return 0;
		}
	return strcmp(secret, "full") == 0 ? FAIRLEAD_ELIMIT :
	       strcmp(secret, "away") == 0 ? FAIRLEAD_EIO :
	       strcmp(secret, "past") == 0 ? FAIRLEAD_ESTATE :
					     FAIRLEAD_ENOENT;
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
	uint32_t n;

	*s = (struct serving){ .folder = "/tmp/fairlead-net-XXXXXX" };
	assert_non_null(mkdtemp(s->folder));
	assert_int_equal(chmod(s->folder, 0755), 0);
	snprintf(s->path, sizeof s->path, "%s/s.sock", s->folder);
	assert_int_equal(uv_loop_init(&s->loop), 0);
	assert_int_equal(fl_tcp_find("127.0.0.1", 0, &s->address, 1, &n, &err), 0);
	assert_int_equal(fl_tcp_listen(&s->address, &s->listener.fd, &err), 0);
	assert_true(fl_tcp_own(s->listener.fd, &s->address));
	s->options = (struct fl_server_options){ .loop = &s->loop,
						 .path = s->path,
						 .mode = 0666,
						 .fd = -1,
						 .listeners = &s->listener,
						 .n_listeners = 1,
						 .needs = needs,
						 .is_new = is_new,
						 .bearer = bearer,
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

int serving_connect_tcp(const struct serving *s)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, &s->address.at.any, s->address.len), 0);
	return fd;
}

char *serving_ask_tcp(const struct serving *s, const char *path, const char *headers)
{
	char head[512];
	int fd = serving_connect_tcp(s);

	snprintf(head, sizeof head,
		 "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n%s\r\n", path,
		 headers);
	serving_send(fd, head, strlen(head));

	char *answer = serving_read(fd, SIZE_MAX, NULL);

	close(fd);
	return answer;
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
