/* SPDX-License-Identifier: Apache-2.0 */
/* .spec.listen of a Daemon: addresses of TCP, and what is served there. */
#include "codec/own/daemon_listen.h"

#include <stdlib.h>
#include <string.h>

#include "codec/own/daemon.h"

enum {
	HOST = 253,     /* bytes of a name of a machine, at most */
	NAMES = 16,     /* of one listener, at most */
	LISTENERS = 16, /* at most */
	PATH = 4095,    /* bytes of a path, at most */
	LAST_PORT = 65535,
};

/* What is read before it becomes a row. */
struct listener {
	struct fl_daemon_listen_row row;
	bool self_signed, serves;
};

/* --- the address --- */

/* "HOST:PORT" or "[IPV6]:PORT": where the host begins and ends, and the port; false: neither. */
static bool split(const char *text, const char **ret_host, size_t *ret_len, uint32_t *ret_port)
{
	bool bracketed = text[0] == '[';
	const char *colon = strrchr(text, ':'), *end = colon;
	size_t digits = colon ? strlen(colon + 1) : 0;
	unsigned long port;

	if (!colon || digits < 1 || digits > 5 || strspn(colon + 1, "0123456789") != digits)
		return false;
	if (bracketed && (end == text || *--end != ']'))
		return false;
	*ret_host = text + bracketed;
	*ret_len = (size_t)(end - *ret_host);
	port = strtoul(colon + 1, NULL, 10);
	*ret_port = (uint32_t)port;
	return port <= LAST_PORT && *ret_len >= 1 && *ret_len <= HOST &&
	       (bracketed || !memchr(*ret_host, ':', *ret_len)) &&
	       (bracketed ? strspn(*ret_host, "0123456789abcdefABCDEF:.%") >= *ret_len :
			    !memchr(*ret_host, '[', *ret_len) && !memchr(*ret_host, ' ', *ret_len));
}

static int read_address(struct fl_kube *k, uint32_t v, void *to)
{
	struct fl_daemon_listen_row *row = &((struct listener *)to)->row;
	struct fl_sym whole;
	const char *host;
	size_t len;
	int r = fl_kube_word(k, v, HOST + sizeof "[]:65535", &whole);

	if (r < 0)
		return r;
	if (split(fl_doc_text(&k->doc, v), &host, &len, &row->port))
		return fl_model_sym(k->m, host, len, &row->host, k->err);
	fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.200s' is not an address with a port",
		     fl_doc_text(&k->doc, v));
	fl_fail_hint(k->err, "for example 127.0.0.1:8450, '[::]:8450' or localhost:8450");
	return FAIRLEAD_EINPUT;
}

/* --- TLS --- */

static const struct fl_field tls[] = {
	{ FL_IS("certificate", word, struct listener, row.certificate), .most = PATH,
	  .text = FL_TEXT_NAME, .schema = "\"type\": \"string\", \"pattern\": \"^/\"",
	  .doc = "File with the certificate and those between it and its authority, as PEM; read again when it changes." },
	{ FL_IS("key", word, struct listener, row.key), .most = PATH, .text = FL_TEXT_NAME,
	  .schema = "\"type\": \"string\", \"pattern\": \"^/\"",
	  .doc = "File with its private key, as PEM." },
	{ FL_IS("selfSigned", flag, struct listener, self_signed),
	  .doc = "The daemon makes a certificate at its first start and prints its fingerprint." },
	{ .name = NULL },
};

static int check_file(struct fl_kube *k, uint32_t v, const char *field)
{
	uint32_t file = fl_doc_find(&k->doc, v, field);

	if (file == FL_NONE || fl_doc_text(&k->doc, file)[0] == '/')
		return 0;
	fl_kube_fail(k, file, FAIRLEAD_EINPUT, "'%.200s' is not an absolute path",
		     fl_doc_text(&k->doc, file));
	return fl_fail_hint(k->err, "a path must begin with '/'");
}

