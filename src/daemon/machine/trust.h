/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust - folders that only root and the user of the daemon can change
 *
 * The state folder says which commands run as which user: a user that can write there, or put
 * another folder in its place, has the rights of the daemon.  So, as sshd's StrictModes does with
 * keys, the folder and all above it up to the root must belong to root or to the user of the
 * daemon, and must not be writable for other users.  A folder above may be writable for all users
 * if it is sticky, such as /tmp: there other users cannot rename or remove what belongs to us.
 *
 * Symbolic links in the path are followed if they are in such folders, and belong to us or root
 * themselves.  Access control lists (ACLs) are seen as far as the kernel shows them in the bits of
 * the group.
 */
#ifndef FL_DAEMON_MACHINE_TRUST_H
#define FL_DAEMON_MACHINE_TRUST_H

#include <sys/types.h>

#include "base/error.h"

enum { FL_TRUST_PATH = 4096 };

/* Root trusts the account of its daemon, too, whose backup it restores. */
void fl_trust_account(uid_t account);

/*
 * @ret: the absolute @path, with links resolved.  The last part may be missing: it will be made in
 * a folder that is trusted.  FAIRLEAD_EIO: it is not trusted, or cannot be checked; with a hint
 * what to do.
 */
int fl_trust_path(const char *path, char ret[FL_TRUST_PATH], fairlead_error *err);
/* Checks the files and folders in it, if it exists, but not the contents of these folders. */
int fl_trust_entries(const char *path, fairlead_error *err);

/*
 * For a state that says nothing about commands (a history): only the folder itself is checked, if it
 * exists, since those above a volume of a pod are not ours.  @ret: as fl_trust_path.
 */
int fl_trust_folder(const char *path, char ret[FL_TRUST_PATH], fairlead_error *err);

#endif
