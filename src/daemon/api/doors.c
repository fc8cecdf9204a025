/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/doors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/engine/daemon.h"
#include "daemon/page/files.h"
#include "net/certificate.h"
#include "net/certificate_make.h"

enum { PATH = 4096 + 64, OWN_NAMES = 64 };

struct door {
	enum fl_serves api, metrics;
	bool probe, usage;
	char **names;
	uint32_t n_names;
	struct fl_certificate *certificate; /* NULL: without TLS */
};

struct fl_doors {
	const struct fl_daemon *daemon;
	uint32_t n;
	struct fl_listener listeners[FL_LISTEN_MOST];
	struct door doors[FL_LISTEN_MOST];
};

static int copy_names(const struct fl_model *m, struct fl_span names, struct door *ret,
		      fairlead_error *err)
{
	ret->names = calloc(names.n + 1, sizeof *ret->names);
	for (; ret->names && ret->n_names < names.n; ret->n_names++) {
		struct fl_sym name = m->syms[names.first + ret->n_names];

		ret->names[ret->n_names] = strdup(fl_model_text(m, name));
		if (!ret->names[ret->n_names])
			return fl_fail_nomem(err);
	}
	return ret->names ? 0 : fl_fail_nomem(err);
}

/* --- certificates --- */

static void warn(void *user, const char *line)
{
	const struct fl_doors *d = user;

	fl_daemon_log(d->daemon, "%s", line);
}

/* The names that the certificate of the daemon itself is for: all by which it may be called. */
static int make_certificate(const struct fl_doors *d, const struct fl_model *m, const char *chain,
			    const char *key, fairlead_error *err)
{
	char host[256] = "";
	const char *names[OWN_NAMES] = { "localhost", "127.0.0.1", "::1" };
	uint32_t n = 3;

	if (gethostname(host, sizeof host - 1) == 0 && host[0])
		names[n++] = host;
	for (uint32_t i = 0; i < m->daemon.listens.n; i++) {
		const struct fl_daemon_listen_row *l =
			&m->daemon_listens[m->daemon.listens.first + i];

		for (uint32_t k = 0; k < l->names.n && n < OWN_NAMES; k++)
			names[n++] = fl_model_text(m, m->syms[l->names.first + k]);
		if (n < OWN_NAMES)
			names[n++] = fl_model_text(m, l->host);
	}

	int r = fl_certificate_make(&(struct fl_certificate_wish){ chain, key, names, n }, err);

	if (r == FL_CERTIFICATE_AGAIN)
		fl_daemon_log(
			d->daemon,
			"the certificate %s was made again, with the same key: it lacked a name, or its end is near. "
			"Clients that trust the file need the new one",
			chain);
	return r < 0 ? r : 0;
}

static int open_certificate(struct fl_doors *d, const struct fl_model *m, const char *state,
			    const struct fl_daemon_listen_row *l, struct door *door,
			    fairlead_error *err)
{
	char chain[PATH], key[PATH];
	const struct fl_certificate_files files = { chain, key, warn, d };
	int r = 0;

	if (l->certificate.v) {
		(void)snprintf(chain, sizeof chain, "%s", fl_model_text(m, l->certificate));
		(void)snprintf(key, sizeof key, "%s", fl_model_text(m, l->key));
	} else {
		(void)snprintf(chain, sizeof chain, "%.4000s/tls-certificate.pem", state);
		(void)snprintf(key, sizeof key, "%.4000s/tls-key.pem", state);
		r = make_certificate(d, m, chain, key, err);
	}
	if (r == 0)
		r = fl_certificate_open(&files, &door->certificate, err);
	if (r == FAIRLEAD_EINPUT && !err->hint[0])
		fl_fail_hint(err, ".spec.listen[].tls names the files");
	return r;
}

/* --- begin and end --- */

static int add_door(struct fl_doors *d, const struct fl_model *m, const char *state,
		    const struct fl_daemon_listen_row *l, int fd, fairlead_error *err)
{
	struct fl_listener *listener = &d->listeners[d->n];
	struct door *door = &d->doors[d->n++];
	int r;

	*door = (struct door){
		.api = l->api, .metrics = l->metrics, .probe = l->probe, .usage = l->usage
	};
	r = copy_names(m, l->names, door, err);
	if (r == 0 && l->tls)
		r = open_certificate(d, m, state, l, door, err);
	*listener = (struct fl_listener){ .fd = fd,
					  .certificate = door->certificate,
					  .names = (const char *const *)door->names,
					  .n_names = door->n_names };
	return r;
}

