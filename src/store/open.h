/* SPDX-License-Identifier: Apache-2.0 */
/* open - the struct of an open store */
#ifndef FL_STORE_OPEN_H
#define FL_STORE_OPEN_H

#include <pthread.h>

#include "store/database.h"
#include "store/schema.h"

struct fl_store {
	char folder[FL_STORE_PATH];
	int folder_fd, lock_fd;
	const char *vfs;
	struct fl_db reader;     /* for readers, one thread at a time */
	pthread_mutex_t writing; /* guards what follows */
	struct fl_db writer;
	uint64_t last_seq;      /* the last row of the journal, and */
	int64_t last_sum;       /* its checksum */
	int log_pages;          /* pages of the write-ahead log, after the last commit */
	int log_limit;          /* with more the log is copied into the database */
	pthread_mutex_t noting; /* guards what follows */
	struct fl_store_damage damage;
	fl_time holdings_changed; /* FL_NEVER: not since it was asked for; 0 before */
};

int fl_store_open_as(const struct fl_store_options *options, const struct fl_migrations *m,
		     struct fl_store **ret, fairlead_error *err);
/* Opens another connection for reading, for any thread; the caller closes it. */
int fl_store_aside(const struct fl_store *s, struct fl_db *ret, fairlead_error *err);

#endif
