/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history - usage of the cluster by queue over time, normalised to its capacity
 *
 * What queues hold and what the cluster has is kept as time spans (t0, t1] in which it stays the
 * same.  The usage of a queue, for each resource separately, is
 *
 *    integral of held(t) w(t) dt / integral of capacity(t) w(t) dt
 *
 * over (start of the window, now], with w(t) = 2^-((now - t) / half-life), or 1 without a
 * half-life; 0 where the capacity was 0.
 *
 * This is the same number as the weighted sums of samples from a metrics server: a sample of
 * length dt at time t stands for the time span (t - dt, t], over which the integral of w is
 *
 *    2^-((now - t) / h) * (h / ln 2) (1 - 2^-(dt / h))
 *
 * (dt without a half-life).  That is the weight of the sample times a factor that is the same for
 * all samples of equal length, and that cancels in the ratio.  So samples and exact time spans can
 * be mixed, and no resolution need be chosen.
 *
 * Cost: a change is O(1); usage of all queues is O(log changes) per queue and resource, not
 * O(window).  Memory: 40 bytes for each change of one resource of one queue since the oldest time
 * that a window can still reach; nothing for queues that never held anything.
 *
 * Time does not go back: what is held at a time before the latest one seen counts from the latest
 * one on.  All changes can be undone (base/undo.h), exactly.
 */
#ifndef FL_DECIDE_SHARE_HISTORY_H
#define FL_DECIDE_SHARE_HISTORY_H

#include "base/bundle.h"
#include "base/image.h"
#include "base/undo.h"
#include "decide/share/window.h"

struct fl_history_settings {
	fl_time half_life; /* 0 or less: none */
	struct fl_usage_window window;
};

struct fl_history;

/* For @n_queues queues that hold nothing, and a cluster without capacity. */
int fl_history_new(const struct fl_mem *mem, const struct fl_history_settings *settings,
		   uint32_t n_queues, struct fl_history **ret, fairlead_error *err);
struct fl_history *fl_history_free(struct fl_history *h);

/*
 * Makes room for @changes calls of hold and capacity, which then cannot fail; each also needs this
 * much room in @undo, which the caller reserves together with all else that it notes.  Forgets
 * what no window reaches any more, unless a mark is open in @undo (NULL: none is open).
 */
enum { FL_HISTORY_UNDO = (FL_BUNDLE + 1) * FL_UNDO_OF(uint32_t) + FL_UNDO_OF(fl_time) };
int fl_history_reserve(struct fl_history *h, const struct fl_undo *undo, uint32_t changes,
		       fairlead_error *err);

/* From @now on the queue holds @held, until the next call; amounts are not negative. */
void fl_history_hold(struct fl_history *h, struct fl_undo *undo, fl_time now, uint32_t queue,
		     const struct fl_bundle *held);
/* From @now on the cluster has @capacity. */
void fl_history_capacity(struct fl_history *h, struct fl_undo *undo, fl_time now,
			 const struct fl_bundle *capacity);

/*
 * Adds a sample from outside: @amounts of the queue, or of the cluster with FL_NONE, in (from,
 * to]; after that nothing is known.  FAIRLEAD_EINPUT if it ends after @now, does not end after it
 * begins, begins before the last one of the same queue ended, or has an amount that is negative or
 * not a number.  Cannot be undone.
 */
int fl_history_add(struct fl_history *h, fl_time now, fl_time from, fl_time to, uint32_t queue,
		   const struct fl_bundle *amounts, fairlead_error *err);

/*
 * One bundle per queue: the integral of amounts since the window began, in amount times seconds.
 * Only for a history without half-life.
 */
void fl_history_used(const struct fl_history *h, fl_time now, struct fl_bundle *used);

/*
 * Saves its changes as tables of an image, named after @name; and loads them, into a history with
 * as many queues.  FAIRLEAD_EINPUT if a link leads nowhere, or a value is not a number.
 */
int fl_history_save(const struct fl_history *h, const char *name, struct fl_image_writer *w,
		    fairlead_error *err);
int fl_history_load(struct fl_history *h, const char *name, const struct fl_image *i,
		    fairlead_error *err);

/*
 * @h, whose content is dropped, gets that of @from: queue q of @from is queue @queues[q] of @h
 * (each once), or FL_NONE: forgotten.  The window and half-life stay those of @h.  If @from has
 * the same half-life, usage is equal to the last bit; else what windows still reach is integrated
 * again.  After FAIRLEAD_ENOMEM @h can only be freed.
 */
int fl_history_adopt(struct fl_history *h, const struct fl_history *from, const uint32_t *queues,
		     fairlead_error *err);

/* One bundle per queue: usage as parts of the capacity, at least 0. */
void fl_history_usage(const struct fl_history *h, fl_time now, struct fl_bundle *usage);

#endif
