/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns - jobs larger than their queue's share run in turn (Policy: entitlement.turns)
 *
 * The division gives each queue its part of the cluster at one moment.  A job that is larger than
 * that part never runs where several such jobs are pending for the same machines: three users with
 * whole-cluster jobs have 8 / 3 GPUs each, or 4 and 4 when history has lowered the holder's part,
 * and none ever has 8.  With turns, one such job per cycle may have room if the usage of its queue
 * over time is less:
 *
 *   `had(q)`   usage of the queue, divided by its weight among siblings of its priority that ask,
 *              as a part of what their parent has (the larger of its usage and its fair share);
 *              of the resources of which some claim is short, the largest.  1 is exactly its part.
 *   margin(q)  min(1, limit of `had(q)` while it holds what it holds) / (1 + k)
 *
 * First, a queue that runs a job larger than its share keeps a share for it, from what siblings do
 * not hold, unless `had(it) - had(sibling) >= margin(it)`.  Then, of all leaves that run no such
 * job and whose next job is larger than their share, the first for which it is possible gets a
 * turn.  They are ordered level by level by priority, `had`, age; but one for which the last cycle
 * reserved room is the first of its priority.  For the turn shares of siblings are shifted
 * (claim.h):
 *
 *   from what is not held: by siblings that come after it, or that can start nothing with it;
 *   from what is held beyond what is deserved: if `had(sibling) - had(it) >= margin(sibling)`;
 *   all from siblings of lower priority, before others; nothing from siblings of higher priority.
 *
 * Guarantees, for k > 0 and any weights and sizes:
 * - A holder yields in bounded time to a queue that gets nothing: `had(pending)` falls to 0, and
 *   `had(holder)` tends to the value of which its margin is the part 1 / (1 + k) < 1.  With a
 *   half-life h and no window that takes at most h log2((k + 1) / k) from when nothing is left of
 *   the other's usage; with a window alone, at most the window.
 * - No thrashing: a queue that got a turn from another keeps it until their places are exchanged by
 *   two margins.  Two queues of weights w and 1 - w that are always short: the first one's part of
 *   the last h (or window) is between w (1 - (1 - w) m) and w (1 + (1 - w) m), where m is its
 *   margin 1 / (1 + k), plus what one cycle adds.  With half-life h its turns last
 *   h log2((1 - low) / (1 - high)), the other one's h log2(high / low); with equal weights
 *   h log2((2 + m) / (2 - m)).  N equal ones with a half-life: about 1.44 h m / (N - 1).
 * - With a half-life, if one of them is always running, no two of N queues that are always pending
 *   differ by more than m and one cycle: pending ones keep their relative distance or lose it, and
 *   a holder is at most m ahead of the last.  Since the mean of `had`, by weight, is 1, each has
 *   held the part that its weight gives it, up to m times that.
 * - What is deserved, and priority, are not affected; nor are limits, and quota of what cannot be
 *   preempted.
 *
 * Limits: without a history of usage, or with k = 0, nothing happens.  What a job waits for apart
 * from shares - minimum run times, pods that cannot be preempted, fragmented machines - it still
 * waits for, and meanwhile its turn is not given to the next job; only a job for which even empty
 * machines have no room is skipped.  With a window and no half-life the distance between pending
 * queues can grow when the window forgets, by the ratio of a turn to the window.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_TURNS_H
#define FL_DECIDE_ENTITLE_RULES_TURNS_H

#include "decide/entitle/state/state.h"

/* Are turns on, and is there a history of usage to decide by? */
bool fl_turns_count(const struct fl_policy *p);
/* Call it after a division: shifts the fair shares. */
void fl_turns_share(struct fl_policy *p);

#endif
