/* SPDX-License-Identifier: Apache-2.0 */
/* schema - from version to version of the database, and is it ours? */
#ifndef FL_STORE_SCHEMA_H
#define FL_STORE_SCHEMA_H

#include "store/database.h"

enum { FL_STORE_APPLICATION = 0x66616972 }; /* "fair": application_id of our databases */

/* What brings a database from version i to i + 1. */
struct fl_migrations {
	const char *const *texts;
	int n;
};
extern const struct fl_migrations fl_store_migrations;

/*
 * Is it ours, of this program or before it, and whole?  Only looks.  Then the version.
 * FAIRLEAD_EINPUT.
 */
int fl_schema_check(struct fl_db *db, const struct fl_migrations *m, int *ret_version,
		    fairlead_error *err);
/* From where it is to the last version, in one transaction. */
int fl_schema_migrate(struct fl_db *db, const struct fl_migrations *m, fairlead_error *err);
/* PRAGMA integrity_check. */
int fl_schema_verify(struct fl_db *db, fairlead_error *err);

#endif
