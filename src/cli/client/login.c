/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/login.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/out_file.h"
#include "input/input.h"

enum { MOST = 1 << 16 }; /* bytes of the file */

/* --- files that only this user can read --- */

char *fl_secret_free(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
	return NULL;
}

/* What is wrong with the file. A pipe could be read once only, and a verb may read it again. */
static int check_private(const char *path, const struct stat *st, fairlead_error *err)
{
	if (!S_ISREG(st->st_mode)) {
		fl_fail(err, FAIRLEAD_EINPUT, "this is not a regular file");
		fl_fail_hint(err, "'fairlead login URL' reads a token from standard input, too");
		return fl_fail_in(err, "%s", path);
	}
	if (st->st_uid != geteuid()) {
		fl_fail(err, FAIRLEAD_EINPUT, "the file belongs to another user");
		fl_fail_hint(err, "a token is a secret of one user: use a file of your own");
		return fl_fail_in(err, "%s", path);
	}
	if (st->st_mode & 077) {
		fl_fail(err, FAIRLEAD_EINPUT,
			"others may read or write this file: its mode is %04o",
			st->st_mode & 07777U);
		fl_fail_hint(err, "chmod 600 %s", path);
		return fl_fail_in(err, "%s", path);
	}
	return 0;
}

static int fail_system(const char *path, fairlead_error *err)
{
	char text[128];

	fl_fail(err, FAIRLEAD_EINPUT, "%s", fl_system_text(errno, text));
	return fl_fail_in(err, "%s", path);
}

static int read_bytes(int fd, const char *path, char **ret, size_t *ret_len, fairlead_error *err)
{
	char *text = malloc(MOST + 1);
	size_t len = 0;
	ssize_t n = 1;

	if (!text)
		return fl_fail_nomem(err);
	while (len <= MOST && (n = read(fd, text + len, MOST + 1 - len)) != 0) {
		if (n < 0 && errno != EINTR)
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	text[len <= MOST ? len : MOST] = '\0';
	if (n < 0 || len > MOST) {
		fl_secret_free(text);
		if (n < 0)
			return fail_system(path, err);
		fl_fail(err, FAIRLEAD_EINPUT, "the file is too large: it has more than %d bytes",
			MOST);
		return fl_fail_in(err, "%s", path);
	}
	*ret = text;
	*ret_len = len;
	return 0;
}

int fl_private_read(const char *path, char **ret, size_t *ret_len, bool *ret_missing,
		    fairlead_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), rc;
	struct stat st;

	*ret_missing = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
	if (fd < 0)
		return fail_system(path, err);
	rc = fstat(fd, &st) == 0 ? check_private(path, &st, err) : fail_system(path, err);
	if (rc == 0)
		rc = read_bytes(fd, path, ret, ret_len, err);
	close(fd);
	return rc;
}

int fl_token_file_read(const char *path, char **ret, fairlead_error *err)
{
	char *text = NULL;
	bool missing;
	size_t len;
	int rc = fl_private_read(path, &text, &len, &missing, err);

	if (rc == 0) {
		rc = fl_remote_token(text, len, err);
		if (rc < 0)
			fl_fail_in(err, "%s", path);
	} else if (missing) {
		fl_fail_hint(err, "it is to have the token that 'fairlead token create' printed");
	}
	if (rc == 0)
		*ret = text;
	else
		fl_secret_free(text);
	return rc;
}

/* --- the file of login --- */

/* NULL: no memory, or no folder; no folder is no error. */
static char *find_path(bool *ret_failed)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int n = 0;

	if (config && *config == '/')
		n = asprintf(&path, "%s/fairlead/server.json", config);
	else if (home && *home == '/')
		n = asprintf(&path, "%s/.config/fairlead/server.json", home);
	*ret_failed = n < 0;
	return n > 0 ? path : NULL;
}

