/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint - images of the policy, in files beside the database */
#ifndef FL_STORE_CHECKPOINT_H
#define FL_STORE_CHECKPOINT_H

#include "store/database.h"

/* The row of the database; number 0: there is none. */
struct fl_checkpoint {
	uint64_t seq, number, size;
	int64_t sum;
};
enum { FL_CHECKPOINT_NAME = 64 };
int fl_checkpoint_read(struct fl_db *db, struct fl_checkpoint *ret, fairlead_error *err);
void fl_checkpoint_name(char ret[FL_CHECKPOINT_NAME], const struct fl_checkpoint *c);
/* The size and checksum of a file, from the present position of @fd. */
int fl_checkpoint_sum(int fd, uint64_t *ret_size, int64_t *ret_sum);
/*
 * The image that @db names, open; -1 and number 0 when there is none; 1: it was removed at this
 * moment.
 */
int fl_checkpoint_open(const struct fl_store *s, struct fl_db *db, struct fl_checkpoint *ret,
		       int *ret_fd, fairlead_error *err);
enum { FL_CHECKPOINT_TRIES = 10 };
/* It was removed again and again, so it is missing. FAIRLEAD_EINPUT. */
int fl_checkpoint_gone(const struct fl_store *s, const struct fl_checkpoint *c,
		       fairlead_error *err);
/* Calls @fn for each image, found by its name; a value other than 0 of @fn ends it. */
int fl_checkpoint_each(int folder, const char *path,
		       int (*fn)(void *user, const struct fl_checkpoint *c, fairlead_error *err),
		       void *user, fairlead_error *err);
/*
 * Removes images other than that of the database, which a kill has left; one of a row after the
 * journal's last proves that rows were lost: FAIRLEAD_EINPUT. @look: only checks.
 */
int fl_checkpoint_recover(struct fl_store *s, struct fl_db *db, bool look, fairlead_error *err);

#endif
