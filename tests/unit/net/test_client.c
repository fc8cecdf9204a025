/* SPDX-License-Identifier: Apache-2.0 */
#include "net/client.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/unit.h"
#include "unit/net/serving.h"

static struct fl_client *client_at(const char *path)
{
	struct fl_client *c = NULL;
	fairlead_error err = { 0 };

	if (fl_client_new(path, &c, &err) != 0)
		fail_msg("%s (%s)", err.text, err.hint);
	return c;
}

TEST(calls)
{
	static const struct {
		const char *method, *path, *body, *answer;
		unsigned status;
	} rows[] = {
		{ "GET", "/echo?a=x", NULL, "GET /echo a=x len=0", 200 },
		{ "POST", "/later?a=%2F", "12345", "POST /later a=/ len=5", 200 },
		{ "POST", "/echo", NULL, "POST /echo a=- len=0", 200 },
		{ "DELETE", "/none", NULL, "{\"type\":\"https://fairlead.dev/problems/not-there\",",
		  404 },
		{ "GET", "/a/../echo", NULL,
		  "{\"type\":\"https://fairlead.dev/problems/not-there\",", 404 },
		{ "GET", "/give?n=0", NULL, "", 200 },
	};
	static struct serving s;

	serving_begin(&s, serving_limits());

	struct fl_client *c = client_at(s.path);

	assert_string_equal(fl_client_place(c), s.path);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_answer a;
		const char *body = rows[i].body;

		CHECK(fl_client_call(c, rows[i].method, rows[i].path, body, body ? strlen(body) : 0,
				     &a, NULL) == 0,
		      rows[i].path);
		CHECK(a.status == rows[i].status, rows[i].path);
		CHECK(strncmp(a.body, rows[i].answer, strlen(rows[i].answer)) == 0, rows[i].path);
		CHECK(strlen(a.body) == a.len, rows[i].path);
		fl_answer_done(&a);
	}
	fl_client_free(c);
	serving_end(&s);
}

/* A body beyond the limit is refused before it is sent: curl asks first. */
TEST(large)
{
	enum { SIZE = 5 * 1024 * 1024 };
	static struct serving s;
	struct fl_server_limits limits = serving_limits();
	char *body = calloc(1, SIZE);
	struct fl_answer a;

	limits.body = SIZE - 1;
	serving_begin(&s, limits);

	struct fl_client *c = client_at(s.path);

	assert_int_equal(fl_client_call(c, "POST", "/echo", body, SIZE, &a, NULL), 0);
	assert_int_equal(a.status, 413);
	fl_answer_done(&a);
	assert_int_equal(fl_client_call(c, "POST", "/echo", body, SIZE - 1, &a, NULL), 0);
	assert_int_equal(a.status, 200);
	fl_answer_done(&a);
	assert_int_equal(fl_client_call(c, "GET", "/give?n=9000000", NULL, 0, &a, NULL), 0);
	assert_int_equal(a.len, 9000000);
	fl_answer_done(&a);
	free(body);
	fl_client_free(c);
	serving_end(&s);
}

struct pieces {
	size_t len, enough;
	unsigned *status;
};

static bool piece(void *user, const char *bytes, size_t len)
{
	struct pieces *p = user;

	(void)bytes;
	assert_int_equal(*p->status, 200);
	p->len += len;
	return p->len < p->enough;
}

TEST(follows)
{
	static struct serving s;
	unsigned status = 0;
	struct pieces all = { 0, SIZE_MAX, &status }, some = { 0, 100000, &status };
	struct pieces line = { 0, 5, &status };

	serving_begin(&s, serving_limits());

	struct fl_client *c = client_at(s.path);

	assert_int_equal(fl_client_follow(c, "/stream?n=3000000", piece, &all, &status, NULL), 0);
	assert_int_equal(all.len, 3000000);
	assert_int_equal(fl_client_follow(c, "/stream?n=30000000", piece, &some, &status, NULL), 0);
	assert_in_range(some.len, 100000, 29999999);
	assert_int_equal(fl_client_follow(c, "/follow", piece, &line, &status, NULL), 0);
	assert_int_equal(line.len, 5);
	serving_await(&s.gone, 2);
	fl_client_free(c);
	serving_end(&s);
}

