/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account - the user that a daemon becomes when root has started it
 *
 * The daemon decides, stores and answers; all this it does as an account of its own, without
 * privileges.  What needs root is done by fairlead-spawn, which was started before
 * (backend/spawn/main.c).
 */
#ifndef FL_DAEMON_START_ACCOUNT_H
#define FL_DAEMON_START_ACCOUNT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define FL_ACCOUNT_NAME "fairlead"
/* Where there is no account of that name: a number that no account has. */
enum { FL_ACCOUNT_NUMBER = 64733 };

struct fl_account {
	uid_t uid;
	gid_t gid;
	bool named; /* false: FL_ACCOUNT_NUMBER */
};

/* @name NULL: FL_ACCOUNT_NAME, or the number. FAIRLEAD_EINPUT: there is no such account. */
int fl_account_find(const char *name, struct fl_account *ret, fairlead_error *err);

/* This process becomes that user for good, without groups and privileges. */
int fl_account_become(const struct fl_account *a, fairlead_error *err);

/*
 * The state folder, which root has made or a daemon of root has used, becomes its own with all that is
 * in it; one that is its own already is left as it is.  Made if it is missing.
 */
int fl_account_take(const struct fl_account *a, const char *state, fairlead_error *err);

#endif
