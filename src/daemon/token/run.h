/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run - the token that identifies a run among all others, made from data of the database
 *
 * A keyed hash of job, attempt and time of submission, with a secret of the database: so no column
 * is needed, a restored database can make the tokens of its runs, and a job that gets a number
 * again, or the same number in another database, has other tokens.  Without the secret no valid
 * token can be made.
 */
#ifndef FL_DAEMON_TOKEN_RUN_H
#define FL_DAEMON_TOKEN_RUN_H

#include "backend/backend.h"

struct fl_token_key {
	uint64_t half[2];
};

/* A new random key. FAIRLEAD_EIO: the system gives no random numbers. */
int fl_token_draw(struct fl_token_key *ret, fairlead_error *err);
/* As text, and back; false: not a token. */
void fl_token_spell(const struct fl_token_key *key, char ret[FL_RUN_TOKEN]);
bool fl_token_read(const char *text, struct fl_token_key *ret);

void fl_token_of(const struct fl_token_key *key, uint64_t job, uint32_t attempt, fl_time submitted,
		 char ret[FL_RUN_TOKEN]);

#endif