int fl_doors_new(const struct fl_daemon *daemon, const struct fl_config *config, const char *state,
		 const struct fl_listening *listening, struct fl_doors **ret, fairlead_error *err)
{
	const struct fl_model *m = fl_config_objects(config);
	struct fl_doors *d = calloc(1, sizeof *d);
	int r = d ? 0 : fl_fail_nomem(err);

	if (d)
		d->daemon = daemon;
	for (uint32_t i = 0; r == 0 && i < listening->places.n; i++) {
		uint32_t row = listening->places.at[i].row;

		/* The document may have changed between two times that it was read. */
		if (row < m->daemon.listens.n)
			r = add_door(d, m, state, &m->daemon_listens[m->daemon.listens.first + row],
				     listening->fds[i], err);
		else
			r = fl_fail(err, FAIRLEAD_ESTATE, "the configuration changes: try again");
	}
	if (r < 0)
		fl_doors_free(d);
	else
		*ret = d;
	return r;
}

struct fl_doors *fl_doors_free(struct fl_doors *d)
{
	for (uint32_t i = 0; d && i < d->n; i++) {
		for (uint32_t k = 0; k < d->doors[i].n_names; k++)
			free(d->doors[i].names[k]);
		free(d->doors[i].names);
		fl_certificate_free(d->doors[i].certificate);
	}
	free(d);
	return NULL;
}

const struct fl_listener *fl_doors_listeners(const struct fl_doors *d, uint32_t *ret_n)
{
	*ret_n = d->n;
	return d->listeners;
}

enum fl_needs fl_doors_needs(const struct fl_doors *d, uint32_t listener,
			     const struct fl_http_request *r)
{
	static const enum fl_needs needs[] = {
		[FL_SERVES_OFF] = FL_NEEDS_ANOTHER,
		[FL_SERVES_TOKEN] = FL_NEEDS_TOKEN,
		[FL_SERVES_OPEN] = FL_NEEDS_NOTHING,
	};
	/* What a relay passes on comes from whatever program of this machine. */
	static const struct door relay = { .api = FL_SERVES_TOKEN, .metrics = FL_SERVES_OFF };
	const struct door *door = listener == FL_LISTENER_RELAY ? &relay : &d->doors[listener];
	/* What is a part of the API, too, is served where that is; all other paths are the API. */
	const struct {
		const char *path;
		enum fl_needs needs;
	} services[] = {
		{ "/v1/health", door->probe ? FL_NEEDS_NOTHING : needs[door->api] },
		{ "/metrics", needs[door->metrics] },
		{ "/api/v1/query", door->usage ? FL_NEEDS_NO_TOKEN : needs[door->api] },
		{ "/api/v1/query_range", door->usage ? FL_NEEDS_NO_TOKEN : needs[door->api] },
	};

	for (size_t i = 0; i < sizeof services / sizeof *services; i++)
		if (strcmp(r->path, services[i].path) == 0)
			return services[i].needs;
	if (door->api != FL_SERVES_OFF && fl_page_file(r->path))
		return FL_NEEDS_NOTHING;
	/* With a code, which is in the body. */
	if (door->api != FL_SERVES_OFF && strcmp(r->path, "/v1/page/token") == 0 &&
	    strcmp(r->method, "POST") == 0)
		return FL_NEEDS_NO_TOKEN;
	return needs[door->api];
}

static const char *text_of(const struct fl_listener *l, char ret[FL_TCP_TEXT])
{
	struct fl_tcp_address own;

	return fl_tcp_own(l->fd, &own) ? fl_tcp_text(&own, ret) : "?";
}

json_t *fl_doors_json(const struct fl_doors *d)
{
	json_t *list = json_array();
	char text[FL_TCP_TEXT];

	for (uint32_t i = 0; i < d->n; i++)
		json_array_append_new(list, json_string(text_of(&d->listeners[i], text)));
	return list;
}

void fl_doors_tell(const struct fl_doors *d)
{
	char text[FL_TCP_TEXT];

	for (uint32_t i = 0; i < d->n; i++) {
		const struct fl_certificate *c = d->doors[i].certificate;

		fl_daemon_log(d->daemon, "listens on %s%s%s", text_of(&d->listeners[i], text),
			      c ? ", with the certificate SHA-256 " : "",
			      c ? fl_certificate_fingerprint(c) : "");
	}
}
