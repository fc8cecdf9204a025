/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access - who may do what
 *
 * Who calls is a number that the kernel gave; names of the configuration become numbers when they
 * are needed, and are asked for again after some seconds: whoever comes into a group or leaves it
 * needs no reload.  What cannot be found out is a no.
 *
 * Everybody sees that there are jobs, whose they are and what they ask for.  What a job runs, with
 * which environment, and what it wrote is for its owner and admins.
 *
 * A daemon that is not root's can run jobs as its own user alone; so it takes nobody else's.
 */
#ifndef FL_DAEMON_CONFIG_ACCESS_H
#define FL_DAEMON_CONFIG_ACCESS_H

#include "daemon/config/accounts.h"
#include "daemon/config/config_warn.h"
#include "net/server.h"

struct fl_access;

/* @own: as whom the daemon runs.  @config and @accounts must outlive it. */
int fl_access_new(const struct fl_config *config, const struct fl_accounts *accounts, uid_t own,
		  struct fl_access **ret, fairlead_error *err);
struct fl_access *fl_access_free(struct fl_access *a);

/* Users and groups that are named and that there are not, a line each: it may be a slip. */
void fl_access_warn(const struct fl_config *config, const struct fl_accounts *accounts,
		    fl_config_say *say, void *user);

/*
 * Who somebody is at the door: all numbers of one user's range are that user, and all who have no
 * account and are in no range are one.  Without an account one is a stranger, unless the
 * configuration lets them in.
 */
void fl_access_meet(struct fl_access *a, uid_t uid, gid_t gid, struct fl_guest *ret);

/* Root, who started the daemon, and whom the configuration names. */
bool fl_access_is_admin(struct fl_access *a, uid_t uid, gid_t gid);
/* To a queue as fl_config_queue says it.  False: *err says why, code FAIRLEAD_ESTATE. */
bool fl_access_may_submit(struct fl_access *a, uid_t uid, gid_t gid, const char *namespace,
			  const char *queue, fairlead_error *err);
/* Change a job of @owner, read what it runs and what it wrote. */
bool fl_access_may_touch(struct fl_access *a, uid_t uid, gid_t gid, uid_t owner);

/* The name of a user, or its number; valid until the next call. */
const char *fl_access_user(struct fl_access *a, uid_t uid);

#endif
