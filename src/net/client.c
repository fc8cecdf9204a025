/* SPDX-License-Identifier: Apache-2.0 */
#include "net/client.h"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * libcurl loads thirty other libraries, which would add four milliseconds to each start of the
 * command, five times of what it takes now, and most of its verbs never ask a daemon.  So it is
 * loaded when it is needed.
 */
static const char *const libraries[] = { "libcurl-gnutls.so.4", "libcurl.so.4" };

#define CURL_FUNCTIONS(X)                                                                          \
	X(easy_init)                                                                               \
	X(easy_reset)                                                                              \
	X(easy_setopt)                                                                             \
	X(easy_perform)                                                                            \
	X(easy_getinfo)                                                                            \
	X(easy_cleanup)                                                                            \
	X(easy_strerror)                                                                           \
	X(slist_append)                                                                            \
	X(slist_free_all)

enum {
	CONNECT_SECONDS = 10,
	CALL_SECONDS = 600, /* a what-if of a large cluster takes long */
};

struct fl_client {
	void *library;
#define X(name) __typeof__(curl_##name) *name;
	CURL_FUNCTIONS(X)
#undef X
	CURL *easy;
	char socket[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

/* --- where the daemon is --- */

/* Only root and the user itself may be able to make a socket there. */
static bool is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	       (st.st_uid == 0 || st.st_uid == geteuid());
}

static int find(struct fl_client *c, const char *socket, fairlead_error *err)
{
	static const char *const places[] = { "/run/fairlead/fairlead.sock",
					      "/var/lib/fairlead/fairlead.sock" };
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int len = 0;

	if (!socket || !*socket)
		socket = getenv("FAIRLEAD_SOCKET");
	if (socket && *socket) {
		len = snprintf(c->socket, sizeof c->socket, "%s", socket);
		if ((size_t)len < sizeof c->socket)
			return 0;
		fl_fail(err, FAIRLEAD_EINPUT, "the path of the socket is too long for the system");
		fl_fail_hint(err, "at most %zu bytes", sizeof c->socket - 1);
		return fl_fail_in(err, "%s", socket);
	}
	if (runtime && *runtime == '/')
		len = snprintf(c->socket, sizeof c->socket, "%s/fairlead/fairlead.sock", runtime);
	if (len > 0 && (size_t)len < sizeof c->socket && is_socket(c->socket))
		return 0;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(c->socket, sizeof c->socket, "%s", places[i]);
		if (is_socket(c->socket))
			return 0;
	}
	snprintf(c->socket, sizeof c->socket, "%s", places[0]);
	return 0;
}

static int load(struct fl_client *c, fairlead_error *err)
{
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !c->library; i++)
		c->library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
	if (!c->library) {
		fl_fail(err, FAIRLEAD_EIO, "%s", dlerror());
		return fl_fail_hint(err, "install it: apt-get install libcurl3-gnutls");
	}
/* Copies the bytes of a void * into a pointer to a function: C has no conversion. */
#define X(name)                                                                                    \
	do {                                                                                       \
		void *symbol = dlsym(c->library, "curl_" #name);                                   \
		if (!symbol)                                                                       \
			return fl_fail(err, FAIRLEAD_EIO, "%s", dlerror());                        \
		memcpy(&c->name, &symbol, sizeof symbol);                                          \
	} while (0);
	CURL_FUNCTIONS(X)
#undef X
	c->easy = c->easy_init();
	return c->easy ? 0 : fl_fail_nomem(err);
}

int fl_client_new(const char *socket, struct fl_client **ret, fairlead_error *err)
{
	struct fl_client *c = calloc(1, sizeof *c);
	int code;

	if (!c)
		return fl_fail_nomem(err);
	code = find(c, socket, err);
	if (code == 0)
		code = load(c, err);
	if (code == 0)
		*ret = c;
	else
		fl_client_free(c);
	return code;
}

/* The library stays loaded: its state in the process cannot be removed safely. */
struct fl_client *fl_client_free(struct fl_client *c)
{
	if (c && c->easy)
		c->easy_cleanup(c->easy);
	free(c);
	return NULL;
}

const char *fl_client_socket(const struct fl_client *c) { return c->socket; }

void fl_answer_done(struct fl_answer *a)
{
	free(a->body);
	*a = (struct fl_answer){ 0 };
}

/* --- calls --- */

struct taker {
	struct fl_client *client;
	bool (*piece)(void *user, const char *bytes, size_t len);
	void *user;
	unsigned *status;
	bool ended; /* by the function that takes pieces */
};

static size_t take(char *bytes, size_t size, size_t n, void *user)
{
	struct taker *t = user;
	long status = 0;

	t->client->easy_getinfo(t->client->easy, CURLINFO_RESPONSE_CODE, &status);
	*t->status = (unsigned)status;
	if (size * n > 0 && !t->piece(t->user, bytes, size * n)) {
		t->ended = true;
		return 0;
	}
	return size * n;
}

