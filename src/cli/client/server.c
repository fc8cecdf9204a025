/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client/login.h"

/* A variable that is set, and not to nothing. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static int take_url(struct fl_server_choice *s, const char *url, const char *from,
		    fairlead_error *err)
{
	snprintf(s->from, sizeof(s->from), "%s", from);
	return fl_remote_url(url, s->remote.url, err);
}

/* Its url stays "" where it is the socket. */
static int choose_place(const struct fl_options *o, struct fl_server_choice *s,
			const struct fl_login *l, fairlead_error *err)
{
	const char *server = variable("FAIRLEAD_SERVER"), *socket = variable("FAIRLEAD_SOCKET");

	if (o->server)
		return take_url(s, o->server, "--server", err);
	s->socket = o->socket ? o->socket : socket;
	if (o->socket)
		return 0;
	if (server && socket) {
		fl_fail(err, FAIRLEAD_EINPUT,
			"FAIRLEAD_SERVER and FAIRLEAD_SOCKET are both set, and name two daemons");
		return fl_fail_hint(err, "unset one of them, or give --server or --socket");
	}
	if (server)
		return take_url(s, server, "FAIRLEAD_SERVER", err);
	return socket || !*l->url ? 0 : take_url(s, l->url, l->path, err);
}

/* A copy of a text, if there is one. */
static int copy(const char *text, char **ret, fairlead_error *err)
{
	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? fl_fail_nomem(err) : 0;
}

/* Where one of both is said, all of it is. */
static int choose_trust(const struct fl_options *o, struct fl_server_choice *s,
			const struct fl_login *l, fairlead_error *err)
{
	const char *ca = variable("FAIRLEAD_CA_FILE");
	const char *fingerprint = variable("FAIRLEAD_SERVER_FINGERPRINT");

	if (o->ca_file || o->fingerprint) {
		ca = o->ca_file;
		fingerprint = o->fingerprint;
	} else if (!ca && !fingerprint && l) {
		ca = l->ca_file;
		memcpy(s->remote.key, l->key, sizeof(l->key));
	}
	int rc = fingerprint ? fl_remote_fingerprint(fingerprint, s->remote.fingerprint, err) : 0;
	return rc < 0 ? rc : copy(ca, &s->ca_file, err);
}

static int choose_token(const struct fl_options *o, struct fl_server_choice *s,
			const struct fl_login *l, fairlead_error *err)
{
	const char *file = o->token_file ? o->token_file : variable("FAIRLEAD_TOKEN_FILE");

	if (!file && l && l->token)
		return copy(l->token, &s->token, err);
	if (!file && l)
		file = l->token_file;
	return file ? fl_token_file_read(file, &s->token, err) : 0;
}

/* Options about a server where none is asked. */
static int check_options(const struct fl_options *o, fairlead_error *err)
{
	const char *name = o->token_file  ? "--token-file" :
			   o->ca_file     ? "--ca-file" :
			   o->fingerprint ? "--server-fingerprint" :
					    NULL;

	if (!name)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT,
		"%s is about a server, and the socket of this machine is asked", name);
	return fl_fail_hint(err, "give --server URL as well, or set FAIRLEAD_SERVER");
}

int fl_server_choose(const struct fl_options *o, struct fl_server_choice *ret, fairlead_error *err)
{
	bool needs_login = !o->socket && (o->server || !variable("FAIRLEAD_SOCKET"));
	struct fl_server_choice s = { 0 };
	struct fl_login login = { 0 };
	int rc = needs_login ? fl_login_read(&login, err) : 0;

	if (rc == 0)
		rc = choose_place(o, &s, &login, err);
	if (rc == 0 && !*s.remote.url) {
		rc = check_options(o, err);
	} else if (rc == 0) {
		const struct fl_login *of_it = strcmp(login.url, s.remote.url) == 0 ? &login : NULL;

		rc = choose_trust(o, &s, of_it, err);
		if (rc == 0)
			rc = choose_token(o, &s, of_it, err);
	}
	s.remote.token = s.token;
	s.remote.ca_file = s.ca_file;
	fl_login_done(&login);
	if (rc == 0)
		*ret = s;
	else
		fl_server_done(&s);
	return rc;
}

bool fl_server_is_remote(const struct fl_options *o)
{
	fairlead_error unused = { 0 };
	struct fl_server_choice s;

	if (fl_server_choose(o, &s, &unused) < 0)
		return false;
	fl_server_done(&s);
	return *s.remote.url;
}

void fl_server_done(struct fl_server_choice *s)
{
	fl_secret_free(s->token);
	free(s->ca_file);
	s->token = s->ca_file = NULL;
}
