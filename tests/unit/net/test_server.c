/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/few.h"
#include "lib/unit.h"
#include "unit/net/serving.h"

static bool has(const char *answer, const char *part) { return strstr(answer, part) != NULL; }

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

/* --- what is right --- */

TEST(answers)
{
	static const struct {
		const char *request, *answer;
	} rows[] = {
		{ "GET /echo?a=x%20y+z&b HTTP/1.1\r\nHost: x\r\n", "GET /echo a=x y z len=0" },
		{ "GET /echo?a HTTP/1.1\r\nHost: x\r\n", "GET /echo a= len=0" },
		{ "GET /%65cho HTTP/1.1\r\nHost: x\r\n", "GET /echo a=- len=0" },
		{ "GET /later HTTP/1.1\r\nHost: x\r\n", "GET /later a=- len=0" },
		{ "DELETE /echo HTTP/1.1\r\nHost: x\r\n", "DELETE /echo a=- len=0" },
		{ "GET /none HTTP/1.1\r\nHost: x\r\n",
		  "{\"type\":\"https://fairlead.dev/problems/not-there\",\"title\":\"There is no such thing\",\"status\":404,"
		  "\"detail\":\"GET /none a=- len=0 (try /echo)\",\"text\":\"GET /none a=- len=0\",\"hint\":\"try /echo\"}" },
		{ "GET /n%FFne HTTP/1.1\r\nHost: x\r\n", "\"text\":\"GET /n?ne a=- len=0\"" },
		{ "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n", "len=0" },
	};
	static struct serving s;

	serving_begin(&s, serving_limits());
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int fd = serving_connect(&s);

		serving_send(fd, rows[i].request, strlen(rows[i].request));
		serving_send(fd, "Connection: close\r\n\r\n", 21);

		char *answer = serving_read(fd, SIZE_MAX, NULL);

		if (!has(answer, rows[i].answer))
			fail_msg("%s: %s", rows[i].request, answer);
		free(answer);
		close(fd);
	}
	serving_end(&s);
	assert_int_equal(s.figures.requests, sizeof rows / sizeof *rows);
	assert_int_equal(s.figures.refused, 0);
}

/* Several in one write are answered one after another, also when one takes longer. */
TEST(pipelined)
{
	static const char text[] =
		"GET /later?a=1 HTTP/1.1\r\nHost: x\r\n\r\n"
		"POST /echo?a=2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
		"GET /later?a=3 HTTP/1.1\r\nHost: x\r\n\r\n"
		"GET /echo?a=4 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
	static struct serving s;

	serving_begin(&s, serving_limits());

	int fd = serving_connect(&s);

	serving_send(fd, text, sizeof text - 1);

	char *answer = serving_read(fd, SIZE_MAX, NULL);
	const char *at = answer;

	for (char n[] = "a=1"; n[2] <= '4'; n[2]++) {
		at = strstr(at, n);
		assert_non_null(at);
	}
	assert_int_equal(count(answer, "HTTP/1.1 200 "), 4);
	assert_true(has(answer, "a=2 len=3"));
	free(answer);
	close(fd);
	serving_end(&s);
}

TEST(expects_to_go_on)
{
	static const char head[] = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
				   "Expect: 100-continue\r\nConnection: close\r\n\r\n";
	static struct serving s;

	serving_begin(&s, serving_limits());

	int fd = serving_connect(&s);

	serving_send(fd, head, sizeof head - 1);

	char *answer = serving_read(fd, 25, NULL);

	assert_string_equal(answer, "HTTP/1.1 100 Continue\r\n\r\n");
	free(answer);
	serving_send(fd, "body", 4);
	answer = serving_read(fd, SIZE_MAX, NULL);
	assert_true(has(answer, "len=4"));
	free(answer);
	close(fd);
	serving_end(&s);
}

/* --- what is wrong --- */

