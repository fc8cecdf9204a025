/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns - jobs larger than their queue's share run in turn (Policy: entitlement.turns)
 *
 * The division gives each queue its part of the moment.  A job that is larger than that part
 * never runs where several wait for the same machines: three users of whole-cluster jobs have
 * 8 / 3 GPUs each, or 4 and 4 when history has taken the holder's, and nobody ever has 8.
 * With turns, one such job a cycle may have its place, if its queue has had less over time:
 *
 *   had(q)     usage of the queue, by its weight among those siblings of its priority that ask,
 *              as a part of what their parent has (the larger of its usage and its fair share);
 *              of the resources that somebody is short of, the largest.  1 is exactly its part.
 *   margin(q)  min(1, what had(q) tends to while it holds what it holds) / (1 + k)
 *
 * First whoever runs a job larger than its share keeps a share for it, from what siblings do
 * not hold, unless had(it) - had(sibling) >= margin(it).  Then of all leaves that run none, and
 * whose next job is larger than their share, the first one for which it is possible gets a turn:
 * level by level by priority, had, age; but whoever was reserved a place by the last cycle is
 * first of its priority.  For it shares of siblings are shifted (claim.h):
 *
 *   from what is not held: of those who come after it, or who can start nothing with it;
 *   from what is held beyond what is deserved: when had(sibling) - had(it) >= margin(sibling);
 *   all of lower priority first; of higher priority nothing.
 *
 * Guarantees, for k > 0 and whatever weights and sizes:
 * - Whoever holds yields in bounded time to one who gets nothing: had(waiting) falls to 0,
 *   had(holder) tends to what its margin is a part of, 1 / (1 + k) < 1.  With a half-life h and
 *   no window that takes at most h log2((k + 1) / k) from when nothing is left of what the
 *   other had; with a window alone, at most the window.
 * - No chatter: who got a turn from another keeps it until their places are exchanged by two
 *   margins.  Two queues of weights w and 1 - w that are always short: the first one's part of
 *   the last h (or window) swings between w (1 - (1 - w) m) and w (1 + (1 - w) m), m its margin
 *   1 / (1 + k), plus what one cycle adds.  With half-life h its turns last
 *   h log2((1 - low) / (1 - high)), the other one's h log2(high / low); equal weights:
 *   h log2((2 + m) / (2 - m)).  N equal ones with a half-life: about 1.44 h m / (N - 1).
 * - With a half-life and always somebody running, no two of N who always wait are farther apart
 *   than m and one cycle: waiting ones keep their distance relative to each other or lose it,
 *   and a holder is at most m ahead of the last.  Since the mean of had, by weight, is 1, each
 *   has had its weight's part, give or take m times that.
 * - What is deserved, and priority, stay out of it; so do limits and quota of what cannot be
 *   preempted.
 *
 * Limits: nothing happens without a history of usage, or with k = 0.  What a job waits for
 * besides shares - minimum run times, pods that cannot be preempted, machines in pieces - it
 * still waits for, and its turn is not given to the next one meanwhile; only a job for which
 * even empty machines have no room is passed over.  With a window and no half-life the distance
 * of those who wait can grow when the window forgets, by what a turn is of the window.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_TURNS_H
#define FL_DECIDE_ENTITLE_RULES_TURNS_H

#include "decide/entitle/state/state.h"

/* Are they on, and is there anything to go by? */
bool fl_turns_count(const struct fl_policy *p);
/* Behind a division: shift the fair shares. */
void fl_turns_share(struct fl_policy *p);

#endif
