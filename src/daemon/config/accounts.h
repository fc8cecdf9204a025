/* SPDX-License-Identifier: Apache-2.0 */
/* accounts - users and groups as the system knows them */
#ifndef FL_DAEMON_CONFIG_ACCOUNTS_H
#define FL_DAEMON_CONFIG_ACCOUNTS_H

#include <sys/types.h>

#include "base/ids.h"

/* Names and numbers of accounts; 1: no such account, or the look-up failed. */
struct fl_accounts {
	int (*user_of)(void *user, const char *name, uid_t *ret);
	int (*group_of)(void *user, const char *name, gid_t *ret);
	int (*name_of)(void *user, uid_t uid, char *ret, size_t size);
	int (*first_group_of)(void *user, uid_t uid, gid_t *ret);
	/* All groups of a user but @gid; at most @room of them, *ret_n is how many. */
	int (*groups_of)(void *user, uid_t uid, gid_t gid, gid_t *ret, uint32_t room,
			 uint32_t *ret_n);
	/* The user in whose range of numbers it is: subuid(5). */
	int (*owner_of)(void *user, uid_t uid, uid_t *ret);
	fl_time (*now)(void *user); /* any monotonic clock */
	void *user;
};
extern const struct fl_accounts fl_accounts_system;
/* Of a file in the form of subuid(5); 1: in no range. */
int fl_accounts_owner(const char *file, uid_t uid, uid_t *ret);

#endif
