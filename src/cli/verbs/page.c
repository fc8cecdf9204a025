/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page: opens the daemon's page in a browser, with the rights of its user, until the command ends
 *
 * A request that stays open holds the page: however the command ends, the connection does, and with it the
 * daemon ends the page's rights.  So there is nothing to clean up, and no signal to catch.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/client/browser.h"
#include "cli/client/daemon.h"
#include "cli/client/passage.h"

/* What the daemon says on the request that holds the page. */
struct holding {
	const struct fl_options *options;
	char at[FL_REMOTE_URL]; /* where the page is: "http://127.0.0.1:40123" */
	unsigned status;
	char text[4096]; /* its first line, or its refusal */
	size_t len;
	bool told, odd; /* the address was printed; what was said is not understood */
	bool over;      /* the daemon has ended the page */
};

/* The address that is opened, once, by the code in the first line. */
static bool tell(struct holding *h)
{
	json_t *line = json_loadb(h->text, h->len, JSON_DISABLE_EOF_CHECK, NULL);
	const char *code = json_string_value(json_object_get(line, "code"));
	char url[FL_REMOTE_URL + 512];
	bool opened = false;

	h->odd = !code ||
		 (size_t)snprintf(url, sizeof url, "%s/#code=%s", h->at, code) >= sizeof url;
	json_decref(line);
	if (h->odd)
		return false;
	if (!h->options->no_open)
		opened = fl_browser_open(url);
	fl_report_put_clean(stdout, url, strlen(url));
	putchar('\n');
	fprintf(stderr,
		"fairlead: note: %s; it can be opened once, within a minute, and may do there what "
		"you may\nfairlead: note: Ctrl-C ends the page\n",
		opened ? "this address opens in your browser" : "open this address in a browser");
	h->told = true;
	return fflush(stdout) == 0;
}

/* Bytes of the answer; false: enough. Behind the first line come line ends, and a last line. */
static bool heard(void *user, const char *bytes, size_t len)
{
	struct holding *h = user;
	size_t room = sizeof h->text - 1 - h->len, n = len < room ? len : room;

	if (h->told) {
		h->over |= memchr(bytes, '{', len) != NULL;
		return true;
	}
	memcpy(h->text + h->len, bytes, n);
	h->len += n;
	h->text[h->len] = '\0';
	if (h->status >= 300)
		return n == len;
	if (!memchr(h->text, '\n', h->len)) {
		h->odd = n < len;
		return !h->odd;
	}
	return tell(h);
}

/* How it has ended, when no signal did. */
static int ended(struct fl_client *c, const struct holding *h, fairlead_error *err)
{
	if (h->status >= 300)
		return fl_daemon_refused(c, h->status, h->text, h->len, err);
	if (h->odd)
		return fl_fail(err, FAIRLEAD_EIO, "the daemon's answer is not understood");
	if (!h->told || ferror(stdout))
		return fl_fail(err, FAIRLEAD_EIO, "the address cannot be written");
	if (!h->over) {
		fl_fail(err, FAIRLEAD_EIO,
			"the daemon has stopped, or was killed, and the page ends with it");
		return fl_fail_hint(err, "open it anew when the daemon is back");
	}
	fputs("fairlead: note: the page has ended: it was left, or was open for 12 hours\n",
	      stderr);
	return 0;
}

/* --- over the network: the page is at the daemon itself --- */

static int hold_far(struct fl_client *c, struct holding *h, fairlead_error *err)
{
	int r;

	snprintf(h->at, sizeof h->at, "%s", fl_client_place(c));
	r = fl_client_hold(c, "/v1/page/codes?hold=1", heard, h, &h->status, err);
	return r < 0 ? r : ended(c, h, err);
}

/* --- on this machine: behind a port of our own --- */

/* HTTP 1.0: an answer without length comes as it is, up to the end of the connection. */
static int ask(const char *socket, fairlead_error *err)
{
	static const char request[] =
		"POST /v1/page/codes?hold=1 HTTP/1.0\r\nContent-Length: 0\r\n\r\n";
	int fd = fl_passage_connect(socket, /* flags= */ 0);

	if (fd >= 0 &&
	    send(fd, request, sizeof request - 1, MSG_NOSIGNAL) == (ssize_t)sizeof request - 1)
		return fd;
	fl_fail(err, FAIRLEAD_EIO, "cannot connect to the daemon: %s", strerror(errno));
	fl_fail_in(err, "%s", socket);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The head of the answer, and what came behind it; false: the answer has ended. */
static bool hear_head(int fd, struct holding *h)
{
	char head[2048], *body = NULL;
	size_t n = 0;

	while (!body && n < sizeof head - 1) {
		ssize_t got = recv(fd, head + n, sizeof head - 1 - n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		n += (size_t)got;
		head[n] = '\0';
		body = strstr(head, "\r\n\r\n");
	}
	if (!body || sscanf(head, "HTTP/%*u.%*u %u", &h->status) != 1) {
		h->odd = true;
		return false;
	}
	body += 4;
	return heard(h, body, (size_t)(head + n - body));
}

static int hold_near(struct fl_client *c, struct holding *h, fairlead_error *err)
{
	const char *socket = fl_client_place(c);
	struct fl_passage *relay = NULL;
	uint32_t port;
	int fd = -1, r = fl_passage_new(socket, h->options->port, &relay, &port, err);
	bool goes_on;

	if (r == 0 && (fd = ask(socket, err)) < 0)
		r = FAIRLEAD_EIO;
	if (r < 0) {
		fl_passage_free(relay);
		return r;
	}
	snprintf(h->at, sizeof h->at, "http://127.0.0.1:%u", port);
	goes_on = hear_head(fd, h);
	while (goes_on) {
		char bytes[512];

		if (!fl_passage_turn(relay, fd))
			continue;
		ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		goes_on = n > 0 && heard(h, bytes, (size_t)n);
	}
	close(fd);
	fl_passage_free(relay);
	return ended(c, h, err);
}

int fl_cmd_page(const struct fl_options *o)
{
	struct holding h = { .options = o };
	struct fl_client *client = NULL;
	fairlead_error err = { 0 };
	struct json_t *who = NULL;
	struct fl_path path;
	int r = fl_daemon_open(o, &client, &err);

	if (r == 0 && o->port && fl_client_is_remote(client)) {
		fl_client_free(client);
		return fl_usage_error(o->verb, "--port is for the page of the daemon of this "
					       "machine; that of a server is at its own address");
	}
	/* Says what is wrong where no daemon is, or the caller may not ask it. */
	if (r == 0) {
		fl_path_start(&path, "/v1/whoami");
		r = fl_daemon_ask(client, "GET", &path, NULL, &who, &err);
		json_decref(who);
	}
	if (r == 0)
		r = fl_client_is_remote(client) ? hold_far(client, &h, &err) :
						  hold_near(client, &h, &err);
	fl_client_free(client);
	return r < 0 ? fl_complain(&err) : FL_EXIT_YES;
}
