/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_vfs - SQLite's files with a disk behind them that fails when a test says so
 *
 * Counts what would reach the disk: writes, syncs, and the growing of the log's index.
 */
#ifndef FL_TESTS_STORE_FAIL_VFS_H
#define FL_TESTS_STORE_FAIL_VFS_H

#include <stdbool.h>
#include <stdint.h>

enum fail_how {
	FAIL_FULL,  /* no room: half of what was to be written is */
	FAIL_WRITE, /* input/output error */
	FAIL_SYNC,  /* only syncs are counted, and fail; what was written stays */
};

struct fail_plan {
	enum fail_how how;
	uint64_t at;   /* the n-th, from 1; 0: none */
	bool for_good; /* and all after it */
	uint64_t count, failed;
};

/* One for the program: tests have one thread. */
extern struct fail_plan fail_plan;

/* The name to open with. */
const char *fail_vfs(void);

#endif
