/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/event_lines.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A line that is not a JSON object is skipped: an empty one keeps a connection alive. */
static bool end_line(struct fl_event_lines *l)
{
	json_t *event = l->too_long ? NULL : json_loadb(l->line, l->len, 0, NULL);
	bool more = true;

	l->len = 0;
	l->too_long = false;
	if (json_is_object(event)) {
		const char *id = json_string_value(json_object_get(event, "id"));

		snprintf(l->last, sizeof(l->last), "%s", id ? id : "");
		more = l->event(l->user, event);
	}
	json_decref(event);
	return more;
}

static bool take(void *user, const char *bytes, size_t len)
{
	struct fl_event_lines *l = user;

	if (!l->line)
		l->line = malloc(FL_EVENT_LINE);
	l->out_of_memory = !l->line;
	for (size_t i = 0; i < len && l->line; i++) {
		if (bytes[i] == '\n' && l->status < 300) {
			if (!end_line(l))
				return false;
		} else if (l->len < FL_EVENT_LINE) {
			l->line[l->len++] = bytes[i];
		} else {
			l->too_long = true;
		}
	}
	return l->line;
}

int fl_event_lines(struct fl_client *c, struct fl_path *path, struct fl_event_lines *l,
		   fairlead_error *err)
{
	l->len = 0;
	l->too_long = false;
	int rc = path->failed ? fl_fail_nomem(err) :
				fl_client_follow(c, path->text, take, l, &l->status, err);

	if (rc == 0 && l->out_of_memory)
		rc = fl_fail_nomem(err);
	else if (rc == 0 && l->status >= 300)
		rc = fl_daemon_refused(c, l->status, l->line, l->len, err);
	free(l->line);
	free(path->text);
	l->line = path->text = NULL;
	return rc;
}