static int failed(struct fl_client *c, CURLcode code, bool writes, fairlead_error *err)
{
	switch ((int)code) {
	case CURLE_OUT_OF_MEMORY:
		return fl_fail_nomem(err);
	case CURLE_COULDNT_CONNECT:
		if (access(c->socket, F_OK) == 0 && access(c->socket, W_OK) != 0) {
			fl_fail(err, FAIRLEAD_EIO, "you may not connect to the daemon's socket");
			fl_fail_hint(err, "its mode is .spec.socket.mode of the Daemon document");
			break;
		}
		fl_fail(err, FAIRLEAD_EIO, "no daemon listens here");
		fl_fail_hint(err, "start one: systemctl start fairleadd, or fairleadd --state "
				  "FOLDER; if it has another socket: --socket, FAIRLEAD_SOCKET");
		break;
	case CURLE_OPERATION_TIMEDOUT:
		fl_fail(err, FAIRLEAD_EIO, "the daemon does not answer");
		fl_fail_hint(err, "its log says why: journalctl -u fairleadd");
		break;
	default:
		fl_fail(err, FAIRLEAD_EIO,
			"the daemon closed the connection before it answered (%s)",
			c->easy_strerror(code));
		if (writes)
			fl_fail_hint(err, "whether it accepted the request is not known: see "
					  "fairlead jobs");
	}
	return fl_fail_in(err, "%s", c->socket);
}

static int perform(struct fl_client *c, const char *method, const char *path, const char *body,
		   size_t len, long seconds, struct taker *t, fairlead_error *err)
{
	size_t url_size = strlen(path) + sizeof "http://fairlead";
	char *url = malloc(url_size);
	struct curl_slist *headers = NULL;
	long status = 0;
	CURLcode code;

	if (!url)
		return fl_fail_nomem(err);
	snprintf(url, url_size, "http://fairlead%s", path);
	if (len > 0)
		headers = c->slist_append(NULL, "Content-Type: application/json");
	c->easy_reset(c->easy); /* connections are used again */
	c->easy_setopt(c->easy, CURLOPT_UNIX_SOCKET_PATH, c->socket);
	c->easy_setopt(c->easy, CURLOPT_URL, url);
	c->easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L);
	c->easy_setopt(c->easy, CURLOPT_PROXY,
		       ""); /* no proxy, also if the environment names one */
	c->easy_setopt(c->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	c->easy_setopt(c->easy, CURLOPT_PATH_AS_IS, 1L);
	c->easy_setopt(c->easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	c->easy_setopt(c->easy, CURLOPT_TIMEOUT, seconds);
	c->easy_setopt(c->easy, CURLOPT_HTTPHEADER, headers);
	if (strcmp(method, "GET") != 0) {
		/* On a connection that is used again libcurl might send it twice. */
		c->easy_setopt(c->easy, CURLOPT_FRESH_CONNECT, 1L);
		c->easy_setopt(c->easy, CURLOPT_POST, 1L);
		c->easy_setopt(c->easy, CURLOPT_CUSTOMREQUEST, method);
		c->easy_setopt(c->easy, CURLOPT_POSTFIELDS, body ? body : "");
		c->easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	}
	c->easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, take);
	c->easy_setopt(c->easy, CURLOPT_WRITEDATA, t);
	code = c->easy_perform(c->easy);
	c->easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	c->slist_free_all(headers);
	free(url);
	*t->status = (unsigned)status;
	if (code != CURLE_OK && !t->ended)
		return failed(c, code, strcmp(method, "GET") != 0, err);
	return 0;
}

/* A growing answer, followed by a NUL. */
static bool keep(void *user, const char *bytes, size_t len)
{
	struct fl_answer *a = user;
	char *body = realloc(a->body, a->len + len + 1);

	if (!body)
		return false;
	memcpy(body + a->len, bytes, len);
	a->body = body;
	a->len += len;
	body[a->len] = '\0';
	return true;
}

int fl_client_call(struct fl_client *c, const char *method, const char *path, const char *body,
		   size_t len, struct fl_answer *ret, fairlead_error *err)
{
	struct fl_answer answer = { 0 };
	struct taker t = { c, keep, &answer, &answer.status, false };
	int code = perform(c, method, path, body, len, CALL_SECONDS, &t, err);

	if (code == 0 && (t.ended || !keep(&answer, "", 0)))
		code = fl_fail_nomem(err);
	if (code == 0)
		*ret = answer;
	else
		fl_answer_done(&answer);
	return code;
}

int fl_client_follow(struct fl_client *c, const char *path,
		     bool (*piece)(void *user, const char *bytes, size_t len), void *user,
		     unsigned *ret_status, fairlead_error *err)
{
	struct taker t = { c, piece, user, ret_status, false };
	int code = perform(c, "GET", path, NULL, 0, 0, &t, err);

	if (code == FAIRLEAD_EIO && *ret_status == 200) { /* its answer began */
		fl_fail(err, code, "the daemon has stopped, or was killed; running jobs continue");
		fl_fail_hint(err, "ask again when it is back");
		return fl_fail_in(err, "%s", c->socket);
	}
	return code;
}

char *fl_client_escape(const char *text)
{
	static const char digits[] = "0123456789ABCDEF";
	char *escaped = malloc(3 * strlen(text) + 1), *end = escaped;

	if (!escaped)
		return NULL;
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if ((*c >= '0' && *c <= '9') || ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') ||
		    strchr("-._~", *c)) {
			*end++ = (char)*c;
		} else {
			*end++ = '%';
			*end++ = digits[*c >> 4];
			*end++ = digits[*c & 15];
		}
	}
	*end = '\0';
	return escaped;
}