/* A text of the file; false: it is of another kind, or there is no memory. */
static bool take_text(const json_t *json, const char *key, char **ret)
{
	const json_t *value = json_object_get(json, key);

	if (!value)
		return true;
	*ret = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
	return *ret;
}

static bool take_fields(const json_t *json, struct fl_login *l)
{
	const char *url = json_string_value(json_object_get(json, "server"));
	const json_t *member = json_object_get(json, "key");
	const char *key = json_string_value(member);

	if (!url || fl_remote_url(url, l->url, /* err= */ NULL) != 0)
		return false;
	if (member && (!key || !fl_remote_is_key(key)))
		return false;
	snprintf(l->key, sizeof(l->key), "%s", key ? key : "");
	return take_text(json, "token", &l->token) && take_text(json, "caFile", &l->ca_file) &&
	       take_text(json, "tokenFile", &l->token_file) &&
	       (!l->token || fl_remote_token(l->token, strlen(l->token), NULL) == 0);
}

int fl_login_read(struct fl_login *ret, fairlead_error *err)
{
	bool failed, missing;
	char *text = NULL;
	size_t len;

	*ret = (struct fl_login){ .path = find_path(&failed) };
	if (!ret->path)
		return failed ? fl_fail_nomem(err) : 0;
	int rc = fl_private_read(ret->path, &text, &len, &missing, err);
	if (rc < 0)
		return missing ? 0 : rc;
	json_t *json = json_loadb(text, len, 0, NULL);
	if (!take_fields(json, ret)) {
		fl_fail(err, FAIRLEAD_EINPUT, "this is not what 'fairlead login' writes");
		fl_fail_hint(err,
			     "'fairlead login URL' writes it again, 'fairlead logout' removes it");
		rc = fl_fail_in(err, "%s", ret->path);
	}
	json_decref(json);
	fl_secret_free(text);
	return rc;
}

/* NULL: not there. False: no memory, or not UTF-8. */
static bool put_text(json_t *json, const char *key, const char *value)
{
	return !value || !*value || json_object_set_new(json, key, json_string(value)) == 0;
}

static json_t *to_json(const struct fl_login *l)
{
	json_t *json = json_object();

	if (json && put_text(json, "server", l->url) && put_text(json, "token", l->token) &&
	    put_text(json, "tokenFile", l->token_file) && put_text(json, "caFile", l->ca_file) &&
	    put_text(json, "key", l->key))
		return json;
	json_decref(json);
	return NULL;
}

/* The folders that the file is in, the user's alone where they are new. */
static int make_folders(char *path, fairlead_error *err)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		int rc = mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : fail_system(path, err);
		*at = '/';
		if (rc < 0)
			return rc;
	}
	return 0;
}

int fl_login_write(const struct fl_login *l, fairlead_error *err)
{
	struct fl_out_file file = { 0 };
	mode_t mask;
	int rc;

	if (!l->path) {
		fl_fail(err, FAIRLEAD_EINPUT, "there is no folder for your configuration");
		return fl_fail_hint(err, "set HOME, or XDG_CONFIG_HOME");
	}
	json_t *json = to_json(l);
	if (!json)
		return fl_fail_nomem(err);
	mask = umask(077); /* out_file gives the mode that it leaves */
	rc = make_folders(l->path, err);
	if (rc == 0)
		rc = fl_out_file_open(&file, l->path, err);
	if (rc == 0) {
		rc = json_dumpf(json, file.out, JSON_INDENT(2)) < 0 ? fl_fail_nomem(err) : 0;
		putc('\n', file.out);
		if (rc == 0)
			rc = fl_out_file_finish(&file, err);
	}
	if (rc == 0)
		rc = fl_out_file_place(&file, err);
	fl_out_file_done(&file);
	umask(mask);
	json_decref(json);
	return rc;
}

void fl_login_done(struct fl_login *l)
{
	free(l->path);
	fl_secret_free(l->token);
	free(l->token_file);
	free(l->ca_file);
	*l = (struct fl_login){ 0 };
}
