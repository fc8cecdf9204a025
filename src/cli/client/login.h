/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login - what `fairlead login` keeps of a server: one file of the user's configuration
 *
 *   $XDG_CONFIG_HOME/fairlead/server.json, or ~/.config/fairlead/server.json
 *   {"server": URL, "token": SECRET | "tokenFile": PATH, "caFile": PATH, "key": "sha256//..."}
 *
 * The address and the token are in one file that is replaced as a whole, so that the token of one server
 * never goes to another.
 */
#ifndef FL_CLI_CLIENT_LOGIN_H
#define FL_CLI_CLIENT_LOGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "net/remote.h"

struct fl_login {
	char *path;                         /* of the file; NULL: this user has no folder for it */
	char url[FL_REMOTE_URL];            /* "": there was no login */
	char *token, *token_file, *ca_file; /* NULL: not given */
	char key[FL_REMOTE_KEY];            /* of the server; "": not confirmed */
};

/* No file is no error.  FAIRLEAD_EINPUT: it is not one of these, or others may read it. */
int fl_login_read(struct fl_login *ret, fairlead_error *err);
/* Into l->path, as fl_login_read has set it, also after an error. */
int fl_login_write(const struct fl_login *l, fairlead_error *err);
void fl_login_done(struct fl_login *l);

/*
 * All of a small file that only this user can read; from malloc, ended by a NUL.  FAIRLEAD_EINPUT: it
 * belongs to another user, others may read or write it, it is too large, or not there: *ret_missing.
 */
int fl_private_read(const char *path, char **ret, size_t *ret_len, bool *ret_missing,
		    fairlead_error *err);
/* The token in a file, from malloc. */
int fl_token_file_read(const char *path, char **ret, fairlead_error *err);
/* Overwrites a secret, and frees it. Returns NULL. */
char *fl_secret_free(char *text);

#endif
