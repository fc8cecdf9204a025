/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config_user.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kube/credentials_kept.h"

#define TO(field) offsetof(struct fl_kube_config, field)

static const struct fl_said_field user_fields[] = {
	{ "client-certificate", FL_SAID_PATH, TO(certificate.file) },
	{ "client-certificate-data", FL_SAID_BYTES, TO(certificate) },
	{ "client-key", FL_SAID_PATH, TO(key.file) },
	{ "client-key-data", FL_SAID_BYTES, TO(key) },
	{ "token", FL_SAID_TEXT, TO(token) },
	{ "tokenFile", FL_SAID_PATH, TO(token_file) },
	{ "username", FL_SAID_TEXT, TO(user) },
	{ "password", FL_SAID_TEXT, TO(password) },
	{ 0 },
};

static int wrong(struct fl_said user, const char *field, fairlead_error *err, const char *text)
{
	struct fl_said at = fl_said_get(user, field);

	return fl_said_wrong(fl_said_is(at) ? at : user, FAIRLEAD_EINPUT, err, "%s", text);
}

int fl_kube_check_pem(struct fl_said map, const char *field, const struct fl_kube_pem *pem,
		      fairlead_error *err)
{
	if (pem->file && pem->bytes) {
		wrong(map, field, err, "a file, and its data beside it");
		return fl_fail_hint(err, "leave one of %s and %s-data out", field, field);
	}
	if (pem->file && access(pem->file, R_OK) != 0)
		return fl_said_wrong(fl_said_get(map, field), FAIRLEAD_EIO, err,
				     "%.300s cannot be read: %s", pem->file, strerror(errno));
	return 0;
}

/* --- as another user --- */

/* Bytes of an HTTP header's name; others, and '%', are written %XX, as the API server reads them. */
static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("!#$&'*+-.^_`|~", c));
}

static const char *escape(struct fl_arena *arena, const char *key, fairlead_error *err)
{
	char *ret = fl_arena_alloc(arena, 3 * strlen(key) + 1, 1, err), *at = ret;

	for (; ret && *key; key++)
		if (is_plain(*key))
			*at++ = *key;
		else
			at += sprintf(at, "%%%02X", (unsigned char)*key);
	return ret;
}

/* Adds "NAME: text" for each text of @list. */
static int add_headers(struct fl_kube_config *c, const char ***headers, const char *name,
		       const char *const *texts, uint32_t n, fairlead_error *err)
{
	const char **grown;

	if (!FL_NEW(&c->arena, grown, (size_t)c->n_headers + n + 1, err))
		return FAIRLEAD_ENOMEM;
	if (c->n_headers)
		memcpy(grown, *headers, c->n_headers * sizeof *grown);
	*headers = grown;
	c->headers = grown;
	for (uint32_t i = 0; i < n; i++) {
		grown[c->n_headers] = fl_kube_print(&c->arena, err, "Impersonate-%s: %s", name,
						    texts[i]);
		if (!grown[c->n_headers++])
			return FAIRLEAD_ENOMEM;
	}
	return 0;
}

static int add_list(struct fl_kube_config *c, const char ***headers, const char *name,
		    struct fl_said list, fairlead_error *err)
{
	const char **texts;
	uint32_t n = 0;
	int rc = fl_said_texts(list, &c->arena, &texts, &n, err);

	return rc == 0 && n ? add_headers(c, headers, name, texts, n, err) : rc;
}

static int add_extra(struct fl_kube_config *c, const char ***headers, struct fl_said extra,
		     fairlead_error *err)
{
	const struct fl_doc *doc = &extra.file->doc;
	int rc = 0;

	if (!fl_said_is(extra))
		return 0;
	if (doc->values[extra.v].kind != FL_TOKEN_MAP)
		return fl_said_wrong(extra, FAIRLEAD_EINPUT, err, "is not a map");
	for (uint32_t key = extra.v + 1; key < doc->values[extra.v].next && rc == 0;
	     key = doc->values[key].next) {
		const char *escaped = escape(&c->arena, fl_doc_text(doc, key), err);
		const char *name = escaped ? fl_kube_print(&c->arena, err, "Extra-%s", escaped) :
					     NULL;

		rc = !name ? FAIRLEAD_ENOMEM :
			     add_list(c, headers, name, (struct fl_said){ extra.file, key + 1 },
				      err);
	}
	return rc;
}

struct as {
	const char *name, *uid;
};

static const struct fl_said_field as_fields[] = {
	{ "as", FL_SAID_TEXT, offsetof(struct as, name) },
	{ "as-uid", FL_SAID_TEXT, offsetof(struct as, uid) },
	{ 0 },
};

static int read_as(struct fl_kube_config *c, struct fl_said user, fairlead_error *err)
{
	static const char *const more[] = { "as-uid", "as-groups", "as-user-extra" };
	struct as as = { 0 };
	const char **headers = NULL;
	int rc = fl_said_fields(user, as_fields, &as, &c->arena, err);

	for (size_t i = 0; rc == 0 && !as.name && i < sizeof more / sizeof *more; i++)
		if (fl_said_is(fl_said_get(user, more[i])))
			return wrong(user, more[i], err, "needs 'as', the name of a user");
	if (rc == 0 && as.name)
		rc = add_headers(c, &headers, "User", &as.name, 1, err);
	if (rc == 0 && as.uid)
		rc = add_headers(c, &headers, "Uid", &as.uid, 1, err);
	if (rc == 0)
		rc = add_list(c, &headers, "Group", fl_said_get(user, "as-groups"), err);
	return rc < 0 ? rc : add_extra(c, &headers, fl_said_get(user, "as-user-extra"), err);
}

/* --- the user --- */

static int check_user(const struct fl_kube_config *c, struct fl_said user, fairlead_error *err)
{
	bool exec = fl_said_is(fl_said_get(user, "exec"));

	if (fl_said_is(fl_said_get(user, "auth-provider"))) {
		wrong(user, "auth-provider", err,
		      "plugins inside of kubectl were removed in Kubernetes 1.26");
		return fl_fail_hint(err,
				    "let your cloud's tool write the user again, with 'exec' in "
				    "its place");
	}
	if (c->token && !fl_kube_is_token(c->token, strlen(c->token)))
		return wrong(user, "token", err, "is not a token");
	if (c->user && strchr(c->user, ':'))
		return wrong(user, "username", err, "has a ':', which ends a name");
	if ((c->token || c->token_file) && (c->user || c->password))
		return wrong(user, "username", err, "a token and a password: only one counts");
	if (exec && (c->token || c->token_file || c->user || c->password))
		return wrong(user, "exec", err, "beside a token or password: only one counts");
	if (!(c->certificate.file || c->certificate.bytes) != !(c->key.file || c->key.bytes))
		return wrong(user, "client-certificate", err,
			     "client-certificate and client-key belong together: one is missing");
	return 0;
}

int fl_kube_read_user(struct fl_kube_config *c, struct fl_said user, fairlead_error *err)
{
	int rc = fl_said_fields(user, user_fields, c, &c->arena, err);

	if (rc == 0)
		rc = check_user(c, user, err);
	if (rc == 0)
		rc = fl_kube_check_pem(user, "client-certificate", &c->certificate, err);
	if (rc == 0)
		rc = fl_kube_check_pem(user, "client-key", &c->key, err);
	return rc < 0 ? rc : read_as(c, user, err);
}
