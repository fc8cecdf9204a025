/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history - who used how much of the cluster over time, normalised to its capacity
 *
 * What queues hold and what the cluster has is kept as stretches (t0, t1] in which it
 * stays the same.  The usage of a queue, for each resource alone, is
 *
 *     integral of held(t) w(t) dt / integral of capacity(t) w(t) dt
 *
 * over (start of the window, now], with w(t) = 2^-((now - t) / half-life), or 1 without a
 * half-life; 0 where the capacity was 0.
 *
 * The same number as the weighted sums of samples that a metrics server gives: a sample of
 * length dt at time t stands for the stretch (t - dt, t], whose integral of w is
 *
 *     2^-((now - t) / h) * (h / ln 2) (1 - 2^-(dt / h))
 *
 * (dt without a half-life): its weight times a factor that is the same for all samples of
 * equal length, and that the ratio loses.  So samples and exact stretches can be mixed, and
 * there is no resolution to choose.
 *
 * Costs: one change is O(1); usage of all is O(log changes) a queue and resource, not O(window).
 * Memory: 40 bytes a change of one resource of one queue since the oldest time that a window
 * can still reach; nothing for queues that never held anything.
 *
 * Time does not go back: what is held at an earlier time than was seen before counts from that
 * time on.  All of it can be undone (base/undo.h), exactly.
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

/* Of @n_queues queues that held nothing and a cluster without capacity. */
int fl_history_new(const struct fl_mem *mem, const struct fl_history_settings *settings,
		   uint32_t n_queues, struct fl_history **ret, fairlead_error *err);
struct fl_history *fl_history_free(struct fl_history *h);

/*
 * Room for @changes calls of hold and capacity, which then cannot fail; each needs this much
 * room in @undo, too, which is the caller's to reserve together with all else it notes.
 * Forgets what no window reaches any more, unless a mark is open in @undo (NULL: none is).
 */
enum { FL_HISTORY_UNDO = (FL_BUNDLE + 1) * FL_UNDO_OF(uint32_t) + FL_UNDO_OF(fl_time) };
int fl_history_reserve(struct fl_history *h, const struct fl_undo *undo, uint32_t changes,
		       fairlead_error *err);

/* From @now on the queue holds this, until the next call; amounts are not negative. */
void fl_history_hold(struct fl_history *h, struct fl_undo *undo, fl_time now, uint32_t queue,
		     const struct fl_bundle *held);
/* From @now on the cluster has this. */
void fl_history_capacity(struct fl_history *h, struct fl_undo *undo, fl_time now,
			 const struct fl_bundle *capacity);

/*
 * A sample from outside: the queue, or the cluster with FL_NONE, had @amounts in (from, to]
 * and from then on nothing that is known.  FAIRLEAD_EINPUT when it ends after @now, does not end
 * after it begins, begins before the last one of the same queue ended, or has amounts that are
 * negative or no numbers.  Without undo.
 */
int fl_history_add(struct fl_history *h, fl_time now, fl_time from, fl_time to, uint32_t queue,
		   const struct fl_bundle *amounts, fairlead_error *err);

/*
 * One bundle a queue: amount times seconds since the window began.  Of a history without
 * half-life only.
 */
void fl_history_used(const struct fl_history *h, fl_time now, struct fl_bundle *used);

/*
 * Its changes as tables of an image, named after @name, and back, into one of as many queues.
 * FAIRLEAD_EINPUT when a link leads nowhere, or a number is none.
 */
int fl_history_save(const struct fl_history *h, const char *name, struct fl_image_writer *w,
		    fairlead_error *err);
int fl_history_load(struct fl_history *h, const char *name, const struct fl_image *i,
		    fairlead_error *err);

/*
 * @h, of which nothing counts any more, becomes what @from is, whose queue q is queue @queues[q] of
 * @h (each once), or FL_NONE: forgotten.  The window and half-life stay those of @h; with the
 * half-life of @from it is the same to the last bit, else what windows still reach is integrated
 * anew.  After FAIRLEAD_ENOMEM @h can only be freed.
 */
int fl_history_adopt(struct fl_history *h, const struct fl_history *from, const uint32_t *queues,
		     fairlead_error *err);

/* One bundle a queue: parts of the capacity, from 0 on. */
void fl_history_usage(const struct fl_history *h, fl_time now, struct fl_bundle *usage);

#endif