/* --- no daemon, or one that goes away --- */

static void fails(struct fl_client *c, const char *method, const char *text, const char *hint)
{
	struct fl_answer a = { .status = 7 };
	fairlead_error err = { 0 };

	assert_int_equal(fl_client_call(c, method, "/echo", "x", 1, &a, &err), FAIRLEAD_EIO);
	assert_int_equal(a.status, 7);
	if (!strstr(err.text, text) || !strstr(err.hint, hint))
		fail_msg("%s: %s (%s)", err.subject, err.text, err.hint);
	assert_string_equal(err.subject, fl_client_place(c));
}

TEST(nobody_there)
{
	char folder[] = "/tmp/fairlead-net-XXXXXX", path[64];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/s", folder);
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);

	struct fl_client *c = client_at(path);

	fails(c, "POST", "no daemon listens here", "start one: systemctl start fairleadd");
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	fails(c, "POST", "no daemon listens here", "FAIRLEAD_SOCKET");
	fl_client_free(c);
	close(fd);
	unlink(path);
	rmdir(folder);
}

struct quitter {
	int fd;
	const char *says;
};

/* Takes what comes, says something and goes. */
static void quit(void *user)
{
	const struct quitter *q = user;
	char bytes[4096];
	int fd = accept(q->fd, NULL, NULL);

	if (recv(fd, bytes, sizeof bytes, 0) > 0)
		serving_send(fd, q->says, strlen(q->says));
	close(fd);
}

TEST(goes_away)
{
	static const char *const says[] = {
		"",
		"HTTP/1.1 20",
		"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
		"\x01\x02\x03\r\n\r\n",
	};
	char folder[] = "/tmp/fairlead-net-XXXXXX", path[64];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/s", folder);
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, 4), 0);

	struct fl_client *c = client_at(path);

	for (size_t i = 0; i < 2 * COUNT(says); i++) {
		struct quitter q = { fd, says[i / 2] };
		uv_thread_t thread;

		uv_thread_create(&thread, quit, &q);
		if (i % 2)
			fails(c, "POST", "closed the connection before it answered",
			      "see fairlead jobs");
		else
			fails(c, "GET", "closed the connection before it answered", "");
		uv_thread_join(&thread);
	}
	fl_client_free(c);
	close(fd);
	unlink(path);
	rmdir(folder);
}

TEST(places)
{
	char folder[] = "/tmp/fairlead-net-XXXXXX", path[96], name[200];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	fairlead_error err = { 0 };
	struct fl_client *c = NULL;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/fairlead", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/fairlead/fairlead.sock", folder);
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);

	setenv("XDG_RUNTIME_DIR", folder, 1);
	unsetenv("FAIRLEAD_SOCKET");
	c = client_at(NULL);
	assert_string_equal(fl_client_place(c), path);
	fl_client_free(c);
	setenv("FAIRLEAD_SOCKET", "/tmp/none.sock", 1);
	c = client_at(NULL);
	assert_string_equal(fl_client_place(c), "/tmp/none.sock");
	fl_client_free(c);
	c = client_at("rel.sock");
	assert_string_equal(fl_client_place(c), "rel.sock");
	fl_client_free(c);
	unsetenv("FAIRLEAD_SOCKET");

	memset(name, 'a', sizeof name);
	name[sizeof name - 1] = '\0';
	assert_int_equal(fl_client_new(name, &c, &err), FAIRLEAD_EINPUT);
	assert_non_null(strstr(err.text, "too long"));
	close(fd);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(folder);
}

TEST(escapes)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ "team-a_9.~", "team-a_9.~" },
		{ "a b&c=d/e?f%#+", "a%20b%26c%3Dd%2Fe%3Ff%25%23%2B" },
		{ "\xc3\xa9\x01\x7f", "%C3%A9%01%7F" },
		{ "[]{}@`", "%5B%5D%7B%7D%40%60" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text = fl_client_escape(rows[i][0]);

		assert_string_equal(text, rows[i][1]);
		free(text);
	}
}

UNIT_GROUP("client")
