/* SPDX-License-Identifier: Apache-2.0 */
/* difference - which objects of one configuration another one adds, replaces or lacks */
#ifndef FL_DAEMON_CONFIG_DIFFERENCE_H
#define FL_DAEMON_CONFIG_DIFFERENCE_H

#include "codec/edit/change.h"
#include "daemon/config/config.h"

struct fl_differing_row {
	const char *what, *object; /* "replace", "add", "delete"; "ClusterQueue/a" */
	const char *file;          /* NULL: it is not there any more */
	uint32_t line;
};

struct fl_differing {
	struct fl_changes sides[2]; /* all objects of each */
	struct fl_model *models[2];
	struct fl_differing_row *rows; /* new and replaced ones in order, then deleted ones */
	uint32_t n;
};

/*
 * Compares what the objects say, not how they are written.  Its texts are valid until it is done;
 * also after an error it has to be.
 */
int fl_differing_read(const struct fl_config *was, const struct fl_config *is,
		      struct fl_differing *ret, fairlead_error *err);
void fl_differing_done(struct fl_differing *d);

#endif
