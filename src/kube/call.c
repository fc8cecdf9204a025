/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/call.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/limits.h"
#include "net/remote.h"

enum {
	CONNECT_SECONDS = 10,
	IDLE_SECONDS = 30, /* until the system asks whether the other side is there */
	PROBE_SECONDS = 10,
	UNANSWERED_MS = 60000, /* what was sent and not confirmed for so long ends the connection */
	REFUSAL = 64 << 10,    /* bytes that are kept of one */
};

/* --- calls --- */

/* The server ends it in time, too, where it has not lasted for minutes by nature. */
static int make_url(struct fl_kube_call *c, const struct fl_kube_request *r)
{
	const char *server = c->client->config->server;
	int n;

	if (r->lane == FL_KUBE_WATCH)
		n = asprintf(&c->url, "%s%s", server, r->path);
	else
		n = asprintf(&c->url, "%s%s%stimeout=%us", server, r->path,
			     strchr(r->path, '?') ? "&" : "?", (c->request.timeout + 999) / 1000);
	if (n < 0)
		c->url = NULL;
	return n;
}

int fl_kube_call_new(struct fl_kube_client *k, const struct fl_kube_request *request,
		     struct fl_kube_call **ret, fairlead_error *err)
{
	struct fl_kube_call *c = calloc(1, sizeof *c);
	char *body = request->body ? malloc(request->len + 1) : NULL;

	if (c) {
		c->client = k;
		c->request = *request;
		if (!c->request.timeout)
			c->request.timeout = k->options.timeout;
		if (!c->request.most)
			c->request.most = FL_MAX_KUBE_ANSWER;
	}
	if (!c || (request->body && !body) || make_url(c, request) < 0) {
		free(c);
		free(body);
		return fl_fail_nomem(err);
	}
	if (body) {
		memcpy(body, request->body, request->len);
		body[request->len] = '\0';
	}
	k->calls++;
	c->body = body;
	c->request.path = c->request.body = NULL;
	*ret = c;
	return 0;
}

struct fl_kube_call *fl_kube_call_free(struct fl_kube_call *call)
{
	call->client->calls--;
	fl_kube_call_close(call);
	free(call->bytes);
	free(call->url);
	if (call->body) /* of a TokenReview it has a token */
		explicit_bzero(call->body, call->request.len);
	free(call->body);
	free(call);
	return NULL;
}

/* --- what comes back --- */

static bool keep(struct fl_kube_call *c, const char *bytes, size_t n)
{
	size_t most = c->status < 400 ? c->request.most : REFUSAL, cap = c->cap ? c->cap : 4096;

	if (n > most - c->len) {
		c->too_long = c->status < 400;
		if (c->too_long)
			return false;
		n = most - c->len; /* of a refusal its beginning is enough */
	}
	while (cap < c->len + n + 1)
		cap *= 2;
	if (cap > c->cap) {
		char *longer = realloc(c->bytes, cap);

		if (!longer)
			return false;
		c->bytes = longer;
		c->cap = cap;
	}
	memcpy(c->bytes + c->len, bytes, n);
	c->len += n;
	c->bytes[c->len] = '\0';
	return true;
}

static void hear(struct fl_kube_call *c)
{
	c->heard = uv_now(c->client->loop);
	c->client->heard[c->request.lane] = c->heard;
}

static void take_date(struct fl_kube_call *c, const char *line, size_t len)
{
	char text[64];

	if (len < 5 || len >= sizeof text || strncasecmp(line, "date:", 5) != 0)
		return;
	memcpy(text, line + 5, len - 5);
	text[len - 5] = '\0';
	c->date = c->client->curl.getdate(text, /* unused= */ NULL);
}

/* Of what the server itself has answered: a refusal may be a proxy's. */
static void tell_date(const struct fl_kube_call *c)
{
	const struct fl_kube_client *k = c->client;

	if (k->dated && c->date >= 0 && c->status < 300)
		k->dated(k->dated_user, c->date, c->heard - c->started);
}

static size_t on_header(char *line, size_t size, size_t n, void *user)
{
	struct fl_kube_call *c = user;
	long status = 0;

	hear(c);
	if (c->cancelled)
		return 0;
	if (size * n > 2 || (n > 0 && *line != '\r' && *line != '\n')) {
		take_date(c, line, size * n);
		return size * n;
	}
	c->client->curl.easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200)
		return size * n;
	c->status = (unsigned)status;
	tell_date(c);
	c->streams = c->request.piece && status == 200;
	if (c->streams && c->request.begun && !c->request.begun(c->request.user)) {
		c->ended_by_piece = true;
		return 0;
	}
	return size * n;
}

static size_t on_bytes(char *bytes, size_t size, size_t n, void *user)
{
	struct fl_kube_call *c = user;

	hear(c);
	c->client->counts.bytes += size * n;
	if (c->cancelled)
		return 0;
	if (!c->streams)
		return keep(c, bytes, size * n) ? size * n : 0;
	if (c->request.piece(c->request.user, bytes, size * n))
		return size * n;
	c->ended_by_piece = true;
	return 0;
}

