/* SPDX-License-Identifier: Apache-2.0 */
#include "net/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/client_failure.h"

enum {
	CONNECT_SECONDS = 10,
	CALL_SECONDS = 600, /* a what-if of a large cluster takes long */
	/* A server that has ended without a word is noticed after a minute, also where nothing is said. */
	IDLE_SECONDS = 30,
	PROBE_SECONDS = 10,
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

static int start(struct fl_client *c, int code, struct fl_client **ret, fairlead_error *err)
{
	if (code == 0)
		code = fl_curl_load(&c->curl, err);
	if (code == 0) {
		c->easy = c->curl.easy_init();
		code = c->easy ? 0 : fl_fail_nomem(err);
	}
	if (code == 0)
		*ret = c;
	else
		fl_client_free(c);
	return code;
}

int fl_client_new(const char *socket, struct fl_client **ret, fairlead_error *err)
{
	struct fl_client *c = calloc(1, sizeof *c);

	return c ? start(c, find(c, socket, err), ret, err) : fl_fail_nomem(err);
}

int fl_client_new_remote(const struct fl_remote *remote, struct fl_client **ret,
			 fairlead_error *err)
{
	struct fl_client *c = calloc(1, sizeof *c);
	bool failed = false;

	if (!c)
		return fl_fail_nomem(err);
	c->remote = *remote;
	c->remote.token = c->remote.ca_file = NULL;
	if (remote->token)
		failed = asprintf(&c->authorization, "Authorization: Bearer %s", remote->token) < 0;
	if (failed)
		c->authorization = NULL;
	if (remote->ca_file) {
		c->ca_file = strdup(remote->ca_file);
		failed |= !c->ca_file;
	}
	return start(c, failed ? fl_fail_nomem(err) : 0, ret, err);
}

struct fl_client *fl_client_free(struct fl_client *c)
{
	if (!c)
		return NULL;
	if (c->easy)
		c->curl.easy_cleanup(c->easy);
	if (c->authorization)
		explicit_bzero(c->authorization, strlen(c->authorization));
	free(c->authorization);
	free(c->ca_file);
	free(c);
	return NULL;
}

bool fl_client_is_remote(const struct fl_client *c) { return *c->remote.url; }
bool fl_client_distrusts(const struct fl_client *c) { return c->distrusts; }
const char *fl_client_key(const struct fl_client *c) { return c->remote.key; }
bool fl_client_has_token(const struct fl_client *c) { return c->authorization; }

const char *fl_client_place(const struct fl_client *c)
{
	return fl_client_is_remote(c) ? c->remote.url : c->socket;
}

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

	t->client->curl.easy_getinfo(t->client->easy, CURLINFO_RESPONSE_CODE, &status);
	*t->status = (unsigned)status;
	if (size * n > 0 && !t->piece(t->user, bytes, size * n)) {
		t->ended = true;
		return 0;
	}
	return size * n;
}

static void set_place(struct fl_client *c, CURL *easy)
{
	if (!fl_client_is_remote(c)) {
		c->curl.easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, c->socket);
		return;
	}
	c->curl.easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	c->curl.easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)IDLE_SECONDS);
	c->curl.easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)PROBE_SECONDS);
	c->curl.easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (c->ca_file) {
		c->curl.easy_setopt(easy, CURLOPT_CAINFO, c->ca_file);
		c->curl.easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
	if (!*c->remote.key)
		return;
	/* The key is what was confirmed: then no name and no authority is asked for, nor a date. */
	c->curl.easy_setopt(easy, CURLOPT_PINNEDPUBLICKEY, c->remote.key);
	c->curl.easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
	c->curl.easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
}

/* The key of the certificate that the server must have. */
static int find_key(struct fl_client *c, fairlead_error *err)
{
	struct fl_shown shown;

	if (!*c->remote.fingerprint || *c->remote.key)
		return 0;
	int rc = fl_client_shown(c, &shown, err);
	if (rc < 0)
		return rc;
	if (strcmp(shown.fingerprint, c->remote.fingerprint) != 0)
		return fl_client_failed(c, CURLE_SSL_PINNEDPUBKEYNOTMATCH, /* writes= */ false,
					err);
	memcpy(c->remote.key, shown.key, sizeof c->remote.key);
	return 0;
}

/* A request as far as all of them are the same; *ret_url is freed behind it. */
static int set_up(struct fl_client *c, CURL *easy, const char *path, char **ret_url,
		  fairlead_error *err)
{
	const char *base = fl_client_is_remote(c) ? c->remote.url : "http://fairlead";

	if (asprintf(ret_url, "%s%s", base, path) < 0)
		return fl_fail_nomem(err);
	c->curl.easy_reset(easy); /* connections are used again */
	c->curl.easy_setopt(easy, CURLOPT_URL, *ret_url);
	c->curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	c->curl.easy_setopt(easy, CURLOPT_PROXY,
			    ""); /* no proxy, also if the environment names one */
	c->curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	c->curl.easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	c->curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	set_place(c, easy);
	return 0;
}

int fl_client_prepare(struct fl_client *c, CURL *easy, const char *path, char **ret_url,
		      fairlead_error *err)
{
	int rc = find_key(c, err);

	return rc < 0 ? rc : set_up(c, easy, path, ret_url, err);
}

static void take_pieces(struct fl_client *c, struct taker *t)
{
	c->curl.easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, take);
	c->curl.easy_setopt(c->easy, CURLOPT_WRITEDATA, t);
}

