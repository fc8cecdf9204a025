/* SPDX-License-Identifier: Apache-2.0 */
/* schema - the version of a database: check and migration */
#ifndef FL_STORE_SCHEMA_H
#define FL_STORE_SCHEMA_H

#include "store/database.h"

enum { FL_STORE_APPLICATION = 0x66616972 }; /* "fair": application_id of our databases */

/* Statements that bring a database from version i to i + 1. */
struct fl_migrations {
	const char *const *texts;
	int n;
};
extern const struct fl_migrations fl_store_migrations;

/*
 * Checks that it is a database of fairleadd, not of a newer version, and not damaged.  Only reads.
 * *ret: its version.  FAIRLEAD_EINPUT.
 */
int fl_schema_check(struct fl_db *db, const struct fl_migrations *m, int *ret_version,
		    fairlead_error *err);
/* Migrates it to the last version, in one transaction. */
int fl_schema_migrate(struct fl_db *db, const struct fl_migrations *m, fairlead_error *err);
/* PRAGMA integrity_check. */
int fl_schema_verify(struct fl_db *db, fairlead_error *err);

#endif
