/* SPDX-License-Identifier: Apache-2.0 */
/* log - the write-ahead log as it is in its file, compared with the part that SQLite takes */
#ifndef FL_STORE_LOG_H
#define FL_STORE_LOG_H

#include "store/database.h"

/* The write-ahead log as it is in its file, compared with the part that SQLite takes. */
struct fl_log_state {
	uint64_t frames, commits; /* frames and commits that SQLite takes */
	uint64_t cut;             /* frames after them that are of the same log */
	uint64_t bad;             /* the first frame that does not match; 0: none */
	/*
	 * Of the frames after it that follow from the one before: frames, commits, and the highest
	 * count of transactions in a page of `latest`.
	 */
	uint64_t behind, behind_commits, counted;
	bool is_damaged; /* it is more than the effect of a power cut */
	uint64_t salts;  /* identify the log */
};
/* @latest: the page of the table `latest`; 0: not known. */
int fl_log_read(const char *database, uint32_t latest, struct fl_log_state *ret,
		fairlead_error *err);
/* The log of @db, which only reads. FAIRLEAD_EINPUT: it is damaged. */
int fl_log_check(struct fl_db *db, struct fl_log_state *ret, fairlead_error *err);

#endif
