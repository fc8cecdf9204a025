/* SPDX-License-Identifier: Apache-2.0 */
/* read - small things by name, and where the database ends */
#ifndef FL_STORE_READ_H
#define FL_STORE_READ_H

#include "store/database.h"

/* One of `settings`. FAIRLEAD_ENOENT. */
int fl_setting_get(struct fl_db *db, const char *name, char *ret, size_t size, fairlead_error *err);
int fl_setting_put(struct fl_db *db, const char *name, const char *value, fairlead_error *err);
/* fl_store_number_above, in whatever transaction there is. */
int fl_db_number_above(struct fl_db *db, uint64_t job, fairlead_error *err);

struct fl_setting {
	const char *name, *value;
};

struct fl_latest {
	uint64_t job; /* the highest number */
	fl_time wall, boot;
	const char *boot_text; /* while it is read; then */
	char boot_id[64];
	uint64_t seq;     /* of the last row of the journal, and */
	int64_t head;     /* its sum; */
	int64_t behind;   /* that of the last one that was forgotten, 0: none was */
	uint64_t commits; /* transactions until now */
};
/* FAIRLEAD_EINPUT when it does not fit its sum. */
int fl_latest_read(struct fl_db *db, struct fl_latest *ret, fairlead_error *err);
int fl_latest_damaged(const struct fl_db *db, fairlead_error *err);

#endif
