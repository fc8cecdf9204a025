/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weighed_past - what queues held over any time, with or without a half-life, from what a daemon keeps
 *
 * Guarantee: exact (weighed.h) where attempts are kept one by one; before that, of each sum of an hour or
 * more, what was held in it counts as held evenly: so with a half-life H a sum of length
 * L is wrong by a factor within 2^-(L/H) and 2^(L/H), and by nothing without one, except where the time
 * begins within it.  The answer is a function of what is kept, to the last bit: neither the order of
 * rows nor what was asked before changes it.
 *
 * Cost: hours that are over are summed up once, and kept for up to FL_WEIGHED_LIVES half-lives, in
 * FL_WEIGHED_BYTES each; so a question reads the attempts of two hours, whatever its window, but the source
 * has to find those of the first one.
 *
 * Cannot: be asked on two threads at once.  Tested by tests/unit/daemon/test_weighed.c.
 */
#ifndef FL_DAEMON_ENGINE_WEIGHED_PAST_H
#define FL_DAEMON_ENGINE_WEIGHED_PAST_H

#include "daemon/engine/history/weighed.h"
#include "record/history.h"

enum { FL_WEIGHED_LIVES = 2, FL_WEIGHED_BYTES = 16 << 20 };

typedef int fl_weighed_attempt_fn(void *to, const struct fl_admission_row *row,
				  fairlead_error *err);
/* A queue held @held (amounts times nanoseconds) in (from, to]. */
typedef int fl_weighed_sum_fn(void *to, const char *queue, const char *resource, fl_time from,
			      fl_time until, fl_nanos held, fairlead_error *err);

/* Where it comes from; all are called on the thread that asks. */
struct fl_weighed_source {
	void *user;
	/* Since when there is anything, and since when attempts are kept one by one. */
	int (*since)(void *user, fl_time *ret_first, fl_time *ret_exact, fairlead_error *err);
	/* Those that held quota within the time, and may be more, in any order. */
	int (*attempts)(void *user, fl_time from, fl_time to, fl_weighed_attempt_fn *fn,
			void *to_whom, fairlead_error *err);
	/* Sums that lie at least in part within it. */
	int (*sums)(void *user, fl_time from, fl_time to, fl_weighed_sum_fn *fn, void *to_whom,
		    fairlead_error *err);
	/* From which moment on attempts may be others than at the last call; FL_NEVER: from none on. */
	fl_time (*changed)(void *user);
};

struct fl_weighed_question {
	uint32_t resource;
	fl_time from, to, half_life; /* half_life 0: none */
	fl_time now;                 /* from which half-lives are counted */
};
/* @held: the integral, in amounts times nanoseconds; above 0. */
typedef int fl_weighed_tell(void *to, const char *queue, double held, fairlead_error *err);

struct fl_weighed_past;
int fl_weighed_past_new(const struct fl_weighed_source *source, struct fl_weighed_past **ret,
			fairlead_error *err);
struct fl_weighed_past *fl_weighed_past_free(
	struct fl_weighed_past *p); /* NULL is fine; returns NULL */
/* Tells each queue that held something, in no order. */
int fl_weighed_past_ask(struct fl_weighed_past *p, const struct fl_weighed_question *q,
			fl_weighed_tell *tell, void *to, fairlead_error *err);

#endif
