/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_lines - events of the daemon as they come: bytes to lines, lines to JSON
 */
#ifndef FL_CLI_CLIENT_EVENT_LINES_H
#define FL_CLI_CLIENT_EVENT_LINES_H

#include "cli/client/daemon.h"

enum { FL_EVENT_LINE = 1 << 16 }; /* bytes of one event; longer events are skipped */

struct fl_event_lines {
	/* false: no more events are wanted. */
	bool (*event)(void *user, struct json_t *event);
	void *user;
	unsigned status; /* of the answer */
	char last[64];   /* id of the newest event; "" */
	char *line;      /* what has not ended yet, or the body of a refusal */
	size_t len;
	bool out_of_memory, too_long;
};

/*
 * GET of @path, which is freed, until @event returns false, the daemon ends the answer, or the
 * connection breaks (FAIRLEAD_EIO).  May be called again, with another path.
 */
int fl_event_lines(struct fl_client *c, struct fl_path *path, struct fl_event_lines *lines,
		   fairlead_error *err);

#endif
