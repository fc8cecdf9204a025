/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access - what each principal may do
 *
 * The caller is a principal that the door made.  It may do what its account may, but no more than
 * its role and kind say (fl_principal_most).
 *
 * Names of the configuration become numbers when they are needed, and are looked up again after 10
 * seconds: a user that joins a group or leaves it needs no reload.  If a look-up fails, access is
 * denied.
 *
 * All users see all jobs, with owner and requests.  The command, the environment and the output of
 * a job are for its owner and admins.
 *
 * A token acts for the user that it was made for, as long as that account is there and has the same
 * name.  It may submit to the queues that it names, or, if it names none, to all of its user; and what
 * is for the owner of a job it may do with jobs of its user in these queues only.
 *
 * A daemon that root has not started can run jobs as its own user only, so it takes no job of another
 * user.
 */
#ifndef FL_DAEMON_CONFIG_ACCESS_H
#define FL_DAEMON_CONFIG_ACCESS_H

#include "base/principal.h"
#include "daemon/config/accounts.h"
#include "daemon/config/config_warn.h"
#include "net/server.h"

struct fl_access;

/* Whose jobs can be run. */
struct fl_access_runs {
	uid_t own;         /* the user that the daemon runs as: its own, if `all` is false */
	bool all;          /* a daemon that root has started: */
	uid_t first, last; /* those of these users */
	bool root;         /* and of root */
};

/* The queues that a token names, "namespace/name" with a blank between; NULL: all of its user. */
typedef const char *fl_access_queues(void *user, const struct fl_principal *token);

/* @config and @accounts must outlive it. */
int fl_access_new(const struct fl_config *config, const struct fl_accounts *accounts,
		  const struct fl_access_runs *runs, struct fl_access **ret, fairlead_error *err);
struct fl_access *fl_access_free(struct fl_access *a);

/* Without it no token may use a queue. */
void fl_access_ask_tokens(struct fl_access *a, fl_access_queues *queues, void *user);

/* Warns of named users and groups that do not exist, a line each: it may be a typing error. */
void fl_access_warn(const struct fl_config *config, const struct fl_accounts *accounts,
		    fl_config_say *say, void *user);

/*
 * The payer of a new connection is the principal that @who acts for; all numbers of a user's range
 * (subuid) count as that user, and all numbers without account and range count as one user.  A user
 * without account is a stranger, unless the configuration admits such users.
 */
void fl_access_meet(struct fl_access *a, const struct fl_principal *who, struct fl_guest *ret);

/*
 * FL_RANK_ROOT: root and the user of the daemon; FL_RANK_ADMIN: the admins of the configuration;
 * FL_RANK_USER: other users.  Lower when @who may do no more than its role and kind say.
 */
enum fl_rank fl_access_rank(struct fl_access *a, const struct fl_principal *who);
/* Has @who rank @least, which is FL_RANK_ADMIN at most?  False: *err says why, FAIRLEAD_ESTATE. */
bool fl_access_may(struct fl_access *a, const struct fl_principal *who, enum fl_rank least,
		   fairlead_error *err);
/* To a queue as fl_config_queue resolves it.  False: *err says why, code FAIRLEAD_ESTATE. */
bool fl_access_may_submit(struct fl_access *a, const struct fl_principal *who,
			  const char *namespace, const char *queue, fairlead_error *err);
/*
 * Change a job of @owner, read what it runs and what it wrote.  @namespace and @queue: that it was
 * submitted to; NULL: there is no such queue any more.
 */
bool fl_access_may_touch(struct fl_access *a, const struct fl_principal *who,
			 const struct fl_principal *owner, const char *namespace,
			 const char *queue);
/*
 * Is there still the account @name that a token acts for, with its number, and may tokens act for it
 * here?  Then its group is filled in.
 */
bool fl_access_find_account(struct fl_access *a, struct fl_principal *token, const char *name);

/* Of a user whose name is @name, or a number that has no account; false: there is none. */
bool fl_access_user(struct fl_access *a, const char *name, struct fl_principal *ret);
/*
 * May @who make a token that acts for @owner with this role?  False: *err says why, FAIRLEAD_ESTATE.
 */
bool fl_access_may_make_token(struct fl_access *a, const struct fl_principal *who,
			      const struct fl_principal *owner, enum fl_rank role,
			      fairlead_error *err);

/* As the audit log has it; for an unknown user the number.  Valid until the next call. */
const char *fl_access_name(struct fl_access *a, const struct fl_principal *who);

#endif
