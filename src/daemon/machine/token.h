/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token - what tells a run from every other one, made of what the database knows of it
 *
 * A keyed hash of job, attempt and when the job was submitted, with a secret of the database: so no
 * column is needed, a restored database knows the tokens of its runs, and a job that gets a number
 * again, or the same number in another database, has others.  Who does not know the secret cannot
 * make one up.
 */
#ifndef FL_DAEMON_MACHINE_TOKEN_H
#define FL_DAEMON_MACHINE_TOKEN_H

#include "backend/backend.h"

struct fl_token_key {
	uint64_t half[2];
};

/* Drawn by the system. FAIRLEAD_EIO: it has none to give. */
int fl_token_draw(struct fl_token_key *ret, fairlead_error *err);
/* As text, and back; false: it is none. */
void fl_token_spell(const struct fl_token_key *key, char ret[FL_RUN_TOKEN]);
bool fl_token_read(const char *text, struct fl_token_key *ret);

void fl_token_of(const struct fl_token_key *key, uint64_t job, uint32_t attempt, fl_time submitted,
		 char ret[FL_RUN_TOKEN]);

#endif