static int read_tls(struct fl_kube *k, uint32_t v, void *to)
{
	struct listener *l = to;
	int r = fl_kube_map(k, v, tls, l);
	bool certificate = l->row.certificate.v, key = l->row.key.v;

	l->row.tls = true;
	if (r == 0)
		r = check_file(k, v, "certificate");
	if (r == 0)
		r = check_file(k, v, "key");
	if (r < 0)
		return r;
	if (certificate != key) {
		fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%s' is missing",
			     certificate ? "key" : "certificate");
		return fl_fail_hint(k->err, "a certificate has a file and its key another one");
	}
	if (certificate == l->self_signed) {
		fl_kube_fail(k, v, FAIRLEAD_EINPUT,
			     certificate ? "a certificate from a file is not made by the daemon" :
					   "it says no certificate");
		return fl_fail_hint(k->err, "either certificate and key, or selfSigned: true");
	}
	return 0;
}

/* --- what is served --- */

static const struct fl_field serves[] = {
	{ FL_IS_ENUM("api", struct listener, row.api, enum fl_serves, "off", "token"),
	  .doc = "All of the API, for requests with a valid token." },
	{ FL_IS_ENUM("metrics", struct listener, row.metrics, enum fl_serves, "off", "token",
		     "open"),
	  .doc = "GET /metrics." },
	{ FL_IS_EITHER("probe", struct listener, row.probe, "off", "open"),
	  .doc = "GET /v1/health without a token: whether the daemon is well, and no more." },
	{ FL_IS_EITHER("usage", struct listener, row.usage, "off", "open"),
	  .doc = "How much queues held over a time, as KAI's scheduler asks for it: GET and POST /api/v1/query and /api/v1/query_range without a token, and no more." },
	{ .name = NULL },
};

static int read_serves(struct fl_kube *k, uint32_t v, void *to)
{
	struct listener *l = to;
	int r = fl_kube_map(k, v, serves, l);

	l->serves = true;
	if (r == 0 && !l->row.api && !l->row.metrics && !l->row.probe && !l->row.usage)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "nothing is served");
	return r;
}

static int read_name(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_sym sym;
	int r = fl_kube_word(k, v, HOST, &sym);

	(void)unused;
	return r < 0 ? r : fl_model_push_syms(k->m, &sym, /* ret_id= */ NULL, k->err);
}

/* --- a listener --- */

const struct fl_field fl_fields_daemon_listen[] = {
	{ .name = "address",
	  .read = read_address,
	  .needed = true,
	  .schema = FL_NOT_EMPTY_SCHEMA,
	  .doc = "ADDRESS:PORT; an address of IPv6 is in brackets, and [::] is for IPv6 alone." },
	{ .name = "tls",
	  .read = read_tls,
	  .fields = tls,
	  .schema = "@",
	  .doc = "TLS 1.2 and 1.3; needed where the API is served beyond this machine." },
	{ .name = "serves",
	  .read = read_serves,
	  .fields = serves,
	  .schema = "@",
	  .doc = "What is served there; what is not named is off. Default: api: token, probe: open." },
	{ FL_IS_LIST("names", struct listener, row.names, syms, read_name), .text = FL_TEXT_NAME,
	  .schema = FL_NOT_EMPTY_SCHEMA,
	  .doc = "Names by which clients call it, beside its address; requests to other names are refused." },
	{ .name = NULL },
};

static int check_twice(struct fl_kube *k, uint32_t v, const struct fl_daemon_listen_row *row)
{
	for (uint32_t i = 0; i < k->m->n_daemon_listens; i++)
		if (row->port && k->m->daemon_listens[i].port == row->port &&
		    k->m->daemon_listens[i].host.v == row->host.v)
			return fl_kube_fail(k, fl_doc_find(&k->doc, v, "address"), FAIRLEAD_EINPUT,
					    "this address has two entries");
	return k->m->n_daemon_listens < LISTENERS ?
		       0 :
		       fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "more than %d listeners", LISTENERS);
}

int fl_daemon_read_listen(struct fl_kube *k, uint32_t v, void *unused)
{
	struct listener l = { .row.place = fl_kube_place_of(k, v) };
	int r = fl_kube_whole(k, v, fl_fields_daemon_listen, &l);

	(void)unused;
	if (r == 0 && l.row.names.n > NAMES)
		return fl_kube_fail(k, fl_doc_find(&k->doc, v, "names"), FAIRLEAD_ELIMIT,
				    "more than %d names", NAMES);
	if (r == 0)
		r = check_twice(k, v, &l.row);
	if (r == 0 && !l.serves) {
		l.row.api = FL_SERVES_TOKEN;
		l.row.probe = true;
	}
	return r < 0 ? r : fl_model_push_daemon_listens(k->m, &l.row, /* ret_id= */ NULL, k->err);
}
