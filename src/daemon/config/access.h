/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access - what each user may do
 *
 * The caller is a uid that the kernel gave; names of the configuration become numbers when they are
 * needed, and are looked up again after 10 seconds: a user that joins a group or leaves it needs no
 * reload.  If a look-up fails, access is denied.
 *
 * All users see all jobs, with owner and requests.  The command, the environment and the output of
 * a job are for its owner and admins.
 *
 * A daemon that does not run as root can run jobs as its own user only, so it takes no job of
 * another user.
 */
#ifndef FL_DAEMON_CONFIG_ACCESS_H
#define FL_DAEMON_CONFIG_ACCESS_H

#include "daemon/config/accounts.h"
#include "daemon/config/config_warn.h"
#include "net/server.h"

struct fl_access;

/* @own: the user that the daemon runs as.  @config and @accounts must outlive it. */
int fl_access_new(const struct fl_config *config, const struct fl_accounts *accounts, uid_t own,
		  struct fl_access **ret, fairlead_error *err);
struct fl_access *fl_access_free(struct fl_access *a);

/* Warns of named users and groups that do not exist, a line each: it may be a typing error. */
void fl_access_warn(const struct fl_config *config, const struct fl_accounts *accounts,
		    fl_config_say *say, void *user);

/*
 * The user that a new connection counts for: all numbers of a user's range (subuid) count as that
 * user, and all numbers without account and range count as one user.  A user without account is a
 * stranger, unless the configuration admits such users.
 */
void fl_access_meet(struct fl_access *a, uid_t uid, gid_t gid, struct fl_guest *ret);

/* Root, the user of the daemon, and the admins of the configuration. */
bool fl_access_is_admin(struct fl_access *a, uid_t uid, gid_t gid);
/* To a queue as fl_config_queue resolves it.  False: *err says why, code FAIRLEAD_ESTATE. */
bool fl_access_may_submit(struct fl_access *a, uid_t uid, gid_t gid, const char *namespace,
			  const char *queue, fairlead_error *err);
/* Change a job of @owner, read what it runs and what it wrote. */
bool fl_access_may_touch(struct fl_access *a, uid_t uid, gid_t gid, uid_t owner);

/* The name of a user, or its number; valid until the next call. */
const char *fl_access_user(struct fl_access *a, uid_t uid);

#endif
