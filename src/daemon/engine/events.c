/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/events.h"

const char *fl_happened_name(enum fl_happened what)
{
	static const char *const names[] = {
#define FL_HAPPENED(id, name, meaning) name,
#include "daemon/engine/event.def"
#undef FL_HAPPENED
	};

	return (unsigned)what < FL_HAPPENEDS ? names[what] : "";
}

void fl_followers_join(struct fl_follower **list, struct fl_follower *f)
{
	f->next = *list;
	*list = f;
}

void fl_followers_leave(struct fl_follower **list, struct fl_follower *f)
{
	for (struct fl_follower **at = list; *at; at = &(*at)->next)
		if (*at == f) {
			*at = f->next;
			return;
		}
}

void fl_followers_tell(struct fl_follower *const *list, const struct fl_event_row *row)
{
	for (struct fl_follower *f = *list, *next; f; f = next) {
		next = f->next; /* the callback may remove it */
		f->event(f->user, row);
	}
}