/* Lists what the request is sent with; false: no memory. */
static bool put_header(struct fl_client *c, struct curl_slist **headers, const char *text)
{
	struct curl_slist *longer = c->curl.slist_append(*headers, text);

	if (longer)
		*headers = longer;
	return longer;
}

static int perform(struct fl_client *c, const char *method, const char *path, const char *body,
		   size_t len, long seconds, struct taker *t, fairlead_error *err)
{
	bool writes = strcmp(method, "GET") != 0;
	struct curl_slist *headers = NULL;
	long status = 0;
	char *url;
	int rc = fl_client_prepare(c, c->easy, path, &url, err);

	if (rc < 0)
		return rc;
	take_pieces(c, t);
	if ((len > 0 && !put_header(c, &headers, "Content-Type: application/json")) ||
	    (c->match[0] && writes && !put_header(c, &headers, c->match)) ||
	    (c->authorization && !put_header(c, &headers, c->authorization))) {
		c->curl.slist_free_all(headers);
		free(url);
		return fl_fail_nomem(err);
	}
	c->curl.easy_setopt(c->easy, CURLOPT_TIMEOUT, seconds);
	c->curl.easy_setopt(c->easy, CURLOPT_HTTPHEADER, headers);
	if (writes) {
		/* On a connection that is used again libcurl might send it twice. */
		c->curl.easy_setopt(c->easy, CURLOPT_FRESH_CONNECT, 1L);
		c->curl.easy_setopt(c->easy, CURLOPT_POST, 1L);
		c->curl.easy_setopt(c->easy, CURLOPT_CUSTOMREQUEST, method);
		c->curl.easy_setopt(c->easy, CURLOPT_POSTFIELDS, body ? body : "");
		c->curl.easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	}
	CURLcode code = c->curl.easy_perform(c->easy);
	c->curl.easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	c->curl.slist_free_all(headers);
	free(url);
	*t->status = (unsigned)status;
	if (code != CURLE_OK && !t->ended)
		return fl_client_failed(c, code, writes, err);
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

static int follow(struct fl_client *c, const char *method, const char *path, struct taker *t,
		  fairlead_error *err)
{
	unsigned *ret_status = t->status;
	int code = perform(c, method, path, NULL, 0, 0, t, err);

	if (code == FAIRLEAD_EIO && *ret_status == 200) { /* its answer began */
		fl_fail(err, code, "the daemon has stopped, or was killed; running jobs continue");
		fl_fail_hint(err, "ask again when it is back");
		return fl_fail_in(err, "%s", fl_client_place(c));
	}
	return code;
}

int fl_client_follow(struct fl_client *c, const char *path,
		     bool (*piece)(void *user, const char *bytes, size_t len), void *user,
		     unsigned *ret_status, fairlead_error *err)
{
	struct taker t = { c, piece, user, ret_status, false };

	return follow(c, "GET", path, &t, err);
}

int fl_client_hold(struct fl_client *c, const char *path,
		   bool (*piece)(void *user, const char *bytes, size_t len), void *user,
		   unsigned *ret_status, fairlead_error *err)
{
	struct taker t = { c, piece, user, ret_status, false };

	return follow(c, "POST", path, &t, err);
}

/* --- what it shows --- */

static bool skip(void *user, const char *bytes, size_t len)
{
	(void)user;
	(void)bytes;
	(void)len;
	return true;
}

/* Of the first certificate that libcurl has kept. */
static int read_shown(struct fl_client *c, struct fl_shown *ret, fairlead_error *err)
{
	const struct curl_slist *one;
	struct curl_certinfo *all = NULL;
	char host[FL_REMOTE_HOST + 1];

	fl_remote_host(c->remote.url, host);
	c->curl.easy_getinfo(c->easy, CURLINFO_CERTINFO, &all);
	for (one = all && all->num_of_certs > 0 ? all->certinfo[0] : NULL; one; one = one->next)
		if (strncmp(one->data, "Cert:", 5) == 0)
			return fl_shown_read(one->data + 5, host, ret, err);
	return fl_fail(err, FAIRLEAD_EIO, "the server has not shown a certificate");
}

int fl_client_shown(struct fl_client *c, struct fl_shown *ret, fairlead_error *err)
{
	unsigned status;
	struct taker t = { c, skip, NULL, &status, false };
	char *url;
	int rc = set_up(c, c->easy, "/v1/health", &url, err);

	if (rc < 0)
		return rc;
	take_pieces(c, &t);
	c->curl.easy_setopt(c->easy, CURLOPT_FRESH_CONNECT, 1L);
	c->curl.easy_setopt(c->easy, CURLOPT_FORBID_REUSE, 1L);
	c->curl.easy_setopt(c->easy, CURLOPT_PINNEDPUBLICKEY, NULL);
	c->curl.easy_setopt(c->easy, CURLOPT_SSL_VERIFYPEER, 0L);
	c->curl.easy_setopt(c->easy, CURLOPT_SSL_VERIFYHOST, 0L);
	c->curl.easy_setopt(c->easy, CURLOPT_CERTINFO, 1L);
	c->curl.easy_setopt(c->easy, CURLOPT_TIMEOUT, (long)CONNECT_SECONDS);
	CURLcode code = c->curl.easy_perform(c->easy);
	free(url);
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		return fl_fail(err, FAIRLEAD_EIO, "the server's certificate is not understood");
	if (code != CURLE_OK)
		return fl_client_failed(c, code, /* writes= */ false, err);
	return read_shown(c, ret, err);
}

void fl_client_match(struct fl_client *c, const char *tag)
{
	(void)snprintf(c->match, sizeof c->match, "If-Match: %s", tag);
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
