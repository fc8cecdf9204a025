/* SPDX-License-Identifier: Apache-2.0 */
/* events - what can happen to jobs, for people, and followers of events */
#ifndef FL_DAEMON_ENGINE_EVENTS_H
#define FL_DAEMON_ENGINE_EVENTS_H

#include "record/history.h"

enum fl_happened {
#define FL_HAPPENED(id, name, meaning) FL_HAPPENED_##id,
#include "daemon/engine/event.def"
#undef FL_HAPPENED
	FL_HAPPENEDS
};
const char *fl_happened_name(enum fl_happened what);

/* A follower: called for each event as it happens, from the next one on. */
struct fl_follower {
	void (*event)(void *user, const struct fl_event_row *row);
	void *user;
	struct fl_follower *next; /* the next in its list */
};
void fl_followers_join(struct fl_follower **list, struct fl_follower *f);
void fl_followers_leave(struct fl_follower **list, struct fl_follower *f);
/* A callback may remove its own follower. */
void fl_followers_tell(struct fl_follower *const *list, const struct fl_event_row *row);

#endif
