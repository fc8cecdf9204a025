/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alike - how many jobs that have not ended have the same user and name, and how many of them are
 * singletons
 *
 * By a hash of the name beside the user: two names of one user that collide, once in 2^64, would
 * wait for each other.  O(1) each; memory: one row for each user and name of jobs that have not
 * ended.
 */
#ifndef FL_DAEMON_ENGINE_ALIKE_H
#define FL_DAEMON_ENGINE_ALIKE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/ids.h"

struct fl_alike_row {
	uint64_t name;
	uint32_t user;
	uint32_t n, singletons; /* n 0: the slot is free */
	uint64_t since;         /* none of them has a lower number */
};

struct fl_alike {
	struct fl_alike_row *rows;
	uint32_t slots, used;
};

/* Hash of the name of a job; 0: it has none. */
uint64_t fl_alike_name(const char *name);

void fl_alike_done(struct fl_alike *a);
/* Makes room for one more, so that adding it cannot fail. FAIRLEAD_ENOMEM. */
int fl_alike_reserve(struct fl_alike *a, fairlead_error *err);
void fl_alike_add(struct fl_alike *a, struct fl_sym user, uint64_t name, uint64_t job,
		  bool singleton);
void fl_alike_drop(struct fl_alike *a, struct fl_sym user, uint64_t name, bool singleton);
/* Zeros: there is none. */
struct fl_alike_row fl_alike_find(const struct fl_alike *a, struct fl_sym user, uint64_t name);

/* Notes that none of them has a number below @job. */
void fl_alike_note(struct fl_alike *a, struct fl_sym user, uint64_t name, uint64_t job);

#endif
