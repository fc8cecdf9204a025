/* SPDX-License-Identifier: Apache-2.0 */
/* read - settings by name, and the end of the database */
#ifndef FL_STORE_READ_H
#define FL_STORE_READ_H

#include "store/database.h"

/* A value of `settings`. FAIRLEAD_ENOENT. */
int fl_setting_get(struct fl_db *db, const char *name, char *ret, size_t size, fairlead_error *err);
int fl_setting_put(struct fl_db *db, const char *name, const char *value, fairlead_error *err);
/* fl_store_number_above, in the present transaction. */
int fl_db_number_above(struct fl_db *db, uint64_t job, fairlead_error *err);

struct fl_latest {
	uint64_t job; /* the highest number */
	fl_time wall, boot;
	const char *boot_text; /* the columns while it is read; afterwards */
	char boot_id[64];
	uint64_t seq;     /* the last row of the journal, and */
	int64_t head;     /* its checksum; */
	int64_t behind;   /* the checksum of the last deleted row; 0: none was deleted */
	uint64_t commits; /* number of transactions until now */
};
/* FAIRLEAD_EINPUT when it does not match its checksum. */
int fl_latest_read(struct fl_db *db, struct fl_latest *ret, fairlead_error *err);
int fl_latest_damaged(const struct fl_db *db, fairlead_error *err);

#endif
