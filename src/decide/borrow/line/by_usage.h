/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by_usage - who comes first where usage of local queues counts (afs.h), and for how long
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_LINE_BY_USAGE_H
#define FL_DECIDE_BORROW_LINE_BY_USAGE_H

#include "decide/borrow/afs/afs.h"

/* Of two that wait in one queue: whom freed quota is held for, then lower usage, the sticky one, queue order. */
bool fl_afs_before(const struct fl_policy *p, uint32_t a, uint32_t b);
/* The head of @q by usage: looks at everybody who waits in it. */
struct fl_workload fl_afs_head(const struct fl_policy *p, struct fl_node q);
/* Candidates of several queues, in the order that usage has no part in: put usage into it. */
void fl_afs_sort(struct fl_policy *p, uint32_t *ids, uint32_t n);

/* usage_time.c */

/* Next time that usage alone may change the order somewhere; FL_NEVER. */
fl_time fl_afs_wake(const struct fl_policy *p, fl_time now);
/* For the digest: calls @word with all that usage follows from. */
void fl_afs_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user);

#endif