/* @status 0: the connection is closed without an answer, or with one of 4xx, or 505. */
static const struct odd {
	const char *name, *text;
	size_t len; /* 0: of the text */
	unsigned status;
	const char *again; /* sent over and over until something comes back */
} odd[] = {
	{ "nothing that looks like it", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", 13, 0,
	  NULL },
	{ "no version", "GET /echo\r\n\r\n", 0, 0, NULL },
	{ "HTTP/0.9", "GET /echo HTTP/0.9\r\n\r\n", 0, 0, NULL },
	{ "HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, 0, NULL },
	{ "HTTP/9.9", "GET /echo HTTP/9.9\r\nHost: x\r\n\r\n", 0, 0, NULL },
	{ "method that nobody knows", "BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n", 0, 404, NULL },
	{ "no host", "GET /echo HTTP/1.1\r\n\r\n", 0, 400, NULL },
	{ "path of zeros", "GET /ec%00ho HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400, NULL },
	{ "argument of zeros", "GET /echo?a=%00 HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400, NULL },
	{ "zero byte in the path", "GET /ec\0ho HTTP/1.1\r\nHost: x\r\n\r\n", 33, 0, NULL },
	{ "zero byte in a header", "GET /echo HTTP/1.1\r\nHo\0st: x\r\n\r\n", 31, 400, NULL },
	{ "header without a colon", "GET /echo HTTP/1.1\r\nHost: x\r\nnothing\r\n\r\n", 0, 400,
	  NULL },
	{ "header of no end", "GET /echo HTTP/1.1\r\nHost: x\r\nA: ", 0, 431, "aaaaaaaaaaaaaaaa" },
	{ "headers of no end", "GET /echo HTTP/1.1\r\nHost: x\r\n", 0, 431, "A: b\r\n" },
	{ "path of no end", "GET /", 0, 414, "aaaaaaaaaaaaaaaa" },
	{ "arguments of no end", "GET /echo?", 0, 414, "a=b&" },
	{ "blank lines of no end", "\r\n", 0, 0, "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n" },
	{ "length that is no number", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
	  0, 400, NULL },
	{ "length below zero", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 0,
	  400, NULL },
	{ "length beyond 64 bits",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n", 0,
	  413, NULL },
	{ "length of 64 bits",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551614\r\n\r\n", 0, 413,
	  NULL },
	{ "length beyond the limit",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n", 0, 413, NULL },
	{ "chunks beyond the limit",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
	  "10001\r\n",
	  0, 413, NULL },
	{ "chunk that is no number",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", 0, 0,
	  NULL },
	{ "chunk beyond 64 bits",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
	  "fffffffffffffffffff\r\nabc",
	  0, 0, NULL },
	{ "chunk longer than it says",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabcdef\r\n", 0,
	  0, NULL },
	{ "two lengths",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
	  0, 400, NULL },
	{ "two lengths that are equal",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\ncontent-length: 3\r\n\r\nabc", 0,
	  400, NULL },
	{ "a length beside an encoding",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
	  "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
	  0, 400, NULL },
	{ "two encodings",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
	  "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	  0, 400, NULL },
	{ "encoding that nobody knows",
	  "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: zip\r\n\r\n", 0, 501, NULL },
};

TEST(odd_requests)
{
	static struct serving s;

	serving_begin(&s, serving_limits());
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		const struct odd *o = &odd[i];
		int fd = serving_connect(&s);
		char want[32], *answer;
		struct pollfd back = { .fd = fd, .events = POLLIN };

		serving_send(fd, o->text, o->len ? o->len : strlen(o->text));
		for (int n = 0; o->again && n < 100000 && poll(&back, 1, 0) == 0; n++)
			serving_send(fd, o->again, strlen(o->again));
		if (strncmp(o->name, "chunks beyond", 13) == 0) {
			char part[65537] = { 0 };

			serving_send(fd, part, sizeof part);
			serving_send(fd, "\r\n0\r\n\r\n", 7);
		}
		/* Whatever else it waits for does not come. */
		shutdown(fd, SHUT_WR);
		answer = serving_read(fd, SIZE_MAX, NULL);
		snprintf(want, sizeof want, "HTTP/1.1 %u ", o->status);
		if (o->status ? !has(answer, want) :
				*answer && !has(answer, " 4") && !has(answer, " 505 "))
			fail_msg("%s: %s", o->name, answer);
		if (*answer && (!has(answer, "\r\nContent-Type: application/problem+json\r\n") ||
				has(answer, "<html") || count(answer, "HTTP/1.1 ") != 1))
			fail_msg("%s: no JSON: %s", o->name, answer);
		free(answer);
		close(fd);
		serving_is_well(&s);
	}
	serving_end(&s);
}

/* What stands behind a body of two lengths is no request, whichever of them somebody believes. */
TEST(smuggled)
{
	static const char text[] = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
				   "Content-Length: 36\r\n\r\n"
				   "GET /echo?a=smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
	static struct serving s;

	serving_begin(&s, serving_limits());

	int fd = serving_connect(&s);

	serving_send(fd, text, sizeof text - 1);

	char *answer = serving_read(fd, SIZE_MAX, NULL);

	assert_true(has(answer, "HTTP/1.1 400 ") && has(answer, "given twice"));
	assert_true(has(answer, "Connection: close"));
	assert_false(has(answer, "smuggled"));
	assert_int_equal(count(answer, "HTTP/1.1 "), 1);
	free(answer);
	close(fd);
	serving_end(&s);
}

/* Each beginning of a request, and then the client is gone. */
TEST(cut_off)
{
	static const char *const texts[] = {
		"POST /later?a=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde",
		"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		"GET /stream?n=3000000 HTTP/1.1\r\nHost: x\r\n\r\n",
	};
	static struct serving s;

	serving_begin(&s, serving_limits());
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (size_t len = 0; len <= strlen(texts[i]); len++) {
			int fd = serving_connect(&s);

			serving_send(fd, texts[i], len);
			close(fd);
		}
	serving_is_well(&s);
	serving_end(&s);
}

/* Right requests with some bytes of them changed, left out or doubled. */
TEST(mutated)
{
	static const char *const texts[] = {
		"POST /later?a=1%20b&c HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde",
		"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
		"3;a=b\r\nabc\r\n0\r\nT: t\r\n\r\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /stream?n=9000 HTTP/1.1\r\nHost: x\r\nConnection: close, keep-alive\r\n"
		"Expect: 100-continue\r\nCookie: a=b; c=\"d\"\r\n\r\n",
	};
	static const char parts[] = "\r\n\0 :%?&=;09\"HTTP/\xff\t-";
	static struct serving s;
	uint32_t seed = 1;

	serving_begin(&s, serving_limits());
	for (int round = 0; round < (under_valgrind() ? 300 : 2000); round++) {
		char text[1024];
		size_t len = 0;
		int fd = serving_connect(&s);

		for (const char *c = texts[round % 3]; *c; c++) {
			seed = seed * 1664525 + 1013904223;

			uint32_t what = seed >> 16;

			if (what % 64 != 1)
				text[len++] = *c;
			if (what % 64 < 2)
				text[len++] = parts[what / 64 % (sizeof parts - 1)];
			if (what % 64 == 2)
				text[len++] = *c;
			if (what % 64 == 3)
				len--;
		}
		serving_send(fd, text, len);
		/* There may be no answer: it waits for the rest. */
		poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 2);
		close(fd);
	}
	serving_is_well(&s);
	serving_end(&s);
}

/* --- limits --- */

static bool is_hung_up(int fd)
{
	struct pollfd back = { .fd = fd };

	return poll(&back, 1, 0) == 1 && back.revents & POLLHUP;
}

/* A byte now and then is no way to keep a connection. */
TEST(slow_clients)
{
	struct fl_server_limits limits = serving_limits();
	static const char text[] = "GET /echo HTTP/1.1\r\nHost: x\r\n"
				   "A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
	static struct serving s;
	int fds[3];
	size_t sent = 0;

	limits.idle_seconds = 1;
	serving_begin(&s, limits);
	for (int i = 0; i < 3; i++)
		fds[i] = serving_connect(&s);
	/* One says nothing, one speaks slowly, one does not read its answer. */
	serving_send(fds[2], "GET /give?n=4000000 HTTP/1.1\r\nHost: x\r\n\r\n", 42);
	const uint64_t began = uv_hrtime();
	for (bool is_open = true; is_open && sent < sizeof text - 1; sent++) {
		struct pollfd back = { .fd = fds[1], .events = POLLIN };

		serving_send(fds[1], text + sent, 1);
		is_open = poll(&back, 1, 100) == 0;
	}
	assert_true(sent < sizeof text - 1);
	assert_in_range((uv_hrtime() - began) / 1000000, 500, 8000);
	for (int i = 0; i < 3; i++) {
		size_t len;

		/* It is read only when the server has given up. */
		while (i == 2 && !is_hung_up(fds[i]))
			poll(NULL, 0, 10);
		free(serving_read(fds[i], SIZE_MAX, &len));
		if (i < 2 || !under_valgrind()) /* where time passes slowly */
			assert_in_range(len, 0, i == 2 ? 3999999 : 0);
		close(fds[i]);
	}
	serving_is_well(&s);
	serving_end(&s);
}

TEST(connections)
{
	struct fl_server_limits limits = serving_limits();
	static struct serving s;
	int fds[12];
	unsigned refused = 0, served = 0;

	limits.connections = 8;
	serving_begin(&s, limits);
	for (int i = 0; i < 12; i++) {
		fds[i] = serving_connect(&s);
		serving_send(fds[i], "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n", 32);

		char *answer = serving_read(fds[i], 12, NULL);

		served += has(answer, " 200");
		refused += has(answer, " 503");
		free(answer);
	}
	/* Root has some of its own. */
	assert_int_equal(served, geteuid() == 0 ? 12 : 4);
	assert_int_equal(refused, 12 - served);
	for (int i = 0; i < 12; i++)
		close(fds[i]);
	/* It has to notice first. */
	for (bool is_well = false; !is_well;) {
		char *answer = serving_ask(&s, "GET", "/echo");

		is_well = has(answer, " 200 ");
		refused += !is_well;
		free(answer);
	}
	serving_end(&s);
	assert_int_equal(s.figures.refused, refused);
}

/* A process of another user, made before the server's thread; it waits for the path. */
struct other {
	pid_t pid;
	int path;
};

static void other_begin(struct other *o, uid_t uid, int (*fn)(const struct serving *s))
{
	static struct serving s;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	o->pid = fork();
	assert_true(o->pid >= 0);
	o->path = fds[1];
	if (o->pid == 0) {
		close(fds[1]);
		if (uid != geteuid() && (setgid(uid + 1) != 0 || setuid(uid) != 0))
			_exit(98);
		_exit(read(fds[0], s.path, sizeof s.path) > 0 ? fn(&s) : 97);
	}
	close(fds[0]);
}

/* Its exit status is that of its function. */
static int other_ends(struct other *o, const struct serving *s)
{
	int status;

	assert_int_equal(write(o->path, s->path, sizeof s->path), sizeof s->path);
	close(o->path);
	assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* 30 times; again, where that took so long that as many are allowed. */
static int ask_often(const struct serving *s)
{
	int busy = 0;

	for (int round = 0; round < 5 && busy == 0; round++)
		for (int i = 0; i < 30; i++) {
			char *answer = serving_ask(s, "GET", "/echo");

			busy += has(answer, " 429 ") && has(answer, "Retry-After: 1\r\n");
			free(answer);
		}
	return busy;
}

TEST(rate)
{
	struct fl_server_limits limits = serving_limits();
	static struct serving s;
	bool root = geteuid() == 0;
	struct other others[2];

	limits.requests_per_second = 10;
	for (uid_t i = 0; i < 2; i++)
		other_begin(&others[i], root ? 65001 + i : geteuid(), ask_often);
	serving_begin(&s, limits);
	/* How many exactly is known where the clock is the test's (test_rate.c). */
	for (int i = 0; i < 2; i++)
		assert_in_range(other_ends(&others[i], &s), 1, root || i == 0 ? 29 : 30);
	if (root)
		assert_int_equal(ask_often(&s), 0);
	serving_end(&s);
}

/* What takes long, one after another: as much as a user may have, and then a 429. */
static int asks_slowly(const struct serving *s)
{
	int busy = 0;

	/* Again, a second later, where the machine was so slow that it was allowed. */
	for (int round = 0; round < 5 && busy == 0; round++) {
		poll(NULL, 0, round ? 1200 : 0);
		for (int i = 0; i < 6; i++) {
			char *answer = serving_ask(s, "GET", "/slow?n=100");

			busy += has(answer, " 429 ");
			free(answer);
		}
	}
	return busy;
}

TEST(long_requests)
{
	struct fl_server_limits limits = serving_limits();
	static struct serving s;
	struct other other;

	if (geteuid() != 0)
		skip();
	limits.requests_per_second = 10;
	other_begin(&other, 65001, asks_slowly);
	serving_begin(&s, limits);
	assert_in_range(other_ends(&other, &s), 1, 3);
	serving_end(&s);
}

/* Large answers that nobody reads: how many of them are refused. */
static int reads_nothing(const struct serving *s)
{
	static const char request[] = "GET /give?n=16000000 HTTP/1.1\r\nHost: x\r\n\r\n";
	int busy = 0;

	for (int i = 0; i < 8; i++) {
		int fd = serving_connect(s); /* closed by the end of this process */

		serving_send(fd, request, sizeof request - 1);

		char *answer = serving_read(fd, 12, NULL);

		busy += has(answer, " 503");
		free(answer);
	}
	return busy;
}

TEST(unread)
{
	static struct serving s;
	struct other other;

	if (geteuid() != 0)
		skip();
	other_begin(&other, 65001, reads_nothing);
	serving_begin(&s, serving_limits());
	assert_int_equal(other_ends(&other, &s), 3);
	serving_is_well(&s);
	serving_end(&s);
}

/* More idle connections than are taken, which a process of theirs holds until the server closes. */
static int crowds(const struct serving *s)
{
	int fds[60];

	for (int i = 0; i < 60; i++)
		fds[i] = serving_connect(s);
	if (fork() == 0) {
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		free(serving_read(fds[0], SIZE_MAX, NULL));
		_exit(0);
	}
	return 0;
}

/* They do not keep others out. */
TEST(crowd)
{
	struct fl_server_limits limits = serving_limits();
	static struct serving s;
	struct other other;

	if (geteuid() != 0)
		skip();
	limits.connections = 8;
	other_begin(&other, 65001, crowds);
	serving_begin(&s, limits);
	assert_int_equal(other_ends(&other, &s), 0);
	serving_is_well(&s);
	serving_end(&s);
	assert_int_equal(s.figures.turned_away[FL_AWAY_SHARE], 60 - 4);
}

/* Half of all that there are, each of which asks for @path: a process of theirs holds them. */
static int crowd_of_four(const struct serving *s, const char *path)
{
	char request[64];
	int fds[4];

	snprintf(request, sizeof request, "%s HTTP/1.1\r\nHost: x\r\n\r\n", path);
	for (int i = 0; i < 4; i++) {
		fds[i] = serving_connect(s);
		serving_send(fds[i], "GET ", 4);
	}
	/* The last one is served, so all have come in. */
	for (int i = strcmp(path, "/follow") == 0 ? 0 : 3; i < 4; i++) {
		serving_send(fds[i], request, strlen(request));
		free(serving_read(fds[i], 12, NULL));
	}
	if (fork() == 0) {
		/* Whoever reads what the test says need not wait for it. */
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		poll(NULL, 0, 20000);
		_exit(0);
	}
	return 0;
}

static int crowds_and_waits(const struct serving *s) { return crowd_of_four(s, "/echo"); }

static int crowds_and_follows(const struct serving *s) { return crowd_of_four(s, "/follow"); }

static bool answers_with(const struct serving *s, const char *path, const char *status)
{
	char *answer = serving_ask(s, "GET", path);
	bool does = has(answer, status);

	free(answer);
	return does;
}

static int is_served(const struct serving *s) { return answers_with(s, "/echo", " 200 ") ? 0 : 1; }

/* Once the server has seen that those before have left. */
static int is_served_soon(const struct serving *s)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	for (int i = 0; i < 500; i++) {
		if (answers_with(s, "/echo", " 200 "))
			return 0;
		(void)nanosleep(&pause, NULL);
	}
	return 1;
}

/* But for what is always answered. */
static int is_not_served(const struct serving *s)
{
	return answers_with(s, "/echo", " 503 ") && answers_with(s, "/peer", " 200 ") ? 0 : 1;
}

/* Two hold all, and nothing of theirs only waits: root comes in all the same. */
TEST(two_busy_crowds)
{
	struct fl_server_limits limits = serving_limits();
	static struct serving s;
	struct other others[2], third;

	if (geteuid() != 0)
		skip();
	limits.connections = 8;
	for (uid_t i = 0; i < 2; i++)
		other_begin(&others[i], 65001 + i, crowds_and_follows);
	other_begin(&third, 65003, is_not_served);
	serving_begin(&s, limits);
	for (int i = 0; i < 2; i++)
		assert_int_equal(other_ends(&others[i], &s), 0);
	for (int i = 0; i < 3; i++)
		serving_is_well(&s);
	assert_int_equal(other_ends(&third, &s), 0);
	serving_end(&s);
	assert_int_equal(s.figures.gave_way, 0);
}

/* What an answer holds beside its connection is given back with it: 3 connections, of 4 allowed. */
static int holds_often(const struct serving *s)
{
	static const char request[] = "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n";
	static const char answer[] = "HTTP/1.1 200 OK\r\nDate: Mon, 23 Nov 2026 09:28:11 GMT\r\n"
				     "Content-Type: text/plain\r\nContent-Length: 19\r\n\r\n"
				     "GET /hold a=- len=0";
	int served = 0;

	for (int c = 0; c < 3; c++) {
		int fd = serving_connect(s); /* closed by the end of this process */

		for (int i = 0; i < 30; i++) {
			char *answers;

			serving_send(fd, request, sizeof request - 1);
			answers = serving_read(fd, sizeof answer - 1, NULL);
			served += has(answers, " 200 ");
			free(answers);
		}
	}
	return served;
}

TEST(holds)
{
	struct fl_server_limits limits = serving_limits();
	static struct serving s;
	struct other other, after;

	if (geteuid() != 0)
		skip();
	limits.connections = 8;
	other_begin(&other, 65001, holds_often);
	other_begin(&after, 65002, is_served);
	serving_begin(&s, limits);
	assert_int_equal(other_ends(&other, &s), 90);
	assert_int_equal(other_ends(&after, &s), 0);
	serving_end(&s);
}

/* Two hold all: root comes in all the same, and a third user in place of one that only waits. */
TEST(two_crowds)
{
	struct fl_server_limits limits = serving_limits();
	static struct serving s;
	struct other others[2], third, fourth;

	if (geteuid() != 0)
		skip();
	limits.connections = 8;
	for (uid_t i = 0; i < 2; i++)
		other_begin(&others[i], 65001 + i, crowds_and_waits);
	other_begin(&third, 65003, is_served);
	other_begin(&fourth, 65004, is_served);
	serving_begin(&s, limits);
	for (int i = 0; i < 2; i++)
		assert_int_equal(other_ends(&others[i], &s), 0);
	for (int i = 0; i < 3; i++)
		serving_is_well(&s);
	assert_int_equal(other_ends(&third, &s), 0);
	assert_int_equal(other_ends(&fourth, &s), 0);
	serving_end(&s);
	assert_in_range(s.figures.gave_way, 1, 2);
}

/* All that the process may open is taken: whoever comes then is told, and root is served. */
static int takes_all(const struct serving *s)
{
	int fds[40], told = 0;

	for (int i = 0; i < 40; i++)
		fds[i] = serving_connect(s);
	/* They are taken in order, so that all are when the last one is. */
	for (int i = 39; i >= 0; i--) {
		struct pollfd back = { .fd = fds[i], .events = POLLIN };
		char *answer = NULL;

		if (poll(&back, 1, i == 39 ? 20000 : 0) == 1)
			answer = serving_read(fds[i], SIZE_MAX, NULL);
		told += answer && has(answer, " 503 ") && has(answer, "{\"type\":");
		free(answer);
	}
	for (int i = 0; i < 40; i++)
		close(fds[i]);
	return told;
}

TEST(no_descriptor)
{
	struct fl_server_limits limits = serving_limits();
	static struct serving s;
	struct rlimit was, fewer;
	struct other other, after;
	int next;

	if (under_valgrind())
		skip(); /* it keeps descriptors of its own */
	if (geteuid() != 0)
		skip();
	limits.connections = 64;
	other_begin(&other, 65001, takes_all);
	other_begin(&after, 65002, is_served_soon);
	serving_begin(&s, limits);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	next = dup(0);
	close(next);
	fewer = was;
	fewer.rlim_cur = (rlim_t)next + 8;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &fewer), 0);
	assert_in_range(other_ends(&other, &s), 28, 36);
	assert_int_equal(other_ends(&after, &s), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	serving_is_well(&s);
	serving_end(&s);
	/* And each time that the one after came too soon. */
	assert_in_range(s.figures.turned_away[FL_AWAY_DESCRIPTORS], 28, 36 + 500);
}

static int says_who_i_am(const struct serving *s)
{
	char *answer = serving_ask(s, "GET", "/peer"), want[64];
	bool says = false;

	snprintf(want, sizeof want, "\r\n\r\n%u %u %d", (unsigned)geteuid(), (unsigned)getegid(),
		 (int)getpid());
	says = has(answer, want);
	free(answer);
	return says ? 0 : 1;
}

TEST(peers)
{
	static struct serving s;
	struct other others[2];

	other_begin(&others[0], geteuid(), says_who_i_am);
	other_begin(&others[1], geteuid() == 0 ? 65001 : geteuid(), says_who_i_am);
	serving_begin(&s, serving_limits());
	for (int i = 0; i < 2; i++)
		assert_int_equal(other_ends(&others[i], &s), 0);
	serving_end(&s);
}

/* Bodies, all together, are limited too: the rest of them is refused when it is whole. */
TEST(bodies)
{
	static const char head[] =
		"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 65536\r\nConnection: close\r\n\r\n";
	static char body[65536];
	static struct serving s;
	int fds[24];
	unsigned refused = 0;

	serving_begin(&s, serving_limits());
	for (int i = 0; i < 24; i++) {
		fds[i] = serving_connect(&s);
		serving_send(fds[i], head, sizeof head - 1);
		serving_send(fds[i], body, sizeof body - 1);
		serving_is_well(&s);
	}
	for (int i = 0; i < 24; i++) {
		serving_send(fds[i], "x", 1);

		char *answer = serving_read(fds[i], SIZE_MAX, NULL);

		assert_true(has(answer, " 503 ") || has(answer, "len=65536"));
		refused += has(answer, " 503 ");
		free(answer);
		close(fds[i]);
	}
	assert_in_range(refused, 6, 10);
	serving_end(&s);
}

/* --- streams --- */

/* The body of a chunked answer, without what marks the chunks; @whole: with the end of it. */
static size_t unchunked(const char *answer, bool whole)
{
	const char *at = strstr(answer, "\r\n\r\n") + 4;
	size_t len, sum = 0;
	char *end;

	while ((len = strtoul(at, &end, 16)) > 0) {
		sum += len;
		at = end + 2 + len + 2;
	}
	assert_string_equal(end, whole ? "\r\n\r\n" : "");
	return sum;
}

TEST(slow_reader)
{
	static struct serving s;

	serving_begin(&s, serving_limits());

	int fd = serving_connect(&s);
	size_t len;

	serving_send(fd, "GET /stream?n=5000000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		     63);
	/* What it may write ahead is written, and no more. */
	for (int i = 0; s.refused_writes == 0; i++) {
		assert_true(i < 20000);
		poll(NULL, 0, 1);
	}
	assert_int_equal(s.drained, 0);
	serving_is_well(&s);

	char *answer = serving_read(fd, SIZE_MAX, &len);

	assert_int_equal(unchunked(answer, true), 5000000);
	assert_in_range(s.drained, 4, 20);
	free(answer);
	close(fd);
	serving_end(&s);
	assert_int_equal(s.gone, 0);
}

TEST(follower_leaves)
{
	static struct serving s;

	serving_begin(&s, serving_limits());
	for (int i = 0; i < 3; i++) {
		int fd = serving_connect(&s);

		serving_send(fd, "GET /follow HTTP/1.1\r\nHost: x\r\n\r\n", 34);

		char *answer = serving_read(fd, 17, NULL);

		free(answer);
		close(fd);
		serving_await(&s.gone, i + 1);
	}
	serving_end(&s);
}

/* Closing finishes what was begun: what is asked is answered, streams end well. */
TEST(closes)
{
	static struct serving s;
	int fds[4];
	static const char *const paths[] = { "/follow", "/stream?n=500000", "/later", NULL };

	serving_begin(&s, serving_limits());
	for (int i = 0; i < 4; i++) {
		char head[128] = "";

		fds[i] = serving_connect(&s);
		if (paths[i])
			snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", paths[i]);
		serving_send(fds[i], head, strlen(head));
	}
	/* They have come. */
	free(serving_read(fds[0], 1, NULL));
	free(serving_read(fds[1], 1, NULL));
	serving_is_well(&s);
	uv_async_send(&s.stop);
	for (int i = 0; i < 4; i++) {
		size_t len;
		char *answer = serving_read(fds[i], SIZE_MAX, &len);

		/* Who follows sees that it was cut off; what had come to its end goes out whole. */
		if (i < 2)
			assert_true(unchunked(answer, i == 1) == (i ? 500000 : 5));
		if (i == 2)
			assert_true(has(answer, "GET /later"));
		assert_true(i < 3 || len == 0);
		free(answer);
		close(fds[i]);
	}
	uv_thread_join(&s.thread);
	assert_int_equal(s.gone, 1);
	assert_int_equal(uv_loop_close(&s.loop), 0);
	assert_int_equal(rmdir(s.folder), 0);
}

UNIT_GROUP("server")
