/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/unit.h"
#include "unit/net/serving.h"

/* --- addresses --- */

TEST(sources)
{
	static const struct {
		const char *host, *name;
		bool loopback;
	} rows[] = {
		{ "127.0.0.1", "127.0.0.1", true },
		{ "127.1.2.3", "127.1.2.3", true },
		{ "128.0.0.1", "128.0.0.1", false },
		{ "0.0.0.0", "0.0.0.0", false },
		{ "::1", "::/64", true },
		{ "::", "::/64", false },
		/* One machine has all addresses of its /64. */
		{ "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", false },
		{ "2001:db8:1:2:ffff::", "2001:db8:1:2::/64", false },
		{ "2001:db8:1:3::1", "2001:db8:1:3::/64", false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fl_tcp_address a;
		struct fl_principal who;
		uint32_t n = 0;
		fairlead_error err;

		assert_int_equal(fl_tcp_find(rows[i].host, 80, &a, 1, &n, &err), 0);
		who = fl_tcp_source(&a);
		assert_int_equal(who.kind, FL_PRINCIPAL_PROBE);
		assert_string_equal(who.name, rows[i].name);
		assert_int_equal(fl_principal_most(&who), FL_RANK_PROBE);
		if (fl_tcp_is_loopback(&a) != rows[i].loopback)
			fail_msg("%s", rows[i].host);
	}
}

/* --- callers --- */

static void check_answer(const struct serving *s, const char *path, const char *headers,
			 const char *part)
{
	char *answer = serving_ask_tcp(s, path, headers);

	if (!strstr(answer, part))
		fail_msg("%s %s: %s", path, headers, answer);
	free(answer);
}

TEST(callers)
{
	static const struct {
		const char *path, *headers, *part;
	} rows[] = {
		{ "/caller", "Authorization: Bearer ci\r\n", "\r\n\r\n2 1000 ci" },
		{ "/caller", "authorization: bearer   bob\r\n", "\r\n\r\n2 2000 bob" },
		{ "/caller", "", "HTTP/1.1 401 " },
		{ "/caller", "", "WWW-Authenticate: Bearer realm=\"fairlead\"\r\n" },
		{ "/caller", "Authorization: Bearer\r\n", "HTTP/1.1 401 " },
		{ "/caller", "Authorization: Bearer \r\n", "HTTP/1.1 401 " },
		{ "/caller", "Authorization: Bearer mallory\r\n", "error=\"invalid_token\"" },
		{ "/caller", "Authorization: Bearer past\r\n", "error=\"invalid_token\"" },
		/* Whether it is valid cannot be said now. */
		{ "/caller", "Authorization: Bearer full\r\n", "HTTP/1.1 503 " },
		{ "/caller", "Authorization: Bearer away\r\n", "HTTP/1.1 503 " },
		{ "/caller", "Authorization: Bearer ci\r\nAuthorization: Bearer bob\r\n",
		  "HTTP/1.1 400 " },
		/* Where none is needed none counts: it is a probe in any case. */
		{ "/open", "", "\r\n\r\n0 0 127.0.0.1" },
		{ "/open", "Authorization: Bearer ci\r\n", "\r\n\r\n0 0 127.0.0.1" },
		{ "/elsewhere", "Authorization: Bearer ci\r\n", "HTTP/1.1 404 " },
		{ "/caller", "Authorization: Bearer ci\r\nOrigin: http://evil.example\r\n",
		  "HTTP/1.1 403 " },
		{ "/caller", "Authorization: Bearer ci\r\nOrigin: http://127.0.0.1\r\n",
		  "HTTP/1.1 200 " },
	};
	static struct serving s;

	serving_begin(&s, serving_limits());
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_answer(&s, rows[i].path, rows[i].headers, rows[i].part);
	serving_is_well(&s);
	serving_end(&s);
	assert_int_equal(s.figures.without_token, 6);
}

/* Of one connection each request is its own caller's. */
TEST(callers_take_turns)
{
	static const char text[] =
		"GET /caller HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ci\r\n\r\n"
		"GET /caller HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer bob\r\n\r\n"
		"GET /open HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
		"GET /caller HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
	static struct serving s;

	serving_begin(&s, serving_limits());

	int fd = serving_connect_tcp(&s);

	serving_send(fd, text, sizeof text - 1);

	char *answer = serving_read(fd, SIZE_MAX, NULL);
	const char *at = answer;
	const char *const parts[] = { "2 1000 ci", "2 2000 bob", "0 0 127.0.0.1", "401 " };

	for (size_t i = 0; i < 4; i++)
		if (!(at = strstr(at, parts[i])))
			fail_msg("%s: %s", parts[i], answer);
	free(answer);
	close(fd);
	serving_end(&s);
}

/* --- limits --- */

/* All tokens of a user together have half of the connections, and leave the address their places. */
TEST(connections_of_tokens)
{
	static const char text[] =
		"GET /caller HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n";
	enum { LIMIT = 16, TRIES = 12 };
	static struct serving s;
	struct fl_server_limits limits = serving_limits();
	int fds[TRIES], ok = 0, busy = 0;

	limits.connections = LIMIT;
	serving_begin(&s, limits);
	for (int i = 0; i < TRIES; i++) {
		char request[200], *answer;

		fds[i] = serving_connect_tcp(&s);
		snprintf(request, sizeof request, text, i % 2 ? "ci" : "laptop");
		serving_send(fds[i], request, strlen(request));
		answer = serving_read(fds[i], 12, NULL);
		ok += strcmp(answer, "HTTP/1.1 200") == 0;
		busy += strcmp(answer, "HTTP/1.1 503") == 0;
		free(answer);
	}
	assert_int_equal(ok, LIMIT / 2);
	assert_int_equal(busy, TRIES - LIMIT / 2);
	check_answer(&s, "/caller", "Authorization: Bearer bob\r\n", "HTTP/1.1 200 ");
	serving_is_well(&s);
	for (int i = 0; i < TRIES; i++)
		close(fds[i]);
	serving_end(&s);
	assert_in_range(s.figures.turned_away[FL_AWAY_SHARE], TRIES - LIMIT / 2, 2 * TRIES);
}

/* Connections without a token have a quarter of all from one address, whatever they send. */
TEST(connections_of_an_address)
{
	enum { LIMIT = 16, TRIES = 20 };
	static struct serving s;
	struct fl_server_limits limits = serving_limits();
	int fds[TRIES];

	limits.connections = LIMIT;
	serving_begin(&s, limits);
	for (int i = 0; i < TRIES; i++)
		fds[i] = serving_connect_tcp(&s);
	serving_is_well(&s);
	for (int i = 0; i < TRIES; i++)
		close(fds[i]);
	serving_end(&s);
	assert_int_equal(s.figures.turned_away[FL_AWAY_SHARE], TRIES - LIMIT / 4);
}

/* Tokens that are guessed are limited, and a valid one from the same address is served. */
TEST(guesses)
{
	static struct serving s;
	struct fl_server_limits limits = serving_limits();
	int limited = 0;

	limits.strange_per_second = 5;
	serving_begin(&s, limits);
	const uint64_t began = uv_hrtime();
	for (int i = 0; i < 200; i++) {
		char *answer = serving_ask_tcp(&s, "/caller", "Authorization: Bearer guess\r\n");

		limited += strncmp(answer, "HTTP/1.1 429", 12) == 0;
		free(answer);
	}
	const int seconds = (int)((uv_hrtime() - began) / 1000000000) + 1;
	assert_in_range(limited, seconds < 38 ? 200 - 5 - 5 * seconds : 0, 195);
	for (int i = 0; i < 20; i++)
		check_answer(&s, "/caller", "Authorization: Bearer ci\r\n", "HTTP/1.1 200 ");
	serving_end(&s);
}

/* So are those that have to be asked about elsewhere, valid or not; what is known is served. */
TEST(new_tokens)
{
	static struct serving s;
	struct fl_server_limits limits = serving_limits();
	int limited = 0;

	limits.strange_per_second = 5;
	serving_begin(&s, limits);
	for (int i = 0; i < 200; i++) {
		char *answer = serving_ask_tcp(&s, "/caller", "Authorization: Bearer new\r\n");

		limited += strncmp(answer, "HTTP/1.1 429", 12) == 0;
		free(answer);
	}
	assert_in_range(limited, 180, 195);
	for (int i = 0; i < 20; i++)
		check_answer(&s, "/caller", "Authorization: Bearer ci\r\n", "HTTP/1.1 200 ");
	serving_end(&s);
}

/* Whole answers that nobody reads: a user gets so many bytes of them, and they are closed in time. */
TEST(answers_that_are_not_read)
{
	enum { TRIES = 8, BYTES = 16000000 };
	static const char text[] = "GET /give?n=16000000 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
				   "Authorization: Bearer ci\r\n\r\n";
	static struct serving s;
	struct fl_server_limits limits = serving_limits();
	int fds[TRIES], cut = 0, busy = 0;

	limits.idle_seconds = 4; /* all are asked for within it, on a busy machine, too */
	serving_begin(&s, limits);
	for (int i = 0; i < TRIES; i++) {
		char *answer;

		fds[i] = serving_connect_tcp(&s);
		serving_send(fds[i], text, sizeof text - 1);
		answer = serving_read(fds[i], 12, NULL);
		busy += strcmp(answer, "HTTP/1.1 503") == 0;
		free(answer);
	}
	assert_int_equal(busy, 3);
	poll(NULL, 0, 8000);
	for (int i = 0; i < TRIES; i++) {
		size_t len;

		free(serving_read(fds[i], SIZE_MAX, &len));
		cut += len > 1000 && len < BYTES;
		close(fds[i]);
	}
	assert_int_equal(cut, TRIES - busy);
	check_answer(&s, "/give?n=16000000", "Authorization: Bearer ci\r\n", "HTTP/1.1 200 ");
	serving_is_well(&s);
	serving_end(&s);
}

/* A stream of which nothing is read ends after ten times the patience for an answer. */
TEST(stream_that_is_not_read)
{
	static const char text[] = "GET /stream?n=100000000 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
				   "Authorization: Bearer ci\r\n\r\n";
	static struct serving s;
	struct fl_server_limits limits = serving_limits();
	uint64_t began = uv_hrtime();
	int fd;

	limits.idle_seconds = 1;
	serving_begin(&s, limits);
	fd = serving_connect_tcp(&s);
	serving_send(fd, text, sizeof text - 1);
	serving_await(&s.gone, 1);
	assert_in_range((uv_hrtime() - began) / 1000000, 9000, 30000);
	close(fd);
	serving_is_well(&s);
	serving_end(&s);
}

UNIT_GROUP("tcp")
