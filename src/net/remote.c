/* SPDX-License-Identifier: Apache-2.0 */
#include "net/remote.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* --- addresses --- */

struct parts {
	bool tls;
	const char *host; /* its first byte */
	size_t host_len;
	unsigned port; /* 0: not said */
	bool ipv6;
};

static int bad_url(const char *text, const char *why, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "this is not the address of a server: %s", why);
	fl_fail_hint(err, "such as https://host.example:8450");
	return fl_fail_in(err, "%.200s", text);
}

/* What is wrong; NULL: nothing. */
static const char *split(const char *text, struct parts *ret)
{
	const char *at = strstr(text, "://"), *end;
	struct parts p = { .tls = at && at - text == 5 && strncasecmp(text, "https", 5) == 0 };

	if (!p.tls && !(at && at - text == 4 && strncasecmp(text, "http", 4) == 0))
		return "it does not begin with https://";
	at += 3;
	end = at + strcspn(at, "/?#");
	if (memchr(at, '@', (size_t)(end - at)))
		return "it names a user; a token says your name";
	if (*end && strcmp(end, "/") != 0)
		return "nothing may follow the host and its port";
	p.ipv6 = *at == '[';
	p.host = at + p.ipv6;
	p.host_len = strcspn(p.host, p.ipv6 ? "]/" : ":/");
	at = p.host + p.host_len;
	if (p.ipv6 && *at++ != ']')
		return "a ']' is missing";
	if (*at == ':') {
		size_t digits = strspn(++at, DIGITS);

		p.port = digits && digits <= 5 ? (unsigned)strtoul(at, NULL, 10) : 0;
		if (p.port == 0 || p.port > 65535)
			return "its port is not a number from 1 to 65535";
		at += digits;
	}
	if (at != end)
		return "behind the host only a port can follow";
	*ret = p;
	return NULL;
}

/* In small letters, an address in the form that the system gives it. */
static bool take_host(const struct parts *p, char ret[FL_REMOTE_HOST + 1])
{
	unsigned char address[sizeof(struct in6_addr)];

	if (p->host_len == 0 || p->host_len > FL_REMOTE_HOST)
		return false;
	for (size_t i = 0; i < p->host_len; i++)
		ret[i] = p->host[i] >= 'A' && p->host[i] <= 'Z' ? (char)(p->host[i] | 0x20) :
								  p->host[i];
	ret[p->host_len] = '\0';
	if (!p->ipv6)
		return strspn(ret, LETTERS DIGITS "-._") == p->host_len && *ret != '-';
	if (inet_pton(AF_INET6, ret, address) != 1)
		return false;
	return inet_ntop(AF_INET6, address, ret, FL_REMOTE_HOST + 1);
}

/* "localhost" is never asked of a name server: libcurl has its own addresses for it. */
bool fl_remote_is_this_machine(const char *host)
{
	struct in_addr v4;

	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0;
}

int fl_remote_url(const char *text, char ret[FL_REMOTE_URL], fairlead_error *err)
{
	char host[FL_REMOTE_HOST + 1], port[8] = "";
	struct parts p;
	const char *wrong = split(text, &p);

	if (!wrong && !take_host(&p, host))
		wrong = "its host is neither a name nor an address";
	if (wrong)
		return bad_url(text, wrong, err);
	if (!p.tls && !fl_remote_is_this_machine(host)) {
		fl_fail(err, FAIRLEAD_EINPUT, "without TLS only this machine itself is asked");
		fl_fail_hint(err,
			     "use https://, or a tunnel: ssh -L 8450:127.0.0.1:8450 %.200s, and "
			     "http://127.0.0.1:8450",
			     host);
		return fl_fail_in(err, "%.200s", text);
	}
	if (p.port && p.port != (p.tls ? 443 : 80))
		snprintf(port, sizeof port, ":%u", p.port);
	snprintf(ret, FL_REMOTE_URL, "%s://%s%s%s%s", p.tls ? "https" : "http", p.ipv6 ? "[" : "",
		 host, p.ipv6 ? "]" : "", port);
	return 0;
}

void fl_remote_host(const char *url, char ret[FL_REMOTE_HOST + 1])
{
	const char *at = strstr(url, "://") + 3;
	bool ipv6 = *at == '[';

	at += ipv6;
	snprintf(ret, FL_REMOTE_HOST + 1, "%.*s", (int)strcspn(at, ipv6 ? "]" : ":/"), at);
}

/* --- what makes it trusted, and us --- */

int fl_remote_fingerprint(const char *text, char ret[FL_REMOTE_FINGERPRINT], fairlead_error *err)
{
	const char *at = text + (strncasecmp(text, "sha256:", 7) == 0 ? 7 : 0);
	size_t n = 0, digits = 0;

	for (; *at && digits < 64; at++) {
		char c = *at >= 'a' && *at <= 'f' ? (char)(*at & ~0x20) : *at;

		if (c == ':')
			continue;
		if (!strchr(DIGITS "ABCDEF", c))
			break;
		if (n && digits % 2 == 0)
			ret[n++] = ':';
		ret[n++] = c;
		digits++;
	}
	ret[n] = '\0';
	if (!*at && digits == 64)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "this is not the fingerprint of a server's certificate");
	fl_fail_hint(
		err,
		"it has 64 digits from 0 to F, such as AB:CD:..., as the daemon says it at its "
		"start");
	return fl_fail_in(err, "%.100s", text);
}

static const char key_word[] = "sha256//";

void fl_remote_key(const unsigned char digest[32], char ret[FL_REMOTE_KEY])
{
	_Static_assert(FL_REMOTE_KEY == sizeof key_word - 1 + FL_BASE64_SIZE(32), "room for it");
	fl_base64(digest, 32, stpcpy(ret, key_word));
}

bool fl_remote_is_key(const char *text)
{
	char digest[FL_REMOTE_KEY];
	size_t len;

	return strlen(text) == FL_REMOTE_KEY - 1 && strncmp(text, key_word, 8) == 0 &&
	       fl_base64_read(text + 8, digest, &len) && len == 32;
}

int fl_remote_token(char *text, size_t len, fairlead_error *err)
{
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	text[len] = '\0';
	if (len == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "there is no token");
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~') {
			fl_fail(err, FAIRLEAD_EINPUT, "this is not a token");
			return fl_fail_hint(err, "a token is one word, such as fl_..., as "
						 "'fairlead token create' prints it");
		}
	return 0;
}