/* --- transfers --- */

/* A machine that has vanished is noticed also where bytes were sent, which keep-alive does not see. */
static int on_open(void *user, curl_socket_t fd, curlsocktype purpose)
{
	struct fl_kube_call *c = user;
	unsigned ms = UNANSWERED_MS;

	if (purpose == CURLSOCKTYPE_IPCXN)
		(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
	c->client->counts.connections++;
	return CURL_SOCKOPT_OK;
}

static int put_line(struct fl_kube_call *c, struct curl_slist **list, const char *line)
{
	struct curl_slist *longer = c->client->curl.slist_append(*list, line);

	if (!longer)
		return -1;
	*list = longer;
	return 0;
}

FL_PRINTF(3, 4)
static int put(struct fl_kube_call *c, struct curl_slist **list, const char *format, ...)
{
	va_list args;
	char *line;

	va_start(args, format);
	int n = vasprintf(&line, format, args);
	va_end(args);
	if (n < 0)
		return -1;
	n = put_line(c, list, line);
	explicit_bzero(line, strlen(line));
	free(line);
	return n;
}

/* "host:6443" of "https://host:6443/path", and where the path begins. */
static const char *find_host(const char *url, size_t *ret_len)
{
	const char *host = strstr(url, "://");

	host = host ? host + 3 : url;
	*ret_len = strcspn(host, "/");
	return host;
}

/*
 * The server's certificate must have another name than its address: libcurl gets that name in the URL, where
 * to connect beside it, and the address as the header Host.
 */
static int rename_server(struct fl_kube_call *c, char **ret_url)
{
	const struct fl_kube_config *config = c->client->config;
	size_t len;
	const char *host = find_host(c->url, &len), *port = host + len;
	bool v6 = strchr(config->tls_name, ':');

	while (port > host && port[-1] >= '0' && port[-1] <= '9')
		port--;
	bool has_port = port > host && port[-1] == ':' && port < host + len;
	int digits = has_port ? (int)(host + len - port) : 3;
	int name = has_port ? (int)(port - 1 - host) : (int)len;
	if (!has_port)
		port = "443";
	if (asprintf(ret_url, "https://%s%s%s:%.*s%s", v6 ? "[" : "", config->tls_name,
		     v6 ? "]" : "", digits, port, host + len) < 0) {
		*ret_url = NULL;
		return -1;
	}
	if (put(c, &c->connect, "::%.*s:%.*s", name, host, digits, port) < 0)
		return -1;
	return put(c, &c->headers, "Host: %.*s", (int)len, host);
}

static int put_headers(struct fl_kube_call *c, const struct fl_kube_credentials *as)
{
	const struct fl_kube_config *config = c->client->config;
	int rc = put(c, &c->headers, "Accept: application/json");

	if (rc == 0 && as->token)
		rc = put(c, &c->headers, "Authorization: Bearer %s", as->token);
	if (rc == 0 && c->body)
		rc = put(c, &c->headers, "Content-Type: %s",
			 c->request.type ? c->request.type : "application/json");
	if (rc == 0 && c->body)
		rc = put(c, &c->headers, "Expect:");
	for (uint32_t i = 0; rc == 0 && i < config->n_headers; i++)
		rc = put(c, &c->headers, "%s", config->headers[i]);
	return rc;
}

static void set_trust(struct fl_kube_call *c)
{
	const struct fl_kube_client *k = c->client;
	const struct fl_curl *curl = &k->curl;

	curl->easy_setopt(c->easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (k->ca.path) {
		curl->easy_setopt(c->easy, CURLOPT_CAINFO, k->ca.path);
		curl->easy_setopt(c->easy, CURLOPT_CAPATH, NULL);
	}
	if (k->config->insecure) {
		curl->easy_setopt(c->easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl->easy_setopt(c->easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (k->certificate.path && k->key.path) {
		curl->easy_setopt(c->easy, CURLOPT_SSLCERT, k->certificate.path);
		curl->easy_setopt(c->easy, CURLOPT_SSLKEY, k->key.path);
	}
}

/*
 * As kubectl does: the proxy of the configuration is for each server, that of the environment for none on
 * this machine; a proxy of socks5:// is asked for names, too, which libcurl calls socks5h://.
 */
static int set_proxy(struct fl_kube_call *c)
{
	static const char socks[] = "socks5://";
	const struct fl_kube_client *k = c->client;
	const struct fl_curl *curl = &k->curl;
	const char *proxy = k->config->proxy;
	char host[FL_REMOTE_HOST + 1], *asks = NULL;

	fl_remote_host(k->config->server, host);
	if (!proxy && fl_remote_is_this_machine(host))
		curl->easy_setopt(c->easy, CURLOPT_PROXY, "");
	if (!proxy)
		return 0;
	if (strncasecmp(proxy, socks, sizeof socks - 1) == 0 &&
	    asprintf(&asks, "socks5h://%s", proxy + sizeof socks - 1) < 0)
		return -1;
	curl->easy_setopt(c->easy, CURLOPT_PROXY, asks ? asks : proxy);
	curl->easy_setopt(c->easy, CURLOPT_NOPROXY, "");
	free(asks); /* libcurl has copied it */
	return 0;
}

static void set_limits(struct fl_kube_call *c)
{
	const struct fl_curl *curl = &c->client->curl;
	uint64_t now = uv_now(c->client->loop);
	uint64_t left = c->deadline > now ? c->deadline - now : 1;

	curl->easy_setopt(c->easy, CURLOPT_TIMEOUT_MS, (long)left);
	curl->easy_setopt(c->easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	curl->easy_setopt(c->easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl->easy_setopt(c->easy, CURLOPT_TCP_KEEPIDLE, (long)IDLE_SECONDS);
	curl->easy_setopt(c->easy, CURLOPT_TCP_KEEPINTVL, (long)PROBE_SECONDS);
	curl->easy_setopt(c->easy, CURLOPT_SOCKOPTFUNCTION, on_open);
	curl->easy_setopt(c->easy, CURLOPT_SOCKOPTDATA, c);
}

static void set_body(struct fl_kube_call *c)
{
	const struct fl_curl *curl = &c->client->curl;

	if (c->body) {
		curl->easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)c->request.len);
		curl->easy_setopt(c->easy, CURLOPT_POSTFIELDS, c->body);
	}
	curl->easy_setopt(c->easy, CURLOPT_CUSTOMREQUEST, c->request.method);
}

static int set_up(struct fl_kube_call *c, const struct fl_kube_credentials *as)
{
	const struct fl_kube_client *k = c->client;
	const struct fl_curl *curl = &k->curl;
	const bool shares = c->request.lane == FL_KUBE_WATCH; /* why: wire/lane.h */
	char *url = NULL;
	int rc = put_headers(c, as);

	if (rc == 0 && k->config->tls_name && strncasecmp(c->url, "https://", 8) == 0)
		rc = rename_server(c, &url);
	if (rc == 0)
		rc = set_proxy(c);
	if (rc == 0) {
		curl->easy_setopt(c->easy, CURLOPT_URL, url ? url : c->url);
		curl->easy_setopt(c->easy, CURLOPT_PRIVATE, c);
		curl->easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
		/* A name server that does not answer holds up no other transfer. */
		curl->easy_setopt(c->easy, CURLOPT_QUICK_EXIT, 1L);
#endif
		curl->easy_setopt(c->easy, CURLOPT_PATH_AS_IS, 1L);
		curl->easy_setopt(c->easy, CURLOPT_USERAGENT, k->agent);
		curl->easy_setopt(c->easy, CURLOPT_HTTP_VERSION,
				  (long)(shares ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
		curl->easy_setopt(c->easy, CURLOPT_PIPEWAIT, (long)shares);
		curl->easy_setopt(c->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
		curl->easy_setopt(c->easy, CURLOPT_HTTPHEADER, c->headers);
		curl->easy_setopt(c->easy, CURLOPT_CONNECT_TO, c->connect);
		curl->easy_setopt(c->easy, CURLOPT_HEADERFUNCTION, on_header);
		curl->easy_setopt(c->easy, CURLOPT_HEADERDATA, c);
		curl->easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, on_bytes);
		curl->easy_setopt(c->easy, CURLOPT_WRITEDATA, c);
		if (as->user && !as->token) {
			curl->easy_setopt(c->easy, CURLOPT_USERNAME, as->user);
			curl->easy_setopt(c->easy, CURLOPT_PASSWORD,
					  as->password ? as->password : "");
		}
		set_trust(c);
		set_limits(c);
		set_body(c);
	}
	free(url); /* libcurl has copied it */
	return rc;
}

int fl_kube_call_open(struct fl_kube_call *call, const struct fl_kube_credentials *as,
		      fairlead_error *err)
{
	call->status = 0;
	call->date = -1;
	call->len = 0;
	call->streams = call->ended_by_piece = call->too_long = false;
	call->started = call->heard = uv_now(call->client->loop);
	call->generation = as->generation;
	call->easy = call->client->curl.easy_init();
	if (call->easy && set_up(call, as) == 0)
		return 0;
	fl_kube_call_close(call);
	return fl_fail_nomem(err);
}

void fl_kube_call_close(struct fl_kube_call *call)
{
	const struct fl_curl *curl = &call->client->curl;

	if (call->easy)
		curl->easy_cleanup(call->easy);
	for (struct curl_slist *h = call->headers; h; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	curl->slist_free_all(call->headers);
	curl->slist_free_all(call->connect);
	call->easy = NULL;
	call->headers = call->connect = NULL;
}
