/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret - what a token for programs is: its words, and its secret
 *
 * A token is "fl_ID_SECRET": ID names it, and is not a secret; SECRET is 256 random bits.  It is told
 * once, when it is made, and kept nowhere: only the SHA-256 of SECRET is, from which it cannot be
 * found.  The token of a run (run.h) is something else.
 */
#ifndef FL_DAEMON_TOKEN_SECRET_H
#define FL_DAEMON_TOKEN_SECRET_H

#include <stdbool.h>

#include "base/error.h"
#include "base/principal.h"

enum {
	FL_TOKEN_ID = 10 + 1,
	FL_TOKEN_SECRET = 52 + 1,
	FL_TOKEN_TEXT = 3 + FL_TOKEN_ID + FL_TOKEN_SECRET, /* "fl_", ID, '_', SECRET, NUL */
	FL_TOKEN_HASH = 64 + 1,
	FL_TOKEN_NAME = 63 + 1,
};

/* "read", "submit", "admin"; NULL: no token has that. */
const char *fl_token_role(enum fl_rank rank);
/* The other way; FL_RANK_STRANGER: it is not one of them. */
enum fl_rank fl_token_rank(const char *role);
/* Letters, digits, '.', '-' and '_', 1 to 63, the first a letter or digit. */
bool fl_token_is_name(const char *name);

/* A new one for the id @id, and its hash.  FAIRLEAD_EIO: the system gives no random numbers. */
int fl_token_make(const char *id, char ret[FL_TOKEN_TEXT], char ret_hash[FL_TOKEN_HASH],
		  fairlead_error *err);
/* An id, which may be in use. */
int fl_token_make_id(char ret[FL_TOKEN_ID], fairlead_error *err);
/* The id of a text of this form; false: it has another. */
bool fl_token_id(const char *text, char ret[FL_TOKEN_ID]);
/*
 * Has the secret of @text, which has this form, that hash?  The time that it takes does not depend
 * on where they differ.
 */
bool fl_token_fits(const char *text, const char *hash);

#endif
