/* SPDX-License-Identifier: Apache-2.0 */
/* commit - writes a batch in one transaction */
#ifndef FL_STORE_COMMIT_H
#define FL_STORE_COMMIT_H

#include "store/database.h"

/* One transaction of the writer, and the work after it. */
int fl_store_write(struct fl_store *s,
		   int (*step)(struct fl_db *db, const void *arg, fairlead_error *err),
		   const void *arg, fairlead_error *err);
/* FAIRLEAD_ESTATE. */
int fl_store_read_only(const struct fl_store *s, fairlead_error *err);

#endif
