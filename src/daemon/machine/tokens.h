/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens - what programs prove with that they act for a user of this machine
 *
 * Guarantees: a token that was told is durable, and so is that one was revoked.  One that is not
 * valid costs no disk.  All of them are in memory, also those that have ended, until the database
 * forgets them (expiry, as for jobs).  When a token was last used is known by the hour, and is
 * written with the batch that comes next.
 *
 * Times are the daemon's: a token that lasts 90 days is in use for so long, whatever is done to the
 * wall clock.
 */
#ifndef FL_DAEMON_MACHINE_TOKENS_H
#define FL_DAEMON_MACHINE_TOKENS_H

#include "base/principal.h"
#include "daemon/machine/core.h"
#include "daemon/token/secret.h"

enum {
	FL_TOKEN_QUEUES = 64,     /* that a token names, at most */
	FL_TOKENS = 10000,        /* in all, with those that have ended */
	FL_TOKENS_OF_USER = 1000, /* the same of one user */
	FL_TOKENS_IN_USE = 100,   /* of one user */
};
#define FL_TOKEN_LASTS (10 * 365 * (fl_time)86400 * FL_SECOND) /* at most */

struct fl_token_wish {
	const char *name;
	uid_t uid;
	const char *user; /* its name */
	enum fl_rank role;
	const char *queues; /* "namespace/name" with a blank between; NULL: all of its user */
	fl_time lasts;      /* 0: until it is revoked */
	const char *by;
};

/*
 * The caller has checked the rights of the one that asks.  *ret, and *ret_id, valid until @done is called, are to be told
 * only when @done tells of success.  FAIRLEAD_EINPUT: its name; ESTATE: the user has one of that
 * name; ELIMIT; EIO: and @done is not called.
 */
int fl_core_token_create(struct fl_core *c, const struct fl_token_wish *wish,
			 char ret[FL_TOKEN_TEXT], char ret_id[FL_TOKEN_ID], fl_reply_fn *done,
			 void *user, fairlead_error *err);
/* FAIRLEAD_ENOENT; ESTATE: it has ended; EIO: and @done is not called. */
int fl_core_token_revoke(struct fl_core *c, const char *id, const char *by, fl_reply_fn *done,
			 void *user, fairlead_error *err);

/*
 * The principal that the token @text stands for; its group is not known here (FL_NO_GROUP).
 * *ret_user: the name of its account when it was made.  FAIRLEAD_ENOENT: it is none; ESTATE: it has
 * expired, or was revoked.
 */
int fl_core_token_check(struct fl_core *c, const char *text, fl_time now, struct fl_principal *ret,
			const char **ret_user);

/* In the order of their ids, with those that have ended; a negative value of @fn ends it. */
int fl_core_tokens(const struct fl_core *c, fl_token_fn *fn, void *user, fairlead_error *err);
/* Has it ended by then? */
bool fl_token_is_over(const struct fl_token_row *token, fl_time now);
uint32_t fl_core_tokens_in_use(const struct fl_core *c);
/* Of the token that is in use and acts so; NULL: there is none any more. */
const struct fl_token_row *fl_core_token_of(const struct fl_core *c,
					    const struct fl_principal *who);

/* --- for the other files of machine --- */

struct fl_token_kept;
struct fl_tokens {
	struct fl_token_kept **rows; /* by id */
	uint32_t n, cap, n_dirty;
};

void fl_tokens_done(struct fl_tokens *t);
/* Those of the database. */
int fl_core_tokens_load(struct fl_core *c, fairlead_error *err);
/* Rows TOKEN_MADE and TOKEN_REVOKED; one that was applied before changes nothing. */
int fl_core_token_apply(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);
/* Adds those whose row in the store is outdated to the batch that is gathered. */
int fl_core_write_tokens(struct fl_core *c, fairlead_error *err);
/* Those that ended before it are forgotten. */
void fl_core_tokens_forget(struct fl_core *c, fl_time before);

#endif
