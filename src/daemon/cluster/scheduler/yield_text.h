/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield_text - what a Workload has yielded, at the end of the message of its condition Preempted
 *
 *     Preempted to accommodate a workload (...); preemptee path: /co/q [fairlead/1 to=UID queue=HASH forgiven=0 floors=D.K.W.R]
 *
 * to: the uid of the one for which it went, "-" where that has ended; queue: a hash of the path of its ClusterQueue,
 * in whose tree the depths count; floors: at each depth kind, share and ratio (decide/policy.h, struct fl_yield_floor),
 * with commas between them, "-": none.  Hash, share and ratio are the 16 hexadecimal digits of their 64 bits, so what is read
 * is what was written.
 *
 * Each user with the right to write a Workload's status can write such a text.  One that is not exactly as above is no
 * text; what the others can do is in decide/borrow/guarantee/yield.h.
 *
 * Tested in tests/unit/daemon/test_managed.c.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_YIELD_TEXT_H
#define FL_DAEMON_CLUSTER_SCHEDULER_YIELD_TEXT_H

#include "decide/policy.h"

#define FL_YIELD_TEXT_BEGINS " [fairlead/"

enum { FL_YIELD_UID = 64, FL_YIELD_TEXT = 800 /* the longest has 761 bytes */ };

/* @uid: of y->to; NULL. False: it is no uid that can be written. */
bool fl_yield_write(const struct fl_yield *y, const char *uid, uint64_t queue,
		    char ret[FL_YIELD_TEXT]);
/* From a whole message: all of @ret but `workload` and `to`, of which the uid is read, "" for none. False: there is none of this version. */
bool fl_yield_read(const char *message, struct fl_yield *ret, char ret_uid[FL_YIELD_UID],
		   uint64_t *ret_queue);
/* How long @message is without such a text, of any version. */
size_t fl_yield_begin(const char *message);

#endif
