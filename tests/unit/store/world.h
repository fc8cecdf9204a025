/* SPDX-License-Identifier: Apache-2.0 */
/* world - state folders of tests, and batches with rows that can be told from each other */
#ifndef FL_TESTS_STORE_WORLD_H
#define FL_TESTS_STORE_WORLD_H

#include "store/store.h"

enum { WORLD_PATH = 256 };

/* A folder of its own that the store makes in it: "…/state". */
struct world {
	char root[WORLD_PATH], folder[WORLD_PATH];
};

void world_begin(struct world *w);
void world_end(struct world *w); /* with all that is in it */

/* Asserts that it opens. */
struct fl_store *world_open(const struct world *w);
/* The same, or the error. */
int world_try(const struct world *w, bool create, const char *vfs, fairlead_error *err);

/* The path of @name in the state folder; one buffer. */
const char *world_path(struct world *w, const char *name);
void world_write(const char *path, long offset, const void *bytes, size_t n);
long world_size(const char *path);
/* Copies a folder as a kill would leave it: whatever is in its files now. */
void world_copy(const char *from, const char *to);
/* What stands for all the bytes of a folder's files, but the lock and the index of the log. */
uint64_t world_sum(const char *folder);

/*
 * Batch @i from 1: one row of the journal, one new job, one event, all numbered @i.  The rows are
 * one buffer's, good until the next call.
 */
const struct fl_batch *world_batch(uint64_t i);
int world_commit(struct fl_store *s, uint64_t i, fairlead_error *err);

/* Asserts that batches 1 to @n are there whole, and no other. */
void world_check(struct fl_store *s, uint64_t n);

/* An image of @user (a number) repeated, and its check. */
int world_write_image(void *user, int fd, fairlead_error *err);
void world_check_image(struct fl_store *s, uint64_t seq, uint64_t number);

#endif
