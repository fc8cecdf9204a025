/* SPDX-License-Identifier: Apache-2.0 */
/* log - the write-ahead log as it stands in its file, beside what SQLite takes of it */
#ifndef FL_STORE_LOG_H
#define FL_STORE_LOG_H

#include "store/database.h"

/* The write-ahead log as it stands in its file, beside what SQLite takes of it. */
struct fl_log_state {
	uint64_t frames, commits; /* which it takes */
	uint64_t cut;             /* frames behind them that are of the same log */
	uint64_t bad;             /* the first one that does not fit; 0: none */
	/* Of those behind it that go on from the one before: frames, commits, and the highest number
	 * of transactions that a page of `latest` counts. */
	uint64_t behind, behind_commits, counted;
	bool is_damaged; /* not only cut off by a power cut */
	uint64_t salts;  /* which log it is */
};
/* @latest: the page of the table; 0: not known. */
int fl_log_read(const char *database, uint32_t latest, struct fl_log_state *ret,
		fairlead_error *err);
/* Of @db, which reads. FAIRLEAD_EINPUT: damaged. */
int fl_log_check(struct fl_db *db, struct fl_log_state *ret, fairlead_error *err);

#endif
