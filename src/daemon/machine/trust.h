/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust - folders that nobody but root and we can change
 *
 * What stands in the state folder is run, as whichever user it says: who can write there, or put
 * another folder in its place, has the rights of the daemon.  So, as sshd's StrictModes does with
 * keys, the folder and all above it up to the root must belong to root or to whom the daemon runs
 * as, and nobody else may write to them.  A folder above may be written to by everybody if it is
 * sticky, such as /tmp: what belongs to us there nobody else renames or removes.
 *
 * Symbolic links on the way are followed where they stand in folders that are so, and belong to
 * us or root themselves.  Lists of access (ACLs) are seen as far as the kernel shows them in
 * the bits of the group.
 */
#ifndef FL_DAEMON_MACHINE_TRUST_H
#define FL_DAEMON_MACHINE_TRUST_H

#include "base/error.h"

enum { FL_TRUST_PATH = 4096 };

/*
 * @path from the root, with links resolved, in @ret.  The last part may be missing: whoever makes it
 * makes it in a folder that is trusted.  FAIRLEAD_EIO: it is not, or cannot be looked at; with what
 * to do about it.
 */
int fl_trust_path(const char *path, char ret[FL_TRUST_PATH], fairlead_error *err);
/* The files and folders in it, as far as there is one: not what is in these. */
int fl_trust_entries(const char *path, fairlead_error *err);

#endif
