/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by_usage - the order of workloads where usage of local queues counts (afs.h), and until when it
 * holds
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_BACKLOG_BY_USAGE_H
#define FL_DECIDE_BORROW_BACKLOG_BY_USAGE_H

#include "decide/borrow/afs/afs.h"

/*
 * Does pending @a come before pending @b of the same queue?  By: freed quota is held for it, lower
 * usage, sticky, queue order.
 */
bool fl_afs_before(const struct fl_policy *p, uint32_t a, uint32_t b);
/* The head of @q by usage: looks at each workload that is pending in it. */
struct fl_workload fl_afs_head(const struct fl_policy *p, struct fl_node q);
/* Sorts candidates of several queues: on entry @ids is in the order without usage. */
void fl_afs_sort(struct fl_policy *p, uint32_t *ids, uint32_t n);

/* usage_time.c */

/* The next time at which usage alone may change an order; FL_NEVER. */
fl_time fl_afs_wake(const struct fl_policy *p, fl_time now);
/* For the digest: calls @word with all that usage depends on. */
void fl_afs_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user);

#endif
