/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint - images of the policy, in files beside the database */
#ifndef FL_STORE_CHECKPOINT_H
#define FL_STORE_CHECKPOINT_H

#include "store/database.h"

/* As the database has it; number 0: there is none. */
struct fl_checkpoint {
	uint64_t seq, number, size;
	int64_t sum;
};
enum { FL_CHECKPOINT_NAME = 64 };
int fl_checkpoint_read(struct fl_db *db, struct fl_checkpoint *ret, fairlead_error *err);
void fl_checkpoint_name(char ret[FL_CHECKPOINT_NAME], const struct fl_checkpoint *c);
/* How long it is and what stands for its bytes; from where @fd stands on. */
int fl_checkpoint_sum(int fd, uint64_t *ret_size, int64_t *ret_sum);
/* The image that @db names, open; -1 and number 0 when there is none; 1: it has just gone. */
int fl_checkpoint_open(const struct fl_store *s, struct fl_db *db, struct fl_checkpoint *ret,
		       int *ret_fd, fairlead_error *err);
enum { FL_CHECKPOINT_TRIES = 10 };
/* It has gone that often. FAIRLEAD_EINPUT. */
int fl_checkpoint_gone(const struct fl_store *s, const struct fl_checkpoint *c,
		       fairlead_error *err);
/* By their names; a value other than 0 of @fn ends it. */
int fl_checkpoint_each(int folder, const char *path,
		       int (*fn)(void *user, const struct fl_checkpoint *c, fairlead_error *err),
		       void *user, fairlead_error *err);
/*
 * Images beside that of the database, left by a kill, are removed; one of a row that the journal
 * does not have says that rows were lost: FAIRLEAD_EINPUT.  @look: only looked at.
 */
int fl_checkpoint_settle(struct fl_store *s, struct fl_db *db, bool look, fairlead_error *err);

#endif
