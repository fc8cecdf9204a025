/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table - what a spawner does for its daemon, agreed when both were started, and never more
 *
 * An attacker that takes over the daemon can have runs started for the users of the table, which the
 * daemon may anyway, and processes of these users ended; nothing for any other user, root above all unless
 * root said so at the start.
 */
#ifndef FL_BACKEND_SPAWN_TABLE_H
#define FL_BACKEND_SPAWN_TABLE_H

#include <stdbool.h>
#include <sys/types.h>

#include "backend/spawn/records.h"

struct fl_spawn_table {
	uid_t account; /* of the daemon: no run is its own */
	gid_t group;
	uid_t first, last;  /* users whose runs it starts, */
	bool root;          /* and root */
	const char *runner; /* absolute: the one program that is started */
	const char *state;  /* folder, for people that list processes; it is not opened */
	const char *socket; /* file that is removed at the end; "": none */
};

/* From the arguments of the program. false: they are no such table. */
bool fl_spawn_table_read(int argc, char **argv, struct fl_spawn_table *ret);

/* May runs of that user be started, signalled and ended? */
bool fl_spawn_may(const struct fl_spawn_table *t, uid_t uid);
/* Does the request name a user? */
bool fl_spawn_is_of_user(const struct fl_spawn_request *r);
/* Is each number of the request what it can be? @n_files: FL_SPAWN_LACKS: not known. */
enum { FL_SPAWN_LACKS = -1 };
bool fl_spawn_is_sound(const struct fl_spawn_request *r, size_t n_bytes, int n_files);

#endif
