/* SPDX-License-Identifier: Apache-2.0 */
/*
 * room - more room for a queue's members, classes, holders
 *
 * Outside marks only, since what moved would not move back.  False: there is no room, or no memory;
 * nothing has changed that counts.  Amortised: what the queue costs.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_DOORS_ROOM_H
#define FL_DECIDE_BORROW_DOORS_ROOM_H

#include "decide/borrow/state/state.h"

/* One class more; classes of the queue get other numbers. */
bool fl_room_for_class(struct fl_policy *p, struct fl_backlog *b);
/* One member more where there is no room, and @n_scan scan positions for each. */
bool fl_room_for_member(struct fl_policy *p, struct fl_backlog *b, uint32_t n_scan);
/* One holder more, in its tree too. */
bool fl_room_for_holder(struct fl_policy *p, struct fl_node q);
/* Scan positions from one member to the next. */
uint32_t fl_room_stride(const struct fl_backlog *b);

#endif
